// The files a TU includes, found textually: quoted includes and those under -I. The toolkit's own
// and -isystem folders are left out; macros in #include are ignored; both arms of #if are followed.
#ifndef KS_CLOSURE_H
#define KS_CLOSURE_H

#include "base/str.h"
#include "base/vec.h"

struct ks_source_file {
    const char *path;      // as reached: relative to the command's directory where it was
    struct ks_slice text;
    bool may_have_mark;
};

struct ks_source_list {
    struct ks_source_file *at; // [0] is the TU itself
    size_t len, cap;
};

// `quote_dirs` and `include_dirs` are NULL-terminated, in search order. Unreadable includes are
// skipped; an unreadable TU is the only failure. At most 4096 files and 256 MiB.
enum ks_status ks_closure_read(struct ks_arena *arena, const char *tu,
                               const char *const *quote_dirs, const char *const *include_dirs,
                               struct ks_source_list *files, struct ks_err *err);

#endif
