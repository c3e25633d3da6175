# The remembered steps of the tests' toolkit (remember_step.c): what comes out is what the real ones
# make, and nothing is remembered for what differs in anything that they read.
. "$KS_TEST_SOURCE/tests/lib.sh"
# The standard is C++14 where nothing is said of it.
export KS_TEST_STEPS_DIR=$PWD/looks # not the one that other tests share
standard() { # standard N WORDS...
    local want=$1 got
    shift
    got=$("$nvcc" --dryrun -c "$@" 2>&1 | grep -o 'std=c++[0-9]*' | sort -u)
    [ "$got" = "std=c++$want" ] || fail "$*: the standard is $got"
}
write_scale a.cu
standard 14 a.cu
standard 17 -std=c++17 a.cu
standard 20 a.cu --std c++20
NVCC_APPEND_FLAGS=-std=c++11 standard 11 a.cu
echo -std=c++20 > words
standard 20 -optf words a.cu
export KS_TEST_STEPS_DIR=$PWD/steps
known() { find steps -mindepth 2 -maxdepth 2 2> /dev/null | wc -l; }
# makes known|new WORDS...: the object and the messages of the real steps; `new`: some ran.
makes() {
    local want=$1 before
    shift
    rm -f a.o
    KS_TEST_STEPS=off "$nvcc" -objtemp "$@" -c a.cu -o a.o > out 2> log || fail "nvcc $*"
    mv a.o expected.o
    mv log expected.log
    before=$(known)
    "$nvcc" -objtemp "$@" -c a.cu -o a.o > out 2> log || fail "nvcc $*"
    same a.o expected.o
    same log expected.log
    [ "$(known)" = "$before" ] && [ "$want" = new ] && fail "$*: all was known"
    [ "$(known)" != "$before" ] && [ "$want" = known ] && fail "$*: not all was known"
}
write_scale a.cu
sed -i '1i #include "near.cuh"' a.cu
echo '__global__ void unused() { int never; }' > near.cuh
makes new -arch=sm_90
[ "$(known)" = 6 ] || fail "$(known) steps of a compile are remembered, not 6"
makes known -arch=sm_90
says never
HOME=/ MAKEFLAGS=-j2 makes known -arch=sm_90
makes new -arch=sm_90 -Xcompiler=-iquote,. # where the object goes, too
makes known -arch=sm_90 -Xcompiler=-iquote,.
makes new -arch=sm_90 -lineinfo
makes new -arch=sm_90 -Xcompiler=-O1
LANG=de_DE makes new -arch=sm_90
echo '__global__ void unused() { int NEVER; }' > near.cuh
makes new -arch=sm_90
says NEVER
sed -i 's/a \* x/3 * a * x/' a.cu
makes new -arch=sm_90
# A header in front of another, and gone again; found by a macro, and by __has_include.
mkdir front behind
echo '#define FACTOR 2' > behind/factor.cuh
for text in '#include "factor.cuh"' '#define NAME "factor.cuh"\n#include NAME' \
        '#define FACTOR 2\n#if __has_include("factor.cuh")\n#include "factor.cuh"\n#endif'; do
    write_scale a.cu
    sed -i "1i $text" a.cu
    sed -i 's/a \* x/FACTOR * a * x/' a.cu
    makes new -arch=sm_90 -Ifront -Ibehind
    echo '#define FACTOR 3' > front/factor.cuh
    makes new -arch=sm_90 -Ifront -Ibehind
    rm front/factor.cuh
    makes known -arch=sm_90 -Ifront -Ibehind
done
# What tells the time is as it is now, though a header asks for it.
write_scale a.cu
echo '#include "when.h"' >> a.cu
echo 'const char *when() { return __TIMESTAMP__; }' > when.h
for year in 2001 2002; do
    touch -d "$year-02-03" when.h
    makes new -arch=sm_90
    strings -a a.o | grep -q " $year\$" || fail "another time than the file's"
done
write_scale a.cu
sed -i '1i #include "near.cuh"' a.cu
# Under --keep the files between the steps have other names, and say the same; the object does not.
"$nvcc" -arch=sm_90 -c a.cu -o kept.o 2> log || fail "nvcc"
before=$(known)
mkdir kept
"$nvcc" -arch=sm_90 --keep --keep-dir kept -c a.cu -o kept.o 2> log || fail "nvcc --keep"
[ "$(known)" = $((before + 1)) ] || fail "not the host's compile alone is another under --keep"
grep -q '"a.fatbin.c"' kept/a.cudafe1.stub.c || fail "another compile's name"
nm -a kept.o | grep -q ' a a.cudafe1.cpp$' || fail "another compile's name in the object"

# In another folder cudafe++ makes another id, which the host's compile has in its text. Lines in machine
# code are cicc's affair, debug information of the host tells the folder to all but cicc.
mkdir elsewhere
cp near.cuh elsewhere
{ cat a.cu; echo 'namespace { __device__ int of_this; __global__ void count() { of_this++; } }'; } |
    tee elsewhere/own.cu > own.cu
while read -r option others; do
    "$nvcc" -arch=sm_90 $option -c own.cu -o own.o 2> log || fail "nvcc"
    cd elsewhere || fail "cd"
    KS_TEST_STEPS=off "$nvcc" -objtemp -arch=sm_90 $option -c own.cu -o own.o 2> ../log || fail "nvcc"
    cp own.o expected.o
    before=$(cd .. && known)
    "$nvcc" -objtemp -arch=sm_90 $option -c own.cu -o own.o 2> ../log || fail "nvcc"
    cd .. || fail "cd"
    same elsewhere/own.o elsewhere/expected.o
    [ $(($(known) - before)) = "$others" ] || fail "$(($(known) - before)) steps are others elsewhere with $option"
done << 'END'
-lineinfo 3
-Xptxas=-O2 1
-g 4
END

# What the host's compile alone includes.
mkdir -p own/crt
for text in '' 'extern "C" { static int here __attribute__((used)); }'; do
    printf '#include_next <crt/host_runtime.h>\n#ifndef HERE\n#define HERE\n%s\n#endif\n' "$text" > \
        own/crt/host_runtime.h
    makes new -arch=sm_90 -Iown
done
nm a.o | grep -q ' b .*here$' || fail "another header was included"

# Each object holds the name of its own temporary file.
for name in one two; do
    "$nvcc" -arch=sm_90 -c a.cu -o $name.o 2> log || fail "nvcc"
    strings -a $name.o | grep -o 'tmpxft_[0-9a-f]*_[0-9a-f]*' | sort -u > $name.names
    [ "$(wc -l < $name.names)" = 1 ] || fail "$name.o does not hold one name"
done
cmp -s one.names two.names && fail "two compiles, one name"

# A failure is not remembered, and what it says is not lost.
sed '$ s/$/\nint broken = ;/' a.cu > broken.cu
for round in first second; do
    status 2 "$nvcc" -arch=sm_90 -c broken.cu -o broken.o
    says 'expected an expression'
done
grep -rq 'expected an expression' steps && fail "a failure is remembered"

# A right memory stands the comparison, a wrong one does not.
check() { env KS_TEST_STEPS=check "$nvcc" -arch=sm_90 -objtemp -c a.cu -o a.o; }
status 0 check
for file in steps/*/*/[0-9]*; do echo >> "$file"; done
status 98 check
