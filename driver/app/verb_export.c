// ks export: decisions into one signed file, or into a folder that others share.
#include <stdio.h>
#include <string.h>

#include "app/verb_bundle.h"
#include "os/file.h"

struct exporting {
    struct ks_verb_context *context;
    const char *out, *to;
    bool of_project, of_user;
    struct ks_strv names;
    struct ks_store store;    // what is looked through
    struct ks_project project;
    struct ks_stored *all; size_t n_all;
    struct ks_stored **chosen; size_t n;
    struct ks_merge_options options;
};

static enum ks_status load(struct exporting *e, struct ks_err *err)
{
    struct ks_arena *arena = e->context->arena;
    const struct ks_config *config = &e->context->config;
    struct ks_store all;
    KS_TRY(ks_project_find(arena, config, ".", &e->project, err));
    if (e->of_project && e->project.root == NULL)
        KS_FAIL(err, KS_E_USER, "no project here; --project wants a folder with ks.yaml or .ks");
    ks_store_open(arena, config, &e->project, &all);
    e->store = (struct ks_store){.readonly = true};
    for (size_t i = 0; i < all.n_tiers; i++) {
        enum ks_tier_kind kind = all.tiers[i].kind;
        bool wanted = e->of_project ? kind == KS_TIER_PROJECT
                      : e->of_user  ? kind == KS_TIER_USER
                                    : kind != KS_TIER_SHARED;
        if (wanted)
            e->store.tiers[e->store.n_tiers++] = all.tiers[i];
    }
    // What is taken is what is usable anywhere: the receiver says what evidence it accepts.
    struct ks_config any = *config;
    any.accept = KS_ACCEPT_MODELLED;
    return ks_store_all(arena, &e->store, &any, &e->all, &e->n_all, err);
}

static bool goes_by(struct ks_arena *arena, const struct ks_stored *d, const char *name)
{
    char hex[KS_HASH_TEXT];
    ks_digest_hex(&d->bundled.key, hex);
    const char *kernel = d->lookup.n_variants > 0 ? d->lookup.variants[0].variant.kernel
                                                  : d->lookup.original.kernel;
    if (verb_instance_of(kernel, ks_instance_normalise(arena, name)))
        return true;
    return strlen(name) >= 4 && (ks_starts_with(hex, name) || ks_starts_with(d->bundled.name, name));
}

static enum ks_status choose(struct exporting *e, struct ks_err *err)
{
    e->chosen = KS_NEW_ARRAY(e->context->arena, struct ks_stored *, e->n_all + 1);
    for (size_t i = 0; i < e->n_all; i++) {
        bool wanted = e->names.len == 0;
        for (size_t k = 0; k < e->names.len && !wanted; k++)
            wanted = goes_by(e->context->arena, &e->all[i], e->names.at[k]);
        if (wanted)
            e->chosen[e->n++] = &e->all[i];
    }
    for (size_t k = 0; k < e->names.len; k++) {
        bool met = false;
        for (size_t i = 0; i < e->n && !met; i++)
            met = goes_by(e->context->arena, e->chosen[i], e->names.at[k]);
        if (!met)
            KS_FAIL(err, KS_E_USER, "no usable decision of a kernel, key or variant `%s`; `ks list` "
                    "shows what there is", e->names.at[k]);
    }
    return KS_OK;
}

static struct ks_bundled *bundled(const struct exporting *e)
{
    struct ks_bundled *list = KS_NEW_ARRAY(e->context->arena, struct ks_bundled, e->n + 1);
    for (size_t i = 0; i < e->n; i++)
        list[i] = e->chosen[i]->bundled;
    return list;
}

