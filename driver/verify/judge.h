// The judge: decides whether a proposal computes what the user's kernel computes, and whether it is
// faster, by running both. It knows nothing of skills or proposers (DESIGN.md section 7).
//
// The supervisor (this module) never touches CUDA: an oracle process runs the original, one-shot
// runner processes run candidates, a timing process runs both on the build that ships.
#ifndef KS_JUDGE_H
#define KS_JUDGE_H

#include "device/device.h"
#include "key/tu.h"
#include "key/variant.h"
#include "workload/fill.h"

struct ks_judge_options {
    const char *worker;        // path of ks-worker; NULL: beside this program
    const char *launcher;      // prefix words to run it elsewhere ("srun -G1"), or NULL
    const char *device;        // by name (device/device.h); NULL: "cuda"
    const char *sanitizer;     // path of compute-sanitizer; NULL: of the toolkit, or on PATH; "": none
    const char *emulator;      // path of the ks-worker that emulates; NULL: beside this program
    double run_timeout;        // seconds; a candidate gets max(2, 50 x baseline), at most this (60)
    int64_t run_steps;         // the same on an emulated device, in its steps (0: what it takes)
    double compile_timeout;    // seconds for compiling proposals (120)
    int compilers;             // at once, at most (one for each two processors)
    uint64_t seed;             // of sizes, values and addresses. 0: from the OS, the normal case; else by tests, or to
                               // repeat a judgement: what its verdict calls `draw`
    size_t max_shapes;         // 24
    const char *work_dir;      // private, for compiles
    const char *shadow_root;
    const char *devices_dir;   // descriptions of GPUs; NULL: no time is modelled
    bool sandbox;              // proposals are of unknown origin: compiled and run confined, or not at all
    bool untimed;              // correctness alone; speed stays NOT_MEASURED
    struct ks_verify_defences *off; // test build only: defences to switch off
};

// One session judges proposals for one kernel. Opening it runs the original under fences on every
// declared workload: KS_E_DEVICE with class BASELINE_FAULT in *fault when the original itself is at
// fault there (err names workload, what and where).
struct ks_judge;
enum ks_status ks_judge_open(struct ks_arena *arena, const struct ks_tu *tu,
                             const struct ks_tu_kernel *kernel,
                             const struct ks_tu_compile *plain,
                             const struct ks_judge_options *options, struct ks_judge **judge,
                             bool *baseline_fault, struct ks_err *err);
// The same without any device: only ks_judge_gates can be asked.
enum ks_status ks_judge_open_gates(struct ks_arena *arena, const struct ks_tu *tu,
                                   const struct ks_tu_kernel *kernel,
                                   const struct ks_tu_compile *plain,
                                   const struct ks_judge_options *options,
                                   struct ks_judge **judge, struct ks_err *err);
void ks_judge_close(struct ks_judge *judge);

const struct ks_device_info *ks_judge_device(const struct ks_judge *judge);
// Microseconds of the original on each declared workload (median of a few samples), and its
// problems; for briefs and floors.
size_t ks_judge_baseline(const struct ks_judge *judge, const struct ks_problem **problems,
                         const double **microseconds);

// One check of a judgement, for reports: in the order in which they are made.
enum ks_check_kind {
    KS_CHECK_TEXT,         // textual gate
    KS_CHECK_LIMITS,       // the plan on the declared workloads: defined, and within the device's limits
    KS_CHECK_COMPILE,
    KS_CHECK_IDENTITY,     // the original and all other kernels compile as they do without the candidate
    KS_CHECK_STATIC,       // static gate on PTX and machine code
    KS_CHECK_CORRECTNESS,  // runs on all shapes, families and placements, repeated
    KS_CHECK_EMULATION,    // small problems on the emulated device as well, where that is not the device
    KS_CHECK_DOMAIN,       // guard and domain
    KS_CHECK_TIMING,       // paired, and the outputs of timed runs
    KS_CHECK_MEMCHECK,     // of a finalist, by compute-sanitizer where it is installed (verify/sanitize.h)
    KS_CHECK_RACECHECK,
    KS_CHECK_CONFIRMATION, // fresh processes, new seeds, unseen sizes
    KS_CHECK_COUNT
};
enum ks_check_result { KS_CHECK_NOT_MADE, KS_CHECK_PASSED, KS_CHECK_FAILED };
struct ks_checks {
    enum ks_check_result result[KS_CHECK_COUNT];
    double seconds[KS_CHECK_COUNT];
    const char *why[KS_CHECK_COUNT]; // of what was not made: why not; lives as long as the session
};
const char *ks_check_kind_name(enum ks_check_kind kind); // "text", "limits", ...

