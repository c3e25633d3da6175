// ks skills distill: a skill of the user's from what won a kernel here.
#include <stdio.h>
#include <string.h>

#include "app/verb_decision.h"
#include "app/verb_device.h"
#include "app/verb_problems.h"
#include "app/verb_skills.h"
#include "fmt/json.h"
#include "os/file.h"
#include "search/choose.h"
#include "search/distill.h"

struct distilling {
    struct ks_verb_context *context;
    struct verb_tu tu;
    struct ks_outcomes *outcomes;
    struct ks_library library;
    struct ks_skill_standing standing;
    const char *text;
};

static enum ks_status of_kernel(struct distilling *d, const struct ks_tu_kernel *kernel, struct ks_err *err)
{
    struct ks_arena *arena = d->context->arena;
    struct ks_attempt *attempts;
    struct ks_problem *problems;
    struct ks_brief brief;
    size_t n, at;
    const char *id;
    char hex[KS_HASH_TEXT];
    if (kernel->ptx == NULL || kernel->signature == NULL)
        KS_FAIL(err, KS_E_USER, "%s: %s", verb_kernel_name(kernel), ks_reason_text(kernel->reason));
    ks_digest_hex(&kernel->key, hex);
    KS_TRY(ks_outcomes_for_key(arena, d->outcomes, hex, &attempts, &n, err));
    const struct ks_attempt *won = ks_distill_best(attempts, n);
    if (won == NULL)
        KS_FAIL(err, KS_E_ABSENT, "%s: nothing that was judged here is faster; `ks tune` looks for it",
                verb_kernel_name(kernel));
    KS_TRY(verb_problems(arena, kernel, 0, &problems, &at, err));
    KS_TRY(ks_choose_brief(arena, &d->tu.tu, kernel, problems, kernel->mark->mark->n_workloads, NULL, &brief, err));
    KS_TRY(ks_distill(arena, &d->library, &brief, won, &id, &d->text, err));
    return ks_library_add(arena, &d->context->config, d->outcomes, &d->library, ks_arena_printf(arena, "%s.yaml", id),
                          ks_slice_of(d->text), &d->standing, err);
}

static enum ks_status distill(struct distilling *d, const char *target, const char *const *words, struct ks_err *err)
{
    struct ks_verb_context *context = d->context;
    const char *file, *name, *how = NULL;
    const struct ks_tu_kernel *kernel = NULL;
    struct ks_device_info device;
    verb_split_target(context->arena, target, &file, &name);
    if (!ks_file_exists(file))
        KS_FAIL(err, KS_E_USER, "%s: no such file; distill takes FILE.cu:KERNEL", file);
    KS_TRY(ks_outcomes_open(&context->config, &d->outcomes, err));
    KS_TRY(ks_library_load(context->arena, &context->config, d->outcomes, true, &d->library, err));
    if (words == NULL && verb_device_ask(context, &device, NULL) == KS_OK) {
        const char **own = KS_NEW_ARRAY(context->arena, const char *, 2);
        own[0] = ks_arena_printf(context->arena, "-arch=sm_%d", device.arch);
        words = own;
    } else if (words == NULL) {
        words = verb_known_words(context, &file, &how);
    }
    KS_TRY(verb_tu_open(context, file, words, &d->tu, err));
    for (size_t i = 0; i < d->tu.tu.n_kernels; i++) {
        const struct ks_tu_kernel *k = &d->tu.tu.kernels[i];
        if (!verb_kernel_is(context->arena, k, name))
            continue;
        if (kernel != NULL)
            KS_FAIL(err, KS_E_USER, "%s: several kernels or instances; give FILE.cu:KERNEL of one", target);
        kernel = k;
    }
    return kernel != NULL ? of_kernel(d, kernel, err) : verb_no_kernel(&d->tu, name, err);
}

int verb_skills_distill(struct ks_verb_context *context, const struct verb_words *words)
{
    struct distilling d = {.context = context};
    struct ks_err err = {0};
    enum ks_status status = context->config.readonly
                                ? ks_err_set(&err, KS_E_USER, "the configuration is read-only (KS_READONLY): nothing is changed")
                                : distill(&d, words->targets.at[1], words->nvcc, &err);
    verb_tu_close(&d.tu);
    ks_outcomes_close(d.outcomes);
    if (status == KS_E_UNSUPPORTED || status == KS_E_ABSENT) { // an answer, not a fault
        fprintf(stderr, "ks skills: nothing to distill: %s\n", err.text);
        return EXIT_NEGATIVE;
    }
    if (status != KS_OK)
        return verb_fail(context, &err);
    if (context->json) {
        json_t *report = ks_json_report("ks.skill");
        json_object_set_new(report, "skill", json_string(d.standing.id));
        json_object_set_new(report, "standing", json_string(ks_standing_name(d.standing.standing)));
        json_object_set_new(report, "reason", json_string(d.standing.reason));
        ks_json_print(report);
        return EXIT_OK;
    }
    printf("%s%s: %s; `ks skills adopt %s FILE.cu:KERNEL ...` shows on three kernels whether it pays\n", d.text,
           d.standing.id, ks_standing_name(d.standing.standing), d.standing.id);
    return EXIT_OK;
}
