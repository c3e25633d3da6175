// Private to tail*.c and head.c: expressions behind a loop, or in it, as formulas (engine/formula.h),
// and what they need of the kernel.
#ifndef KS_TAIL_EXPR_H
#define KS_TAIL_EXPR_H

#include "base/vec.h"
#include "engine/body.h"
#include "engine/edit.h"
#include "engine/tail.h"

enum { KS_TAIL_NAMES = 160 };
struct ks_nodes {
    struct ks_node **at;
    size_t len, cap;
};
struct ks_tail_env { // what variables stand for
    const char *name[KS_TAIL_NAMES], *value[KS_TAIL_NAMES];
    size_t n;
};
struct ks_tail_reader {
    struct ks_arena *arena;
    const struct ks_brief *brief;
    const struct ks_kernel_decl *decl;
    struct ks_tail *tail;
    struct ks_body body;
    const struct ks_node *loop; // NULL: a cut (tail_cut.c), which has these instead
    struct ks_tail_cut {
        size_t from, to;  // the first statement that is kept; variables in front of it are outer ones
        const char *text; // of the expression there that is the sum; NULL: a variable is
    } cut;
    const char *accumulator;
    const char *stored;       // the array that the store behind the loop is to
    const char *shares; // array of shared memory to which threads have stored theirs behind the loop
    struct ks_tail_env env;
    struct ks_tail_env outer; // variables from before the loop: once each, whatever branch names them
    bool inlining;             // of a function's expression: its own names alone
    struct ks_edit_list edits; // reads by their names
    struct ks_buf lets, front; // clauses; declarations from before the loop
    int n_lets, depth;
    const char *why;
};

// Reads the kernel's text; false, with t->why, where it is not understood. Closed in both cases.
bool ks_tail_open(struct ks_tail_reader *t, struct ks_arena *arena, const struct ks_brief *brief,
                  struct ks_tail *tail);
void ks_tail_close(struct ks_tail_reader *t);
// The same kernel (new) with a variable for an element that its loop updates in memory, and builtin types.
const struct ks_brief *ks_tail_kept(struct ks_arena *arena, const struct ks_brief *given);

// The one statement that stores to an array of the kernel's, and the way down to it.
enum { KS_TAIL_DEPTH = 64 };
struct ks_tail_store {
    struct ks_node *path[KS_TAIL_DEPTH], *store; // blocks and branches
    size_t depth, stores;
};
bool ks_tail_find_store(struct ks_tail_reader *t, struct ks_tail_store *store);
// A barrier, or a bound that is tested: the template's business.
bool ks_tail_passes(const struct ks_node *s);
// A store to shared memory alone, under a condition or not: a thread's share, which is read as the sum of all.
bool ks_tail_leaves_share(struct ks_tail_reader *t, const struct ks_node *s);
// An element of shared memory, where a block's threads left their shares, or the sum of all of them by name: what they come
// to, or no template finds the formula right. NULL where it is no such thing, or, with t->why, not all of it.
const char *ks_tail_shares(struct ks_tail_reader *t, const struct ks_node *e);
// The tail of those statements, and then of what is stored.
void ks_tail_finish(struct ks_tail_reader *t, struct ks_tail *tail, const struct ks_nodes *list,
                    const struct ks_node *stored, const char *value);

// Position of the parameter of that name, unless a local hides it.
bool ks_tail_param(const struct ks_tail_reader *t, const char *name, size_t *param);
bool ks_tail_knows(const struct ks_tail_reader *t, const char *name);
// What the variable stands for by now, or NULL.
const char *ks_tail_value(const struct ks_tail_reader *t, const char *name);
// Gives a variable a value from here on; the value becomes a clause of its own.
void ks_tail_set(struct ks_tail_reader *t, const char *name, const char *value);
// Name of a new clause of that value.
const char *ks_tail_let(struct ks_tail_reader *t, const char *value);
// NULL, with t->why, where it is not understood.
const char *ks_tail_formula(struct ks_tail_reader *t, const struct ks_node *e);
// The same of what is asked. Arrays are there: a launch where one is null goes to the original.
const char *ks_tail_condition(struct ks_tail_reader *t, const struct ks_node *e);
// Takes up what a statement makes of variables. False, with t->why, where it is not understood.
bool ks_tail_statement(struct ks_tail_reader *t, struct ks_node *s);
// The same statement as code, with reads by their names.
void ks_tail_add_code(struct ks_tail_reader *t, struct ks_buf *code, const struct ks_node *s);

#endif
