// Putting a whole file in another's place, for os/file.c only. What a kill leaves of it, the next
// writer of the same file removes.
#ifndef KS_PUBLISH_H
#define KS_PUBLISH_H

#include <stdbool.h>
#include <sys/types.h>

// `fill` writes the bytes to a descriptor; it may be called twice. The mode is 0644 & ~umask, or,
// if `mode` is not 0, exactly that. On failure errno is set, `target` as it was, and nothing is
// left.
bool ks_publish(const char *target, mode_t mode, bool durable, bool (*fill)(int fd, void *context),
                void *context);

#endif
