#!/usr/bin/env bash
# What templates recognise by what kernels compute, whatever their text looks like, and what they do not; and that
# the judge finds right on the emulated device what is made of it.
#   tests/emu/templates.sh BUILD SOURCE
set -u
build=$1 source=$2/tests/emu/templates
nvcc=$(command -v nvcc || echo "${CUDA_PATH:-/usr/local/cuda}/bin/nvcc")
nvcc=${KS_NVCC_REAL:-$nvcc}
[ -x "$nvcc" ] || { echo "no nvcc here: skipped"; exit 77; }
scratch=$(mktemp -d) || exit 1
trap 'rm -rf "$scratch"' EXIT
export KS_CACHE_DIR=$scratch/cache KS_STATE_DIR=$scratch/state KS_CONFIG_DIR=$scratch/config
unset KS_DEVICE KS_MODE
bad=0
cd "$source" || exit 1
# known FILE "KERNEL TEMPLATE"...: these and no others.
known() {
    local file=$1
    shift
    "$nvcc" -O3 -arch=sm_90 -ptx "$file.cu" -o "$scratch/$file.ptx" || { bad=1; return; }
    "$build/tests/print_template" "$file.cu" "$scratch/$file.ptx" 2> "$scratch/err" | sed 's/:.*//' | sort > "$scratch/have"
    printf '%s\n' "$@" | sort > "$scratch/want"
    diff "$scratch/want" "$scratch/have" || { echo "FAIL: $file: other templates know it"; cat "$scratch/err"; bad=1; }
}
# right FILE KERNEL TEMPLATE SETTING...   TARGET: sm_90 where it is not set
right() {
    "$build/tests/print_template" "$1.cu" "$scratch/$1.ptx" "${@:2}" > "$scratch/proposal.yaml" 2> "$scratch/err" &&
        "$build/bin/ks" verify "$1.cu:$2" --variant "$scratch/proposal.yaml" --no-sandbox --device emu -- "-arch=${TARGET:-sm_90}" > "$scratch/out" 2>> "$scratch/err"
    grep -q ': CORRECT ' "$scratch/out" || { echo "FAIL: ${*:2}"; cat "$scratch/err" "$scratch/out"; bad=1; }
}
# bound FILE KERNEL TEMPLATE WORDS...: the first way to bind it has these parts
bound() {
    local word
    "$build/tests/print_template" "$1.cu" "$scratch/$1.ptx" "$2" "$3" 2>&1 > "$scratch/proposal.yaml" | sed 's/.*/ & /' > "$scratch/err"
    for word in "${@:4}"; do
        grep -qF " $word " "$scratch/err" || { echo "FAIL: $2: no $word"; cat "$scratch/err"; bad=1; }
    done
}
known gemm "batch_tn gemm" "cut_off gemm" "cut_off gemm_split" "ragged_nn gemm" "ragged_nn gemm_split" "by_row gemv" "by_column gemv" "times_diagonal diagonal" "times_diagonal diagonal_right" \
    "diagonal_times diagonal" "diagonal_times diagonal_left" "followed gemm" "followed gemm_split"
known halves "halves_nt gemm_half" "halves_nt gemm_wgmma" "halves_tn_bias gemm_half" "halves_tn_bias gemm_wgmma" \
    "halves_long gemm_half" "halves_long gemm_wgmma"
right gemm batch_tn gemm bm=64 bn=64 bk=16
"$build/tests/print_template" gemm.cu "$scratch/gemm.ptx" cut_off gemm 2>&1 > "$scratch/proposal.yaml" | grep -q '^1: .*B^T' ||
    { echo "FAIL: cut_off is bound in several ways"; bad=1; }
