// Make-style dependency files as nvcc and gcc write them.
#ifndef KS_DEPFILE_H
#define KS_DEPFILE_H

#include "base/str.h"

struct ks_depfile {
    struct ks_strv targets;
    struct ks_strv prerequisites; // unescaped; the first is the main source
    struct ks_strv phony;         // targets of -MP lines
};

enum ks_status ks_depfile_parse(struct ks_arena *arena, struct ks_slice text,
                                struct ks_depfile *out, struct ks_err *err);
// Another name for a prerequisite: written as nvcc writes names, with nothing but blanks escaped.
struct ks_depfile_name {
    const char *from;
    const char *to; // NULL: it goes, with its empty rule
};

// Replaces prerequisites token-wise, leaves everything else byte for byte, and adds `extra`
// prerequisites (NULL-terminated, may be NULL) at the end of the first rule, each with an empty rule
// of its own behind everything: make goes on when it was deleted.
enum ks_status ks_depfile_repair(struct ks_slice text, const struct ks_depfile_name *names,
                                 size_t n_names, const char *const *extra, struct ks_buf *out,
                                 struct ks_err *err);

#endif
