// ks tune FILE.cu[:KERNEL] [-- nvcc options]; its parts serve `ks warm` too.
#include <stdio.h>
#include <string.h>

#include "app/verb_replay.h"
#include "app/verb_tune.h"
#include "base/log.h"
#include "cfg/trust.h"
#include "memory/library.h"
#include "os/file.h"
#include "os/offline.h"
#include "os/proc.h"
#include "store/blamed.h"
#include "store/collect.h"
#include "store/pending.h"
#include "store/ptx_text.h"

// Models, where they are configured. What they write runs in a sandbox or not at all.
static int open_agents(struct tuning *tuning)
{
    struct ks_verb_context *context = tuning->context;
    struct ks_err err = {0};
    if (tuning->decide != NULL || context->config.agent == NULL)
        return EXIT_OK;
    if (ks_agents_open(context->arena, &context->config, &tuning->agents, &err) != KS_OK)
        return verb_fail(context, &err);
    if (verb_device_confine(context, &err) == KS_OK)
        return EXIT_OK;
    ks_agents_close(tuning->agents);
    tuning->agents = NULL;
    ks_warn("no model is asked: what they write could not be judged in a sandbox: %s", err.text);
    return EXIT_OK;
}

// To show what would be asked nobody need be there to be asked.
static int open_prompts(struct tuning *tuning)
{
    struct ks_verb_context *context = tuning->context;
    struct ks_err err = {0};
    tuning->agents = KS_NEW(context->arena, struct ks_agents);
    if (ks_agents_prompts(context->arena, &context->config, tuning->agents, &err) != KS_OK)
        return verb_fail(context, &err);
    return EXIT_OK;
}

// Another process's lock is waited for here, once: what waits later waits in the time of a kernel. Readers never wait.
static void open_memory(struct tuning *tuning)
{
    struct ks_err err = {0};
    enum ks_status status = ks_outcomes_open(&tuning->context->config, &tuning->outcomes, &err);
    if (status == KS_OK)
        status = ks_outcomes_writable(tuning->outcomes, &err);
    if (status == KS_OK)
        return;
    ks_warn("%s; tuning without memory", err.text);
    ks_outcomes_close(tuning->outcomes);
    tuning->outcomes = NULL;
}

int tuning_begin(struct tuning *tuning)
{
    struct ks_verb_context *context = tuning->context;
    struct ks_secret_key secret;
    struct ks_err err = {0};
    if (context->config.readonly) {
        ks_err_set(&err, KS_E_USER, "the configuration is read-only (KS_READONLY): no decision "
                                    "could be stored; tune without it");
        return verb_fail(context, &err);
    }
    if (context->config.offline && ks_offline(&err) != KS_OK)
        return verb_fail(context, &err);
    ks_stop_on_signals();
    // A build that nobody asked to take modelled variants is not kept waiting for them.
    bool may_emulate = tuning->decide == NULL && tuning->target &&
                       (!tuning->in_build || context->config.accept == KS_ACCEPT_MODELLED);
    enum ks_status asked = may_emulate ? verb_device_choose(context, &tuning->device, &err)
                                       : verb_device_ask(context, &tuning->device, &err);
    if (asked != KS_OK) {
        struct ks_err fault = {0};
        if (err.status == KS_E_DEVICE && tuning->file != NULL &&
            verb_tu_fault(context, tuning->file, tuning->kernel, tuning->words, &fault) != KS_OK)
            return verb_fail(context, &fault);
        if (err.status == KS_E_DEVICE)
            ks_err_set(&err, KS_E_DEVICE, "no GPU to tune on: %s; tune on a machine that has one, or "
                                          "name a launcher in KS_DEVICE (\"ssh host\")",
                       ks_arena_strdup(context->arena, err.text));
        return verb_fail(context, &err);
    }
    if (ks_user_key(&context->config, true, &secret, &err) != KS_OK)
        return verb_fail(context, &err);
    open_memory(tuning);
    tuning->rows = json_array();
    return tuning->print_prompt ? open_prompts(tuning) : open_agents(tuning);
}

// Skills of the user that have lost by what this run added.
static void retire_losers(struct tuning *tuning)
{
    struct ks_strv ids = {0};
    struct ks_err err = {0};
    if (tuning->outcomes == NULL)
        return;
    if (ks_skills_retire_losers(tuning->context->arena, tuning->outcomes, &ids, &err) != KS_OK)
        ks_warn("%s", err.text);
    for (size_t i = 0; i < ids.len; i++)
        ks_warn("the skill %s is retired: `ks skills show %s` says why", ids.at[i], ids.at[i]);
}

