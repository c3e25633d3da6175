#!/usr/bin/env bash
# `ks profile` on a real GPU: every marked kernel of the samples under the counters, page and report, hot lines, two profiles at
# once, and the counts and DRAM share that ncu reads where it is installed. A line a check, then "N passed, N failed". Some 60 s.
# Exit 77 without a GPU.
#   tests/gpu/profile.sh [BUILD] [OUT]    OUT receives pages, reports and logs
set -uo pipefail
root=$(cd "$(dirname "$0")/../.." && pwd)
build=$(cd "${1:-$root/build}" && pwd)
out=${2:-$build/gpu}/profile
mkdir -p "$out"
out=$(cd "$out" && pwd)
ks=$build/bin/ks
passed=0 failed=0
check() { # status, name
    if [ "$1" -eq 0 ]; then passed=$((passed + 1)); echo "ok   $2"; else failed=$((failed + 1)); echo "FAIL $2"; fi
}
export KS_CACHE_DIR=$out/cache KS_STATE_DIR=$out/state KS_CONFIG_DIR=$out/config
unset KS_MODE KS_DISABLE KS_TRACE
"$ks" doctor >"$out/doctor.txt"
grep -q '^gpu .*none' "$out/doctor.txt" && { echo "no GPU here: skipped"; exit 77; }
arch=$(sed -n 's/^gpu .*, sm_\([0-9]*\),.*/\1/p' "$out/doctor.txt")
nvcc=$(sed -n 's/^KS_NVCC:[A-Z]*=//p' "$build/CMakeCache.txt")
words=(-O3 -std=c++17 -arch="sm_$arch")
cd "$out" || exit 1
# field NAME FILTER: of the report NAME.json as r, k its first kernel, p its profile.
field() { python3 -c "import json; r = json.load(open('$1.json')); k = r['kernels'][0]; p = k['profile']; print($2)" 2>>python.log; }

