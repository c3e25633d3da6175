#!/usr/bin/env bash
# The metric set on chips of four generations, by CUPTI's offline catalogue: no GPU is needed. Each must
# offer nearly all of the 59 metrics in few passes, and an unknown chip must be said to be unknown.
set -u
probe=$1
[ -x "$probe" ] || { echo "no ks-probe"; exit 77; }
"$probe" --catalogue GH100 2>&1 | grep -q 'libcupti.so:\|libnvperf_host.so:' && { echo "no CUPTI here"; exit 77; }
"$probe" --catalogue GH100 2>&1 | grep -q RTLD_DEEPBIND && { echo "CUPTI does not load beside a sanitizer"; exit 77; }
status=0
for chip in GH100 GA100 AD102 GB100 GB202; do
    last=$("$probe" --catalogue $chip | tail -1)
    set -- $last
    if [ "$1" -lt 55 ] || [ "$3" -gt 12 ]; then
        echo "$chip: $last"
        status=1
    fi
done
"$probe" --catalogue XX999 >/dev/null 2>&1 && { echo "an unknown chip was accepted"; status=1; }
exit $status
