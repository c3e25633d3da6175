// A map whose items are each done by a group of lanes: a part of a warp, a warp, or a block.
#include <string.h>

#include "engine/emit.h"
#include "engine/lanes.h"

struct work {
    struct ks_subject *s;
    const struct ks_options *options;
    struct ks_lanes lanes;
    int threads, groups; // a block's
    int width; // items of a block side by side, each with its lanes below it; 0: lanes side by side
    bool apart; // the guard says that arrays do not overlap
    const char *extent[3];
};

static enum ks_status choose(struct work *w, struct ks_buf *when, struct ks_buf *asserts,
                             struct ks_err *err)
{
    struct ks_subject *s = w->s;
    const struct ks_options *o = w->options;
    int lanes = o->lanes, threads = o->block[0];
    if (lanes > 32 && threads && threads != lanes && !w->width)
        KS_FAIL(err, KS_E_UNSUPPORTED, "the lanes are along x, and above 32 they are the block");
    if (w->width) {
        threads = w->width * lanes;
        if (s->map.n_tests > 0)
            KS_FAIL(err, KS_E_UNSUPPORTED, "line %d: items that leave early do not wait for others",
                    s->decl->line);
    } else if (threads == 0)
        threads = lanes > 128 ? lanes : 128;
    if (lanes > 32 && !w->width)
        threads = lanes;
    if (threads % 32 != 0 || threads % lanes != 0 || threads > 1024)
        KS_FAIL(err, KS_E_UNSUPPORTED, "line %d: a block of whole warps and groups is needed",
                s->decl->line);
    w->threads = threads;
    w->groups = w->width ? w->width : threads / lanes;
    for (int a = 0; a < 3; a++) {
        w->extent[a] = ks_emit_extent(s, a, when, asserts, err);
        if (!w->extent[a])
            return KS_E_UNSUPPORTED;
    }
    return KS_OK;
}

// Lanes side by side.
static void put_along(const struct work *w, struct ks_buf *out)
{
    const struct ks_map *m = &w->s->map;
    ks_buf_printf(out, "    const int opt_lane = threadIdx.x %% %d;\n", w->lanes.count);
    if (w->lanes.count < 32)
        ks_buf_printf(out,
                      "    const unsigned opt_mask = 0x%xu << (threadIdx.x %% 32 - opt_lane);\n",
                      (1u << w->lanes.count) - 1);
    for (int a = 2; a >= 0; a--) {
        const char *type = m->axis[a].wide ? "long long" : "unsigned";
        if (!m->axis[a].used)
            continue;
        if (a > 0)
            ks_buf_printf(out, "    const %s opt_%c = blockIdx.%c;\n", type, 'x' + a, 'x' + a);
        else if (w->groups > 1)
            ks_buf_printf(out, "    const %s opt_x = blockIdx.x * (%s)%d + threadIdx.x / %d;\n",
                          type, type, w->groups, w->lanes.count);
        else
            ks_buf_printf(out, "    const %s opt_x = blockIdx.x;\n", type);
        ks_buf_printf(out, "    if (opt_%c >= opt_end_%c)\n        return;\n", 'x' + a, 'x' + a);
    }
}

// Items side by side, the lanes of each below it: neighbours of a warp do neighbouring items.
static void put_across(const struct work *w, struct ks_buf *out)
{
    const struct ks_map *m = &w->s->map;
    ks_buf_puts(out, "    const int opt_lane = threadIdx.y;\n");
    for (int a = 2; a > 0; a--)
        if (m->axis[a].used)
            ks_buf_printf(out,
                          "    const %s opt_%c = blockIdx.%c;\n    if (opt_%c >= opt_end_%c)\n     "
                          "   return;\n",
                          m->axis[a].wide ? "long long" : "unsigned", 'x' + a, 'x' + a, 'x' + a,
                          'x' + a);
    const char *type = m->axis[0].wide ? "long long" : "unsigned";
    ks_buf_printf(
        out, "    const %s opt_first = blockIdx.x * (%s)%d, opt_own = opt_first + threadIdx.x;\n",
        type, type, w->width);
}

// Which threads have an item: those without one repeat the block's first, since all meet at
// barriers. A block whose first item is none goes on without lanes.
static void put_alone(const struct work *w, struct ks_buf *out)
{
    const char *type = w->s->map.axis[0].wide ? "long long" : "unsigned";
    char *item = ks_emit_item(w->s, &(struct ks_edit_list){0}, false, false, 8);
    const char *index = ks_emit_index(w->s, item);
    for (int i = 0; i < 2; i++) {
        ks_buf_printf(out,
                      "    bool opt_%s;\n    {\n        const %s opt_x = %s;\n        bool "
                      "opt_common = opt_x < opt_end_x;\n",
                      i ? "has" : "leads", type, i ? "opt_own" : "opt_first");
        ks_buf_printf(out, "%s        opt_%s = opt_common;\n    }\n",
                      w->s->map.n_bounds ? ks_emit_guard(w->s, 8) : "", i ? "has" : "leads");
    }
    ks_buf_printf(out,
                  "    if (!opt_leads) {\n        const %s opt_x = opt_own;\n"
                  "        if (opt_lane != 0 || !opt_has)\n            return;\n%s%s%s        "
                  "return;\n    }\n"
                  "    const bool opt_common = opt_has;\n"
                  "    const %s opt_x = opt_common ? opt_own : opt_first;\n",
                  type, *index ? "        " : "", index, item, type);
}

