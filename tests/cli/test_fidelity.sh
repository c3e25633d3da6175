#!/bin/bash
# The command lines of tests/data/fidelity, which tests/cmake/fidelity.sh gives to the real nvcc: what
# the stand-in gets through ks-nvcc is what it gets directly, word for word, with the same environment
# in the same order, in the same folder.
set -u
fake=$1 bin=$2
ks_nvcc=$bin/ks-nvcc
data=$(cd "$(dirname "$0")/../data/fidelity" && pwd)
[ -x "$ks_nvcc" ] || { echo "skipped: ks-nvcc is not built"; exit 77; }
find . -mindepth 1 -delete
for name in "${!KS_@}" "${!NVCC_@}" "${!CUDA_@}" "${!XDG_@}"; do unset "$name"; done
mkdir home tmp
export HOME=$PWD/home TMPDIR=$PWD/tmp KS_NVCC_REAL=$fake KS_FAKE_LOG LC_ALL=C
start=$PWD compared=0 failed=0

# side NAME PROGRAM LINE: the record of the calls in NAME. The environment gains one variable, and `_`
# is the shell's word for what it started.
side() {
    local name=$1 program=$2
    rm -rf work
    cp -a "$data/src" work
    mkdir work/out
    KS_FAKE_LOG=$start/record
    : > record
    (
        cd work || exit 99
        # shellcheck disable=SC2317 # the line calls it
        nvcc() { "$program" "$@"; }
        eval "$3"
    ) < /dev/null > out 2> err
    echo "exit $?" >> out
    sed '/^env KS_NVCC_ACTIVE=1\(:.*\)\{0,1\}$/d; s/^env _=.*/env _/' record out err > "$name"
}

# A marked file's compile may call nvcc more than once: those lists are for the real one alone.
for list in "$data"/*.txt; do
    case $list in */marked.txt | */substituted*.txt) continue ;; esac
    while IFS= read -r line <&9; do
        case $line in '' | '#'* | '@'*) continue ;; esac
        side direct "$fake" "$line"
        side through "$ks_nvcc" "$line"
        grep -q '^arg' direct || { echo "FAILED: calls nothing: $line"; failed=1; }
        compared=$((compared + 1))
        cmp -s direct through && continue
        echo "FAILED: $line"
        diff direct through | sed 's/^/  /'
        failed=$((failed + 1))
    done 9< "$list"
done
[ -z "$(find home tmp -mindepth 1)" ] || { echo "FAILED: left behind: $(find home tmp)"; failed=1; }
echo "$compared command lines compared"
[ $compared -ge 120 ] && [ $failed = 0 ]
