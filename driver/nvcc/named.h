// The compiler named in front of its own words, as build systems do with a compiler launcher:
// "ks-nvcc [--ks-*]... [LAUNCHER] NVCC WORDS..." where NVCC is a program called nvcc.
#ifndef KS_NAMED_H
#define KS_NAMED_H

#include "base/str.h"

struct ks_named {
    const char *nvcc;     // as spelled; NULL: none is named
    const char *launcher; // the word in front of it, or NULL
};

// Takes these words out of argv (argv[0] stays). ks-nvcc itself named once more is only dropped.
void ks_named_take(struct ks_arena *arena, int *argc, char **argv, struct ks_named *named);

#endif
