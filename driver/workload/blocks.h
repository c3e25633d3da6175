// What the structs of a workload, passed by value, have in them, all of them counted through.
#ifndef KS_BLOCKS_H
#define KS_BLOCKS_H

#include "source/mark.h"

// The n-th pointer; NULL beyond them. `block` may be NULL.
const struct ks_block_pointer *ks_blocks_pointer(const struct ks_workload_mark *mark, size_t n,
                                                 const struct ks_block **block);
// The n-th integer that a clause gives; likewise.
const struct ks_block_value *ks_blocks_value(const struct ks_workload_mark *mark, size_t n,
                                             const struct ks_block **block);
// Whether `name`, "p.n", is a member that a clause gives a number.
bool ks_blocks_gives(const struct ks_workload_mark *mark, const char *name);
// The struct of that parameter, or NULL.
const struct ks_block *ks_blocks_of(const struct ks_workload_mark *mark, const char *param);

#endif
