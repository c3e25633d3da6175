// ks bench FILE.cu[:KERNEL] [--variant A] [--variant B] [-- nvcc options], and ks bench -- PROGRAM.
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "app/verb_bench.h"
#include "app/verb_decision.h"
#include "app/verb_device.h"
#include "app/verb_verify.h"
#include "base/num.h"
#include "os/file.h"
#include "os/proc.h"

const char *bench_shown(double lower, double upper)
{
    if (!(lower > 0) || !isfinite(upper))
        return "too-few";
    return lower > 1 ? "faster" : upper < 1 ? "slower" : "no-difference";
}

json_t *bench_bound(double bound)
{
    return bound > 0 && isfinite(bound) ? json_real(bound) : json_null();
}

// One arm: what the words call it, and whose text it is.
struct arm {
    const char *name;             // as reported: "original", a file, a variant's id
    struct ks_proposal *proposal; // NULL: the original
    bool foreign;                 // from a file
};

static bool is_file(const char *name)
{
    return ks_ends_with(name, ".yaml") || strchr(name, '/') != NULL;
}

static enum ks_status find_arm(struct ks_verb_context *context, const char *name,
                               const struct ks_tu_kernel *kernel, const struct ks_lookup *lookup,
                               struct arm *arm, struct ks_err *err)
{
    struct ks_arena *arena = context->arena;
    *arm = (struct arm){.name = name};
    if (name != NULL && strcmp(name, "original") == 0)
        return KS_OK;
    if (name != NULL && is_file(name)) {
        arm->foreign = true;
        arm->proposal = KS_NEW(arena, struct ks_proposal);
        KS_TRY(verify_read_proposal(arena, name, arm->proposal, err));
        verify_name_params(arena, kernel, arm->proposal);
        return KS_OK;
    }
    for (size_t i = 0; i < lookup->n_variants; i++) {
        struct ks_variant *variant = &lookup->variants[i].variant;
        if (name != NULL && (strlen(name) < KS_VERB_PREFIX || !ks_starts_with(variant->id, name)))
            continue;
        arm->name = variant->id;
        arm->proposal = &variant->proposal;
        return KS_OK;
    }
    if (name == NULL)
        KS_FAIL(err, KS_E_ABSENT, "no variant of %s is stored; name a proposal with --variant, or see `ks "
                "explain`", verb_kernel_name(kernel));
    KS_FAIL(err, KS_E_USER, "no variant `%s` of %s is stored; `ks list` has their ids, a proposal's file ends "
            "in .yaml, and `original` is the original", name, verb_kernel_name(kernel));
}

static const char *arm_name(const struct arm *arm)
{
    return arm->proposal == NULL ? "original" : arm->name;
}

static void print_timing(const struct ks_timing *t)
{
    const char *shown = bench_shown(t->lower, t->upper);
    printf("  %-24s %10.2f us %10.2f us  %6.3f (%.3f to %.3f), %d pairs, %s: %s\n", t->workload,
           t->original_us, t->variant_us, t->ratio, t->lower, t->upper, t->pairs, t->method,
           strcmp(shown, "no-difference") == 0 ? "no difference shown" : shown);
}

static json_t *timing_json(const struct ks_timing *t)
{
    return json_pack("{s:s,s:f,s:f,s:f,s:o,s:o,s:o,s:i,s:s,s:s}", "workload", t->workload, "a_us",
                     t->original_us, "b_us", t->variant_us, "ratio", t->ratio, "lower",
                     bench_bound(t->lower), "upper", bench_bound(t->upper), "warm",
                     t->warm > 0 ? json_real(t->warm) : json_null(), "pairs", t->pairs, "method", t->method, "shown",
                     bench_shown(t->lower, t->upper));
}

// Nothing measured is no answer; a finding about an arm is one, and it is no.
static int exit_of(const struct ks_verdict *verdict)
{
    if (verdict->correctness != KS_C_CORRECT)
        return EXIT_NEGATIVE;
    return verdict->speed == KS_S_VOID || verdict->evidence.n_timings == 0 ? EXIT_FAULT : EXIT_OK;
}

