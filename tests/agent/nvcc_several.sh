# Several models: the cheap one first, the strong one where it does not get on; what each earned decides who is first the next
# time. Time that may be waited and spent on judging is bounded.
. "$KS_TEST_SOURCE/tests/agent/agent.sh"
for name in small big; do
    ln -s "$KS_TEST_SOURCE/tests/agent/scripted.py" $name
    mkdir of-$name
done
both="command:$PWD/small $PWD/of-small ; command:$PWD/big $PWD/of-big"
export KS_AGENT_BUDGET=chains=1,steps=2
once coder-01 taps
cp replies/coder-01 of-big/coder-01
cp replies/coder-01 of-big/coder-00
# model NAME ASKED PROPOSED CORRECT GAINED: its counts in the last report.
model() {
    tr -d ' \n' < out | grep -q "{\"model\":\"$1\",\"asked\":$2,\"proposed\":$3,\"correct\":$4,\"gained\":$5}" ||
        { cat out; fail "$1 was not asked $2, with $3 proposals, $4 right and $5 gains"; }
}

# The small one has no answer, so the big one is asked; the variant says whose it is.
ask --agent "$both" --record=talk.jsonl --budget=5m
has '"status": "variant"' && model small 1 0 0 0 && model big 1 1 1 1
grep -q 'proposer: big' "$(find .ks -name '*.yaml')" || fail "the variant does not name the model"
grep -q '"id":"[^"]*-coder-00-.*"model":"small"' talk.jsonl || fail "the transcript does not say who was asked first"
grep -q '"id":"[^"]*-coder-01-.*"model":"big"' talk.jsonl || fail "the transcript does not say who was asked then"
# What was earned is remembered: now the big one is first. Elsewhere nothing is known, and the small one is.
rm -r .ks
ask --agent "$both" --budget=5m
model small 0 0 0 0 && model big 2 1 1 1
rm -r .ks && : > of-big/asked
KS_STATE_DIR=$PWD/fresh ask --agent "$both" --budget=5m
model small 1 0 0 0 && model big 1 1 1 1
# From the transcript the same comes of it, and nobody is asked.
rm -r .ks && : > of-big/asked
KS_STATE_DIR=$PWD/fresher ask --agent replay:talk.jsonl --budget=5m
has '"status": "variant"' && [ ! -s of-big/asked ] || fail "somebody was asked"
grep -q 'proposer: big' "$(find .ks -name '*.yaml')" || fail "the replayed variant does not name the model"
# One that cannot be asked is passed over.
rm -r .ks
KS_STATE_DIR=$PWD/absent ask --agent "command:/nowhere/agent ; command:$PWD/big $PWD/of-big" --budget=5m
has '"status": "variant"' && model agent 1 0 0 0 && model big 1 1 1 1
# Each has a price of its own: the worst of one call of the big one alone does not fit.
rm -r .ks && : > of-small/asked && : > of-big/asked
KS_STATE_DIR=$PWD/priced KS_AGENT_BUDGET=chains=1,steps=2,money=0.05 KS_AGENT_PRICE=small=0.1/0.4,big=30/150 ask --agent "$both"
model small 1 0 0 0 && counts no-answer 1 && [ -s of-small/asked ] && [ ! -s of-big/asked ] || fail "the price does not hold"
status 2 env KS_AGENT_BUDGET=money=1 KS_AGENT_PRICE=small=1/2 "$ks" tune comb.cu --device emu --agent "$both"
says 'needs the price of big' && one_line
status 2 "$ks" tune comb.cu --device emu --agent "command:$PWD/small a ; command:$PWD/small b"
says 'two of several models are called `small`' && one_line
status 2 "$ks" tune comb.cu --device emu --agent "command:$PWD/small a ; mailbox:box"
says 'is none of several models' && one_line

# Nobody is waited for any longer than that, whatever the time of one answer.
printf '!hang' > replies/coder-00
KS_AGENT_TIMEOUT=600s KS_AGENT_BUDGET=chains=1,seconds=2 ask --agent "$scripted"
has '"stopped": "the budget of seconds for this kernel is spent"' && counts asked 1 && counts answered 0
# Judging what came counts against its own budget, and no more is asked once it is spent.
once coder-00 taps
KS_AGENT_BUDGET=chains=1,steps=4,gpu=0.001 ask --agent "$scripted" --budget=5m
has '"stopped": "the budget of seconds of judging for this kernel is spent"' && counts asked 1 && counts judged 1
KS_AGENT_BUDGET=chains=1,steps=4,all-gpu=0.001 ask --agent "$scripted" --budget=5m --again
has '"stopped": "the budget of seconds of judging in all is spent"' && counts asked 1
no_litter
