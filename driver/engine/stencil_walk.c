// Statements of a stencil in a row: what tests places is taken down, what makes values is written out.
#include <string.h>

#include "engine/loop.h"
#include "engine/stencil_reader.h"

enum { MOST_TURNS = 64 };

static bool statement(struct ks_stencil_reader *r, struct ks_node *node);

// ---- what stands below a node

struct search {
    const struct ks_stencil_reader *r;
    size_t stores, reads;
};

static bool visit(void *context, struct ks_node *node)
{
    struct search *s = context;
    size_t param;
    if (node->kind == KS_N_ASSIGN && ks_stencil_element(s->r, node->kid[0], &param)) {
        s->stores++;
        ks_node_walk(node->kid[1], visit, s);
        return false;
    }
    s->reads += ks_stencil_element(s->r, node, &param);
    return true;
}

static struct search below(const struct ks_stencil_reader *r, struct ks_node *node)
{
    struct search s = {.r = r};
    ks_node_walk(node, visit, &s);
    return s;
}

// Whether nothing is reached behind it.
static bool leaves(const struct ks_node *node)
{
    if (node->kind == KS_N_BLOCK)
        return node->n > 0 && leaves(node->kid[node->n - 1]);
    return node->kind == KS_N_RETURN || node->kind == KS_N_CONTINUE;
}

static bool is_of_values(const struct ks_stencil_reader *r, const char *name)
{
    for (size_t i = 0; i < r->values.len; i++)
        if (strcmp(r->values.at[i], name) == 0)
            return true;
    return false;
}

// ---- declarations

static bool is_integer(struct ks_arena *arena, const char *text)
{
    struct ks_type type = ks_type_parse(arena, ks_slice_of(text));
    return strstr(text, "auto") ||
           (type.elem.lanes == 1 && type.elem.scalar != KS_T_NONE && !ks_scalar_is_float(type.elem.scalar));
}

static void take_named(struct ks_stencil_reader *r, const struct ks_node *var, bool table)
{
    const struct ks_stencil_named one = {var->text, var->init};
    if (table)
        *ks_vec_push(r->arena, &r->tables) = one;
    else
        *ks_vec_push(r->arena, &r->tests) = one;
}

static bool variable(struct ks_stencil_reader *r, const struct ks_node *decl, struct ks_node *var)
{
    const bool changes = ks_node_changes(r->s->body.block, var->text);
    const char *text = NULL;
    if (var->n > 0 && var->init && var->init->kind == KS_N_LIST && !changes) {
        take_named(r, var, true);
        return true;
    }
    if (var->n > 0 || var->pointer || var->reference || ks_affine_find(&r->env, var->text))
        return ks_stencil_refuse(r, decl, "an array or a pointer of the thread's own, or a name that hides another");
    if (var->init && !changes && strstr(decl->text, "bool") && ks_stencil_is_place(r, var->init)) {
        take_named(r, var, false);
        return true;
    }
    if (var->init && !(text = ks_stencil_text(r, var->init)))
        return false;
    const char *type = !var->init && ks_starts_with(decl->text, "const ") ? decl->text + 6 : decl->text;
    ks_buf_printf(&r->out, "%s %s = %s;\n", type, var->text, text ? text : "0");
    ks_strv_add(r->arena, &r->values, var->text);
    return true;
}

static void declare_places(struct ks_stencil_reader *r, struct ks_node *decl)
{
    const size_t before = r->env.len;
    ks_loop_declare(&r->env, decl);
    const size_t after = r->env.len;
    for (size_t i = before; i < after; i++) {
        struct ks_affine_local *local = &r->env.at[i];
        bool folded = false;
        if (local->changes)
            continue;
        r->env.len = i; // it is made of what stands in front of it
        const struct ks_poly p = ks_stencil_fold(r, local->var->init, &folded);
        r->env.len = after;
        if (p.known)
            local->value = p;
        if (folded)
            ks_strv_add(r->arena, &r->folded, local->name);
    }
}

