// The files a TU includes, found textually: quoted includes and those under -I. The toolkit's own
// and -isystem folders are left out; macros in #include are ignored; both arms of #if are followed.
//
// Nothing is remembered from one run to the next: a mark that appears in a header is seen by the
// very next compile. So this is what an unmarked TU pays for, and it is made to cost little: one
// open, fstat, read and close a file, one failing open a name in a folder that lacks it, and one for
// all names below a folder that is not there.
#ifndef KS_CLOSURE_H
#define KS_CLOSURE_H

#include "base/str.h"
#include "base/vec.h"
#include "os/file.h"

struct ks_source_file {
    const char *path;      // as reached: relative to the command's directory where it was
    struct ks_slice text;  // of the TU, and of files that may have a mark; else empty
    struct ks_file_id id;  // when it was read
    bool may_have_mark;
    bool has_kernel;       // `__global__` stands in it
    bool has_omp;          // so does a pragma of OpenMP's,
    bool has_odd_pragma;   // or one that host compilers warn about as unknown
};

struct ks_source_list {
    struct ks_source_file *at; // [0] is the TU itself
    size_t len, cap;
};

// Where to look. The lists are NULL-terminated, in search order; NULL: none.
struct ks_closure_dirs {
    const char *const *quote, *const *include;
    const char *const *left_out; // of `include`, whatever name they go by there
};

// Unreadable includes are skipped; an unreadable TU is the only failure. At most 4096 files and
// 256 MiB.
enum ks_status ks_closure_read(struct ks_arena *arena, const char *tu,
                               const struct ks_closure_dirs *dirs, struct ks_source_list *files,
                               struct ks_err *err);

// Whether all of them are as they were when they were read.
bool ks_closure_holds(const struct ks_source_list *files);

#endif
