#!/bin/bash
# agent.sh BUILD_DIR [STEPS]: what asking models costs and whether anything is lost, against a server on the loopback
# with faults (tests/agent/server.py): STEPS (10,000) requests, 48 at a time, a third of them dropped, refused,
# cut, garbled or late; then half as many within a budget that they do not fit in. Last line: one JSON object.
set -u
build=$(readlink -f "${1:?usage: agent.sh BUILD_DIR [STEPS]}") steps=${2:-10000}
here=$(dirname "$(readlink -f "$0")")
command -v python3 > /dev/null || { echo "skipped: no python3"; exit 77; }
[ -x "$build/tests/agent_bench" ] || { echo "skipped: agent_bench is not built"; exit 77; }
work=$(mktemp -d)
trap 'kill "${servers[@]}" 2> /dev/null; wait; rm -rf "$work"' EXIT
servers=()
# serve NAME: a server with faults, its address in $url.
serve() {
    python3 "$here/../agent/server.py" "$work/$1" --faults 0.33 --delay 0.01 &
    servers+=($!)
    for ((i = 0; i < 200; i++)); do
        [ -s "$work/$1" ] && break
        sleep 0.05
    done
    url=http://127.0.0.1:$(cat "$work/$1")/v1
}
unset http_proxy HTTP_PROXY all_proxy ALL_PROXY
stats() { python3 -c "import urllib.request as u, sys; print(u.urlopen(sys.argv[1] + '/stats').read().decode())" "${url%/v1}"; }
serve first
"$build/tests/agent_bench" "$url" "$steps" 48 0 > "$work/whole" || exit 1
stats > "$work/whole.stats"
serve second
budget=$((steps * 100))
"$build/tests/agent_bench" "$url" $((steps / 2)) 48 $budget > "$work/tight" || exit 1
stats > "$work/tight.stats"
cat "$work/whole" "$work/whole.stats" "$work/tight" "$work/tight.stats"
python3 - "$work" "$budget" <<'PYTHON'
import json, sys
work, budget = sys.argv[1], int(sys.argv[2])
whole, served, tight, billed = (json.load(open(f"{work}/{n}")) for n in ("whole", "whole.stats", "tight", "tight.stats"))
print(json.dumps({
    "steps": whole["steps"], "requests": whole["requests"], "parallel": served["most"], "calls": served["calls"], "faults": sum(served["faults"].values()),
    "lost": whole["lost"] + tight["lost"], "doubled": whole["doubled"] + tight["doubled"],
    "wrong": whole["wrong"] + tight["wrong"], "unanswered": whole["unanswered"],
    "over_budget": max(0, billed["billed_in"] + billed["billed_out"] - budget, tight["spent"] - budget),
    "budget": budget, "spent": tight["spent"], "billed": billed["billed_in"] + billed["billed_out"],
    "overhead_ms": round(whole["overhead_ms"] + whole["question_ms"], 3), "calls_ms": whole["overhead_ms"], "kib_early": whole["kib_early"], "kib_end": whole["kib_end"],
    "question_ms": whole["question_ms"], "bm25_ms": whole["bm25_ms"]}))
PYTHON
