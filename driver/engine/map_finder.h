// Private to the finding of maps: what its files share.
#ifndef KS_MAP_FINDER_H
#define KS_MAP_FINDER_H

#include "base/vec.h"
#include "engine/map.h"

struct ks_map_finder {
    struct ks_arena *arena;
    const struct ks_kernel_decl *decl;
    const struct ks_body *body;
    struct ks_affine *env;
    struct ks_map *map;
    ks_map_constant *constant;
    void *context;
    bool parts[3];          // blockIdx alone is no index in this axis: it is what indexes are put together from
    struct ks_strv helpers; // locals made of thread indexes that are not a global index
    struct ks_err *err;
};

// Whether the expression is the global index in x.
bool ks_map_is_global_x(const struct ks_map_finder *f, const struct ks_node *node);
// "i < LIMIT" in any spelling: the limit as plan text, or NULL.
const char *ks_map_upper_limit(const struct ks_map_finder *f, const struct ks_map_bound *bound);
// Whether a statement reads memory, calls or changes anything.
bool ks_map_touches_memory(struct ks_node *node);
void ks_map_add_items(struct ks_map_finder *f, struct ks_node *const *nodes, size_t n);
// What finds guard, further tests and the limit of the index among an item's statements.
void ks_map_find_tests(struct ks_map_finder *f);
void ks_map_find_guard(struct ks_map_finder *f, struct ks_node *const *nodes, size_t n);
void ks_map_find_limit(struct ks_map_finder *f);

#endif
