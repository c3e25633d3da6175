// ks verify FILE.cu[:KERNEL] [--variant P.yaml] [--device=NAME] [-- nvcc options], and --suite DIR.
#include <stdio.h>
#include <string.h>

#include "app/verb_attempt.h"
#include "app/verb_device.h"
#include "app/verb_sizes.h"
#include "app/verb_verify.h"
#include "os/file.h"
#include "os/proc.h"
#include "os/sandbox.h"

#define PROPOSAL_MAX (4u << 20)

enum ks_status verify_ask_device(struct verifying *v, struct ks_err *err)
{
    struct ks_err local = {0};
    bool none = strcmp(v->context->config.device, "none") == 0;
    enum ks_status status =
        none ? ks_err_set(&local, KS_E_DEVICE, "KS_DEVICE=none: no device is asked")
             : verb_device_choose(v->context, &v->device, &local);
    v->place = ks_worker_place_of(v->context->config.device);
    if (status == KS_OK)
        return KS_OK;
    if (status != KS_E_DEVICE)
        return ks_err_set(err, status, "%s", local.text);
    v->device = (struct ks_device_info){.kind = "none"};
    v->absent = ks_arena_strdup(v->context->arena, local.text);
    return KS_OK;
}

enum ks_status verify_ask_sandbox(struct verifying *v, struct ks_err *err)
{
    struct ks_err local = {0};
    char why[256];
    if (!v->sandbox)
        return KS_OK;
    if (!ks_sandbox_supported(why)) {
        v->refused = ks_arena_strdup(v->context->arena, why);
        return KS_OK;
    }
    enum ks_status status = v->absent == NULL ? verb_device_confine(v->context, &local) : KS_OK;
    if (status == KS_E_INTERRUPTED)
        return ks_err_set(err, status, "%s", local.text);
    if (status != KS_OK)
        v->refused = ks_arena_printf(v->context->arena, "the device cannot be used in a sandbox: %s",
                                     local.text);
    return KS_OK;
}

const char *const *verify_words(const struct verifying *v)
{
    static const char *const no_device[] = {"-arch=sm_90", NULL};
    if (v->absent != NULL)
        return no_device;
    const char **words = KS_NEW_ARRAY(v->context->arena, const char *, 2);
    words[0] = ks_arena_printf(v->context->arena, "-arch=sm_%d", v->device.arch);
    return words;
}

enum ks_status verify_read_proposal(struct ks_arena *arena, const char *path,
                                    struct ks_proposal *proposal, struct ks_err *err)
{
    struct ks_slice text;
    struct ks_err local = {0};
    if (ks_file_read(arena, path, PROPOSAL_MAX, &text, &local) != KS_OK)
        KS_FAIL(err, KS_E_USER, "%s", local.text);
    return ks_variant_read_proposal(arena, path, text, proposal, err);
}

enum ks_status verify_find_proposal(struct ks_verb_context *context, const char *name,
                                    struct ks_proposal **proposal, struct ks_err *err)
{
    if (!ks_file_exists(name) && name[strspn(name, "0123456789abcdef")] == '\0')
        return verb_attempt_find(context, name, proposal, err);
    *proposal = KS_NEW(context->arena, struct ks_proposal);
    return verify_read_proposal(context->arena, name, *proposal, err);
}

void verify_name_params(struct ks_arena *arena, const struct ks_tu_kernel *kernel,
                        struct ks_proposal *proposal)
{
    const struct ks_kernel_decl *decl = kernel->mark->decl;
    if (proposal->n_params > 0)
        return;
    proposal->params = KS_NEW_ARRAY(arena, const char *, decl->n_params);
    for (size_t i = 0; i < decl->n_params; i++)
        proposal->params[i] = decl->params[i].name;
    proposal->n_params = decl->n_params;
}

