// Which arguments the functions of a program may change: those they take by reference, or by a
// pointer to what is not const. Read off their declarations. And what those that are one expression
// return, and the text of those that are defined once.
#ifndef KS_CALLEE_H
#define KS_CALLEE_H

#include "base/str.h"

enum { KS_CALLEE_ALL = -1 }; // of a function whose declaration is not seen

struct ks_callee {
    const char *name;
    uint32_t changes; // bit i: argument i
    // Of a function that is defined once and not overloaded: text of the parameter list, the last word in front of
    // its name (of an integer type all of its words), and the body without its brackets; else NULL. And of one that is `return EXPRESSION;` the expression.
    const char *params, *result, *body, *value;
    int definitions;
};
struct ks_callee_list {
    struct ks_callee *at;
    size_t len, cap;
};

// Every function that `text`, or the body of such a function, calls by a plain or qualified name and
// that `unit` declares, overloads taken together.
void ks_callees_find(struct ks_arena *arena, struct ks_slice text, struct ks_slice unit,
                     struct ks_callee_list *callees);
// That function, or NULL where it is not in the list.
const struct ks_callee *ks_callee_find(const struct ks_callee_list *callees, const char *name);
// Of a name as it is called ("f", "ns::f", "f<float>"); all bits where it is not in the list.
uint32_t ks_callee_changes(const struct ks_callee_list *callees, const char *name);

#endif
