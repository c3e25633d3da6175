#!/usr/bin/env bash
# What templates recognise by what kernels compute, whatever their text looks like, and what they do not; and that
# the judge finds right on the emulated device what is made of it.
# Here products of matrices; templates_*.sh have the others.
#   tests/emu/templates.sh BUILD SOURCE
set -u
. "$2/tests/emu/templates_lib.sh"
known gemm "biased gemv_whole" "biased matrix_vector_whole" "by_row gemv_whole" "by_row matrix_vector_whole" "by_row_biased gemv_whole" "by_row_biased matrix_vector_whole" "by_warps gemv_whole" "by_warps matrix_vector_whole" "batch_tn gemm" "batch_tn gemm_three" "batch_tn gemm_wgmma_three" "by_blocks gemm_three" "by_blocks gemm_wgmma_three" "by_blocks gemm_three_split" "by_blocks gemm_wgmma_three_parts" "cut_off gemm_three" "cut_off gemm_wgmma_three" "cut_off gemm_three_split" "cut_off gemm_wgmma_three_parts" "followed gemm_three" "followed gemm_wgmma_three" "followed gemm_three_split" "followed gemm_wgmma_three_parts" "ragged_nn gemm_three" "ragged_nn gemm_wgmma_three" "ragged_nn gemm_three_split" "ragged_nn gemm_wgmma_three_parts" "cut_off gemm" "cut_off gemm_split" "ragged_nn gemm" "ragged_nn gemm_split" "by_row gemv" "by_column gemv" "biased gemv" "by_warps gemv" "by_row_biased gemv" "by_row_updated gemv_update" "by_column_added gemv_update" "by_row matrix_vector" "by_column matrix_vector" "biased matrix_vector" "by_warps matrix_vector" "by_row_biased matrix_vector" "by_row_updated matrix_vector" "by_column_added matrix_vector" "by_blocks gemm" "by_blocks gemm_split" "of_doubles gemm" "of_doubles gemm_split" "times_diagonal diagonal" "times_diagonal diagonal_right" \
    "diagonal_times diagonal" "diagonal_times diagonal_left" "followed gemm" "followed gemm_split"
known halves "halves_nt gemm_half" "halves_nt gemm_wgmma" "halves_tn_bias gemm_half" "halves_tn_bias gemm_wgmma" \
    "halves_long gemm_half" "halves_long gemm_wgmma" "scores gemm_half" "scores gemm_wgmma" \
    "plain_scores gemm_half" "plain_scores gemm_wgmma"
bound halves scores gemm_half form=nt a=q b=k c=s batch=1 T=f16 R=f32
"$build/tests/print_template" halves.cu "$scratch/halves.ptx" masked_scores gemm_half 2>&1 | grep -q 'almost .*c is -inf there and .* here at z=0' ||
    { echo "FAIL: masked_scores is not nearly a product"; bad=1; }
right gemm batch_tn gemm bm=64 bn=64 bk=16
"$build/tests/print_template" gemm.cu "$scratch/gemm.ptx" cut_off gemm 2>&1 > "$scratch/proposal.yaml" | grep -q '^1: .*B^T' ||
    { echo "FAIL: cut_off is bound in several ways"; bad=1; }
