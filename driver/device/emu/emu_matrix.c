// mma.sync, ldmatrix and stmatrix (PTX ISA 9.7.14.5): which lane holds which element is fixed there.

#include "device/emu/emu_matrix.h"

#include <stdio.h>

#include "device/emu/emu_count.h"

#include "device/emu/emu_alu.h"
#include "device/emu/emu_soft.h"

typedef uint32_t u32;

// ---- elements

enum ks_emu_elem ks_emu_elem_of(struct ks_slice word)
{
    static const char *const names[] = {"f16", "bf16", "tf32", "f32", "f64", "s8", "u8", "s32"};
    for (int i = 0; i < KS_EMU_M_NONE; i++)
        if (ks_slice_eq(word, names[i]))
            return (enum ks_emu_elem)i;
    return KS_EMU_M_NONE;
}

unsigned ks_emu_elem_bytes(enum ks_emu_elem elem)
{
    static const unsigned bytes[] = {2, 2, 4, 4, 8, 1, 1, 4, 0};
    return bytes[elem];
}

double ks_emu_elem_get(enum ks_emu_elem elem, const unsigned char *at)
{
    uint64_t bits8;
    u32 bits4;
    uint16_t bits2;
    switch (elem) {
    case KS_EMU_M_F16:
        memcpy(&bits2, at, 2);
        return ks_emu_half(bits2);
    case KS_EMU_M_BF16:
        memcpy(&bits2, at, 2);
        return (double)ks_emu_bf16(bits2);
    case KS_EMU_M_F64:
        memcpy(&bits8, at, 8);
        return ks_emu_f64(bits8);
    case KS_EMU_M_S8:
        return (int8_t)*at;
    case KS_EMU_M_U8:
        return (double)*at;
    default:
        memcpy(&bits4, at, 4);
    }
    if (elem == KS_EMU_M_S32)
        return (int32_t)bits4;
    if (elem == KS_EMU_M_TF32) // the lower 13 bits are not looked at
        bits4 &= 0xffffe000;
    return (double)ks_emu_f32(bits4);
}

void ks_emu_elem_put(enum ks_emu_elem elem, unsigned char *at, double value)
{
    uint64_t bits;
    switch (elem) {
    case KS_EMU_M_F16:
        bits = ks_emu_to_half(value, KS_EMU_RN);
        break;
    case KS_EMU_M_F64:
        bits = ks_emu_bits64(value);
        break;
    case KS_EMU_M_S32:
        bits = (u32)(int32_t)value;
        break;
    default:
        bits = ks_emu_bits32(ks_emu_to_f32(value, KS_EMU_RN));
    }
    memcpy(at, &bits, ks_emu_elem_bytes(elem));
}

void ks_emu_product(unsigned m, unsigned n, unsigned k, enum ks_emu_elem factors, const double *a,
                    const double *b, const double *c, double *d, bool integers, bool clamp)
{
    for (unsigned i = 0; i < m; i++, a += k, c += n, d += n) {
        memmove(d, c, n * sizeof *d);
        for (unsigned x = 0; x < k; x++) {
            // Products of f64 are not exact by themselves; of all others they are, and an fma, here a call, adds nothing.
            const double *row = b + (size_t)x * n, factor = a[x];
            if (factors == KS_EMU_M_F64)
                for (unsigned j = 0; j < n; j++)
                    d[j] = fma(factor, row[j], d[j]);
            else
                for (unsigned j = 0; j < n; j++)
                    d[j] += factor * row[j];
        }
        for (unsigned j = 0; integers && j < n; j++)
            if (clamp)
                d[j] = d[j] > INT32_MAX ? INT32_MAX : d[j] < INT32_MIN ? INT32_MIN : d[j];
            else
                d[j] = (int32_t)(u32)(uint64_t)(int64_t)d[j];
    }
}

bool ks_emu_shape(struct ks_slice word, unsigned *m, unsigned *n, unsigned *k)
{
    char text[16], rest;
    if (word.len >= sizeof text || word.len < 6 || word.at[0] != 'm')
        return false;
    memcpy(text, word.at, word.len);
    text[word.len] = '\0';
    return sscanf(text, "m%un%uk%u%c", m, n, k, &rest) == 3;
}

