// The compile path: what ks-nvcc does with one marked TU, from marks to object. Any doubt ends in
// CONSUME_PASS, and main then runs the real nvcc with the arguments as given.
#ifndef KS_CONSUME_H
#define KS_CONSUME_H

#include "key/tu.h"
#include "store/manifest.h"
#include "store/store.h"

#define CONSUME_PASS (-1)

// A kernel of this build as consumption sees it: from a fresh identification or from the manifest.
struct consume_kernel {
    const struct ks_tu_mark *mark;
    const struct ks_signature *signature; // NULL when it was not compiled
    int arch;
    struct ks_digest key;
    enum ks_reason reason;  // eligibility, then the decision
    const char *text;
    struct ks_lookup lookup;
};

struct consume {
    struct ks_arena *arena;
    const struct ks_config *config;
    const struct ks_cmdline *cmd;
    struct ks_toolkit *toolkit;
    const char *object;              // what the command writes
    struct ks_tu tu;
    struct ks_store store;
    const char *index[2]; size_t n_index;
    struct ks_digest name;           // of the manifest
    struct ks_manifest manifest;
    struct consume_kernel *kernels; size_t n_kernels;
    struct ks_substitution *subs; size_t n_subs;
    const struct ks_found **found;   // the variant behind each substitution
    struct ks_digest set;            // of the substitutions
};

// The whole of it: nvcc's exit status, or CONSUME_PASS.
int consume_run(struct ks_arena *arena, const struct ks_config *config,
                const struct ks_cmdline *cmd, struct ks_toolkit *toolkit);

// consume_decide.c: fills lookups, decisions and the substitutions of `c->kernels`.
void consume_from_manifest(struct consume *c);
void consume_from_identity(struct consume *c);
void consume_decide(struct consume *c);
bool consume_any_pending(const struct consume *c);

// consume_build.c: compiles. Each returns nvcc's status or CONSUME_PASS.
int consume_plain(struct consume *c);                        // no substitution, known to miss
int consume_proved(struct consume *c);                       // substitution proved before
int consume_prove(struct consume *c, const char *keep_dir);  // after a plain compile into c->object

// consume_report.c: remarks, pending kernels, counters, strict mode's complaint.
void consume_report(struct consume *c, enum ks_reason applied_outcome, const char *text);
bool consume_strict_fails(const struct consume *c);

// consume_tune.c: runs `ks tune` for the pending kernels of this command; true if it ended well.
bool consume_tune(struct consume *c);

#endif
