// A map under another launch geometry: block shape, items a thread in x, rows a thread in y, or so many blocks in all
// whose threads go on in steps of the grid.
#include <string.h>

#include "engine/emit.h"
#include "engine/halo.h"

static const char *const names[] = {"opt_x", "opt_y", "opt_z"};

struct shape {
    int block[3], items, rows, blocks; // blocks 0: as many as there is to do
    const char *extent[3]; // plan text
    int axes;              // how many are used, counted from x
    int numbers[3];        // a block's, along each axis
    struct ks_halo halo;
    size_t *counted, n_counted; // arrays with tiles
};

static enum ks_status choose(struct ks_subject *s, const struct ks_options *options,
                             struct shape *shape, struct ks_buf *when, struct ks_buf *asserts,
                             struct ks_err *err)
{
    bool flat = !s->map.axis[1].used && !s->map.axis[2].used;
    *shape = (struct shape){.items = options->items ? options->items : 1,
                            .rows = options->rows ? options->rows : 1, .blocks = options->blocks};
    for (int a = 0; a < 3; a++) {
        shape->block[a] = options->block[0] ? options->block[a]
                          : flat            ? (a ? 1 : 256)
                                            : (a == 0   ? 32
                                               : a == 1 ? 8
                                                        : 1);
        if (s->map.axis[a].used)
            shape->axes = a + 1;
        else if (shape->block[a] > 1)
            KS_FAIL(err, KS_E_UNSUPPORTED, "line %d: the kernel has no index in %c", s->decl->line,
                    'x' + a);
    }
    if (shape->rows > 1 && !s->map.axis[1].used)
        KS_FAIL(err, KS_E_UNSUPPORTED, "line %d: the kernel has no rows (no index in y)",
                s->decl->line);
    if ((shape->items * shape->rows > 1 || shape->blocks) && s->map.deep_return)
        KS_FAIL(err, KS_E_UNSUPPORTED, "line %d: return inside a loop", s->map.deep_return->line);
    for (int a = 0; a < 3; a++) {
        shape->extent[a] = ks_emit_extent(s, a, when, asserts, err);
        if (!shape->extent[a])
            return KS_E_UNSUPPORTED;
        shape->numbers[a] = shape->block[a] * (a == 0 ? shape->items : a == 1 ? shape->rows : 1);
    }
    if (!options->halo)
        return KS_OK;
    KS_TRY(ks_halo_find(s, &shape->halo, err));
    shape->counted = KS_NEW_ARRAY(s->arena, size_t, s->decl->n_params);
    shape->n_counted = ks_halo_counts(s, &shape->halo, shape->counted);
    return ks_halo_shape(s, &shape->halo, shape->block, shape->numbers, err);
}

// Whether the guard or a test, or a later declaration that they need, uses a variable of front
// declaration `at`.
static bool guard_needs(const struct ks_subject *s, size_t at)
{
    const struct ks_map *m = &s->map;
    for (size_t v = 0; v < m->front[at]->n; v++) {
        const char *name = m->front[at]->kid[v]->text;
        for (size_t i = 0; i < m->n_bounds; i++)
            if (ks_node_mentions(m->bounds[i].expr, name))
                return true;
        for (size_t i = 0; i < m->n_tests; i++)
            if (ks_node_mentions(m->tests[i].expr, name))
                return true;
        for (size_t i = at + 1; i < m->n_front; i++)
            if (ks_node_mentions(m->front[i], name) && guard_needs(s, i))
                return true;
    }
    return false;
}

static void put_conditions(const struct ks_subject *s, const struct ks_map_bound *bounds, size_t n,
                           struct ks_buf *out)
{
    for (size_t i = 0; i < n; i++)
        ks_buf_printf(out, " && %s(%s)", bounds[i].negated ? "!" : "",
                      ks_edit_apply(s->arena, &s->map.edits, s->body.text, bounds[i].expr->begin,
                                    bounds[i].expr->end));
}

