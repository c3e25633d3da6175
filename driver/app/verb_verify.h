// `ks verify`: what judging a proposal or a folder of fixtures shares. verb_verify.c is the verb,
// verb_suite.c runs folders, verb_verify_report.c tells what was found.
#ifndef KS_VERB_VERIFY_H
#define KS_VERB_VERIFY_H

#include "app/verb.h"
#include "fmt/json.h"
#include "verify/client.h"
#include "verify/defence.h"
#include "verify/judge.h"

struct verifying {
    struct ks_verb_context *context;
    struct ks_worker_place place;   // where kernels run
    struct ks_device_info device;   // kind "none": there is none, and `absent` says why
    const char *absent;
    uint64_t draw;                  // of an earlier judgement, to repeat it; 0: another
    bool sandbox;                   // proposals are of unknown origin
    const char *refused;            // why they cannot be confined here, and so are not judged; or NULL
    json_t *rows;                   // of the report (docs/json.md)
    int exit_code;                  // the worst so far
};

// How one session judges.
struct verify_rules {
    bool untimed, sandbox;
    struct ks_verify_defences *off; // NULL: none; counts in test builds alone
};

// Asks for the device. Without one only the gates can judge, and that is KS_OK.
enum ks_status verify_ask_device(struct verifying *v, struct ks_err *err);
// Whether this machine, and that of the device, can confine what is judged; `refused` says why not.
enum ks_status verify_ask_sandbox(struct verifying *v, struct ks_err *err);
// nvcc's words where none were given: the device's architecture.
const char *const *verify_words(const struct verifying *v);
// A proposal, or the proposal of a variant file; parameter names default to the kernel's own.
enum ks_status verify_read_proposal(struct ks_arena *arena, const char *path,
                                    struct ks_proposal *proposal, struct ks_err *err);

// The same by `name`: of a file, or the id of what a search on this machine judged.
enum ks_status verify_find_proposal(struct ks_verb_context *context, const char *name,
                                    struct ks_proposal **proposal, struct ks_err *err);

void verify_name_params(struct ks_arena *arena, const struct ks_tu_kernel *kernel,
                        struct ks_proposal *proposal);

// A session over one kernel. Where the original is at fault, *finding says so, *judge is NULL and that
// is KS_OK.
enum ks_status verify_open(const struct verifying *v, const struct verb_tu *tu,
                           const struct ks_tu_kernel *kernel, const struct verify_rules *rules,
                           struct ks_judge **judge, const char **finding, struct ks_err *err);
// Gates alone where there is no device; else in full, and confirmed if it seems faster.
enum ks_status verify_judge(const struct verifying *v, struct ks_judge *judge,
                            const struct ks_tu_kernel *kernel, struct ks_proposal *proposal,
                            struct ks_verdict *verdict, struct ks_err *err);
// Why nothing is judged where `refused` is set, with the next step: begins with "no-sandbox".
const char *verify_refusal(const struct verifying *v);
// Whether nothing was found because there is no device.
bool verify_undecided(const struct verifying *v, const struct ks_verdict *verdict);
// Exit status of one verdict (docs/exit.md).
int verify_exit(const struct verifying *v, const struct ks_verdict *verdict);

// verb_verify_report.c
json_t *verify_checks_json(const struct ks_verdict *verdict);
// "used", "none" (not asked for) or "absent".
const char *verify_sandbox_name(const struct verifying *v);
json_t *verify_device_json(const struct verifying *v);
void verify_report(struct verifying *v, const struct ks_tu_kernel *kernel, const char *variant,
                   const char *from, const struct ks_verdict *verdict);
// A kernel of which nothing was judged, and why; `text` is the detail, or "".
void verify_report_none(struct verifying *v, const struct ks_tu_kernel *kernel,
                        enum ks_reason reason, const char *text);

// verb_suite.c: judges a folder of fixtures; the exit status.
int verify_suite(struct verifying *v, const char *dir, const char *only);

#endif
