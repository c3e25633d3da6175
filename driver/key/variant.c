// Variant files and original.yaml: text and back. docs/variant.md describes them for reviewers.
#include "key/variant.h"

#include <math.h>
#include <string.h>

#include "key/number.h"

#define LARGEST_TEXT ((size_t)4 << 20) // what the YAML reader takes

static const char *const correctness_names[] = {"CORRECT", "STATIC", "COMPILE", "LAUNCH",
                                                "WRONG",   "UNSAFE", "NONDET",  "HANG",
                                                "UNSUPPORTED", "BASELINE_FAULT", "VOID"};
static const char *const speed_names[] = {"FASTER", "NOT_FASTER", "AMBIGUOUS",
                                          "VOID",   "MODELLED",   "NOT_MEASURED"};
#define COUNT(array) ((int)(sizeof(array) / sizeof *(array)))

const char *ks_correctness_name(enum ks_correctness value)
{
    return (unsigned)value < COUNT(correctness_names) ? correctness_names[value] : "?";
}

const char *ks_speed_name(enum ks_speed value)
{
    return (unsigned)value < COUNT(speed_names) ? speed_names[value] : "?";
}

// What v says of its place to u.
static const struct ks_against *word(const struct ks_variant *v, const struct ks_variant *u)
{
    for (size_t i = 0; i < v->n_against; i++)
        if (strcmp(v->against[i].variant, u->id) == 0)
            return &v->against[i];
    return NULL;
}

bool ks_evidence_notes(const struct ks_evidence *evidence, const char *note)
{
    for (size_t i = 0; i < evidence->n_notes; i++)
        if (strcmp(evidence->notes[i], note) == 0)
            return true;
    return false;
}

bool ks_variant_before(const struct ks_variant *x, const struct ks_variant *y)
{
    const struct ks_against *own = word(x, y), *other = word(y, x);
    if (own != NULL && other != NULL && own->before == other->before) { // they contradict each other
        int later = strcmp(x->evidence.date, y->evidence.date);
        return later > 0 ? own->before : later < 0 && !other->before;
    }
    return own != NULL ? own->before : other != NULL && !other->before;
}

static void put_text(struct ks_yaml_writer *w, const char *key, const char *text)
{
    ks_yaml_put(w, key, text == NULL ? "" : text);
}

static void put_number(struct ks_yaml_writer *w, const char *key, double value)
{
    char text[KS_NUMBER_TEXT];
    ks_yaml_put(w, key, ks_number_text(value, text));
}

static void put_digest(struct ks_yaml_writer *w, const char *key, const struct ks_digest *digest)
{
    char hex[KS_HASH_TEXT];
    ks_digest_hex(digest, hex);
    ks_yaml_put(w, key, hex);
}

static void put_words(struct ks_yaml_writer *w, const char *key, const char *const *words, size_t n)
{
    ks_yaml_begin_list(w, key);
    for (size_t i = 0; i < n; i++)
        ks_yaml_put(w, NULL, words[i]);
    ks_yaml_end(w);
}

static void put_evidence(struct ks_yaml_writer *w, const struct ks_evidence *evidence)
{
    ks_yaml_begin_map(w, "evidence");
    put_text(w, "level", evidence->level);
    put_text(w, "device", evidence->device);
    put_text(w, "driver", evidence->driver);
    put_text(w, "nvcc", evidence->nvcc);
    put_text(w, "date", evidence->date);
    put_text(w, "judge", evidence->judge);
    ks_yaml_putf(w, "shapes", "%d", evidence->shapes);
    ks_yaml_putf(w, "families", "%d", evidence->families);
    ks_yaml_putf(w, "runs", "%d", evidence->runs);
    put_number(w, "max_ulp", evidence->max_ulp);
    put_number(w, "max_rel", evidence->max_rel);
    ks_yaml_put(w, "repeats", evidence->deterministic ? "identical" : "different");
    ks_yaml_put(w, "sandbox", evidence->sandboxed ? "used" : "none");
    put_words(w, "sanitizers", evidence->sanitizers, evidence->n_sanitizers);
    ks_yaml_begin_list(w, "timings");
    for (size_t i = 0; i < evidence->n_timings; i++) {
        const struct ks_timing *timing = &evidence->timings[i];
        ks_yaml_begin_map(w, NULL);
        put_text(w, "workload", timing->workload);
        put_number(w, "original_us", timing->original_us);
        put_number(w, "variant_us", timing->variant_us);
        put_number(w, "ratio", timing->ratio);
        put_number(w, "lower", timing->lower);
        ks_yaml_putf(w, "pairs", "%d", timing->pairs);
        put_text(w, "method", timing->method);
        ks_yaml_end(w);
    }
    ks_yaml_end(w);
    put_words(w, "notes", evidence->notes, evidence->n_notes);
    ks_yaml_begin_list(w, "kernels");
    for (size_t i = 0; i < evidence->n_kernels; i++) {
        ks_yaml_begin_map(w, NULL);
        put_text(w, "name", evidence->kernels[i]);
        put_digest(w, "ptx", &evidence->ptx[i]);
        put_digest(w, "sass", &evidence->sass[i]);
        ks_yaml_end(w);
    }
    ks_yaml_end(w);
    ks_yaml_end(w);
}

