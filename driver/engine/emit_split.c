// A map in two launches: the turns of an item's first loop are dealt out to blocks, each of which
// leaves its part of the sums in a workspace; a second launch joins them and goes on behind the
// loop.
#include <string.h>

#include "engine/emit.h"
#include "engine/placed.h"

enum { MOST_PARTS = 4 };

struct part { // a variable that the loop leaves
    const char *name, *type;
    size_t bytes;
};

struct work {
    struct ks_subject *s;
    const struct ks_options *options;
    struct ks_loop loop;
    const struct ks_node *last; // of the item's statements
    struct ks_affine env; // in front of the loop
    struct part part[MOST_PARTS]; // of the reductions, each with its place behind it
    size_t n_parts;
    const char *extent[3], *items; // plan text
    int threads;
};

static enum ks_status refuse(const struct ks_node *at, const char *why, struct ks_err *err)
{
    return ks_err_set(err, KS_E_UNSUPPORTED, "line %d: %s", at->line, why);
}

struct stores {
    const struct ks_affine *env;
    const struct ks_kernel_decl *decl;
    const struct ks_node *found;
};

static bool visit_stores(void *context, struct ks_node *node)
{
    struct stores *w = context;
    bool writes = node->kind == KS_N_ASSIGN || node->kind == KS_N_POSTFIX ||
                  (node->kind == KS_N_UNARY && strlen(node->text) == 2);
    if (writes && ks_place_of(w->env, w->decl, node->kid[0]).base != KS_PLACE_LOCAL)
        w->found = node;
    if (node->kind == KS_N_CALL &&
        (node->kid[0]->kind != KS_N_NAME || !ks_function_is_pure(node->kid[0]->text)))
        w->found = node;
    return !w->found;
}

// The first loop, and that nothing in front of it leaves a trace, as both launches do that.
static enum ks_status find(struct work *w, struct ks_err *err)
{
    struct ks_subject *s = w->s;
    const struct ks_map *m = &s->map;
    struct ks_node *found = NULL;
    if (m->stride || m->axis[2].used)
        KS_FAIL(err, KS_E_UNSUPPORTED, "line %d: a grid-stride loop, or an index in z",
                s->decl->line);
    ks_affine_begin(s->arena, s->body.block, &w->env);
    for (size_t i = 0; i < m->n_front; i++)
        if (m->front[i]->begin < m->item_begin)
            ks_loop_declare(&w->env, m->front[i]);
    for (size_t i = 0; i < m->n_item && !found; i++) {
        struct stores stores = {&w->env, s->decl, NULL};
        if (ks_node_is_loop(m->item[i])) {
            found = m->item[i];
            break;
        }
        ks_node_walk(m->item[i], visit_stores, &stores);
        if (stores.found)
            return refuse(stores.found, "a store or a call in front of the loop", err);
        if (ks_node_find(m->item[i], KS_N_RETURN, NULL))
            return refuse(m->item[i], "return behind the guard", err);
        if (m->item[i]->kind == KS_N_DECL)
            ks_loop_declare(&w->env, m->item[i]);
    }
    if (!found)
        KS_FAIL(err, KS_E_UNSUPPORTED, "line %d: the item has no loop at its top", s->decl->line);
    ks_loop_read_placed(s->arena, s->decl, &s->body, &w->env, found, &w->loop);
    if (w->loop.why)
        KS_FAIL(err, KS_E_UNSUPPORTED, "%s", w->loop.why);
    if (w->loop.stores || w->loop.n_reductions == 0 || !w->loop.start)
        return refuse(found, "the loop stores, or reduces nothing", err);
    w->last = m->item[m->n_item - 1];
    return KS_OK;
}

static enum ks_status add_part(struct work *w, const char *name, struct ks_err *err)
{
    const struct ks_node *decl = ks_loop_declaration(w->s->body.block, name, w->loop.node->begin);
    struct ks_type type = ks_type_parse(w->s->arena, ks_slice_of(decl->text));
    if (type.elem.lanes != 1 || type.elem.size == 0)
        return refuse(decl, "the type of what is reduced is not known", err);
    if (w->n_parts == MOST_PARTS)
        return refuse(w->loop.node, "the loop leaves more than four values", err);
    w->part[w->n_parts++] = (struct part){name, ks_scalar_c_name(type.elem.scalar), type.elem.size};
    return KS_OK;
}

static enum ks_status type_all(struct work *w, struct ks_err *err)
{
    const struct ks_loop *l = &w->loop;
    for (size_t i = 0; i < l->n_reductions; i++) {
        const struct ks_reduction *r = &l->reductions[i];
        const char *why = r->place ? ks_placed_why_not(w->s, &w->env, l, r) : NULL;
        if (why)
            return refuse(l->node, why, err);
        KS_TRY(add_part(w, r->name, err));
        if (r->place)
            KS_TRY(add_part(w, r->place, err));
    }
    return KS_OK;
}

