// capture(ID) written out as the clauses of a workload.
#include <math.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include "base/num.h"
#include "workload/capture_expand.h"
#include "workload/ranges.h"

enum ks_status ks_capture_refuse(const struct ks_capture_expander *x, const char *format, ...)
{
    va_list args;
    va_start(args, format);
    const char *text = ks_arena_vprintf(x->arena, format, args);
    va_end(args);
    return ks_err_set(x->err, KS_E_USER, "%s: capture(%s): %s", x->mark->where, x->mark->capture, text);
}

static struct ks_expr *number(struct ks_arena *arena, int64_t value)
{
    struct ks_expr *expr = KS_NEW(arena, struct ks_expr);
    *expr = (struct ks_expr){.op = KS_X_INT, .value = value};
    return expr;
}

// ---- scalars

static const char *lane_text(struct ks_arena *arena, enum ks_scalar scalar, const unsigned char *at)
{
    double f64;
    float f32;
    uint16_t half;
    int64_t integer = 0;
    size_t size = ks_scalar_size(scalar);
    switch (scalar) {
    case KS_T_F64:
        memcpy(&f64, at, sizeof f64);
        return isfinite(f64) ? ks_arena_printf(arena, "%.17g", f64) : NULL;
    case KS_T_F32:
        memcpy(&f32, at, sizeof f32);
        return isfinite(f32) ? ks_arena_printf(arena, "%.9g", (double)f32) : NULL;
    case KS_T_F16:
    case KS_T_BF16:
        memcpy(&half, at, sizeof half);
        f32 = scalar == KS_T_F16 ? ks_f16_to_f32(half) : ks_bf16_to_f32(half);
        return isfinite(f32) ? ks_arena_printf(arena, "%.9g", (double)f32) : NULL;
    default:
        memcpy(&integer, at, size);
        if (ks_scalar_is_signed(scalar) && size < 8)
            integer = (int64_t)((uint64_t)integer << (64 - 8 * size)) >> (64 - 8 * size);
        return ks_arena_printf(arena, "%lld", (long long)integer);
    }
}

static enum ks_status add_setting(struct ks_capture_expander *x, const char *name, const char **values, size_t n)
{
    *ks_vec_push(x->arena, &x->settings) = (struct ks_setting){name, values, n};
    return KS_OK;
}

static enum ks_status add_scalar(struct ks_capture_expander *x, size_t p)
{
    const struct ks_type *type = &x->signature->params[p];
    const struct ks_capture_param *param = &x->capture.params.at[p];
    const char *name = x->decl->params[p].name;
    size_t size = ks_scalar_size(type->elem.scalar), lanes = (size_t)type->elem.lanes;
    if (type->elem.size != param->size)
        return ks_capture_refuse(x, "parameter '%s' (%s) was of another size", name, type->text);
    const char **values = KS_NEW_ARRAY(x->arena, const char *, lanes);
    for (size_t i = 0; i < lanes; i++) {
        values[i] = lane_text(x->arena, type->elem.scalar, param->bytes + i * size);
        if (values[i] == NULL)
            return ks_capture_refuse(x, "parameter '%s' (%s) was no finite number", name, type->text);
    }
    return add_setting(x, name, values, lanes);
}

// ---- memory

const struct ks_capture_pointer *ks_capture_pointer_at(const struct ks_capture *c, size_t param, size_t at)
{
    ks_vec_each(const struct ks_capture_pointer, p, &c->pointers)
        if (p->param == param && p->at == at)
            return p;
    return NULL;
}

const char *ks_capture_name(const struct ks_capture_expander *x, const struct ks_capture_pointer *pointer)
{
    const char *name = x->decl->params[pointer->param].name;
    return x->signature->params[pointer->param].pointer
               ? name : ks_arena_printf(x->arena, "%s.ptr_%zu", name, pointer->at);
}

// Up to the next place of the allocation that something points to, or to its end.
static int64_t extent(const struct ks_capture *c, const struct ks_capture_pointer *p)
{
    int64_t end = c->memory.at[p->allocation].size;
    ks_vec_each(const struct ks_capture_pointer, q, &c->pointers)
        if (q->allocation == p->allocation && q->offset > p->offset && (int64_t)q->offset < end)
            end = (int64_t)q->offset;
    return end - (int64_t)p->offset;
}

