// ks run FILE.cu[:KERNEL]: one workload of a marked kernel on the emulated device, and what it found.
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <time.h>

#include "app/verb_run_recorded.h"
#include "app/verb_sizes.h"
#include "device/emu/emu_device.h"
#include "device/model.h"
#include "fmt/json.h"
#include "key/elf.h"
#include "os/clock.h"
#include "os/file.h"
#include "verify/launch.h"

#define PTX_MAX (64u << 20)
#define CUBIN_MAX (256u << 20)
#define MOST_LINES 10

struct running {
    struct ks_verb_context *context;
    struct verb_tu tu;
    const struct ks_tu_kernel *kernel;
    struct ks_strv others;          // kernels that the name means as well
    struct ks_problem problem;
    struct ks_layout layout;
    struct ks_device device;
    size_t *buffers;                // by slot
    struct ks_dev_step step;
    double seconds, cpu_seconds;
    bool costs;                     // counted
    struct ks_counts counts;
    struct ks_gpu gpu;              // name NULL: none is described
    struct ks_model model;
    struct run_recorded_list recorded; // of a captured launch
};

// The words of the compile: with lines, which change no code, and an architecture.
static const char *const *compile_words(struct ks_arena *arena, const char *const *given)
{
    struct ks_strv words = {0};
    if (given == NULL)
        ks_strv_add(arena, &words, "-arch=sm_90");
    for (; given != NULL && *given != NULL; given++)
        ks_strv_add(arena, &words, *given);
    ks_strv_add(arena, &words, "-lineinfo");
    return words.at;
}

static enum ks_status find_kernel(struct running *r, const char *name, struct ks_err *err)
{
    const struct ks_tu *tu = &r->tu.tu;
    for (size_t i = 0; i < tu->n_kernels; i++) {
        const struct ks_tu_kernel *k = &tu->kernels[i];
        if (k->ptx == NULL || !verb_kernel_is(r->context->arena, k, name))
            continue;
        if (r->kernel == NULL)
            r->kernel = k;
        else if (k->arch == r->kernel->arch)
            ks_strv_add(r->context->arena, &r->others, verb_kernel_name(k));
    }
    if (r->kernel == NULL && name != NULL)
        return verb_no_kernel(&r->tu, name, err);
    if (r->kernel == NULL)
        KS_FAIL(err, KS_E_USER, "%s: no marked kernel was compiled%s%s", tu->path,
                tu->n_kernels > 0 ? ": " : "", tu->n_kernels > 0 ? tu->kernels[0].reason_text : "");
    return KS_OK;
}

static enum ks_status load_module(struct running *r, void **module, struct ks_err *err)
{
    struct ks_arena *arena = r->context->arena;
    const char *dir = r->tu.plain.keep_dir;
    struct ks_strv files = {0};
    KS_TRY(ks_dir_list(arena, dir, &files, err));
    for (size_t i = 0; i < files.len; i++) {
        struct ks_slice text;
        struct ks_ptx_module read = {0};
        if (!ks_ends_with(files.at[i], ".ptx"))
            continue;
        KS_TRY(ks_file_read(arena, ks_path_join(arena, dir, files.at[i]), PTX_MAX, &text, err));
        KS_TRY(ks_ptx_read(arena, text, &read, err));
        if (read.arch == r->kernel->arch &&
            ks_ptx_find(&read, r->kernel->signature->registered) != NULL)
            return r->device.module(r->device.self, text, module, err);
    }
    KS_FAIL(err, KS_E_ABSENT, "no PTX of %s", verb_kernel_name(r->kernel));
}

