#!/usr/bin/env bash
# The templates for products against cuBLAS, SIDE x SIDE x SIDE, by mma.sync and, on sm_90, by wgmma: in bf16, in TF32, and in
# fp32 by three products of TF32. The last line is one JSON object. Exit 77 without a GPU.
#   tests/bench/products.sh [BUILD] [SIDE]
set -u
root=$(cd "$(dirname "$0")/../.." && pwd)
build=$(cd "${1:-$root/build}" && pwd)
side=${2-}
nvcc=$(sed -n 's/^KS_NVCC:[A-Z]*=//p' "$build/CMakeCache.txt")
scratch=$(mktemp -d) || exit 1
trap 'rm -rf "$scratch"' EXIT
export KS_CACHE_DIR=$scratch/cache KS_STATE_DIR=$scratch/state KS_CONFIG_DIR=$scratch/config
arch=$("$build/bin/ks" doctor | sed -n 's/^gpu .*, sm_\([0-9]*\),.*/\1/p')
[ -n "$arch" ] || { echo "no GPU here: skipped"; exit 77; }
cd "$root/tests/emu/templates" || exit 1
for file in halves rounded; do
    "$nvcc" -O3 -arch="sm_$arch" -ptx $file.cu -o "$scratch/$file.ptx" || exit 1
done
# timed NAME TARGET FLOATS TEMPLATE KERNEL SHARED SETTING...: a member of an object; A * B, or with $form=nt A * B^T
timed() {
    local of=(halves halves_long 0 8192)
    [ "$3" = 0 ] || of=(rounded "cut_${form-nn}" "$3" 4096)
    "$build/tests/print_template" "${of[0]}.cu" "$scratch/${of[0]}.ptx" "${of[1]}" "$4" "${@:7}" 2> "$scratch/err" |
        sed -n '/^source:/,/^[a-z]/s/^  //p' > "$scratch/variant.inc"
    "$nvcc" -std=c++17 -O3 -gencode "arch=compute_$2,code=sm_$2" -DKERNEL="$5" -DSHARED="$6" -DFLOATS="$3" \
        -DB_DEEP="$([ "${form-}" = nt ] && echo 1 || echo 0)" \
        -DSHARE="$([ "$5" = gemm_tensor_tiles ] && echo 1 || echo 0)" -I"$scratch" \
        "$root/tests/bench/products_cublas.cu" -lcublas -o "$scratch/$1" >&2 || { cat "$scratch/err" >&2; exit 1; }
    printf '"%s": %s' "$1" "$("$scratch/$1" "${side:-${of[3]}}")"
}
halves=$(timed mma_128x128 "$arch" 0 gemm_half gemm_tensor_tiles '2*4*32*(128+128)' bn=128 bk=32 stages=4) || exit 1
halves="$halves, $(timed mma_128x256 "$arch" 0 gemm_half gemm_tensor_tiles '2*4*32*(128+256)' bn=256 bk=32 stages=4)" || exit 1
tf32=$(timed mma_128x128 "$arch" 1 gemm_tf32 gemm_tensor_tiles '4*3*32*(128+128)' bn=128 bk=32 stages=3) || exit 1
three=$(timed mma_64x128 "$arch" 2 gemm_three gemm_tensor_tiles '4*4*16*(64+128)') || exit 1
if [ "$arch" = 90 ]; then
    halves="$halves, $(timed wgmma_128x256 90a 0 gemm_wgmma gemm_wgmma_tiles '4*384*128+1024' bn=256)" || exit 1
    halves="$halves, $(timed wgmma_128x128 90a 0 gemm_wgmma gemm_wgmma_tiles '6*256*128+1024' bn=128)" || exit 1
    tf32="$tf32, $(timed wgmma_128x256 90a 1 gemm_wgmma_tf32 gemm_wgmma_tiles '3*384*128+1024' bn=256)" || exit 1
    tf32="$tf32, $(timed wgmma_128x128 90a 1 gemm_wgmma_tf32 gemm_wgmma_tiles '3*256*128+1024' bn=128)" || exit 1
    tf32="$tf32, $(form=nt timed wgmma_128x256_nt 90a 1 gemm_wgmma_tf32 gemm_wgmma_tiles '3*384*128+1024' bn=256)" || exit 1
    tf32="$tf32, $(form=nt timed wgmma_cut_128x256_nt 90a 1 gemm_wgmma_cut gemm_wgmma_tiles '4*384*128+1024')" || exit 1
    tf32="$tf32, $(timed wgmma_cut_256x128 90a 1 gemm_wgmma_cut gemm_wgmma_tiles '4*384*128+1024')" || exit 1
    three="$three, $(timed wgmma_128x128 90a 2 gemm_wgmma_three gemm_wgmma_tiles '4*256*128+1024')" || exit 1
    three="$three, $(form=nt timed wgmma_128x128_nt 90a 2 gemm_wgmma_three gemm_wgmma_tiles '4*256*128+1024')" || exit 1
fi
echo "{\"schema\": \"bench.products\", \"side\": ${side:-null}, \"bf16\": {$halves}, \"tf32\": {$tf32}, \"fp32\": {$three}}"
