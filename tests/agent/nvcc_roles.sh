# Planner, reviewer and summariser: what they say must hold, and where it does not the engine's choice or the judge stands
# in. A skill drawn from a win is on probation until tuning with and without it shows that it pays.
. "$KS_TEST_SOURCE/tests/agent/agent.sh"
plan() { # plan NAME QUOTE
    cat > "replies/$1" <<END
\`\`\`yaml
request: @request@
bottleneck: every thread repeats the same sum
quotes: ["$2"]
skill: none
steps: [take the sum once]
expect: ["dram_pct +"]
rejected: memory, there is hardly any traffic
\`\`\`
END
}
review() { # review NAME VERDICT QUOTE
    printf '```yaml\nrequest: @request@\nverdict: %s\nquote: "%s"\nfinding: the last turn is missing\n```\n' "$2" "$3" > "replies/$1"
}
export KS_AGENT_ROLES=planner,repairer,reviewer KS_AGENT_BUDGET=chains=1,steps=2
plan planner-00 'loops = 1'
once coder-00 'taps - 1'
review reviewer-01 reject 'k < taps - 1'
mended repairer-01
sed -i 's/cause: .*/cause: "k < taps - 1"/' replies/repairer-01
review reviewer-02 pass ''
ask --agent "$scripted" --budget=5m
has '"status": "variant"' && counts asked 5 && counts planned 1 && counts rejected 1 && counts proposed 2
counts judged 1 && counts correct 1 # no time of the device was spent on what the reviewer saw
grep 'coder-00' replies/asked | grep -q 'bottleneck: every thread repeats the same sum' || fail "the plan does not reach the coder"

# A plan on made-up numbers, and a rejection that quotes nothing, are none: both are counted, and tuning goes on.
rm -r .ks && : > replies/asked
plan planner-00 'loops = 9'
once coder-00 taps
review reviewer-01 reject 'not in the code'
ask --agent "$scripted" --budget=5m
has '"status": "variant"' && counts planned 0 && counts rejected 0 && counts unverified-quote 2
grep 'coder-00' replies/asked | grep -q 'Diagnosis\\nnone\\n' || fail "a plan that does not hold reaches the coder"
status 2 env KS_AGENT_ROLES=coda "$ks" tune comb.cu --device emu --agent "$scripted" && says 'there is no role `coda`' && one_line

# Somebody ranks the skills that were found: those two come in place of the engine's three. What was not offered is no choice.
rm -r .ks && rm replies/*
export KS_AGENT_ROLES=ranker KS_AGENT_BUDGET=chains=1,steps=1
status 0 "$ks" tune comb.cu --device emu --print-prompt --no-engine -- -arch=sm_90
grep '^- [a-z0-9-]* (.*): ' out | sed -E 's/^- ([^ ]*) \(([^)]*)\).*/\2 \1/' | tac | sort -s -u -k1,1 > offered
[ "$(wc -l < offered)" -ge 4 ] || fail "too few skills are offered: $(cat offered)"
chosen=$(tail -2 offered | sed 's/.* //')
# shellcheck disable=SC2086
printf '```yaml\nrequest: @request@\nskills: [%s, %s]\nwhy: they complement each other\n```\n' $chosen > replies/ranker-00
ask --agent "$scripted"
counts asked 2 && counts ranked 1 && counts no-code 1
for id in $chosen; do
    grep coder-00 replies/asked | grep -q -e "- $id (" || fail "$id is not shown"
done
[ "$(grep coder-00 replies/asked | grep -oE '\\n- [a-z0-9-]+ \([a-z-]+, precision' | wc -l)" = 2 ] || fail "others are shown"
printf '```yaml\nrequest: @request@\nskills: [call-a-library]\n```\n' > replies/ranker-00
: > replies/asked
ask --agent "$scripted"
counts ranked 0 && counts plan 1
[ "$(grep coder-00 replies/asked | grep -oE '\\n- [a-z0-9-]+ \([a-z-]+, precision' | wc -l)" = 3 ] || fail "the engine's choice is not shown"

# A skill from a win. What would help this kernel alone, or is a library in disguise, is none.
skill() { # skill HOW
    cat > replies/summariser-00 <<END
\`\`\`yaml
request: @request@
id: common-sum-once
title: one launch for what all threads repeat
direction: arithmetic
risk: low
when: [loops > 0, turns > 16]
requires: ["!double"]
expect: {metric: dram_pct, sign: +, at_least: 5}
how: |
  Mechanism: $1
  Pitfalls: the sum has to be finished before the next launch reads it.
  Sketch: a launch that reduces into a workspace, then one that applies it.
\`\`\`
END
}
export KS_AGENT_ROLES=repairer,summariser KS_AGENT_BUDGET=chains=1,steps=1
rm replies/*
once coder-00 taps
skill 'call cublasSdot instead.'
KS_LOG=info ask --agent "$scripted" --budget=5m
says 'no skill of it: no skill for others'
status 0 "$ks" skills list && lacks common-sum-once
# The question is one of the kernel's: none is asked beyond its limit.
rm -r .ks
skill 'all threads reduce the same values, so one launch in front does it once.'
KS_LOG=info KS_AGENT_BUDGET=chains=1,steps=1,requests=1 ask --agent "$scripted" --budget=5m
says 'no skill of it' && counts requests 1
status 0 "$ks" skills list && lacks common-sum-once
rm -r .ks
ask --agent "$scripted" --budget=5m
says 'a new skill, common-sum-once, on probation'
status 0 "$ks" skills list && has common-sum-once
status 0 "$ks" skills show common-sum-once && has 'scripted.py, of variant' && has 'probation'

# Re-execution decides: three kernels, each tuned with the skill and without it, by a model that has the idea only
# when it is shown the skill.
cp "$KS_TEST_SOURCE/tests/agent/three.cu" .
export KS_AGENT="command:$KS_TEST_SOURCE/tests/agent/taught.py" KS_AGENT_ROLES=repairer
json 0 skills adopt common-sum-once three.cu:plus three.cu:times three.cu:minus --device=emu --budget=2m -- -arch=sm_90 + trials
status 0 "$ks" skills show common-sum-once && has adopted
