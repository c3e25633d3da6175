#pragma once
#include <cstdio>
#include <cstdlib>
#include <cuda_runtime.h>

#define OK(call)                                                                                      \
    do {                                                                                          \
        cudaError_t e_ = (call);                                                                  \
        if (e_ != cudaSuccess) {                                                                  \
            fprintf(stderr, "%s: %s\n", #call, cudaGetErrorString(e_));                               \
            exit(90);                                                                             \
        }                                                                                         \
    } while (0)

double total_of(const float *x, int n); // by CUB, in a unit of its own
