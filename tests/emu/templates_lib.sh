# For tests/emu/templates*.sh, which get BUILD and SOURCE and end with `exit $bad`: a scratch folder, and what is
# asked of a file of tests/emu/templates. Sourced in the script's first line.
build=$1 source=$2/tests/emu/templates draw=${KS_TEST_DRAW-20}
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
# right FILE KERNEL TEMPLATE SETTING...   TARGET: sm_90 where it is not set
right() {
    "$build/tests/print_template" "$1.cu" "$scratch/$1.ptx" "${@:2}" > "$scratch/proposal.yaml" 2> "$scratch/err" &&
        "$build/bin/ks" verify "$1.cu:$2" --variant "$scratch/proposal.yaml" --no-sandbox --device emu ${draw:+"--draw=$draw"} -- "-arch=${TARGET:-sm_90}" > "$scratch/out" 2>> "$scratch/err"
    grep -q ': CORRECT ' "$scratch/out" || { echo "FAIL: ${*:2}"; cat "$scratch/err" "$scratch/out"; bad=1; }
}
# wrong FILE KERNEL TEMPLATE SED REASON SETTING...: what SED makes of the proposal is found wrong, for a reason like this
wrong() {
    "$build/tests/print_template" "$1.cu" "$scratch/$1.ptx" "$2" "$3" "${@:6}" 2> "$scratch/err" > "$scratch/made"
    sed "$4" "$scratch/made" > "$scratch/proposal.yaml"
    [ -z "$4" ] || ! cmp -s "$scratch/made" "$scratch/proposal.yaml" || { echo "FAIL: $4 changes nothing"; bad=1; }
    "$build/bin/ks" verify "$1.cu:$2" --variant "$scratch/proposal.yaml" --no-sandbox --device emu ${draw:+"--draw=$draw"} -- -arch=sm_90 > "$scratch/out" 2>&1
    grep -q ": WRONG$5" "$scratch/out" || { echo "FAIL: $2 with $4 is not WRONG$5"; cat "$scratch/err" "$scratch/out"; bad=1; }
}
# bound FILE KERNEL TEMPLATE WORDS...: the first way to bind it has these parts
bound() {
    local word
    "$build/tests/print_template" "$1.cu" "$scratch/$1.ptx" "$2" "$3" 2>&1 > "$scratch/proposal.yaml" | sed 's/.*/ & /' > "$scratch/err"
    for word in "${@:4}"; do
        grep -qF " $word " "$scratch/err" || { echo "FAIL: $2: no $word"; cat "$scratch/err"; bad=1; }
    done
}
