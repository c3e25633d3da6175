# What a build's words, marks and places do to the key: a variant is found again, or not.
. "$KS_TEST_SOURCE/tests/lib.sh"
base() {
    cat <<'END'
#include <cassert>
#include <cuda_runtime.h>
static __device__ float helper(float v) { return v * 3; }
#pragma ks optimize
#pragma ks workload let(n=4096) set(a=2) in(x[n]) out(y[n]) grid(ceildiv(n,256)) block(256)
__global__ void scale(float *y, const float *x, float a, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    assert(n > 0);
    if (i < n)
        y[i] = a * x[i] + helper(x[i]);
}
void run(float *y, float *x, int n) { scale<<<(n + 255) / 256, 256>>>(y, x, 2.f, n); }
END
}
write_scale4 p.yaml
sed -i 's/__global__ void scale4/__device__ float three(float v) { return v * 3; }\n  &/' p.yaml
base > a.cu
variant p.yaml a.cu -- -arch=sm_90

# keeps|changes WHAT WORDS...: the key under which a build with these words looks for variants.
keeps() { look applied "$@"; }
changes() { look pending "$@"; }
look() {
    local want=$1 what=$2
    shift 2
    case " $* " in *" -std="*) ;; *) set -- -std=c++14 "$@" ;; esac # the headers are half as long
    compile -c -o a.o "$@"
    grep -q "\[ks:$want\]\$" log || fail "$what: not $want"
    echo "$what: $want"
}
# The words.
keeps "the same again" -arch=sm_90 a.cu
keeps "-lineinfo, -g" -arch=sm_90 -lineinfo -g a.cu
keeps "ptxas that only talks" -arch=sm_90 -Xptxas=-v a.cu
keeps "another architecture in the list" -gencode arch=compute_80,code=sm_80 \
    -gencode arch=compute_90,code=sm_90 a.cu
keeps "host options" -arch=sm_90 -Xcompiler=-O3,-fPIC -O3 -std=c++20 a.cu
changes "-Xptxas" -arch=sm_90 -Xptxas=-O1 a.cu
changes "-maxrregcount" -arch=sm_90 -maxrregcount=32 a.cu
changes "-use_fast_math" -arch=sm_90 -use_fast_math a.cu
changes "-rdc=true" -arch=sm_90 -rdc=true a.cu
changes "an architecture without a variant" -arch=sm_80 a.cu
NVCC_APPEND_FLAGS=-Xptxas=-O1 changes "-Xptxas in the environment" -arch=sm_90 a.cu
echo -Xptxas=-O1 > flags
changes "-Xptxas in an options file" -arch=sm_90 -optf flags a.cu

# The toolkit: the same compiler under another version.
mkdir toolkit
cat > toolkit/nvcc <<END
#!/bin/sh
[ "\$*" = --version ] && exec sed s/$($nvcc --version | grep -o 'V[0-9.]*$')/V13.0.999/ $PWD/toolkit/version
exec $nvcc "\$@"
END
"$nvcc" --version > toolkit/version
chmod +x toolkit/nvcc
KS_NVCC_REAL=$PWD/toolkit/nvcc changes "another toolkit" -arch=sm_90 a.cu

# The text.
mkdir -p "other checkout/deep"
edit() { # edit keeps|changes WHAT SED-SCRIPT [FILE]
    local file=${4:-b.cu}
    base | sed "$3" > "$file"
    cmp -s "$file" a.cu && [ "$file" = b.cu ] && fail "'$3' edits nothing"
    $1 "$2" -arch=sm_90 "$file"
}
edit keeps "another checkout, with assert" '' "other checkout/deep/renamed.cu"
edit keeps "comments, formatting and lines" 's/^    //; s/;$/ ; \/\/ so/; s/^{/\n\n{/'
edit keeps "names" 's/scale/stretch/g; s/helper/triple/g; s/\([( *]\)x\b/\1from/g; s/int i =/int at =/; s/(i < n/(at < n/; s/\[i\]/[at]/g'
edit keeps "an unnamed namespace" 's/^#pragma ks optimize/namespace {\n&/; s/^void run/}\n&/'
edit keeps "a second caller of the helper" '$ s/$/\n__global__ void more(float *v) { *v = helper(*v); }/'
edit keeps "the sizes of the workload" 's/n=4096/n=65536/'
edit changes "the helper" 's/return v \* 3/return v * 5/'
edit changes "a constant" 's/a \* x/a * 2 * x/'
edit changes "a parameter's type" 's/float a/double a/'
edit changes "the contract: what an input holds" 's/in(x\[n\])/in(x[n]=uniform(0,1))/'
edit changes "the contract: an extent" 's/in(x\[n\])/in(x[n+1])/'
edit changes "the contract: who is written" 's/out(y/inout(y/'
edit changes "the tolerance" 's/^#pragma ks optimize/& tol(rel=1e-3)/'
edit changes "fastmath" 's/^#pragma ks optimize/& fastmath/'
edit keeps "a budget and a name" 's/^#pragma ks optimize/& budget(9s) name(mine)/'
no_litter
