// Operands: registers, constants, special registers, symbols, addresses (PTX ISA 6, 10).

#include <stdarg.h>
#include <stdio.h>

#include "device/emu/emu_decode.h"
#include "device/emu/emu_memory.h"

void ks_emu_unsupported(struct ks_emu_decoder *d, const char *format, ...)
{
    va_list args;
    if (d->why[0] != '\0') // the first reason is the telling one
        return;
    va_start(args, format);
    vsnprintf(d->why, sizeof d->why, format, args);
    va_end(args);
}

static bool same(struct ks_slice a, struct ks_slice b)
{
    return a.len == b.len && memcmp(a.at, b.at, a.len) == 0;
}

static uint32_t take_frame(struct ks_emu_decoder *d, uint64_t bytes)
{
    uint32_t at = (d->frame + 63) & ~63u;
    if (bytes > KS_EMU_FRAME_BYTES || at + bytes > KS_EMU_FRAME_BYTES) {
        ks_emu_unsupported(d, "more than %u bytes of registers", KS_EMU_FRAME_BYTES);
        return 0;
    }
    d->frame = (uint32_t)(at + bytes);
    return at;
}

uint32_t ks_emu_lanes(struct ks_emu_decoder *d, uint32_t width, uint32_t count)
{
    return take_frame(d, width == KS_EMU_PRED ? (uint64_t)count * 4
                                              : (uint64_t)count * width * KS_EMU_LANES);
}

uint32_t ks_emu_constant(struct ks_emu_decoder *d, uint64_t bits, uint32_t width)
{
    if (width == KS_EMU_PRED)
        bits = bits != 0;
    else if (width < 8)
        bits &= (UINT64_C(1) << (8 * width)) - 1;
    ks_vec_each(struct ks_emu_const, c, &d->consts)
        if (c->bits == bits && c->width == width && !c->local)
            return c->offset;
    struct ks_emu_const *c = ks_vec_push(&d->scratch, &d->consts);
    *c = (struct ks_emu_const){bits, width, 0, false};
    return c->offset = ks_emu_lanes(d, width, 1);
}

bool ks_emu_register_find(struct ks_emu_decoder *d, struct ks_slice word, uint32_t *offset,
                          uint32_t *width)
{
    size_t stem = word.len;
    uint32_t number = 0, scale = 1;
    while (stem > 1 && word.at[stem - 1] >= '0' && word.at[stem - 1] <= '9' &&
           word.len - stem < 8) {
        number += (uint32_t)(word.at[--stem] - '0') * scale;
        scale *= 10;
    }
    for (uint32_t scope = d->scope;; scope = d->parents.at[scope]) {
        for (size_t i = d->regs.len; i-- > 0;) {
            const struct ks_emu_reg *r = &d->regs.at[i];
            if (r->scope != scope)
                continue;
            if (!r->family && same(r->name, word)) {
                *offset = r->offset;
            } else if (r->family && stem < word.len && number < r->count &&
                       same(r->name, (struct ks_slice){word.at, stem})) {
                *offset = r->offset +
                          number * (r->width == KS_EMU_PRED ? 4 : r->width * KS_EMU_LANES);
            } else {
                continue;
            }
            *width = r->width;
            return true;
        }
        if (scope == 0)
            return false;
    }
}

