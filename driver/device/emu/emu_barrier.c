// Barriers of a block (PTX ISA 9.7.13.1): 16 of them, for all threads or a given number.

#include "device/emu/emu_alu.h"
#include "device/emu/emu_control.h"

// An arrival of part of an aligned warp: the others must come to the same instruction.
static void check_alignment(struct ks_emu_warp *warp, const struct ks_emu_group *group,
                            const struct ks_emu_inst *inst)
{
    for (unsigned i = 0; i < warp->n_groups; i++) {
        const struct ks_emu_group *other = &warp->groups[i];
        if (other == group || other->state != KS_EMU_AT_BARRIER || other->pc == group->pc ||
            !inst->is_signed)
            continue;
        ks_emu_find(warp, inst, (uint32_t)__builtin_ctz(group->mask), KS_F_BARRIER_DIVERGENCE, 0, 0,
                    "lanes of one warp wait at different barrier instructions (the others at PTX "
                    "line %u)", warp->grid->module->code.at[other->pc].line);
    }
}

bool ks_emu_barrier_arrive(struct ks_emu_warp *warp, struct ks_emu_group *group,
                           const struct ks_emu_inst *inst)
{
    struct ks_emu_block *block = warp->block;
    uint32_t lane = (uint32_t)__builtin_ctz(group->mask);
    uint32_t number = KS_EMU_REG(uint32_t, inst->a)[lane];
    uint32_t expected = inst->b == KS_EMU_NONE ? 0 : KS_EMU_REG(uint32_t, inst->b)[lane];
    if (number >= KS_EMU_BARRIERS || expected % KS_EMU_LANES != 0) {
        ks_emu_find(warp, inst, lane, KS_F_BARRIER_DIVERGENCE, 0, 0,
                    "barrier %u for %u threads: there are 16, for multiples of 32 threads", number,
                    expected);
        ks_emu_stop(warp->grid);
        return false;
    }
    struct ks_emu_barrier *b = &block->barriers[number];
    if (b->used && b->expected != expected)
        ks_emu_find(warp, inst, lane, KS_F_BARRIER_DIVERGENCE, 0, 0,
                    "barrier %u is for %u threads here, for %u where others wait", number, expected,
                    b->expected);
    if (!b->used)
        *b = (struct ks_emu_barrier){.expected = expected, .used = true};
    check_alignment(warp, group, inst);
    b->lanes[warp->index] |= group->mask;
    // An aligned warp counts whole, also where its last lanes do not exist (9.7.13.1).
    bool whole = (b->lanes[warp->index] & warp->alive) == warp->alive;
    uint32_t before = (uint32_t)__builtin_popcount(b->lanes[warp->index] & ~group->mask);
    b->arrived += whole ? KS_EMU_LANES - before : (uint32_t)__builtin_popcount(group->mask);
    if (inst->op >= KS_EMU_BAR_POPC) {
        uint32_t p = *KS_EMU_REG(uint32_t, inst->c) ^ (inst->flags != 0 ? UINT32_MAX : 0);
        b->votes += (uint32_t)__builtin_popcount(group->mask);
        b->bits += (uint32_t)__builtin_popcount(p & group->mask);
    }
    return inst->op != KS_EMU_BAR_ARRIVE;
}

static bool complete(const struct ks_emu_block *block, const struct ks_emu_barrier *b)
{
    if (b->expected != 0)
        return b->arrived >= b->expected;
    for (uint32_t w = 0; w < block->n_warps; w++)
        if ((block->warps[w].alive & ~b->lanes[w]) != 0)
            return false;
    return true;
}

static void give_vote(struct ks_emu_warp *warp, const struct ks_emu_inst *inst, uint32_t mask,
                      const struct ks_emu_barrier *b)
{
    uint32_t all = inst->op == KS_EMU_BAR_AND ? b->bits == b->votes : b->bits != 0;
    if (inst->op == KS_EMU_BAR_POPC) {
        for (uint32_t l = 0; l < KS_EMU_LANES; l++)
            if ((mask >> l & 1) != 0)
                KS_EMU_REG(uint32_t, inst->d)[l] = b->bits;
    } else {
        uint32_t *d = KS_EMU_REG(uint32_t, inst->d);
        *d = (*d & ~mask) | (all != 0 ? mask : 0);
    }
}

static void release(struct ks_emu_block *block, uint32_t number)
{
    struct ks_emu_barrier *b = &block->barriers[number];
    uint32_t warps = 0;
    for (uint32_t w = 0; w < block->n_warps; w++) {
        struct ks_emu_warp *warp = &block->warps[w];
        warps |= b->lanes[w] != 0 ? 1u << w : 0;
        for (unsigned i = 0; i < warp->n_groups; i++) {
            struct ks_emu_group *group = &warp->groups[i];
            if (group->state != KS_EMU_AT_BARRIER || group->barrier != number)
                continue;
            const struct ks_emu_inst *inst = &block->grid->module->code.at[group->pc];
            if (inst->op >= KS_EMU_BAR_POPC) {
                warp->regs = group->frame->regs;
                give_vote(warp, inst, group->mask, b);
            }
            group->state = KS_EMU_READY;
            group->pc++;
        }
    }
    ks_emu_clock_barrier(block, b->expected == 0 ||
                                    b->expected >= block->n_warps * KS_EMU_LANES, warps);
    *b = (struct ks_emu_barrier){0};
}

void ks_emu_barrier_check(struct ks_emu_block *block)
{
    for (uint32_t n = 0; n < KS_EMU_BARRIERS; n++)
        if (block->barriers[n].used && complete(block, &block->barriers[n]))
            release(block, n);
}
