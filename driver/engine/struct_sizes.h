// Private to the template engine: integers that lie in structs which the kernel takes by value.
#ifndef KS_STRUCT_SIZES_H
#define KS_STRUCT_SIZES_H

#include "engine/brief.h"

// Whether a struct holds integers alone, each given by a clause: then nothing but they is passed by it.
bool ks_struct_is_of_integers(const struct ks_arg *arg);
// What expressions call an argument that lies in such a struct: "p.i32_8" (new).
const char *ks_struct_size_text(struct ks_arena *arena, const struct ks_problem *problem, const struct ks_arg *arg);
// The value of what is called so; false where nothing is.
bool ks_struct_size_value(const struct ks_problem *problem, const char *text, int64_t *value);

#endif
