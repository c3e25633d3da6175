#!/usr/bin/env bash
# A folder of fixtures (docs/suite.md) on the emulated device, rejects also with their defence off.
#   tests/emu/suite.sh BUILD SUITE [ID,ID...]
set -u
build=$1 suite=$2 only=${3:+--only=$3} draw=${KS_TEST_DRAW-20}
command -v nvcc > /dev/null || [ -x "${CUDA_PATH:-/usr/local/cuda}/bin/nvcc" ] || { echo "no nvcc here: skipped"; exit 77; }
scratch=$(mktemp -d) || exit 1
trap 'rm -rf "$scratch"' EXIT
export KS_CACHE_DIR=$scratch/cache KS_STATE_DIR=$scratch/state KS_CONFIG_DIR=$scratch/config
unset KS_DEVICE KS_MODE
"$build/bin/ks-weak" verify --suite "$suite" --device emu ${draw:+"--draw=$draw"} ${only:+"$only"} 2> "$scratch/log"
status=$?
[ $status = 0 ] || cat "$scratch/log"
exit $status
