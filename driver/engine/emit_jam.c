// A map whose threads do several items each, with their loops jammed and what a block shares
// staged.
#include <string.h>

#include "engine/emit.h"
#include "engine/jam.h"

struct work {
    struct ks_subject *s;
    const struct ks_options *options;
    struct ks_jam jam;
    const char *extent[3], *body;
};

static enum ks_status choose(struct work *w, struct ks_buf *when, struct ks_buf *asserts,
                             struct ks_err *err)
{
    const struct ks_map *m = &w->s->map;
    const struct ks_options *o = w->options;
    struct ks_jam *jam = &w->jam;
    *jam = (struct ks_jam){.items = o->items ? o->items : 1,
                           .rows = o->rows ? o->rows : 1,
                           .unroll = o->unroll,
                           .tile = o->tile,
                           .near = o->near == 1,
                           .ahead = (enum ks_jam_ahead)o->ahead};
    if (jam->items * jam->rows == 1 && jam->tile == 0)
        KS_FAIL(err, KS_E_UNSUPPORTED, "from 2 to 64 items are jammed");
    for (int a = 0; a < 3; a++) {
        jam->block[a] = o->block[0]       ? o->block[a]
                        : a == 2          ? 1
                        : m->axis[1].used ? 16
                        : a == 0          ? 128
                                          : 1;
        if (!m->axis[a].used && jam->block[a] > 1)
            KS_FAIL(err, KS_E_UNSUPPORTED, "line %d: the kernel has no index in %c",
                    w->s->decl->line, 'x' + a);
        w->extent[a] = ks_emit_extent(w->s, a, when, asserts, err);
        if (!w->extent[a])
            return KS_E_UNSUPPORTED;
    }
    if (jam->block[2] > 1 || (jam->rows > 1 && !m->axis[1].used))
        KS_FAIL(err, KS_E_UNSUPPORTED, "line %d: the kernel has no rows, or the block is deep",
                w->s->decl->line);
    return ks_jam_text(w->s, jam, 8, (char **)&w->body, err);
}

static int steps(const struct work *w, int axis)
{
    return axis == 0 ? w->jam.items : axis == 1 ? w->jam.rows : 1;
}

// From one of a thread's items to the next.
static int apart(const struct work *w, int axis)
{
    return w->jam.near ? 1 : w->jam.block[axis];
}

static const char *type_of(const struct work *w, int axis)
{
    return w->s->map.axis[axis].wide ? "long long" : "unsigned";
}

// Numbers of all items, and whether all are inside: for one thread, or with tiles for the block.
static void put_numbers(struct work *w, struct ks_buf *out)
{
    const struct ks_map *m = &w->s->map;
    for (int a = 0; a < 3; a++) {
        char c = (char)('x' + a);
        if (!m->axis[a].used)
            continue;
        if (a == 2) {
            ks_buf_printf(
                out,
                "    const %s opt_z = blockIdx.z;\n    if (opt_z >= opt_end_z)\n        return;\n",
                type_of(w, a));
            continue;
        }
        ks_buf_printf(out, "    const %s opt_block_%c = blockIdx.%c * (%s)%d;\n", type_of(w, a), c,
                      c, type_of(w, a), w->jam.block[a] * steps(w, a));
        for (int i = 0; i < steps(w, a); i++)
            ks_buf_printf(out, "    const %s opt_%c%d = opt_block_%c + %s;\n", type_of(w, a), c, i, c,
                          ks_jam_number(w->s->arena, &w->jam, a, i));
    }
    ks_buf_printf(out, "    bool opt_common = opt_x%d < opt_end_x", w->jam.items - 1);
    if (m->axis[1].used)
        ks_buf_printf(out, " && opt_y%d < opt_end_y", w->jam.rows - 1);
    ks_buf_puts(out, ";\n");
    if (m->n_bounds + m->n_tests == 0 || (m->limit && m->n_tests == 0))
        return;
    ks_buf_printf(out,
                  "    _Pragma(\"unroll\") for (int opt_item = 0; opt_item < %d; opt_item++) {\n"
                  "        const %s opt_x = opt_x0 + opt_item %% %d * %d;\n",
                  w->jam.items * w->jam.rows, type_of(w, 0), w->jam.items, apart(w, 0));
    if (m->axis[1].used)
        ks_buf_printf(out, "        const %s opt_y = opt_y0 + opt_item / %d * %d;\n", type_of(w, 1),
                      w->jam.items, apart(w, 1));
    ks_buf_printf(out, "%s    }\n", ks_emit_guard(w->s, 8));
}

