#!/usr/bin/env bash
# The emulated device's corpus (tests/emu) on this machine's GPU and on the emulated device: same bits for exact
# operations, results within the documented error for approximate ones, right results of whole kernels. Prints
# a line a kernel and a closing line; exit 1 where they differ, 77 without a GPU.
#   tests/gpu/emu_corpus.sh [--device=NAME] [BUILD] [OUT]      --device=emu tries the script without a GPU
set -uo pipefail
root=$(cd "$(dirname "$0")/../.." && pwd)
device=cuda
case ${1:-} in --device=*) device=${1#*=}; shift ;; esac
build=$(cd "${1:-$root/build}" && pwd)
mkdir -p "${2:-$build/gpu/corpus}"
out=$(cd "${2:-$build/gpu/corpus}" && pwd)
nvcc=$(command -v nvcc || echo /usr/local/cuda/bin/nvcc)
[ -x "$nvcc" ] || { echo "no nvcc here: skipped"; exit 77; }
arch=sm_90
if [ "$device" = cuda ]; then
    "$build/bin/ks" doctor | grep -q '^gpu .*none' && { echo "no GPU here: skipped"; exit 77; }
    arch=$("$build/bin/ks" doctor | sed -n 's/^gpu .*\(sm_[0-9]*\).*/\1/p' | head -1)
    arch=${arch:-sm_90}
fi
failed=0
for name in ops cases matrix; do
    source=$root/tests/emu/$name.cu program=$build/tests/test_emu_$name
    kind=cubin
    [ "$device" = emu ] && kind=ptx
    "$nvcc" -w -arch="$arch" -O3 -lineinfo -ptx "$source" -o "$out/$name.ptx" &&
        "$nvcc" -w -arch="$arch" -O3 "-$kind" "$source" -o "$out/$name.gpu" || exit 1
    KS_TEST_TABLE=1 "$program" "$out/$name.ptx" "$source" > "$out/$name.emu.txt"
    emulated=$?
    KS_TEST_TABLE=1 KS_TEST_DEVICE=$device "$program" "$out/$name.gpu" "$source" > "$out/$name.$device.gpu.txt"
    measured=$?
    echo "$name: emulated $(tail -1 "$out/$name.emu.txt"); $device $(tail -1 "$out/$name.$device.gpu.txt")"
    [ $emulated = 0 ] && [ $measured = 0 ] || { grep -hv '^row ' "$out/$name".*.txt; failed=1; }
done
# Kernel by kernel: `row NAME KIND ULPS FINGERPRINT` of both.
awk 'FNR == NR { if ($1 == "row") { ulps[$2] = $4; print_of[$2] = $5 } next }
     $1 == "row" {
         n++
         same = print_of[$2] == $5
         word = same ? "same bits" : $3 == "exact" ? "DIFFERENT BITS" : "other bits"
         printf "  %-24s %-6s emulated %6s ulp, GPU %6s ulp  %s\n", $2, $3, ulps[$2], $4, word
         exact += $3 == "exact"; bad += !same && $3 == "exact"; near += $3 == "near"; equal += same
         seen[$2] = 1
     }
     END {
         for (k in ulps) if (!(k in seen)) { bad++; printf "  %s did not run on the GPU\n", k }
         printf "%d kernels: %d exact, %d of them with other bits or not run; %d approximate; %d with the same bits in all\n", n, exact, bad, near, equal
         exit bad > 0 || n < 150
     }' "$out/ops.emu.txt" "$out/ops.$device.gpu.txt" || failed=1
exit $failed
