// A group of threads for each item of a map: turns of its loops are dealt out, sums meet by
// shuffles.
#include "engine/lanes.h"
#include "engine/transform_each.h"

enum ks_status ks_transform_lanes(struct ks_subject *s, struct ks_options *options,
                                  struct ks_err *err)
{
    struct ks_lanes lanes;
    if (!s->is_map)
        KS_FAIL(err, KS_E_UNSUPPORTED, "%s", s->not_map);
    if (options->lanes == 0)
        options->lanes = 32;
    if (options->lanes < 2 || options->lanes > 1024 || (options->lanes & (options->lanes - 1)) != 0)
        KS_FAIL(err, KS_E_UNSUPPORTED, "lanes are a power of two from 2 to 1024");
    return ks_lanes_make(s, options->lanes, options->across ? 32 : 0, options->unroll,
                         ks_subject_apart(s) != NULL, &lanes, err);
}
