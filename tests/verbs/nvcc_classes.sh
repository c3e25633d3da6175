# One search, two workloads, two variants: each for the sizes where it was seen to be faster, both in one build, and
# what lies between them and outside goes to the original. The GPU is ks-paced-worker, whose times follow from the
# launch; the runtime of the built program is the one of tests/dispatch, which says what was launched.
. "$KS_TEST_SOURCE/tests/verbs/verbs.sh"
touch ks.yaml
cat > a.cu <<'END_CU'
#pragma ks optimize
#pragma ks workload name(small) let(n=2048) set(a=2) in(x[n]) out(y[n]) grid(ceildiv(n,256)) block(256)
#pragma ks workload name(large) let(n=32768) set(a=2) in(x[n]) out(y[n]) grid(ceildiv(n,256)) block(256)
__global__ void scale(float *y, const float *x, float a, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n)
        y[i] = a * x[i];
}
void run(float *y, float *x, int n, int block)
{
    scale<<<(n + block - 1) / block, block>>>(y, x, 2.f, n);
}
END_CU
# tuned WORD [UNIT]: by a search on a worker of that pace.
tuned() {
    printf '#!/bin/sh\nexec "%s/ks-paced-worker" %s\n' "$KS_TEST_TOOLS" "$1" > worker.sh
    chmod +x worker.sh
    KS_DEVICE=$PWD/worker.sh status 0 "$ks" tune "${2:-a.cu}" --again --budget=900 -- -arch=sm_90
}
# Arrays that lie askew shall go to the original, by the guard: what serves them too is as fast here.
status 0 "$ks" skills disable misaligned-packs
tuned ''

# Two variants of one key, each measured on its workload alone.
for name in small large; do
    file=$(grep -l -- "- workload: $name" .ks/*/*.yaml)
    [ "$(wc -l <<< "$file")" = 1 ] && [ -s "$file" ] || fail "variants for $name: $file"
    grep -q '^speed: FASTER' "$file" || fail "$name is not confirmed"
    [ "$(grep -c -- '- workload:' "$file")" = 1 ] || fail "$name was timed elsewhere too"
    declare "$name=$(basename "$file" .yaml)"
done
[ "$small" != "$large" ] && [ "$(ls .ks/*/*.yaml | wc -l)" = 2 ] && [ -e "$(dirname "$file")/$small.yaml" ] ||
    fail "not two variants of one key: $(ls .ks/*)"
# Slower than the original at a sixteenth of the large size, and faster at a quarter: that is its crossover.
grep -q '^domain: n >= 32 && n <= 2049 ' ".ks/"*"/$small.yaml" || fail "the domain of $small"
grep -q '^domain: n >= 8192 && n <= 32769 ' ".ks/"*"/$large.yaml" || fail "the domain of $large"

# One build takes both.
compile -arch=sm_90 -c a.cu -o a.o
substituted a.o && reason applied
status 0 "$ks" inspect a.o && has "$small" && has "$large"

# What a program launches.
cat > main.cpp <<'END_CPP'
#include <cstdio>
#include <cstdlib>
#include <initializer_list>
#include "mock_cudart.h"
void run(float *y, float *x, int n, int block);
static void launch(const char *what, float *y, float *x, int n, int block)
{
    mock_reset();
    run(y, x, n, block);
    std::printf("%s:%d launches %s\n", what, n, mock_n == 1 ? mock_log[0].name : "?");
}
int main()
{
    float *x = (float *)std::aligned_alloc(256, 1 << 23), *y = (float *)std::aligned_alloc(256, 1 << 23);
    for (int n : {25, 32, 1024, 2048, 2049, 2050, 5000, 8191, 8192, 32768, 32769, 32770, 250000})
        launch("n", y, x, n, 256);
    launch("other-block", y, x, 1024, 128);
    launch("in-place", x, x, 1024, 256);
    launch("overlapping", x + 4, x, 32768, 256);
    launch("misaligned", y + 1, x, 32768, 256);
}
END_CPP
mock=$KS_TEST_SOURCE/tests/dispatch
g++ -I"$mock" -c main.cpp -o main.o && gcc -c "$mock/mock_cudart.c" "$mock/mock_memory.c" &&
    g++ -pthread main.o a.o mock_cudart.o mock_memory.o -o app -ldl || fail "no program"
