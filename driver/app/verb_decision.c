#include "app/verb_decision.h"

#include <string.h>
#include <unistd.h>

#include "os/file.h"
#include "store/pending.h"

#define ARCHS_AT_MOST 4

struct collecting {
    struct ks_verb_context *context;
    struct verb_decision_list *list;
};

// What only `accept` keeps from use is known by name all the same.
static void collect_modelled(struct collecting *to, const struct ks_tier *tier, const struct ks_digest *key,
                             struct verb_decision *d)
{
    struct ks_config config = to->context->config;
    struct ks_lookup lookup;
    config.accept = KS_ACCEPT_MODELLED;
    ks_store_read(to->context->arena, tier, &config, key, d->path, &lookup);
    if (lookup.reason != KS_R_APPLIED)
        return;
    d->kernel = lookup.variants[0].variant.kernel;
    d->arch = lookup.variants[0].variant.arch;
    d->id = lookup.variants[0].variant.id;
}

static void collect(void *data, const struct ks_tier *tier, const struct ks_digest *key,
                    const char *path)
{
    struct collecting *to = data;
    struct ks_arena *arena = to->context->arena;
    struct ks_lookup *lookup = KS_NEW(arena, struct ks_lookup);
    ks_store_read(arena, tier, &to->context->config, key, path, lookup);
    struct verb_decision *d = ks_vec_push(arena, to->list);
    *d = (struct verb_decision){.tier = tier, .path = path, .reason = lookup->reason,
                                .text = "", .kernel = "", .id = "", .behind = ""};
    ks_digest_hex(key, d->key);
    if (lookup->reason == KS_R_APPLIED) {
        d->found = &lookup->variants[0];
        d->kernel = d->found->variant.kernel;
        d->arch = d->found->variant.arch;
        d->id = d->found->variant.id;
    } else if (lookup->reason == KS_R_ORIGINAL_WINS) {
        d->original = &lookup->original;
        d->kernel = d->original->kernel;
        d->arch = d->original->arch;
    } else {
        d->text = lookup->text;
        if (d->reason == KS_R_EVIDENCE_LEVEL)
            collect_modelled(to, tier, key, d);
    }
}

static bool goes_before(const struct verb_decision *x, const struct verb_decision *y)
{
    return x->found != NULL && y->found != NULL && x->tier == y->tier && strcmp(x->key, y->key) == 0 &&
           ks_variant_before(&x->found->variant, &y->found->variant);
}

// Of several that go before one, the first, before which none goes.
static void set_behind(struct verb_decision_list *list)
{
    ks_vec_each(struct verb_decision, d, list)
        ks_vec_each(struct verb_decision, x, list) {
            bool first = goes_before(x, d);
            ks_vec_each(struct verb_decision, y, list) first = first && !goes_before(y, x);
            if (first)
                d->behind = x->id;
        }
}

enum ks_status verb_decisions_load(struct ks_verb_context *context, const char *from,
                                   struct verb_decision_list *list, struct ks_err *err)
{
    struct ks_project project = {0};
    struct ks_store *store = KS_NEW(context->arena, struct ks_store);
    KS_TRY(ks_project_find(context->arena, &context->config, from, &project, err));
    ks_store_open(context->arena, &context->config, &project, store);
    struct collecting to = {.context = context, .list = list};
    KS_TRY(ks_store_each(context->arena, store, collect, &to, err));
    set_behind(list);
    return KS_OK;
}

const char *verb_decision_status(const struct verb_decision *decision)
{
    return decision->found != NULL ? "variant" : decision->original != NULL ? "original"
                                                                            : "unusable";
}

bool verb_decision_unused(const struct verb_decision *decision)
{
    return decision->found == NULL && decision->original == NULL;
}

bool verb_decision_goes_by(struct ks_arena *arena, const struct verb_decision *d, const char *name)
{
    if (d->kernel[0] != '\0' && strcmp(ks_instance_normalise(arena, name), d->kernel) == 0)
        return true;
    return strlen(name) >= KS_VERB_PREFIX &&
           (ks_starts_with(d->key, name) || ks_starts_with(d->id, name));
}

const char *verb_tier_name(const struct ks_tier *tier)
{
    return tier->kind == KS_TIER_PROJECT ? "project" : tier->kind == KS_TIER_USER ? "user" : "shared";
}

static json_t *text_or_null(const char *text)
{
    return text != NULL && text[0] != '\0' ? json_string(text) : json_null();
}

