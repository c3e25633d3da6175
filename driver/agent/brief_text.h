// What a brief says, as text for a prompt. Nothing else of a kernel leaves this machine.
#ifndef KS_BRIEF_TEXT_H
#define KS_BRIEF_TEXT_H

#include "engine/brief.h"

struct ks_brief_source { // beside the brief
    struct ks_slice file; size_t begin, end; // the file that holds the kernel, and where it lies in it
    const char *contract;                    // canonical text
    bool modelled;                           // nothing was measured
};
const char *ks_brief_code(struct ks_arena *arena, const struct ks_brief *brief,
                          const struct ks_brief_source *source);
// Parameters, contract, workloads and tolerance; the device; facts that are known.
const char *ks_brief_contract(struct ks_arena *arena, const struct ks_brief *brief,
                              const struct ks_brief_source *source);
const char *ks_brief_device(struct ks_arena *arena, const struct ks_brief *brief);
const char *ks_brief_facts(struct ks_arena *arena, const struct ks_brief *brief);
// Skills in full, with their pitfalls; "none" without any.
const char *ks_brief_skills(struct ks_arena *arena, const struct ks_skill *const *skills, size_t n);
// A line each.
const char *ks_brief_titles(struct ks_arena *arena, const struct ks_skill *const *skills, size_t n);
// Whether "NAME = VALUE" is a fact as ks_brief_facts prints it, to a percent.
bool ks_brief_quotes(const struct ks_brief *brief, const char *quote);

#endif
