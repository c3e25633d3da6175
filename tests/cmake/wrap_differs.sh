# What stands around a variant in the user's file never changes what was judged, nor does the variant
# change another kernel: such a variant is left out.
. "$KS_TEST_SOURCE/tests/lib.sh"

# Two kernels of one key in two namespaces, each with a helper of its own that only variants call.
base() {
    cat <<'END'
#define UNUSED 1
static __device__ __noinline__ float series(float v, int k)
{
    for (int i = 0; i < k; i++)
        v = v * v + k;
    return v;
}
__global__ void user(float *v) { v[threadIdx.x] = series(v[threadIdx.x], 3); }
END
    for name in first second; do
        cat <<END
namespace $name {
__device__ float helper(double v) { return v; }
#pragma ks optimize
#pragma ks workload let(n=1024) inout(v[n]) grid(ceildiv(n,256)) block(256)
__global__ void kernel(float *v, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n)
        v[i] += 1;
}
void run(float *v, int n) { kernel<<<(n + 255) / 256, 256>>>(v, n); }
}
END
    done
}
proposal() { # proposal EXPRESSION
    cat <<END
params: [v, n]
source: |
  __global__ void fast(float *v, int n)
  {
      for (int i = blockIdx.x * 128 + threadIdx.x; i < n; i += gridDim.x * 128)
          v[i] = $1;
  }
when: n >= 128
plan: [{kernel: fast, grid: ["n / 128"], block: 128, args: [v, n]}]
END
}
# edit WHAT SED-SCRIPT FIRST SECOND: reasons of the two kernels, in the first build and in the second.
edit() {
    base | sed "$2" > a.cu
    cmp -s a.cu base.cu && fail "'$2' edits nothing"
    sleep 0.02 # a file as new as the process is not remembered
    for round in 1 2; do
        compile -arch=sm_90 -c a.cu -o a.o
        says "first::kernel: .*\[ks:$3\]\$"
        says "second::kernel: .*\[ks:$4\]\$"
        case $3$4 in *applied*) substituted a.o ;; *) plain a.o ;; esac
    done
    echo "$1: ok"
}
base > base.cu
proposal 'helper(v[i]) + 1' > helper.yaml
variant --kernel=first::kernel helper.yaml base.cu -- -arch=sm_90
edit "an unused macro" 's/UNUSED/OTHER/' applied applied
edit "a helper of one of them" '/second {/,$ s/return v;/return v + 1;/' applied variant-differs
edit "an overload in front of one" \
    '/second {/,$ s/^__device__ .*/&\n__device__ float helper(float v) { return v + 1; }/' \
    applied variant-differs
edit "overloads that make a call ambiguous" \
    '/second {/,$ s/^__device__ .*/&\n__device__ float helper(float), helper(const float \&);/' \
    applied shadow-failed
edit "an overload behind both" '$ s/$/\nnamespace first { __device__ float helper(float) { return 0; } }/' \
    applied applied
edit "macros in front" \
    's/UNUSED 1/helper(v) ((v) + 1)\n#define i 7\n#undef i\n#define fast slow\n#define c bad\n#define why/
    s/helper(double v)/(helper)(double v)/' applied applied
edit "macros behind" '$ s/$/\n#define n 5\n#define v bad\n#define fast slow\n#define args/' applied applied
edit "a helper that is gone" '/first {/,/second {/ s/^__device__ .*//' shadow-failed applied

# The variant's call changes what the compiler knows of a helper, and so another kernel's code.
rm -r "$cache/variants"
proposal 'series(v[i], n)' > other.yaml
variant --kernel=first::kernel other.yaml base.cu -- -arch=sm_90
edit "an unused macro" 's/UNUSED/OTHER/' shadow-changed-original shadow-changed-original
says 'user'
base > a.cu
"$nvcc" -arch=sm_90 -objtemp -c a.cu -o a.o 2> /dev/null && mv a.o expected.o
for round in 1 2; do
    compile -arch=sm_90 -objtemp -c a.cu -o a.o
    reason shadow-changed-original
    same a.o expected.o
done
# Where that kernel is not, nothing keeps the variant out.
edit "without that kernel" '/^__global__ void user/d' applied applied
no_litter

# A shared array of a function that only the original calls is declared in the original, and beside it once the
# variant calls the function too: nothing else changes.
rm -r "$cache/variants"
cat > shared.cu <<'END'
static __device__ float block_sum(float v)
{
    __shared__ float part[256];
    part[threadIdx.x] = v;
    __syncthreads();
    for (int d = 128; d > 0; d /= 2) {
        if (threadIdx.x < d)
            part[threadIdx.x] += part[threadIdx.x + d];
        __syncthreads();
    }
    return part[0];
}
#pragma ks optimize
#pragma ks workload let(n=1024) in(x[n]) out(y[ceildiv(n,256)]) grid(ceildiv(n,256)) block(256)
__global__ void sums(const float *x, float *y, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    y[blockIdx.x] = block_sum(i < n ? x[i] : 0);
}
void run(const float *x, float *y, int n) { sums<<<(n + 255) / 256, 256>>>(x, y, n); }
END
cat > shared.yaml <<'END'
params: [x, y, n]
source: |
  __global__ void fast(const float *__restrict__ x, float *__restrict__ y, int n)
  {
      const int i = blockIdx.x * 256 + threadIdx.x;
      const float sum = block_sum(i < n ? __ldg(x + i) : 0);
      if (threadIdx.x == 0)
          y[blockIdx.x] = sum;
  }
plan:
  - {kernel: fast, grid: ["ceildiv(n,256)"], block: [256], args: [x, y, n]}
END
variant shared.yaml shared.cu -- -arch=sm_90
compile -arch=sm_90 -c shared.cu -o shared.o
reason applied

# Where only variants call the function, the array is declared in the one that is judged alone, and beside the kernels
# once there are two: both are still what was judged. One that has become larger is not.
rm -r "$cache/variants"
{
    sed '/^#pragma/,$d' shared.cu
    for name in sums squares; do
        cat <<END
#pragma ks optimize
#pragma ks workload let(n=1024) in(x[n]) out(y[ceildiv(n,256)]) grid(ceildiv(n,256)) block(256)
__global__ void $name(const float *x, float *y, int n)
{
    float sum = $([ $name = sums ] && echo 0 || echo 3);
    for (int i = 0; threadIdx.x == 0 && i < 256 && blockIdx.x * 256 + i < n; i++)
        sum += x[blockIdx.x * 256 + i];
    if (threadIdx.x == 0)
        y[blockIdx.x] = sum;
}
END
    done
} > two.cu
for name in sums squares; do
    sed "s/fast/fast_$name/; s/= sum;/= sum$([ $name = sums ] || echo ' + 3');/" shared.yaml > $name.yaml
    variant --kernel=$name $name.yaml two.cu -- -arch=sm_90
done
for round in 1 2; do
    compile -arch=sm_90 -c two.cu -o two.o
    says 'sums: .*\[ks:applied\]$'
    says 'squares: .*\[ks:applied\]$'
done
sed 's/part\[256\]/part[257]/' two.cu > three.cu
compile -arch=sm_90 -c three.cu -o three.o
reason variant-differs
plain three.o