static enum ks_status fill_slot(struct running *r, size_t i, struct ks_err *err)
{
    const struct ks_slot *slot = &r->layout.slots[i];
    const struct ks_arg *arg = &r->problem.args[slot->arg];
    struct ks_dev_buffer placed;
    KS_TRY(r->device.alloc(r->device.self, slot->bytes, slot->elem.align > 0 ? slot->elem.align : 1,
                           KS_FLUSH_END, &r->buffers[i], &placed, err));
    ks_emu_device_name(&r->device, r->buffers[i], ks_arena_printf(r->context->arena, "`%s`", arg->name));
    if (slot->role == KS_ROLE_OUT)
        return KS_OK;
    void *data = malloc((size_t)slot->bytes + 1);
    KS_ASSERT(data != NULL);
    enum ks_status status =
        ks_init_is_read(&arg->init)
            ? ks_fill_read(data, r->problem.where, &arg->init, slot->elem, slot->count, err)
            : ks_fill_all(data, slot->elem, &arg->init, KS_FAMILY_DECLARED, i + 1, slot->count, err);
    if (status == KS_OK)
        status = r->device.write(r->device.self, r->buffers[i], 0, data, slot->bytes, err);
    free(data);
    return status;
}

static void make_struct(const struct running *r, size_t index, struct ks_dev_arg *arg)
{
    const struct ks_problem *p = &r->problem;
    struct ks_arena *arena = r->context->arena;
    arg->kind = KS_DARG_STRUCT;
    arg->block = ks_arena_memdup(arena, p->args[index].block->bytes, arg->size);
    arg->pointers = KS_NEW_ARRAY(arena, struct ks_dev_pointer, p->n_args - p->n_params);
    for (size_t i = p->n_params; i < p->n_args; i++)
        if (p->args[i].parent == index && p->args[i].kind == KS_ARG_BUFFER)
            arg->pointers[arg->n_pointers++] =
                (struct ks_dev_pointer){p->args[i].at, r->buffers[r->layout.slot_of[i]]};
}

static enum ks_status make_step(struct running *r, struct ks_err *err)
{
    struct ks_arena *arena = r->context->arena;
    const struct ks_problem *p = &r->problem;
    void *module = NULL;
    r->layout = ks_layout_of(arena, p);
    r->buffers = KS_NEW_ARRAY(arena, size_t, r->layout.n_slots);
    for (size_t i = 0; i < r->layout.n_slots; i++)
        KS_TRY(fill_slot(r, i, err));
    r->step.args = KS_NEW_ARRAY(arena, struct ks_dev_arg, p->n_params);
    r->step.n_args = p->n_params;
    for (size_t i = 0; i < p->n_params; i++) {
        struct ks_dev_arg *arg = &r->step.args[i];
        if (p->args[i].kind == KS_ARG_BUFFER) {
            *arg = (struct ks_dev_arg){.kind = KS_DARG_BUFFER,
                                       .buffer = r->buffers[r->layout.slot_of[i]]};
            continue;
        }
        arg->size = p->args[i].size;
        if (p->args[i].kind == KS_ARG_STRUCT) {
            make_struct(r, i, arg);
            continue;
        }
        arg->kind = KS_DARG_BYTES;
        memcpy(arg->bytes, p->args[i].bytes, arg->size);
    }
    for (int k = 0; k < 3; k++) {
        r->step.grid[k] = (unsigned)p->grid[k];
        r->step.block[k] = (unsigned)p->block[k];
    }
    r->step.shared = (unsigned)p->shared;
    KS_TRY(load_module(r, &module, err));
    return r->device.function(r->device.self, module, r->kernel->signature->registered,
                              &r->step.function, NULL, err);
}

// ---- report

static json_t *site_json(const struct ks_emu_site *s, const char *file)
{
    json_t *site = json_pack("{s:[i,i,i],s:[i,i,i]}", "block", (int)s->block[0], (int)s->block[1],
                             (int)s->block[2], "thread", (int)s->thread[0], (int)s->thread[1],
                             (int)s->thread[2]);
    json_object_set_new(site, "file", file != NULL ? json_string(file) : json_null());
    json_object_set_new(site, "line", file != NULL ? json_integer(s->source & 0xfffff) : json_null());
    return site;
}

static json_t *findings_json(const struct ks_emu_findings *all)
{
    json_t *list = json_array();
    for (size_t i = 0; i < all->n; i++) {
        const struct ks_finding *f = &all->list[i];
        json_t *row = json_pack("{s:s,s:s,s:I,s:o}", "kind", ks_finding_name(f->kind), "text",
                                f->text, "count", (json_int_t)f->count, "at",
                                site_json(&f->here, f->file));
        json_object_set_new(row, "other",
                            f->has_other ? site_json(&f->other, f->other_file) : json_null());
        json_array_append_new(list, row);
    }
    return list;
}

