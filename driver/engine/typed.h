// Private to the template engine: expressions of a kernel as formulas (engine/formula.h) that come to the same number, with
// the types that C gives them: integers that wrap and are cut off, and each step of fp32 rounded. For what a rounding error
// would make something else of: the place of an element, where a formula of sums may be near.
#ifndef KS_TYPED_H
#define KS_TYPED_H

#include "base/vec.h"
#include "engine/edit.h"
#include "engine/subject.h"
#include "engine/tail.h"

enum { KS_TYPED_NAMES = 24 };
struct ks_typed {
    const char *text; // NULL: not understood
    enum ks_scalar type;
    const char *product; // of floats that nothing has rounded yet: what is added to it may be so in one step. Or NULL
    bool either;         // such a product in a variable that is used again: it may be rounded or not
};
struct ks_typed_env { // what variables stand for
    const char *name[KS_TYPED_NAMES];
    struct ks_typed value[KS_TYPED_NAMES];
    size_t n;
};
struct ks_typed_reader {
    struct ks_arena *arena;
    const struct ks_subject *s;
    struct ks_tail *tail; // receives reads and scalars
    size_t target;        // the parameter whose elements are no values, since it is written
    struct ks_typed_env env;
    bool inlining;             // of a function's expression: its own names alone
    struct ks_edit_list edits; // reads by their names
    struct ks_buf lets, front; // clauses; declarations of variables that never change
    int n_lets, depth;
    const char *why;
};

// What an expression hangs on.
enum {
    KS_TYPED_VALUE = 1, // elements of parameters, and variables in `env`
    KS_TYPED_PLACE = 2, // thread numbers, and variables that follow from them or change
    KS_TYPED_OTHER = 4, // elements of other arrays, pointers
};
int ks_typed_hangs_on(struct ks_typed_reader *t, const struct ks_node *e);

struct ks_typed ks_typed_formula(struct ks_typed_reader *t, const struct ks_node *e);
// The same as a value of that type, by C's rules.
struct ks_typed ks_typed_as(struct ks_typed_reader *t, struct ks_typed value, enum ks_scalar type);
// Gives a variable a value from here on; the value becomes a clause of its own.
void ks_typed_set(struct ks_typed_reader *t, const char *name, struct ks_typed value);
struct ks_typed *ks_typed_get(struct ks_typed_reader *t, const char *name);
// Name of a new clause of that value.
const char *ks_typed_let(struct ks_typed_reader *t, const char *value);
// The type that a declaration's words name; KS_T_NONE: none that is known.
enum ks_scalar ks_typed_of_words(struct ks_typed_reader *t, const char *words);
// Position of the parameter of that name, unless a local hides it.
bool ks_typed_param(const struct ks_typed_reader *t, const char *name, size_t *param);
struct ks_typed ks_typed_refuse(struct ks_typed_reader *t, const struct ks_node *at, const char *what);
// Of KS_N_CALL, in typed_calls.c.
struct ks_typed ks_typed_call(struct ks_typed_reader *t, const struct ks_node *e);
// The element e, in the place of `whole` in the code.
struct ks_typed ks_typed_element(struct ks_typed_reader *t, const struct ks_node *e, const struct ks_node *whole);
// Of what an operation has on both sides.
enum ks_scalar ks_typed_common(enum ks_scalar a, enum ks_scalar b);

#endif
