#!/usr/bin/env bash
# The templates for products of halves against cuBLAS, in bf16: SIDE x SIDE x SIDE, by mma.sync and, on sm_90, by
# wgmma. The last line is one JSON object. Exit 77 without a GPU.
#   tests/bench/halves.sh [BUILD] [SIDE]
set -u
root=$(cd "$(dirname "$0")/../.." && pwd)
build=$(cd "${1:-$root/build}" && pwd)
side=${2:-8192}
nvcc=$(sed -n 's/^KS_NVCC:[A-Z]*=//p' "$build/CMakeCache.txt")
scratch=$(mktemp -d) || exit 1
trap 'rm -rf "$scratch"' EXIT
export KS_CACHE_DIR=$scratch/cache KS_STATE_DIR=$scratch/state KS_CONFIG_DIR=$scratch/config
arch=$("$build/bin/ks" doctor | sed -n 's/^gpu .*, sm_\([0-9]*\),.*/\1/p')
[ -n "$arch" ] || { echo "no GPU here: skipped"; exit 77; }
cd "$root/tests/emu/templates" || exit 1
"$nvcc" -O3 -arch="sm_$arch" -ptx halves.cu -o "$scratch/halves.ptx" || exit 1
# timed NAME TARGET TEMPLATE KERNEL SHARED SETTING...: a member of the object
timed() {
    "$build/tests/print_template" halves.cu "$scratch/halves.ptx" halves_long "$3" "${@:6}" 2> "$scratch/err" |
        sed -n '/^source:/,/^[a-z]/s/^  //p' > "$scratch/variant.inc"
    "$nvcc" -std=c++17 -O3 -gencode "arch=compute_$2,code=sm_$2" -DKERNEL="$4" -DSHARED="$5" -I"$scratch" \
        "$root/tests/bench/halves_cublas.cu" -lcublas -o "$scratch/$1" >&2 || { cat "$scratch/err" >&2; exit 1; }
    printf '"%s": %s' "$1" "$("$scratch/$1" "$side")"
}
all=$(timed mma_128x128 "$arch" gemm_half gemm_tensor_tiles '2*4*32*(128+128)' bn=128 bk=32 stages=4) || exit 1
all="$all, $(timed mma_128x256 "$arch" gemm_half gemm_tensor_tiles '2*4*32*(128+256)' bn=256 bk=32 stages=4)" || exit 1
if [ "$arch" = 90 ]; then
    all="$all, $(timed wgmma_256x128 90a gemm_wgmma gemm_wgmma_tiles '4*384*128+1024' bm=256)" || exit 1
    all="$all, $(timed wgmma_128x128 90a gemm_wgmma gemm_wgmma_tiles '6*256*128+1024' bm=128)" || exit 1
fi
echo "{\"schema\": \"bench.halves\", \"side\": $side, $all}"