static const struct {
    const char *name;
    enum ks_emu_special special;
    uint32_t width;
} specials[] = {
    {"%tid.x", KS_EMU_TID_X, 4}, {"%tid.y", KS_EMU_TID_Y, 4}, {"%tid.z", KS_EMU_TID_Z, 4},
    {"%ntid.x", KS_EMU_NTID_X, 4}, {"%ntid.y", KS_EMU_NTID_Y, 4}, {"%ntid.z", KS_EMU_NTID_Z, 4},
    {"%ctaid.x", KS_EMU_CTAID_X, 4}, {"%ctaid.y", KS_EMU_CTAID_Y, 4},
    {"%ctaid.z", KS_EMU_CTAID_Z, 4}, {"%nctaid.x", KS_EMU_NCTAID_X, 4},
    {"%nctaid.y", KS_EMU_NCTAID_Y, 4}, {"%nctaid.z", KS_EMU_NCTAID_Z, 4},
    // Without a cluster launch every block is a cluster of its own (10.11 to 10.17).
    {"%clusterid.x", KS_EMU_CTAID_X, 4}, {"%clusterid.y", KS_EMU_CTAID_Y, 4},
    {"%clusterid.z", KS_EMU_CTAID_Z, 4}, {"%nclusterid.x", KS_EMU_NCTAID_X, 4},
    {"%nclusterid.y", KS_EMU_NCTAID_Y, 4}, {"%nclusterid.z", KS_EMU_NCTAID_Z, 4},
    {"%laneid", KS_EMU_LANEID, 4}, {"%warpid", KS_EMU_WARPID, 4},
    {"%nwarpid", KS_EMU_NWARPID, 4}, {"%smid", KS_EMU_SMID, 4}, {"%nsmid", KS_EMU_NSMID, 4},
    {"%gridid", KS_EMU_GRIDID, 8}, {"%lanemask_lt", KS_EMU_LT, 4},
    {"%lanemask_le", KS_EMU_LE, 4}, {"%lanemask_eq", KS_EMU_EQ, 4},
    {"%lanemask_ge", KS_EMU_GE, 4}, {"%lanemask_gt", KS_EMU_GT, 4}, {"%clock", KS_EMU_CLOCK, 4},
    {"%clock64", KS_EMU_CLOCK64, 8}, {"%dynamic_smem_size", KS_EMU_DYNAMIC_SMEM, 4},
    {"%total_smem_size", KS_EMU_TOTAL_SMEM, 4}, {"%globaltimer", KS_EMU_GLOBALTIMER, 8},
};

static uint32_t symbol(struct ks_emu_decoder *d, struct ks_slice word, int64_t offset,
                       uint32_t width);

// What cooperative groups may use of the shared memory that the system keeps (288 bytes, and zero at first, says
// their memory.h): a shared variable.
static struct ks_slice reserved_memory(struct ks_emu_decoder *d)
{
    static const char name[] = "reserved shared memory";
    struct ks_slice word = {name, sizeof name - 1};
    struct ks_emu_module *m = d->module;
    struct ks_emu_var var = {.name = word, .space = KS_EMU_SHARED,
                             .bytes = 288, .align = 16, .zeroed = true,
                             .address = (uint64_t)(m->vars.len + 1) << KS_EMU_SHARED_WINDOW_BITS};
    if (ks_emu_var_find(m, word) == NULL)
        *ks_vec_push(&m->arena, &m->vars) = var;
    return word;
}

static uint32_t special_register(struct ks_emu_decoder *d, struct ks_slice word, uint32_t width)
{
    static const char *const ones[] = {"%cluster_nctaid.x", "%cluster_nctaid.y",
                                       "%cluster_nctaid.z", "%cluster_nctarank"};
    static const char *const zeros[] = {"%cluster_ctaid.x", "%cluster_ctaid.y",
                                        "%cluster_ctaid.z", "%cluster_ctarank"};
    for (size_t i = 0; i < sizeof specials / sizeof specials[0]; i++) {
        if (!ks_slice_eq(word, specials[i].name))
            continue;
        uint32_t *slot = &d->function->special[specials[i].special];
        if (*slot == KS_EMU_NONE)
            *slot = ks_emu_lanes(d, specials[i].width, 1);
        // A 16-bit move takes the lower half, which lies first only for one lane: not supported.
        if (specials[i].width != width)
            break;
        return *slot;
    }
    if (ks_slice_eq(word, "%reserved_smem_offset_1") && width == 4)
        return symbol(d, reserved_memory(d), 0, width);
    if (ks_slice_eq(word, "%is_explicit_cluster") && width == KS_EMU_PRED)
        return ks_emu_constant(d, 0, width);
    for (size_t i = 0; i < 4; i++)
        if (ks_slice_eq(word, ones[i]) || ks_slice_eq(word, zeros[i]))
            return ks_emu_constant(d, ks_slice_eq(word, ones[i]), width);
    ks_emu_unsupported(d, "special register %.*s", (int)(word.len > 40 ? 40 : word.len), word.at);
    return KS_EMU_NONE;
}

