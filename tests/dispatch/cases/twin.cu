// A second substituted unit: kernels of the same names as kinds.cu's, with variants of their own.
#include "kinds.cuh"

VARIANT(twin_unnamed_v, Log *, int);
VARIANT(twin_static_v, Log *, int);
VARIANT(twin_header_v, Log *, int);
VARIANT(header_static_v, Log *, int);
VARIANT(header_unnamed_v, Log *, int);

namespace {
__global__ void equal_unnamed(Log *log, int n)
{
    record(log, "o", n);
}
}
static __global__ void equal_static(Log *log, int n)
{
    record(log, "o", n);
}

PLAY(equal_unnamed);
PLAY(equal_static);
PLAY(head::shared_template<int>);
PLAY(shared_static);
PLAY(shared_unnamed);

void launch_equal_twin(int n)
{
    equal_unnamed<<<2, 32>>>(suite::log(), n);
    equal_static<<<2, 32>>>(suite::log(), n);
}
void launch_header_twin(int n)
{
    head::shared_template<int><<<2, 32>>>(suite::log(), n);
    shared_static<<<2, 32>>>(suite::log(), n);
    shared_unnamed<<<2, 32>>>(suite::log(), n);
}
