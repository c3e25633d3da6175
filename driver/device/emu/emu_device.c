#include <malloc.h>
#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include "base/num.h"
#include "device/emu/emu_count.h"
#include "device/emu/emu_state.h"
#include "os/clock.h"

#define BUDGET (UINT64_C(1) << 31)   // steps of a launch, a minute or two
#define ARCH 90                      // what is built for it; modules may be for any
#define KEPT (16 << 20)              // bytes that were freed and are not given back
#define L1_BYTES (256 << 10)         // of an SM, shared memory included (device.md 2, CUDA guide)
#define SM_THREADS 2048
#define SAMPLES 8                    // blocks whose costs stand for the grid's
#define SAMPLE_INSTS (UINT64_C(24) << 20)  // thread instructions after which no further is begun
#define SAMPLE_BUDGET (UINT64_C(1) << 27)  // steps that they may take

struct function {
    struct ks_emu_module *module;
    struct ks_emu_function *f;
    uint32_t shared;                 // static bytes
};

struct ks_emu_settings *ks_emu_device_settings(const struct ks_device *device)
{
    return &((struct ks_emu *)device->self)->settings;
}

void ks_emu_device_name(const struct ks_device *device, size_t buffer, const char *name)
{
    struct ks_emu *emu = device->self;
    if (buffer < emu->buffers.len && strcmp(emu->buffers.at[buffer]->name, name) != 0)
        emu->buffers.at[buffer]->name = ks_arena_strdup(&emu->arena, name);
}

const struct ks_emu_findings *ks_emu_device_findings(const struct ks_device *device)
{
    return &((struct ks_emu *)device->self)->findings;
}

uint64_t ks_emu_device_executed(const struct ks_device *device)
{
    return ((struct ks_emu *)device->self)->executed;
}

uint64_t ks_emu_device_steps(const struct ks_device *device)
{
    return ((struct ks_emu *)device->self)->steps;
}

uint64_t ks_emu_device_accesses(const struct ks_device *device)
{
    return ((struct ks_emu *)device->self)->accesses;
}

uint32_t ks_emu_device_shared_out(const struct ks_device *device)
{
    return ((struct ks_emu *)device->self)->shared_out;
}

static enum ks_status info(void *self, struct ks_device_info *out, struct ks_err *err)
{
    (void)self, (void)err;
    int64_t pages = sysconf(_SC_PHYS_PAGES), page = sysconf(_SC_PAGESIZE);
    *out = (struct ks_device_info){.kind = "emu", .name = "emulated device", .uuid = "emulated", .driver = "none",
                                   .arch = ARCH, .sms = 132, .l2_bytes = 50 << 20,
                                   .smem_optin = ks_device_of_arch(ARCH).smem_optin, .max_threads_sm = 2048,
                                   .regs_sm = 65536, .memory_total = pages * page / 8,
                                   .memory_free = pages * page / 8};
    return KS_OK;
}

// ---- modules

static enum ks_status load_variables(struct ks_emu *emu, struct ks_emu_module *m, struct ks_err *err)
{
    for (size_t i = 0; i < m->vars.len; i++) {
        struct ks_emu_var *v = &m->vars.at[i];
        struct ks_emu_region *region = NULL;
        if (v->space == KS_EMU_SHARED) {
            v->address = (uint64_t)(i + 1) << KS_EMU_SHARED_WINDOW_BITS;
            continue;
        }
        if (v->external)
            continue;
        uint64_t skew = ks_align_up(4096, v->align);
        KS_TRY(ks_emu_region_make(&emu->memory, v->bytes, skew, v->space == KS_EMU_GLOBAL, &region,
                                  err));
        *ks_vec_push(&emu->arena, &emu->globals) = region;
        region->constant = v->space == KS_EMU_CONST;
        region->name = ks_arena_printf(&m->arena, "variable %.*s",
                                       (int)(v->name.len > 80 ? 80 : v->name.len), v->name.at);
        if (v->init != NULL)
            memcpy(region->data, v->init, v->bytes);
        ks_emu_known_set(region->known, region->lead, v->bytes, true);
        v->address = region->address;
    }
    return KS_OK;
}

// Addresses in initialisers, once all variables have one.
static void load_addresses(struct ks_emu *emu, struct ks_emu_module *m)
{
    ks_vec_each(struct ks_emu_var, v, &m->vars)
        for (size_t i = 0; i < v->addresses.len; i++) {
            uint64_t bits;
            struct ks_emu_region *region = &emu->memory.regions[v->address >> KS_EMU_SLOT_BITS];
            if (v->space == KS_EMU_SHARED || v->external || v->opaque ||
                !ks_emu_address_of(m, &v->addresses.at[i], &bits))
                v->opaque = true;
            else
                memcpy(region->data + v->addresses.at[i].at, &bits, 8);
        }
}

