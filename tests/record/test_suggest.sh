# ks record --suggest: which kernels are worth a mark, why the others are not, and the marks written.
. "$KS_TEST_SOURCE/tests/record/record.sh"
app=$KS_TEST_TOOLS/capture_app
: > ks.yaml
mkdir -p src include
cat > src/scale.cu <<'END'
// the kernel below is found by its name
__global__ void scale(float *y, const float *x, float a, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n)
        y[i] = a * x[i];
}
END
printf 'namespace ns {\r\n    // indented, with the other line ends\r\n    template <class T>\r\n    __global__ void gather(const int *at, const T *from, T *to, int n) {}\r\n}\r\n' > include/gather.cuh
chmod 640 src/scale.cu
cp src/scale.cu scale.before

# Without a capture: which kernel, and how to get a workload. Nothing is written for it.
status 0 "$ks" record -o app.rec -- "$app"
json 0 record --suggest --write app.rec + suggestions
is '[(s["kernel"], s["reason"]) for s in r["suggestions"]]' \
    "[('scale', 'worth-tuning'), ('ns::gather<float>', 'worth-tuning'), ('boxed<float>', 'no-source'), ('pairs', 'no-source')]"
is '(r["suggestions"][0]["lines"], r["suggestions"][0]["written"])' "(['#pragma ks optimize'], False)"
is 'r["suggestions"][0]["line"]' 2
is '"ks record --capture scale" in r["suggestions"][0]["text"]' True
cmp src/scale.cu scale.before || fail "a mark without a workload was written"

# With captures, in one go; the largest share first.
status 0 "$ks" record --capture top:2 --suggest -- "$app"
grep -q 'worth tuning: scale: 7.* the whole can become [34]\.[0-9]* times as fast at most' out ||
    { cat out; fail "no bound"; }
grep -A5 'worth tuning: scale' out | grep -q '    #pragma ks workload capture(scale-' || fail "no lines"
grep -q 'leave: pairs: .*no file of this project defines it' out || fail "no reason"
json 0 record --suggest app.rec + suggestions
is '[len(s["lines"]) for s in r["suggestions"]]' '[4, 2, 0, 0]'

json 0 record --suggest --write app.rec
is '[s["written"] for s in r["suggestions"]]' '[True, True, False, False]'
[ "$(sed -n 2p src/scale.cu)" = '#pragma ks optimize' ] || fail "no mark in src/scale.cu"
grep -v '^#pragma ks' src/scale.cu | cmp - scale.before || fail "more than the mark was changed"
[ "$(stat -c %a src/scale.cu)" = 640 ] || fail "the file's mode was changed"
grep -q $'^    #pragma ks workload capture(gather-[0-9a-f]*)\r$' include/gather.cuh || fail "no mark in include/gather.cuh"
[ "$(grep -c $'\r$' include/gather.cuh)" = 7 ] || fail "line ends were changed"

# A kernel with a struct is as good as any.
status 0 "$ks" record --capture pairs -- "$app"
echo '__global__ void pairs(pair p, float s) {}' > src/pairs.cu
json 0 record --suggest app.rec
is '[(s["reason"], len(s["lines"])) for s in r["suggestions"] if s["kernel"] == "pairs"]' "[('worth-tuning', 2)]"
rm src/pairs.cu

# What is marked is left alone.
cp src/scale.cu scale.marked
json 0 record --suggest --write app.rec
is '[s["reason"] for s in r["suggestions"]]' "['marked', 'marked', 'no-source', 'no-source']"
cmp src/scale.cu scale.marked || fail "a second mark was written"

# Arrays that pass memory near its peak, and small shares. The fake's peak is 32 GB/s.
python3 - <<'END'
import glob, json
d = json.load(open(glob.glob('.ks/captures/gather-*.json')[0]))
grid, symbol = d["grid"], d["symbol"]
lines = [
    {"p": 1, "ks": "recording", "format": 1, "program": "/a", "cupti": 1, "t": 1},
    {"p": 1, "device": 0, "name": "G", "arch": 90, "sms": 1, "threads": 2048, "blocks": 32, "registers": 65536,
     "shared": 233472, "memory": 10},
    {"p": 1, "kernel": 0, "name": symbol}, {"p": 1, "kernel": 1, "name": "_Z5scalePfPKffi"},
    {"p": 1, "kernel": 2, "name": "_ZN19ks_0123456789abcdef6scale4Ev"}]
for i in range(3):
    lines.append({"p": 1, "class": i, "kernel": i, "grid": grid, "block": [128, 1, 1], "cluster": [1, 1, 1], "static": 0,
                  "dynamic": 0, "local": 0, "registers": 8, "device": 0, "graph": False})
# at, from and the rest of the pool behind z: 4000 + 4096 + 8192 bytes
lines.append({"p": 1, "at": 1, "launches": [0, 1, 0, 1800, 1, 1, 5, 10, 2, 1, 5, 100]})
open('full.rec', 'w').write(''.join(json.dumps(l) + '\n' for l in lines))
# A third of the time, where more can be saved than in the rest, which is near the ceiling.
lines[-1] = {"p": 1, "at": 1, "launches": [0, 1, 0, 2036, 1, 1, 5, 1000]}
open('near.rec', 'w').write(''.join(json.dumps(l) + '\n' for l in lines))
END
sed -i '/#pragma ks/d' src/scale.cu include/gather.cuh
json 0 record --suggest full.rec
is '[s["reason"] for s in r["suggestions"]]' "['memory-ceiling', 'variant', 'small-share']"
is 'round(r["suggestions"][0]["memory"], 4)' 0.9049
json 0 record --suggest near.rec
is '[(s["kernel"], s["reason"]) for s in r["suggestions"][:2]]' "[('scale', 'worth-tuning'), ('ns::gather<float>', 'worth-tuning')]"
status 2 "$ks" record --write app.rec && one_line
status 2 "$ks" record --suggest absent.rec && one_line
status 2 "$ks" record app.rec && one_line
