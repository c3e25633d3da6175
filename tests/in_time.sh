#!/usr/bin/env bash
# in_time.sh COMMAND...: a test that comes behind the others. Where run.sh was given KS_TEST_MINUTES and they are over, it is
# not begun, or stopped, and ctest tells it as skipped, unless something had failed by then.
set -u
[ -n "${KS_TEST_UNTIL:-}" ] || exec "$@"
left=$((KS_TEST_UNTIL - $(date +%s)))
[ "$left" -gt 0 ] || { echo "no time is left for this test: skipped"; exit 77; }
told=$(mktemp) || exit 1
timeout -k 5 "$left" "$@" 2>&1 | tee "$told"
status=${PIPESTATUS[0]}
grep -q '^ *FAIL' "$told" && failed=1 || failed=0
rm -f "$told"
[ "$(date +%s)" -ge "$KS_TEST_UNTIL" ] && { [ "$status" = 124 ] || [ "$status" = 137 ]; } || exit "$status"
[ $failed = 0 ] || exit 1
echo "stopped, its time is over: skipped"
exit 77
