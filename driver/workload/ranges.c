#include "workload/ranges.h"

#include <stdlib.h>
#include <string.h>

#include "workload/blocks.h"
#include "workload/fill.h"

static double whole_at(enum ks_scalar scalar, const unsigned char *at)
{
    uint64_t bits = 0;
    size_t size = ks_scalar_size(scalar);
    memcpy(&bits, at, size);
    if (!ks_scalar_is_signed(scalar))
        return (double)bits;
    return (double)((int64_t)(bits << (64 - 8 * size)) >> (64 - 8 * size));
}

void ks_range_of(struct ks_elem elem, const void *data, int64_t count, double *low, double *high)
{
    const unsigned char *at = data;
    size_t size = ks_scalar_size(elem.scalar), n = (size_t)count * (size_t)elem.lanes;
    *low = *high = 0;
    for (size_t i = 0; i < n; i++) {
        double value = whole_at(elem.scalar, at + i * size);
        *low = i == 0 || value < *low ? value : *low;
        *high = i == 0 || value > *high ? value : *high;
    }
}

bool ks_ranges_wanted(const struct ks_mark *mark)
{
    for (size_t w = 0; w < mark->n_workloads; w++)
        for (size_t i = 0; i < mark->workloads[w].n_arrays; i++)
            if (mark->workloads[w].arrays[i].init.kind == KS_INIT_FILE)
                return true;
    return false;
}

// The array's elements, as the clause names them or the kernel takes them.
static struct ks_elem elem_of(const struct ks_workload_mark *mark, const struct ks_array *array,
                              const struct ks_kernel_decl *decl, const struct ks_signature *signature)
{
    const struct ks_block_pointer *member;
    if (array->type.text != NULL && *array->type.text != '\0')
        return array->type.elem;
    for (size_t i = 0; i < decl->n_params && i < signature->n_params; i++)
        if (strcmp(decl->params[i].name, array->name) == 0)
            return signature->params[i].elem;
    for (size_t i = 0; (member = ks_blocks_pointer(mark, i, NULL)) != NULL; i++)
        if (strcmp(member->name, array->name) == 0)
            return member->type.elem;
    return (struct ks_elem){.scalar = KS_T_NONE};
}

static enum ks_status read_range(const char *where, struct ks_elem elem, struct ks_init *init, struct ks_err *err)
{
    int64_t count;
    KS_TRY(ks_fill_file_count(where, init->path, elem, &count, err));
    void *bytes = malloc((size_t)count * elem.size + 1);
    if (bytes == NULL)
        KS_FAIL(err, KS_E_MEMORY, "%s: no memory for file(\"%s\")", where, init->path);
    enum ks_status status = ks_fill_file(bytes, where, init->path, elem, count, err);
    if (status == KS_OK)
        ks_range_of(elem, bytes, count, &init->a, &init->b);
    free(bytes);
    return status;
}

struct ks_mark *ks_ranges_read(struct ks_arena *arena, const struct ks_mark *mark,
                               const struct ks_kernel_decl *decl, const struct ks_signature *signature)
{
    struct ks_mark *out = ks_arena_memdup(arena, mark, sizeof *mark);
    out->workloads = ks_arena_memdup(arena, mark->workloads, mark->n_workloads * sizeof *mark->workloads);
    for (size_t w = 0; w < out->n_workloads; w++) {
        struct ks_workload_mark *one = &out->workloads[w];
        struct ks_err err = {0};
        one->arrays = ks_arena_memdup(arena, one->arrays, one->n_arrays * sizeof *one->arrays);
        for (size_t i = 0; i < one->n_arrays; i++) {
            struct ks_array *array = &one->arrays[i];
            struct ks_elem elem = elem_of(one, array, decl, signature);
            if (array->init.kind == KS_INIT_FILE && elem.scalar != KS_T_NONE && !ks_scalar_is_float(elem.scalar) &&
                one->capture_problem == NULL && read_range(one->where, elem, &array->init, &err) != KS_OK)
                one->capture_problem = ks_arena_strdup(arena, err.text);
        }
    }
    return out;
}
