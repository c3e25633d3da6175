# ks record --suggest: workloads as clauses where shapes and values follow rules, captures and a reason elsewhere.
. "$KS_TEST_SOURCE/tests/record/record.sh"
app=$KS_TEST_TOOLS/shapes_app
: > ks.yaml
cat > shapes.cu <<'END'
#define AT blockIdx.x * blockDim.x + threadIdx.x
__global__ void saxpy(float *y, const float *x, float a, int n) { int i = AT; if (i < n) y[i] += a * x[i]; }
__global__ void matrix(float *out, const float *in, int rows, int cols)
{
    int i = AT, j = blockIdx.y * blockDim.y + threadIdx.y;
    if (i < cols && j < rows)
        out[j * cols + i] = in[j * cols + i];
}
__global__ void square(float *out, const float *in, int rows, int cols) {}
__global__ void gather(float *y, const int *at, int n) {}
__global__ void shuffle(float *y, const int *order, int n) { int i = AT; if (i < n) y[order[i]] = i; }
__global__ void stride(float *y, const float *x, int n, int ld) {}
__global__ void chosen(float *y, const float *x, int n, int mode)
{
    for (int i = AT; i < n; i += gridDim.x * blockDim.x)
        y[i] = mode == 2 ? x[i] : 0;
}
__global__ void count(unsigned *bins, const unsigned char *keys, int n) { int i = AT; if (i < n) atomicAdd(&bins[keys[i] / 8], 1u); }
__global__ void tables(unsigned *bins, const unsigned char *keys, int n, int n_bins) {}
__global__ void halve(float *y, long a, int n) {}
__global__ void loops(float *y, const float *x, int n) {}
END
json 0 record -o app.rec --capture top:20 --suggest -- "$app" + suggestions
is '(len(r["suggestions"]), len(r["captures"]))' '(11, 12)'
# lines KERNEL: its workloads. why KERNEL: by what reason it is left to captures.
lines() { field "'\n'.join(l for s in r['suggestions'] if s['kernel'] == '$1' and s['clauses'] for l in s['lines'][1:])"; }
why() { field "''.join(s['text'].split('since ')[1] for s in r['suggestions'] if s['kernel'] == '$1' and 'capture(' in s['lines'][1])"; }
[ "$(lines saxpy | sort)" = '#pragma ks workload set(a=0.5) let(n=1000) inout(y[n]=constant(0)) in(x[n]=uniform(0,1)) grid(ceildiv(n,256)) block(256)
#pragma ks workload set(a=0.5) let(n=3072) inout(y[n]=constant(0)) in(x[n]=uniform(0,1)) grid(ceildiv(n,256)) block(256)' ] ||
    { lines saxpy; fail "saxpy"; }
lines matrix | grep -qE '^#pragma ks workload let\(rows=100\) let\(cols=300\) inout\(out\[rows\*cols\]=constant\(0\)\) in\(in\[rows\*cols\]=normal\(0,(1|0\.99)\)\) grid\(ceildiv\(cols,32\),ceildiv\(rows,8\)\) block\(32,8\)$' ||
    { lines matrix; fail "matrix"; }
lines shuffle | grep -q 'in(order\[n\]=permutation)' || fail "shuffle"
lines chosen | grep -q 'let(n=5000) set(mode=2) .* grid(ceildiv(n,1024)) block(256)$' || { lines chosen; fail "chosen"; }
lines count | grep -q 'inout(bins\[32\]=constant(0)) in(keys\[n\]=randint(0,255))' || { lines count; fail "count"; }
why square | grep -q 'several sizes explain grid.x alike: record a launch in which they differ' || fail "square: $(why square)"
why gather | grep -q "'at' may hold indices" || fail "gather: $(why gather)"
why stride | grep -q "no rule tells what 4096 of 'ld' is" || fail "stride: $(why stride)"
why tables | grep -q "'keys' may hold indices" || fail "tables: $(why tables)"
why halve | grep -q "'y' has no allocation of its own" || fail "halve: $(why halve)"
why loops | grep -q 'grid.x follows no simple rule' || fail "loops: $(why loops)"

# Written into the file they are marks that serve.
json 0 record --suggest --write app.rec
is 'sum(s["written"] for s in r["suggestions"])' 11
. "$KS_TEST_SOURCE/tests/record/real_nvcc.sh"
for kernel in saxpy matrix shuffle chosen count; do
    json 0 run "shapes.cu:$kernel" --no-costs -- -arch=sm_90
    is 'r["findings"]' '[]'
done
