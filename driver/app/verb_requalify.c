// ks requalify: stored variants, judged anew where the key has changed.
#include <stdio.h>
#include <string.h>

#include "app/verb_tune.h"
#include "os/clock.h"
#include "os/file.h"
#include "os/term.h"
#include "search/requalify.h"
#include "store/pending.h"

static json_t *tries_json(const struct ks_requalify_list *list)
{
    json_t *rows = json_array();
    ks_vec_each (struct ks_requalify_try, one, list) {
        char hex[KS_HASH_TEXT];
        const struct ks_verdict *v = &one->verdict;
        json_t *row = json_object();
        ks_digest_hex(&one->from->key, hex);
        json_object_set_new(row, "variant", json_string(one->from->id));
        json_object_set_new(row, "key", json_string(hex));
        json_object_set_new(row, "nvcc", json_string(one->from->evidence.nvcc));
        json_object_set_new(row, "claimed", json_real(one->from->geomean));
        json_object_set_new(row, "correctness", one->judged
                                ? json_string(ks_correctness_name(v->correctness)) : json_null());
        json_object_set_new(row, "speed",
                            one->judged ? json_string(ks_speed_name(v->speed)) : json_null());
        json_object_set_new(row, "text", json_string(one->judged ? v->reason : ""));
        json_array_append_new(rows, row);
    }
    return rows;
}

// What `tuning_report` does not know of.
static void complete_row(struct tuning *tuning, const struct ks_requalify_list *list, int judged,
                         int correct, double seconds)
{
    json_t *row = json_array_get(tuning->rows, json_array_size(tuning->rows) - 1);
    json_object_set_new(row, "proposed", json_integer((json_int_t)list->len));
    json_object_set_new(row, "judged", json_integer(judged));
    json_object_set_new(row, "correct", json_integer(correct));
    json_object_set_new(row, "seconds", json_real(seconds));
    json_object_set_new(row, "candidates", tries_json(list));
}

static const char *none_text(struct ks_arena *arena, const struct ks_requalify_list *list)
{
    struct ks_buf text = KS_BUF(4096);
    if (list->len == 0)
        return "no variant of it is stored under another key; `ks tune` searches for one";
    ks_buf_printf(&text, "none of %zu stored variants verifies as faster here; `ks tune` searches:",
                  list->len);
    ks_vec_each (struct ks_requalify_try, one, list)
        if (one->judged)
            ks_buf_printf(&text, "\nks:   %s: %s %s: %s", one->from->id,
                          ks_correctness_name(one->verdict.correctness),
                          ks_speed_name(one->verdict.speed), one->verdict.reason);
    const char *copy = ks_arena_strdup(arena, ks_buf_text(&text));
    ks_buf_free(&text);
    return copy;
}

static enum ks_status judge_all(struct tuning *tuning, struct verb_tu *tu,
                                const struct ks_tu_kernel *kernel, struct ks_requalify_list *list,
                                struct ks_tune_result *result, struct ks_err *err)
{
    struct ks_arena *arena = tuning->context->arena;
    const struct ks_config *config = &tuning->context->config;
    struct ks_judge *judge;
    KS_TRY(ks_requalify_find(arena, &tu->store, config, kernel, list, err));
    if (list->len == 0)
        return KS_OK;
    enum ks_status status = ks_settle_open(arena, &tu->tu, kernel, &tu->plain, config, tu->dir, false,
                                           &judge, &result->finding, err);
    if (status == KS_OK && result->finding == NULL)
        status = ks_requalify(arena, judge, config, &tu->store, kernel, list, &result->variant,
                              &result->path, err);
    ks_judge_close(judge);
    ks_progress_done();
    return status;
}

static void requalify_kernel(struct tuning *tuning, struct verb_tu *tu,
                             const struct ks_tu_kernel *kernel)
{
    struct ks_requalify_list list = {0};
    struct ks_tune_result result = {.end = KS_TUNE_FAILED};
    struct ks_err err = {0};
    double begun = ks_now();
    enum ks_status status = judge_all(tuning, tu, kernel, &list, &result, &err);
    ks_vec_each (struct ks_requalify_try, one, &list) {
        result.judged += one->judged;
        result.correct += one->judged && one->verdict.correctness == KS_C_CORRECT;
    }
    result.seconds = ks_now() - begun;
    if (status == KS_OK && result.path != NULL) {
        result.end = KS_TUNE_VARIANT;
        tuning_report(tuning, kernel, "variant", KS_R_COUNT, "", &result);
        ks_pending_remove(&tuning->context->config, &kernel->key);
    } else if (result.finding != NULL) {
        tuning_report(tuning, kernel, "baseline-fault", KS_R_COUNT, result.finding, NULL);
        tuning_worsen(tuning, EXIT_NEGATIVE);
    } else if (status == KS_OK) {
        tuning_report(tuning, kernel, "none", KS_R_COUNT,
                      none_text(tuning->context->arena, &list), NULL);
    } else if (status == KS_E_INTERRUPTED) {
        tuning_report(tuning, kernel, "interrupted", KS_R_COUNT, "interrupted; nothing was stored",
                      NULL);
        tuning_worsen(tuning, EXIT_INTERRUPTED);
    } else {
        tuning_report(tuning, kernel, "failed", KS_R_COUNT, err.text, NULL);
        tuning_worsen(tuning, status == KS_E_USER ? EXIT_USAGE : EXIT_FAULT);
    }
    complete_row(tuning, &list, result.judged, result.correct, result.seconds);
}

static int end(struct tuning *tuning)
{
    size_t i;
    json_t *row;
    json_array_foreach(tuning->rows, i, row)
        if (json_object_get(row, "candidates") == NULL)
            json_object_set_new(row, "candidates", json_array());
    return tuning_end(tuning, "ks.requalify");
}

int verb_requalify(struct ks_verb_context *context)
{
    const char *again = NULL;
    const struct verb_option options[] = {{.name = "--again", .value = &again}};
    const struct verb_syntax syntax = {
        .expects = "give one FILE.cu or FILE.cu:KERNEL, then -- and nvcc's options; or nothing",
        .options = options, .n_options = 1, .least = 0, .most = 1, .nvcc = true};
    struct tuning tuning = {.context = context, .decide = requalify_kernel};
    struct verb_words words;
    struct ks_err err = {0};
    const char *file, *kernel;
    int exit_code = verb_read_words(context, &syntax, &words);
    if (exit_code != EXIT_OK)
        return exit_code;
    tuning.again = again != NULL;
    if (words.targets.len == 0 && words.nvcc != NULL)
        return verb_usage(context, "nvcc's options go with a FILE.cu");
    if (words.targets.len == 0) {
        exit_code = tuning_pending(&tuning);
        return exit_code != EXIT_OK ? exit_code : end(&tuning);
    }
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
    if (tuning_file(&tuning, file, kernel, words.nvcc, &err) == KS_OK)
        return end(&tuning);
    json_decref(tuning.rows);
    ks_outcomes_close(tuning.outcomes);
    return verb_fail(context, &err);
}
