// wgmma on halves and TF32 (PTX ISA 9.7.15): products of tiles in shared memory that descriptors name. A product
// is made at once, since where an accumulator is while it is under way is ptxas's affair: what nvcc emits
// copies such registers. What it reads, other threads may spoil until it was waited for; that is found.

#include <stdlib.h>

#include "device/emu/emu_alu.h"
#include "device/emu/emu_count.h"
#include "device/emu/emu_matrix.h"

typedef uint32_t u32;
typedef uint64_t u64;

#define UNITS 2       // of 16 bytes in the depth of a product
#define MOST_DEPTH 16 // of halves; of TF32 8
#define ROWS 16       // of 64, a warp
#define HELD 4        // registers of a thread's for A

struct product {
    enum ks_emu_elem elem;
    unsigned n, depth;
    int sign;               // of A times that of B
    bool turned[2];         // A, B: neighbours in memory are neighbours across, not in depth
    bool held;              // A is in registers
};

// ---- descriptors

// Where 16 bytes of a tile are: the `y`-th in depth of line `x` across, or, of a turned tile, which has halves, eight from
// 8 * `x` across on at depth `y`. Lines have 128 bytes and stand in groups of eight, in which
// units are moved by exclusive or with their line (9.7.15.5.1; an H200 agrees).
static u64 unit_at(u64 descriptor, bool turned, unsigned x, unsigned y)
{
    const u64 leading = (descriptor >> 16 & 0x3fff) << 4, stride = (descriptor >> 32 & 0x3fff) << 4;
    u64 at = (descriptor & 0x3fff) << 4;
    if (turned)
        at += x % 8 * 16 + x / 8 * leading + y % 8 * 128 + y / 8 * stride;
    else
        at += x % 8 * 128 + x / 8 * stride + y * 16;
    return at ^ (at >> 7 & 7) << 4;
}

// Descriptors have 18 bits of an address: which window of shared memory is not among them.
static bool find_window(struct ks_emu_warp *warp, const struct ks_emu_inst *inst, u64 *base)
{
    const struct ks_emu_grid *grid = warp->grid;
    bool other = false;
    *base = 0;
    for (u32 i = 0; i < grid->n_windows; i++) {
        const struct ks_emu_var *var = grid->windows[i].var;
        if (var != NULL && var->external)
            *base = (u64)i << KS_EMU_SHARED_WINDOW_BITS;
        other |= var != NULL && !var->external;
    }
    if (*base != 0 && !other)
        return true;
    ks_emu_find(warp, inst, 0, KS_F_UNSUPPORTED, 0, 0, "wgmma with other shared memory than dynamic");
    ks_emu_stop(warp->grid);
    return false;
}

// Base offset 0, swizzle of 128 bytes.
static bool is_known(struct ks_emu_warp *warp, const struct ks_emu_inst *inst, u64 descriptor)
{
    if (descriptor >> 62 == 1 && (descriptor >> 49 & 7) == 0)
        return true;
    ks_emu_find(warp, inst, 0, KS_F_UNSUPPORTED, 0, 0, "wgmma without 128-byte swizzle, or with a base offset");
    ks_emu_stop(warp->grid);
    return false;
}

// ---- tiles

// `n` lines across of A or B, as n * depth numbers; in steps, which the lanes share.
static void read_tile(struct ks_emu_warp *warp, const struct ks_emu_inst *inst, u64 descriptor, u64 base,
                      bool turned, unsigned first, unsigned n, double *out)
{
    const struct product *p = (const void *)inst->text;
    const unsigned units = n * UNITS, wide = turned ? n / 8 : UNITS, bytes = ks_emu_elem_bytes(p->elem), per = 16 / bytes;
    for (unsigned u = 0; u < units; u++) {
        const unsigned x = turned ? u % wide + first / 8 : u / wide + first;
        const unsigned y = turned ? u / wide : u % wide;
        const unsigned char *at =
            ks_emu_touch_as(warp, inst, KS_EMU_SHARED, u % KS_EMU_LANES,
                            base + unit_at(descriptor, turned, x, y), 16, KS_EMU_READ, NULL);
        for (unsigned e = 0; e < per; e++) {
            const unsigned line = turned ? (x - first / 8) * 8 + e : x - first;
            const unsigned depth = turned ? y : y * per + e;
            out[line * p->depth + depth] = at != NULL ? ks_emu_elem_get(p->elem, at + bytes * e) : 0;
        }
    }
}

