#!/bin/bash
# consume_links.sh KS_NVCC: fails when the compiler driver needs a library that only tuning may use.
set -u
program=${1:?usage: consume_links.sh PROGRAM}
if [ ! -x "$program" ]; then
    echo "skipped: $program is not built"
    exit 77
fi
# readelf for what the program asks for itself, ldd for what those libraries bring along.
needs=$(readelf -d "$program" | grep NEEDED; ldd "$program") || exit 1
echo "$needs"
if grep -E 'sqlite|curl|libcuda|cupti|nvrtc|nvperf' <<<"$needs"; then
    echo "$program: links what the consume path must not need"
    exit 1
fi