struct ks_verdict {
    struct ks_checks checks;
    enum ks_correctness correctness;
    enum ks_speed speed;
    char reason[512];          // class, index pattern, compiler text; never seeds or vectors
    struct ks_expr *domain;    // when CORRECT; NULL where the guard excludes all sizes near the declared ones
    struct ks_evidence evidence;
    double geomean, lower;     // search phase until confirmed
    const double *probes;      // by workload KS_FLOOR_STEPS upper bounds: how much faster it may be at smaller sizes
    double seconds_compile, seconds_run;
    uint64_t draw;             // of the session that judged it, 0: nothing was drawn
};

// Compiles several at once; whoever judges them afterwards finds them compiled.
enum ks_status ks_judge_prepare(struct ks_judge *judge, struct ks_proposal *const *proposals,
                                size_t n, struct ks_err *err);
// What a worker loads of a proposal that this session compiled, and the registered names of its kernels, by position.
// Lives as long as the session. false: it was not compiled, or failed there.
bool ks_judge_compiled(const struct ks_judge *judge, const struct ks_proposal *proposal, struct ks_slice *image,
                       const char *const **names);
// What needs no device: text, limits of the plan, compile, identity, static gate. correctness is what
// was found, or VOID where nothing was: then only a device can tell.
enum ks_status ks_judge_gates(struct ks_judge *judge, struct ks_proposal *proposal,
                              struct ks_verdict *verdict, struct ks_err *err);
// Quick look: textual gate, compile (several proposals in one shadow), a few tiny shapes, on the
// fly. Fills verdicts[i].correctness; speed stays NOT_MEASURED. For recognition by execution.
enum ks_status ks_judge_quick(struct ks_judge *judge, struct ks_proposal *const *proposals,
                              size_t n, struct ks_verdict *verdicts, struct ks_err *err);
// Quick look, and for those that pass a few timed pairs on the declared workloads: the ratios seen are in the
// evidence, 0 where the guard excludes a workload, and geomean holds their mean, 0 if one is. An order for a
// search, never a claim: speed stays NOT_MEASURED.
enum ks_status ks_judge_screen(struct ks_judge *judge, struct ks_proposal *const *proposals,
                               size_t n, struct ks_verdict *verdicts, struct ks_err *err);
// Full correctness on the build that ships, then the search-phase timing (staged looks, early
// rejection). A failure status is a fault of the tool or device, never of the proposal.
enum ks_status ks_judge_full(struct ks_judge *judge, struct ks_proposal *proposal,
                             struct ks_verdict *verdict, struct ks_err *err);
// Times `b` against `a` (NULL: the original) on every declared workload that counts, after each was found correct: a
// finding about one of them is in *verdict with its number (0: a, 1: b) in *at_fault. Else the timings are in
// the evidence, ratios of a's time over b's, and speed is VOID where nothing can be claimed. `confirms`: with the bounds
// of a confirmation, and FASTER is a claim. On an emulated device a is no NULL, and MODELLED is what FASTER is elsewhere.
// KS_E_UNSUPPORTED: the two do not compile in one unit.
enum ks_status ks_judge_compare(struct ks_judge *judge, struct ks_proposal *a, struct ks_proposal *b, bool confirms,
                                struct ks_verdict *verdict, int *at_fault, struct ks_err *err);
// Whether dispatch would launch the proposal, judged to hold on `domain` (NULL: not judged yet), on a declared workload; or, on an
// emulated device, on the sizes that stand for it, which bound the domains that come from there.
bool ks_judge_admits(const struct ks_judge *judge, const struct ks_proposal *proposal, struct ks_expr *domain,
                     size_t workload);
// The workloads of a mark are size classes. Lets one of them count alone for guard, time and domain;
// correctness is asked on all. Its domain begins above the declared sizes of smaller classes, and where it was
// not slower: than the original, and than a rival whose `probes` of that workload are given (NULL: none).
// KS_ALL_CLASSES: all count again, as at first.
#define KS_ALL_CLASSES SIZE_MAX
#define KS_FLOOR_STEPS 3 // sizes divided by 4, 16, 64
void ks_judge_class(struct ks_judge *judge, size_t workload, const double *rival);
// Fresh processes, new seeds, unseen shapes, alpha 0.001: verdict->speed becomes FASTER only here.
enum ks_status ks_judge_confirm(struct ks_judge *judge, struct ks_proposal *proposal,
                                struct ks_verdict *verdict, struct ks_err *err);

#endif