// A function whose address is taken may be called from here.
static void reach_function(struct ks_emu_decoder *d, uint32_t index)
{
    ks_vec_each(uint32_t, k, &d->function->calls)
        if (*k == index)
            return;
    *ks_vec_push(&d->module->arena, &d->function->calls) = index;
}

// What a variable's initialiser names, and what those name.
static void reach(struct ks_emu_decoder *d, const struct ks_emu_var *first)
{
    KS_VEC(const struct ks_emu_var *) todo = {0};
    *ks_vec_push(&d->scratch, &todo) = first;
    for (size_t at = 0; at < todo.len; at++) {
        const struct ks_slice name = todo.at[at]->name;
        if (todo.at[at]->opaque)
            ks_emu_unsupported(d, "variable %.*s, which holds an address",
                               (int)(name.len > 60 ? 60 : name.len), name.at);
        ks_vec_each(struct ks_emu_address, a, &todo.at[at]->addresses) {
            uint32_t index;
            const struct ks_emu_var *v = ks_emu_var_find(d->module, a->name);
            bool new = v != NULL && (v->addresses.len > 0 || v->opaque);
            for (size_t i = 0; i < todo.len && new; i++)
                new = todo.at[i] != v;
            if (new)
                *ks_vec_push(&d->scratch, &todo) = v;
            if (v == NULL && ks_emu_function_find(d->module, a->name, &index) != NULL)
                reach_function(d, index);
        }
    }
}

// The address a symbol stands for, as lanes of a frame.
static uint32_t symbol(struct ks_emu_decoder *d, struct ks_slice word, int64_t offset,
                       uint32_t width)
{
    struct ks_emu_function *f = d->function;
    ks_vec_each(struct ks_emu_var, v, &f->vars)
        if (v->space == KS_EMU_LOCAL && same(v->name, word)) {
            struct ks_emu_const *c = ks_vec_push(&d->scratch, &d->consts);
            *c = (struct ks_emu_const){v->address + (uint64_t)offset, width, 0, true};
            return c->offset = ks_emu_lanes(d, width, 1);
        }
    if (f->entry)
        ks_vec_each(struct ks_emu_var, v, &f->params)
            if (same(v->name, word))
                return ks_emu_constant(d, KS_EMU_PARAM_BASE + v->address + (uint64_t)offset, width);
    struct ks_emu_var *v = ks_emu_var_find(d->module, word);
    uint32_t number;
    if (v == NULL && offset == 0 && width == 8 &&
        ks_emu_function_find(d->module, word, &number) != NULL) {
        reach_function(d, number);
        return ks_emu_constant(d, (uint64_t)(number + 1) * KS_EMU_CODE_STEP, width);
    }
    if (v == NULL) {
        ks_emu_unsupported(d, "the address of %.*s, which is no variable of the module",
                           (int)(word.len > 60 ? 60 : word.len), word.at);
        return KS_EMU_NONE;
    }
    uint32_t index = (uint32_t)(v - d->module->vars.at);
    if (v->space == KS_EMU_SHARED) {
        bool known = false;
        ks_vec_each(uint32_t, k, &f->shared)
            known |= *k == index;
        if (!known)
            *ks_vec_push(&d->module->arena, &f->shared) = index;
    } else if (v->external) {
        ks_emu_unsupported(d, "external variable %.*s", (int)(word.len > 60 ? 60 : word.len),
                           word.at);
    }
    reach(d, v);
    return ks_emu_constant(d, v->address + (uint64_t)offset, width);
}

