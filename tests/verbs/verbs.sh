# Sourced by the tests of this folder, behind tests/lib.sh.
# shellcheck shell=bash
. "$KS_TEST_SOURCE/tests/lib.sh"
ks=$KS_TEST_BIN/ks
[ -x "$ks" ] || skip "ks is not built"
export -n "${!KS_TEST_@}" # for this script alone: ks warns of variables that nothing reads
export CUDA_VISIBLE_DEVICES='' # no test of this folder is about the GPU of the machine

# has TEXT, lacks TEXT: of what the last `status` printed on stdout.
has() { grep -qF -e "$1" out || { cat out; fail "stdout lacks '$1'"; }; }
lacks() { grep -qF -e "$1" out && { cat out; fail "stdout has '$1'"; }; return 0; }
# json N VERB WORDS... [+ ARRAY...]: the report with --json, in `out`, is as docs/json.md says, ends
# with status N, and has rows in each ARRAY.
json() {
    local want=$1 words=()
    shift
    while [ $# -gt 0 ] && [ "$1" != + ]; do words+=("$1") && shift; done
    [ $# -gt 0 ] && shift
    status "$want" "$ks" --json "${words[@]}"
    "$KS_TEST_TOOLS/ks-json-check" "$KS_TEST_SOURCE/docs/json.md" out "$@" 2> check ||
        { cat check out; fail "ks ${words[*]} --json is not as documented"; }
}
# one_line: the complaint of the last `status` is one line, on stderr.
one_line() { [ "$(wc -l < log)" = 1 ] || fail "not one line"; }

# A worker that is no GPU: it says hello as one of architecture $1 and ends.
launcher() {
    cat > worker.sh <<END
#!/bin/sh
read -r line
echo '{"id":1,"ok":true,"protocol":1,"device":{"name":"test","driver":"none","arch":$1}}'
END
    chmod +x worker.sh
    export KS_DEVICE=$PWD/worker.sh
}
# plant WORDS... DIR KEY: a decision without a compiler, its path in $planted (ks-plant-decision).
plant() {
    planted=$("$KS_TEST_TOOLS/ks-plant-decision" "$@" 2> log) || fail "ks-plant-decision $*"
}
# public FILE: the public half of a secret key's file, made if absent.
public() { "$make_variant" --public --key="$1"; }
