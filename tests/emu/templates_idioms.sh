#!/usr/bin/env bash
# What templates make of kernels in many spellings, recognised in one way or in none; a folder of fixtures for the judge.
#   tests/emu/templates_idioms.sh BUILD SOURCE
set -u
. "$2/tests/emu/templates_lib.sh"
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
is mean_of_what_is_there pool2 kh=3 kw=5 sh=2 sw=1 ph=1 pw=2 form=mean_inside
is each_channel depthwise2 x=x weight=k channels=c kh=3 kw=5 ph=1 pw=2 sh=1
is line_filter conv1 co=grid.y batch=grid.z kw=3 pw=1
is long_filter conv1 co=grid.y kw=33 pw=16
is line_filter_and_more conv1 co=grid.y kw=3 pw=1
is middle_and_width channel_statistics mean=mid spread=by channels=c pixels=n eps=1e-4
is columns column_statistics mean=mid spread=width rows=rows cols=cols eps=1e-3
none almost_columns
is variances column_statistics mean=mid spread=width form=unbiased_variance
none deviations
is lengths_by reduce_rows rows=grid.x cols=n form=squares 'by[r]'
is bias_gradient reduce_axis 'rows=b * t' cols=n form=added
is shares_of_channels channel_map channels=c pixels=n form=softmax
is surprise row_loss x=x target=which rows=rows cols=n M=i32
is cubes conv3 kd=2 kh=2 kw=2 sd=1 pd=0 id=n
is larger_cubes conv_back3 kd=2 kh=2 kw=2 sd=2 sw=2 pd=0
is by_root_mean_square row_norm eps=1e-6 form=by_root_mean_square
is sums_in_front row_scan form=exclusive_sum
is whole_blocks reduce_rows rows=rows cols=n
is shares_by_shape row_map rows=of.i32_0 cols=of.i32_4 form=softmax
none sums_by_scaled
is product_in_tiles gemm a=a b=b m=m n=n k=k form=nn
is sum_of_shares reduce_rows rows=rows cols=n form=sum
is sum_of_sizes reduce_rows rows=rows cols=n form=magnitudes
is sums_in_fours reduce_rows rows=rows cols=n form=sum
is by_length_and_more row_length rows=rows cols=n eps=1e-8 form=added
is largest_of_what_is_not_low pool1 kw=2 sw=2 pw=0 bound=1e30 form=max_from
for other in last_of_largest largest_from_zero by_root_mean_square_and_more \
    by_root_mean_square_alone shares_or_zero twice_the_middle_by_sizes; do
    none $other
done
is shares_of_what_is_not_low row_map_from bound=1e20 form=softmax
is shares_of_what_is_not_low row_online_from bound=1e20
is log_shares_of_what_is_not_low row_map_from bound=10000 form=log_softmax
is sums_in_front_of_96 row_scan rows=rows cols=96 form=exclusive_sum
is product_of_numbers gemm a=a b=b m=24 n=32 k=40 form=nn
is length_of_48 reduce_rows rows=grid.x cols=48 form=norm
is filter_by_sizes conv1 groups=2 ci=ci co=co batch=b kw=3 iw=n sw=2 ow=o dw=1 pw=1
is each_channel_and_more depthwise2 channels=c kh=3 kw=3 ph=0 'from[c]' 'old[((n * channels + c) * oh + qh) * ow + qw]'
is around_the_middle transpose_around rows=a cols=c batch=b
is sums_down column_scan rows=rows cols=cols batch=grid.y form=sum
is sums_up column_scan rows=rows cols=cols form=reverse_sum
none almost_sums_down
is mean_about pool2 kh=3 kw=3 sh=1 sw=1 ph=1 pw=1 form=mean_inside
is product_by_flags gemm a=a b=b m=m n=n k=k batch=1 form=nn
is line_filter_in_numbers conv1 co=grid.y batch=grid.z kw=3 sw=2 pw=1 iw=n

