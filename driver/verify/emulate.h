// A second look at what a GPU found correct: small problems on the emulated device (device/emu), which sees
// what hardware hides: reads of what nobody wrote, accesses just outside a buffer that land in another one,
// races that happen to end well, missing fences, barriers that not all threads reach.
#ifndef KS_EMULATE_H
#define KS_EMULATE_H

#include <pthread.h>
#include <stdatomic.h>

#include "verify/session.h"

#define KS_SMALL_PROBLEMS 4
// Small problems of a workload that the guard admits, at most KS_SMALL_PROBLEMS into *chosen: the largest
// that is small first. How many.
size_t ks_small_problems(struct ks_judge *judge, struct ks_arena *arena, size_t workload,
                         const struct ks_proposal *proposal, struct ks_problem *chosen);

struct ks_emulation {
    int runs;                      // 0: nothing could be run, a note of the judge says why
    enum ks_correctness verdict;   // KS_C_CORRECT unless the emulated device found a fault of the candidate
    char reason[512];
    double seconds;
};

// A look at a candidate of a session on another device; a session that is emulated itself has looked already.
// Where the emulated device cannot tell (an instruction that it lacks, an original that it finds fault with,
// problems that are too large for it) the candidate passes and the judge notes it.
struct ks_second_look {
    struct ks_judge *judge;
    const struct ks_candidate *candidate;
    struct ks_emulation found;
    enum ks_status status;
    struct ks_err err;
    char note[256];                // for the judge, which another thread is using
    bool beside;                   // in a thread of its own
    pthread_t thread;
    atomic_bool dropped;
};

#define KS_UNLOOKED "not looked at on the emulated device: " // begins the note where nothing could be run

// Begins it beside whatever the caller does with the candidate on its own device, where there are cores for
// both and nothing has to be compiled for it; else ks_second_look_end does it all. Zeroed before the first use.
void ks_second_look_begin(struct ks_second_look *look, struct ks_judge *judge, const struct ks_candidate *candidate);
// What it found. A failure status is the tool's.
enum ks_status ks_second_look_end(struct ks_second_look *look, struct ks_judge *judge, const struct ks_candidate *candidate,
                           struct ks_emulation *found, struct ks_err *err);
// Nobody wants to know any more. Idempotent.
void ks_second_look_drop(struct ks_second_look *look);
// At the session's end. Idempotent.
void ks_emulate_close(struct ks_judge *judge);

#endif
