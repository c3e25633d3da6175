#!/usr/bin/env bash
# Products and convolutions on the tensor cores of this GPU, of halves and of fp32: what the templates make is judged right, ragged sizes and
# whole tiles, every form; on sm_90 also by wgmma, in a build for sm_90a.
#   tests/gpu/products.sh [BUILD] [OUT]
set -u
root=$(cd "$(dirname "$0")/../.." && pwd)
build=$(cd "${1:-$root/build}" && pwd)
mkdir -p "${2:-$build/gpu}/products"
into=$(cd "${2:-$build/gpu}/products" && pwd)
nvcc=$(sed -n 's/^KS_NVCC:[A-Z]*=//p' "$build/CMakeCache.txt")
arch=$("$build/bin/ks" doctor | sed -n 's/^gpu .*, sm_\([0-9]*\),.*/\1/p')
cd "$root/tests/emu/templates" || exit 1
for file in halves rounded mixed convolutions; do
    "$nvcc" -O3 -arch="sm_$arch" -ptx $file.cu -o "$into/$file.ptx" || exit 1
done
. "$root/tests/gpu/parts.sh"
# TARGET:FILE:KERNEL:TEMPLATE[:SETTING]
right() {
    local target file kernel template setting
    IFS=: read -r target file kernel template setting <<< "$1"
    local proposal=$into/$kernel-$template-$setting.yaml
    "$build/tests/print_template" "$file.cu" "$into/$file.ptx" "$kernel" "$template" ${setting:+"$setting"} > "$proposal" &&
        "$build/bin/ks" verify "$file.cu:$kernel" --variant "$proposal" --no-sandbox --device cuda -- "-arch=sm_$target" > "$proposal.txt"
    if grep -q ': CORRECT ' "$proposal.txt"; then
        echo "ok   $template $setting $(head -1 "$proposal.txt")"
    else
        echo "FAIL $template $setting"
        cat "$proposal.txt"
        return 1
    fi
}
products=()
for kernel in halves_nt halves_tn_bias halves_long; do
    products+=("$arch:halves:$kernel:gemm_half")
    [ "$arch" != 90 ] || products+=(90a:halves:$kernel:gemm_wgmma:bn={128,256})
done
for kernel in rounded_nn rounded_tt_bias rounded_tn_swish; do
    products+=("$arch:rounded:$kernel:gemm_tf32")
    [ "$arch" != 90 ] || products+=(90a:rounded:$kernel:gemm_wgmma_tf32:bn={128,256})
done
for kernel in cut_nn cut_nt cut_tt_bias; do
    [ "$arch" != 90 ] || products+=(90a:rounded:$kernel:gemm_wgmma_cut{,_parts})
done
for kernel in exact_nn close_nt exact_nn_mish tiny_nn; do
    products+=("$arch:rounded:$kernel:gemm_three")
    [ "$arch" != 90 ] || products+=(90a:rounded:$kernel:gemm_wgmma_three:ragged={false,true} "90a:rounded:$kernel:gemm_wgmma_three_parts")
done
for kernel in cut_upper cut_lower; do
    [ "$arch" != 90 ] || products+=(90a:rounded:$kernel:gemm_wgmma_{cut,three}_triangular)
done
for kernel in mixed_values layer half_float_nn half_float_tn_swish; do
    products+=("$arch:mixed:$kernel:gemm_mixed")
    [ "$arch" != 90 ] || products+=(90a:mixed:$kernel:gemm_wgmma_mixed:ragged={false,true})
done
for kernel in strided doubled in_groups volumes deep_lines; do
    products+=("$arch:convolutions:$kernel":conv_{tf32,three})
    [ "$arch" != 90 ] || products+=(90a:convolutions:$kernel:conv_wgmma_{cut,three}:bn={32,64,128})
done
parts "$into/each" right "${products[@]}"
failed=$?
told "$into/each" txt
[ "$failed" -eq 0 ] || told "$into/each" log
echo "$((${#products[@]} - failed)) right, $failed wrong"
[ "$failed" -eq 0 ]