static bool declaration(struct ks_stencil_reader *r, struct ks_node *decl)
{
    bool places = is_integer(r->arena, decl->text) && !strstr(decl->text, "bool");
    if (decl->shared || decl->is_static || decl->is_extern)
        return ks_stencil_refuse(r, decl, "memory of the block");
    for (size_t i = 0; i < decl->n; i++)
        places &= decl->kid[i]->init && decl->kid[i]->n == 0 && !decl->kid[i]->pointer &&
                  !is_of_values(r, decl->kid[i]->text) && ks_stencil_is_place(r, decl->kid[i]->init) &&
                  (!strstr(decl->text, "auto") || ks_affine_eval(&r->env, decl->kid[i]->init).known);
    if (places) {
        declare_places(r, decl);
        return true;
    }
    for (size_t i = 0; i < decl->n; i++)
        if (!variable(r, decl, decl->kid[i]))
            return false;
    return true;
}

// ---- stores

static bool put_store(struct ks_stencil_reader *r, const struct ks_node *set, const struct ks_node *value, bool other)
{
    struct ks_stencil *st = r->stencil;
    size_t param, k = 0;
    ks_stencil_element(r, set->kid[0], &param);
    bool folded = false;
    struct ks_poly at = ks_stencil_index(r, set->kid[0]->kid[1], &folded);
    if (!at.known || folded || (r->placed && !ks_poly_equal(&at, &r->place)))
        return ks_stencil_refuse(r, set, "which element is written depends on more than its place, or two are");
    while (k < st->n_outs && st->outs[k].param != param)
        k++;
    if (k == KS_STENCIL_OUTS || r->turns > 0)
        return ks_stencil_refuse(r, set, "too many elements are written");
    r->place = at;
    r->placed = true;
    st->n_outs += k == st->n_outs;
    st->outs[k].param = param;
    const char **what = other ? &st->outs[k].other : &st->outs[k].value;
    if (*what)
        return ks_stencil_refuse(r, set, "an element is written twice");
    r->other = other;
    const char *text = ks_stencil_text(r, value);
    if (text && strcmp(set->text, "=") != 0) {
        const char *old = ks_stencil_text(r, set->kid[0]);
        text = old ? ks_arena_printf(r->arena, "%s %c (%s)", old, *set->text, text) : NULL;
    }
    r->other = false;
    *what = text;
    if (text)
        ks_buf_printf(&r->out, "its_%s%zu = %s;\n", other ? "other" : "out", k, text);
    return text != NULL;
}

static bool store(struct ks_stencil_reader *r, const struct ks_node *set, bool other)
{
    const struct ks_node *value = set->kid[1];
    size_t param;
    ks_stencil_element(r, set->kid[0], &param);
    if (strlen(set->text) > 1 && (strlen(set->text) > 2 || !strchr("+-*/", *set->text)))
        return ks_stencil_refuse(r, set, "this operation on memory is not known");
    if (!other && value->kind == KS_N_COND && ks_stencil_is_place(r, value->kid[0])) {
        const size_t inside = below(r, value->kid[1]).reads < below(r, value->kid[2]).reads ? 2 : 1;
        ks_stencil_note(r, value->kid[0]);
        if (!put_store(r, set, value->kid[3 - inside], true) || !put_store(r, set, value->kid[inside], false))
            return false;
    } else if (!put_store(r, set, value, other)) {
        return false;
    }
    r->stored[param] |= !other;
    return true;
}

// ---- other statements

static bool expression(struct ks_stencil_reader *r, struct ks_node *e)
{
    size_t param;
    if (e->kind == KS_N_ASSIGN && ks_stencil_element(r, e->kid[0], &param))
        return store(r, e, r->other);
    if (e->kind != KS_N_ASSIGN || e->kid[0]->kind != KS_N_NAME || !is_of_values(r, e->kid[0]->text) || r->other)
        return ks_stencil_refuse(r, e, "what is made of elements changes more than variables");
    const char *text = ks_stencil_text(r, e->kid[1]);
    if (text)
        ks_buf_printf(&r->out, "%s %s %s;\n", e->kid[0]->text, e->text, text);
    return text != NULL;
}

