#!/bin/bash
# judge.sh BUILD_DIR: how fast the judge is, and how often its timing errs, on this machine's GPU. The
# last line is one JSON object, described in figures.md. TRIALS=N (250) is how many A/A trials each of
# four lengths gets; the other counts follow it. MUTANTS=N (24): at most so many of each text; 0: none.
set -euo pipefail
build=$(cd "${1:?usage: judge.sh BUILD_DIR}" && pwd)
here=$(cd "$(dirname "$0")" && pwd)
trials=${TRIALS:-250}
nvidia-smi > /dev/null 2>&1 || { echo "SKIP: no GPU"; exit 77; }
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
export KS_CACHE_DIR=$work/cache KS_STATE_DIR=$work/state KS_CONFIG_DIR=$work/config
arch=sm_$(nvidia-smi --query-gpu=compute_cap --format=csv,noheader -i 0 | tr -d .)
cp "$here"/judge/* "$work"
cd "$work"
part() { # part KERNEL PROPOSAL COUNTS...
    "$build/bin/judge_trials" trials.cu "$1" "$2.yaml" "${@:3}" -- -arch="$arch" | tee -a parts
}
share() { echo $(((trials * $1 + 99) / 100)); } # percent of the trials, at least one

echo "the same work twice"
for us in 2 10 50 150; do part even_$us same search="$trials" full="$(share 20)" unsanitized; done
echo "three in a hundred faster"
for us in 50 150; do part waste_$us same full="$(share 40)" unsanitized; done
echo "one that passes, the sanitizers as well"
part waste_150 same full="$(share 2)"
echo "much memory"
part stream_150 stream full="$(share 2)"
echo "wrong ones"
for name in last link tail past one; do part even_150 wrong_$name full="$(share 4)"; done
echo "a batch"
part even_2 same quick=32
if [ "${MUTANTS:-24}" -gt 0 ]; then
    echo "mutants"
    "$here"/../gpu/mutation.sh "$build" "$work/mutants" "${MUTANTS:-24}" | tee mutation || true # its rates are figures here
fi

python3 - << 'END'
import json
import os
import statistics
parts = [json.loads(line) for line in open("parts")]
even = [p for p in parts if p["kernel"].startswith("even_") and "search" in p]
waste = [p for p in parts if p["kernel"].startswith("waste_") and not p["sanitized"]]
wrong = [p for p in parts if p["proposal"].startswith("wrong_")]
stream = next(p for p in parts if p["kernel"] == "stream_150")
batch = next(p["quick"] for p in parts if "quick" in p)
longest = next(p for p in parts if p["kernel"] == "waste_150" and p["sanitized"])
plain = next(p for p in waste if p["kernel"] == "waste_150")
mutation = [json.loads(line) for line in open("mutation") if line.startswith("{")] if os.path.exists("mutation") else []
print(json.dumps({
    "schema": "bench.judge",
    "accept_s": longest["full"]["seconds_run"],
    "accept_unsanitized_s": plain["full"]["seconds_run"],
    "accept_600mb_s": stream["full"]["seconds_run"],
    "reject_s": statistics.median(p["full"]["seconds_run"] for p in wrong),
    "rejected": sum(p["full"]["trials"] - p["full"]["correctness"].get("CORRECT", 0) for p in wrong),
    "rejected_of": sum(p["full"]["trials"] for p in wrong),
    "candidates_per_s": batch["per_second"],
    "aa_trials": sum(p["search"]["trials"] for p in even),
    "aa_search": sum(p["search"]["faster"] for p in even),
    "aa_full": sum(p["full"]["trials"] for p in even),
    "aa_false": sum(p["search"]["confirmed"] + p["full"]["speed"].get("FASTER", 0) for p in even),
    "aa_not_measured": sum(p["search"]["not_measured"] + p["full"]["speed"].get("VOID", 0) for p in even),
    "found_3pct": sum(p["full"]["speed"].get("FASTER", 0) for p in waste),
    "found_3pct_of": sum(p["full"]["trials"] for p in waste),
    "ratio_3pct": [p["full"]["ratio"] for p in waste],
    "mutation_kill": mutation[-1]["mutation_kill"] if mutation else None,
    "mutants": mutation[-1]["mutants"] if mutation else 0,
    "original_us": {p["kernel"]: p["original_us"] for p in even + waste + [stream]},
}))
END