uint32_t ks_emu_source_word(struct ks_emu_decoder *d, struct ks_slice word, bool minus,
                            uint32_t width)
{
    uint32_t offset, actual;
    uint64_t bits;
    int bytes;
    if (ks_emu_register_find(d, word, &offset, &actual)) {
        if (actual == width && !minus)
            return offset;
        ks_emu_unsupported(d, "register %.*s is %u bits wide, the instruction takes %u",
                           (int)(word.len > 40 ? 40 : word.len), word.at, actual * 8, width * 8);
        return KS_EMU_NONE;
    }
    if (ks_emu_number(word, &bits, &bytes)) {
        if (bytes != 0 && (uint32_t)bytes != width) {
            ks_emu_unsupported(d, "a literal of another size than the instruction's type");
            return KS_EMU_NONE;
        }
        return ks_emu_constant(d, minus ? 0 - bits : bits, width);
    }
    if (ks_slice_eq(word, "WARP_SZ"))
        return ks_emu_constant(d, KS_EMU_LANES, width);
    if (word.len > 0 && word.at[0] == '%')
        return special_register(d, word, width);
    if (width != 8 && width != 4) {
        ks_emu_unsupported(d, "an operand %.*s", (int)(word.len > 60 ? 60 : word.len), word.at);
        return KS_EMU_NONE;
    }
    return symbol(d, word, 0, width);
}

uint32_t ks_emu_source(struct ks_emu_decoder *d, unsigned n, uint32_t width)
{
    const struct ks_emu_operand *op = &d->stmt.ops[n];
    if (n >= d->stmt.n_ops || op->kind != KS_EMU_O_WORD || op->pair.len > 0 || op->negated) {
        ks_emu_unsupported(d, "operand %u of this form", n + 1);
        return KS_EMU_NONE;
    }
    if (op->offset != 0)
        return symbol(d, op->word, op->offset, width);
    return ks_emu_source_word(d, op->word, op->minus, width);
}

bool ks_emu_register(struct ks_emu_decoder *d, struct ks_slice word, uint32_t *offset,
                     uint32_t *width)
{
    if (ks_slice_eq(word, "_")) {
        *offset = KS_EMU_NONE;
        *width = 0;
        return true;
    }
    if (ks_emu_register_find(d, word, offset, width))
        return true;
    ks_emu_unsupported(d, "%.*s is no register", (int)(word.len > 40 ? 40 : word.len), word.at);
    return false;
}

uint32_t ks_emu_dest(struct ks_emu_decoder *d, unsigned n, uint32_t width)
{
    const struct ks_emu_operand *op = &d->stmt.ops[n];
    uint32_t offset, actual;
    if (n >= d->stmt.n_ops || op->kind != KS_EMU_O_WORD ||
        !ks_emu_register_find(d, op->word, &offset, &actual) || actual != width) {
        ks_emu_unsupported(d, "a destination of this form");
        return KS_EMU_NONE;
    }
    return offset;
}

void ks_emu_address(struct ks_emu_decoder *d, unsigned n)
{
    const struct ks_emu_operand *op = &d->stmt.ops[n];
    uint32_t offset, width;
    if (n >= d->stmt.n_ops || op->kind != KS_EMU_O_ADDRESS || op->n_items != 0) {
        ks_emu_unsupported(d, "an address of this form");
        return;
    }
    d->inst.imm = op->offset;
    if (op->word.len == 0) {
        d->inst.a = ks_emu_constant(d, 0, 8);
        d->inst.address_width = 8;
    } else if (ks_emu_register_find(d, op->word, &offset, &width)) {
        if (width != 4 && width != 8)
            ks_emu_unsupported(d, "an address in a register of %u bits", width * 8);
        d->inst.a = offset;
        d->inst.address_width = (uint8_t)width;
    } else {
        d->inst.a = symbol(d, op->word, 0, 8);
        d->inst.address_width = 8;
    }
}

const struct ks_emu_slot *ks_emu_slot_find(struct ks_emu_decoder *d, struct ks_slice name)
{
    for (uint32_t scope = d->scope;; scope = d->parents.at[scope]) {
        ks_vec_each(struct ks_emu_slot, s, &d->slots)
            if (s->scope == scope && same(s->name, name))
                return s;
        if (scope == 0)
            return NULL;
    }
}

void ks_emu_jump(struct ks_emu_decoder *d, struct ks_slice label, uint32_t which)
{
    struct ks_emu_fixup *f = ks_vec_push(&d->scratch, &d->fixups);
    *f = (struct ks_emu_fixup){label, d->scope, (uint32_t)d->code.len, which, d->stmt.line};
}
