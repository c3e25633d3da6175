// A block's patch and the rim round it in shared memory, for items that read their neighbours.
#include "engine/halo.h"
#include "engine/transform_each.h"

enum ks_status ks_transform_halo(struct ks_subject *s, struct ks_options *options, struct ks_err *err)
{
    struct ks_halo halo;
    if (!s->is_map)
        KS_FAIL(err, KS_E_UNSUPPORTED, "%s", s->not_map);
    for (int a = 0; a < 3; a++)
        if (!s->map.axis[a].used && (options->block[a] > 1 || (a == 1 && options->rows > 1)))
            KS_FAIL(err, KS_E_UNSUPPORTED, "line %d: the kernel has no index in %c", s->decl->line, 'x' + a);
    options->halo = 1;
    return ks_halo_find(s, &halo, err);
}
