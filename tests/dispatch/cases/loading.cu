// Loads one unit in two shared libraries (library.cu), which SUITE_LIBRARIES has as first.so and
// second.so.
#include <dlfcn.h>

#include <cstdio>
#include <cstdlib>
#include <string>

#include "suite.h"

VARIANT(library_v, Log *, int);

struct Library {
    void *at;
    explicit Library(const char *name)
    {
        at = dlopen((getenv("SUITE_LIBRARIES") + std::string(name)).c_str(), RTLD_NOW | RTLD_LOCAL);
        if (at == nullptr)
            printf("%s\n", dlerror());
    }
    void run(int n) { ((void (*)(Log *, int))dlsym(at, "library_run"))(suite::log(), n); }
};
CASE("library.two-copies")
{
    Library first("/first.so"), second("/second.so");
    first.run(1);
    second.run(2);
    auto kernel = ((void (*(*)())(Log *, int))dlsym(second.at, "library_kernel"))();
    kernel<<<2, 32>>>(suite::log(), 3); // by a pointer from elsewhere
    CHECK(suite::saw(0, 1) && suite::saw(1, 2) && suite::saw(2, 3));
    suite::effect("close", dlclose(first.at));
    second.run(4);
    suite::effect("close", dlclose(second.at));
}
CASE("library.reloaded")
{
    for (int i = 0; i < 3; i++) {
        Library first("/first.so");
        first.run(i);
        CHECK(suite::saw(i, i));
        suite::effect("close", dlclose(first.at));
    }
}
