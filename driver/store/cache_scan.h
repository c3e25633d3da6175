// What lies in the cache directory, for collect.c alone.
#ifndef KS_CACHE_SCAN_H
#define KS_CACHE_SCAN_H

#include "store/collect.h"

struct ks_cache_scan {
    struct ks_arena *arena;
    const struct ks_config *config;
    struct ks_tier tier;       // the user's
    KS_VEC(struct ks_cache_item) items;
    KS_VEC(struct ks_digest) referenced; // keys that live manifests name
    struct ks_strv shadows;    // and the shadows that they need
};

// All items with kind, size, age and key; what a live manifest names; `useless` set. Nothing is kept
// or dropped yet.
void ks_cache_scan(struct ks_cache_scan *scan);
// Size of a file or folder as `bytes` counts it.
int64_t ks_cache_size(const char *path);

#endif
