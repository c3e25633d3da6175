// Private to the hoisting of what does not change in loops: what its files share.
#ifndef KS_HOISTER_H
#define KS_HOISTER_H

#include "engine/loop.h"
#include "engine/subject.h"

struct ks_hoist_effects {           // of a loop, or of the kernel, on memory
    const struct ks_node **written; // by parameter: the first store through it, or NULL
    const struct ks_node *store;    // the first store through any
    const struct ks_node *unknown;  // the first that is not followed
    const struct ks_node *meets; // the first place where threads may learn of each other's stores
};
enum ks_hoist_part { KS_HOIST_TEST, KS_HOIST_BODY, KS_HOIST_STEP };
struct ks_hoist_frame {   // round an expression, the outermost first
    struct ks_node *node; // the loop; else the condition under which it is evaluated
    bool loop, negated;
    bool shut;               // a loop over items: what stands in front of it is no map's any more
    bool alone;              // the loop is not in a block
    enum ks_hoist_part part; // of the loop, in which the expression stands
    struct ks_affine env;    // in front of the loop
    struct ks_loop l;
    struct ks_hoist_effects effects;
};
struct ks_hoister {
    struct ks_subject *s;
    struct ks_hoist_frame *at;
    size_t n, cap;
    struct ks_hoist_effects whole; // of the kernel
    bool front;  // asked is for the value in front of the loop, not for all of its turns
    bool apart;  // found on the way: arrays must not overlap
    bool varies; // and: the refusal is that it changes, which is no finding
};

// The pointer parameter that a name is, or -1.
int ks_hoist_param(const struct ks_subject *s, const struct ks_node *name);
struct ks_hoist_effects ks_hoist_effects(const struct ks_subject *s, struct ks_node *node);
// Why the expression has not one value in all turns of the loop of that frame, wherever it is
// evaluated there; NULL where it has.
const char *ks_hoist_varies(struct ks_hoister *h, const struct ks_node *e,
                            const struct ks_hoist_frame *loop);
// Whether evaluating it where the program does not could be told: it reads memory, divides
// integers, or calls a function of the program's.
bool ks_hoist_may_fault(const struct ks_hoister *h, const struct ks_node *e);
// Whether compilers are not likely to do it themselves: a read of memory that the loop may change
// or that stands under a condition, a function of many instructions.
bool ks_hoist_pays(const struct ks_hoister *h, const struct ks_node *e,
                   const struct ks_hoist_frame *loop, bool conditional);
// CUDA's functions whose value their arguments alone decide.
bool ks_hoist_is_math(const char *name);

// The type of an arithmetic expression; KS_T_NONE where it is not known. `at`: where its names are
// in sight.
enum ks_scalar ks_hoist_type(const struct ks_subject *s, const struct ks_node *e, size_t at);

#endif
