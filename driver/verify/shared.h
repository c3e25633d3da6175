// Memory that the supervisor shares with a worker on its own machine: a pipe carries half a gigabyte a second, and an
// output may be gigabytes. The worker has it as the open file KS_CHILD_MEMORY, of KS_SHARED_BYTES.
#ifndef KS_SHARED_H
#define KS_SHARED_H

#include <stdint.h>

#include "base/status.h"

#define KS_SHARED_BYTES (INT64_C(64) << 20)

struct ks_shared {
    char *at; // NULL: none
};
// Makes some, as the file *fd to be handed on and closed. Without it (at NULL, *fd -1) bytes go through the pipe.
void ks_shared_make(struct ks_shared *shared, int *fd);
// The worker's end. KS_E_USER if it was given none.
enum ks_status ks_shared_map(struct ks_shared *shared, struct ks_err *err);
void ks_shared_free(struct ks_shared *shared);
// Copies n bytes that lie from `from` on. Whatever the worker does with them from then on, the copy stays.
void ks_shared_take(const struct ks_shared *shared, int64_t from, void *to, int64_t n);

#endif
