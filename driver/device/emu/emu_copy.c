// cp.async without bulk (PTX ISA 9.7.9.25.3): the copy is made when it is waited for, so that what
// is read too early is not there yet.

#include <stdlib.h>

#include "device/emu/emu_alu.h"
#include "device/emu/emu_count.h"

typedef uint32_t u32;
typedef uint64_t u64;

static void perform(struct ks_emu_warp *warp, const struct ks_emu_copy *c)
{
    unsigned char data[16] = {0};
    for (u32 at = 0, n; at < c->given; at += n) {
        n = c->given - at >= 4 ? 4 : 1;
        const unsigned char *from = ks_emu_touch_as(warp, c->inst, KS_EMU_GLOBAL, c->lane,
                                                    c->from + at, n, KS_EMU_READ, NULL);
        if (from != NULL)
            memcpy(data + at, from, n);
    }
    for (u32 at = 0; at < c->bytes; at += 4) {
        unsigned char *to = ks_emu_touch_as(warp, c->inst, KS_EMU_SHARED, c->lane, c->to + at, 4,
                                            KS_EMU_WRITE, data + at);
        if (to != NULL)
            memcpy(to, data + at, 4);
    }
}

static u64 address_of(struct ks_emu_warp *warp, u32 reg, unsigned width, int64_t add, u32 lane)
{
    return (width == 8 ? KS_EMU_REG(u64, reg)[lane] : KS_EMU_REG(u32, reg)[lane]) + (u64)add;
}

static void count(struct ks_emu_warp *warp, const struct ks_emu_inst *inst, u32 mask)
{
    u64 from[KS_EMU_LANES], to[KS_EMU_LANES];
    for (u32 l = 0; l < KS_EMU_LANES; l++) {
        from[l] = address_of(warp, inst->a, inst->address_width, inst->imm, l);
        to[l] = address_of(warp, inst->d, inst->width, (int64_t)(int32_t)inst->target, l);
    }
    bool missed = warp->missed;
    ks_emu_count_lanes(warp, inst, mask, KS_EMU_GLOBAL, from, inst->size, KS_EMU_READ);
    warp->copies_missed |= warp->missed; // waited for where the copies are, not at the next branch
    warp->missed = missed;
    ks_emu_count_lanes(warp, inst, mask, KS_EMU_SHARED, to, inst->size, KS_EMU_WRITE);
}

// d, width: to; a, address_width: from; size: bytes; c: bytes given, or none.
static void start(struct ks_emu_warp *warp, const struct ks_emu_inst *inst, u32 mask)
{
    if (warp->grid->counter != NULL)
        count(warp, inst, mask);
    for (u32 l = 0; l < KS_EMU_LANES; l++) {
        if ((mask >> l & 1) == 0)
            continue;
        if (warp->n_copies == warp->cap_copies) {
            warp->cap_copies = warp->cap_copies * 2 + 64;
            warp->copies = realloc(warp->copies, warp->cap_copies * sizeof *warp->copies);
            KS_ASSERT(warp->copies != NULL);
        }
        struct ks_emu_copy *c = &warp->copies[warp->n_copies++];
        *c = (struct ks_emu_copy){.inst = inst, .lane = l, .bytes = inst->size,
                                  .given = inst->size, .batch = warp->batch[l],
                                  .number = warp->copies_begun++};
        c->to = address_of(warp, inst->d, inst->width, (int64_t)(int32_t)inst->target, l);
        c->from = address_of(warp, inst->a, inst->address_width, inst->imm, l);
        if (inst->c != KS_EMU_NONE && KS_EMU_REG(u32, inst->c)[l] < inst->size)
            c->given = KS_EMU_REG(u32, inst->c)[l];
        if (((c->to | c->from) & (inst->size - 1u)) != 0)
            ks_emu_find(warp, inst, l, KS_F_MISALIGNED, c->from, inst->size,
                        "%u-byte copy at an address that is no multiple of it", inst->size);
    }
}

// The copies of these lanes that are older than their lane's newest `newest` groups.
static void finish(struct ks_emu_warp *warp, u32 mask, bool all, u32 newest)
{
    u32 kept = 0;
    // A pipeline that is filled well ahead hides its loads; what is waited for at once is not hidden.
    if (warp->grid->counter != NULL && warp->copies_missed && newest == 0) {
        warp->missed = true;
        ks_emu_count_wait(warp);
        warp->copies_missed = false;
    }
    for (u32 i = 0; i < warp->n_copies; i++) {
        struct ks_emu_copy c = warp->copies[i];
        if ((mask >> c.lane & 1) != 0 && (all || (u64)c.batch + newest < warp->batch[c.lane]))
            perform(warp, &c);
        else
            warp->copies[kept++] = c;
    }
    warp->n_copies = kept;
}

void ks_emu_copies_finish(struct ks_emu_warp *warp, u32 lane, u64 before)
{
    u32 kept = 0;
    for (u32 i = 0; i < warp->n_copies; i++) {
        struct ks_emu_copy c = warp->copies[i];
        if (c.lane == lane && c.number < before)
            perform(warp, &c);
        else
            warp->copies[kept++] = c;
    }
    warp->n_copies = kept;
}

static void commit(struct ks_emu_warp *warp, const struct ks_emu_inst *inst, u32 mask)
{
    (void)inst;
    for (u32 l = 0; l < KS_EMU_LANES; l++)
        warp->batch[l] += mask >> l & 1;
}

static void wait_all(struct ks_emu_warp *warp, const struct ks_emu_inst *inst, u32 mask)
{
    (void)inst;
    finish(warp, mask, true, 0);
}

// wait_group n: all but the newest n groups that were committed are done.
static void wait_group(struct ks_emu_warp *warp, const struct ks_emu_inst *inst, u32 mask)
{
    finish(warp, mask, false, *KS_EMU_REG(u32, inst->a));
}

bool ks_emu_decode_copy(struct ks_emu_decoder *d)
{
    struct ks_emu_stmt *s = &d->stmt;
    struct ks_emu_inst *i = &d->inst;
    uint64_t bytes;
    int floating;
    if (!ks_slice_eq(s->base, "cp") || s->n_mods == 0 || !ks_slice_eq(s->mods[0], "async"))
        return false;
    if (ks_emu_mod(s, "commit_group")) {
        i->run = commit;
    } else if (ks_emu_mod(s, "wait_all")) {
        i->run = wait_all;
    } else if (ks_emu_mod(s, "wait_group")) {
        i->run = wait_group;
        i->a = ks_emu_source(d, 0, 4);
    } else if (!ks_emu_mod(s, "shared") && !ks_emu_mod(s, "shared::cta")) {
        ks_emu_unsupported(d, "this form");
    } else if (ks_emu_mod(s, "bulk") || s->n_ops < 3 ||
               s->n_ops > 4 || !ks_emu_number(s->ops[2].word, &bytes, &floating) ||
               (bytes != 4 && bytes != 8 && bytes != 16)) {
        ks_emu_unsupported(d, "this form");
    } else {
        ks_emu_address(d, 0);
        i->d = i->a;
        i->width = i->address_width;
        i->target = (uint32_t)i->imm;
        ks_emu_address(d, 1);
        i->size = (uint8_t)bytes;
        uint32_t offset, width;
        bool policy = s->n_ops == 4 && ks_emu_register_find(d, s->ops[3].word, &offset, &width) &&
                      width == 8;
        if (s->n_ops == 4 && !policy)
            i->c = ks_emu_source(d, 3, 4);
        i->run = start;
    }
    return true;
}
