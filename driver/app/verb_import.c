// ks import: what a signed file of decisions holds into the project's or the user's store.
#include <stdio.h>
#include <string.h>

#include "app/verb_bundle.h"
#include "os/file.h"
#include "store/collect.h"
#include "store/pending.h"

struct importing {
    struct ks_verb_context *context;
    const char *file;
    struct ks_project project;
    struct ks_store store;
    const struct ks_tier *tier;
    struct ks_bundle bundle;
    struct verb_merge merge;
};

// A wrong file is the user's to replace, and nothing of the machine's.
static int fail(const struct importing *i, const struct ks_err *err)
{
    int exit_code = verb_fail(i->context, err);
    return err->status == KS_E_FORMAT || err->status == KS_E_LIMIT || err->status == KS_E_TRUST ||
                   err->status == KS_E_UNSUPPORTED || err->status == KS_E_ABSENT
               ? EXIT_USAGE
               : exit_code;
}

static enum ks_status choose_tier(struct importing *i, bool of_project, bool of_user,
                                  struct ks_err *err)
{
    const struct ks_config *config = &i->context->config;
    KS_TRY(ks_project_find(i->context->arena, config, ".", &i->project, err));
    ks_store_open(i->context->arena, config, &i->project, &i->store);
    for (size_t k = 0; k < i->store.n_tiers && i->tier == NULL; k++) {
        enum ks_tier_kind kind = i->store.tiers[k].kind;
        if ((kind == KS_TIER_PROJECT && !of_user) || (kind == KS_TIER_USER && !of_project))
            i->tier = &i->store.tiers[k];
    }
    if (i->tier == NULL)
        KS_FAIL(err, KS_E_USER, of_project ? "no project here; --project wants a folder with ks.yaml or "
                                             ".ks"
                                           : "nowhere to store: no project and no usable home "
                                             "directory; set KS_CACHE_DIR");
    if (config->readonly && !i->merge.options.dry_run)
        KS_FAIL(err, KS_E_USER, "the configuration is read-only (KS_READONLY): nothing is imported");
    return KS_OK;
}

static enum ks_status read_bundle(struct importing *i, struct ks_err *err)
{
    struct ks_slice text;
    KS_TRY(ks_file_read(i->context->arena, i->file, KS_BUNDLE_LARGEST, &text, err));
    struct ks_err cause;
    enum ks_status status = ks_bundle_read(i->context->arena, text, &i->bundle, &cause);
    if (status != KS_OK)
        return ks_err_set(err, status, "%s: %s; nothing is imported", i->file, cause.text);
    return KS_OK;
}

static const char *place_option(const struct importing *i)
{
    return i->tier->kind == KS_TIER_PROJECT ? "--project" : "--user";
}

static const char *add_line(const struct importing *i, const struct ks_pubkey *key)
{
    char text[KS_PUBKEY_TEXT];
    ks_pubkey_text(key, text);
    return ks_arena_printf(i->context->arena, "ks trust add %s %s", text, place_option(i));
}

static bool trusts(const struct ks_tier *tier, const struct ks_pubkey *key)
{
    for (size_t i = 0; i < tier->n_keys; i++)
        if (memcmp(&tier->keys[i], key, sizeof *key) == 0)
            return true;
    return false;
}

// Who exported it vouches for what is in it and what is not: a stranger's word is worth nothing.
static enum ks_status check_exporter(const struct importing *i, struct ks_err *err)
{
    char id[17];
    if (trusts(i->tier, &i->bundle.exporter))
        return KS_OK;
    ks_key_id_text(i->bundle.exporter.id, id);
    KS_FAIL(err, KS_E_TRUST,
            "%s was exported by key %s, which is not trusted %s; nothing is imported. If it is who you "
            "think it is: `%s`", i->file, id,
            i->tier->kind == KS_TIER_PROJECT ? "in this project" : "by you",
            add_line(i, &i->bundle.exporter));
}

// The lines that would let the refused ones in, as far as the file names the keys.
static const char *const *lines_to_trust(const struct importing *i, size_t *n)
{
    struct ks_strv lines = {0};
    for (size_t k = 0; k < i->bundle.n_signers; k++)
        if (!trusts(i->tier, &i->bundle.signers[k]))
            ks_strv_add(i->context->arena, &lines, add_line(i, &i->bundle.signers[k]));
    *n = lines.len;
    return lines.at;
}

