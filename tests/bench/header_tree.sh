#!/bin/bash
# header_tree.sh N FOLDER: makes, in the current folder, a unit that includes N headers, as a project of
# that size would have them: eight -I folders, each header with three standard includes, two of other
# folders and one beside it, and 3 to 18 kB of text from the sources below FOLDER, 9 kB on average.
# None is marked; ks.yaml names ten kernels of other files. Prints the -I words.
set -eu
n=$1 from=$2
rm -rf inc[0-7] a.cu ks.yaml
for d in 0 1 2 3 4 5 6 7; do
    mkdir -p "inc$d/mod$d"
    printf -- '-Iinc%d ' "$d"
done
{
    printf 'kernels:\n'
    for i in 0 1 2 3 4 5 6 7 8 9; do
        printf '  - file: src/mod%d/*.cu\n    kernel: ns%d::relax\n' "$i" "$i"
        printf '    optimize: tol(rel=1e-5) budget(60s)\n    workloads:\n'
        printf '      - let(n=4096) in(a[n*n]=uniform(-1,1)) out(b[n*n]) grid(n/32,n/8) block(32,8)\n'
    done
} > ks.yaml
printf '#include <cstdio>\n#include "mod0/h0.h"\n__global__ void k(float *x) { x[0] = 1; }\n' > a.cu
# Pragmas and includes are the tree's own.
{ find -L "$from" \( -name '*.cuh' -o -name '*.h' -o -name '*.hpp' \) -type f -size -200k | LC_ALL=C sort |
    head -n $((n * 4)) | tr '\n' '\0' | xargs -0 cat; } 2> /dev/null |
    LC_ALL=C awk -v n="$n" '
        function begin_header(  k) {
            file = "inc" i % 8 "/mod" i % 8 "/h" i ".h"
            print "#pragma once" > file
            for (k = 0; k < 3; k++)
                print "#include <" standard[(i * 3 + k) % 16 + 1] ">" > file
            for (k = 2 * i + 1; k <= 2 * i + 2; k++)
                if (k < n)
                    print "#include \"mod" k % 8 "/h" k ".h\"" > file
            if (i >= 8)
                print "#include \"h" i - 8 ".h\"" > file
            left = want[i % 4]
        }
        BEGIN {
            split("vector string map algorithm memory type_traits utility cstdint cmath cstdio " \
                  "cstdlib array tuple functional iostream limits", standard, " ")
            i = 0; want[0] = 3000; want[1] = 6000; want[2] = 9000; want[3] = 18000
            begin_header()
        }
        /#.*(include|pragma)/ { next }
        {
            print > file
            left -= length($0) + 1
            if (left <= 0) {
                close(file)
                if (++i == n)
                    exit
                begin_header()
            }
        }'
# Too little text: the last headers are short or missing.
[ -e "inc$(((n - 1) % 8))/mod$(((n - 1) % 8))/h$((n - 1)).h" ] || { echo "header_tree: $from has too few sources" >&2; exit 1; }
