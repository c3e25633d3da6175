# Structs passed by value: kept bit by bit, pointers in them found and moved to where memory lies at the replay. Where
# the struct's definition is plain its members' types are known; a template's are not, and words are compared.
. "$KS_TEST_SOURCE/tests/record/record.sh"
app=$KS_TEST_TOOLS/capture_app
: > ks.yaml

json 0 record --capture pairs -- "$app" + captures
is '[(c["grid"], c["inside"]) for c in r["captures"]]' '[([1, 1, 1], 2)]'
pairs=$(field 'r["captures"][0]["capture"]')
python3 - "$(field 'r["captures"][0]["path"]')" <<'END' || fail "the capture of pairs"
import json, sys
c = json.load(open(sys.argv[1]))
assert [p["at"] for p in c["pointers"]] == [0, 16], c
assert [p["offset"] for p in c["pointers"]] == [0, 8192], c
assert c["params"][0]["hex"] == "00" * 8 + "e8030000" + "5a" * 4 + "00" * 8, c
END
status 0 "$ks" record --capture boxed -- "$app"
has '2 pointers found by value inside its arguments'
boxed=$(sed -n 's/.*capture(\(boxed-[0-9a-f]*\)).*/\1/p' out)

. "$KS_TEST_SOURCE/tests/record/real_nvcc.sh"
export KS_DEVICE=emu
cat > pairs.cu <<END
struct pair {
    const float *a;
    int n;
    float *b;
};
#pragma ks optimize
#pragma ks workload capture($pairs)
__global__ void pairs(pair p, float s)
{
    for (int i = threadIdx.x; i < p.n; i += blockDim.x)
        p.b[i] += s * p.a[i];
}
template <class T> struct box {
    T *at;
    long n;
    T *same;
};
#pragma ks optimize
#pragma ks workload capture($boxed)
template <class T> __global__ void boxed(box<T> v)
{
    for (int i = threadIdx.x; i < v.n; i += blockDim.x)
        v.at[i] = 2 * v.same[i] + 1;
}
void run(box<float> v) { boxed<float><<<1, 128>>>(v); }
END
# Replayed, it writes what was recorded.
json 0 run pairs.cu:pairs -- -arch=sm_90 + recorded
is '[(a["array"], a["elements"], a["different"]) for a in r["recorded"]]' "[('p.ptr_16', 2048, 0)]"
is 'r["findings"]' '[]'
json 0 run pairs.cu:boxed -- -arch=sm_90
is '[(a["array"], a["elements"], a["different"]) for a in r["recorded"]]' "[('v.ptr_0', 512, 0)]"
sed 's/s \* p.a\[i\]/s * p.a[i + 1]/' pairs.cu > other.cu
json 0 run other.cu:pairs -- -arch=sm_90
is 'r["recorded"][0]["different"] > 900' True

# Judged: right, wrong in an element, right for what was recorded alone.
proposal() { # NAME KERNEL-BODY
    printf 'params: [%s]\nsource: |\n%s\nplan:\n  - %s\n' "$2" "$(sed 's/^/  /' <<< "$3")" "$4" > "$1.yaml"
}
plan='{kernel: v, grid: [4], block: [256], args: [q, t]}'
body='__global__ void v(pair q, float t)
{
    for (int i = blockIdx.x * 256 + threadIdx.x; i < q.n; i += gridDim.x * 256)
        q.b[i] += t * q.a[i];
}'
proposal right 'q, t' "$body" "$plan"
proposal short 'q, t' "${body/i < q.n/i < q.n - 1}" "$plan"
proposal beyond 'q, t' "${body/i < q.n/i <= q.n}" "$plan"
proposal known 'q, t' "${body/t \* q.a\[i\]/t * (i * 0.25f - 100)}" "$plan"
json 0 verify pairs.cu:pairs --variant right.yaml -- -arch=sm_90 + verdicts
is 'r["verdicts"][0]["correctness"]' CORRECT
for name in short beyond known; do
    json 1 verify pairs.cu:pairs --variant $name.yaml -- -arch=sm_90 + verdicts
    is 'r["verdicts"][0]["correctness"]' WRONG
done
# Sums in another order are within the error of floats, which is known of members alone.
body='__global__ void v(box<float> q)
{
    for (int i = blockIdx.x * 256 + threadIdx.x; i < q.n; i += gridDim.x * 256)
        q.at[i] = 2 * q.same[i] + 1;
}'
proposal right 'q' "$body" '{kernel: v, grid: [4], block: [256], args: [q]}'
proposal wrong 'q' "${body/+ 1/+ 1.0000001f}" '{kernel: v, grid: [4], block: [256], args: [q]}'
json 0 verify 'pairs.cu:boxed<float>' --variant right.yaml -- -arch=sm_90
json 1 verify 'pairs.cu:boxed<float>' --variant wrong.yaml -- -arch=sm_90
is 'r["verdicts"][0]["correctness"]' WRONG