static enum ks_status module(void *self, struct ks_slice image, void **out, struct ks_err *err)
{
    struct ks_emu *emu = self;
    struct ks_emu_module *m;
    if (image.len >= 4 && (memcmp(image.at, "\177ELF", 4) == 0 ||
                           memcmp(image.at, "\x50\xed\x55\xba", 4) == 0))
        KS_FAIL(err, KS_E_UNSUPPORTED, "the emulated device runs PTX, and was given machine code");
    KS_TRY(ks_emu_module_read(image, &m, err));
    *ks_vec_push(&emu->arena, &emu->modules) = m;
    KS_TRY(load_variables(emu, m, err));
    load_addresses(emu, m);
    *out = m;
    return KS_OK;
}

static json_t *facts_of(const struct function *f)
{
    json_t *params = json_array();
    for (size_t i = 0; i < f->f->params.len; i++) {
        const struct ks_emu_var *v = &f->f->params.at[i];
        json_array_append_new(params, json_pack("[I,I]", (json_int_t)v->address,
                                                (json_int_t)v->bytes));
    }
    return json_pack("{s:i,s:i,s:I,s:i,s:o}", "registers", 0, "static_shared", (int)f->shared,
                     "local", (json_int_t)f->f->local_bytes, "max_threads",
                     f->f->max_threads != 0 ? (int)f->f->max_threads : KS_EMU_MAX_THREADS, "params",
                     params);
}

static enum ks_status function(void *self, void *module_, const char *name, void **out,
                               json_t **facts, struct ks_err *err)
{
    struct ks_emu *emu = self;
    struct ks_emu_module *m = module_;
    struct ks_emu_function *f = ks_emu_function_find(m, ks_slice_of(name), NULL);
    if (f == NULL || !f->entry || !f->defined)
        KS_FAIL(err, KS_E_ABSENT, "the module has no kernel %s", name);
    KS_TRY(ks_emu_decode(m, f, err));
    struct function *handle = KS_NEW(&emu->arena, struct function);
    *handle = (struct function){m, f, ks_emu_shared_static(m, f)};
    *out = handle;
    if (facts != NULL)
        *facts = facts_of(handle);
    return KS_OK;
}

// ---- launches

static enum ks_status check_shape(const struct function *f, const struct ks_dev_step *step,
                                  struct ks_err *err)
{
    uint64_t threads = (uint64_t)step->block[0] * step->block[1] * step->block[2];
    int n = f->f->name.len > 200 ? 200 : (int)f->f->name.len;
    const char *name = f->f->name.at;
    uint32_t most = f->f->max_threads != 0 ? f->f->max_threads : KS_EMU_MAX_THREADS;
    if (step->grid[0] == 0 || step->grid[1] == 0 || step->grid[2] == 0 || step->block[0] == 0 ||
        step->block[1] == 0 || step->block[2] == 0)
        KS_FAIL(err, KS_E_LIMIT, "launch of %.*s refused: a grid or block of zero", n, name);
    if (step->grid[0] > INT32_MAX || step->grid[1] > 65535 || step->grid[2] > 65535)
        KS_FAIL(err, KS_E_LIMIT, "launch of %.*s refused: grid (%u,%u,%u); at most "
                                 "(2147483647,65535,65535)", n, name, step->grid[0], step->grid[1],
                step->grid[2]);
    if (step->block[0] > 1024 || step->block[1] > 1024 || step->block[2] > 64 || threads > most)
        KS_FAIL(err, KS_E_LIMIT, "launch of %.*s refused: a block of (%u,%u,%u); this kernel can "
                                 "have %u threads", n, name, step->block[0], step->block[1],
                step->block[2], most);
    for (int k = 0; k < 3; k++)
        if (f->f->required[k] != 0 && step->block[k] != f->f->required[k])
            KS_FAIL(err, KS_E_LIMIT, "launch of %.*s refused: a block of (%u,%u,%u); this kernel "
                                     "takes (%u,%u,%u)", n, name, step->block[0], step->block[1],
                    step->block[2], f->f->required[0], f->f->required[1], f->f->required[2]);
    if (f->f->cluster)
        KS_FAIL(err, KS_E_UNSUPPORTED, "PTX line %u: %.*s is launched in clusters, which are not "
                                       "supported by the emulator", f->f->body_line, n, name);
    int shared = ks_device_of_arch(f->module->arch).smem_optin; // of the GPUs that the code is for
    if ((uint64_t)step->shared + f->shared > (uint64_t)shared)
        KS_FAIL(err, KS_E_LIMIT, "launch of %.*s refused: %llu bytes of shared memory a block; sm_%d has %d", n, name,
                (unsigned long long)step->shared + f->shared, f->module->arch, shared);
    return KS_OK;
}

