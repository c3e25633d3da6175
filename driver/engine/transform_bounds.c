// __launch_bounds__ from the workload's block size, so that registers are given out for it.
#include "engine/transform_each.h"

enum ks_status ks_transform_bounds(struct ks_subject *s, struct ks_options *options,
                                   struct ks_err *err)
{
    if (options->bounds == 0)
        options->bounds = 1;
    if (*s->decl->launch_bounds && options->bounds == 1)
        KS_FAIL(err, KS_E_UNSUPPORTED, "line %d: the kernel has launch bounds", s->decl->line);
    return KS_OK;
}
