# ks profile without a GPU: counts of the emulated device, times of a model, and that said everywhere.
. "$KS_TEST_SOURCE/tests/verbs/verbs.sh"
cat > a.cu <<'END_CU'
#pragma ks optimize
#pragma ks workload let(n=1024) in(a[n*n]) out(b[n*n]) grid(n/32,n/8) block(32,8)
#pragma ks workload name(small) let(n=64) in(a[n*n]) out(b[n*n]) grid(n/32,n/8) block(32,8)
__global__ void turn(const float *a, float *b, int n)
{
    int x = blockIdx.x * 32 + threadIdx.x, y = blockIdx.y * 8 + threadIdx.y;
    b[x * n + y] = a[y * n + x];
}
#pragma ks optimize
#pragma ks workload let(n=4096) in(x[n]) out(y[n]) grid(ceildiv(n,128)) block(128) shared(64*1024)
__global__ void spilt(const float *x, float *y, int n)
{
    float kept[48];
    for (int i = 0; i < 48; i++)
        kept[i] = x[(threadIdx.x + i * 32) % n];
    for (int k = 0; k < 48; k++)
        for (int i = 0; i < 48; i++)
            kept[i] = kept[i] * kept[(i + k) % 48] + kept[(i + 7) % 48];
    float sum = 0;
    for (int i = 0; i < 48; i++)
        sum += kept[i];
    int at = blockIdx.x * blockDim.x + threadIdx.x;
    if (at < n)
        y[at] = sum;
}
END_CU
field() { python3 -c "import json; r = json.load(open('out')); k = r['kernels'][0]; p = k['profile']; print(($1))"; }
command -v python3 > /dev/null || skip "no python3"
# is FILTER VALUE
is() { [ "$(field "$1")" = "$2" ] || { cat out; fail "$1 is $(field "$1"), not $2"; }; }

# The page: what was modelled says so, and nothing claims to be a measurement.
status 0 "$ks" profile a.cu:turn --device emu
has 'turn (a.cu:4), sm_90, on n=1024'
has 'profile (modelled for NVIDIA H200, nothing was measured): '
has 'bottleneck: uncoalesced, modelled'
has 'limited by threads (blocks that fit: threads 8, '
has 'a.cu:7: 32.0 of 32 lanes on'
has 'tiled-transpose: '
has 'by text and launch alone'
lacks 'range profiler'

# The same as a report, for both kernels, at the heaviest workload each.
json 0 profile a.cu --device emu + kernels 'kernels[].skills' 'kernels[].profile.lines'
is "[(k['kernel'], k['status'], k['line']) for k in r['kernels']]" "[('turn', 'profiled', 4), ('spilt', 'profiled', 11)]"
is "{k['profile']['evidence'] for k in r['kernels']}, r['device']['kind']" "({'modelled'}, 'emu')"
is "p['method'], p['metrics'], p['refused'], p['chip']" "('model', {}, None, None)"
is "p['lines'][0]['file'].endswith('a.cu'), p['lines'][0]['line']" "(True, 7)"
is "p['resources']['spill_stores'], p['resources']['static_shared'], p['resources']['threads']" "(0, 0, 256)"
is "p['achieved_gbs'] / p['copy_gbs'] * 100 - p['roofline_pct'] < 1e-6" True

key=$(field "k['key']")

# Shared memory limits the other one: 64 KiB of an H200's 228 a block, three of them.
is "[r['kernels'][1]['profile']['resources'][x] for x in ('limit', 'blocks', 'dynamic_shared')]" "['shared memory', 3, 65536]"
# A limit on registers makes it spill, as ptxas says; options behind -- are those of the compile.
json 0 profile a.cu:spilt --device emu -- -arch=sm_90 -maxrregcount=24
is "p['resources']['registers'] <= 24, p['resources']['spill_stores'] > 0, p['resources']['frame'] > 0" "(True, True, True)"

# A GPU that nobody described has no time, and its counts are told all the same.
json 0 profile a.cu:turn --device emu -- -arch=sm_100
is "p['time_us'], p['gpu'], p['facts']['instructions'] > 0, k['arch']" "(None, None, True, 'sm_100')"

# Workloads and sizes.
json 0 profile a.cu:turn --device emu --workload 2 --set n=96
is "k['workload'], p['facts']['instructions'] < 1e5" "('small', True)"
status 2 "$ks" profile a.cu:turn --device emu --workload 3 && says 'a.cu:1: the mark has 2 workloads, not a number 3'
status 2 "$ks" profile a.cu --device emu --workload x && says 'takes a number' && one_line
status 2 "$ks" profile a.cu:none --device emu && says 'no marked kernel `none`; there are: turn, spilt'

# The words that the profile adds to the compile leave the key as it is.
status 0 "$ks" --json explain a.cu:turn -- -arch=sm_90
[ "$(python3 -c "import json; print(json.load(open('out'))['kernels'][0]['key'])")" = "$key" ] ||
    fail "the compile for the profile changes the key"

# A kernel without a workload is told with its line; the others are profiled.
cat >> a.cu <<'END_CU'
#pragma ks optimize
__global__ void bare(float *x) { x[threadIdx.x] = 1; }
END_CU
status 2 "$ks" profile a.cu --device emu
says 'bare: a.cu:26: the kernel has no workload to be run with' && has 'turn (a.cu:4)'
no_litter
