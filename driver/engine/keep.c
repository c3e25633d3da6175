// Elements of memory that a loop updates turn by turn (y[i] += ...) kept in a register meanwhile:
// read once in front of the loop and written once behind it. Other transforms then see a sum.
#include <string.h>

#include "engine/loop.h"
#include "engine/reshape.h"

struct element { // of a parameter, by which a loop goes through memory
    size_t param;
    struct ks_poly index;
    const struct ks_node *first; // the first access to it
    bool always;                 // it is accessed in every turn
    bool written;
    const char *why;
};
struct keeper {
    struct ks_subject *s;
    struct ks_edit_list *edits;
    struct ks_affine env;
    int done;
    const char *why; // the last loop's refusal
    // Of the loop that is looked at:
    struct ks_node *loop;
    struct ks_affine inside;
    struct element *at;
    size_t n, cap;
    bool others; // it accesses other arrays
    int depth;   // of conditions in it
    const char *lost;
};

static const char *refuse(const struct keeper *k, const struct ks_node *at, const char *why)
{
    return ks_arena_printf(k->s->arena, "line %d: %s", at->line, why);
}

// Whether all of an index holds through the loop: nothing in it is declared or changed there.
static bool is_fixed(const struct keeper *k, const struct ks_node *e)
{
    if (e->kind == KS_N_NAME && (ks_node_changes(k->loop, e->text) ||
                                 ks_loop_declaration(k->loop, e->text, SIZE_MAX) != NULL))
        return false;
    if (e->kind == KS_N_INDEX || e->kind == KS_N_ASSIGN || e->kind == KS_N_POSTFIX ||
        e->kind == KS_N_CALL)
        return false;
    for (size_t i = 0; i < e->n; i++)
        if (!is_fixed(k, e->kid[i]))
            return false;
    return true;
}

static void access_to(struct keeper *k, const struct ks_node *node, bool writes)
{
    struct ks_place place = ks_place_of(&k->inside, k->s->decl, node);
    if (place.base == KS_PLACE_LOCAL)
        return;
    if (place.base == KS_PLACE_UNKNOWN) {
        k->lost = k->lost ? k->lost : refuse(k, node, "a pointer is not followed");
        return;
    }
    struct element *e = NULL;
    for (size_t i = 0; i < k->n; i++)
        if (k->at[i].param == place.param)
            e = &k->at[i];
    if (!e) {
        ks_vec_grow_(k->s->arena, (void **)&k->at, &k->n, &k->cap, sizeof *k->at);
        e = &k->at[k->n - 1];
        *e = (struct element){.param = place.param, .index = place.index, .first = node};
    }
    e->always |= k->depth == 0;
    e->written |= writes;
    if (!place.index.known || !ks_poly_equal(&place.index, &e->index))
        e->why = refuse(k, node, "other elements of the array are accessed in the loop");
    else if (node->kind != KS_N_INDEX || node->kid[0]->kind != KS_N_NAME ||
             ks_loop_declaration(k->loop, node->kid[0]->text, SIZE_MAX) ||
             !is_fixed(k, node->kid[1]))
        e->why = refuse(k, node, "the element changes from turn to turn");
}

// A name that is no value of the thread's own: a pointer, or a reference to who knows what.
static void name_of(struct keeper *k, const struct ks_node *node)
{
    const struct ks_affine_local *local = ks_affine_find(&k->inside, node->text);
    if (k->lost)
        return;
    if (local && local->var->reference)
        k->lost = refuse(k, node, "a reference is used in the loop");
    else if (ks_place_of(&k->inside, k->s->decl, node).base == KS_PLACE_PARAM)
        k->lost = refuse(k, node, "a pointer is used other than by subscript");
}

