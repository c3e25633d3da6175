// Directions: the coarse classes of skills, between which a search balances.
#ifndef KS_DIRECTION_H
#define KS_DIRECTION_H

#include <stdbool.h>
#include <stddef.h>

struct ks_direction {
    const char *name, *meaning;
};
const struct ks_direction *ks_directions(void); // ends with a NULL name
const struct ks_direction *ks_direction_find(const char *name);

#endif
