// Private to formulas: what the parser makes and the evaluation walks.
#ifndef KS_FORMULA_TREE_H
#define KS_FORMULA_TREE_H

#include "base/vec.h"
#include "engine/formula.h"

#define MAX_LOOPS 8
#define MAX_CLAUSES 40 // loops and lets

enum node_op {
    N_NUMBER,
    N_SLOT,
    N_ARRAY,
    N_COND,
    N_OR,
    N_AND,
    N_EQ,
    N_NE,
    N_LT,
    N_LE,
    N_GT,
    N_GE,
    N_ADD,
    N_SUB,
    N_MUL,
    N_DIV,
    N_NEG,
    N_NOT,
    N_CALL,
    N_OVER,
    N_LET
};

struct node {
    enum node_op op;
    double number;
    size_t slot; // N_SLOT, N_LET; N_ARRAY: of arrays; N_OVER: of its index
    int call;    // N_CALL, N_OVER: in the tables below
    struct node *kid[3];
};
struct slot { // a number's name: an index, a let, or what the scope knows
    const char *name;
    bool free;
    double value;
};
struct array {
    const char *name;
    struct ks_formula_array is;
};
struct clause { // of a statement, outermost first
    bool loop;
    size_t slot;
    struct node *node; // a loop's count, a let's value
    int64_t count;
};
struct statement {
    struct clause clauses[MAX_CLAUSES];
    size_t n_clauses;
    const char *names[MAX_LOOPS];
    size_t n_loops;
    const char *target;
    struct node *at, *value;
};
struct ks_formula {
    KS_VEC(struct slot) slots;
    KS_VEC(struct array) arrays;
    KS_VEC(struct statement) statements;
    int64_t turns; // of sums and the like, for the element at hand
    bool beyond;            // the range of floats, on the way to the last element
};

// N_CALL's and N_OVER's `call`, in the order of the parser's tables of names.
enum call {
    C_EXP,
    C_LOG,
    C_SQRT,
    C_ABS,
    C_TANH,
    C_ERF,
    C_SIN,
    C_COS,
    C_FLOOR,
    C_SINGLE,
    C_WHOLE,
    C_LARGER, // from here on of two numbers
    C_SMALLER,
    C_POW,
    C_DIV,
    C_MOD,
    C_AND,
    C_OR,
    C_XOR,
    C_LOW_PRODUCT
};
enum over { O_SUM, O_PRODUCT, O_MAX, O_MIN, O_ARGMAX, O_ARGMIN, O_MAX_NUMBER, O_MIN_NUMBER };

#endif
