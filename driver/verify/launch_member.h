// Private to launches: members of structs that are passed by value, as a proposal's expressions name them.
#ifndef KS_LAUNCH_MEMBER_H
#define KS_LAUNCH_MEMBER_H

#include "verify/launch.h"

// What the scope's expressions call parameter `i`.
const char *ks_scope_param(const struct ks_scope *scope, size_t i);
// The argument that is a struct and has a member of that name, or -1.
int ks_member_parent(const struct ks_scope *scope, const char *name, struct ks_struct_member *member);
// An integer as it was recorded, or where a pointer's buffer lies; false for all else.
bool ks_member_value(const struct ks_scope *scope, size_t parent, const struct ks_struct_member *member,
                     int64_t *value);
// A member as the original's struct has it, where it is of the parameter's kind; NULL otherwise.
json_t *ks_member_argument(const struct ks_scope *scope, size_t parent, const struct ks_struct_member *member,
                           const struct ks_type *type);
// Whether all members that the proposal names lie in their structs, in what no launch here evaluates too: a program
// would read whatever lies behind.
bool ks_members_inside(const struct ks_scope *scope, char reason[256]);

json_t *ks_launch_bytes(const void *data, size_t n); // as the worker takes them, at most 64

#endif
