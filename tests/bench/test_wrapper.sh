#!/bin/bash
# test_wrapper.sh BUILD_DIR: the benchmark of ks-nvcc works and prints the keys that figures.md names.
set -u
here=$(cd "$(dirname "$0")" && pwd)
for tool in python3 ninja g++ "${KS_TEST_NVCC:-nvcc}"; do
    command -v "$tool" > /dev/null || { echo "skipped: no $tool"; exit 77; }
done
RUNS=1 "$here/wrapper.sh" "$1" > out || { cat out; exit 1; }
cat out
tail -1 out > figures.json
"$1/tests/ks-json-check" "$here/figures.md" figures.json hit_ci_ms miss_ci_ms first_ci_ms \
    true_key_ci_ms load
