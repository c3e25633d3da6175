// The lanes of a warp: groups, frames, and the loop that runs instructions.

#include <stdlib.h>

#include "device/emu/emu_alu.h"

#define MAX_DEPTH 200     // of calls
#define TURN 512          // instructions before waiting lanes get their turn

// ---- frames

static void fill_locals(struct ks_emu_frame *frame)
{
    const struct ks_emu_function *f = frame->function;
    for (uint32_t i = 0; i < f->n_local_consts; i++) {
        const struct ks_emu_local_const *c = &f->local_consts[i];
        uint64_t address = ((uint64_t)(frame->depth + 1) << KS_EMU_LOCAL_WINDOW_BITS) + c->bits;
        for (uint32_t l = 0; l < KS_EMU_LANES; l++)
            memcpy(frame->regs + c->offset + l * c->width, &address, c->width);
    }
}

struct ks_emu_frame *ks_emu_frame_make(struct ks_emu_warp *warp,
                                       const struct ks_emu_function *function,
                                       struct ks_emu_frame *parent, uint32_t lanes)
{
    uint64_t stride = (function->local_bytes + 15) & ~UINT64_C(15);
    struct ks_emu_frame **at = &warp->free_frames, *frame;
    while (*at != NULL && (*at)->function != function)
        at = &(*at)->parent;
    frame = *at;
    if (frame != NULL) {
        *at = frame->parent;
    } else {
        frame = calloc(1, sizeof *frame);
        KS_ASSERT(frame != NULL);
        frame->function = function;
        frame->regs = malloc(function->frame_bytes + 64);
        frame->local = stride == 0 ? NULL : malloc(stride * KS_EMU_LANES);
        frame->local_known = stride == 0 ? NULL : malloc(stride * KS_EMU_LANES / 8);
        KS_ASSERT(frame->regs != NULL &&
                  (stride == 0 || (frame->local != NULL && frame->local_known != NULL)));
        memcpy(frame->regs, function->constants, function->frame_bytes);
    }
    frame->parent = parent;
    frame->depth = parent == NULL ? 0 : parent->depth + 1;
    frame->lanes = lanes;
    frame->call = NULL;
    if (stride > 0)
        memset(frame->local_known, 0, stride * KS_EMU_LANES / 8);
    fill_locals(frame);
    return frame;
}

static void recycle(struct ks_emu_warp *warp, struct ks_emu_frame *frame)
{
    frame->parent = warp->free_frames;
    warp->free_frames = frame;
}

static void free_frame(struct ks_emu_frame *frame)
{
    free(frame->regs);
    free(frame->local);
    free(frame->local_known);
    free(frame);
}

void ks_emu_warp_free(struct ks_emu_warp *warp)
{
    for (unsigned i = 0; i < warp->n_groups; i++) // a stopped grid: frames still in use
        for (struct ks_emu_frame *f = warp->groups[i].frame, *up; f != NULL; f = up) {
            up = f->parent;
            f->lanes &= ~warp->groups[i].mask;
            if (f->lanes == 0)
                recycle(warp, f);
        }
    warp->n_groups = 0;
    while (warp->free_frames != NULL) {
        struct ks_emu_frame *next = warp->free_frames->parent;
        free_frame(warp->free_frames);
        warp->free_frames = next;
    }
    free(warp->copies);
    warp->copies = NULL;
}

// ---- special registers

static void set_special(struct ks_emu_frame *frame, enum ks_emu_special which, uint64_t value)
{
    uint32_t at = frame->function->special[which];
    bool wide = which == KS_EMU_GRIDID || which == KS_EMU_CLOCK64 || which == KS_EMU_GLOBALTIMER;
    for (uint32_t l = 0; at != KS_EMU_NONE && l < KS_EMU_LANES; l++)
        memcpy(frame->regs + at + l * (wide ? 8 : 4), &value, wide ? 8 : 4);
}

static void set_lane(struct ks_emu_frame *frame, enum ks_emu_special which, uint32_t lane,
                     uint32_t value)
{
    uint32_t at = frame->function->special[which];
    if (at != KS_EMU_NONE)
        memcpy(frame->regs + at + lane * 4, &value, 4);
}

