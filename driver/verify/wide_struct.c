// A struct passed by value, as the unit in double takes it: its floats are doubles there, and what lies behind them
// moves; contract in verify/wide_struct.h.
#include "verify/wide_struct.h"

#include <stdlib.h>
#include <string.h>

#include "base/num.h"
#include "verify/compare.h"

static int by_place(const void *a, const void *b)
{
    const struct ks_block_value *x = a, *y = b;
    return (x->at > y->at) - (x->at < y->at);
}

// Members of a struct that are known one by one; what a capture kept are bytes.
static bool all_known(const struct ks_block *block)
{
    for (size_t i = 0; i < block->size; i++) {
        bool known = !block->matters[i];
        for (size_t v = 0; v < block->n_values; v++)
            known = known || (i >= block->values[v].at && i < block->values[v].at + block->values[v].type.elem.size);
        if (!known)
            return false;
    }
    return block->n_pointers == 0 && block->n_values <= KS_WIDE_MEMBERS;
}

// "p.in" of "p.in.x" and of "p.in.0.x"; empty: no member of a member.
static struct ks_slice holder(const char *name)
{
    const char *dot = strchr(name, '.'), *second = dot == NULL ? NULL : strchr(dot + 1, '.');
    return (struct ks_slice){name, second == NULL ? 0 : (size_t)(second - name)};
}

// Members of members are known by name and place alone. Where all in one have one type, it ends where the last does,
// wide or not; of others the padding behind is unknown, and what follows may lie elsewhere in a struct of equal size.
static bool ends_known(const struct ks_block_value *members, size_t n)
{
    for (size_t v = 1; v < n; v++) {
        struct ks_slice a = holder(members[v - 1].name), b = holder(members[v].name);
        struct ks_elem x = members[v - 1].type.elem, y = members[v].type.elem;
        if (a.len > 0 && a.len == b.len && memcmp(a.at, b.at, a.len) == 0 &&
            (x.scalar != y.scalar || x.lanes != y.lanes))
            return false;
    }
    return true;
}

size_t ks_wide_struct(const struct ks_block *block, unsigned char out[KS_WIDE_STRUCT])
{
    struct ks_block_value members[KS_WIDE_MEMBERS];
    size_t end = 0, widest = 1;
    if (!all_known(block))
        return 0;
    memcpy(members, block->values, block->n_values * sizeof *members);
    qsort(members, block->n_values, sizeof *members, by_place);
    if (!ends_known(members, block->n_values))
        return 0;
    memset(out, 0, KS_WIDE_STRUCT);
    for (size_t v = 0; v < block->n_values; v++) {
        struct ks_elem elem = members[v].type.elem;
        bool wide = elem.scalar == KS_T_F32;
        // double2 and double4 are aligned to 16 bytes, double3 as one double is.
        size_t size = wide ? (size_t)elem.lanes * sizeof(double) : elem.size;
        size_t align = !wide ? elem.align : elem.lanes % 2 == 0 ? 16 : sizeof(double);
        end = ks_align_up(end, align);
        if (elem.scalar == KS_T_F16 || elem.scalar == KS_T_BF16 || size == 0 || end + size > KS_WIDE_STRUCT)
            return 0;
        memcpy(out + end, block->bytes + members[v].at, wide ? 0 : size);
        for (int lane = 0; wide && lane < elem.lanes; lane++) {
            double value = ks_scalar_value(KS_T_F32, block->bytes + members[v].at, lane);
            memcpy(out + end + (size_t)lane * sizeof value, &value, sizeof value);
        }
        end += size;
        widest = align > widest ? align : widest;
    }
    end = ks_align_up(end, widest);
    return end <= KS_WIDE_STRUCT ? end : 0;
}
