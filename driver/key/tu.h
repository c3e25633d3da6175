// One translation unit under one command: its marked kernels, what they compile to, and their keys;
// and the compilation of shadows of it. The consume path and the tuner both stand on this.
#ifndef KS_TU_H
#define KS_TU_H

#include "cfg/project.h"
#include "key/contract.h"
#include "key/elf.h"
#include "key/identity.h"
#include "os/proc.h"
#include "nvcc/cmdline.h"
#include "nvcc/toolkit.h"
#include "source/closure.h"
#include "source/shadow.h"

// One marked declaration, before anything is compiled.
struct ks_tu_mark {
    const struct ks_mark *mark;
    const struct ks_kernel_decl *decl;
    const struct ks_source_file *file; // that holds it
    bool in_tu;
    const char *side_instance;         // ks.yaml named one instance, or NULL
};

// One kernel: an instance of a marked declaration for one architecture of the build.
struct ks_tu_kernel {
    const struct ks_tu_mark *mark;
    const struct ks_signature *signature; // names of parameters stand in mark->decl
    const struct ks_ptx_entry *ptx;
    int arch;
    const char *target;                // "sm_90a"
    const char *contract;
    struct ks_digest key;
    const char *key_text;
    enum ks_reason reason;             // APPLIED: eligible; else why not
    const char *reason_text;
};

struct ks_tu {
    // Given to ks_tu_open; borrowed.
    const struct ks_config *config;
    const struct ks_cmdline *cmd;
    struct ks_toolkit *toolkit;
    // Given behind ks_tu_open where the unit's text is from elsewhere (verify/confine.h), else NULL; borrowed.
    const char *const *within;         // folders: all of the user's that compiles of it may read
    const struct ks_sandbox *sandbox;  // of all compiles of it that have none of their own
    // Found by ks_tu_open.
    const char *path;                  // input as spelled
    struct ks_project project;
    struct ks_source_list files;
    struct ks_mark_list tu_marks;      // of the TU's own text (for blanking)
    struct ks_tu_mark *marks; size_t n_marks;
    bool headers_marked;               // a pragma stands in an included file
    bool off;                          // the file's first mark is `off`
    struct ks_strv mistakes;           // "file:line: ..." of every mark that is wrong
    // Found by ks_tu_identify.
    struct ks_signature_list signatures;
    struct ks_ptx_module *modules; size_t n_modules; // one an architecture
    struct ks_tu_kernel *kernels; size_t n_kernels;
    const char *plain_dir;             // what the plain compile kept, while it is there
};

// Reads the TU and what it includes, and binds marks (side file included). n_marks == 0: not ours.
// KS_E_USER: a mark is wrong; err has file:line. Where tu->mistakes has it the others were read all the
// same, and the unit can be used: ks_tu_identify gives the kernels of wrong marks the reason BAD_MARK.
enum ks_status ks_tu_open(struct ks_arena *arena, const struct ks_config *config,
                          const struct ks_cmdline *cmd, struct ks_toolkit *toolkit,
                          struct ks_tu *tu, struct ks_err *err);

// The folder for builds of the original, the plain one among them, in the one where a unit is worked on: all that
// tu->sandbox lets them write.
#define KS_TU_OWN "original"

// One compile by the real nvcc with --keep in `keep_dir` (exists, private). What it printed and its
// exit status are the caller's to pass on.
struct ks_tu_compile {
    bool quiet;                        // given: what nvcc says goes into out and err alone
    const char *keep_dir;
    const char *depfile;               // NULL: none is written
    bool lines;                        // given, for ks_tu_compile_text: with line numbers
    bool device;                       // given: device code alone, in a fat binary in the object's place: a third of
                                       // the time, the same PTX and machine code
    bool hold;                         // given: keep back what nvcc prints to the user
    double limit_seconds;              // given: killed then, with all that it started; 0: none
    int64_t limit_memory;              // given with that: bytes for each of its programs; 0: none
    const struct ks_sandbox *sandbox;  // given: it is confined, with an environment cleaned; or NULL
    bool timed_out;
    const char *exceeded;              // what it took too much of in the sandbox; or NULL
    int exit_code;
    struct ks_slice out, err;          // nvcc's text, where it is captured
    struct ks_held held;               // where it is kept back
};

// The plain compile: the user's file, the user's words, to `object`; nothing else differs from nvcc
// but --keep and silence about our pragmas.
enum ks_status ks_tu_compile_plain(struct ks_arena *arena, const struct ks_tu *tu,
                                   const char *object, struct ks_tu_compile *compile,
                                   struct ks_err *err);

// Reads PTX and stub from the plain compile and fills modules, signatures, kernels and keys.
// Marked declarations that were not compiled appear as kernels with reason NOT_COMPILED.
enum ks_status ks_tu_identify(struct ks_arena *arena, struct ks_tu *tu,
                              const struct ks_tu_compile *compile, struct ks_err *err);

