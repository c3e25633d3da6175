// The guard of a map's items, tests of special cases in front of the common one, and the index's
// limit.
#include <string.h>

#include "engine/map_finder.h"

static bool changes_in(const struct ks_map_finder *f, const struct ks_node *expr)
{
    if (expr->kind == KS_N_NAME && ks_node_changes(f->body->block, expr->text))
        return true;
    for (size_t i = 0; i < expr->n; i++)
        if (changes_in(f, expr->kid[i]))
            return true;
    return false;
}

bool ks_map_is_global_x(const struct ks_map_finder *f, const struct ks_node *node)
{
    struct ks_poly p = ks_affine_eval(f->env, node);
    const char *block;
    return ks_poly_is_global(&p, 'x', &block);
}

// "i < LIMIT" in any spelling: the limit as plan text, or NULL.
const char *ks_map_upper_limit(const struct ks_map_finder *f, const struct ks_map_bound *bound)
{
    const struct ks_node *e = bound->expr, *index, *limit;
    if (e->kind != KS_N_BINARY || strlen(e->text) > 2 || !strchr("<>", e->text[0]) ||
        strcmp(e->text, "<<") == 0 || strcmp(e->text, ">>") == 0)
        return NULL;
    bool less = (e->text[0] == '<') != bound->negated; // kid 0 is the smaller side
    bool equal = (e->text[1] == '=') != bound->negated;
    index = less ? e->kid[0] : e->kid[1];
    limit = less ? e->kid[1] : e->kid[0];
    if (!ks_map_is_global_x(f, index) || changes_in(f, limit))
        return NULL;
    const char *text = ks_map_plan_text(f->arena, f->decl, f->env, f->constant, f->context, limit);
    return text && equal ? ks_arena_printf(f->arena, "(%s + 1)", text) : text;
}

static void split(struct ks_map_finder *f, const struct ks_node *expr, bool negated)
{
    if (ks_node_is(expr, KS_N_BINARY, negated ? "||" : "&&")) {
        split(f, expr->kid[0], negated);
        split(f, expr->kid[1], negated);
        return;
    }
    if (ks_node_is(expr, KS_N_UNARY, "!")) {
        split(f, expr->kid[0], !negated);
        return;
    }
    struct ks_map *m = f->map;
    ks_vec_grow_(f->arena, (void **)&m->bounds, &m->n_bounds, &m->cap_bounds, sizeof *m->bounds);
    m->bounds[m->n_bounds - 1] = (struct ks_map_bound){expr, negated};
}

bool ks_map_touches_memory(struct ks_node *node)
{
    return ks_node_find(node, KS_N_INDEX, NULL) || ks_node_find(node, KS_N_UNARY, "*") ||
           ks_node_find(node, KS_N_CALL, NULL) || ks_node_find(node, KS_N_ASSIGN, NULL) ||
           ks_node_find(node, KS_N_POSTFIX, NULL) || ks_node_find(node, KS_N_UNARY, "++") ||
           ks_node_find(node, KS_N_UNARY, "--");
}

static bool is_return(const struct ks_node *node)
{
    while (node->kind == KS_N_BLOCK && node->n == 1)
        node = node->kid[0];
    return node->kind == KS_N_RETURN;
}

void ks_map_add_items(struct ks_map_finder *f, struct ks_node *const *nodes, size_t n)
{
    struct ks_map *m = f->map;
    for (size_t i = 0; i < n; i++) {
        ks_vec_grow_(f->arena, (void **)&m->item, &m->n_item, &m->cap_item, sizeof *m->item);
        m->item[m->n_item - 1] = nodes[i];
    }
}

static void add_front(struct ks_map_finder *f, struct ks_node *decl)
{
    struct ks_map *m = f->map;
    ks_vec_grow_(f->arena, (void **)&m->front, &m->n_front, &m->cap_front, sizeof *m->front);
    m->front[m->n_front - 1] = decl;
}

static void add_test(struct ks_map_finder *f, const struct ks_node *expr, bool negated)
{
    struct ks_map *m = f->map;
    ks_vec_grow_(f->arena, (void **)&m->tests, &m->n_tests, &m->cap_tests, sizeof *m->tests);
    m->tests[m->n_tests - 1] = (struct ks_map_bound){expr, negated};
}

static bool ends_in_return(const struct ks_node *node)
{
    while (node->kind == KS_N_BLOCK && node->n > 0)
        node = node->kid[node->n - 1];
    return node->kind == KS_N_RETURN;
}

// Special cases that leave early, and a last `if` whose condition is known before any access.
void ks_map_find_tests(struct ks_map_finder *f)
{
    struct ks_map *m = f->map;
    for (size_t i = 0; i < m->n_item; i++) {
        struct ks_node *node = m->item[i];
        if (node->kind == KS_N_EMPTY)
            continue;
        if (node->kind == KS_N_DECL && !ks_map_touches_memory(node)) {
            add_front(f, node);
            continue;
        }
        if (node->kind != KS_N_IF || ks_map_touches_memory(node->kid[0]))
            return;
        if (node->n == 2 && ends_in_return(node->kid[1])) {
            add_test(f, node->kid[0], true);
            ks_edit_add(f->arena, &m->common, node->begin, node->end, "");
            continue;
        }
        if (i + 1 == m->n_item) {
            add_test(f, node->kid[0], false);
            ks_edit_add(f->arena, &m->common, node->begin, node->kid[1]->begin, "");
            ks_edit_add(f->arena, &m->common, node->kid[1]->end, node->end, "");
        }
        return;
    }
}

// Declarations and early returns in front, or one `if` round the rest.
void ks_map_find_guard(struct ks_map_finder *f, struct ks_node *const *nodes, size_t n)
{
    size_t i = 0;
    for (; i < n; i++) {
        if (nodes[i]->kind == KS_N_EMPTY)
            continue;
        if (nodes[i]->kind == KS_N_DECL && !ks_map_touches_memory(nodes[i])) {
            add_front(f, nodes[i]);
            continue;
        }
        if (nodes[i]->kind != KS_N_IF || nodes[i]->n != 2 || !is_return(nodes[i]->kid[1]) ||
            ks_map_touches_memory(nodes[i]->kid[0]))
            break;
        split(f, nodes[i]->kid[0], true);
        ks_edit_add(f->arena, &f->map->strip, nodes[i]->begin, nodes[i]->end, "");
    }
    f->map->item_begin = i < n ? nodes[i]->begin : f->map->end;
    if (i + 1 == n && nodes[i]->kind == KS_N_IF && nodes[i]->n == 2 &&
        !ks_map_touches_memory(nodes[i]->kid[0])) {
        struct ks_node *branch = nodes[i]->kid[1];
        split(f, nodes[i]->kid[0], false);
        ks_edit_add(f->arena, &f->map->strip, nodes[i]->begin, branch->begin, "");
        ks_map_add_items(f, branch->kind == KS_N_BLOCK ? branch->kid : &branch,
                         branch->kind == KS_N_BLOCK ? branch->n : 1);
        return;
    }
    ks_map_add_items(f, nodes + i, n - i);
}

void ks_map_find_limit(struct ks_map_finder *f)
{
    const char *limit = NULL;
    for (size_t i = 0; i < f->map->n_bounds; i++) {
        const char *one = ks_map_upper_limit(f, &f->map->bounds[i]);
        if (!one)
            return;
        limit = limit ? ks_arena_printf(f->arena, "min(%s, %s)", limit, one) : one;
    }
    f->map->limit = limit;
}
