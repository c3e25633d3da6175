#!/usr/bin/env bash
# What is near a ceiling of this machine's GPU is left alone, and soon: every kernel of ceiling.cu is tuned with the
# default budget of the benchmark. One whose profile shows 90 % of a copy's speed keeps its original in under 5 s; of the
# others the figures are for the reader. A line a kernel, then "N left alone, N below the ceiling, N failed".
# The GPU should have no other work. Exit 77 without a GPU.
#   tests/gpu/ceiling.sh [BUILD] [OUT]    OUT receives reports and logs
set -uo pipefail
root=$(cd "$(dirname "$0")/../.." && pwd)
build=$(cd "${1:-$root/build}" && pwd)
out=${2:-$build/gpu}/ceiling
rm -rf "$out"
mkdir -p "$out"
out=$(cd "$out" && pwd)
ks=$build/bin/ks
export KS_CACHE_DIR=$out/cache KS_STATE_DIR=$out/state KS_CONFIG_DIR=$out/config
unset KS_MODE KS_DISABLE KS_TRACE KS_DEVICE
"$ks" doctor >"$out/doctor.txt"
grep -q '^gpu .*none' "$out/doctor.txt" && { echo "no GPU here: skipped"; exit 77; }
arch=$(sed -n 's/^gpu .*, sm_\([0-9]*\),.*/\1/p' "$out/doctor.txt")
# The sources lie where the decisions may: nothing is written beside the tests.
cp "$root/tests/gpu/ceiling.cu" "$out"
cd "$out" || exit 1
# shellcheck disable=SC2013  # names have no spaces
for kernel in $(sed -n 's/^__global__ void \([a-z_]*\)(.*/\1/p' ceiling.cu); do
    timeout 60 "$ks" --json tune "ceiling.cu:$kernel" --budget 12s -- -O3 -std=c++17 -arch="sm_$arch" >"$kernel.json" 2>"$kernel.log"
done
python3 - ./*.json << 'END_OF_PYTHON'
import json, os, sys
alone = below = failed = 0
for path in sys.argv[1:]:
    name = os.path.splitext(os.path.basename(path))[0]
    try:
        row = json.load(open(path))["kernels"][0]
    except (ValueError, LookupError):
        row = {"status": "failed", "text": "no report", "seconds": 0}
    profile = row.get("profile")
    share = profile["roofline_pct"] if profile else 0
    counted = profile is not None and profile["method"] == "range profiler"
    told = "%s: %.1f %% of the nearer ceiling, %s in %.1f s" % (name, share, row["status"], row["seconds"])
    if row["status"] not in ("original", "variant", "budget") or not counted:
        failed += 1
        print("FAIL %s: %s" % (told, row["text"] or "no counters"))
    elif share < 90:
        below += 1
        print("--   %s%s" % (told, ", %.2f times as fast" % row["speedup"] if row["speedup"] else ""))
    elif row["status"] == "original" and row["screened"] == 0 and row["seconds"] < 5:
        alone += 1
        print("ok   " + told)
    else:
        failed += 1
        print("FAIL %s, %d looked at" % (told, row["screened"]))
if alone == 0:
    failed += 1
    print("FAIL none is near a ceiling: nothing was shown")
print("%d left alone, %d below the ceiling, %d failed" % (alone, below, failed))
sys.exit(failed > 0)
END_OF_PYTHON
