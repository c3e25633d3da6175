#include "workload/blocks.h"

#include <string.h>

const struct ks_block_pointer *ks_blocks_pointer(const struct ks_workload_mark *mark, size_t n,
                                                const struct ks_block **block)
{
    for (size_t b = 0; b < mark->n_blocks; n -= mark->blocks[b++].n_pointers)
        if (n < mark->blocks[b].n_pointers) {
            if (block != NULL)
                *block = &mark->blocks[b];
            return &mark->blocks[b].pointers[n];
        }
    return NULL;
}

const struct ks_block_value *ks_blocks_value(const struct ks_workload_mark *mark, size_t n,
                                             const struct ks_block **block)
{
    for (size_t b = 0; b < mark->n_blocks; b++)
        for (size_t v = 0; v < mark->blocks[b].n_values; v++)
            if (mark->blocks[b].values[v].integer && n-- == 0) {
                if (block != NULL)
                    *block = &mark->blocks[b];
                return &mark->blocks[b].values[v];
            }
    return NULL;
}

bool ks_blocks_gives(const struct ks_workload_mark *mark, const char *name)
{
    for (size_t b = 0; b < mark->n_blocks; b++)
        for (size_t v = 0; v < mark->blocks[b].n_values; v++)
            if (strcmp(mark->blocks[b].values[v].name, name) == 0)
                return true;
    return false;
}

const struct ks_block *ks_blocks_of(const struct ks_workload_mark *mark, const char *param)
{
    for (size_t i = 0; i < mark->n_blocks; i++)
        if (strcmp(mark->blocks[i].name, param) == 0)
            return &mark->blocks[i];
    return NULL;
}
