// Which skills to try first, by what the counters and features say; and what earlier runs taught, for people.
#ifndef KS_RANK_H
#define KS_RANK_H

#include "engine/brief.h"
#include "memory/outcomes.h"

struct ks_ranked_skill {
    const struct ks_skill *skill;
    double score;      // evidence; half of it where it has not shown that it pays
    double evidence;   // ks_skill_score, in [0,1]
    double feasible, gain; // ks_outcomes_skill_value,
    int n;             // of so many attempts
    const char *why;   // one line with the numbers
};

// Applicable skills, best first; of equal scores those with an action first, then in file order. `outcomes` may be NULL.
size_t ks_rank_skills(struct ks_arena *arena, const struct ks_skill_list *skills,
                      const struct ks_fact_list *facts, struct ks_outcomes *outcomes,
                      const struct ks_place *place, struct ks_ranked_skill **ranked);

#endif