static void expression(struct keeper *k, const struct ks_node *node)
{
    bool steps = (node->kind == KS_N_UNARY || node->kind == KS_N_POSTFIX) &&
                 (strcmp(node->text, "++") == 0 || strcmp(node->text, "--") == 0);
    bool lazy = node->kind == KS_N_COND || ks_node_is(node, KS_N_BINARY, "&&") ||
                ks_node_is(node, KS_N_BINARY, "||");
    const char *name =
        node->kind == KS_N_CALL && node->kid[0]->kind == KS_N_NAME ? node->kid[0]->text : "";
    if (node->kind == KS_N_CALL &&
        (node->changes || !*name || strstr(name, "sync") || ks_starts_with(name, "atomic") ||
         ks_starts_with(name, "__shfl")))
        k->lost = k->lost ? k->lost : refuse(k, node, "a call in the loop may touch memory");
    if (strcmp(name, "__ldg") == 0 && node->n == 2 && ks_node_is(node->kid[1], KS_N_UNARY, "&")) {
        expression(k, node->kid[1]->kid[0]);
        return;
    }
    if (node->kind == KS_N_NAME)
        name_of(k, node);
    if (ks_node_is(node, KS_N_UNARY, "&"))
        k->lost = k->lost ? k->lost : refuse(k, node, "an address is taken in the loop");
    if (node->kind == KS_N_ASSIGN || steps) {
        const struct ks_node *target = node->kid[0];
        if (node->n > 1)
            expression(k, node->kid[1]);
        if (target->kind == KS_N_NAME) {
            name_of(k, target);
            return;
        }
        access_to(k, target, true);
        if (target->kind == KS_N_INDEX)
            expression(k, target->kid[1]);
        return;
    }
    if (node->kind == KS_N_INDEX || ks_node_is(node, KS_N_UNARY, "*")) {
        access_to(k, node, false);
        if (node->kind == KS_N_INDEX)
            expression(k, node->kid[1]);
        return;
    }
    for (size_t i = 0; i < node->n; i++) {
        k->depth += lazy && i > 0;
        expression(k, node->kid[i]);
        k->depth -= lazy && i > 0;
    }
}

static void statement(struct keeper *k, struct ks_node *node)
{
    bool lazy = node->kind == KS_N_IF || ks_node_is_loop(node);
    if (node->kind == KS_N_RETURN || node->kind == KS_N_BREAK || node->kind == KS_N_CONTINUE)
        k->lost = k->lost ? k->lost : refuse(k, node, "the loop is left early");
    if (node->kind == KS_N_DECL) {
        for (size_t i = 0; i < node->n; i++)
            if (node->kid[i]->init)
                expression(k, node->kid[i]->init);
        ks_loop_declare(&k->inside, node);
        return;
    }
    if (node->kind == KS_N_FOR && node->kid[0]->kind == KS_N_DECL) {
        statement(k, node->kid[0]);
        ks_loop_enter(&k->inside, node);
    }
    for (size_t i = 0; i < node->n; i++) {
        bool own = node->kind == KS_N_FOR && i == 0 && node->kid[0]->kind == KS_N_DECL;
        k->depth += lazy && i > 0;
        if (!own && node->kid[i]->kind >= KS_N_BLOCK)
            statement(k, node->kid[i]);
        else if (!own)
            expression(k, node->kid[i]);
        k->depth -= lazy && i > 0;
    }
}

// Whether the statement, one in front of the loop in its block, accesses the element on every path.
static bool accesses(struct keeper *k, const struct ks_node *node, const struct element *e)
{
    if (node->kind != KS_N_EXPR || node->kid[0]->kind != KS_N_ASSIGN ||
        node->kid[0]->kid[0]->kind != KS_N_INDEX)
        return false;
    struct ks_place place = ks_place_of(&k->env, k->s->decl, node->kid[0]->kid[0]);
    return place.base == KS_PLACE_PARAM && place.param == e->param &&
           ks_poly_equal(&place.index, &e->index);
}

// What tells that the loop turns at least once, so that the element is there: nothing, the launch's
// guard, or a test in the text (*test).
static bool turns(struct keeper *k, const struct ks_loop *l, bool seen, const char **test)
{
    const char *ask = NULL;
    *test = NULL;
    if (!seen && !ks_reshape_turns(k->s, &k->env, l, test, &ask))
        return false;
    if (ask)
        ks_reshape_ask(k->s, ask);
    return true;
}

struct replacer {
    struct keeper *k;
    const struct element *e;
};

static bool visit_replace(void *context, struct ks_node *node)
{
    struct replacer *r = context;
    struct keeper *k = r->k;
    if (node->kind != KS_N_INDEX)
        return true;
    struct ks_place place = ks_place_of(&k->inside, k->s->decl, node);
    if (place.base != KS_PLACE_PARAM || place.param != r->e->param)
        return true;
    ks_edit_add(k->s->arena, k->edits, node->begin, node->end,
                ks_arena_printf(k->s->arena, "opt_kept%d", k->done));
    return false;
}

