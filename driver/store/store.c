// Looking decisions up. Order of distrust: signature first, and only then is the text parsed.
#include "store/store.h"

#include <stdlib.h>
#include <string.h>

#include "os/file.h"
#include "os/reach.h"
#include "store/blamed.h"
#include "store/store_path.h"
#include "store/used.h"

#define ANSWER_SECONDS 2.0 // in which a shared folder has to answer
#define AWAY_SECONDS 30    // for which one that did not is not asked again

static struct ks_tier *add_tier(struct ks_arena *arena, struct ks_store *store,
                                enum ks_tier_kind kind, const char *dir)
{
    struct ks_tier *tier = &store->tiers[store->n_tiers++];
    *tier = (struct ks_tier){.kind = kind, .dir = dir, .index = ks_path_join(arena, dir, "index")};
    return tier;
}

// Remembers that a folder did not answer, or NULL where nothing can be remembered.
static const char *away_mark(struct ks_arena *arena, const struct ks_config *config,
                             const char *dir)
{
    char hex[KS_HASH_TEXT];
    struct ks_digest digest = ks_digest_of("away", dir, strlen(dir));
    ks_digest_hex(&digest, hex);
    return config->cache_dir == NULL || config->readonly
               ? NULL
               : ks_arena_printf(arena, "%s/away/%.16s", config->cache_dir, hex);
}

static bool known_away(struct ks_arena *arena, const struct ks_config *config, const char *dir)
{
    const char *mark = away_mark(arena, config, dir);
    int64_t age = mark == NULL ? -1 : ks_used_age(mark);
    return age >= 0 && age < AWAY_SECONDS;
}

static void note_away(struct ks_arena *arena, const struct ks_config *config, const char *dir)
{
    const char *mark = away_mark(arena, config, dir);
    if (mark != NULL && ks_dir_make(ks_path_dir(arena, mark), NULL) == KS_OK)
        (void)ks_file_write(mark, dir, strlen(dir), false, 0, NULL);
}

// A server that is gone would hang the build: the folders are asked by others first, and one without
// an answer is as good as empty.
static void add_shared(struct ks_arena *arena, const struct ks_config *config,
                       struct ks_store *store)
{
    struct ks_strv asked = {0};
    enum ks_reach reach[KS_TIERS_MOST];
    for (size_t i = 0; i < config->store_dirs.len; i++) {
        const char *dir = config->store_dirs.at[i];
        ks_strv_add(arena, known_away(arena, config, dir) ? &store->away : &asked, dir);
    }
    ks_reach(asked.at, asked.len, ANSWER_SECONDS, reach);
    for (size_t i = 0; i < asked.len; i++) {
        if (reach[i] == KS_REACH_AWAY)
            note_away(arena, config, asked.at[i]);
        if (reach[i] != KS_REACH_HERE) {
            ks_strv_add(arena, &store->away, asked.at[i]);
            continue;
        }
        struct ks_tier *tier = add_tier(arena, store, KS_TIER_SHARED, asked.at[i]);
        ks_trust_user(arena, config, &tier->keys, &tier->n_keys);
    }
}

void ks_store_open(struct ks_arena *arena, const struct ks_config *config,
                   const struct ks_project *project, struct ks_store *store)
{
    *store = (struct ks_store){.readonly = config->readonly};
    if (project != NULL && project->root != NULL) {
        struct ks_tier *tier = add_tier(arena, store, KS_TIER_PROJECT,
                                        ks_path_join(arena, project->root, ".ks"));
        ks_trust_project(arena, config, project, &tier->keys, &tier->n_keys);
    }
    if (config->cache_dir != NULL) {
        struct ks_tier *tier = add_tier(arena, store, KS_TIER_USER,
                                        ks_path_join(arena, config->cache_dir, "variants"));
        ks_trust_user(arena, config, &tier->keys, &tier->n_keys);
    }
    if (config->store_dirs.len > 0)
        add_shared(arena, config, store);
    ks_trust_files(arena, config, project, &store->trust_files);
}

