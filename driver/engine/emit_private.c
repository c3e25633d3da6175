// Atomics gathered before memory: each block of a bounded grid walks over its share of a map's numbers
// and updates copies of its own, in shared memory (private=1) or, where all updates go to one element,
// in registers (private=2); then it writes each of them once.
#include <string.h>

#include "engine/emit.h"
#include "engine/gather.h"

enum {
    SHARED_MAX = 48 << 10, // bytes of dynamic shared memory that need no attribute
    SHARE_ALIGN = 8,
    DEFAULT_BLOCKS = 528,  // four for each of an H200's 132 multiprocessors
};

struct work {
    struct ks_subject *s;
    const struct ks_options *options;
    struct ks_gather gather;
    int block[3], axes;
    const char *extent[3]; // plan text
    const char *count[KS_GATHER_MAX]; // elements of each target, plan text
    struct ks_edit_list edits;
};

static int threads(const struct work *w)
{
    return w->block[0] * w->block[1] * w->block[2];
}

static enum ks_status choose(struct work *w, struct ks_buf *when, struct ks_buf *asserts,
                             struct ks_err *err)
{
    const struct ks_map *m = &w->s->map;
    bool flat = !m->axis[1].used && !m->axis[2].used;
    for (int a = 0; a < 3; a++) {
        w->block[a] = w->options->block[0] ? w->options->block[a] : a > 0 ? 1 : 256;
        if (!w->options->block[0] && !flat && a < 2)
            w->block[a] = a == 0 ? 32 : 8;
        if (m->axis[a].used)
            w->axes = a + 1;
        else if (w->block[a] > 1)
            KS_FAIL(err, KS_E_UNSUPPORTED, "line %d: the kernel has no index in %c", w->s->decl->line,
                    'x' + a);
        w->extent[a] = ks_emit_extent(w->s, a, when, asserts, err);
        if (!w->extent[a])
            return KS_E_UNSUPPORTED;
    }
    if (threads(w) % 32 != 0)
        KS_FAIL(err, KS_E_UNSUPPORTED, "line %d: a block of whole warps is needed", w->s->decl->line);
    if (m->deep_return)
        KS_FAIL(err, KS_E_UNSUPPORTED, "line %d: return inside a loop", m->deep_return->line);
    return KS_OK;
}

// Copies in shared memory: the arrays' extents are part of the guard, and name the atomics' copies.
static enum ks_status share(struct work *w, struct ks_buf *when, const char **shared,
                            struct ks_err *err)
{
    struct ks_arena *arena = w->s->arena;
    const char *sum = NULL;
    for (int t = 0; t < w->gather.n_targets; t++) {
        const struct ks_gather_target *target = &w->gather.target[t];
        const char *bytes = ks_subject_bytes(w->s, target->param);
        if (!bytes)
            KS_FAIL(err, KS_E_UNSUPPORTED, "line %d: how large %s is, is no expression of parameters",
                    w->s->decl->line, w->s->decl->params[target->param].name);
        w->count[t] = ks_arena_printf(arena, "((%s) / %d)", bytes, target->elem_bytes);
        const char *room = ks_arena_printf(arena, "ceildiv(%s, %d) * %d", bytes, SHARE_ALIGN, SHARE_ALIGN);
        sum = sum ? ks_arena_printf(arena, "%s + %s", sum, room) : room;
    }
    ks_emit_when(when, ks_arena_printf(arena, "%s <= %d", sum, SHARED_MAX));
    *shared = sum;
    for (size_t i = 0; i < w->gather.updates.len; i++) {
        const struct ks_gather_update *u = &w->gather.updates.at[i];
        ks_edit_add(arena, &w->edits, u->base->begin, u->base->end,
                    ks_arena_printf(arena, "opt_own%d", u->target));
    }
    return KS_OK;
}

// "opt_own0 + VALUE", "max(opt_own0, VALUE)": the text in front of the value, and behind it.
static void combine(const struct work *w, int t, const char **front, const char **back)
{
    const struct ks_gather_target *target = &w->gather.target[t];
    *front = ks_arena_printf(w->s->arena, "%sopt_own%d%s", target->combine[0], t, target->combine[1]);
    *back = target->combine[2];
}

// Registers: the update's text becomes an assignment round its value.
static enum ks_status keep(struct work *w, struct ks_err *err)
{
    struct ks_arena *arena = w->s->arena;
    for (size_t i = 0; i < w->gather.updates.len; i++) {
        const struct ks_gather_update *u = &w->gather.updates.at[i];
        const struct ks_gather_target *target = &w->gather.target[u->target];
        const char *front, *back;
        if (!target->index || u->call->n != 3)
            KS_FAIL(err, KS_E_UNSUPPORTED, "line %d: updates go to more than one element", u->call->line);
        combine(w, u->target, &front, &back);
        ks_edit_add(arena, &w->edits, u->call->begin, u->call->kid[2]->begin,
                    ks_arena_printf(arena, "opt_own%d = %s(%s)(", u->target, front, target->elem));
        ks_edit_add(arena, &w->edits, u->call->kid[2]->end, u->call->end, ks_arena_printf(arena, ")%s", back));
    }
    return KS_OK;
}