right gemm ragged_nn gemm bm=64 bn=64 ragged=true
right halves halves_nt gemm_half bm=64 bn=64 bk=32 wm=32 wn=32 stages=3
right halves halves_tn_bias gemm_half bm=64 bn=64 bk=64 wm=32 wn=32 stages=2
right halves scores gemm_half bm=64 bn=64 bk=32 wm=32 wn=32 stages=3
right halves plain_scores gemm_half bm=64 bn=64 bk=32 wm=32 wn=32 stages=3
# Factors are rounded for marks that admit as much, and for no others.
known rounded "rounded_nn gemm" "rounded_nn gemm_split" "rounded_nn gemm_tf32" "rounded_nn gemm_wgmma_tf32" "exact_nn gemm" "exact_nn gemm_split" "close_nt gemm" "close_nt gemm_split" \
    "rounded_tt_bias gemm" "rounded_tt_bias gemm_split" "rounded_tt_bias gemm_tf32" "rounded_tt_bias gemm_wgmma_tf32" "rounded_tn_swish gemm" "rounded_tn_swish gemm_split" "rounded_tn_swish gemm_tf32" "rounded_tn_swish gemm_wgmma_tf32" \
    "rounded_nn gemm_three" "rounded_nn gemm_wgmma_three" "rounded_nn gemm_three_split" "rounded_nn gemm_wgmma_three_parts" "exact_nn gemm_three" "exact_nn gemm_wgmma_three" "exact_nn gemm_three_split" "exact_nn gemm_wgmma_three_parts" "close_nt gemm_three" "close_nt gemm_wgmma_three" "close_nt gemm_three_split" "close_nt gemm_wgmma_three_parts" "rounded_tt_bias gemm_three" "rounded_tt_bias gemm_wgmma_three" "rounded_tt_bias gemm_three_split" "rounded_tt_bias gemm_wgmma_three_parts" "rounded_tn_swish gemm_three" "rounded_tn_swish gemm_wgmma_three" "rounded_tn_swish gemm_three_split" "rounded_tn_swish gemm_wgmma_three_parts" \
    "exact_nn_mish gemm" "exact_nn_mish gemm_split" "exact_nn_mish gemm_three" "exact_nn_mish gemm_wgmma_three" "exact_nn_mish gemm_three_split" "exact_nn_mish gemm_wgmma_three_parts" \
    "rounded_windows conv" "rounded_windows conv2" "rounded_windows conv_tf32" "rounded_windows conv_three" "rounded_windows conv_wgmma_three" "rounded_doubling conv" "rounded_doubling conv_back1" "rounded_doubling conv_tf32" "rounded_doubling conv_three" "rounded_doubling conv_wgmma_three" \
    "exact_doubling conv" "exact_doubling conv_back1" "exact_doubling conv_three" "exact_doubling conv_wgmma_three" \
    "cut_nn gemm" "cut_nn gemm_split" "cut_nn gemm_tf32" "cut_nn gemm_three" "cut_nn gemm_three_split" "cut_nn gemm_wgmma_three_parts" "cut_nn gemm_wgmma_cut" "cut_nn gemm_wgmma_cut_parts" "cut_nn gemm_wgmma_tf32" "cut_nn gemm_wgmma_three" \
    "cut_nt gemm" "cut_nt gemm_split" "cut_nt gemm_tf32" "cut_nt gemm_three" "cut_nt gemm_three_split" "cut_nt gemm_wgmma_three_parts" "cut_nt gemm_wgmma_cut" "cut_nt gemm_wgmma_cut_parts" "cut_nt gemm_wgmma_tf32" "cut_nt gemm_wgmma_three" \
    "cut_tt_bias gemm" "cut_tt_bias gemm_split" "cut_tt_bias gemm_tf32" "cut_tt_bias gemm_three" "cut_tt_bias gemm_three_split" "cut_tt_bias gemm_wgmma_three_parts" "cut_tt_bias gemm_wgmma_cut" "cut_tt_bias gemm_wgmma_cut_parts" "cut_tt_bias gemm_wgmma_tf32" "cut_tt_bias gemm_wgmma_three" \
    "cut_upper gemm_triangular" "cut_upper gemm_wgmma_three_triangular" "cut_upper gemm_wgmma_cut_triangular" \
    "cut_lower gemm_triangular" "cut_lower gemm_wgmma_three_triangular" "cut_lower gemm_wgmma_cut_triangular" \
    "tiny_nn gemm" "tiny_nn gemm_split" "tiny_nn gemm_three" "tiny_nn gemm_three_split" "tiny_nn gemm_wgmma_three_parts" "tiny_nn gemm_wgmma_three"
