// Options of several transforms at once, as a sequence of them ended up with: what a skill does that was distilled
// from one that won. Whether they fit the kernel is for the emitter to say.
#include "engine/transform_each.h"

enum ks_status ks_transform_together(struct ks_subject *s, struct ks_options *options,
                                     struct ks_err *err)
{
    struct ks_options rest = *options;
    struct ks_proposal proposal;
    rest.interchange = rest.select = rest.hoist = rest.keep = rest.divide = 0; // the body has been rewritten
    return ks_emit(s, &rest, &proposal, err);
}