unsigned ks_emu_fragment(struct ks_emu_decoder *d, unsigned operand, unsigned at, unsigned width)
{
    const struct ks_emu_operand *op = &d->stmt.ops[operand];
    unsigned n = op->kind == KS_EMU_O_VECTOR ? op->n_items : 1;
    if (n > KS_EMU_VECTOR) {
        ks_emu_unsupported(d, "a fragment of this size");
        return 0;
    }
    for (unsigned i = 0; i < n; i++) {
        struct ks_slice word = op->kind == KS_EMU_O_VECTOR ? op->items[i].word : op->word;
        u32 actual = 0;
        if (operand != 0 && op->kind == KS_EMU_O_VECTOR && !ks_emu_register_find(d, word, &actual,
                                                                                 &actual))
            d->inst.more[at + i] = ks_emu_source_word(d, word, op->items[i].minus, width);
        else if (!ks_emu_register(d, word, &d->inst.more[at + i], &actual) || actual != width)
            ks_emu_unsupported(d, "a fragment of this form");
    }
    return d->why[0] == '\0' ? n : 0;
}

// ---- mma.sync

enum { A, B, C };

// Place of element e of a lane's fragment, by the figures of 9.7.14.5: g and t are the lane's group
// of four and its place there. Elements come in runs that fill a 32-bit register.
static void place(unsigned which, unsigned per, unsigned m, u32 lane, unsigned e, unsigned *row,
                  unsigned *col)
{
    unsigned g = lane / 4, t = lane % 4, reg = e / per, at = e % per;
    if (which == A && m == 16) { // rows alternate by 8, then columns go on
        *row = g + 8 * (reg & 1);
        *col = t * per + at + 4 * per * (reg / 2);
    } else if (which == A) {
        *row = g;
        *col = t * per + at + 4 * per * reg;
    } else if (which == B) {
        *row = t * per + at + 4 * per * reg;
        *col = g;
    } else {
        *row = g + 8 * (e / 2);
        *col = t * 2 + e % 2;
    }
}

struct shape {
    unsigned m, n, k;
    enum ks_emu_elem a, b, c, d;
    bool clamp;
    unsigned n_d, n_a, n_b, n_c; // registers
};

static void gather(struct ks_emu_warp *warp, const u32 *regs, unsigned n_regs, unsigned which,
                   enum ks_emu_elem elem, unsigned m, unsigned columns, double *out)
{
    unsigned bytes = ks_emu_elem_bytes(elem), width = bytes == 8 ? 8 : 4, per = width / bytes;
    for (u32 l = 0; l < KS_EMU_LANES; l++)
        for (unsigned e = 0; e < n_regs * per; e++) {
            unsigned row, col;
            place(which, per, m, l, e, &row, &col);
            out[row * columns + col] = ks_emu_elem_get(
                elem, warp->regs + regs[e / per] + (size_t)l * width + e % per * bytes);
        }
}

static void mma(struct ks_emu_warp *warp, const struct ks_emu_inst *inst, uint32_t mask)
{
    const struct shape *s = (const void *)inst->text;
    double a[KS_EMU_M_MOST], b[KS_EMU_M_MOST], c[KS_EMU_M_MOST], d[KS_EMU_M_MOST];
    const u32 *regs = inst->more;
    gather(warp, regs + s->n_d, s->n_a, A, s->a, s->m, s->k, a);
    gather(warp, regs + s->n_d + s->n_a, s->n_b, B, s->b, s->m, s->n, b);
    gather(warp, regs + s->n_d + s->n_a + s->n_b, s->n_c, C, s->c, s->m, s->n, c);
    ks_emu_charge(warp, (uint64_t)s->m * s->n * s->k / KS_EMU_M_STEP);
    ks_emu_product(s->m, s->n, s->k, s->a, a, b, c, d, s->d == KS_EMU_M_S32, s->clamp);
    unsigned bytes = ks_emu_elem_bytes(s->d), width = bytes == 8 ? 8 : 4, per = width / bytes;
    for (u32 l = 0; l < KS_EMU_LANES; l++)
        for (unsigned e = 0; e < s->n_d * per && (mask >> l & 1) != 0; e++) {
            unsigned row, col;
            place(C, per, s->m, l, e, &row, &col);
            ks_emu_elem_put(s->d, warp->regs + regs[e / per] + (size_t)l * width + e % per * bytes,
                            d[row * s->n + col]);
        }
}

