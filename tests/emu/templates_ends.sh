#!/usr/bin/env bash
# What is made of a norm, of an extreme or of a sum of exponentials before it is stored stays with it; what only
# looks like one of them is not taken for it.
#   tests/emu/templates_ends.sh BUILD SOURCE
set -u
. "$2/tests/emu/templates_lib.sh"
known ends "least_of_channels reduce_axis" "means_of_columns reduce_axis" "largest_of_rows reduce_rows" \
    "limited_product gemm" "limited_product gemm_split" "limited_product gemm_three" "limited_sums reduce_axis"
bound ends least_of_channels reduce_axis outer=grid.y rows=c cols=n form=min_number
bound ends means_of_columns reduce_axis rows=rows cols=cols 'by[c]'
bound ends largest_of_rows reduce_rows rows=grid.x cols=n form=max_number
# almost KERNEL TEMPLATE SED: what SED makes of the kernel, which is recognised as it is, is not
almost() {
    sed "/^__global__ void $1(/,/^}/$3" ends.cu > "$scratch/almost.cu"
    ! cmp -s ends.cu "$scratch/almost.cu" || { echo "FAIL: $3 changes nothing"; bad=1; }
    "$nvcc" -O3 -arch=sm_90 -ptx "$scratch/almost.cu" -o "$scratch/almost.ptx" || bad=1
    "$build/tests/print_template" "$scratch/almost.cu" "$scratch/almost.ptx" "$1" "$2" > /dev/null 2> "$scratch/err" &&
        { echo "FAIL: $1 is a $2 with $3"; cat "$scratch/err"; bad=1; }
    grep -q '^line [0-9]*: ' "$scratch/err" || { echo "FAIL: $1 with $3"; cat "$scratch/err"; bad=1; }
}
almost least_of_channels reduce_axis 's/least = x\[0\]/least = 0.0f/'
almost least_of_channels reduce_axis 's/tanhf(least) \* 2.0f/least - least/'
almost least_of_channels reduce_axis 's/tanhf(least) \* 2.0f/fmaxf(least - 5000.0f, 0.0f)/'
almost largest_of_rows reduce_rows 's/most = -INFINITY/most = 0.5f/'
right ends least_of_channels reduce_axis lines=4
right ends means_of_columns reduce_axis lines=4
right ends largest_of_rows reduce_rows threads=64 lines=1
right ends limited_product gemm bm=64 bn=64
right ends limited_sums reduce_axis lines=4
wrong ends least_of_channels reduce_axis 's/tanhf(least)/least/' '' lines=4
judged
