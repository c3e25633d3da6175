// A CUDA driver whose device is this process: memory is malloc's, a kernel is a C function that runs when
// it is launched. It loads the injection library as the real one does and tells the fake CUPTI of every launch.
#ifndef KS_FAKE_CUDA_H
#define KS_FAKE_CUDA_H

#include <cuda.h>
#include <cupti.h>
#include <stdbool.h>

// Runs one launch; args as cuLaunchKernel has them.
typedef void fake_kernel(void **args);

// A kernel of that mangled name. `offsets` and `sizes` are those of its `n` parameters.
CUfunction fake_cuda_function(const char *name, const size_t *offsets, const size_t *sizes, size_t n,
                              fake_kernel *run);

// Within the fake driver: a kernel, what CUPTI is told of one that ran, and of a call.
struct fake_function {
    const char *name;
    size_t offsets[16], sizes[16], n;
    fake_kernel *run;
};
void fake_record(const struct fake_function *function, const cuLaunchKernel_params *launch, bool graph);
void fake_call(uint32_t id, bool enter, const void *params, const char *symbol);

// The fake CUPTI's own entries, called by the fake driver.
void fake_cupti_kernel(const CUpti_ActivityKernel10 *kernel);
void fake_cupti_driver(uint32_t id, int enter, const void *params, const char *symbol, CUcontext context);

#endif
