# One measurement at a time on a GPU: `ks profile` waits for whoever has its lock, and `ks record`, which does not take it, says
# that somebody measured meanwhile.
. "$KS_TEST_SOURCE/tests/verbs/verbs.sh"
. "$KS_TEST_SOURCE/tests/profile/profile.sh"
command -v flock > /dev/null || skip "no flock"
lock=run/ks/GPU-fake.lock
status 0 "$ks" profile a.cu
[ -e $lock ] || fail "the lock is not where docs/profile.md says"
exec 8> $lock
flock -n 8 || fail "a lock is left behind"
export FAKE_LOG=$PWD/verbs
: > verbs
timeout 60 "$ks" profile a.cu > waited 2>&1 8>&- &
for _ in $(seq 200); do [ "$(grep -c hello verbs)" -ge 2 ] && break; sleep 0.1; done
sleep 0.5
grep -q 'ceilings\|run' verbs && fail "measured beside another"
exec 8>&-
wait $! || fail "after waiting: $(cat waited)"
grep -q ceilings verbs || fail "nothing was measured"
grep -q 'waiting for another measurement on this GPU to end' waited || fail "it waits in silence"

# Recording a program, with the fake driver that it is linked to.
cp "$KS_TEST_TOOLS/record_app" app
record() { KS_CUPTI_DIR=$KS_TEST_TOOLS/fake_cuda json "$@"; }
notes() { python3 -c "import json; print([n['note'] for n in json.load(open('out'))['notes']])"; }
touch -d '1 hour ago' $lock
record 0 record -- ./app plain
[ "$(notes)" = "[]" ] || fail "nobody measures, but $(notes)"
exec 8> $lock
flock -n 8
touch -d '1 hour ago' $lock
record 0 record -- ./app plain
[ "$(notes)" = "['gpu-shared']" ] || fail "a judge measures: $(notes)"
exec 8>&-
# One that came and went.
record 0 record -- sh -c "touch $lock; ./app plain"
[ "$(notes)" = "['gpu-shared']" ] || fail "a judge measured: $(notes)"
KS_CUPTI_DIR=$KS_TEST_TOOLS/fake_cuda status 0 "$ks" record -- sh -c "touch $lock; ./app plain"
says 'gpu-shared: ks tune, verify, bench or profile measured'
no_litter