static void put_against(struct ks_yaml_writer *w, const struct ks_variant *variant)
{
    if (variant->n_against == 0)
        return;
    ks_yaml_begin_list(w, "against");
    for (size_t i = 0; i < variant->n_against; i++) {
        const struct ks_against *against = &variant->against[i];
        ks_yaml_begin_map(w, NULL);
        put_text(w, "variant", against->variant);
        ks_yaml_put(w, "place", against->before ? "before" : "behind");
        put_number(w, "ratio", against->ratio);
        put_number(w, "lower", against->lower);
        ks_yaml_end(w);
    }
    ks_yaml_end(w);
}

// `text` is the buffer's; a file larger than any reader takes is a bug of the caller.
static const char *finish(struct ks_arena *arena, struct ks_buf *out)
{
    KS_ASSERT(!out->failed);
    const char *text = ks_arena_strndup(arena, ks_buf_text(out), out->len);
    ks_buf_free(out);
    return text;
}

const char *ks_variant_text(struct ks_arena *arena, const struct ks_variant *variant)
{
    struct ks_buf out = KS_BUF(LARGEST_TEXT);
    struct ks_yaml_writer w = {.out = &out};
    ks_yaml_putf(&w, "format", "%d", KS_VARIANT_FORMAT);
    put_text(&w, "kernel", variant->kernel);
    ks_yaml_putf(&w, "arch", "%d", variant->arch);
    ks_yaml_put(&w, "correctness", ks_correctness_name(variant->correctness));
    ks_yaml_put(&w, "speed", ks_speed_name(variant->speed));
    put_number(&w, "geomean", variant->geomean);
    put_number(&w, "lower", variant->lower);
    put_text(&w, "rationale", variant->rationale);
    ks_proposal_write(&w, &variant->proposal);
    struct ks_buf domain = KS_BUF(1 << 16);
    ks_expr_print(&domain, variant->domain, NULL, NULL);
    ks_yaml_put(&w, "domain", ks_buf_text(&domain));
    ks_buf_free(&domain);
    put_evidence(&w, &variant->evidence);
    put_against(&w, variant);
    ks_yaml_begin_map(&w, "provenance");
    put_text(&w, "proposer", variant->proposer);
    put_words(&w, "skills", variant->skills, variant->n_skills);
    put_text(&w, "parent", variant->parent);
    ks_yaml_end(&w);
    put_text(&w, "id", variant->id);
    put_digest(&w, "key", &variant->key);
    put_text(&w, "key_fields", variant->key_text);
    return finish(arena, &out);
}

const char *ks_original_text(struct ks_arena *arena, const struct ks_original_decision *decision)
{
    struct ks_buf out = KS_BUF(LARGEST_TEXT);
    struct ks_yaml_writer w = {.out = &out};
    ks_yaml_putf(&w, "format", "%d", KS_VARIANT_FORMAT);
    put_text(&w, "kernel", decision->kernel);
    ks_yaml_putf(&w, "arch", "%d", decision->arch);
    ks_yaml_put(&w, "decision", "original");
    put_text(&w, "date", decision->date);
    put_text(&w, "device", decision->device);
    ks_yaml_putf(&w, "tried", "%d", decision->tried);
    ks_yaml_putf(&w, "correct", "%d", decision->correct);
    put_number(&w, "budget_seconds", decision->budget_seconds);
    put_number(&w, "upper_bound", decision->upper_bound);
    ks_yaml_put(&w, "search", decision->complete ? "complete" : "budget");
    put_digest(&w, "key", &decision->key);
    put_text(&w, "key_fields", decision->key_text);
    return finish(arena, &out);
}

