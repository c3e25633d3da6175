// Templates: tuned kernels with typed roles (skills/templates/NAME.yaml and NAME.cu), bound to a
// kernel's parameters in every way that types, constness and written-ness allow. The judge's
// cheapest test tells which binding is right: recognition by execution.
#ifndef KS_TEMPLATE_H
#define KS_TEMPLATE_H

#include "engine/brief.h"

// Candidates of one group, likeliest binding first; none, with *refusal, when no assignment fits.
// KS_E_USER file:line when the template itself is bad.
enum ks_status ks_template_propose(struct ks_arena *arena, const struct ks_brief *brief,
                                   const struct ks_skill *skill, const char *template_dir,
                                   struct ks_candidate_list *out, const char **refusal,
                                   struct ks_err *err);

// The skill's other settings for the binding of a verified candidate of the same template.
enum ks_status ks_template_settings(struct ks_arena *arena, const struct ks_brief *brief,
                                    const struct ks_candidate *base, const struct ks_skill *skill,
                                    const char *template_dir, struct ks_candidate_list *out,
                                    struct ks_err *err);

// Reads a template with its sources and those that it stands for. KS_E_USER file:line, or the file that is not there.
enum ks_status ks_template_check(struct ks_arena *arena, const char *template_dir, const char *name, struct ks_err *err);

// Replaces @name@ by the values of `names`; KS_E_USER with the line of an unknown one.
enum ks_status ks_template_expand(struct ks_arena *arena, const char *file, const char *text,
                                  const char *const *names, const char *const *values, size_t n,
                                  char **out, struct ks_err *err);

#endif
