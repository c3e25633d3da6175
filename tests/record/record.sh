# Sourced by the tests of this folder, behind tests/verbs/verbs.sh: the fake driver and CUPTI take the real
# ones' places.
# shellcheck shell=bash
. "$KS_TEST_SOURCE/tests/verbs/verbs.sh"
[ -e "$KS_TEST_FAKES/libcuda.so.1" ] || skip "the fake driver is not built"
app=$KS_TEST_TOOLS/record_app
export KS_CUPTI_DIR=$KS_TEST_FAKES
# field FILTER: what python makes of the report in `out`, as r.
field() { python3 -c "import json; r = json.load(open('out')); print($1)"; }
command -v python3 > /dev/null || skip "no python3"
# is FILTER VALUE
is() { [ "$(field "$1")" = "$2" ] || { cat out; fail "$1 is $(field "$1"), not $2"; }; }