static enum ks_status bind_args(struct ks_emu *emu, const struct function *f,
                                const struct ks_dev_step *step, unsigned char *params,
                                struct ks_err *err)
{
    const struct ks_emu_function *k = f->f;
    int n = k->name.len > 200 ? 200 : (int)k->name.len;
    if (step->n_args != k->params.len)
        KS_FAIL(err, KS_E_USER, "%.*s takes %zu arguments, the plan gives %zu", n, k->name.at,
                k->params.len, step->n_args);
    for (size_t i = 0; i < step->n_args; i++) {
        const struct ks_dev_arg *arg = &step->args[i];
        const struct ks_emu_var *v = &k->params.at[i];
        bool is_buffer = arg->kind == KS_DARG_BUFFER;
        uint64_t size = is_buffer ? 8 : arg->size;
        if (size != v->bytes)
            KS_FAIL(err, KS_E_USER, "%.*s: argument %zu has %llu bytes, the kernel takes %llu", n,
                    k->name.at, i + 1, (unsigned long long)size, (unsigned long long)v->bytes);
        if (is_buffer) {
            struct ks_emu_region *r = NULL;
            KS_TRY(ks_emu_buffer_at(emu, arg->buffer, &r, err));
            memcpy(params + v->address, &r->address, 8);
            continue;
        }
        memcpy(params + v->address, arg->kind == KS_DARG_STRUCT ? arg->block : arg->bytes, size);
        for (size_t p = 0; arg->kind == KS_DARG_STRUCT && p < arg->n_pointers; p++) {
            struct ks_emu_region *r = NULL;
            KS_TRY(ks_emu_buffer_at(emu, arg->pointers[p].buffer, &r, err));
            memcpy(params + v->address + arg->pointers[p].at, &r->address, 8);
        }
    }
    return KS_OK;
}

static void forget_history(struct ks_emu *emu)
{
    for (size_t i = 0; i < emu->buffers.len; i++)
        ks_emu_region_forget(emu->buffers.at[i]);
    for (size_t i = 0; i < emu->globals.len; i++)
        ks_emu_region_forget(emu->globals.at[i]);
}

// Parameters as memory, for those that are reached by address.
static struct ks_emu_region param_region(unsigned char *params, unsigned char *known,
                                         uint64_t bytes)
{
    memset(known, 0xff, bytes / 8 + 2);
    return (struct ks_emu_region){.address = KS_EMU_PARAM_BASE, .bytes = bytes, .data = params,
                                  .known = known, .constant = true, .name = "the parameters"};
}

static void take_counts(struct ks_emu *emu, const struct function *f, const struct ks_emu_grid *grid,
                        struct ks_counts *counts)
{
    grid->counter->blocks = grid->n_blocks;
    *counts = (struct ks_counts){.threads = (int)grid->threads,
                                 .shared_bytes = (int)grid->shared_bytes};
    ks_emu_counter_sum(grid->counter, f->module, counts);
    if (emu->settings.count)
        ks_emu_lines_add(emu, grid);
}

// What a block gets of its SM's L1 beside as many like it as fit.
static uint32_t l1_share(const struct function *f, const struct ks_dev_step *step)
{
    uint32_t threads = step->block[0] * step->block[1] * step->block[2];
    uint32_t shared = f->shared + step->shared, blocks = SM_THREADS / (threads < 64 ? 64 : threads);
    if (blocks * (shared + 1024) > L1_BYTES)
        blocks = L1_BYTES / (shared + 1024);
    uint32_t share = (L1_BYTES - blocks * shared) / (blocks > 0 ? blocks : 1);
    return share < 4096 ? 4096 : share;
}

