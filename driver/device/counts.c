#include "device/counts.h"

#include <stddef.h>

const char *ks_class_name(enum ks_class which)
{
    static const char *const names[KS_CLASSES] = {
        [KS_CLASS_FP32] = "fp32",       [KS_CLASS_FP64] = "fp64",     [KS_CLASS_FP16] = "fp16",
        [KS_CLASS_INT] = "int",         [KS_CLASS_SPECIAL] = "special", [KS_CLASS_MATRIX] = "matrix",
        [KS_CLASS_GLOBAL] = "global",   [KS_CLASS_SHARED] = "shared", [KS_CLASS_LOCAL] = "local",
        [KS_CLASS_ATOMIC] = "atomic",   [KS_CLASS_CONTROL] = "control", [KS_CLASS_MOVE] = "move",
    };
    return names[which];
}

#define FIELD(name) {#name, offsetof(struct ks_counts, name)}
static const struct {
    const char *name;
    size_t at;
} fields[] = {
    FIELD(blocks), FIELD(sampled), FIELD(matrix_flops), FIELD(global_requests), FIELD(global_bytes),
    FIELD(global_wavefronts), FIELD(read_sectors), FIELD(write_sectors), FIELD(partial_sectors),
    FIELD(shared_requests), FIELD(shared_wavefronts), FIELD(shared_conflicts), FIELD(atomic_lanes),
    FIELD(atomic_collisions), FIELD(divergent_branches), FIELD(branches), FIELD(waits),
};

json_t *ks_counts_json(const struct ks_counts *counts)
{
    json_t *out = json_object(), *warps = json_object(), *lanes = json_object();
    for (int c = 0; c < KS_CLASSES; c++) {
        json_object_set_new(warps, ks_class_name((enum ks_class)c),
                            json_real(counts->warp_insts[c]));
        json_object_set_new(lanes, ks_class_name((enum ks_class)c),
                            json_real(counts->thread_insts[c]));
    }
    json_object_set_new(out, "warp_instructions", warps);
    json_object_set_new(out, "thread_instructions", lanes);
    json_object_set_new(out, "threads", json_integer(counts->threads));
    json_object_set_new(out, "shared_bytes", json_integer(counts->shared_bytes));
    json_object_set_new(out, "registers", json_integer(counts->registers));
    for (size_t i = 0; i < sizeof fields / sizeof *fields; i++)
        json_object_set_new(
            out, fields[i].name,
            json_real(*(const double *)(const void *)((const char *)counts + fields[i].at)));
    return out;
}

bool ks_counts_read(const json_t *json, struct ks_counts *counts)
{
    const json_t *warps = json_object_get(json, "warp_instructions"),
                 *lanes = json_object_get(json, "thread_instructions");
    *counts = (struct ks_counts){0};
    if (!json_is_object(warps) || !json_is_object(lanes))
        return false;
    for (int c = 0; c < KS_CLASSES; c++) {
        counts->warp_insts[c] = ks_json_num(warps, ks_class_name((enum ks_class)c), 0);
        counts->thread_insts[c] = ks_json_num(lanes, ks_class_name((enum ks_class)c), 0);
    }
    counts->threads = (int)ks_json_num(json, "threads", 0);
    counts->shared_bytes = (int)ks_json_num(json, "shared_bytes", 0);
    counts->registers = (int)ks_json_num(json, "registers", 0);
    for (size_t i = 0; i < sizeof fields / sizeof *fields; i++)
        *(double *)(void *)((char *)counts + fields[i].at) = ks_json_num(json, fields[i].name, 0);
    return counts->threads > 0 && counts->blocks > 0;
}

double ks_counts_lanes(const struct ks_counts *counts)
{
    double warps = 0, lanes = 0;
    for (int c = 0; c < KS_CLASSES; c++) {
        warps += counts->warp_insts[c];
        lanes += counts->thread_insts[c];
    }
    return warps > 0 ? lanes / warps : 0;
}
