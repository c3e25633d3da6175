// The command-line model: what nvcc will do with an argument vector, as far as ks needs to know.
// Anything doubtful makes the command `pass`: it goes to the real nvcc untouched.
#ifndef KS_CMDLINE_H
#define KS_CMDLINE_H

#include "base/str.h"

enum ks_phase { KS_PHASE_OTHER, KS_PHASE_COMPILE, KS_PHASE_DEVICE_C, KS_PHASE_LINK };

struct ks_arch {
    int compute;      // virtual architecture, 90 (0: none)
    int sm;           // real architecture, 90 (0: PTX only)
    char suffix;      // 'a' or 'f', or 0
    char of;          // the virtual architecture's own
};

// What a command that compiles and links compiles.
struct ks_cmdline_unit {
    const char *path; // as spelled
    size_t at;        // index in argv
    bool cuda;        // else the host compiler's alone
};

struct ks_cmdline {
    const char **own; size_t n_own;       // --ks-* words, stripped
    const char **argv; size_t argc;       // for the real nvcc: argv[0] NULL, the rest as given
    const char *pass;                     // why it must be passed through untouched, or NULL
    bool lists;                           // -M or -MM: pass and no_code are set, and the list goes to
    const char *listing;                  // this file; NULL or "-": standard output
    enum ks_phase phase;                  // -c, -dc (-rdc=true -c), compile and link
    size_t input;                         // index in argv of the one CUDA input, when pass is NULL
                                          // and it does not link
    struct ks_cmdline_unit *units; size_t n_units; // in order, when pass is NULL and it links
    bool run;                             // -run: the program is started behind the link
    const char **sources; size_t n_sources; // all CUDA inputs, also when pass is set
    bool no_code;                         // pass is set and nvcc makes no code: -E, --version ...
    const char *output;                   // -o value, or NULL
    const char *output_dir;               // -odir value, or NULL: only counts without -o
    const char *depfile;                  // resolved name of the depfile nvcc will write, or NULL
    bool depfile_mmd;                     // -MMD: no system headers
    bool rdc;
    bool debug_device;                    // -G, -sanitize, or a host sanitizer, coverage or profile
                                          // build; pass says which
    bool lineinfo, keep, objtemp, dlto, fast_math;
    bool openmp;                          // the host compiler's -fopenmp
    bool host_parts;                      // its -B, -specs or -wrapper
    int maxrregcount;                     // 0: not given
    const char **quote_dirs;              // -iquote through -Xcompiler, NULL-terminated
    const char **include_dirs;            // in search order: -I through -Xcompiler, then -I
    struct ks_arch *archs; size_t n_archs; // resolved where the words allow; 0 when they do not
    const char *arch_problem;             // "native", "all": ask --dryrun; NULL if resolved
    const char *ptxas_options;            // what ptxas is told beside the PTX, in order, for the
                                          // key: -Xptxas and options like -Ofc=max; "". Without
                                          // what only prints, -lineinfo, -maxrregcount and rdc
};

// Machine code that is made for an architecture of PTX for the same; the first, and of how many kinds it
// is (sm_90 and sm_90a are two). NULL: none, or the words do not tell.
const struct ks_arch *ks_cmdline_code(const struct ks_cmdline *cmd, int arch, size_t *kinds);
// 'a' or 'f' where that PTX is for sm_90a or sm_100f and their like, else 0.
char ks_cmdline_suffix(const struct ks_cmdline *cmd, int arch);

// The host compiler that -ccbin names, or NULL.
const char *ks_cmdline_host_compiler(const struct ks_cmdline *cmd);

// Reads argv (argv[0] is ours and ignored), NVCC_PREPEND_FLAGS and NVCC_APPEND_FLAGS (to look),
// and options files (to look). Never fails: doubt sets `pass`.
void ks_cmdline_read(struct ks_arena *arena, int argc, const char *const *argv,
                     struct ks_cmdline *out);

// A copy of argv for nvcc: argv[0] = `nvcc`, `first` inserted right behind it, the input replaced
// by `input` (NULL: kept), the output by `output` (NULL: kept; added when there was none), `last`
// appended. Lists are NULL-terminated and may be NULL.
const char **ks_cmdline_build(struct ks_arena *arena, const struct ks_cmdline *cmd,
                              const char *nvcc, const char *const *first, const char *input,
                              const char *output, const char *const *last);

// The object's name when there is no -o: the input's base name with .o (or a.out when linking).
const char *ks_cmdline_default_output(struct ks_arena *arena, const struct ks_cmdline *cmd);

// cmdline_link.c: the parts of a command that compiles and links.
// The words that compile words[input] alone (0: no input of these) to an object, -c or -dc among
// them. Words that name what is linked or written are left out, those of dependency files too unless
// `depfile`. words[0] is kept, `len` counts it; the result ends in NULL.
struct ks_strv ks_cmdline_unit_words(struct ks_arena *arena, const char *const *words, size_t len,
                                     size_t input, bool depfile);
// The command that compiles units[i] to `object`. The object is not named in its argv, which so is the
// same in every build; a dependency file is written, and its target named, as the whole command does.
void ks_cmdline_read_unit(struct ks_arena *arena, const struct ks_cmdline *cmd, size_t i,
                          const char *object, struct ks_cmdline *unit);
// argv for nvcc that links, with objects[i] in the place of units[i].
const char **ks_cmdline_build_link(struct ks_arena *arena, const struct ks_cmdline *cmd,
                                   const char *nvcc, const char *const *objects);

#endif
