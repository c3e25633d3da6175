#!/bin/bash
# adversarial.sh BUILD SOURCE [all]: fixtures of tests/adversarial on the emulated device, those that only it or
# it too can judge; with `all` every one, and enough of them judged. Rejects by a defence that a build can leave out
# also without it, where that is quick: then R18's missing fence itself is found.
set -u
build=$1 source=$2 draw=${KS_TEST_DRAW-20}
nvcc=$(command -v nvcc || echo /usr/local/cuda/bin/nvcc)
[ -x "$nvcc" ] || { echo "no nvcc here: skipped"; exit 77; }
dir=$(mktemp -d) || exit 1
trap 'rm -rf "$dir"' EXIT
export HOME=$dir
unset KS_CACHE_DIR KS_STATE_DIR KS_CONFIG_DIR KS_MODE KS_DEVICE
only=(--only "A02,A05,A13,A16,A20,E21,E23,R01,R09,R16,R17,R23,R31,R35,R36")
[ "${3:-}" = all ] && only=()
bad=0
"$build/bin/ks" verify --suite "$source/tests/adversarial" --device=emu ${draw:+"--draw=$draw"} "${only[@]}" > "$dir/table" 2> "$dir/log" ||
    { cat "$dir/log"; bad=1; }
cat "$dir/table"
grep -q ' 0 not judgeable on' "$dir/table" || [ "${3:-}" = all ] || bad=1
grep -q '^  ok R35.*the emulated device ends a candidate at 50 times what the original took' "$dir/table" ||
    { echo "R35: nobody says whose limit it was"; bad=1; }
grep -Eq '^  ok R16.* race( under --seed [0-9]+)?: ' "$dir/table" || { echo "R16: the race is not named"; bad=1; }
weakened=(--only "E58,R01,R02,R04,R05,R06,R07,R08,R09,R12,R18,R19,R20,R22,R24,R26,R27,R28,R29,R32,R34,R46,R47")
want=23
[ "${3:-}" = all ] && weakened=() want=93
"$build/bin/ks-weak" verify --suite "$source/tests/adversarial" --device=emu ${draw:+"--draw=$draw"} "${weakened[@]}" > "$dir/weak" 2> "$dir/log" ||
    { cat "$dir/log"; bad=1; }
cat "$dir/weak"
grep -Eq '^  ok .*without its defence *UNSAFE .*race( under --seed [0-9]+)?: read of global memory' "$dir/weak" ||
    { echo "R18: the missing fence is not found"; bad=1; }
without=$(sed -n 's/.* \([0-9]*\) without their defence, .*/\1/p' "$dir/weak")
[ "${without:-0}" -ge $want ] || { echo "only ${without:-0} judged without their defence"; bad=1; }
exit $bad