./app > launched || fail "the program fails"
# launches WHAT ID: ID is none for the original.
launches() {
    local name
    name=$(sed -n "s/^$1 launches //p" launched)
    case $2 in
    none) [[ $name == _Z5scalePfPKff* ]] ;;
    *) [[ $name == *ks_$2* ]] ;;
    esac || { cat launched; fail "$1 does not launch $2"; }
}
for n in 32 1024 2048 2049; do launches "n:$n" "$small"; done
for n in 8192 32768 32769; do launches "n:$n" "$large"; done
for n in 25 2050 5000 8191 32770 250000; do launches "n:$n" none; done
for other in other-block:1024 in-place:1024 overlapping:32768 misaligned:32768; do launches $other none; done

# One that is a little faster everywhere, and one that beats it where it is far faster and loses elsewhere.
rm -r .ks
tuned steady
all=$(grep -l -- '- workload: small' .ks/*/*.yaml)
grep -q -- '- workload: large' "$all" || fail "no variant is for both"
large=$(grep -L -- '- workload: small' .ks/*/*.yaml)
[ "$(wc -l <<< "$large")" = 1 ] && [ -s "$large" ] || fail "not one variant for large sizes alone: $large"
grep -q '^domain: n >= 8192 && n <= 32769 ' "$large" || fail "the domain of $large"
all=$(basename "$all" .yaml) large=$(basename "$large" .yaml)
compile -arch=sm_90 -c a.cu -o a.o
g++ -pthread main.o a.o mock_cudart.o mock_memory.o -o app -ldl && ./app > launched || fail "no second program"
for n in 1024 2049; do launches "n:$n" "$all"; done
for n in 8192 32769; do launches "n:$n" "$large"; done
for n in 32770 250000; do launches "n:$n" none; done

# Two shapes, either of which is larger than the other in one size: each has the domain of its own, although squares of
# 128 were run for both.
rm -r .ks
cat > b.cu <<'END_CU'
#pragma ks optimize
#pragma ks workload name(wide) let(rows=8) let(cols=250) set(a=2) in(x[rows*cols]) out(y[rows*cols]) grid(ceildiv(rows*cols,256)) block(256)
#pragma ks workload name(square) let(rows=96) let(cols=80) set(a=2) in(x[rows*cols]) out(y[rows*cols]) grid(ceildiv(rows*cols,256)) block(256)
__global__ void scale(float *y, const float *x, float a, int rows, int cols)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < rows * cols)
        y[i] = a * x[i];
}
void run(float *y, float *x, int rows, int cols)
{
    scale<<<(rows * cols + 255) / 256, 256>>>(y, x, 2.f, rows, cols);
}
END_CU
tuned shapes b.cu
for name in wide square; do
    file=$(grep -l -- "- workload: $name" .ks/*/*.yaml)
    [ "$(wc -l <<< "$file")" = 1 ] && [ -s "$file" ] || fail "variants for $name: $file"
    declare "$name=$(basename "$file" .yaml)"
done
[ "$wide" != "$square" ] || fail "one variant for both shapes"
grep -q '^domain: rows >= [0-9]* && rows <= 9 && cols >= [0-9]* && cols <= 251 ' ".ks/"*"/$wide.yaml" ||
    fail "the domain of $wide"
grep -q '^domain: rows >= [0-9]* && rows <= 97 && cols >= [0-9]* && cols <= 81 ' ".ks/"*"/$square.yaml" ||
    fail "the domain of $square"
compile -arch=sm_90 -c b.cu -o b.o
substituted b.o && reason applied
cat > shapes.cpp <<'END_CPP'
#include <cstdio>
#include <cstdlib>
#include "mock_cudart.h"
void run(float *y, float *x, int rows, int cols);
int main()
{
    float *x = (float *)std::aligned_alloc(256, 1 << 20), *y = (float *)std::aligned_alloc(256, 1 << 20);
    static const int shapes[][2] = {{8, 250}, {9, 251}, {96, 80}, {97, 81}, {8, 252},
                                    {10, 250}, {98, 80}, {96, 82}, {128, 128}, {32, 256}};
    for (auto &shape : shapes) {
        mock_reset();
        run(y, x, shape[0], shape[1]);
        std::printf("%dx%d launches %s\n", shape[0], shape[1], mock_n == 1 ? mock_log[0].name : "?");
    }
}
END_CPP
g++ -I"$mock" -c shapes.cpp -o shapes.o && g++ -pthread shapes.o b.o mock_cudart.o mock_memory.o -o app -ldl &&
    ./app > launched || fail "no program of shapes"
for shape in 8x250 9x251; do launches $shape "$wide"; done
for shape in 96x80 97x81; do launches $shape "$square"; done
for shape in 8x252 10x250 98x80 96x82 128x128 32x256; do launches $shape none; done
no_litter
