// Private to the template engine: CUDA's functions as formulas (engine/formula.h), for what a kernel makes of numbers.
#ifndef KS_FUNCTIONS_H
#define KS_FUNCTIONS_H

#include "base/arena.h"
#include "source/type.h"

enum { KS_FUNCTION_TAKES = 3 };
// `means` says what becomes of its arguments %a, %b and %c, before the result is rounded. These come as `takes`, it goes as
// `gives`; KS_T_NONE: as floats, and float where all are no wider.
struct ks_function {
    const char *name, *means;
    enum ks_scalar takes, gives;
};
// By name, with or without std::, and the number of its arguments; NULL: none is known.
const struct ks_function *ks_function_find(const char *name, size_t n_args);
// Whether it speaks of an argument more than once.
bool ks_function_repeats(const struct ks_function *f, size_t arg);
// What it makes of those.
char *ks_function_of(struct ks_arena *arena, const struct ks_function *f, const char *const args[KS_FUNCTION_TAKES]);

#endif
