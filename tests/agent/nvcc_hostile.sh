# Answers that are none: each is counted by its name, nothing is judged, nothing is stored, tuning goes on.
. "$KS_TEST_SOURCE/tests/agent/agent.sh"
once coder-00 taps
sed -i 's/^source: |/&\n  #include "\/etc\/passwd"/' replies/coder-00
once coder-01 taps
sed -i 's/^source: |/&\n  static int host() { return 0; }/' replies/coder-01
once coder-02 taps
sed -i 's/@request@/somebody-else/' replies/coder-02
once coder-03 taps
sed -i 's/loops = 1/loops = 7/' replies/coder-03
head -c 10000000 /dev/zero | tr '\0' a > replies/coder-10
printf '!raw {"id": "x", "text": "\377\376"}' > replies/coder-11
once coder-12 taps
sed -i '1s/^/!other /' replies/coder-12
printf '!flood' > replies/coder-13
ask --agent "$scripted"
has '"status": "original"'
counts asked 8 && counts proposed 0 && counts judged 0
for name in include host-code unverified-quote malformed; do counts $name 1; done
counts too-long 2 && counts other-request 2
grep 'coder-01' replies/asked | grep -q 'refused: include: ' || fail "no word of why"
[ -z "$(find .ks -name '*.yaml' 2> find)" ] || fail "something is stored"

# Proposals that cheat come to the judge, are found wrong by name, and are told so: right for the example's sizes alone, nothing
# launched that writes, a launch that remembers what it saw, one that writes beyond its output.
rm replies/*
cheat() { # cheat NAME SOURCE PLAN
    printf '```yaml\nrequest: @request@\nidea: cheating\nsource: |\n%s\nplan:\n%s\n```\n' "$(sed 's/^/  /' <<< "$2")" "$3" > "replies/$1"
}
head='__global__ void k(const unsigned *x, const unsigned *c, unsigned *y, int n, int taps)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    unsigned s = 0;'
launch='  - {kernel: k, grid: ["ceildiv(n, 128)"], block: [128], args: [x, c, y, n, taps]}'
cheat coder-00 "$head
    for (int k = 0; k < 256; k++)
        s += scaled(c[k], k);
    if (i < n)
        y[i] = x[i] ^ s;
}" "$launch"
cheat coder-01 "$head
    if (i < 0)
        y[i] = s;
}" "$launch"
cheat coder-02 "__device__ unsigned seen, once;
$head
    if (once == 0)
        for (int k = 0; k < taps; k++)
            s += scaled(c[k], k);
    else
        s = seen;
    if (i < n)
        y[i] = x[i] ^ s;
    seen = s;
    once = 1;
}" "$launch"
cheat coder-03 "$head
    for (int k = 0; k < taps; k++)
        s += scaled(c[k], k);
    if (i < n + 1)
        y[i] = x[i] ^ s;
}" "$launch"
export KS_AGENT_ROLES=coder KS_AGENT_BUDGET=chains=1,steps=4
ask --agent "$scripted" --budget=5m
has '"status": "original"' && counts asked 4 && counts correct 0
for step in 1 2 3; do
    grep "coder-0$step" replies/asked | grep -qE 'verdict: (WRONG|UNSAFE|STATIC|FAULT|TEXT)[A-Z_]*: |refused: not-allowed: ' ||
        fail "question $step does not tell what was wrong: $(grep "coder-0$step" replies/asked | grep -oE 'verdict: .{80}')"
done
[ -z "$(find .ks -name '*.yaml' 2> find)" ] || fail "a cheat is stored"
unset KS_AGENT_ROLES KS_AGENT_BUDGET

# One that never answers, one that fails, one that is not there.
rm replies/*
printf '!hang' > replies/coder-00
printf '!exit 3' > replies/coder-10
KS_AGENT_TIMEOUT=3s ask --agent "$scripted"
counts asked 2 && counts answered 0 && counts no-answer 2 && counts untold 2
ask --agent command:/nowhere/agent
counts no-answer 2 && counts tokens_in 0

# Budgets end before the next call.
rm replies/*
KS_AGENT_BUDGET=requests=3 ask --agent "$scripted"
counts requests 3 && counts no-answer 2
KS_AGENT_BUDGET=tokens=10000 ask --agent "$scripted"
counts requests 0 && counts tokens_in 0
KS_AGENT_BUDGET=context=12100 ask --agent "$scripted"
counts requests 0 && has 'takes more than 12100 tokens'
status 2 env KS_AGENT_BUDGET=money=1 "$ks" tune comb.cu --device emu --agent "$scripted"
says 'needs the price of scripted.py' && one_line
KS_AGENT_BUDGET=money=0.53 KS_AGENT_PRICE=scripted.py=10/30 ask --agent "$scripted"
counts requests 4 && counts no-answer 1 # the worst of two has room (some 0.255 each), but not once two are paid

# What is misspelt is said in a line; nothing is asked unless somebody says so.
status 2 "$ks" tune comb.cu --device emu --agent comand:x && says 'do you mean command' && one_line
status 2 "$ks" tune comb.cu --device emu --no-engine && says 'give --agent=BACKEND'
: > replies/asked
status 0 "$ks" tune comb.cu --device emu --print-prompt --no-engine -- -arch=sm_90
has '==== ' && has 'unsigned scaled' && lacks whom
[ ! -s replies/asked ] || fail "--print-prompt asks"
cp out printed
# What is printed is what is sent, byte for byte, under the same limits.
for limits in chains=2,steps=1 chains=3,steps=1,context=13800; do
    : > replies/asked
    export KS_AGENT_BUDGET=$limits
    status 0 "$ks" tune comb.cu --device emu --print-prompt --no-engine -- -arch=sm_90
    mv out printed
    ask --agent "$scripted"
    python3 - printed replies/asked <<'PYTHON' || fail "what is printed is not what is sent ($limits)"
import json, sys
asked = sorted((json.loads(line) for line in open(sys.argv[2])), key=lambda q: q["id"])
text = "".join(f"==== {q['id']}, to a {q['role']} (version 3)\n---- system\n{q['system']}---- user\n{q['user']}" for q in asked)
assert text == open(sys.argv[1]).read() and len(asked) > 1
PYTHON
done
grep -q 'may apply' printed && [ "$(wc -c < printed)" -gt 5000 ] || fail "nothing was printed"
no_litter
