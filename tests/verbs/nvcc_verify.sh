# ks verify: without a device the gates judge; with the fake worker (it runs known kernels by their names,
# tests/fakes) the whole way to CORRECT and FASTER.
. "$KS_TEST_SOURCE/tests/verbs/verbs.sh"
cat > vadd.cu <<'END'
#pragma ks optimize
#pragma ks workload let(n=4000) in(a[n]=uniform(0,1)) in(b[n]=uniform(0,1)) out(c[n]) grid(ceildiv(n,256)) block(256)
__global__ void vadd(const float *a, const float *b, float *c, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n)
        c[i] = a[i] + b[i];
}
#pragma ks optimize
#pragma ks workload let(n=4000) in(a[n]) in(b[n]) out(c[n]) grid(ceildiv(n,256)) block(256)
__global__ void other(const float *a, const float *b, float *c, int n) { c[threadIdx.x] = a[0] - b[0]; }
END
# proposal NAME FIRST: NAME.yaml, with kernel NAME whose body begins with FIRST.
proposal() {
    cat > "$1.yaml" <<END
source: |
  __global__ void $1(const float *a, const float *b, float *c, int n)
  {
      $2
      int i = blockIdx.x * blockDim.x + threadIdx.x;
      if (i < n)
          c[i] = a[i] + b[i];
  }
plan:
  - {kernel: $1, grid: ["ceildiv(n,${3:-256})"], block: [256], args: [a, b, c, n]}
END
}
touch ks.yaml
unconfined=--no-sandbox # where this machine cannot confine; nvcc_sandbox.sh is about those that can
"$ks" doctor | grep -q '^sandbox  *ok' && unconfined=
proposal vadd_ok ''
proposal vadd_tail ''
proposal vadd_asm 'asm("trap;");'
proposal vadd_clock 'if (clock64() == 7) return;'
proposal vadd_zero '' 0
proposal vadd_typo 'c[0] = nothing;'

status 2 "$ks" verify && says 'give one FILE.cu'
status 2 "$ks" verify vadd.cu --suite . && says 'give one FILE.cu'
status 2 "$ks" verify vadd.cu --device abacus && says 'no device `abacus`'
status 2 "$ks" verify vadd.cu --variant && says 'wants a value'
status 2 "$ks" verify vadd.cu --only R01 && says '--only goes with --suite'
status 2 "$ks" verify none.cu && says 'no such file'
status 2 "$ks" verify vadd.cu:vadd --variant none.yaml && says 'none.yaml'
status 2 "$ks" verify vadd.cu --variant vadd_ok.yaml && says 'say which'
sed '/^plan/i wehn: n > 100000' vadd_ok.yaml > vadd_key.yaml
status 2 "$ks" verify vadd.cu:vadd --variant vadd_key.yaml && says "vadd_key.yaml:" && says "unknown key 'wehn'; did you mean 'when'"
sed '1i format: 9' vadd_ok.yaml > vadd_format.yaml
status 100 "$ks" verify vadd.cu:vadd --variant vadd_format.yaml && says 'format 9 is newer'
status 2 "$ks" verify vadd.cu:sub --variant vadd_ok.yaml && says 'no marked kernel'

# A mark that cannot be read is told with its place by whoever would need it, whichever kernel is asked for.
sed '2s/out(/outt(/' vadd.cu > bad.cu
for words in "verify --device=emu" "verify --device=emu --variant=vadd_ok.yaml" "tune --device=emu" run "profile --device=emu" \
    explain show diff; do
    for target in bad.cu bad.cu:other; do
        status 2 "$ks" $words $target && says "bad.cu:2: unknown clause 'outt' of workload; did you mean 'out'?"
    done
done
# Also by those that need a GPU, where there is none: what can be mended here comes first.
for verb in bench requalify tune; do
    KS_DEVICE=cuda CUDA_VISIBLE_DEVICES= status 2 "$ks" $verb bad.cu:other && says "bad.cu:2: unknown clause 'outt' of workload"
    KS_DEVICE=cuda CUDA_VISIBLE_DEVICES= status 2 "$ks" $verb vadd.cu:sub && says 'no marked kernel `sub`'
    KS_DEVICE=cuda CUDA_VISIBLE_DEVICES= status 100 "$ks" $verb vadd.cu:vadd && says 'no \(NVIDIA\|.*GPU\)' && one_line
done
status 2 "$ks" bench --device=emu bad.cu && says 'bad.cu:2: unknown clause'
status 2 "$ks" bench none.cu && says 'none.cu: no such file'

