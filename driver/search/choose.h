// The choice of skills for a kernel: what `ks tune` tries, best first, and `ks profile` shows.
#ifndef KS_CHOOSE_H
#define KS_CHOOSE_H

#include "engine/engine.h"
#include "key/tu.h"
#include "profile/profile.h"
#include "search/rank.h"

// Everything a proposer may see of the kernel, its text's features among the facts; without a
// judge's baseline. The kernel's text is what the preprocessor left of it.
enum ks_status ks_choose_brief(struct ks_arena *arena, const struct ks_tu *tu,
                               const struct ks_tu_kernel *kernel,
                               const struct ks_problem *problems, size_t n_problems,
                               const struct ks_device_info *device, struct ks_brief *brief,
                               struct ks_err *err);
// The workload that stands for the kernel: the heaviest.
size_t ks_choose_workload(const struct ks_problem *problems, size_t n);
// Ranks the skills by the brief's facts and the profile's, which join them. What was modelled joins
// nothing (NULL, and so the same as without a profile): a search on the emulated device goes by
// text and launch. `outcomes` may be NULL.
size_t ks_choose_skills(struct ks_arena *arena, const struct ks_skill_list *skills,
                        struct ks_brief *brief, const struct ks_profile *profile,
                        struct ks_outcomes *outcomes, int arch, struct ks_ranked_skill **ranked);

#endif