right gemm ragged_nn gemm bm=64 bn=64 ragged=true
right halves halves_nt gemm_half bm=64 bn=64 bk=32 wm=32 wn=32 stages=3
right halves halves_tn_bias gemm_half bm=64 bn=64 bk=64 wm=32 wn=32 stages=2
TARGET=sm_90a right halves halves_nt gemm_wgmma bm=256
TARGET=sm_90a right halves halves_tn_bias gemm_wgmma bm=128
TARGET=sm_90a right halves halves_long gemm_wgmma bm=128
# What only sm_90a has is not proposed elsewhere, and does not compile there.
for target in sm_90 sm_90a; do
    "$build/bin/ks" explain --why halves.cu:halves_long -- "-arch=$target" > "$scratch/$target" 2>&1
done
grep -q 'gemm-halves-by-warpgroups  *requires arch_alone, and it is 0' "$scratch/sm_90" || { echo "FAIL: wgmma for sm_90"; bad=1; }
grep -q 'template gemm_wgmma: 2 candidates' "$scratch/sm_90a" || { echo "FAIL: no wgmma for sm_90a"; bad=1; }
"$build/bin/ks" verify halves.cu:halves_long --variant "$scratch/proposal.yaml" --no-sandbox --device emu -- -arch=sm_90 > "$scratch/out" 2>&1
grep -q ": COMPILE: .*wgmma" "$scratch/out" || { echo "FAIL: wgmma compiles for sm_90"; cat "$scratch/out"; bad=1; }
# Factors are rounded for marks that admit as much, and for no others.
known rounded "rounded_nn gemm" "rounded_nn gemm_split" "rounded_nn gemm_tf32" "exact_nn gemm" "exact_nn gemm_split" "close_nt gemm" "close_nt gemm_split" \
    "rounded_tt_bias gemm" "rounded_tt_bias gemm_split" "rounded_tt_bias gemm_tf32" "rounded_tn_swish gemm" "rounded_tn_swish gemm_split" "rounded_tn_swish gemm_tf32"
"$build/bin/ks" explain --why rounded.cu:close_nt -- -arch=sm_90 2>&1 | grep -q 'tol(sum=F), F at least 0.000977' || { echo "FAIL: close_nt is not told what TF32 asks for"; bad=1; }
right rounded rounded_nn gemm_tf32 bm=64 bn=64 bk=16 wm=32 wn=32 stages=3
right rounded rounded_tt_bias gemm_tf32 bm=64 bn=64 bk=32 wm=32 wn=32 stages=2
right rounded rounded_tn_swish gemm_tf32 bm=64 bn=64 bk=16 wm=32 wn=32 stages=3
# The same text from nobody knows where: its inline assembly is refused.
"$build/tests/print_template" halves.cu "$scratch/halves.ptx" halves_nt gemm_half > "$scratch/proposal.yaml" 2> "$scratch/err"
"$build/bin/ks" verify halves.cu:halves_nt --variant "$scratch/proposal.yaml" --device emu -- -arch=sm_90 > "$scratch/out" 2>&1
grep -q ": STATIC.*'asm'\|no-sandbox" "$scratch/out" || { echo "FAIL: assembly in foreign text"; cat "$scratch/out"; bad=1; }
right gemm by_row gemv share=64
right gemm by_column gemv share=16
right gemm times_diagonal diagonal lines=2
right gemm diagonal_times diagonal
right gemm followed gemm bm=64 bn=64
right gemm followed gemm_split bm=64 bn=64 parts=2
# Losses and other sums of maps, each by its kernel's own expression; three that are almost that are nothing.
known sums "huber_parts block_sums" "huber_parts sums" "weighted_parts block_sums" "weighted_parts sums" \
    "mean_square map_sum" "mean_square sums" "magnitudes_of_halves map_sum" "magnitudes_of_halves sums"
