// The one expression language: workload sizes, launch geometry, guards, domains, plan arguments.
//
// 64-bit signed integers; C's operators and precedence: ?: || && | ^ & == != < <= > >= << >> + -
// * / % ! ~ unary-; calls min(a,b) max(a,b) ceildiv(a,b) aligned(p,k) overlap(p,bytes,q,bytes);
// names of integers (parameters, lets, template values, workspaces' sizes), grid.x .. block.z,
// shared; members of structs by their place: s.i32_8, s.ptr_16 (struct ks_struct_member). Overflow, division by zero, shift outside 0..62, ceildiv by <= 0, and unknown names make
// the value *undefined*: a condition is then false, and a plan is refused.  && || ?: evaluate only
// what they need; anything undefined in an evaluated part makes the whole undefined. x << n is
// x * 2^n (undefined on overflow), x >> n the floor of x / 2^n, ceildiv rounds up for any x,
// aligned(p,k) is p % k == 0 (undefined for k <= 0), overlap() is false for an empty range and
// undefined for a negative length or one past the end of the address space.
// Numbers are decimal or 0x, without suffix; true is 1, false 0. At most 4096 bytes and depth 64 (nesting and tree).
#ifndef KS_EXPR_H
#define KS_EXPR_H

#include <stdint.h>

#include "base/str.h"

enum ks_expr_op {
    KS_X_INT, KS_X_NAME,
    KS_X_NEG, KS_X_NOT, KS_X_COMPL,
    KS_X_ADD, KS_X_SUB, KS_X_MUL, KS_X_DIV, KS_X_MOD, KS_X_SHL, KS_X_SHR,
    KS_X_AND, KS_X_OR, KS_X_XOR,
    KS_X_LT, KS_X_LE, KS_X_GT, KS_X_GE, KS_X_EQ, KS_X_NE,
    KS_X_LAND, KS_X_LOR, KS_X_COND,
    KS_X_MIN, KS_X_MAX, KS_X_CEILDIV,
    KS_X_ALIGNED, // kid[0]: NAME of a pointer, kid[1]
    KS_X_OVERLAP, // kid[0], kid[2]: NAMEs of pointers
};

struct ks_expr {
    enum ks_expr_op op;
    int64_t value;           // KS_X_INT
    const char *name;        // KS_X_NAME: "n", "grid.x", "shared"
    struct ks_expr *kid[4];
};

// Parses all of `text`. `where` ("file:line") leads the message.
enum ks_status ks_expr_parse(struct ks_arena *arena, const char *where, struct ks_slice text,
                             struct ks_expr **expr, struct ks_err *err);

// Looks a name up; false if unknown. Integers and pointers (as addresses) alike.
typedef bool ks_expr_lookup(void *context, const char *name, int64_t *value);

// False when undefined.
bool ks_expr_eval(const struct ks_expr *expr, ks_expr_lookup *lookup, void *context,
                  int64_t *value);
#define KS_EXPR_WHY 128
// Why it is undefined, with the part that is at fault: "`n / 0` divides by zero". "" when it has a value.
void ks_expr_explain(const struct ks_expr *expr, ks_expr_lookup *lookup, void *context,
                     char why[KS_EXPR_WHY]);
// eval() and value != 0; undefined is false.
bool ks_expr_holds(const struct ks_expr *expr, ks_expr_lookup *lookup, void *context);

// Canonical text: minimal parentheses, one space round binary operators. `rename` (may be NULL)
// maps names and may return NULL to keep one.
void ks_expr_print(struct ks_buf *out, const struct ks_expr *expr,
                   const char *(*rename)(void *context, const char *name), void *context);
// C++11 text that computes the same with the helpers below: a `long long`; a variable `bool bad` in
// scope, false before, is true afterwards iff the value is undefined. `leaf` prints a name as an
// operand (parenthesised unless a single token): an integer that fits long long, or a pointer.
void ks_expr_print_c(struct ks_buf *out, const struct ks_expr *expr,
                     void (*leaf)(void *context, struct ks_buf *out, const char *name),
                     void *context);
// Definitions of what that text calls (ks_add_ .. ks_overlap_: static, silent when unused, no header
// needed): the one place, besides ks_expr_eval, where their meaning is written. Static storage.
const char *ks_expr_c_helpers(void);
// A member of a parameter that is a struct, by where it lies and not by name: "s.i32_8" is the signed integer in the
// 4 bytes from byte 8 on, "s.u32_8" the unsigned one, "s.ptr_16" the pointer at byte 16. "s.f32_8" has no value here:
// it names an argument that is handed on.
struct ks_struct_member {
    size_t stem; // length of the parameter's name
    char kind;   // 'i', 'u', 'f', or 'p' for a pointer
    size_t size, at;
};
bool ks_expr_member(const char *name, struct ks_struct_member *member); // false: the name is no member's

// Calls `visit` for each name used (pointers in aligned/overlap included).
void ks_expr_names(const struct ks_expr *expr, void (*visit)(void *context, const char *name),
                   void *context);

#endif
