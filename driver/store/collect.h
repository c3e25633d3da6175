// Keeping the cache directory below its size: what is there, what must stay, what goes first.
//
// Stays: decisions that are pinned, that a live manifest names (one whose files are all as they were),
// or that were used within `keep_days`; live manifests used within them; shadows that a live manifest
// needs. Records (pending kernels, counters, pins, indexes) stay too, and what ks did not make.
// Goes, whatever the size: leftovers of writers that were killed, and manifests that cannot be read.
// Goes while more than `max_bytes` are there: manifests and shadows, which a compile makes again, and
// only then decisions, which cost time on a GPU; of each what was not used for longest comes first.
//
// Project and shared tiers are never touched.
#ifndef KS_COLLECT_H
#define KS_COLLECT_H

#include "store/store.h"

enum ks_cached { KS_CACHED_DECISION, KS_CACHED_MANIFEST, KS_CACHED_SHADOW, KS_CACHED_LEFTOVER,
                 KS_CACHED_RECORD, KS_CACHED_COUNT };
const char *ks_cached_name(enum ks_cached kind); // "decision", "manifest", ...

enum ks_kept { KS_KEPT_ROOM,       // there is room for it
               KS_KEPT_RECORD, KS_KEPT_PINNED, KS_KEPT_REFERENCED, KS_KEPT_RECENT,
               KS_KEPT_NOT };      // dropped, or would be
struct ks_cache_item {
    enum ks_cached kind;
    enum ks_kept kept;
    const char *path;      // the file, or a shadow's folder
    int64_t bytes;         // in whole pages of 4 KiB, signature included
    int64_t age;           // seconds since the last use
    struct ks_digest key;  // of a decision
    bool useless;          // goes whatever the size
};
struct ks_collection {
    struct ks_cache_item *items; size_t n;
    int64_t before, after; // bytes
    int64_t max_bytes;
};

struct ks_collect_options {
    int64_t max_bytes;
    int keep_days;
    bool dry_run;          // only tells
};
#define KS_KEEP_DAYS 30

// KS_E_IO where nothing may be written, or the cache is busy with another collection.
enum ks_status ks_collect(struct ks_arena *arena, const struct ks_config *config,
                          const struct ks_collect_options *options, struct ks_collection *out,
                          struct ks_err *err);
// For the end of a program that has put something there: collects if config->cache_max is passed.
// Failures are told in the log at most.
void ks_collect_if_full(const struct ks_config *config);

#endif
