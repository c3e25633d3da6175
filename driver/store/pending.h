// Kernels that a build met and found no decision for, remembered for `ks warm`; and counters of
// outcomes for `ks stats`. Small append-only files under cache_dir, tolerant of races.
#ifndef KS_PENDING_H
#define KS_PENDING_H

#include "cfg/config.h"
#include "key/variant.h"

struct ks_pending {
    struct ks_digest key;
    const char *kernel; // instance
    const char *file;   // absolute, that was compiled
    const char *cwd;
    const char **argv;  // nvcc arguments behind argv[0], NULL-terminated
    int arch;
};

enum ks_status ks_pending_add(const struct ks_config *config, const struct ks_pending *item,
                              struct ks_err *err);
enum ks_status ks_pending_list(struct ks_arena *arena, const struct ks_config *config,
                               struct ks_pending **items, size_t *n, struct ks_err *err);
void ks_pending_remove(const struct ks_config *config, const struct ks_digest *key);

// One line appended per marked kernel and compile: reason, key, kernel, file.
void ks_outcome_log(const struct ks_config *config, enum ks_reason reason,
                    const struct ks_digest *key, const char *kernel, const char *file);
// Counts by reason over the whole log.
enum ks_status ks_outcome_counts(const struct ks_config *config, long counts[KS_R_COUNT],
                                 struct ks_err *err);

#endif
