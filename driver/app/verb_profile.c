// ks profile FILE.cu[:KERNEL]: what a kernel's time is spent on, and what `ks tune` would try.
#include <stdio.h>
#include <string.h>

#include "app/verb_device.h"
#include "app/verb_problems.h"
#include "app/verb_sizes.h"
#include "base/log.h"
#include "fmt/json.h"
#include "memory/library.h"
#include "os/file.h"
#include "os/proc.h"
#include "search/choose.h"

#define MOST_SKILLS 5 // that are printed

struct profiling {
    struct ks_verb_context *context;
    struct verb_tu tu;
    struct ks_device_info device;
    struct ks_strv sizes;
    int64_t workload; // 0: the heaviest
    bool lines;
    struct ks_skill_list skills;
    struct ks_outcomes *outcomes; // NULL: no memory
    json_t *rows;
    size_t profiled;
    int exit_code;
};

// ---- what is profiled

// The words of the compile: what ptxas says of resources, and lines, neither of which changes any
// code.
static const char *const *compile_words(const struct profiling *p, const char *const *given)
{
    struct ks_arena *arena = p->context->arena;
    struct ks_strv words = {0};
    if (given == NULL)
        ks_strv_add(arena, &words, ks_arena_printf(arena, "-arch=sm_%d", p->device.arch));
    for (; given != NULL && *given != NULL; given++)
        ks_strv_add(arena, &words, *given);
    ks_strv_add(arena, &words, "-lineinfo");
    ks_strv_add(arena, &words, "--resource-usage");
    return words.at;
}

// ---- report

static json_t *skill_json(const struct ks_ranked_skill *ranked)
{
    const struct ks_skill *s = ranked->skill;
    json_t *row =
        json_pack("{s:s,s:f,s:s}", "skill", s->id, "score", ranked->score, "why", ranked->why);
    json_object_set_new(row, "title", s->title != NULL ? json_string(s->title) : json_null());
    json_object_set_new(row, "action",
                        s->transform != NULL   ? json_sprintf("transform %s", s->transform)
                        : s->template_ != NULL ? json_sprintf("template %s", s->template_)
                                               : json_string("advice"));
    return row;
}

static json_t *new_row(const struct ks_tu_kernel *kernel, const char *status, const char *text)
{
    char hex[KS_HASH_TEXT];
    bool eligible = kernel->reason == KS_R_APPLIED;
    ks_digest_hex(&kernel->key, hex);
    json_t *row = json_pack("{s:s,s:s,s:i,s:s,s:s}", "kernel", verb_kernel_name(kernel), "file",
                            kernel->mark->file->path, "line", kernel->mark->decl->line, "status",
                            status, "text", text);
    json_object_set_new(row, "key", eligible ? json_string(hex) : json_null());
    json_object_set_new(row, "arch",
                        kernel->arch > 0 ? json_sprintf("sm_%d", kernel->arch) : json_null());
    json_object_set_new(row, "workload", json_null());
    json_object_set_new(row, "profile", json_null());
    json_object_set_new(row, "skills", json_array());
    return row;
}

// Where counts and text disagree, a line each.
static json_t *cross_check(struct ks_arena *arena, const struct ks_tu_kernel *kernel,
                           const struct ks_brief *brief, const struct ks_problem *problem,
                           const struct ks_profile *profile)
{
    struct ks_brief one = *brief;
    struct ks_line_count *counts = KS_NEW_ARRAY(arena, struct ks_line_count, profile->lines.len + 1);
    size_t n = 0;
    for (size_t i = 0; i < profile->lines.len; i++) {
        const struct ks_hot_line *line = &profile->lines.at[i];
        if (line->file && strcmp(ks_path_base(line->file), ks_path_base(kernel->mark->file->path)) == 0)
            counts[n++] = (struct ks_line_count){line->line, line->sectors, line->shared, line->conflict_pct};
    }
    struct ks_buf text = KS_BUF(4096);
    json_t *lines = json_array();
    one.problems = problem;
    one.n_problems = 1;
    (void)ks_engine_cross_check(arena, &one, &profile->facts, counts, n, &text);
    for (char *rest, *line = strtok_r(ks_arena_strdup(arena, ks_buf_text(&text)), "\n", &rest); line != NULL;
         line = strtok_r(NULL, "\n", &rest))
        json_array_append_new(lines, json_string(line));
    ks_buf_free(&text);
    return lines;
}

