# ks explain --why: every condition with its value and truth, what the memory knows, what an action refuses.
. "$KS_TEST_SOURCE/tests/verbs/verbs.sh"
command -v python3 > /dev/null || skip "no python3"
cat > a.cu <<'END_CU'
#pragma ks optimize
#pragma ks workload let(n=1024) in(a[n*n]) out(b[n*n]) grid(n/32,n/8) block(32,8)
__global__ void turn(const float *a, float *b, int n)
{
    int x = blockIdx.x * 32 + threadIdx.x, y = blockIdx.y * 8 + threadIdx.y;
    b[x * n + y] = a[y * n + x];
}
#pragma ks optimize
#pragma ks workload let(n=4096) in(x[n]) out(y[n]) grid(ceildiv(n,128)) block(128)
__global__ void pick(const float *x, float *y, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n)
        return;
    switch (i % 2) {
    case 0: y[i] = x[i]; break;
    default: y[i] = -x[i];
    }
}
END_CU
sed 's/turn(/nearly(/; s/b\[x \* n + y\] = /b[x * n + y] = (x == y) + /' a.cu > b.cu
export KS_STATE_DIR=$PWD/state
# of SKILL EXPRESSION: over the row `s` of the skill, and `c`, its conditions by text.
of() {
    python3 - "$1" "$2" <<'END_PY'
import json, sys
r = json.load(open("out"))["kernels"][0]
s = [x for x in r["skills"] if x["skill"] == sys.argv[1]][0]
c = {x["condition"]: x for x in s["conditions"]}
print(eval(sys.argv[2]))
END_PY
}
is() { [ "$(of "$1" "$2")" = "$3" ] || { cat out; fail "$1: $2 is $(of "$1" "$2"), not $3"; }; }

status 0 "$ks" explain --why a.cu:turn -- -arch=sm_90
has 'turn (a.cu:3), sm_90, on n=1024'
has 'structure: permutation; bottleneck: unknown'
grep -qE 'strided_writes > 0 +yes 1$' out || fail "no value of strided_writes"
grep -qE 'dram_pct < 40 +unknown$' out || fail "dram_pct is not unknown"
grep -qE '^    unroll +requires loops > 0, and it is 0$' out || fail "not told what keeps unroll out"
has 'line 6: reads a[y * n + x] (a), contiguous in x, apart by 1024 in y, 1 times a thread at most'
json 0 explain --why a.cu:turn -- -arch=sm_90 + kernels 'kernels[].skills' 'kernels[].skills[].conditions'
is unroll 'r["text"][0], r["facts"]["strided_writes"], "dram_pct" in r["facts"]' \
    "('line 6: reads a[y * n + x] (a), contiguous in x, apart by 1024 in y, 1 times a thread at most', 1.0, False)"
is unroll 's["applies"], s["score"]' '(False, None)'
is tiled-transpose 's["applies"], s["candidates"] > 0, round(s["score"], 3)' '(True, True, 0.667)'
key=$(of tiled-transpose 'r["key"]')
# What a template recognises it computes, and of what is almost so the element that differs.
is tiled-transpose 's["recognised"], s["refusal"]' "('the transpose of a n x n matrix, batch 1', None)"
is tiled-transpose 's["binding"]' 'transpose_inner in=a out=b rows=n cols=n batch=1 T=f32'
is row-scan 's["recognised"], "almost" in str(s["refusal"])' '(None, False)'
# What keeps a template out: that it computes something else, before what the mark does not admit; a type.
is gemm-tf32-on-tensor-cores '"what it computes is nothing" in s["refusal"], "tol(sum" in s["refusal"]' '(True, False)'
status 0 "$ks" explain --why a.cu:turn -- -arch=sm_90 && has 'this is the transpose of a n x n matrix, batch 1'
sed 's/turn(/halved(/; s/float/short/g' a.cu > c.cu
json 0 explain --why c.cu:halved -- -arch=sm_90
is row-scan '"elements of a are i16, and row_scan has no role for such" in s["refusal"]' True
json 0 explain --why b.cu:nearly -- -arch=sm_90
is tiled-transpose 's["recognised"], s["candidates"]' '(None, 0)'
is tiled-transpose '"almost transpose" in s["refusal"] and "at z=0 c=" in s["refusal"]' True
# Images to channels last by threads in one axis are transposes like others.
cat > e.cu << 'END'
#pragma ks optimize
#pragma ks workload let(n=2, c=12, p=72) in(x[n*c*p]) out(y[n*c*p]) grid(ceildiv(n*c*p,128)) block(128)
__global__ void flat(const int *x, int *y, int n, int c, int p)
{
    int i = blockIdx.x * 128 + threadIdx.x;
    if (i < n * c * p)
        y[i] = x[(i / c / p * c + i % c) * p + i / c % p];
}
END
json 0 explain --why e.cu:flat -- -arch=sm_90
is tiled-transpose 's["recognised"]' 'the transpose of a c x p matrix, batch n'
# Where no small size runs, nothing is said that the kernel were.
sed 's/turn(/large(/; 0,/{/s//{\n    if (n != 1024)\n        __trap();/' a.cu > d.cu
json 0 explain --why d.cu:large -- -arch=sm_90
is tiled-transpose 's["candidates"] > 0, s["recognised"]' '(True, None)'

