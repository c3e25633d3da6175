#include "engine/pad.h"

#include <string.h>

#include "engine/pattern.h"

struct padding {
    struct ks_subject *s;
    const struct ks_pattern_list *list;
    int pad, which; // of the pads that accesses know
    int done;
    const char *why;
};

static void refuse(struct padding *p, const struct ks_node *at, const char *why)
{
    if (p->why == NULL)
        p->why = ks_arena_printf(p->s->arena, "line %d: %s: %s", at->line, at->text, why);
}

struct uses {
    const char *name;
    size_t extents;
    int declared;
    bool whole; // it is used as a whole, a row of it is, or where an element lies
};

static bool visit_uses(void *context, struct ks_node *node)
{
    struct uses *u = context;
    const struct ks_node *base = node;
    size_t depth = 0;
    u->declared += node->kind == KS_N_VAR && strcmp(node->text, u->name) == 0;
    for (; base->kind == KS_N_INDEX; base = base->kid[0])
        depth++;
    bool address = ks_node_is(node, KS_N_UNARY, "&") && node->kid[0]->kind == KS_N_INDEX;
    if (address) {
        const struct ks_node *root = node->kid[0];
        while (root->kind == KS_N_INDEX)
            root = root->kid[0];
        u->whole |= ks_node_is(root, KS_N_NAME, u->name);
    }
    if (!ks_node_is(base, KS_N_NAME, u->name))
        return true;
    u->whole |= depth != u->extents;
    for (base = node; base->kind == KS_N_INDEX; base = base->kid[0])
        ks_node_walk(base->kid[1], visit_uses, u);
    return false;
}

// Wavefronts of all accesses to the array, as it is and padded; false where none conflicts.
static bool count(const struct padding *p, const char *name, unsigned *now, unsigned *then)
{
    bool conflicts = false;
    *now = *then = 0;
    for (size_t i = 0; i < p->list->shared.len; i++) {
        const struct ks_lane_access *a = &p->list->shared.at[i];
        if (strcmp(a->name, name) != 0 || !a->known)
            continue;
        conflicts |= a->waves > a->turns;
        *now += a->waves;
        *then += a->padded[p->which];
    }
    return conflicts;
}

static void pad_array(struct padding *p, const struct ks_node *decl, const struct ks_node *var)
{
    struct uses uses = {.name = var->text, .extents = var->n};
    unsigned now, then;
    ks_node_walk(p->s->body.block, visit_uses, &uses);
    bool conflicts = count(p, var->text, &now, &then);
    const char *why = decl->is_extern || var->n < 2 ? "it has no rows"
                      : !conflicts                  ? "no bank conflicts are seen"
                      : then >= now                 ? "rows of that length conflict as much"
                      : uses.declared > 1           ? "there are two of that name"
                      : uses.whole                  ? "a row of it, or where it lies, is asked for"
                                                    : NULL;
    if (why != NULL) {
        refuse(p, var, why);
        return;
    }
    const struct ks_node *last = var->kid[var->n - 1];
    bool plain = last->kind == KS_N_NUMBER || last->kind == KS_N_NAME;
    const char *text = ks_node_text(p->s->arena, &p->s->body, last);
    ks_edit_add(p->s->arena, &p->s->rewrites, last->begin, last->end,
                ks_arena_printf(p->s->arena, plain ? "%s + %d" : "(%s) + %d", text, p->pad));
    p->done++;
}

static bool visit(void *context, struct ks_node *node)
{
    struct padding *p = context;
    for (size_t i = 0; node->kind == KS_N_DECL && node->shared && i < node->n; i++)
        pad_array(p, node, node->kid[i]);
    return true;
}

enum ks_status ks_pad_rewrite(struct ks_subject *s, int pad, struct ks_err *err)
{
    struct ks_pattern_list list;
    struct padding p = {.s = s, .list = &list, .pad = pad};
    while (p.which < KS_LANE_PADS && 1 << p.which != pad)
        p.which++;
    if (p.which == KS_LANE_PADS)
        KS_FAIL(err, KS_E_UNSUPPORTED, "rows are longer by 1, 2, 4 or 8");
    ks_patterns_find(s, &list);
    ks_node_walk(s->body.block, visit, &p);
    if (p.done == 0)
        KS_FAIL(err, KS_E_UNSUPPORTED, "%s",
                p.why ? p.why : ks_arena_printf(s->arena, "line %d: no array in shared memory", s->decl->line));
    return KS_OK;
}