static void put_source(struct work *w, const char *asserts, struct ks_buf *out)
{
    struct ks_subject *s = w->s;
    const struct ks_map *m = &s->map;
    const char *threads = ks_arena_printf(s->arena, "%d", w->threads);
    ks_emit_instance(s, out);
    ks_buf_printf(out, "__global__ void %s%s_lanes(%s", ks_emit_bounds(s, w->options, threads),
                  s->decl->name, ks_emit_params(s, w->apart));
    for (int a = 0; a < 3; a++)
        if (m->axis[a].used)
            ks_buf_printf(out, ", %s opt_end_%c", m->axis[a].wide ? "long long" : "unsigned",
                          'x' + a);
    ks_buf_printf(out, ")\n{\n%s", asserts);
    if (w->width)
        put_across(w, out);
    else
        put_along(w, out);
    if (m->stride) { // what stands in front of the loop
        const struct ks_node *block = s->body.block;
        char *front = ks_edit_apply(s->arena, &m->edits, s->body.text, block->begin + 1,
                                    block->kid[block->n - 1]->begin);
        ks_buf_puts(out, ks_text_indent(s->arena, front, 4));
    }
    char *item = w->width ? ks_emit_bare(s, &w->lanes.edits, 4)
                          : ks_emit_item(s, &w->lanes.edits, false, true, 4);
    const char *index = ks_emit_index(s, item);
    if (w->width)
        put_alone(w, out);
    if (*index)
        ks_buf_printf(out, "    %s", index);
    ks_buf_printf(out, "%s}\n", item);
}

static enum ks_status build(const struct work *w, const char *source, struct ks_buf *when,
                            struct ks_proposal *proposal, struct ks_err *err)
{
    struct ks_subject *s = w->s;
    struct ks_arena *arena = s->arena;
    struct ks_plan_step step = {.kernel = ks_arena_printf(arena, "%s_lanes", s->decl->name)};
    const char **args = KS_NEW_ARRAY(arena, const char *, s->decl->n_params + 7);
    step.n_args = ks_emit_args(s, args);
    step.block[0] = ks_arena_printf(arena, "%d", w->width ? w->width : w->threads);
    if (w->width)
        step.block[1] = ks_arena_printf(arena, "%d", w->lanes.count);
    for (int a = 0; a < 3; a++) {
        if (!s->map.axis[a].used)
            continue;
        args[step.n_args++] = w->extent[a];
        step.grid[a] =
            a == 0 ? ks_arena_printf(arena, "max(1, ceildiv(%s, %d))", w->extent[a], w->groups)
                   : ks_arena_printf(arena, "max(1, %s)", w->extent[a]);
        ks_emit_when(when,
                     ks_arena_printf(arena, "%s <= %d", w->extent[a], a ? 65535 : 2147483647));
    }
    step.args = args;
    return ks_emit_plan(s, source, ks_buf_text(when), NULL, 0, &step, 1, proposal, err);
}

enum ks_status ks_emit_lanes(struct ks_subject *s, const struct ks_options *options,
                             struct ks_proposal *proposal, struct ks_err *err)
{
    struct ks_buf when = KS_BUF(1 << 15), asserts = KS_BUF(4096), source = KS_BUF(1 << 20);
    struct work w = {.s = s, .options = options};
    s->together = true;
    w.apart = ks_subject_apart(s) != NULL;
    w.width = !options->across ? 0 : options->block[0] ? options->block[0] : 32;
    enum ks_status status =
        ks_lanes_make(s, options->lanes, w.width, options->unroll, w.apart, &w.lanes, err);
    if (status != KS_OK)
        goto out;
    if (options->restrict_ || w.apart)
        KS_TRY_GOTO(ks_emit_apart(s, &when, err), out);
    ks_emit_when(&when, w.lanes.limits);
    KS_TRY_GOTO(choose(&w, &when, &asserts, err), out);
    put_source(&w, ks_buf_text(&asserts), &source);
    status = build(&w, ks_arena_strdup(s->arena, ks_buf_text(&source)), &when, proposal, err);
out:
    ks_buf_free(&when);
    ks_buf_free(&asserts);
    ks_buf_free(&source);
    return status;
}
