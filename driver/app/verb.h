// The verbs of `ks`: one function each, a table in main_ks.c, and what they share.
#ifndef KS_VERB_H
#define KS_VERB_H

#include "key/tu.h"
#include "store/store.h"

// Exit statuses of the tool (docs/exit.md). Compiler mode never uses them.
enum {
    EXIT_OK = 0,
    EXIT_NEGATIVE = 1, // the answer is no: nothing stored, a baseline at fault, something to mend
    EXIT_USAGE = 2,
    EXIT_FAULT = 100,  // the tool, the machine or the device failed
    EXIT_INTERRUPTED = 130,
};

struct ks_verb_context {
    struct ks_arena *arena;
    struct ks_config config;
    const char *verb;
    int argc;                 // words behind the verb, without --json and --ks-*
    const char **argv;        // NULL-terminated
    bool json;
};

struct ks_verb {
    const char *name, *arguments, *summary, *help; // help: under 40 lines
    int (*run)(struct ks_verb_context *context);
};

int verb_tune(struct ks_verb_context *context);
int verb_warm(struct ks_verb_context *context);
int verb_requalify(struct ks_verb_context *context);
int verb_list(struct ks_verb_context *context);
int verb_show(struct ks_verb_context *context);
int verb_diff(struct ks_verb_context *context);
int verb_explain(struct ks_verb_context *context);
int verb_why(struct ks_verb_context *context, const char *target, const char *const *nvcc); // of explain
int verb_stats(struct ks_verb_context *context);
int verb_doctor(struct ks_verb_context *context);
int verb_inspect(struct ks_verb_context *context);
int verb_skills(struct ks_verb_context *context);
int verb_trust(struct ks_verb_context *context);
int verb_gc(struct ks_verb_context *context);
int verb_config(struct ks_verb_context *context);
int verb_export(struct ks_verb_context *context);
int verb_import(struct ks_verb_context *context);
int verb_verify(struct ks_verb_context *context);
int verb_run(struct ks_verb_context *context);
int verb_bench(struct ks_verb_context *context);
int verb_record(struct ks_verb_context *context);
int verb_agent(struct ks_verb_context *context);
int verb_profile(struct ks_verb_context *context);

// verb_words.c: words of a verb, and how it ends when they, or the work, are wrong.

struct verb_option {
    const char *name;        // "--again", or "--budget=" when a value follows (or is the next word)
    const char **value;      // takes the value, or the word itself where there is none; the last counts
    struct ks_strv *values;  // or takes all of them
};
struct verb_syntax {
    const char *expects;     // "give FILE.cu or FILE.cu:KERNEL": said when the words do not fit
    const struct verb_option *options; size_t n_options;
    size_t least, most;      // words that are no options
    bool nvcc;               // takes nvcc's words behind --
};
struct verb_words {
    struct ks_strv targets;
    const char *const *nvcc; // words behind --, or NULL
};
// EXIT_OK, or what verb_usage returned.
int verb_read_words(struct ks_verb_context *context, const struct verb_syntax *syntax,
                    struct verb_words *words);

// Prints "ks VERB: text" on stderr (or {"schema":"ks.error",...} on stdout with --json) and returns
// the exit status that fits err->status.
int verb_fail(const struct ks_verb_context *context, const struct ks_err *err);
// "ks VERB: text; see `ks help VERB`", EXIT_USAGE.
int verb_usage(const struct ks_verb_context *context, const char *format, ...)
    __attribute__((format(printf, 2, 3)));

// verb_tu.c: one TU under nvcc words, compiled plainly in a private folder and identified.
struct verb_tu {
    struct ks_cmdline cmd;
    struct ks_toolkit toolkit;
    struct ks_tu tu;
    struct ks_tu_compile plain;
    struct ks_store store;
    struct ks_sandbox *sandbox; // tu.sandbox, or NULL
    char *dir; // private; verb_tu_close removes it
};
// `file` is the TU, `words` the nvcc words behind `--` (may be NULL: -c and nvcc's own default
// architecture). Words that write dependencies, outputs or link are taken off: a build's own
// command can be given as it is. `out` is to be closed after a failure too.
enum ks_status verb_tu_open(struct ks_verb_context *context, const char *file,
                            const char *const *words, struct verb_tu *out, struct ks_err *err);
// The same, and also where some marks are wrong and others are not: the kernels of wrong ones have the reason
// BAD_MARK, and the caller ends with verb_tell_mistakes, which is EXIT_OK where there are none.
enum ks_status verb_tu_open_partly(struct ks_verb_context *context, const char *file,
                                   const char *const *words, struct verb_tu *out, struct ks_err *err);
int verb_tell_mistakes(const struct ks_verb_context *context, const struct verb_tu *tu);
// Where nothing will ship: device code alone is compiled (key/tu.h).
enum ks_status verb_tu_open_device(struct ks_verb_context *context, const char *file,
                                   const char *const *words, struct verb_tu *out, struct ks_err *err);
// The same of a text from elsewhere: the user's files that compiles may read are those in the folders `within` (ends
// with NULL), and everything is confined (verify/confine.h). KS_E_UNSUPPORTED: this machine cannot.
enum ks_status verb_tu_open_within(struct ks_verb_context *context, const char *file, const char *const *words,
                                   bool device, const char *const *within, struct verb_tu *out,
                                   struct ks_err *err);
void verb_tu_close(struct verb_tu *tu);
// Whether the file, its marks, the words or the kernel's name (NULL: any) are at fault, which can be told without a
// device and mended without one: KS_E_USER. Else KS_OK, whatever else there is to say.
enum ks_status verb_tu_fault(struct ks_verb_context *context, const char *file, const char *kernel,
                             const char *const *words, struct ks_err *err);

// Splits "FILE.cu:NAME" at the first colon that is not part of "::"; *kernel NULL without one.
void verb_split_target(struct ks_arena *arena, const char *text, const char **file,
                       const char **kernel);
// The instance, or the declaration's name for a kernel that was not compiled.
const char *verb_kernel_name(const struct ks_tu_kernel *kernel);
// Whether a kernel is meant by `name`: of the declaration or of one instance; NULL means any.
bool verb_kernel_is(struct ks_arena *arena, const struct ks_tu_kernel *kernel, const char *name);
// Whether `instance` is `name`, or an instance of the template `name`; both normalised.
bool verb_instance_of(const char *instance, const char *name);
// KS_E_USER: no kernel is `name`; says which there are.
enum ks_status verb_no_kernel(const struct verb_tu *tu, const char *name, struct ks_err *err);

#endif