char *ks_emit_guard(const struct ks_subject *s, int indent)
{
    struct ks_buf buf = KS_BUF(1 << 16);
    for (size_t i = 0; i < s->map.n_front; i++)
        if (guard_needs(s, i))
            ks_buf_puts(&buf,
                        ks_text_indent(s->arena,
                                       ks_edit_apply(s->arena, &s->map.edits, s->body.text,
                                                     s->map.front[i]->begin, s->map.front[i]->end),
                                       indent));
    ks_buf_printf(&buf, "%*sopt_common = opt_common", indent, "");
    put_conditions(s, s->map.bounds, s->map.n_bounds, &buf);
    put_conditions(s, s->map.tests, s->map.n_tests, &buf);
    ks_buf_puts(&buf, ";\n");
    char *text = ks_arena_strdup(s->arena, ks_buf_text(&buf));
    ks_buf_free(&buf);
    return text;
}

char *ks_emit_bare(const struct ks_subject *s, const struct ks_edit_list *extra, int indent)
{
    struct ks_edit_list all = {0};
    const struct ks_edit_list *lists[] = {&s->map.edits, extra, &s->map.to_continue, &s->map.strip,
                                          &s->map.common};
    for (size_t k = 0; k < sizeof lists / sizeof *lists; k++)
        for (size_t i = 0; i < lists[k]->len; i++)
            ks_edit_add(s->arena, &all, lists[k]->at[i].begin, lists[k]->at[i].end,
                        lists[k]->at[i].text);
    return ks_text_indent(
        s->arena, ks_edit_apply(s->arena, &all, s->body.text, s->map.begin, s->map.end), indent);
}

// One of a thread's items of a patch, in loops of their own: where in the text they begin and end.
static void put_patch(const struct ks_subject *s, const struct shape *shape, const char *body, int indent,
                      struct ks_buf *out)
{
    const char *x = s->map.axis[0].wide ? "long long" : "unsigned",
               *y = s->map.axis[1].wide ? "long long" : "unsigned";
    ks_buf_printf(out,
                  "%*s_Pragma(\"unroll\") for (int opt_row = 0; opt_row < %d; opt_row++) {\n"
                  "%*s    const %s opt_y = opt_first_y + opt_row;\n",
                  indent, "", shape->rows, indent, "", y);
    if (shape->items > 1)
        ks_buf_printf(out,
                      "%*s    _Pragma(\"unroll\") for (int opt_item = 0; opt_item < %d; opt_item++) {\n"
                      "%*s    const %s opt_x = opt_first_x + opt_item * %d;\n",
                      indent, "", shape->items, indent, "", x, shape->block[0]);
    ks_buf_printf(out, "%s%*s%s}\n", body, indent, "", shape->items > 1 ? "} " : "");
}

// Rows in y, and with items a patch: where guard and tests say the same for all of it, they are left
// behind at once, so that loads of neighbours can be shared and stand in flight together.
static void put_rows(struct ks_subject *s, const struct shape *shape,
                     const struct ks_edit_list *extra, struct ks_buf *out)
{
    const char *x = s->map.axis[0].wide ? "long long" : "unsigned",
               *y = s->map.axis[1].wide ? "long long" : "unsigned";
    bool patch = shape->items > 1;
    if (patch)
        ks_buf_printf(out, "    const %s opt_first_x = blockIdx.x * (%s)%d + threadIdx.x;\n", x, x,
                      shape->block[0] * shape->items);
    ks_buf_printf(out,
                  "    const %s opt_first_y = (blockIdx.y * %d + threadIdx.y) * %d;\n"
                  "    bool opt_common = opt_first_y + %d <= opt_end_y",
                  y, shape->block[1], shape->rows, shape->rows);
    if (patch)
        ks_buf_printf(out, " && opt_first_x + %d < opt_end_x", shape->block[0] * (shape->items - 1));
    ks_buf_puts(out, ";\n");
    if (s->map.n_bounds + s->map.n_tests > 0)
        put_patch(s, shape, ks_emit_guard(s, 8), 4, out);
    ks_buf_puts(out, "    if (opt_common) {\n");
    put_patch(s, shape, ks_emit_bare(s, extra, 12), 8, out);
    ks_buf_printf(out,
                  "        return;\n    }\n"
                  "    for (int opt_row = 0; opt_row < %d; opt_row++) {\n"
                  "        const %s opt_y = opt_first_y + opt_row;\n"
                  "        if (opt_y >= opt_end_y)\n            return;\n",
                  shape->rows, y);
    if (patch)
        ks_buf_printf(out,
                      "        for (int opt_item = 0; opt_item < %d; opt_item++) {\n"
                      "            const %s opt_x = opt_first_x + opt_item * %d;\n"
                      "            if (opt_x >= opt_end_x)\n                break;\n",
                      shape->items, x, shape->block[0]);
    ks_buf_printf(out, "%s%s    }\n", ks_emit_item(s, extra, true, false, patch ? 12 : 8),
                  patch ? "        }\n" : "");
}

