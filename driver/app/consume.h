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
    const struct ks_found *found; // the best variant that is compiled in; NULL: none
};

// Whence a substitution comes, by position in `consume.subs`.
struct consume_origin {
    struct consume_kernel *kernel;
    const struct ks_found *found;
    struct ks_digest digest;      // its name in a manifest
};

// What a unit belongs to that is compiled to be linked in the same command.
struct consume_part {
    const char *program;
    bool alone; // nothing else of the program is compiled there
};

// A variant that is not compiled in after all.
struct consume_left_out {
    const struct consume_kernel *kernel;
    const char *id;
    enum ks_reason reason;
    const char *text;
};

struct consume {
    struct ks_arena *arena;
    const struct ks_config *config;
    const struct ks_cmdline *cmd;
    struct ks_toolkit *toolkit;
    const char *object;              // what the command writes
    const struct consume_part *part; // NULL: it writes an object; else `object` is not in its words
    char *scratch;                   // shadows that are not kept, or NULL
    struct ks_tu tu;
    struct ks_store store;
    struct ks_strv host_dirs;          // of the host compiler's headers, once it was asked
    struct ks_strv extra_dependencies; // index files of the store, and whom to trust
    struct ks_digest name;           // of the manifest
    struct ks_manifest manifest;
    struct consume_kernel *kernels; size_t n_kernels;
    struct ks_substitution *subs; size_t n_subs; // to compile in; those dropped are taken out
    struct consume_origin *origins;
    struct ks_digest set;            // of all substitutions, the dropped ones too
    struct ks_digest tuned;          // of the keys that the tuner was asked for last
    KS_VEC(struct ks_manifest_drop) drops;
    KS_VEC(struct consume_left_out) left_out; // one a drop
};

// The whole of it: nvcc's exit status, or CONSUME_PASS. `part` may be NULL.
int consume_run(struct ks_arena *arena, const struct ks_config *config,
                const struct ks_cmdline *cmd, struct ks_toolkit *toolkit,
                const struct consume_part *part);

// consume_link.c: the same for a command that compiles and links.
int consume_link(struct ks_arena *arena, const struct ks_config *config,
                 const struct ks_cmdline *cmd, struct ks_toolkit *toolkit);

// consume_passed.c: reports the marked kernels of a command that goes to nvcc as it is. False: strict
// mode does not let it; it has said so.
bool consume_may_pass(struct ks_arena *arena, const struct ks_config *config,
                      const struct ks_cmdline *cmd, struct ks_toolkit *toolkit);
// The same where `reason` and `text` say why nvcc's own result stays.
bool consume_may_stay(struct ks_arena *arena, const struct ks_config *config,
                      const struct ks_cmdline *cmd, struct ks_toolkit *toolkit,
                      enum ks_reason reason, const char *text);

// The files of one input of such a command, into c->tu, as if it compiled just this one.
enum ks_status consume_open_source(struct consume *c, const char *source, struct ks_err *err);

// consume_decide.c: fills lookups, decisions and the substitutions of `c->kernels`.
void consume_from_manifest(struct consume *c);
void consume_from_identity(struct consume *c);
void consume_decide(struct consume *c);
bool consume_any_pending(const struct consume *c);

// consume_outcome.c: what became of the substitutions.
// Takes out subs[i]; a kernel that loses its last variant gets the reason.
void consume_drop(struct consume *c, size_t i, enum ks_reason reason, const char *text);
// Abandons all that are left, unless the outcome is APPLIED.
void consume_outcome(struct consume *c, enum ks_reason outcome, const char *text);
// What the manifest remembers of this very set: drops and outcome are applied. False: never tried.
bool consume_recall(struct consume *c);
void consume_remember(struct consume *c, enum ks_reason outcome, const char *text);