struct reader {
    struct ks_arena *arena;
    const char *name;
    struct ks_err *err;
};

#define FAIL_AT(r, node, ...)                                                                     \
    return ks_err_set((r)->err, KS_E_FORMAT, "%s:%d: %s", (r)->name, (node)->line,                \
                      ks_arena_printf((r)->arena, __VA_ARGS__))

static enum ks_status need(const struct reader *r, const struct ks_yaml *map, const char *key,
                           enum ks_yaml_kind kind, const struct ks_yaml **node)
{
    *node = ks_yaml_get(map, key);
    if (*node == NULL)
        FAIL_AT(r, map, "'%s' is missing", key);
    if ((*node)->kind != kind)
        FAIL_AT(r, *node, "'%s' is no %s", key,
                kind == KS_YAML_SCALAR ? "plain value"
                : kind == KS_YAML_LIST ? "list" : "map");
    return KS_OK;
}

static enum ks_status read_text(const struct reader *r, const struct ks_yaml *map, const char *key,
                                const char **value)
{
    const struct ks_yaml *node;
    KS_TRY(need(r, map, key, KS_YAML_SCALAR, &node));
    *value = node->text;
    return KS_OK;
}

static enum ks_status read_int(const struct reader *r, const struct ks_yaml *map, const char *key,
                               int *value)
{
    const struct ks_yaml *node;
    int64_t number;
    KS_TRY(need(r, map, key, KS_YAML_SCALAR, &node));
    if (!ks_parse_i64(node->text, &number) || number < 0 || number > INT32_MAX)
        FAIL_AT(r, node, "'%s' is no count: '%s'", key, node->text);
    *value = (int)number;
    return KS_OK;
}

static enum ks_status read_number(const struct reader *r, const struct ks_yaml *map,
                                  const char *key, double *value)
{
    const struct ks_yaml *node;
    KS_TRY(need(r, map, key, KS_YAML_SCALAR, &node));
    if (strcmp(node->text, "inf") == 0)
        *value = INFINITY;
    else if (strcmp(node->text, "-inf") == 0)
        *value = -INFINITY;
    else if (strcmp(node->text, "nan") == 0)
        *value = NAN;
    else if (!ks_parse_f64(node->text, value))
        FAIL_AT(r, node, "'%s' is no number: '%s'", key, node->text);
    return KS_OK;
}

// One of two words.
static enum ks_status read_bool(const struct reader *r, const struct ks_yaml *map, const char *key,
                                const char *yes, const char *no, bool *value)
{
    const struct ks_yaml *node;
    KS_TRY(need(r, map, key, KS_YAML_SCALAR, &node));
    *value = strcmp(node->text, yes) == 0;
    if (!*value && strcmp(node->text, no) != 0)
        FAIL_AT(r, node, "'%s' is %s or %s, not '%s'", key, yes, no, node->text);
    return KS_OK;
}

static enum ks_status read_digest(const struct reader *r, const struct ks_yaml *map,
                                  const char *key, struct ks_digest *value)
{
    const struct ks_yaml *node;
    KS_TRY(need(r, map, key, KS_YAML_SCALAR, &node));
    if (!ks_digest_parse(node->text, value))
        FAIL_AT(r, node, "'%s' is no digest of 64 hexadecimal digits", key);
    return KS_OK;
}

static enum ks_status read_name(const struct reader *r, const struct ks_yaml *map, const char *key,
                                const char *const *names, int n, int *value)
{
    const struct ks_yaml *node;
    KS_TRY(need(r, map, key, KS_YAML_SCALAR, &node));
    for (*value = 0; *value < n; ++*value)
        if (strcmp(names[*value], node->text) == 0)
            return KS_OK;
    FAIL_AT(r, node, "'%s' has no value '%s'", key, node->text);
}

static enum ks_status read_words(const struct reader *r, const struct ks_yaml *map, const char *key,
                                 const char ***words, size_t *n)
{
    const struct ks_yaml *list;
    KS_TRY(need(r, map, key, KS_YAML_LIST, &list));
    *words = KS_NEW_ARRAY(r->arena, const char *, list->len);
    *n = list->len;
    for (size_t i = 0; i < list->len; i++) {
        if (list->items[i].kind != KS_YAML_SCALAR)
            FAIL_AT(r, &list->items[i], "a word is expected here");
        (*words)[i] = list->items[i].text;
    }
    return KS_OK;
}

