// Pointers declared apart and inputs const, under a guard that they do not overlap: loads may then
// take the read-only path, move above stores and be shared.
#include "engine/transform_each.h"

enum ks_status ks_transform_readonly(struct ks_subject *s, struct ks_options *options,
                                     struct ks_err *err)
{
    size_t pointers = 0, done = 0;
    for (size_t i = 0; i < s->decl->n_params; i++) {
        const struct ks_type *type = &s->decl->params[i].type;
        if (!type->pointer)
            continue;
        pointers++;
        done += type->restrict_ && (type->pointee_const || s->access.use[i].written);
        if (s->access.use[i].opaque)
            KS_FAIL(err, KS_E_UNSUPPORTED,
                    "line %d: the pointer %s is used other than by subscript",
                    s->access.use[i].opaque->line, s->decl->params[i].name);
    }
    if (pointers == done)
        KS_FAIL(err, KS_E_UNSUPPORTED, "line %d: the parameters say so already", s->decl->line);
    options->restrict_ = 1;
    return KS_OK;
}
