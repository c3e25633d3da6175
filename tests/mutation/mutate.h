// Small faults put into CUDA device code, one a mutant: what a proposer gets wrong, by class.
#ifndef MUTATE_H
#define MUTATE_H

#include "base/vec.h"

enum mutation {
    MUT_OPERATOR,  // + - * / % << >> & | ^, compound assignments
    MUT_CONDITION, // == != && ||, a negated if
    MUT_BOUND,     // < <= > >=, numbers of conditions and loops
    MUT_INDEX,     // an index off by one, x for y of threads and blocks
    MUT_NUMBER,    // other numbers
    MUT_TYPE,      // a narrower type
    MUT_BARRIER,   // a barrier left out
    MUT_FENCE,     // a fence left out, an atomic addition that is none
    MUT_CLASSES
};

struct mutant {
    enum mutation kind;
    int line;           // of the source
    const char *what;   // "`<` becomes `<=`"
    const char *source; // all of it
};
struct mutant_list {
    struct mutant *at;
    size_t len, cap;
};

const char *mutation_name(enum mutation kind);
// Every mutant of the functions' bodies in `source`. Not all of them compile. Arena owns everything.
void mutate(struct ks_arena *arena, const char *source, struct mutant_list *mutants);

#endif
