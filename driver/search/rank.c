#include "search/rank.h"

#include <stdlib.h>

static bool is_advice(const struct ks_skill *skill)
{
    return skill->transform == NULL && skill->template_ == NULL;
}

static int by_score(const void *a, const void *b)
{
    const struct ks_ranked_skill *x = a, *y = b;
    if (x->score != y->score)
        return x->score < y->score ? 1 : -1;
    if (is_advice(x->skill) != is_advice(y->skill))
        return is_advice(x->skill) ? 1 : -1;
    return x->skill < y->skill ? -1 : x->skill > y->skill;
}

size_t ks_rank_skills(struct ks_arena *arena, const struct ks_skill_list *skills,
                      const struct ks_fact_list *facts, struct ks_outcomes *outcomes,
                      const struct ks_place *place, struct ks_ranked_skill **ranked)
{
    struct ks_ranked_skill *out = KS_NEW_ARRAY(arena, struct ks_ranked_skill, skills->len + 1);
    size_t n = 0;
    ks_vec_each(struct ks_skill, skill, skills) {
        struct ks_ranked_skill r = {.skill = skill, .feasible = 0.5};
        if (!ks_skill_applies(arena, skill, facts, &r.evidence, &r.why))
            continue;
        // What has not shown that it pays comes behind what has.
        bool shown = !skill->on_probation && (skill->shown_arch == 0 || skill->shown_arch == place->arch);
        r.score = shown ? r.evidence : r.evidence / 2;
        if (outcomes != NULL) // told, but a search needs no fewer candidates by it (docs/search.md)
            ks_outcomes_skill_value(outcomes, skill->id, place, &r.feasible, &r.gain, &r.n, NULL);
        out[n++] = r;
    }
    qsort(out, n, sizeof *out, by_score);
    *ranked = out;
    return n;
}
