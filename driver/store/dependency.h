// How a file that a compile read is recognised again.
#ifndef KS_DEPENDENCY_H
#define KS_DEPENDENCY_H

#include "fmt/hash.h"

struct ks_dependency {
    bool by_stat;            // the fields below instead of the digest
    struct ks_digest digest; // of its bytes
    int64_t size, seconds, nanoseconds, inode, device;
};

// Marks the n files `paths` (the first is the main source) as they are now. KS_E_UNSUPPORTED when
// one was written after this process began, so that the compiler may have read other bytes, or asks
// for the date or time, which change without it. KS_E_ABSENT or KS_E_IO: it cannot be read. One behind
// the first that is not there is marked as such, and holds for as long as it is not there.
// `*probing`: one that is no toolkit's or system's says __has_include.
enum ks_status ks_dependencies_mark(const struct ks_strv *paths, struct ks_dependency *marks,
                                    bool *probing, struct ks_err *err);
bool ks_dependency_holds(const char *path, const struct ks_dependency *mark);

#endif
