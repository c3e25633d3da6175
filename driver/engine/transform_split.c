// Two launches: parts of a loop's sums by many blocks, then the rest.
#include "engine/emit.h"
#include "engine/transform_each.h"

enum ks_status ks_transform_split(struct ks_subject *s, struct ks_options *options,
                                  struct ks_err *err)
{
    struct ks_proposal proposal;
    if (!s->is_map)
        KS_FAIL(err, KS_E_UNSUPPORTED, "%s", s->not_map);
    if (options->split == 0)
        options->split = 8;
    return ks_emit_split(s, options, &proposal, err);
}