static void set_specials(struct ks_emu_warp *warp, struct ks_emu_frame *frame)
{
    const struct ks_emu_grid *g = warp->grid;
    for (int k = 0; k < 3; k++) {
        set_special(frame, KS_EMU_NTID_X + (unsigned)k, g->block[k]);
        set_special(frame, KS_EMU_CTAID_X + (unsigned)k, warp->block->index[k]);
        set_special(frame, KS_EMU_NCTAID_X + (unsigned)k, g->grid[k]);
    }
    set_special(frame, KS_EMU_WARPID, warp->index);
    set_special(frame, KS_EMU_NWARPID, warp->block->n_warps);
    set_special(frame, KS_EMU_SMID, 0);
    set_special(frame, KS_EMU_NSMID, 1);
    set_special(frame, KS_EMU_GRIDID, 1);
    set_special(frame, KS_EMU_DYNAMIC_SMEM, g->dynamic_shared);
    set_special(frame, KS_EMU_TOTAL_SMEM, g->shared_bytes);
    for (uint32_t l = 0; l < KS_EMU_LANES; l++) {
        uint32_t t = ks_emu_thread(warp, l);
        set_lane(frame, KS_EMU_TID_X, l, t % g->block[0]);
        set_lane(frame, KS_EMU_TID_Y, l, t / g->block[0] % g->block[1]);
        set_lane(frame, KS_EMU_TID_Z, l, t / (g->block[0] * g->block[1]));
        set_lane(frame, KS_EMU_LANEID, l, l);
        set_lane(frame, KS_EMU_LT, l, (1u << l) - 1);
        set_lane(frame, KS_EMU_LE, l, (2u << l) - 1);
        set_lane(frame, KS_EMU_EQ, l, 1u << l);
        set_lane(frame, KS_EMU_GE, l, ~((1u << l) - 1));
        set_lane(frame, KS_EMU_GT, l, ~((2u << l) - 1));
    }
}

// Clocks count what was executed: the same on every run with the same seed.
static void tick(struct ks_emu_warp *warp)
{
    const uint32_t *special = warp->frame->function->special;
    if (special[KS_EMU_CLOCK] != KS_EMU_NONE)
        set_special(warp->frame, KS_EMU_CLOCK, (uint32_t)warp->grid->sequence);
    if (special[KS_EMU_CLOCK64] != KS_EMU_NONE)
        set_special(warp->frame, KS_EMU_CLOCK64, warp->grid->sequence);
    if (special[KS_EMU_GLOBALTIMER] != KS_EMU_NONE)
        set_special(warp->frame, KS_EMU_GLOBALTIMER, warp->grid->sequence);
}

void ks_emu_warp_start(struct ks_emu_warp *warp, struct ks_emu_block *block, uint32_t index,
                       uint32_t lanes)
{
    warp->block = block;
    warp->grid = block->grid;
    warp->index = index;
    warp->exists = warp->alive = lanes == KS_EMU_LANES ? UINT32_MAX : (1u << lanes) - 1;
    warp->rotate = false;
    warp->turn = TURN;
    warp->n_copies = 0;
    memset(warp->batch, 0, sizeof warp->batch);
    struct ks_emu_frame *frame = ks_emu_frame_make(warp, block->grid->entry, NULL, warp->alive);
    set_specials(warp, frame);
    warp->frame = frame;
    warp->n_groups = 1;
    warp->groups[0] = (struct ks_emu_group){.mask = warp->alive, .frame = frame,
                                            .pc = block->grid->entry->first};
}

// ---- groups

static void remove_group(struct ks_emu_warp *warp, unsigned i)
{
    warp->groups[i] = warp->groups[--warp->n_groups];
}

static void split(struct ks_emu_warp *warp, struct ks_emu_group *from, uint32_t mask, uint32_t pc)
{
    struct ks_emu_group copy = *from;
    KS_ASSERT(warp->n_groups < KS_EMU_LANES);
    copy.mask = mask;
    copy.pc = pc;
    copy.state = KS_EMU_READY;
    from->mask &= ~mask;
    warp->groups[warp->n_groups++] = copy;
}

// Joins groups that stand at the same instruction of the same activation.
static void merge(struct ks_emu_warp *warp)
{
    for (unsigned i = 0; i < warp->n_groups; i++)
        for (unsigned k = i + 1; k < warp->n_groups;) {
            struct ks_emu_group *a = &warp->groups[i], *b = &warp->groups[k];
            bool free = a->state != KS_EMU_AT_BARRIER && b->state != KS_EMU_AT_BARRIER;
            if (a->pc == b->pc && a->frame == b->frame && free) {
                a->mask |= b->mask;
                a->state = KS_EMU_READY; // a warp sync is tried again, together
                remove_group(warp, k);
            } else {
                k++;
            }
        }
}

