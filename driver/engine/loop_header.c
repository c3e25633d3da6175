// What a loop counts: from where, to where and by how much.
#include <string.h>

#include "engine/loop_reader.h"

// "k++", "k += e", "k = k + e" and the same downwards.
static bool read_step(struct ks_loop_reader *r, const struct ks_node *step)
{
    struct ks_loop *l = r->loop;
    const struct ks_node *by = NULL;
    if (step->n == 0 || !ks_node_is(step->kid[0], KS_N_NAME, NULL))
        return false;
    l->var = step->kid[0]->text;
    l->step = step;
    if (step->kind == KS_N_POSTFIX || step->kind == KS_N_UNARY) {
        l->down = strcmp(step->text, "--") == 0;
        l->by = "1";
        return l->down || strcmp(step->text, "++") == 0;
    }
    if (step->kind != KS_N_ASSIGN)
        return false;
    by = step->kid[1];
    const char *op = step->text;
    if (strcmp(op, "=") == 0 && by->kind == KS_N_BINARY) {
        bool left = ks_node_is(by->kid[0], KS_N_NAME, l->var);
        if (!left && !(by->text[0] == '+' && ks_node_is(by->kid[1], KS_N_NAME, l->var)))
            return false;
        op = by->text[0] == '+' ? "+=" : "-=";
        if (strcmp(by->text, "+") != 0 && strcmp(by->text, "-") != 0)
            return false;
        by = by->kid[left];
    }
    l->down = strcmp(op, "-=") == 0;
    if (!l->down && strcmp(op, "+=") != 0)
        return false;
    l->by = ks_node_text(r->arena, r->body, by);
    l->width = by;
    return ks_node_count_name(by, l->var) == 0;
}

static bool read_condition(struct ks_loop_reader *r, const struct ks_node *test)
{
    static const char *const signs[] = {"<", "<=", ">", ">="}, *const turned[] = {">", ">=", "<",
                                                                                  "<="};
    struct ks_loop *l = r->loop;
    for (int i = 0; test->kind == KS_N_BINARY && i < 4; i++) {
        if (strcmp(test->text, signs[i]) != 0)
            continue;
        bool left = ks_node_is(test->kid[0], KS_N_NAME, l->var);
        if (!left && !ks_node_is(test->kid[1], KS_N_NAME, l->var))
            return false;
        l->compare = left ? signs[i] : turned[i];
        l->limit = test->kid[left];
    }
    return l->limit && (l->compare[0] == '>') == l->down &&
           ks_node_count_name(l->limit, l->var) == 0;
}

bool ks_loop_changes(const struct ks_loop_reader *r, const struct ks_node *expr)
{
    if (expr->kind == KS_N_NAME && ks_node_changes(r->loop->node, expr->text))
        return true;
    for (size_t i = 0; i < expr->n; i++)
        if (ks_loop_changes(r, expr->kid[i]))
            return true;
    return expr->kind == KS_N_ASSIGN || expr->kind == KS_N_POSTFIX;
}

// How often the name stands where its value does not come from the loop: all but loops and
// statements that set it first.
static int seen_elsewhere(const struct ks_node *node, const struct ks_node *loop, const char *name)
{
    const struct ks_node *first = node->kind == KS_N_FOR    ? node->kid[0]
                                  : node->kind == KS_N_EXPR ? node
                                                            : NULL;
    if (node == loop)
        return 0;
    if (first && first->kind == KS_N_EXPR && ks_node_is(first->kid[0], KS_N_ASSIGN, "=") &&
        ks_node_is(first->kid[0]->kid[0], KS_N_NAME, name) &&
        ks_node_count_name(first->kid[0]->kid[1], name) == 0)
        return 0;
    int n = node->kind == KS_N_NAME && strcmp(node->text, name) == 0;
    for (size_t i = 0; i < node->n; i++)
        n += seen_elsewhere(node->kid[i], loop, name);
    return node->init ? n + seen_elsewhere(node->init, loop, name) : n;
}

bool ks_loop_header(struct ks_loop_reader *r)
{
    struct ks_loop *l = r->loop;
    struct ks_node *node = l->node;
    const struct ks_node *step = NULL, *test;
    if (node->kind == KS_N_WHILE) {
        l->body = node->kid[1];
        test = node->kid[0];
        if (l->body->kind == KS_N_BLOCK && l->body->n > 0 &&
            l->body->kid[l->body->n - 1]->kind == KS_N_EXPR)
            step = l->body->kid[l->body->n - 1]->kid[0];
    } else {
        l->body = node->kid[3];
        test = node->kid[1];
        step = node->kid[2];
    }
    if (!step || !read_step(r, step) || !read_condition(r, test))
        return false;
    const struct ks_node *init = node->kind == KS_N_FOR ? node->kid[0] : NULL;
    if (init && init->kind == KS_N_DECL) {
        l->declared = init->n == 1 && strcmp(init->kid[0]->text, l->var) == 0 &&
                      !init->kid[0]->pointer && init->kid[0]->init;
        l->start = init->kid[0]->init;
        return l->declared;
    }
    if (init && init->kind == KS_N_EXPR) {
        const struct ks_node *set = init->kid[0];
        if (!ks_node_is(set, KS_N_ASSIGN, "=") || !ks_node_is(set->kid[0], KS_N_NAME, l->var))
            return false;
        l->start = set->kid[1];
    }
    const struct ks_node *decl = ks_loop_declaration(r->body->block, l->var, node->begin);
    return decl && !decl->shared && seen_elsewhere(r->body->block, node, l->var) == 0;
}

static bool constant(const struct ks_affine *env, const struct ks_node *expr, int64_t *value)
{
    struct ks_poly p = ks_affine_eval(env, expr);
    *value = p.n ? p.term[0].coef : 0;
    return p.known && (p.n == 0 || (p.n == 1 && p.term[0].n == 0));
}

int64_t ks_loop_turns(const struct ks_loop_reader *r)
{
    const struct ks_loop *l = r->loop;
    int64_t from, to, by;
    if (!l->start || !constant(&r->env, l->start, &from) || !constant(&r->env, l->limit, &to) ||
        !ks_parse_i64(l->by, &by) || by <= 0)
        return -1;
    int64_t span = l->down ? from - to : to - from;
    span += l->compare[1] == '=';
    return span <= 0 ? 0 : (span + by - 1) / by;
}
