// Paired timing of original and candidate from the build that ships, in a process of its own.
#ifndef KS_TIMING_H
#define KS_TIMING_H

#include "verify/accept.h"
#include "verify/vector.h"

struct ks_timed {
    enum ks_speed speed;       // FASTER means: by this rule, in this process
    char reason[256];
    struct ks_timing *timings; // by workload
    size_t n_timings;
    double geomean, lower;     // weighted over workloads; smallest lower bound
    struct ks_value **floors; size_t *n_floors; // by workload: sizes below these are not faster
    double *probes;            // by workload and step: upper bounds at the sizes down to the floor, 0 below
};

// Times every workload under `rule`, holding the GPU's lock. With `floors` also looks for the sizes
// down to which the candidate is not slower. KS_E_INTERRUPTED after a request to stop.
enum ks_status ks_timing_run(struct ks_judge *judge, struct ks_arena *arena,
                             const struct ks_candidate *candidate,
                             const struct ks_accept_rule *rule, bool floors,
                             struct ks_timed *timed, enum ks_correctness *correctness,
                             struct ks_err *err);

// Times `b` against `a` (NULL: the original), which were compiled together and are correct, on every
// workload that counts: the ratios are of a's time over b's.
enum ks_status ks_timing_compare(struct ks_judge *judge, struct ks_arena *arena,
                                 const struct ks_candidate *a, const struct ks_candidate *b,
                                 const struct ks_accept_rule *rule, struct ks_timed *timed, enum ks_correctness *correctness,
                                 struct ks_err *err);

// Of what takes so long one pair tells what a look asks of it: the clock's noise is a few microseconds.
#define KS_ENOUGH_US 30000

// Microseconds of the original on a problem, and how it is to be timed: `batch` 1 is one launch after an
// L2 flush. The worker has the problem's buffers and module "m0".
enum ks_status ks_timing_baseline(struct ks_worker *worker, json_t *plan, double *microseconds,
                                  int *batch, struct ks_err *err);

// How many rotating copies of a problem's buffers a timing takes: three times the L2 in all where memory
// allows, and whole batches, since each launch of a batch has a copy of its own.
int ks_timing_sets(const struct ks_device_info *device, int64_t bytes, int batch);

// Lower bound of a kernel's time by its compulsory traffic: nothing passes DRAM faster than the measured
// copy rate, with 20 % allowed for its error and `l2_bytes` for what may stay in the cache.
double ks_timing_floor_us(int64_t traffic, int64_t l2_bytes, double copy_gbs);

#endif
