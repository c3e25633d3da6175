#!/usr/bin/env bash
# Templates that the other files' kernels do not run; each template is run by one of these scripts.
#   tests/emu/templates_leaves.sh BUILD SOURCE
set -u
. "$2/tests/emu/templates_lib.sh"
for file in "$2"/skills/templates/*.yaml; do
    template=$(basename "$file" .yaml)
    # What stands for others, and names no source, has no code of its own.
    grep -q '^source:' "$file" || continue
    grep -qE "^(right(_90a)? [a-z]+|made) [a-z0-9_]+ $template( |\$)" "$2"/tests/emu/templates*.sh ||
        { echo "FAIL: no kernel runs the template $template"; bad=1; }
done
"$nvcc" -O3 -arch=sm_90 -ptx leaves.cu -o "$scratch/leaves.ptx" || exit 1
right leaves back conv_back2 bn=16
right leaves back conv_three bn=16
right leaves each_line depthwise1 share=4
right leaves each_volume depthwise3 share=2
right leaves largest_of_eight pool3 share=2
right leaves mixed gemm_shared bm=64 bn=64
right leaves lower gemm_triangular bm=64 bn=64
right leaves updated gemm_update bm=64 bn=64
right leaves length reduce_all threads=64 blocks=2
right leaves means reduce_axis lines=8
right leaves where row_scan_masked threads=32
right leaves from_zero row_scan_wide threads=32
right leaves sums row_scan form=sum threads=32
right leaves products row_scan form=product threads=32
right leaves layer row_norm_affine threads=64
right leaves layer row_norm_affine_parts threads=64 share=16
right leaves groups_of_channels group_norm_parts threads=64 share=16
# Gains and what is added: a pack of columns at once, or a channel's, which a quotient by a product names.
wrong leaves layer row_norm_affine_parts 's/shift.lane\[l\]/shift.lane[0]/' '' threads=64 share=16
wrong leaves groups_of_channels group_norm_parts 's/q : q + 1/q : q/' '' threads=64 share=16
right leaves turned transpose_inner
right leaves shares row_map form=softmax threads=64
right leaves with_gain row_norm_gain form=by_root_mean_square threads=64
judged