bound sums huber_parts block_sums n=n cols=1 blocks=grid.x 'p[i] t[i]'
bound sums weighted_parts block_sums 'n=rows * cols' cols=cols 'x[i] w[mod(i, cols)] by[div(i, cols)]'
bound sums mean_square map_sum form=mean_added
bound sums magnitudes_of_halves map_sum factor=factor form=sum
right sums huber_parts block_sums threads=64
right sums weighted_parts block_sums threads=128 ahead=1
right sums mean_square map_sum threads=64 blocks=3
right sums magnitudes_of_halves map_sum threads=32 ahead=2 blocks=2
# The last elements left out is wrong.
"$build/tests/print_template" sums.cu "$scratch/sums.ptx" huber_parts block_sums threads=64 2> "$scratch/err" |
    sed 's/at + i < n && i < width/i < 0/' > "$scratch/proposal.yaml"
"$build/bin/ks" verify sums.cu:huber_parts --variant "$scratch/proposal.yaml" --no-sandbox --device emu -- -arch=sm_90 > "$scratch/out" 2>&1
grep -q ": WRONG" "$scratch/out" || { echo "FAIL: what left elements out is right"; cat "$scratch/out"; bad=1; }
# Products of what is made of their factors; nothing that hangs on the depth, and no plain product.
known pairs "activated gemm_pairs" "distances gemm_pairs" "weighed gemm_pairs" "plain gemm" "plain gemm_split"
bound pairs activated gemm_pairs form=nt a=x b=w 'bias[j]'
right pairs activated gemm_pairs bm=64 bn=64
bound pairs weighed gemm_pairs form=tn 'g[l]'
right pairs weighed gemm_pairs bm=64 bn=64
right pairs distances gemm_pairs bm=64 bn=64 bk=8 ragged=true
# Outside the matrices there are zeros, of which this kernel does not make zero.
"$build/tests/print_template" pairs.cu "$scratch/pairs.ptx" activated gemm_pairs bm=64 bn=64 2> "$scratch/err" |
    sed 's/return depth < last;/return true;/' > "$scratch/proposal.yaml"
"$build/bin/ks" verify pairs.cu:activated --variant "$scratch/proposal.yaml" --no-sandbox --device emu -- -arch=sm_90 > "$scratch/out" 2>&1
grep -q ": WRONG" "$scratch/out" || { echo "FAIL: terms behind the depth are right"; cat "$scratch/out"; bad=1; }
# Convolutions of what is made of elements of x or of the weights first, and of nothing else.
known factors "of_activated conv" "of_activated conv1" "by_magnitudes conv" "by_magnitudes conv2"
bound factors of_activated conv1 made=x kw=3 pw=1 'bias[o]'
bound factors by_magnitudes conv2 made=weight kh=3 kw=3 ph=1 pw=1
right factors of_activated conv1 bn=16
right factors by_magnitudes conv2 bn=16
# Outside x there are zeros, of which this kernel does not make zero.
"$build/tests/print_template" factors.cu "$scratch/factors.ptx" of_activated conv1 bn=16 2> "$scratch/err" |
    sed 's/x_held\[i\] = 0;/x_held[i] = of_x(0, head_p7);/' > "$scratch/proposal.yaml"
"$build/bin/ks" verify factors.cu:of_activated --variant "$scratch/proposal.yaml" --no-sandbox --device emu -- -arch=sm_90 > "$scratch/out" 2>&1
grep -q ": WRONG" "$scratch/out" || { echo "FAIL: what is made of nothing is right"; cat "$scratch/out"; bad=1; }
# Attention in four forms and an element a thread; six that are almost that are nothing else either.
known attention "by_thread attention" "by_thread attention_rows" "by_block attention" "by_block attention_rows" \
    "causal_in_registers attention" "causal_in_registers attention_fixed" "causal_by_warp attention" "causal_by_warp attention_rows" \
    "as_it_is attention" "as_it_is attention_rows"