// Stores to elements that the stencil does not reach.
static bool others(struct ks_stencil_reader *r, struct ks_node *node)
{
    if (node->kind == KS_N_BLOCK) {
        for (size_t i = 0; i < node->n; i++)
            if (!others(r, node->kid[i]))
                return false;
        return true;
    }
    if (leaves(node) || node->kind == KS_N_EMPTY)
        return true;
    if (node->kind == KS_N_IF && node->n == 2 && ks_stencil_is_place(r, node->kid[0])) {
        ks_stencil_note(r, node->kid[0]);
        return others(r, node->kid[1]);
    }
    size_t param;
    if (node->kind != KS_N_EXPR || node->kid[0]->kind != KS_N_ASSIGN || !ks_stencil_element(r, node->kid[0]->kid[0], &param))
        return ks_stencil_refuse(r, node, "more than a store is done where the stencil does not reach");
    return store(r, node->kid[0], true);
}

static bool choice_of_values(struct ks_stencil_reader *r, struct ks_node *node)
{
    const char *test = ks_stencil_text(r, node->kid[0]);
    if (below(r, node).stores > 0)
        return ks_stencil_refuse(r, node, "whether an element is written depends on values");
    if (!test)
        return false;
    for (size_t way = 1; way < node->n; way++) {
        if (way == 1)
            ks_buf_printf(&r->out, "if (%s) {\n", test);
        else
            ks_buf_puts(&r->out, "} else {\n");
        if (!statement(r, node->kid[way]))
            return false;
        if (r->left)
            return ks_stencil_refuse(r, node, "what is reached depends on values");
    }
    ks_buf_puts(&r->out, "}\n");
    return true;
}

// Where an element lies beyond an end, zero in its place is to come to the same as nothing.
static bool bounded(struct ks_stencil_reader *r, struct ks_node *then)
{
    r->bounded++;
    const bool understood = statement(r, then);
    r->bounded--;
    return understood;
}

static bool choice_of_places(struct ks_stencil_reader *r, struct ks_node *node)
{
    struct ks_node *then = node->kid[1], *otherwise = node->n > 2 ? node->kid[2] : NULL;
    const struct search first = below(r, then), second = otherwise ? below(r, otherwise) : (struct search){0};
    ks_stencil_note(r, node->kid[0]);
    if (!otherwise && first.stores == 0 && first.reads > 0 && !leaves(then))
        return bounded(r, then);
    if (r->turns > 0 && !otherwise && first.stores + first.reads == 0 && ks_node_find(then, KS_N_CONTINUE, NULL) && leaves(then)) {
        r->bounded++; // the rest of the turn
        return true;
    }
    if (r->turns > 0)
        return ks_stencil_refuse(r, node, "what is added depends on the place");
    if (!otherwise && leaves(then) && first.stores + first.reads == 0)
        return true;
    if (!otherwise && leaves(then) && first.stores > 0)
        return others(r, then);
    if (!otherwise && first.stores > 0)
        return statement(r, then);
    if (first.stores == 0 || second.stores == 0)
        return ks_stencil_refuse(r, node, "what is made of elements depends on the place");
    const bool swap = first.reads < second.reads;
    return others(r, swap ? then : otherwise) && statement(r, swap ? otherwise : then);
}

static bool choice(struct ks_stencil_reader *r, struct ks_node *node)
{
    bool holds;
    if (ks_stencil_decides(r, node->kid[0], &holds))
        return holds ? statement(r, node->kid[1]) : node->n < 3 || statement(r, node->kid[2]);
    return ks_stencil_is_place(r, node->kid[0]) ? choice_of_places(r, node) : choice_of_values(r, node);
}

// ---- loops

