// Runs the ports of samples/kernelbench one after the other, and says which of them are wrong.
#ifndef KERNELBENCH_PORTS_H
#define KERNELBENCH_PORTS_H

#include <cstdio>

struct port {
    const char *file;
    int (*run)();
};
static int run_ports(const port *ports, size_t n)
{
    int wrong = 0;
    for (size_t i = 0; i < n; i++)
        if (ports[i].run() != 0) {
            std::printf("FAIL: %s\n", ports[i].file);
            wrong++;
        }
    std::printf("%zu ports, %d wrong\n", n, wrong);
    return wrong != 0 || n == 0;
}

#endif
