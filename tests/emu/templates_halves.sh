#!/usr/bin/env bash
# Products of a matrix of halves and a vector, summed in fp32.
#   tests/emu/templates_halves.sh BUILD SOURCE
set -u
. "$2/tests/emu/templates_lib.sh"
once="gemv_half gemv_whole matrix_vector_half matrix_vector_whole"
of() { # of KERNEL TEMPLATE...: "KERNEL TEMPLATE" for each
    local template
    for template in "${@:2}"; do
        vectors+=("$1 $template")
    done
}
vectors=()
for kernel in by_thread by_warp by_block by_eights; do
    of $kernel $once
done
of by_column gemv_half matrix_vector_half
of added gemv_half_update gemv_half_whole_update matrix_vector_half matrix_vector_whole
of updated gemv_half_update matrix_vector_half
# Sums and products in 16 bits, sums rounded to them on the way, and others that almost are such are none.
known vectors "${vectors[@]}"
for kernel in sums_of_halves products_of_halves; do
    "$build/tests/print_template" vectors.cu "$scratch/vectors.ptx" $kernel gemv_half 2>&1 | grep -q 'it adds or multiplies in 16 bits' ||
        { echo "FAIL: $kernel is not told that it computes in 16 bits"; bad=1; }
done
"$build/tests/print_template" vectors.cu "$scratch/vectors.ptx" rounded_at_each gemv_half 2>&1 | grep -q 'almost ' ||
    { echo "FAIL: rounded_at_each is not nearly a product"; bad=1; }
bound vectors by_thread gemv_half a=w x=x c=y m=m k=k T=f16 X=f32 R=f32 form=rows
bound vectors by_warp gemv_whole T=bf16 X=bf16 R=bf16 'bias[i]'
bound vectors by_block gemv_half alpha=alpha m=grid.x R=f16 form=rows
bound vectors by_column gemv_half a=v x=p m=n k=k T=bf16 X=f32 form=columns
bound vectors added gemv_half_update T=f16 X=f16 R=f32 form=rows
bound vectors updated gemv_half_update alpha=alpha beta=beta m=n k=k X=f32 R=f16 form=columns
right vectors by_thread gemv_half share=16 multiple=1
right vectors by_thread gemv_whole threads=32 groups=2 lines=1 multiple=1
right vectors by_warp gemv_half threads=64 lines=2 share=64
right vectors by_warp gemv_whole threads=64 groups=2 lines=4
right vectors by_block matrix_vector_half share=64
right vectors by_block gemv_whole threads=128 groups=1 lines=2
right vectors by_eights matrix_vector_whole threads=32 groups=4 lines=8
right vectors by_column gemv_half share=16
right vectors added gemv_half_update share=16
right vectors added gemv_half_whole_update threads=32 groups=4 lines=2
right vectors updated gemv_half_update share=16 multiple=1
wrong vectors by_thread gemv_whole 's/l = from + t; l < to; l += threads/l = from + t; l < to - 1; l += threads/' '' threads=32 groups=2 lines=1 multiple=1
# Which a kernel that reads by twos is not at an odd depth.
wrong vectors by_block gemv_whole 's/What an element is stored as/What is stored/' '' threads=128 groups=1 lines=2 multiple=1
wrong vectors by_warp gemv_whole 's/w < warps; w++/w < 1; w++/' '' threads=64 groups=2 lines=4
wrong vectors by_eights gemv_whole 's/total += parts\[w\]\[t\]/total += parts[w][0]/' '' threads=32 groups=4 lines=2
wrong vectors updated gemv_half_update 's/ + beta \* __half2float(c\[place\])/ + __half2float(c[place])/' '' share=16 multiple=1
judged
