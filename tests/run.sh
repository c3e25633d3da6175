#!/usr/bin/env bash
# Installs what is missing, builds, and runs every test this machine can run; says what it skipped.
# With a GPU that includes tests/gpu/run.sh.
#
# Tests make and remove many files, on a disk half of their time. Who may mount has their folders in
# memory, until this ends; KS_TEST_DISK=1 leaves them, and what failed tests left, on the disk.
# KS_TEST_MINUTES=N: of the tests that come last, the longest among them, none goes on N minutes from now on (in_time.sh).
set -euo pipefail
root=$(cd "$(dirname "$0")/.." && pwd)
build=${KS_BUILD:-$root/build}
jobs=$(nproc)
[ -z "${KS_TEST_MINUTES:-}" ] || export KS_TEST_UNTIL=$(($(date +%s) + 60 * KS_TEST_MINUTES))

"$root/cmake/deps.sh" --tests
prefix=("-DCMAKE_PREFIX_PATH=$("$root/cmake/deps.sh" --prefix)")
generator=()
command -v ninja >/dev/null && generator=(-G Ninja)
unset KS_DEPS # of deps.sh only: tests look at the environment
cmake "${generator[@]}" -S "$root" -B "$build" "${prefix[@]}" ${CI:+-DKS_WERROR=ON}
cmake --build "$build" -j "$jobs"

in_memory=()
if [ -z "${KS_TEST_DISK:-}" ] && unshare -m true 2>/dev/null &&
    [ "$(awk '/^MemAvailable/ { print $2 }' /proc/meminfo)" -gt 8000000 ]; then
    in_memory=(unshare -m bash -ec 'folders=("$0"/*/)
        if mount -t tmpfs ks-tests "$0" 2>/dev/null; then
            mkdir -p "${folders[@]}" "$0/tmp"; export TMPDIR=$0/tmp
        fi
        exec "$@"'
        "$(realpath "$build/tests/scratch")")
fi
unset KS_TEST_DISK KS_TEST_MINUTES
# Skipped tests (no GPU, no clang) are listed by ctest itself at the end. A tenth of the time tests wait for what they
# started, or for a deadline: one more than there are cores keeps these busy.
"${in_memory[@]}" ctest --test-dir "$build" --output-on-failure -j $((jobs + 1)) "$@"
