#!/usr/bin/env bash
# Originals at fault on this machine's GPU: `ks verify` names the buffer whose end is passed and, by the
# emulated device, the source line; one whose results change with what was in memory before is a finding too.
# Exit 77 without a GPU.
#   tests/gpu/findings.sh [BUILD]
set -u
root=$(cd "$(dirname "$0")/../.." && pwd)
build=$(cd "${1:-$root/build}" && pwd)
scratch=$(mktemp -d) || exit 1
trap 'rm -rf "$scratch"' EXIT
export KS_CACHE_DIR=$scratch/cache KS_STATE_DIR=$scratch/state KS_CONFIG_DIR=$scratch/config
unset KS_DEVICE KS_MODE
"$build/bin/ks" doctor | grep -q '^gpu .*none' && { echo "no GPU here: skipped"; exit 77; }
cd "$scratch" || exit 1
cat > proposal.yaml << 'END'
params: [x, y, n]
source: |
  __global__ void k(const float *x, float *y, int n)
  {
      int i = blockIdx.x * 128 + threadIdx.x;
      if (i < n)
          y[i] = x[i];
  }
plan:
  - {kernel: k, grid: ["ceildiv(n,128)"], block: [128], args: [x, y, n]}
END
bad=0
# try NAME BODY PATTERN: what is said of a kernel whose line 7 is BODY.
try() {
    cat > "$1.cu" << END
#pragma ks optimize
#pragma ks workload let(n=3000) in(x[n]) out(y[n]) grid(ceildiv(n,256)) block(256)
__global__ void k(const float *x, float *y, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    float v = i < n ? x[i] : 0;
    $2
}
END
    "$build/bin/ks" verify "$1.cu" --variant proposal.yaml > out 2>&1
    status=$?
    if [ $status = 1 ] && grep -qE "BASELINE_FAULT: $1.cu:2: .*$3" out; then
        echo "ok   $1: $(head -1 out)"
    else
        echo "FAIL $1: status $status: $(head -3 out)"
        bad=1
    fi
}
try over 'if (i < n) y[i] = v + x[i + 4096];' 'beyond the end of `x`; emulated: .*out-of-bounds: .* at over.cu:7'
try past 'if (i < n) y[i + 4096] = v;' 'past.cu:7'
try under 'if (i < n) y[i - 1] = v;' 'out-of-bounds: .* at under.cu:7'
try unset 'if (i < n) y[i] += v;' 'uninitialised: .* at unset.cu:7'
exit $bad
