#!/usr/bin/env bash
# Rows of halves, places of extremes and permutations, as templates.sh has products.
#   tests/emu/templates_rows.sh BUILD SOURCE
set -u
. "$2/tests/emu/templates_lib.sh"
known rows "softmax_of_halves norm" "softmax_of_halves norm_kept" "softmax_of_halves row_map" "softmax_of_halves online" "softmax_of_halves norm_in_flight" "softmax_of_halves row_map_in_flight" \
    "softmax_of_halves row_online" \
    "layer_norm_of_halves norm" "layer_norm_of_halves norm_kept" "layer_norm_of_halves row_norm_affine" "layer_norm_of_halves row_norm" "masked_late norm" "masked_late norm_kept" "masked_late row_map" \
    "layer_norm_saved norm" "layer_norm_saved norm_kept" "layer_norm_saved row_norm_saved" \
    "rms_norm_of_halves norm" "rms_norm_of_halves norm_kept" "rms_norm_of_halves row_norm_gain" "rms_norm_of_halves row_norm" \
    "rms_norm_given norm" "rms_norm_given norm_kept" "rms_norm_given norm_parts" "rms_norm_given norm_in_flight" "rms_norm_given row_norm_in_flight" "rms_norm_given row_norm" "rms_norm_given row_norm_parts" \
    "masked_scores norm" "masked_scores norm_kept" "masked_scores row_masked" "padded_scores norm" "padded_scores norm_kept" "padded_scores row_masked" \
    "tempered norm" "tempered norm_kept" "tempered row_map" \
    "greatest_half arg_rows" "least_of_row arg_rows"
bound rows softmax_of_halves row_map form=softmax rows=rows cols=n T=f16
bound rows layer_norm_of_halves row_norm_affine gamma=gain beta=bias rows=grid.x cols=n T=bf16 P=f32
bound rows layer_norm_saved row_norm_saved mean=mean scale=scale gamma=gain beta=bias eps=1e-5
bound rows rms_norm_of_halves row_norm_gain form=by_root_mean_square gamma=gain eps=1e-6 T=bf16 P=bf16
bound rows rms_norm_given row_norm form=by_root_mean_square rows=grid.x cols=n eps=eps T=f32
bound rows rms_norm_given row_norm_parts form=by_root_mean_square eps=eps
bound rows masked_scores row_masked form=in_turn rows=grid.x masks=masks cols=n scale=scale T=f32 M=f16
bound rows padded_scores row_masked form=in_runs 'masks=grid.x / queries' cols=n
bound rows tempered row_map form=softmax_scaled scale=0.7
bound rows greatest_half arg_rows form=argmax rows=rows cols=n T=f16 R=i32
bound rows least_of_row arg_rows form=argmin rows=grid.x cols=n T=f32 R=i64
"$build/tests/print_template" rows.cu "$scratch/rows.ptx" almost_by_length row_map 2>&1 | grep -q 'almost .*y is .* there and .* here at r=0 c=0' ||
    { echo "FAIL: almost_by_length is not nearly a norm"; bad=1; }
"$build/tests/print_template" rows.cu "$scratch/rows.ptx" rms_norm_in_halves row_norm_gain 2>&1 | grep -q 'in 16 bits, and row_norm_gain computes in float' ||
    { echo "FAIL: rms_norm_in_halves is taken for a norm in float"; bad=1; }
