// `ks bench`: verb_bench.c is the verb and times variants of a kernel, verb_bench_program.c whole programs.
#ifndef KS_VERB_BENCH_H
#define KS_VERB_BENCH_H

#include "app/verb.h"
#include "fmt/json.h"

#define BENCH_RUNS_LEAST 6 // pairs under which no bound of the median exists at 95 %
#define BENCH_RUNS 11
#define BENCH_RUNS_MOST 1000

// What the bounds of a ratio (of a's time over b's) show: "faster", "slower" or "no-difference" of b;
// "too-few" where there are no bounds.
const char *bench_shown(double lower, double upper);
// A bound as JSON: null where there is none.
json_t *bench_bound(double bound);

// Times a program with its originals against the same with its variants; the exit status.
int bench_program(struct ks_verb_context *context, const char *const *words, int runs);

#endif
