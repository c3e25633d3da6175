#!/bin/bash
# memory.sh [BUILD] [ATTEMPTS]: a memory of a million attempts (600 MB in $TMPDIR for some minutes), as an
# earlier version left it: how long the first opening takes (it migrates), each further one, and the choice
# of skills with it. Each opening is one of a fresh connection; choice is the first after it. Last line:
# one JSON object.
set -eu
here=$(cd "$(dirname "$0")" && pwd)
build=${1:-$here/../../build}
dir=$(mktemp -d)
trap 'rm -rf "$dir"' EXIT
"$build/tests/bench_memory" "$dir" "$here/../../skills/expert" "${2:-1000000}"