json_t *verb_decision_json(const struct verb_decision *d)
{
    const struct ks_variant *v = d->found != NULL ? &d->found->variant : NULL;
    json_t *o = json_object();
    json_object_set_new(o, "kernel", text_or_null(d->kernel));
    json_object_set_new(o, "key", json_string(d->key));
    json_object_set_new(o, "arch", d->arch > 0 ? json_sprintf("sm_%d", d->arch) : json_null());
    json_object_set_new(o, "status", json_string(verb_decision_status(d)));
    json_object_set_new(o, "reason", json_string(ks_reason_name(d->reason)));
    json_object_set_new(o, "text", json_string(d->text));
    json_object_set_new(o, "tier", json_string(verb_tier_name(d->tier)));
    json_object_set_new(o, "path", json_string(d->path));
    json_object_set_new(o, "variant", text_or_null(d->id));
    json_object_set_new(o, "behind", text_or_null(d->behind));
    json_object_set_new(o, "speedup", v != NULL ? json_real(v->geomean) : json_null());
    json_object_set_new(o, "lower", v != NULL ? json_real(v->lower) : json_null());
    json_object_set_new(o, "evidence", v != NULL ? json_string(v->evidence.level) : json_null());
    json_object_set_new(o, "device", v != NULL             ? json_string(v->evidence.device)
                                     : d->original != NULL ? json_string(d->original->device)
                                                           : json_null());
    json_object_set_new(o, "signer", v != NULL ? json_string(d->found->signer) : json_null());
    return o;
}

static void add_arch(struct ks_arena *arena, struct ks_strv *words, int arch)
{
    const char *word = ks_arena_printf(arena, "-gencode=arch=compute_%d,code=sm_%d", arch, arch);
    bool new_word = arch > 0 && words->len < ARCHS_AT_MOST;
    for (size_t i = 0; i < words->len; i++)
        new_word &= strcmp(words->at[i], word) != 0;
    if (new_word)
        ks_strv_add(arena, words, word);
}

const char *const *verb_stored_archs(struct ks_verb_context *context, const char *from,
                                     const struct ks_tried_kernels *tried)
{
    struct verb_decision_list list = {0};
    struct ks_strv words = {0};
    if (verb_decisions_load(context, from, &list, NULL) != KS_OK)
        return NULL;
    ks_vec_each(struct verb_decision, d, &list) add_arch(context->arena, &words, d->arch);
    for (size_t i = 0; tried != NULL && i < tried->len; i++)
        add_arch(context->arena, &words, tried->at[i].arch);
    return words.len > 0 ? words.at : NULL;
}

const char *const *verb_known_words(struct ks_verb_context *context, const char **file,
                                    const char **how)
{
    struct ks_arena *arena = context->arena;
    struct ks_pending *items = NULL;
    size_t n = 0;
    const char *real = ks_path_real(arena, *file);
    if (real != NULL && context->config.cache_dir != NULL)
        ks_pending_list(arena, &context->config, &items, &n, NULL);
    for (size_t i = n; i-- > 0;) {
        const char *other = ks_path_real(arena, items[i].file);
        if (other == NULL || strcmp(other, real) != 0 || chdir(items[i].cwd) != 0)
            continue;
        const char *cwd = ks_path_real(arena, ".");
        *file = items[i].file;
        *how = ks_arena_printf(arena, "as the build in %s did", cwd != NULL ? cwd : items[i].cwd);
        return items[i].argv;
    }
    const char *const *archs = verb_stored_archs(context, *file, NULL);
    *how = archs != NULL ? "for the architectures that have decisions"
                         : "for nvcc's default architecture";
    return archs;
}

json_t *verb_timings_json(const struct ks_evidence *evidence)
{
    json_t *rows = json_array();
    for (size_t i = 0; i < evidence->n_timings; i++) {
        const struct ks_timing *t = &evidence->timings[i];
        json_array_append_new(rows, json_pack("{s:s,s:f,s:f,s:f,s:f,s:o,s:i,s:s}", "workload",
                                              t->workload, "original_us", t->original_us,
                                              "variant_us", t->variant_us, "ratio", t->ratio,
                                              "lower", t->lower, "warm", t->warm > 0 ? json_real(t->warm) : json_null(),
                                              "pairs", t->pairs, "method", t->method));
    }
    return rows;
}