"$build/bin/ks" explain --why rounded.cu:close_nt -- -arch=sm_90 2>&1 | grep -q 'tol(sum=F), F at least 0.000977' || { echo "FAIL: close_nt is not told what TF32 asks for"; bad=1; }
right rounded exact_nn gemm_three bm=64 bn=64 bk=16 wm=64 wn=32 stages=3
right rounded close_nt gemm_three bm=64 bn=64 bk=32 wm=32 wn=32 stages=2
right rounded exact_nn gemm_three_split bm=64 bn=64 bk=16 wm=32 wn=32 stages=3 parts=3
# What is left of the least numbers, which is nothing where TF32 has bits.
right rounded tiny_nn gemm_three bm=64 bn=64 bk=16 wm=64 wn=32 stages=3
wrong rounded tiny_nn gemm_three 's/higher = 8192/higher = 1/' '' bm=64 bn=64 bk=16 wm=64 wn=32 stages=3
right rounded rounded_tn_swish gemm_three_split bm=64 bn=64 bk=16 wm=64 wn=32 stages=2 parts=2
# Without the last part of the depth.
wrong rounded exact_nn gemm_three_split 's/p < 3; p++/p < 2; p++/' '' bm=64 bn=64 bk=16 wm=32 wn=32 stages=3 parts=3
# Without what is left of one factor, and without either: TF32, which the mark has no room for.
wrong rounded exact_nn gemm_three 's/other ? left(b0) : nearest(b0), other ? left(b1) : nearest(b1)/nearest(b0), nearest(b1)/' '' bm=64 bn=64 bk=16 wm=64 wn=32 stages=3
right rounded exact_nn_mish gemm_three bm=64 bn=64 bk=16 wm=64 wn=32 stages=3
wrong rounded exact_nn_mish gemm_three 's/least ? left(a\[\([0-3]\)\]) : nearest(a\[[0-3]\])/nearest(a[\1])/g' 'exact in fp32' bm=64 bn=64 bk=16 wm=64 wn=32 stages=3
right rounded rounded_nn gemm_tf32 bm=64 bn=64 bk=16 wm=32 wn=32 stages=3
right rounded rounded_tt_bias gemm_tf32 bm=64 bn=64 bk=32 wm=32 wn=32 stages=2
right rounded rounded_tn_swish gemm_tf32 bm=64 bn=64 bk=16 wm=32 wn=32 stages=3
right rounded rounded_windows conv_tf32 bn=16
right rounded rounded_doubling conv_tf32 bn=128
right rounded exact_doubling conv_three bn=16
wrong rounded exact_doubling conv_three 's/thrice = true/thrice = false/' '' bn=16
wrong rounded exact_doubling conv_three 's/higher = 8192/higher = 1/' '' bn=16
# The same text from nobody knows where: its inline assembly is refused.
"$build/tests/print_template" halves.cu "$scratch/halves.ptx" halves_nt gemm_half > "$scratch/proposal.yaml" 2> "$scratch/err"
"$build/bin/ks" verify halves.cu:halves_nt --variant "$scratch/proposal.yaml" --device emu ${draw:+"--draw=$draw"} -- -arch=sm_90 > "$scratch/out" 2>&1
grep -q ": STATIC.*'asm'\|no-sandbox" "$scratch/out" || { echo "FAIL: assembly in foreign text"; cat "$scratch/out"; bad=1; }
right gemm by_row gemv share=64
right gemm by_column gemv share=16
right gemm biased gemv share=16
bound gemm by_row_updated gemv_update c=y alpha=alpha beta=beta m=m k=n form=rows
bound gemm by_column_added gemv_update c=y m=n k=k T=f64 form=columns
right gemm by_row_updated gemv_update share=16
right gemm by_column_added matrix_vector share=16
wrong gemm by_row_updated gemv_update 's/ + beta \* c\[place\]/ + c[place]/' '' share=16
bound gemm of_doubles gemm form=nn T=f64
right gemm of_doubles gemm bm=64 bn=64
bound gemm by_row_biased gemv m=grid.x 'bias[i]'
bound gemm by_blocks gemm form=nn 'm=grid.y * block.y' n=n k=k
right gemm times_diagonal diagonal_right lines=2
right gemm diagonal_times diagonal_left
right gemm followed gemm bm=64 bn=64
right gemm followed gemm_split bm=64 bn=64 parts=2
judged