// With `counts` some blocks run, for these alone.
static enum ks_status launch(struct ks_emu *emu, const struct ks_dev_step *step,
                             struct ks_counts *counts, struct ks_err *err)
{
    const struct function *f = step->function;
    KS_TRY(check_shape(f, step, err));
    uint64_t bytes = f->f->param_bytes;
    unsigned char *params = calloc(bytes + 16, 1), *known = calloc(bytes / 8 + 2, 1);
    KS_ASSERT(params != NULL && known != NULL);
    struct ks_emu_grid grid = {
        .memory = &emu->memory, .module = f->module, .entry = f->f, .params = params,
        .param_bytes = bytes, .findings = &emu->findings, .dynamic_shared = step->shared,
        .options = {.seed = emu->settings.seed, .budget = emu->settings.budget, .most = emu->settings.most,
                    .serial = emu->settings.serial, .races = emu->settings.races, .strict_races = emu->settings.strict_races, .cores = f->f->alone ? 1 : emu->settings.cores,
                    .print = emu->settings.print},
        .grid = {step->grid[0], step->grid[1], step->grid[2]},
        .block = {step->block[0], step->block[1], step->block[2]}};
    if (counts != NULL) {
        const uint64_t most = emu->settings.budget;
        grid.options = (struct ks_emu_options){.budget = most > 0 && most < SAMPLE_BUDGET ? most : SAMPLE_BUDGET,
                                               .undefined = true};
        grid.samples = SAMPLES;
        grid.sample_insts = SAMPLE_INSTS;
    } else if (emu->settings.count) {
        counts = &emu->counts;
    }
    if (counts != NULL)
        grid.counter = ks_emu_counter_make(f->module, l1_share(f, step));
    enum ks_status status = bind_args(emu, f, step, params, err);
    if (status == KS_OK) {
        forget_history(emu);
        emu->memory.regions[KS_EMU_PARAM_BASE >> KS_EMU_SLOT_BITS] =
            param_region(params, known, bytes);
        status = ks_emu_run_grid(&grid, err);
        emu->memory.regions[KS_EMU_PARAM_BASE >> KS_EMU_SLOT_BITS] = (struct ks_emu_region){0};
    }
    f->f->alone |= grid.gave_up;
    emu->shared_out += grid.shared_out;
    emu->executed += grid.executed;
    emu->steps += grid.steps;
    emu->accesses += grid.accesses;
    if (status == KS_OK && counts != NULL)
        take_counts(emu, f, &grid, counts);
    ks_emu_counter_free(grid.counter);
    free(params);
    free(known);
    return status;
}

// The kind leads, and under a schedule of the device's own choice the seed that repeats it.
static const char *first_text(const struct ks_emu *emu, char *out, size_t size)
{
    const struct ks_finding *first = &emu->findings.list[0];
    char text[KS_FINDING_TEXT];
    ks_finding_text(first, text, sizeof text);
    if ((!emu->settings.vary && !emu->settings.fixed) || emu->settings.seed == 0)
        snprintf(out, size, "%s", text);
    else
        snprintf(out, size, "%s" KS_FINDING_SCHEDULE "%llu%s", ks_finding_name(first->kind),
                 (unsigned long long)emu->settings.seed,
                 text + strlen(ks_finding_name(first->kind)));
    return out;
}

// `ran`: how many steps did; what was found is the last one's, which is told where there are others.
static enum ks_status judge_findings(const struct ks_emu *emu, const struct ks_dev_plan *plan, size_t ran,
                                     struct ks_err *err)
{
    char text[KS_FINDING_TEXT], step[128] = "";
    const struct ks_emu_findings *all = &emu->findings;
    if (all->n == 0)
        return KS_OK;
    for (size_t i = 0; i < all->n; i++)
        if (all->list[i].kind == KS_F_UNSUPPORTED) {
            ks_finding_text(&all->list[i], text, sizeof text);
            KS_FAIL(err, KS_E_UNSUPPORTED, "%s", text);
        }
    first_text(emu, text, sizeof text);
    if (plan->n_steps > 1)
        snprintf(step, sizeof step, "; in step %zu%s%s", ran, plan->steps[ran - 1].shown != NULL ? ", " : "",
                 plan->steps[ran - 1].shown != NULL ? plan->steps[ran - 1].shown : "");
    if (all->n > 1)
        KS_FAIL(err, KS_E_DEVICE, "%s%s; and %zu more", text, step, all->n - 1);
    KS_FAIL(err, KS_E_DEVICE, "%s%s", text, step);
}

static enum ks_status run(void *self, const struct ks_dev_plan *plan, double *microseconds,
                          struct ks_err *err)
{
    struct ks_emu *emu = self;
    double begin = ks_now();
    emu->findings.n = 0;
    emu->findings.total = emu->executed = emu->steps = emu->accesses = 0;
    emu->shared_out = 0;
    emu->lines.len = 0;
    size_t ran = 0;
    while (ran < plan->n_steps && emu->findings.n == 0) {
        const struct ks_dev_step *step = &plan->steps[ran++];
        struct ks_emu_region *r = NULL;
        if (step->function != NULL) {
            KS_TRY(launch(emu, step, NULL, err));
            continue;
        }
        KS_TRY(ks_emu_buffer_at(emu, step->buffer, &r, err));
        memset(r->data, step->value, r->bytes);
        ks_emu_known_set(r->known, r->lead, r->bytes, true);
    }
    if (microseconds != NULL)
        *microseconds = (ks_now() - begin) * 1e6;
    enum ks_status status = judge_findings(emu, plan, ran, err);
    emu->settings.seed += emu->settings.vary;
    return status;
}

