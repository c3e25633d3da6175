#include "device/model.h"

#include <limits.h>
#include <math.h>
#include <stddef.h>
#include <string.h>

#include "fmt/yaml.h"
#include "os/file.h"

#define TEXT_MAX (1 << 16)
#define WARP 32

// ---- descriptions

#define NUMBER(key, field) {key, offsetof(struct ks_gpu, field), false}
#define WHOLE(key, field) {key, offsetof(struct ks_gpu, field), true}
static const struct {
    const char *key;
    size_t at;
    bool whole;
} fields[] = {
    WHOLE("arch", arch), WHOLE("sms", sms), NUMBER("clock_mhz", clock_mhz),
    NUMBER("dram_gbs", dram_gbs), NUMBER("latency_ns", latency_ns),
    NUMBER("partial_sectors_us", partial_sectors_us), NUMBER("matrix_tflops", matrix_tflops),
    NUMBER("fp32_lanes", fp32_lanes), NUMBER("fp64_lanes", fp64_lanes),
    NUMBER("int_lanes", int_lanes), NUMBER("special_lanes", special_lanes),
    NUMBER("launch_us", launch_us), WHOLE("threads_sm", threads_sm), WHOLE("blocks_sm", blocks_sm),
    WHOLE("regs_sm", regs_sm), WHOLE("shared_sm", shared_sm),
};
#define N_FIELDS (sizeof fields / sizeof *fields)

enum ks_status ks_gpu_read(struct ks_arena *arena, const char *path, struct ks_gpu *gpu,
                           struct ks_err *err)
{
    struct ks_slice text;
    struct ks_yaml *root;
    const char *known[N_FIELDS + 3] = {"name", "sources"};
    *gpu = (struct ks_gpu){0};
    KS_TRY(ks_file_read(arena, path, TEXT_MAX, &text, err));
    KS_TRY(ks_yaml_parse(arena, path, text, &root, err));
    for (size_t i = 0; i < N_FIELDS; i++)
        known[i + 2] = fields[i].key;
    KS_TRY(ks_yaml_known(path, root, known, err));
    gpu->name = ks_yaml_text(root, "name", NULL);
    if (gpu->name == NULL)
        KS_FAIL(err, KS_E_USER, "%s:%d: `name` is missing", path, root->line);
    for (size_t i = 0; i < N_FIELDS; i++) {
        const struct ks_yaml *value = ks_yaml_get(root, fields[i].key);
        double number;
        if (value == NULL)
            KS_FAIL(err, KS_E_USER, "%s:%d: `%s` is missing", path, root->line, fields[i].key);
        if (value->text == NULL || !ks_parse_f64(value->text, &number) || !(number >= 0) ||
            (fields[i].whole && !(number >= 1 && number <= 1e9)))
            KS_FAIL(err, KS_E_USER, "%s:%d: `%s` is no number that a GPU can have", path,
                    value->line, fields[i].key);
        char *to = (char *)gpu + fields[i].at;
        if (fields[i].whole)
            *(int *)(void *)to = (int)number;
        else
            *(double *)(void *)to = number;
    }
    if (!(gpu->clock_mhz > 0 && gpu->dram_gbs > 0 && gpu->matrix_tflops > 0 && gpu->fp32_lanes > 0 &&
          gpu->fp64_lanes > 0 && gpu->int_lanes > 0 && gpu->special_lanes > 0))
        KS_FAIL(err, KS_E_USER, "%s:%d: a rate of zero", path, root->line);
    return KS_OK;
}

enum ks_status ks_gpu_find(struct ks_arena *arena, const char *dir, int arch, struct ks_gpu *gpu,
                           struct ks_err *err)
{
    struct ks_strv files = {0};
    KS_TRY(ks_dir_list(arena, dir, &files, err));
    for (size_t i = 0; i < files.len; i++) {
        if (!ks_ends_with(files.at[i], ".yaml"))
            continue;
        KS_TRY(ks_gpu_read(arena, ks_path_join(arena, dir, files.at[i]), gpu, err));
        if (gpu->arch == arch)
            return KS_OK;
    }
    KS_FAIL(err, KS_E_ABSENT, "%s describes no GPU of sm_%d", dir, arch);
}