# A window's width is a constant in templates, whether the mark says that it is one or gives it as a size.
cat > g.cu <<'END_CU'
#pragma ks optimize
#pragma ks workload let(b=2, c=3, n=60, o=5, k=4) in(x[b*c*n]) in(w[o*c*k]) out(y[b*o*(n-k+1)]) grid(o,b) block(64)
__global__ void filter(const float *x, const float *w, float *y, int c, int n, int o, int k)
{
    for (int i = threadIdx.x; i < n - k + 1; i += blockDim.x) {
        float sum = 0;
        for (int j = 0; j < c; j++)
            for (int t = 0; t < k; t++)
                sum += x[(blockIdx.y * c + j) * n + i + t] * w[(blockIdx.x * c + j) * k + t];
        y[(blockIdx.y * o + blockIdx.x) * (n - k + 1) + i] = sum;
    }
}
END_CU
status 0 "$ks" explain --why g.cu:filter -- -arch=sm_90
has 'this is a convolution of 4 taps'
lacks 'must not be negative'
sed -i 's/, k=4)/) set(k=4)/' g.cu
status 0 "$ks" explain --why g.cu:filter -- -arch=sm_90
has 'this is a convolution of 4 taps'

# A struct that the text calls otherwise than the compiler is what the compiler calls it.
cat > f.cu <<'END_CU'
typedef struct place { float x, y; } Place;
#pragma ks optimize
#pragma ks workload let(n=4096) in(float2 at[n]) out(far[n]) grid(ceildiv(n,128)) block(128)
__global__ void apart(const Place *__restrict__ at, float *far, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n)
        far[i] = at[i].x * at[i].x + at[i].y * at[i].y;
}
END_CU
json 0 explain --why f.cu:apart -- -arch=sm_90
is block-size 's["candidates"] > 0, s["refusal"]' '(True, None)'

# In one file with what is said of others on stderr, lines stay whole.
{ sed -n 1,7p a.cu; echo '#pragma ks optimize'; echo 'template <class T> __global__ void none(T *x) {}'; sed '1,7!d; s/turn/again/' a.cu; } > e.cu
status 0 sh -c "\"$ks\" explain --why e.cu -- -arch=sm_90 2>&1"
grep -q '^ks explain: none: ' out || fail "a line stands within another: $(grep 'ks explain' out)"

