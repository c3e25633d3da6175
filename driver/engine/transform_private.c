// Atomics gathered by each block in shared memory, or by each thread in registers, before memory.
#include "engine/gather.h"
#include "engine/transform_each.h"

enum ks_status ks_transform_private(struct ks_subject *s, struct ks_options *options,
                                    struct ks_err *err)
{
    struct ks_gather gather;
    KS_TRY(ks_gather_find(s, &gather, err));
    if (options->private_ < 1 || options->private_ > 2)
        KS_FAIL(err, KS_E_UNSUPPORTED, "private is 1, shared memory, or 2, registers");
    if (options->items || options->rows || options->width || options->stream || options->peel)
        KS_FAIL(err, KS_E_UNSUPPORTED, "gathered atomics walk over their numbers in a way of their own");
    return KS_OK;
}
