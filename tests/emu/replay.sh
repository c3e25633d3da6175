#!/usr/bin/env bash
# A candidate that is wrong under some schedules alone: the judge names the schedule, and `ks verify --seed`
# repeats it: found again under it, not found in order. One that is wrong where values and addresses happen to be such:
# `--draw` repeats the judgement.
#   tests/emu/replay.sh BUILD
set -u
build=$1
command -v nvcc > /dev/null || [ -x "${CUDA_PATH:-/usr/local/cuda}/bin/nvcc" ] || { echo "no nvcc here: skipped"; exit 77; }
scratch=$(mktemp -d) || exit 1
trap 'rm -rf "$scratch"' EXIT
export KS_CACHE_DIR=$scratch/cache KS_STATE_DIR=$scratch/state KS_CONFIG_DIR=$scratch/config
unset KS_DEVICE KS_MODE
fail() { echo "FAIL: $*"; cat "$scratch"/*.out; exit 1; }
cd "$scratch" || exit 1
cat > scale.cu << 'END'
#pragma ks optimize
#pragma ks workload let(n=640) in(x[n]) out(y[n]) grid(ceildiv(n,64)) block(64)
__global__ void scale(const float *x, float *y, int n)
{
    int i = blockIdx.x * 64 + threadIdx.x;
    if (i < n)
        y[i] = x[i] * 2;
}
END
# The first warp reads what the second one wrote; where it comes first, it takes its chance. In order the
# warp that completes a barrier goes on, which is the second.
cat > late.yaml << 'END'
params: [x, y, n]
source: |
  __global__ void k(const float *x, float *y, int n)
  {
      __shared__ float s[32];
      __shared__ volatile int ready;
      int lane = threadIdx.x % 32, i = blockIdx.x * 64 + threadIdx.x;
      if (threadIdx.x == 0)
          ready = 0;
      __syncthreads();
      if (threadIdx.x >= 32) {
          s[lane] = i - 32 < n ? x[i - 32] * 2 : 0;
          __threadfence_block();
          __syncwarp();
          if (lane == 0)
              ready = 1;
          if (i < n)
              y[i] = x[i] * 2;
      } else if (ready != 0) {
          __threadfence_block();
          if (i < n)
              y[i] = s[lane];
      } else {
          s[lane] = i < n ? x[i] * 2 : 0;
          if (i < n)
              y[i] = x[i] * 2 + s[lane ^ 1] * 0;
      }
  }
plan:
  - {kernel: k, grid: ["ceildiv(n,64)"], block: [64], args: [x, y, n]}
END
"$build/bin/ks" verify scale.cu --variant late.yaml --device emu > any.out 2> log
[ $? = 1 ] || fail "accepted"
seed=$(sed -n 's/.*: UNSAFE: race under --seed \([0-9]*\): .*/\1/p' any.out)
[ -n "$seed" ] || fail "no schedule is named"
grep -q "^  this schedule again: .* --seed $seed\$" any.out || fail "nothing says how to repeat it"
# As what a search judged, by the first digits of its id.
key=$("$build/bin/ks" --json show scale.cu 2>> log | sed -n 's/.*"key": "\([0-9a-f]*\)".*/\1/p')
"$build/tests/ks-add-attempt" "$KS_STATE_DIR" "$key" late.yaml || fail "no attempt was added"
"$build/bin/ks" verify scale.cu --variant 01234 --device emu --seed "$seed" > again.out 2>> log
[ $? = 1 ] || fail "accepted under the schedule that it fails under"
grep -q "UNSAFE: race under --seed $seed: " again.out || fail "another failure"
"$build/bin/ks" verify scale.cu --variant late.yaml --device emu --seed 0 > order.out 2>> log
[ $? = 0 ] || fail "refused in order: nothing to tell schedules apart"
"$build/bin/ks" diff scale.cu --variant 01234 > diff.out 2>> log || fail "an attempt has no text"
grep -q '^+ *s\[lane\] = i < n' diff.out || fail "the diff is another"
"$build/bin/ks" verify scale.cu --variant 0124 --device emu > unknown.out 2>&1
[ $? = 2 ] || fail "judged what nobody tried"
grep -q 'no proposal that was judged on this machine begins with 0124; `ks show FILE.cu` lists' unknown.out || fail "not said"
# Wrong for some values where the output lies in front: in which run that is, is chance.
cat > lies.yaml << 'END'
source: |
  __global__ void k(const float *x, float *y, int n)
  {
      int i = blockIdx.x * 64 + threadIdx.x;
      if (i < n)
          y[i] = x[i] * (y < x && __float_as_uint(x[0]) % 8 == 3 ? 3 : 2);
  }
plan:
  - {kernel: k, grid: ["ceildiv(n,64)"], block: [64], args: [x, y, n]}
END
row() {
    "$build/bin/ks" --json verify scale.cu --variant lies.yaml --device emu "$@" 2>> log > row.out
    grep -E '"(correctness|reason|runs|shapes|draw)":' row.out
}
row > first.out
draw=$(sed -n 's/.*"draw": \([0-9]*\),*/\1/p' first.out)
[ "${draw:-0}" -gt 0 ] || fail "no draw is named"
for turn in 1 2; do
    row --draw "$draw" > repeated.out
    cmp -s first.out repeated.out || fail "another judgement under the same draw"
done
for turn in 1 2 3 4 5 6; do row --draw $turn | grep -v '"draw"'; done | grep '"runs"' | sort -u > several.out
[ "$(wc -l < several.out)" -gt 1 ] || fail "every draw gives the same"
"$build/bin/ks" verify scale.cu --variant lies.yaml --device emu --draw "$draw" > text.out 2>> log
[ $? = 1 ] && grep -q "^  this judgement again, .* and --draw $draw\$" text.out || fail "nothing says how to judge so again"
"$build/bin/ks" verify scale.cu --variant lies.yaml --draw 0 > none.out 2>&1
[ $? = 2 ] || fail "--draw 0"
"$build/bin/ks" verify scale.cu --variant late.yaml --device none --seed 1 > none.out 2>&1
[ $? = 2 ] || fail "--seed without the emulated device"
exit 0
