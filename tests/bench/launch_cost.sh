#!/bin/bash
# launch_cost.sh MAKE_SHADOW NVCC HOOK_DIR WORK_DIR [gpu]: what a table adds to a launch.
#
# Without `gpu` the program is linked with the mock runtime of tests/dispatch, so that what remains
# is the decision: {"dispatch_ns": N, "cold": {...}}, the latter after a launch that leaves the
# processor's caches full of other things, as a driver does. With `gpu` it runs on an sm_90 device:
#   launch_added_ns   over the plain launch of an equal kernel: substituted, guard_false, control (the
#                     measurement's own error), direct (the variant's kernel by its own <<<>>>)
#   dispatch_ns       substituted over direct: what dispatching itself costs
#   stages_ns         of a second program whose launch function is wrapped: what is added before the
#                     runtime's function is entered, and inside it
# Medians over processes, 7 unless RUNS (25) says more or less; each pairs launches of all kinds
# (launch_cost.cu).
set -eu
make_shadow=$1 nvcc=$2 hook=$3 work=$4 gpu=${5:-}
here=$(cd "$(dirname "$0")" && pwd)
rm -rf "$work"
mkdir -p "$work/keep"
cd "$here"
"$nvcc" -arch=sm_90 -O2 --keep --keep-dir "$work/keep" -c launch_kernels.cu -o "$work/unit.o"
"$make_shadow" launch_kernels.cu "$work"/keep/launch_kernels.cudafe1.stub.c launch_kernels.yaml \
    "$work/launch_kernels.cu" "$hook" > "$work/args"
mapfile -t args < "$work/args"
id=$(sed -n 's|^# 1 "<ks/fourth-\([0-9a-f]*\)\.cu>" 3$|\1|p' "$work/launch_kernels.cu" | head -1)
echo "void (*direct_kernel())(float *, const float *, int, int) { return ks_$id::quick; }" \
    >> "$work/launch_kernels.cu"
"$nvcc" "${args[@]}" -arch=sm_90 -O2 -c "$work/launch_kernels.cu" -o "$work/table.o"
"$nvcc" -arch=sm_90 -O2 -c launch_plain.cu -o "$work/plain.o"
"$nvcc" -arch=sm_90 -O2 -c launch_cost.cu -o "$work/main.o"
cc -O2 -c launch_stages.c -o "$work/stages.o"
objects=("$work/main.o" "$work/plain.o" "$work/table.o")
if [ -n "$gpu" ]; then
    link=("$nvcc" -arch=sm_90 "${objects[@]}")
    wrap=(-Xlinker --wrap=__cudaLaunchKernel)
else
    for file in ../dispatch/mock_cudart.c ../dispatch/mock_memory.c launch_mock.c; do
        cc -O2 -c "$file" -o "$work/$(basename "$file" .c)-mock.o"
    done
    link=(g++ "${objects[@]}" "$work"/*-mock.o -pthread)
    wrap=(-Wl,--wrap=__cudaLaunchKernel)
fi
"${link[@]}" -o "$work/program"
"${link[@]}" "$work/stages.o" "${wrap[@]}" -o "$work/staged"
# A launch that does not reach its variant, or reaches it where it should not, measures nothing.
unset KS_DISABLE KS_TRACE
KS_TRACE=$work/trace "$work/program" 1 > "$work/once.json"
sort "$work/trace" | sed 's/-> [0-9a-f]\{16\}$/-> ID/' | uniq > "$work/reached"
printf 'ks: fourth -> ID\nks: fourth -> original (guard)\n' | diff - "$work/reached" ||
    { echo "launch_cost: the launches went elsewhere; is this an sm_90 device?"; exit 1; }
for _ in $(seq $(((${RUNS:-25} * 7 + 24) / 25))); do
    "$work/program" >> "$work/runs.json"
    "$work/staged" >> "$work/staged.json"
    [ -n "$gpu" ] || LAUNCH_MOCK=cold "$work/program" >> "$work/cold.json"
done
[ -z "$gpu" ] || cp "$work/runs.json" "$work/cold.json"
python3 - "$work" "$gpu" <<'EOF'
import json, statistics, sys
def runs(name):
    return [json.loads(line) for line in open(f"{sys.argv[1]}/{name}.json")]
program, staged, cold = runs("runs"), runs("staged"), runs("cold")
def median(key, of=program, digits=1):
    return round(statistics.median(run[key] for run in of), digits)
def spread(key):
    return [round(min(run[key] for run in program), 1), round(max(run[key] for run in program), 1)]
kinds = ("substituted", "guard_false", "direct", "control")
if sys.argv[2]:
    print(json.dumps({"launch_added_ns": {k: median(k) for k in kinds},
                      "dispatch_ns": median("substituted_over_direct"),
                      "spread_ns": {k: spread(k) for k in (*kinds, "substituted_over_direct")},
                      "stages_ns": {k: {at: median(f"{k}_{at}", staged) for at in ("before", "inside")}
                                    for k in kinds},
                      "plain_launch_ns": median("plain"),
                      "call_ns": {k: median(k) for k in ("cudaPeekAtLastError", "cudaGetDevice")}}))
else:
    print(json.dumps({"dispatch_ns": max(median("substituted", digits=2),
                                         median("guard_false", digits=2)),
                      **{f"{k}_ns": median(k, digits=2) for k in kinds},
                      "cold": {f"{k}_ns": median(k, cold, 2) for k in (*kinds, "plain")}}))
EOF
