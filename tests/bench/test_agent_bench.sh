#!/bin/bash
# test_agent_bench.sh BUILD_DIR: agent.sh in short: nothing lost, nothing doubled, the budget kept. No time is looked at.
set -u
line=$(bash "$(dirname "$0")/agent.sh" "$1" 600 | tail -n 1)
status=${PIPESTATUS[0]}
[[ $line == skipped* ]] && { echo "$line"; exit 77; }
echo "$line"
[ "$status" = 0 ] || exit 1
python3 - "$line" <<'PYTHON'
import json, sys
r = json.loads(sys.argv[1])
for name in ("lost", "doubled", "wrong", "unanswered", "over_budget"):
    assert r[name] == 0, f"{name}: {r[name]}"
assert r["calls"] == r["requests"], "calls that nobody counted"
assert r["faults"] > 100, "hardly any fault"
assert r["parallel"] >= 30, f"{r['parallel']} at a time"
assert 0 < r["billed"] <= r["budget"] and r["spent"] > r["budget"] / 2, "the budget was not tried"
assert r["kib_end"] < r["kib_early"] + 8192, "memory grows"
PYTHON
