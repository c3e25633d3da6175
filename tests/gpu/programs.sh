#!/usr/bin/env bash
# Two programs of some size (tests/gpu/programs): several streams, graphs made by hand and by stream capture, libraries,
# structs by value. Recorded, captured, marks suggested and written; one kernel tuned with what was suggested, the program
# built with its variant, and shown to run it: the same output, its launches, what the whole gains. Exit 77 without a GPU.
#   tests/gpu/programs.sh [BUILD] [OUT]    OUT receives projects, reports and logs
set -uo pipefail
root=$(cd "$(dirname "$0")/../.." && pwd)
build=$(cd "${1:-$root/build}" && pwd)
out=${2:-$build/gpu}/programs
ks=$build/bin/ks
passed=0 failed=0
check() { # status, name
    if [ "$1" -eq 0 ]; then passed=$((passed + 1)); echo "ok   $2"; else failed=$((failed + 1)); echo "FAIL $2"; fi
}
"$ks" doctor | grep -q '^gpu .*none' && { echo "no GPU here: skipped"; exit 77; }
arch=$("$ks" doctor | sed -n 's/^gpu .*, sm_\([0-9]*\),.*/\1/p')
nvcc=$(sed -n 's/^KS_NVCC:[A-Z]*=//p' "$build/CMakeCache.txt")
rm -rf "$out"
mkdir -p "$out"
out=$(cd "$out" && pwd)
export KS_CACHE_DIR=$out/cache KS_STATE_DIR=$out/state KS_CONFIG_DIR=$out/config KS_NVCC_REAL=$nvcc
unset KS_MODE KS_DISABLE KS_TRACE KS_DEVICE KS_ACCEPT
cp -r "$root/tests/gpu/programs/." "$out"
words=(-std=c++17 -arch="sm_$arch")

field() { python3 -c "import json; r = json.load(open('$1.json')); print($2)" 2>>python.log; }
launches() { field "$1" "sum(k['launches'] for k in r['kernels'] if (k['original'] or k['kernel']).split('<')[0] == '$2')"; }
notes() { sed -n 's/^ks record: /       /p' "$1.said"; }

# record_program NAME KERNEL...: what the program itself says of its launches is what is recorded; NAME.alone, NAME.json.
record_program() {
    local name=$1 kernel wrong= n
    shift
    ./app >alone.said 2>&1
    check $? "$name: the program runs: $(head -1 alone.said)"
    timeout 60 "$ks" --json record -o app.rec --capture top:9 --suggest -- ./app >first.json 2>first.said
    check $? "$name: recorded: $(field first "'%d launches, %d kernels, %d streams' % (r['launches'], len(r['kernels']), r['streams'])")"
    notes first
    grep -qxF "$(head -1 alone.said)" first.said
    check $? "$name: what it prints is what it prints alone"
    for kernel in "$@"; do
        n=$(sed -n "s/^${kernel##*:}=//p" alone.said)
        [ "$(launches first "$kernel")" = "$n" ] || wrong="$wrong $kernel=$(launches first "$kernel"), not $n"
    done
    [ -z "$wrong" ]
    check $? "$name: every launch of every kernel is there$wrong"
    [ "$(field first "sum(c['launches'] for k in r['kernels'] for c in k['classes'] if c['graph'])")" = "$(sed -n 's/^graph=//p' alone.said)" ] &&
        [ "$(field first "r['streams'] >= 2 and r['dropped'] == 0 and r['torn'] == 0")" = True ]
    check $? "$name: those of its graphs, in several streams"
    field first "'\n'.join('       captured %s grid %s %d bytes%s%s' % (c['capture'], c['grid'], c['bytes'], ' in a graph' if c['graph'] else '', ', %d inside' % c['inside'] if c['inside'] else '') for c in r['captures'])"
    field first "'\n'.join('       %s %s: %s %s' % (s['reason'], s['kernel'], s['text'], '; '.join(s['lines'])) for s in r['suggestions'])"
}
reason() { field first "[s['reason'] for s in r['suggestions'] if s['kernel'].split('<')[0] == '$1']"; }
as_clauses() { field first "[s['clauses'] for s in r['suggestions'] if s['kernel'].split('<')[0] == '$1']"; }

cd "$out/diffusion" || exit 1
: >ks.yaml
"$nvcc" "${words[@]}" -c total.cu -o total.o 2>nvcc.log &
(cd ../network && : >ks.yaml && "$nvcc" "${words[@]}" network.cu -o app 2>nvcc.log) &
"$nvcc" "${words[@]}" -c diffusion.cu -o plain.o 2>>nvcc.log
wait
"$nvcc" "${words[@]}" plain.o total.o -o app 2>>nvcc.log
check $? "diffusion: it compiles"
record_program diffusion relax flip classify hottest
[ "$(field first "sorted((c['kernel'], c['graph'], c['inside']) for c in r['captures'] if c['kernel'] in ('relax', 'flip'))")" = \
    "[('flip', False, 0), ('relax', True, 2)]" ]
