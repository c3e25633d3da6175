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