// ---- the model

struct ks_occupancy ks_gpu_occupancy(const struct ks_gpu *gpu, const struct ks_counts *c)
{
    int warps = (c->threads + WARP - 1) / WARP;
    // Registers are given out by warps in units of 256, shared memory in units of 128 bytes with 1 KiB
    // of the system's own (CUDA occupancy calculator).
    int regs = c->registers > 0 ? (c->registers * WARP + 255) / 256 * 256 * warps : 0;
    int shared = (c->shared_bytes + 127) / 128 * 128 + 1024;
    const struct {
        int blocks;
        const char *limit;
    } limits[] = {{gpu->threads_sm / (warps * WARP), "threads"}, {gpu->blocks_sm, "blocks"},
                  {regs > 0 ? gpu->regs_sm / regs : gpu->blocks_sm, "registers"},
                  {gpu->shared_sm / shared, "shared memory"}};
    struct ks_occupancy o = {.blocks = INT_MAX};
    for (size_t i = 0; i < KS_FITS; i++) {
        o.fits[i] = limits[i].blocks;
        if (limits[i].blocks < o.blocks) {
            o.blocks = limits[i].blocks;
            o.limit = limits[i].limit;
        }
    }
    o.blocks = o.blocks > 0 ? o.blocks : 1;
    o.part = (double)(o.blocks * warps * WARP) / gpu->threads_sm;
    return o;
}

struct ks_model ks_model_launch(const struct ks_gpu *gpu, const struct ks_counts *c, double traffic)
{
    struct ks_model m = {.occupancy = ks_gpu_occupancy(gpu, c)};
    double sms = fmin(c->blocks, gpu->sms), cycles = gpu->clock_mhz * sms; // a microsecond, all SMs
    double warps = (c->threads + WARP - 1) / WARP;
    double resident = fmin(c->blocks, (double)gpu->sms * m.occupancy.blocks) * warps;
    double issued = 0;
    for (int i = 0; i < KS_CLASSES; i++)
        issued += c->warp_insts[i];
    double bytes = fmin(32 * (c->read_sectors + c->write_sectors), traffic);
    const double *w = c->warp_insts;
    const struct {
        double us;
        const char *limit;
    } parts[] = {
        {bytes / gpu->dram_gbs * 1e-3, "memory"},
        {resident > 0 ? c->waits * gpu->latency_ns * 1e-3 / resident : 0, "latency"},
        {gpu->partial_sectors_us > 0 ? c->partial_sectors / gpu->partial_sectors_us : 0,
         "partial stores"},
        {(c->global_wavefronts + c->shared_wavefronts) / cycles, "load-store unit"},
        {issued / 4 / cycles, "issue"},
        {(w[KS_CLASS_FP32] + w[KS_CLASS_FP16]) * WARP / gpu->fp32_lanes / cycles, "fp32"},
        {w[KS_CLASS_FP64] * WARP / gpu->fp64_lanes / cycles, "fp64"},
        {w[KS_CLASS_INT] * WARP / gpu->int_lanes / cycles, "int"},
        {w[KS_CLASS_SPECIAL] * WARP / gpu->special_lanes / cycles, "special functions"},
        {c->matrix_flops / gpu->matrix_tflops * 1e-6 * gpu->sms / sms, "matrix"},
        // Additions to one address are made one after the other, one a clock.
        {c->atomic_lanes / cycles + c->atomic_collisions / gpu->clock_mhz / sms, "atomics"},
    };
    // They overlap, but not wholly: what comes close to the longest adds to it.
    double sum = 0, longest = 0;
    m.limit = "launch";
    for (size_t i = 0; i < sizeof parts / sizeof *parts; i++) {
        sum += pow(parts[i].us, 4);
        if (parts[i].us > longest) {
            longest = parts[i].us;
            m.limit = parts[i].limit;
        }
    }
    m.us = gpu->launch_us + pow(sum, 0.25);
    if (longest < gpu->launch_us)
        m.limit = "launch";
    return m;
}
