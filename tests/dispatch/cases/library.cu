// A unit for shared libraries, which show nothing but two functions.
#include "play.h"

#define SHOWN extern "C" __attribute__((visibility("default")))

RAN(library_v)
__global__ void library_kernel_of_equal_name(Log *log, int n)
{
    record(log, "o", n);
}
PLAY(library_kernel_of_equal_name);

SHOWN void library_run(Log *log, int n)
{
    library_kernel_of_equal_name<<<2, 32>>>(log, n);
}
SHOWN void (*library_kernel())(Log *, int)
{
    return library_kernel_of_equal_name;
}