static enum ks_status read_timing(const struct reader *r, const struct ks_yaml *map,
                                  struct ks_timing *timing)
{
    static const char *const known[] = {"workload", "original_us", "variant_us", "ratio",
                                        "lower",    "pairs",       "method",     NULL};
    if (map->kind != KS_YAML_MAP)
        FAIL_AT(r, map, "a timing is a map");
    KS_TRY(ks_yaml_known(r->name, map, known, r->err));
    KS_TRY(read_text(r, map, "workload", &timing->workload));
    KS_TRY(read_number(r, map, "original_us", &timing->original_us));
    KS_TRY(read_number(r, map, "variant_us", &timing->variant_us));
    KS_TRY(read_number(r, map, "ratio", &timing->ratio));
    KS_TRY(read_number(r, map, "lower", &timing->lower));
    KS_TRY(read_int(r, map, "pairs", &timing->pairs));
    return read_text(r, map, "method", &timing->method);
}

static enum ks_status read_kernels(const struct reader *r, const struct ks_yaml *map,
                                   struct ks_evidence *evidence)
{
    static const char *const known[] = {"name", "ptx", "sass", NULL};
    const struct ks_yaml *list;
    KS_TRY(need(r, map, "kernels", KS_YAML_LIST, &list));
    evidence->n_kernels = list->len;
    evidence->kernels = KS_NEW_ARRAY(r->arena, const char *, list->len);
    evidence->ptx = KS_NEW_ARRAY(r->arena, struct ks_digest, list->len);
    evidence->sass = KS_NEW_ARRAY(r->arena, struct ks_digest, list->len);
    for (size_t i = 0; i < list->len; i++) {
        const struct ks_yaml *item = &list->items[i];
        if (item->kind != KS_YAML_MAP)
            FAIL_AT(r, item, "a kernel of the evidence is a map");
        KS_TRY(ks_yaml_known(r->name, item, known, r->err));
        KS_TRY(read_text(r, item, "name", &evidence->kernels[i]));
        KS_TRY(read_digest(r, item, "ptx", &evidence->ptx[i]));
        KS_TRY(read_digest(r, item, "sass", &evidence->sass[i]));
    }
    return KS_OK;
}

static enum ks_status read_evidence(const struct reader *r, const struct ks_yaml *root,
                                    struct ks_evidence *evidence)
{
    static const char *const known[] = {"level",   "device", "driver",   "nvcc", "date",
                                        "judge",   "shapes", "families", "runs", "max_ulp",
                                        "max_rel", "repeats", "sandbox", "sanitizers", "timings", "notes",
                                        "kernels", NULL};
    const struct ks_yaml *map, *timings;
    KS_TRY(need(r, root, "evidence", KS_YAML_MAP, &map));
    KS_TRY(ks_yaml_known(r->name, map, known, r->err));
    KS_TRY(read_text(r, map, "level", &evidence->level));
    if (strcmp(evidence->level, "measured") != 0 && strcmp(evidence->level, "modelled") != 0)
        FAIL_AT(r, map, "the evidence is measured or modelled, not '%s'", evidence->level);
    KS_TRY(read_text(r, map, "device", &evidence->device));
    KS_TRY(read_text(r, map, "driver", &evidence->driver));
    KS_TRY(read_text(r, map, "nvcc", &evidence->nvcc));
    KS_TRY(read_text(r, map, "date", &evidence->date));
    KS_TRY(read_text(r, map, "judge", &evidence->judge));
    KS_TRY(read_int(r, map, "shapes", &evidence->shapes));
    KS_TRY(read_int(r, map, "families", &evidence->families));
    KS_TRY(read_int(r, map, "runs", &evidence->runs));
    KS_TRY(read_number(r, map, "max_ulp", &evidence->max_ulp));
    KS_TRY(read_number(r, map, "max_rel", &evidence->max_rel));
    KS_TRY(read_bool(r, map, "repeats", "identical", "different", &evidence->deterministic));
    if (ks_yaml_get(map, "sandbox") != NULL) // files from before it was written have none
        KS_TRY(read_bool(r, map, "sandbox", "used", "none", &evidence->sandboxed));
    if (ks_yaml_get(map, "sanitizers") != NULL)
        KS_TRY(read_words(r, map, "sanitizers", &evidence->sanitizers, &evidence->n_sanitizers));
    KS_TRY(need(r, map, "timings", KS_YAML_LIST, &timings));
    evidence->timings = KS_NEW_ARRAY(r->arena, struct ks_timing, timings->len);
    evidence->n_timings = timings->len;
    for (size_t i = 0; i < timings->len; i++)
        KS_TRY(read_timing(r, &timings->items[i], &evidence->timings[i]));
    KS_TRY(read_words(r, map, "notes", &evidence->notes, &evidence->n_notes));
    return read_kernels(r, map, evidence);
}

