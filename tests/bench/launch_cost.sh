#!/bin/bash
# launch_cost.sh MAKE_SHADOW NVCC HOOK_DIR WORK_DIR [gpu]: what a table adds to a launch.
# Without `gpu` the program is linked with the mock runtime of tests/dispatch, so that what remains
# is the decision: {"dispatch_ns": N}. With `gpu` it runs on an sm_90 device:
# {"launch_added_ns": {"substituted": N, "guard_false": N, "control": N}, "spread_ns": ...}.
# Medians over processes; each process pairs plain and substituted launches (launch_cost.cu).
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
"$nvcc" "${args[@]}" -arch=sm_90 -O2 -c "$work/launch_kernels.cu" -o "$work/table.o"
"$nvcc" -arch=sm_90 -O2 -c launch_plain.cu -o "$work/plain.o"
"$nvcc" -arch=sm_90 -O2 -c launch_cost.cu -o "$work/main.o"
objects=("$work/main.o" "$work/plain.o" "$work/table.o")
if [ -n "$gpu" ]; then
    "$nvcc" -arch=sm_90 "${objects[@]}" -o "$work/program"
else
    cc -O2 -c ../dispatch/mock_cudart.c -o "$work/mock.o"
    cc -O2 -c launch_mock.c -o "$work/launch_mock.o"
    g++ "${objects[@]}" "$work/mock.o" "$work/launch_mock.o" -o "$work/program"
fi
# A launch that does not reach its variant, or reaches it where it should not, measures nothing.
unset KS_DISABLE KS_TRACE
KS_TRACE=$work/trace "$work/program" 1 > "$work/once.json"
sort "$work/trace" | sed 's/-> [0-9a-f]\{16\}$/-> ID/' | uniq > "$work/reached"
printf 'ks: fourth -> ID\nks: fourth -> original (guard)\n' | diff - "$work/reached" ||
    { echo "launch_cost: the launches went elsewhere; is this an sm_90 device?"; exit 1; }
for _ in 1 2 3 4 5 6 7; do
    "$work/program" >> "$work/runs.json"
done
python3 - "$work/runs.json" "$gpu" <<'EOF'
import json, statistics, sys
runs = [json.loads(line) for line in open(sys.argv[1])]
def median(key, digits=1):
    return round(statistics.median(run[key] for run in runs), digits)
def spread(key):
    return [round(min(run[key] for run in runs), 1), round(max(run[key] for run in runs), 1)]
kinds = ("substituted", "guard_false", "control")
if sys.argv[2]:
    print(json.dumps({"launch_added_ns": {k: median(k) for k in kinds},
                      "spread_ns": {k: spread(k) for k in kinds},
                      "plain_launch_ns": median("plain"),
                      "call_ns": {k: median(k) for k in ("cudaPeekAtLastError", "cudaGetDevice")}}))
else:
    print(json.dumps({"dispatch_ns": max(median("substituted", 2), median("guard_false", 2)),
                      "substituted_ns": median("substituted", 2),
                      "guard_false_ns": median("guard_false", 2), "control_ns": median("control", 2)}))
EOF