// The deepest activation first, then the one furthest behind; in turn when rotating.
static struct ks_emu_group *choose(struct ks_emu_warp *warp)
{
    struct ks_emu_group *best = NULL;
    if (warp->n_groups > 1)
        merge(warp);
    for (unsigned i = 0; i < warp->n_groups; i++) {
        struct ks_emu_group *g = &warp->groups[i];
        if (g->state != KS_EMU_READY)
            continue;
        if (best == NULL || g->frame->depth > best->frame->depth ||
            (g->frame->depth == best->frame->depth && g->pc < best->pc))
            best = g;
    }
    if (best != NULL && warp->rotate) {
        uint32_t skip = (uint32_t)ks_rng_below(&warp->grid->rng, warp->n_groups);
        for (unsigned i = 0; i < warp->n_groups; i++) {
            struct ks_emu_group *g = &warp->groups[(i + skip) % warp->n_groups];
            if (g->state == KS_EMU_READY && g != best)
                return g;
        }
    }
    return best;
}

// The first instruction at which another group of the same activation waits to be joined.
static uint32_t meeting(const struct ks_emu_warp *warp, const struct ks_emu_group *g)
{
    uint32_t limit = UINT32_MAX;
    for (unsigned i = 0; i < warp->n_groups; i++) {
        const struct ks_emu_group *o = &warp->groups[i];
        if (o != g && o->frame == g->frame && o->state != KS_EMU_AT_BARRIER && o->pc > g->pc &&
            o->pc < limit)
            limit = o->pc;
    }
    return limit;
}

// ---- calls and exits

static void copy_slot(unsigned char *to, uint32_t to_at, const unsigned char *from,
                      uint32_t from_at, uint64_t bytes, uint32_t mask)
{
    for (uint32_t l = 0; l < KS_EMU_LANES; l++)
        if ((mask >> l & 1) != 0)
            memcpy(to + to_at + l * bytes, from + from_at + l * bytes, bytes);
}

static void do_call(struct ks_emu_warp *warp, struct ks_emu_group *g, const struct ks_emu_inst *inst,
                    uint32_t mask)
{
    const struct ks_emu_function *f = warp->grid->module->functions.at[inst->call->function];
    if (g->frame->depth >= MAX_DEPTH) {
        ks_emu_find(warp, inst, (uint32_t)__builtin_ctz(mask), KS_F_STACK, 0, 0,
                    "more than %d calls in each other", MAX_DEPTH);
        ks_emu_stop(warp->grid);
        return;
    }
    if (mask != g->mask)
        split(warp, g, g->mask & ~mask, g->pc + 1);
    struct ks_emu_frame *frame = ks_emu_frame_make(warp, f, g->frame, mask);
    frame->call = inst->call;
    frame->return_pc = g->pc + 1;
    set_specials(warp, frame);
    for (uint32_t i = 0; i < inst->call->n_args; i++)
        copy_slot(frame->regs, (uint32_t)f->params.at[i].address, g->frame->regs,
                  inst->call->args[i], f->params.at[i].bytes, mask);
    g->frame = frame;
    g->pc = f->first;
}

static void leave(struct ks_emu_warp *warp, struct ks_emu_frame *frame, uint32_t mask)
{
    frame->lanes &= ~mask;
    if (frame->lanes == 0)
        recycle(warp, frame);
}

static void do_exit(struct ks_emu_warp *warp, struct ks_emu_group *g, uint32_t mask)
{
    for (struct ks_emu_frame *f = g->frame, *up; f != NULL; f = up) {
        up = f->parent;
        leave(warp, f, mask);
    }
    warp->alive &= ~mask;
    warp->block->alive -= (uint32_t)__builtin_popcount(mask);
    g->mask &= ~mask;
    if (g->mask == 0)
        remove_group(warp, (unsigned)(g - warp->groups));
    else
        g->pc++;
    ks_emu_barrier_check(warp->block);
}

static void do_ret(struct ks_emu_warp *warp, struct ks_emu_group *g, uint32_t mask)
{
    struct ks_emu_frame *frame = g->frame, *up = frame->parent;
    if (up == NULL) {
        do_exit(warp, g, mask);
        return;
    }
    const struct ks_emu_function *f = frame->function;
    for (uint32_t i = 0; i < frame->call->n_rets; i++)
        copy_slot(up->regs, frame->call->rets[i], frame->regs, (uint32_t)f->returns.at[i].address,
                  f->returns.at[i].bytes, mask);
    if (mask != g->mask)
        split(warp, g, g->mask & ~mask, g->pc + 1);
    g->frame = up;
    g->pc = frame->return_pc;
    leave(warp, frame, mask);
}

