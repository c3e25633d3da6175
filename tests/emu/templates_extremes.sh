#!/usr/bin/env bash
# Extremes that begin at an infinity, a number of the text or an element: the form that is right of what is no number is the
# one that is proposed.
#   tests/emu/templates_extremes.sh BUILD SOURCE
set -u
. "$2/tests/emu/templates_lib.sh"
known extremes "from_infinity reduce_rows" "from_last_by_warps reduce_rows" "from_hundred reduce_rows" "from_zero reduce_rows" \
    "from_first reduce_rows" "columns_from_infinity reduce_axis" "columns_of_doubles reduce_axis" \
    "place_from_a_number arg_axis" "place_of_halves arg_rows" "all_from_last reduce_all" "of_integers reduce_rows" \
    "place_or_none arg_rows" "column_or_none arg_axis"
# alone KERNEL TEMPLATE WORDS...: bound in one way, with these parts
alone() {
    bound extremes "$@"
    grep -q '^ 1: ' "$scratch/err" || { echo "FAIL: $1 is bound in several ways"; cat "$scratch/err"; bad=1; }
}
alone from_infinity reduce_rows form=max_from_infinity
bound extremes from_last_by_warps reduce_rows form=max_from_last
alone from_hundred reduce_rows form=min_from bound=100.0
alone from_zero reduce_rows form=max_from
alone from_first reduce_rows form=max
bound extremes columns_from_infinity reduce_axis form=min_from_infinity
alone columns_of_doubles reduce_axis form=min_from bound=1e300
alone place_from_a_number arg_axis form=argmax_from bound=1e30
bound extremes place_of_halves arg_rows form=argmin_from_infinity T=f16
bound extremes place_or_none arg_rows form=argmax_from_last_or_none
alone column_or_none arg_axis form=argmin_from_infinity_or_none
bound extremes all_from_last reduce_all form=max_from_last
bound extremes of_integers reduce_rows form=max_number T=i32
"$build/tests/print_template" extremes.cu "$scratch/extremes.ptx" what_comes_last reduce_rows 2>&1 | grep -q 'nothing that reduce_rows does\|almost' ||
    { echo "FAIL: what_comes_last is taken for an extreme"; bad=1; }
right extremes from_infinity reduce_rows threads=32
right extremes place_or_none arg_rows threads=32 lines=1
right extremes column_or_none arg_axis lines=4
right extremes from_last_by_warps reduce_rows threads=64 lines=1
right extremes from_hundred reduce_rows threads=32
right extremes from_zero reduce_rows threads=32
right extremes from_first reduce_rows threads=32
right extremes columns_from_infinity reduce_axis lines=4
right extremes columns_of_doubles reduce_axis lines=4
right extremes place_from_a_number arg_axis lines=4
right extremes place_of_halves arg_rows threads=32
right extremes all_from_last reduce_all threads=32 blocks=3
wrong extremes from_infinity reduce_rows 's/0x7f800000/0x7f7fffff/g' 'NaN, infinity' threads=32
wrong extremes place_from_a_number arg_axis 's/ || a.value != a.value//' 'NaN, infinity' lines=4
judged
