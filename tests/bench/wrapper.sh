#!/bin/bash
# wrapper.sh BUILD_DIR: what ks-nvcc costs. The last line is one JSON object, described in figures.md.
# RUNS=N (25) scales all counts.
set -eu
build=$(cd "${1:?usage: wrapper.sh BUILD_DIR}" && pwd)
here=$(cd "$(dirname "$0")" && pwd)
runs=${RUNS:-25}
tools=$build/tests
export KS_TEST_BIN=$build/bin KS_TEST_TOOLS=$tools KS_TEST_SOURCE=$here/../..
KS_TEST_NVCC=${KS_TEST_NVCC:-$(command -v nvcc || echo /usr/local/cuda/bin/nvcc)}
export KS_TEST_NVCC
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
cd "$work"
. "$here/../lib.sh"
set -e
. "$here/wrapper_lib.sh"

toolkit=$(dirname "$(dirname "$nvcc")")
load() { cut -d' ' -f1-3 --output-delimiter=", " /proc/loadavg; }
load_before=$(load)
fake=$tools/fake/bin/nvcc

echo "before a fake nvcc: nvcc, ks-nvcc"
export KS_NVCC_REAL=$fake
played passthrough "$fake" x.o -o x -- "$ks_nvcc" x.o -o x
put passthrough_added_ms added
echo '__global__ void k(float *x) { x[0] = 1; }' > plain.cu
played unmarked "$fake" -c plain.cu -o plain.o -- "$ks_nvcc" -c plain.cu -o plain.o
put unmarked_added_ms added
for n in 200 300; do
    mkdir "tree$n"
    cd "tree$n"
    read -ra folders <<< "$("$here/header_tree.sh" $n "$toolkit/include/")"
    name=headers_$n
    played ${name%_200} "$fake" "${folders[@]}" -c a.cu -o a.o -- \
        "$ks_nvcc" "${folders[@]}" -c a.cu -o a.o
    # A wrong mark in the last header is complained of: all of them were read.
    last=inc$(((n - 1) % 8))/mod$(((n - 1) % 8))/h$((n - 1)).h
    echo '// ks: optimize' >> "$last"
    "$ks_nvcc" "${folders[@]}" -c a.cu -o a.o 2>&1 | grep -q "h$((n - 1)).h:" || fail "$last is not read"
    cd ..
    put ${name%_200}_added_ms added
done

mkdir unit
cd unit
make_unit
make_toolkit
words=(-arch=sm_90 -std=c++17 -MD -MF a.d -c a.cu -o a.o)
user=("${words[@]:0:2}" -Xcompiler=-Wno-unknown-pragmas "${words[@]:2}")
echo "marked, compiles played back: nvcc, ks-nvcc"
export BENCH_TIMES=$work/times
for round in unknown known; do
    record compile "${words[@]}"
    reason pending
done
played miss "$kit" "${words[@]}" -- "$ks_nvcc" "${words[@]}"
put miss_own_ms outside
played first --before "$work/forget" "$kit" "${words[@]}" -- "$ks_nvcc" "${words[@]}"
put first_own_ms outside
memory miss 1 first 1
keep_state pending
record variant p.yaml a.cu -- -arch=sm_90 -std=c++17
for round in proof hit; do
    record compile "${words[@]}"
    reason applied
done
played hit "$kit" "${words[@]}" -- "$ks_nvcc" "${words[@]}"
put hit_own_ms outside
played true_key --before "$work/forget" "$kit" "${words[@]}" -- "$ks_nvcc" "${words[@]}"
put true_key_own_ms outside
memory hit 1 true_key 2
add peak_added_kib "$peak_added"
keep_state applied

echo "marked, real compiles: nvcc, ks-nvcc"
unset BENCH_KEPT
BENCH_REAL=$nvcc compile "${words[@]}"
BENCH_REAL=$nvcc BENCH_WORDS=$work/words compile "${words[@]}"
mapfile -d '' -t given < "$work/words"
export BENCH_REAL=$nvcc
compared hit $((runs * 2)) "$kit" "${given[@]}" -- "$ks_nvcc" "${words[@]}"
compared true_key $((runs / 3 + 1)) --before "$work/forget" "$kit" "${user[@]}" -- \
    "$ks_nvcc" "${words[@]}"
compared hit_code $((runs / 2 + 1)) "$nvcc" "${user[@]}" -- "$nvcc" "${given[@]}"
use_state pending
compile "${words[@]}"
reason pending
compared miss "$runs" "$kit" "${user[@]}" -- "$ks_nvcc" "${words[@]}"
compared first $((runs / 3 + 1)) --before "$work/forget" "$kit" "${user[@]}" -- \
    "$ks_nvcc" "${words[@]}"
unset BENCH_TIMES BENCH_REAL
cd ..

echo "unmarked, real compiles: nvcc, ks-nvcc"
export KS_NVCC_REAL=$nvcc
measure $((runs * 4)) "$nvcc" -arch=sm_90 -c plain.cu -o plain.o -- \
    "$ks_nvcc" -arch=sm_90 -c plain.cu -o plain.o
put passthrough_ratio ratio
add passthrough_pairs $((runs * 4))

use_state applied
echo "a build of $((runs * 80)) files"
build_many $((runs * 80))

echo "scan"
read -r _ _ _ _ _ scan _ closure < <("$tools/bench_scan_speed" $((runs * 4)) "$toolkit/include/")
add scan_gb_s "$scan"
add closure_gb_s "$closure"

echo "dispatch"
launch_cost() { # launch_cost KEY OBJECT_KEY [gpu]: one of its figures, and all of them
    local line
    line=$("$here/launch_cost.sh" "$tools/make_shadow" "$nvcc" "$here/../../driver/source/hook" \
        "$work/launch" "${@:3}" | tail -1)
    add "$1" "$(python3 -c 'import json, sys; print(json.dumps(json.loads(sys.argv[1])[sys.argv[2]]))' \
        "$line" "$1")"
    add "$2" "$line"
}
launch_cost dispatch_ns dispatch
if nvidia-smi > /dev/null 2>&1; then
    echo "launches on the GPU"
    launch_cost launch_added_ns launch gpu
else
    add launch_added_ns null
    add launch null
fi
add runs "$runs"
add load "[$load_before, $(load)]"
echo "{\"schema\": \"bench.wrapper\"$json, \"cases\": {${cases#, }}}"