// The public keys of those whose signatures are in it, as far as they are known here.
static void add_signers(const struct exporting *e, struct ks_bundle *bundle)
{
    struct ks_trusted *trusted;
    size_t n = ks_trust_all(e->context->arena, &e->context->config, &e->project, &trusted);
    bundle->signers = KS_NEW_ARRAY(e->context->arena, struct ks_pubkey, n + 1);
    for (size_t i = 0; i < n; i++) {
        char id[17];
        bool signs = false;
        ks_key_id_text(trusted[i].key.id, id);
        for (size_t k = 0; k < e->n && !signs; k++)
            signs = e->chosen[k]->signer != NULL && strcmp(e->chosen[k]->signer, id) == 0;
        if (signs)
            bundle->signers[bundle->n_signers++] = trusted[i].key;
    }
}

static enum ks_status write_file(const struct exporting *e, const struct ks_secret_key *secret,
                                 size_t *bytes, struct ks_err *err)
{
    struct ks_bundle bundle = {.decisions = bundled(e), .n = e->n};
    struct ks_buf out = KS_BUF(KS_BUNDLE_LARGEST);
    add_signers(e, &bundle);
    enum ks_status status = ks_bundle_write(e->context->arena, &bundle, secret, &out, err);
    if (status == KS_OK)
        status = ks_file_write(e->out, out.data, out.len, true, 0, err);
    *bytes = out.len;
    ks_buf_free(&out);
    return status;
}

static void print_file(const struct exporting *e, size_t bytes, const char *exporter)
{
    struct ks_table table;
    ks_table_begin(&table, e->context->arena, verb_bundle_header, 6);
    for (size_t i = 0; i < e->n; i++) {
        const struct ks_stored *d = e->chosen[i];
        char hex[KS_HASH_TEXT];
        ks_digest_hex(&d->bundled.key, hex);
        bool variant = d->lookup.n_variants > 0;
        const struct ks_variant *v = variant ? &d->lookup.variants[0].variant : NULL;
        ks_table_cell(&table, "%s", variant ? v->kernel : d->lookup.original.kernel);
        ks_table_cell(&table, "sm_%d", variant ? v->arch : d->lookup.original.arch);
        if (variant)
            ks_table_cell(&table, "%.2fx", v->geomean);
        else
            ks_table_cell(&table, "-");
        ks_table_cell(&table, "%.12s", hex);
        ks_table_cell(&table, "%s", d->bundled.name);
        ks_table_cell(&table, "%s", d->signer != NULL ? d->signer : "?");
    }
    ks_table_print(&table, stdout);
    printf("%s: %zu decisions, %zu bytes, signed by %s\n", e->out, e->n, bytes, exporter);
}

static json_t *report_of(const struct exporting *e, const char *exporter, json_t *rows)
{
    json_t *report = ks_json_report("ks.export");
    json_object_set_new(report, "file", e->out != NULL ? json_string(e->out) : json_null());
    json_object_set_new(report, "dir", e->to != NULL ? json_string(e->to) : json_null());
    json_object_set_new(report, "exporter", exporter != NULL ? json_string(exporter) : json_null());
    json_object_set_new(report, "decisions", rows);
    return report;
}

static int export_file(struct exporting *e)
{
    struct ks_verb_context *context = e->context;
    struct ks_secret_key secret;
    struct ks_err err = {0};
    char exporter[17];
    size_t bytes = 0;
    if (ks_user_key(&context->config, true, &secret, &err) != KS_OK ||
        write_file(e, &secret, &bytes, &err) != KS_OK)
        return verb_fail(context, &err);
    ks_key_id_text(secret.id, exporter);
    if (!context->json) {
        print_file(e, bytes, exporter);
        return EXIT_OK;
    }
    json_t *rows = json_array();
    for (size_t i = 0; i < e->n; i++)
        json_array_append_new(rows, verb_bundle_json(&e->chosen[i]->bundled, &e->chosen[i]->lookup,
                                                     e->chosen[i]->signer, NULL, NULL));
    ks_json_print(report_of(e, exporter, rows));
    return EXIT_OK;
}

