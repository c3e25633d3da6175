# ks run: what a workload does on the emulated device, by kind, thread, block and line; no GPU.
. "$KS_TEST_SOURCE/tests/verbs/verbs.sh"
cat > race.cu <<'END_OF_TEXT'
#pragma ks optimize
#pragma ks workload let(n=256) in(x[n]) out(y[n]) grid(n/64) block(64)
#pragma ks workload let(n=64) in(x[n]) out(y[n]) grid(ceildiv(n,64)) block(64)
__global__ void shift(const float *x, float *y, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    y[i] = x[i];
    if (i + 1 < n)
        y[i] += y[i + 1];
}
// ks: optimize
// ks: workload let(n=1000) in(x[n]) out(y[n]) grid(ceildiv(n,64)) block(64)
__global__ void twice(const float *x, float *y, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n)
        y[i] = 2 * x[i];
}
END_OF_TEXT

# A planted race on global memory: both lines.
status 1 "$ks" run --device emu race.cu:shift
has 'shift on n=256: 4 x 1 x 1 blocks'
has 'race: read of global memory against an unordered earlier write, by thread (0,0,0) of block (0,0,0) at race.cu:9; the earlier one by thread (1,0,0) of block (0,0,0) at race.cu:7'
has 'of `y`, where nothing was written yet'
json 1 run --device emu race.cu:shift + 'findings'
has '"kind": "race"'
status 1 "$ks" run race.cu --no-costs && has '  not run: twice; FILE.cu:KERNEL chooses one'
status 1 "$ks" run race.cu:shift --workload 2 --seed 5
has 'shift on n=64: 1 x 1 x 1 blocks'

# All threads of a warp read what its first one writes: the earlier one is not told as the first one's own read.
cat > lift.cu << 'END_OF_TEXT'
// ks: optimize
// ks: workload let(n=4) inout(y[n]) grid(n) block(32)
__global__ void lift(float *y)
{
    float all = __shfl_down_sync(0xffffffff, y[blockIdx.x], 1);
    if (threadIdx.x == 0)
        y[blockIdx.x] = all + 1;
}
END_OF_TEXT
for seed in 1 2 3 4 5; do
    "$ks" run lift.cu --seed $seed
done > out 2> log
grep -q 'race: write of global memory .* at lift.cu:7; the earlier one by other threads of its warp at lift.cu:5' out ||
    fail "a race between threads of a warp names them otherwise"

# Nothing wrong; then a bound that is one too large.
status 0 "$ks" run race.cu:twice && lacks "not run"
has 'twice on n=1000: 16 x 1 x 1 blocks'
has '0 findings'
status 0 "$ks" run race.cu:twice --set n=77 --seed 1 -- -arch=sm_120 -O1
has 'twice on n=77: 2 x 1 x 1 blocks'
sed -i 's/    if (i < n)$/    if (i <= n)/' race.cu
status 1 "$ks" run race.cu:twice
has 'out-of-bounds: 4-byte read at offset 4000 of `x`, which has 4000 bytes, by thread (40,0,0) of block (15,0,0) at race.cu:17'

# What it costs, by line, and a time that is called modelled.
cat > cost.cu <<'END_OF_TEXT'
// ks: optimize
// ks: workload let(n=1024) in(x[32*n]) inout(y[n]) grid(n/256) block(256)
__global__ void apart(const float *x, float *y, int n)
{
    __shared__ float t[32 * 256];
    int i = blockIdx.x * 256 + threadIdx.x;
    t[threadIdx.x * 32] = x[32 * i];
    atomicAdd(&y[i / 32], t[threadIdx.x * 32]);
}
END_OF_TEXT
status 0 "$ks" run cost.cu
has 'cost.cu:7: ' && has '1024 sectors in 32 requests' && has '992 of them for bank conflicts'
has '1024, 992 of them on an address that their warp hits twice' && has 'modelled for NVIDIA H200: '
status 0 "$ks" run cost.cu --gpu a100 && has 'modelled for NVIDIA A100 80GB: '
status 2 "$ks" run cost.cu --gpu nosuch
json 0 run cost.cu && has '"read_sectors": 1024.0' && has '"modelled": {'
status 0 "$ks" run cost.cu --no-costs && lacks modelled

# Requests that make no sense.
status 2 "$ks" run race.cu --device cuda
status 2 "$ks" run
status 2 "$ks" run race.cu:nosuch
status 2 "$ks" run race.cu:twice --workload 3
one_line
grep -q 'has 1 workload, not a number 3' log || { cat log; fail "the workload is not named"; }
status 2 "$ks" run race.cu:twice --set n
grep -qF -e '--set=n: give NAME=NUMBER' log || { cat log; fail "the size is not named"; }
status 2 "$ks" run race.cu:twice --set m=3
grep -qF -e 'the workload has no let(m=NUMBER)' log || { cat log; fail "m is taken for a size"; }

# What the emulator lacks is named, with its line, and is no finding about the kernel.
cat > video.cu <<'END_OF_TEXT'
// ks: optimize
// ks: workload let(n=32) out(y[n]) grid(1) block(32)
__global__ void other(int *y, int n)
{
    int sum;
    asm volatile("vadd.s32.s32.s32 %0, %1, %2;" : "=r"(sum) : "r"(n), "r"(n));
    y[threadIdx.x] = sum;
}
END_OF_TEXT
status 100 "$ks" run video.cu
has 'unsupported: vadd.s32.s32.s32 is not supported by the emulator, by thread (0,0,0) of block (0,0,0) at video.cu:6'

# What a kernel prints is printed, and leaves the report alone.
cat > print.cu <<'END_OF_TEXT'
#include <cstdio>
// ks: optimize
// ks: workload let(n=64) in(x[n]=iota(0.5,1)) out(y[n]) grid(1) block(64)
__global__ void prints(const float *x, float *y, int n)
{
    int i = threadIdx.x;
    y[i] = x[i] * 2;
    if (i % 32 == 3)
        printf("i=%d x=%5.2f|%-8s|%lld %u%% %c %x %.2e %.*s\n", i, x[i], i == 3 ? "ok" : "well", -5ll * i, 7u, 'q', 255, 1e10, 2, "abc");
}
END_OF_TEXT
status 0 "$ks" run print.cu --no-costs
has 'i=3 x= 3.50|ok      |-15 7% q ff 1.00e+10 ab' && has 'i=35 x=35.50|well    |-175 7% q ff 1.00e+10 ab'
json 0 run print.cu
says 'i=35 x=35.50|well'