static void print_page(const struct ks_tu_kernel *kernel, const struct ks_problem *problem,
                       const struct ks_profile *profile, const json_t *disagree,
                       const struct ks_ranked_skill *ranked, size_t n)
{
    struct ks_buf page = KS_BUF(64u << 10);
    ks_profile_print(&page, profile);
    printf("%s (%s:%d), sm_%d, on %s\n%s", verb_kernel_name(kernel), kernel->mark->file->path,
           kernel->mark->decl->line, kernel->arch, problem->name, ks_buf_text(&page));
    ks_buf_free(&page);
    for (size_t i = 0; i < json_array_size(disagree); i++)
        printf("  %s\n", json_string_value(json_array_get(disagree, i)));
    printf("  skills: what `ks tune` would try, best first; %s\n",
           strcmp(profile->method, "range profiler") != 0 ? "by text and launch alone"
                                                          : "by these counters, text and launch");
    for (size_t i = 0; i < n && i < MOST_SKILLS; i++)
        printf("    %4.2f  %s: %s\n          %s\n", ranked[i].score, ranked[i].skill->id,
               ranked[i].skill->title != NULL ? ranked[i].skill->title : "", ranked[i].why);
    if (n > MOST_SKILLS)
        printf("    and %zu more (--json; `ks skills show ID` explains one)\n", n - MOST_SKILLS);
    if (n == 0)
        printf("    none applies\n");
}

static void not_profiled(struct profiling *p, const struct ks_tu_kernel *kernel, const char *status,
                         const char *text, int exit_code)
{
    fprintf(stderr, "ks profile: %s: %s\n", verb_kernel_name(kernel), text);
    json_array_append_new(p->rows, new_row(kernel, status, text));
    if (exit_code > p->exit_code)
        p->exit_code = exit_code;
}

// ---- one kernel

static enum ks_status profile_one(struct profiling *p, const struct ks_tu_kernel *kernel,
                                  bool *fault, struct ks_err *err)
{
    struct ks_arena *arena = p->context->arena;
    struct ks_problem *problems = NULL;
    struct ks_profile profile;
    struct ks_brief brief;
    struct ks_ranked_skill *ranked;
    size_t at = 0;
    KS_TRY(verb_problems(arena, kernel, p->workload, &problems, &at, err));
    const struct ks_profile_ask ask = {.config = &p->context->config,
                                       .tu = &p->tu.tu,
                                       .plain = &p->tu.plain,
                                       .kernel = kernel,
                                       .problem = &problems[at],
                                       .lines = p->lines};
    KS_TRY(ks_profile_run(arena, &ask, &profile, fault, err));
    enum ks_status status = ks_choose_brief(
        arena, &p->tu.tu, kernel, problems, kernel->mark->mark->n_workloads, &p->device, &brief, err);
    if (status != KS_OK) {
        json_decref(profile.json);
        return status;
    }
    size_t n =
        ks_choose_skills(arena, &p->skills, &brief, &profile,
                         verb_device_emulated(&p->device) ? NULL : p->outcomes, // which speaks of measured speed
                         kernel->arch, &ranked);
    json_t *row = new_row(kernel, "profiled", ""), *skills = json_array();
    for (size_t i = 0; i < n; i++)
        json_array_append_new(skills, skill_json(&ranked[i]));
    json_object_set_new(row, "workload", json_string(problems[at].name));
    json_object_set_new(row, "profile", profile.json);
    json_object_set_new(row, "skills", skills);
    json_t *disagree = cross_check(arena, kernel, &brief, &problems[at], &profile);
    json_object_set_new(row, "text_disagrees", disagree);
    json_array_append_new(p->rows, row);
    if (!p->context->json)
        print_page(kernel, &problems[at], &profile, disagree, ranked, n);
    p->profiled++;
    return KS_OK;
}

static void profile_kernel(struct profiling *p, const struct ks_tu_kernel *kernel)
{
    struct ks_arena *arena = p->context->arena;
    const struct ks_tu_kernel *resized = kernel;
    struct ks_err err = {0};
    bool fault = false;
    if (kernel->ptx == NULL || kernel->signature == NULL) {
        const char *detail = kernel->reason_text == NULL ? "" : kernel->reason_text;
        not_profiled(p, kernel, "ineligible",
                     ks_arena_printf(arena, "%s%s%s", ks_reason_text(kernel->reason),
                                     detail[0] != '\0' ? ": " : "", detail),
                     EXIT_OK);
        return;
    }
    if (!verb_device_emulated(&p->device) && kernel->arch != p->device.arch) {
        not_profiled(p, kernel, "other-arch",
                     ks_arena_printf(
                         arena, "built for sm_%d, the GPU here (%s) is sm_%d: give -- -arch=sm_%d",
                         kernel->arch, p->device.name, p->device.arch, p->device.arch),
                     EXIT_OK);
        return;
    }
    enum ks_status status = verb_resize(arena, &p->sizes, kernel, &resized, &err);
    if (status == KS_OK)
        status = profile_one(p, resized, &fault, &err);
    if (status == KS_E_INTERRUPTED)
        not_profiled(p, kernel, "interrupted", "interrupted", EXIT_INTERRUPTED);
    else if (status != KS_OK)
        not_profiled(p, kernel, fault ? "baseline-fault" : "failed", err.text,
                     fault                 ? EXIT_NEGATIVE
                     : status == KS_E_USER ? EXIT_USAGE
                                           : EXIT_FAULT);
}