// The pointer whose array it is when several are one: one that may be written, if any, else the first.
static const struct ks_capture_pointer *owner_of(struct ks_capture_expander *x, const struct ks_capture_pointer *p)
{
    const struct ks_capture_pointer *owner = NULL;
    bool constant = false;
    ks_vec_each(const struct ks_capture_pointer, q, &x->capture.pointers) {
        if (q->allocation != p->allocation || q->offset != p->offset)
            continue;
        bool reads = ks_capture_type(x, q).pointee_const;
        if (owner == NULL || (constant && !reads)) {
            owner = q;
            constant = reads;
        }
    }
    return owner;
}

// void and structs are taken as whole words of the most that address and size are multiples of: compared bit by bit.
static struct ks_type words_for(struct ks_arena *arena, int64_t align, int64_t bytes)
{
    static const char *const names[] = {"uint4", "uint2", "unsigned int", "unsigned short", "unsigned char"};
    size_t i = 0;
    for (int64_t size = 16; size > 1 && (align % size != 0 || bytes < size); size /= 2)
        i++;
    return ks_type_parse(arena, ks_slice_of(names[i]));
}

// The range of an integer array's elements, which is what a capture promises of them.
static enum ks_status find_range(struct ks_capture_expander *x, struct ks_elem elem, int64_t count,
                                 struct ks_init *init)
{
    size_t size = ks_scalar_size(elem.scalar), n = (size_t)count * (size_t)elem.lanes;
    unsigned char *bytes = malloc(n * size + 1);
    if (bytes == NULL)
        return ks_err_set(x->err, KS_E_MEMORY, "no memory for %zu bytes", n * size);
    enum ks_status status = ks_capture_fill(bytes, init, n * size, x->err);
    if (status != KS_OK)
        ks_err_prefix(x->err, "%s: capture(%s)", x->mark->where, x->mark->capture);
    else
        ks_range_of(elem, bytes, count, &init->a, &init->b);
    free(bytes);
    return status;
}

static enum ks_status add_array(struct ks_capture_expander *x, const struct ks_capture_pointer *pointer)
{
    const struct ks_type own = ks_capture_type(x, pointer), *type = &own;
    const struct ks_capture_memory *memory = &x->capture.memory.at[pointer->allocation];
    int64_t bytes = extent(&x->capture, pointer);
    struct ks_array array = {.role = type->pointee_const ? KS_ROLE_IN : KS_ROLE_INOUT,
                             .name = ks_capture_name(x, pointer)};
    struct ks_elem elem = type->elem;
    char before[KS_HASH_TEXT], after[KS_HASH_TEXT];
    if (elem.scalar == KS_T_NONE) {
        if (elem.size > 1)
            return ks_capture_refuse(x, "'%s' points to %s, whose size no element has", array.name, type->text);
        // Where the address lies, as the allocation's own alignment and the offset say.
        int64_t align = pointer->offset == 0 ? memory->align
                                             : (int64_t)(pointer->offset & (~pointer->offset + 1));
        array.type = words_for(x->arena, align < memory->align ? align : memory->align, bytes);
        elem = array.type.elem;
    }
    int64_t count = bytes / (int64_t)elem.size;
    ks_digest_hex(&memory->before, before);
    ks_digest_hex(&memory->after, after);
    array.count = number(x->arena, count);
    array.init = (struct ks_init){.kind = KS_INIT_CAPTURE, .skip = pointer->offset,
                                  .whole = (size_t)memory->size,
                                  .path = ks_arena_printf(x->arena, "%s/%s", x->dir, before),
                                  .after = memory->lost ? NULL : ks_arena_printf(x->arena, "%s/%s", x->dir, after)};
    if (!ks_scalar_is_float(elem.scalar))
        KS_TRY(find_range(x, elem, count, &array.init));
    *ks_vec_push(x->arena, &x->arrays) = array;
    return KS_OK;
}

enum ks_status ks_capture_add_pointer(struct ks_capture_expander *x, const struct ks_capture_pointer *pointer)
{
    const struct ks_capture_pointer *owner = owner_of(x, pointer);
    if (owner == pointer)
        return add_array(x, pointer);
    *ks_vec_push(x->arena, &x->aliases) =
        (struct ks_capture_alias){{ks_capture_name(x, pointer), ks_capture_name(x, owner)}};
    return KS_OK;
}