static enum ks_status read_against(const struct reader *r, const struct ks_yaml *root,
                                   struct ks_variant *variant)
{
    static const char *const known[] = {"variant", "place", "ratio", "lower", NULL};
    const struct ks_yaml *list;
    if (ks_yaml_get(root, "against") == NULL) // the first of its key
        return KS_OK;
    KS_TRY(need(r, root, "against", KS_YAML_LIST, &list));
    variant->n_against = list->len;
    variant->against = KS_NEW_ARRAY(r->arena, struct ks_against, list->len);
    for (size_t i = 0; i < list->len; i++) {
        const struct ks_yaml *item = &list->items[i];
        struct ks_against *against = &variant->against[i];
        if (item->kind != KS_YAML_MAP)
            FAIL_AT(r, item, "what a variant stands against is a map");
        KS_TRY(ks_yaml_known(r->name, item, known, r->err));
        KS_TRY(read_text(r, item, "variant", &against->variant));
        KS_TRY(read_bool(r, item, "place", "before", "behind", &against->before));
        KS_TRY(read_number(r, item, "ratio", &against->ratio));
        KS_TRY(read_number(r, item, "lower", &against->lower));
    }
    return KS_OK;
}

static enum ks_status read_provenance(const struct reader *r, const struct ks_yaml *root,
                                      struct ks_variant *variant)
{
    static const char *const known[] = {"proposer", "skills", "parent", NULL};
    const struct ks_yaml *map;
    KS_TRY(need(r, root, "provenance", KS_YAML_MAP, &map));
    KS_TRY(ks_yaml_known(r->name, map, known, r->err));
    KS_TRY(read_text(r, map, "proposer", &variant->proposer));
    KS_TRY(read_words(r, map, "skills", &variant->skills, &variant->n_skills));
    return read_text(r, map, "parent", &variant->parent);
}

// The document's map, of a format that we know. What a newer one means by any other key is not ours
// to judge, so the format comes first.
static enum ks_status read_root(const struct reader *r, struct ks_slice text,
                                const char *const *known, const struct ks_yaml **root)
{
    struct ks_yaml *parsed;
    int format;
    if (ks_yaml_parse(r->arena, r->name, text, &parsed, r->err) != KS_OK) {
        if (r->err != NULL)
            r->err->status = KS_E_FORMAT;
        return KS_E_FORMAT;
    }
    if (parsed == NULL || parsed->kind != KS_YAML_MAP)
        return ks_err_set(r->err, KS_E_FORMAT, "%s: not a variant file", r->name);
    KS_TRY(read_int(r, parsed, "format", &format));
    if (format > KS_VARIANT_FORMAT)
        return ks_err_set(r->err, KS_E_UNSUPPORTED,
                          "%s: format %d is newer than this ks reads (%d); update ks", r->name,
                          format, KS_VARIANT_FORMAT);
    if (format < 1)
        FAIL_AT(r, parsed, "there is no format %d", format);
    *root = parsed;
    return ks_yaml_known(r->name, parsed, known, r->err);
}

static const char *const variant_keys[] = {
    "format",   "kernel", "arch",   "correctness", "speed", "geomean",   "lower",
    "rationale", "includes", "params", "source", "when",   "workspace", "plan",
    "domain",   "evidence", "against", "provenance", "id",  "key",    "key_fields", NULL};

