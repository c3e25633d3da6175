#include "engine/reshape.h"
#include "engine/fold.h"

#include <string.h>

enum ks_status ks_reshape_edit(const struct ks_subject *s, const struct ks_edit_list *edits,
                               struct ks_subject *view, struct ks_err *err)
{
    struct ks_brief *brief = ks_arena_memdup(s->arena, s->brief, sizeof *brief);
    brief->kernel_text = ks_edit_apply(s->arena, edits, s->body.text, 0, s->body.text.len);
    KS_TRY(ks_subject_make(s->arena, brief, view, err));
    view->given = s->given;
    view->members = s->members;
    view->asks = s->asks;
    view->apart = s->apart;
    view->folded = s->folded;
    view->warps = s->warps;
    view->numbered = s->numbered;
    view->helpers = s->helpers;
    view->n_extra = s->n_extra;
    memcpy(view->extra, s->extra, sizeof view->extra);
    return KS_OK;
}

enum ks_status ks_reshape(const struct ks_subject *s, const struct ks_options *options,
                          struct ks_subject *view, struct ks_err *err)
{
    const struct {
        int wanted;
        ks_reshape_step *step;
    } steps[] = {
        {options->fold && !s->folded, ks_fold_threads},
        {options->interchange, ks_interchange_loops},
        {options->select, ks_select_values},
        {options->hoist, ks_hoist_values},
        {options->keep, ks_keep_values},
        {options->divide, ks_divide_numbers},
        {options->private_, ks_spread_atomics},
    };
    *view = *s;
    for (size_t i = 0; i < sizeof steps / sizeof *steps; i++) {
        struct ks_edit_list edits = {0};
        struct ks_subject before = *view;
        if (!steps[i].wanted)
            continue;
        KS_TRY(steps[i].step(&before, &edits, err));
        if (edits.len > 0)
            KS_TRY(ks_reshape_edit(&before, &edits, view, err));
    }
    for (int a = 0; view->folded && view->is_map && a < 3; a++)
        if (view->map.axis[a].used && (!view->map.axis[a].block || strcmp(view->map.axis[a].block, "1") != 0))
            KS_FAIL(err, KS_E_UNSUPPORTED, "line %d: a number of the whole grid, where a block is one thread", s->decl->line);
    return KS_OK;
}

void ks_reshape_ask(struct ks_subject *s, const char *one)
{
    if (!s->asks)
        s->asks = one;
    else if (!strstr(s->asks, one))
        s->asks = ks_arena_printf(s->arena, "%s && %s", s->asks, one);
}

bool ks_reshape_turns(struct ks_subject *s, const struct ks_affine *env, const struct ks_loop *l, const char **test,
                      const char **ask)
{
    *test = *ask = NULL;
    if (l->turns > 0)
        return true;
    if (!l->declared || !l->start || !l->compare || l->turns == 0 || strstr(l->node->kid[0]->text, "auto"))
        return false;
    const char *from = ks_map_plan_text(s->arena, s->decl, env, ks_subject_constant, s, l->start),
               *to = ks_map_plan_text(s->arena, s->decl, env, ks_subject_constant, s, l->limit);
    if (from && to)
        *ask = ks_arena_printf(s->arena, "%s %s %s", from, l->compare, to);
    else
        *test = ks_arena_printf(s->arena, "(%s)(%s) %s (%s)", l->node->kid[0]->text, ks_node_text(s->arena, &s->body, l->start),
                                l->compare, ks_node_text(s->arena, &s->body, l->limit));
    return true;
}

struct normal {
    const struct ks_subject *s;
    struct ks_edit_list *edits;
};

// Whether a name is a pointer parameter or a local pointer, and nothing else.
static bool is_pointer(const struct normal *n, const struct ks_node *node)
{
    if (node->kind != KS_N_NAME)
        return false;
    const struct ks_node *var = ks_node_find(n->s->body.block, KS_N_VAR, node->text);
    for (size_t i = 0; i < n->s->decl->n_params; i++)
        if (strcmp(n->s->decl->params[i].name, node->text) == 0)
            return n->s->decl->params[i].type.pointer && !var;
    return var && var->pointer && !var->reference && var->n == 0;
}

// "p + i + j": its pointer, and the index behind it as it would be written; false for anything else. A sum that is no
// pointer's could wrap where the pointer's does not.
static bool place_of(const struct normal *n, const struct ks_node *node, const char **pointer, const char **index)
{
    struct ks_arena *arena = n->s->arena;
    if (is_pointer(n, node)) {
        *pointer = node->text;
        *index = NULL;
        return true;
    }
    if (!ks_node_is(node, KS_N_BINARY, "+"))
        return false;
    int side = place_of(n, node->kid[0], pointer, index) ? 0 : place_of(n, node->kid[1], pointer, index) ? 1 : -1;
    if (side < 0)
        return false;
    const char *by = ks_node_text(arena, &n->s->body, node->kid[1 - side]);
    *index = *index ? ks_arena_printf(arena, "(long long)(%s) + (%s)", *index, by) : by;
    return true;
}

