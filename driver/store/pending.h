// Kernels that a build met and found no decision for, remembered for `ks warm`, each with the command
// that compiles it. A small append-only file under cache_dir, tolerant of races.
//
// Tuning a key settles it wherever it is met, so a key counts once; a few of the compiles that met it
// are kept, because files move and folders go.
#ifndef KS_PENDING_H
#define KS_PENDING_H

#include "cfg/config.h"
#include "key/variant.h"

struct ks_pending {
    struct ks_digest key;
    const char *kernel; // instance
    const char *symbol; // as registered, mangled; "" where an earlier ks noted it
    const char *file;   // absolute, that was compiled
    const char *cwd;
    const char **argv;  // nvcc arguments behind argv[0], NULL-terminated
    int arch;
};

enum ks_status ks_pending_add(const struct ks_config *config, const struct ks_pending *item,
                              struct ks_err *err);
// One row a compile, the latest last; a key may have several.
enum ks_status ks_pending_list(struct ks_arena *arena, const struct ks_config *config,
                               struct ks_pending **items, size_t *n, struct ks_err *err);
size_t ks_pending_keys(const struct ks_pending *items, size_t n);      // how many are to be tuned
bool ks_pending_first(const struct ks_pending *items, size_t i);       // of its key
void ks_pending_remove(const struct ks_config *config, const struct ks_digest *key); // decided
void ks_pending_gone(const struct ks_config *config, const struct ks_pending *item); // this compile

#endif