// One decision's file, read and its signature checked.
struct candidate {
    struct ks_arena *arena;
    const struct ks_tier *tier;
    const struct ks_digest *key;
    const char *name, *path;
    struct ks_slice text, signature;
    bool given; // the two: no files are read
    const char *signer;
    const char *problem; // text for a reason that is not APPLIED
};

static enum ks_reason problem(struct candidate *c, enum ks_reason reason, const char *text)
{
    c->problem = ks_starts_with(text, c->path) ? ks_arena_strdup(c->arena, text)
                                               : ks_arena_printf(c->arena, "%s: %s", c->path, text);
    return reason;
}

static enum ks_reason read_files(struct candidate *c)
{
    struct ks_err err;
    const char *signature_path = ks_arena_printf(c->arena, "%s" KS_STORE_SIGNATURE, c->path);
    if (ks_file_read(c->arena, c->path, KS_STORE_LARGEST, &c->text, &err) != KS_OK)
        return problem(c, KS_R_CORRUPT, err.text);
    enum ks_status status = ks_file_read(c->arena, signature_path, KS_STORE_SIGNATURE_LARGEST,
                                         &c->signature, &err);
    if (status == KS_E_ABSENT)
        return problem(c, KS_R_UNTRUSTED, "no signature beside it");
    return status == KS_OK ? KS_R_APPLIED : problem(c, KS_R_UNTRUSTED, err.text);
}

static enum ks_reason load(struct candidate *c)
{
    struct ks_err err;
    size_t signer;
    enum ks_reason reason = c->given ? KS_R_APPLIED : read_files(c);
    if (reason != KS_R_APPLIED)
        return reason;
    if (ks_verify_signature(c->text, c->signature, c->tier->keys, c->tier->n_keys, &signer, &err) !=
        KS_OK)
        return problem(c, KS_R_UNTRUSTED, err.text);
    if (!ks_signature_comment_is(c->signature, ks_store_comment(c->arena, c->key, c->name)))
        return problem(c, KS_R_CORRUPT, "its signature is for another place in the store");
    char id[17];
    ks_key_id_text(c->tier->keys[signer].id, id);
    c->signer = ks_arena_strdup(c->arena, id);
    return KS_R_APPLIED;
}

static enum ks_reason read_failed(struct candidate *c, enum ks_status status,
                                  const struct ks_err *err)
{
    return problem(c, status == KS_E_UNSUPPORTED ? KS_R_NEWER_FORMAT : KS_R_CORRUPT, err->text);
}

static enum ks_reason verdict(struct candidate *c, const struct ks_config *config,
                              const struct ks_variant *variant)
{
    const char *text = ks_arena_printf(c->arena, "%s, %s, %s evidence",
                                       ks_correctness_name(variant->correctness),
                                       ks_speed_name(variant->speed), variant->evidence.level);
    bool measured = strcmp(variant->evidence.level, "measured") == 0;
    bool fast = variant->speed == KS_S_FASTER ||
                (variant->speed == KS_S_MODELLED && !measured);
    if (variant->correctness != KS_C_CORRECT || !fast)
        return problem(c, KS_R_CORRUPT, ks_arena_printf(c->arena, "not a winner: %s", text));
    if (!measured && config->accept == KS_ACCEPT_MEASURED)
        return problem(c, KS_R_EVIDENCE_LEVEL, text);
    return KS_R_APPLIED;
}

static enum ks_reason read_variant(struct candidate *c, const struct ks_config *config,
                                   struct ks_variant *variant)
{
    struct ks_err err;
    enum ks_reason reason = load(c);
    if (reason != KS_R_APPLIED)
        return reason;
    enum ks_status status = ks_variant_read(c->arena, c->path, c->text, variant, &err);
    if (status != KS_OK)
        return read_failed(c, status, &err);
    if (strcmp(variant->id, c->name) != 0 || !ks_digest_eq(&variant->key, c->key))
        return problem(c, KS_R_CORRUPT, "its name or folder does not match its content");
    return verdict(c, config, variant);
}

