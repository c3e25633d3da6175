# A model proposes: wrong, slow and right answers in turn, a repair, acceptance on the emulated device, and the same
# from the transcript without anybody to ask.
. "$KS_TEST_SOURCE/tests/agent/agent.sh"
once coder-00 'taps - 1'
mended repairer-01
twice coder-10
ask --agent "$scripted" --record=talk.jsonl --budget=5m
has '"status": "variant"' && has '"evidence": "modelled"'
counts asked 8 && counts answered 8 && counts proposed 3 && counts no-code 5 && counts correct 2 && counts untold 0
stored=$(find .ks -name '*.yaml')
grep -q 'proposer: scripted.py' "$stored" || fail "the variant does not say who wrote it"
grep -q 'sandbox: used' "$stored" || fail "what a model wrote was judged outside a sandbox"
grep -q '^rationale: the last turn was left out' "$stored" || fail "no rationale"
KS_ACCEPT=modelled compile -arch=sm_90 -c comb.cu -o a.o
substituted a.o && says 'ks:applied'

# Comments may speak to the model instead of to people: they stay here. So do other functions.
grep -q 'unsigned scaled' replies/asked || fail "what the kernel needs was not sent"
for word in whom 'print it' assistant unrelated "$HOME"; do
    grep -qF -e "$word" replies/asked && fail "'$word' was sent"
done
# The repairer saw the verdict and the parts, and the control no skills.
grep '"role": "repairer"' replies/asked > repair
grep -q 'WRONG: output' repair && grep -q '//@ part 1' repair || fail "the repairer lacks verdict or parts"
grep 'coder-10' replies/asked | grep -q 'may apply\\nnone\\n' || fail "the control was shown skills"
grep 'coder-00' replies/asked | grep -q 'Mechanism:' || fail "no skills were shown"
# The next question tells what was tried.
grep 'coder-02' replies/asked | grep -q '2.05 times as fast' || fail "the digest lacks the gain"
grep 'coder-02' replies/asked | grep -q 'kernel: sum_once' || fail "the best is not shown"

# What was tried, as training data: one line a step, the best marked.
json 0 export --trajectories --out=steps.jsonl --transcript=talk.jsonl
[ "$(stat -c %a steps.jsonl)" = 600 ] || fail "others may read the training data"
python3 - <<'PYTHON' > steps || { cat steps; fail "the steps are not as documented"; }
import json
steps = [json.loads(line) for line in open("steps.jsonl")]
assert [s["step"] for s in steps] == [0, 1, 2] and all(s["steps"] == 3 and s["kernel"] == "comb" for s in steps)
wrong, slow, right = steps
assert [s["role"] for s in steps] == ["coder", "coder", "repairer"], steps
assert wrong["outcome"]["correctness"] == "WRONG" and wrong["reward"] == 0 and wrong["advantage"] < 0
assert slow["outcome"]["correctness"] == "CORRECT" and not slow["marked"] and slow["advantage"] == slow["reward"] > 0.5
assert right["marked"] and right["gain"] > 2 and right["advantage"] == 0 and "sum_once" in right["action"]["proposal"]
assert len(right["state"]["before"]) == 2 and right["outcome"]["evidence"] == "modelled"
# What was said, as conversations: the question, and the answer that the proposal is from.
for s in steps:
    assert [m["role"] for m in s["messages"]] == ["system", "user", "assistant"], s["messages"]
    assert s["action"]["params"].split()[1] in s["messages"][1]["content"]
assert "edits:" in right["messages"][2]["content"] and "WRONG: output" in right["messages"][1]["content"]
# Columns are of one type throughout, as readers that infer a table's need: numbers do not change between whole and not.
def shape(value):
    if isinstance(value, dict):
        return {k: shape(v) for k, v in value.items()}
    if isinstance(value, list):
        return [shape(v) for v in value[:1]]
    return type(value).__name__
full = shape(right)
for s in steps:
    s["state"]["before"] = s["state"]["before"] or right["state"]["before"]
    assert shape(s) == full, (shape(s), full)
PYTHON
grep -qF "$PWD" steps.jsonl && fail "a path is in the training data"
json 0 export --trajectories --out=bare.jsonl
grep -q '"messages":\[\]' bare.jsonl || grep -q '"messages": \[\]' bare.jsonl || fail "no transcript, and messages"
status 2 "$ks" export --out=x --transcript=talk.jsonl && says 'goes with --trajectories'
status 2 "$ks" export --trajectories --to=x && says 'goes with --out=FILE'

# The transcript alone gives the same, byte for byte but for times; and what it lacks is no answer.
mv .ks first && : > replies/asked && rm replies/coder-* replies/repairer-*
export KS_STATE_DIR=$PWD/fresh
ask --agent replay:talk.jsonl --budget=5m
has '"status": "variant"' && counts proposed 3 && counts correct 2
again=$(find .ks -name '*.yaml')
[ "${again#.ks/}" = "$(cd first && find . -name '*.yaml' | sed 's,^\./,,')" ] || fail "another variant: $again"
[ ! -s replies/asked ] || fail "somebody was asked"
sed -i '/repairer/d' talk.jsonl
rm -r .ks
ask --agent replay:talk.jsonl --budget=5m
has '"status": "original"' && counts no-answer 1
# A run with --record goes on with what was answered: only what the file lacks is asked.
mended repairer-01
chmod 644 talk.jsonl
ask --agent "$scripted" --record=talk.jsonl --budget=5m
has '"status": "variant"' && counts requests 1
[ "$(wc -l < replies/asked)" = 1 ] || fail "asked again: $(cat replies/asked)"
[ "$(stat -c %a talk.jsonl)" = 600 ] || fail "others may read the transcript"
no_litter
