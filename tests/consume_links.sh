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
# Each library costs every command some 0.06 ms. A sanitizer's runtime brings libm along.
if ! nm -D "$program" | grep -qE '__(asan|ubsan)_' && grep NEEDED <<<"$needs" | grep -E 'libm\.so'; then
    echo "$program: uses libm again (base/num.h, ks_is_whole)"
    exit 1
fi