static enum ks_status count(void *self, const struct ks_dev_plan *plan, struct ks_counts *counts,
                            struct ks_err *err)
{
    struct ks_emu *emu = self;
    emu->findings.n = 0;
    emu->findings.total = emu->executed = emu->steps = emu->accesses = 0;
    for (size_t i = 0; i < plan->n_steps; i++) {
        counts[i] = (struct ks_counts){0};
        if (plan->steps[i].function != NULL)
            KS_TRY(launch(emu, &plan->steps[i], &counts[i], err));
        if (emu->findings.n == 0)
            continue;
        // Inputs may be missing, and other blocks: what is wrong here says nothing of the kernel.
        char text[KS_FINDING_TEXT];
        ks_finding_text(&emu->findings.list[0], text, sizeof text);
        KS_FAIL(err, KS_E_LIMIT, KS_NOT_COUNTED "%s", text);
    }
    return KS_OK;
}

static enum ks_status no_time(void *self, const struct ks_dev_timing *timing,
                              struct ks_dev_sample *sample, struct ks_err *err)
{
    (void)self, (void)timing, (void)sample;
    KS_FAIL(err, KS_E_UNSUPPORTED, "the emulated device measures no time");
}

static enum ks_status no_ceilings(void *self, double *copy_gbs, double *fma_gflops,
                                  struct ks_err *err)
{
    (void)self, (void)copy_gbs, (void)fma_gflops;
    KS_FAIL(err, KS_E_UNSUPPORTED, "the emulated device measures no time");
}

static void forget_plans(void *self)
{
    (void)self;
}

static void chance(void *self, uint64_t seed)
{
    struct ks_emu *emu = self;
    ks_rng_seed(&emu->rng, seed);
}

static void close_device(void *self)
{
    struct ks_emu *emu = self;
    ks_emu_memory_free(&emu->memory);
    for (size_t i = 0; i < emu->modules.len; i++)
        ks_emu_module_free(emu->modules.at[i]);
    ks_arena_free(&emu->arena);
    free(emu);
}

static uint32_t usable_cores(void)
{
    cpu_set_t set;
    int n = sched_getaffinity(0, sizeof set, &set) == 0 ? CPU_COUNT(&set) : 1;
    return n > 0 ? (uint32_t)n : 1;
}

enum ks_status ks_device_open_emu(struct ks_device *device, struct ks_err *err)
{
    struct ks_emu *emu = calloc(1, sizeof *emu);
    if (emu == NULL)
        KS_FAIL(err, KS_E_MEMORY, "no memory for the emulated device");
    // Else the frames of each launch go back to the system, and the next launch faults them in again.
    // So it would be with what a launch takes more of at once: setting the one limit keeps the other from growing.
    mallopt(M_TRIM_THRESHOLD, KEPT);
    mallopt(M_MMAP_THRESHOLD, KEPT / 4);
    emu->settings = (struct ks_emu_settings){.budget = BUDGET, .races = true, .vary = true,
                                             .cores = usable_cores()};
    ks_rng_seed(&emu->rng, ks_seed_from_os());
    *device = (struct ks_device){
        .kind = "emu", .self = emu, .info = info, .module = module, .function = function,
        .chance = chance, .alloc = ks_emu_alloc, .free_all = ks_emu_free_all, .write = ks_emu_write, .read = ks_emu_read,
        .copy = ks_emu_copy_buffer, .freeze = ks_emu_freeze, .poison = ks_emu_poison, .check_slack = ks_emu_check_slack, .fingerprints = ks_emu_fingerprints,
        .scrub = ks_emu_scrub, .run = run, .time = no_time, .forget_plans = forget_plans,
        .count = count, .ceilings = no_ceilings, .close = close_device};
    return KS_OK;
}

enum ks_status ks_device_open_emu_at(struct ks_device *device, uint64_t seed, struct ks_err *err)
{
    KS_TRY(ks_device_open_emu(device, err));
    struct ks_emu_settings *settings = ks_emu_device_settings(device);
    settings->seed = seed;
    settings->vary = false;
    settings->fixed = true;
    return KS_OK;
}