// What the figures above hold for.
static bool known_shape(const struct shape *s)
{
    unsigned k = s->k;
    if ((s->m != 8 && s->m != 16) || s->n != 8 || s->c != s->d)
        return false;
    if (s->a == KS_EMU_M_S8 || s->a == KS_EMU_M_U8)
        return (s->b == KS_EMU_M_S8 || s->b == KS_EMU_M_U8) && s->d == KS_EMU_M_S32 &&
               (k == 16 || (k == 32 && s->m == 16));
    if (s->a != s->b)
        return false;
    if (s->a == KS_EMU_M_F64)
        return s->d == KS_EMU_M_F64 && (k == 4 || (s->m == 16 && (k == 8 || k == 16)));
    if (s->m != 16)
        return false;
    if (s->a == KS_EMU_M_TF32)
        return s->d == KS_EMU_M_F32 && (k == 4 || k == 8);
    return (k == 8 || k == 16) && ((s->a == KS_EMU_M_F16 && (s->d == KS_EMU_M_F32 ||
                                                             s->d == KS_EMU_M_F16)) ||
                                   (s->a == KS_EMU_M_BF16 && s->d == KS_EMU_M_F32));
}

static unsigned registers(unsigned elements, enum ks_emu_elem elem)
{
    unsigned bytes = elements / KS_EMU_LANES * ks_emu_elem_bytes(elem);
    return elem == KS_EMU_M_F64 ? bytes / 8 : bytes / 4;
}

static void decode_mma(struct ks_emu_decoder *d)
{
    const struct ks_emu_stmt *st = &d->stmt;
    struct shape *s = KS_NEW(&d->module->arena, struct shape);
    unsigned n = st->n_mods;
    if (n < 8 || !ks_slice_eq(st->mods[0], "sync") ||
        !ks_emu_shape(st->mods[2], &s->m, &s->n, &s->k) ||
        !ks_slice_eq(st->mods[3], "row") || !ks_slice_eq(st->mods[4], "col") || st->n_ops != 4) {
        ks_emu_unsupported(d, "this form");
        return;
    }
    s->clamp = ks_emu_mod(st, "satfinite");
    s->d = ks_emu_elem_of(st->mods[n - 4]);
    s->a = ks_emu_elem_of(st->mods[n - 3]);
    s->b = ks_emu_elem_of(st->mods[n - 2]);
    s->c = ks_emu_elem_of(st->mods[n - 1]);
    if (n != 9u + (s->clamp ? 1 : 0) || !known_shape(s)) {
        ks_emu_unsupported(d, "this shape or these types");
        return;
    }
    s->n_d = registers(s->m * s->n, s->d);
    s->n_a = registers(s->m * s->k, s->a);
    s->n_b = registers(s->k * s->n, s->b);
    s->n_c = registers(s->m * s->n, s->c);
    unsigned wide = s->d == KS_EMU_M_F64 ? 8 : 4, narrow = s->a == KS_EMU_M_F64 ? 8 : 4;
    d->inst.more = KS_NEW_ARRAY(&d->module->arena, uint32_t, 4 * KS_EMU_VECTOR);
    if (ks_emu_fragment(d, 0, 0, wide) != s->n_d ||
        ks_emu_fragment(d, 1, s->n_d, narrow) != s->n_a ||
        ks_emu_fragment(d, 2, s->n_d + s->n_a, narrow) != s->n_b ||
        ks_emu_fragment(d, 3, s->n_d + s->n_a + s->n_b, wide) != s->n_c)
        ks_emu_unsupported(d, "fragments of these sizes");
    d->inst.run = mma;
    d->inst.work = s->m * s->n * s->k;
    d->inst.text = (const void *)s;
}

// ---- ldmatrix, stmatrix: 8 rows of 16 bytes each; lanes 8i to 8i+7 give the rows of matrix i.

static void rows(struct ks_emu_warp *warp, const struct ks_emu_inst *inst, uint32_t mask, bool load)
{
    unsigned char data[4][8][16];
    const bool transposed = inst->flags != 0;
    if (warp->grid->counter != NULL)
        for (unsigned i = 0; i < inst->count; i++) { // a matrix is a wavefront where its rows do not meet
            uint64_t at[KS_EMU_LANES] = {0};
            for (u32 l = 0; l < 8; l++)
                at[l] = (inst->address_width == 8 ? KS_EMU_REG(uint64_t, inst->a)[i * 8 + l]
                                                  : KS_EMU_REG(u32, inst->a)[i * 8 + l]) +
                        (uint64_t)inst->imm;
            ks_emu_count_lanes(warp, inst, 0xff, (enum ks_emu_space)inst->space, at, 16,
                               load ? KS_EMU_READ : KS_EMU_WRITE);
        }
    for (unsigned pass = 0; pass < 2; pass++) {
        bool memory = (pass == 0) == load;
        for (u32 l = 0; memory && l < inst->count * 8u; l++) {
            uint64_t address = (inst->address_width == 8 ? KS_EMU_REG(uint64_t, inst->a)[l]
                                                         : KS_EMU_REG(u32, inst->a)[l]) +
                               (uint64_t)inst->imm;
            unsigned char *row = data[l / 8][l % 8];
            unsigned char *at = ks_emu_touch(warp, inst, l, address, 16,
                                             load ? KS_EMU_READ : KS_EMU_WRITE, row);
            if (at == NULL)
                memset(row, 0, 16);
            else if (load)
                memcpy(row, at, 16);
            else
                memcpy(at, row, 16);
        }
        for (unsigned i = 0; !memory && i < inst->count; i++)
            for (u32 l = 0; l < KS_EMU_LANES; l++)
                for (unsigned h = 0; h < 2 && (mask >> l & 1) != 0; h++) {
                    unsigned r = transposed ? 2 * (l % 4) + h : l / 4;
                    unsigned c = transposed ? l / 4 : 2 * (l % 4) + h;
                    unsigned char *reg = warp->regs + inst->more[i] + l * 4 + h * 2;
                    unsigned char *cell = data[i][r] + 2 * c;
                    memcpy(load ? reg : cell, load ? cell : reg, 2);
                }
    }
}

