# Kernels in CUDA graphs, captured where the memory of one is known to be what it was before the whole graph ran, and
# refused by a reason everywhere else.
. "$KS_TEST_SOURCE/tests/record/record.sh"
app=$KS_TEST_TOOLS/graph_app
: > ks.yaml

# captured HOW AFTER: one launch of scale is kept; AFTER, whether what it left is known.
captured() {
    LD_LIBRARY_PATH=$KS_TEST_FAKES "$app" "$1" > alone || fail "the program"
    json 0 record --capture scale -- "$app" "$1" + captures
    cmp alone log || fail "$1: the program's output is not its own, or something is said"
    is '[(c["kernel"], c["graph"], c["cooperative"]) for c in r["captures"]]' "[('scale', $3, $4)]"
    is '["after" in a for a in __import__("json").load(open(r["captures"][0]["path"]))["allocations"]]' "[$2, $2]"
}
refused() { # HOW WORDS
    json 0 record --capture scale -- "$app" "$1"
    is 'r["captures"]' '[]'
    is '[n["note"] for n in r["notes"]]' "['capture-graph']"
    says "capture-graph: _Z5scalePfPKffi: .*$2"
}
captured behind False True False
captured chain False True False
captured cooperative True False True
captured update True True False
is '[p["hex"] for p in __import__("json").load(open(r["captures"][0]["path"]))["params"]][2]' 00008040
captured first True True False
first=$(field 'r["captures"][0]["capture"]')
status 0 "$ks" record --capture scale -- "$app" first
has 'in a graph; #pragma'
refused second 'a node that may run before it in its graph may write its memory'
refused beside 'a node that may run before it in its graph may write its memory'
refused host 'a node that may run before it in its graph may write anything'
refused set 'its graph was changed after it was instantiated'
refused large 'more than 512 nodes'
# Of two in one graph the first that touches its memory.
json 0 record --capture fill -- "$app" second + captures
is '[(c["kernel"], c["graph"]) for c in r["captures"]]' "[('fill', True)]"

. "$KS_TEST_SOURCE/tests/record/real_nvcc.sh"
cat > scale.cu <<END
#pragma ks optimize
#pragma ks workload capture($first)
__global__ void scale(float *y, const float *x, float a, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n)
        y[i] = a * x[i];
}
END
json 0 run scale.cu -- -arch=sm_90
is '[(a["array"], a["different"]) for a in r["recorded"]]' "[('y', 0)]"
status 0 "$ks" record --capture scale -- "$app" behind
sed -i "s/capture(.*)/capture($(sed -n 's/.*capture(\(scale-[0-9a-f]*\)).*/\1/p' out))/" scale.cu
json 0 run scale.cu -- -arch=sm_90
is 'r["recorded"]' '[]'
