#!/bin/bash
# launch.sh MAKE_SHADOW NVCC HOOK_DIR WORK_DIR: substituted launches on a real sm_90 device, in the
# whole-program, -rdc=true and per-thread-stream builds. Exit 77 without such a device.
set -eu
make_shadow=$1 nvcc=$2 hook=$3 work=$4
cd "$(dirname "$0")"
capability=$(nvidia-smi --query-gpu=compute_cap --format=csv,noheader 2> /dev/null | head -1) || true
[ "$capability" = 9.0 ] || { echo "no sm_90 device: skipped"; exit 77; }
rm -rf "$work"
for mode in "" "-rdc=true" "-default-stream=per-thread"; do
    dir=$work/mode$mode
    mkdir -p "$dir/keep"
    # shellcheck disable=SC2086
    build() { "$nvcc" -arch=sm_90 -O2 $mode "$@"; }
    build --keep --keep-dir "$dir/keep" -c kernels.cu -o "$dir/plain.o"
    "$make_shadow" kernels.cu "$dir/keep/kernels.cudafe1.stub.c" kernels.yaml "$dir/kernels.cu" \
        "$hook" > "$dir/args"
    mapfile -t args < "$dir/args"
    build "${args[@]}" -c "$dir/kernels.cu" -o "$dir/kernels.o"
    build -std=c++17 -c main.cu -o "$dir/main.o"
    build "$dir/main.o" "$dir/kernels.o" -o "$dir/program"
    build "$dir/main.o" "$dir/plain.o" -o "$dir/plain"
    "$dir/plain"
    KS_TRACE=$dir/trace "$dir/program"
    sed 's/-> [0-9a-f]\{16\}$/-> ID/' "$dir/trace" | diff trace.expected -
    KS_DISABLE=1 KS_TRACE=$dir/trace.off "$dir/program"
    [ "$(grep -c '(disabled)' "$dir/trace.off")" = "$(wc -l < trace.expected)" ]
    echo "launch${mode:+ $mode}: ok"
done