// The item of the first launch: a share of the loop, and its results left behind.
static void first_edits(const struct work *w, struct ks_edit_list *edits)
{
    struct ks_arena *arena = w->s->arena;
    const struct ks_loop *l = &w->loop;
    size_t at = ks_node_front(&w->s->body, l->node);
    const char *front = "{ ", *behind = "", *sign = l->down ? "-" : "+";
    for (size_t i = 0; i < l->n_reductions; i++) {
        const struct ks_reduction *r = &l->reductions[i];
        if (r->identity)
            front = ks_arena_printf(arena, "%sif (opt_lane != 0) %s = %s; ", front, r->name,
                                    r->identity);
    }
    for (size_t i = 0; i < w->n_parts; i++)
        behind = ks_arena_printf(arena, "%s\n    opt_part%zu[opt_lane * opt_items + opt_id] = %s;",
                                 behind, i, w->part[i].name);
    if (w->options->unroll && at == l->node->begin)
        front = ks_arena_printf(
            arena, w->options->unroll < 0 ? "%s_Pragma(\"unroll\") " : "%s_Pragma(\"unroll %d\") ",
            front, w->options->unroll);
    ks_edit_add(arena, edits, at, at, front);
    ks_edit_add(arena, edits, l->start->begin, l->start->begin, "(");
    ks_edit_add(arena, edits, l->start->end, l->start->end,
                ks_arena_printf(arena, ") %s opt_lane * (%s)", sign, l->by));
    ks_edit_add(arena, edits, l->step->begin, l->step->end,
                ks_arena_printf(arena, "%s %s= %d * (%s)", l->var, sign, w->options->split, l->by));
    ks_edit_add(arena, edits, l->node->end, l->node->end, ks_arena_printf(arena, "%s }", behind));
    ks_edit_add(arena, edits, l->node->end, w->last->end, "");
}

// The item of the second: the parts in place of the loop.
static void second_edits(const struct work *w, struct ks_edit_list *edits)
{
    struct ks_arena *arena = w->s->arena;
    const struct ks_loop *l = &w->loop;
    const char *text = "{ ";
    for (size_t i = 0; i < w->n_parts; i++)
        text = ks_arena_printf(arena, "%s%s = opt_part%zu[opt_id];\n    ", text, w->part[i].name, i);
    for (size_t i = 0, p = 0; i < l->n_reductions; i++, p++) {
        const struct ks_reduction *r = &l->reductions[i];
        const char *others =
            ks_arena_printf(arena, "const %s opt_other = opt_part%zu[opt_i * opt_items + opt_id]; ", w->part[p].type, p);
        if (r->place) {
            p++;
            others = ks_arena_printf(arena, "%sconst %s opt_place = opt_part%zu[opt_i * opt_items + opt_id]; ", others,
                                     w->part[p].type, p);
        }
        const char *meet =
            r->place ? ks_placed_meet(arena, r)
                     : ks_arena_printf(arena, "%s = %s;", r->name, ks_reduction_text(arena, r, "opt_other"));
        text = ks_arena_printf(arena, "%sfor (int opt_i = 1; opt_i < %d; opt_i++) { %s%s }\n    ", text,
                               w->options->split, others, meet);
    }
    ks_edit_add(arena, edits, ks_node_front(&w->s->body, l->node), l->node->end,
                ks_arena_printf(arena, "%s}", text));
}

static void put_kernel(const struct work *w, const char *name, const struct ks_edit_list *edits,
                       bool first, const char *asserts, struct ks_buf *out)
{
    struct ks_subject *s = w->s;
    const struct ks_map *m = &s->map;
    const char *threads = ks_arena_printf(s->arena, "%d", w->threads);
    ks_buf_printf(out, "__global__ void %s%s_%s(%s, long long opt_items",
                  ks_emit_bounds(s, w->options, threads), s->decl->name, name,
                  ks_emit_params(s, w->options->restrict_));
    for (size_t i = 0; i < w->n_parts; i++)
        ks_buf_printf(out, ", %s *opt_part%zu", w->part[i].type, i);
    for (int a = 0; a < 2; a++)
        if (m->axis[a].used)
            ks_buf_printf(out, ", %s opt_end_%c", m->axis[a].wide ? "long long" : "unsigned",
                          'x' + a);
    ks_buf_printf(out, ")\n{\n%s", asserts);
    if (first)
        ks_buf_puts(out, "    const int opt_lane = blockIdx.z;\n");
    const char *type = m->axis[0].wide ? "long long" : "unsigned";
    ks_buf_printf(out, "    const %s opt_x = blockIdx.x * (%s)%d + threadIdx.x;\n", type, type,
                  w->threads);
    if (m->axis[1].used)
        ks_buf_printf(out, "    const %s opt_y = blockIdx.y;\n",
                      m->axis[1].wide ? "long long" : "unsigned");
    ks_buf_printf(out, "    if (opt_x >= opt_end_x%s)\n        return;\n",
                  m->axis[1].used ? " || opt_y >= opt_end_y" : "");
    ks_buf_printf(out, "    const long long opt_id = opt_x%s;\n",
                  m->axis[1].used ? " + (long long)opt_end_x * opt_y" : "");
    ks_buf_printf(out, "%s}\n", ks_emit_item(s, edits, false, false, 4));
}

