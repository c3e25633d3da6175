# ks record --capture, and the workloads that come of it: judged on the emulated device, without a GPU.
. "$KS_TEST_SOURCE/tests/record/record.sh"
app=$KS_TEST_TOOLS/capture_app
: > ks.yaml # a project: captures lie in its .ks

# A kernel that waits for the program is left alone after some seconds; beside the rest of this test.
(mkdir stuck && cd stuck && : > ks.yaml && exec "$ks" record --capture scale -- "$app" stuck > out 2> log) &
stuck=$!

LD_LIBRARY_PATH=$KS_TEST_FAKES "$app" > alone || fail "the program"
json 0 record --capture scale -- "$app" + captures
cmp alone log || fail "the program's output is not its own"
is '[(c["kernel"], c["grid"], c["bytes"]) for c in r["captures"]]' \
    "[('scale', [8, 1, 1], 20480), ('scale', [3, 1, 1], 20480), ('scale', [8, 1, 1], 4096)]"
is 'r["launches"]' 7
ids=$(field '" ".join(c["capture"] for c in r["captures"])')
[ "$(ls .ks/captures/data | wc -l)" = 4 ] || fail "contents are kept more than once"
ls .ks/captures/data > before

# The same again is the same; other kernels by name, by time, by mark.
json 0 record --capture scale -- "$app" + captures
[ "$(field '" ".join(c["capture"] for c in r["captures"])')" = "$ids" ] || fail "other names for the same launches"
ls .ks/captures/data | cmp before || fail "contents are kept again"
json 0 record --capture 'ns::gather<float>' -- "$app" + captures
gathered=$(field 'r["captures"][0]["capture"]')
[[ $gathered == gather-* ]] || fail "the capture is called $gathered"
json 0 record --capture ns::other -- "$app"
is 'r["captures"]' '[]'
json 0 record --capture top:2 -- "$app" + captures
is 'sorted(set(c["kernel"] for c in r["captures"]))' "['ns::gather<float>', 'scale']"
is 'r["launches"]' 7
status 2 "$ks" record --capture marked -- "$app" && says 'no kernel is marked' && one_line
status 2 "$ks" record --capture top:0 -- "$app" && one_line
status 2 "$ks" record --capture scale --max-bytes=some -- "$app" && one_line
status 2 "$ks" record --max-bytes=1G -- "$app" && one_line
status 0 "$ks" record --capture scale --max-bytes=30K -- "$app"
says 'capture-bytes' && says '40960 bytes, of which 30720' # before and after
has 'no launch was captured'

# Whatever the pieces that memory is copied in, the spool is the same; nothing else is left in it.
for library in "$KS_TEST_BIN/libks-record.so" "$KS_TEST_TOOLS/record_lost.so"; do
    spool=$PWD/spool-$(basename "$library")
    mkdir "$spool"
    CUDA_INJECTION64_PATH=$library KS_RECORD_FILE=$PWD/by-hand.rec KS_RECORD_CAPTURE='*' KS_RECORD_CAPTURE_DIR=$spool \
        KS_RECORD_CAPTURE_MAX=1000000 "$app" > /dev/null || fail "the program"
    (cd "$spool" && for file in *; do tail -n +2 "$file" | md5sum; done | sort > ../"$(basename "$spool").sums")
done
[ "$(wc -l < spool-record_lost.so.sums)" = 6 ] || fail "six launches, four kernels: $(ls spool-record_lost.so)"
cmp spool-libks-record.so.sums spool-record_lost.so.sums || fail "pieces make a difference"

# Files may be no larger than 16 KiB, as on a full disk: what is larger is left out, by name, the rest is kept, and the
# program neither ends by a signal nor says another thing.
json 0 record --capture scale -- "$app" limit + captures
grep -v '^ks record' log | cmp - alone || fail "the program's output is not its own"
says 'capture-failed: _Z5scalePfPKffi: its file cannot be written: is the disk full'
is 'sorted(set((c["kernel"], c["bytes"]) for c in r["captures"]))' "[('scale', 4096)]"
is '(r["launches"], r["torn"])' '(7, 0)'
# Killed while a launch is being captured: those before it are kept.
json 137 record --capture scale -- "$app" dies + captures
is '[c["kernel"] for c in r["captures"]]' "['scale', 'scale', 'scale']"
# Contexts by turns, one that ends, and another in its place: all are captured, with little memory locked.
json 0 record --capture top:20 -- "$app" contexts + captures
is 'sorted(c["kernel"] for c in r["captures"] if c["kernel"] in ("one", "two", "three", "four"))'     "['four', 'four', 'four', 'four', 'one', 'one', 'one', 'one', 'three', 'three', 'three', 'three', 'two', 'two', 'two', 'two']"
is 'r["notes"]' '[]'

