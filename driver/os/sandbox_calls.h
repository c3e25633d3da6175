// The system calls that are refused inside; for os/sandbox.c alone.
#ifndef KS_SANDBOX_CALLS_H
#define KS_SANDBOX_CALLS_H

#include <stdbool.h>
#include <stddef.h>

#include "base/arena.h"

struct sock_filter;

bool ks_sandbox_calls_supported(char why[256]);
// A filter in the arena. `starts`: processes may be started; `scoped`: Landlock looks after
// signals.
struct sock_filter *ks_sandbox_calls(struct ks_arena *arena, bool starts, bool scoped, size_t *n);

#endif
