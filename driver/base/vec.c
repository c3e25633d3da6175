#include "base/vec.h"

#include <stdint.h>

#include "base/status.h"

void ks_vec_grow_(struct ks_arena *arena, void **at, size_t *len, size_t *cap, size_t size)
{
    if (*len == *cap) {
        KS_ASSERT(*cap <= SIZE_MAX / 2);
        size_t new_cap = *cap == 0 ? 8 : *cap * 2;
        void *bigger = ks_arena_array(arena, new_cap, size);
        if (*len > 0)
            memcpy(bigger, *at, *len * size);
        *at = bigger;
        *cap = new_cap;
    }
    // Elements above `len` may hold what a caller popped by decreasing it.
    memset((char *)*at + *len * size, 0, size);
    *len += 1;
}
