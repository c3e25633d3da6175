// What was learned, carried to another machine: sums by skill, and this user's skills. No
// attempts, no texts of proposals, no paths.
#ifndef KS_CARRY_H
#define KS_CARRY_H

#include "memory/outcomes.h"

struct ks_carried {
    size_t lessons, skills; // rows
    const char *origin;     // of the memory that they come from
};

// Publishes `file`: what was judged here, not what was imported.
enum ks_status ks_memory_export(struct ks_arena *arena, struct ks_outcomes *outcomes,
                                const struct ks_config *config, const char *file,
                                struct ks_carried *carried, struct ks_err *err);
// Takes what a file of another memory says in place of what an earlier file of it said, in one
// transaction, so that nothing counts twice. Its skills come on probation; ids that are there already are
// left as they are. KS_E_USER: no such file, or this memory's own; KS_E_FORMAT: damaged, with what.
enum ks_status ks_memory_import(struct ks_arena *arena, struct ks_outcomes *outcomes,
                                const struct ks_config *config, const char *file,
                                struct ks_carried *carried, struct ks_err *err);

#endif