// Such a place as an element, "p[i]"; NULL for anything else.
static const char *element(const struct normal *n, const struct ks_node *node)
{
    const char *pointer, *index;
    if (!place_of(n, node, &pointer, &index))
        return NULL;
    return ks_arena_printf(n->s->arena, "%s[%s]", pointer, index ? index : "0");
}

// `if (c) continue;` as a statement of a for loop's body, and the rest of the body.
static void nest(struct normal *n, const struct ks_node *body)
{
    struct ks_arena *arena = n->s->arena;
    for (size_t i = 0; body->kind == KS_N_BLOCK && i + 1 < body->n; i++) {
        const struct ks_node *node = body->kid[i], *leave = node->n == 2 ? node->kid[1] : NULL;
        while (leave && leave->kind == KS_N_BLOCK && leave->n == 1)
            leave = leave->kid[0];
        if (node->kind != KS_N_IF || !leave || leave->kind != KS_N_CONTINUE)
            continue;
        ks_edit_add(
            arena, n->edits, node->begin, node->end,
            ks_arena_printf(arena, "if (!(%s)) {", ks_node_text(arena, &n->s->body, node->kid[0])));
        ks_edit_add(arena, n->edits, body->end - 1, body->end - 1, "} ");
    }
}

// What a load or a store with a hint for caches goes to, as an element; NULL for another call. Those that pass by a cache,
// which others may write behind (__ldcg, __ldcv, __stwt), are none.
static const char *hinted(const struct normal *n, const struct ks_node *call, const char *name)
{
    static const char *const hints[] = {"__ldg", "__ldcs", "__ldca", "__ldlu", "__stcs", "__stcg", "__stwb"};
    bool is = false;
    for (size_t i = 0; i < sizeof hints / sizeof *hints; i++)
        is = is || (strcmp(name, hints[i]) == 0 && call->n == (ks_starts_with(name, "__ld") ? 2 : 3));
    const struct ks_node *place = is ? call->kid[1] : NULL;
    if (place && ks_node_is(place, KS_N_UNARY, "&") && place->kid[0]->kind == KS_N_INDEX)
        return ks_node_text(n->s->arena, &n->s->body, place->kid[0]);
    return place ? element(n, place) : NULL;
}

// Loads and stores in the element or the value are another pass's.
static void unhint(struct normal *n, const struct ks_node *call, const char *element)
{
    struct ks_arena *arena = n->s->arena;
    if (call->n == 2)
        ks_edit_add(arena, n->edits, call->begin, call->end, element);
    else
        ks_edit_add(arena, n->edits, call->begin, call->kid[2]->begin, ks_arena_printf(arena, "%s = (", element));
}

static bool visit(void *context, struct ks_node *node)
{
    struct normal *n = context;
    const char *name =
        node->kind == KS_N_CALL && node->kid[0]->kind == KS_N_NAME ? node->kid[0]->text : "";
    const struct ks_node *place = ks_node_is(node, KS_N_UNARY, "*") ? node->kid[0] : NULL;
    const char *plain = hinted(n, node, name);
    if (plain) {
        unhint(n, node, plain);
        return false;
    }
    bool takes_place = ks_starts_with(name, "atomic");
    if (takes_place && node->n > 1)
        place = node->kid[1];
    const char *text = place ? element(n, place) : NULL;
    if (text && place == node->kid[0])
        ks_edit_add(n->s->arena, n->edits, node->begin, node->end, text);
    else if (text)
        ks_edit_add(n->s->arena, n->edits, place->begin, place->end,
                    ks_arena_printf(n->s->arena, "&%s", text));
    if (node->kind == KS_N_FOR)
        nest(n, node->kid[3]);
    return text == NULL;
}

void ks_normal_edits(const struct ks_subject *s, struct ks_edit_list *edits)
{
    struct normal n = {s, edits};
    ks_node_walk(s->body.block, visit, &n);
}

void ks_node_drop(struct ks_arena *arena, struct ks_edit_list *edits, const struct ks_node *decl,
                  const bool *gone)
{
    bool kept = false;
    size_t n = 0;
    for (size_t i = 0; i < decl->n; i++)
        n += gone[i];
    if (n == decl->n) {
        ks_edit_add(arena, edits, decl->begin, decl->end, "");
        return;
    }
    for (size_t i = 0; i < decl->n; kept |= !gone[i], i++)
        if (gone[i] && kept) // with the comma in front
            ks_edit_add(arena, edits, decl->kid[i - 1]->end, decl->kid[i]->end, "");
        else if (gone[i])
            ks_edit_add(arena, edits, decl->kid[i]->begin, decl->kid[i + 1]->begin, "");
}
