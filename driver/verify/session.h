// The judge's own state, shared by the files of this module only.
#ifndef KS_SESSION_H
#define KS_SESSION_H

#include <stdatomic.h>

#include "base/rng.h"
#include "device/model.h"
#include "os/lock.h"
#include "verify/client.h"
#include "verify/defence.h"
#include "verify/gate.h"
#include "verify/judge.h"
#include "verify/launch.h"
#include "verify/literals.h"

// What compiling one proposal gave.
struct ks_candidate {
    struct ks_proposal *proposal;
    const char *id;
    enum ks_correctness failure;  // KS_C_CORRECT: compiled and passed the gates
    struct ks_checks checks;      // up to the static gate
    char reason[512];
    struct ks_slice cubin;        // of the shadow build, to be loaded: original and candidate
    struct ks_slice text;         // the PTX that it was made from; empty where nobody will look at it
    const char **names;           // registered, by position in proposal->kernels
    const char *original;         // the original's registered name there
    struct ks_digest *ptx, *sass;
    struct ks_literals literals;  // of all its kernels
    bool cuts;                    // one of them sums on tensor cores
    bool to_whole;                // one of them makes floats of integers and integers of floats
    bool stops;                   // one of them has an assert() or a trap
    bool tf32;                    // one of them has TF32, and whether it rounds factors to that is left to odd numbers
    int *registers;               // of a thread of each; 0: not known
    size_t n;
    bool ships;                   // built as it would ship: alone, and host code too but for an emulated device
};

struct ks_judge;
struct ks_vector;
struct ks_recalled;
struct ks_sanitizing;
#define KS_SPARES 2
// What a build of several is for. The host's part of a compile takes as long as device code for a few candidates, and
// is worth it only for what would ship.
enum ks_build_way {
    KS_BUILD_SHARED,   // shared out among compiles; who is alone in one is built as it would ship, host code too
    KS_BUILD_TOGETHER, // in one compile, if that is possible
    KS_BUILD_DEVICE,   // shared out; nothing of it will ship
};
// Textual gate, shadow compiles and static gate of several proposals at once. A proposal's fault goes into its
// candidate; a failure status is a fault of the tool. Candidates live in judge->arena.
typedef enum ks_status ks_build_fn(struct ks_judge *judge, struct ks_proposal *const *proposals, size_t n,
                                   enum ks_build_way way, struct ks_candidate **candidates, struct ks_err *err);
ks_build_fn ks_judge_build;
// What a worker loads of a compile: the machine code, linked where it has to be (with the entries whose
// registered names hold one of `names`), or for the emulated device the PTX that it was made from.
enum ks_status ks_judge_image(struct ks_arena *arena, const struct ks_tu *tu,
                              const struct ks_tu_compile *compile, int arch,
                              const char *const *names, const struct ks_judge_options *options,
                              struct ks_slice *image, struct ks_err *err);

// The PTX module of a compile that holds the kernel of that registered name, which becomes that of this compile.
enum ks_status ks_judge_text(struct ks_arena *arena, const struct ks_tu_compile *compile, int arch,
                             const char **name, struct ks_slice *text, struct ks_err *err);
// The original in double, of a session (verify/wide.h).
struct ks_wide {
    bool tried;             // built, or known not to be
    const char *absent;     // why there is none
    const char *registered;
    struct ks_slice image;
    struct ks_slice text;   // the PTX that it was made from
    const struct ks_ptx_param *params; size_t n_params; // as that declares them
    bool loaded;            // in the oracle as "m64"
    struct ks_wide_ahead *ahead; // was begun beside something else; NULL: not
};

// The original with random rounding, of a session (verify/rounding.h).
struct ks_rounding {
    bool tried;             // made, or known not to be
    const char *absent;     // why there is none
    struct ks_slice image;
    bool loaded;            // in the oracle: "m0r", of the original in double "m64r"
};

// Whether the original ends on an emulated device that runs its blocks one at a time.
enum ks_serial { KS_SERIAL_UNKNOWN, KS_SERIAL_ENDS, KS_SERIAL_WAITS };

