// Structs passed by value, read as their members, by what the mark's clauses say of them.
#ifndef KS_FLATTEN_H
#define KS_FLATTEN_H

#include "engine/brief.h"

struct ks_member { // of a parameter that is a struct
    const char *name;   // of the parameter that stands for it: "p_n"
    const char *clause; // in clauses of marks: "p.n"
    const char *plan;   // in plans of the original: "p.i32_8"
    struct ks_type type;
    size_t param, at; // where it lies
};
struct ks_member_list {
    struct ks_member *at;
    size_t len, cap;
};

// The brief with parameters for members that the kernel uses, listed in *members: in the place of each struct of which
// it uses nothing else, behind one that it also uses otherwise. The brief itself where there are none.
const struct ks_brief *ks_flatten(struct ks_arena *arena, const struct ks_brief *brief,
                                  struct ks_member_list *members);
// What the mark says of a struct that is passed by value; NULL: nothing.
const struct ks_block *ks_struct_block(const struct ks_brief *brief, const char *param);
// An expression over those parameters as one of the original's plan.
struct ks_expr *ks_flatten_expr(struct ks_arena *arena, const struct ks_member_list *members,
                                const struct ks_expr *expr);

#endif
