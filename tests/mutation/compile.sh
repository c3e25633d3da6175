#!/usr/bin/env bash
# Without a GPU: mutants of every class are made and compile, and nothing counts as judged that was not run.
#   tests/mutation/compile.sh BUILD SOURCE
set -u
command -v nvcc > /dev/null || [ -x "${CUDA_PATH:-/usr/local/cuda}/bin/nvcc" ] || { echo "no nvcc here: skipped"; exit 77; }
scratch=$(mktemp -d) || exit 1
trap 'rm -rf "$scratch"' EXIT
export CUDA_VISIBLE_DEVICES='' KS_CACHE_DIR=$scratch/cache KS_STATE_DIR=$scratch/state \
    KS_CONFIG_DIR=$scratch/config
export KS_DEVICE=none # the gates alone, not the emulated device
unset KS_MODE
suite=$2/tests/adversarial
"$1/bin/ks-mutate" --limit=200 \
    "$suite/kernels/sum.cu=$suite/A16-last-block-with-fence/proposal.yaml" > "$scratch/out"
status=$?
cat "$scratch/out"
fail() { echo "FAIL: $*"; exit 1; }
column() { awk -v class="$1" -v n="$2" '$1 == class { print $n }' "$scratch/out"; }
[ $status = 77 ] || fail "status $status"
[ "$(sed -n 's/.*"left": \([0-9]*\).*/\1/p' "$scratch/out")" -ge 40 ] || fail "too few mutants compile"
for class in operator condition bound index number type barrier fence; do
    [ "$(column $class 7)" -ge 2 ] || fail "too few mutants of class $class"
    [ "$(column $class 2)" = 0 ] || fail "something was judged without a device"
done
