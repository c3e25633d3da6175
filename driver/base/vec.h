// Typed vectors in an arena: struct { T *at; size_t len, cap; }. Growth copies; old memory stays.
#ifndef KS_VEC_H
#define KS_VEC_H

#include <stddef.h>
#include <string.h>

#include "base/arena.h"

#define KS_VEC(type)                                                                              \
    struct {                                                                                      \
        type *at;                                                                                 \
        size_t len, cap;                                                                          \
    }

// Appends a zeroed element and returns its address (valid until the next push).
#define ks_vec_push(arena, vec)                                                                   \
    (ks_vec_grow_((arena), (void **)&(vec)->at, &(vec)->len, &(vec)->cap, sizeof *(vec)->at),     \
     &(vec)->at[(vec)->len - 1])

// Iterates with a pointer: ks_vec_each(struct x, p, &list) { ... }
#define ks_vec_each(type, p, vec)                                                                 \
    for (type *p = (vec)->at; p != NULL && p < (vec)->at + (vec)->len; p++)

void ks_vec_grow_(struct ks_arena *arena, void **at, size_t *len, size_t *cap, size_t size);

#endif
