#!/bin/bash
# What ks-nvcc hands on: words, environment, folder, name, output, status and signals, as they came.
set -u
fake=$1 bin=$2
ks_nvcc=$bin/ks-nvcc
[ -x "$ks_nvcc" ] || { echo "skipped: ks-nvcc is not built"; exit 77; }
find . -mindepth 1 -delete
for name in "${!KS_@}" "${!NVCC_@}" "${!CUDA_@}" "${!XDG_@}"; do unset "$name"; done
export HOME=$PWD KS_NVCC_REAL=$fake
fail() { echo "FAILED: $*"; exit 1; }

# handed WORDS...: what the fake gets through ks-nvcc is what it gets directly.
handed() {
    rm -f direct through
    KS_FAKE_LOG=$PWD/direct "$fake" "$@" > direct.out 2> direct.err
    local want=$?
    KS_FAKE_LOG=$PWD/through "$ks_nvcc" "$@" > through.out 2> through.err
    local got=$?
    [ $got = $want ] || fail "$*: exit $got, not $want"
    # Besides the guard against recursion, `_` is the shell's name for what it ran.
    grep -av '^env KS_NVCC_ACTIVE=1\(:.*\)\{0,1\}$' through | sed 's|^env _=.*|env _|' > through.seen
    sed 's|^env _=.*|env _|' direct | diff - through.seen || fail "$*: other words or environment"
    diff direct.out through.out && diff direct.err through.err || fail "$*: other output"
}
echo 'int main() {}' > a.cu
: > 'odd $name "with" \ every'\''thing.cu'
# shellcheck disable=SC2016
{
    handed
    handed --version
    handed -V
    handed -v __cmake_determine_cuda
    handed a.o b.o -o program -lcudart -L/x -Xlinker=-rpath,/y
    handed -dlink a.o -o d.o
    handed -E a.cu
    handed -M a.cu -o -
    handed -x cu - -o a.o -c
    handed -c a.cu b.cu
    handed -c 'odd $name "with" \ every'\''thing.cu' -o 'o ut'
    handed -DX='"a b"' '-DY=$HOME`id`;rm *' -D 'Z=' '' ' ' -c a.cu
    handed -c a.cu -Xcompiler '-DQ=\"x\",-Wall' "-Xcompiler=-iquote,\"a, b\""
    handed --unknown-option-of-the-future value -c a.cu
    handed -G -c a.cu -o a.o
    handed --options-file none.opt -c a.cu
    handed -c none.cu
    handed "-D$(printf 'tab\there\nline')" -c a.cu
    handed -D"$(printf '\377\376 no UTF-8')" -c a.cu
    handed --dryrun -c a.cu
}
NVCC_APPEND_FLAGS='-DA -DB="c d"' NVCC_PREPEND_FLAGS=-O1 CUDA_VISIBLE_DEVICES=1 KS_REMARKS=all \
    KS_LOG=error handed -c a.cu
(mkdir -p 'sub dir' && cd 'sub dir' && handed -c ../a.cu) || fail "another folder"
# A long command.
many=()
for i in {1..3000}; do many+=("-DMACRO_NUMBER_$i=some_value_that_takes_room"); done
handed "${many[@]}" -c a.cu

# Options of ours are taken out, whatever stands around them; what only looks like one is not.
rm -f log
KS_FAKE_LOG=$PWD/log "$ks_nvcc" --ks-mode=off -c --ks-remarks=all a.cu --ks-budget=5 -ks -DKS --ksx
printf '%s\n' "arg $fake" "arg -c" "arg a.cu" "arg -ks" "arg -DKS" "arg --ksx" > expected
grep '^arg' log | diff expected - || fail "own options"

# argv[0] is the real nvcc's path, also through a link; a link of another name keeps its own.
mkdir -p links kit/bin
cp "$fake" kit/bin/nvcc
ln -s ../kit/bin/nvcc links/nvcc
KS_NVCC_REAL=$PWD/links/nvcc KS_FAKE_LOG=$PWD/log2 "$ks_nvcc" --version > /dev/null
grep -qx "arg $PWD/kit/bin/nvcc" log2 || fail "argv[0] through a link: $(cat log2)"
ln -s ../kit/bin/nvcc links/launcher
KS_NVCC_REAL=$PWD/links/launcher KS_FAKE_LOG=$PWD/log3 "$ks_nvcc" --version > /dev/null
grep -qx "arg $PWD/links/launcher" log3 || fail "argv[0] of another name: $(cat log3)"
# Found on PATH, ks-nvcc under the name nvcc passed over.
ln -s "$ks_nvcc" nvcc
rm -f log4
env -u KS_NVCC_REAL PATH="$PWD:$PWD/kit/bin:$PATH" KS_FAKE_LOG="$PWD/log4" ./nvcc --version > /dev/null
grep -qx "arg $PWD/kit/bin/nvcc" log4 || fail "found on PATH: $(cat log4)"

# Exit statuses and signals.
for status in 0 1 2 77 255; do
    KS_FAKE_EXIT=$status handed -c a.cu
done
cat > kit/dies <<'END'
#!/bin/sh
kill -TERM $$
END
chmod +x kit/dies
KS_NVCC_REAL=$PWD/kit/dies "$ks_nvcc" -c a.cu
[ $? = 143 ] || fail "a signal is not passed on"
KS_FAKE_STDERR='a word of nvcc' handed -c a.cu

# No nvcc: one sentence and a status of its own.
KS_NVCC_REAL=/no/such/nvcc "$ks_nvcc" -c a.cu 2> err
[ $? = 110 ] && [ "$(wc -l < err)" = 1 ] && grep -q KS_NVCC_REAL err || fail "no nvcc: $(cat err)"
KS_NVCC_REAL=$ks_nvcc "$ks_nvcc" -c a.cu 2> err
[ $? = 110 ] && grep -q 'ks-nvcc itself' err || fail "itself: $(cat err)"

# Closed standard streams: nothing of ours lands in a file.
KS_FAKE_CREATE=1 "$ks_nvcc" -c a.cu -o closed.o 0<&- 1>&- 2>&-
[ "$(cat closed.o)" = "fake object : a.cu" ] || fail "closed streams"

# The fingerprint: stable, and another when the index changes.
mkdir project && touch project/ks.yaml && cd project || exit 1
one=$("$ks_nvcc" --ks-fingerprint) && [ ${#one} = 64 ] || fail "fingerprint '$one'"
[ "$("$ks_nvcc" --ks-fingerprint)" = "$one" ] || fail "fingerprints differ"
mkdir .ks && echo "x y z" > .ks/index
[ "$("$ks_nvcc" --ks-fingerprint)" != "$one" ] || fail "the fingerprint stays"
