#!/bin/bash
# emu.sh [BUILD]: speed and memory of the emulated device over the samples' kernels, all checks and race detection
# on, on one core; beside it with race detection off, and on all cores. Last line: one JSON object
# (tests/bench/figures.md).
set -u
root=$(cd "$(dirname "$0")/../.." && pwd)
ks=${1:-$root/build}/bin/ks
[ -x "$ks" ] || { echo "no $ks: build first"; exit 77; }
dir=$(mktemp -d) || exit 1
trap 'rm -rf "$dir"' EXIT
export HOME=$dir
unset KS_CACHE_DIR KS_STATE_DIR KS_CONFIG_DIR
work=(
    'elementwise/chain.cu:scale_bias_relu n=8388608'
    'elementwise/chain.cu:multiply_add n=4194304'
    'elementwise/chain.cu:clamp_square n=8388608'
    'rowsum/rowsum.cu:row_sum rows=4096 cols=2048'
    'transpose/transpose.cu:transpose rows=2048 cols=2048'
    'stencil/stencil.cu:heat_step nx=2048 ny=2048'
    'gemm/gemm.cu:gemm m=256 n=256 k=256'
)
# one KERNEL SIZES: instructions, accesses, seconds of a core (least of three), buffer and peak bytes.
one() {
    local target=$1 words=() i
    shift
    for i in "$@"; do case $i in --*) words+=("$i") ;; *) words+=(--set "$i") ;; esac; done
    for i in 1 2 3; do
        "$ks" --json run "$root/samples/$target" --no-costs "${words[@]}" -- -arch=sm_90 -O3 2> "$dir/log" > "$dir/out" ||
            { cat "$dir/log" >&2; return 1; }
        tr -d '",' < "$dir/out" | awk '$1 == "instructions:" { i = $2 } $1 == "accesses:" { a = $2 }
            $1 == "cpu_seconds:" { s = $2 } $1 == "buffer_bytes:" { b = $2 } $1 == "peak_bytes:" { p = $2 }
            $1 == "seconds:" { w = $2 } END { print i, a, s, b, p, w }'
    done | sort -g -k3 | head -1
}
for races in on off all; do
    for w in "${work[@]}"; do
        read -r target sizes <<< "$w"
        flag=(--cores=1)
        [ $races = off ] && flag=(--no-races)
        [ $races = all ] && flag=("--cores=$(nproc)")
        # shellcheck disable=SC2086
        row=$(one "$target" $sizes "${flag[@]}") || exit 1
        echo "races-$races $target $row"
    done
done | tee "$dir/rows" | awk '{ printf "%-9s %-42s %8.1f Minst/s %7.1f Macc/s  peak %.2f of the workload\n", $1, $2, $3 / $5 / 1e6, $4 / $5 / 1e6, $7 / $6 }'
awk '{ n[$1] += $3; a[$1] += $4; t[$1] += $5
       ratio = ($7 - 64 * 1048576) / $6
       wall[$1] += $8
       if ($1 != "races-off" && ratio > peak) peak = ratio }
     END { printf "{\"minst_per_s\": %.1f, \"maccess_per_s\": %.1f, \"peak_ratio\": %.2f, \"unchecked_minst_per_s\": %.1f, \"unchecked_maccess_per_s\": %.1f, \"cores\": %d, \"cores_speedup\": %.2f}\n",
           n["races-on"] / t["races-on"] / 1e6, a["races-on"] / t["races-on"] / 1e6, peak,
           n["races-off"] / t["races-off"] / 1e6, a["races-off"] / t["races-off"] / 1e6,
           cores, wall["races-on"] / wall["races-all"] }' cores="$(nproc)" "$dir/rows"
