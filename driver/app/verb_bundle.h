// `ks export` and `ks import`: what they share.
#ifndef KS_VERB_BUNDLE_H
#define KS_VERB_BUNDLE_H

#include "app/verb.h"
#include "fmt/json.h"
#include "fmt/table.h"
#include "store/merge.h"

// One decision as it is told: `result` NULL where it was only written to a file.
void verb_bundle_row(struct ks_table *table, const struct ks_bundled *d,
                     const struct ks_lookup *lookup, const char *signer, const char *result);
json_t *verb_bundle_json(const struct ks_bundled *d, const struct ks_lookup *lookup,
                         const char *signer, const char *result, const char *text);
extern const char *const verb_bundle_header[7];

// Merges into a tier, tells each decision on stdout or in `rows`, and counts what came in and what was
// refused. A tier of the user's or the project's has its other indexes stirred when it is new.
struct verb_merge {
    struct ks_verb_context *context;
    const struct ks_store *store; // that the tier is of, or NULL
    const struct ks_tier *tier;
    struct ks_merge_options options;
    json_t *rows;
    size_t written, refused;
};
enum ks_status verb_merge(struct verb_merge *merge, const struct ks_bundled *decisions, size_t n,
                          struct ks_err *err);


// verb_trajectories.c: what was tried on this machine, a line a step, with what a transcript (or NULL) says of it. An exit status.
int verb_export_trajectories(struct ks_verb_context *context, const char *path, const char *transcript);

#endif