// ---- costs

static enum ks_status take_costs(struct running *r, const char *gpu, struct ks_err *err)
{
    struct ks_arena *arena = r->context->arena;
    const char *dir = ks_path_join(arena, r->context->config.share_dir, "devices");
    const char *path = ks_tu_cubin(arena, &r->tu.plain, r->kernel->arch);
    struct ks_slice cubin;
    r->counts = *ks_emu_device_counts(&r->device);
    if (path != NULL && ks_file_read(arena, path, CUBIN_MAX, &cubin, NULL) == KS_OK)
        r->counts.registers = ks_cubin_registers(cubin, r->kernel->signature->registered);
    const char *described = gpu == NULL ? NULL : ks_arena_printf(arena, "%s/%s.yaml", dir, gpu);
    if (described != NULL && !ks_file_exists(described))
        KS_FAIL(err, KS_E_USER, "--gpu=%s: no GPU of that name is described in %s", gpu, dir);
    if (described != NULL)
        KS_TRY(ks_gpu_read(arena, described, &r->gpu, err));
    else if (ks_gpu_find(arena, dir, r->kernel->arch, &r->gpu, NULL) != KS_OK)
        r->gpu = (struct ks_gpu){0};
    if (r->gpu.name != NULL)
        r->model = ks_model_launch(&r->gpu, &r->counts, (double)ks_problem_traffic(&r->problem));
    return KS_OK;
}

static double cpu_now(void)
{
    struct timespec now;
    return clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &now) == 0
               ? (double)now.tv_sec + (double)now.tv_nsec * 1e-9 : 0;
}

static int64_t peak_bytes(void)
{
    struct rusage usage;
    return getrusage(RUSAGE_SELF, &usage) == 0 ? (int64_t)usage.ru_maxrss * 1024 : 0;
}

static json_t *costs_json(const struct running *r)
{
    if (!r->costs)
        return json_null();
    json_t *costs = ks_counts_json(&r->counts);
    json_object_set_new(costs, "lines", ks_emu_device_lines_json(&r->device));
    json_object_set_new(costs, "modelled",
                        r->gpu.name == NULL
                            ? json_null()
                            : json_pack("{s:s,s:f,s:s,s:i,s:f,s:s}", "gpu", r->gpu.name, "us",
                                        r->model.us, "limit", r->model.limit, "blocks_sm",
                                        r->model.occupancy.blocks, "occupancy",
                                        r->model.occupancy.part, "occupancy_limit",
                                        r->model.occupancy.limit));
    return costs;
}

static void print_costs(const struct running *r)
{
    const struct ks_counts *c = &r->counts;
    double insts = 0;
    for (int i = 0; i < KS_CLASSES; i++)
        insts += c->warp_insts[i];
    printf("%.0f warp instructions, %.1f of 32 lanes on:", insts, ks_counts_lanes(c));
    for (int i = 0; i < KS_CLASSES; i++)
        if (c->warp_insts[i] > 0)
            printf(" %s %.0f%%", ks_class_name((enum ks_class)i), 100 * c->warp_insts[i] / insts);
    printf("\n");
    if (c->global_requests > 0)
        printf("global memory: %.0f requests, %.1f bytes each; %.0f sectors read beyond L1, %.0f "
               "written, %.0f of them in part\n", c->global_requests,
               c->global_bytes / c->global_requests, c->read_sectors, c->write_sectors,
               c->partial_sectors);
    if (c->shared_requests > 0)
        printf("shared memory: %.0f requests, %.0f wavefronts, %.0f of them for bank conflicts\n",
               c->shared_requests, c->shared_wavefronts, c->shared_conflicts);
    if (c->atomic_lanes > 0)
        printf("atomics: %.0f, %.0f of them on an address that their warp hits twice\n",
               c->atomic_lanes, c->atomic_collisions);
    if (c->divergent_branches > 0)
        printf("branches: %.0f, divergent %.0f\n", c->branches, c->divergent_branches);
    if (r->gpu.name != NULL)
        printf("modelled for %s: %.1f us, limited by %s; %d blocks an SM (%.0f%% of its threads), "
               "limited by %s\n", r->gpu.name, r->model.us, r->model.limit,
               r->model.occupancy.blocks, 100 * r->model.occupancy.part, r->model.occupancy.limit);
    const struct ks_emu_line *at;
    size_t n = ks_emu_device_lines(&r->device, &at);
    for (size_t i = 0; i < n && i < MOST_LINES; i++)
        printf("  %s:%u: %llu warp instructions, %llu sectors in %llu requests, %llu shared wavefronts "
               "(%llu for conflicts)\n", at[i].file != NULL ? ks_path_base(at[i].file) : "PTX",
               at[i].line, (unsigned long long)at[i].insts, (unsigned long long)at[i].sectors,
               (unsigned long long)at[i].requests, (unsigned long long)at[i].shared,
               (unsigned long long)at[i].conflicts);
}

