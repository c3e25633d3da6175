# After a tuning: what it says where another process keeps the memory, and what `ks show` finds of it.
. "$KS_TEST_SOURCE/tests/verbs/verbs.sh"
export KS_STATE_DIR=$PWD/state
cat > saxpy.cu <<'END_CU'
#pragma ks optimize budget(1)
#pragma ks workload let(n=4096,a=2) in(x[n]) inout(y[n]) grid(ceildiv(n,256)) block(256)
__global__ void saxpy(const float *x, float *y, float a, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n)
        y[i] = a * x[i] + y[i];
}
END_CU

# A memory that is kept locked is waited for once, before the kernel's time begins.
mkdir state && : > state/memory.db # there is one
exec 9> state/memory.lock
flock 9
status 0 "$ks" tune saxpy.cu --budget=1 --device emu -- -arch=sm_90
exec 9>&-
says 'memory.lock is held by another process; tuning without memory'
[ "$(grep -c 'memory.lock' log)" = 1 ] || fail "the memory was waited for more than once"
# A budget that ends before the original ran: it stays, and that is said.
json 0 tune saxpy.cu --budget=0.0001 --device emu -- -arch=sm_90 + kernels
has '"status": "budget"' && has 'the budget of 0.0001 s ended while the original was run, which took'

# A block asks for what no GPU of the architecture has: judged wrong there, and modelled for none.
cat > much.yaml <<'END_YAML'
params: [x, y, a, n]
source: |
  __global__ void k(const float *x, float *y, float a, int n)
  {
      extern __shared__ float room[];
      int i = blockIdx.x * 256 + threadIdx.x;
      room[threadIdx.x] = i < n ? x[i] : 0.0f;
      if (i < n)
          y[i] = a * room[threadIdx.x] + y[i];
  }
plan:
  - {kernel: k, grid: ["ceildiv(n,256)"], block: [256], shared: 196608, args: [x, y, a, n]}
END_YAML
for arch in 86 89 80; do
    status 1 "$ks" verify saxpy.cu --variant much.yaml --device emu -- -arch=sm_$arch
    has "196608 bytes of shared memory a block; sm_$arch has " && lacks 'modelled for'
done
status 0 "$ks" verify saxpy.cu --variant much.yaml --device emu -- -arch=sm_90 && has CORRECT

# Nothing was tried: why, and what next.
status 1 "$ks" show --trajectory saxpy.cu:saxpy -- -arch=sm_90 && has 'no attempt is remembered; `ks tune` tries'

# What it tried and stored is found as it was left: by file and by name, though it is of an architecture that is not
# nvcc's own default, and modelled, which no build here takes.
status 0 "$ks" tune saxpy.cu --budget=15m --device emu -- -arch=sm_90 && has 'faster, modelled'
id=$(basename "$(find . -path '*/variants/*' -name '*.yaml')" .yaml)
for name in saxpy.cu:saxpy saxpy.cu saxpy; do
    status 0 "$ks" show --trajectory "$name" && has 'saxpy as it stands' && has '+- '
    status 0 "$ks" show "$name" && has 'kernel saxpy for sm_90' && has 'not used (evidence-level)' && lacks sm_75
done
status 0 "$ks" show "${id:0:6}" && has 'kernel saxpy for sm_90'
json 0 list + kernels && has '"kernel": "saxpy"' && has '"status": "unusable"' && has "\"variant\": \"$id\""
status 0 "$ks" list && has 'not used (evidence-level)' && has 'it is for saxpy, sm_90' && lacks 'original stays'
status 1 "$ks" show --trajectory saxpy.cu:saxpy -- -arch=sm_80
has 'for sm_80' && has 'under other options there are, with the key' && has 'for sm_90: give those behind --'
