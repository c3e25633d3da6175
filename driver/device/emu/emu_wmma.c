// wmma (PTX ISA 9.7.14.4): which lane holds which element is not specified there. Here lane l holds
// the elements from l * (elements a lane) on, row by row, counted round where there are more places
// than elements.

#include "device/emu/emu_alu.h"
#include "device/emu/emu_count.h"
#include "device/emu/emu_matrix.h"

typedef uint32_t u32;

struct fragment {
    unsigned rows, columns, n_regs;
    enum ks_emu_elem elem;
    bool by_column;    // in memory
};
struct multiply {
    unsigned m, n, k;
    bool clamp;
    struct fragment d, a, b, c;
};

static unsigned per_register(enum ks_emu_elem elem)
{
    return elem == KS_EMU_M_F64 ? 1 : 4 / ks_emu_elem_bytes(elem);
}

static unsigned reg_width(enum ks_emu_elem elem)
{
    return elem == KS_EMU_M_F64 ? 8 : 4;
}

// Element `e` of a lane: its bytes in the registers.
static unsigned char *element(struct ks_emu_warp *warp, const struct fragment *f, const u32 *regs,
                              u32 lane, unsigned e)
{
    unsigned per = per_register(f->elem);
    return warp->regs + regs[e / per] + (size_t)lane * reg_width(f->elem) +
           e % per * ks_emu_elem_bytes(f->elem);
}

static unsigned index_of(const struct fragment *f, u32 lane, unsigned e)
{
    return (lane * f->n_regs * per_register(f->elem) + e) % (f->rows * f->columns);
}

static uint64_t place_of(struct ks_emu_warp *warp, const struct ks_emu_inst *inst,
                         const struct fragment *f, u32 lane, unsigned e)
{
    unsigned i = index_of(f, lane, e), row = i / f->columns, col = i % f->columns;
    uint64_t base = inst->address_width == 8 ? KS_EMU_REG(uint64_t, inst->a)[lane]
                                             : KS_EMU_REG(u32, inst->a)[lane];
    uint64_t stride = inst->b == KS_EMU_NONE ? (f->by_column ? f->rows : f->columns)
                                             : KS_EMU_REG(u32, inst->b)[lane];
    uint64_t at = f->by_column ? col * stride + row : row * stride + col;
    return base + (uint64_t)inst->imm + at * ks_emu_elem_bytes(f->elem);
}

// Register by register, as the hardware's own layout is not documented.
static void count(struct ks_emu_warp *warp, const struct ks_emu_inst *inst, uint32_t mask,
                  const struct fragment *f, bool load)
{
    uint64_t at[KS_EMU_LANES];
    unsigned per = per_register(f->elem);
    for (unsigned r = 0; r < f->n_regs; r++) {
        for (u32 l = 0; l < KS_EMU_LANES; l++)
            at[l] = place_of(warp, inst, f, l, r * per);
        ks_emu_count_lanes(warp, inst, mask, (enum ks_emu_space)inst->space, at,
                           per * ks_emu_elem_bytes(f->elem), load ? KS_EMU_READ : KS_EMU_WRITE);
    }
}

static void move(struct ks_emu_warp *warp, const struct ks_emu_inst *inst, uint32_t mask, bool load)
{
    const struct fragment *f = (const void *)inst->text;
    unsigned bytes = ks_emu_elem_bytes(f->elem), held = f->n_regs * per_register(f->elem);
    if (warp->grid->counter != NULL)
        count(warp, inst, mask, f, load);
    for (u32 l = 0; l < KS_EMU_LANES; l++)
        for (unsigned e = 0; e < held && (mask >> l & 1) != 0; e++) {
            unsigned char *reg = element(warp, f, inst->more, l, e);
            unsigned char *memory = ks_emu_touch(warp, inst, l, place_of(warp, inst, f, l, e), bytes,
                                                 load ? KS_EMU_READ : KS_EMU_WRITE, reg);
            if (memory == NULL)
                continue;
            memcpy(load ? reg : memory, load ? memory : reg, bytes);
        }
}

static void wmma_load(struct ks_emu_warp *warp, const struct ks_emu_inst *inst, uint32_t mask)
{
    move(warp, inst, mask, true);
}

static void wmma_store(struct ks_emu_warp *warp, const struct ks_emu_inst *inst, uint32_t mask)
{
    move(warp, inst, mask, false);
}

static void gather(struct ks_emu_warp *warp, const struct fragment *f, const u32 *regs, double *out)
{
    for (u32 l = 0; l < KS_EMU_LANES; l++)
        for (unsigned e = 0; e < f->n_regs * per_register(f->elem); e++)
            out[index_of(f, l, e)] = ks_emu_elem_get(f->elem, element(warp, f, regs, l, e));
}

static void wmma_mma(struct ks_emu_warp *warp, const struct ks_emu_inst *inst, uint32_t mask)
{
    const struct multiply *s = (const void *)inst->text;
    double a[KS_EMU_M_MOST], b[KS_EMU_M_MOST], c[KS_EMU_M_MOST], d[KS_EMU_M_MOST];
    const u32 *regs = inst->more;
    gather(warp, &s->a, regs + s->d.n_regs, a);
    gather(warp, &s->b, regs + s->d.n_regs + s->a.n_regs, b);
    gather(warp, &s->c, regs + s->d.n_regs + s->a.n_regs + s->b.n_regs, c);
    ks_emu_charge(warp, (uint64_t)s->m * s->n * s->k / KS_EMU_M_STEP);
    ks_emu_product(s->m, s->n, s->k, s->a.elem, a, b, c, d, s->d.elem == KS_EMU_M_S32, s->clamp);
    for (u32 l = 0; l < KS_EMU_LANES; l++)
        for (unsigned e = 0; e < s->d.n_regs * per_register(s->d.elem) && (mask >> l & 1) != 0; e++)
            ks_emu_elem_put(s->d.elem, element(warp, &s->d, regs, l, e), d[index_of(&s->d, l, e)]);
}