struct ks_judge {
    struct ks_arena *arena;
    const struct ks_tu *tu;
    const struct ks_tu_kernel *kernel;
    struct ks_judge_options options;
    ks_build_fn *build;             // ks_judge_build; in tests without a compiler, or of what is built, another
    bool compiles;                  // the user's unit can be compiled in other ways: not in tests without a compiler
    struct ks_slice original_cubin; // plain build
    struct ks_slice original_image; // the same to be loaded: linked where it has to be
    struct ks_slice original_ptx;   // canonical
    struct ks_slice original_text;  // the module that holds it, of the plain build; empty: unknown
    struct ks_judge *second;        // the session on the emulated device (verify/emulate.h), NULL before it is asked
    struct ks_judge *scout;         // another (verify/scout.h), NULL before it is asked
    int faults;                     // of the original so far, each of which ended a worker
    struct ks_arith arith;
    struct ks_literals literals;    // of the original, and of the candidate that is being judged
    bool cuts;                      // that candidate, or the original, sums on tensor cores
    bool divides_roundly;           // that candidate may divide its sizes by way of floats, and the original does not
    bool odd;                       // that candidate is to show on odd numbers (KS_FAMILY_ODD) that it rounds no factor to TF32
    size_t odd_shown;               // which of its sizes showed last, tried first the next time: what showed one array mostly shows another
    struct ks_device_info device;
    struct ks_worker oracle;        // started on demand, holds module "m0" = original_image
    struct ks_wide wide;
    struct ks_rounding rounding, wide_rounding; // of the original, and of it in double
    bool unsettled;                 // a difference here is one that the value in double would have to tell, and it is not known
    struct ks_worker spares[KS_SPARES]; // hello sent, the longest started first
    size_t n_spares;
    bool roomy;                     // the device has room for contexts that only wait
    struct ks_sanitizing *parked;   // the sanitizers' workers, which wait for a finalist; NULL: none
    struct ks_leaving leaving;      // have done their work
    const atomic_bool *dropped;     // set by another thread: whatever is waited for is wanted no more; NULL: by none
    struct ks_problem *problems;    // declared, one a workload of the mark; on an emulated device smaller
    struct ks_problem *declared;    // the same as they stand in the mark
    struct ks_gpu gpu;              // on an emulated device: the one that times are modelled for
    double *baseline_us;
    double *insts;                  // on an emulated device: thread instructions of each, 0 where they were not counted
    bool endless;                   // there: a workload takes more than what is left of it when it is halved explains
    size_t n_problems;
    struct ks_rng rng;
    uint64_t seed;                  // all that is drawn follows from it: of options, or from the system
    uint64_t confirmations;         // so far
    enum ks_serial serial;
    int claims;                     // of them those that came to times: each is held to a stricter rule (ks_rule_claim)
    // Vectors that are made once (verify/recall.h): the search's, and meanwhile put aside while a confirmation has its own.
    struct ks_recollection {
        KS_VEC(struct ks_recalled *) list;
        int64_t bytes;
    } recalled, aside;
    uint64_t specials;              // vectors of special values so far
    uint64_t ends_turns[2];         // and of great ones, of slight ones
    uint64_t literal_turns;         // and of literals where terms meet
    uint64_t vectors, oracle_holds; // counter, and the vector whose outputs lie in the oracle; 0: none
    uint64_t shape_seed;            // of the sizes drawn in the search, the same for all candidates
    const char **notes; size_t n_notes;
    size_t n_session_notes;         // the first of them are about the original, the rest about a candidate
    KS_VEC(struct ks_candidate *) cache; // compiled ones: for a full judgement after a look, and the confirmation
    char no_sanitizer[200];         // why the toolkit's sanitizer is not asked; "": it is (verify/sanitize.h)
    double copy_gbs;                // measured copy rate, 0 until asked for
    size_t class_of;                // the workload that counts alone, from 1; 0: all do
    const double *rival;            // of that class: what KS_FLOOR_STEPS smaller sizes are to reach; NULL: nothing
    int built;                      // compiles so far, names their folders
};

// Keeps what was compiled, so that no judgement of this session compiles it again.
void ks_judge_keep(struct ks_judge *judge, struct ks_candidate *candidate);
bool ks_judge_defends(const struct ks_judge *judge, enum ks_defence which);
// Starts the random numbers of the session: from the system, or from the options' seed.
void ks_judge_reseed(struct ks_judge *judge);
// Whether the workload counts for guard, time and domain.
bool ks_judge_counts(const struct ks_judge *judge, size_t workload);
// What the workload weighs in a mean: 1 where the mark says nothing.
double ks_judge_weight(const struct ks_judge *judge, size_t workload);
// Whether the device is an emulated one, which runs PTX: no host code is compiled for it.
bool ks_judge_emulates(const struct ks_judge *judge);
// Whether this session can take times at all.
bool ks_judge_times(const struct ks_judge *judge);
// Whether the plan can be launched on the declared workloads that the guard admits, as far as numbers
// tell (verify/limits.c). false: `reason` says why not.
bool ks_judge_limits(const struct ks_judge *judge, struct ks_arena *arena,
                     const struct ks_proposal *proposal, char reason[256]);
// Opens like ks_judge_open, with a builder of the caller's.
enum ks_status ks_judge_open_with(struct ks_arena *arena, const struct ks_tu *tu,
                                  const struct ks_tu_kernel *kernel, struct ks_slice cubin,
                                  struct ks_slice image, struct ks_slice canonical,
                                  const struct ks_judge_options *options,
                                  ks_build_fn *build, struct ks_judge **judge, bool *baseline_fault,
                                  struct ks_err *err);