# The folder cannot be written: the program is none the wiser.
mkdir -p locked && : > locked/ks.yaml && : > locked/.ks
(cd locked && "$ks" record --capture scale -- "$app" > ../out 2> ../log)
[ $? = 0 ] || fail "the program's status is lost"
says 'capture-failed: scale: cannot make directory .*: Not a directory'
grep -qxF "$(cat alone)" out || fail "the program's output is lost"

wait $stuck || fail "the program with a kernel that waits"
grep -q 'capture-failed: _Z5scalePfPKffi: the work before it does not end' stuck/log || fail "nothing says so"
[ "$(grep -c '^captured' stuck/out)" = 3 ] || fail "the others are lost"

# ---- as workloads
. "$KS_TEST_SOURCE/tests/record/real_nvcc.sh"
export KS_DEVICE=emu
{
    echo '#pragma ks optimize'
    for id in $ids; do echo "#pragma ks workload capture($id)"; done
    cat <<'END'
__global__ void scale(float *y, const float *x, float a, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n)
        y[i] = a * x[i];
}
END
} > scale.cu
write_scale4 scale4.yaml
sed 's/a \* v\.w/a * v.z/' scale4.yaml > wrong.yaml
json 0 verify scale.cu --variant scale4.yaml -- -arch=sm_90 + verdicts
is 'r["verdicts"][0]["correctness"]' CORRECT
json 1 verify scale.cu --variant wrong.yaml -- -arch=sm_90 + verdicts
is 'r["verdicts"][0]["correctness"]' WRONG
# What is right for these sizes alone is right, and only there.
json 0 run scale.cu --workload 2 -- -arch=sm_90
# The replayed launch writes what the recorded one wrote.
for w in 1 2 3; do
    json 0 run scale.cu --workload $w -- -arch=sm_90 + recorded
    is '[(a["array"], a["different"]) for a in r["recorded"]]' "[('y', 0)]"
done
sed 's/a \* x\[i\]/a * x[i] + 1/' scale.cu > other.cu
status 0 "$ks" run other.cu -- -arch=sm_90
has 'y: not as it was recorded: 1000 of 3072 elements, the first at 0'
status 0 "$ks" record --capture marked -- "$app"
[ "$(grep -c '^captured' out)" = 3 ] || fail "marked kernels are not captured"

# Integers are drawn from their range as well: what knows those that were recorded is found.
cat > gather.cu <<END
namespace ns {
#pragma ks optimize
#pragma ks workload capture($gathered)
template <class T> __global__ void gather(const int *at, const T *from, T *to, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n)
        to[i] += from[at[i] - 600]; // serves no integers but such as were recorded
}
}
void run(int *at, float *x, float *y) { ns::gather<float><<<8, 128>>>(at, x, y, 1000); }
END
cat > gather.yaml <<'END'
params: [at, from, to, n]
source: |
  __global__ void taken(const int *at, const float *from, float *to, int n)
  {
      for (int i = blockIdx.x * 256 + threadIdx.x; i < n; i += gridDim.x * 256)
          to[i] += from[at[i] - 600];
  }
plan:
  - {kernel: taken, grid: [4], block: [256], args: [at, from, to, n]}
END
sed 's/from\[at\[i\] - 600\]/from[at[i] - 600] + (at[i] == at[0] + 1 ? 1.f : 0.f)/' gather.yaml > guess.yaml
sed 's/from\[at\[i\] - 600\]/from[(i * 37) % 500 + 7]/' gather.yaml > known.yaml # right for what was recorded alone
json 0 verify gather.cu --variant gather.yaml -- -arch=sm_90
json 1 verify gather.cu --variant guess.yaml -- -arch=sm_90
json 1 verify gather.cu --variant known.yaml -- -arch=sm_90
is 'r["verdicts"][0]["correctness"]' WRONG

# A capture that is altered, absent, or of another kernel.
path=.ks/captures/$gathered.json
cp "$path" kept.json
sed -i 's/"grid":\[8/"grid":[9/' "$path"
status 2 "$ks" run gather.cu -- -arch=sm_90 && says 'gather.cu:3: capture(gather-.*was altered' && one_line
rm "$path"
status 2 "$ks" run gather.cu -- -arch=sm_90 && says 'no such capture in .*\.ks/captures' && one_line
cp kept.json "$path"
for data in .ks/captures/data/*; do printf 'x' | dd of="$data" bs=1 seek=20 conv=notrunc status=none; done
status 2 "$ks" run gather.cu -- -arch=sm_90 && says 'gather.cu:3: capture(.*is damaged' && one_line
sed -i "s/$gathered/${ids%% *}/" gather.cu
status 2 "$ks" run gather.cu -- -arch=sm_90 && says 'is a launch of scale, not of ns::gather<float>' && one_line