static void count_tile(struct ks_emu_warp *warp, const struct ks_emu_inst *inst, u64 descriptor,
                       bool turned, unsigned first, unsigned n)
{
    const unsigned units = n * UNITS, wide = turned ? n / 8 : UNITS;
    for (unsigned u = 0; u < units; u += KS_EMU_LANES) {
        u64 at[KS_EMU_LANES] = {0};
        const unsigned left = units - u < KS_EMU_LANES ? units - u : KS_EMU_LANES;
        for (unsigned l = 0; l < left; l++)
            at[l] = turned ? unit_at(descriptor, true, (u + l) % wide + first / 8, (u + l) / wide)
                           : unit_at(descriptor, false, (u + l) / wide + first, (u + l) % wide);
        ks_emu_count_lanes(warp, inst, left == KS_EMU_LANES ? UINT32_MAX : (1u << left) - 1,
                           KS_EMU_SHARED, at, 16, KS_EMU_READ);
    }
}

// What lies in the tiles of a product, as one number.
static u64 sum_of(const struct ks_emu_warp *warp, const struct ks_emu_wgmma *w)
{
    const struct product *p = (const void *)w->inst->text;
    const struct ks_emu_window *window = &warp->grid->windows[w->base >> KS_EMU_SHARED_WINDOW_BITS];
    u64 sum = 14695981039346656037u;
    for (unsigned b = p->held; b < 2; b++) {
        const unsigned first = b ? 0 : warp->index % 4 * ROWS, n = b ? p->n : ROWS;
        const bool turned = p->turned[b];
        for (unsigned x = turned ? first / 8 : first; x < (turned ? (first + n) / 8 : first + n); x++)
            for (unsigned y = 0; y < (turned ? p->depth : UNITS); y++) {
                const u64 at = unit_at(b ? w->b : w->a, turned, x, y);
                u64 two[2] = {0};
                if (at + 16 <= window->bytes)
                    memcpy(two, warp->block->shared + window->offset + at, 16);
                sum = ((sum ^ two[0]) * 1099511628211u ^ two[1]) * 1099511628211u;
            }
    }
    return sum;
}

// ---- instructions

static void remember(struct ks_emu_warp *warp, struct ks_emu_wgmma w)
{
    if (warp->n_products == warp->cap_products) {
        warp->cap_products = warp->cap_products * 2 + 16;
        warp->products = realloc(warp->products, warp->cap_products * sizeof *warp->products);
        KS_ASSERT(warp->products != NULL);
    }
    w.sum = sum_of(warp, &w);
    warp->products[warp->n_products++] = w;
}

// A's 16 rows from registers, which lie as those of mma.sync's A.
static void read_held(const struct ks_emu_warp *warp, const struct product *p, const u32 *regs, double *out)
{
    const unsigned bytes = ks_emu_elem_bytes(p->elem), per = 4 / bytes;
    for (unsigned r = 0; r < HELD; r++)
        for (unsigned lane = 0; lane < KS_EMU_LANES; lane++)
            for (unsigned e = 0; e < per; e++)
                out[(lane / 4 + r % 2 * 8) * p->depth + (lane % 4 + r / 2 * 4) * per + e] =
                    ks_emu_elem_get(p->elem, (const unsigned char *)&KS_EMU_REG(u32, regs[r])[lane] + e * bytes);
}