// Tolerance in force: the mark's, or bit-exact where the original does no arithmetic.
struct ks_tolerance ks_judge_tolerance(const struct ks_judge *judge);
// Scope of the expressions of a proposal (NULL: the original's) on a problem, under the mark's assumptions;
// addresses and workspaces are not known yet.
struct ks_scope ks_judge_scope(const struct ks_judge *judge, const struct ks_problem *problem,
                               const struct ks_layout *layout, const struct ks_proposal *proposal);
// While another process takes times on this GPU nothing is run there: waits for its end, and nobody begins to until `lock` is
// released. Who holds it takes no times. Nothing is held of an emulated device. The oracle has been ready once.
enum ks_status ks_judge_share(const struct ks_judge *judge, struct ks_lock *lock, struct ks_err *err);
// Each note once, for the evidence.
void ks_judge_note(struct ks_judge *judge, const char *format, ...)
    __attribute__((format(printf, 2, 3)));

// The oracle, running with the original loaded; started again if it died.
enum ks_status ks_oracle_ready(struct ks_judge *judge, struct ks_err *err);
// Another module beside the original in the oracle, with one function; where that fails *absent says why. A failure
// status is the tool's.
enum ks_status ks_oracle_load(struct ks_judge *judge, const char *module, struct ks_slice image,
                              const char *function, const char **absent, struct ks_err *err);
// A worker for a candidate: a spare, behind which there are to be so many more.
enum ks_status ks_runner_take(struct ks_judge *judge, struct ks_worker *runner, size_t behind,
                              struct ks_err *err);
// The same with none started behind it and when the contexts of those that are left are open, since the opening of another
// context is felt by what is timed meanwhile.
enum ks_status ks_runner_take_last(struct ks_judge *judge, struct ks_worker *runner, struct ks_err *err);
// At least `n` spares, or as many as there is room for.
enum ks_status ks_runner_spare(struct ks_judge *judge, size_t n, struct ks_err *err);
void ks_spares_stop(struct ks_judge *judge);
// Where there is room, from here to ks_workers_part those who have done their work stay, idle, so that nobody who
// takes times has to wait for their end. `ahead`: a compile may come first, beside which spares start.
enum ks_status ks_workers_stay(struct ks_judge *judge, bool ahead, struct ks_err *err);
void ks_workers_part(struct ks_judge *judge);
// Loads a cubin as "m0" and looks its functions up.
enum ks_answer ks_worker_load(struct ks_worker *worker, struct ks_slice cubin,
                              const char *const *names, size_t n);
// The cubins that a worker of many candidates holds, by address: those compiled together share one.
struct ks_shelf {
    KS_VEC(const char *) cubins;
    char module[16]; // of the one asked for last
};
// Has the worker hold one more cubin, unless it does, and looks functions up in it.
enum ks_answer ks_worker_shelve(struct ks_worker *worker, struct ks_arena *arena, struct ks_shelf *shelf,
                                struct ks_slice cubin, const char *const *names, size_t n);
enum ks_answer ks_worker_functions(struct ks_worker *worker, const char *module, const char *const *names, size_t n);
// A status for an answer that is nobody's verdict: TOOL, INTERRUPTED, a dead oracle.
enum ks_status ks_answer_status(const struct ks_worker *worker, enum ks_answer answer,
                                const char *who, struct ks_err *err);
// What one run may take. On a GPU seconds; on an emulated device its steps (docs/emulator.md) in each launch, so that
// neither load nor host decides, and the seconds are only for a process that answers nobody.
// How long a run may take, how its blocks are run, and what is looked for.
struct ks_run_limit {
    double seconds;
    int64_t steps;     // until a block ends; 0: as many as that device takes before it calls a launch endless; of a GPU -1
    int64_t most;      // of all blocks; 0: as many
    bool cut;          // fewer than a candidate may take: what they end says nothing of it
    bool serial;       // blocks one at a time, of an emulated device
    bool trusts;       // no races are looked for, on an emulated device
    int64_t crowd;     // microseconds for which others hold multiprocessors beside it, of a GPU; 0: none do
};
// Of the original: the options'.
struct ks_run_limit ks_run_limit(const struct ks_judge *judge);
// Of one of the many runs of the original that measure what rounding does to it, where a plain one has shown whether it races.
struct ks_run_limit ks_run_limit_measuring(const struct ks_judge *judge);
#define KS_BASELINES 50
// Of a candidate where the original took that: KS_BASELINES times as much, at least KS_RUN_SECONDS or KS_RUN_STEPS, at most
// the original's. Steps are counted from a block's end on: blocks of tiles much larger than a tiny problem end all the same, and
// KS_RUN_PATIENCE times as many are for all of them.
#define KS_RUN_SECONDS 2
#define KS_RUN_STEPS (INT64_C(1) << 25)
#define KS_RUN_PATIENCE 16
struct ks_run_limit ks_run_limit_of(const struct ks_judge *judge, const struct ks_vector *vector);
// Of a run with its blocks one at a time, on an emulated device, by the steps that the same took side by side: what does not
// end in four times as many, and a million, waits.
struct ks_run_limit ks_run_limit_serial(const struct ks_judge *judge, int64_t steps);

#endif
