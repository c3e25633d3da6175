#!/usr/bin/env bash
# The fuzz targets under libFuzzer and the sanitizers, for so many seconds each (60).
#   tests/fuzz/long.sh [SECONDS] [BUILD]
set -eu
root=$(cd "$(dirname "$0")/../.." && pwd)
seconds=${1:-60} build=${2:-$root/build-fuzz}
command -v clang > /dev/null || { echo "no clang here: skipped"; exit 77; }
CC=clang CXX=clang++ cmake -S "$root" -B "$build" -DKS_SANITIZE=ON -DKS_LIBFUZZER=ON > /dev/null
# Names of functions would be asked of a child process, which targets would take for one of theirs.
for target in expr variant answers requests ptx models; do
    cmake --build "$build" --target "fuzz_$target" -j "$(nproc)" > /dev/null
    mkdir -p "$build/corpus/$target"
    (cd "$build" && "tests/fuzz_$target" -max_total_time="$seconds" -max_len=65536 -print_final_stats=1 -print_funcs=0 \
        -dict="corpus/$target.dict" "corpus/$target" 2> "fuzz_$target.log") || { tail -30 "$build/fuzz_$target.log"; exit 1; }
    echo "fuzz_$target: $(grep -o 'number_of_executed_units: [0-9]*' "$build/fuzz_$target.log"),$(
        grep -o ' cov: [0-9]*' "$build/fuzz_$target.log" | tail -1), nothing found"
done