enum ks_status verify_open(const struct verifying *v, const struct verb_tu *tu,
                           const struct ks_tu_kernel *kernel, const struct verify_rules *rules,
                           struct ks_judge **judge, const char **finding, struct ks_err *err)
{
    struct ks_arena *arena = v->context->arena;
    struct ks_err local = {0};
    bool fault = false;
    const struct ks_judge_options options = {
        .device = v->place.device, .launcher = v->place.launcher, .run_timeout = 60,
        .max_shapes = 24, .work_dir = tu->dir, .shadow_root = ks_path_join(arena, tu->dir, "shadow"),
        .devices_dir = ks_path_join(arena, v->context->config.share_dir, "devices"),
        .seed = v->draw, .sandbox = rules->sandbox, .untimed = rules->untimed, .off = rules->off};
    *judge = NULL;
    *finding = NULL;
    if (v->absent != NULL)
        return ks_judge_open_gates(arena, &tu->tu, kernel, &tu->plain, &options, judge, err);
    enum ks_status status =
        ks_judge_open(arena, &tu->tu, kernel, &tu->plain, &options, judge, &fault, &local);
    if (!fault)
        return status == KS_OK ? KS_OK : ks_err_set(err, status, "%s", local.text);
    ks_judge_close(*judge);
    *judge = NULL;
    *finding = ks_arena_strdup(arena, local.text);
    return KS_OK;
}

enum ks_status verify_judge(const struct verifying *v, struct ks_judge *judge,
                            const struct ks_tu_kernel *kernel, struct ks_proposal *proposal,
                            struct ks_verdict *verdict, struct ks_err *err)
{
    verify_name_params(v->context->arena, kernel, proposal);
    proposal->foreign |= v->sandbox; // a file's, that nobody vouches for
    if (v->absent != NULL)
        return ks_judge_gates(judge, proposal, verdict, err);
    KS_TRY(ks_judge_full(judge, proposal, verdict, err));
    if (verdict->correctness == KS_C_CORRECT && verdict->geomean > 1 &&
        (verdict->speed == KS_S_FASTER || verdict->speed == KS_S_AMBIGUOUS))
        KS_TRY(ks_judge_confirm(judge, proposal, verdict, err));
    return KS_OK;
}

const char *verify_refusal(const struct verifying *v)
{
    return ks_arena_printf(v->context->arena, "no-sandbox: %s; --no-sandbox judges it all the same, if you "
                           "know whose text it is", v->refused);
}

bool verify_undecided(const struct verifying *v, const struct ks_verdict *verdict)
{
    return v->absent != NULL && verdict->correctness == KS_C_VOID;
}

int verify_exit(const struct verifying *v, const struct ks_verdict *verdict)
{
    if (verify_undecided(v, verdict))
        return EXIT_FAULT;
    bool emulated = strcmp(v->device.kind, "emu") == 0;
    return verdict->correctness == KS_C_CORRECT && (emulated || verdict->speed == KS_S_FASTER)
               ? EXIT_OK : EXIT_NEGATIVE;
}

// What one run is asked for.
struct asked {
    const char *file, *kernel, *variant; // variant: a file or an id, or NULL for what is stored
    const char *const *words;
    struct ks_strv sizes;                // --set
};

static enum ks_status judge_one(struct verifying *v, struct ks_judge *judge,
                                const struct ks_tu_kernel *kernel, struct ks_proposal *proposal,
                                const char *id, const char *from, struct ks_err *err)
{
    struct ks_verdict verdict;
    KS_TRY(verify_judge(v, judge, kernel, proposal, &verdict, err));
    if (id == NULL)
        id = ks_proposal_id(v->context->arena, proposal);
    verify_report(v, kernel, id, from, &verdict);
    int exit_code = verify_exit(v, &verdict);
    v->exit_code = exit_code > v->exit_code ? exit_code : v->exit_code;
    return KS_OK;
}

// Nothing of this kernel can be judged: a row that says why.
static enum ks_status pass_over(struct verifying *v, const struct ks_tu_kernel *kernel,
                                enum ks_reason reason, const char *text)
{
    verify_report_none(v, kernel, reason, text != NULL ? text : "");
    v->exit_code = v->exit_code > EXIT_NEGATIVE ? v->exit_code : EXIT_NEGATIVE;
    return KS_OK;
}

static void leave_unmade(struct ks_verdict *verdict, const char *why)
{
    for (int kind = 0; kind < KS_CHECK_COUNT; kind++)
        verdict->checks.why[kind] = why;
}

