// Members of a plain struct by offset and type, read from preprocessed text: what pointers in an
// argument passed by value point to. Only what needs no compiler is understood: no templates,
// bases, unions, bit-fields, alignment by attribute, nor members of types that are none of ours;
// whoever asks compares the size with the compiler's.
#ifndef KS_FIELDS_H
#define KS_FIELDS_H

#include "base/vec.h"
#include "source/type.h"

struct ks_field { // no struct: members of members are written out
    const char *name; // "n", "in.d", "c.1" for c[1]
    size_t at, size;
    struct ks_type type;
};
struct ks_fields {
    struct ks_field *at;
    size_t len, cap;
    size_t size, align; // of the whole, bytes
};

// `type` as a signature has it, "ns::pair". False: not understood, or defined more than once.
bool ks_fields_find(struct ks_arena *arena, struct ks_slice text, const char *type,
                    struct ks_fields *out);

#endif
