// Linked with --wrap=__cudaLaunchKernel: where in a launch the time goes. Cycles of the time stamp
// counter, summed: from the launch expression to the runtime's function, and inside that.
#include <stddef.h>
#include <stdint.h>

struct dims {
    unsigned x, y, z;
};
int __real___cudaLaunchKernel(void *kernel, struct dims grid, struct dims block, void **args,
                              size_t shared, void *stream);
int __wrap___cudaLaunchKernel(void *kernel, struct dims grid, struct dims block, void **args,
                              size_t shared, void *stream);

struct {
    uint64_t begin, before, inside;
} launch_stages;

int __wrap___cudaLaunchKernel(void *kernel, struct dims grid, struct dims block, void **args,
                              size_t shared, void *stream)
{
    uint64_t entered = __builtin_ia32_rdtsc();
    int error = __real___cudaLaunchKernel(kernel, grid, block, args, shared, stream);
    launch_stages.before += entered - launch_stages.begin;
    launch_stages.inside += __builtin_ia32_rdtsc() - entered;
    return error;
}
