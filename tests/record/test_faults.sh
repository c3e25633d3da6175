# ks record: programs that end badly, a CUPTI that is not there or refuses, a full disk. The recording so far is
# readable and the program ends as it would.
. "$KS_TEST_SOURCE/tests/record/record.sh"

# run HOW STATUS: in JSON; the launches before the end are all there.
run() {
    json "$2" record -- "$app" "$1" + kernels
    is 'r["launches"]' "${3:-37}"
    is 'r["torn"]' 0
}
run _exit 3
is 'r["sessions"][0]["ended"]' False
says 'ended by a crash, exec or _exit'
run crash 139
run abort 134
says 'ended by a crash, exec or _exit'
run killed 137
run contexts 0 77 # of two devices by turns
is 'sorted(c["launches"] for c in r["kernels"][0]["classes"])' '[10, 20, 40]'
run reset 0      # a reset of the device takes records along
run exec 0 74    # two sessions under one process id
is '[s["ended"] for s in r["sessions"]]' '[False, True]'
run fork 0       # the child's exit writes nothing
is '[s["ended"] for s in r["sessions"]]' '[True]'
run close 0      # descriptors of the program are its own
lacks 'errno was changed'

# Beyond the limit on file sizes: no signal, no word from the program's side, and what was written is read.
json 0 record -o full.rec -- "$app" full + kernels
is 'r["launches"] < 2037 and r["launches"] >= 37' True
[ "$(stat -c %s full.rec)" -le 4096 ] || fail "the limit was passed"

# CUPTI refuses, is of an older toolkit, has no room, or serves another tool.
export FAKE_CUPTI=refuse
status 7 "$ks" record -- "$app" status
says 'nothing is recorded (cupti-refused): CUPTI_ERROR_NOT_COMPATIBLE' && one_line
json 7 record -- "$app" status
is 'r["sessions"][0]["refused"]' cupti-refused
export FAKE_CUPTI=drop
json 0 record -- "$app" many
is 'r["launches"] + r["dropped"]' 1000037
is 'r["dropped"]' 10000
says '10000 launches are missing'
export FAKE_CUPTI=callbacks
json 0 record -- "$app" plain + notes
is 'r["launches"]' 37
is 'r["notes"][0]["note"]' callbacks-refused
unset FAKE_CUPTI
KS_CUPTI_DIR=$KS_TEST_FAKES/old status 0 "$ks" record -- "$app" plain
says 'cupti-old' && says 'cuptiSubscribe'
if ! ldconfig -p | grep -q libcupti; then # built to know of no toolkit
    export KS_CUPTI_DIR=$PWD/nowhere KS_RECORD_FILE=$PWD/absent.rec
    CUDA_INJECTION64_PATH=$KS_TEST_TOOLS/record_lost.so status 7 "$app" status
    unset KS_RECORD_FILE
    json 1 record --report absent.rec + sessions
    is 'r["sessions"][0]["refused"]' cupti-absent
    says 'KS_CUPTI_DIR'
fi

# Without KS_RECORD_FILE, or with a name that is relative, the library does nothing.
export KS_CUPTI_DIR=$KS_TEST_FAKES CUDA_INJECTION64_PATH=$KS_TEST_BIN/libks-record.so
status 7 "$app" status
KS_RECORD_FILE=here.rec status 7 "$app" status
[ ! -e here.rec ] || fail "written below the current folder"
KS_RECORD_FILE=$PWD/no/such/folder status 7 "$app" status
[ ! -s log ] || fail "something is said"