for unit in transpose/transpose gemm/gemm rowsum/rowsum stencil/stencil elementwise/chain; do
    name=${unit#*/}
    timeout 120 "$ks" --json profile "$root/samples/$unit.cu" --lines -- "${words[@]}" >"$name.json" 2>"$name.log"
    check $? "$name: profiled: $(field "$name" "[(k['kernel'], k['profile']['time_us'], k['profile']['bottleneck']) for k in r['kernels']]") $(head -1 "$name.log")"
    if [ -x "$build/tests/ks-json-check" ]; then
        "$build/tests/ks-json-check" "$root/docs/json.md" "$name.json" kernels 'kernels[].skills' 'kernels[].profile.lines' 2>"$name.check"
        check $? "$name: the report is as documented $(head -1 "$name.check")"
    fi
    [ "$(field "$name" "all(k['profile']['method'] == 'range profiler' and k['profile']['evidence'] == 'measured' and len(k['profile']['metrics']) >= 55 and k['profile']['passes'] >= 5 for k in r['kernels'])")" = True ]
    check $? "$name: counters: $(field "$name" "[(len(k['profile']['metrics']), k['profile']['passes'], k['profile']['refused']) for k in r['kernels']]")"
    # Real figures are not outside of these on any GPU.
    [ "$(field "$name" "all(0 < k['profile']['roofline_pct'] <= 100 and k['profile']['copy_gbs'] > 100 and 0 < k['profile']['facts']['dram_pct'] <= 100 and 0 < k['profile']['facts']['occupancy_pct'] <= 100.5 and k['profile']['resources']['occupancy'] > 0 and k['profile']['resources']['spill_stores'] == 0 for k in r['kernels'])")" = True ]
    check $? "$name: roofline and resources: $(field "$name" "[(round(k['profile']['roofline_pct'], 1), round(k['profile']['facts']['dram_pct'], 1), k['profile']['resources']['registers'], k['profile']['resources']['limit']) for k in r['kernels']]")"
    [ "$(field "$name" "all(k['profile']['lines'] and k['profile']['lines'][0]['line'] >= k['line'] and k['profile']['lines'][0]['file'].endswith(k['file'].split('/')[-1]) and sum(l['pct'] for l in k['profile']['lines']) > 80 for k in r['kernels'])")" = True ]
    check $? "$name: hot lines are in the kernel: $(field "$name" "[(k['profile']['lines'][0] if k['profile']['lines'] else k['profile']['lines_refused']) for k in r['kernels']]")"
    # Time from the counters' replay, at the clocks of that moment, is near the time without them.
    [ "$(field "$name" "all(0.7 < k['profile']['metrics']['gpu__time_duration.sum'] / 1000 / k['profile']['time_us'] < 1.3 for k in r['kernels'])")" = True ]
    check $? "$name: with and without counters, us: $(field "$name" "[(round(k['profile']['metrics']['gpu__time_duration.sum'] / 1000, 1), round(k['profile']['time_us'], 1)) for k in r['kernels']]")"
done
[ "$(field transpose "p['bottleneck']")" = uncoalesced ]
check $? "transpose: the stores are what is wrong: $(field transpose "p['why']")"
[ "$(field rowsum "p['bottleneck']")" = uncoalesced ]
check $? "rowsum: the loads are what is wrong: $(field rowsum "p['why']")"

"$ks" profile "$root/samples/transpose/transpose.cu" --lines -- "${words[@]}" >page.txt 2>page.log
check $? "the page"
sed 's/^/       /' page.txt
grep -q '^profile (range profiler, G' page.txt && grep -q '^  bottleneck: uncoalesced (' page.txt && grep -q '^  hot lines, of the samples' page.txt
check $? "the page names method, bottleneck and lines"

# Two at once take turns, whoever comes first: neither is refused the counters.
for i in 1 2; do
    "$ks" --json profile "$root/samples/rowsum/rowsum.cu" -- "${words[@]}" >both$i.json 2>both$i.log &
done
wait
[ "$(field both1 "p['method']"), $(field both2 "p['method']")" = "range profiler, range profiler" ]
check $? "two profiles at once: $(field both1 "(p['method'], p['time_us'], p['refused'])") and $(field both2 "(p['method'], p['time_us'], p['refused'])")"
slower=$(python3 -c "
import json
alone = json.load(open('rowsum.json'))['kernels'][0]['profile']['time_us']
print(max(json.load(open('both%d.json' % i))['kernels'][0]['profile']['time_us'] for i in (1, 2)) / alone)")
python3 -c "import sys; sys.exit(not 0.95 < $slower < 1.05)"
check $? "and neither is in the other's time: $slower of that alone"

# The same counters by ncu, clocks left alone and caches flushed before each pass, as ours: executed instructions to the last one.
if command -v ncu >/dev/null && ncu --version >/dev/null 2>&1; then
    for unit in transpose/transpose gemm/gemm rowsum/rowsum stencil/stencil elementwise/chain; do
        name=${unit#*/}
        "$nvcc" "${words[@]}" "$root/samples/$unit.cu" -o "$name" >"$name.nvcc" 2>&1
        timeout 120 ncu --csv --print-units base --cache-control all --clock-control none --launch-count 3 \
            --metrics smsp__inst_executed.sum,dram__throughput.avg.pct_of_peak_sustained_elapsed "./$name" >"$name.ncu" 2>&1
        agreement=$(python3 - "$name" 2>>python.log <<'END_PY'
import csv, json, sys
name = sys.argv[1]
text = open(name + '.ncu').read().splitlines()
start = next(i for i, line in enumerate(text) if line.startswith('"ID"'))
seen = {}
for row in csv.DictReader(text[start:]):
    if row.get('Metric Name'):
        kernel = row['Kernel Name'].split('(')[0].split('<')[0].split('::')[-1].strip()
        seen.setdefault((kernel, row['Metric Name']), float(row['Metric Value'].replace(',', '')))
good, said = True, []
for k in json.load(open(name + '.json'))['kernels']:
    m, short = k['profile']['metrics'], k['kernel'].split('<')[0].split('::')[-1]
    insts = seen[short, 'smsp__inst_executed.sum']
    dram = seen[short, 'dram__throughput.avg.pct_of_peak_sustained_elapsed']
    ours = m['dram__throughput.avg.pct_of_peak_sustained_elapsed']
    good = good and insts == m['smsp__inst_executed.sum'] and abs(dram - ours) <= max(3, 0.06 * dram)
    said.append('%s: %.0f and %.0f instructions, DRAM %.1f and %.1f %%' % (short, m['smsp__inst_executed.sum'], insts, ours, dram))
print('yes' if good else 'no', '; '.join(said))
END_PY
        )
        [ "${agreement%% *}" = yes ]
        check $? "$name: agrees with ncu: ${agreement#* }"
    done
else
    echo "skip ncu is not installed: no agreement with it is asked"
fi
echo "$passed passed, $failed failed"
[ "$failed" -eq 0 ]