static void do_switch(struct ks_emu_warp *warp, struct ks_emu_group *g,
                      const struct ks_emu_inst *inst, uint32_t mask)
{
    uint32_t rest = g->mask & ~mask, next = g->pc + 1;
    while (mask != 0) {
        uint32_t first = (uint32_t)__builtin_ctz(mask), same = 0;
        uint32_t index = KS_EMU_REG(uint32_t, inst->a)[first];
        for (uint32_t l = 0; l < KS_EMU_LANES; l++)
            if ((mask >> l & 1) != 0 && KS_EMU_REG(uint32_t, inst->a)[l] == index)
                same |= 1u << l;
        if (index >= inst->n_more) {
            ks_emu_find(warp, inst, first, KS_F_TRAP, index, 0,
                        "branch number %u of %u", index, inst->n_more);
            ks_emu_stop(warp->grid);
            return;
        }
        mask &= ~same;
        if (mask == 0 && rest == 0) {
            g->pc = inst->more[index];
            return;
        }
        split(warp, g, same, inst->more[index]);
    }
    g->pc = next;
}

// Lanes named in the member mask that live but are not here.
static uint32_t missing(struct ks_emu_warp *warp, const struct ks_emu_inst *inst, uint32_t mask)
{
    uint32_t members = 0;
    for (uint32_t l = 0; l < KS_EMU_LANES; l++)
        if ((mask >> l & 1) != 0)
            members |= KS_EMU_REG(uint32_t, inst->e)[l];
    return members & warp->alive & ~mask;
}

static void stop_unsupported(struct ks_emu_warp *warp, const struct ks_emu_inst *inst,
                             uint32_t mask)
{
    ks_emu_find(warp, inst, (uint32_t)__builtin_ctz(mask), KS_F_UNSUPPORTED, 0, 0,
                "%s is not supported by the emulator", inst->text);
    ks_emu_stop(warp->grid);
}

// What is no plain instruction. False: the group cannot go on for now, or control moved.
static bool special(struct ks_emu_warp *warp, struct ks_emu_group *g, const struct ks_emu_inst *inst,
                    uint32_t mask)
{
    if (mask == 0 && inst->kind != KS_EMU_BRANCH) {
        g->pc++;
        return true;
    }
    switch ((enum ks_emu_kind)inst->kind) {
    case KS_EMU_BRANCH:
        if (mask == g->mask) {
            g->pc = inst->target;
            return true;
        }
        if (mask == 0) {
            g->pc++;
            return true;
        }
        split(warp, g, mask, inst->target);
        g->pc++;
        return false;
    case KS_EMU_SWITCH:
        do_switch(warp, g, inst, mask);
        return false;
    case KS_EMU_CALL:
        do_call(warp, g, inst, mask);
        return false;
    case KS_EMU_RET:
        do_ret(warp, g, mask);
        return false;
    case KS_EMU_EXIT:
        do_exit(warp, g, mask);
        return false;
    case KS_EMU_BARRIER:
        if (mask != g->mask)
            split(warp, g, g->mask & ~mask, g->pc + 1);
        if (ks_emu_barrier_arrive(warp, g, inst)) {
            g->state = KS_EMU_AT_BARRIER;
            g->barrier = KS_EMU_REG(uint32_t, inst->a)[__builtin_ctz(mask)];
        } else {
            g->pc++;
        }
        ks_emu_barrier_check(warp->block);
        return false;
    case KS_EMU_WARP_SYNC:
        if (missing(warp, inst, mask) != 0) {
            if (mask != g->mask)
                split(warp, g, g->mask & ~mask, g->pc + 1);
            g->state = KS_EMU_AT_WARP_SYNC;
            return false;
        }
        inst->run(warp, inst, mask);
        g->pc++;
        return true;
    case KS_EMU_TRAP:
        ks_emu_find(warp, inst, (uint32_t)__builtin_ctz(mask), KS_F_TRAP, 0, 0, "trap instruction");
        ks_emu_stop(warp->grid);
        return false;
    default:
        stop_unsupported(warp, inst, mask);
        return false;
    }
}

