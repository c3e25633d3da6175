#!/usr/bin/env bash
# nvrtc.sh BUILD SOURCE: kernels of every instruction class, products of matrices and calls, compiled by NVRTC.
set -u
build=$1 source=$2/tests/emu
nvcc=$(command -v nvcc || echo /usr/local/cuda/bin/nvcc)
toolkit=$(dirname "$(dirname "$(readlink -f "$nvcc")")")
library=$(echo "$toolkit"/lib64/libnvrtc.so "$toolkit"/targets/*/lib/libnvrtc.so | tr ' ' '\n' | while read -r at; do
    [ ! -e "$at" ] || { echo "$at"; break; }; done)
[ -n "$library" ] || { echo "no NVRTC here: skipped"; exit 77; }
dir=$(mktemp -d) || exit 1
trap 'rm -rf "$dir"' EXIT
status=0
for name in ops matrix calls; do
    (cd "$source" && "$build/tests/nvrtc_ptx" "$library" $name.cu "$dir/$name.ptx" -arch=compute_90 -lineinfo -w \
        --device-int128 -I. -I"$toolkit/include")
    rc=$?
    [ $rc = 0 ] || exit $rc
    grep -q 'Compiler Build ID' "$dir/$name.ptx" || exit 1
    "$build/tests/test_emu_$name" "$dir/$name.ptx" "$source/$name.cu" || status=1
done
exit $status