static void put_items(struct ks_subject *s, const struct shape *shape,
                      const struct ks_edit_list *extra, struct ks_buf *out)
{
    const char *type = s->map.axis[0].wide ? "long long" : "unsigned";
    char *item = ks_emit_item(s, extra, true, true, 12);
    const char *index = ks_emit_index(s, item);
    ks_buf_printf(
        out,
        "    const %s opt_first_x = blockIdx.x * (%s)%d + threadIdx.x;\n"
        "    if (opt_first_x + %d < opt_end_x) { // all of this thread's items\n"
        "        _Pragma(\"unroll\") for (int opt_item = 0; opt_item < %d; opt_item++) {\n"
        "            const %s opt_x = opt_first_x + opt_item * %d;\n",
        type, type, shape->block[0] * shape->items, shape->block[0] * (shape->items - 1),
        shape->items, type, shape->block[0]);
    if (*index)
        ks_buf_printf(out, "            %s", index);
    ks_buf_printf(out,
                  "%s        }\n        return;\n    }\n"
                  "    for (%s opt_x = opt_first_x; opt_x < opt_end_x; opt_x += %d) {\n",
                  item, type, shape->block[0]);
    if (*index)
        ks_buf_printf(out, "        %s", index);
    ks_buf_printf(out, "%s    }\n", ks_emit_item(s, extra, true, true, 8));
}

// Neither type overflows: an extent that is not wide stays below 2^31, and a grid's step below 2^22.
static void put_strided(struct ks_subject *s, const struct shape *shape, const struct ks_edit_list *extra,
                        struct ks_buf *out)
{
    const char *type = s->map.axis[0].wide ? "long long" : "unsigned";
    char *item = ks_emit_item(s, extra, true, true, 8);
    const char *index = ks_emit_index(s, item);
    ks_buf_printf(out,
                  "    for (%s opt_x = blockIdx.x * (%s)%d + threadIdx.x; opt_x < opt_end_x;\n"
                  "         opt_x += gridDim.x * (%s)%d) {\n",
                  type, type, shape->block[0], type, shape->block[0]);
    if (*index)
        ks_buf_printf(out, "        %s", index);
    ks_buf_printf(out, "%s    }\n", item);
}

static void put_single(struct ks_subject *s, const struct ks_edit_list *extra, struct ks_buf *out)
{
    char *item = ks_emit_item(s, extra, false, true, 4);
    const char *index = ks_emit_index(s, item);
    if (*index)
        ks_buf_printf(out, "    %s", index);
    ks_buf_puts(out, item);
}

