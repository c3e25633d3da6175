// Compiles of shadows for candidates, as many at once as there are cores for. Private to the building of
// candidates (verify/build.c).
#ifndef KS_BUILD_H
#define KS_BUILD_H

#include "os/sandbox.h"
#include "verify/session.h"

// One compile of a shadow, with the candidates in it.
struct ks_shadow_build {
    struct ks_candidate *const *candidates; // given; borrowed
    size_t n;
    bool device;                  // given: device code alone
    struct ks_tu_compile compile; // what came of it, until ks_shadow_build_free
    double seconds;
    enum ks_status status;        // of the compile: KS_OK also where nvcc refuses
    struct ks_err err;
    // Private.
    struct ks_arena arena;        // of its thread
    struct ks_substitution *subs;
    struct ks_sandbox sandbox;
    const char *keep;
};

// How many compiles this session lets run at once.
size_t ks_shadow_builds_at_once(const struct ks_judge *judge);
// What the shadow has in place of the original for a candidate.
struct ks_substitution ks_candidate_substitution(struct ks_judge *judge, const struct ks_candidate *candidate);
// Runs all compiles to their ends. A failure status is that of what comes before a compile.
enum ks_status ks_shadow_builds_run(struct ks_judge *judge, struct ks_shadow_build *builds, size_t n,
                                    struct ks_err *err);
// Idempotent.
void ks_shadow_build_free(struct ks_shadow_build *build);

#endif
