// `ks tune` and `ks warm`: what they share.
#ifndef KS_VERB_TUNE_H
#define KS_VERB_TUNE_H

#include "app/verb.h"
#include "app/verb_device.h"
#include "fmt/json.h"
#include "memory/outcomes.h"
#include "profile/recording.h"
#include "search/tune.h"

// One run of either verb, over one file or many.
struct tuning {
    struct ks_verb_context *context;
    double budget;             // --budget=, or 0: the mark's or the configuration's
    const struct ks_recording *shares; // the budget is for all kernels together, by their time there; NULL: for each
    double until, left_ns;     // when that ends; the time there of the kernels that did not have their share
    double slice;              // of it, for the kernel that is tuned now
    bool again;
    bool in_build;             // by ks-nvcc: silent about what was decided before
    bool target;               // a file that the user named, not all that is pending
    const char *file, *kernel; // the file, and the kernel's name or NULL; NULL: all that is pending
    const char *const *words;  // nvcc's for it; NULL: none
    struct ks_strv keys;       // hexadecimal; none: all
    struct ks_device_info device;
    struct ks_outcomes *outcomes; // NULL: no memory
    struct ks_agents *agents;  // NULL: none is asked
    bool only_agents, print_prompt;
    // What is done with one kernel that is to be decided; NULL: it is tuned.
    void (*decide)(struct tuning *tuning, struct verb_tu *tu, const struct ks_tu_kernel *kernel);
    json_t *rows;              // of the report (docs/json.md)
    int exit_code;             // the worst so far
};

// What tuning needs, asked for before minutes are spent: stores that may be written, a GPU, a key to
// sign with; and memory, which it can do without. EXIT_OK, or what verb_fail returned. Where there is no GPU, what
// is wrong with the named file itself is told in its place.
int tuning_begin(struct tuning *tuning);
// Tunes the kernels of one TU. A failure status is for the caller to tell; what concerns one kernel
// is told, and entered in rows and exit_code, here.
enum ks_status tuning_file(struct tuning *tuning, const char *file, const char *kernel,
                           const char *const *words, struct ks_err *err);
// The same for all that builds left pending, each under the command of its own compile: EXIT_OK, or
// what verb_fail returned. Where nothing is, that is said and nothing is asked for.
int tuning_pending(struct tuning *tuning);
// One budget for several kernels, by their time in tuning->shares (verb_tune_shares.c): begun with the time of all;
// then each kernel's share of what is left, false where it is too little to begin, which is reported.
// `file` (NULL: no --shares) is read into `recording`; EXIT_OK, or what verb_usage or verb_fail returned.
int tuning_shares_option(struct tuning *tuning, const char *file, struct ks_recording *recording);
double tuning_time_of(const struct tuning *tuning, const char *symbol); // nanoseconds
void tuning_divide(struct tuning *tuning, double all_ns);
bool tuning_take_share(struct tuning *tuning, const char *kernel, const char *key, int arch, double ns);
// The kernels of one TU, the largest share first.
void tuning_by_shares(struct tuning *tuning, struct verb_tu *tu, const struct ks_tu_kernel **kernels, size_t n,
                      void (*tune)(struct tuning *tuning, struct verb_tu *tu, const struct ks_tu_kernel *kernel));
// What became of one kernel counts for the exit status.
void tuning_worsen(struct tuning *tuning, int exit_code);
// Ends the run, prints the report of this schema with --json, and returns the exit status.
int tuning_end(struct tuning *tuning, const char *schema);

// verb_tune_report.c. `status` is as in docs/json.md; result NULL when nothing ran.
void tuning_report(struct tuning *tuning, const struct ks_tu_kernel *kernel, const char *status,
                   enum ks_reason reason, const char *text, const struct ks_tune_result *result);
// A row for a kernel that was not begun, with `status` and why.
void tuning_report_skipped(struct tuning *tuning, const char *kernel, const char *key, int arch, const char *status,
                           const char *text);
// A row for a file that could not be looked at.
void tuning_report_file(struct tuning *tuning, const char *file, const char *kernel,
                        const struct ks_err *err);
// The profile outlives the run: `ks show` prints it from the state directory.
void tuning_keep_profile(struct tuning *tuning, const struct ks_tu_kernel *kernel,
                         struct ks_tune_result *result);

#endif
