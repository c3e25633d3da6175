# ks doctor names what uses CUPTI: found or not, usable or the code of docs/profile.md.
. "$KS_TEST_SOURCE/tests/verbs/verbs.sh"
[ -e "$KS_TEST_TOOLS/fake_cuda/libcupti.so.13" ] || skip "the fake CUPTI is not built"
check() { "$ks" doctor > out 2> log; } # its status tells of other things too
mkdir -p old bin
ln -sf "$KS_TEST_FAKES/libnvperf_host.so.13" "$KS_TEST_TOOLS/fake_cuda/libcupti.so.13" old/
KS_CUPTI_DIR=$PWD/old check
grep -q '^probe  *note .*/ks-probe: cupti-old: libcupti.so has no cupti.*: use CUPTI of CUDA 13' out || { cat out; fail "an old CUPTI"; }
grep -q '^recorder  *note .*/libks-record.so: cupti-old: ' out || fail "an old CUPTI, for the recorder"
KS_CUPTI_DIR=$KS_TEST_FAKES check
grep -q '^probe  *ok .*/ks-probe$' out && grep -q '^recorder  *ok .*/libks-record.so$' out || { cat out; fail "a usable CUPTI"; }

# An installation without them, and with one that does not run.
cp "$KS_TEST_BIN/ks" "$KS_TEST_BIN/ks-nvcc" "$KS_TEST_BIN/ks-worker" bin/
ks=bin/ks KS_SHARE_DIR=$KS_TEST_BIN/../share/ks check
grep -q '^installed  *ok ' out || fail "the rest is installed"
grep -q '^probe  *note .*/bin/ks-probe is missing: ' out && grep -q '^recorder  *note .*/bin/libks-record.so is missing: ' out ||
    { cat out; fail "nothing is said to be missing"; }
printf '#!/bin/sh\nexit 1\n' > bin/ks-probe
chmod +x bin/ks-probe
ks=bin/ks KS_SHARE_DIR=$KS_TEST_BIN/../share/ks check
grep -q '^probe  *note .*/bin/ks-probe: does not run' out || { cat out; fail "one that does not run"; }
json 0 doctor + checks
