#!/usr/bin/env bash
# Sums of rows of what is made of elements, by any of CUDA's functions, and what is made of sums.
#   tests/emu/templates_maps.sh BUILD SOURCE
set -u
. "$2/tests/emu/templates_lib.sh"
known maps "divergence row_sums" "weighed_distance row_sums" "dots_of_halves row_sums" "energies row_sums" "made_of_elements row_sums" \
    "made_of_sums reduce_rows"
bound maps divergence row_sums rows=grid.x cols=n form=mean 'p[r * cols + i] q[r * cols + i]'
bound maps weighed_distance row_sums rows=rows cols=cols form=sum 'x[r * cols + i] to[r] w[i]'
bound maps dots_of_halves row_sums rows=rows cols=n factor=scale T=f32
bound maps energies row_sums cols=n form=added T=f64
right maps divergence row_sums threads=64 lines=1
right maps weighed_distance row_sums threads=32 lines=4 ahead=1
right maps dots_of_halves row_sums threads=32 lines=4
right maps energies row_sums threads=32 lines=2
right maps made_of_elements row_sums threads=32 lines=1
right maps made_of_sums reduce_rows threads=32 lines=1
# A row's first element, which no whole pack holds, is left out; a weight of another column; a thread's share.
wrong maps divergence row_sums 's/int k = t; k < cols - packs/int k = t + 1; k < cols - packs/' '' threads=64 lines=1
wrong maps weighed_distance row_sums 's/across(to, from, at - begin)/across(to, from, at - begin \& ~1ll)/' '' threads=32 lines=4 ahead=1
wrong maps dots_of_halves row_sums 's/d > 0; d/d > 1; d/' '' threads=32 lines=4
judged