static enum ks_status add_pointer(struct ks_capture_expander *x, size_t p)
{
    static const char *const null[] = {"nullptr"};
    const struct ks_capture_param *param = &x->capture.params.at[p];
    const struct ks_capture_pointer *pointer = ks_capture_pointer_at(&x->capture, p, 0);
    const char *name = x->decl->params[p].name;
    uint64_t address = 0;
    if (param->size != sizeof address)
        return ks_capture_refuse(x, "parameter '%s' was no pointer", name);
    memcpy(&address, param->bytes, sizeof address);
    if (pointer == NULL && address == 0)
        return add_setting(x, name, ks_arena_memdup(x->arena, null, sizeof null), 1);
    if (pointer == NULL)
        return ks_capture_refuse(x, "'%s' pointed to memory that the driver did not know", name);
    return ks_capture_add_pointer(x, pointer);
}

// ---- the workload

static enum ks_status find_capture(struct ks_capture_expander *x, const struct ks_strv *dirs)
{
    enum ks_status status = KS_E_ABSENT;
    for (size_t i = 0; i < dirs->len && status == KS_E_ABSENT; i++) {
        x->dir = dirs->at[i];
        status = ks_capture_read(x->arena, x->dir, x->mark->capture, &x->capture, x->err);
    }
    if (status == KS_E_ABSENT)
        return ks_capture_refuse(x, "no such capture%s%s; `ks record --capture` makes one",
                      dirs->len > 0 ? " in " : "", dirs->len > 0 ? dirs->at[0] : "");
    if (status != KS_OK)
        ks_err_prefix(x->err, "%s: capture(%s)", x->mark->where, x->mark->capture);
    return status;
}

static enum ks_status check_kernel(const struct ks_capture_expander *x)
{
    const struct ks_capture *c = &x->capture;
    if (!ks_registered_same(c->symbol, x->signature->registered))
        return ks_capture_refuse(x, "is a launch of %s, not of %s", c->kernel, x->signature->instance);
    if (c->params.len != x->signature->n_params || x->decl->n_params != c->params.len)
        return ks_capture_refuse(x, "is of a kernel with other parameters");
    return KS_OK;
}

static enum ks_status expand_one(struct ks_capture_expander *x, const struct ks_strv *dirs,
                                 struct ks_workload_mark *out)
{
    KS_TRY(find_capture(x, dirs));
    KS_TRY(check_kernel(x));
    const struct ks_capture *c = &x->capture;
    for (size_t p = 0; p < c->params.len; p++) {
        const struct ks_type *type = &x->signature->params[p];
        bool block = type->elem.scalar == KS_T_NONE;
        ks_vec_each(const struct ks_capture_pointer, q, &c->pointers) // an address kept as a number
            block = block || q->param == p;
        KS_TRY(type->pointer ? add_pointer(x, p) : block ? ks_capture_add_struct(x, p) : add_scalar(x, p));
    }
    *out = (struct ks_workload_mark){
        .where = x->mark->where, .name = *x->mark->name ? x->mark->name : c->id,
        .weight = x->mark->weight, .capture = "", .arrays = x->arrays.at, .n_arrays = x->arrays.len,
        .settings = x->settings.at, .n_settings = x->settings.len,
        .aliases = x->aliases.len > 0 ? &x->aliases.at->pair : NULL, .n_aliases = x->aliases.len,
        .blocks = x->blocks.at, .n_blocks = x->blocks.len, .shared = number(x->arena, c->shared)};
    for (int i = 0; i < 3; i++) {
        out->grid[i] = number(x->arena, c->grid[i]);
        out->block[i] = number(x->arena, c->block[i]);
    }
    return KS_OK;
}

struct ks_mark *ks_capture_expand(struct ks_arena *arena, const struct ks_strv *dirs,
                                  const struct ks_mark *mark, const struct ks_kernel_decl *decl,
                                  const struct ks_signature *signature, struct ks_slice text)
{
    struct ks_mark *out = ks_arena_memdup(arena, mark, sizeof *mark);
    out->workloads = ks_arena_memdup(arena, mark->workloads, mark->n_workloads * sizeof *mark->workloads);
    for (size_t w = 0; w < mark->n_workloads; w++) {
        struct ks_err err = {0};
        struct ks_capture_expander x = {.arena = arena, .mark = &mark->workloads[w], .decl = decl,
                             .signature = signature, .text = text, .err = &err};
        if (x.mark->capture[0] != '\0' && expand_one(&x, dirs, &out->workloads[w]) != KS_OK)
            out->workloads[w].capture_problem = ks_arena_strdup(arena, err.text);
    }
    return out;
}
