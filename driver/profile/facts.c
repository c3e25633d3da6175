#include "profile/facts.h"

#include <string.h>

#define STALL(reason) "smsp__average_warps_issue_stalled_" reason "_per_issue_active.ratio"

// A fact that is one counter, under the names it has on different chips.
static const struct {
    const char *fact, *metric, *other;
} direct[] = {
    {"dram_pct", "dram__throughput.avg.pct_of_peak_sustained_elapsed", NULL},
    {"dram_bytes_read", "dram__bytes_read.sum", "dram__bytes_op_read.sum"},
    {"dram_bytes_write", "dram__bytes_write.sum", "dram__bytes_op_write.sum"},
    {"l2_pct", "lts__t_sectors.avg.pct_of_peak_sustained_elapsed", NULL},
    {"l2_hit_pct", "lts__t_sector_hit_rate.pct", NULL},
    {"l1_hit_pct", "l1tex__t_sector_hit_rate.pct", NULL},
    {"occupancy_pct", "sm__warps_active.avg.pct_of_peak_sustained_active", NULL},
    {"issue_active", "smsp__issue_active.avg.per_cycle_active", NULL},
    {"instructions", "smsp__inst_executed.sum", NULL},
    {"threads_per_inst", "smsp__thread_inst_executed_per_inst_executed.ratio", NULL},
    {"pipe_fma_pct", "sm__inst_executed_pipe_fma.avg.pct_of_peak_sustained_active", NULL},
    {"pipe_alu_pct", "sm__inst_executed_pipe_alu.avg.pct_of_peak_sustained_active", NULL},
    {"pipe_lsu_pct", "sm__inst_executed_pipe_lsu.avg.pct_of_peak_sustained_active", NULL},
    {"pipe_xu_pct", "sm__inst_executed_pipe_xu.avg.pct_of_peak_sustained_active", NULL},
    {"pipe_fp64_pct", "sm__inst_executed_pipe_fp64.avg.pct_of_peak_sustained_active", NULL},
    {"pipe_tensor_pct",
     "sm__pipe_tensor_type_hmma_hgmma_qgmma_imma_igmma_bmma_bgmma_cycles_active.avg.pct_of_peak_"
     "sustained_active",
     "sm__pipe_tensor_cycles_active.avg.pct_of_peak_sustained_active"},
    {"stall_long_scoreboard", STALL("long_scoreboard"), NULL},
    {"stall_short_scoreboard", STALL("short_scoreboard"), NULL},
    {"stall_barrier", STALL("barrier"), NULL},
    {"stall_lg_throttle", STALL("lg_throttle"), NULL},
    {"stall_mio_throttle", STALL("mio_throttle"), NULL},
    {"stall_math_pipe", STALL("math_pipe_throttle"), NULL},
    {"stall_not_selected", STALL("not_selected"), NULL},
    {"stall_wait", STALL("wait"), NULL},
    {"stall_drain", STALL("drain"), NULL},
    {"red_sectors", "l1tex__t_sectors_pipe_lsu_mem_global_op_red.sum", NULL},
    {"atom_sectors", "l1tex__t_sectors_pipe_lsu_mem_global_op_atom.sum", NULL},
};

// Divided here: the ready-made ratios cost further passes.
static const struct {
    const char *fact, *above, *below;
    double scale;
} ratios[] = {
    {"sectors_per_request_ld", "l1tex__t_sectors_pipe_lsu_mem_global_op_ld.sum",
     "l1tex__t_requests_pipe_lsu_mem_global_op_ld.sum", 1},
    {"sectors_per_request_st", "l1tex__t_sectors_pipe_lsu_mem_global_op_st.sum",
     "l1tex__t_requests_pipe_lsu_mem_global_op_st.sum", 1},
};

static bool metric(const json_t *metrics, const char *name, double *value)
{
    const json_t *v = name == NULL ? NULL : json_object_get(metrics, name);
    if (!json_is_number(v))
        return false;
    *value = json_number_value(v);
    return true;
}

static void sum_fact(struct ks_arena *arena, const json_t *metrics, struct ks_fact_list *facts,
                     const char *fact, const char *a, const char *b)
{
    double x, y;
    if (metric(metrics, a, &x) && metric(metrics, b, &y))
        ks_fact_set(arena, facts, fact, x + y);
}

void ks_profile_facts(struct ks_arena *arena, const json_t *metrics, struct ks_fact_list *facts)
{
    double a, b;
    for (size_t i = 0; i < sizeof direct / sizeof *direct; i++)
        if (metric(metrics, direct[i].metric, &a) || metric(metrics, direct[i].other, &a)) {
            // Hit rates come from two passes and can exceed 100 (measured: 100.6).
            bool rate = strstr(direct[i].fact, "hit_pct") != NULL;
            ks_fact_set(arena, facts, direct[i].fact, rate && a > 100 ? 100 : a);
        }
    for (size_t i = 0; i < sizeof ratios / sizeof *ratios; i++)
        if (metric(metrics, ratios[i].above, &a) && metric(metrics, ratios[i].below, &b) && b > 0)
            ks_fact_set(arena, facts, ratios[i].fact, a / b * ratios[i].scale);
    sum_fact(arena, metrics, facts, "local_sectors",
             "l1tex__t_sectors_pipe_lsu_mem_local_op_ld.sum",
             "l1tex__t_sectors_pipe_lsu_mem_local_op_st.sum");
    sum_fact(arena, metrics, facts, "shared_conflicts",
             "l1tex__data_bank_conflicts_pipe_lsu_mem_shared_op_ld.sum",
             "l1tex__data_bank_conflicts_pipe_lsu_mem_shared_op_st.sum");
    if (ks_fact_get(facts, "shared_conflicts", &a) &&
        metric(metrics, "l1tex__data_pipe_lsu_wavefronts_mem_shared.sum", &b) && b > 0)
        ks_fact_set(arena, facts, "shared_conflict_pct", 100 * a / b);
}
