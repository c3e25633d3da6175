#!/bin/bash
# What must change a kernel's canonical PTX.
. "$(dirname "$0")/identity_lib.sh"

# edit WHAT SED-SCRIPT
edit() {
    source_text | sed "$2" >edited.cu
    cmp -s edited.cu base.cu && { echo "FAIL: '$2' edits nothing"; failed=1; }
    changes "$1" "$(digest edited.cu blend)"
}
edit "the helper's body" 's/s += x \* i \* s/s += x * i + s/'
edit "a macro" 's/#define SCALE 3/#define SCALE 5/'
edit "a table's constant" 's/{1, 2, 4, 8}/{1, 2, 4, 9}/'
edit "the size of shared memory" 's/tile\[128\]/tile[160]/'
edit "the order of operations" 's/threadIdx.x ^ 1/threadIdx.x ^ 2/'
edit "launch bounds" 's/__global__ void/__global__ void __launch_bounds__(128)/'
edit "a parameter's type" 's/float \*x, int n)$/float *x, long n)/'
edit "an unrolled loop" 's/    for (int/#pragma unroll 2\n    for (int/'
edit "an assert's condition" 's/assert(n > 0)/assert(n > 1)/'
edit "a barrier left out" '/__syncthreads/d'
edit "a parameter more" 's/float \*x, int n)$/float *x, int n, int)/'
changes "-use_fast_math" "$(digest base.cu blend -use_fast_math)"
changes "-fmad=false" "$(digest base.cu blend -fmad=false)"
changes "-DNDEBUG" "$(digest base.cu blend -DNDEBUG)"

echo "$checked checked"
exit $failed
