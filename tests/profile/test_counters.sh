# ks profile with counters, and with each refusal of them: the page, the code, and what is told all the same.
. "$KS_TEST_SOURCE/tests/verbs/verbs.sh"
. "$KS_TEST_SOURCE/tests/profile/profile.sh"

# Counters, of a chip that calls one of them by another name; lines: several instructions of one add up, and each stall is
# counted once.
status 0 "$ks" profile a.cu --lines
has 'turn (a.cu:3), sm_90, on n=1024'
has 'profile (range profiler, FAKE3): 960.0 us'
has 'bottleneck: uncoalesced (4.0 sectors a load, 32.0 a store (4 is coalesced), DRAM 13.5 %)'
has 'roofline: 9 GB/s of compulsory traffic; a copy on this card reaches 4000 GB/s'
has 'resources: 40 registers, 1024 bytes of shared memory a block, no spills, 16 bytes of local memory a thread'
has 'limited by registers (blocks that fit: threads 8, blocks 32, registers 6, shared memory 114)'
has '     90.0 %  a.cu:7: long_scoreboard 83 %, lg_throttle 17 %'
has '     10.0 %  a.cu:6: long_scoreboard 100 %'
has 'sectors_per_request_st > 8 yes (32)'
lacks modelled
json 0 profile a.cu --lines + kernels 'kernels[].skills' 'kernels[].profile.lines'
is "p['method'], p['passes'], len(p['metrics']), p['refused']" "('range profiler', 10, 59, None)"
is "'dram__bytes_read.sum' in p['metrics'], p['facts']['dram_bytes_read']" "(False, 268435456.0)"
is "p['facts']['l2_hit_pct'], p['evidence'], r['device']['kind']" "(100.0, 'measured', 'cuda')"
is "k['skills'][0]['skill'] in ('tiled-transpose', 'coalescing')" True
is "[(l['file'], l['line'], l['pct']) for l in p['lines']]" "[('/src/a.cu', 7, 90.0), ('/src/a.cu', 6, 10.0)]"

# Refused: the code, what to change, and the rest of the page.
export FAKE_COUNTERS=rights
status 0 "$ks" profile a.cu
has 'profile (activity' && has ": 960.0 us"
has 'counters: not read (counters-rights): ' && has NVreg_RestrictProfilingToAdminUsers=0
has 'resources: 40 registers' && has 'limited by registers' && has 'roofline: 9 GB/s' && has 'by text and launch alone'
lacks 'sectors a load' && lacks 'hot lines'
FAKE_COUNTERS=lines json 0 profile a.cu --lines
is "p['method'], p['lines'], p['lines_refused']['code']" "('range profiler', [], 'counters-busy')"
FAKE_COUNTERS=nothing json 0 profile a.cu --lines && has 'the sampler saw nothing of the kernel'
is "p['method'], p['lines_refused']['code']" "('range profiler', 'lines-none')"
for refusal in 'busy counters-busy when that has ended' 'mig counters-mig on a whole GPU' 'failed counters-failed CUPTI_ERROR'; do
    read -r FAKE_COUNTERS code text <<< "$refusal"
    json 0 profile a.cu && has "$text"
    is "p['method'], p['refused']['code'], p['metrics']" "('activity', '$code', {})"
done
mkdir -p mps && : > mps/control
CUDA_MPS_PIPE_DIRECTORY=$PWD/mps json 0 profile a.cu && has counters-mps && has nvidia-cuda-mps-control
unset FAKE_COUNTERS

# Libraries that are not there: activity records need no libnvperf_host, times need nothing.
mkdir -p some none old
ln -sf "$KS_TEST_FAKES/libcupti.so.13" some/
ln -sf "$KS_TEST_FAKES/libnvperf_host.so.13" old/
ln -sf "$KS_TEST_TOOLS/fake_cuda/libcupti.so.13" old/
KS_CUPTI_DIR=$PWD/some json 0 profile a.cu
is "p['method'], p['refused']['code'], p['time_us']" "('activity', 'nvperf-absent', 960.0)"
KS_CUPTI_DIR=$PWD/none json 0 profile a.cu --lines
is "p['method'], p['refused']['code'], p['lines_refused']['code'], p['time_us']" "('timing', 'cupti-absent', 'cupti-absent', 960.0)"
KS_CUPTI_DIR=$PWD/old json 0 profile a.cu
is "p['method'], p['refused']['code']" "('timing', 'cupti-old')"
FAKE_COUNTERS=busy FAKE_CUPTI=refuse json 0 profile a.cu
is "p['method'], p['refused']['code']" "('timing', 'counters-busy')"

# A kernel that faults is at fault, not the tool; a GPU of another architecture is said to be one.
FAKE_KERNEL=faults status 1 "$ks" profile a.cu
says 'turn: the kernel itself is at fault (' && says 'illegal address; `ks run` says where'
status 1 "$ks" profile a.cu -- -arch=sm_80 && says 'built for sm_80, the GPU here (Fake GPU) is sm_90'
no_litter
