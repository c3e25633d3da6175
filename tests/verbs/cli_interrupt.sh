# A request to stop ends tuning with 130 and leaves nothing running or lying about.
. "$KS_TEST_SOURCE/tests/verbs/verbs.sh"
echo '__global__ void k() {}' > a.cu
cat > worker.sh <<'END'
#!/bin/sh
echo $$ > started
exec sleep 60
END
chmod +x worker.sh
KS_DEVICE=$PWD/worker.sh "$ks" tune a.cu > out 2> log &
pid=$!
for _ in $(seq 100); do
    [ -s started ] && break
    sleep 0.05
done
[ -s started ] || fail "the worker was not started"
kill -TERM $pid
wait $pid
got=$?
[ $got = 130 ] || fail "exits with $got, not 130"
says interrupted
one_line
kill -0 "$(cat started)" 2> /dev/null && fail "the worker still runs"
no_litter
