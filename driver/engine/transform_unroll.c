// Unrolling of innermost loops.
#include "engine/transform_each.h"

enum ks_status ks_transform_unroll(struct ks_subject *s, struct ks_options *options,
                                   struct ks_err *err)
{
    if (s->access.loops == 0)
        KS_FAIL(err, KS_E_UNSUPPORTED, "line %d: the kernel has no loop", s->decl->line);
    if (s->is_map && s->map.stride && s->access.loops == 1)
        KS_FAIL(err, KS_E_UNSUPPORTED, "line %d: the grid-stride loop is the only one",
                s->decl->line);
    if (options->unroll == 1)
        KS_FAIL(err, KS_E_UNSUPPORTED, "unrolling by one changes nothing");
    return KS_OK;
}
