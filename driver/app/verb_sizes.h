// --set=NAME=NUMBER of `ks run` and `ks verify`: sizes that replace those of a workload's let().
#ifndef KS_VERB_SIZES_H
#define KS_VERB_SIZES_H

#include "app/verb.h"
#include "workload/problem.h"

// KS_E_USER for what is no NAME=NUMBER; as many values as texts.
enum ks_status verb_read_sizes(struct ks_arena *arena, const struct ks_strv *texts,
                               struct ks_value **values, struct ks_err *err);
// KS_E_USER for a name that is no size of the workload.
enum ks_status verb_check_sizes(struct ks_arena *arena, const struct ks_mark *mark, size_t workload,
                                const struct ks_value *values, size_t n, struct ks_err *err);
// The kernel with these sizes in every workload; itself where there are none.
enum ks_status verb_resize(struct ks_arena *arena, const struct ks_strv *texts,
                           const struct ks_tu_kernel *kernel, const struct ks_tu_kernel **resized,
                           struct ks_err *err);

#endif
