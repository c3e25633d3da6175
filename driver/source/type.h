// Types of kernel parameters and buffer elements, as far as ks needs to know them.
#ifndef KS_TYPE_H
#define KS_TYPE_H

#include <stdbool.h>
#include <stddef.h>

#include "base/str.h"

enum ks_scalar {
    KS_T_NONE, // struct, void, or something we do not model
    KS_T_BOOL,
    KS_T_I8, KS_T_U8, KS_T_I16, KS_T_U16, KS_T_I32, KS_T_U32, KS_T_I64, KS_T_U64,
    KS_T_F16, KS_T_BF16, KS_T_F32, KS_T_F64,
};

// float4 is {KS_T_F32, lanes 4, size 16, align 16}.
struct ks_elem {
    enum ks_scalar scalar;
    int lanes;
    size_t size, align; // bytes; 0 when unknown
};

struct ks_type {
    const char *text;     // as demangled or written, one space between words: "float const*"
    bool pointer;
    bool pointee_const;
    bool restrict_;
    struct ks_elem elem;  // of the pointee, or of the value itself
};

size_t ks_scalar_size(enum ks_scalar scalar);
bool ks_scalar_is_float(enum ks_scalar scalar);
bool ks_scalar_is_signed(enum ks_scalar scalar);
const char *ks_scalar_name(enum ks_scalar scalar); // "f32", "i64", ...: contract and JSON spelling
const char *ks_scalar_c_name(enum ks_scalar scalar); // "float", "long long", "__half", ...

// Parses a C++ type: builtin types in any word order, fixed-width and size typedefs, CUDA vector
// types, half and bfloat16, const, pointers, __restrict__. Unknown names give KS_T_NONE with size 0.
struct ks_type ks_type_parse(struct ks_arena *arena, struct ks_slice text);
// Of a signature's type (key/tu.h): an enum passed by value. Its text is the enum's name, its elem the integer under it.
bool ks_type_is_enum(struct ks_arena *arena, const struct ks_type *type);
// "f32", "f32x4"; "?" when unknown.
const char *ks_elem_text(struct ks_arena *arena, struct ks_elem elem);
bool ks_elem_parse(const char *text, struct ks_elem *elem);

#endif