static enum ks_status read_variant(const struct reader *r, struct ks_slice text,
                                   struct ks_variant *variant)
{
    const struct ks_yaml *root, *domain;
    int value;
    KS_TRY(read_root(r, text, variant_keys, &root));
    KS_TRY(read_text(r, root, "kernel", &variant->kernel));
    KS_TRY(read_int(r, root, "arch", &variant->arch));
    KS_TRY(read_name(r, root, "correctness", correctness_names, COUNT(correctness_names), &value));
    variant->correctness = (enum ks_correctness)value;
    KS_TRY(read_name(r, root, "speed", speed_names, COUNT(speed_names), &value));
    variant->speed = (enum ks_speed)value;
    KS_TRY(read_number(r, root, "geomean", &variant->geomean));
    KS_TRY(read_number(r, root, "lower", &variant->lower));
    KS_TRY(read_text(r, root, "rationale", &variant->rationale));
    KS_TRY(ks_proposal_read(r->arena, r->name, root, &variant->proposal, r->err));
    KS_TRY(need(r, root, "domain", KS_YAML_SCALAR, &domain));
    KS_TRY(ks_expr_parse(r->arena, ks_arena_printf(r->arena, "%s:%d", r->name, domain->line),
                         ks_slice_of(domain->text), &variant->domain, r->err));
    KS_TRY(read_evidence(r, root, &variant->evidence));
    KS_TRY(read_against(r, root, variant));
    KS_TRY(read_provenance(r, root, variant));
    KS_TRY(read_text(r, root, "id", &variant->id));
    KS_TRY(read_digest(r, root, "key", &variant->key));
    KS_TRY(read_text(r, root, "key_fields", &variant->key_text));
    const char *id = ks_proposal_id(r->arena, &variant->proposal);
    if (strcmp(id, variant->id) != 0)
        return ks_err_set(r->err, KS_E_FORMAT, "%s: the id is %s, but the content's is %s", r->name,
                          variant->id, id);
    return KS_OK;
}

// A mistake in a file of ours is damage, whichever reader found it.
static enum ks_status as_damage(enum ks_status status, struct ks_err *err)
{
    if (status == KS_OK || status == KS_E_UNSUPPORTED)
        return status;
    if (err != NULL)
        err->status = KS_E_FORMAT;
    return KS_E_FORMAT;
}

enum ks_status ks_variant_read(struct ks_arena *arena, const char *name, struct ks_slice text,
                               struct ks_variant *variant, struct ks_err *err)
{
    const struct reader r = {arena, name, err};
    *variant = (struct ks_variant){0};
    return as_damage(read_variant(&r, text, variant), err);
}

enum ks_status ks_variant_read_proposal(struct ks_arena *arena, const char *name, struct ks_slice text,
                                        struct ks_proposal *proposal, struct ks_err *err)
{
    const struct reader r = {arena, name, err};
    const struct ks_yaml *root;
    struct ks_yaml *parsed;
    KS_TRY(ks_yaml_parse(arena, name, text, &parsed, err));
    if (ks_yaml_get(parsed, "format") != NULL)
        KS_TRY(read_root(&r, text, variant_keys, &root));
    else if (parsed->kind == KS_YAML_MAP)
        KS_TRY(ks_yaml_known(name, parsed, variant_keys, err));
    return ks_proposal_read(arena, name, parsed, proposal, err);
}

static enum ks_status read_original(const struct reader *r, struct ks_slice text,
                                    struct ks_original_decision *decision)
{
    static const char *const known[] = {"format",      "kernel",   "arch", "decision", "date",
                                        "device",      "tried",    "correct", "budget_seconds",
                                        "upper_bound", "search", "key",  "key_fields", NULL};
    static const char *const decisions[] = {"original"};
    const struct ks_yaml *root;
    int value;
    KS_TRY(read_root(r, text, known, &root));
    KS_TRY(read_name(r, root, "decision", decisions, 1, &value));
    KS_TRY(read_text(r, root, "kernel", &decision->kernel));
    KS_TRY(read_int(r, root, "arch", &decision->arch));
    KS_TRY(read_text(r, root, "date", &decision->date));
    KS_TRY(read_text(r, root, "device", &decision->device));
    KS_TRY(read_int(r, root, "tried", &decision->tried));
    KS_TRY(read_int(r, root, "correct", &decision->correct));
    KS_TRY(read_number(r, root, "budget_seconds", &decision->budget_seconds));
    KS_TRY(read_number(r, root, "upper_bound", &decision->upper_bound));
    KS_TRY(read_bool(r, root, "search", "complete", "budget", &decision->complete));
    KS_TRY(read_digest(r, root, "key", &decision->key));
    return read_text(r, root, "key_fields", &decision->key_text);
}

enum ks_status ks_original_read(struct ks_arena *arena, const char *name, struct ks_slice text,
                                struct ks_original_decision *decision, struct ks_err *err)
{
    const struct reader r = {arena, name, err};
    *decision = (struct ks_original_decision){0};
    return as_damage(read_original(&r, text, decision), err);
}
