# ks-nvcc that meets itself where it looks for nvcc: by a link, a copy, a script, a toolkit's folder. It
# ends as nvcc would, or, where there is no nvcc at the end, with one line.
. "$KS_TEST_SOURCE/tests/stress/stress_lib.sh"
[ -f "$KS_TEST_TAPE/tape/objects" ] || skip "nothing is recorded"
set_kit
enter
with_variant && compiled && compiled && reason applied
keep_state
(cd state && "$KS_NVCC_REAL" "${words[@]:0:6}" -o ../plain.o) 2> want || fail "nvcc"
rm plain.o
mkdir -p link copy script home_a/bin home_b/bin
ln -s "$ks_nvcc" link/nvcc
cp "$ks_nvcc" copy/nvcc
printf '#!/bin/sh\nexec "%s" "$@"\n' "$ks_nvcc" > script/nvcc
ln -s "$ks_nvcc" home_a/bin/nvcc
cp "$ks_nvcc" home_b/bin/nvcc
chmod +x script/nvcc
export KS_SHARE_DIR=${KS_TEST_BIN%/*}/share/ks # a copy stands beside nothing
real=$KS_NVCC_REAL
unset KS_NVCC_REAL
PATH=$(dirname "$real"):/usr/bin:/bin

# ends NAME WORDS...: like nvcc, twice, in w.
ends() {
    local name=$1 round
    shift
    for round in 1 2; do
        rm -rf "$scene/w" && cp -a "$scene/state" "$scene/w" && cd "$scene/w" || fail "no folder"
        timeout 20 "$@" "${words[@]}" > out 2> log || fail "$name exits with $?"
        diff "$scene/want" log || fail "$name: another text"
        known_object a.o
        no_litter
    done
}
applied() { has_section a.o .ks_table || fail "$1 does not substitute"; }

PATH=$scene/link:$PATH ends "a link on PATH" nvcc
applied "a link on PATH"
PATH=$scene/copy:$PATH ends "a copy on PATH" nvcc
PATH=$scene/script:$PATH ends "a script on PATH" nvcc
PATH=$scene/script:$PATH ends "a script on PATH, by name" "$ks_nvcc"
PATH=$scene/copy:$scene/script:$scene/link:$PATH ends "all of them" nvcc
PATH=$scene/link:$scene/copy:$PATH ends "a link before a copy" nvcc
CUDA_HOME=$scene/home_a PATH=$scene/link:$PATH ends "CUDA_HOME leads back" nvcc
CUDA_HOME=$scene/home_b ends "CUDA_HOME holds a copy" "$ks_nvcc"
KS_NVCC_REAL=$scene/script/nvcc ends "KS_NVCC_REAL leads back" "$ks_nvcc"
KS_NVCC_REAL=$scene/copy/nvcc ends "KS_NVCC_REAL is a copy" "$ks_nvcc"

# No nvcc on PATH: the one in the usual place, or one line.
lost() {
    local name=$1 got
    shift
    cd "$scene/w" || fail "no folder"
    rm -f a.o
    timeout 60 "$@" "${words[@]}" > out 2> log
    got=$?
    if [ -x /usr/local/cuda/bin/nvcc ]; then
        [ $got = 0 ] && [ -s a.o ] || fail "$name exits with $got"
        return
    fi
    [ $got = 110 ] || fail "$name exits with $got, not 110"
    [ "$(wc -l < log)" = 1 ] || fail "$name: not one line"
}
PATH=$scene/script:/usr/bin:/bin lost "a script alone" nvcc
PATH=$scene/copy:$scene/script:/usr/bin:/bin lost "a copy and a script" nvcc
