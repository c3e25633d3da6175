#!/bin/bash
# wrapper.sh BUILD_DIR: what ks-nvcc adds to a command, in milliseconds of wall clock. Medians of paired
# differences in one run; the last line is one JSON object:
#   passthrough_added_ms  ks-nvcc before a fake nvcc that exits at once, minus the fake alone
#   hit_added_ms          ks-nvcc on a manifest hit, minus nvcc given the same shadow file and options
#   miss_added_ms         ks-nvcc on a marked unit without a variant, minus nvcc, when the manifest
#                         knows the unit; first_added_ms when it does not
#   hit_own_ms, miss_own_ms   the same with a fake that copies what nvcc made: ks-nvcc's own work,
#                         without the noise of two real compiles
#   dispatch_ns           the table's decision on the CPU (launch_cost.sh)
#   launch_added_ns       with a GPU: a launch with a table, substituted and guard false
# RUNS=N sets the pairs with the real nvcc (25).
set -eu
build=$(cd "${1:?usage: wrapper.sh BUILD_DIR}" && pwd)
here=$(cd "$(dirname "$0")" && pwd)
runs=${RUNS:-25}
export KS_TEST_BIN=$build/bin KS_TEST_TOOLS=$build/tests KS_TEST_SOURCE=$here/../..
KS_TEST_NVCC=$(command -v nvcc || echo /usr/local/cuda/bin/nvcc)
export KS_TEST_NVCC
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
cd "$work"
. "$here/../lib.sh"
set -e
cc -O2 "$here/pairs.c" -o pairs
added() { # added N A... -- B...: prints the medians, keeps the last in $added
    local line
    line=$(./pairs "$@") || exit 1
    echo "  $line (A, B, added; ms)"
    added=${line##* }
}

echo "pass-through of a link command, fake nvcc"
fake=$build/tests/fake/bin/nvcc
KS_NVCC_REAL=$fake added 400 "$fake" x.o -o x -- "$ks_nvcc" x.o -o x
passthrough=$added

cp "$here/../../samples/transpose/transpose.cu" a.cu
cp "$here/../../samples/common/sample.h" .
sed -i 's|"../common/sample.h"|"sample.h"|' a.cu
cat > p.yaml <<'END'
params: [a, b, rows, cols]
source: |
  __global__ void tiled(const float *a, float *b, int rows, int cols)
  {
      __shared__ float tile[32][33];
      int c = blockIdx.x * 32 + threadIdx.x, r = blockIdx.y * 32 + threadIdx.y;
      for (int k = 0; k < 32; k += 8)
          if (r + k < rows && c < cols)
              tile[threadIdx.y + k][threadIdx.x] = a[(size_t)(r + k) * cols + c];
      __syncthreads();
      c = blockIdx.y * 32 + threadIdx.x;
      r = blockIdx.x * 32 + threadIdx.y;
      for (int k = 0; k < 32; k += 8)
          if (r + k < cols && c < rows)
              b[(size_t)(r + k) * rows + c] = tile[threadIdx.x][threadIdx.y + k];
  }
plan:
  - {kernel: tiled, grid: ["ceildiv(cols,32)", "ceildiv(rows,32)"], block: [32, 8], args: [a, b, rows, cols]}
END
words=(-arch=sm_90 -std=c++17 -MD -MF a.d -c a.cu -o a.o)
quiet=-Xcompiler=-Wno-unknown-pragmas

echo "marked unit without a variant, known to the manifest: nvcc, ks-nvcc"
sleep 0.1
compile "${words[@]}"
reason pending
added "$runs" "$nvcc" "$quiet" "${words[@]}" -- "$ks_nvcc" "${words[@]}"
miss=$added
echo "the same, unknown: nvcc, ks-nvcc"
cat > forget <<END
#!/bin/sh
rm -rf "$cache/manifests"
exec "$ks_nvcc" "\$@"
END
cat > remember <<END
#!/bin/sh
rm -rf "$work/none"
exec "$nvcc" "\$@"
END
chmod +x forget remember
added "$runs" ./remember "$quiet" "${words[@]}" -- ./forget "${words[@]}"
first=$added

echo "manifest hit with a variant: nvcc on the shadow, ks-nvcc"
variant p.yaml a.cu -- -arch=sm_90 -std=c++17
compile "${words[@]}"
reason applied
compile "${words[@]}"
reason applied
shadow=$(find "$cache/shadow" -name a.cu)
added "$runs" "$nvcc" '-Xcompiler=-iquote,"."' "-I$build/share/ks/hook" "$quiet" \
    -arch=sm_90 -std=c++17 -MD -MF a.d -c "$shadow" -o a.o -- "$ks_nvcc" "${words[@]}"
hit=$added

echo "both with compiles played back: fake nvcc, ks-nvcc"
mkdir -p kit/bin kit/nvvm/bin kit/include
cp "$fake" kit/bin/nvcc
touch kit/bin/ptxas kit/nvvm/bin/cicc kit/include/cuda_runtime.h
export KS_NVCC_REAL=$PWD/kit/bin/nvcc
own() { # own REASON TEXT: records one compile of the real nvcc, then plays it back
    sleep 0.1
    KS_FAKE_FORWARD=$nvcc compile "${words[@]}"
    reason "$1"
    cp a.o recorded.o
    "$nvcc" '-Xcompiler=-iquote,"."' "-I$build/share/ks/hook" "$quiet" -arch=sm_90 -std=c++17 \
        -MD -MF recorded.d -c "$2" -o a.o
    export KS_FAKE_OBJECT=$PWD/recorded.o KS_FAKE_DEPFILE=$PWD/recorded.d
    compile "${words[@]}"
    reason "$1"
    added 400 "$KS_NVCC_REAL" "${words[@]}" -- "$ks_nvcc" "${words[@]}"
    unset KS_FAKE_OBJECT KS_FAKE_DEPFILE
}
rm -rf "$cache"
own pending a.cu
miss_own=$added
KS_FAKE_FORWARD=$nvcc variant p.yaml a.cu -- -arch=sm_90 -std=c++17
KS_FAKE_FORWARD=$nvcc compile "${words[@]}"
reason applied
own applied "$(find "$cache/shadow" -name a.cu)"
hit_own=$added
KS_NVCC_REAL=$nvcc

echo "dispatch"
dispatch=$("$here/launch_cost.sh" "$build/tests/make_shadow" "$nvcc" \
    "$here/../../driver/source/hook" "$work/dispatch" | tail -1)
gpu=
if nvidia-smi > /dev/null 2>&1; then
    echo "launches on the GPU"
    gpu=", $("$here/launch_cost.sh" "$build/tests/make_shadow" "$nvcc" \
        "$here/../../driver/source/hook" "$work/launch" gpu | tail -1 | sed 's/^{//; s/}$//')"
fi
echo "{\"passthrough_added_ms\": $passthrough, \"hit_added_ms\": $hit, \"miss_added_ms\": $miss," \
     "\"first_added_ms\": $first, \"hit_own_ms\": $hit_own, \"miss_own_ms\": $miss_own,"\
     " $(echo "$dispatch" | sed 's/^{//; s/}$//')$gpu}"
