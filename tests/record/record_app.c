// A program for `ks record` on the fake driver: record_app HOW launches two kernels and then ends as HOW says.
#include <cuda.h>
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "fake_cuda.h"

static const size_t offsets[] = {0, 8, 16, 20}, sizes[] = {8, 8, 4, 4};
static CUfunction scale, sum, faster;

static void launch(CUfunction f, unsigned grid, unsigned shared, uintptr_t stream)
{
    void *args[4] = {NULL};
    errno = 77;
    cuLaunchKernel(f, grid, 1, 1, 256, 1, 1, shared, (CUstream)stream, args, NULL); // NOLINT
    if (errno != 77)
        puts("errno was changed");
}

static void work(void)
{
    for (int i = 0; i < 30; i++)
        launch(scale, i < 20 ? 64 : 128, 0, 7);
    for (int i = 0; i < 5; i++)
        launch(sum, 2, 4096, 8);
    launch(sum, 2, 4096, 98); // a node of a graph
    launch(faster, 4, 0, 7);
}

static void rest(void)
{
    nanosleep(&(struct timespec){.tv_nsec = 400000000}, NULL);
}

static void end_as(const char *how, char **argv)
{
    if (strcmp(how, "status") == 0)
        exit(7);
    if (strcmp(how, "_exit") == 0) {
        rest();
        _exit(3);
    }
    if (strcmp(how, "crash") == 0) {
        rest();
        raise(SIGSEGV);
    }
    if (strcmp(how, "abort") == 0 || strcmp(how, "killed") == 0) {
        rest();
        raise(how[0] == 'a' ? SIGABRT : SIGKILL);
    }
    if (strcmp(how, "contexts") == 0)
        for (uintptr_t i = 0; i < 40; i++) {
            cuCtxSetCurrent((CUcontext)(i % 2)); // NOLINT
            launch(scale, 64, 0, 7);
        }
    if (strcmp(how, "reset") == 0) { // the flush at a reset: no rest, no exit
        cuDevicePrimaryCtxReset_v2(0);
        _exit(0);
    }
    if (strcmp(how, "fork") == 0) {
        if (fork() == 0)
            exit(0); // its atexit is ours
        wait(NULL);
    }
    if (strcmp(how, "exec") == 0) {
        char *next[] = {argv[0], "plain", NULL};
        rest();
        execv("/proc/self/exe", next);
    }
    if (strcmp(how, "close") == 0) // as a daemon does; what is opened next gets low numbers
        for (int fd = 3; fd < 64; fd++)
            close(fd);
    if (strcmp(how, "full") == 0) { // further writes are beyond the limit
        struct rlimit limit = {4096, 4096};
        setrlimit(RLIMIT_FSIZE, &limit);
        for (int i = 0; i < 2000; i++)
            launch(scale, 1000 + (unsigned)i, 0, 7);
    }
    if (strcmp(how, "many") == 0)
        for (int i = 0; i < 1000000; i++)
            launch(scale, (unsigned)i % 3 + 1, 0, 7);
    if (strcmp(how, "shapes") == 0) // more classes than the library holds
        for (unsigned i = 0; i < 70000; i++)
            launch(sum, i + 1, 0, 7);
}

int main(int argc, char **argv)
{
    const char *how = argc > 1 ? argv[1] : "plain";
    char line[64] = "";
    if (strcmp(how, "none") == 0)
        return 0;
    if (cuInit(0) != CUDA_SUCCESS)
        return 99;
    scale = fake_cuda_function("_ZN2ns5scaleIfEEvPT_PKS1_fi", offsets, sizes, 4, NULL);
    sum = fake_cuda_function("_Z3sumPKfPfi", offsets, sizes, 3, NULL);
    faster = fake_cuda_function("_ZN19ks_0123456789abcdef6scale4EPfPKffi", offsets, sizes, 4, NULL);
    work();
    if (strcmp(how, "input") == 0 && fgets(line, sizeof line, stdin) != NULL)
        printf("read %s", line);
    puts("output of the program");
    end_as(how, argv);
    return 0;
}
