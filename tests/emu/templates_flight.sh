#!/usr/bin/env bash
# Norms of long rows in one launch: parts of few elements, so that rows have many and several are in flight.
#   tests/emu/templates_flight.sh BUILD SOURCE
set -u
. "$2/tests/emu/templates_lib.sh"
"$nvcc" -O3 -arch=sm_90 -ptx flight.cu -o "$scratch/flight.ptx" || exit 1
bound flight layer row_norm_affine_in_flight gamma=gain beta=bias rows=rows cols=n eps=1e-5
bound flight groups_of_channels group_norm_in_flight gamma=g beta=s channels=c pixels=n groups=groups batch=b
bound flight instance row_norm_in_flight form=standard rows=planes cols=pixels
bound flight shares row_map_in_flight form=softmax
bound flight logarithms row_map_in_flight form=log_softmax
bound flight magnitudes row_map_in_flight form=by_mean_of_magnitudes
right flight layer row_norm_affine_in_flight threads=64 share=64 ahead=3
right flight groups_of_channels group_norm_in_flight threads=64 share=64 ahead=0
# More parts than threads in a row.
right flight shares row_map_in_flight threads=64 share=4 ahead=2
# More ahead than there is: all sums come first.
right flight instance row_norm_in_flight threads=64 share=64 ahead=512
# A block waits for what has an earlier ticket.
sed='s/parts + ahead/ahead/g' fixture R flight layer row_norm_affine_in_flight HANG threads=64 share=64 ahead=1
wrong flight shares row_map_in_flight 's/two \*= exp(one - a); //' '' threads=64 share=4 ahead=2
wrong flight groups_of_channels group_norm_in_flight 's/lines + line\], shift/lines], shift/' '' threads=64 share=64 ahead=2
judged
