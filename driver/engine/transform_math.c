// Cheaper mathematical functions.
#include "engine/math.h"
#include "engine/transform_each.h"

enum ks_status ks_transform_math(struct ks_subject *s, struct ks_options *options,
                                 struct ks_err *err)
{
    struct ks_subject look = *s;
    if (options->math < 1 || options->math > 2)
        KS_FAIL(err, KS_E_UNSUPPORTED, "math is 1, functions that round alike, or 2, approximations");
    return ks_math_rewrite(&look, options->math, err);
}
