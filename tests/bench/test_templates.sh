#!/usr/bin/env bash
# Whether the kernels of templates/, which are measured on a GPU, are still what docs/skills.md says they are.
#   test_templates.sh BUILD_DIR
set -u
build=$(cd "$1" && pwd) here=$(cd "$(dirname "$0")" && pwd) bad=0
command -v "${KS_NVCC_REAL:-nvcc}" > /dev/null || { echo "no nvcc here: skipped"; exit 77; }
export KS_CACHE_DIR=$PWD/cache KS_STATE_DIR=$PWD/state KS_CONFIG_DIR=$PWD/config
is() { # FILE TEMPLATE COUNT: so many kernels of the file are recognised as that
    "$build/bin/ks" explain --why "$here/templates/$1.cu" -- -arch=sm_90 -O3 > "$1.txt" 2>&1
    local got
    got=$(awk -v t="template $2:" '/^[^ ]/ { kernel++ } index($0, t) && /this is/ && !seen[kernel]++ { n++ } END { print n + 0 }' "$1.txt")
    [ "$got" = "$3" ] || { echo "FAIL: $got kernels of $1.cu are recognised as $2, not $3"; bad=1; }
}
is histograms histogram 3
is stencils stencil2 1
is stencils stencil3 1
is halves matrix_vector_whole 1
is halves gemm_mixed 1
is lines gemm_lines 1
is rows row_sums 2
is decoding matrix_vector_whole 2
is decoding matrix_vector_half 2
is decoding matrix_vector 1
is decoding matrix_vector_bytes 2
is decoding norm 3
exit $bad
