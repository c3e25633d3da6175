// Clauses that name members of structs passed by value: set(p.n=n) in(p.x[n]).
#ifndef KS_MEMBERS_H
#define KS_MEMBERS_H

#include "source/mark.h"
#include "source/signature.h"

// Whether some workload has such clauses.
bool ks_members_named(const struct ks_mark *mark);
// A copy of the mark in which they have become blocks, for one instance of its kernel. `text`: preprocessed, where
// the structs are defined. A workload of which that cannot be done says why in capture_problem: the struct is not
// plain (workload/fields.h), has no such member, or one of its members is given nothing.
struct ks_mark *ks_members_expand(struct ks_arena *arena, const struct ks_mark *mark,
                                  const struct ks_kernel_decl *decl,
                                  const struct ks_signature *signature, struct ks_slice text);

#endif