static enum ks_reason read_original(struct candidate *c, struct ks_original_decision *original)
{
    struct ks_err err;
    enum ks_reason reason = load(c);
    if (reason != KS_R_APPLIED)
        return reason;
    enum ks_status status = ks_original_read(c->arena, c->path, c->text, original, &err);
    if (status != KS_OK)
        return read_failed(c, status, &err);
    if (!ks_digest_eq(&original->key, c->key))
        return problem(c, KS_R_CORRUPT, "its folder does not match its content");
    return KS_R_ORIGINAL_WINS;
}

// Surest gain first; the id makes the order total.
static int by_merit(const void *a, const void *b)
{
    const struct ks_variant *x = &((const struct ks_found *)a)->variant;
    const struct ks_variant *y = &((const struct ks_found *)b)->variant;
    if (x->lower != y->lower)
        return x->lower > y->lower ? -1 : 1;
    if (x->geomean != y->geomean)
        return x->geomean > y->geomean ? -1 : 1;
    return strcmp(x->id, y->id);
}

static bool is_behind(const struct ks_found *found, size_t n, const struct ks_found *one)
{
    for (size_t i = 0; i < n; i++)
        if (&found[i] != one && ks_variant_before(&found[i].variant, &one->variant))
            return true;
    return false;
}

// Two that were timed against each other stand as that went; bounds of different sessions order the rest. Where files
// go round in a circle, which no search writes, merit decides.
static void order(struct ks_found *found, size_t n)
{
    qsort(found, n, sizeof *found, by_merit);
    for (size_t k = 0; k < n; k++) {
        size_t next = k;
        while (next < n && is_behind(found + k, n - k, &found[next]))
            next++;
        if (next == n)
            continue;
        struct ks_found first = found[next];
        memmove(found + k + 1, found + k, (next - k) * sizeof *found);
        found[k] = first;
    }
}

// What one file says: a usable variant goes to `found`.
static enum ks_reason read_one(struct candidate *c, const struct ks_config *config,
                               struct ks_found *found, struct ks_original_decision *original)
{
    if (strcmp(c->name, KS_STORE_ORIGINAL) == 0)
        return read_original(c, original);
    enum ks_reason reason = read_variant(c, config, &found->variant);
    found->path = c->path;
    found->tier = c->tier;
    found->signer = c->signer;
    return reason;
}

// True when this tier decides.
static bool lookup_tier(struct ks_arena *arena, const struct ks_tier *tier,
                        const struct ks_config *config, const struct ks_digest *key,
                        struct ks_lookup *lookup)
{
    struct ks_strv names = {0};
    const char *dir = ks_store_key_dir(arena, tier, key);
    ks_store_names(arena, dir, &names);
    struct ks_found *found = KS_NEW_ARRAY(arena, struct ks_found, names.len);
    size_t n = 0;
    for (size_t i = 0; i < names.len; i++) {
        struct candidate c = {.arena = arena, .tier = tier, .key = key, .name = names.at[i]};
        c.path = ks_arena_printf(arena, "%s/%s" KS_STORE_SUFFIX, dir, c.name);
        enum ks_reason reason = read_one(&c, config, &found[n], &lookup->original);
        if (reason == KS_R_ORIGINAL_WINS) {
            *lookup = (struct ks_lookup){
                .reason = reason, .text = c.path, .original = lookup->original};
            return true;
        }
        if (reason == KS_R_APPLIED) {
            n++;
        } else if (lookup->reason == KS_R_PENDING) {
            lookup->reason = reason; // what the user meets first is told
            lookup->text = c.problem;
        }
    }
    if (n == 0)
        return false;
    order(found, n);
    const char *text = strcmp(found[0].variant.evidence.level, "modelled") == 0
                           ? ks_arena_printf(arena, "%s" KS_STORE_MODELLED, found[0].path)
                           : found[0].path;
    *lookup = (struct ks_lookup){
        .reason = KS_R_APPLIED, .text = text, .variants = found, .n_variants = n};
    return true;
}

