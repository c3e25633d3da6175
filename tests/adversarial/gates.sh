#!/usr/bin/env bash
# What of tests/adversarial needs no device: rejects that the gates decide, with their defence on and off,
# and that every accepted one passes the gates.
#   tests/adversarial/gates.sh BUILD SOURCE
set -u
build=$1 source=$2
command -v nvcc > /dev/null || [ -x "${CUDA_PATH:-/usr/local/cuda}/bin/nvcc" ] || { echo "no nvcc here: skipped"; exit 77; }
scratch=$(mktemp -d) || exit 1
trap 'rm -rf "$scratch"' EXIT
export CUDA_VISIBLE_DEVICES='' KS_CACHE_DIR=$scratch/cache KS_STATE_DIR=$scratch/state \
    KS_CONFIG_DIR=$scratch/config
unset KS_MODE
export KS_DEVICE=none
bad=0
fail() { echo "FAIL: $*"; bad=1; }
# Where this machine cannot confine, the gates are tried all the same.
unconfined=--no-sandbox
"$build/bin/ks" doctor | grep -q '^sandbox  *ok' && unconfined=
number() { sed -n "s/^  \"$1\": \([0-9]*\),*$/\1/p" "$scratch/report"; }

"$build/bin/ks-weak" --json verify --suite "$source/tests/adversarial" $unconfined > "$scratch/report" 2> "$scratch/log"
status=$?
"$build/tests/ks-json-check" "$source/docs/json.md" "$scratch/report" fixtures 'fixtures[].checks' ||
    fail "the report is not as docs/json.md says"
[ $status = 0 ] || { fail "status $status"; cat "$scratch/log"; }
[ "$(number failed)" = 0 ] || fail "$(number failed) fixtures got another verdict"
[ "$(number weakened)" -ge 23 ] || fail "only $(number weakened) judged without their defence"
[ "$(number weakened_failed)" = 0 ] || fail "$(number weakened_failed) rejected with their defence off"
# Every row of the catalogue is there.
for row in $(seq -f 'R%02g' 1 44) $(seq -f 'A%02g' 1 25) $(seq -f 'E%02g' 1 50); do
    ls -d "$source/tests/adversarial/$row"*/ > /dev/null 2>&1 || fail "no fixture for $row"
done

# A folder that is none, and a fixture that is not right, are told by name.
"$build/bin/ks" verify --suite "$scratch/none" > /dev/null 2> "$scratch/log"
[ $? = 2 ] && grep -q 'no folder of fixtures' "$scratch/log" || fail "a missing folder"
mkdir -p "$scratch/suite/X01-odd"
cp "$source/tests/adversarial/E06-spliced-line/proposal.yaml" "$scratch/suite/X01-odd/"
cp "$source/tests/adversarial/kernels/vadd.cu" "$scratch/suite/X01-odd/kernel.cu"
printf 'expect: [WRNOG]\n' > "$scratch/suite/X01-odd/expect.yaml"
"$build/bin/ks" verify --suite "$scratch/suite" $unconfined > /dev/null 2> "$scratch/log"
[ $? = 2 ] && grep -q 'expect.yaml:1: `WRNOG`' "$scratch/log" || { cat "$scratch/log"; fail "a wrong outcome"; }
printf 'expect: [STATIC]\ndefence: txet-gate\n' > "$scratch/suite/X01-odd/expect.yaml"
"$build/bin/ks" verify --suite "$scratch/suite" $unconfined > /dev/null 2> "$scratch/log"
[ $? = 2 ] && grep -q 'no defence `txet-gate`' "$scratch/log" || fail "a wrong defence"

