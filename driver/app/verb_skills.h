// What the parts of `ks skills` share.
#ifndef KS_VERB_SKILLS_H
#define KS_VERB_SKILLS_H

#include "app/verb.h"
#include "memory/library.h"
#include "memory/skill_check.h"

// EXIT_USAGE, with the nearest id.
int verb_skill_unknown(struct ks_verb_context *context, const struct ks_library *library, const char *id);
// lint: a folder, or the installed skills, which must cover the lattice too.
// `cover`: a folder that is not the installed one has to speak for every profile, too.
int verb_skills_lint(struct ks_verb_context *context, const char *folder, bool cover);
// What is wrong with the action of a skill: its transform or template, their parameters and values.
void verb_skill_check_action(struct ks_verb_context *context, const struct ks_skill *skill,
                             struct ks_finding_list *findings);
// add FILE.
int verb_skills_add(struct ks_verb_context *context, const char *file);
// disable, enable or retire ID, for a reason or NULL.
int verb_skills_set(struct ks_verb_context *context, const char *what, const char *id, const char *reason);
// merge ID INTO.
int verb_skills_merge(struct ks_verb_context *context, const char *id, const char *into);
int verb_skills_stats(struct ks_verb_context *context);
// export or import FILE.
int verb_skills_carry(struct ks_verb_context *context, const char *what, const char *file);
// adopt ID FILE.cu:KERNEL ... : the gate of memory/trial.h.
int verb_skills_adopt(struct ks_verb_context *context, const struct verb_words *words, const char *budget,
                      const char *device);
// distill FILE.cu:KERNEL: a skill on probation from what won there (search/distill.h).
int verb_skills_distill(struct ks_verb_context *context, const struct verb_words *words);

#endif
