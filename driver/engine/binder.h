// Private to the binding of roles: one search for assignments, and what its parts ask of each
// other.
#ifndef KS_BINDER_H
#define KS_BINDER_H

#include "engine/bind.h"

enum {
    MOST_TRIED = 20000,   // assignments held against the original: each takes microseconds
    MOST_STEPS = 1000000, // of the search for them
    MOST_LOOSE = 20000,   // of the search where an extent need not be equal, which rules out next to nothing
    MOST_UNKNOWN = 48,    // offered where the original cannot be asked: the judge tells
    MOST_RECOGNISED = 4,  // offered where it can: they compute the same
    MOST_CONDITIONS = 64,
    MOST_CHOICES = 64,
};

struct condition { // of sizes alone
    struct ks_expr *expr;
    size_t last;                   // the number whose assignment makes it known
    uint64_t names;                // numbers that it is about, a bit each
    int pointer;                   // the role whose count it gives, or -1: it must hold
    bool product;                  // of names, and so each of them divides the count
    const struct ks_expr *divisor; // by which such a product is divided, or NULL
};

// What follows a sum or is cut off, by ks_tail_chooses.
enum ks_bind_ends { KS_BIND_ANY, KS_BIND_CHOOSING, KS_BIND_OTHERS };

struct binder {
    struct ks_arena *arena;
    const struct ks_brief *brief;
    const struct ks_template *t;
    struct ks_problem probe[KS_PROBES]; // the workload with every size another prime
    int *pointer;                       // by role: parameter or -1; also of scalars, and of literals that are parameters
    bool *taken;                        // by parameter
    bool *read;                         // by parameter: in front of the sum, by a role or beside it
    bool *idle;                         // by parameter: nothing that was compiled reads it
    const char **text;                  // by role: plan text of what is no pointer
    int64_t (*value)[KS_PROBES];        // by role: of integers
    bool *known;                        // by role
    size_t *order, n_order;             // roles that are numbers
    struct ks_integer_list integers;
    struct ks_integer_list *choices; // by role: of literals
    struct ks_strv whole, widths, others; bool listed; // the text's literals, once they are wanted
    struct condition conditions[MOST_CONDITIONS];
    size_t n_conditions;
    struct ks_binding_list *out;
    size_t steps, tried, recognised;
    struct ks_near_miss near;
    bool shared; // one array is two roles' that are read
    bool exact; // extents must be equal, not just large enough
    enum ks_bind_ends ends; // which of them are tried
    const char *no_front; // why nothing stands in front of the sum that its template holds; or NULL
    bool asked; // of some assignment, whether it is what the original computes
    bool round; // sizes must be round (ks_specimens_round)
    const struct ks_stencil *stencil; // what the kernel makes of neighbours, where its template keeps that
    struct ks_template *own; // `t`, with what a complete assignment makes of it; where there is a stencil
};

static inline bool ks_bind_is_pointer(const struct ks_role *role)
{
    return role->kind <= KS_ROLE_KIND_INOUT;
}

static inline bool ks_bind_is_number(const struct ks_role *role)
{
    return role->kind == KS_ROLE_KIND_INT || role->kind >= KS_ROLE_KIND_LITERAL;
}

// An epsilon: no size.
static inline bool ks_bind_is_value(const struct ks_role *role)
{
    return role->kind == KS_ROLE_KIND_LITERAL && role->elem != NULL;
}

// It stands in the kernel's text, or is a parameter of it, where the template's code has room for one.
static inline bool ks_bind_may_be_parameter(const struct ks_role *role)
{
    return ks_bind_is_value(role) && !role->of_text;
}

static inline const struct ks_arg *ks_bind_arg(const struct binder *b, int probe, size_t param)
{
    return &b->probe[probe].args[param];
}

// ks_bind with the mark as it is.
enum ks_status ks_bind_as_marked(struct ks_arena *arena, const struct ks_brief *brief, const struct ks_template *t,
                                 struct ks_binding_list *out, const char **refusal, struct ks_err *err);

// The workload's problem with every size another prime, KS_PROBES times; or such times what sizes are
// multiples of (ks_specimens_round).
enum ks_status ks_bind_probes(struct binder *b, bool round, struct ks_err *err);

// Conditions of sizes: a pointer's count (`pointer` is its role), or what must hold (-1).
struct at_probe {
    const struct binder *b;
    int probe;
};
// A role's value at a probe, for ks_expr_eval: `context` is a struct at_probe.
bool ks_bind_role_value(void *context, const char *name, int64_t *value);
void ks_bind_condition(struct binder *b, struct ks_expr *expr, int pointer);
// Whether nothing that is known after `n` numbers speaks against them.
bool ks_bind_possible(const struct binder *b, size_t n);

// The element type that the roles of a placeholder are bound to; KS_T_NONE: none is.
enum ks_scalar ks_bind_type_of(const struct binder *b, const char *placeholder);
// The type in which elements of one are added up.
enum ks_scalar ks_bind_sum_type(enum ks_scalar scalar);
// By parameter, whether nothing that was compiled reads it, as `beta` where nothing is added to what was there. What is not
// compiled yet may.
bool *ks_bind_idle(struct ks_arena *arena, const struct ks_brief *brief);
// Where arrays are shared: whether one that the role in front has may be this one's too, and whether an assignment has one that is.
bool ks_bind_may_share(const struct binder *b, const struct ks_role *role, int param);
bool ks_bind_shares(const struct binder *b);
// Whether the original rounds to 16 bits at each step: not what a sum in float is, however near small runs come.
bool ks_bind_adds_in_halves(const struct ks_brief *brief);
// Whether what stands in front of the sum reads arrays of its own alone, in packs.
bool ks_bind_packs_in_front(const struct ks_template *t);
// Whether enough was tried or found.
bool ks_bind_enough(const struct binder *b);
// Every form is tried with the assignment, which is complete.
void ks_bind_finish(struct binder *b);

// Reads what a template that keeps a stencil is to keep (bind_stencil.c): b->t is one then whose sizes may be bound. false, with
// b->no_front where there is something to say: the kernel is no such thing.
bool ks_bind_stencil(struct binder *b);
// Gives b->own its form under a complete assignment; false where the kernel's elements are no such grid's.
bool ks_bind_stencil_forms(struct binder *b, const struct ks_assignment *assignment);

// Integers that a workload ties together: what a guard asks, and which bindings are the same again. A
// word needs no parentheses; of words a number, such as a template argument, is no name and the same in
// every launch, so a guard has nothing to ask of it; a struct's member is a name of several words.
bool ks_bind_is_word(const char *text);
bool ks_bind_is_name(const char *text);
const char *ks_bind_guard(const struct binder *b);
const char *ks_bind_round_guard(const struct binder *b, const char *guard);
bool ks_bind_uses(const struct binder *b, const char *text, int *times);
bool ks_bind_repeats(const struct binder *b);

#endif
