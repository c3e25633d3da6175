// What of a user's text a model gets to see: the kernel, what of its file it needs, and no comments, which
// may speak to the model instead of to people.
#ifndef KS_EXCERPT_H
#define KS_EXCERPT_H

#include "base/str.h"

// The text without comments, and without lines that they leave empty.
const char *ks_excerpt_code(struct ks_arena *arena, struct ks_slice text);
// Definitions of `file` outside [begin, end) that the text inside needs, directly or through others: device
// functions, types, constants, macros; "" if none. Comments left out.
const char *ks_excerpt_needs(struct ks_arena *arena, struct ks_slice file, size_t begin, size_t end);

#endif