int tuning_end(struct tuning *tuning, const char *schema)
{
    struct ks_err err = {0};
    retire_losers(tuning);
    if (tuning->outcomes != NULL && ks_outcomes_trim(tuning->outcomes, &err) != KS_OK)
        ks_warn("%s", err.text);
    ks_agents_close(tuning->agents);
    ks_outcomes_close(tuning->outcomes);
    ks_collect_if_full(&tuning->context->config);
    if (ks_stop_requested())
        tuning->exit_code = EXIT_INTERRUPTED;
    if (!tuning->context->json) {
        json_decref(tuning->rows);
        return tuning->exit_code;
    }
    json_t *report = ks_json_report(schema);
    json_object_set_new(report, "kernels", tuning->rows);
    json_object_set_new(report, "exit", json_integer(tuning->exit_code));
    ks_json_print(report);
    return tuning->exit_code;
}

static bool wanted(const struct tuning *tuning, const struct ks_tu_kernel *kernel, const char *name)
{
    char hex[KS_HASH_TEXT];
    ks_digest_hex(&kernel->key, hex);
    bool by_key = tuning->keys.len == 0;
    for (size_t i = 0; i < tuning->keys.len; i++)
        by_key |= kernel->reason == KS_R_APPLIED && strcmp(tuning->keys.at[i], hex) == 0;
    return by_key && verb_kernel_is(tuning->context->arena, kernel, name);
}

// Its share of one for all, or --budget, the mark, option or variable, the project, the built-in value: the first that speaks.
static double budget_of(const struct tuning *tuning, const struct ks_project *project,
                        const struct ks_tu_kernel *kernel)
{
    struct ks_config config = tuning->context->config;
    double marked = kernel->mark->mark->budget_seconds;
    ks_project_apply(project, &config);
    if (tuning->slice > 0)
        return tuning->slice;
    return tuning->budget > 0 ? tuning->budget : marked > 0 ? marked : config.budget_seconds;
}

void tuning_worsen(struct tuning *tuning, int exit_code)
{
    if (exit_code > tuning->exit_code)
        tuning->exit_code = exit_code;
}

// Told, without a run: not eligible, decided before, or for another GPU than this one.
static bool settled(struct tuning *tuning, const struct verb_tu *tu,
                    const struct ks_tu_kernel *kernel)
{
    struct ks_verb_context *context = tuning->context;
    struct ks_lookup lookup;
    if (kernel->reason != KS_R_APPLIED) {
        const char *detail = kernel->reason_text == NULL ? "" : kernel->reason_text;
        tuning_report(tuning, kernel, "ineligible", kernel->reason,
                      ks_arena_printf(context->arena, "%s%s%s", ks_reason_text(kernel->reason),
                                      detail[0] != '\0' ? ": " : "", detail), NULL);
        return true;
    }
    // Modelled variants count as decisions on the emulated device alone: they never block measuring.
    struct ks_config config = context->config;
    bool emulated = verb_device_emulated(&tuning->device);
    config.accept = emulated ? KS_ACCEPT_MODELLED : KS_ACCEPT_MEASURED;
    ks_store_lookup(context->arena, &tu->store, &config, &kernel->key, &lookup);
    char hex[KS_HASH_TEXT];
    ks_digest_hex(&kernel->key, hex);
    if (!tuning->again && !ks_agents_fresh(tuning->agents, hex) &&
        (lookup.reason == KS_R_APPLIED || lookup.reason == KS_R_ORIGINAL_WINS)) {
        if (!emulated)
            ks_pending_remove(&context->config, &kernel->key);
        if (!tuning->in_build)
            tuning_report(tuning, kernel, "decided", lookup.reason,
                          ks_arena_printf(context->arena, "decided before (%s); --again decides anew",
                                          ks_reason_name(lookup.reason)), NULL);
        return true;
    }
    if (kernel->arch == tuning->device.arch || emulated) // which runs PTX of any
        return false;
    tuning_report(tuning, kernel, "other-arch", KS_R_COUNT,
                  ks_arena_printf(context->arena, "not tuned: the GPU here (%s) is sm_%d; tune on "
                                  "one of sm_%d, or give -- -arch=sm_%d", tuning->device.name,
                                  tuning->device.arch, kernel->arch, tuning->device.arch), NULL);
    return true;
}