static void ldmatrix(struct ks_emu_warp *warp, const struct ks_emu_inst *inst, uint32_t mask)
{
    rows(warp, inst, mask, true);
}

static void stmatrix(struct ks_emu_warp *warp, const struct ks_emu_inst *inst, uint32_t mask)
{
    rows(warp, inst, mask, false);
}

// movmatrix: the same between the registers of the lanes, transposed.
static void movmatrix(struct ks_emu_warp *warp, const struct ks_emu_inst *inst, uint32_t mask)
{
    unsigned char data[8][16];
    for (u32 l = 0; l < KS_EMU_LANES; l++)
        memcpy(&data[l / 4][4 * (l % 4)], warp->regs + inst->a + l * 4, 4);
    for (u32 l = 0; l < KS_EMU_LANES; l++)
        for (unsigned h = 0; h < 2 && (mask >> l & 1) != 0; h++)
            memcpy(warp->regs + inst->b + l * 4 + h * 2, &data[2 * (l % 4) + h][2 * (l / 4)], 2);
}

static void decode_movmatrix(struct ks_emu_decoder *d)
{
    if (!ks_emu_mod(&d->stmt, "trans") || !ks_emu_mod(&d->stmt, "m8n8") || d->stmt.n_ops != 2) {
        ks_emu_unsupported(d, "this form");
        return;
    }
    d->inst.run = movmatrix;
    d->inst.b = ks_emu_dest(d, 0, 4);
    d->inst.a = ks_emu_source(d, 1, 4);
}

static void decode_rows(struct ks_emu_decoder *d, bool load)
{
    const struct ks_emu_stmt *s = &d->stmt;
    unsigned count = ks_emu_mod(s, "x1") ? 1 : ks_emu_mod(s, "x2") ? 2 : ks_emu_mod(s, "x4") ? 4 : 0;
    if (count == 0 || !ks_emu_mod(s, "m8n8") || !ks_emu_mod(s, "b16") || s->n_ops != 2) {
        ks_emu_unsupported(d, "this form");
        return;
    }
    d->inst.count = (uint8_t)count;
    d->inst.flags = ks_emu_mod(s, "trans");
    d->inst.space = ks_emu_mod(s, "shared") || ks_emu_mod(s, "shared::cta") ? KS_EMU_SHARED
                                                                            : KS_EMU_GENERIC;
    d->inst.run = load ? ldmatrix : stmatrix;
    ks_emu_address(d, load ? 1 : 0);
    d->inst.more = KS_NEW_ARRAY(&d->module->arena, uint32_t, KS_EMU_VECTOR);
    if (ks_emu_fragment(d, load ? 0 : 1, 0, 4) != count)
        ks_emu_unsupported(d, "another number of registers");
}

bool ks_emu_decode_matrix(struct ks_emu_decoder *d)
{
    struct ks_slice base = d->stmt.base;
    if (ks_slice_eq(base, "mma"))
        decode_mma(d);
    else if (ks_slice_eq(base, "ldmatrix") || ks_slice_eq(base, "stmatrix"))
        decode_rows(d, base.at[0] == 'l');
    else if (ks_slice_eq(base, "movmatrix"))
        decode_movmatrix(d);
    else if (!ks_emu_decode_wmma(d) && !ks_emu_decode_wgmma(d))
        return false;
    d->inst.kind = KS_EMU_WARP_SYNC;
    d->inst.d = 0; // exchanges data: not a place where lanes may meet apart
    d->inst.e = ks_emu_constant(d, UINT32_MAX, 4);
    return true;
}
