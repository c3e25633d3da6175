# Sourced by the tests of this folder, behind those of verbs: a kernel that no template knows, a scripted model.
# shellcheck shell=bash
. "$KS_TEST_SOURCE/tests/verbs/verbs.sh"
. "$KS_TEST_SOURCE/tests/agent/replies.sh"
command -v python3 > python || skip "no python3"
"$ks" doctor > out || true
grep -q '^sandbox  *ok' out || skip "no sandbox here: $(grep '^sandbox' out)"
mkdir replies
touch ks.yaml
cp "$KS_TEST_SOURCE/tests/agent/comb.cu" .
scripted="command:$KS_TEST_SOURCE/tests/agent/scripted.py $PWD/replies"
# ask WORDS...: tunes comb.cu with models alone.
ask() { json 0 tune comb.cu --device emu --no-engine "$@" -- -arch=sm_90; }
# counts NAME N: of the last report.
counts() { grep -qE "\"$1\": $2(\.0)?,?\$" out || { cat out; fail "$1 is not $2"; }; }
