// When a file of the cache was last used: its mtime, which a use renews once a day at most. `ks gc`
// drops what was not used for longest.
#ifndef KS_USED_H
#define KS_USED_H

#include <stdint.h>

// Two system calls on the compile path, the second once a day; failures do not matter.
void ks_used_note(const char *path);
// Seconds since `path` was used, 0 for a time to come; -1 when it is not there.
int64_t ks_used_age(const char *path);

#endif