# No device is asked: gates name what they refuse; for the rest there is nobody to tell.
export KS_DEVICE=none
status 1 "$ks" verify vadd.cu:vadd $unconfined --variant vadd_asm.yaml
has 'STATIC: source:3: ' && has "'asm'" && has 'text         failed' && has 'compile      not-made   0.000 s  text failed'
status 1 "$ks" verify vadd.cu:vadd $unconfined --variant=vadd_clock.yaml
has 'clock register' && has 'static       failed' && has 'compile      passed'
status 1 "$ks" verify vadd.cu:vadd $unconfined --variant vadd_zero.yaml && has 'LAUNCH: step 1: grid.x is undefined: `ceildiv(n, 0)` divides by zero; on workload n=4000'
status 1 "$ks" verify vadd.cu:vadd $unconfined --variant vadd_typo.yaml && has 'COMPILE: line 3: error'
status 100 "$ks" verify vadd.cu:vadd $unconfined --variant vadd_ok.yaml
has 'not judged: the gates find nothing' && has 'timing       not-made   0.000 s  there is no device'
json 1 verify vadd.cu:vadd $unconfined --variant vadd_typo.yaml + verdicts 'verdicts[].checks'
has '"correctness": "COMPILE"'
json 100 verify vadd.cu:vadd $unconfined --variant vadd_ok.yaml + verdicts 'verdicts[].notes'
has '"correctness": null'
# Nothing is stored: a row a kernel, with its place and why.
status 1 "$ks" verify vadd.cu && has 'vadd.cu:3: vadd sm_90: not judged (pending): ' && has 'vadd.cu:11: other sm_90: not judged (pending): '
json 1 verify vadd.cu:vadd + verdicts && has '"not_judged": "pending"' && has '"correctness": null' && lacks '"not_judged": null'

# With a worker the whole way.
worker=$KS_TEST_TOOLS/test_judge
[ -x "$worker" ] || skip "test_judge is not built"
export KS_DEVICE="$worker --worker"
json 0 verify vadd.cu:vadd $unconfined --variant vadd_ok.yaml -- -arch=sm_90 -MD -MF own.d + verdicts 'verdicts[].timings'
[ ! -e own.d ] || fail "the depfile of the command was written"
has '"correctness": "CORRECT"' && has '"speed": "FASTER"' && has 'memcheck and racecheck were not made: the device is reached through a launcher'
[ "$(grep -c '"not-made"' out)" = 2 ] || fail "other checks than the sanitizers' were not made"
[ "$(grep -c '"why": "the device is reached through a launcher"' out)" = 2 ] || fail "why they were not made is not told"
status 1 "$ks" verify vadd.cu:vadd $unconfined --variant vadd_tail.yaml
has 'WRONG' && has 'correctness  failed' && has 'timing       not-made   0.000 s  correctness failed'
no_litter

# What is stored, of a file whose other kernels are not eligible, undecided, or have what no build takes: each has a
# row, and what can be judged is.
unset KS_DEVICE
mkdir stored && cd stored && touch ks.yaml
cat > four.cu <<'END'
#include <cstdio>
#pragma ks optimize
#pragma ks workload let(n=64) out(y[n]) grid(1) block(64)
__global__ void loud(float *y, int n) { printf("%d", n); y[threadIdx.x] = 1; }
#pragma ks optimize
#pragma ks workload let(n=64) in(x[n]) out(y[n]) grid(1) block(64)
__global__ void cp(const float *x, float *y, int n) { if (threadIdx.x < n) y[threadIdx.x] = x[threadIdx.x]; }
#pragma ks optimize
#pragma ks workload let(n=64) in(x[n]) out(y[n]) grid(1) block(64)
__global__ void neg(const float *x, float *y, int n) { if (threadIdx.x < n) y[threadIdx.x] = -x[threadIdx.x]; }
#pragma ks optimize
#pragma ks workload let(n=64) in(x[n]) out(y[n]) grid(1) block(64)
__global__ void twice(const float *x, float *y, int n) { if (threadIdx.x < n) y[threadIdx.x] = 2 * x[threadIdx.x]; }
END
# stored KERNEL VALUE WORDS...: a variant of it.
stored() {
    cat > "$1.yaml" <<END
params: [x, y, n]
source: |
  __global__ void ${1}_v(const float *x, float *y, int n)
  {
      int i = threadIdx.x;
      if (i < n)
          y[i] = $2;
  }
plan:
  - {kernel: ${1}_v, grid: [1], block: [64], args: [x, y, n]}
END
    variant "${@:3}" "--kernel=$1" "$1.yaml" four.cu -- -arch=sm_90
}
stored cp 'x[i]'
stored neg '-x[i]' --level=modelled
status 1 "$ks" verify four.cu --device emu
has 'four.cu:4: loud sm_90: not judged (printf): ' && has 'cp sm_90, ' && has ': CORRECT '
has 'four.cu:10: neg sm_90: not judged (evidence-level): ' && has 'four.cu:13: twice sm_90: not judged (pending): '
json 1 verify four.cu --device emu + verdicts 'verdicts[].checks'
[ "$(grep -c '"kernel"' out)" = 4 ] || fail "not one row a kernel"
has '"not_judged": "printf"' && has '"not_judged": "evidence-level"' && has '"not_judged": "pending"' && has '"correctness": "CORRECT"'
status 0 "$ks" verify four.cu:cp --device emu && lacks 'not judged'
# Each check that was not made says why.
has 'emulation    not-made   0.000 s  the device is the emulated one'
has 'racecheck    not-made   0.000 s  the emulated device looks for the same in every run'
has 'confirmation not-made   0.000 s  a modelled time has nothing to confirm'
[ -z "$(grep 'not-made *[0-9.]* s$' out)" ] || fail "a check that was not made has no reason"
status 1 "$ks" verify four.cu:loud --variant cp.yaml --device emu && has 'not judged (printf)'
KS_ACCEPT=modelled status 0 "$ks" verify four.cu:neg --device emu && has ': CORRECT '
no_litter
