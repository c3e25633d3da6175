// Options for the host compiler (-Xcompiler, or forwarded): the few that concern ks.
#ifndef KS_HOST_OPTION_H
#define KS_HOST_OPTION_H

#include "base/str.h"

struct ks_host_options {
    struct ks_strv words;        // in: all of them, in order
    struct ks_strv quote_dirs;   // -iquote
    struct ks_strv include_dirs; // -I; searched before nvcc's own -I (wrapper.md 3)
    bool instrumented;           // sanitizer, coverage or profile build; doubt says which
    bool openmp;                 // -fopenmp: its pragmas are known
    bool parts;                  // -B and its like: the host compiler takes parts of itself elsewhere
    const char *doubt;           // why the command must be passed through, or NULL
};

void ks_host_options_read(struct ks_arena *arena, struct ks_host_options *host);

#endif
