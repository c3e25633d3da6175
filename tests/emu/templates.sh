#!/usr/bin/env bash
# Templates on the emulated device: which of them know a kernel, and that the judge finds CORRECT what they make of it.
#   tests/emu/templates.sh BUILD SOURCE
set -u
build=$1 source=$2/tests/emu/templates
nvcc=$(command -v nvcc || echo "${CUDA_PATH:-/usr/local/cuda}/bin/nvcc")
nvcc=${KS_NVCC_REAL:-$nvcc}
[ -x "$nvcc" ] || { echo "no nvcc here: skipped"; exit 77; }
scratch=$(mktemp -d) || exit 1
trap 'rm -rf "$scratch"' EXIT
export KS_CACHE_DIR=$scratch/cache KS_STATE_DIR=$scratch/state KS_CONFIG_DIR=$scratch/config
unset KS_DEVICE KS_MODE
bad=0
cd "$source" || exit 1
# known FILE "KERNEL TEMPLATE"...: these and no others.
known() {
    local file=$1
    shift
    "$nvcc" -O3 -arch=sm_90 -ptx "$file.cu" -o "$scratch/$file.ptx" || { bad=1; return; }
    "$build/tests/print_template" "$file.cu" "$scratch/$file.ptx" 2> "$scratch/err" | sed 's/:.*//' | sort > "$scratch/have"
    printf '%s\n' "$@" | sort > "$scratch/want"
    diff "$scratch/want" "$scratch/have" || { echo "FAIL: $file: other templates know it"; cat "$scratch/err"; bad=1; }
}
# right FILE KERNEL TEMPLATE SETTING...
right() {
    "$build/tests/print_template" "$1.cu" "$scratch/$1.ptx" "${@:2}" > "$scratch/proposal.yaml" 2> "$scratch/err" &&
        "$build/bin/ks" verify "$1.cu:$2" --variant "$scratch/proposal.yaml" --no-sandbox --device emu -- -arch=sm_90 > "$scratch/out" 2>> "$scratch/err"
    grep -q ': CORRECT ' "$scratch/out" || { echo "FAIL: ${*:2}"; cat "$scratch/err" "$scratch/out"; bad=1; }
}
known gemm "batch_tn gemm" "halves_nt gemm_half"
right gemm batch_tn gemm bm=64 bn=64 bk=16
right gemm halves_nt gemm_half bm=64 bn=64 bk=32
exit $bad
