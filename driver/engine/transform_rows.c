// Several rows a thread in kernels indexed by x and y: loads of neighbouring rows are shared in
// registers, and more of them are in flight.
#include "engine/transform_each.h"

enum ks_status ks_transform_rows(struct ks_subject *s, struct ks_options *options,
                                 struct ks_err *err)
{
    if (!s->is_map)
        KS_FAIL(err, KS_E_UNSUPPORTED, "%s", s->not_map);
    if (!s->map.axis[1].used)
        KS_FAIL(err, KS_E_UNSUPPORTED, "line %d: the kernel has no index in y", s->decl->line);
    if (options->width)
        KS_FAIL(err, KS_E_UNSUPPORTED, "packs do not go with rows");
    if (options->rows < 2)
        KS_FAIL(err, KS_E_UNSUPPORTED, "one row a thread is what it does");
    return KS_OK;
}
