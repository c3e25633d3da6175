// What a shadow compile made, held against what the evidence and the manifest say.
#include "app/consume.h"

#include <string.h>

enum ks_status consume_check_variant(struct consume *c, const struct ks_tu_compile *compile,
                                     size_t i, bool *same, struct ks_err *err)
{
    const struct ks_evidence *evidence = &c->origins[i].found->variant.evidence;
    struct ks_tu_built built = {0};
    *same = false;
    KS_TRY(ks_tu_built_read(c->arena, &c->tu, compile, &c->subs[i], &built, err));
    return built.n != evidence->n_kernels
               ? KS_OK
               : ks_tu_built_same(c->arena, compile, &built, evidence->ptx, evidence->sass, same, err);
}

// The originals in the shadow have the keys of the plain compile, or something has changed that no
// file told of.
static bool same_kernels(struct consume *c, const struct ks_tu *now)
{
    bool same = now->n_kernels == c->manifest.n_kernels;
    for (size_t i = 0; same && i < now->n_kernels; i++) {
        const struct ks_tu_kernel *kernel = &now->kernels[i];
        const struct ks_manifest_kernel *known = &c->manifest.kernels[i];
        same = kernel->reason == known->reason && kernel->arch == known->arch &&
               ks_digest_eq(&kernel->key, &known->key) && kernel->mark->decl->line == known->line &&
               strcmp(kernel->mark->decl->qualified, known->decl_qualified) == 0;
    }
    return same;
}

bool consume_confirms(struct consume *c, const struct ks_tu_compile *compile, struct ks_err *err)
{
    struct ks_tu now = c->tu;
    now.signatures = (struct ks_signature_list){0};
    if (ks_tu_identify(c->arena, &now, compile, err) != KS_OK || !same_kernels(c, &now))
        return false;
    for (size_t i = 0; i < c->n_subs; i++) {
        bool same;
        if (consume_check_variant(c, compile, i, &same, err) != KS_OK || !same)
            return false;
    }
    return true;
}
