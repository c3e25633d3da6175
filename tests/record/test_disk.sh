# ks record where the disk is full: a file system of its own. What was written is read, and the program is none the
# wiser.
. "$KS_TEST_SOURCE/tests/record/record.sh"
unshare -rm true 2> unshare.log || skip "no file system can be mounted here: $(cat unshare.log)"

# small STATUS SIZE WORDS...: ks in JSON, in the folder of a project on a disk of that size, whose files are then in `kept`.
small() {
    local want=$1 size=$2
    shift 2
    rm -rf kept && mkdir -p disk kept
    status "$want" unshare -rm bash -c 'mount -t tmpfs -o size=$0 none disk && cd disk && : > ks.yaml && "$@"
        ended=$?; cp -r . ../kept; exit $ended' "$size" "$ks" --json "$@"
}

app=$KS_TEST_TOOLS/record_app
small 0 64k record -o full.rec -- "$app" many
is '37 <= r["launches"] < 1000037' True
grep -q 'errno was changed' log && fail "the program noticed"
[ "$(stat -c %s kept/full.rec)" -gt 30000 ] || fail "little of it was kept"
json 0 record --report kept/full.rec
is '37 <= r["launches"] < 1000037' True

app=$KS_TEST_TOOLS/capture_app
LD_LIBRARY_PATH=$KS_TEST_FAKES "$app" > alone || fail "the program"
small 0 16k record --capture scale -- "$app"
grep -v '^ks record' log | cmp - alone || fail "the program's output is not its own"
says 'capture-failed: scale: cannot write .*: No space left on device'
is 'r["launches"]' 7
is '0 < len(r["captures"]) < 3' True
for id in $(field '" ".join(c["capture"] for c in r["captures"])'); do
    [ -s "kept/.ks/captures/$id.json" ] || fail "$id is told of, and not there"
done