bound attention by_thread attention form=all scale=scale m=n n=n d=d batch=grid.y
bound attention by_block attention form=all_by_root q=queries k=keys v=values m=m n=n batch=grid.z
bound attention causal_in_registers attention form=causal_by_root d=4 batch=bh
bound attention causal_by_warp attention form=causal scale=scale batch=1
bound attention as_it_is attention form=all_by_root batch=1
tiny=(lines=2 rows=1 keys=1)
right attention by_thread attention "${tiny[@]}"
right attention by_block attention "${tiny[@]}"
right attention causal_in_registers attention "${tiny[@]}"
right attention causal_by_warp attention form=causal_zero "${tiny[@]}"
# Zero times an infinity that a query does not see is NaN in this kernel: tiles of such keys may not be left out.
"$build/tests/print_template" attention.cu "$scratch/attention.ptx" causal_by_warp attention form=causal "${tiny[@]}" > "$scratch/proposal.yaml" 2> "$scratch/err"
"$build/bin/ks" verify attention.cu:causal_by_warp --variant "$scratch/proposal.yaml" --no-sandbox --device emu -- -arch=sm_90 > "$scratch/out" 2>&1
grep -q ": WRONG: .*NaN, infinity" "$scratch/out" || { echo "FAIL: hidden infinities"; cat "$scratch/out"; bad=1; }
cat "$source/idioms.cu" "$source/windows.cu" > "$scratch/idioms.cu" && cd "$scratch" || exit 1
"$nvcc" -arch=sm_90 -ptx -o idioms.ptx idioms.cu || exit 1
"$build/tests/print_template" idioms.cu idioms.ptx > all 2> all.err || { cat all.err; exit 1; }
# is KERNEL TEMPLATE WORDS...: recognised as that, in one way, with these parts of the binding
is() {
    local kernel=$1 template=$2 word
    shift 2
    grep -q "^$kernel $template: 1: " all || { echo "FAIL: $kernel is not recognised as $template: $(grep "^$kernel " all)"; bad=1; }
    for word in "$@"; do
        grep "^$kernel $template: " all | grep -qF " $word" || { echo "FAIL: $kernel: no $word: $(grep "^$kernel $template" all)"; bad=1; }
    done
}
none() { ! grep "^$1 " all || { echo "FAIL: $1 is recognised"; bad=1; }; }
near() { # near KERNEL TEMPLATE WORDS: it is said what differs
    "$build/tests/print_template" idioms.cu idioms.ptx "$1" "$2" > out 2> err && { echo "FAIL: $1 is a $2"; bad=1; }
    grep -q "almost .*$3" err || { echo "FAIL: $1: $(cat err)"; bad=1; }
}
is row_blocks_nt gemm a=left b=right c=c m=m n=n k=k form=nt
is flat_tn gemm a=a b=b form=tn
none almost_product
near almost_product gemm 'there and .* here at z=0'
is mix_channels gemm_shared a=w b=x m=grid.y k=k batch=grid.z form=nn
is halving conv2 x=image weight=taps batch=b kh=3 kw=3 sh=2 sw=2 ph=1 pw=1 ih=h
is doubling conv_back1 batch=grid.z co=grid.y kw=4 sw=2 pw=0 iw=w
is softmax_by_thread row_map rows=rows cols=n form=softmax
is softmax_in_shared row_map rows=grid.x cols=n form=softmax
is softmax_by_thread row_online rows=rows cols=n form=softmax
is layer_norm_by_thread row_norm_affine gamma=g beta=b eps=1e-6
none almost_layer_norm
is suffix_sums row_scan form=reverse_sum
none almost_scan
is lowest arg_axis outer=z rows=rows cols=cols R=i32 form=argmin
is lower_of_all gemm_triangular form=lower
is largest_of_nine pool2 kh=3 kw=3 sh=2 sw=2 ph=1 pw=1 dh=1 ih=h form=max
none largest_or_zero
near largest_or_zero pool2 'y is 0 there and .* here at'
is halves pool1 planes=planes kw=4 sw=2 pw=0 form=mean
is each_channel depthwise2 x=x weight=k channels=c kh=3 kw=5 ph=1 pw=2 sh=1
is line_filter conv1 co=grid.y batch=grid.z kw=3 pw=1
is line_filter_and_more conv1 co=grid.y kw=3 pw=1
is middle_and_width channel_statistics mean=mid scale=by channels=c pixels=n eps=1e-4
is shares_of_channels channel_map channels=c pixels=n form=softmax
is surprise row_loss x=x target=which rows=rows cols=n M=i32
is cubes conv3 kd=2 kh=2 kw=2 sd=1 pd=0 id=n
is larger_cubes conv_back3 kd=2 kh=2 kw=2 sd=2 sw=2 pd=0
is by_root_mean_square row_norm eps=1e-6 form=by_root_mean_square
is sums_in_front row_scan form=exclusive_sum
is whole_blocks reduce_rows rows=rows cols=n

