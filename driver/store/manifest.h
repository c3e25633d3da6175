// The fast manifest: from a command, its environment and the bytes of its files to the keys of the
// marked kernels, without running a compiler. Same idea as ccache's direct mode.
#ifndef KS_MANIFEST_H
#define KS_MANIFEST_H

#include "key/variant.h"
#include "nvcc/cmdline.h"
#include "nvcc/toolkit.h"

struct ks_manifest_kernel {
    const struct ks_signature *signature; // saved whole: a hit has no stub to read; NULL if not compiled
    const char *file;                  // that holds it, as in ks_source_file.path
    const char *decl_qualified;        // with `line`, finds the declaration again
    int line;
    int arch;
    struct ks_digest key;
    enum ks_reason reason;             // eligibility: APPLIED or why not
    const char *text;
};

// A substitution that was asked for and is not in the proved shadow, and why.
struct ks_manifest_drop {
    struct ks_digest substitution;
    enum ks_reason reason;
    const char *text;
};

// A set of substitutions that was tried: what is left of it compiles to what was judged and leaves
// the others alone, or why not.
struct ks_manifest_proof {
    struct ks_digest set;              // over the digests of all that were asked for
    enum ks_reason outcome;            // of those not dropped
    const char *text;
    struct ks_manifest_drop *drops; size_t n_drops;
};

struct ks_manifest {
    struct ks_strv dependencies;       // all files the plain compile read, main source first
    bool probing;                      // one of them asks whether files exist (__has_include): what is
                                       // said below may change without any of them; set by save
    struct ks_manifest_kernel *kernels; size_t n_kernels;
    struct ks_manifest_proof *proved; size_t n_proved;
    const char *shadow;                // folder name of the shadow that was proved, "" if none
};

// Name of the manifest: command (with options files and flags from the environment put in), cwd,
// environment inputs, toolkit, and the bytes of `side_file` (ks.yaml, whose marks enter keys and
// which no depfile lists; NULL: none). No contents of dependencies.
struct ks_digest ks_manifest_name(const struct ks_cmdline *cmd, const struct ks_toolkit *toolkit,
                                  const char *side_file);

// KS_E_ABSENT: none, or some dependency's bytes differ.
enum ks_status ks_manifest_load(struct ks_arena *arena, const struct ks_config *config,
                                const struct ks_digest *name, struct ks_manifest *manifest,
                                struct ks_err *err);
// Refuses (KS_E_UNSUPPORTED) what it could not vouch for later: a dependency that was written while
// this process ran, or one that asks for the date or time. KS_E_IO: nowhere to write.
enum ks_status ks_manifest_save(const struct ks_config *config, const struct ks_digest *name,
                                const struct ks_manifest *manifest, struct ks_err *err);

// Every manifest file, for whoever collects what is not needed any more. `manifest` is NULL for one
// that is damaged or of another version; `live`: all its files are there and as they were.
void ks_manifest_each(const struct ks_config *config,
                      void (*visit)(void *context, const char *path,
                                    const struct ks_manifest *manifest, bool live),
                      void *context);

#endif