check $? "diffusion: captured, the first of a graph's kernels with its struct"
# (relax may be near enough to the peak of memory to be left alone.)
[ "$(as_clauses relax)" = "[False]" ] && [ "$(reason flip) $(as_clauses flip)" = "['worth-tuning'] [True]" ]
check $? "diffusion: flip suggested by clauses, relax by its capture"
timeout 60 "$ks" --json run diffusion.cu -- "${words[@]}" >/dev/null 2>&1
[ $? = 2 ]
check $? "diffusion: nothing is marked yet"
"$ks" record --suggest --write app.rec >write.log 2>&1
check $? "diffusion: marks written: $(grep -c '^#pragma ks' diffusion.cu) lines"
timeout 120 "$ks" tune diffusion.cu:flip --budget "${KS_TEST_BUDGET:-45s}" -- "${words[@]}" >tune.log 2>&1
check $? "diffusion: tuned: $(grep -E 'faster|stays|not tuned' tune.log | tail -1)"
"$build/bin/ks-nvcc" --ks-remarks=all "${words[@]}" -c diffusion.cu -o tuned.o 2>remarks.log && "$nvcc" "${words[@]}" tuned.o total.o -o app
check $? "diffusion: built with it: $(grep -c 'ks:applied' remarks.log) applied"
./app >tuned.said 2>&1
cmp alone.said tuned.said
check $? "diffusion: the output is unchanged, bit by bit: $(head -1 tuned.said)"
timeout 60 "$ks" --json record -- ./app >second.json 2>second.said
[ "$(field second "sum(k['launches'] for k in r['kernels'] if k['original'] == 'flip')")" = "$(sed -n 's/^flip=//p' alone.said)" ]
check $? "diffusion: every launch of flip is the variant's: $(field second "[(k['kernel'], k['original'], k['launches'], round(k['total_us'])) for k in r['kernels']]")"
python3 - <<'END'
import json
mean = lambda r, name: [k['total_us'] / k['launches'] for k in r['kernels'] if (k['original'] or k['kernel']) == name][0]
a, b = (json.load(open(n + '.json')) for n in ('first', 'second'))
print('       flip: %.1f us, with its variant %.1f us' % (mean(a, 'flip'), mean(b, 'flip')))
END
timeout 60 "$ks" --json bench --runs 3 -- ./app >bench.json 2>bench.log
[ "$(field bench "r['variant_launches']")" = "$(sed -n 's/^flip=//p' alone.said)" ]
check $? "diffusion: ks bench tells that it ran: $(field bench "(r['variant_launches'], r['launches'], r['variant_share'])") $(head -1 bench.log)"

cd "$out/network" || exit 1
[ -x app ]
check $? "network: it compiles"
record_program network net::bias_relu net::softmax net::best net::product
[ "$(field first "sorted((c['kernel'].split('<')[0], c['graph'], c['inside']) for c in r['captures'] if c['kernel'].split('<')[0] in ('net::bias_relu', 'net::softmax', 'net::best'))")" = \
    "[('net::bias_relu', False, 0), ('net::softmax', True, 2)]" ]
check $? "network: captured, the graph's first kernel with a template's structs, its second not"
[ "$(field first "any(n['note'] == 'capture-graph' and 'best' in n['text'] for n in r['notes'])")" = True ]
check $? "network: why the second is not"
if grep -q '^library=1' alone.said; then
    [ "$(field first "any(s['reason'] == 'no-source' for s in r['suggestions'])")" = True ]
    check $? "network: a library's kernels are left alone: $(field first "[s['kernel'] for s in r['suggestions'] if s['reason'] == 'no-source'][:3]")"
fi
"$ks" --json record --suggest --write app.rec >write.json 2>write.log
check $? "network: marks written: $(grep -c '^#pragma ks' network.cu) lines"
written=$(field write "' '.join(s['kernel'] for s in r['suggestions'] if s['written'])")
[[ " $written " == *' net::softmax<float> '* ]]
check $? "network: of $written"
for kernel in $written; do
    timeout 60 "$ks" --json run "network.cu:$kernel" --no-costs --no-races -- "${words[@]}" >"run.json" 2>run.log
    check $? "network: $kernel runs on the emulated device: $(field run "(r['instructions'], r['recorded'], len(r['findings']))")"
done
echo "$passed passed, $failed failed"
[ "$failed" -eq 0 ]
