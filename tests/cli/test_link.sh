#!/bin/bash
# A command that compiles and links with a marked file in it: what nvcc is asked for, and that whatever
# fails on the way there is a program, made by nvcc, and nothing said.
set -u
export KS_TEST_BIN=$2 KS_TEST_TOOLS=$2 KS_TEST_SOURCE='' KS_TEST_NVCC=$1
. "$(dirname "$0")/../lib.sh"
export KS_FAKE_LOG=$PWD/called KS_FAKE_CREATE=1
write_scale a.cu
echo 'int main() {}' > plain.cu
cp plain.cu main.cpp
# calls WORDS...: what nvcc got, a call a line, with the folder of the objects called T.
calls() {
    rm -f called
    status 0 "$ks_nvcc" "$@"
    silent
    no_litter
    sed -n 's/^arg //p; s/^end$/;/p' called | tr '\n' ' ' | sed "s#[^ ]*/ks-link-[^/]*#T#g; s#[^ ]*/ks-keep-[^ ]*#K#g; s# ; #\n#g; s#$nvcc#nvcc#g"
}
expect() { diff - calls.txt || fail "not the calls"; }

calls plain.cu main.cpp -o app > calls.txt
expect <<'END'
nvcc plain.cu main.cpp -o app
END
calls main.cpp x.a a.cu plain.cu -lm -o app | grep -v -- --version > calls.txt
expect <<'END'
nvcc --dryrun main.cpp x.a a.cu plain.cu -lm -o app
nvcc main.cpp -lm -c -o T/0/main.o
nvcc --keep --keep-dir K a.cu -lm -c -o T/1/a.o -Xcompiler=-Wno-unknown-pragmas
nvcc plain.cu -lm -c -o T/2/plain.o
nvcc T/0/main.o x.a T/1/a.o T/2/plain.o -lm -o app
END
[ -e app ] || fail "no program"
KS_MODE=off calls a.cu -o app > calls.txt
expect <<'END'
nvcc a.cu -o app
END

# One fault at a time, at every other place, in this process and in that of the unit.
fault=$KS_TEST_BIN/../tests/ks-fault
[ -x "$fault" ] || skip "the rest: ks-fault is not built"
unset KS_FAKE_LOG
mkdir -p "$cache"
runs=0
for what in io=EIO disk=ENOSPC open=EMFILE memory=ENOMEM fork=EAGAIN flock=ENOLCK mkdir=SIGSEGV fork=SIGSEGV unlink=SIGSEGV; do
    for ((nth = 1; ; nth += 2)); do
        rm -rf app tmp
        mkdir tmp
        "$fault" ${what%=*}:$nth=${what#*=} "$ks_nvcc" a.cu main.cpp -o app > out 2> log
        got=$?
        [ $got != 123 ] || break
        [ $got != 125 ] || skip "the rest: nothing can be traced here"
        [ $got = 0 ] || fail "$nth $what: exits with $got"
        [ -e app ] || fail "$nth $what: no program"
        silent
        runs=$((runs + 1))
    done
done
[ $runs -gt 60 ] || fail "only $runs faults"