static const char *status_of(enum ks_tune_end end)
{
    static const char *const names[] = {"variant", "stays", "original", "budget", "baseline-fault",
                                        "interrupted", "waiting", "prompt", "failed"};
    return names[end];
}

static const char *text_of(const struct ks_tune_result *result, const struct ks_err *err)
{
    switch (result->end) {
    case KS_TUNE_BASELINE_FAULT:
        return result->finding;
    case KS_TUNE_INTERRUPTED:
        return "interrupted; what was judged is remembered, run the same command to go on";
    case KS_TUNE_WAITING:
        return "answers are awaited; run the same command once they are there";
    case KS_TUNE_STAYS:
        return result->stays;
    case KS_TUNE_FAILED:
        return err->text;
    case KS_TUNE_ORIGINAL:
    case KS_TUNE_BUDGET:
        return result->unrun != NULL ? result->unrun : result->lost != NULL ? result->lost : "";
    default:
        return "";
    }
}

static int exit_of(const struct ks_tune_result *result, enum ks_status status)
{
    if (result->end == KS_TUNE_BASELINE_FAULT)
        return EXIT_NEGATIVE;
    if (result->end == KS_TUNE_INTERRUPTED)
        return EXIT_INTERRUPTED;
    return status == KS_OK ? EXIT_OK : status == KS_E_USER ? EXIT_USAGE : EXIT_FAULT;
}

static void tune_kernel(struct tuning *tuning, struct verb_tu *tu,
                        const struct ks_tu_kernel *kernel)
{
    struct ks_verb_context *context = tuning->context;
    struct ks_err err = {0};
    struct ks_tune_result result;
    struct ks_tune_options options = {
        .config = &context->config, .store = &tu->store, .outcomes = tuning->outcomes,
        .budget_seconds = budget_of(tuning, &tu->tu.project, kernel),
        .budget_tries = kernel->mark->mark->budget_tries, .again = tuning->again,
        .modelled = verb_device_emulated(&tuning->device), .work_dir = tu->dir,
        .agents = tuning->agents, .only_agents = tuning->only_agents,
        .print_prompt = tuning->print_prompt};
    enum ks_status status =
        ks_tune_kernel(context->arena, &tu->tu, kernel, &tu->plain, &options, &result, &err);
    tuning_keep_profile(tuning, kernel, &result);
    tuning_report(tuning, kernel, status_of(result.end), KS_R_COUNT, text_of(&result, &err),
                  &result);
    json_decref(result.profile.json);
    if (!options.modelled && (result.end == KS_TUNE_VARIANT || result.end == KS_TUNE_STAYS || result.end == KS_TUNE_ORIGINAL ||
                              (result.end == KS_TUNE_BUDGET && result.path != NULL))) // else it was never run
        ks_pending_remove(&context->config, &kernel->key);
    if (result.end == KS_TUNE_BASELINE_FAULT)
        ks_blamed_put(&context->config, &kernel->key, result.finding);
    else if (status == KS_OK && result.end != KS_TUNE_INTERRUPTED && result.unrun == NULL)
        ks_blamed_remove(&context->config, &kernel->key);
    tuning_worsen(tuning, exit_of(&result, status));
}

enum ks_status tuning_file(struct tuning *tuning, const char *file, const char *kernel,
                           const char *const *words, struct ks_err *err)
{
    struct ks_verb_context *context = tuning->context;
    struct verb_tu tu;
    size_t matched = 0;
    const char *own[] = {ks_arena_printf(context->arena, "-arch=sm_%d", tuning->device.arch), NULL};
    enum ks_status status = verb_tu_open_partly(context, file, words != NULL ? words : own, &tu, err);
    size_t n_todo = 0;
    const struct ks_tu_kernel **todo =
        KS_NEW_ARRAY(context->arena, const struct ks_tu_kernel *, status == KS_OK ? tu.tu.n_kernels + 1 : 1);
    for (size_t i = 0; status == KS_OK && i < tu.tu.n_kernels && !ks_stop_requested(); i++) {
        const struct ks_tu_kernel *k = &tu.tu.kernels[i];
        if (!wanted(tuning, k, kernel))
            continue;
        matched++;
        if (k->key_text != NULL)
            ks_ptx_text_keep(&context->config, &k->ptx->digest, k->ptx->canonical);
        if (!settled(tuning, &tu, k))
            todo[n_todo++] = k;
        if (tuning->shares == NULL && n_todo > 0)
            (tuning->decide != NULL ? tuning->decide : tune_kernel)(tuning, &tu, todo[--n_todo]);
    }
    if (n_todo > 0)
        tuning_by_shares(tuning, &tu, todo, n_todo, tune_kernel);
    if (status == KS_OK && matched == 0 && !ks_stop_requested())
        status = tuning->keys.len > 0
                     ? ks_err_set(err, KS_E_USER, "%s: no kernel has the key %.12s any more", file,
                                  tuning->keys.at[0])
                     : verb_no_kernel(&tu, kernel, err);
    if (status == KS_OK)
        tuning_worsen(tuning, verb_tell_mistakes(context, &tu));
    verb_tu_close(&tu);
    return status;
}