// consume_build.c: compiles of a unit that the manifest knows. nvcc's status, or CONSUME_PASS.
int consume_plain(struct consume *c);  // no substitution, or one known to fail
int consume_proved(struct consume *c); // substitution proved before; PASS: it does not hold now
// Hook and table are in it; KS_E_IO: it cannot be read.
enum ks_status consume_has_proof(struct consume *c, const char *object);
const char *consume_shadow_root(struct consume *c); // NULL: nowhere
// What its words must be told to write; NULL: they say it.
const char *consume_output(const struct consume *c);

// consume_blame.c: drops the variants that the errors of a compile with --keep name; how many.
size_t consume_blame(struct consume *c, const struct ks_tu_compile *compile);
// An error of the text, rather than of the disk, the memory or somebody's kill.
bool consume_is_about_text(const struct ks_tu_compile *compile);

// consume_check.c: what came out of a shadow compile under --keep.
// Whether subs[i] is the code that was judged. KS_E_ABSENT: it was not compiled.
enum ks_status consume_check_variant(struct consume *c, const struct ks_tu_compile *compile,
                                     size_t i, bool *same, struct ks_err *err);
// Whether the unit's kernels and the variants are still those that the manifest speaks of.
bool consume_confirms(struct consume *c, const struct ks_tu_compile *compile, struct ks_err *err);

// consume_prove.c: after a plain compile under --keep into c->object. Always 0: the object is right.
int consume_prove(struct consume *c, const char *keep_dir);

// consume_depfile.c
// What a compile under --keep read becomes the manifest's dependencies.
enum ks_status consume_take_dependencies(struct consume *c, const struct ks_tu_compile *compile,
                                         struct ks_err *err);
// Puts the original's name where `shadow` stands in the user's depfile, and behind all others what the
// decisions hang on, c->extra_dependencies: index files, the project's ks.yaml, and whom to trust.
enum ks_status consume_mend_depfile(struct consume *c, const char *shadow, struct ks_err *err);
// Puts `text` back where a later compile has written to the user's depfile.
enum ks_status consume_restore_depfile(struct consume *c, struct ks_slice text, struct ks_err *err);
// Whether a shadow compile read the files that the plain compile read. Nothing else notices a new
// header that shadows another. `extra` takes what the variants' own includes brought; NULL: nothing may.
bool consume_same_dependencies(struct consume *c, const struct ks_tu_compile *compile,
                               const char *shadow, struct ks_strv *extra);

// consume_report.c: remarks, pending kernels, counters; strict mode's complaint.
void consume_report(struct consume *c);
// A unit whose marks cannot be read: counted.
void consume_report_mark(struct consume *c, const char *complaint);
bool consume_strict_fails(const struct consume *c);

// consume_list.c: -M and -MM, asked for by build systems that compile with a command of their own: the
// list of a marked unit names what its project's decisions hang on. PASS: nothing to add.
int consume_list(struct ks_arena *arena, const struct ks_config *config,
                 const struct ks_cmdline *cmd, struct ks_toolkit *toolkit);

// consume_fingerprint.c: --ks-fingerprint, for CCACHE_COMPILERCHECK: one line that changes with the
// compiler and with what would be substituted in the project (--ks-project, else that of the current
// folder). main's exit status.
int consume_fingerprint(struct ks_arena *arena, const struct ks_config *config,
                        struct ks_toolkit *toolkit);

// Nothing is decided for good: there is no decision, or a variant that was only modelled.
static inline bool consume_undecided(const struct consume_kernel *kernel)
{
    return kernel->reason == KS_R_PENDING || kernel->reason == KS_R_EVIDENCE_LEVEL ||
           (kernel->reason == KS_R_APPLIED && kernel->found != NULL &&
            kernel->found->variant.speed == KS_S_MODELLED);
}

// consume_tune.c: runs `ks tune` for the pending kernels of this command; what it stored tells.
void consume_tune(struct consume *c);
// The command for `ks tune` and `ks warm`: nvcc's words behind the project's folder where it was named.
const char **consume_words(struct consume *c);

#endif
