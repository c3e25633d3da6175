// A session on the emulated device: sizes that it can run, in place of declared ones that it would take hours
// for, and times that a described GPU would take (device/model.h). No claim of speed comes from here: the
// verdict's word is MODELLED.
#ifndef KS_MODELLED_H
#define KS_MODELLED_H

#include "verify/session.h"
#include "verify/timing.h"

// A kernel whose workloads have been made smaller, size by size, the largest first, until one run of the
// original takes few enough instructions; the kernel itself where it does. The session's worker runs.
enum ks_status ks_modelled_sizes(struct ks_judge *judge, const struct ks_tu_kernel **kernel,
                                 struct ks_err *err);
// The original fails on workload w as it was made smaller, which may be no fault of its own: a size may have
// to be a multiple, or to match what another or a range of values says. Makes judge->kernel and the
// problem anew with size number `attempt` as declared, or, with their count, all of them. *made is false
// where that changes nothing, or is too much for this device; the count of attempts is that of sizes and one.
enum ks_status ks_modelled_larger(struct ks_judge *judge, const struct ks_mark *declared, size_t w,
                                  size_t attempt, bool *made, struct ks_err *err);
// Microseconds of the original on each declared workload into judge->baseline_us; 0 where none can be told. A workload
// that it fails on is the session's problem as declared again: it is to be judged there.
enum ks_status ks_modelled_baseline(struct ks_judge *judge, struct ks_err *err);
// What was taken for endless ended when it ran: its instructions, which say how often it can be run, and ks_modelled_baseline.
enum ks_status ks_modelled_ended(struct ks_judge *judge, struct ks_err *err);
// Original and candidate on every declared workload: timings, geomean, and MODELLED where the candidate
// should be faster by more than a model errs, else NOT_FASTER. NOT_MEASURED where a plan cannot be counted.
enum ks_status ks_modelled_run(struct ks_judge *judge, struct ks_arena *arena,
                               const struct ks_candidate *candidate, struct ks_timed *timed,
                               struct ks_err *err);
// The ratios alone, of several by workload, 0 where there is none (as ks_screen_run).
enum ks_status ks_modelled_screen(struct ks_judge *judge, struct ks_arena *arena,
                                  const struct ks_candidate *const *candidates, size_t n,
                                  double *ratios, struct ks_err *err);

#endif