static void keep(struct keeper *k, const struct element *e, const char *test, bool alone)
{
    struct ks_arena *arena = k->s->arena;
    const char *type = ks_subject_elem(k->s, e->param);
    const char *text = ks_node_text(arena, &k->s->body, e->first);
    size_t at = ks_node_front(&k->s->body, k->loop);
    struct replacer r = {k, e};
    ks_edit_add(arena, k->edits, at, at,
                ks_arena_printf(arena, "%s%s opt_kept%d = %s; ",
                                test    ? ks_arena_printf(arena, "if (%s) { ", test)
                                : alone ? "{ "
                                        : "",
                                type, k->done, text));
    ks_node_walk(k->loop, visit_replace, &r);
    ks_edit_add(
        arena, k->edits, k->loop->end, k->loop->end,
        ks_arena_printf(arena, " %s = opt_kept%d;%s", text, k->done, test || alone ? " }" : ""));
    k->done++;
}

// The loop's elements; `before` are the statements in front of it in its block, NULL where it
// stands in none.
static bool look(struct keeper *k, struct ks_node *node, struct ks_node *const *before,
                 size_t n_before)
{
    bool alone = before == NULL;
    struct ks_loop l;
    ks_loop_read(k->s->arena, k->s->decl, &k->s->body, &k->env, node, &l);
    k->loop = node;
    k->inside = k->env;
    k->inside.cap = k->inside.len;
    k->n = 0;
    k->at = NULL;
    k->cap = 0;
    k->depth = 0;
    k->lost = NULL;
    ks_loop_enter(&k->inside, node);
    expression(k, node->kid[1]);
    expression(k, node->kid[2]);
    statement(k, node->kid[3]);
    int kept = 0;
    for (size_t i = 0; i < k->n; i++) {
        const struct element *e = &k->at[i];
        const char *why = e->why ? e->why : k->lost, *test = NULL;
        if (!e->written)
            continue;
        bool seen = false;
        for (size_t b = 0; b < n_before; b++)
            seen |= accesses(k, before[b], e);
        if (!why && !ks_subject_elem(k->s, e->param))
            why = refuse(k, e->first, "the element is no number");
        if (!why && k->n > 1 && !ks_subject_apart(k->s))
            why = refuse(k, e->first, "the extent of an array is no expression of parameters");
        if (!why && !e->always && !seen)
            why = refuse(k, e->first, "not every turn accesses the element");
        if (!why && (!l.compare || !turns(k, &l, seen, &test) || ((test || alone) && kept > 0)))
            why = refuse(k, node, "whether the loop turns at all is not known in front of it");
        if (why) {
            k->why = why;
            continue;
        }
        k->s->apart |= k->n > 1;
        keep(k, e, test, alone);
        kept++;
        if (test || alone)
            break;
    }
    return kept > 0;
}

static void find(struct keeper *k, struct ks_node *node)
{
    struct ks_affine before = k->env;
    if (node->kind == KS_N_FOR && node->kid[0]->kind == KS_N_DECL)
        ks_loop_enter(&k->env, node);
    for (size_t i = 0; node->kind >= KS_N_BLOCK && node->kind != KS_N_DECL && i < node->n; i++) {
        struct ks_node *kid = node->kid[i];
        if (kid->kind == KS_N_DECL && node->kind != KS_N_FOR)
            ks_loop_declare(&k->env, kid);
        bool items =
            k->s->is_map && k->s->map.stride && node == k->s->body.block && i + 1 == node->n;
        bool block = node->kind == KS_N_BLOCK;
        bool apart = kid->kind == KS_N_FOR && !items; // FOR as the header's own part never is one
        if (!apart || !look(k, kid, block ? node->kid : NULL, block ? i : 0))
            find(k, kid);
    }
    k->env = before;
    k->env.cap = k->env.len;
}

enum ks_status ks_keep_values(struct ks_subject *s, struct ks_edit_list *edits, struct ks_err *err)
{
    struct keeper k = {.s = s, .edits = edits};
    ks_affine_begin(s->arena, s->body.block, &k.env);
    find(&k, s->body.block);
    if (k.done == 0)
        KS_FAIL(err, KS_E_UNSUPPORTED, "%s",
                k.why
                    ? k.why
                    : ks_arena_printf(s->arena, "line %d: no loop updates memory", s->decl->line));
    return KS_OK;
}