// `text` names the file of a decision that the original stays.
static void note_use(const struct ks_lookup *lookup)
{
    for (size_t i = 0; i < lookup->n_variants; i++)
        ks_used_note(lookup->variants[i].path);
    if (lookup->reason == KS_R_ORIGINAL_WINS)
        ks_used_note(lookup->text);
}

static void look_up(struct ks_arena *arena, const struct ks_store *store,
                    const struct ks_config *config, const struct ks_digest *key,
                    struct ks_lookup *lookup)
{
    *lookup = (struct ks_lookup){.reason = KS_R_PENDING, .text = ""};
    for (size_t i = 0; i < store->n_tiers; i++) {
        if (!lookup_tier(arena, &store->tiers[i], config, key, lookup))
            continue;
        if (store->tiers[i].kind == KS_TIER_USER && !store->readonly)
            note_use(lookup);
        return;
    }
}

struct ks_strv ks_store_captures(struct ks_arena *arena, const struct ks_store *store)
{
    struct ks_strv dirs = {0};
    for (size_t i = 0; i < store->n_tiers; i++)
        ks_strv_add(arena, &dirs, ks_path_join(arena, store->tiers[i].dir, "captures"));
    return dirs;
}

void ks_store_lookup(struct ks_arena *arena, const struct ks_store *store,
                     const struct ks_config *config, const struct ks_digest *key,
                     struct ks_lookup *lookup)
{
    // What was measured, in whatever tier, comes before what was only modelled.
    struct ks_config measured = *config;
    measured.accept = KS_ACCEPT_MEASURED;
    look_up(arena, store, &measured, key, lookup);
    if (config->accept == KS_ACCEPT_MODELLED && lookup->reason != KS_R_APPLIED &&
        lookup->reason != KS_R_ORIGINAL_WINS)
        look_up(arena, store, config, key, lookup);
    const char *fault = lookup->reason == KS_R_PENDING ? ks_blamed_read(arena, config, key) : NULL;
    if (fault != NULL)
        lookup->text = ks_arena_printf(arena, "and none can be made before the kernel or its mark is mended, as tuning here "
                                              "found: %s", fault);
}

static void judge_one(struct candidate *c, const struct ks_config *config, struct ks_lookup *lookup)
{
    struct ks_found *found = KS_NEW(c->arena, struct ks_found);
    *lookup = (struct ks_lookup){0};
    lookup->reason = read_one(c, config, found, &lookup->original);
    lookup->text = c->problem != NULL ? c->problem : c->path;
    if (lookup->reason == KS_R_APPLIED) {
        lookup->variants = found;
        lookup->n_variants = 1;
    }
}

void ks_store_read(struct ks_arena *arena, const struct ks_tier *tier,
                   const struct ks_config *config, const struct ks_digest *key, const char *path,
                   struct ks_lookup *lookup)
{
    const char *base = ks_path_base(path);
    struct candidate c = {.arena = arena, .tier = tier, .key = key, .path = path};
    c.name = ks_arena_strndup(arena, base, strlen(base) - strlen(KS_STORE_SUFFIX));
    judge_one(&c, config, lookup);
}

void ks_store_judge(struct ks_arena *arena, const struct ks_tier *tier,
                    const struct ks_config *config, const struct ks_bundled *decision,
                    const char *path, struct ks_lookup *lookup)
{
    struct candidate c = {.arena = arena, .tier = tier, .key = &decision->key,
                          .name = decision->name, .path = path, .text = decision->text,
                          .signature = decision->signature, .given = true};
    judge_one(&c, config, lookup);
}

const char *ks_store_signer(struct ks_arena *arena, const char *path)
{
    struct ks_slice signature;
    unsigned char id[8];
    const char *signature_path = ks_arena_printf(arena, "%s" KS_STORE_SIGNATURE, path);
    if (ks_file_read(arena, signature_path, KS_STORE_SIGNATURE_LARGEST, &signature, NULL) != KS_OK ||
        ks_signature_id(signature, id, NULL) != KS_OK)
        return NULL;
    char *text = ks_arena_alloc(arena, 17);
    ks_key_id_text(id, text);
    return text;
}
