// A profile from counts: the emulated device counts, a described GPU gives times (device/model.h).
#include <string.h>

#include "profile/parts.h"

#define MOST_LINES 32

// The part of the model that takes longest, in the words of the classes of measured profiles.
static const char *class_of(const struct ks_counts *c, const char *limit)
{
    static const char *const words[][2] = {{"memory", "dram-bandwidth"},
                                           {"latency", "latency"},
                                           {"partial stores", "uncoalesced"},
                                           {"issue", "issue"},
                                           {"fp32", "compute"},
                                           {"fp64", "compute"},
                                           {"int", "compute"},
                                           {"special functions", "compute"},
                                           {"matrix", "compute"},
                                           {"atomics", "atomics"},
                                           {"launch", "launch"}};
    if (strcmp(limit, "load-store unit") == 0) {
        if (c->shared_conflicts > 0.3 * (c->shared_wavefronts + c->global_wavefronts))
            return "shared-conflicts";
        return c->global_wavefronts > 2 * c->global_requests ? "uncoalesced" : "issue";
    }
    for (size_t i = 0; i < sizeof words / sizeof *words; i++)
        if (strcmp(limit, words[i][0]) == 0)
            return words[i][1];
    return "unknown";
}

static void add_facts(struct ks_arena *arena, const struct ks_counts *c, struct ks_profile *p)
{
    double insts = 0;
    for (int i = 0; i < KS_CLASSES; i++)
        insts += c->warp_insts[i];
    ks_fact_set(arena, &p->facts, "instructions", insts);
    ks_fact_set(arena, &p->facts, "threads_per_inst", ks_counts_lanes(c));
    if (c->shared_wavefronts > 0)
        ks_fact_set(arena, &p->facts, "shared_conflict_pct",
                    100 * c->shared_conflicts / c->shared_wavefronts);
    if (p->resources.registers >= 0)
        ks_fact_set(arena, &p->facts, "registers", p->resources.registers);
    if (p->resources.static_shared >= 0)
        ks_fact_set(arena, &p->facts, "static_shared", p->resources.static_shared);
}

static double cost(const json_t *line)
{
    return ks_json_num(line, "warp_instructions", 0) + ks_json_num(line, "sectors", 0) +
           ks_json_num(line, "shared_wavefronts", 0);
}

// Parts of what was counted: only some blocks ran, so their numbers would say little.
static const char *cost_text(struct ks_arena *arena, const json_t *line)
{
    double insts = ks_json_num(line, "warp_instructions", 0),
           requests = ks_json_num(line, "requests", 0);
    double shared = ks_json_num(line, "shared_wavefronts", 0);
    const char *text =
        ks_arena_printf(arena, "%.1f of 32 lanes on",
                        insts > 0 ? ks_json_num(line, "thread_instructions", 0) / insts : 0);
    if (requests > 0)
        text = ks_arena_printf(arena, "%s, %.1f sectors a request", text,
                               ks_json_num(line, "sectors", 0) / requests);
    if (shared > 0)
        text = ks_arena_printf(arena, "%s, %.0f %% of shared wavefronts are bank conflicts", text,
                               100 * ks_json_num(line, "bank_conflicts", 0) / shared);
    return text;
}

static void add_lines(struct ks_arena *arena, const json_t *lines, struct ks_profile *p)
{
    double all = 0;
    for (size_t i = 0; i < json_array_size(lines); i++)
        all += cost(json_array_get(lines, i));
    for (size_t i = 0; i < json_array_size(lines) && i < MOST_LINES && all > 0; i++) {
        const json_t *line = json_array_get(lines, i);
        const char *file =
            ks_json_int(line, "line", 0) > 0 ? ks_json_str(line, "file", NULL) : NULL;
        struct ks_hot_line *hot = ks_vec_push(arena, &p->lines);
        *hot = (struct ks_hot_line){.file = file == NULL ? NULL : ks_arena_strdup(arena, file),
                                    .line = file == NULL ? 0 : (int)ks_json_int(line, "line", 0),
                                    .pct = 100 * cost(line) / all,
                                    .why = cost_text(arena, line)};
        if (ks_json_num(line, "requests", 0) > 0)
            hot->sectors = ks_json_num(line, "sectors", 0) / ks_json_num(line, "requests", 0);
        hot->shared = ks_json_num(line, "shared_wavefronts", 0);
        if (hot->shared > 0)
            hot->conflict_pct = 100 * ks_json_num(line, "bank_conflicts", 0) / hot->shared;
    }
}

void ks_profile_counted(struct ks_arena *arena, const struct ks_gpu *gpu,
                        const struct ks_counts *counts, const json_t *lines, double traffic,
                        struct ks_profile *p)
{
    p->method = "model";
    p->modelled = true;
    p->gpu = gpu->name != NULL ? gpu->name : "";
    add_facts(arena, counts, p);
    add_lines(arena, lines, p);
    if (gpu->name == NULL) {
        p->evidence = "no GPU of this architecture is described: no time is modelled";
        return;
    }
    struct ks_counts c = *counts;
    c.registers = p->resources.registers > 0 ? p->resources.registers : 0;
    struct ks_model model = ks_model_launch(gpu, &c, traffic);
    p->time_us = model.us;
    p->copy_gbs = gpu->dram_gbs;
    p->fma_gflops = 2e-3 * gpu->fp32_lanes * gpu->sms * gpu->clock_mhz;
    p->achieved_gbs = traffic / model.us / 1000;
    p->roofline_pct = 100 * p->achieved_gbs / p->copy_gbs;
    p->bottleneck = class_of(&c, model.limit);
    double requests = c.global_requests > 0 ? c.global_requests : 1;
    p->evidence = ks_arena_printf(
        arena,
        "the model's longest part is: %s; %.1f wavefronts a global request, "
        "%.0f %% of shared wavefronts are bank conflicts, %.3g waits for memory",
        model.limit, c.global_wavefronts / requests,
        c.shared_wavefronts > 0 ? 100 * c.shared_conflicts / c.shared_wavefronts : 0, c.waits);
}
