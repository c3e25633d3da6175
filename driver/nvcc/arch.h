// Architectures: what -arch, -code and -gencode ask for.
#ifndef KS_ARCH_H
#define KS_ARCH_H

#include "nvcc/cmdline.h"

struct ks_arch_words {
    const char *arch;        // the last -arch, or NULL
    struct ks_strv codes;    // items of all -code
    struct ks_strv gencodes; // each -gencode's value as written
};

// Fills archs, n_archs and arch_problem of `cmd`, without repetitions, in nvcc's order of meaning.
// With nothing given: sm_75 and its PTX, nvcc 13's default.
void ks_arch_read(struct ks_arena *arena, const struct ks_arch_words *words,
                  struct ks_cmdline *cmd);

#endif
