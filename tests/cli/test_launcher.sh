#!/bin/bash
# ks-nvcc as a compiler launcher ("ks-nvcc /path/nvcc WORDS"), and a launcher behind ks-nvcc
# (KS_NVCC_LAUNCHER): which program gets which words.
set -u
fake=$1 bin=$2
ks_nvcc=$bin/ks-nvcc
[ -x "$ks_nvcc" ] || { echo "skipped: ks-nvcc is not built"; exit 77; }
find . -mindepth 1 -delete
for name in "${!KS_@}" "${!NVCC_@}" "${!CUDA_@}" "${!XDG_@}"; do unset "$name"; done
export HOME=$PWD
fail() { echo "FAILED: $*"; exit 1; }
echo 'int main() {}' > a.cu
mkdir tools other
cat > tools/launch <<END
#!/bin/sh
echo "\$@" >> $PWD/launched
exec "\$@"
END
cp tools/launch tools/named-nvcc
chmod +x tools/*
# Another nvcc, which nobody is to call.
printf '#!/bin/sh\necho wrong >> %s/launched\n' "$PWD" > other/nvcc
chmod +x other/nvcc

# gets LAUNCHED WORDS... -- COMMAND...: nvcc was called once, as `fake` with these words, and the launcher
# with LAUNCHED in front of the same ("": it was not).
gets() {
    local launched=$1 words=()
    shift
    while [ "$1" != -- ]; do words+=("$1"); shift; done
    shift
    rm -f log launched
    KS_FAKE_LOG=$PWD/log "$@" > out 2> err || fail "$* exits with $?: $(cat err)"
    printf 'arg %s\n' "$fake" "${words[@]}" > expected
    grep '^arg' log | diff expected - || fail "$*: nvcc gets other words"
    if [ -n "$launched" ]; then
        echo "$launched ${words[*]}" | diff - launched || fail "$*: the launcher gets other words"
    elif [ -e launched ]; then
        fail "$*: the launcher is called: $(cat launched)"
    fi
}
compile=(-c a.cu -o a.o)
export KS_NVCC_REAL=$PWD/other/nvcc

# The nvcc named on the command line is the real one, whatever else is set.
gets "" "${compile[@]}" -- "$ks_nvcc" "$fake" "${compile[@]}"
gets "" "${compile[@]}" -- "$ks_nvcc" --ks-mode=off --ks-remarks=all "$fake" --ks-budget=5 "${compile[@]}"
gets "" --version -- "$ks_nvcc" "$fake" --version
gets "" a.o -o program -- "$ks_nvcc" "$fake" a.o -o program
PATH=${fake%/*}:$PATH gets "" "${compile[@]}" -- "$ks_nvcc" nvcc "${compile[@]}"
gets "$fake" "${compile[@]}" -- "$ks_nvcc" "$PWD/tools/launch" "$fake" "${compile[@]}"
PATH=$PWD/tools:$PATH gets "$fake" "${compile[@]}" -- "$ks_nvcc" launch "$fake" "${compile[@]}"

# Words that only look so.
export KS_NVCC_REAL=$fake
gets "" a.o nvcc -o program -- "$ks_nvcc" a.o nvcc -o program
gets "" -c nvcc.cu -- "$ks_nvcc" -c nvcc.cu
gets "" "${compile[@]}" nvcc -- "$ks_nvcc" "${compile[@]}" nvcc
# Both a launcher and the compiler.
gets "" "${compile[@]}" -- "$ks_nvcc" "$ks_nvcc" "${compile[@]}"

# A launcher behind: compiles alone are its business, and it need not be there.
export KS_NVCC_LAUNCHER=$PWD/tools/launch
gets "$fake" "${compile[@]}" -- "$ks_nvcc" "${compile[@]}"
gets "$fake" -dc a.cu -- "$ks_nvcc" -dc a.cu
for words in --version "a.o -o program" "-E a.cu" "-v __cmake_determine_cuda" "a.cu -o program" \
             "-dlink a.o -o d.o"; do
    # shellcheck disable=SC2086
    gets "" $words -- "$ks_nvcc" $words
done
KS_NVCC_LAUNCHER=launch PATH=$PWD/tools:$PATH gets "$fake" "${compile[@]}" -- "$ks_nvcc" "${compile[@]}"
for absent in nowhere /nowhere/at/all "$PWD/tools" "$ks_nvcc"; do
    KS_NVCC_LAUNCHER=$absent gets "" "${compile[@]}" -- "$ks_nvcc" "${compile[@]}"
done
mkdir -p .config/ks
echo "launcher: $PWD/tools/launch" > .config/ks/config.yaml
unset KS_NVCC_LAUNCHER
gets "$fake" "${compile[@]}" -- "$ks_nvcc" "${compile[@]}"
exit 0
