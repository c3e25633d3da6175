#!/bin/bash
# launch_cost.sh MAKE_SHADOW NVCC HOOK_DIR WORK_DIR [gpu]: what a table adds to a launch.
# Without `gpu` the programs are linked with the mock runtime of tests/dispatch, so that what remains
# is the decision: {"dispatch_ns": N}. With `gpu` they run on the device:
# {"launch_added_ns": {"substituted": N, "guard_false": N}, "plain_launch_ns": N}.
# Medians of alternating runs of the plain and the substituted program.
set -eu
make_shadow=$1 nvcc=$2 hook=$3 work=$4 gpu=${5:-}
here=$(cd "$(dirname "$0")" && pwd)
rm -rf "$work"
mkdir -p "$work/keep"
cd "$here"
"$nvcc" -arch=sm_90 -O2 --keep --keep-dir "$work/keep" -c launch_kernels.cu -o "$work/plain.o"
"$make_shadow" launch_kernels.cu "$work"/keep/launch_kernels.cudafe1.stub.c launch_kernels.yaml \
    "$work/launch_kernels.cu" "$hook" > "$work/args"
mapfile -t args < "$work/args"
"$nvcc" "${args[@]}" -arch=sm_90 -O2 -c "$work/launch_kernels.cu" -o "$work/table.o"
"$nvcc" -arch=sm_90 -O2 -c launch_cost.cu -o "$work/main.o"
cc -O2 -c ../dispatch/mock_cudart.c -o "$work/mock.o"
for kind in plain table; do
    if [ -n "$gpu" ]; then
        "$nvcc" -arch=sm_90 "$work/main.o" "$work/$kind.o" -o "$work/$kind"
    else
        g++ "$work/main.o" "$work/$kind.o" "$work/mock.o" -o "$work/$kind"
    fi
done
for _ in 1 2 3 4 5 6 7 8 9; do
    "$work/plain" >> "$work/plain.json"
    "$work/table" >> "$work/table.json"
done
python3 - "$work" "$gpu" <<'EOF'
import json, statistics, sys
work, gpu = sys.argv[1], sys.argv[2]
def median(kind, key):
    return statistics.median(json.loads(line)[key] for line in open(f"{work}/{kind}.json"))
plain = statistics.median(median("plain", k) for k in ("guard_true_ns", "guard_false_ns"))
hit = median("table", "guard_true_ns") - median("plain", "guard_true_ns")
miss = median("table", "guard_false_ns") - median("plain", "guard_false_ns")
if gpu:
    print(json.dumps({"launch_added_ns": {"substituted": round(hit, 1), "guard_false": round(miss, 1)},
                      "plain_launch_ns": round(plain, 1)}))
else:
    print(json.dumps({"dispatch_ns": round(max(hit, miss), 2)}))
EOF