static void put_thread(const struct work *w, struct ks_buf *out)
{
    ks_buf_puts(out, "    const unsigned opt_thread = threadIdx.x");
    if (w->block[1] > 1 || w->block[2] > 1)
        ks_buf_printf(out, " + threadIdx.y * %du", w->block[0]);
    if (w->block[2] > 1)
        ks_buf_printf(out, " + threadIdx.z * %du", w->block[0] * w->block[1]);
    ks_buf_puts(out, ";\n");
}

static void put_fill(const struct work *w, struct ks_buf *out)
{
    const char *at = "opt_shared";
    ks_buf_puts(out, "    extern __shared__ unsigned long long opt_shared[];\n");
    for (int t = 0; t < w->gather.n_targets; t++) {
        const struct ks_gather_target *target = &w->gather.target[t];
        ks_buf_printf(out,
                      "    %s *const opt_own%d = (%s *)(%s);\n"
                      "    for (unsigned opt_i = opt_thread; opt_i < opt_count%d; opt_i += %d)\n"
                      "        opt_own%d[opt_i] = %s;\n",
                      target->elem, t, target->elem, at, t, threads(w), t, target->identity);
        at = ks_arena_printf(w->s->arena, "%s + (opt_count%d * %d + %d) / %d", at, t, target->elem_bytes,
                             SHARE_ALIGN - 1, SHARE_ALIGN);
    }
    ks_buf_puts(out, "    __syncthreads();\n");
}

static void put_flush(const struct work *w, struct ks_buf *out)
{
    ks_buf_puts(out, "    __syncthreads();\n");
    for (int t = 0; t < w->gather.n_targets; t++) {
        const struct ks_gather_target *target = &w->gather.target[t];
        const char *name = w->s->decl->params[target->param].name;
        ks_buf_printf(out,
                      "    for (unsigned opt_i = opt_thread; opt_i < opt_count%d; opt_i += %d)\n"
                      "        if (opt_own%d[opt_i] != (%s)(%s))\n"
                      "            %s(&%s[opt_i], opt_own%d[opt_i]);\n",
                      t, threads(w), t, target->elem, target->identity, target->atomic, name, t);
    }
}

static void put_begin(const struct work *w, struct ks_buf *out)
{
    for (int t = 0; t < w->gather.n_targets; t++)
        ks_buf_printf(out, "    %s opt_own%d = %s;\n", w->gather.target[t].elem, t,
                      w->gather.target[t].identity);
}

static void put_reduce(const struct work *w, struct ks_buf *out)
{
    for (int t = 0; t < w->gather.n_targets; t++) {
        const struct ks_gather_target *target = &w->gather.target[t];
        const char *front, *back, *name = w->s->decl->params[target->param].name;
        combine(w, t, &front, &back);
        ks_buf_printf(out,
                      "    __shared__ %s opt_warps%d[%d];\n"
                      "    for (int opt_step = 16; opt_step > 0; opt_step /= 2)\n"
                      "        opt_own%d = %s__shfl_xor_sync(0xffffffffu, opt_own%d, opt_step)%s;\n"
                      "    if (opt_thread %% 32 == 0)\n"
                      "        opt_warps%d[opt_thread / 32] = opt_own%d;\n"
                      "    __syncthreads();\n"
                      "    if (opt_thread == 0) {\n"
                      "        for (int opt_i = 1; opt_i < %d; opt_i++)\n"
                      "            opt_own%d = %sopt_warps%d[opt_i]%s;\n"
                      "        if (opt_own%d != (%s)(%s))\n"
                      "            %s(&%s[%s], opt_own%d);\n"
                      "    }\n",
                      target->elem, t, threads(w) / 32, t, front, t, back, t, t, threads(w) / 32, t, front, t,
                      back, t, target->elem, target->identity, target->atomic, name, target->index, t);
    }
}

// The numbers of each axis in steps of the grid; `return` of an item becomes `continue`.
static void put_loops(struct work *w, struct ks_buf *out)
{
    const struct ks_map *m = &w->s->map;
    int indent = 4;
    for (int a = w->axes - 1; a >= 0; a--) {
        const char *type = m->axis[a].wide ? "long long" : "unsigned";
        char c = (char)('x' + a);
        if (!m->axis[a].used)
            continue;
        ks_buf_printf(out,
                      "%*sfor (%s opt_%c = blockIdx.%c * (%s)%d + threadIdx.%c; opt_%c < opt_end_%c;\n"
                      "%*s     opt_%c += gridDim.%c * (%s)%d) {\n",
                      indent, "", type, c, c, type, w->block[a], c, c, c, indent, "", c, c, type, w->block[a]);
        indent += 4;
    }
    char *item = ks_emit_item(w->s, &w->edits, true, true, indent);
    const char *index = ks_emit_index(w->s, item);
    if (*index)
        ks_buf_printf(out, "%*s%s", indent, "", index);
    ks_buf_puts(out, item);
    while ((indent -= 4) > 0)
        ks_buf_printf(out, "%*s}\n", indent, "");
}

