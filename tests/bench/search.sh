#!/bin/bash
# search.sh BUILD_DIR [LOG.jsonl.gz]: how many candidates a search needs to 95 % of the best of the recorded log, whole,
# with each part of the policy left out, and drawn at random; what a search costs beside compilers and runs, on the
# kernels' texts; then a memory of many attempts. No GPU. Prints the tables
# of docs/search.md, and last a line of JSON (figures.md, bench.search).
#   SEEDS=N (20)   BATCH=N (8) candidates that are looked at together   FULL=N (3) looks of a full number   ATTEMPTS=N (1000000) in the memory; 0: none
set -euo pipefail
build=$(cd "${1:?usage: search.sh BUILD_DIR [LOG.jsonl.gz]}" && pwd)
here=$(cd "$(dirname "$0")" && pwd)
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
gzip -dc "${2:-$here/search/h200.jsonl.gz}" > "$work/log.jsonl"
"$build/bin/search_bench" "$work/log.jsonl" "$here/../../skills/expert" seeds="${SEEDS:-20}" batch="${BATCH:-8}" full="${FULL:-3}" > "$work/figures"
head -n -1 "$work/figures"
skills=$here/../../skills
mkdir "$work/state"
overhead=$("$build/bin/search_overhead" "$work/log.jsonl" "$skills/expert" "$skills/templates" "$work/state" "$here"/search/*.cu)
memory='{}'
[ "${ATTEMPTS:-1000000}" = 0 ] || memory=$("$here/memory.sh" "$build" "${ATTEMPTS:-1000000}" | tail -1)
tail -1 "$work/figures" | python3 -c '
import json, sys
figures, memory = json.load(sys.stdin), json.loads(sys.argv[1])
figures.update(json.loads(sys.argv[2]))
figures["skill_choice_ms"], figures["open_ms"] = memory.get("skill_choice_ms"), memory.get("open_ms")
print(json.dumps(figures))' "$memory" "$overhead"
