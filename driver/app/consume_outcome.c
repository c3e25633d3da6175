// What became of a set of substitutions: each variant stands for itself, so one that is not what
// was judged is taken out and the others stay. The manifest remembers which.
#include "app/consume.h"

#include <string.h>

#include "base/log.h"

void consume_drop(struct consume *c, size_t i, enum ks_reason reason, const char *text)
{
    struct consume_kernel *kernel = c->origins[i].kernel;
    ks_debug("%s: variant %s of %s is left out: %s", c->tu.path, c->subs[i].id,
             kernel->signature->instance, ks_reason_name(reason));
    *ks_vec_push(c->arena, &c->drops) =
        (struct ks_manifest_drop){c->origins[i].digest, reason, text};
    *ks_vec_push(c->arena, &c->left_out) =
        (struct consume_left_out){kernel, c->subs[i].id, reason, text};
    c->n_subs--;
    memmove(&c->subs[i], &c->subs[i + 1], (c->n_subs - i) * sizeof *c->subs);
    memmove(&c->origins[i], &c->origins[i + 1], (c->n_subs - i) * sizeof *c->origins);
    kernel->found = NULL;
    for (size_t k = c->n_subs; k-- > 0;)
        if (c->origins[k].kernel == kernel)
            kernel->found = c->origins[k].found; // the first, which is the best
    if (kernel->found == NULL) {
        kernel->reason = reason;
        kernel->text = text;
    }
}

void consume_outcome(struct consume *c, enum ks_reason outcome, const char *text)
{
    if (outcome == KS_R_APPLIED)
        return;
    for (size_t i = 0; i < c->n_kernels; i++) {
        if (c->kernels[i].reason != KS_R_APPLIED)
            continue;
        c->kernels[i].reason = outcome;
        c->kernels[i].text = text;
    }
    c->n_subs = 0;
}

static void drop_digest(struct consume *c, const struct ks_manifest_drop *drop)
{
    for (size_t i = c->n_subs; i-- > 0;)
        if (ks_digest_eq(&c->origins[i].digest, &drop->substitution))
            consume_drop(c, i, drop->reason, drop->text);
}

bool consume_recall(struct consume *c)
{
    for (size_t i = 0; i < c->manifest.n_proved; i++) {
        const struct ks_manifest_proof *proof = &c->manifest.proved[i];
        if (!ks_digest_eq(&proof->set, &c->set))
            continue;
        for (size_t k = 0; k < proof->n_drops; k++)
            drop_digest(c, &proof->drops[k]);
        consume_outcome(c, proof->outcome, proof->text);
        return true;
    }
    return false;
}

void consume_remember(struct consume *c, enum ks_reason outcome, const char *text)
{
    struct ks_manifest_proof *proof = KS_NEW(c->arena, struct ks_manifest_proof);
    *proof = (struct ks_manifest_proof){.set = c->set,
                                        .outcome = outcome,
                                        .text = text,
                                        .drops = c->drops.at,
                                        .n_drops = c->drops.len};
    c->manifest.proved = proof;
    c->manifest.n_proved = 1;
}
