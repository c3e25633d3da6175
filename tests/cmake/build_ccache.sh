# ccache behind ks-nvcc and in front of it: real hits in between, and never an object that is out of date
# when a variant appears, changes, is withdrawn or comes back.
. "$KS_TEST_SOURCE/tests/lib.sh"
. "$KS_TEST_SOURCE/tests/cmake/build_lib.sh"
command -v ccache > /dev/null || skip "no ccache"
command -v git > /dev/null || skip "no git"

# counted MISSES HITS: what ccache did since the last time; direct hits, without a preprocessor.
counted() {
    local counts
    counts=$(ccache --print-stats | awk '
        $1 == "cache_miss" { miss = $2 } $1 == "direct_cache_hit" { hit = $2 }
        $1 == "preprocessed_cache_hit" { slow = $2 } END { print miss + 0, hit + 0, slow + 0 }')
    [ "$counts" = "$1 $2 0" ] || fail "ccache: $counts misses, direct and other hits, not $1 $2 0"
    ccache -z > /dev/null
}
is_plain() { plain a.o; }
has() { # has KERNEL: of a variant, and no other
    substituted a.o
    local kernels
    kernels=$(strings -a a.o | grep -oE 'scale[48]' | sort -u | tr '\n' ' ')
    [ "$kernels" = "$1 " ] || fail "a.o holds $kernels, not $1"
}
once() { "$@" > out 2> log || fail "$* exits with $?"; }

write_project
sed 's/scale4/scale8/g; s/1024/512/; s/\[256\]/[128]/' p.yaml > q.yaml
mkdir build && cd build || exit 1
words=(-arch=sm_90 -MD -MT a.o -MF a.d -x cu -c ../src/a.cu -o a.o)
export CCACHE_DIR=$PWD/ccache

# The states of the store, as tags; made without ccache.
once "$ks_nvcc" "${words[@]}"
cd ..
commit "without"
variant --lower=2 p.yaml src/a.cu -- "${arch[@]}"
commit "one"
git_src checkout -q without
variant --lower=2 q.yaml src/a.cu -- "${arch[@]}"
commit "other"
cd build || exit 1
git_src() { git -C ../src -c advice.detachedHead=false "$@" > log 2>&1 || fail "git $*"; }

# Behind. The compiles that find out which kernels there are and that prove a variant keep what nvcc leaves
# on the way, which ccache does not: they go past it. One proof is remembered for each command.
behind() { # behind STATE MISSES HITS CHECK...: compiled three times
    go "$1"
    for round in 1 2 3; do
        once "$ks_nvcc" "${words[@]}"
        "${@:4}"
        for file in ../src/a.cu "$PWD/../src/.ks/index" "$PWD/../src/ks.yaml"; do
            depends a.d "$(case $file in /*) realpath "$file" ;; *) echo "$file" ;; esac)"
        done
        grep -q shadow a.d && fail "the depfile names a shadow"
    done
    counted "$2" "$3"
}
masquerade=$PWD/masquerade
mkdir masquerade
ln -s "$(command -v ccache)" masquerade/nvcc
for way in launcher masquerade; do
    rm -rf "$cache" ccache
    case $way in
    launcher) export KS_NVCC_LAUNCHER=ccache ;;
    masquerade)
        unset KS_NVCC_LAUNCHER
        export KS_NVCC_REAL=$masquerade/nvcc PATH=${nvcc%/*}:$PATH
        ;;
    esac
    once "$ks_nvcc" -arch=sm_90 -c ../src/main.cu -o main.o # not marked: ccache's as it is
    once "$ks_nvcc" -arch=sm_90 -c ../src/main.cu -o main.o
    counted 1 1
    behind without 1 1 is_plain
    behind one 1 1 has scale4
    [ $way = launcher ] || continue
    behind other 1 1 has scale8
    behind without 0 3 is_plain
    behind one 0 2 has scale4
done
export KS_NVCC_REAL=$nvcc
unset KS_NVCC_LAUNCHER
KS_NVCC_LAUNCHER=$PWD/nowhere once "$ks_nvcc" "${words[@]}" # its absence costs no build
has scale4

# In front, with what docs/builds.md says, and with the project named instead of the depfile.
front() { # front STATE MISSES HITS CHECK...
    go "$1"
    for round in 1 2; do
        once ccache "$ks_nvcc" "${words[@]}"
        "${@:4}"
    done
    counted "$2" "$3"
}
for way in depend project; do
    rm -rf "$cache" ccache
    unset CCACHE_DEPEND
    case $way in
    depend)
        export CCACHE_DEPEND=1
        export CCACHE_COMPILERCHECK="%compiler% --ks-fingerprint"
        ;;
    project) export CCACHE_COMPILERCHECK="%compiler% --ks-fingerprint --ks-project=../src" ;;
    esac
    front without 1 1 is_plain
    front one 1 1 has scale4
    front without 0 2 is_plain
    front one 0 2 has scale4
    printf 'settings: {mode: off}\n' > ../src/ks.yaml
    front one 1 1 is_plain
    git_src checkout -q ks.yaml
    front one 0 2 has scale4
    [ $way = depend ] || continue
    front other 1 1 has scale8
    KS_MODE=off front one 1 1 is_plain
    KS_ACCEPT=modelled front one 1 1 has scale4
done
cd ..
no_litter