// ---- the verb

static void open_memory(struct profiling *p)
{
    struct ks_err err = {0};
    if (ks_outcomes_look(&p->context->config, &p->outcomes, &err) != KS_OK)
        ks_warn("%s; skills are ranked without memory", err.text);
}

static enum ks_status profile_file(struct profiling *p, const char *file, const char *kernel,
                                   const char *const *words, struct ks_err *err)
{
    struct ks_verb_context *context = p->context;
    size_t matched = 0;
    struct ks_library library;
    open_memory(p);
    KS_TRY(ks_library_load(context->arena, &context->config, p->outcomes, false, &library, err));
    p->skills = library.skills;
    KS_TRY(verb_tu_open(context, file, compile_words(p, words), &p->tu, err));
    for (size_t i = 0; i < p->tu.tu.n_kernels && !ks_stop_requested(); i++)
        if (verb_kernel_is(context->arena, &p->tu.tu.kernels[i], kernel)) {
            matched++;
            profile_kernel(p, &p->tu.tu.kernels[i]);
        }
    return matched > 0 || ks_stop_requested() ? KS_OK : verb_no_kernel(&p->tu, kernel, err);
}

static json_t *device_json(const struct ks_device_info *device)
{
    return json_pack("{s:s,s:s,s:s}", "kind", device->kind, "name", device->name, "driver",
                     device->driver);
}

static int end(struct profiling *p)
{
    if (ks_stop_requested())
        p->exit_code = EXIT_INTERRUPTED;
    else if (p->profiled == 0 && p->exit_code == EXIT_OK)
        p->exit_code = EXIT_NEGATIVE;
    if (!p->context->json) {
        json_decref(p->rows);
        return p->exit_code;
    }
    json_t *report = ks_json_report("ks.profile");
    json_object_set_new(report, "device", device_json(&p->device));
    json_object_set_new(report, "kernels", p->rows);
    json_object_set_new(report, "exit", json_integer(p->exit_code));
    ks_json_print(report);
    return p->exit_code;
}

int verb_profile(struct ks_verb_context *context)
{
    const char *workload = NULL, *device = NULL, *lines = NULL, *file, *kernel;
    struct profiling p = {.context = context};
    const struct verb_option options[] = {{.name = "--workload=", .value = &workload},
                                          {.name = "--device=", .value = &device},
                                          {.name = "--lines", .value = &lines},
                                          {.name = "--set=", .values = &p.sizes}};
    const struct verb_syntax syntax = {
        .expects = "give one FILE.cu or FILE.cu:KERNEL, then -- and nvcc's options",
        .options = options,
        .n_options = 4,
        .least = 1,
        .most = 1,
        .nvcc = true};
    struct verb_words words;
    struct ks_err err = {0};
    int exit_code = verb_read_words(context, &syntax, &words);
    if (exit_code == EXIT_OK)
        exit_code = verb_device_option(context, device);
    if (exit_code != EXIT_OK)
        return exit_code;
    if (workload != NULL && (!ks_parse_i64(workload, &p.workload) || p.workload < 1))
        return verb_usage(context, "--workload takes a number from 1 on");
    p.lines = lines != NULL;
    verb_split_target(context->arena, words.targets.at[0], &file, &kernel);
    if (!ks_file_exists(file)) {
        ks_err_set(&err, KS_E_USER, "%s: no such file", file);
        return verb_fail(context, &err);
    }
    ks_stop_on_signals();
    if (verb_device_choose(context, &p.device, &err) != KS_OK)
        return verb_fail(context, &err);
    p.rows = json_array();
    enum ks_status status = profile_file(&p, file, kernel, words.nvcc, &err);
    verb_tu_close(&p.tu);
    ks_outcomes_close(p.outcomes);
    if (status == KS_OK)
        return end(&p);
    json_decref(p.rows);
    return verb_fail(context, &err);
}
