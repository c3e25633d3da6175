// Enums of a unit: which integer stands under one.
#ifndef KS_ENUMERATION_H
#define KS_ENUMERATION_H

#include "source/type.h"

// Looks for the definition, or the declaration with a type, in preprocessed text. `name` as a signature has it
// ("ns::mode"); of several of that name one of so many bytes counts. Where no type is written it is the signed integer
// of `size` bytes. False: there is no such enum, or the type written is not known.
bool ks_enumeration_find(struct ks_arena *arena, struct ks_slice text, const char *name, size_t size,
                         struct ks_elem *elem);

#endif
