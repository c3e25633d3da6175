#!/usr/bin/env bash
# Installs what is missing, builds, and runs every test this machine can run; says what it skipped.
# With a GPU that includes tests/gpu/run.sh.
set -euo pipefail
root=$(cd "$(dirname "$0")/.." && pwd)
build=${KS_BUILD:-$root/build}
jobs=$(nproc)

"$root/cmake/deps.sh" --tests
prefix=("-DCMAKE_PREFIX_PATH=$("$root/cmake/deps.sh" --prefix)")
generator=()
command -v ninja >/dev/null && generator=(-G Ninja)
unset KS_DEPS # of deps.sh only: tests look at the environment
cmake "${generator[@]}" -S "$root" -B "$build" "${prefix[@]}" ${CI:+-DKS_WERROR=ON}
cmake --build "$build" -j "$jobs"
# Skipped tests (no GPU, no clang) are listed by ctest itself at the end.
ctest --test-dir "$build" --output-on-failure -j "$jobs" "$@"