// Runs one group until it meets another, waits, or has had its turn.
static void run_group(struct ks_emu_warp *warp, struct ks_emu_group *g, uint32_t *slice)
{
    struct ks_emu_grid *grid = warp->grid;
    const struct ks_emu_inst *code = grid->module->code.at;
    const uint32_t limit = meeting(warp, g);
    const bool clocks = g->frame->function->special[KS_EMU_CLOCK] != KS_EMU_NONE ||
                        g->frame->function->special[KS_EMU_CLOCK64] != KS_EMU_NONE ||
                        g->frame->function->special[KS_EMU_GLOBALTIMER] != KS_EMU_NONE;
    uint64_t executed = 0;
    bool on = true;
    warp->frame = g->frame;
    warp->regs = g->frame->regs;
    while (on && !grid->stop && *slice > 0) {
        const struct ks_emu_inst *inst = &code[g->pc];
        uint32_t mask = g->mask;
        if (inst->guard != KS_EMU_NONE) {
            uint32_t p = *KS_EMU_REG(uint32_t, inst->guard);
            mask &= inst->negate != 0 ? ~p : p;
        }
        executed += (uint64_t)__builtin_popcount(g->mask);
        --*slice;
        if (clocks) {
            grid->sequence++;
            tick(warp);
        }
        if (inst->kind == KS_EMU_PLAIN) {
            if (mask != 0)
                inst->run(warp, inst, mask);
            g->pc++;
        } else {
            on = special(warp, g, inst, mask);
        }
        if (on && g->pc >= limit)
            break;
        if (warp->n_groups == 1) {
            warp->turn = TURN;
        } else if (--warp->turn == 0) {
            warp->turn = TURN;
            warp->rotate = true;
            break;
        }
    }
    grid->executed += executed;
}

// Nobody of the warp can run, and a warp sync waits for lanes that will not come by themselves.
static bool stuck_at_sync(const struct ks_emu_warp *warp)
{
    bool at_sync = false;
    for (unsigned i = 0; i < warp->n_groups; i++) {
        if (warp->groups[i].state == KS_EMU_READY)
            return false;
        at_sync |= warp->groups[i].state == KS_EMU_AT_WARP_SYNC;
    }
    return at_sync;
}

// bar.warp.sync may be reached at different places (9.7.13.2); lanes that wait for one another at
// several of them go on together.
static bool meet_apart(struct ks_emu_warp *warp)
{
    uint32_t there = 0;
    const struct ks_emu_inst *code = warp->grid->module->code.at;
    ks_emu_op *run = NULL;
    for (unsigned i = 0; i < warp->n_groups; i++) {
        struct ks_emu_group *g = &warp->groups[i];
        if (g->state != KS_EMU_AT_WARP_SYNC)
            continue;
        if (code[g->pc].d != KS_EMU_NONE || (run != NULL && run != code[g->pc].run))
            return false; // one that exchanges data
        run = code[g->pc].run;
        there |= g->mask;
    }
    for (unsigned i = 0; i < warp->n_groups; i++) {
        struct ks_emu_group *g = &warp->groups[i];
        warp->regs = g->frame->regs;
        if (g->state == KS_EMU_AT_WARP_SYNC &&
            (missing(warp, &code[g->pc], g->mask) & ~there) != 0)
            return false;
    }
    for (unsigned i = 0; i < warp->n_groups; i++)
        if (warp->groups[i].state == KS_EMU_AT_WARP_SYNC) {
            warp->groups[i].state = KS_EMU_READY;
            warp->groups[i].pc++;
        }
    ks_emu_clock_warp_sync(warp);
    return true;
}

// Lanes that exited are waited for no more.
static bool retry_syncs(struct ks_emu_warp *warp)
{
    const struct ks_emu_inst *code = warp->grid->module->code.at;
    bool any = false;
    for (unsigned i = 0; i < warp->n_groups; i++) {
        struct ks_emu_group *g = &warp->groups[i];
        if (g->state != KS_EMU_AT_WARP_SYNC)
            continue;
        warp->regs = g->frame->regs;
        if (missing(warp, &code[g->pc], g->mask) == 0) {
            g->state = KS_EMU_READY;
            any = true;
        }
    }
    return any;
}

bool ks_emu_warp_run(struct ks_emu_warp *warp, uint32_t slice)
{
    bool any = false;
    while (slice > 0 && !warp->grid->stop) {
        struct ks_emu_group *g = choose(warp);
        if (g == NULL) {
            if (!stuck_at_sync(warp) || (!retry_syncs(warp) && !meet_apart(warp)))
                return any;
            continue;
        }
        any = true;
        warp->rotate = false;
        run_group(warp, g, &slice);
    }
    return any;
}
