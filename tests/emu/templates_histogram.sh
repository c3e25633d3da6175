#!/usr/bin/env bash
# Histograms in many spellings: what the template makes of them is right, and of what is none it makes nothing.
#   tests/emu/templates_histogram.sh BUILD SOURCE
set -u
. "$2/tests/emu/templates_lib.sh"
known histogram "of_branches histogram" "of_bytes histogram" "of_channels histogram" "of_clamped_range histogram" \
    "of_colours histogram" "of_hashes histogram" "of_images histogram" "of_labels histogram" "of_letters histogram" "of_lower_bits histogram" \
    "of_many_blocks histogram" "of_many_places histogram" "of_range histogram" "of_rows histogram" "of_so_many histogram" "of_upper_bits histogram" "of_weights histogram" \
    "of_words histogram"
! grep 'not held' "$scratch/err" || { echo 'FAIL: of_many_blocks is taken without a run'; bad=1; }
none() { # none KERNEL WORDS: it is said why
    "$build/tests/print_template" histogram.cu "$scratch/histogram.ptx" "$1" histogram > "$scratch/out" 2> "$scratch/err"
    grep -q "$2" "$scratch/err" || { echo "FAIL: $1: $(cat "$scratch/err")"; bad=1; }
}
none places_of_values 'value nobody takes'
none last_of_values 'does not count'
none ranks 'more than expressions'
none weights_of_floats 'no whole number'
none limited_counts 'not added as it is'
none counts_and_more 'more is made of elements'
none counts_if_first 'more than a count'
none counts_to_the_mark 'more than expressions'
none counts_from_the_mark 'goes on to others'
none limited_in_shared 'hangs on more'
none limited_in_memory 'hangs on more'
none counts_of_late_ones 'hangs on more'
none two_products 'rounded in two ways'
none halves_of_counts 'of another width'
none bits_of_counts 'not added as it is'
none pairs_of_neighbours 'nothing that histogram does'
none every_other 'histogram'
none counts_of_early_ones 'small runs do not reach'
none counts_of_all_but_one 'small runs do not reach'
none counts_of_early_blocks 'small runs do not reach'
bound histogram of_bytes histogram bins=256 n=n rows=1 form=one T=u32
bound histogram of_lower_bits histogram bins=64 T=u64
bound histogram of_channels histogram bins=32 rows=grid.y form=each_row
bound histogram of_weights histogram bins=30 form=image 'weight[i]'
bound histogram of_images histogram bins=32 rows=grid.z form=each_image
bound histogram of_colours histogram bins=256 rows=3 form=between 'img[i * rows + r]'
right histogram of_bytes histogram threads=64 ahead=1
right histogram of_upper_bits histogram threads=64 blocks=2
right histogram of_lower_bits histogram threads=64 copies=2
right histogram of_range histogram threads=64 copies=4 by_lane=1
right histogram of_clamped_range histogram threads=64 blocks=3
right histogram of_branches histogram threads=32 copies=8 by_lane=1
right histogram of_channels histogram threads=64 blocks=4
right histogram of_rows histogram threads=64
right histogram of_weights histogram threads=64 copies=2
right histogram of_images histogram threads=32
right histogram of_colours histogram threads=64
right histogram of_words histogram threads=64 copies=2
right histogram of_letters histogram threads=64
right histogram of_many_places histogram threads=128
right histogram of_labels histogram threads=64
right histogram of_hashes histogram threads=64 copies=32 by_lane=1
# A count of one that is passed over, a row's last elements taken for its first, and a copy that nobody sums.
wrong histogram of_bytes histogram 's/total != 0/total > 1/' 'output `h` differs' threads=64
wrong histogram of_rows histogram 's/packs \* pack + i)/i)/' 'output `counts` differs' threads=64
wrong histogram of_range histogram 's/i < copies; i++/i < copies - 1; i++/' 'output `counts` differs' threads=64 copies=4 by_lane=1
judged
