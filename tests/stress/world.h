// The folder in which a faulted program runs: made anew from a pristine copy for each run, and looked
// at afterwards.
#ifndef KS_WORLD_H
#define KS_WORLD_H

#include <stdbool.h>
#include <stddef.h>

struct world_bytes {
    char *data; // NULL: no such file
    size_t len;
};

void world_free(struct world_bytes *bytes);
struct world_bytes world_read(const char *path);
bool world_same(const struct world_bytes *a, const struct world_bytes *b);

void world_remove(const char *path); // a whole tree
// Copies a tree with modes and times; existing files of `to` are a bug.
void world_copy(const char *from, const char *to);
// Paths below `root`, sorted, one a line, folders with a slash; without what is below a path in `skip`
// (NULL-terminated, relative).
struct world_bytes world_list(const char *root, const char *const *skip);
// The bytes of every file below `root`, with names: equal for equal trees. An absent root: "".
struct world_bytes world_content(const char *root);

#endif
