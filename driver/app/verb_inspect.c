// ks inspect: which kernels a binary has variants of, and what stands behind them.
#include <stdio.h>
#include <string.h>

#include "app/verb_inspect.h"
#include "fmt/json.h"
#include "os/file.h"

// --- signatures ---

struct search {
    struct ks_verb_context *context;
    struct inspect_row *row;
};

static bool is_known(const struct ks_tier *tier, const char *signer)
{
    for (size_t i = 0; i < tier->n_keys; i++) {
        char id[17];
        ks_key_id_text(tier->keys[i].id, id);
        if (strcmp(id, signer) == 0)
            return true;
    }
    return false;
}

// A trusted copy in any tier is enough.
static void look_at(void *data, const struct ks_tier *tier, const struct ks_digest *key,
                    const char *path)
{
    struct search *search = data;
    struct inspect_row *row = search->row;
    struct ks_arena *arena = search->context->arena;
    char hex[KS_HASH_TEXT];
    ks_digest_hex(key, hex);
    const char *base = ks_path_base(path), *id = row->word[WORD_VARIANT];
    if (strcmp(hex, row->word[WORD_KEY]) != 0 || !ks_starts_with(base, id) ||
        strcmp(base + strlen(id), ".yaml") != 0 || strcmp(row->signature, "trusted") == 0)
        return;
    struct ks_lookup lookup = {0};
    ks_store_read(arena, tier, &search->context->config, key, path, &lookup);
    const char *signer = ks_store_signer(arena, path);
    if (lookup.reason == KS_R_APPLIED || lookup.reason == KS_R_EVIDENCE_LEVEL) {
        row->signature = "trusted";
        row->signature_text = path;
    } else if (lookup.reason == KS_R_UNTRUSTED && signer != NULL && !is_known(tier, signer)) {
        row->signature = "unknown-key";
        row->signature_text = ks_arena_printf(arena, "%s is signed by %s", path, signer);
    } else {
        row->signature = "untrusted";
        row->signature_text = lookup.text != NULL ? lookup.text : path;
    }
}

enum ks_status inspect_signatures(struct ks_verb_context *context, const char *path,
                                  struct inspection *found, struct ks_err *err)
{
    struct ks_project project = {0};
    struct ks_store store;
    KS_TRY(ks_project_find(context->arena, &context->config, path, &project, err));
    if (project.root == NULL)
        KS_TRY(ks_project_find(context->arena, &context->config, ".", &project, err));
    ks_store_open(context->arena, &context->config, &project, &store);
    ks_vec_each(struct inspect_row, row, &found->rows) {
        struct search search = {context, row};
        row->signature = "absent";
        row->signature_text = "";
        KS_TRY(ks_store_each(context->arena, &store, look_at, &search, err));
    }
    return KS_OK;
}

// --- printing ---

static json_t *text_or_null(const char *text)
{
    return text != NULL ? json_string(text) : json_null();
}

static json_t *row_json(const struct inspect_row *row)
{
    json_t *o = json_object();
    for (int i = 0; i < N_WORDS; i++)
        if (i != WORD_SYMBOL)
            json_object_set_new(o, inspect_words[i], json_string(row->word[i]));
    json_object_set_new(o, "member", text_or_null(row->member));
    json_object_set_new(o, "unit", text_or_null(row->unit));
    json_object_set_new(o, "live", row->live == LIVE_UNKNOWN ? json_null()
                                                             : json_boolean(row->live == LIVE_YES));
    json_object_set_new(o, "signature", json_string(row->signature));
    json_object_set_new(o, "signature_text", json_string(row->signature_text));
    return o;
}

static void print_json(const char *path, const struct inspection *found)
{
    json_t *report = ks_json_report("ks.inspect"), *rows = json_array();
    ks_vec_each(struct inspect_row, row, &found->rows)
        json_array_append_new(rows, row_json(row));
    json_object_set_new(report, "file", json_string(path));
    json_object_set_new(report, "proved", json_boolean(found->proved));
    json_object_set_new(report, "stripped", json_boolean(found->stripped || found->headless));
    json_object_set_new(report, "kernels", rows);
    ks_json_print(report);
}

static void print_signature(const struct inspect_row *row)
{
    const char *signer = row->word[WORD_SIGNER], *text = row->signature_text;
    if (strcmp(row->signature, "trusted") == 0)
        printf("  signed by %s: trusted (%s)\n", signer, text);
    else if (strcmp(row->signature, "untrusted") == 0)
        printf("  signed by %s: untrusted now: %s\n", signer, text);
    else if (strcmp(row->signature, "unknown-key") == 0)
        printf("  signed by %s: unknown key now: %s; `trust:` in ks.yaml lists keys\n", signer, text);
    else
        printf("  signed by %s: not in the store here\n", signer);
}

static void print_row(const struct inspect_row *row)
{
    const char *const *w = row->word;
    const char *place = row->member != NULL ? row->member : row->unit;
    printf("%s, %s%s%s: variant %s, %sx, at least %sx on %s, %s\n", w[WORD_KERNEL], w[WORD_ARCH],
           place != NULL ? ", in " : "", place != NULL ? place : "", w[WORD_VARIANT],
           w[WORD_SPEEDUP], w[WORD_LOWER], w[WORD_DEVICE], w[WORD_EVIDENCE]);
    print_signature(row);
    printf("  key %s\n", w[WORD_KEY]);
}

static void print(const char *path, const struct inspection *found)
{
    bool unsure = false;
    ks_vec_each(struct inspect_row, row, &found->rows) {
        print_row(row);
        if (found->proved && row->live == LIVE_NO)
            printf("  the linker kept another unit's stub of this kernel: only launches that the "
                   "compiler inlined in %s ask this table\n",
                   row->unit != NULL ? row->unit : "this unit");
        unsure |= row->live == LIVE_UNKNOWN;
    }
    if (found->rows.len == 0)
        printf("no kernel was replaced in %s\n", path);
    else if (!found->proved)
        printf("cannot dispatch: hook or table are not in the file, so the originals run\n");
    if (found->proved && unsure)
        printf("%s: where several units hold one kernel, whose stub the linker kept cannot be told\n",
               found->stripped || found->headless ? "stripped" : "the symbols do not say");
}

int verb_inspect(struct ks_verb_context *context)
{
    static const struct verb_syntax syntax = {
        .expects = "give one object, library, archive or program", .least = 1, .most = 1};
    struct verb_words words;
    struct inspection found;
    struct ks_err err = {0};
    int exit_code = verb_read_words(context, &syntax, &words);
    if (exit_code != EXIT_OK)
        return exit_code;
    const char *path = words.targets.at[0];
    if (inspect_read(context->arena, path, &found, &err) != KS_OK ||
        inspect_signatures(context, path, &found, &err) != KS_OK)
        return verb_fail(context, &err);
    if (context->json)
        print_json(path, &found);
    else
        print(path, &found);
    return EXIT_OK;
}
