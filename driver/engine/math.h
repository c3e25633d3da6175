// Calls of mathematical functions on floats, and divisions, as cheaper ones.
#ifndef KS_MATH_H
#define KS_MATH_H

#include "engine/subject.h"

// Adds to subject->rewrites and subject->helpers. Level 1: small integer powers without pow, whose
// products round by themselves about as pow does. Level 2: also the hardware's approximations, where
// the mark allows them (`fastmath` or a tol()). KS_E_UNSUPPORTED where there is nothing to do, or it
// is not allowed. Nothing is done to what may be of type double.
enum ks_status ks_math_rewrite(struct ks_subject *subject, int level, struct ks_err *err);

#endif
