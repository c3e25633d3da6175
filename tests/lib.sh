# Sourced by the tests of tests/cmake and tests/cli: a scratch folder, an empty home, words to check
# with. Expects KS_TEST_BIN (ks-nvcc), KS_TEST_TOOLS (ks-make-variant), KS_TEST_SOURCE, KS_TEST_NVCC.
# shellcheck shell=bash
set -u
export LC_ALL=C
skip() { echo "skipped: $*"; exit 77; }
fail() {
    echo "FAILED: $*"
    [ -f log ] && sed 's/^/  log: /' log
    exit 1
}

ks_nvcc=$KS_TEST_BIN/ks-nvcc
make_variant=$KS_TEST_TOOLS/ks-make-variant
[ -x "$ks_nvcc" ] || skip "ks-nvcc is not built"
nvcc=$KS_TEST_NVCC # a link in a toolkit's folder is called by its own name, as nvcc does
[ -e "$(dirname "$nvcc")/nvcc.profile" ] || nvcc=$(readlink -f "$nvcc")
[ -x "$nvcc" ] || skip "no nvcc"

# By hand too: what is no scratch folder is not emptied.
case $KS_TEST_SOURCE/ in "$PWD"/*) fail "run it from an empty folder: it empties the current one" ;; esac
[ "$PWD" != "${HOME:-/}" ] && ! git ls-files --error-unmatch . >/dev/null 2>&1 ||
    fail "run it from an empty folder: it empties the current one"

# Nothing of the caller's settings and caches; the scratch folder is the current one.
fresh() {
    local name
    for name in "${!KS_@}" "${!XDG_@}" "${!NVCC_@}" "${!CCACHE_@}"; do
        [[ $name == KS_TEST_* ]] || unset "$name"
    done
    unset CUDA_HOME CUDA_PATH CPATH C_INCLUDE_PATH CPLUS_INCLUDE_PATH MAKEFLAGS CUDACXX CUDAFLAGS
    chmod -R u+w . 2>/dev/null
    find . -mindepth 1 -delete
    export HOME=$PWD/home KS_NVCC_REAL=$nvcc TMPDIR=$PWD/tmp
    mkdir -p home tmp
    cache=$HOME/.cache/ks
}
fresh

# compile WORDS...: ks-nvcc, its stderr in `log`; fails the test if it fails.
compile() { "$ks_nvcc" --ks-remarks=all "$@" > out 2> log || fail "ks-nvcc $* exits with $?"; }
# status N COMMAND...: the exit status is N.
status() {
    local want=$1 got
    shift
    "$@" > out 2> log
    got=$?
    [ $got = "$want" ] || fail "$* exits with $got, not $want"
}
# reason NAME: the remark of the last compile ends with [ks:NAME].
reason() { grep -q "\[ks:$1\]\$" log || fail "no remark [ks:$1]"; }
says() { grep -q -e "$1" log || fail "nothing says '$1'"; }
silent() { [ ! -s log ] || fail "something is said"; }
has_section() { readelf -SW "$1" 2>/dev/null | grep -q " $2 "; }
substituted() {
    local section
    for section in .ks_hook .ks_table .ks_note; do
        has_section "$1" $section || fail "$1 has no section $section"
    done
}
plain() { has_section "$1" .ks_table && fail "$1 is substituted"; return 0; }
is_same() { cmp -s "$1" "$2"; }
same() { cmp "$1" "$2" || fail "$1 and $2 differ"; }
# depends DEPFILE PATH: PATH is a prerequisite.
depends() { tr -s ' \\\n' '\n' < "$1" | grep -qxF -e "$2" || fail "$1 does not name $2"; }
# What a compile left behind in the folder for temporary files.
no_litter() { [ -z "$(ls -A tmp)" ] || fail "left behind: $(ls -A tmp)"; }
# variant WORDS...: makes one, its path in $variant.
variant() {
    variant=$("$make_variant" "$@" 2> log) || fail "ks-make-variant $*"
    variant=${variant%%$'\n'*}
}

# count_runs: nvcc's compiles are counted from here on. runs N: there were N since the last look.
count_runs() {
    mkdir counting
    cat > counting/nvcc <<END
#!/bin/sh
case " \$* " in *" -c "* | *" -dc "*) echo run >> $PWD/runs ;; esac
exec $nvcc "\$@"
END
    chmod +x counting/nvcc
    export KS_NVCC_REAL=$PWD/counting/nvcc
    : > runs
}
runs() {
    local n
    n=$(wc -l < runs)
    : > runs
    [ "$n" = "$1" ] || fail "$n compiles, not $1"
}

# A unit with one marked kernel, and a proposal for it.
write_scale() { # write_scale FILE
    cat > "$1" <<'END'
#pragma ks optimize
#pragma ks workload let(n=4096) set(a=2) in(x[n]) out(y[n]) grid(ceildiv(n,256)) block(256)
__global__ void scale(float *y, const float *x, float a, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n)
        y[i] = a * x[i];
}

void run(float *y, float *x, int n) { scale<<<(n + 255) / 256, 256>>>(y, x, 2.f, n); }
END
}
write_scale4() { # write_scale4 FILE
    cp "$KS_TEST_SOURCE/tests/data/scale4.yaml" "$1"
}
