// Kernels that several units of the suite launch.
#pragma once
#include "suite.h"

__global__ void scale(Log *log, float *y, const float *x, float a, int n);
__global__ void two_tried(Log *log, int n);
__global__ void shaped(Log *log, int g, int b, int s);
__global__ void bounded(Log *log, int b);
__global__ void spoiled(Log *log, int n);
__global__ void big_shared(Log *log, int kb);
namespace outer {
__global__ void sum(Log *log, const float *x, float *out, int n);
}

// Nobody follows these addresses.
static float *const X = (float *)0x10000000, *const Y = (float *)0x40000000;

// Defined here: each unit that launches one has a stub, and so maybe an entry, of its own.
namespace head {
template <class T> __global__ void shared_template(Log *log, T v)
{
    record(log, "o", v);
}
}
static __global__ void shared_static(Log *log, int n)
{
    record(log, "o", n);
}
namespace {
__global__ void shared_unnamed(Log *log, int n)
{
    record(log, "o", n);
}
}
