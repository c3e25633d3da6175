#!/bin/bash
# run_gpu.sh BUILD OUT: substituted launches on a real sm_90 device (tests/gpu/launch), then what a
# table adds to a launch there (target: 150 ns). The last line sums up. Exit 77 without a device.
set -eu
build=$(cd "$1" && pwd) out=$2
here=$(cd "$(dirname "$0")" && pwd)
root=$(cd "$here/../.." && pwd)
nvcc=$(sed -n 's/^KS_NVCC:[A-Z]*=//p' "$build/CMakeCache.txt")
make_shadow=$build/tests/make_shadow hook=$root/driver/source/hook
[ -x "$make_shadow" ] || { echo "no $make_shadow: build the target make_shadow first"; exit 1; }
mkdir -p "$out"
out=$(cd "$out" && pwd)
bash "$root/tests/gpu/launch/launch.sh" "$make_shadow" "$nvcc" "$hook" "$out/launch"
bash "$root/tests/bench/launch_cost.sh" "$make_shadow" "$nvcc" "$hook" "$out/launch_cost" gpu
