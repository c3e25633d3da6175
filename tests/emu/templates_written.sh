#!/usr/bin/env bash
# Kernels as programs from outside write them: what they are is seen through sums that grow in memory, parameters that nothing
# reads and strides that are products; and a guard asks for all that the mark ties.
#   tests/emu/templates_written.sh BUILD SOURCE
set -u
. "$2/tests/emu/templates_lib.sh"
norms=(norm norm_in_flight norm_kept norm_parts row_norm row_norm_in_flight row_norm_parts)
lengths=(norm norm_kept row_length)
known written "product_of_macros gemm" "product_of_macros gemm_pairs" "product_of_macros gemm_split" "update_of_macros gemm_update" \
    "means_in_memory reduce_axis" "product_and_vector gemv_update" "product_and_vector matrix_vector" \
    "${norms[@]/#/rms_of_strided }" \
    "rank_k_update gemm_update" "means_of_windows pool2" "means_of_windows pool3" "means_of_windows window" \
    "${lengths[@]/#/rows_of_length_one }" "${lengths[@]/#/rows_by_root }"
bound written product_of_macros gemm alpha=alpha m=24 n=40 k=56 form=nn
bound written update_of_macros gemm_update beta=beta m=24 n=40 k=56
bound written means_in_memory reduce_axis rows=rows cols=cols form=sum
bound written product_and_vector gemv_update a=a x=y c=x alpha=beta form=columns 'z[i]'
bound written rms_of_strided row_norm 'rows=grid.x * grid.y * grid.z' cols=cols
grep -q "by_channel == cols \* grid.x && by_sample == cols \* grid.x \* grid.y" "$scratch/proposal.yaml" ||
    { echo "FAIL: other strides are served"; cat "$scratch/proposal.yaml"; bad=1; }
bound written rank_k_update gemm_update a=a b=a m=n n=n k=k form=nt
bound written means_of_windows pool2 'planes=results / (oh * ow)' kh=3 sw=2 pw=1 form=mean
bound written rows_of_length_one row_length form=at_least eps=1e-12
bound written rows_by_root row_length form=added_to_squares eps=eps
# Where another number is added it is another one.
for change in 's/fmaxf(\(.*\), 1e-12f)/fmaxf(\1, 1e-12f) + 1e-9f/'; do
    sed "$change" written.cu > "$scratch/other.cu"
    "$nvcc" -O3 -arch=sm_90 -ptx "$scratch/other.cu" -o "$scratch/other.ptx" || bad=1
    "$build/tests/print_template" "$scratch/other.cu" "$scratch/other.ptx" 2> "$scratch/err" | grep '^rows_of_length_one ' && { echo "FAIL: with $change"; bad=1; }
done
right written product_of_macros gemm bm=64 bn=64
right written update_of_macros gemm_update bm=64 bn=64
right written means_in_memory reduce_axis lines=4
right written product_and_vector gemv_update
right written rms_of_strided row_norm threads=64
right written rank_k_update gemm_update bm=64 bn=64
right written means_of_windows pool2
right written rows_of_length_one row_length threads=64
right written rows_by_root row_length threads=64
judged
