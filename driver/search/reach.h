// What a search can reach from a candidate by one action of a skill: names at once, proposals on
// demand, since a search asks for few of what it is offered.
#ifndef KS_REACH_H
#define KS_REACH_H

#include "engine/engine.h"
#include "engine/subject.h"

struct ks_reach_action {
    const struct ks_skill *skill;
    const char *body;    // options that rewrite the body, on which it was tried
    const char *text;    // its options, completed; NULL: one that gives nothing
    const char *refusal; // why, or NULL
};

struct ks_reach {
    struct ks_arena *arena;
    const struct ks_brief *brief;
    const char *template_dir;
    struct ks_subject subject;
    const char *refusal;                // why no transform understands the kernel, or NULL
    struct ks_candidate_list templates; // proposals of templates come at once
    KS_VEC(struct ks_reach_action) actions; // of the skills that were asked for, tried on each body once
};

// Borrows all.
void ks_reach_open(struct ks_reach *reach, struct ks_arena *arena, const struct ks_brief *brief,
                   const char *template_dir);
// Names of what the skill's action gives on `base` (NULL: on the original), the skill's first
// values first; *refusal, where there are none, says why, or is NULL. What another skill, asked
// before, does as well is that skill's alone. Not each name on a base can be made.
enum ks_status ks_reach_names(struct ks_reach *reach, const struct ks_candidate *base,
                              const struct ks_skill *skill, struct ks_strv *names,
                              const char **refusal, struct ks_err *err);
// The candidate of such a name; KS_E_UNSUPPORTED where no proposal comes of it.
enum ks_status ks_reach_make(struct ks_reach *reach, const char *name, const struct ks_skill *skill,
                             struct ks_candidate *candidate, struct ks_err *err);

#endif
