// From keys to decisions: what the store says of each kernel, and the list of substitutions.
#include "app/consume.h"

#include <stdlib.h>
#include <string.h>

#include "fmt/hash.h"

void consume_from_identity(struct consume *c)
{
    c->n_kernels = c->tu.n_kernels;
    c->kernels = KS_NEW_ARRAY(c->arena, struct consume_kernel, c->n_kernels);
    c->manifest.n_kernels = c->n_kernels;
    c->manifest.kernels = KS_NEW_ARRAY(c->arena, struct ks_manifest_kernel, c->n_kernels);
    for (size_t i = 0; i < c->n_kernels; i++) {
        const struct ks_tu_kernel *from = &c->tu.kernels[i];
        c->kernels[i] = (struct consume_kernel){.mark = from->mark, .signature = from->signature,
                                                .arch = from->arch, .key = from->key,
                                                .reason = from->reason, .text = from->reason_text};
        c->manifest.kernels[i] = (struct ks_manifest_kernel){
            .signature = from->signature, .file = from->mark->file->path,
            .decl_qualified = from->mark->decl->qualified, .line = from->mark->decl->line,
            .arch = from->arch, .key = from->key, .reason = from->reason,
            .text = from->reason_text};
    }
}

// The declaration a manifest's kernel came from; bytes are equal, so name and line settle it.
static const struct ks_tu_mark *find_mark(const struct consume *c,
                                          const struct ks_manifest_kernel *kernel)
{
    for (size_t i = 0; i < c->tu.n_marks; i++) {
        const struct ks_tu_mark *mark = &c->tu.marks[i];
        if (mark->decl->line == kernel->line &&
            strcmp(mark->decl->qualified, kernel->decl_qualified) == 0 &&
            strcmp(mark->file->path, kernel->file) == 0)
            return mark;
    }
    return NULL;
}

void consume_from_manifest(struct consume *c)
{
    c->n_kernels = 0;
    c->kernels = KS_NEW_ARRAY(c->arena, struct consume_kernel, c->manifest.n_kernels);
    for (size_t i = 0; i < c->manifest.n_kernels; i++) {
        const struct ks_manifest_kernel *from = &c->manifest.kernels[i];
        const struct ks_tu_mark *mark = find_mark(c, from);
        if (mark == NULL)
            continue; // ks.yaml changed under an unchanged source: the mark is gone
        c->kernels[c->n_kernels++] = (struct consume_kernel){
            .mark = mark, .signature = from->signature, .arch = from->arch, .key = from->key,
            .reason = from->reason, .text = from->text};
    }
}

// The gate again, against this build's signature: the plan's arguments must fit its parameters.
static void check_proposals(struct consume *c, struct consume_kernel *kernel)
{
    struct ks_lookup *lookup = &kernel->lookup;
    size_t kept = 0;
    struct ks_err err = {0};
    for (size_t i = 0; i < lookup->n_variants; i++)
        if (ks_proposal_check(c->arena, &lookup->variants[i].variant.proposal, kernel->signature,
                              &err) == KS_OK)
            lookup->variants[kept++] = lookup->variants[i];
        else
            lookup->text = ks_arena_printf(c->arena, "%s: %s", lookup->variants[i].path, err.text);
    lookup->n_variants = kept;
    if (kept == 0)
        lookup->reason = KS_R_CORRUPT;
}

static void decide_one(struct consume *c, struct consume_kernel *kernel)
{
    if (kernel->reason != KS_R_APPLIED && kernel->lookup.text == NULL)
        return; // not eligible
    ks_store_lookup(c->arena, &c->store, c->config, &kernel->key, &kernel->lookup);
    if (kernel->lookup.n_variants > 0)
        check_proposals(c, kernel);
    if (kernel->lookup.text == NULL)
        kernel->lookup.text = "";
    kernel->reason = kernel->lookup.reason;
    kernel->text = kernel->lookup.text;
}