# made KERNEL TEMPLATE WORKLOAD SETTINGS...: a fixture for the judge; with WRONG=SED a broken one
n=10
made() {
    local dir=suite/$([ -z "${WRONG:-}" ] && echo A || echo R)$((n++))-$1
    mkdir -p "$dir"
    "$build/tests/print_template" idioms.cu idioms.ptx "$1" "$2" "${@:4}" > "$dir/made" 2> err || { cat err; bad=1; }
    sed "${WRONG:-}" "$dir/made" > "$dir/proposal.yaml"
    [ -z "${WRONG:-}" ] || ! cmp -s "$dir/made" "$dir/proposal.yaml" || { echo "FAIL: $WRONG changes nothing"; bad=1; }
    awk -v RS='#pragma ks optimize' -v name="$1" 'NR == 1 { head = $0 } index($0, " " name "(") { print head RS $0 }' \
        idioms.cu > "$dir/kernel.cu"
    printf 'title: "%s %s"\nexpect: [%s]\nemu: "%s"\n' "$1" "$2" \
        "$([ -z "${WRONG:-}" ] && echo CORRECT || echo WRONG)" "$3" > "$dir/expect.yaml"
    [ -z "${WRONG:-}" ] || echo 'defence: families' >> "$dir/expect.yaml"
}
made suffix_sums row_scan 'let(rows=2, n=20) in(x[rows*n]) out(y[rows*n]) grid(ceildiv(rows,32)) block(32)' threads=32
WRONG='s/combined(front, left)/front/' made suffix_sums row_scan 'let(rows=2, n=20) in(x[rows*n]) out(y[rows*n]) grid(ceildiv(rows,32)) block(32)' threads=32
made lowest arg_axis 'let(z=2, rows=5, cols=3) in(x[z*rows*cols]) out(at[z*cols]) grid(ceildiv(z*cols,64)) block(64)' lines=8
made doubling conv_back1 'let(b=1, ci=2, co=2, w=4) in(x[b*ci*w]) in(k[ci*co*4]) out(y[b*co*(w*2+2)]) grid(ceildiv(w*2+2,64),co,b) block(64)' bn=16
line='grid(ceildiv(rows,32)) block(32)' cube='grid(ceildiv(8*n*n*n,64),co,b) block(64)'
made largest_of_nine pool2 'let(b=1, c=2, h=5, w=8) in(x[b*c*h*w]) out(y[b*c*((h+1)/2)*((w+1)/2)]) grid((h+1)/2,b*c) block(64)' share=2
WRONG='s/const int ty = tap_row(j, r)/const int ty = tap_row(j, 0)/' made largest_of_nine pool2 'let(b=1, c=2, h=5, w=8) in(x[b*c*h*w]) out(y[b*c*((h+1)/2)*((w+1)/2)]) grid((h+1)/2,b*c) block(64)' share=2
made halves pool1 'let(planes=2, n=20) in(x[planes*n]) out(y[planes*(n/2-1)]) grid(ceildiv(planes*(n/2-1),64)) block(64)' share=4
made each_channel depthwise2 'let(b=1, c=2, h=5, w=8) in(x[b*c*h*w]) in(k[c*3*5]) out(y[b*c*h*w]) grid(ceildiv(w,32),h,b*c) block(32)' share=4
made line_filter conv1 'let(b=1, ci=2, co=3, n=12) in(x[b*ci*n]) in(k[ci*co*3]) out(y[b*co*n]) grid(ceildiv(n,64),co,b) block(64)' bn=16
more='let(b=1, ci=2, co=3, n=12) in(x[b*ci*n]) in(k[ci*co*3]) in(bias[co]) in(old[b*co*n]) out(y[b*co*n]) grid(ceildiv(n,64),co,b) block(64)'
made line_filter_and_more conv1 "$more" bn=16
WRONG='s/\[its_channel\]/[0]/' made line_filter_and_more conv1 "$more" bn=16
softmax="let(rows=2, n=70) in(in[rows*n]) out(out[rows*n]) $line"
made softmax_by_thread row_online "$softmax" threads=64
WRONG='s/all \*= exp(own - v); //' made softmax_by_thread row_online "$softmax" threads=64
channels='let(b=2, c=3, n=10) in(x[b*c*n])'
made middle_and_width channel_statistics "$channels out(mid[c]) out(by[c]) grid(ceildiv(c,32)) block(32)" threads=64 share=8
WRONG='s/two - one \* one/two - one/' made middle_and_width channel_statistics "$channels out(mid[c]) out(by[c]) grid(ceildiv(c,32)) block(32)" threads=64 share=8
made shares_of_channels channel_map "$channels out(y[b*c*n]) grid(ceildiv(n,32),b) block(32)" threads=64
surprise="let(rows=2, n=20) in(x[rows*n]) in(which[rows]=randint(0,9)) out(lost[rows]) $line"
made surprise row_loss "$surprise" threads=64
WRONG='s/line\[target\[blockIdx.x\]\]/line[target[0]]/' made surprise row_loss "$surprise" threads=64
made cubes conv3 'let(b=1, ci=2, co=2, n=4) in(x[b*ci*n*n*n]) in(k[ci*co*8]) out(y[b*co*(n-1)*(n-1)*(n-1)]) grid(ceildiv((n-1)*(n-1)*(n-1),64),co,b) block(64)' bn=16
made larger_cubes conv_back3 "let(b=1, ci=2, co=2, n=2) in(x[b*ci*n*n*n]) in(k[ci*co*8]) out(y[b*co*8*n*n*n]) $cube" bn=16
made by_root_mean_square row_norm "let(rows=2, n=20) in(x[rows*n]) out(y[rows*n]) $line" threads=64
made by_root_mean_square row_norm "let(rows=2, n=600) in(x[rows*n]) out(y[rows*n]) $line" threads=64 kept=64
WRONG='s/line.held\[i\] = p;/line.held[i] = pack();/' made by_root_mean_square row_norm "let(rows=2, n=600) in(x[rows*n]) out(y[rows*n]) $line" threads=64 kept=64
made softmax_by_thread row_map "let(rows=2, n=600) in(in[rows*n]) out(out[rows*n]) $line" threads=64 kept=64
made by_root_mean_square row_norm_parts "let(rows=2, n=40) in(x[rows*n]) out(y[rows*n]) $line" threads=64 share=16
made sums_in_front row_scan "let(rows=2, n=20) in(x[rows*n]) out(y[rows*n]) $line" threads=32
made whole_blocks reduce_rows 'let(rows=1024, n=64) in(x[rows*n]) out(sum[rows]) grid(rows/1024) block(1024)'
grep -qF 'rows % 1024 == 0' suite/*whole_blocks/proposal.yaml || { echo 'FAIL: whole_blocks serves what is no whole block'; bad=1; }
[ $bad = 0 ] || exit 1
"$build/bin/ks" verify --suite suite --device emu --no-sandbox 2> log || { cat log; exit 1; }
