// What a proposer sees, and what it gives back. The interface is the same for the expert engine and
// for prompted agents; neither ever sees the judge's seeds, shapes or vectors.
#ifndef KS_BRIEF_H
#define KS_BRIEF_H

#include "device/device.h"
#include "memory/skill.h"
#include "source/alias.h"
#include "source/callee.h"
#include "source/proposal.h"
#include "workload/problem.h"

struct ks_specimens;

struct ks_brief {
    const char *kernel_text;               // definition, from template head to closing brace, macros put in
    const struct ks_kernel_decl *decl;     // of this text; offsets may be relative to the file
    struct ks_callee_list callees;         // what the program's functions may change of their arguments
    struct ks_alias_list aliases;          // other names that the program has for builtin types
    const struct ks_signature *signature;  // parameter names and exact types
    const struct ks_mark *mark;            // tolerance, fastmath, assumes, workloads
    const struct ks_problem *problems; size_t n_problems; // declared workloads
    const double *baseline_us;             // of each, 0: unknown
    const struct ks_device_info *device;
    struct ks_fact_list facts;             // metrics and features
    const char *canonical_ptx;             // of the original
    struct ks_specimens *specimens;        // room for small runs of it (engine/specimen.h); NULL: not kept
};

struct ks_candidate {
    struct ks_proposal proposal;
    struct ks_expr *fits;           // sizes that a template's setting is for; NULL: any that its guard admits
    const char *skill, *direction;  // ids
    const char **skills; size_t n_skills; // of all steps that led here, the first first; none: `skill` alone
    const char *params;             // "block=256 items=4"
    const char *mechanism;          // same idea, same text, whatever the settings
    const char *rationale;          // a sentence or two for people
    bool recognition;               // one of a template's bindings: screening tells which is right
    const char *recognised;         // what the kernel is then, for people; NULL: it is no template's, or none knows
    const char *binding;            // the template and what its roles are, "transpose_inner in=a rows=n ..."; NULL likewise
    const char *base_id;            // of the candidate that its last step was applied to; NULL: the original
    const char *group;              // name of the template its bindings share
    const char *proposer;           // model that wrote it, whose text nobody trusts; NULL: the engine
};
struct ks_candidate_list {
    struct ks_candidate *at;
    size_t len, cap;
};

#endif
