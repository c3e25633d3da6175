#!/usr/bin/env bash
# The adversarial suite on this machine's GPU: every fixture of tests/adversarial, each reject also with its
# defence off. Prints a line a judgement and a closing line; exit 77 without a GPU. `--device=emu` needs none.
#   tests/gpu/adversarial.sh [--device=NAME] [BUILD] [OUT] [ID...]     OUT receives table and logs; JOBS=N at a time
set -uo pipefail
root=$(cd "$(dirname "$0")/../.." && pwd)
device=cuda
case ${1:-} in --device=*) device=${1#*=}; shift ;; esac
build=$(cd "${1:-$root/build}" && pwd)
mkdir -p "${2:-$build/gpu}"
out=$(cd "${2:-$build/gpu}" && pwd)
ids=("${@:3}")
unset KS_MODE KS_DISABLE KS_TRACE KS_DEPS
. "$root/tests/gpu/parts.sh"
[ "$device" != cuda ] || ! "$build/bin/ks" doctor | grep -q '^gpu .*none' || { echo "no GPU here: skipped"; exit 77; }
[ -x "$build/bin/ks-weak" ] || { echo "bin/ks-weak is not built, which judges with a defence off"; exit 1; }
cd "$root/tests/adversarial" || exit 1
[ ${#ids[@]} -gt 0 ] || ids=([ARE][0-9]*/)

# Fixtures are text from elsewhere: judged in the sandbox where this machine has one, and some of them without
# it too, for the same verdicts.
sandbox=$("$build/bin/ks" doctor | grep '^sandbox ')
echo "$sandbox"
unconfined=--no-sandbox
case $sandbox in sandbox*' ok '*) unconfined= ;; *) echo "no sandbox here: judged without one" ;; esac
both() {
    local way
    for way in "" --no-sandbox; do
        "$build/bin/ks" verify --device "$device" --suite . --only="$1" $way |
            awk '$1 == "ok" || $1 == "FAIL" || $1 == "--" { print $1, $2, $3 }'
    done
}
if [ -z "$unconfined" ] && [ ${#ids[@]} -gt 50 ]; then
    parts "$out/sandbox" both A01 A04 A06 R01 R09 R19 R29 R35
    told "$out/sandbox" txt | uniq -c | awk '
        $1 != 2 { print "FAIL in the sandbox and out of it:", $0; differ++ }
        END { if (NR == 8 && !differ) print "ok   8 fixtures: the same verdicts in the sandbox and out of it" }'
    told "$out/sandbox" txt | uniq -c | awk '$1 != 2 { differ++ } END { exit NR != 8 || differ }' || exit 1
fi

# ks-weak judges as ks does where no defence is off: one program for both columns.
judge() { "$build/bin/ks-weak" verify --device "$device" --suite . --only="${1%/}" $unconfined; }
parts "$out/adversarial" judge "${ids[@]}"
failed=$?

told "$out/adversarial" log >"$out/adversarial.log" # what it says beside the table
# The closing lines of all parts as one, held against what suite.yaml asks of this kind of device.
told "$out/adversarial" txt | awk -v least="$(sed -n 's/^ *'$device': {reject: \([0-9]*\), accept: \([0-9]*\)}.*/\1 \2/p' suite.yaml)" \
    -v failed=$failed -v all=$((${#ids[@]} > 50)) '
    / judged \(.* to reject, / {
        gsub(/[(,;]/, " ")
        judged += $1; reject += $3; accept += $6; wrong += $9
        for (i = 1; i < NF; i++) {
            if ($i == "not" && $(i + 1) == "judgeable" && $(i + 2) == "on") none += $(i - 1)
            if ($i == "without" && $(i + 2) == "defence") { weak += $(i - 1); weak_wrong += $(i + 3); weak_none += $(i + 7) }
        }
        next
    }
    { print }
    END {
        split(least, want, " ")
        few = all && (reject < want[1] || accept < want[2])
        printf "%d judged (%d to reject, %d to accept), %d of them wrongly; %d not judgeable; %d without their defence, %d of them wrongly, %d not judgeable%s\n",
            judged, reject, accept, wrong, none, weak, weak_wrong, weak_none, few ? "; too few judged" : ""
        exit failed > 0 || few
    }' | tee "$out/adversarial.txt"
exit "${PIPESTATUS[1]}"