// What decides a shadow, and what it is held against: a variant judged anew under the same id may
// have another domain or other evidence.
static struct ks_digest digest_of(const struct ks_substitution *sub,
                                  const struct ks_evidence *evidence)
{
    struct ks_buf domain = KS_BUF(1 << 16);
    struct ks_hash hash;
    struct ks_digest digest;
    ks_expr_print(&domain, sub->domain, NULL, NULL);
    ks_hash_begin(&hash, "substitution");
    ks_hash_text(&hash, "key", sub->key);
    ks_hash_text(&hash, "id", sub->id);
    ks_hash_text(&hash, "provenance", sub->provenance);
    ks_hash_text(&hash, "domain", ks_buf_text(&domain));
    for (size_t i = 0; i < evidence->n_kernels; i++) {
        ks_hash_field(&hash, "ptx", &evidence->ptx[i], sizeof evidence->ptx[i]);
        ks_hash_field(&hash, "sass", &evidence->sass[i], sizeof evidence->sass[i]);
    }
    ks_hash_end(&hash, &digest);
    ks_buf_free(&domain);
    return digest;
}

static int by_digest(const void *a, const void *b)
{
    return memcmp(a, b, sizeof(struct ks_digest));
}

// The same set of variants, the same digest.
static void digest_set(struct consume *c)
{
    struct ks_digest *all = KS_NEW_ARRAY(c->arena, struct ks_digest, c->n_subs + 1);
    for (size_t i = 0; i < c->n_subs; i++)
        all[i] = c->origins[i].digest;
    qsort(all, c->n_subs, sizeof *all, by_digest);
    struct ks_hash hash;
    ks_hash_begin(&hash, "substitutions");
    ks_hash_field(&hash, "all", all, c->n_subs * sizeof *all);
    ks_hash_end(&hash, &c->set);
}

static const char *provenance(struct ks_arena *arena, const struct consume_kernel *kernel,
                              const struct ks_found *found, const char *key)
{
    const struct ks_variant *v = &found->variant;
    // The host's stub of this name may be in several units, of which the linker keeps one. Names that
    // hash the path are a unit's own.
    const char *stub = kernel->signature->registered;
    bool own = strstr(stub, "_GLOBAL__N_") != NULL || ks_starts_with(stub, "__nv_static_");
    return ks_arena_printf(arena,
                           "kernel=%s key=%s variant=%s arch=sm_%d evidence=%s speedup=%.3f "
                           "lower=%.3f device=%s signer=%s%s%s",
                           kernel->signature->instance, key, v->id, v->arch, v->evidence.level,
                           v->geomean, v->lower, v->evidence.device, found->signer,
                           own ? "" : " symbol=", own ? "" : stub);
}

static void add_substitution(struct consume *c, struct consume_kernel *kernel,
                             const struct ks_found *found, const char *key)
{
    struct ks_substitution *sub = &c->subs[c->n_subs];
    *sub = (struct ks_substitution){
        .signature = kernel->signature, .decl = kernel->mark->decl,
        .file = kernel->mark->file->path, .in_tu = kernel->mark->in_tu,
        .proposal = &found->variant.proposal, .domain = found->variant.domain,
        .key = key, .id = found->variant.id, .arch = kernel->arch,
        .suffix = ks_cmdline_suffix(c->cmd, kernel->arch),
        .provenance = provenance(c->arena, kernel, found, key)};
    c->origins[c->n_subs++] = (struct consume_origin){
        kernel, found, digest_of(sub, &found->variant.evidence)};
}

void consume_decide(struct consume *c)
{
    size_t n = 0;
    for (size_t i = 0; i < c->n_kernels; i++) {
        decide_one(c, &c->kernels[i]);
        n += c->kernels[i].lookup.n_variants;
    }
    c->subs = KS_NEW_ARRAY(c->arena, struct ks_substitution, n + 1);
    c->origins = KS_NEW_ARRAY(c->arena, struct consume_origin, n + 1);
    c->n_subs = 0;
    c->drops.len = c->left_out.len = 0;
    for (size_t i = 0; i < c->n_kernels; i++) {
        struct consume_kernel *kernel = &c->kernels[i];
        if (kernel->reason != KS_R_APPLIED || kernel->signature == NULL)
            continue;
        char hex[KS_HASH_TEXT];
        ks_digest_hex(&kernel->key, hex);
        const char *key = ks_arena_strdup(c->arena, hex);
        kernel->found = &kernel->lookup.variants[0];
        for (size_t v = 0; v < kernel->lookup.n_variants; v++)
            add_substitution(c, kernel, &kernel->lookup.variants[v], key);
    }
    digest_set(c);
}

bool consume_any_pending(const struct consume *c)
{
    for (size_t i = 0; i < c->n_kernels; i++)
        if (consume_undecided(&c->kernels[i]))
            return true;
    return false;
}