static void print(const struct importing *i)
{
    const struct verb_merge *m = &i->merge;
    size_t n;
    printf("%s: %zu of %zu decisions %s\n", i->tier->dir, m->written, i->bundle.n,
           m->options.dry_run ? "would be imported" : "imported");
    if (m->refused == 0)
        return;
    const char *const *lines = lines_to_trust(i, &n);
    fprintf(stderr, "ks import: %zu refused: their signer is not trusted, or they are of a newer "
                    "format\n", m->refused);
    for (size_t k = 0; k < n; k++)
        fprintf(stderr, "  if you trust it: %s\n", lines[k]);
}

static void print_json(const struct importing *i)
{
    char id[17];
    size_t n;
    const char *const *lines = lines_to_trust(i, &n);
    json_t *report = ks_json_report("ks.import"), *trust = json_array();
    ks_key_id_text(i->bundle.exporter.id, id);
    for (size_t k = 0; k < n && i->merge.refused > 0; k++)
        json_array_append_new(trust, json_string(lines[k]));
    json_object_set_new(report, "file", json_string(i->file));
    json_object_set_new(report, "dir", json_string(i->tier->dir));
    json_object_set_new(report, "dry_run", json_boolean(i->merge.options.dry_run));
    json_object_set_new(report, "exporter", json_string(id));
    json_object_set_new(report, "imported", json_integer((json_int_t)i->merge.written));
    json_object_set_new(report, "refused", json_integer((json_int_t)i->merge.refused));
    json_object_set_new(report, "trust", trust);
    json_object_set_new(report, "decisions", i->merge.rows);
    ks_json_print(report);
}

static void settle_pending(const struct importing *i)
{
    const struct ks_config *config = &i->context->config;
    for (size_t k = 0; k < i->bundle.n; k++) {
        struct ks_lookup lookup;
        ks_store_lookup(i->context->arena, &i->store, config, &i->bundle.decisions[k].key, &lookup);
        if (lookup.reason == KS_R_APPLIED || lookup.reason == KS_R_ORIGINAL_WINS)
            ks_pending_remove(config, &i->bundle.decisions[k].key);
    }
    ks_collect_if_full(config);
}

int verb_import(struct ks_verb_context *context)
{
    const char *of_project = NULL, *of_user = NULL, *dry = NULL, *replace = NULL;
    const struct verb_option options[] = {{.name = "--project", .value = &of_project},
                                          {.name = "--user", .value = &of_user},
                                          {.name = "--dry-run", .value = &dry},
                                          {.name = "--replace", .value = &replace}};
    const struct verb_syntax syntax = {.expects = "give one file that `ks export` made",
                                       .options = options, .n_options = 4, .least = 1, .most = 1};
    struct importing i = {.context = context};
    struct verb_words words;
    struct ks_err err = {0};
    int exit_code = verb_read_words(context, &syntax, &words);
    if (exit_code != EXIT_OK)
        return exit_code;
    if (of_project != NULL && of_user != NULL)
        return verb_usage(context, "--project or --user, not both");
    i.file = words.targets.at[0];
    i.merge = (struct verb_merge){.context = context, .store = &i.store, .rows = json_array(),
                                  .options = {.replace = replace != NULL, .dry_run = dry != NULL}};
    if (choose_tier(&i, of_project != NULL, of_user != NULL, &err) != KS_OK ||
        read_bundle(&i, &err) != KS_OK)
        return fail(&i, &err);
    if (check_exporter(&i, &err) != KS_OK) {
        verb_fail(context, &err);
        return EXIT_NEGATIVE;
    }
    i.merge.tier = i.tier;
    struct ks_err cause = {0};
    enum ks_status status = verb_merge(&i.merge, i.bundle.decisions, i.bundle.n, &cause);
    if (status != KS_OK) {
        ks_err_set(&err, status, "%s: %s%s", i.file, cause.text,
                   status == KS_E_FORMAT ? "; nothing is imported" : "");
        return fail(&i, &err);
    }
    context->json ? print_json(&i) : print(&i);
    if (!i.merge.options.dry_run)
        settle_pending(&i);
    return i.merge.refused > 0 ? EXIT_NEGATIVE : EXIT_OK;
}
