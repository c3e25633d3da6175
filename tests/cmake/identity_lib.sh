# Sourced by identity_*.sh: `identity.sh TOOL NVCC`. Compiles with the real nvcc in a scratch folder and
# compares canonical PTX digests of the entry whose name contains a word.
tool=${1:?usage: $0 IDENTITY_PTX NVCC}
nvcc=${2:?usage: $0 IDENTITY_PTX NVCC}
[ -x "$nvcc" ] || { echo "no nvcc: skipped"; exit 77; }
work=$(mktemp -d) && trap 'rm -rf "$work"' EXIT
cd "$work" || exit 1
failed=0 checked=0

# digest FILE WORD OPTION...: of the entry whose name contains WORD, from FILE compiled for sm_90.
# Only as far as the device goes (-fatbin): the host compiler has no part in PTX.
digest() {
    local file=$1 word=$2
    shift 2
    rm -rf "$work/keep" && mkdir "$work/keep"
    "$nvcc" -gencode arch=compute_90,code=sm_90 "$@" -fatbin "$file" -o "$work/keep/out.fatbin" \
        --keep --keep-dir "$work/keep" >"$work/log" 2>&1 ||
        { cat "$work/log" >&2; echo "$file $*: does not compile" >&2; echo none; return; }
    local ptx
    ptx=$(grep -l '^\.target sm_90$' "$work"/keep/*.ptx | head -1)
    "$tool" "$ptx" | awk -v word="$word" 'index($3, word) && $2 == "applied" { print $1; n++ }
        END { if (n != 1) print "entries:" n + 0 }'
}

# keeps|changes WHAT DIGEST: against $base.
keeps() {
    checked=$((checked + 1))
    [ "$2" = "$base" ] || { echo "FAIL: $1 changes the key ($2)"; failed=1; }
}
changes() {
    checked=$((checked + 1))
    case $2 in
    "$base" | none | entries*) echo "FAIL: $1 does not change the key ($2)"; failed=1 ;;
    esac
}

source_text() {
    cat <<'EOF'
#include <cassert>
#define SCALE 3
static __device__ __noinline__ float decay(float x, int n)
{
    float s = 0;
    for (int i = 0; i < n; i++)
        s += x * i * s;
    return s;
}
__global__ void blend(float *x, int n)
{
    static __constant__ float table[4] = {1, 2, 4, 8};
    __shared__ float tile[128];
    __shared__ int last[4];
    assert(n > 0);
    tile[threadIdx.x] = x[threadIdx.x];
    last[threadIdx.x & 3] = n;
    __syncthreads();
    if (n > 7)
        x[n] = decay(tile[threadIdx.x ^ 1], n) * SCALE + table[n & 3] + last[n & 1] + sinf(x[1]);
}
EOF
}
source_text >base.cu
base=$(digest base.cu blend)
case $base in none | entries*) echo "FAIL: the base does not compile: $base"; exit 1 ;; esac
