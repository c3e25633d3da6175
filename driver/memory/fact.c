#include "memory/fact.h"

#include <math.h>
#include <stddef.h>
#include <string.h>

#define PROPERTY KS_FACT_PROPERTY, 1
#define COUNT_TO(most) KS_FACT_COUNT, (most)
#define COUNT COUNT_TO(HUGE_VAL)
#define AMOUNT_TO(most) KS_FACT_AMOUNT, (most)
#define AMOUNT AMOUNT_TO(HUGE_VAL)
#define SHARE AMOUNT_TO(100) // percent

static const struct ks_fact_name names[] = {
    // Metrics (short names of the profiler's).
    {"time_us", "device time of one launch", true, AMOUNT},
    {"dram_pct", "DRAM throughput, share of peak (a plain copy reaches 88)", true, SHARE},
    {"l2_pct", "L2 sectors, share of peak", true, SHARE},
    {"l1_hit_pct", "L1 hit rate", true, SHARE},
    {"l2_hit_pct", "L2 hit rate", true, SHARE},
    {"sectors_per_request_ld", "sectors a warp load (4: contiguous 4-byte)", true, AMOUNT_TO(32)},
    {"sectors_per_request_st", "sectors a warp store", true, AMOUNT_TO(32)},
    {"occupancy_pct", "active warps, share of the most possible", true, SHARE},
    {"issue_active", "instructions issued a cycle and scheduler", true, AMOUNT_TO(1)},
    {"threads_per_inst", "threads that take part in an instruction, of 32", true, AMOUNT_TO(32)},
    {"pipe_fma_pct", "fp32 multiply-add pipe, share of peak", true, SHARE},
    {"pipe_alu_pct", "integer and logic pipe, share of peak", true, SHARE},
    {"pipe_lsu_pct", "load and store pipe, share of peak", true, SHARE},
    {"pipe_xu_pct", "special function pipe, share of peak", true, SHARE},
    {"pipe_fp64_pct", "fp64 pipe, share of peak", true, SHARE},
    {"pipe_tensor_pct", "tensor pipe, share of peak", true, SHARE},
    {"stall_long_scoreboard", "warps waiting for global or local memory, an issue", true, AMOUNT},
    {"stall_barrier", "warps waiting at a barrier, an issue", true, AMOUNT},
    {"stall_lg_throttle", "warps waiting for the queue of global accesses, an issue", true, AMOUNT},
    {"stall_mio_throttle", "warps waiting for the shared memory queue, an issue", true, AMOUNT},
    {"stall_math_pipe", "warps waiting for a busy arithmetic pipe, an issue", true, AMOUNT},
    {"stall_not_selected", "warps ready while another one issued, an issue", true, AMOUNT},
    {"stall_wait", "warps waiting a fixed latency, an issue", true, AMOUNT},
    {"stall_drain", "warps waiting for stores at their end, an issue", true, AMOUNT},
    {"shared_conflict_pct", "bank conflicts, share of shared memory wavefronts", true, SHARE},
    {"local_sectors", "sectors of local memory (spills, arrays with run-time index)", true, COUNT},
    {"registers", "registers a thread", true, COUNT_TO(255)},
    {"static_shared", "bytes of static shared memory a block", true, COUNT},
    {"roofline_pct", "share of the nearer ceiling, memory or arithmetic", true, SHARE},
    // The class of profile/classify.c.
    {"bottleneck(atomics)", "atomics queue on few addresses", false, PROPERTY},
    {"bottleneck(compute)", "an arithmetic pipe is full", false, PROPERTY},
    {"bottleneck(dram-bandwidth)", "DRAM is full", false, PROPERTY},
    {"bottleneck(issue)", "issue slots or the load and store pipe are full", false, PROPERTY},
    {"bottleneck(latency)", "nothing is full: warps wait", false, PROPERTY},
    {"bottleneck(launch)", "shorter than 5 us in all", false, PROPERTY},
    {"bottleneck(local-memory)", "more local sectors than instructions", false, PROPERTY},
    {"bottleneck(shared-conflicts)", "bank conflicts", false, PROPERTY},
    {"bottleneck(uncoalesced)", "many sectors a request", false, PROPERTY},
    // Features of text and launch.
    {"understood", "the body was parsed", false, PROPERTY},
    {"map", "threads are numbered by a global index and used in no other way", false, PROPERTY},
    {"elementwise", "a map in one axis without inner loops", false, PROPERTY},
    {"grid_stride", "a grid-stride loop", false, PROPERTY},
    {"axes", "axes of the global index", false, COUNT_TO(3)},
    {"loops", "loops in the text", false, COUNT},
    {"branches", "if statements in the text", false, COUNT},
    {"divergent", "ifs and loops in which threads of a warp may differ", false, COUNT},
    {"barriers", "block barriers in the text", false, COUNT},
    {"warp_ops", "shuffles and votes in the text", false, COUNT},
    {"special", "calls of special functions in the text", false, COUNT},
    {"double", "double precision is used", false, PROPERTY},
    {"shared(static)", "static shared arrays", false, COUNT},
    {"shared(dynamic)", "dynamic shared memory is used", false, PROPERTY},
    {"strided(shared)", "accesses to shared memory in which neighbouring threads are apart, in the first workload", false, COUNT},
    {"bank_turns", "most turns that banks make of a warp's access to shared memory (1: no conflicts), in the first workload", false, COUNT_TO(32)},
    {"atomics(param)", "atomic operations on a parameter's memory", false, PROPERTY},
    {"contiguous(thread)", "neighbouring threads touch neighbouring elements", false, PROPERTY},
    {"strided(thread)", "neighbouring threads touch elements apart somewhere", false, PROPERTY},
    {"strided_writes", "stores that are apart between neighbouring threads", false, COUNT},
    {"access_width(any)", "bytes of the smallest element that is accessed", false, COUNT_TO(16)},
    {"walks(thread)", "accesses that a loop makes contiguous, but threads apart", false, COUNT},
    {"broadcast(thread)", "reads in loops that neighbouring threads share", false, COUNT},
    {"nest", "deepest loops in loops", false, COUNT},
    {"free_loops", "loops whose turns may run in any order", false, COUNT},
    {"reductions", "variables that such loops reduce", false, COUNT},
    {"folds", "loops that a block's threads share and values they combine, read as one thread's", false, COUNT},
    {"neighbours", "arrays of which an item of a map reads neighbours, at distances that the text tells", false, COUNT},
    {"turns", "turns of the innermost loops, a thread, in the first workload", false, COUNT},
    {"operations_per_byte", "operations in the text a byte of compulsory traffic, in the first workload", false, AMOUNT},
    {"qualifiers_missing", "a pointer parameter is not __restrict__", false, PROPERTY},
    {"arch", "architecture that is compiled for, 90 of sm_90", false, COUNT},
    {"shows_tf32", "it sums products in fp32, and the judge can tell factors rounded to TF32", false, PROPERTY},
    {"arch_alone", "the build is for that architecture alone, the a of sm_90a", false, PROPERTY},
    {"threads_per_block", "threads of a block in the first workload", false, COUNT_TO(1024)},
    {"blocks", "blocks of the grid in the first workload", false, COUNT},
    {"traffic_mb", "compulsory traffic of the first workload, 10^6 bytes", false, AMOUNT},
    {"beyond_l2", "the compulsory traffic does not fit in L2", false, PROPERTY},
    {NULL, NULL, false, KS_FACT_PROPERTY, 0},
};

const struct ks_fact_name *ks_fact_names(void)
{
    return names;
}

const struct ks_fact_name *ks_fact_find(const char *name)
{
    for (size_t i = 0; names[i].name; i++)
        if (strcmp(names[i].name, name) == 0)
            return &names[i];
    return NULL;
}

bool ks_fact_is_known(const char *name)
{
    return ks_fact_find(name) != NULL;
}
