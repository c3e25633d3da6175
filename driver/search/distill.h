// Distilling: a win becomes a skill. The options that a sequence of actions ended up with, which no skill gives at once,
// are written down as one, with the conditions under which its parts were tried; it is tried elsewhere on probation
// until trials have shown that it pays (memory/trial.h).
#ifndef KS_DISTILL_H
#define KS_DISTILL_H

#include "engine/brief.h"
#include "memory/library.h"

#define KS_DISTILL_GAIN 1.1 // a win below teaches nothing worth a skill

// The best attempt of a trajectory that was judged in full and found faster: on a GPU, or where there is none modelled.
// NULL: there is none.
const struct ks_attempt *ks_distill_best(const struct ks_attempt *attempts, size_t n);
// The text of a skill, YAML, in the arena. KS_E_UNSUPPORTED says why none comes of it: too small a gain, a template's, or
// what a skill does already.
enum ks_status ks_distill(struct ks_arena *arena, const struct ks_library *library, const struct ks_brief *brief,
                          const struct ks_attempt *won, const char **id, const char **text, struct ks_err *err);

#endif
