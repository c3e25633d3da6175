#!/usr/bin/env bash
# Products of blocks of larger matrices: what their templates recognise, and that it is judged right.
#   tests/emu/templates_lines.sh BUILD SOURCE
set -u
. "$2/tests/emu/templates_lib.sh"
known lines "by_columns gemm_lines" "by_columns gemm_lines_update_nn" "by_rows gemm_lines" "by_rows gemm_lines_nn" \
    "first_turned gemm_lines" "first_turned gemm_lines_nt" "first_turned_added gemm_lines" "first_turned_added gemm_lines_update_nt" \
    "second_turned_added gemm_lines" "second_turned_added gemm_lines_update_tn" "second_turned_bias gemm_lines" "second_turned_bias gemm_lines_tn"
bound lines by_rows gemm_lines_nn a=a b=b c=c m=m n=n k=k lda=lda ldb=ldb ldc=ldc
bound lines by_columns gemm_lines_update_nn a=b b=a c=c m=n n=m k=k lda=ldb ldb=lda ldc=ldc alpha=alpha beta=beta
bound lines second_turned_bias gemm_lines_tn a=b b=a 'bias[j]'
right lines by_rows gemm_lines_nn bm=64 bn=64
right lines by_rows gemm_lines_nn bm=128 bn=128 ragged=true
right lines by_columns gemm_lines_update_nn bm=64 bn=64
right lines first_turned gemm_lines_nt bm=64 bn=64
right lines second_turned_bias gemm_lines_tn bm=64 bn=64
right lines first_turned_added gemm_lines_update_nt bm=64 bn=64
right lines second_turned_added gemm_lines_update_tn bm=64 bn=64 ragged=true
wrong lines by_rows gemm_lines_nn 's/of_b(b, n, k, b_line/of_b(b, n, k, n/' '' bm=64 bn=64
# What lies between the lines of C is nobody's to write.
wrong lines by_columns gemm_lines_update_nn 's/row >= m || col + l >= n)/row >= m || col + l >= c_line)/' '' bm=64 bn=64
judged
