#!/usr/bin/env bash
# What templates make for sm_90a alone, products by warpgroups, is found right on the emulated device; what is wrong is not.
#   tests/emu/templates_warpgroups.sh BUILD SOURCE
set -u
. "$2/tests/emu/templates_lib.sh"
compiled halves
compiled rounded
right_90a halves scores gemm_wgmma bn=128
right_90a halves halves_nt gemm_wgmma bn=256
right_90a halves halves_tn_bias gemm_wgmma bn=256
right_90a halves halves_long gemm_wgmma bn=128
# What only sm_90a has is not proposed elsewhere, and does not compile there.
for target in sm_90 sm_90a; do
    "$build/bin/ks" explain --why halves.cu:halves_long -- "-arch=$target" > "$scratch/$target" 2>&1
done
grep -q 'gemm-halves-by-warpgroups  *requires arch_alone, and it is 0' "$scratch/sm_90" || { echo "FAIL: wgmma for sm_90"; bad=1; }
grep -q 'template gemm_wgmma: 2 candidates' "$scratch/sm_90a" || { echo "FAIL: no wgmma for sm_90a"; bad=1; }
"$build/bin/ks" verify halves.cu:halves_long --variant "$scratch/proposal.yaml" --no-sandbox --device emu ${draw:+"--draw=$draw"} -- -arch=sm_90 > "$scratch/out" 2>&1
grep -q ": COMPILE: .*wgmma" "$scratch/out" || { echo "FAIL: wgmma compiles for sm_90"; cat "$scratch/out"; bad=1; }
right_90a rounded rounded_nn gemm_wgmma_tf32 bn=256
right_90a rounded rounded_tt_bias gemm_wgmma_tf32 bn=128 ragged=true
right_90a rounded cut_nn gemm_wgmma_cut
right_90a rounded cut_nt gemm_wgmma_cut
right_90a rounded cut_tt_bias gemm_wgmma_cut
# With the registers of another eight of depth; without what is left of B.
wrong_90a rounded cut_tt_bias gemm_wgmma_cut 's/its.of\[i\], copier_second/its.of[i ^ 1], copier_second/'
wrong_90a rounded exact_nn gemm_wgmma_three 's/of_b ? copier_second::bytes : 0/0/'
exit $bad