static void report(const struct running *r)
{
    const struct ks_emu_findings *all = ks_emu_device_findings(&r->device);
    const struct ks_problem *p = &r->problem;
    uint64_t executed = ks_emu_device_executed(&r->device);
    if (r->context->json) {
        json_t *out = ks_json_report("ks.run");
        json_object_set_new(out, "kernel", json_string(verb_kernel_name(r->kernel)));
        json_object_set_new(out, "device", json_string("emu"));
        json_object_set_new(out, "workload", json_string(p->name));
        json_object_set_new(out, "instructions", json_integer((json_int_t)executed));
        json_object_set_new(out, "accesses",
                            json_integer((json_int_t)ks_emu_device_accesses(&r->device)));
        json_object_set_new(out, "seconds", json_real(r->seconds));
        json_object_set_new(out, "cpu_seconds", json_real(r->cpu_seconds));
        json_object_set_new(out, "several_cores", json_boolean(ks_emu_device_shared_out(&r->device)));
        json_object_set_new(out, "buffer_bytes", json_integer(ks_problem_bytes(p)));
        json_object_set_new(out, "peak_bytes", json_integer(peak_bytes()));
        json_object_set_new(out, "findings", findings_json(all));
        json_object_set_new(out, "recorded", run_recorded_json(&r->recorded));
        json_object_set_new(out, "costs", costs_json(r));
        ks_json_print(out);
        return;
    }
    printf("%s on %s: %lld x %lld x %lld blocks, %llu thread instructions in %.2f s, %zu finding%s\n",
           verb_kernel_name(r->kernel), p->name, (long long)p->grid[0], (long long)p->grid[1],
           (long long)p->grid[2], (unsigned long long)executed, r->seconds, all->n,
           all->n == 1 ? "" : "s");
    for (size_t i = 0; i < r->others.len; i++)
        printf("%s%s%s", i == 0 ? "  not run: " : ", ", r->others.at[i],
               i + 1 == r->others.len ? "; FILE.cu:KERNEL chooses one\n" : "");
    for (size_t i = 0; i < all->n; i++) {
        char text[1024];
        ks_finding_text(&all->list[i], text, sizeof text);
        printf("  %s\n", text);
    }
    run_recorded_print(&r->recorded);
    if (r->costs)
        print_costs(r);
}