// A loop that the text tells the turns of, turn by turn.
static bool turn_by_turn(struct ks_stencil_reader *r, const struct ks_loop *loop, int64_t from, int64_t limit, int64_t step)
{
    const size_t named = r->env.len;
    const bool up = *loop->compare == '<', equal = loop->compare[1] == '=';
    const struct ks_node *var = loop->node->kid[0]->kid[0];
    int turns = 0;
    if (step == 0 || up == loop->down)
        return ks_stencil_refuse(r, loop->node, "this loop is not understood");
    const int bounds = r->bounded;
    r->turns++;
    for (int64_t at = from; (up ? at < limit : at > limit) || (equal && at == limit); at += loop->down ? -step : step) {
        if (++turns > MOST_TURNS)
            return ks_stencil_refuse(r, loop->node, "a loop has too many turns");
        *ks_vec_push(r->arena, &r->env) = (struct ks_affine_local){.name = loop->var, .value = ks_poly_constant(at), .var = var};
        ks_buf_puts(&r->out, "{\n");
        if (!statement(r, loop->body))
            return false;
        ks_buf_puts(&r->out, "}\n");
        r->left = false;
        r->bounded = bounds; // what was passed over lay beyond an end
        r->env.len = named;
    }
    r->turns--;
    return true;
}

// A loop over elements that are written.
static bool through_places(struct ks_stencil_reader *r, struct ks_node *node, const struct ks_loop *loop)
{
    const size_t named = r->env.len;
    if (r->turns > 0 || r->placed || below(r, node).stores == 0)
        return ks_stencil_refuse(r, node, "the text does not tell how many turns a loop has");
    for (size_t i = 0; i < r->values.len; i++)
        if (ks_node_changes(node, r->values.at[i]))
            return ks_stencil_refuse(r, node, "values go from one element to the next");
    if (loop->start)
        ks_stencil_note(r, loop->start);
    ks_stencil_note(r, loop->limit);
    if (loop->width)
        ks_stencil_note(r, loop->width);
    ks_loop_enter(&r->env, node);
    const bool understood = statement(r, loop->body);
    r->env.len = named;
    r->left = false;
    return understood;
}

static bool round_and_round(struct ks_stencil_reader *r, struct ks_node *node)
{
    struct ks_loop loop;
    int64_t from, limit, step = 1;
    ks_loop_read(r->arena, r->s->decl, &r->s->body, &r->env, node, &loop);
    if (node->kind != KS_N_FOR || !loop.var || !loop.declared || !loop.limit || !loop.compare || node->kid[0]->n != 1 ||
        r->other || ks_node_changes(loop.body, loop.var))
        return ks_stencil_refuse(r, node, "this loop is not understood");
    if (loop.start && ks_stencil_number(r, loop.start, &from) && ks_stencil_number(r, loop.limit, &limit) &&
        (!loop.width || ks_stencil_number(r, loop.width, &step)))
        return turn_by_turn(r, &loop, from, limit, step);
    return through_places(r, node, &loop);
}

static bool block(struct ks_stencil_reader *r, struct ks_node *node)
{
    const size_t named = r->env.len, tests = r->tests.len, tables = r->tables.len, values = r->values.len,
                 folded = r->folded.len;
    const bool outermost = node == r->s->body.block;
    ks_buf_puts(&r->out, outermost ? "" : "{\n");
    for (size_t i = 0; i < node->n && !r->left; i++)
        if (!statement(r, node->kid[i]))
            return false;
    ks_buf_puts(&r->out, outermost ? "" : "}\n");
    r->env.len = named;
    r->tests.len = tests;
    r->tables.len = tables;
    r->values.len = values;
    r->folded.len = folded;
    return true;
}

static bool statement(struct ks_stencil_reader *r, struct ks_node *node)
{
    switch (node->kind) {
    case KS_N_EMPTY:
        return true;
    case KS_N_DECL:
        return declaration(r, node);
    case KS_N_EXPR:
        return expression(r, node->kid[0]);
    case KS_N_IF:
        return choice(r, node);
    case KS_N_FOR:
        return round_and_round(r, node);
    case KS_N_BLOCK:
        return block(r, node);
    case KS_N_RETURN:
    case KS_N_CONTINUE:
        r->left = true;
        return true;
    default:
        return ks_stencil_refuse(r, node, "what a stencil is made of is more than expressions");
    }
}

bool ks_stencil_walk(struct ks_stencil_reader *r)
{
    return statement(r, r->s->body.block);
}
