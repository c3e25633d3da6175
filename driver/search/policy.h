// The policy of a search: which candidates to look at next. It sees what a search knows of a kernel
// and the answers so far, no engine and no judge; so tuning and the play-back of a log
// (search/replay.h) share it. Deterministic under its seed and the answers.
#ifndef KS_POLICY_H
#define KS_POLICY_H

#include "base/rng.h"
#include "search/effects.h"
#include "search/rank.h"

#define KS_ORIGINAL SIZE_MAX // what the first step stands on

enum ks_part {       // of the policy, each of which can be left out, to see what it is worth
    KS_PART_RULES,   // skills' evidence, and which of them are for the kernel at all
    KS_PART_EFFECTS, // effects of options learned on this kernel
    KS_PART_AHEAD,   // steps on what promises most before it was looked at
    KS_PART_EXPLORE, // what is uncertain may be better than it is expected to be
    KS_PART_CONTROL, // now and then one at random
    KS_PART_STOP,    // stops where nothing more is to be gained
    KS_PART_COUNT
};
const char *ks_part_name(enum ks_part part);

// What was chosen by trying on recorded searches (docs/search.md).
struct ks_policy_constants {
    struct ks_effect_priors priors;
    double rule_lift;   // log ratio between a skill for which all speaks and one without evidence
    double binding;     // how probably a way to bind a template is right, before any was looked at
    int ahead;          // candidates that are stepped on before they were looked at
};
extern const struct ks_policy_constants ks_policy_usual;

enum ks_arm_state {
    KS_ARM_OPEN,
    KS_ARM_ASKED,
    KS_ARM_WRONG,
    KS_ARM_RIGHT,
    KS_ARM_DROPPED,
    KS_ARM_BASELESS, // what it stands on turned out wrong
};
struct ks_arm {       // a candidate as the policy sees it
    const char *name; // the same idea with the same settings has the same
    size_t from, skill; // the arm it stands on or KS_ORIGINAL; position among the ranked
    size_t tag;         // the space's own
    int depth;
    bool expanded, control;
    enum ks_arm_state state;
    double log_ratio; // when right
    double lift;      // what rules add
    struct ks_words words;
    size_t group;    // among the policy's
    double promise;  // expected gain over the best, of when it was last looked at,
    double value;    // and times how probably it is right: with every answer awaited it can only fall
    int looked_at;
};
struct ks_arm_group { // what may be right or wrong together: all transforms, or one template
    const char *name;
    size_t len;
    int tried, right; // of those that stand on the original
};

struct ks_policy;
// Where candidates come from: `expand` calls ks_policy_offer for all that one action of the ranked
// skill gives on `from`. `stands`, which may be NULL, says whether an arm can be made, before steps
// on it are looked at: offers may be names alone.
struct ks_policy_space {
    void *context;
    enum ks_status (*expand)(void *context, struct ks_policy *policy, size_t from, size_t skill,
                             struct ks_err *err);
    bool (*stands)(void *context, const struct ks_policy *policy, size_t arm);
};

struct ks_policy {
    struct ks_arena *arena;
    struct ks_policy_space space;
    const struct ks_ranked_skill *ranked;
    size_t n_ranked;
    unsigned without; // bits of parts
    const struct ks_policy_constants *constants;
    struct ks_rng rng;
    KS_VEC(struct ks_arm) arms;
    size_t *by_name, n_by_name; // arms + 1 by hash of their names, 0: free
    KS_VEC(struct ks_arm_group) groups;
    int looks; // at arms' values
    struct ks_effects effects;
    double *saved;
    double best;       // log ratio, 0 of the original
    int asked, gained; // gained: asked when the best last became better
    bool begun;
};

// Borrows the constants; NULL: the usual.
void ks_policy_init(struct ks_policy *policy, struct ks_arena *arena, uint64_t seed,
                    unsigned without, const struct ks_policy_constants *constants);
// Offers a candidate; false where it was offered before. The name is copied.
bool ks_policy_offer(struct ks_policy *policy, const char *name, size_t from, size_t skill,
                     size_t tag);
// Up to `most` arms to look at now, the most promising first; 0: the search is over.
enum ks_status ks_policy_next(struct ks_policy *policy, size_t most, size_t *arms, size_t *n,
                              struct ks_err *err);
// The templates among them that the original was recognised as, `most` of those that were not asked for yet, each skill's first
// candidates before any's second, and KS_RECOGNISED in all: they go first and alone, for they are few and mostly right, and a compile
// with others may fail for the others' sake.
#define KS_RECOGNISED 8
enum ks_status ks_policy_recognised(struct ks_policy *policy, size_t most, size_t *arms, size_t *n, struct ks_err *err);
// One of them in those of its skill's other settings that were not looked at, as many at most.
void ks_policy_settings(struct ks_policy *policy, size_t arm, size_t *arms, size_t *n);

// An answer, or a better one than before.
void ks_policy_tell(struct ks_policy *policy, size_t arm, bool right, double ratio);

// It cannot be looked at after all, and says nothing of others.
void ks_policy_drop(struct ks_policy *policy, size_t arm);
// Ids of the skills of all steps from the original to an arm, each once, the first step first (in the policy's arena).
size_t ks_policy_skills(const struct ks_policy *policy, size_t arm, const char ***skills);
// Whether one of them computes with fewer bits than the original.
bool ks_policy_reduces(const struct ks_policy *policy, size_t arm);

#endif
