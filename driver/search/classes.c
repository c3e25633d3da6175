#include "search/classes.h"

#include <stdlib.h>
#include <string.h>

#include "base/log.h"

#define TRIES 2           // of each class
#define WORTH_ANOTHER 1.02 // over what there is: each variant more is code and a condition more

struct guess {
    const struct ks_try *entry;
    double ratio; // on this workload; 1 where it was not timed
};

static int by_ratio(const void *a, const void *b)
{
    const struct guess *x = a, *y = b;
    if (x->ratio != y->ratio)
        return x->ratio < y->ratio ? 1 : -1;
    return strcmp(x->entry->proposal, y->entry->proposal);
}

static bool timed(const struct ks_verdict *verdict, size_t w)
{
    return verdict->evidence.n_timings > w;
}

static bool knows(const struct guess *all, size_t n, const struct ks_try *entry)
{
    for (size_t i = 0; i < n; i++)
        if (strcmp(all[i].entry->proposal, entry->proposal) == 0)
            return true;
    return false;
}

// Tries that were slower there, or not faster than what there is, are left out; so are screened ones, whose
// mean over all workloads may have kept them from a full judgement.
static size_t guess(struct ks_arena *arena, const struct ks_trajectory *trajectory,
                    const struct ks_try *winner, size_t w, double least, struct guess **out)
{
    struct guess *all =
        KS_NEW_ARRAY(arena, struct guess, trajectory->tries.len + trajectory->screened.len + 1);
    size_t n = 0;
    ks_vec_each(struct ks_try, entry, &trajectory->tries) {
        const struct ks_verdict *v = &entry->verdict;
        if (entry->candidate == NULL || entry == winner || v->correctness != KS_C_CORRECT)
            continue;
        double ratio = timed(v, w) ? v->evidence.timings[w].ratio : 1;
        if (!timed(v, w) || ratio > least)
            all[n++] = (struct guess){entry, ratio};
    }
    ks_vec_each(struct ks_try, entry, &trajectory->screened)
        if (timed(&entry->verdict, w) && entry->verdict.evidence.timings[w].ratio > least &&
            !ks_trajectory_knows(trajectory, entry->proposal) && !knows(all, n, entry))
            all[n++] = (struct guess){entry, entry->verdict.evidence.timings[w].ratio};
    qsort(all, n, sizeof *all, by_ratio);
    *out = all;
    return n;
}

static bool gained(const struct ks_verdict *v)
{
    return v->correctness == KS_C_CORRECT &&
           (v->speed == KS_S_FASTER || v->speed == KS_S_MODELLED);
}

static enum ks_status one_class(struct ks_judge *judge, const struct guess *guesses, size_t n,
                                double least, double surely, struct ks_class_win *win, bool *won,
                                int *judged, struct ks_err *err)
{
    *won = false;
    for (size_t i = 0; i < n && i < TRIES && !*won; i++) {
        struct ks_proposal *proposal = &guesses[i].entry->candidate->proposal;
        struct ks_verdict v = {0};
        KS_TRY(ks_judge_full(judge, proposal, &v, err));
        (*judged)++;
        if (v.correctness != KS_C_CORRECT || v.geomean < least ||
            (v.speed != KS_S_AMBIGUOUS && !gained(&v)))
            continue;
        KS_TRY(ks_judge_confirm(judge, proposal, &v, err));
        // Both were paired with the original: the bounds must not meet.
        *won = gained(&v) && v.lower > surely;
        win->won = guesses[i].entry;
        win->verdict = v;
    }
    return KS_OK;
}

enum ks_status ks_classes_settle(struct ks_arena *arena, struct ks_judge *judge,
                                 const struct ks_trajectory *trajectory, const struct ks_try *winner,
                                 const struct ks_verdict *verdict, bool (*stop)(const void *),
                                 const void *context, struct ks_class_win **wins, size_t *n_wins,
                                 int *judged, struct ks_err *err)
{
    const struct ks_problem *problems;
    const double *us;
    size_t n = ks_judge_baseline(judge, &problems, &us);
    enum ks_status status = KS_OK;
    *wins = KS_NEW_ARRAY(arena, struct ks_class_win, n);
    *n_wins = 0;
    for (size_t w = 0; n >= 2 && w < n && status == KS_OK && !stop(context); w++) {
        bool rival = winner != NULL && timed(verdict, w), won = false;
        double least = WORTH_ANOTHER * (rival ? verdict->evidence.timings[w].ratio : 1);
        double surely = !rival ? 1 : verdict->evidence.timings[w].upper > 0
                                         ? verdict->evidence.timings[w].upper
                                         : verdict->evidence.timings[w].ratio;
        struct guess *guesses;
        size_t n_guesses = guess(arena, trajectory, winner, w, least, &guesses);
        ks_judge_class(judge, w, rival && verdict->probes != NULL
                                     ? verdict->probes + w * KS_FLOOR_STEPS : NULL);
        status = one_class(judge, guesses, n_guesses, least, surely, &(*wins)[*n_wins], &won,
                           judged, err);
        if (won) {
            (*wins)[*n_wins].workload = w;
            (*n_wins)++;
        }
    }
    ks_judge_class(judge, KS_ALL_CLASSES, NULL);
    return status;
}