# With the counters that a tuning kept, and what the memory knows.
mkdir -p state/profiles
echo '{"bottleneck":"uncoalesced","facts":{"sectors_per_request_st":32,"dram_pct":12.5}}' > "state/profiles/$key.json"
json 0 explain --why a.cu:turn -- -arch=sm_90
is tiled-transpose 's["score"], c["dram_pct < 40"]["truth"], c["dram_pct < 40"]["value"]' "(1.0, 'yes', 12.5)"
is measure-first 's["score"]' 0.0
is coalescing 'r["bottleneck"], c["bottleneck(uncoalesced)"]["weight"], round(s["score"], 3)' "('uncoalesced', 3.0, 0.917)"
"$KS_TEST_TOOLS/ks-add-attempt" state "$key" || fail "no attempt"
python3 -c "
import sqlite3
db = sqlite3.connect('state/memory.db')
db.execute(\"UPDATE learned SET skill = 'tiled-transpose', judged = 40, correct = 40, measured = 40, log_sum = 40 * 0.6931, agreed = 3, denied = 9\")
db.commit()" || fail "the memory cannot be changed"
json 0 explain --why a.cu:turn -- -arch=sm_90
is tiled-transpose 's["attempts"], s["evidence"], s["feasible"] > 0.9, s["gain"] > 1.8, s["score"]' \
    '(40, 1.0, True, True, 1.0)'
status 0 "$ks" explain --why a.cu:turn -- -arch=sm_90 && has '40 attempts here and elsewhere'
has 'predicted sectors_per_request_st moved as it says with 3 of 12 gains'
echo '{' > "state/profiles/$key.json"
status 0 "$ks" explain --why a.cu:turn -- -arch=sm_90 && says 'cannot be read' && has 'bottleneck: unknown'

status 0 "$ks" explain --why a.cu:pick -- -arch=sm_90
grep -q 'refuses: line 1[0-9]: ' out || { cat out; fail "no refusal by line"; }
has 'line 13: if (i >= n), threads agree but at its edge'
grep -qE '^  line [12][0-9]: if .*, threads of a warp may differ$' out || { cat out; fail "not told where threads differ"; }
json 0 explain --why a.cu:pick -- -arch=sm_90
is divergence 'r["facts"]["divergent"], c["divergent > 0"]["truth"]' "(1.0, 'yes')"
status 2 "$ks" explain --why a.cu:nothing -- -arch=sm_90 && says nothing
status 2 "$ks" explain --why no.cu && says 'no.cu: no such file'
# Sums of each block are not the sum of all, though one block's are: small launches are of one block.
cat > sums.cu <<'END_CU'
#pragma ks optimize
#pragma ks workload let(n=1<<18) in(x[n]) out(y[ceildiv(n,256)]) grid(ceildiv(n,256)) block(256)
__global__ void sums(const float *x, float *y, int n)
{
    __shared__ float part[256];
    int t = threadIdx.x, i = blockIdx.x * blockDim.x + t;
    part[t] = i < n ? x[i] : 0.0f;
    __syncthreads();
    for (int s = blockDim.x / 2; s > 0; s >>= 1) {
        if (t < s)
            part[t] += part[t + s];
        __syncthreads();
    }
    if (t == 0)
        y[blockIdx.x] = part[0];
}
#pragma ks optimize
#pragma ks workload let(n=1<<18) in(x[n]) out(y[ceildiv(n,1024)]) grid(ceildiv(n,1024)) block(256)
__global__ void runs(const float *x, float *y, int n)
{
    __shared__ float part[256];
    int t = threadIdx.x;
    float sum = 0;
    for (int i = blockIdx.x * 1024 + t; i < min(n, (int)(blockIdx.x + 1) * 1024); i += 256)
        sum += x[i];
    part[t] = sum;
    __syncthreads();
    for (int s = 128; s > 0; s /= 2) {
        if (t < s)
            part[t] += part[t + s];
        __syncthreads();
    }
    if (t == 0)
        y[blockIdx.x] = part[0];
}
END_CU
status 0 "$ks" explain --why sums.cu:sums -- -arch=sm_90
lacks 'this is sum' && lacks 'this is the sum' && has 'this is for each block the sum of what it makes of its share of n elements'
status 0 "$ks" explain --why sums.cu:runs -- -arch=sm_90
lacks 'this is sum' && lacks 'this is the sum' && lacks 'this is for each block'
# Where small runs cannot be, since the data are a file's, only the extents tell.
python3 -c '
import struct, sys
head = b"{\x27descr\x27: \x27<f4\x27, \x27fortran_order\x27: False, \x27shape\x27: (262144,), }"
head += b" " * (117 - len(head)) + b"\n"
sys.stdout.buffer.write(b"\x93NUMPY\x01\x00" + struct.pack("<H", len(head)) + head + bytes(4 << 18))' > x.npy
sed 's/in(x\[n\])/in(x[n]=file("x.npy"))/' sums.cu > unknown.cu
status 0 "$ks" explain --why unknown.cu:sums -- -arch=sm_90
lacks 'template reduce_all: '
has 'no small run tells what it computes: no size of the workload is small enough'
grep -qE '^  and [0-9]+ whose templates fit no assignment of the parameters' out || fail "not told how many fit nothing"
lacks 'refuses: line 3: no assignment'
