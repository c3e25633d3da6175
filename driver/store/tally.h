// What became of the marked kernels of every compile, for `ks stats`: how often each reason was met,
// and the latest state of each kernel of each build. Compiles append to <cache_dir>/tally/log and
// wait for nobody; a log that grows is folded into <cache_dir>/tally/totals.
#ifndef KS_TALLY_H
#define KS_TALLY_H

#include "cfg/config.h"
#include "fmt/hash.h"
#include "key/reason.h"

struct ks_tally_kernel { // one marked kernel (and architecture) of one compile
    enum ks_reason reason;
    const char *text;    // its detail; the first line is kept
    const char *kernel;
    const char *file;    // that holds it, absolute
    int line, arch;      // arch 0: not compiled
    char key[KS_HASH_TEXT]; // "" if it has none
    const char *object;  // absolute; "" if not known
    const char *when;    // UTC, "2026-01-31T12:00:00Z"; filled by ks_tally_read
};

struct ks_tally_build {
    const char *name;    // a folder, or KS_BUILD_ID
    const char *when;    // of its latest compile
    struct ks_tally_kernel *kernels; size_t n; // those of the latest compile of each object
};

struct ks_tally {
    long counts[KS_R_COUNT]; // all compiles since `since`
    const char *since;       // UTC of the first entry or the last reset; "" if there is none
    struct ks_tally_build *builds; size_t n_builds; // the one compiled last comes first
};

// Adds one compile of `object` in `build`. One write(2): parallel compiles do not mix. Does nothing
// where nothing may be written.
void ks_tally_add(const struct ks_config *config, const char *build, const char *object,
                  const struct ks_tally_kernel *kernels, size_t n);

// All that was added. Builds whose folder is gone are left out, their counts are not.
enum ks_status ks_tally_read(struct ks_arena *arena, const struct ks_config *config,
                             struct ks_tally *tally, struct ks_err *err);

// Forgets everything. KS_E_IO where nothing may be written.
enum ks_status ks_tally_zero(const struct ks_config *config, struct ks_err *err);

#endif