// A fragment of this many registers must hold every element, and no more than twice.
static bool fits(const struct fragment *f)
{
    unsigned held = f->n_regs * per_register(f->elem) * KS_EMU_LANES, all = f->rows * f->columns;
    return f->elem != KS_EMU_M_NONE && all <= KS_EMU_M_MOST && (held == all || held == 2 * all);
}

static bool layout_at(const struct ks_emu_stmt *s, unsigned i, bool *by_column)
{
    *by_column = ks_slice_eq(s->mods[i], "col");
    return *by_column || ks_slice_eq(s->mods[i], "row");
}

// wmma.load.X.sync.aligned.LAYOUT.SHAPE{.SPACE}.TYPE r, [p]{, stride}; store.d likewise
static void decode_move(struct ks_emu_decoder *d, bool load)
{
    const struct ks_emu_stmt *s = &d->stmt;
    struct fragment *f = KS_NEW(&d->module->arena, struct fragment);
    unsigned m, n, k, data = load ? 0 : 1;
    if (s->n_mods < 7 || s->n_ops < 2 || s->n_ops > 3 || !layout_at(s, 4, &f->by_column) ||
        !ks_emu_shape(s->mods[5], &m, &n, &k)) {
        ks_emu_unsupported(d, "this form");
        return;
    }
    for (unsigned i = 6; i + 1 < s->n_mods; i++)
        if (!ks_emu_read_space(d, s->mods[i]))
            ks_emu_unsupported(d, "this form");
    f->rows = ks_slice_eq(s->mods[1], "b") ? k : m;
    f->columns = ks_slice_eq(s->mods[1], "a") ? k : n;
    f->elem = ks_emu_elem_of(s->mods[s->n_mods - 1]);
    d->inst.more = KS_NEW_ARRAY(&d->module->arena, uint32_t, KS_EMU_VECTOR);
    if (f->elem == KS_EMU_M_NONE) {
        ks_emu_unsupported(d, "this type");
        return;
    }
    f->n_regs = ks_emu_fragment(d, data, 0, reg_width(f->elem));
    if (!fits(f))
        ks_emu_unsupported(d, "this shape or type");
    ks_emu_address(d, load ? 1 : 0);
    if (s->n_ops == 3)
        d->inst.b = ks_emu_source(d, 2, 4);
    d->inst.run = load ? wmma_load : wmma_store;
    d->inst.text = (const void *)f;
}

// wmma.mma.sync.aligned.row.col.SHAPE.D{.A.B}.C{.satfinite}: with two types these are D and C of f16.
static void decode_multiply(struct ks_emu_decoder *d)
{
    const struct ks_emu_stmt *s = &d->stmt;
    struct multiply *w = KS_NEW(&d->module->arena, struct multiply);
    w->clamp = ks_emu_mod(s, "satfinite");
    bool nearest = s->n_mods > 0 && ks_slice_eq(s->mods[s->n_mods - 1], "rn"); // f64 names its mode
    unsigned types = s->n_mods - (w->clamp || nearest ? 1 : 0) - 6;
    bool ignored;
    if (s->n_mods < 8 || s->n_ops != 4 || (types != 2 && types != 4) ||
        !layout_at(s, 3, &ignored) || !layout_at(s, 4, &ignored) ||
        !ks_emu_shape(s->mods[5], &w->m, &w->n, &w->k)) {
        ks_emu_unsupported(d, "this form");
        return;
    }
    w->d = w->c = (struct fragment){.rows = w->m, .columns = w->n};
    w->a = (struct fragment){.rows = w->m, .columns = w->k, .elem = KS_EMU_M_F16};
    w->b = (struct fragment){.rows = w->k, .columns = w->n, .elem = KS_EMU_M_F16};
    w->d.elem = ks_emu_elem_of(s->mods[6]);
    w->c.elem = ks_emu_elem_of(s->mods[6 + types - 1]);
    if (types == 4) {
        w->a.elem = ks_emu_elem_of(s->mods[7]);
        w->b.elem = ks_emu_elem_of(s->mods[8]);
    }
    struct fragment *all[] = {&w->d, &w->a, &w->b, &w->c};
    unsigned at = 0;
    d->inst.more = KS_NEW_ARRAY(&d->module->arena, uint32_t, 4 * KS_EMU_VECTOR);
    for (unsigned i = 0; i < 4; i++) {
        if (all[i]->elem == KS_EMU_M_NONE) {
            ks_emu_unsupported(d, "these types");
            return;
        }
        all[i]->n_regs = ks_emu_fragment(d, i, at, reg_width(all[i]->elem));
        at += all[i]->n_regs;
        if (!fits(all[i]))
            ks_emu_unsupported(d, "this shape or these types");
    }
    d->inst.run = wmma_mma;
    d->inst.work = w->m * w->n * w->k;
    d->inst.text = (const void *)w;
}

bool ks_emu_decode_wmma(struct ks_emu_decoder *d)
{
    const struct ks_emu_stmt *s = &d->stmt;
    if (!ks_slice_eq(s->base, "wmma"))
        return false;
    if (s->n_mods > 0 && ks_slice_eq(s->mods[0], "mma"))
        decode_multiply(d);
    else if (s->n_mods > 1 && (ks_slice_eq(s->mods[0], "load") || ks_slice_eq(s->mods[0], "store")))
        decode_move(d, s->mods[0].at[0] == 'l');
    else
        ks_emu_unsupported(d, "this form");
    return true;
}
