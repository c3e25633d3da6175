# The remembered steps of the tests' toolkit (remember_step.c): what comes out is what the real ones
# make, and nothing is remembered for what differs in anything that they read.
. "$KS_TEST_SOURCE/tests/lib.sh"
export KS_TEST_STEPS_DIR=$PWD/steps
known() { find steps -mindepth 1 -maxdepth 1 2> /dev/null | wc -l; }
# makes known|new WORDS...: the object and the messages of the real steps; `new`: some ran.
makes() {
    local want=$1 before
    shift
    rm -f a.o
    KS_TEST_STEPS=off "$nvcc" -std=c++14 -objtemp "$@" -c a.cu -o a.o > out 2> log || fail "nvcc $*"
    mv a.o expected.o
    mv log expected.log
    before=$(known)
    "$nvcc" -std=c++14 -objtemp "$@" -c a.cu -o a.o > out 2> log || fail "nvcc $*"
    same a.o expected.o
    same log expected.log
    [ "$(known)" = "$before" ] && [ "$want" = new ] && fail "$*: all was known"
    [ "$(known)" != "$before" ] && [ "$want" = known ] && fail "$*: not all was known"
}
write_scale a.cu
sed -i '1i #include "near.cuh"' a.cu
echo '__global__ void unused() { int never; }' > near.cuh
makes new -arch=sm_90
[ "$(known)" = 3 ] || fail "$(known) steps of a compile are remembered, not 3"
makes known -arch=sm_90
says never
makes new -arch=sm_90 -lineinfo
makes new -arch=sm_90 -Xcompiler=-O1
LANG=de_DE makes new -arch=sm_90
echo '__global__ void unused() { int NEVER; }' > near.cuh
makes new -arch=sm_90
says NEVER
sed -i 's/a \* x/3 * a * x/' a.cu
makes new -arch=sm_90
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
    "$nvcc" -std=c++14 -arch=sm_90 -c a.cu -o $name.o 2> log || fail "nvcc"
    strings -a $name.o | grep -o 'tmpxft_[0-9a-f]*_[0-9a-f]*' | sort -u > $name.names
    [ "$(wc -l < $name.names)" = 1 ] || fail "$name.o does not hold one name"
done
cmp -s one.names two.names && fail "two compiles, one name"

# A failure is not remembered, and what it says is not lost.
sed '$ s/$/\nint broken = ;/' a.cu > broken.cu
before=$(known)
for round in first second; do
    status 2 "$nvcc" -std=c++14 -arch=sm_90 -c broken.cu -o broken.o
    says 'expected an expression'
done
[ "$(known)" = "$before" ] || fail "a failure is remembered"

# A right memory stands the comparison, a wrong one does not.
check() { env KS_TEST_STEPS=check "$nvcc" -std=c++14 -arch=sm_90 -objtemp -c a.cu -o a.o; }
status 0 check
for file in steps/*/[0-9]*; do echo >> "$file"; done
status 98 check