# made KERNEL TEMPLATE WORKLOAD SETTINGS...: a fixture for the judge; with WRONG=SED a broken one
n=10
made() {
    local dir=suite/$([ -z "${WRONG:-}" ] && echo A || echo R)$((n++))-$1
    mkdir -p "$dir"
    "$build/tests/print_template" idioms.cu idioms.ptx "$1" "$2" "${@:4}" > "$dir/made" 2> err || { cat err; bad=1; }
    sed "${WRONG:-}" "$dir/made" > "$dir/proposal.yaml"
    [ -z "${WRONG:-}" ] || ! cmp -s "$dir/made" "$dir/proposal.yaml" || { echo "FAIL: $WRONG changes nothing"; bad=1; }
    awk -v RS='#pragma ks optimize' -v name="$1" 'NR == 1 { head = $0 } index($0, " " name "(") { print head RS $0 }' \
        idioms.cu > "suite/$1.cu"
    printf 'title: "%s %s"\nfile: ../%s.cu\nexpect: [%s]\nemu: "%s"\n' "$1" "$2" "$1" \
        "$([ -z "${WRONG:-}" ] && echo CORRECT || echo WRONG)" "$3" > "$dir/expect.yaml"
    [ -z "${WRONG:-}" ] || echo 'defence: comparison' >> "$dir/expect.yaml"
}
made suffix_sums row_scan 'let(rows=2, n=20) in(x[rows*n]) out(y[rows*n]) grid(ceildiv(rows,32)) block(32)' threads=32
WRONG='s/combined(front, left)/front/' made suffix_sums row_scan 'let(rows=2, n=20) in(x[rows*n]) out(y[rows*n]) grid(ceildiv(rows,32)) block(32)' threads=32
made lowest arg_axis 'let(z=2, rows=5, cols=3) in(x[z*rows*cols]) out(at[z*cols]) grid(ceildiv(z*cols,64)) block(64)' lines=8
made doubling conv_back1 'let(b=1, ci=2, co=2, w=4) in(x[b*ci*w]) in(k[ci*co*4]) out(y[b*co*(w*2+2)]) grid(ceildiv(w*2+2,64),co,b) block(64)' bn=64
line='grid(ceildiv(rows,32)) block(32)' cube='grid(ceildiv(8*n*n*n,64),co,b) block(64)'
made largest_of_nine pool2 'let(b=1, c=2, h=5, w=8) in(x[b*c*h*w]) out(y[b*c*((h+1)/2)*((w+1)/2)]) grid((h+1)/2,b*c) block(64)' share=2
WRONG='s/const int ty = tap_row(j, r)/const int ty = tap_row(j, 0)/' made largest_of_nine pool2 'let(b=1, c=2, h=5, w=8) in(x[b*c*h*w]) out(y[b*c*((h+1)/2)*((w+1)/2)]) grid((h+1)/2,b*c) block(64)' share=2
made largest_of_what_is_not_low pool1 'let(planes=2, n=20) in(x[planes*n]) out(y[planes*(n/2)]) grid(ceildiv(planes*(n/2),64)) block(64)' share=4
made halves pool1 'let(planes=2, n=20) in(x[planes*n]) out(y[planes*(n/2-1)]) grid(ceildiv(planes*(n/2-1),64)) block(64)' share=4
inside='let(planes=2, h=5, w=9) in(x[planes*h*w]) out(y[planes*((h+1)/2)*w]) grid(ceildiv(planes*((h+1)/2)*w,64)) block(64)'
made mean_of_what_is_there pool2 "$inside" share=2
WRONG='s/ + o) \* 1 - 2, kw/) * 1 - 2, kw/' made mean_of_what_is_there pool2 "$inside" share=2
made each_channel depthwise2 'let(b=1, c=2, h=5, w=8) in(x[b*c*h*w]) in(k[c*3*5]) out(y[b*c*h*w]) grid(ceildiv(w,32),h,b*c) block(32)' share=4
made line_filter conv1 'let(b=1, ci=2, co=3, n=12) in(x[b*ci*n]) in(k[ci*co*3]) out(y[b*co*n]) grid(ceildiv(n,64),co,b) block(64)' bn=16
more='let(b=1, ci=2, co=3, n=12) in(x[b*ci*n]) in(k[ci*co*3]) in(bias[co]) in(old[b*co*n]) out(y[b*co*n]) grid(ceildiv(n,64),co,b) block(64)'
# more of the depth than is prepared at once, and more taps than have bits
made long_filter conv1 'let(b=1, ci=4, co=1, n=6) in(x[b*ci*n]) in(k[ci*co*33]) out(y[b*co*n]) grid(ceildiv(n,64),co,b) block(64)' bn=16
made line_filter_and_more conv1 "$more" bn=16
WRONG='s/\[its_channel\]/[0]/' made line_filter_and_more conv1 "$more" bn=16
# Each factor in two parts; without what is left of the second it is no fp32 product.
made halving conv_three 'let(b=1, ci=3, co=5, h=5, w=8) in(image[b*ci*h*w]) in(taps[co*ci*9]) out(out[b*co*((h+1)/2)*((w+1)/2)]) grid(ceildiv(b*co*((h+1)/2)*((w+1)/2),128)) block(128)' bn=64
filter='let(b=1, ci=2, co=3, n=12) in(x[b*ci*n]) in(k[ci*co*3]) out(y[b*co*n]) grid(ceildiv(n,64),co,b) block(64)'
made line_filter conv_three "$filter" bn=32
WRONG='s/other ? left(b0) : nearest(b0), other ? left(b1) : nearest(b1)/nearest(b0), nearest(b1)/' made line_filter conv_three "$filter" bn=16
made cubes conv_three 'let(b=1, ci=2, co=2, n=4) in(x[b*ci*n*n*n]) in(k[ci*co*8]) out(y[b*co*(n-1)*(n-1)*(n-1)]) grid(ceildiv((n-1)*(n-1)*(n-1),64),co,b) block(64)' bn=16
softmax="let(rows=2, n=70) in(in[rows*n]) out(out[rows*n]) $line"
made softmax_by_thread row_online "$softmax" threads=64
WRONG='s/all \*= exp(own - v); //' made softmax_by_thread row_online "$softmax" threads=64
made shares_of_what_is_not_low row_map_from "let(rows=2, n=70) in(x[rows*n]) out(y[rows*n]) $line" threads=64
WRONG='s/all += exp(v - top); /all += 1; /' made shares_of_what_is_not_low row_map_from "let(rows=2, n=70) in(x[rows*n]) out(y[rows*n]) $line" threads=64
made log_shares_of_what_is_not_low row_online_from "let(rows=2, n=70) in(x[rows*n]) out(y[rows*n]) $line" threads=64
made sums_in_front_of_96 row_scan 'let(rows=2) in(x[rows*96]) out(y[rows*96]) grid(rows) block(96)' threads=32
made product_of_numbers gemm 'in(a[960]) in(b[1280]) out(c[768]) grid(4,3) block(8,8)' bm=64 bn=64
sizes='let(b=1, ci=4, co=2, n=9, k=3, stride=2, pad=1, step=1, groups=2, o=(n+2*pad-step*(k-1)-1)/stride+1)'
made filter_by_sizes conv1 "$sizes in(x[b*ci*n]) in(w[co*(ci/groups)*k]) out(y[b*co*o]) grid(ceildiv(b*co*o,64)) block(64)" bn=16
made each_channel_and_more depthwise2 'let(b=1, c=2, h=5, w=7, k=3) in(x[b*c*h*w]) in(taps[c*k*k]) in(from[c]) in(old[b*c*(h-k+1)*(w-k+1)]) out(y[b*c*(h-k+1)*(w-k+1)]) grid(c,b) block(64)' share=2
made around_the_middle transpose_around 'let(a=5, b=3, c=9) in(x[a*b*c]) out(y[a*b*c]) grid(ceildiv(a*b*c,128)) block(128)' tile=32
WRONG='s/in + (size_t)blockIdx.z \* cols/in/' made around_the_middle transpose_around 'let(a=5, b=3, c=9) in(x[a*b*c]) out(y[a*b*c]) grid(ceildiv(a*b*c,128)) block(128)' tile=32
down='let(b=2, rows=9, cols=35) in(x[b*rows*cols]) out(y[b*rows*cols]) grid(ceildiv(cols,32),b) block(32)'
made sums_down column_scan "$down" threads=128
WRONG='s/l < line/l < 1/' made sums_down column_scan "$down" threads=128
grep -qF 'k == 3 && stride == 2 && pad == 1 && step == 1 && groups == 2' suite/*filter_by_sizes/proposal.yaml || { echo 'FAIL: filter_by_sizes serves other windows'; bad=1; }
channels='let(b=2, c=3, n=10) in(x[b*c*n])'
made middle_and_width channel_statistics "$channels out(mid[c]) out(by[c]) grid(ceildiv(c,32)) block(32)" threads=64 share=8
WRONG='s/two - one \* one/two - one/' made middle_and_width channel_statistics "$channels out(mid[c]) out(by[c]) grid(ceildiv(c,32)) block(32)" threads=64 share=8
matrix='in(x[rows*cols]) out(width[cols]) out(mid[cols]) grid(ceildiv(cols,32)) block(32)'
made columns column_statistics "let(rows=30, cols=37) $matrix" lines=2 share=9
WRONG='s/middle \* middle/middle/' made columns column_statistics "let(rows=30, cols=37) $matrix" lines=2 share=9
made variances column_statistics "let(rows=30, cols=37) in(x[rows*cols]) out(mid[cols]) out(width[cols]) grid(ceildiv(cols,32)) block(32)" lines=2 share=9
made lengths_by reduce_rows 'let(rows=3, n=20) in(x[rows*n]) in(by[rows]) out(y[rows]) grid(rows) block(64)' threads=32
made bias_gradient reduce_axis 'let(b=2, t=5, n=20) in(x[b*t*n]) inout(sum[n]) grid(ceildiv(n,32)) block(32)' lines=4
made shares_of_channels channel_map "$channels out(y[b*c*n]) grid(ceildiv(n,32),b) block(32)" threads=64
surprise="let(rows=2, n=20) in(x[rows*n]) in(which[rows]=randint(0,9)) out(lost[rows]) $line"
made surprise row_loss "$surprise" threads=64
WRONG='s/line\[target\[blockIdx.x\]\]/line[target[0]]/' made surprise row_loss "$surprise" threads=64
made cubes conv3 'let(b=1, ci=2, co=2, n=4) in(x[b*ci*n*n*n]) in(k[ci*co*8]) out(y[b*co*(n-1)*(n-1)*(n-1)]) grid(ceildiv((n-1)*(n-1)*(n-1),64),co,b) block(64)' bn=128
made larger_cubes conv_back3 "let(b=1, ci=2, co=2, n=2) in(x[b*ci*n*n*n]) in(k[ci*co*8]) out(y[b*co*8*n*n*n]) $cube" bn=16
made by_root_mean_square row_norm "let(rows=2, n=20) in(x[rows*n]) out(y[rows*n]) $line" threads=64
made by_root_mean_square row_norm "let(rows=2, n=600) in(x[rows*n]) out(y[rows*n]) $line" threads=64 kept=64
WRONG='s/memcpy_async(line.held + i, body + i/memcpy_async(line.held + i, body/' made by_root_mean_square row_norm "let(rows=2, n=600) in(x[rows*n]) out(y[rows*n]) $line" threads=64 kept=64
made by_root_mean_square row_norm "let(rows=3, n=2203) in(x[rows*n]) out(y[rows*n]) $line" threads=64 kept=128 spare=2
WRONG='s/body\[kept + k/body[k/' made by_root_mean_square row_norm "let(rows=3, n=2203) in(x[rows*n]) out(y[rows*n]) $line" threads=64 kept=128 spare=2
made softmax_by_thread row_map "let(rows=2, n=600) in(in[rows*n]) out(out[rows*n]) $line" threads=64 kept=64
made by_root_mean_square row_norm_parts "let(rows=2, n=40) in(x[rows*n]) out(y[rows*n]) $line" threads=64 share=16
made sums_in_front row_scan "let(rows=2, n=20) in(x[rows*n]) out(y[rows*n]) $line" threads=32
made whole_blocks reduce_rows 'let(rows=1024, n=64) in(x[rows*n]) out(sum[rows]) grid(rows/1024) block(1024)'
grep -qF 'rows % 1024 == 0' suite/*whole_blocks/proposal.yaml || { echo 'FAIL: whole_blocks serves what is no whole block'; bad=1; }
made shares_by_shape row_map "let(rows=2, n=70) set(of.rows=rows) set(of.cols=n) in(x[rows*n]) out(y[rows*n]) $line" threads=64
made product_in_tiles gemm 'let(m=64, n=64, k=64) in(a[m*k]) in(b[k*n]) out(c[m*n]) grid(n/8,m/8) block(8,8)' bm=64 bn=64
[ "$(grep -oE '[a-z0-9]+ % 64 == 0' suite/*product_in_tiles/proposal.yaml | tr '\n' ' ')" = 'm % 64 == 0 n % 64 == 0 k % 64 == 0 ' ] ||
    { echo 'FAIL: product_in_tiles is served otherwise than where its sizes are round'; cat suite/*product_in_tiles/proposal.yaml; bad=1; }
[ $bad = 0 ] || exit 1
"$build/bin/ks" verify --suite suite --device emu ${draw:+"--draw=$draw"} --no-sandbox 2> log || { cat log; exit 1; }
