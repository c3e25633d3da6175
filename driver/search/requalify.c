#include "search/requalify.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/log.h"
#include "os/proc.h"
#include "os/term.h"
#include "search/incumbent.h"

// The lines of a key's text that must be the same for a variant to mean the same: what callers promise
// and for which machine. Compiler, options and the kernel's own code may differ.
static bool is_fixed(const char *line)
{
    return ks_starts_with(line, "contract: ") || ks_starts_with(line, "arch: ");
}

static const char *next_fixed(const char **text)
{
    while (**text != '\0') {
        const char *line = *text;
        *text += strcspn(line, "\n");
        *text += **text == '\n';
        if (is_fixed(line))
            return line;
    }
    return NULL;
}

static bool same_contract(const char *a, const char *b)
{
    for (;;) {
        const char *x = next_fixed(&a), *y = next_fixed(&b);
        if (x == NULL || y == NULL)
            return x == y;
        size_t n = strcspn(x, "\n");
        if (n != strcspn(y, "\n") || memcmp(x, y, n) != 0)
            return false;
    }
}

struct finding {
    struct ks_arena *arena;
    const struct ks_config *config;
    const struct ks_tu_kernel *kernel;
    struct ks_requalify_list *list;
};

static void look_at(void *context, const struct ks_tier *tier, const struct ks_digest *key,
                    const char *path)
{
    struct finding *f = context;
    struct ks_lookup lookup;
    if (ks_digest_eq(key, &f->kernel->key))
        return;
    ks_store_read(f->arena, tier, f->config, key, path, &lookup);
    if (lookup.reason != KS_R_APPLIED)
        return;
    const struct ks_variant *v = &lookup.variants[0].variant;
    if (v->arch != f->kernel->arch || strcmp(v->kernel, f->kernel->signature->instance) != 0 ||
        !same_contract(v->key_text, f->kernel->key_text))
        return;
    ks_vec_each (struct ks_requalify_try, known, f->list)
        if (strcmp(known->from->id, v->id) == 0) { // the same code: its best claim counts
            if (v->lower > known->from->lower)
                known->from = v;
            return;
        }
    *ks_vec_push(f->arena, f->list) = (struct ks_requalify_try){.from = v};
}

static int by_claim(const void *a, const void *b)
{
    const struct ks_variant *x = ((const struct ks_requalify_try *)a)->from;
    const struct ks_variant *y = ((const struct ks_requalify_try *)b)->from;
    if (x->lower != y->lower)
        return x->lower > y->lower ? -1 : 1;
    return strcmp(x->id, y->id);
}

enum ks_status ks_requalify_find(struct ks_arena *arena, const struct ks_store *store,
                                 const struct ks_config *config, const struct ks_tu_kernel *kernel,
                                 struct ks_requalify_list *list, struct ks_err *err)
{
    struct finding f = {arena, config, kernel, list};
    *list = (struct ks_requalify_list){0};
    KS_TRY(ks_store_each(arena, store, look_at, &f, err));
    if (list->len > 0)
        qsort(list->at, list->len, sizeof *list->at, by_claim);
    return KS_OK;
}

static enum ks_status judge_one(struct ks_arena *arena, struct ks_judge *judge,
                                const struct ks_tu_kernel *kernel, struct ks_requalify_try *one,
                                struct ks_proposal *proposal, struct ks_err *err)
{
    struct ks_verdict *verdict = &one->verdict;
    struct ks_err cause;
    *proposal = one->from->proposal;
    one->judged = true;
    if (ks_proposal_check(arena, proposal, kernel->signature, &cause) != KS_OK) {
        *verdict = (struct ks_verdict){.correctness = KS_C_STATIC, .speed = KS_S_NOT_MEASURED};
        snprintf(verdict->reason, sizeof verdict->reason, "%.500s", cause.text);
        return KS_OK;
    }
    KS_TRY(ks_judge_full(judge, proposal, verdict, err));
    if (verdict->correctness == KS_C_CORRECT && verdict->geomean > 1 &&
        (verdict->speed == KS_S_FASTER || verdict->speed == KS_S_AMBIGUOUS))
        KS_TRY(ks_judge_confirm(judge, proposal, verdict, err));
    return KS_OK;
}

enum ks_status ks_requalify(struct ks_arena *arena, struct ks_judge *judge,
                            const struct ks_config *config, const struct ks_store *store,
                            const struct ks_tu_kernel *kernel, struct ks_requalify_list *list,
                            struct ks_variant *variant, const char **path, struct ks_err *err)
{
    const char *name = kernel->signature->instance;
    *path = NULL;
    ks_vec_each (struct ks_requalify_try, one, list) {
        struct ks_proposal *proposal = KS_NEW(arena, struct ks_proposal);
        char hex[KS_HASH_TEXT];
        if (ks_stop_requested())
            return ks_err_set(err, KS_E_INTERRUPTED, "interrupted");
        ks_progress(name, "ks: %s: judging %s, %.2fx under its old key", name, one->from->id,
                    one->from->geomean);
        KS_TRY(judge_one(arena, judge, kernel, one, proposal, err));
        ks_info("%s: %s: %s %s %.3f %s", name, one->from->id,
                ks_correctness_name(one->verdict.correctness), ks_speed_name(one->verdict.speed),
                one->verdict.geomean, one->verdict.reason);
        if (one->verdict.correctness != KS_C_CORRECT || one->verdict.speed != KS_S_FASTER)
            continue;
        const struct ks_challenge challenge = {.config = config, .store = store, .kernel = kernel,
                                               .proposal = proposal, .verdict = &one->verdict,
                                               .workload = KS_ALL_CLASSES};
        struct ks_settlement standing;
        KS_TRY(ks_incumbent_meet(arena, judge, &challenge, &standing, err));
        if (!standing.stored) { // under the new key too there is one already (--again)
            one->verdict.speed = KS_S_NOT_FASTER;
            snprintf(one->verdict.reason, sizeof one->verdict.reason, "the stored variant %s stays: %.400s",
                     standing.stays->variant.id, ks_settlement_text(arena, &standing));
            continue;
        }
        ks_digest_hex(&one->from->key, hex);
        *variant = (struct ks_variant){
            .id = ks_proposal_id(arena, proposal), .proposal = *proposal, .proposer = one->from->proposer,
            .skills = one->from->skills, .n_skills = one->from->n_skills,
            .parent = ks_arena_printf(arena, "%s/%s", hex, one->from->id),
            .rationale = one->from->rationale, .against = standing.against, .n_against = standing.n_against};
        return ks_settle_variant(arena, config, store, kernel, &one->verdict, variant, path, err);
    }
    return KS_OK;
}
