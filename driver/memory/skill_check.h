// What is wrong with skills beyond what one file's reading shows: conditions that contradict each other or
// say nothing, duplicates, relations that run in circles, texts that lack a part.
#ifndef KS_SKILL_CHECK_H
#define KS_SKILL_CHECK_H

#include "memory/skill.h"

struct ks_finding {
    const char *file;
    int line;
    bool contradiction;
    const char *text; // what is wrong and the next step
};
struct ks_finding_list {
    struct ks_finding *at;
    size_t len, cap;
};
void ks_finding_add(struct ks_arena *arena, struct ks_finding_list *findings, const char *file, int line,
                    bool contradiction, const char *format, ...) __attribute__((format(printf, 6, 7)));

// `others`: skills that `after` may name beside these, or NULL.
void ks_skills_check(struct ks_arena *arena, const struct ks_skill_list *skills,
                     const struct ks_skill_list *others, struct ks_finding_list *findings);
// The same of one whose file was not read without findings: what its readable parts say, beside no other.
void ks_skill_check_rest(struct ks_arena *arena, const struct ks_skill *skill, const struct ks_skill_list *skills,
                         const struct ks_skill_list *others, struct ks_finding_list *findings);
// The first contradiction of a skill among others, in its conditions or along `after`, "FILE:LINE: ..."; NULL: none.
const char *ks_skill_contradiction(struct ks_arena *arena, const struct ks_skill_list *skills,
                                   const struct ks_skill *skill);
// Whether a condition behind the skill's `when` would be evidence: it stands nowhere yet, and where the gate lets a
// kernel through it may hold and may not.
bool ks_skill_takes(struct ks_arena *arena, const struct ks_skill *skill, const struct ks_condition *condition);
// Skills that say nearly the same: the share of three-word runs of title and `how` that two have in common.
double ks_skill_likeness(struct ks_arena *arena, const struct ks_skill *a, const struct ks_skill *b);

#endif
