// What the parts of `ks skills` share.
#ifndef KS_VERB_SKILLS_H
#define KS_VERB_SKILLS_H

#include "app/verb.h"
#include "memory/skill.h"

// EXIT_USAGE, with the nearest id.
int verb_skill_unknown(struct ks_verb_context *context, const struct ks_skill_list *skills, const char *id);
// lint: a folder, or the installed skills, which must cover the lattice too.
int verb_skills_lint(struct ks_verb_context *context, const char *folder);

#endif
