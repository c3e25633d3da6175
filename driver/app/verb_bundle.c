#include "app/verb_bundle.h"

#include <stdio.h>
#include <string.h>

#include "os/file.h"

const char *const verb_bundle_header[7] = {"kernel", "arch",    ">gain", "key",
                                           "variant", "signer", "result"};

void verb_bundle_row(struct ks_table *table, const struct ks_bundled *d,
                     const struct ks_lookup *lookup, const char *signer, const char *result)
{
    char hex[KS_HASH_TEXT];
    ks_digest_hex(&d->key, hex);
    const struct ks_variant *v = lookup->n_variants > 0 ? &lookup->variants[0].variant : NULL;
    bool original = lookup->reason == KS_R_ORIGINAL_WINS;
    ks_table_cell(table, "%s", v != NULL ? v->kernel : original ? lookup->original.kernel : "?");
    ks_table_cell(table, "sm_%d", v != NULL ? v->arch : original ? lookup->original.arch : 0);
    if (v != NULL)
        ks_table_cell(table, "%.2fx", v->geomean);
    else
        ks_table_cell(table, "-");
    ks_table_cell(table, "%.12s", hex);
    ks_table_cell(table, "%s", d->name);
    ks_table_cell(table, "%s", signer != NULL ? signer : "?");
    ks_table_cell(table, "%s", result != NULL ? result : "");
}

json_t *verb_bundle_json(const struct ks_bundled *d, const struct ks_lookup *lookup,
                         const char *signer, const char *result, const char *text)
{
    char hex[KS_HASH_TEXT];
    ks_digest_hex(&d->key, hex);
    const struct ks_variant *v = lookup->n_variants > 0 ? &lookup->variants[0].variant : NULL;
    const struct ks_original_decision *o =
        lookup->reason == KS_R_ORIGINAL_WINS ? &lookup->original : NULL;
    const char *kernel = v != NULL ? v->kernel : o != NULL ? o->kernel : NULL;
    int arch = v != NULL ? v->arch : o != NULL ? o->arch : 0;
    json_t *row = json_object();
    json_object_set_new(row, "kernel", kernel != NULL ? json_string(kernel) : json_null());
    json_object_set_new(row, "key", json_string(hex));
    json_object_set_new(row, "arch", arch > 0 ? json_sprintf("sm_%d", arch) : json_null());
    json_object_set_new(row, "decision", json_string(d->name));
    json_object_set_new(row, "speedup", v != NULL ? json_real(v->geomean) : json_null());
    json_object_set_new(row, "lower", v != NULL ? json_real(v->lower) : json_null());
    json_object_set_new(row, "signer", signer != NULL ? json_string(signer) : json_null());
    json_object_set_new(row, "result", result != NULL ? json_string(result) : json_null());
    json_object_set_new(row, "text", json_string(text != NULL ? text : ""));
    return row;
}

static void tell(struct verb_merge *merge, const struct ks_merge_item *items, size_t n)
{
    struct ks_table table;
    ks_table_begin(&table, merge->context->arena, verb_bundle_header, 7);
    for (size_t i = 0; i < n; i++) {
        const struct ks_merge_item *item = &items[i];
        const char *result = ks_merged_name(item->result);
        merge->written += ks_merged_written(item->result);
        merge->refused += item->result == KS_MERGED_UNTRUSTED || item->result == KS_MERGED_NEWER;
        if (merge->context->json)
            json_array_append_new(merge->rows, verb_bundle_json(item->from, &item->lookup,
                                                                item->signer, result, item->text));
        else
            verb_bundle_row(&table, item->from, &item->lookup, item->signer, result);
    }
    if (!merge->context->json && n > 0)
        ks_table_print(&table, stdout);
}

enum ks_status verb_merge(struct verb_merge *merge, const struct ks_bundled *decisions, size_t n,
                          struct ks_err *err)
{
    struct ks_arena *arena = merge->context->arena;
    struct ks_merge_item *items = KS_NEW_ARRAY(arena, struct ks_merge_item, n + 1);
    bool first = !ks_file_exists(merge->tier->index);
    KS_TRY(ks_store_merge(arena, &merge->context->config, merge->tier, decisions, n,
                          &merge->options, items, err));
    tell(merge, items, n);
    // What was compiled before this tier had an index depends on the others' alone.
    for (size_t i = 0; merge->store != NULL && first && i < merge->store->n_tiers; i++)
        if (merge->store->tiers[i].kind != KS_TIER_SHARED && ks_file_exists(merge->tier->index))
            ks_store_stir(&merge->store->tiers[i]);
    return KS_OK;
}
