// Loops over many elements on all cores the process may use.
#ifndef KS_PARALLEL_H
#define KS_PARALLEL_H

#include <stddef.h>
#include <stdint.h>

#define KS_PARTS 32
// Calls body(context, part, first, count) for each of at most KS_PARTS consecutive parts, in any order, and
// waits for all. One part where a thread would cost more than it saves.
void ks_parallel(int64_t n, void (*body)(void *context, size_t part, int64_t first, int64_t count),
                 void *context);

#endif
