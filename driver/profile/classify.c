// The bottleneck class from facts alone. Thresholds are calibrated on kernels of known kind measured
// on an H200: a float4 copy, which nothing beats, reads 88 % DRAM; coalesced scalar access is 4 sectors
// a request, a stride of 32 floats 32; an FMA loop fills its pipe to 97 %.
#include "profile/facts.h"

#define DRAM_FULL 80.0
#define UNCOALESCED 12.0 // sectors a request; 4 for scalars, 16 for 16-byte vectors are coalesced

static double of(const struct ks_fact_list *facts, const char *name)
{
    double value = 0;
    return ks_fact_get(facts, name, &value) ? value : 0;
}

static double largest(const double *values, size_t n)
{
    double max = 0;
    for (size_t i = 0; i < n; i++)
        max = values[i] > max ? values[i] : max;
    return max;
}

void ks_profile_classify(struct ks_arena *arena, struct ks_profile *p)
{
    const struct ks_fact_list *l = &p->facts;
    double pipes[] = {of(l, "pipe_fma_pct"), of(l, "pipe_alu_pct"), of(l, "pipe_xu_pct"),
                      of(l, "pipe_fp64_pct"), of(l, "pipe_tensor_pct")};
    double pipe = largest(pipes, sizeof pipes / sizeof *pipes), dram = of(l, "dram_pct");
    double ld = of(l, "sectors_per_request_ld"), st = of(l, "sectors_per_request_st");
    double sectors = ld > st ? ld : st, known;

    if (!ks_fact_get(l, "dram_pct", &known)) {
        p->bottleneck = p->roofline_pct >= DRAM_FULL ? "dram-bandwidth" : "unknown";
        p->evidence = ks_arena_printf(arena, "no counters; %.0f %% of the nearer ceiling by time",
                                      p->roofline_pct);
    } else if (of(l, "red_sectors") + of(l, "atom_sectors") > 0 && of(l, "issue_active") < 0.1 &&
               dram < 20) {
        p->bottleneck = "atomics";
        p->evidence = ks_arena_printf(arena, "issue active %.3f, DRAM %.1f %%, %.3g atomic sectors",
                                      of(l, "issue_active"), dram,
                                      of(l, "red_sectors") + of(l, "atom_sectors"));
    } else if (of(l, "local_sectors") > of(l, "instructions")) {
        p->bottleneck = "local-memory";
        p->evidence = ks_arena_printf(arena, "%.3g local sectors for %.3g instructions",
                                      of(l, "local_sectors"), of(l, "instructions"));
    } else if (sectors > UNCOALESCED && !(sectors <= 16.5 && dram >= DRAM_FULL)) {
        p->bottleneck = "uncoalesced";
        p->evidence = ks_arena_printf(arena, "%.1f sectors a load, %.1f a store (4 is coalesced), "
                                      "DRAM %.1f %%", ld, st, dram);
    } else if (dram >= DRAM_FULL) {
        p->bottleneck = "dram-bandwidth";
        p->evidence = ks_arena_printf(arena, "DRAM %.1f %% of peak; a plain copy reaches 88", dram);
    } else if (pipe >= 80) {
        p->bottleneck = "compute";
        p->evidence = ks_arena_printf(arena, "busiest pipe %.1f %%, issue active %.2f", pipe,
                                      of(l, "issue_active"));
    } else if (of(l, "shared_conflict_pct") > 30) {
        p->bottleneck = "shared-conflicts";
        p->evidence = ks_arena_printf(arena, "%.0f %% of shared wavefronts are bank conflicts",
                                      of(l, "shared_conflict_pct"));
    } else if (of(l, "issue_active") >= 0.7 || of(l, "pipe_lsu_pct") >= 60) {
        p->bottleneck = "issue";
        p->evidence = ks_arena_printf(arena, "issue active %.2f, load/store pipe %.1f %%",
                                      of(l, "issue_active"), of(l, "pipe_lsu_pct"));
    } else if (p->time_us > 0 && p->time_us < 5) {
        p->bottleneck = "launch";
        p->evidence = ks_arena_printf(arena, "%.1f us in all", p->time_us);
    } else {
        p->bottleneck = "latency";
        p->evidence = ks_arena_printf(arena, "DRAM %.1f %%, busiest pipe %.1f %%, issue active %.2f, "
                                      "%.0f warps stalled on loads an issue", dram, pipe,
                                      of(l, "issue_active"), of(l, "stall_long_scoreboard"));
    }
}
