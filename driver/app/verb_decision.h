// Everything that the stores hold, file by file, as `ks list` and `ks show` tell it.
#ifndef KS_VERB_DECISION_H
#define KS_VERB_DECISION_H

#include "app/verb.h"
#include "fmt/json.h"
#include "memory/outcomes.h"

#define KS_VERB_PREFIX 4 // digits that name a key or a variant

struct verb_decision {
    char key[KS_HASH_TEXT];
    const struct ks_tier *tier;
    const char *path;
    enum ks_reason reason;        // APPLIED: a usable variant; ORIGINAL_WINS; else why it is not used
    const char *text;             // detail of the latter, else ""
    const char *kernel;           // "" for a file that cannot be used
    int arch;                     // 0 likewise
    const char *behind;           // a usable variant of its key and tier that goes first where both hold; or ""
    const char *id;               // of the variant in it, used or only modelled; else ""
    const struct ks_found *found; // of a usable variant, else NULL
    const struct ks_original_decision *original; // or of the decision that the original stays
};
struct verb_decision_list {
    struct verb_decision *at;
    size_t len, cap;
};

// Decisions of the project that `from` lies in, then those of the user. All in context->arena.
enum ks_status verb_decisions_load(struct ks_verb_context *context, const char *from,
                                   struct verb_decision_list *list, struct ks_err *err);
// "variant", "original" or "unusable".
const char *verb_decision_status(const struct verb_decision *decision);
// Whether it is meant by `name`: the kernel, or the first digits of key or variant.
bool verb_decision_goes_by(struct ks_arena *arena, const struct verb_decision *d, const char *name);
const char *verb_tier_name(const struct ks_tier *tier);
// A row of ks.list (docs/json.md); new reference.
json_t *verb_decision_json(const struct verb_decision *decision);
// The `timings` of what was judged or stored, as in ks.tune; new reference.
json_t *verb_timings_json(const struct ks_evidence *evidence);
// Whether it is neither a usable variant nor a decision that the original stays.
bool verb_decision_unused(const struct verb_decision *decision);
// nvcc words for the architectures of the project's and the user's decisions, used or not, then for those of
// what was tried (NULL: of nothing); 4 at most, or NULL when there are none.
const char *const *verb_stored_archs(struct ks_verb_context *context, const char *from,
                                     const struct ks_tried_kernels *tried);
// What a file is looked at under when nothing is said: the words of the last build that left a
// kernel of it pending (then the process moves to that build's folder and *file becomes absolute),
// else the stored architectures, else NULL. *how says which, behind "compiled ".
const char *const *verb_known_words(struct ks_verb_context *context, const char **file,
                                    const char **how);

#endif
