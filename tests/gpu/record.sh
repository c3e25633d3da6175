#!/usr/bin/env bash
# `ks record` on a real GPU: CUPTI's call sequence, what is recorded of streams, graphs and a library, programs that
# end badly, what recording costs, a substituted kernel's launches. A line a check, then one line of JSON with the
# figures, then "N passed, N failed". Under 90 s. Exit 77 without a GPU.
#   tests/gpu/record.sh [BUILD] [OUT]    OUT receives every recording, report and log
set -uo pipefail
root=$(cd "$(dirname "$0")/../.." && pwd)
build=$(cd "${1:-$root/build}" && pwd)
out=${2:-$build/gpu}/record
mkdir -p "$out"
out=$(cd "$out" && pwd)
ks=$build/bin/ks
. "$root/tests/bench/probe_lib.sh"
passed=0 failed=0
check() { # status, name
    if [ "$1" -eq 0 ]; then passed=$((passed + 1)); echo "ok   $2"; else failed=$((failed + 1)); echo "FAIL $2"; fi
}
"$ks" doctor | grep -q '^gpu .*none' && { echo "no GPU here: skipped"; exit 77; }
arch=$("$ks" doctor | sed -n 's/^gpu .*, sm_\([0-9]*\),.*/\1/p')
nvcc=$(sed -n 's/^KS_NVCC:[A-Z]*=//p' "$build/CMakeCache.txt")
export KS_CACHE_DIR=$out/cache KS_STATE_DIR=$out/state KS_CONFIG_DIR=$out/config
unset KS_MODE KS_DISABLE KS_TRACE
cd "$out" || exit 1
app=$out/recorded
"$nvcc" -std=c++17 -arch="sm_$arch" "$root/tests/gpu/recorded.cu" -o "$app" -lcuda >nvcc.log 2>&1
check $? "the program compiles"