static enum ks_status run_workload(struct running *r, const char *kernel, int64_t workload,
                                   const struct ks_strv *sizes, const char *gpu, int *exit_code,
                                   struct ks_err *err)
{
    struct ks_arena *arena = r->context->arena;
    struct ks_value *values;
    KS_TRY(verb_read_sizes(arena, sizes, &values, err));
    KS_TRY(find_kernel(r, kernel, err));
    const struct ks_mark *mark = r->kernel->mark->mark;
    if (mark->n_workloads == 0)
        KS_FAIL(err, KS_E_USER, "%s:%d: the kernel has no workload to be run with; add a `ks workload` "
                "line (docs/marks.md)", mark->file, mark->line);
    if (workload < 1 || (size_t)workload > mark->n_workloads)
        KS_FAIL(err, KS_E_USER, "%s:%d: the mark has %zu workload%s, not a number %lld",
                mark->file, mark->line, mark->n_workloads, mark->n_workloads == 1 ? "" : "s",
                (long long)workload);
    KS_TRY(verb_check_sizes(arena, mark, (size_t)workload - 1, values, sizes->len, err));
    KS_TRY(ks_problem_make(arena, mark, (size_t)workload - 1, r->kernel->signature,
                           r->kernel->mark->decl, values, sizes->len, &r->problem, err));
    KS_TRY(make_step(r, err));
    struct ks_dev_plan plan = {&r->step, 1};
    double begin = ks_now(), cpu = cpu_now();
    enum ks_status status = r->device.run(r->device.self, &plan, NULL, err);
    r->seconds = ks_now() - begin;
    r->cpu_seconds = cpu_now() - cpu;
    if (status != KS_OK && ks_emu_device_findings(&r->device)->n == 0)
        return status;
    if (r->costs)
        KS_TRY(take_costs(r, gpu, err));
    if (status == KS_OK)
        KS_TRY(run_recorded_compare(arena, &r->device, &r->problem, &r->layout, r->buffers, &r->recorded, err));
    report(r);
    *exit_code = status == KS_OK ? EXIT_OK : status == KS_E_UNSUPPORTED ? EXIT_FAULT : EXIT_NEGATIVE;
    return KS_OK;
}

int verb_run(struct ks_verb_context *context)
{
    const char *device = "emu", *seed = "0", *workload = "1", *strict = NULL, *gpu = NULL, *cores = NULL;
    const char *no_costs = NULL, *no_races = NULL;
    struct ks_strv sizes = {0};
    const struct verb_option options[] = {
        {.name = "--device=", .value = &device}, {.name = "--seed=", .value = &seed},
        {.name = "--workload=", .value = &workload}, {.name = "--set=", .values = &sizes},
        {.name = "--strict-races", .value = &strict}, {.name = "--gpu=", .value = &gpu},
        {.name = "--no-costs", .value = &no_costs}, {.name = "--no-races", .value = &no_races},
        {.name = "--cores=", .value = &cores}};
    const struct verb_syntax syntax = {
        .expects = "give one FILE.cu or FILE.cu:KERNEL, then -- and nvcc's options",
        .options = options, .n_options = 9, .least = 1, .most = 1, .nvcc = true};
    struct verb_words words;
    struct running r = {.context = context};
    struct ks_err err = {0};
    const char *file, *kernel;
    int64_t seed_value, workload_value, n_cores = 0;
    int exit_code = verb_read_words(context, &syntax, &words);
    if (exit_code != EXIT_OK)
        return exit_code;
    if (strcmp(device, "emu") != 0)
        return verb_usage(context, "runs on the emulated device alone: --device emu");
    if (!ks_parse_i64(seed, &seed_value) || !ks_parse_i64(workload, &workload_value))
        return verb_usage(context, "--seed and --workload take a number");
    if (cores != NULL && (!ks_parse_i64(cores, &n_cores) || n_cores < 1 || n_cores > 1024))
        return verb_usage(context, "--cores takes a number from 1 on");
    verb_split_target(context->arena, words.targets.at[0], &file, &kernel);
    enum ks_status status = verb_tu_open(context, file,
                                         compile_words(context->arena, words.nvcc), &r.tu, &err);
    if (status == KS_OK)
        status = ks_device_open("emu", &r.device, &err);
    if (status == KS_OK) {
        struct ks_emu_settings *settings = ks_emu_device_settings(&r.device);
        settings->seed = (uint64_t)seed_value;
        settings->vary = false;
        settings->strict_races = strict != NULL;
        settings->races = no_races == NULL;
        settings->cores = cores != NULL ? (uint32_t)n_cores : settings->cores;
        settings->print = context->json ? stderr : stdout;
        settings->count = r.costs = no_costs == NULL;
        status = run_workload(&r, kernel, workload_value, &sizes, gpu, &exit_code, &err);
        r.device.close(r.device.self);
    }
    verb_tu_close(&r.tu);
    return status == KS_OK ? exit_code : verb_fail(context, &err);
}
