# Sourced by the tests of tests/stress: a scene, in which recorded compiles are played back. Expects what
# tests/lib.sh expects, and KS_TEST_TAPE, the folder of the recordings.
# shellcheck shell=bash
thorough=${KS_STRESS:-} # before a fresh environment
. "$KS_TEST_SOURCE/tests/lib.sh"
fake=$KS_TEST_BIN/../tests/fake/bin/nvcc
hammer=$KS_TEST_TOOLS/hammer
[ -x "$hammer" ] || skip "hammer is not built (x86-64 Linux only)"
words=(-arch=sm_90 -MD -MF a.d -c a.cu -o a.o)

# A folder like a toolkit's, outside the scene, with the stand-in for nvcc. Files of the toolkit are told
# apart by inode: it is made once.
set_kit() {
    kit=$KS_TEST_TAPE/kit
    if [ ! -d "$kit" ]; then
        mkdir -p "$kit/bin" "$kit/nvvm/bin" "$kit/include"
        touch "$kit/bin/ptxas" "$kit/nvvm/bin/cicc" "$kit/include/cuda_runtime.h"
        cp "$fake" "$kit/bin/nvcc"
    fi
    export KS_NVCC_REAL=$kit/bin/nvcc
}

# enter: makes the folder w anew and its surroundings those of a run there.
enter() {
    cd "$scene" || fail "no scene"
    rm -rf w
    mkdir -p w/home/.config w/tmp
    cd w || fail "no folder w"
    export HOME=$PWD/home TMPDIR=$PWD/tmp KS_FAKE_ROOT=$PWD KS_FAKE_TAPE=$KS_TEST_TAPE/tape
    cache=$HOME/.cache/ks
    [ ! -d "$KS_TEST_TAPE/config" ] || cp -r "$KS_TEST_TAPE/config" "$HOME/.config/ks"
    write_scale a.cu
    sed -i 's/^{$/{\n    int unused;/' a.cu # a warning: twice or never would be seen
    write_scale4 p.yaml
    touch ks.yaml
    touch -d '2020-01-01' a.cu p.yaml ks.yaml
}

# steps: what is done in a scene, by name; each leaves a state behind.
unmark() { sed -i '/#pragma/d' a.cu; }
compiled() { KS_REMARKS=all compile "${words[@]}"; }
with_variant() { variant p.yaml a.cu -- "${words[@]:0:1}"; }

# keep_state: what is in w now is what each run starts from, but for outputs, which are old ones.
keep_state() {
    rm -rf ../state out log tmp/*
    echo "an old object" > a.o
    echo "a.o : old.h" > a.d
    cp -a . ../state
    ln -sfn "$KS_TEST_TAPE/tape" ../tape
    cd "$scene" || fail "no scene"
}
known_object() { # known_object FILE [plain|shadow]: some recorded compile made it
    local kind path
    while read -r kind path; do
        [ "${2:-$kind}" = "$kind" ] && cmp -s "$1" "$path" && return
    done < "$KS_TEST_TAPE/tape/objects"
    fail "$1 is no object that nvcc made${2:+ of a $2}"
}
scene=$PWD