static enum ks_status choose(struct work *w, struct ks_buf *when, struct ks_buf *asserts,
                             struct ks_err *err)
{
    struct ks_subject *s = w->s;
    const struct ks_options *o = w->options;
    struct ks_arena *arena = s->arena;
    if (o->split < 2 || o->split > 256)
        KS_FAIL(err, KS_E_UNSUPPORTED, "a loop is split between 2 to 256 blocks");
    KS_TRY(find(w, err));
    KS_TRY(type_all(w, err));
    w->threads = o->block[0] ? o->block[0] : 128;
    for (int a = 0; a < 3; a++) {
        w->extent[a] = ks_emit_extent(s, a, when, asserts, err);
        if (!w->extent[a])
            return KS_E_UNSUPPORTED;
    }
    w->items = ks_arena_printf(arena, "max(1, %s) * max(1, %s)", w->extent[0], w->extent[1]);
    ks_emit_when(when, ks_arena_printf(arena, "%s <= 65535 && %s * %d <= 268435456", w->extent[1],
                                       w->items, o->split));
    const char *limit =
        ks_map_plan_text(arena, s->decl, &s->env, ks_subject_constant, s, w->loop.limit);
    int64_t by;
    if (limit && ks_parse_i64(w->loop.by, &by))
        ks_emit_when(
            when, ks_arena_printf(arena, "%s <= %lld", limit, 2147483647LL - (by + 1) * o->split));
    return KS_OK;
}

static enum ks_status build(const struct work *w, const char *source, struct ks_buf *when,
                            struct ks_proposal *proposal, struct ks_err *err)
{
    struct ks_subject *s = w->s;
    struct ks_arena *arena = s->arena;
    struct ks_plan_workspace spaces[MOST_PARTS];
    struct ks_plan_step steps[2] = {{.kernel = ks_arena_printf(arena, "%s_parts", s->decl->name)},
                                    {.kernel = ks_arena_printf(arena, "%s_joined", s->decl->name)}};
    const char **args = KS_NEW_ARRAY(arena, const char *, s->decl->n_params + 7 + MOST_PARTS);
    size_t n = ks_emit_args(s, args);
    args[n++] = w->items;
    for (size_t i = 0; i < w->n_parts; i++) {
        args[n++] = spaces[i].name = ks_arena_printf(arena, "opt_part%zu", i);
        spaces[i].bytes =
            ks_arena_printf(arena, "%s * %zu", w->items, (size_t)w->options->split * w->part[i].bytes);
    }
    for (int a = 0; a < 2; a++)
        if (s->map.axis[a].used)
            args[n++] = w->extent[a];
    for (int k = 0; k < 2; k++) {
        steps[k].args = args;
        steps[k].n_args = n;
        steps[k].block[0] = ks_arena_printf(arena, "%d", w->threads);
        steps[k].grid[0] =
            ks_arena_printf(arena, "max(1, ceildiv(%s, %d))", w->extent[0], w->threads);
        steps[k].grid[1] = ks_arena_printf(arena, "max(1, %s)", w->extent[1]);
        if (k == 0)
            steps[k].grid[2] = ks_arena_printf(arena, "%d", w->options->split);
    }
    return ks_emit_plan(s, source, ks_buf_text(when), spaces, w->n_parts, steps, 2,
                        proposal, err);
}

enum ks_status ks_emit_split(struct ks_subject *s, const struct ks_options *options,
                             struct ks_proposal *proposal, struct ks_err *err)
{
    struct ks_buf when = KS_BUF(1 << 15), asserts = KS_BUF(4096), source = KS_BUF(1 << 20);
    struct work w = {.s = s, .options = options};
    struct ks_edit_list first = {0}, second = {0};
    enum ks_status status = choose(&w, &when, &asserts, err);
    if (status != KS_OK)
        goto out;
    if (options->restrict_)
        KS_TRY_GOTO(ks_emit_apart(s, &when, err), out);
    first_edits(&w, &first);
    second_edits(&w, &second);
    ks_emit_instance(s, &source);
    put_kernel(&w, "parts", &first, true, ks_buf_text(&asserts), &source);
    ks_buf_puts(&source, "\n");
    put_kernel(&w, "joined", &second, false, "", &source);
    status = build(&w, ks_arena_strdup(s->arena, ks_buf_text(&source)), &when, proposal, err);
out:
    ks_buf_free(&when);
    ks_buf_free(&asserts);
    ks_buf_free(&source);
    return status;
}
