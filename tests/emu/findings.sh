#!/usr/bin/env bash
# Originals that are at fault on a declared workload: `ks verify` and `ks tune` say so in one message with
# kind and source line, and exit with 1.
#   tests/emu/findings.sh BUILD
set -u
build=$1
command -v nvcc > /dev/null || [ -x "${CUDA_PATH:-/usr/local/cuda}/bin/nvcc" ] || { echo "no nvcc here: skipped"; exit 77; }
scratch=$(mktemp -d) || exit 1
trap 'rm -rf "$scratch"' EXIT
export KS_CACHE_DIR=$scratch/cache KS_STATE_DIR=$scratch/state KS_CONFIG_DIR=$scratch/config
unset KS_DEVICE KS_MODE
bad=0
fail() { echo "FAIL: $*"; cat "$scratch/out"; bad=1; }
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

# kernel NAME OUT BODY: y from line 8 of NAME.cu on.
kernel() {
    cat > "$1.cu" << END
#pragma ks optimize
#pragma ks workload let(n=3000) in(x[n]) $2 grid(ceildiv(n,256)) block(256)
__global__ void k(const float *x, float *y, int n)
{
    __shared__ float s[256];
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    float v = i < n ? x[i] : 0;
    $3
}
END
}
kernel over 'out(y[n])' 'if (i < n) y[i] = x[i + 1];'
kernel under 'out(y[n])' 'if (i < n) y[i - 1] = v;'
kernel unset 'out(y[n])' 'if (i < n) y[i] += v;'
kernel races 'inout(y[n])' 'y[i % 7] += v;'
kernel shares 'out(y[n])' 's[threadIdx.x] = v; if (i < n) y[i] = s[255 - threadIdx.x];'
kernel steps 'out(y[n])' 's[threadIdx.x] = v; __syncthreads(); volatile float *p = s + threadIdx.x / 32 * 32; int l = threadIdx.x % 32; if (l < 16) p[l] += p[l + 16]; if (l < 8) p[l] += p[l + 8]; if (i < n) y[i] = p[l];'
kernel shifts 'inout(y[n])' 'if (i + 1 < n) y[i] = v + __ldg(y + i + 1);'
kernel minds 'out(y[n])' 'if ((size_t)x % 16 != 0) __trap(); if (i < n) y[i] = v;'
kernel adds 'inout(y[1])' 'if (i < n) atomicAdd(y, v);'
kernel fine 'out(y[n])' 's[threadIdx.x] = v; __syncthreads(); if (i < n) y[i] = s[threadIdx.x];'
# As declared it fails, half as large it does not.
kernel whole 'out(y[n])' 'y[i] = x[i];'
sed -i 's/n=3000/n=1025/' whole.cu
for case in 'whole out-of-bounds 1025' 'over out-of-bounds' 'under out-of-bounds' 'unset uninitialised' 'races race' 'shares uninitialised' 'steps race' 'shifts non-coherent'; do
    read -r name kind size <<< "$case 3000"
    size=${size%% *}
    "$build/bin/ks" verify "$name.cu" --variant proposal.yaml --device emu > out 2> log
    [ $? = 1 ] || fail "$name: verify exits otherwise"
    [ "$(grep -c "BASELINE_FAULT: $name.cu:2: the original fails on this workload: n=$size: .*$kind: .* at $name.cu:8" out)" = 1 ] ||
        fail "$name: no place"
    next='check the sizes'
    [ "$kind" != race ] || next='put a barrier'
    [ "$name" != unset ] || next='give what the kernel reads before it writes it by `inout`'
    [ "$name" != shares ] || next='write shared and local memory'
    [ "$kind" != non-coherent ] || next='read what the kernel also writes without'
    grep -q "; $next" out || fail "$name: no next step"
    "$build/bin/ks" tune "$name.cu" --device emu > out 2>&1
    [ $? = 1 ] || fail "$name: tune exits otherwise"
    [ "$(grep -c "$kind: .* at $name.cu:8" out)" = 1 ] || fail "$name: tune names no place"
