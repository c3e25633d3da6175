#!/usr/bin/env bash
# in_time.sh COMMAND...: one of the long tests that come last. Where run.sh was given KS_TEST_MINUTES and they are over, it is
# not begun, or stopped, and ctest tells it as skipped.
set -u
[ -n "${KS_TEST_UNTIL:-}" ] || exec "$@"
left=$((KS_TEST_UNTIL - $(date +%s)))
[ "$left" -gt 0 ] || { echo "no time is left for this test: skipped"; exit 77; }
timeout -k 5 "$left" "$@"
status=$?
[ $status != 124 ] && [ $status != 137 ] || { echo "stopped, its time is over: skipped"; exit 77; }
exit $status
