// Which skills to try first: what the counters and features say, and what earlier runs taught.
#ifndef KS_RANK_H
#define KS_RANK_H

#include "engine/brief.h"
#include "memory/outcomes.h"

struct ks_ranked_skill {
    const struct ks_skill *skill;
    double score;      // evidence in [0,1], times what the memory expects of it
    const char *why;   // one line with the numbers
};

// Applicable skills, best first; equal scores keep the skills' file order. `outcomes` may be NULL.
size_t ks_rank_skills(struct ks_arena *arena, const struct ks_skill_list *skills,
                      const struct ks_fact_list *facts, struct ks_outcomes *outcomes, int arch,
                      const char *bottleneck, struct ks_ranked_skill **ranked);

#endif