# Rows of an odd length: each begins elsewhere in a pack of eight.
right rows softmax_of_halves row_map threads=64
right rows softmax_of_halves row_map threads=64 kept=64 spare=1
right rows softmax_of_halves row_online threads=64
right rows layer_norm_of_halves row_norm_affine threads=64
right rows layer_norm_saved row_norm_saved threads=64
right rows rms_norm_of_halves row_norm_gain threads=64 kept=64
right rows rms_norm_given row_norm threads=64
right rows rms_norm_given row_norm_parts threads=64 share=128
right rows masked_scores row_masked form=in_turn threads=64
right rows padded_scores row_masked form=in_runs threads=64
right rows greatest_half arg_rows threads=32 lines=8
right rows least_of_row arg_rows
wrong rows greatest_half arg_rows 's/b.place < a.place/b.place > a.place/' ''
wrong rows rms_norm_of_halves row_norm_gain 's/gamma\[place\]/gamma[0]/' '' threads=64
# What keeps a length from zero, and where, is seen of small numbers, and that something does of zeros.
lengths=()
for kernel in at_least squares_at_least added added_to_squares given; do
    lengths+=("$kernel norm" "$kernel norm_kept" "$kernel row_length")
done
known lengths "${lengths[@]}" "alone norm" "alone norm_kept" "alone row_map" "alone norm_in_flight" "alone row_map_in_flight"
bound lengths at_least row_length form=at_least eps=1e-12
bound lengths squares_at_least row_length form=squares_at_least eps=1e-12
bound lengths added row_length form=added eps=1e-6
bound lengths added_to_squares row_length form=added_to_squares eps=1e-8
bound lengths given row_length form=at_least eps=eps T=bf16
bound lengths alone row_map form=by_length
right lengths at_least row_length threads=64
right lengths squares_at_least row_length threads=64 kept=64
right lengths added row_length threads=64
right lengths added_to_squares row_length threads=64
right lengths given norm threads=64
wrong lengths at_least row_length 's/all = larger((float)sqrt(all), (float)[^)]*))/all = sqrt(all)/' '' threads=64
# Rows that something is added to, kept and normalised.
known residual "kept_sum norm" "kept_sum norm_kept" "kept_sum row_residual" "in_place norm" "in_place norm_kept" "in_place row_residual_in_place"
bound residual kept_sum row_residual residual=res gamma=g eps=1e-5 T=f32
bound residual in_place row_residual_in_place x=input residual=res eps=eps T=f16
right residual kept_sum row_residual threads=64
right residual in_place row_residual_in_place threads=64 kept=64
wrong residual kept_sum row_residual 's/sum\[at\] = (v);/sum[at] = v - x[at];/' '' threads=64
# Arrays of float4 and half2 are such of their elements.
known short_vectors "root_mean_square norm" "root_mean_square norm_kept" "root_mean_square row_norm_gain" \
    "row_times_vector gemv_half" "row_times_vector gemv_whole" "row_times_vector matrix_vector_half" "row_times_vector matrix_vector_whole" \
    "softmax norm" "softmax norm_kept" "softmax norm_in_flight" "softmax row_map" "softmax row_map_in_flight" "softmax online" "softmax row_online"
bound short_vectors root_mean_square row_norm_gain rows=grid.x 'cols=n4 * 4' T=f32
bound short_vectors row_times_vector gemv_whole 'k=k / 2 * 2' T=f16
right short_vectors root_mean_square row_norm_gain threads=64
right short_vectors row_times_vector gemv_whole threads=32 multiple=1
right short_vectors softmax row_map threads=64
wrong short_vectors root_mean_square row_norm_gain 's/gamma\[place\]/gamma[0]/' '' threads=64
# Dimensions that change places: runs of the last one, or the last one itself.
known permuted "heads_first swap_axes" "channels_last transpose" "channels_last transpose_inner" "channels_first transpose" "channels_first transpose_inner"
bound permuted heads_first swap_axes batch=b rows=s cols=h inner=d T=f16
"$build/tests/print_template" permuted.cu "$scratch/permuted.ptx" heads_turned swap_axes 2>&1 | grep -q 'almost .*out is .* there and .* here at z=0 c=0' ||
    { echo "FAIL: heads_turned is not nearly an exchange"; bad=1; }
right permuted heads_first swap_axes threads=32
right permuted channels_last transpose_inner
wrong permuted heads_first swap_axes 's/at % wide\]/0]/' ''
judged
