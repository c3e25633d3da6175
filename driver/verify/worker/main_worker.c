// ks-worker: speaks for one GPU on stdin and stdout (verify/protocol.h). Started by the judge,
// directly or through a launcher such as `srun -G1`.

#include <stdio.h>
#include <string.h>

#include "base/log.h"
#include "verify/worker/serve.h"

int main(int argc, char **argv)
{
    if (argc > 1 && strcmp(argv[1], "--version") == 0) {
        printf("ks-worker %s\n", KS_VERSION);
        return 0;
    }
    if (argc > 1) {
        fprintf(stderr, "ks-worker takes no arguments; ks starts it and sends it requests\n");
        return 2;
    }
    ks_log_init("ks-worker", KS_LOG_WARN);
    return ks_serve_main(ks_device_open_cuda, NULL);
}
