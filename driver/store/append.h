// Files that many processes append to without waiting: one write(2) with O_APPEND an entry, so that
// parallel writers do not mix. An entry cut by a full disk or a kill spoils nothing behind it.
#ifndef KS_APPEND_H
#define KS_APPEND_H

#include "base/str.h"

// `entry` begins with a newline, which is only written behind an entry that was cut, and ends with
// one. The folder must exist.
enum ks_status ks_append(const char *path, const struct ks_buf *entry, struct ks_err *err);

// A file that was renamed is finished once no writer holds it that opened it under its first name. A
// descriptor to close when the file has been dealt with (and removed, or renamed over: nobody appends
// to it after that), or -1: it is still being written to.
int ks_append_finish(const char *path);

#endif