// A warp makes 16 rows of the 64. Its accumulators lie as those of m16n8k16, eight columns after the
// other.
static void multiply(struct ks_emu_warp *warp, const struct ks_emu_inst *inst, uint32_t mask)
{
    const struct product *p = (const void *)inst->text;
    const unsigned first = warp->index % 4 * ROWS;
    struct ks_emu_wgmma w = {.inst = inst, .a = p->held ? 0 : *KS_EMU_REG(u64, inst->a), .b = *KS_EMU_REG(u64, inst->b),
                             .batch = warp->product_batch};
    double a[ROWS * MOST_DEPTH], lines[8 * MOST_DEPTH], b[MOST_DEPTH * 8], c[ROWS * 8];
    (void)mask;
    if (!find_window(warp, inst, &w.base) || (!p->held && !is_known(warp, inst, w.a)) || !is_known(warp, inst, w.b))
        return;
    if (warp->grid->counter != NULL) {
        if (!p->held)
            count_tile(warp, inst, w.a, p->turned[0], first, ROWS);
        if (first == 0) // one reading for the four warps
            count_tile(warp, inst, w.b, p->turned[1], 0, p->n);
    }
    if (p->held)
        read_held(warp, p, inst->more + p->n / 2, a);
    else
        read_tile(warp, inst, w.a, w.base, p->turned[0], first, ROWS, a);
    for (unsigned j = 0; j < p->n; j += 8) {
        read_tile(warp, inst, w.b, w.base, p->turned[1], j, 8, lines);
        for (unsigned i = 0; i < 8 * p->depth; i++)
            b[i % p->depth * 8 + i / p->depth] = p->sign * lines[i];
        const u32 *regs = inst->more + j / 2;
        for (unsigned i = 0; i < ROWS * 8; i++) {
            const unsigned row = i / 8, col = i % 8, lane = row % 8 * 4 + col / 2;
            float *at = &KS_EMU_REG(float, regs[row / 8 * 2 + col % 2])[lane];
            const bool add = inst->c == KS_EMU_NONE || (*KS_EMU_REG(u32, inst->c) >> lane & 1) != 0;
            c[i] = add ? (double)*at : 0;
        }
        ks_emu_charge(warp, ROWS * 8 * p->depth / KS_EMU_M_STEP);
        ks_emu_product(ROWS, 8, p->depth, p->elem, a, b, c, c, false, false);
        for (unsigned i = 0; i < ROWS * 8; i++) {
            const unsigned row = i / 8, col = i % 8, lane = row % 8 * 4 + col / 2;
            ks_emu_elem_put(KS_EMU_M_F32,
                            (unsigned char *)&KS_EMU_REG(float, regs[row / 8 * 2 + col % 2])[lane], c[i]);
        }
    }
    if (warp->grid->options.races)
        remember(warp, w);
}

static void commit(struct ks_emu_warp *warp, const struct ks_emu_inst *inst, uint32_t mask)
{
    (void)inst, (void)mask;
    warp->product_batch++;
}

static void wait(struct ks_emu_warp *warp, const struct ks_emu_inst *inst, uint32_t mask)
{
    u32 kept = 0;
    (void)mask;
    for (u32 i = 0; i < warp->n_products; i++) {
        const struct ks_emu_wgmma w = warp->products[i];
        if ((u64)w.batch + (u64)inst->imm >= warp->product_batch)
            warp->products[kept++] = w;
        else if (sum_of(warp, &w) != w.sum)
            ks_emu_find(warp, w.inst, 0, KS_F_RACE, 0, 0,
                        "what wgmma reads was written to before the wait for it");
    }
    warp->n_products = kept;
}

static void nothing(struct ks_emu_warp *warp, const struct ks_emu_inst *inst, uint32_t mask)
{
    (void)warp, (void)inst, (void)mask;
}

// ---- decoding

static bool number_at(const struct ks_emu_decoder *d, unsigned operand, int64_t *out)
{
    const struct ks_emu_operand *op = &d->stmt.ops[operand];
    u64 bits;
    int bytes;
    if (operand >= d->stmt.n_ops || op->kind != KS_EMU_O_WORD ||
        !ks_emu_number(op->word, &bits, &bytes) || bytes != 0)
        return false;
    *out = op->minus ? -(int64_t)bits : (int64_t)bits;
    return true;
}

