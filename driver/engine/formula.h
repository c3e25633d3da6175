// Private to the template engine: what a form of a template computes, as a formula that is
// evaluated in double, so that a wrong binding is told from a right one without compiling anything.
//
//   for r < rows: for c < cols: let top = max(k < cols: x[r * cols + k]): y[r * cols + c] = exp(x[r
//   * cols + c] - top)
//
// Statements end with ";". Loops run from 0; of those around a statement any tuple may be asked
// for. Expressions are C's on numbers: ?: || && comparisons + - * / unary - and !, where / divides
// exactly; "let d = x[i] - y[i]: d * d" is one too; div(a,b) and mod(a,b) are those of whole numbers, rounded down. Further: exp log sqrt
// abs tanh erf floor(a), single(a) rounded to fp32, whole(a) toward zero (of a NaN 0), larger smaller pow(a,b), of whole numbers
// and or xor(a,b) and low_product(a,b), the lower 32 bits, and over an index: sum product max min(i < n: e),
// argmax argmin (the first of equals), max_number min_number (of what is a number; the others keep a NaN that comes first). Arrays are read by name[index]; ?:, || and && evaluate what
// they need alone. A NaN is what reading outside an array gives.
#ifndef KS_FORMULA_H
#define KS_FORMULA_H

#include <stdbool.h>
#include <stdint.h>

#include "base/arena.h"
#include "base/status.h"

struct ks_formula;

struct ks_formula_array {
    const double *at; // NULL: not there, reads as 0
    int64_t n;
};
// What the names that the formula does not bind itself stand for.
struct ks_formula_scope {
    void *context;
    bool (*number)(void *context, const char *name, double *value);
    bool (*array)(void *context, const char *name, struct ks_formula_array *array);
};

// KS_E_USER "where: ..." on what is no formula.
enum ks_status ks_formula_parse(struct ks_arena *arena, const char *where, const char *text,
                                struct ks_formula **formula, struct ks_err *err);
// Binds all names anew. KS_E_USER names the first that nothing stands for.
enum ks_status ks_formula_bind(struct ks_formula *formula, const char *where,
                               const struct ks_formula_scope *scope, struct ks_err *err);

size_t ks_formula_statements(const struct ks_formula *formula);
const char *ks_formula_target(const struct ks_formula *formula, size_t statement);
// Names of the loops' indices around a statement, outermost first.
size_t ks_formula_loops(const struct ks_formula *formula, size_t statement,
                        const char *const **names);
// How many elements a statement gives: the product of its loops' counts; -1 where that is no
// number.
int64_t ks_formula_count(struct ks_formula *formula, size_t statement);
#define KS_FORMULA_TURNS (1 << 17) // of sums and the like, for one element: fifty times what kernels' specimens were seen to take
// Element `nth` of them, the last loop turning fastest: where, and its value. False: undefined, or more than so many turns.
// `indices` (may be NULL) receives the loops' indices.
bool ks_formula_element(struct ks_formula *formula, size_t statement, int64_t nth, int64_t *at,
                        double *value, int64_t *indices);
// Whether something that was reckoned on the way to the last one is no number of fp32.
bool ks_formula_is_beyond(const struct ks_formula *formula);

#endif
