#!/usr/bin/env bash
# Products of a matrix of fp32 and one of halves, on tensor cores to fp32's own precision.
#   tests/emu/templates_mixed.sh BUILD SOURCE
set -u
. "$2/tests/emu/templates_lib.sh"
# What is rounded first, or on the way, is no such product.
products=()
for kernel in mixed_values layer float_half_tn float_half_tt; do
    products+=("$kernel gemm_float_half" "$kernel gemm_mixed" "$kernel gemm_wgmma_float_half" "$kernel gemm_wgmma_mixed")
done
for kernel in half_float_nn half_float_nt half_float_tn_swish half_float_tt; do
    products+=("$kernel gemm_half_float" "$kernel gemm_mixed" "$kernel gemm_wgmma_half_float" "$kernel gemm_wgmma_mixed")
done
known mixed "${products[@]}"
"$build/tests/print_template" mixed.cu "$scratch/mixed.ptx" sum_of_halves gemm_float_half 2>&1 | grep -q 'almost ' ||
    { echo "FAIL: sum_of_halves is not nearly a product"; bad=1; }
bound mixed mixed_values gemm_float_half a=p b=v batch=grid.z H=f16 R=f16 form=nn
bound mixed layer gemm_float_half H=bf16 R=f32 form=nt 'bias[j]'
small="bm=64 bn=64 bk=32 wm=32 wn=32 stages=3"
right mixed mixed_values gemm_float_half $small
right mixed layer gemm_float_half bm=64 bn=64 bk=64 wm=32 wn=32 stages=2
right mixed float_half_tn gemm_float_half $small
right mixed float_half_tt gemm_float_half $small
right mixed half_float_nn gemm_half_float $small
right mixed half_float_nt gemm_mixed bm=64 bn=64 bk=64 wm=32 wn=32 stages=2
right mixed half_float_tn_swish gemm_half_float $small
right mixed half_float_tt gemm_half_float $small
# Without what is left of the factor of fp32, which the marks have no room for.
wrong mixed layer gemm_float_half 's/round == 0 ? left(v)/round == 0 ? 0/' '' $small
wrong mixed half_float_tn_swish gemm_half_float 's/round == 0 ? left(v)/round == 0 ? 0/' '' $small
# And where TF32 has no bits for it.
wrong mixed half_float_tn_swish gemm_half_float 's/higher = 8192/higher = 1/' 'tiny' $small
# By warpgroups, which only sm_90a has.
right_90a mixed float_half_tn gemm_wgmma_float_half ragged=true
right_90a mixed half_float_nn gemm_wgmma_half_float
wrong_90a mixed half_float_nn gemm_wgmma_half_float 's/? nearest(v) : left(v)/? nearest(v) : 0/'
judged
