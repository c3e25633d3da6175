// Activations of functions: registers, local memory, special registers (PTX ISA 5.1.5, 10).

#include <stdlib.h>

#include "device/emu/emu_alu.h"
#include "device/emu/emu_taint.h"

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
    if (frame->undefined != NULL)
        memset(frame->undefined, 0, (function->frame_bytes / 4 + 1) * sizeof *frame->undefined);
    if (stride > 0)
        memset(frame->local_known, 0, stride * KS_EMU_LANES / 8);
    fill_locals(frame);
    return frame;
}

void ks_emu_frame_recycle(struct ks_emu_warp *warp, struct ks_emu_frame *frame)
{
    frame->parent = warp->free_frames;
    warp->free_frames = frame;
}

void ks_emu_frame_leave(struct ks_emu_warp *warp, struct ks_emu_frame *frame, uint32_t lanes)
{
    frame->lanes &= ~lanes;
    if (frame->lanes == 0)
        ks_emu_frame_recycle(warp, frame);
}

static void move_registers(struct ks_emu_frame *to, const struct ks_emu_frame *from, uint32_t lanes)
{
    const struct ks_emu_function *f = to->function;
    for (uint32_t i = 0; i < f->n_lane_data; i++) {
        const struct ks_emu_lane_data *data = &f->lane_data[i];
        uint32_t at = data->offset;
        for (uint32_t k = 0; k < data->count; k++, at += data->width == 0 ? 4 : data->width * KS_EMU_LANES)
            for (uint32_t l = 0; l < KS_EMU_LANES && data->width > 0; l++)
                if ((lanes >> l & 1) != 0)
                    memcpy(to->regs + at + l * data->width, from->regs + at + l * data->width, data->width);
        for (uint32_t k = 0; k < data->count && data->width == 0; k++) {
            uint32_t *bits = (uint32_t *)(void *)(to->regs + data->offset) + k;
            const uint32_t *others = (const uint32_t *)(const void *)(from->regs + data->offset) + k;
            *bits = (*bits & ~lanes) | (*others & lanes);
        }
    }
}

static void move_local(struct ks_emu_frame *to, const struct ks_emu_frame *from, uint32_t lanes)
{
    uint64_t stride = (to->function->local_bytes + 15) & ~UINT64_C(15);
    for (uint32_t l = 0; l < KS_EMU_LANES && stride > 0; l++)
        if ((lanes >> l & 1) != 0) {
            memcpy(to->local + l * stride, from->local + l * stride, stride);
            memcpy(to->local_known + l * stride / 8, from->local_known + l * stride / 8, stride / 8);
        }
}

bool ks_emu_frame_join(struct ks_emu_warp *warp, struct ks_emu_frame *to, struct ks_emu_frame *from, uint32_t lanes)
{
    if (to == from)
        return true;
    if (to == NULL || from == NULL || to->function != from->function || to->call != from->call ||
        to->return_pc != from->return_pc || !ks_emu_frame_join(warp, to->parent, from->parent, lanes))
        return false;
    move_registers(to, from, lanes);
    move_local(to, from, lanes); // its addresses go by depth, which is the same
    ks_emu_taint_move(to, from, lanes);
    to->lanes |= lanes;
    ks_emu_frame_leave(warp, from, lanes);
    return true;
}

static void free_frame(struct ks_emu_frame *frame)
{
    free(frame->regs);
    free(frame->local);
    free(frame->local_known);
    free(frame->undefined);
    free(frame->cause);
    free(frame);
}

void ks_emu_warp_free(struct ks_emu_warp *warp)
{
    for (unsigned i = 0; i < warp->n_groups; i++) // a stopped grid: frames still in use
        for (struct ks_emu_frame *f = warp->groups[i].frame, *up; f != NULL; f = up) {
            up = f->parent;
            f->lanes &= ~warp->groups[i].mask;
            if (f->lanes == 0)
                ks_emu_frame_recycle(warp, f);
        }
    warp->n_groups = 0;
    while (warp->free_frames != NULL) {
        struct ks_emu_frame *next = warp->free_frames->parent;
        free_frame(warp->free_frames);
        warp->free_frames = next;
    }
    ks_emu_taint_free(warp);
    free(warp->copies);
    free(warp->products);
    warp->copies = NULL;
    warp->products = NULL;
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

void ks_emu_specials_set(struct ks_emu_warp *warp, struct ks_emu_frame *frame)
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
void ks_emu_specials_tick(struct ks_emu_warp *warp)
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
    warp->turn = KS_EMU_TURN;
    warp->n_copies = warp->n_products = warp->asking = 0;
    warp->copies_begun = warp->product_batch = 0;
    warp->gives_way = warp->tainted = false;
    warp->n_causes = 0;
    warp->missed = warp->copies_missed = false;
    memset(warp->batch, 0, sizeof warp->batch);
    memset(warp->recent, 0, sizeof warp->recent);
    struct ks_emu_frame *frame = ks_emu_frame_make(warp, block->grid->entry, NULL, warp->alive);
    ks_emu_specials_set(warp, frame);
    warp->frame = frame;
    warp->n_groups = 1;
    warp->groups[0] = (struct ks_emu_group){.mask = warp->alive, .frame = frame,
                                            .pc = block->grid->entry->first};
}
