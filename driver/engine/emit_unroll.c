// Innermost loops unrolled: by a pragma, or, where the compiler does not know the step, written as
// so many turns at a time.
#include <string.h>

#include "engine/emit.h"
#include "engine/loop.h"

enum { MOST_LOADS = 8 };

struct unroller {
    struct ks_subject *subject;
    struct ks_edit_list *edits;
    struct ks_affine env;
    int count;
    bool as_is; // nothing else is made of the body
    int loops;
};

static bool is_edited(const struct ks_edit_list *edits, size_t begin, size_t end)
{
    for (size_t i = 0; i < edits->len; i++)
        if (edits->at[i].begin < end && edits->at[i].end > begin)
            return true;
    return false;
}

static bool is_wide_integer(struct ks_arena *arena, const char *text)
{
    struct ks_type type = ks_type_parse(arena, ks_slice_of(text));
    return !type.pointer && type.elem.lanes == 1 && type.elem.size >= 4 &&
           !ks_scalar_is_float(type.elem.scalar);
}

// What a header evaluates each turn is evaluated once instead.
static bool is_plain(const struct ks_node *expr)
{
    return !ks_node_find((struct ks_node *)(uintptr_t)expr, KS_N_CALL, NULL) &&
           !ks_node_find((struct ks_node *)(uintptr_t)expr, KS_N_INDEX, NULL) &&
           !ks_node_find((struct ks_node *)(uintptr_t)expr, KS_N_UNARY, "*");
}

// A loop with a step that is no literal: with `#pragma unroll` every turn keeps its test, and the
// next turn's loads wait behind it.
static bool counts_by_unknown(const struct unroller *u, struct ks_node *node, struct ks_loop *loop)
{
    struct ks_subject *s = u->subject;
    int64_t step;
    if (node->kind != KS_N_FOR || node->kid[0]->kind != KS_N_DECL || u->count < 2)
        return false;
    ks_loop_read(s->arena, s->decl, &s->body, &u->env, node, loop);
    return loop->why == NULL && loop->declared && !loop->down && !ks_parse_i64(loop->by, &step) &&
           is_plain(loop->limit) && is_plain(loop->step) &&
           is_wide_integer(s->arena, node->kid[0]->text) &&
           !is_edited(u->edits, node->begin, loop->body->begin);
}

// Columns in front of a statement, as far as it stands alone in its line.
static int indentation(const struct ks_body *body, const struct ks_node *node)
{
    size_t at = node->begin;
    while (at > 0 && body->text.at[at - 1] == ' ')
        at--;
    return (int)(node->begin - at);
}

struct loads { // what each turn reads first, for all turns at once
    const struct ks_node *node[MOST_LOADS];
    const char *type[MOST_LOADS];
    size_t n;
};

struct outer {
    const struct ks_loop *loop;
    bool yes;
};

static bool visit_outer(void *context, struct ks_node *node)
{
    struct outer *o = context;
    if (node->kind == KS_N_NAME && strcmp(node->text, o->loop->var) != 0)
        o->yes &= !ks_node_changes(o->loop->node, node->text) &&
                  !ks_loop_declaration(o->loop->body, node->text, SIZE_MAX);
    return o->yes;
}

// Reads of arrays that every turn makes, at places known before the loop's body; where the body
// stores, they stay where they are.
static void find_loads(const struct unroller *u, const struct ks_loop *loop, struct loads *loads)
{
    const struct ks_subject *s = u->subject;
    struct ks_affine env = u->env;
    struct ks_access_list found = {0};
    env.cap = env.len;
    ks_loop_enter(&env, loop->node);
    ks_accesses_find(s->arena, s->decl, &env, loop->body, &found);
    for (size_t i = 0; i < found.len && !loop->stores && !loop->atomics && loads->n < MOST_LOADS;
         i++) {
        const struct ks_access *a = &found.at[i];
        const char *type = ks_subject_elem(s, a->param);
        struct outer place = {loop, true};
        ks_node_walk((struct ks_node *)(uintptr_t)a->node, visit_outer, &place);
        if (!a->conditional && type && place.yes && is_plain(a->node->kid[1]) &&
            !is_edited(u->edits, a->node->begin, a->node->end)) {
            loads->node[loads->n] = a->node;
            loads->type[loads->n++] = type;
        }
    }
}