# field NAME FILTER: of the report NAME.json, as r. told NAME WORD: what the program itself said.
field() { python3 -c "import json; r = json.load(open('$1.json')); print($2)" 2>>python.log; }
told() { sed -n "s/^$2=//p" "$1.said"; }
kernel() { field "$1" "sum(k['launches'] for k in r['kernels'] if k['kernel'] == '$2')"; }
# record NAME HOW STATUS: the program's words in NAME.said, complaints of ks too; the report in NAME.json.
record() {
    timeout 60 "$ks" --json record -o "$1.rec" -- "$app" "$2" >"$1.json" 2>"$1.said"
    local got=$?
    [ $got = "$3" ]
    check $? "$1: exit status $got; $(field "$1" "'%d launches, %d kernels, %d streams, dropped %d, torn %d, CUPTI %d' % (r['launches'], len(r['kernels']), r['streams'], r['dropped'], r['torn'], r['sessions'][0]['cupti'])") $(grep '^ks record' "$1.said")"
    # Step by step, as the library left it: the session, devices, notes and refusals.
    grep -hE '"ks":|"refused"|"note"|"device":[0-9]+,"name"|"dropped"|"end"' "$1.rec" | sed 's/^/       /'
}
# counts NAME [TIMES]: each kernel as often as the program says.
counts() {
    local name wrong=
    for name in spin:spin 'scale_float:ns::scale<float>' 'scale_double:ns::scale<double>' sums:sums; do
        [ "$(kernel "$1" "${name#*:}")" = $((${2:-1} * $(told "$1" "${name%%:*}" | head -1))) ] ||
            wrong="$wrong ${name#*:}=$(kernel "$1" "${name#*:}")"
    done
    [ -z "$wrong" ]
    check $? "$1: every launch of every kernel is there$wrong"
}

"$app" plain >alone.said 2>&1
check $? "the program runs alone"
record plain plain 0
counts plain
[ "$(field plain "sum(c['launches'] for k in r['kernels'] for c in k['classes'] if c['graph'] and k['kernel'] == 'sums')")" = 30 ]
check $? "plain: 30 launches are nodes of a graph"
[ "$(field plain "r['streams'] >= 3")" = True ]
check $? "plain: three streams or more"
[ "$(field plain "[c['dynamic_shared'] for k in r['kernels'] if k['kernel'] == 'sums' for c in k['classes'] if c['grid'][0] == 4096]")" = '[1024]' ]
check $? "plain: dynamic shared memory of a class"
[ "$(field plain "all(c['registers'] > 0 and c['occupancy'] and c['device'] for k in r['kernels'] for c in k['classes'])")" = True ]
check $? "plain: registers, occupancy and device of every class: $(field plain "r['kernels'][0]['classes'][0]")"
recorded=$(field plain "sum(c['total_us'] for k in r['kernels'] if k['kernel'] == 'spin' for c in k['classes'] if c['launches'] >= 20)")
python3 -c "import sys; a, b = $recorded, $(told plain spin_us); sys.exit(not 0.9 < a / b < 1.02)"
check $? "plain: 20 kernels took $recorded us by their records, $(told plain spin_us) us between events"
if [ "$(told plain library)" = 1 ]; then
    [ "$(field plain "sum(k['launches'] for k in r['kernels'] if k['kernel'] not in ('spin', 'sums', 'ns::scale<float>', 'ns::scale<double>')) >= 1")" = True ]
    check $? "plain: cuBLAS: $(field plain "[k['kernel'] for k in r['kernels']][:6]")"
fi
"$ks" record --report plain.rec >plain.txt 2>&1
check $? "the table"
sed 's/^/       /' plain.txt

record status status 7
record reset reset 0
counts reset
record crash crash 134
counts crash
record _exit _exit 3
counts _exit
record exec exec 0
counts exec 2
record two two 0
[ "$(kernel two empty)" = 7 ]
check $? "two: launches of both contexts: $(kernel two empty) of 7"
# Another tool's library is replaced, an empty CUPTI folder is no harm.
KS_CUPTI_DIR=/nonexistent record elsewhere status 7

echo "       $SECONDS s so far"
# What it costs (tests/bench/probe_lib.sh).
figures=$(recording_figures "$app")
figure() { python3 -c "import json; print(json.loads('$figures')['$1'])"; }
[ "$(figure lost_records)" = 0 ] && [ "$(figure dropped)" = 0 ]
check $? "a million launches: $(figure lost_records) lost, $(figure dropped) dropped, $(figure recording_bytes) bytes"
[ "$(figure recording_bytes)" -le 200000000 ]
check $? "a million launches take no more than 200 MB"
python3 -c "import sys; sys.exit($(figure launch_overhead_us) > 1)"
check $? "at most 1 us more a launch: $(figure launch_overhead_us), on $(figure launch_us) alone"
python3 -c "import sys; sys.exit($(figure kernel_overhead_pct) > 1)"
check $? "at most 1 % more on kernels of 40 us: $(figure kernel_overhead_pct) %"

echo "       $SECONDS s so far"
# A variant's launches are told from the original's. The variant is made up, not judged.
if [ -x "$build/tests/ks-make-variant" ]; then
    mkdir -p variant && cd variant || exit 1
    : >ks.yaml
    cat >scale.cu <<'END'
#pragma ks optimize
#pragma ks workload let(n=4096) set(a=2) in(x[n]) out(y[n]) grid(ceildiv(n,256)) block(256)
__global__ void scale(float *y, const float *x, float a, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n)
        y[i] = a * x[i];
}
int main()
{
    float *x, *y;
    cudaMalloc(&x, 1 << 20);
    cudaMalloc(&y, 1 << 20);
    for (int i = 0; i < 8; i++)
        scale<<<1024, 256>>>(y, x, 2.f, i < 6 ? 1 << 18 : 1001); // the last two are the guard's
    return cudaDeviceSynchronize() != cudaSuccess;
}
END
    cp "$root/tests/data/scale4.yaml" .
    KS_NVCC_REAL=$nvcc "$build/tests/ks-make-variant" --arch="$arch" scale4.yaml scale.cu -- -arch="sm_$arch" >../variant.log 2>&1
    check $? "a variant is made: $(tail -1 ../variant.log)"
    KS_NVCC_REAL=$nvcc "$build/bin/ks-nvcc" --ks-remarks=all -arch="sm_$arch" -o scale scale.cu >>../variant.log 2>&1
    check $? "a program with it is built: $(tail -1 ../variant.log)"
    cd ..
    app=$out/variant/scale record variant plain 0
    [ "$(field variant "sorted((k['launches'], k['variant'] is not None, k['original'] or '') for k in r['kernels'])")" = "[(2, False, ''), (6, True, 'scale')]" ]
    check $? "variant: 6 of 8 launches are the variant's, of scale: $(field variant "[(k['kernel'], k['launches'], k['original']) for k in r['kernels']]")"
    timeout 60 "$ks" --json bench --runs 2 -- "$out/variant/scale" >bench.json 2>bench.log
    [ "$(field bench "(r['launches'], r['variant_launches'])")" = "(8, 6)" ]
    check $? "variant: ks bench tells that it ran: $(field bench "(r['variant_launches'], r['launches'], r['variant_share'])") $(head -1 bench.log)"
fi

# Launches captured, and judged here and on the emulated device.
rm -rf capture && mkdir -p capture && cd capture || exit 1
: >ks.yaml
cp "$root/tests/gpu/captured.cu" .
"$nvcc" -std=c++17 -arch="sm_$arch" captured.cu -o captured >>../nvcc.log 2>&1
check $? "the program to capture from compiles"
./captured >alone.said
for name in scale gather count pairs; do
    timeout 60 "$ks" --json record --capture $name -- ./captured >$name.json 2>$name.said
    check $? "capture of $name: $(field $name "['%s grid %s %d bytes' % (c['capture'], c['grid'], c['bytes']) for c in r['captures']]") $(grep '^ks record' $name.said)"
    grep -qxF "$(cat alone.said)" $name.said
    check $? "capture of $name: the program prints what it prints alone"
    python3 -c "
import json
for c in json.load(open('$name.json'))['captures']:
    d = json.load(open(c['path']))
    print('      ', d['symbol'], 'params', [(p['offset'], p['hex']) for p in d['params']])
    print('       pointers', d['pointers'], 'allocations', [(a['size'], a['align'], a['before'] != a['after']) for a in d['allocations']])"
done
[ "$(field scale "[len(r['captures']), r['launches']]")" = '[2, 7]' ] && [ "$(field pairs "len(r['captures'])")" = 1 ]
check $? "two classes of scale, one of pairs"
{
    echo kernels:
    for name in scale gather count pairs; do
        echo "  - file: captured.cu"
        echo "    kernel: $([ $name != gather ] || echo ns::)$name"
        echo "    workloads:"
        field $name "'\n'.join('      - capture(%s)' % c['capture'] for c in r['captures'])"
    done
} >ks.yaml
cat ks.yaml | sed 's/^/       /'
proposal() { # NAME PARAMS KERNEL PLAN
    printf 'params: [%s]\nsource: |\n%s\nplan:\n  - %s\n' "$2" "$(sed 's/^/  /' <<<"$3")" "$4" >"$1.yaml"
}
proposal scale 'y, x, a, n' '__global__ void v(float *y, const float *x, float a, int n)
{
    for (int i = blockIdx.x * 128 + threadIdx.x; i < n; i += gridDim.x * 128)
        y[i] = a * x[i] + y[i];
}' '{kernel: v, grid: ["ceildiv(n,128)"], block: [128], args: [y, x, a, n]}'
proposal gather 'at, from, to, n' '__global__ void v(const int *at, const float *from, float *to, int n)
{
    for (int i = blockIdx.x * 64 + threadIdx.x; i < n; i += gridDim.x * 64)
        to[i] += from[at[i]];
}' '{kernel: v, grid: ["ceildiv(n,64)"], block: [64], args: [at, from, to, n]}'
proposal count 'bins, keys, n, shift' '__global__ void v(unsigned *bins, const unsigned char *keys, long long n, unsigned char shift)
{
    long long i = blockIdx.x * 64ll + threadIdx.x;
    if (i < n)
        atomicAdd(&bins[keys[i] >> shift], 1u);
}' '{kernel: v, grid: ["ceildiv(n,64)"], block: [64], args: [bins, keys, n, shift]}'
proposal pairs 'q' '__global__ void v(Pair q)
{
    for (int i = blockIdx.x * 128 + threadIdx.x; i < q.n; i += gridDim.x * 128)
        q.b[i] = q.a[i] + 1;
}' '{kernel: v, grid: [8], block: [128], args: [q]}'
export KS_NVCC_REAL=$nvcc
judge() { # all at once: of their times only that they wait for each other is seen
    local full=$1
    [ "$1" != gather ] || full=ns::gather
    timeout 80 "$ks" --json verify "captured.cu:$full" --variant "$1.yaml" --no-sandbox --device cuda -- -std=c++17 -arch="sm_$arch" >"$1-cuda.json" 2>"$1.log"
    timeout 60 "$ks" --json run "captured.cu:$full" --no-costs --no-races -- -std=c++17 -arch="sm_$arch" >"$1-emu.json" 2>>"$1.log"
}
echo "       $SECONDS s so far"
for name in scale gather count pairs; do judge $name & done
wait
echo "       $SECONDS s so far"
for name in scale gather count pairs; do
    [ "$(field $name-cuda "r['verdicts'][0]['correctness']")" = CORRECT ]
    check $? "capture of $name, judged on this GPU: $(field $name-cuda "[(v['correctness'], v['speed'], v['reason']) for v in r['verdicts']]") $(head -1 $name.log)"
    [ "$(field $name-emu "len(r['recorded']) == 1 and r['recorded'][0]['different'] == 0")" = True ]
    check $? "capture of $name, replayed on the emulated device: the bits that this GPU wrote: $(field $name-emu "r['recorded']")"
done
# Marks suggested for the same program: the file is found, the capture named.
: >ks.yaml
timeout 60 "$ks" --json record --capture top:2 --suggest -- ./captured >suggest.json 2>suggest.said
# All captures of the folder count, those made above as well.
[ "$(field suggest "sorted((s['kernel'], s['reason'], len(s['lines']) > 1) for s in r['suggestions'] if s['share'] >= 0.01)")" = \
    "[('count', 'worth-tuning', True), ('ns::gather<float>', 'worth-tuning', True), ('pairs', 'worth-tuning', True), ('scale', 'worth-tuning', True)]" ]
check $? "suggested: $(field suggest "[(s['kernel'], s['reason'], round(s['share'], 3), s['memory'], s['lines']) for s in r['suggestions']]")"
cd ..
# Many kinds of kernels: what the replayed launch writes on the emulated device are the bits that this GPU wrote.
rm -rf replay && mkdir -p replay && cd replay || exit 1
: >ks.yaml
cp "$root/tests/gpu/replayed.cu" .
"$nvcc" -std=c++17 -arch="sm_$arch" replayed.cu -o replayed >>../nvcc.log 2>&1
check $? "the program to replay compiles"
timeout 60 "$ks" --json record --capture top:50 -- ./replayed >../replay.json 2>../replay.said
check $? "replay: $(cd .. && field replay "len(r['captures'])") launches captured $(grep '^ks record' ../replay.said)"
python3 -c "
import json
print('kernels:')
for c in json.load(open('../replay.json'))['captures']:
    print('  - file: replayed.cu\n    kernel: %s\n    workloads:\n      - capture(%s)' % (c['kernel'], c['capture']))" >ks.yaml
replay() { timeout 60 "$ks" --json run "replayed.cu:$1" --no-costs --no-races -- -std=c++17 -arch="sm_$arch" >"$1.json" 2>"$1.log"; }
for name in $(sed -n 's/^    kernel: //p' ks.yaml); do
    while [ "$(jobs -rp | wc -l)" -ge 8 ]; do wait -n; done
    replay "$name" &
done
wait
replayed=$(python3 -c "
import glob, json
same, other = [], []
for path in sorted(glob.glob('k_*.json')):
    try:
        r = json.load(open(path))
        good = len(r['recorded']) > 0 and all(a['different'] == 0 for a in r['recorded'])
    except (ValueError, KeyError):
        r, good = {}, False
    (same if good else other).append(path[:-5] if good else (path[:-5], r.get('recorded'), r.get('text', '')))
print(len(same), 'bit by bit;', 'not:', other)")
[ "$(grep -c '^    kernel: k_' ks.yaml)" = 30 ] && [ "${replayed%% *}" = 30 ]
check $? "replay: of 30 kernels $replayed"
cd ..
mkdir -p big && cd big || exit 1
: >ks.yaml
capture=$(capture_figure "$out/capture/captured")
[ "${capture:-null}" != null ]
check $? "1 GiB captured: $capture GB/s $(grep '^ks record' capture.said)"
cd ..
figures=$(merge "$figures" "{\"capture_gb_s\": ${capture:-null}}")
rm -rf big
echo "       $SECONDS s in all"
echo "$figures"
echo "$passed passed, $failed failed"
[ "$failed" -eq 0 ]
