# For tests/emu/templates*.sh, which get BUILD and SOURCE and end with `judged`: a scratch folder, and what is
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
compiled() { "$nvcc" -O3 -arch=sm_90 -ptx "$1.cu" -o "$scratch/$1.ptx" || { bad=1; false; }; } # FILE
# known FILE "KERNEL TEMPLATE"...: these and no others.
known() {
    local file=$1
    shift
    compiled "$file" || return
    "$build/tests/print_template" "$file.cu" "$scratch/$file.ptx" 2> "$scratch/err" | sed 's/:.*//' | sort > "$scratch/have"
    printf '%s\n' "$@" | sort > "$scratch/want"
    diff "$scratch/want" "$scratch/have" || { echo "FAIL: $file: other templates know it"; cat "$scratch/err"; bad=1; }
}
# fixture A|R FILE KERNEL TEMPLATE VERDICT SETTING...: what the template makes, edited by $sed, joins the folder that `judged` judges.
fixture() {
    local dir=$scratch/suite/$1$((n++))-$3-$4
    mkdir -p "$dir"
    cp "$2.cu" "$scratch/suite/" || bad=1
    "$build/tests/print_template" "$2.cu" "$scratch/$2.ptx" "$3" "$4" "${@:6}" > "$scratch/made" 2> "$scratch/err" || { echo "FAIL: ${*:2}"; cat "$scratch/err"; bad=1; }
    sed "${sed-}" "$scratch/made" > "$scratch/proposal.yaml"
    [ -z "${sed-}" ] || ! cmp -s "$scratch/made" "$scratch/proposal.yaml" || { echo "FAIL: $sed changes nothing"; bad=1; }
    cp "$scratch/proposal.yaml" "$dir/"
    printf 'title: "%s"\nfile: ../%s.cu\nkernel: %s\nexpect: [%s]\nemu: declared\n' "${*:4:1} ${*:6}" "$2" "$3" "$5" > "$dir/expect.yaml"
    [ "$1" = A ] || echo 'defence: comparison' >> "$dir/expect.yaml"
}
n=10
right() { fixture A "${@:1:3}" CORRECT "${@:4}"; } # FILE KERNEL TEMPLATE SETTING...
# The same at once, for what sm_90a alone has: folders are judged for the device's sm_90.
judged_90a() { # VERDICT SED FILE KERNEL TEMPLATE SETTING...
    "$build/tests/print_template" "$3.cu" "$scratch/$3.ptx" "${@:4}" > "$scratch/made" 2> "$scratch/err"
    sed "$2" "$scratch/made" > "$scratch/proposal.yaml"
    [ -z "$2" ] || ! cmp -s "$scratch/made" "$scratch/proposal.yaml" || { echo "FAIL: $2 changes nothing"; bad=1; }
    "$build/bin/ks" verify "$3.cu:$4" --variant "$scratch/proposal.yaml" --no-sandbox --device emu ${draw:+"--draw=$draw"} -- -arch=sm_90a > "$scratch/out" 2>> "$scratch/err"
    grep -q ": $1 " "$scratch/out" || { echo "FAIL: ${*:4}"; cat "$scratch/err" "$scratch/out"; bad=1; }
}
right_90a() { judged_90a CORRECT "" "$@"; } # FILE KERNEL TEMPLATE SETTING...
wrong_90a() { judged_90a WRONG: "$4" "${@:1:3}" "${@:5}"; } # FILE KERNEL TEMPLATE SED SETTING...
# wrong FILE KERNEL TEMPLATE SED REASON SETTING...: what SED makes of the proposal is found wrong, for a reason like this
wrong() {
    [ -z "$5" ] || echo "R$n-.*$5" >> "$scratch/reasons"
    sed=$4 fixture R "${@:1:3}" WRONG "${@:6}"
}
unsafe() { sed=$4 fixture R "${@:1:3}" UNSAFE "${@:5}"; } # FILE KERNEL TEMPLATE SED SETTING...
# Judges all of that, and ends the script.
judged() {
    local reason
    "$build/bin/ks" verify --suite "$scratch/suite" --no-sandbox --device emu ${draw:+"--draw=$draw"} > "$scratch/rows" 2> "$scratch/err" || { cat "$scratch/err"; bad=1; }
    cat "$scratch/rows"
    [ ! -e "$scratch/reasons" ] || while read -r reason; do
        grep -q -- "$reason" "$scratch/rows" || { echo "FAIL: no $reason"; bad=1; }
    done < "$scratch/reasons"
    exit $bad
}
# bound FILE KERNEL TEMPLATE WORDS...: the first way to bind it has these parts
bound() {
    local word
    "$build/tests/print_template" "$1.cu" "$scratch/$1.ptx" "$2" "$3" 2>&1 > "$scratch/proposal.yaml" | sed 's/.*/ & /' > "$scratch/err"
    for word in "${@:4}"; do
        grep -qF " $word " "$scratch/err" || { echo "FAIL: $2: no $word"; cat "$scratch/err"; bad=1; }
    done
}
