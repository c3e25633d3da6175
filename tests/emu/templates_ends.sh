#!/usr/bin/env bash
# What is made of a norm, of an extreme or of a sum of exponentials before it is stored stays with it; what only
# looks like one of them is not taken for it.
#   tests/emu/templates_ends.sh BUILD SOURCE
set -u
. "$2/tests/emu/templates_lib.sh"
known ends "groups_gated group_norm" "groups_of_halves group_norm" "long_groups group_norm" "groups_and_more group_norm" \
    "least_of_channels reduce_axis" "means_of_columns reduce_axis" "largest_of_rows reduce_rows" \
    "limited_product gemm" "limited_product gemm_split" "limited_product gemm_three" "limited_product gemm_wgmma_three" "limited_product gemm_three_split" "limited_product gemm_wgmma_three_parts" "limited_sums reduce_axis" \
    "triplets row_distances" "log_of_sum row_log_sum" "log_of_sum_of_halves row_log_sum" \
    "groups_and_silu group_norm_parts" "groups_and_silu norm_parts" "normed_gated norm" "normed_gated norm_kept" "normed_gated row_norm" \
    "normed_gelu norm" "normed_gelu norm_kept" "normed_gelu norm_parts" "normed_gelu row_norm" "normed_gelu row_norm_parts" \
    "normed_residual norm" "normed_residual norm_kept" "normed_residual norm_parts" "normed_residual row_norm" "normed_residual row_norm_parts" \
    "weighed_softmax norm" "weighed_softmax norm_kept" "weighed_softmax row_map"
