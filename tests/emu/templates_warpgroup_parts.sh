#!/usr/bin/env bash
# Products by warpgroups of which one takes three, or a part of its depth, or a triangle: found right on the emulated device; what is
# wrong is not.
#   tests/emu/templates_warpgroup_parts.sh BUILD SOURCE
set -u
. "$2/tests/emu/templates_lib.sh"
compiled rounded
right_90a rounded close_nt gemm_wgmma_three
right_90a rounded close_nt gemm_wgmma_three ragged=true
right_90a rounded rounded_tn_swish gemm_wgmma_three
right_90a rounded tiny_nn gemm_wgmma_three
# Parts of the depth, the last one shorter; triangles, whose other halves hold what is drawn there.
right_90a rounded cut_nt gemm_wgmma_cut_parts parts=3
right_90a rounded exact_nn gemm_wgmma_three_parts parts=2
right_90a rounded cut_upper gemm_wgmma_cut_triangular
right_90a rounded cut_lower gemm_wgmma_cut_triangular
right_90a rounded cut_upper gemm_wgmma_three_triangular
right_90a rounded cut_lower gemm_wgmma_three_triangular ragged=true
# Small products added to the others after each tile.
judged_90a CORRECT 's/seldom = 64/seldom = 1/' rounded close_nt gemm_wgmma_three
# The diagonal left out; the zero that stands for a term which is none, times infinity, taken for a term.
wrong_90a rounded cut_upper gemm_wgmma_cut_triangular 's/depth >= across/depth > across/'
wrong_90a rounded cut_lower gemm_wgmma_cut_triangular 's/again = splits || chooses/again = splits/'
exit $bad
