#!/usr/bin/env bash
# What templates make of convolutions for sm_90a alone, by warpgroups, is found right on the emulated device; what is wrong is not.
#   tests/emu/templates_conv_warpgroups.sh BUILD SOURCE
set -u
. "$2/tests/emu/templates_lib.sh"
convolutions=("exact_windows conv" "exact_windows conv2" "exact_windows conv_three" "exact_windows conv_wgmma_three")
for kernel in strided:conv2 doubled:conv_back2 in_groups:conv2 volumes:conv3 deep_lines:conv1 of_activated:conv1 by_magnitudes:conv1; do
    for template in conv ${kernel#*:} conv_tf32 conv_three conv_wgmma_cut conv_wgmma_three; do
        convolutions+=("${kernel%:*} $template")
    done
done
compiled rounded
known convolutions "${convolutions[@]}"
right_90a convolutions strided conv_wgmma_cut bn=64
right_90a convolutions deep_lines conv_wgmma_cut bn=128
right_90a convolutions volumes conv_wgmma_cut bn=32
right_90a convolutions by_magnitudes conv_wgmma_cut bn=64
right_90a convolutions exact_windows conv_wgmma_three bn=32
# Numbers near the least that fp32 has, too.
right_90a rounded exact_doubling conv_wgmma_three bn=64
right_90a convolutions doubled conv_wgmma_three bn=64
right_90a convolutions in_groups conv_wgmma_three bn=128
right_90a convolutions of_activated conv_wgmma_three bn=64
# Sums that are no numbers are done again, term by term: here all of them.
judged_90a CORRECT 's/!(none == 0)/true/' convolutions in_groups conv_wgmma_cut bn=64
# With the registers of another eight of depth; without what is left of the weights.
wrong_90a convolutions strided conv_wgmma_cut 's/its.of\[i\], at_tile(tile, o/its.of[i ^ 1], at_tile(tile, o/' bn=64
wrong_90a convolutions exact_windows conv_wgmma_three 's/at_tile(tile + part_bytes, 0, d0/at_tile(tile, 0, d0/' bn=64
# What only sm_90a has is not proposed elsewhere.
for target in sm_90 sm_90a; do
    "$build/bin/ks" explain --why convolutions.cu:strided -- "-arch=$target" > "$scratch/$target" 2>&1
done
grep -q 'convolution-by-warpgroups  *requires arch_alone, and it is 0' "$scratch/sm_90" || { echo "FAIL: wgmma for sm_90"; bad=1; }
grep -q 'template conv_wgmma_cut: 3 candidates' "$scratch/sm_90a" || { echo "FAIL: no wgmma for sm_90a"; bad=1; }
exit $bad
