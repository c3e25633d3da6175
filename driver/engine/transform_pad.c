// Longer rows of arrays in shared memory.
#include "engine/pad.h"
#include "engine/transform_each.h"

enum ks_status ks_transform_pad(struct ks_subject *s, struct ks_options *options, struct ks_err *err)
{
    struct ks_subject look = *s;
    options->pad = options->pad ? options->pad : 1;
    return ks_pad_rewrite(&look, options->pad, err);
}
