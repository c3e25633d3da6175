// Static libraries: the members of an ar archive as GNU ar and llvm-ar write it, thin ones included.
#ifndef KS_ARCHIVE_H
#define KS_ARCHIVE_H

#include <stdbool.h>

#include "base/str.h"

bool ks_is_archive(struct ks_slice file);

struct ks_archive {
    struct ks_slice file, long_names;
    size_t at;
    bool thin; // members are files of their own
};
struct ks_member {
    const char *name;         // in a thin archive the path, relative to the archive's folder
    struct ks_slice contents; // empty in a thin one
};

void ks_archive_open(struct ks_slice file, struct ks_archive *archive);
// The next member that is no index; false at the end. KS_E_FORMAT in *status on damage.
bool ks_archive_next(struct ks_arena *arena, struct ks_archive *archive, struct ks_member *member,
                     enum ks_status *status, struct ks_err *err);

#endif
