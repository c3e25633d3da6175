// Prompts of the roles: skills/prompts/ROLE.yaml, versioned text with the schema of what is put in and of
// what is to come back (docs/agents.md).
#ifndef KS_PROMPT_H
#define KS_PROMPT_H

#include "agent/backend.h"
#include "fmt/yaml.h"

struct ks_prompt_field {
    const char *name, *meaning;
    bool required;         // of answers
};
struct ks_prompt_section { // put in for @name@; a better one of the user's own may stand in for it (agent/section.h)
    const char *name, *text, *installed;
};
struct ks_prompt {
    const char *file, *role;
    int version, max_tokens;
    double temperature;
    const char *system, *user;
    struct ks_prompt_field *reads; size_t n_reads;
    struct ks_prompt_field *answers; size_t n_answers;
    struct ks_prompt_section *sections; size_t n_sections;
};

// KS_E_USER file:line for a file that is not as it should be.
enum ks_status ks_prompt_load(struct ks_arena *arena, const char *dir, const char *role,
                              struct ks_prompt *prompt, struct ks_err *err);
// Puts the values of `names` into both texts; each name that the prompt reads must be there.
enum ks_status ks_prompt_fill(struct ks_arena *arena, const struct ks_prompt *prompt,
                              const char *const *names, const char *const *values, size_t n,
                              struct ks_ask *ask, struct ks_err *err);
// Whether an answer has every required field and no unknown one; else `why` says which.
bool ks_prompt_fits(const struct ks_prompt *prompt, const struct ks_yaml *answer, char why[256]);

#endif