static int tell(const struct verifying *v, const struct ks_tu_kernel *kernel, const struct arm arms[2],
                const struct ks_verdict *verdict, int at_fault)
{
    const struct ks_evidence *e = &verdict->evidence;
    int exit_code = exit_of(verdict);
    bool correct = verdict->correctness == KS_C_CORRECT;
    const char *finding = correct && exit_code == EXIT_OK ? "" : verdict->reason;
    if (!v->context->json) {
        printf("%s sm_%d: %s against %s on %s\n", verb_kernel_name(kernel), kernel->arch,
               arm_name(&arms[0]), arm_name(&arms[1]), v->device.name);
        for (size_t i = 0; correct && i < e->n_timings; i++)
            print_timing(&e->timings[i]);
        if (!correct)
            printf("  %s is %s: %s\n", arm_name(&arms[at_fault]), ks_correctness_name(verdict->correctness),
                   verdict->reason);
        else if (exit_code != EXIT_OK)
            printf("  nothing can be said: %s\n", verdict->reason);
        return exit_code;
    }
    json_t *report = ks_json_report("ks.bench"), *rows = json_array();
    for (size_t i = 0; correct && i < e->n_timings; i++)
        json_array_append_new(rows, timing_json(&e->timings[i]));
    json_object_set_new(report, "device", verify_device_json(v));
    json_object_set_new(report, "kernel", json_string(verb_kernel_name(kernel)));
    json_object_set_new(report, "arch", json_sprintf("sm_%d", kernel->arch));
    json_object_set_new(report, "a", json_string(arm_name(&arms[0])));
    json_object_set_new(report, "b", json_string(arm_name(&arms[1])));
    json_object_set_new(report, "sandbox", json_string(verify_sandbox_name(v)));
    json_object_set_new(report, "correctness", json_string(ks_correctness_name(verdict->correctness)));
    json_object_set_new(report, "at_fault", correct ? json_null() : json_string(at_fault == 0 ? "a" : "b"));
    json_object_set_new(report, "reason", json_string(finding));
    json_object_set_new(report, "geomean", json_real(correct ? verdict->geomean : 0));
    json_object_set_new(report, "timings", rows);
    json_object_set_new(report, "exit", json_integer(exit_code));
    ks_json_print(report);
    return exit_code;
}

// The same times seen from the other arm.
static void turn_round(struct ks_verdict *verdict)
{
    struct ks_evidence *e = &verdict->evidence;
    if (verdict->geomean > 0)
        verdict->geomean = 1 / verdict->geomean;
    for (size_t i = 0; i < e->n_timings; i++) {
        struct ks_timing *t = &e->timings[i], seen = *t;
        t->original_us = seen.variant_us;
        t->variant_us = seen.original_us;
        t->ratio = seen.ratio > 0 ? 1 / seen.ratio : seen.ratio;
        t->lower = isfinite(seen.upper) && seen.upper > 0 ? 1 / seen.upper : 0; // 0 and infinite: too few pairs
        t->upper = seen.lower > 0 ? 1 / seen.lower : INFINITY;
        t->warm = seen.warm > 0 ? 1 / seen.warm : 0;
    }
}

static enum ks_status bench_kernel(struct verifying *v, const struct verb_tu *tu,
                                   const struct ks_tu_kernel *kernel, const struct ks_strv *names,
                                   int *exit_code, struct ks_err *err)
{
    struct ks_lookup lookup = {0};
    struct arm arms[2];
    struct ks_verdict verdict = {.correctness = KS_C_BASELINE_FAULT};
    struct ks_judge *judge;
    const char *finding;
    int at_fault = 0;
    ks_store_lookup(v->context->arena, &tu->store, &v->context->config, &kernel->key, &lookup);
    const char *first = names->len == 2 ? names->at[0] : "original";
    const char *second = names->len == 0 ? NULL : names->at[names->len - 1];
    KS_TRY(find_arm(v->context, first, kernel, &lookup, &arms[0], err));
    KS_TRY(find_arm(v->context, second, kernel, &lookup, &arms[1], err));
    if (arms[0].proposal == NULL && arms[1].proposal == NULL)
        KS_FAIL(err, KS_E_USER, "give at least one variant beside the original");
    const int b = arms[1].proposal != NULL; // the judge's, which is a proposal
    v->sandbox = v->sandbox && (arms[0].foreign || arms[1].foreign);
    KS_TRY(verify_ask_sandbox(v, err));
    if (v->refused != NULL)
        KS_FAIL(err, KS_E_UNSUPPORTED, "%s", verify_refusal(v));
    for (int i = 0; i < 2; i++)
        if (arms[i].proposal != NULL)
            arms[i].proposal->foreign |= arms[i].foreign && v->sandbox;
    const struct verify_rules rules = {.sandbox = v->sandbox};
    KS_TRY(verify_open(v, tu, kernel, &rules, &judge, &finding, err));
    enum ks_status status = KS_OK;
    if (finding != NULL)
        snprintf(verdict.reason, sizeof verdict.reason, "%.500s", finding);
    else
        status = ks_judge_compare(judge, arms[!b].proposal, arms[b].proposal, false, &verdict, &at_fault, err);
    ks_judge_close(judge);
    KS_TRY(status);
    if (b == 0) {
        turn_round(&verdict);
        at_fault = !at_fault;
    }
    *exit_code = tell(v, kernel, arms, &verdict, at_fault);
    return KS_OK;
}

