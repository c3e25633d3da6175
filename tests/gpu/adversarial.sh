#!/usr/bin/env bash
# The adversarial suite on this machine's GPU: every fixture of tests/adversarial, each reject also with its
# defence off. Prints a line a judgement and a closing line; exit 77 without a GPU.
#   tests/gpu/adversarial.sh [BUILD] [OUT] [ID,ID...]     OUT receives the table
set -uo pipefail
root=$(cd "$(dirname "$0")/../.." && pwd)
build=$(cd "${1:-$root/build}" && pwd)
out=${2:-$build/gpu}
only=${3:+--only=$3}
mkdir -p "$out"
export KS_CACHE_DIR=$out/cache KS_STATE_DIR=$out/state KS_CONFIG_DIR=$out/config
unset KS_MODE KS_DISABLE KS_TRACE KS_DEPS
"$build/bin/ks" doctor | grep -q '^gpu .*none' && { echo "no GPU here: skipped"; exit 77; }

# ks-weak judges as ks does where no defence is off: one program for both columns.
"$build/bin/ks-weak" verify --suite "$root/tests/adversarial" ${only:+"$only"} \
    >"$out/adversarial.txt" 2>"$out/adversarial.log"
status=$?
cat "$out/adversarial.txt"
exit $status