static void put_source(struct work *w, const char *asserts, struct ks_buf *out)
{
    struct ks_subject *s = w->s;
    bool shared = w->options->private_ == 1;
    ks_emit_instance(s, out);
    ks_buf_printf(out, "__global__ void %s%s_private(%s",
                  ks_emit_bounds(s, w->options, ks_arena_printf(s->arena, "%d", threads(w))), s->decl->name,
                  ks_emit_params(s, w->options->restrict_));
    for (int a = 0; a < w->axes; a++)
        if (s->map.axis[a].used)
            ks_buf_printf(out, ", %s opt_end_%c", s->map.axis[a].wide ? "long long" : "unsigned", 'x' + a);
    for (int t = 0; shared && t < w->gather.n_targets; t++)
        ks_buf_printf(out, ", unsigned opt_count%d", t);
    ks_buf_printf(out, ")\n{\n%s", asserts);
    put_thread(w, out);
    if (shared)
        put_fill(w, out);
    else
        put_begin(w, out);
    if (s->map.stride) { // what stands in front of the loop
        const struct ks_node *block = s->body.block;
        char *front = ks_edit_apply(s->arena, &s->map.edits, s->body.text, block->begin + 1,
                                    block->kid[block->n - 1]->begin);
        ks_buf_puts(out, ks_text_indent(s->arena, front, 4));
    }
    put_loops(w, out);
    if (shared)
        put_flush(w, out);
    else
        put_reduce(w, out);
    ks_buf_puts(out, "}\n");
}

// As many blocks as asked for, in y at most a fourth of them; fewer where there is less to do.
static enum ks_status build(const struct work *w, const char *source, struct ks_buf *when,
                            const char *shared, struct ks_proposal *proposal, struct ks_err *err)
{
    struct ks_subject *s = w->s;
    struct ks_arena *arena = s->arena;
    struct ks_plan_step step = {.kernel = ks_arena_printf(arena, "%s_private", s->decl->name), .shared = shared};
    const char **args = KS_NEW_ARRAY(arena, const char *, s->decl->n_params + 3 + KS_GATHER_MAX);
    int blocks = w->options->blocks ? w->options->blocks : DEFAULT_BLOCKS;
    step.n_args = ks_emit_args(s, args);
    for (int a = 0; a < w->axes; a++) {
        int most = w->axes == 1 ? blocks : a == 0 ? 4 : a == 1 ? (blocks + 3) / 4 : 1;
        step.block[a] = ks_arena_printf(arena, "%d", w->block[a]);
        if (!s->map.axis[a].used)
            continue;
        args[step.n_args++] = w->extent[a];
        step.grid[a] = ks_arena_printf(arena, "min(max(1, ceildiv(%s, %d)), %d)", w->extent[a], w->block[a], most);
    }
    for (int t = 0; shared && t < w->gather.n_targets; t++)
        args[step.n_args++] = w->count[t];
    step.args = args;
    return ks_emit_plan(s, source, ks_buf_text(when), NULL, 0, &step, 1, proposal, err);
}

enum ks_status ks_emit_private(struct ks_subject *s, const struct ks_options *options,
                               struct ks_proposal *proposal, struct ks_err *err)
{
    struct ks_buf when = KS_BUF(1 << 15), asserts = KS_BUF(4096), source = KS_BUF(1 << 20);
    struct work w = {.s = s, .options = options};
    const char *shared = NULL;
    enum ks_status status = ks_gather_find(s, &w.gather, err);
    if (status != KS_OK)
        goto out;
    if (options->restrict_)
        KS_TRY_GOTO(ks_emit_apart(s, &when, err), out);
    KS_TRY_GOTO(choose(&w, &when, &asserts, err), out);
    KS_TRY_GOTO(options->private_ == 1 ? share(&w, &when, &shared, err) : keep(&w, err), out);
    if (options->unroll)
        KS_TRY_GOTO(ks_emit_unroll(s, options->unroll, &w.edits, err), out);
    put_source(&w, ks_buf_text(&asserts), &source);
    status = build(&w, ks_arena_strdup(s->arena, ks_buf_text(&source)), &when, shared, proposal, err);
out:
    ks_buf_free(&when);
    ks_buf_free(&asserts);
    ks_buf_free(&source);
    return status;
}
