// Fixtures of `ks verify --suite`: a folder each, with proposal.yaml, expect.yaml and often a kernel.cu.
// docs/suite.md has the format. verb_suite_read.c reads them, verb_suite.c judges them.
#ifndef KS_VERB_SUITE_H
#define KS_VERB_SUITE_H

#include "app/verb_verify.h"

#define SUITE_DECLARED "declared" // the file's own workloads
// One judgement that a fixture asks for.
struct suite_case {
    const char *file;            // the kernel's TU
    const char *const *words;    // nvcc's, besides the architecture
    struct ks_verify_defences off;
    struct ks_strv expect;       // outcomes: correctness, or the speed of what is correct
    bool timed;                  // an outcome may be a speed
    const char *emu;             // workload for emulated devices, or SUITE_DECLARED, or NULL
    const char *weak;            // why the outcome is a matter of luck; NULL: it is not
};

struct suite_fixture {
    const char *id, *dir, *title;
    const char *kernel;          // NULL: the TU's only one
    const char *defence;         // that must catch it; NULL: it must be accepted
    struct suite_case main, weakened;
    bool has_weakened;           // judged once more with that defence off
};

struct suite {
    struct suite_fixture *at; size_t n;
    struct { const char *device; int64_t reject, accept; } least[3]; size_t n_least;
};

// KS_E_USER: a file is not as it should be. `only`: comma-separated beginnings of ids, or NULL. `confined`: it will be
// judged in the sandbox, and no file of it lies outside of `dir`. `emulated`: on a device that `emu_expect` is about.
enum ks_status suite_read(struct ks_arena *arena, const char *dir, const char *only, bool confined,
                          bool emulated, struct suite *suite, struct ks_err *err);
// The TU under another workload, for devices that take hours for the declared one: a copy in the new folder *dir.
enum ks_status suite_with_workload(struct ks_arena *arena, const char *file, const char *workload,
                                   const char **out, char **dir, struct ks_err *err);

// verb_suite_blame.c
// Whether `defence` is none of verify/defence.h but a word for what no build can leave out.
bool suite_is_fixed(const char *defence);
// Whether the defence that the fixture names is a gate, which needs no device.
bool suite_by_gate(const struct suite_fixture *f);
// What speaks against the fixture's word for what rejects it, in the verdict on its `main` or `weakened`; or NULL.
const char *suite_blame(struct ks_arena *arena, const struct suite_fixture *f,
                        const struct suite_case *asked, const struct ks_verdict *verdict);

#endif
