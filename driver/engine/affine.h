// Integer expressions of a kernel as polynomials over thread and block indexes, parameters and
// loop variables: how index spellings are recognised and access patterns are read.
//
// What does not fit (division, memory, unknown calls, locals that change) is not `known`.
#ifndef KS_AFFINE_H
#define KS_AFFINE_H

#include "engine/body.h"

enum { KS_POLY_TERMS = 12, KS_POLY_SYMBOLS = 4 };

struct ks_term {
    int64_t coef;
    int n; // symbols, sorted; a product
    const char *symbol[KS_POLY_SYMBOLS]; // "threadIdx.x", "n", "k"
};
struct ks_poly {
    bool known;
    bool wide; // a 64-bit cast or variable takes part
    int n;
    struct ks_term term[KS_POLY_TERMS];
};

// Values of locals seen so far, by name.
struct ks_affine_local {
    const char *name;
    struct ks_poly value;
    const struct ks_node *var; // KS_N_VAR
    bool changes;              // assigned after its declaration
    bool loop;                 // a loop's variable
};
struct ks_affine {
    struct ks_arena *arena;
    struct ks_node *root; // to look for assignments
    struct ks_affine_local *at;
    size_t len, cap;
};

void ks_affine_begin(struct ks_arena *arena, struct ks_node *root, struct ks_affine *env);
// Enters the variables of a KS_N_DECL, in textual order of the walk. A later declaration of the
// same name hides the earlier one.
void ks_affine_declare(struct ks_affine *env, const struct ks_node *decl, bool loop);
const struct ks_affine_local *ks_affine_find(const struct ks_affine *env, const char *name);
struct ks_poly ks_affine_eval(const struct ks_affine *env, const struct ks_node *expr);

bool ks_poly_equal(const struct ks_poly *a, const struct ks_poly *b);
struct ks_poly ks_poly_symbol(const char *name);
struct ks_poly ks_poly_constant(int64_t value);
struct ks_poly ks_poly_product(const struct ks_poly *a, const struct ks_poly *b);
struct ks_poly ks_poly_sum(const struct ks_poly *a, const struct ks_poly *b, int64_t factor);
// Whether a symbol that starts with `prefix` occurs ("threadIdx.", "blockIdx.x").
bool ks_poly_mentions(const struct ks_poly *p, const char *prefix);
// blockIdx.a * blockDim.a + threadIdx.a, or blockIdx.a alone (*block is then "1"); a literal or template parameter in place of blockDim.a is
// returned in *block (NULL when it is blockDim itself). False for anything else.
bool ks_poly_is_global(const struct ks_poly *p, char axis, const char **block);
// How neighbours in threadIdx.x step: 0 the same element, 1 contiguous, else the constant stride;
// false when unknown or not a constant (*stride is then -1 for "depends on a parameter").
bool ks_poly_thread_stride(const struct ks_poly *p, int64_t *stride);

// "threadIdx.x" for a member node of a builtin variable, else NULL.
const char *ks_builtin_name(struct ks_arena *arena, const struct ks_node *node);

#endif