# refused FILE TEXT WORDS: with that text in the file nothing is judged, and it says where and why.
refused() {
    printf "$2" > "$scratch/suite/$1"
    "$build/bin/ks" verify --suite "$scratch/suite" $unconfined > /dev/null 2> "$scratch/log"
    [ $? = 2 ] && grep -qF -- "$1:$3" "$scratch/log" || { cat "$scratch/log"; fail "$1 of $2"; }
}
yaml=X01-odd/expect.yaml
refused $yaml 'expect: [STATIC]\ntimed: true\n' '2: `timed` is yes or no'
refused $yaml 'expect: [STATIC]\ndefence: text-gate\n' '2: `weakened` says how'
refused $yaml 'expect: [STATIC]\ndefence: text-gate\nweakened: {expect: [CORRECT]}\n' '3: `off` lists the defence'
refused $yaml 'expect: [STATIC]\ndefence: text-gate\nweakened: {off: [static-gate]}\n' '3: `off` lists the defence'
refused $yaml 'expect: [WRONG]\ndefence: comparison\nweakened: {off: [shapes]}\n' '3: `weakened` needs a `defence`'
refused $yaml 'expect: [CORRECT]\nweakened: {off: [shapes]}\n' '2: `weakened` needs a `defence`'
refused $yaml 'expect: [WRONG]\ndefence: shapes\nweakened: {off: [shapes], emu_expect: [CORECT]}\n' '3: `CORECT` is no outcome'
refused $yaml 'expect: [WRONG]\nemu_expect: [CORRECT]\n' "2: unknown key 'emu_expect'"
refused $yaml 'expect: [CORRECT]\nweakened: "a reason"\n' '2: '
refused $yaml 'expect: [CORRECT]\nnvcc:\n  - -O2\n  - -ccbin=/bin/false\n' "4: nvcc's word \`-ccbin=/bin/false\`"
printf 'expect: [WRONG]\ndefence: comparison\nweakened: "a reason"\n' > "$scratch/suite/$yaml"
"$build/bin/ks" verify --suite "$scratch/suite" $unconfined > /dev/null 2> "$scratch/log"
[ $? != 2 ] || { cat "$scratch/log"; fail "why a fixture is not judged without what no build leaves out"; }
printf 'expect: [STATIC]\ndefence: text-gate\nweakened: "a reason"\n' > "$scratch/suite/$yaml"
refused suite.yaml 'laest: {none: {reject: 9}}\n' "1: unknown key 'laest'; did you mean 'least'?"
refused suite.yaml 'least:\n  nonee: {reject: 9}\n' "2: unknown key 'nonee'; did you mean 'none'?"
refused suite.yaml 'least:\n  none: {rejects: 9}\n' "2: unknown key 'rejects'; did you mean 'reject'?"
refused suite.yaml 'least:\n  none: {reject: some}\n' '2: `reject` is a number'
refused suite.yaml 'least:\n  none: 9\n' "2: expected 'key: value'"
rm "$scratch/suite/suite.yaml"

# A proposal that its loader refuses is STATIC, and no harm to what is compiled with it; a missing one is no verdict.
cp -r "$scratch/suite/X01-odd" "$scratch/suite/X02-unreadable"
reject='expect: [STATIC]\ndefence: text-gate\nweakened: {off: [text-gate]}\n'
printf "$reject" | tee "$scratch/suite/X01-odd/expect.yaml" > "$scratch/suite/X02-unreadable/expect.yaml"
sed -i 's/^plan:/when: "n >"\n&/' "$scratch/suite/X02-unreadable/proposal.yaml"
"$build/bin/ks" verify --suite "$scratch/suite" $unconfined > "$scratch/out" 2> /dev/null
[ $? = 0 ] && grep -q '^  ok X01-odd .*STATIC .*source:' "$scratch/out" && grep -q '^  ok X02.*STATIC .*proposal.yaml:' "$scratch/out" ||
    { cat "$scratch/out"; fail "a proposal that cannot be read"; }
rm "$scratch/suite/X02-unreadable/proposal.yaml"
"$build/bin/ks" verify --suite "$scratch/suite" $unconfined > "$scratch/out" 2> "$scratch/log"
[ $? != 0 ] && ! grep -q '^  ok X02' "$scratch/out" || fail "a missing proposal"
rm -r "$scratch/suite/X02-unreadable"

# A wrong expectation is seen: exit 1, and the fixture is named.
printf "${reject/STATIC/WRONG}" > "$scratch/suite/$yaml"
"$build/bin/ks" verify --suite "$scratch/suite" $unconfined > "$scratch/out" 2> /dev/null
[ $? = 1 ] && grep -q '^FAIL X01-odd' "$scratch/out" || fail "a wrong expectation passes"
# So is the right one for another reason: what is named must be what rejects, and nothing else once that is off.
while IFS='|' read -r text said; do
    printf "$text" > "$scratch/suite/$yaml"
    "$build/bin/ks-weak" verify --suite "$scratch/suite" $unconfined > "$scratch/out" 2> /dev/null
    [ $? = 1 ] && grep -q "^FAIL .*$said" "$scratch/out" || { cat "$scratch/out"; fail "$text"; }
done << 'END'
expect: [STATIC]\ndefence: static-gate\nweakened: "none"\n|STATIC .*the check `text` rejects it, and `static-gate` is named
expect: [STATIC]\ndefence: comparison\n|STATIC .*the check `text` rejects it, and `comparison` is named
expect: [STATIC]\ndefence: text-gate\nweakened: {off: [text-gate], expect: [COMPILE]}\n|without its defence
END
# The program that ships has no switches: nothing is judged without its defence.
printf "$reject" > "$scratch/suite/$yaml"
"$build/bin/ks" verify --suite "$scratch/suite" $unconfined > "$scratch/out" 2> /dev/null
[ $? = 0 ] && grep -q '; 0 without their defence' "$scratch/out" || fail "ks can be weakened"
# Too few judged is no success.
printf 'least:\n  none: {reject: 2, accept: 0}\n' > "$scratch/suite/suite.yaml"
"$build/bin/ks" verify --suite "$scratch/suite" $unconfined > "$scratch/out" 2> /dev/null
[ $? = 1 ] && grep -q 'too few judged' "$scratch/out" || fail "too few judged"
exit $bad