int verb_tune(struct ks_verb_context *context)
{
    const char *budget = NULL, *again = NULL, *in_build = NULL, *device = NULL, *agent = NULL;
    const char *shares = NULL;
    const char *no_engine = NULL, *print_prompt = NULL, *record = NULL, *offline = NULL;
    struct tuning tuning = {.context = context, .target = true};
    struct verb_replay replay = {0};
    const struct verb_option options[] = {{.name = "--replay=", .value = &replay.log},
                                          {.name = "--seed=", .value = &replay.seed},
                                          {.name = "--without=", .values = &replay.without},
                                          {.name = "--budget=", .value = &budget},
                                          {.name = "--shares=", .value = &shares},
                                          {.name = "--again", .value = &again},
                                          {.name = "--in-build", .value = &in_build},
                                          {.name = "--device=", .value = &device},
                                          {.name = "--key=", .values = &tuning.keys},
                                          {.name = "--agent=", .value = &agent},
                                          {.name = "--record=", .value = &record},
                                          {.name = "--offline", .value = &offline},
                                          {.name = "--no-engine", .value = &no_engine},
                                          {.name = "--print-prompt", .value = &print_prompt}};
    const struct verb_syntax syntax = {
        .expects = "give one FILE.cu or FILE.cu:KERNEL, then -- and nvcc's options",
        .options = options, .n_options = 14, .least = 0, .most = 1, .nvcc = true};
    struct verb_words words;
    struct ks_err err = {0};
    const char *file, *kernel;
    int exit_code = verb_read_words(context, &syntax, &words);
    if (exit_code == EXIT_OK)
        exit_code = verb_device_option(context, device);
    if (exit_code != EXIT_OK)
        return exit_code;
    if (replay.log != NULL) {
        replay.kernel = words.targets.len > 0 ? words.targets.at[0] : NULL;
        return verb_replay(context, &replay);
    }
    if (words.targets.len == 0 || replay.seed != NULL || replay.without.len > 0)
        return verb_usage(context, "%s", words.targets.len == 0
                                             ? syntax.expects
                                             : "--seed and --without are those of --replay=LOG");
    if (budget != NULL && !ks_seconds_parse(budget, &tuning.budget))
        return verb_usage(context, "--budget=%s is no time: 90, 90s or 5m", budget);
    if (agent != NULL)
        context->config.agent = strcmp(agent, "none") == 0 ? NULL : agent;
    context->config.offline |= offline != NULL;
    if (record != NULL)
        context->config.agent_record = record;
    tuning.only_agents = no_engine != NULL;
    tuning.print_prompt = print_prompt != NULL;
    if (tuning.only_agents && !tuning.print_prompt && context->config.agent == NULL)
        return verb_usage(context, "--no-engine leaves nobody to ask: give --agent=BACKEND");
    struct ks_recording recording;
    exit_code = tuning_shares_option(&tuning, shares, &recording);
    if (exit_code != EXIT_OK)
        return exit_code;
    tuning.again = again != NULL;
    tuning.in_build = in_build != NULL;
    verb_split_target(context->arena, words.targets.at[0], &file, &kernel);
    if (!ks_file_exists(file)) {
        ks_err_set(&err, KS_E_USER, "%s: no such file", file);
        return verb_fail(context, &err);
    }
    tuning.file = file;
    tuning.kernel = kernel;
    tuning.words = words.nvcc;
    exit_code = tuning_begin(&tuning);
    if (exit_code != EXIT_OK)
        return exit_code;
    if (tuning_file(&tuning, file, kernel, words.nvcc, &err) == KS_OK || ks_stop_requested())
        return tuning_end(&tuning, "ks.tune");
    json_decref(tuning.rows);
    ks_outcomes_close(tuning.outcomes);
    return verb_fail(context, &err);
}
