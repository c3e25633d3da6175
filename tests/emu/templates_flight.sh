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
right flight layer row_norm_affine_in_flight threads=64 share=1024 spare=0
# Several packs a thread.
right flight groups_of_channels group_norm_in_flight threads=64 share=4096 spare=2
# More parts than threads in a row, and blocks that wait for little.
sed='s/patience = 200/patience = 2/' fixture A flight shares row_map_in_flight CORRECT threads=64 share=16 spare=0
right flight instance row_norm_in_flight threads=64 share=1024 spare=0
# Nobody waits: all parts but those of rows of one are left to the last.
sed='s/patience = 200/patience = 0/' fixture A flight layer row_norm_affine_in_flight CORRECT threads=64 share=256 spare=0
# What was left is written by nobody.
sed='s/patience = 200/patience = 0/;s/part = first_left/part = nothing/' fixture R flight layer row_norm_affine_in_flight WRONG threads=64 share=256 spare=0
# Halves, of which rows of an odd length begin elsewhere in a pack of eight.
compiled rows
right rows softmax_of_halves row_map_in_flight threads=64 share=64 spare=0
wrong flight shares row_map_in_flight 's/patience = 200/patience = 2/;s/two \*= exp(one - a); //' '' threads=64 share=16 spare=0
wrong flight groups_of_channels group_norm_in_flight 's/lines + line\], shift/lines], shift/' '' threads=64 share=1024 spare=0
judged