// Item by item, where not all are inside.
static void put_rest(struct work *w, struct ks_buf *out)
{
    const struct ks_map *m = &w->s->map;
    char *item = ks_emit_item(w->s, &(struct ks_edit_list){0}, true, false, 8);
    const char *index = ks_emit_index(w->s, item);
    ks_buf_printf(out,
                  "    _Pragma(\"unroll 1\") for (int opt_item = 0; opt_item < %d; opt_item++) {\n"
                  "        const %s opt_x = opt_x0 + opt_item %% %d * %d;\n",
                  w->jam.items * w->jam.rows, type_of(w, 0), w->jam.items, apart(w, 0));
    if (m->axis[1].used)
        ks_buf_printf(out, "        const %s opt_y = opt_y0 + opt_item / %d * %d;\n", type_of(w, 1),
                      w->jam.items, apart(w, 1));
    ks_buf_printf(out, "        if (opt_x >= opt_end_x%s)\n            continue;\n",
                  m->axis[1].used ? " || opt_y >= opt_end_y" : "");
    ks_buf_printf(out, "%s%s%s    }\n", *index ? "        " : "", index, item);
}

static void put_source(struct work *w, bool apart, const char *asserts, struct ks_buf *out)
{
    struct ks_subject *s = w->s;
    const struct ks_map *m = &s->map;
    const char *threads = ks_arena_printf(s->arena, "%d", w->jam.block[0] * w->jam.block[1]);
    ks_emit_instance(s, out);
    ks_buf_printf(out, "__global__ void %s%s_jam(%s", ks_emit_bounds(s, w->options, threads),
                  s->decl->name, ks_emit_params(s, apart));
    for (int a = 0; a < 3; a++)
        if (m->axis[a].used)
            ks_buf_printf(out, ", %s opt_end_%c", type_of(w, a), 'x' + a);
    ks_buf_printf(out, ")\n{\n%s%s", asserts, w->jam.shared);
    if (m->stride) { // what stands in front of the loop
        const struct ks_node *block = s->body.block;
        char *front = ks_edit_apply(s->arena, &m->edits, s->body.text, block->begin + 1,
                                    block->kid[block->n - 1]->begin);
        ks_buf_puts(out, ks_text_indent(s->arena, front, 4));
    }
    put_numbers(w, out);
    if (w->jam.tiled)
        ks_buf_printf(out,
                      "    if (__syncthreads_and(opt_common)) {\n        const int opt_thread = "
                      "threadIdx.x%s;\n",
                      m->axis[1].used
                          ? ks_arena_printf(s->arena, " + threadIdx.y * %d", w->jam.block[0])
                          : "");
    else
        ks_buf_puts(out, "    if (opt_common) {\n");
    ks_buf_printf(out, "%s        return;\n    }\n", w->body);
    put_rest(w, out);
    ks_buf_puts(out, "}\n");
}

static enum ks_status build(const struct work *w, const char *source, struct ks_buf *when,
                            struct ks_proposal *proposal, struct ks_err *err)
{
    struct ks_subject *s = w->s;
    struct ks_arena *arena = s->arena;
    struct ks_plan_step step = {.kernel = ks_arena_printf(arena, "%s_jam", s->decl->name)};
    const char **args = KS_NEW_ARRAY(arena, const char *, s->decl->n_params + 7);
    step.n_args = ks_emit_args(s, args);
    for (int a = 0; a < 3; a++) {
        int tile = w->jam.block[a] * steps(w, a);
        step.block[a] = ks_arena_printf(arena, "%d", w->jam.block[a]);
        if (!s->map.axis[a].used)
            continue;
        args[step.n_args++] = w->extent[a];
        step.grid[a] = ks_arena_printf(arena, "max(1, ceildiv(%s, %d))", w->extent[a], tile);
        ks_emit_when(when,
                     a ? ks_arena_printf(arena, "ceildiv(%s, %d) <= 65535", w->extent[a], tile)
                       : ks_arena_printf(arena, "%s <= 2147483647", w->extent[a]));
    }
    step.args = args;
    return ks_emit_plan(s, source, ks_buf_text(when), NULL, 0, &step, 1, proposal, err);
}

enum ks_status ks_emit_jam(struct ks_subject *s, const struct ks_options *options,
                           struct ks_proposal *proposal, struct ks_err *err)
{
    struct ks_buf when = KS_BUF(1 << 15), asserts = KS_BUF(4096), source = KS_BUF(1 << 20);
    struct work w = {.s = s, .options = options};
    bool apart = options->restrict_ || options->tile;
    enum ks_status status = choose(&w, &when, &asserts, err);
    if (status != KS_OK)
        goto out;
    if (apart) // tiles are read once for what the original reads again and again
        KS_TRY_GOTO(ks_emit_apart(s, &when, err), out);
    ks_emit_when(&when, w.jam.limits);
    put_source(&w, apart, ks_buf_text(&asserts), &source);
    status = build(&w, ks_arena_strdup(s->arena, ks_buf_text(&source)), &when, proposal, err);
    if (status == KS_OK && w.jam.ahead == KS_JAM_COPIES) {
        static const char *pipeline[] = {"cuda_pipeline.h"};
        proposal->includes = pipeline;
        proposal->n_includes = 1;
    }
out:
    ks_buf_free(&when);
    ks_buf_free(&asserts);
    ks_buf_free(&source);
    return status;
}
