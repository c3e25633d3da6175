// Sections of prompts that grow: a text in skills/prompts/ROLE.yaml that a better one of the user's
// own may stand in for, once tuning with it and without it has shown that no less is won.
#ifndef KS_SECTION_H
#define KS_SECTION_H

#include "agent/prompt.h"
#include "memory/outcomes.h"
#include "memory/trial.h"

#define KS_SECTION_MOST 1500 // bytes

struct ks_section_text {
    const char *role, *section;
    const char *text;
    const char *model, *since, *evidence; // for people
};
// Puts the user's own sections (<state_dir>/prompts/ROLE.SECTION.yaml) in place of the prompt's.
// One that was shown against another text than the prompt has now is left out, and ks_info says so.
// KS_E_USER file:line.
enum ks_status ks_sections_own(struct ks_arena *arena, const char *state_dir,
                               struct ks_prompt *prompt, struct ks_err *err);
// Writes one, shown against `base`.
enum ks_status ks_section_write(struct ks_arena *arena, const char *state_dir,
                                const struct ks_section_text *text, const char *base,
                                struct ks_err *err);
// The section of the prompt, or NULL.
struct ks_prompt_section *ks_section_find(const struct ks_prompt *prompt, const char *name);

// What came of the role's questions on this machine, for whoever is to mend the section: counts,
// and the latest in words.
const char *ks_section_record(struct ks_arena *arena, struct ks_outcomes *outcomes,
                              const char *role);
// Why a text is no section, or NULL.
const char *ks_section_fault(struct ks_arena *arena, const char *text, const char *instead_of);
// Kept where three different kernels and more were tuned with it and without it, something was won
// with it, and neither wins nor right proposals are fewer.
void ks_section_judge(struct ks_arena *arena, const struct ks_trial *trials, size_t n, bool *keep,
                      const char **reason);

#endif