static enum ks_status judge_all(struct verifying *v, const struct verb_tu *tu,
                                const struct ks_tu_kernel *kernel, struct ks_proposal *proposal,
                                const struct asked *asked, struct ks_err *err)
{
    struct ks_verb_context *context = v->context;
    struct ks_lookup lookup = {0};
    struct ks_judge *judge;
    const char *finding;
    // What the store holds is signed by a key that builds trust with as much.
    const struct verify_rules rules = {.sandbox = v->sandbox && proposal != NULL};
    if (proposal == NULL)
        ks_store_lookup(context->arena, &tu->store, &context->config, &kernel->key, &lookup);
    if (proposal == NULL && lookup.n_variants == 0)
        return pass_over(v, kernel, lookup.reason, lookup.text);
    if (rules.sandbox && v->refused != NULL) {
        struct ks_verdict verdict = {.correctness = KS_C_UNSUPPORTED, .speed = KS_S_NOT_MEASURED};
        snprintf(verdict.reason, sizeof verdict.reason, "%s", verify_refusal(v));
        leave_unmade(&verdict, "there is no sandbox for it");
        verify_report(v, kernel, ks_proposal_id(context->arena, proposal), asked->variant, &verdict);
        v->exit_code = EXIT_FAULT;
        return KS_OK;
    }
    KS_TRY(verify_open(v, tu, kernel, &rules, &judge, &finding, err));
    if (finding != NULL) {
        struct ks_verdict verdict = {.correctness = KS_C_BASELINE_FAULT,
                                     .speed = KS_S_NOT_MEASURED};
        snprintf(verdict.reason, sizeof verdict.reason, "%.500s", finding);
        leave_unmade(&verdict, "the original is at fault");
        verify_report(v, kernel, "", asked->variant != NULL ? asked->variant : "", &verdict);
        v->exit_code = v->exit_code > EXIT_NEGATIVE ? v->exit_code : EXIT_NEGATIVE;
        return KS_OK;
    }
    enum ks_status status = KS_OK;
    if (proposal != NULL)
        status = judge_one(v, judge, kernel, proposal, NULL, asked->variant, err);
    for (size_t i = 0; status == KS_OK && i < lookup.n_variants; i++)
        status = judge_one(v, judge, kernel, &lookup.variants[i].variant.proposal,
                           lookup.variants[i].variant.id, lookup.variants[i].path, err);
    ks_judge_close(judge);
    return status;
}

static enum ks_status judge_kernel(struct verifying *v, const struct verb_tu *tu,
                                   const struct ks_tu_kernel *kernel, struct ks_proposal *proposal,
                                   const struct asked *asked, struct ks_err *err)
{
    const struct ks_tu_kernel *resized;
    if (kernel->reason != KS_R_APPLIED)
        return pass_over(v, kernel, kernel->reason, kernel->reason_text);
    KS_TRY(verb_resize(v->context->arena, &asked->sizes, kernel, &resized, err));
    return judge_all(v, tu, resized, proposal, asked, err);
}

static enum ks_status verify_kernels(struct verifying *v, const struct verb_tu *tu,
                                     struct ks_proposal *proposal, const struct asked *asked,
                                     struct ks_err *err)
{
    struct ks_arena *arena = v->context->arena;
    size_t matched = 0;
    for (size_t i = 0; i < tu->tu.n_kernels; i++)
        matched += verb_kernel_is(arena, &tu->tu.kernels[i], asked->kernel);
    if (matched == 0)
        return verb_no_kernel(tu, asked->kernel, err);
    if (matched > 1 && proposal != NULL && asked->kernel == NULL)
        KS_FAIL(err, KS_E_USER, "%s: a proposal is for one kernel: say which, as FILE.cu:KERNEL",
                asked->file);
    for (size_t i = 0; i < tu->tu.n_kernels; i++)
        if (verb_kernel_is(arena, &tu->tu.kernels[i], asked->kernel))
            KS_TRY(judge_kernel(v, tu, &tu->tu.kernels[i], proposal, asked, err));
    return KS_OK;
}

