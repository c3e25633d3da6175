// Private to tail.c: expressions behind a loop as formulas (engine/formula.h), and what they need
// of the kernel.
#ifndef KS_TAIL_EXPR_H
#define KS_TAIL_EXPR_H

#include "base/vec.h"
#include "engine/body.h"
#include "engine/edit.h"
#include "engine/tail.h"

enum { KS_TAIL_NAMES = 24 };
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
    const struct ks_node *loop;
    const char *accumulator;
    struct ks_tail_env env;
    bool inlining;             // of a function's expression: its own names alone
    struct ks_edit_list edits; // reads by their names
    struct ks_buf lets, front; // clauses; declarations from before the loop
    int n_lets, depth;
    const char *why;
};

// Position of the parameter of that name, unless a local hides it.
bool ks_tail_param(const struct ks_tail_reader *t, const char *name, size_t *param);
bool ks_tail_knows(const struct ks_tail_reader *t, const char *name);
// Gives a variable a value from here on; the value becomes a clause of its own.
void ks_tail_set(struct ks_tail_reader *t, const char *name, const char *value);
// Name of a new clause of that value.
const char *ks_tail_let(struct ks_tail_reader *t, const char *value);
// NULL, with t->why, where it is not understood.
const char *ks_tail_formula(struct ks_tail_reader *t, const struct ks_node *e);

#endif
