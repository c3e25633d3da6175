// 16-byte accesses for element-wise maps in one axis, with the rest element by element.
#include "engine/transform_each.h"

enum ks_status ks_transform_vectorize(struct ks_subject *s, struct ks_options *options,
                                      struct ks_err *err)
{
    if (!s->is_map)
        KS_FAIL(err, KS_E_UNSUPPORTED, "%s", s->not_map);
    if (options->rows > 1)
        KS_FAIL(err, KS_E_UNSUPPORTED, "packs do not go with rows");
    if (options->width != 0 && options->width != 2 && options->width != 4 && options->width != 8 &&
        options->width != 16)
        KS_FAIL(err, KS_E_UNSUPPORTED, "a pack has 2, 4, 8 or 16 elements");
    if (options->width == 0)
        options->width = 4;
    return KS_OK;
}
