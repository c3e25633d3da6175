#!/usr/bin/env bash
# Products of halves on the tensor cores of this GPU: what the templates make is judged right, ragged sizes and whole
# tiles, every form; on sm_90 also by wgmma, in a build for sm_90a.
#   tests/gpu/halves.sh [BUILD] [OUT]
set -u
root=$(cd "$(dirname "$0")/../.." && pwd)
build=$(cd "${1:-$root/build}" && pwd)
mkdir -p "${2:-$build/gpu}/halves"
out=$(cd "${2:-$build/gpu}/halves" && pwd)
nvcc=$(sed -n 's/^KS_NVCC:[A-Z]*=//p' "$build/CMakeCache.txt")
arch=$("$build/bin/ks" doctor | sed -n 's/^gpu .*, sm_\([0-9]*\),.*/\1/p')
cd "$root/tests/emu/templates" || exit 1
"$nvcc" -O3 -arch="sm_$arch" -ptx halves.cu -o "$out/halves.ptx" || exit 1
passed=0 failed=0
# right TARGET KERNEL TEMPLATE SETTING...
right() {
    local name=$2-$3${4+-${4#*=}}
    "$build/tests/print_template" halves.cu "$out/halves.ptx" "${@:2}" > "$out/$name.yaml" 2> "$out/$name.err" &&
        "$build/bin/ks" verify "halves.cu:$2" --variant "$out/$name.yaml" --no-sandbox --device cuda -- \
            "-arch=sm_$1" > "$out/$name.txt" 2>> "$out/$name.err"
    if grep -q ': CORRECT ' "$out/$name.txt"; then
        passed=$((passed + 1))
        echo "ok   $(head -1 "$out/$name.txt")"
    else
        failed=$((failed + 1))
        echo "FAIL $name"
        cat "$out/$name.err" "$out/$name.txt"
    fi
}
for kernel in halves_nt halves_tn_bias halves_long; do
    right "$arch" $kernel gemm_half
    for bm in 128 256; do
        [ "$arch" != 90 ] || right 90a $kernel gemm_wgmma bm=$bm
    done
done
echo "$passed right, $failed wrong"
[ "$failed" -eq 0 ]
