// The judge's defences by name (research verification.md D1-D13). Each can be switched off, to show
// that a test would notice, but only where verify/defence.c is compiled with KS_TEST_BUILD: in the
// program that ships the switches do nothing.
#ifndef KS_DEFENCE_H
#define KS_DEFENCE_H

#include <stdbool.h>

enum ks_defence {
    KS_D_STATIC_GATE,    // D2: what PTX shows
    KS_D_UNSAFE,         // D3: canaries and changed inputs, as the worker reports them
    KS_D_PLACEMENT,      // D3: both ends of the fence, least alignment that the guard admits
    KS_D_POISON,         // D4: fresh poison in outputs and workspaces before each run
    KS_D_SHAPES,         // D5: derived shapes
    KS_D_FAMILIES,       // D5: families of values besides the declared one
    KS_D_EXACT_PROBE,    // D6: exact arithmetic must be bit-equal
    KS_D_VACUITY,        // D6: vectors that prove nothing do not count
    KS_D_UNWRITTEN,      // elements the original leaves alone must stay alone
    KS_D_REPETITION,     // D7: repeats must agree bit by bit
    KS_D_TIMED_OUTPUT,   // D8: outputs of timed runs are verified
    KS_D_FLOOR,          // D9: nothing is faster than memory allows
    KS_D_WATCHDOG,       // D10: a deadline of 50 baselines; off: options->run_timeout alone
    KS_D_GUARD,          // D11: each declared workload lies inside the guard
    KS_D_CONTROL,        // timing: original against itself
    KS_D_UNSEEN,         // D12: unseen shapes in the confirmation
    KS_D_TEXT,           // D2: what the source may say at all
    KS_D_LIMITS,         // D2: numbers of the plan, before anything is launched
    KS_D_PROCESS_SPLIT,  // D1: a runner never holds an expected value
    KS_D_EMULATION,      // what the emulated device sees besides
    KS_D_TOLERANCE,      // D6: derived tolerances; off: one absolute and relative 1e-2, as elsewhere
    KS_D_SCRUB,          // D4: shared memory, local memory and registers filled between launches
    KS_D_SEEDS,          // D5: seeds from the system, anew for the confirmation; off: always the same
    KS_D_ROTATION,       // timing: buffer sets of three times L2 in turn; off: one set for all
    KS_D_CONFIRMATION,   // D12: a gain counts once fresh processes repeat it; off: at once
    KS_D_IDENTITY,       // D13: the original's code in the shadow build equals the plain build's
    KS_DEFENCE_COUNT
};

struct ks_verify_defences {
    bool off[KS_DEFENCE_COUNT];
};

// `switches` may be NULL: all on.
bool ks_defence_on(const struct ks_verify_defences *switches, enum ks_defence which);
const char *ks_defence_name(enum ks_defence which); // "static-gate", ...
bool ks_defence_parse(const char *name, enum ks_defence *which);
// Whether this program was built so that defences can be switched off.
bool ks_defence_switchable(void);

#endif
