// What kinds.cu launches of the units twin.cu (substituted too) and bare.cu (by nvcc alone).
#pragma once
#include "kernels.cuh"

__global__ void external(Log *log, int n);
extern "C" __global__ void c_kernel(Log *log, int n);
namespace outer {
inline namespace v2 {
__global__ void versioned(Log *log, int n);
}
}
void launch_equal_twin(int n);
void launch_equal_bare(int n);
void launch_header_twin(int n);
void launch_header_bare(int n);
