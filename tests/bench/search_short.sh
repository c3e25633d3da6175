#!/bin/bash
# search_short.sh BUILD_DIR: search.sh works on its log, in a short form, and prints the keys that figures.md names.
set -eu
here=$(cd "$(dirname "$0")" && pwd)
command -v python3 > /dev/null || { echo "skipped: no python3"; exit 77; }
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
gzip -dc "$here/search/h200.jsonl.gz" | awk '/^{"kernel"/ {n++} n <= 6' | gzip > "$work/log.gz"
SEEDS=1 ATTEMPTS=0 "$here/search.sh" "$1" "$work/log.gz" > "$work/out"
tail -1 "$work/out" > "$work/figures.json"
"$1/tests/ks-json-check" "$here/figures.md" "$work/figures.json" || { cat "$work/figures.json"; exit 1; }
# What cannot be made is not asked for without end, and choosing leaves no memory behind.
gzip -dc "$work/log.gz" > "$work/log"
(ulimit -v 1500000; exec "$1/bin/search_overhead" "$work/log" "$here/../../skills/expert" \
    "$here/../../skills/templates" "$(mktemp -d -p "$work")" "$here/search/gemm_plain.cu" > "$work/overhead")
python3 -c 'import json, sys; figures = json.load(sys.stdin); sys.exit(not 40 < figures["overhead_candidates"] < 200)' < "$work/overhead"
grep -q '^| any policy (at random) |' "$work/out"
grep -q '^| one look, 3 where it stays |' "$work/out"
# Where the full number is one look, there is nothing that a first one could save.
"$1/bin/search_bench" "$work/log" "$here/../../skills/expert" seeds=1 full=1 | tail -1 |
    python3 -c 'import json, sys; sys.exit(json.load(sys.stdin)["ratio_without_racing"] != 1)'
