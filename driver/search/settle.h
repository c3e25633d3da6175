// What tuning and requalifying share: a session of the judge over one kernel, and what becomes of a
// proposal that was confirmed.
#ifndef KS_SETTLE_H
#define KS_SETTLE_H

#include "store/store.h"
#include "verify/judge.h"

// Opens the session with the worker that the configuration names; `work_dir` is private. `sandbox`: proposals of
// unknown origin will come, and are compiled and run confined. Where the
// original itself is at fault, *finding says what and where, *judge is NULL, and that is KS_OK. *judge is
// to be closed in any case.
enum ks_status ks_settle_open(struct ks_arena *arena, const struct ks_tu *tu,
                              const struct ks_tu_kernel *kernel, const struct ks_tu_compile *plain,
                              const struct ks_config *config, const char *work_dir, bool sandbox,
                              struct ks_judge **judge, const char **finding, struct ks_err *err);

// Fills in kernel and verdict, signs with the user's key (made if there is none) and stores. The caller
// has filled proposal, id and provenance. *path is the file.
enum ks_status ks_settle_variant(struct ks_arena *arena, const struct ks_config *config,
                                 const struct ks_store *store, const struct ks_tu_kernel *kernel,
                                 const struct ks_verdict *verdict, struct ks_variant *variant,
                                 const char **path, struct ks_err *err);

#endif