static bool read_registers(struct ks_emu_decoder *d, unsigned operand, unsigned n, u32 *regs)
{
    const struct ks_emu_operand *op = &d->stmt.ops[operand];
    if (op->kind != KS_EMU_O_VECTOR || op->n_items != n)
        return false;
    for (unsigned i = 0; i < n; i++) {
        u32 width;
        if (!ks_emu_register_find(d, op->items[i].word, &regs[i], &width) || width != 4)
            return false;
    }
    return true;
}

// wgmma.mma_async.sync.aligned.m64nNk16.f32.T.T {d...}, a or {a...}, b, scale-d, +-1, +-1, a turned unless in registers, b turned
// wgmma.mma_async.sync.aligned.m64nNk8.f32.tf32.tf32 {d...}, a or {a...}, b, scale-d, +-1, +-1
static bool decode_product(struct ks_emu_decoder *d)
{
    const struct ks_emu_stmt *s = &d->stmt;
    struct product *p = KS_NEW(&d->module->arena, struct product);
    unsigned m;
    int64_t scale, sign[2], turned[2] = {0, 0};
    if (s->n_mods != 7 || !ks_emu_shape(s->mods[3], &m, &p->n, &p->depth) || m != 64 ||
        p->n % 8 != 0 || p->n == 0 || p->n > 256 || !ks_slice_eq(s->mods[4], "f32"))
        return false;
    p->elem = ks_emu_elem_of(s->mods[5]);
    const bool halves = p->elem == KS_EMU_M_F16 || p->elem == KS_EMU_M_BF16; // others cannot be turned
    p->held = s->n_ops > 1 && s->ops[1].kind == KS_EMU_O_VECTOR;
    d->inst.more = KS_NEW_ARRAY(&d->module->arena, u32, p->n / 2 + HELD);
    if ((!halves && p->elem != KS_EMU_M_TF32) || p->depth * ks_emu_elem_bytes(p->elem) != UNITS * 16 ||
        s->n_ops != (halves ? 8u - p->held : 6u) || p->elem != ks_emu_elem_of(s->mods[6]) ||
        !read_registers(d, 0, p->n / 2, d->inst.more) || s->ops[2].kind != KS_EMU_O_WORD ||
        (p->held ? !read_registers(d, 1, HELD, d->inst.more + p->n / 2) : s->ops[1].kind != KS_EMU_O_WORD))
        return false;
    for (unsigned i = 0; i < 2; i++) {
        if (!number_at(d, 4 + i, &sign[i]) || (sign[i] != 1 && sign[i] != -1) ||
            (halves && !(i == 0 && p->held) && (!number_at(d, 6 + i - p->held, &turned[i]) || (turned[i] != 0 && turned[i] != 1))))
            return false;
        p->turned[i] = turned[i] != 0;
    }
    p->sign = (int)(sign[0] * sign[1]);
    if (!p->held)
        d->inst.a = ks_emu_source(d, 1, 8);
    d->inst.b = ks_emu_source(d, 2, 8);
    if (!number_at(d, 3, &scale))
        d->inst.c = ks_emu_source(d, 3, KS_EMU_PRED);
    else if (scale != 1)
        return false;
    d->inst.space = KS_EMU_SHARED;
    d->inst.work = ROWS * p->n * p->depth;
    d->inst.text = (const void *)p;
    d->inst.run = multiply;
    return true;
}

bool ks_emu_decode_wgmma(struct ks_emu_decoder *d)
{
    const struct ks_emu_stmt *s = &d->stmt;
    if (!ks_slice_eq(s->base, "wgmma"))
        return false;
    if (ks_emu_mod(s, "fence"))
        d->inst.run = nothing;
    else if (ks_emu_mod(s, "commit_group"))
        d->inst.run = commit;
    else if (ks_emu_mod(s, "wait_group") && number_at(d, 0, &d->inst.imm) && d->inst.imm >= 0)
        d->inst.run = wait;
    else if (!ks_emu_mod(s, "mma_async") || !decode_product(d))
        ks_emu_unsupported(d, "this form");
    return true;
}
