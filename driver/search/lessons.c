#include "search/lessons.h"

#include <math.h>
#include <stdlib.h>

#include "search/arm_words.h"

#define LEAST_VARIANCE 0.0004 // of an effect, however alike it was in all kernels
#define OPEN_VARIANCE 0.04
#define PRIOR_KERNELS 1.0 // that said nothing, beside those that spoke
#define BEST_KEPT 4

static int by_ratio(const void *a, const void *b)
{
    const struct ks_lesson_outcome *x = a, *y = b;
    return x->log_ratio == y->log_ratio
               ? strcmp(x->name, y->name)
               : (x->log_ratio < y->log_ratio) - (x->log_ratio > y->log_ratio);
}

void ks_lessons_add(struct ks_lessons *lessons, const struct ks_fact_list *facts,
                    const struct ks_lesson_outcome *outcomes, size_t n)
{
    struct ks_lesson *lesson = ks_vec_push(lessons->arena, &lessons->of);
    struct ks_lesson_outcome *sorted =
        ks_arena_memdup(lessons->arena, outcomes, n * sizeof *outcomes);
    lesson->facts = facts;
    lesson->best = KS_NEW_ARRAY(lessons->arena, const char *, BEST_KEPT);
    ks_effects_init(&lesson->effects, lessons->arena);
    for (size_t i = 0; i < n; i++) {
        bool of_template = ks_starts_with(outcomes[i].name, "template ");
        lesson->tried[of_template]++;
        lesson->right[of_template] += outcomes[i].right;
        if (!outcomes[i].right)
            continue;
        const char *text = ks_arm_words(lessons->arena, outcomes[i].name);
        struct ks_words words = ks_effects_words(&lesson->effects, text, NULL, NULL);
        ks_effects_learn(&lesson->effects, &words, outcomes[i].log_ratio, true);
    }
    qsort(sorted, n, sizeof *sorted, by_ratio);
    for (size_t i = 0; i < n && lesson->n_best < BEST_KEPT; i++)
        if (sorted[i].right && sorted[i].log_ratio > 0)
            lesson->best[lesson->n_best++] = sorted[i].name;
}

void ks_lessons_step(struct ks_lessons *lessons, const char *from, const char *to, double gain)
{
    ks_vec_each (struct ks_step_gain, step, &lessons->steps)
        if (step->of == lessons->of.len && strcmp(step->from, from) == 0 &&
            strcmp(step->to, to) == 0) {
            step->n++;
            step->sum += gain;
            return;
        }
    *ks_vec_push(lessons->arena, &lessons->steps) =
        (struct ks_step_gain){lessons->of.len, from, to, 1, gain};
}

// Facts that both know, each as 0 (the same) to 1; ratios of 10 are far apart, and so are 50
// percent.
static double distance(const struct ks_fact_list *a, const struct ks_fact_list *b)
{
    double sum = 0;
    int n = 0;
    for (size_t i = 0; i < a->len; i++)
        for (size_t k = 0; k < b->len; k++) {
            if (strcmp(a->at[i].name, b->at[k].name) != 0)
                continue;
            double x = a->at[i].value, y = b->at[k].value;
            double far = x == y ? 0 : x <= 0 || y <= 0 ? 1 : fmin(fabs(log(x / y)) / log(10), 1);
            sum += far;
            n++;
        }
    return n > 0 ? sum / n : 1;
}

struct ks_lesson_view ks_lessons_view(struct ks_arena *arena, const struct ks_lessons *lessons,
                                      const struct ks_fact_list *facts, bool similar, size_t except)
{
    struct ks_lesson_view view = {lessons, KS_NEW_ARRAY(arena, double, lessons->of.len + 1)};
    for (size_t i = 0; i < lessons->of.len; i++) {
        double far = similar ? distance(facts, lessons->of.at[i].facts) : 0.2;
        view.weight[i] = i == except ? 0 : exp(-far * far / (2 * 0.15 * 0.15));
    }
    return view;
}

void ks_lessons_prior(const void *context, const char *word, double *mean, double *variance)
{
    const struct ks_lesson_view *view = context;
    double weights = PRIOR_KERNELS, sum = 0, squares = 0;
    for (size_t i = 0; i < view->lessons->of.len; i++) {
        const struct ks_effects *e = &view->lessons->of.at[i].effects;
        for (int k = 0; view->weight[i] > 0 && k < e->n; k++) {
            double own = e->cov[k * KS_EFFECT_WORDS + k];
            if (strcmp(e->word[k], word) != 0 || own >= OPEN_VARIANCE)
                continue;
            double w = view->weight[i] * (1 - own / OPEN_VARIANCE);
            weights += w;
            sum += w * e->mean[k];
            squares += w * (e->mean[k] * e->mean[k] + own);
        }
    }
    *mean = sum / weights;
    *variance =
        fmax((squares + PRIOR_KERNELS * OPEN_VARIANCE) / weights - *mean * *mean, LEAST_VARIANCE);
}

double ks_lessons_right(const struct ks_lesson_view *view, bool of_template)
{
    double right = of_template ? 0.5 : 1.8, tried = 2;
    for (size_t i = 0; view->lessons != NULL && i < view->lessons->of.len; i++) {
        const struct ks_lesson *lesson = &view->lessons->of.at[i];
        if (lesson->tried[of_template] == 0)
            continue;
        right += view->weight[i] * lesson->right[of_template] / lesson->tried[of_template];
        tried += view->weight[i];
    }
    return right / tried;
}

double ks_lessons_gain(const struct ks_lesson_view *view, const char *from, const char *to)
{
    double n = 5, sum = 0;
    ks_vec_each (const struct ks_step_gain, step, &view->lessons->steps)
        if (strcmp(step->from, from) == 0 && strcmp(step->to, to) == 0) {
            n += view->weight[step->of - 1] * step->n;
            sum += view->weight[step->of - 1] * step->sum;
        }
    return sum / n;
}
