#!/bin/bash
# run_gpu.sh BUILD OUT: the launch coverage suite (cases.txt) on a real sm_90 device, each mode
# three times: without substitution, with it, and with it switched off; then what a table adds to a
# launch there (target: 150 ns). BUILD needs the target make_shadow. The last line sums up the
# latter, "N modes" above it the former. Exit 77 without a device.
set -eu
build=$(cd "$1" && pwd) out=$2
cd "$(dirname "$0")"
root=$(cd ../.. && pwd)
nvcc=$(sed -n 's/^KS_NVCC:[A-Z]*=//p' "$build/CMakeCache.txt")
make_shadow=$build/tests/make_shadow hook=$root/driver/source/hook
[ -x "$make_shadow" ] || { echo "no $make_shadow: build the target make_shadow first"; exit 1; }
capability=$(nvidia-smi --query-gpu=compute_cap --format=csv,noheader 2> /dev/null | head -1) || true
[ "$capability" = 9.0 ] || { echo "no sm_90 device: skipped"; exit 77; }
mkdir -p "$out"
out=$(cd "$out" && pwd)
work=$out/launch backend=gpu extra_units=device_only
rm -rf "$work"
mkdir -p "$work"
unset KS_DISABLE KS_TRACE SUITE_ONLY SUITE_SKIP
. ./build.sh
common
compile_all
failed=0
try() { "$@" || failed=$((failed + 1)); } # one command on the device must tell all it can
for mode in "${modes[@]}"; do
    link "$mode" plain
    link "$mode" shadow
    groups=
    [[ ${units_of[$mode]} != *device_only* ]] || groups="Sticky. Reset."
    for group in "" $groups; do # the latter in processes of their own: they spoil the device
        try run_suite "plain$group" "$mode" plain SUITE_ONLY="$group"
        try run_suite "run$group" "$mode" shadow SUITE_ONLY="$group"
        try run_suite "disabled$group" "$mode" shadow SUITE_ONLY="$group" KS_DISABLE=1
        try held "$mode" "run$group"
        try only_originals "$mode" "disabled$group" disabled
        try same_effects "$mode" "plain$group" "run$group"
        try same_effects "$mode" "plain$group" "disabled$group"
    done
    echo "$mode: $(tail -1 "$work/$mode/run.out")"
done
try all_shown
echo "${#modes[@]} modes, $failed checks of the scripts failed"
bash "$root/tests/bench/launch_cost.sh" "$make_shadow" "$nvcc" "$hook" "$out/launch_cost" gpu
[ $failed -eq 0 ]
