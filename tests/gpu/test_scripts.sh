#!/usr/bin/env bash
# What run.sh and mutation.sh say and how they end, where a stand-in for `ks` and its fellows judges: what was not built,
# not judged, or judged too seldom, is no success.
#   tests/gpu/test_scripts.sh SOURCE
set -u
root=$1
scratch=$(mktemp -d) || exit 1
trap 'rm -rf "$scratch"' EXIT
mkdir -p "$scratch/build/bin" "$scratch/build/tests"
bin=$scratch/build/bin
fail() { echo "FAILED: $*"; cat "$scratch/out"; exit 1; }
# run WANT WORDS...: ends with status 0 or not, the output in `out`.
run() {
    local want=$1 status
    shift
    "$@" > "$scratch/out" 2>&1
    status=$?
    [ "$want" = 0 ] && [ $status != 0 ] && fail "$*: exit $status"
    [ "$want" != 0 ] && [ $status = 0 ] && fail "$*: exit 0"
}
has() { grep -q -e "$1" "$scratch/out" || fail "nothing says '$1'"; }

# ks: a GPU is there; verdicts as $ENDING says, of fixture $ODD as $ODD_ENDING.
cat > "$bin/ks" << 'END'
#!/bin/sh
case $* in
doctor) echo 'gpu     ok  stand-in, sm_90, driver 1' ;;
*--only=*)
    id=${*##*--only=} ending=ok
    case $id in "${ODD:-none}"-*) ending=$ODD_ENDING ;; esac
    [ "$ending" = "" ] || echo "$ending $id CORRECT"
    [ "$ending" != FAIL ] ;;
esac
END
chmod +x "$bin/ks"
export PARTS=oracle JOBS=2 ODD ODD_ENDING
all=$(ls -d "$root"/tests/oracle/[AR][0-9]*/ | wc -l)
run 0 "$root/tests/gpu/run.sh" "$scratch/build" "$scratch/o"
has "^ok   tolerances measured in double: $all of $all verdicts"
ODD=A03
for ODD_ENDING in -- ''; do
    run 1 "$root/tests/gpu/run.sh" "$scratch/build" "$scratch/o"
    has "^FAIL tolerances measured in double: $((all - 1)) of $all verdicts"
    [ "$ODD_ENDING" = '' ] || has "^$ODD_ENDING A03-"
done
# What is not built fails.
PARTS=adversarial run 1 "$root/tests/gpu/run.sh" "$scratch/build" "$scratch/o"
has '^FAIL adversarial suite: bin/ks-weak is not built'
mkdir "$scratch/path" && ln -s "$(command -v false)" "$scratch/path/nvcc" # nothing is compiled here
PATH=$scratch/path:$PATH PARTS=device run 1 "$root/tests/gpu/run.sh" "$scratch/build" "$scratch/o"
has '^FAIL device self-test: '

# ks-mutate: two classes, $MANY and $FEW judged of each text and none let through but $LET of the first.
cat > "$bin/ks-mutate" << 'END'
#!/bin/sh
cat << TABLE
class       judged  killed  survived  excused  invalid  left    rate
operator  $MANY $((MANY - LET)) $LET 0 0 0 100.0%
fence     $FEW $FEW 0 0 0 0 100.0%
{"mutants": 1}
TABLE
END
chmod +x "$bin/ks-mutate"
export MANY=20 FEW=1 LET=0
mutation() { "$root/tests/gpu/mutation.sh" --device=emu "$scratch/build" "$scratch/m" "$@"; }
run 0 mutation && grep -q 'without a rate' "$scratch/out" && fail "a class of many has no rate"
FEW=0 run 0 mutation && has '^classes without a rate: fence (0 judged)$'
MANY=5 run 1 mutation && has '^too few mutants: '
MANY=5 run 0 mutation 5
LET=4 run 1 mutation
exit 0
