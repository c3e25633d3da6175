// What earlier kernels taught: for each the effects of options on its time (search/effects.h), from
// which a new kernel's begin, those of similar kernels counting more.
#ifndef KS_LESSONS_H
#define KS_LESSONS_H

#include "memory/skill.h"
#include "search/effects.h"

struct ks_lesson { // of one kernel
    const struct ks_fact_list *facts;
    struct ks_effects effects;
    const char **best;
    size_t n_best;          // names of its fastest, fastest first
    int right[2], tried[2]; // of transforms' candidates, and of templates'
};
struct ks_step_gain { // a step of one direction behind one of another
    size_t of;        // number of lessons when it was learned: the kernel's from 1
    const char *from, *to;
    int n;
    double sum; // of log gains
};
struct ks_lessons {
    struct ks_arena *arena;
    KS_VEC(struct ks_lesson) of;
    KS_VEC(struct ks_step_gain) steps;
};

struct ks_lesson_outcome {
    const char *name;
    bool right;
    double log_ratio;
};
void ks_lessons_add(struct ks_lessons *lessons, const struct ks_fact_list *facts,
                    const struct ks_lesson_outcome *outcomes, size_t n);
void ks_lessons_step(struct ks_lessons *lessons, const char *from, const char *to, double gain);

// The lessons as one kernel sees them.
struct ks_lesson_view {
    const struct ks_lessons *lessons;
    double *weight; // of each
};
// `similar` false: all count the same. `except` is left out (SIZE_MAX: none).
struct ks_lesson_view ks_lessons_view(struct ks_arena *arena, const struct ks_lessons *lessons,
                                      const struct ks_fact_list *facts, bool similar,
                                      size_t except);
void ks_lessons_prior(const void *view, const char *word, double *mean, double *variance);
// How often candidates of that kind verified, with a prior.
double ks_lessons_right(const struct ks_lesson_view *view, bool of_template);
double ks_lessons_gain(const struct ks_lesson_view *view, const char *from, const char *to);

#endif
