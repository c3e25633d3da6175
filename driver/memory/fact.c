#include "memory/fact.h"

#include <stddef.h>
#include <string.h>

static const struct ks_fact_name names[] = {
    // Metrics (short names of the profiler's).
    {"time_us", "device time of one launch", true},
    {"dram_pct", "DRAM throughput, share of peak (a plain copy reaches 88)", true},
    {"l2_pct", "L2 sectors, share of peak", true},
    {"l1_hit_pct", "L1 hit rate", true},
    {"l2_hit_pct", "L2 hit rate", true},
    {"sectors_per_request_ld", "global load sectors a warp request (4: contiguous 4-byte)", true},
    {"sectors_per_request_st", "global store sectors a warp request", true},
    {"occupancy_pct", "active warps, share of the most possible", true},
    {"issue_active", "instructions issued a cycle and scheduler", true},
    {"threads_per_inst", "threads that take part in an instruction, of 32", true},
    {"pipe_fma_pct", "fp32 multiply-add pipe, share of peak", true},
    {"pipe_alu_pct", "integer and logic pipe, share of peak", true},
    {"pipe_lsu_pct", "load and store pipe, share of peak", true},
    {"pipe_xu_pct", "special function pipe, share of peak", true},
    {"pipe_fp64_pct", "fp64 pipe, share of peak", true},
    {"pipe_tensor_pct", "tensor pipe, share of peak", true},
    {"stall_long_scoreboard", "warps waiting for global or local memory, an issue", true},
    {"stall_barrier", "warps waiting at a barrier, an issue", true},
    {"stall_lg_throttle", "warps waiting for the queue of global accesses, an issue", true},
    {"stall_mio_throttle", "warps waiting for the shared memory queue, an issue", true},
    {"stall_math_pipe", "warps waiting for a busy arithmetic pipe, an issue", true},
    {"stall_not_selected", "warps ready while another one issued, an issue", true},
    {"stall_wait", "warps waiting a fixed latency, an issue", true},
    {"stall_drain", "warps waiting for stores at their end, an issue", true},
    {"shared_conflict_pct", "bank conflicts, share of shared memory wavefronts", true},
    {"local_sectors", "sectors of local memory (spills, arrays with run-time index)", true},
    {"registers", "registers a thread", true},
    {"static_shared", "bytes of static shared memory a block", true},
    {"roofline_pct", "share of the nearer ceiling, memory or arithmetic", true},
    // The class of profile/classify.c.
    {"bottleneck(atomics)", "atomics queue on few addresses", false},
    {"bottleneck(compute)", "an arithmetic pipe is full", false},
    {"bottleneck(dram-bandwidth)", "DRAM is full", false},
    {"bottleneck(issue)", "issue slots or the load and store pipe are full", false},
    {"bottleneck(latency)", "nothing is full: warps wait", false},
    {"bottleneck(launch)", "shorter than 5 us in all", false},
    {"bottleneck(local-memory)", "more local sectors than instructions", false},
    {"bottleneck(shared-conflicts)", "bank conflicts", false},
    {"bottleneck(uncoalesced)", "many sectors a request", false},
    // Features of text and launch.
    {"understood", "the body was parsed", false},
    {"map", "threads are numbered by a global index and used in no other way", false},
    {"elementwise", "a map in one axis without inner loops", false},
    {"grid_stride", "a grid-stride loop", false},
    {"axes", "axes of the global index", false},
    {"loops", "loops in the text", false},
    {"branches", "if statements in the text", false},
    {"barriers", "block barriers in the text", false},
    {"warp_ops", "shuffles and votes in the text", false},
    {"special", "calls of special functions in the text", false},
    {"double", "double precision is used", false},
    {"shared(static)", "static shared arrays", false},
    {"shared(dynamic)", "dynamic shared memory is used", false},
    {"atomics(param)", "atomic operations on a parameter's memory", false},
    {"contiguous(thread)", "neighbouring threads touch neighbouring elements everywhere", false},
    {"strided(thread)", "neighbouring threads touch elements apart somewhere", false},
    {"strided_writes", "stores that are apart between neighbouring threads", false},
    {"access_width(any)", "bytes of the smallest element that is accessed", false},
    {"qualifiers_missing", "a pointer parameter is not __restrict__", false},
    {"threads_per_block", "threads of a block in the first workload", false},
    {"blocks", "blocks of the grid in the first workload", false},
    {"traffic_mb", "compulsory traffic of the first workload, 10^6 bytes", false},
    {"beyond_l2", "the compulsory traffic does not fit in L2", false},
    {NULL, NULL, false},
};

const struct ks_fact_name *ks_fact_names(void)
{
    return names;
}

bool ks_fact_is_known(const char *name)
{
    for (size_t i = 0; names[i].name; i++)
        if (strcmp(names[i].name, name) == 0)
            return true;
    return false;
}
