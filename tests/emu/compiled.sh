#!/bin/bash
# compiled.sh PROGRAM KERNELS.cu: compiles the kernels to PTX for three architectures and runs the
# program on each: PROGRAM KERNELS.ptx KERNELS.cu. KS_EMU_FLAGS: more options for the compiler.
set -u
program=$1 source=$2
nvcc=$(command -v nvcc || echo /usr/local/cuda/bin/nvcc)
[ -x "$nvcc" ] || { echo "no nvcc here: skipped"; exit 77; }
dir=$(mktemp -d) || exit 1
trap 'rm -rf "$dir"' EXIT
status=0
for arch in ${KS_EMU_ARCHS:-80 90 120}; do
    "$nvcc" -w -arch="sm_$arch" -O3 -lineinfo ${KS_EMU_FLAGS:-} -ptx "$source" -o "$dir/kernels.ptx" || exit 1
    echo "sm_$arch:"
    "$program" "$dir/kernels.ptx" "$source" || status=1
done
exit $status
