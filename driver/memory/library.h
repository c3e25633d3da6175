// The skills in use: the installed ones, and those of this user in <state_dir>/skills, with where each
// stands. Standing is a lesson, not part of a skill's text: it is kept in the memory.
#ifndef KS_LIBRARY_H
#define KS_LIBRARY_H

#include "memory/outcomes.h"
#include "memory/skill.h"

enum ks_standing {
    KS_IN_USE,    // installed, and nothing said
    KS_PROBATION, // of this user, not shown to pay: tried behind the others
    KS_ADOPTED,   // of this user, shown to pay by trials with and without it
    KS_DISABLED,  // not tried, by the user's word
    KS_RETIRED,   // not tried: it did not pay, or was merged into another
};
const char *ks_standing_name(enum ks_standing standing); // "in use", "probation", ...

struct ks_skill_standing {
    const char *id;
    enum ks_standing standing;
    const char *reason, *since; // since: UTC
    const char *toolkit; int arch; // under which it was adopted; "" and 0: does not matter
};

struct ks_library {
    struct ks_skill_list skills;
    KS_VEC(struct ks_skill_standing) standings; // of skills.at[i]
};

const char *ks_library_own_dir(struct ks_arena *arena, const struct ks_config *config); // NULL: no state
// Reads both folders; what is bad is left out with a warning. `all`: with those that are not tried.
// `outcomes` NULL: where skills stand is not known, and all of them count as they came.
enum ks_status ks_library_load(struct ks_arena *arena, const struct ks_config *config,
                               struct ks_outcomes *outcomes, bool all, struct ks_library *library,
                               struct ks_err *err);
const struct ks_skill_standing *ks_library_standing(const struct ks_library *library, const char *id);
// Of an adopted skill, NULL where it holds here; else why it has to be shown anew.
const char *ks_standing_stale(struct ks_arena *arena, const struct ks_skill_standing *standing,
                              const char *toolkit, int arch);

// A skill's text into the user's folder, on probation, once it reads, is sound beside the others and neither
// does nor says what one of them does. `name` is for messages. KS_E_USER: file:line and why not.
enum ks_status ks_library_add(struct ks_arena *arena, const struct ks_config *config,
                              struct ks_outcomes *outcomes, struct ks_library *library, const char *name,
                              struct ks_slice text, struct ks_skill_standing *standing,
                              struct ks_err *err);

// KS_IN_USE takes the entry away.
enum ks_status ks_standing_set(struct ks_outcomes *outcomes, const struct ks_skill_standing *standing,
                               struct ks_err *err);
// What `from` taught is added to what `into` did, and `from` is retired.
enum ks_status ks_skills_merge(struct ks_outcomes *outcomes, const char *from, const char *into,
                               struct ks_err *err);
// Skills on probation or adopted that have lost: after 10 measured attempts with a mean gain below 1, or 5
// that gained by another mechanism than they say and more than by their own. Retired, with the numbers as
// reason; their ids in *ids.
enum ks_status ks_skills_retire_losers(struct ks_arena *arena, struct ks_outcomes *outcomes,
                                       struct ks_strv *ids, struct ks_err *err);

#endif
