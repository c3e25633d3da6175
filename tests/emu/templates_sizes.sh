#!/usr/bin/env bash
# Windows of half as many outputs, of widths that are parameters, of one plane, and whose largest element is sought from somewhere on:
# recognised, right on the emulated device, and of no other start.
#   tests/emu/templates_sizes.sh BUILD SOURCE
set -u
. "$2/tests/emu/templates_lib.sh"
compiled sizes
right sizes halved_from_last pool2
right sizes halved_from_number pool2
right sizes halved_from_first pool2 share=2
right sizes stepped conv2 bn=32
right sizes stepped conv_three bn=32
right sizes halved_depthwise depthwise2
right sizes image depthwise2
right sizes filtered depthwise1
# What begins elsewhere is another maximum where nothing else is larger.
wrong sizes halved_from_last pool2 's/-(float)__int_as_float(0x7f7fffff)/-__int_as_float(0x7f800000)/' ''
wrong sizes halved_from_number pool2 's/-(float)1e9/-(float)1e8/' ''
wrong sizes halved_from_first pool2 's/__int_as_float(0x7fffffff)/-__int_as_float(0x7f800000)/' ''
bound sizes halved_from_last pool2 'oh=oh' kh=3 sh=2 ph=1 form=max_from_last
bound sizes halved_from_number pool2 'oh=h / 2' kh=2 sh=2 ph=0 form=max_from
bound sizes halved_from_first pool2 kh=2 form=max_of_numbers
bound sizes stepped conv2 'oh=(h + 2 * pad - k) / step + 1' kh=3 sh=2 ph=1
bound sizes halved_depthwise depthwise2 'oh=h / 2' sh=2 ph=1
bound sizes image depthwise2 channels=1 batch=1 kh=5 ph=2
bound sizes filtered depthwise1 'ow=n - k + 1' kw=15 pw=0
# A start that is a parameter is none of the text, and no template's error.
for template in pool1 pool2 window; do
    ! "$build/tests/print_template" sizes.cu "$scratch/sizes.ptx" halved_from_parameter $template > "$scratch/made" 2>&1 &&
        grep -q 'nothing that\|almost\|no assignment' "$scratch/made" || { echo "FAIL: halved_from_parameter: $(head -3 "$scratch/made")"; bad=1; }
done
judged