static enum ks_status bench_file(struct verifying *v, const char *target, const char *const *words,
                                 const struct ks_strv *names, int *exit_code, struct ks_err *err)
{
    const char *file, *name;
    const struct ks_tu_kernel *kernel = NULL;
    struct verb_tu tu;
    verb_split_target(v->context->arena, target, &file, &name);
    if (!ks_file_exists(file))
        KS_FAIL(err, KS_E_USER, "%s: no such file", file);
    enum ks_status asked = verb_device_ask(v->context, &v->device, err);
    if (asked == KS_E_DEVICE || (asked == KS_OK && verb_device_emulated(&v->device)))
        KS_TRY(verb_tu_fault(v->context, file, name, words, err)); // what can be mended here comes first
    KS_TRY(asked);
    if (verb_device_emulated(&v->device))
        KS_FAIL(err, KS_E_DEVICE, "the emulated device has no clock: times can only be taken on a GPU");
    v->place = ks_worker_place_of(v->context->config.device);
    enum ks_status status =
        verb_tu_open(v->context, file, words != NULL ? words : verify_words(v), &tu, err);
    for (size_t i = 0; status == KS_OK && i < tu.tu.n_kernels; i++) {
        const struct ks_tu_kernel *k = &tu.tu.kernels[i];
        if (!verb_kernel_is(v->context->arena, k, name))
            continue;
        if (kernel != NULL)
            status = ks_err_set(err, KS_E_USER, "%s: several kernels are marked: say which, as "
                                "FILE.cu:KERNEL", file);
        kernel = k;
    }
    if (status == KS_OK && kernel == NULL)
        status = verb_no_kernel(&tu, name, err);
    if (status == KS_OK && kernel->reason != KS_R_APPLIED)
        status = ks_err_set(err, KS_E_USER, "%s: %s", verb_kernel_name(kernel),
                            ks_reason_text(kernel->reason));
    if (status == KS_OK)
        status = bench_kernel(v, &tu, kernel, names, exit_code, err);
    verb_tu_close(&tu);
    return status;
}

int verb_bench(struct ks_verb_context *context)
{
    struct ks_strv names = {0};
    const char *device = NULL, *runs_text = NULL, *no_sandbox = NULL;
    int64_t runs = BENCH_RUNS;
    const struct verb_option options[] = {{.name = "--variant=", .values = &names},
                                          {.name = "--device=", .value = &device},
                                          {.name = "--runs=", .value = &runs_text},
                                          {.name = "--no-sandbox", .value = &no_sandbox}};
    const struct verb_syntax syntax = {
        .expects = "give FILE.cu or FILE.cu:KERNEL, or -- and a program with its words",
        .options = options, .n_options = 4, .least = 0, .most = 1, .nvcc = true};
    struct verb_words words;
    int exit_code = verb_read_words(context, &syntax, &words);
    if (exit_code != EXIT_OK)
        return exit_code;
    bool program = words.targets.len == 0;
    if (program && (words.nvcc == NULL || words.nvcc[0] == NULL))
        return verb_usage(context, "%s", syntax.expects);
    if (program ? names.len > 0 || device != NULL || no_sandbox != NULL : runs_text != NULL)
        return verb_usage(context, "--runs goes with a program, the other options with FILE.cu");
    if (names.len > 2)
        return verb_usage(context, "two arms at most: --variant twice");
    if (runs_text != NULL && (!ks_parse_i64(runs_text, &runs) || runs < 1 || runs > BENCH_RUNS_MOST))
        return verb_usage(context, "--runs takes a number from 1 to %d", BENCH_RUNS_MOST);
    ks_stop_on_signals();
    if (program)
        return bench_program(context, words.nvcc, (int)runs);
    exit_code = verb_device_option(context, device);
    if (exit_code != EXIT_OK)
        return exit_code;
    struct verifying v = {.context = context, .sandbox = no_sandbox == NULL};
    struct ks_err err = {0};
    enum ks_status status = bench_file(&v, words.targets.at[0], words.nvcc, &names, &exit_code, &err);
    if (status == KS_E_ABSENT) { // nothing to bench is an answer
        fprintf(stderr, "ks bench: %s\n", err.text);
        return EXIT_NEGATIVE;
    }
    return status == KS_OK ? exit_code : verb_fail(context, &err);
}
