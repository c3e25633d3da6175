// A struct passed by value, as the unit in double (verify/wide.h) takes it.
#ifndef KS_WIDE_STRUCT_H
#define KS_WIDE_STRUCT_H

#include "source/mark.h"

#define KS_WIDE_STRUCT 128 // bytes at most
#define KS_WIDE_MEMBERS 32

// The bytes, and how many; 0 where that cannot be told: members that no clause names, pointers, 16-bit floats,
// structs of several types inside, too large. The layout is C's; whether the compiler's is that is for the caller, who knows the size that it takes.
size_t ks_wide_struct(const struct ks_block *block, unsigned char out[KS_WIDE_STRUCT]);

#endif
