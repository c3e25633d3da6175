// Streaming cache hints (evict first) on packs that are touched once.
#include "engine/transform_each.h"

enum ks_status ks_transform_stream(struct ks_subject *s, struct ks_options *options,
                                   struct ks_err *err)
{
    if (options->stream == 0)
        options->stream = 1;
    if (options->stream > 2)
        KS_FAIL(err, KS_E_UNSUPPORTED, "stream is 1 (stores) or 2 (loads too)");
    return ks_transform_vectorize(s, options, err);
}