// A thread's turns are the same, in the same order. So many of them at once need no test but the
// one that the last of them is there; numbers for which that test might wrap are left to the turns
// one by one.
static void write_turns(const struct unroller *u, const struct ks_loop *loop)
{
    const struct ks_body *body = &u->subject->body;
    struct ks_arena *arena = u->subject->arena;
    const char *type = loop->node->kid[0]->text, *compare = loop->compare, *var = loop->var;
    const char *limit = ks_node_text(arena, body, loop->limit);
    bool block = loop->body->kind == KS_N_BLOCK;
    int out = indentation(body, loop->node), in = out + 4;
    struct loads loads = {.n = 0};
    struct ks_buf front = KS_BUF(1 << 16), back = KS_BUF(1 << 16);
    find_loads(u, loop, &loads);
    ks_buf_printf(&front, "{\n%*s%s opt_at = %s;\n", in, "", type,
                  ks_node_text(arena, body, loop->start));
    ks_buf_printf(&front, "%*sconst long long opt_step = %s;\n", in, "", loop->by);
    ks_buf_printf(&front, "%*sconst bool opt_fits = opt_step > 0 && opt_step < 1ll << 40;\n", in,
                  "");
    ks_buf_printf(&front, "%*sconst auto opt_turn = [&](const %s %s", in, "", type, var);
    for (size_t i = 0; i < loads.n; i++)
        ks_buf_printf(&front, ", const %s opt_load%zu", loads.type[i], i);
    ks_buf_printf(&front, ") %s", block ? "" : "{ ");
    ks_buf_printf(&back, "%s;\n%*sfor (; opt_fits && opt_at %s (%s) && (long long)opt_at >= 0 &&\n",
                  block ? "" : " }", in, "", compare, limit);
    ks_buf_printf(&back, "%*s     (long long)(%s) - (long long)opt_at %s %d * opt_step;\n", in, "",
                  limit, compare[1] == '=' ? ">=" : ">", u->count - 1);
    ks_buf_printf(&back, "%*s     opt_at = (%s)(opt_at + %d * opt_step)) {\n", in, "", type,
                  u->count);
    for (size_t i = 0; i < loads.n; i++)
        ks_buf_printf(&back, "%*s    %s opt_loads%zu[%d];\n", in, "", loads.type[i], i, u->count);
    for (int pass = loads.n == 0; pass < 2; pass++) {
        ks_buf_printf(&back,
                      "%*s    _Pragma(\"unroll\") for (int opt_k = 0; opt_k < %d; opt_k++) {\n", in,
                      "", u->count);
        ks_buf_printf(&back, "%*s        const %s %s = (%s)(opt_at + opt_k * opt_step);\n", in, "",
                      type, var, type);
        for (size_t i = 0; i < loads.n && pass == 0; i++)
            ks_buf_printf(&back, "%*s        opt_loads%zu[opt_k] = %s;\n", in, "", i,
                          ks_node_text(arena, body, loads.node[i]));
        if (pass == 1)
            ks_buf_printf(&back, "%*s        opt_turn(%s", in, "", var);
        for (size_t i = 0; i < loads.n && pass == 1; i++)
            ks_buf_printf(&back, ", opt_loads%zu[opt_k]", i);
        ks_buf_printf(&back, "%s%*s    }\n", pass == 1 ? ");\n" : "", in, "");
    }
    ks_buf_printf(&back, "%*s}\n%*sfor (; opt_at %s (%s); opt_at = (%s)(opt_at + opt_step)) {\n",
                  in, "", in, "", compare, limit, type);
    ks_buf_printf(&back, "%*s    const %s %s = opt_at;\n%*s    opt_turn(%s", in, "", type, var, in,
                  "", var);
    for (size_t i = 0; i < loads.n; i++)
        ks_buf_printf(&back, ", %s", ks_node_text(arena, body, loads.node[i]));
    ks_buf_printf(&back, ");\n%*s}\n%*s}", in, "", out, "");
    ks_edit_add(arena, u->edits, loop->node->begin, loop->body->begin,
                ks_arena_strdup(arena, ks_buf_text(&front)));
    for (size_t i = 0; i < loads.n; i++)
        ks_edit_add(arena, u->edits, loads.node[i]->begin, loads.node[i]->end,
                    ks_arena_printf(arena, "opt_load%zu", i));
    ks_edit_add(arena, u->edits, loop->node->end, loop->node->end,
                ks_arena_strdup(arena, ks_buf_text(&back)));
    ks_buf_free(&front);
    ks_buf_free(&back);
}

static bool visit(void *context, struct ks_node *node)
{
    struct unroller *u = context;
    struct ks_subject *s = u->subject;
    struct ks_loop loop;
    if (node->kind == KS_N_DECL)
        ks_loop_declare(&u->env, node);
    if (!ks_node_is_loop(node))
        return true;
    for (size_t i = 0; i < node->n; i++)
        if (ks_node_find(node->kid[i], KS_N_FOR, NULL) ||
            ks_node_find(node->kid[i], KS_N_WHILE, NULL) ||
            ks_node_find(node->kid[i], KS_N_DO, NULL)) {
            ks_loop_enter(&u->env, node);
            return true; // not innermost
        }
    for (size_t i = 0; i < s->rewrites.len; i++) // it will not be there
        if (s->rewrites.at[i].begin <= node->begin && s->rewrites.at[i].end >= node->end)
            return false;
    if (node->kind != KS_N_FOR || ks_node_front(&s->body, node) != node->begin)
        return false;
    u->loops++;
    if (u->as_is && counts_by_unknown(u, node, &loop))
        write_turns(u, &loop);
    else
        ks_edit_add(s->arena, u->edits, node->begin, node->begin,
                    u->count < 0 ? "_Pragma(\"unroll\") "
                                 : ks_arena_printf(s->arena, "_Pragma(\"unroll %d\") ", u->count));
    return false;
}

static enum ks_status unroll(struct ks_subject *s, int count, bool as_is,
                             struct ks_edit_list *edits, struct ks_err *err)
{
    if (count == 0)
        return KS_OK;
    struct unroller u = {.subject = s, .edits = edits, .count = count, .as_is = as_is};
    ks_affine_begin(s->arena, s->body.block, &u.env);
    ks_node_walk(s->body.block, visit, &u);
    const struct ks_node *other = ks_node_find(s->body.block, KS_N_DO, NULL);
    if (u.loops == 0 && other)
        KS_FAIL(err, KS_E_UNSUPPORTED, "line %d: a `do` loop is not unrolled, innermost for loops are", other->line);
    if (u.loops == 0)
        KS_FAIL(err, KS_E_UNSUPPORTED, "line %d: no innermost for loop to unroll", s->decl->line);
    return KS_OK;
}

enum ks_status ks_emit_unroll(struct ks_subject *s, int count, struct ks_edit_list *edits,
                              struct ks_err *err)
{
    return unroll(s, count, false, edits, err);
}

enum ks_status ks_emit_turns(struct ks_subject *s, int count, struct ks_edit_list *edits,
                             struct ks_err *err)
{
    return unroll(s, count, true, edits, err);
}
