# ks bench of a kernel's variants, on the fake worker: times follow from kernels' names (tests/fakes).
. "$KS_TEST_SOURCE/tests/verbs/verbs.sh"
cat > vadd.cu <<'END'
#pragma ks optimize
#pragma ks workload name(small) let(n=4000) in(a[n]=uniform(0,1)) in(b[n]=uniform(0,1)) out(c[n]) grid(ceildiv(n,256)) block(256)
#pragma ks workload name(large) let(n=9000) in(a[n]=uniform(0,1)) in(b[n]=uniform(0,1)) out(c[n]) grid(ceildiv(n,256)) block(256)
__global__ void vadd(const float *a, const float *b, float *c, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n)
        c[i] = a[i] + b[i];
}
END
# proposal NAME [KEY VALUE]: NAME.yaml; the second plan step of `part` needs a workspace.
proposal() {
    cat > "$1.yaml" <<END
source: |
  __global__ void $1(const float *a, const float *b, float *c, int n)
  {
      int i = blockIdx.x * blockDim.x + threadIdx.x;
      if (i < n)
          c[i] = a[i] + b[i];
  }
${2:-}
plan:
${3:-}
  - {kernel: $1, grid: ["ceildiv(n,256)"], block: [256], args: [a, b, c, n]}
END
}
touch ks.yaml
proposal vadd_ok
proposal vadd_slow
proposal vadd_crawl
proposal vadd_tail
proposal vadd_typo
sed -i 's/a\[i\] + b/nothing[i] + b/' vadd_typo.yaml
proposal vadd_ok_room 'workspace: {room: 4*n}' '  - {memset: room, value: 0}'
worker=$KS_TEST_TOOLS/test_judge
[ -x "$worker" ] || skip "test_judge is not built"
unconfined=--no-sandbox
"$ks" doctor | grep -q '^sandbox  *ok' && unconfined=

status 100 "$ks" bench vadd.cu --device emu --variant vadd_ok.yaml && says 'the emulated device has no clock'
one_line
status 100 "$ks" bench vadd.cu --device cuda --variant vadd_ok.yaml && says 'no NVIDIA'
export KS_DEVICE="$worker --worker"
status 1 "$ks" bench vadd.cu && says 'no variant of vadd is stored'
status 2 "$ks" bench vadd.cu --variant abcd && says 'no variant `abcd` of vadd'
status 2 "$ks" bench vadd.cu --variant none.yaml && says 'none.yaml'
status 2 "$ks" bench vadd.cu --variant original && says 'at least one variant'
status 2 "$ks" bench vadd.cu --variant a --variant b --variant c && says 'two arms at most'
status 2 "$ks" bench vadd.cu:sub --variant vadd_ok.yaml && says 'no marked kernel'

# Against the original, on every workload.
json 0 bench vadd.cu $unconfined --variant vadd_ok.yaml + timings
has '"a": "original"' && has '"b": "vadd_ok.yaml"' && has '"shown": "faster"' && has '"workload": "large"'
lacks '"shown": "slower"'
json 0 bench vadd.cu:vadd $unconfined --variant vadd_crawl.yaml + timings
[ "$(grep -c '"shown": "slower"' out)" = 2 ] || fail "not slower on both workloads"
# One against the other, in this order; one with a workspace that the other knows nothing of.
json 0 bench vadd.cu $unconfined --variant vadd_slow.yaml --variant vadd_ok_room.yaml + timings
has '"a": "vadd_slow.yaml"' && has '"b": "vadd_ok_room.yaml"' && has '"shown": "faster"'
lacks '"shown": "slower"'
json 0 bench vadd.cu $unconfined --variant vadd_ok_room.yaml --variant vadd_slow.yaml + timings
has '"shown": "slower"'
lacks '"shown": "faster"'
# So too where the second is the original: times, bounds and who is at fault are told from there.
json 0 bench vadd.cu $unconfined --variant vadd_ok.yaml --variant original + timings
has '"a": "vadd_ok.yaml"' && has '"b": "original"'
[ "$(grep -c '"shown": "slower"' out)" = 2 ] || fail "the original is not slower on both workloads"
awk -F'[:,]' '
    { for (i = 1; i < NF; i++) if ($i ~ /"(a_us|b_us|ratio|lower|upper|geomean)"/) { gsub(/[ "]/, "", $i); at[$i] = $(i + 1) + 0 } }
    /"workload"/ { rows++ }
    /}/ { if ("ratio" in at && !(at["a_us"] < at["b_us"] && at["lower"] <= at["ratio"] && at["ratio"] <= at["upper"] && at["upper"] < 1)) bad = 1 }
    END { exit bad || rows != 2 || !(at["geomean"] > 0 && at["geomean"] < 1) }' out ||
    { cat out; fail "times are not told in the order of the arms"; }
json 0 bench vadd.cu $unconfined --variant original --variant vadd_ok.yaml + timings
has '"a": "original"' && has '"b": "vadd_ok.yaml"' && lacks '"shown": "slower"'
status 0 "$ks" bench vadd.cu $unconfined --variant vadd_ok.yaml --variant original
has 'vadd_ok.yaml against original on '
json 1 bench vadd.cu $unconfined --variant vadd_tail.yaml --variant original
has '"at_fault": "a"' && has '"a": "vadd_tail.yaml"'
# Against itself nothing is claimed.
status 0 "$ks" bench vadd.cu $unconfined --variant vadd_ok.yaml --variant vadd_ok.yaml
has 'no difference shown'
lacks faster

# What is wrong is not timed, and named.
json 1 bench vadd.cu $unconfined --variant vadd_ok.yaml --variant vadd_tail.yaml
has '"correctness": "WRONG"' && has '"at_fault": "b"' && has '"timings": []'
status 1 "$ks" bench vadd.cu $unconfined --variant vadd_typo.yaml --variant vadd_ok.yaml
has 'vadd_typo.yaml is COMPILE: line 5: error'

# A stored one, by its first digits, and without a name.
sed -i "1i params: [a, b, c, n]" vadd_ok.yaml
path=$("$make_variant" vadd_ok.yaml vadd.cu -- -arch=sm_90 | head -1) || fail "ks-make-variant"
id=$(basename "$path" .yaml)
json 0 bench vadd.cu + timings
has "\"b\": \"$id\"" && has '"sandbox": "none"'
json 0 bench vadd.cu --variant "${id:0:6}" --variant original + timings
has "\"a\": \"$id\"" && has '"b": "original"'
no_litter