static void put_source(struct ks_subject *s, const struct ks_options *options,
                       const struct shape *shape, const struct ks_edit_list *extra,
                       const char *asserts, struct ks_buf *out)
{
    ks_emit_instance(s, out);
    const char *threads =
        ks_arena_printf(s->arena, "%d", shape->block[0] * shape->block[1] * shape->block[2]);
    ks_buf_printf(out, "__global__ void %s%s_map(%s", ks_emit_bounds(s, options, threads),
                  s->decl->name, ks_emit_params(s, options->restrict_ || options->halo));
    for (int a = 0; a < shape->axes; a++)
        if (s->map.axis[a].used)
            ks_buf_printf(out, ", %s opt_end_%c", s->map.axis[a].wide ? "long long" : "unsigned",
                          'x' + a);
    for (size_t i = 0; i < shape->n_counted; i++)
        ks_buf_printf(out, ", unsigned opt_count%zu", shape->counted[i]);
    ks_buf_printf(out, ")\n{\n%s", asserts);
    if (shape->halo.n_patches > 0)
        ks_buf_puts(out, ks_halo_front(s, &shape->halo, shape->block, shape->numbers));
    bool items = shape->items > 1, rows = shape->rows > 1;
    for (int a = shape->axes - 1; a >= 0; a--) {
        const char *type = s->map.axis[a].wide ? "long long" : "unsigned";
        if (!s->map.axis[a].used || (a == 0 && (items || shape->blocks)) || (a == 1 && rows))
            continue;
        ks_buf_printf(out,
                      "    const %s %s = blockIdx.%c * (%s)%d + threadIdx.%c;\n"
                      "    if (%s >= opt_end_%c)\n        return;\n",
                      type, names[a], 'x' + a, type, shape->block[a], 'x' + a, names[a], 'x' + a);
    }
    if (s->map.stride) { // what stands in front of the loop
        const struct ks_node *block = s->body.block;
        char *front = ks_edit_apply(s->arena, &s->map.edits, s->body.text, block->begin + 1,
                                    block->kid[block->n - 1]->begin);
        ks_buf_puts(out, ks_text_indent(s->arena, front, 4));
    }
    if (rows)
        put_rows(s, shape, extra, out);
    else if (items)
        put_items(s, shape, extra, out);
    else if (shape->blocks)
        put_strided(s, shape, extra, out);
    else
        put_single(s, extra, out);
    ks_buf_puts(out, "}\n");
}

static enum ks_status build(struct ks_subject *s, const struct shape *shape, const char *source,
                            struct ks_buf *when, struct ks_proposal *proposal, struct ks_err *err)
{
    struct ks_plan_step step = {.kernel = ks_arena_printf(s->arena, "%s_map", s->decl->name)};
    const char **args = KS_NEW_ARRAY(s->arena, const char *, 2 * s->decl->n_params + 7);
    step.n_args = ks_emit_args(s, args);
    for (int a = 0; a < shape->axes; a++) {
        int tile = shape->numbers[a];
        step.block[a] = ks_arena_printf(s->arena, "%d", shape->block[a]);
        if (!s->map.axis[a].used)
            continue;
        args[step.n_args++] = shape->extent[a];
        step.grid[a] = ks_arena_printf(s->arena, "max(1, ceildiv(%s, %d))", shape->extent[a], tile);
        if (shape->blocks)
            step.grid[a] = ks_arena_printf(s->arena, "min(%s, %d)", step.grid[a], shape->blocks);
        if (a > 0) // the hardware's limit in y and z
            ks_emit_when(when, ks_arena_printf(s->arena, "ceildiv(%s, %d) <= 65535",
                                               shape->extent[a], tile));
    }
    for (size_t i = 0; i < shape->n_counted; i++) {
        const char *count = args[step.n_args++] = ks_halo_count(s, shape->counted[i]);
        ks_emit_when(when, ks_arena_printf(s->arena, "%s <= 2147483647", count));
    }
    step.args = args;
    return ks_emit_plan(s, source, ks_buf_text(when), NULL, 0, &step, 1, proposal, err);
}

enum ks_status ks_emit_map(struct ks_subject *s, const struct ks_options *options,
                           struct ks_proposal *proposal, struct ks_err *err)
{
    struct ks_buf when = KS_BUF(1 << 15), asserts = KS_BUF(4096), source = KS_BUF(1 << 20);
    struct ks_edit_list extra = {0};
    struct shape shape;
    enum ks_status status;
    if (options->restrict_ || options->halo) // an array of which tiles are copies is written by no other name
        KS_TRY_GOTO(ks_emit_apart(s, &when, err), out);
    KS_TRY_GOTO(choose(s, options, &shape, &when, &asserts, err), out);
    if (options->unroll)
        KS_TRY_GOTO(ks_emit_unroll(s, options->unroll, &extra, err), out);
    ks_halo_edits(s, &shape.halo, &extra);
    put_source(s, options, &shape, &extra, ks_buf_text(&asserts), &source);
    status =
        build(s, &shape, ks_arena_strdup(s->arena, ks_buf_text(&source)), &when, proposal, err);
out:
    ks_buf_free(&when);
    ks_buf_free(&asserts);
    ks_buf_free(&source);
    return status;
}
