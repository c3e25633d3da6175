// A tar file in the one way in which this project writes it: ustar, regular files, names of at most
// 100 bytes, mode 644, root's, of 1970. `tar tf` and `tar xf` read it, and the same content always
// gives the same bytes.
//
// The reader takes nothing else: a header must be, byte for byte, the one that the writer would have
// made of its name and size. So there are no links, devices, sparse files, extensions, long names or
// second archives behind the first to think of, and nothing is unpacked that could be larger than the
// file itself.
#ifndef KS_TAR_H
#define KS_TAR_H

#include "base/str.h"

#define KS_TAR_NAME_MOST ((size_t)100)

struct ks_tar_entry {
    const char *name;
    struct ks_slice data;
};

// Failures (a name or size that does not fit) make `out` failed.
void ks_tar_add(struct ks_buf *out, const char *name, struct ks_slice data);
void ks_tar_end(struct ks_buf *out);

// Entries in the file's order; data is borrowed from `text`. Names are 1 to 100 printable ASCII bytes,
// otherwise anything. KS_E_FORMAT says at which byte it is not such a file; KS_E_LIMIT above `most`.
enum ks_status ks_tar_read(struct ks_arena *arena, struct ks_slice text, size_t most,
                           struct ks_tar_entry **entries, size_t *n, struct ks_err *err);

#endif
