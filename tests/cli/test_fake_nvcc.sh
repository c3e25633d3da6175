#!/bin/bash
# The stand-in itself: it records what it was given and makes what was asked for.
set -u
fake=$1
rm -rf -- * && unset KS_FAKE_LOG KS_FAKE_CREATE KS_FAKE_EXIT KS_FAKE_STDERR
fail() { echo "FAILED: $*"; exit 1; }

"$fake" -c a.cu || fail "does nothing and succeeds"
[ -z "$(ls)" ] || fail "leaves nothing behind"
"$fake" --version | grep -q 'V13\.0\.88$' || fail "version"

env -i KS_FAKE_LOG=log NVCC_APPEND_FLAGS=-w KS_MODE=off "$fake" 'a b' $'c\nd\\e' || fail "recording"
cat > expected <<END
cwd $PWD
arg $fake
arg a b
arg c\\nd\\\\e
env NVCC_APPEND_FLAGS=-w
env KS_MODE=off
end
END
diff expected log || fail "record"

KS_FAKE_CREATE=1 "$fake" -c x.cu -o x.o -MD -MF x.d || fail "outputs"
[ "$(cat x.d)" = "x.o : x.cu" ] && [ -s x.o ] || fail "contents of the outputs"
KS_FAKE_CREATE=1 "$fake" -c x.cu -o no/x.o 2> err && fail "an output that cannot be made"
grep -q 'cannot write' err || fail "message"
KS_FAKE_EXIT=3 KS_FAKE_STDERR=oops "$fake" 2> err
[ $? = 3 ] && [ "$(cat err)" = oops ] || fail "exit status and stderr"