static enum ks_status verify_file(struct verifying *v, const struct asked *asked, struct ks_err *err)
{
    struct ks_proposal *proposal = NULL;
    struct verb_tu tu;
    if (asked->variant != NULL)
        KS_TRY(verify_find_proposal(v->context, asked->variant, &proposal, err));
    enum ks_status status = verb_tu_open(v->context, asked->file,
                                         asked->words != NULL ? asked->words : verify_words(v), &tu,
                                         err);
    if (status == KS_OK)
        status = verify_kernels(v, &tu, proposal, asked, err);
    verb_tu_close(&tu);
    return status;
}

static int verify_files(struct verifying *v, const struct asked *asked)
{
    struct ks_err err = {0};
    v->rows = json_array();
    enum ks_status status = verify_file(v, asked, &err);
    if (status != KS_OK) {
        json_decref(v->rows);
        return verb_fail(v->context, &err);
    }
    if (!v->context->json) {
        json_decref(v->rows);
        return v->exit_code;
    }
    json_t *report = ks_json_report("ks.verify");
    json_object_set_new(report, "device", verify_device_json(v));
    json_object_set_new(report, "verdicts", v->rows);
    json_object_set_new(report, "exit", json_integer(v->exit_code));
    ks_json_print(report);
    return v->exit_code;
}

int verb_verify(struct ks_verb_context *context)
{
    const char *device = NULL, *suite = NULL, *only = NULL, *no_sandbox = NULL, *seed = NULL, *draw = NULL;
    int64_t seed_value, draw_value = 0;
    struct asked asked = {0};
    struct verifying v = {.context = context};
    const struct verb_option options[] = {{.name = "--variant=", .value = &asked.variant},
                                          {.name = "--device=", .value = &device},
                                          {.name = "--suite=", .value = &suite},
                                          {.name = "--only=", .value = &only},
                                          {.name = "--no-sandbox", .value = &no_sandbox},
                                          {.name = "--seed=", .value = &seed},
                                          {.name = "--draw=", .value = &draw},
                                          {.name = "--set=", .values = &asked.sizes}};
    const struct verb_syntax syntax = {
        .expects = "give one FILE.cu or FILE.cu:KERNEL, then -- and nvcc's options; or --suite DIR",
        .options = options, .n_options = 8, .least = 0, .most = 1, .nvcc = true};
    struct verb_words words;
    struct ks_err err = {0};
    int exit_code = verb_read_words(context, &syntax, &words);
    if (exit_code != EXIT_OK)
        return exit_code;
    if ((suite == NULL) == (words.targets.len == 0) || (suite != NULL && asked.variant != NULL))
        return verb_usage(context, "%s", syntax.expects);
    if (asked.sizes.len > 0 && suite != NULL)
        return verb_usage(context, "--set goes with a FILE.cu");
    if (seed != NULL && (suite != NULL || !ks_parse_i64(seed, &seed_value) || seed_value < 0))
        return verb_usage(context, "--seed takes the number of a schedule, and goes with a FILE.cu");
    if (draw != NULL && (!ks_parse_i64(draw, &draw_value) || draw_value < 1))
        return verb_usage(context, "--draw takes the number that a report names");
    if (only != NULL && suite == NULL)
        return verb_usage(context, "--only goes with --suite");
    exit_code = verb_device_option(context, device);
    if (exit_code != EXIT_OK)
        return exit_code;
    if (suite == NULL) {
        verb_split_target(context->arena, words.targets.at[0], &asked.file, &asked.kernel);
        asked.words = words.nvcc;
        if (!ks_file_exists(asked.file)) {
            ks_err_set(&err, KS_E_USER, "%s: no such file", asked.file);
            return verb_fail(context, &err);
        }
    }
    ks_stop_on_signals();
    v.draw = (uint64_t)draw_value;
    v.sandbox = no_sandbox == NULL && (suite != NULL || asked.variant != NULL);
    if (verify_ask_device(&v, &err) != KS_OK || verify_ask_sandbox(&v, &err) != KS_OK)
        return verb_fail(context, &err);
    if (seed != NULL && !verb_device_emulated(&v.device))
        return verb_usage(context, "--seed names a schedule of the emulated device: --device emu");
    if (seed != NULL)
        v.place.device = ks_arena_printf(context->arena, KS_DEVICE_EMU_SEED "%s", seed);
    return suite != NULL ? verify_suite(&v, suite, only) : verify_files(&v, &asked);
}