bound ends groups_gated group_norm batch=grid.y channels=n groups=groups eps=1e-5 'gate[g * (channels / groups) + c]' 'old[b * channels + g * (channels / groups) + c]'
bound ends groups_of_halves group_norm batch=rows channels=cols groups=groups eps=eps T=f16 P=f32
bound ends long_groups group_norm eps=1e-3
bound ends groups_and_more group_norm 'batch=grid.x / groups' 'by[b]'
bound ends least_of_channels reduce_axis outer=grid.y rows=c cols=n form=min_number
bound ends means_of_columns reduce_axis rows=rows cols=cols 'by[c]'
bound ends largest_of_rows reduce_rows rows=grid.x cols=n form=max_from_infinity
bound ends triplets row_distances from=a to=p other=q rows=grid.x cols=n eps=1e-6
bound ends log_of_sum row_log_sum rows=grid.x cols=n 'by[r]'
bound ends log_of_sum_of_halves row_log_sum rows=rows cols=n T=f16
bound ends normed_gelu row_norm rows=grid.x cols=n eps=1e-5 'g[c] b[c]'
bound ends normed_gated norm form=by_root_mean_square T=f16 'w[c] gate[r * cols + c]'
bound ends weighed_softmax row_map form=softmax 'v[r * cols + c]'
bound ends groups_and_silu group_norm_parts channels=c pixels=pixels groups=groups 'scale[(b * groups + g) * (channels / groups) + c]'
# almost KERNEL TEMPLATE SED: what SED makes of the kernel, which is recognised as it is, is not
almost() {
    sed "/^__global__ void $1(/,/^}/$3" ends.cu > "$scratch/almost.cu"
    ! cmp -s ends.cu "$scratch/almost.cu" || { echo "FAIL: $3 changes nothing"; bad=1; }
    "$nvcc" -O3 -arch=sm_90 -ptx "$scratch/almost.cu" -o "$scratch/almost.ptx" || bad=1
    "$build/tests/print_template" "$scratch/almost.cu" "$scratch/almost.ptx" "$1" "$2" > /dev/null 2> "$scratch/err" &&
        { echo "FAIL: $1 is a $2 with $3"; cat "$scratch/err"; bad=1; }
    grep -q '^line [0-9]*: ' "$scratch/err" || { echo "FAIL: $1 with $3"; cat "$scratch/err"; bad=1; }
}
almost long_groups group_norm 's/(squares) \/ size/(squares) \/ (size - 1)/'
almost long_groups group_norm 's/rsqrtf(\(.*\) + 1e-3f)/1.0f \/ (sqrtf(\1) + 1e-3f)/'
almost long_groups group_norm 's/ + beta\[i\]//'
almost long_groups group_norm 's/gamma\[i\]/gamma[i - first]/'
almost groups_and_more group_norm 's/u \* times/u * times + mean/'
almost groups_and_more group_norm 's/blockIdx.x % groups \* size/blockIdx.x % groups/; s/first + i\]/first + i * groups]/g'
almost least_of_channels reduce_axis 's/least = x\[0\]/least = 0.0f/'
almost least_of_channels reduce_axis 's/tanhf(least) \* 2.0f/least - least/'
almost least_of_channels reduce_axis 's/tanhf(least) \* 2.0f/fmaxf(least - 5000.0f, 0.0f)/'
almost normed_gelu row_norm 's/squares += row\[i\]/squares += row[0]/'
almost weighed_softmax row_map 's/sum += expf(x/sum += exp2f(x/'
almost groups_and_silu group_norm_parts 's/scale\[first + i/scale[first + i + 1/'
almost triplets row_distances 's/sqrtf(near)/near/'
almost triplets row_distances 's/a\[at\] - q\[at\] + 1e-6f/a[at] - q[at] - 0.25f/g'
almost largest_of_rows reduce_rows 's/most = -INFINITY/most = 0.5f/'
almost log_of_sum row_log_sum 's/logf(sum)/logf(sum) \/ n/'
almost log_of_sum row_log_sum 's/expf(x\[i\] - top)/exp2f(x[i] - top)/'
right ends groups_gated group_norm threads=64 held=1
right ends groups_gated group_norm threads=32 held=8
right ends groups_of_halves group_norm threads=32 held=1
right ends long_groups group_norm threads=64 held=1
right ends long_groups group_norm threads=256 held=4
right ends groups_and_more group_norm
right ends least_of_channels reduce_axis lines=4
right ends means_of_columns reduce_axis lines=4
right ends largest_of_rows reduce_rows threads=64 lines=1
right ends limited_product gemm bm=64 bn=64
right ends limited_sums reduce_axis lines=4
right ends triplets row_distances threads=32
right ends normed_gelu row_norm threads=64
right ends normed_gated row_norm threads=64
right ends weighed_softmax row_map threads=64
right ends normed_residual row_norm_parts threads=64 share=96
right ends groups_and_silu group_norm_parts threads=64 share=32
right ends log_of_sum row_log_sum threads=32 lines=2
right ends log_of_sum_of_halves row_log_sum threads=64 lines=1
wrong ends groups_gated group_norm 's/const int first = .*;/const int first = 0;/' '' threads=64 held=1
wrong ends long_groups group_norm 's/i < warps; i++/i < 1; i++/' '' threads=64 held=1
wrong ends groups_gated group_norm 's/tail_p3\[its_col\]/tail_p3[0]/' '' threads=64 held=1
wrong ends normed_residual row_norm_parts 's/(size_t)row \* cols + place + l/place + l/' '' threads=64 share=96
wrong ends groups_and_silu group_norm_parts 's/tail_p4\[its_plane\]/tail_p4[its_col]/' '' threads=64 share=32
wrong ends triplets row_distances 's/own.far += far/own.far += near/' '' threads=32
wrong ends log_of_sum row_log_sum 's/a.all \* expf(a.top - top) + b.all/a.all + b.all/' '' threads=32 lines=2
wrong ends log_of_sum row_log_sum 's/its_read0 = tail_p1\[its_row\]/its_read0 = tail_p1[0]/' '' threads=32 lines=2
wrong ends least_of_channels reduce_axis 's/tanhf(least)/least/' '' lines=4
judged
