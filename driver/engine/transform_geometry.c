// Launch geometry of maps: block shape, several items a thread in x, or so many blocks in all.
#include "engine/transform_each.h"

enum ks_status ks_transform_geometry(struct ks_subject *s, struct ks_options *options,
                                     struct ks_err *err)
{
    if (!s->is_map)
        KS_FAIL(err, KS_E_UNSUPPORTED, "%s", s->not_map);
    bool flat = !s->map.axis[1].used && !s->map.axis[2].used;
    if (options->block[0] && flat && options->block[1] > 1)
        KS_FAIL(err, KS_E_UNSUPPORTED, "line %d: the kernel has one axis, the block two",
                s->decl->line);
    if (options->block[0] && !flat && options->block[1] <= 1 && s->map.axis[1].used &&
        options->items > 1)
        KS_FAIL(err, KS_E_UNSUPPORTED, "line %d: items of a flat block in a kernel with rows",
                s->decl->line);
    if (options->blocks && !flat)
        KS_FAIL(err, KS_E_UNSUPPORTED, "line %d: so many blocks in all, in a kernel of more than one axis", s->decl->line);
    const struct ks_problem *p = s->brief->n_problems ? s->brief->problems : NULL;
    bool same = p && options->block[0] && options->block[0] == p->block[0] &&
                (options->block[1] ? options->block[1] : 1) == p->block[1];
    bool more = options->keep || options->hoist || options->select || options->interchange || options->items > 1 ||
                options->blocks || options->rows > 1 || options->width || options->restrict_ ||
                options->bounds || options->unroll || options->stream;
    if (same && !more)
        KS_FAIL(err, KS_E_UNSUPPORTED, "line %d: that is the geometry it has", s->decl->line);
    return KS_OK;
}
