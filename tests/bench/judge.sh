#!/bin/bash
# judge.sh BUILD_DIR: how fast the judge is, and how often its timing errs, on this machine's GPU. Prints a line of JSON
# for every few trials and last the one described in figures.md; judge_figures.py makes that of the lines of several runs,
# of other days or machines, or of one that was cut short.
#   PARTS="aa gain accept wrong batch mutants" (all)   TRIALS=N (250) A/A trials for each of four lengths; the other counts
#   follow it   MUTANTS=N (24) at most so many of each text   LIMIT=N seconds for each line of judge_trials below (no limit), twice
#   that for kernels of 2 us
#   SEED=N of sizes and values drawn (from the system)
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
    "$build/bin/judge_trials" trials.cu "$1" "$2.yaml" "${@:3}" ${LIMIT:+seconds="$LIMIT"} ${SEED:+seed="$SEED"} \
        -- -arch="$arch" | tee -a lines
}
share() { echo $(((trials * $1 + 99) / 100)); } # percent of the trials, at least one

aa() {
    echo "the same work twice"
    for us in 2 10 50 150; do # the shortest take longest: whole batches, all looks
        LIMIT=${LIMIT:+$((us == 2 ? 2 * LIMIT : LIMIT))} part even_$us same search="$trials" full="$(share 20)" \
            lines="$(share 20)" unsanitized
    done
}
gain() {
    echo "three in a hundred faster"
    for us in 50 150; do part waste_$us same full="$(share 40)" lines="$(share 8)" unsanitized; done
}
accept() {
    echo "one that passes, the sanitizers as well"
    part waste_150 same full="$(share 2)" anew
    echo "much memory"
    part stream_150 stream full="$(share 2)" anew
}
wrong() {
    echo "wrong ones"
    for name in last link tail past one; do part even_150 wrong_$name full="$(share 4)"; done
}
batch() {
    echo "a batch"
    part even_2 same quick=32
}
mutants() {
    echo "mutants"
    "$here"/../gpu/mutation.sh "$build" "$work/mutants" "${MUTANTS:-24}" | tee -a lines || true # its rates are figures here
}
for name in ${PARTS-aa gain accept wrong batch mutants}; do
    case $name in
    aa | gain | accept | wrong | batch | mutants) "$name" ;;
    *) echo "judge.sh: no part '$name'" >&2; exit 2 ;;
    esac
done
python3 "$here/judge_figures.py" lines
