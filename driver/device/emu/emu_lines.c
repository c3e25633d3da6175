// Costs by line of the user's text, for people who look for the dear ones.
#include <stdlib.h>

#include "device/emu/emu_count.h"
#include "device/emu/emu_state.h"

static struct ks_emu_line *line_of(struct ks_emu *emu, const char *file, uint32_t line)
{
    ks_vec_each(struct ks_emu_line, l, &emu->lines)
        if (l->line == line && (l->file == file || (l->file != NULL && file != NULL &&
                                                    strcmp(l->file, file) == 0)))
            return l;
    struct ks_emu_line *l = ks_vec_push(&emu->arena, &emu->lines);
    *l = (struct ks_emu_line){.file = file, .line = line};
    return l;
}

static int by_cost(const void *a, const void *b)
{
    const struct ks_emu_line *x = a, *y = b;
    uint64_t p = x->insts + x->sectors + x->shared, q = y->insts + y->sectors + y->shared;
    return p != q ? (p < q ? 1 : -1) : x->line < y->line ? -1 : x->line > y->line;
}

void ks_emu_lines_add(struct ks_emu *emu, const struct ks_emu_grid *grid)
{
    for (size_t i = 0; i < grid->module->code.len; i++) {
        const struct ks_emu_tally *t = &grid->counter->at[i];
        const struct ks_emu_inst *inst = &grid->module->code.at[i];
        if (t->warps == 0)
            continue;
        const char *file = ks_emu_file(grid->module, inst->source);
        struct ks_emu_line *l =
            line_of(emu, file, file != NULL ? inst->source & 0xfffff : inst->line);
        l->insts += t->warps;
        l->lanes += t->lanes;
        l->collisions += t->collisions;
        if (t->sectors > 0) {
            l->requests += t->requests;
            l->sectors += t->sectors;
            l->bytes += t->bytes;
        } else {
            l->shared += t->wavefronts;
            l->conflicts += t->conflicts;
        }
    }
    if (emu->lines.len > 0)
        qsort(emu->lines.at, emu->lines.len, sizeof *emu->lines.at, by_cost);
}

const struct ks_counts *ks_emu_device_counts(const struct ks_device *device)
{
    return &((struct ks_emu *)device->self)->counts;
}

size_t ks_emu_device_lines(const struct ks_device *device, const struct ks_emu_line **lines)
{
    const struct ks_emu *emu = device->self;
    *lines = emu->lines.at;
    return emu->lines.len;
}

json_t *ks_emu_device_lines_json(const struct ks_device *device)
{
    const struct ks_emu *emu = device->self;
    json_t *list = json_array();
    ks_vec_each(const struct ks_emu_line, l, &emu->lines) {
        json_t *row = json_pack("{s:i,s:I,s:I,s:I,s:I,s:I,s:I,s:I,s:I}", "line", (int)l->line,
                                "warp_instructions", (json_int_t)l->insts, "thread_instructions",
                                (json_int_t)l->lanes, "requests", (json_int_t)l->requests, "sectors",
                                (json_int_t)l->sectors, "bytes", (json_int_t)l->bytes,
                                "shared_wavefronts", (json_int_t)l->shared, "bank_conflicts",
                                (json_int_t)l->conflicts, "collisions", (json_int_t)l->collisions);
        json_object_set_new(row, "file", l->file != NULL ? json_string(l->file) : json_null());
        json_array_append_new(list, row);
    }
    return list;
}
