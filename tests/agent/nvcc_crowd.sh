# More than 100 questions about 13 kernels in one mailbox: who asks, who answers and who judges are each killed in the middle, and
# none is lost, doubled or paid for twice. The engine goes on meanwhile.
. "$KS_TEST_SOURCE/tests/agent/agent.sh"
box=$PWD/box
for i in {1..13}; do
    cat <<END
#pragma ks optimize budget(2)
#pragma ks workload let(n=8192) let(taps=256) in(x[n]) in(c[taps]) out(y[n]) grid(ceildiv(n,128)) block(128)
__global__ void comb$i(const unsigned *x, const unsigned *c, unsigned *y, int n, int taps)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n)
        return;
    unsigned s = 0;
    for (int k = 0; k < taps; k++)
        s += c[k] * (unsigned)(k + $i);
    y[i] = x[i] ^ s;
}
END
done > crowd.cu
export KS_AGENT_BUDGET=chains=8,steps=1
tune=("$ks" --json tune crowd.cu --device emu --no-engine --agent "mailbox:$box")
questions() { find "$box/questions" -name '*.json' | wc -l; }
# sum NAME: of all kernels in the last report.
sum() { python3 -c 'import json, sys; print(sum((k["agents"] or {}).get(sys.argv[1]) or 0 for k in json.load(open("out"))["kernels"]))' "$1"; }
# killed FOLDER AT: what runs in the background ($!) is killed once so many files are in the folder.
killed() {
    local who=$!
    while kill -0 $who 2> kill && [ "$(find "$1" -type f | wc -l)" -lt "$2" ]; do sleep 0.01; done
    kill -9 $who 2> kill || fail "it was over before it could be killed at $2 in $1"
    wait $who 2> kill
    sleep 0.3
}

mkdir -p box/questions box/answers box/done
"${tune[@]}" -- -arch=sm_90 > out 2> log &
killed box/questions 90
asked=$(questions)
[ "$asked" -gt 30 ] && [ "$asked" -lt 104 ] || fail "$asked questions when killed"
status 0 "${tune[@]}" -- -arch=sm_90
[ "$(questions)" = 104 ] || fail "$(questions) questions"
[ "$(sum requests)" = $((104 - asked)) ] || fail "$(sum requests) paid for, $asked were there"
[ "$(sum waiting)" = 104 ] || fail "$(sum waiting) awaited"
[ "$(grep -c '"status": "waiting"' out)" = 13 ] || fail "not all kernels wait"

# Who answers: for each kernel the first chain is right, the second wrong, the others no code.
cat > answerer.sh <<'END'
read -r line
id=${line#*'"id":"'} id=${id%%'"'*}
chain=${id#*-coder-} chain=${chain%%-*} add=${line#*'(unsigned)(k + '} add=${add%%')'*}
case $chain in
    00) bound=taps ;;
    10) bound='taps - 1' ;;
    *) echo "{\"id\":\"$id\",\"text\":\"Nothing.\"}"; exit ;;
esac
text=$(sed -e "s/@request@/$id/" -e "s/@bound@/$bound/" -e "s/@add@/$add/" proposal)
text=${text//\"/\\\"} text=${text//$'\n'/\\n}
echo "{\"id\":\"$id\",\"text\":\"$text\"}"
END
once coder 'THE BOUND'
sed -e 's/THE BOUND/@bound@/' -e 's/scaled(c\[k\], k)/c[k] * (unsigned)(k + @add@)/' -e '/quotes:/d' replies/coder > proposal
serve=("$ks" agent serve "$box" --agent "command:/bin/bash $PWD/answerer.sh")
"${serve[@]}" > serve 2>&1 &
killed box/answers 30
half=$(find box/answers -name '*.json' | wc -l)
[ "$half" -lt 104 ] || fail "the server was not killed in the middle"
status 0 "${serve[@]}" && has "$((104 - half)) answered, 0 not"

# Who judges: what was used is done; what was not is used by the next run, without asking or paying again.
"${tune[@]}" -- -arch=sm_90 > out 2> log &
killed box/done 30
[ "$(find box/done -type f | wc -l)" -lt 104 ] || fail "the judge was not killed in the middle"
status 0 "${tune[@]}" -- -arch=sm_90
[ "$(sum requests)" = 0 ] && [ "$(questions)" = 104 ] || fail "asked again"
[ "$(find box/done -type f | wc -l)" = 104 ] || fail "$(find box/done -type f | wc -l) of 104 answers were used"
json 0 agent list "$box" + questions
[ "$(grep -c '"state": "done"' out)" = 104 ] || fail "answers are left"
for i in {1..13}; do
    [ "$(find .ks -name '*.yaml' -exec grep -l "kernel: comb$i\$" {} + | wc -l)" = 1 ] || fail "comb$i has no variant of its own"
done
[ "$(find .ks -name '*.yaml' -exec grep -l 'taps - 1' {} + | wc -l)" = 0 ] || fail "a wrong one is stored"

# The engine judges and settles what it can while answers are awaited.
rm -r .ks box
status 0 "$ks" --json tune crowd.cu:comb1 --device emu --budget=20s --agent "mailbox:$box" -- -arch=sm_90
counts waiting 8
grep -qE '"(screened|judged)": [1-9]' out || fail "the engine waited too"
no_litter
