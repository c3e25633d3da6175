#!/bin/bash
# test_judge_figures.sh BUILD_DIR: the lines of two runs of judge.sh, one of them cut short, make the figures that figures.md names.
set -u
here=$(cd "$(dirname "$0")" && pwd)
command -v python3 > /dev/null || { echo "skipped: no python3"; exit 77; }
line() { # line KERNEL PROPOSAL DATE GPU SAME SANITIZED MORE
    echo '{"kernel":"'"$1"'","proposal":"'"$2"'","date":"'"$3"'T00:00:00Z","gpu":"'"$4"'","seed":1,"same_code":'"$5"',"original_us":2,"sanitized":'"$6,$7}"
}
aa='"search":{"trials":3,"faster":1,"confirmed":0,"not_measured":1,"ratios":[0.5,1.0],"seconds":[1,2,3]}'
full='"full":{"trials":2,"correctness":{"CORRECT":2},"speed":{"FASTER":1,"VOID":1},"seconds_run":[2,4],"checks":{"timing":[1,3]},"ratios":[1.03],"reason":""}'
caught='"full":{"trials":4,"correctness":{"WRONG":3,"CORRECT":1},"speed":{},"seconds_run":[1,1,1,9],"checks":{},"ratios":[],"reason":""}'
{
    echo "the same work twice"
    line even_2 same.yaml 2026-01-01 one true false "$aa,$full"
    line waste_150 same.yaml 2026-01-01 one false true "$full"
    line even_2 same.yaml 2026-01-01 one true false "$aa" | cut -c1-150
} > first
{
    line even_2 same.yaml 2026-01-02 two true false "${aa//\[0.5,1.0\]/[1.0,1.0]}" | sed 's/^/1: /'
    line even_2 other.yaml 2026-01-02 two false false "$aa,$full"
    line even_150 wrong_one.yaml 2026-01-02 two false true "$caught"
    echo '{"schema": "bench.mutation", "mutants": 12, "killed": 9, "survived": 1}'
    echo '{"schema": "bench.judge", "aa_trials": 1000}'
} > second
python3 "$here/judge_figures.py" first second > figures.json || exit 1
cat figures.json
"$1/tests/ks-json-check" "$here/figures.md" figures.json || exit 1
for wanted in '"accept_s": 3' '"accept_checks_s": {"timing": 2' '"reject_s": 1' '"rejected": 3' '"rejected_of": 4' '"aa_trials": 6' '"aa_search": 2' \
    '"aa_full": 2' '"aa_false": 1' '"aa_not_measured": 3' '"aa_ratio": {"even_2": 1.0' '"aa_search_s": {"even_2": 2' '"aa_gpus": 2' '"aa_days": 2' \
    '"found_3pct_of": 0' '"mutation_kill": 90.0' '"mutants": 12'; do
    grep -qF "$wanted" figures.json || { echo "FAIL: no $wanted"; exit 1; }
done
