#include "search/rank.h"

#include <math.h>
#include <stdlib.h>

static int by_score(const void *a, const void *b)
{
    const struct ks_ranked_skill *x = a, *y = b;
    if (x->score != y->score)
        return x->score < y->score ? 1 : -1;
    return x->skill < y->skill ? -1 : x->skill > y->skill;
}

// Feasibility and speed are separate lessons: a skill that seldom verifies is worth little however
// fast it is, and one that verifies but never gains is worth less with every failure. Priors
// (0.5, no gain) leave the evidence of this kernel alone.
static double learned_weight(struct ks_outcomes *outcomes, const char *skill, int arch,
                             const char *bottleneck)
{
    double feasible = 0.5, gain = 0;
    int n = 0;
    if (outcomes == NULL || ks_outcomes_skill_value(outcomes, skill, arch, bottleneck, &feasible,
                                                    &gain, &n, NULL) != KS_OK || n == 0)
        return 1;
    return (0.5 + feasible) * exp(fmin(fmax(gain, -1), 1));
}

size_t ks_rank_skills(struct ks_arena *arena, const struct ks_skill_list *skills,
                      const struct ks_fact_list *facts, struct ks_outcomes *outcomes, int arch,
                      const char *bottleneck, struct ks_ranked_skill **ranked)
{
    struct ks_ranked_skill *out = KS_NEW_ARRAY(arena, struct ks_ranked_skill, skills->len + 1);
    size_t n = 0;
    ks_vec_each(struct ks_skill, skill, skills) {
        double score;
        const char *why;
        if (!ks_skill_applies(arena, skill, facts, &score, &why))
            continue;
        score *= learned_weight(outcomes, skill->id, arch, bottleneck);
        out[n++] = (struct ks_ranked_skill){.skill = skill, .score = score, .why = why};
    }
    qsort(out, n, sizeof *out, by_score);
    *ranked = out;
    return n;
}
