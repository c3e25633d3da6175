// A unit that nobody substituted: kernels of the same names as kinds.cu's, and launches of others'.
#include "kinds.cuh"

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

void launch_equal_bare(int n)
{
    equal_unnamed<<<2, 32>>>(suite::log(), n);
    equal_static<<<2, 32>>>(suite::log(), n);
}
void launch_header_bare(int n)
{
    head::shared_template<int><<<2, 32>>>(suite::log(), n);
    shared_static<<<2, 32>>>(suite::log(), n);
    shared_unnamed<<<2, 32>>>(suite::log(), n);
}

CASE("launch.other-unit")
{
    external<<<2, 32>>>(suite::log(), 5);
    c_kernel<<<2, 32>>>(suite::log(), 6);
    outer::versioned<<<2, 32>>>(suite::log(), 7);
    CHECK(suite::saw(0, 5) && suite::saw(1, 6) && suite::saw(2, 7));
}
CASE("launch.other-unit-pointer")
{
    void (*kernel)(Log *, int) = external;
    kernel<<<2, 32>>>(suite::log(), 5);
    CHECK(suite::saw(0, 5));
}
