// Answers of the roles beside the coder, read and checked: a choice of skills that were offered, a
// plan whose quotes hold, a review that quotes what it finds. What does not hold is refused by
// name, and the engine's own choice, or the judge, stands in.
#ifndef KS_ROLES_H
#define KS_ROLES_H

#include "agent/reading.h"

struct ks_plan_ask {
    const struct ks_prompt *prompt;
    const struct ks_brief *brief;
    const char *id;
    const char *const *skills;
    size_t n_skills; // that may be named
};
struct ks_plan_reading {
    enum ks_refusal refusal;
    char why[400];
    const char *skill; // one of those offered, or "none"
    const char *text;  // KS_ACCEPTED: for the coder
};
// The quotes must be facts as given, one at least; the skill one of those offered; expected moves
// name facts.
void ks_read_plan(struct ks_arena *arena, const struct ks_plan_ask *ask,
                  const struct ks_answer *answer, struct ks_plan_reading *out);

#define KS_SKILLS_RANKED 3
struct ks_ranking_ask {
    const struct ks_prompt *prompt;
    const char *id;
    const struct ks_skill *const *skills;
    size_t n; // that were offered
};
struct ks_ranking_reading {
    enum ks_refusal refusal;
    char why[400];
    const struct ks_skill *skills[KS_SKILLS_RANKED];
    size_t n; // KS_ACCEPTED: at least one
};
// One to three of those offered, each of another direction.
void ks_read_ranking(struct ks_arena *arena, const struct ks_ranking_ask *ask,
                     const struct ks_answer *answer, struct ks_ranking_reading *out);

struct ks_review_reading {
    enum ks_refusal refusal;
    char why[400];
    bool rejects;
    const char *finding; // where it rejects: for the repairer
};
// A rejection must quote code as it stands in `source`.
void ks_read_review(struct ks_arena *arena, const struct ks_prompt *prompt, const char *id,
                    const char *source, const struct ks_answer *answer,
                    struct ks_review_reading *out);

#endif
