// Updates of one variable by an operation whose order is free: "s += e", "m = fmaxf(m, e)",
// "if (e < m) m = e", in any spelling; and "if (e < m) { m = e; at = i; }", which keeps the place of
// the first.
#ifndef KS_REDUCTION_H
#define KS_REDUCTION_H

#include "engine/body.h"

struct ks_reduction {
    const char *name;
    const char *identity; // what other threads start with; NULL: the variable's own value does
    // Of two values a and b: front a between b behind.
    const char *front, *between, *behind;
    int places;       // how often the variable is named in its updates
    const char *pick; // "<" or ">": b where b pick a, else a (front and so on are then NULL)
    const char *place;            // the variable that is set to where what is picked stands, or NULL
    const struct ks_node *where;  // the value it is set to,
    const struct ks_node *value;  // and the one that is picked
};

// Whether the statement or expression is such an update, of which variable, and by what.
bool ks_reduction_read(struct ks_arena *arena, const struct ks_body *body,
                       const struct ks_node *node, struct ks_reduction *reduction);
// Whether an `if` is one that also keeps the place; no other function here reads such.
bool ks_reduction_read_placed(struct ks_arena *arena, const struct ks_body *body,
                              const struct ks_node *node, struct ks_reduction *reduction);
// How often the name stands below the node.
int ks_node_count_name(const struct ks_node *node, const char *name);
bool ks_reduction_same(const struct ks_reduction *a, const struct ks_reduction *b);
// C text that combines `reduction->name` with a value of another thread.
const char *ks_reduction_text(struct ks_arena *arena, const struct ks_reduction *reduction,
                              const char *value);

#endif
