// The lanes of a warp: groups, and the loop that runs instructions.

#include "device/emu/emu_alu.h"
#include "device/emu/emu_count.h"
#include "device/emu/emu_taint.h"

#define MAX_DEPTH 200     // of calls

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

// Joins groups that stand at the same instruction of the same activation; where it is one between lanes, also of
// activations by lanes that came to the call one after the other.
static void merge(struct ks_emu_warp *warp)
{
    for (unsigned i = 0; i < warp->n_groups; i++)
        for (unsigned k = i + 1; k < warp->n_groups;) {
            struct ks_emu_group *a = &warp->groups[i], *b = &warp->groups[k];
            bool free = a->state != KS_EMU_AT_BARRIER && b->state != KS_EMU_AT_BARRIER;
            bool sync = a->state == KS_EMU_AT_WARP_SYNC && b->state == KS_EMU_AT_WARP_SYNC;
            if (a->pc == b->pc && free &&
                (a->frame == b->frame || (sync && ks_emu_frame_join(warp, a->frame, b->frame, b->mask)))) {
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

// The function that the first lanes of an indirect call go to; others stay, and call by themselves.
static const struct ks_emu_function *pick_callee(struct ks_emu_warp *warp, struct ks_emu_group *g,
                                                 const struct ks_emu_inst *inst, uint32_t *mask)
{
    const struct ks_emu_module *m = warp->grid->module;
    const uint64_t *addresses = KS_EMU_REG(uint64_t, inst->a);
    uint32_t first = (uint32_t)__builtin_ctz(*mask), same = 0;
    uint64_t address = addresses[first], number = address / KS_EMU_CODE_STEP - 1;
    for (uint32_t l = 0; l < KS_EMU_LANES; l++)
        if ((*mask >> l & 1) != 0 && addresses[l] == address)
            same |= 1u << l;
    const struct ks_emu_function *f =
        address % KS_EMU_CODE_STEP == 0 && number < m->functions.len ? m->functions.at[number] : NULL;
    if (f == NULL || (f->defined && !ks_emu_call_fits(inst->call, f))) {
        ks_emu_find(warp, inst, first, KS_F_TRAP, address, 0,
                    "call of 0x%llx, which is no function for these arguments",
                    (unsigned long long)address);
        ks_emu_stop(warp->grid);
        return NULL;
    }
    if (!f->decoded || !warp->grid->reached[number]) {
        ks_emu_find(warp, inst, first, KS_F_UNSUPPORTED, 0, 0,
                    "call of %.*s is not supported by the emulator: its code is not in the module, or "
                    "its address comes from elsewhere", (int)(f->name.len > 60 ? 60 : f->name.len),
                    f->name.at);
        ks_emu_stop(warp->grid);
        return NULL;
    }
    if (same != *mask)
        split(warp, g, *mask & ~same, g->pc);
    *mask = same;
    return m->functions.at[number];
}

static void do_call(struct ks_emu_warp *warp, struct ks_emu_group *g, const struct ks_emu_inst *inst,
                    uint32_t mask)
{
    const uint32_t number = inst->call->function;
    const struct ks_emu_function *f = number == KS_EMU_NONE
                                          ? pick_callee(warp, g, inst, &mask)
                                          : warp->grid->module->functions.at[number];
    if (f == NULL)
        return;
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
    ks_emu_specials_set(warp, frame);
    for (uint32_t i = 0; i < inst->call->n_args; i++)
        copy_slot(frame->regs, (uint32_t)f->params.at[i].address, g->frame->regs,
                  inst->call->args[i], f->params.at[i].bytes, mask);
    g->frame = frame;
    g->pc = f->first;
}

static void do_exit(struct ks_emu_warp *warp, struct ks_emu_group *g, uint32_t mask)
{
    for (struct ks_emu_frame *f = g->frame, *up; f != NULL; f = up) {
        up = f->parent;
        ks_emu_frame_leave(warp, f, mask);
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
    ks_emu_frame_leave(warp, frame, mask);
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

// A lane must be one of those that it names (9.7.9.6, 9.7.13.2 and others: else undefined).
static bool outside(struct ks_emu_warp *warp, const struct ks_emu_inst *inst, uint32_t mask)
{
    const uint32_t *members = KS_EMU_REG(uint32_t, inst->e);
    for (uint32_t l = 0; l < KS_EMU_LANES; l++)
        if ((mask >> l & 1) != 0 && (members[l] >> l & 1) == 0) {
            ks_emu_find(warp, inst, l, KS_F_BARRIER_DIVERGENCE, 0, 0,
                        "lane %u is not one of the lanes that it names (0x%08x)", l, members[l]);
            return true;
        }
    return false;
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
        if (warp->grid->counter != NULL)
            ks_emu_count_divergence(warp, inst);
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
    case KS_EMU_WAIT:
        inst->run(warp, inst, mask);
        g->pc++;
        warp->rotate = warp->gives_way;
        return !warp->gives_way;
    case KS_EMU_WARP_SYNC:
        if (outside(warp, inst, mask)) {
            ks_emu_stop(warp->grid);
            return false;
        }
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
        ks_emu_find(warp, inst, (uint32_t)__builtin_ctz(mask), KS_F_TRAP, 0, 0, "%s",
                    inst->text != NULL ? inst->text : "trap instruction");
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
    const uint32_t given = *slice;
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
        executed += ks_emu_n_lanes(g->mask);
        if (grid->counter != NULL)
            ks_emu_count_inst(warp, inst, mask);
        --*slice;
        if (clocks) {
            grid->sequence++;
            ks_emu_specials_tick(warp);
        }
        if (inst->kind == KS_EMU_PLAIN) {
            if (warp->tainted)
                ks_emu_taint_step(warp, inst, g->mask, mask);
            else if (mask != 0)
                inst->run(warp, inst, mask);
            g->pc++;
        } else {
            if (warp->tainted)
                ks_emu_taint_step(warp, inst, g->mask, mask);
            on = special(warp, g, inst, mask);
        }
        if (on && g->pc >= limit)
            break;
        if (warp->n_groups == 1) {
            warp->turn = KS_EMU_TURN;
        } else if (--warp->turn == 0) {
            warp->turn = KS_EMU_TURN;
            warp->rotate = true;
            break;
        }
    }
    grid->executed += executed;
    grid->steps += given - *slice;
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
        if (warp->gives_way) {
            warp->gives_way = false;
            break;
        }
    }
    return any;
}
