// Which arguments the functions of a program may change: those they take by reference, or by a
// pointer to what is not const. Read off their declarations. And what those that are one expression
// return, the text of those that are defined once, and what a call of one does beside returning a value.
#ifndef KS_CALLEE_H
#define KS_CALLEE_H

#include "base/str.h"
#include "source/word_index.h"

enum { KS_CALLEE_ALL = -1 }; // of a function whose declaration is not seen

// What a call does, with all that the function calls in turn.
struct ks_doing {
    int special, barriers, warp_ops, shared; // special functions, ..., shared variables in the text
    int operations;     // arithmetic in the text outside of subscripts, -1: not known
    uint32_t atomics;   // bit i: on memory that argument i points to
    bool numbers;       // what it does depends on the numbers of threads and blocks, or how many there are
    bool fences;        // it orders its writes for other threads
    bool doubles;
    bool elsewhere;     // atomics on memory that no argument leads to: that of an object's members, of the program
    const char *unseen; // a function whose text is not seen, or that calls itself; "": what is called itself; NULL
};
struct ks_callee_text {
    const char *params, *result, *body; // as below
    const char *scope;                  // the class that it is a method of, or NULL
};

struct ks_callee {
    const char *name;
    uint32_t changes; // bit i: argument i
    // Of a function that is defined once and not overloaded: text of the parameter list, the last word in front of
    // its name (of an integer type all of its words), and the body without its brackets; else NULL. And of one that is `return EXPRESSION;` the expression.
    const char *params, *result, *body, *value;
    int definitions;
    struct ks_callee_text *text; // of all of them
    size_t n_texts, cap_texts;
    bool cut;             // and the end of one is not found
    const char *scope;    // of the text that is read
    int looked;           // 1: being looked into, 2: `does` holds
    struct ks_doing does;
};
// Methods are in the list as "CLASS.METHOD".
struct ks_callee_list {
    struct ks_callee *at;
    size_t len, cap;
    struct ks_callee_method { // that the text itself calls: "object.method" or "pointer->method"
        const char *called, *name; // name: in the list, where the class has such a method
    } *methods;
    size_t n_methods, cap_methods;
};

// Objects that are called are in the list, too, by their name ("T()" where they have none) with the operator () of what
// they may be. Every function that `text`, or the body of such a function, calls by a plain or qualified name and
// that `unit` declares, overloads taken together.
void ks_callees_find(struct ks_arena *arena, struct ks_slice text, const struct ks_word_index *unit,
                     struct ks_callee_list *callees);
// That function, or NULL where it is not in the list.
const struct ks_callee *ks_callee_find(const struct ks_callee_list *callees, const char *name);
// Of a name as it is called ("f", "ns::f", "f<float>"); all bits where it is not in the list.
uint32_t ks_callee_changes(const struct ks_callee_list *callees, const char *name);

// What a call of that name does, CUDA's own functions and methods of its groups of threads included. A method is named
// with its object ("tile.size"): it is that of the object's class, or of what that is derived from; of others, as of what
// has no name (""), nothing is known. NULL: nothing that is told here. Where
// nothing of that name is declared, as with types, the same.
const struct ks_doing *ks_callee_does(const struct ks_callee_list *callees, const char *name, bool method);
// Whether CUDA has a function of that name, or nothing but a type would have it.
bool ks_callee_is_own(const char *name);

// For ks_callees_find: what each of the list does.
void ks_callees_look(struct ks_arena *arena, struct ks_callee_list *callees);

#endif
