#!/bin/bash
# probe.sh BUILD_DIR [OUT]: what profiling, recording and capturing cost on this machine's GPU. The last line is the JSON that
# figures.md describes. About a minute. Exit 77 without a GPU.
set -euo pipefail
build=$(cd "${1:?usage: probe.sh BUILD_DIR [OUT]}" && pwd)
here=$(cd "$(dirname "$0")" && pwd)
nvidia-smi >/dev/null 2>&1 || { echo "SKIP: no GPU"; exit 77; }
work=${2:-$(mktemp -d)}
[ $# -gt 1 ] || trap 'rm -rf "$work"' EXIT
mkdir -p "$work/project"
cd "$work"
ks=$build/bin/ks
export KS_CACHE_DIR=$work/cache KS_STATE_DIR=$work/state KS_CONFIG_DIR=$work/config
. "$here/probe_lib.sh"
nvcc=$(sed -n 's/^KS_NVCC:[A-Z]*=//p' "$build/CMakeCache.txt")
arch=sm_$(nvidia-smi --query-gpu=compute_cap --format=csv,noheader -i 0 | tr -d .)
"$nvcc" -arch="$arch" -cubin -o kernel.cubin "$here/probe_kernel.cu"
"$nvcc" -std=c++17 -arch="$arch" "$here/../gpu/recorded.cu" -o recorded -lcuda
"$nvcc" -std=c++17 -arch="$arch" "$here/../gpu/captured.cu" -o captured

profiled=$(python3 "$here/probe_seconds.py" "$build/bin/ks-probe" kernel.cubin)
echo "profiling $profiled"
recorded=$(recording_figures "$work/recorded")
echo "recording $recorded"
: >project/ks.yaml
captured=$(cd project && capture_figure "$work/captured")
echo "capturing $captured GB/s"
merge '{"schema": "bench.probe"}' "$profiled" "$recorded" "{\"capture_gb_s\": $captured}"
