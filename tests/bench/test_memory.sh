#!/bin/bash
# test_memory.sh BUILD_DIR: memory.sh on few attempts prints the line that figures.md names. Its figures say nothing.
set -eu
build=$1
here=$(cd "$(dirname "$0")" && pwd)
bash "$here/memory.sh" "$build" 1000 > figures.json
"$build/tests/ks-json-check" "$here/figures.md" figures.json || { cat figures.json; exit 1; }
