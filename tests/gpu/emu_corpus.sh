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
# One source on both devices, all sources side by side.
one() {
    local name=$1 source=$root/tests/emu/$1.cu program=$build/tests/test_emu_$1 kind=cubin
    local target=$arch
    [ "$name" = wgmma ] && target=sm_90a
    [ "$device" = emu ] && kind=ptx
    "$nvcc" -w -arch="$target" -O3 -lineinfo "-$kind" "$source" -o "$out/$name.gpu" &
    "$nvcc" -w -arch="$target" -O3 -lineinfo -ptx "$source" -o "$out/$name.ptx" || return 1
    KS_TEST_TABLE=1 "$program" "$out/$name.ptx" "$source" > "$out/$name.emu.txt"
    echo $? > "$out/$name.emulated"
    wait $! || return 1
    KS_TEST_TABLE=1 KS_TEST_DEVICE=$device "$program" "$out/$name.gpu" "$source" > "$out/$name.$device.gpu.txt"
    echo $? > "$out/$name.measured"
}
failed=0
names="ops cases matrix wild mbarrier calls"
[ "$arch" = sm_90 ] && names="$names wgmma"
for name in $names; do
    rm -f "$out/$name".*
    one "$name" &
done
wait
for name in $names; do
    [ -s "$out/$name.measured" ] || { echo "$name: does not compile, or its program does not run"; failed=1; continue; }
    echo "$name: emulated $(tail -1 "$out/$name.emu.txt"); $device $(tail -1 "$out/$name.$device.gpu.txt")"
    [ "$(cat "$out/$name.emulated" "$out/$name.measured" | tr -d '\n')" = 00 ] || {
        grep -hv '^row ' "$out/$name.emu.txt" "$out/$name.$device.gpu.txt"
        failed=1
    }
done
# Kernel by kernel: `row NAME KIND ULPS FINGERPRINT` of both.
kernels=$(awk 'FNR == NR { if ($1 == "row") { ulps[$2] = $4; print_of[$2] = $5 } next }
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
     }' "$out/ops.emu.txt" "$out/ops.$device.gpu.txt") || failed=1
echo "$kernels" | sed '$d'
kernels=$(echo "$kernels" | tail -1)
# The closing line, whatever came before.
sum() { sed -nE 's/^([0-9]+) (checks|kernels|products), ([0-9]+) (failed|wrong)$/\1 \3/p' "$@" | awk '{ c += $1; f += $2 } END { printf "%d checks, %d failed", c, f }'; }
echo "corpus: emulated $(sum "$out"/*.emu.txt); $device $(sum "$out"/*."$device".gpu.txt); $kernels; $([ $failed = 0 ] && echo all as it should be || echo FAILED)"
exit $failed