done
# What ends on half the size and not on the declared one is told of that, not of the device's limit alone.
kernel laps 'out(y[n])' 'for (unsigned char k = 0; k < n / 8; k++) v += k; if (i < n) y[i] = v;'
"$build/bin/ks" verify laps.cu --variant proposal.yaml --device emu > out 2> log
[ $? = 1 ] && [ "$(grep -c 'BASELINE_FAULT: laps.cu:2: the original fails on this workload: n=3000: endless: .* at laps.cu:8' out)" = 1 ] ||
    fail "an original that does not end as declared"
# The mark says that an array is only read, and the kernel writes it.
kernel keeps 'in(y[n])' 'if (i < n) y[i] = v;'
"$build/bin/ks" tune keeps.cu --device emu > out 2>&1
[ $? = 1 ] || fail 'keeps: tune exits otherwise'
grep -q 'keeps.cu:2: .*unsafe: input buffer 1 was changed, `y`; the kernel writes it: give it by `inout`' out || fail "keeps: $(cat out)"
"$build/bin/ks" verify fine.cu --variant proposal.yaml --device emu > out 2> log
[ $? = 0 ] && grep -q CORRECT out || fail "an original that is right"
# What this device lacks is told once.
kernel lacks 'out(y[n])' '__nv_fp8_e4m3 f; f.__x = (unsigned char)i; if (i < n) y[i] = float(f) + v;'
sed -i '1i #include <cuda_fp8.h>' lacks.cu
"$build/bin/ks" verify lacks.cu --variant proposal.yaml --device emu > out 2>&1
grep -q 'this device cannot run the original: unsupported: cvt' out || fail "an instruction that the device lacks"
# Of a candidate's two kernels: which one, and which of its workspaces.
cat > twice.yaml << 'END'
params: [x, y, n]
source: |
  __global__ void first(const float *x, float *w, int n) { int i = blockIdx.x * 128 + threadIdx.x; if (i < n) w[i] = x[i]; }
  __global__ void second(const float *w, float *y, int n) { int i = blockIdx.x * 128 + threadIdx.x; if (i < n) y[i] = w[i]; }
workspace: {w: "4*n", rounded: "n/4*16"}
plan:
  - {kernel: first, grid: ["ceildiv(n,128)"], block: [128], args: [x, w, n]}
  - {kernel: first, grid: ["ceildiv(n,128)"], block: [128], args: [w, rounded, n]}
  - {kernel: second, grid: ["ceildiv(n,128)"], block: [128], args: [rounded, y, n]}
END
sed 's/x\[i\];/x[i + 1];/' proposal.yaml > over.yaml
"$build/bin/ks" verify fine.cu --variant twice.yaml --device emu > out 2> log
grep -q 'UNSAFE: out-of-bounds.* of workspace `rounded`, which has .*; in step 2, kernel `first`' out ||
    fail "a workspace that is too small"
"$build/bin/ks" verify fine.cu --variant over.yaml --device emu > out 2> log
grep -q 'UNSAFE: out-of-bounds.* of buffer `x`, which has .* at PTX line [0-9]*$' out || fail "an array of the user's"
# What else it fails on is told once, by what was found, and how often its own results differ in one line.
"$build/bin/ks" verify minds.cu --variant proposal.yaml --device emu > out 2> log
[ "$(grep -c 'spare elements .*(fault: trap' out)" = 1 ] || fail "a trap where arrays begin elsewhere"
! grep -q aligned out || fail "a trap told as something else"
sed 's/y\[i\] = x\[i\]/atomicAdd(y, x[i])/' proposal.yaml > adds.yaml
"$build/bin/ks" verify adds.cu --variant adds.yaml --device emu > out 2> log
[ "$(grep -c 'nondeterministic on [1-9][0-9]* vectors of n=3000: it adds floats with atomics' out)" = 1 ] &&
    [ "$(grep -c nondeterministic out)" = 1 ] || fail "what varies is not counted"
exit $bad