// Adds what keeps host compilers from warning about our pragmas, in the user's file or, where it is
// the shadow that is compiled, in headers. To be put last: clang's -Wall would undo it. Not where it
// would hide the same warning about a pragma of others.
void ks_tu_silence(struct ks_arena *arena, const struct ks_tu *tu, bool shadow,
                   struct ks_strv *args);

// Writes the shadow into `shadow_root`/<hash>/<base name> (content-addressed, kept) and compiles it
// to `object` with the user's words. `keep_dir` NULL: no --keep (a proved hit). dispatch false:
// device code for judging, no table. The depfile at `depfile` (NULL: the user's, if any) names the
// shadow, not yet repaired. One that the user did not ask for changes the order in which nvcc starts
// its steps, and with it that of messages.
enum ks_status ks_tu_compile_shadow(struct ks_arena *arena, const struct ks_tu *tu,
                                    const struct ks_substitution *subs, size_t n_subs,
                                    bool dispatch, const char *shadow_root, const char *keep_dir,
                                    const char *object, const char *depfile,
                                    struct ks_tu_compile *compile, const char **shadow_path,
                                    struct ks_err *err);

// Device code of `text` in the unit's place, written to `path`, with the user's words and the unit's folder for
// quoted includes: for the judge's own builds of the user's code. The words ask for no depfile.
enum ks_status ks_tu_compile_text(struct ks_arena *arena, const struct ks_tu *tu,
                                  struct ks_slice text, const char *path, const char *keep_dir,
                                  const char *object, struct ks_tu_compile *compile, struct ks_err *err);

// What a shadow compile (with --keep) made of one substitution's kernels: registered names in source
// order with canonical PTX and machine code digests for its architecture, and the cubin's path.
struct ks_tu_built {
    const char **names;                // registered, one a kernel of the proposal
    struct ks_digest *ptx, *sass;
    size_t n;
    const char *cubin;
};
enum ks_status ks_tu_built_read(struct ks_arena *arena, const struct ks_tu *tu,
                                const struct ks_tu_compile *compile,
                                const struct ks_substitution *sub, struct ks_tu_built *built,
                                struct ks_err *err);

// Whether it is what was judged, digest by digest, as many as built->n. Where nvcc declares the shared array of a function
// (in the one kernel that uses it, or beside several) follows from what else is in the unit and is no difference.
enum ks_status ks_tu_built_same(struct ks_arena *arena, const struct ks_tu_compile *compile,
                                const struct ks_tu_built *built, const struct ks_digest *ptx,
                                const struct ks_digest *sass, bool *same, struct ks_err *err);

// The kernels that the host code of a compile with --keep registers, or would: where the compile made device code alone.
enum ks_status ks_tu_registered_read(struct ks_arena *arena, const struct ks_tu_compile *compile,
                                     struct ks_signature_list *registered, struct ks_err *err);

// Whether every entry of the plain compile has the same canonical PTX in the shadow compile, and every
// function the same machine code and registers: where a variant calls a function that is not inlined,
// ptxas may give the original, which calls it too, other registers under the same PTX. The plain
// compile's keep_dir is still to be there. KS_R_APPLIED, or KS_R_SHADOW_CHANGED_ORIGINAL with the name
// in *which; KS_R_INTERNAL where that cannot be told.
enum ks_reason ks_tu_originals_unchanged(struct ks_arena *arena, const struct ks_tu *tu,
                                         const struct ks_tu_compile *shadow, const char **which);

// The unit as the plain compile preprocessed it for an architecture; empty where that is not known.
struct ks_slice ks_tu_preprocessed(struct ks_arena *arena, const struct ks_tu *tu, int arch);

// Cubin of one architecture left by a compile with --keep, or NULL.
const char *ks_tu_cubin(struct ks_arena *arena, const struct ks_tu_compile *compile, int arch);
// The same with the names in keep_dir at hand.
const char *ks_tu_cubin_among(struct ks_arena *arena, const struct ks_tu_compile *compile,
                              const struct ks_strv *names, int arch);

// The same as the driver can load it: with -rdc, linked, with the entries whose
// registered names hold one of `names` (NULL-terminated). Behind ks_tu_identify.
enum ks_status ks_tu_image(struct ks_arena *arena, const struct ks_tu *tu,
                           const struct ks_tu_compile *compile, int arch,
                           const char *const *names, const char **image, struct ks_err *err);
// The same of a file of PTX that stands for the unit's, with at most `registers` a thread.
enum ks_status ks_tu_assemble(struct ks_arena *arena, const struct ks_tu *tu, const char *ptx, int arch,
                              const char *const *names, int registers, const char **image, struct ks_err *err);

#endif
