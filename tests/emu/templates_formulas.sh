#!/usr/bin/env bash
# Templates that hold an expression of the kernel, as templates.sh has products.
#   tests/emu/templates_formulas.sh BUILD SOURCE
set -u
. "$2/tests/emu/templates_lib.sh"
# Losses and other sums of maps, each by its own expression, in a loop or of one element a thread; others almost are.
known sums "huber_parts block_sums" "huber_parts sums" "weighted_parts block_sums" "weighted_parts sums" \
    "dots block_sums" "dots sums" "smooth map_sum" "smooth sums" "mean_square map_sum" "mean_square sums" "magnitudes_of_halves map_sum" "magnitudes_of_halves sums" \
    "by_shuffles map_sum" "by_shuffles sums" "at_once map_sum" "at_once sums"
bound sums huber_parts block_sums n=n cols=1 blocks=grid.x 'p[i] t[i]'
bound sums weighted_parts block_sums 'n=rows * cols' cols=cols 'x[i] w[mod(i, cols)] by[div(i, cols)]'
bound sums mean_square map_sum form=mean_added
bound sums magnitudes_of_halves map_sum factor=factor form=sum
bound sums dots block_sums n=n blocks=grid.x 'x[i] z[i]'
bound sums by_shuffles map_sum n=n 'p[i] q[i]'
bound sums at_once map_sum n=n form=added
bound sums smooth map_sum form=mean_added 'p[i] q[i]'
right sums dots block_sums threads=64
right sums smooth map_sum threads=64 blocks=3
right sums by_shuffles map_sum threads=64 blocks=3
right sums huber_parts block_sums threads=64
right sums weighted_parts block_sums threads=128 ahead=1
right sums mean_square map_sum threads=64 blocks=3
right sums magnitudes_of_halves map_sum threads=32 ahead=2 blocks=2
# The last elements left out is wrong.
wrong sums huber_parts block_sums 's/at + i < n && i < width/i < 0/' '' threads=64
# Products of what is made of their factors; nothing that hangs on the depth, and no plain product.
known pairs "activated gemm_pairs" "distances gemm_pairs" "weighed gemm_pairs" "plain gemm" "plain gemm_split" "plain gemm_three" "plain gemm_wgmma_three" "plain gemm_three_split" "plain gemm_wgmma_three_parts"
bound pairs activated gemm_pairs form=nt a=x b=w 'bias[j]'
right pairs activated gemm_pairs bm=64 bn=64
bound pairs weighed gemm_pairs form=tn 'g[l]'
right pairs weighed gemm_pairs bm=64 bn=64
right pairs distances gemm_pairs bm=64 bn=64 bk=8 ragged=true
# Outside the matrices there are zeros, of which this kernel does not make zero.
wrong pairs activated gemm_pairs 's/return depth < last;/return true;/' '' bm=64 bn=64
# Convolutions of what is made of elements of x or of the weights first, and of nothing else.
known factors "of_activated conv" "of_activated conv1" "of_activated conv_three" "of_activated conv_wgmma_three" "by_magnitudes conv" "by_magnitudes conv2" "by_magnitudes conv_three" "by_magnitudes conv_wgmma_three"
bound factors of_activated conv1 made=x kw=3 pw=1 'bias[o]'
bound factors by_magnitudes conv2 made=weight kh=3 kw=3 ph=1 pw=1
right factors of_activated conv1 bn=16
right factors by_magnitudes conv2 bn=16
# Outside x there are zeros, of which this kernel does not make zero.
wrong factors of_activated conv1 's/x_held\[j\]\[i + l\] = 0;/x_held[j][i + l] = of_x(0, head_p7);/' '' bn=16
judged
