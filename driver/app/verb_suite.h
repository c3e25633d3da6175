// Fixtures of `ks verify --suite`: a folder each, with proposal.yaml, expect.yaml and often a kernel.cu.
// docs/suite.md has the format. verb_suite_read.c reads them, verb_suite.c judges them.
#ifndef KS_VERB_SUITE_H
#define KS_VERB_SUITE_H

#include "app/verb_verify.h"

// One judgement that a fixture asks for.
struct suite_case {
    const char *file;            // the kernel's TU
    const char *const *words;    // nvcc's, besides the architecture
    struct ks_verify_defences off;
    struct ks_strv expect;       // outcomes: correctness, or the speed of what is correct
    bool timed;                  // an outcome may be a speed
    const char *emu;             // workload for emulated devices, or NULL
    const char *weak;            // why the outcome is a matter of luck; NULL: it is not
};

struct suite_fixture {
    const char *id, *dir, *title;
    const char *kernel;          // NULL: the TU's only one
    const char *defence;         // that must catch it; NULL: it must be accepted
    struct suite_case main, weakened;
    bool has_weakened;
};

struct suite {
    struct suite_fixture *at; size_t n;
    struct { const char *device; int64_t reject, accept; } least[4]; size_t n_least;
};

// KS_E_USER: a file is not as it should be. `only`: comma-separated beginnings of ids, or NULL.
enum ks_status suite_read(struct ks_arena *arena, const char *dir, const char *only,
                          struct suite *suite, struct ks_err *err);

#endif