// Into the folder of a shared tier, by its rules: signed by keys that this user trusts for it.
static int export_folder(struct exporting *e)
{
    struct ks_verb_context *context = e->context;
    struct ks_arena *arena = context->arena;
    struct ks_err err = {0};
    struct ks_tier tier = {.kind = KS_TIER_SHARED, .dir = ks_path_absolute(arena, e->to)};
    tier.index = ks_path_join(arena, tier.dir, "index");
    ks_trust_user(arena, &context->config, &tier.keys, &tier.n_keys);
    struct verb_merge merge = {.context = context, .tier = &tier, .options = e->options,
                               .rows = json_array()};
    if (context->config.readonly) {
        ks_err_set(&err, KS_E_USER, "the configuration is read-only (KS_READONLY): no folder of "
                                    "decisions is written");
        return verb_fail(context, &err);
    }
    if (verb_merge(&merge, bundled(e), e->n, &err) != KS_OK)
        return verb_fail(context, &err);
    if (context->json)
        ks_json_print(report_of(e, NULL, merge.rows));
    else
        printf("%s: %zu of %zu decisions %s\n", tier.dir, merge.written, e->n,
               e->options.dry_run ? "would be written" : "written");
    if (merge.refused > 0 && !context->json)
        fprintf(stderr, "ks export: %zu are signed by keys that you trust in the project alone; `ks "
                        "trust add KEY --user` lets them into shared folders\n", merge.refused);
    return merge.refused > 0 ? EXIT_NEGATIVE : EXIT_OK;
}

int verb_export(struct ks_verb_context *context)
{
    struct exporting e = {.context = context};
    const char *of_project = NULL, *of_user = NULL, *dry = NULL, *replace = NULL, *steps = NULL, *said = NULL;
    const struct verb_option options[] = {
        {.name = "--out=", .value = &e.out},          {.name = "--to=", .value = &e.to},
        {.name = "--project", .value = &of_project},  {.name = "--user", .value = &of_user},
        {.name = "--dry-run", .value = &dry},         {.name = "--replace", .value = &replace},
        {.name = "--trajectories", .value = &steps},  {.name = "--transcript=", .value = &said}};
    const struct verb_syntax syntax = {
        .expects = "give --out=FILE or --to=DIR, then names of kernels, keys or variants, or none",
        .options = options, .n_options = 8, .most = 1000};
    struct verb_words words;
    struct ks_err err = {0};
    int exit_code = verb_read_words(context, &syntax, &words);
    if (exit_code != EXIT_OK)
        return exit_code;
    if ((e.out == NULL) == (e.to == NULL))
        return verb_usage(context, "%s", syntax.expects);
    if (steps != NULL)
        return e.out == NULL || words.targets.len > 0 || of_project != NULL || of_user != NULL || dry != NULL || replace != NULL
                   ? verb_usage(context, "--trajectories goes with --out=FILE and --transcript=FILE alone")
                   : verb_export_trajectories(context, e.out, said);
    if (said != NULL)
        return verb_usage(context, "--transcript=FILE goes with --trajectories");
    if (of_project != NULL && of_user != NULL)
        return verb_usage(context, "--project or --user, not both");
    if (e.out != NULL && (dry != NULL || replace != NULL))
        return verb_usage(context, "--dry-run and --replace go with --to=DIR");
    e.of_project = of_project != NULL;
    e.of_user = of_user != NULL && !e.of_project;
    e.names = words.targets;
    e.options = (struct ks_merge_options){.replace = replace != NULL, .dry_run = dry != NULL};
    if (load(&e, &err) != KS_OK || choose(&e, &err) != KS_OK)
        return verb_fail(context, &err);
    if (e.n == 0) {
        fprintf(stderr, "ks export: no usable decision here: nothing is written\n");
        if (context->json)
            ks_json_print(report_of(&e, NULL, json_array()));
        return EXIT_NEGATIVE;
    }
    return e.out != NULL ? export_file(&e) : export_folder(&e);
}
