#include "engine/reduction.h"

#include <string.h>

struct reader {
    struct ks_arena *arena;
    const struct ks_body *body;
};

int ks_node_count_name(const struct ks_node *node, const char *name)
{
    int n = node->kind == KS_N_NAME && strcmp(node->text, name) == 0;
    for (size_t i = 0; i < node->n; i++)
        n += ks_node_count_name(node->kid[i], name);
    return node->init ? n + ks_node_count_name(node->init, name) : n;
}

static bool one_of(const char *text, const char *const *words)
{
    for (; *words; words++)
        if (strcmp(text, *words) == 0)
            return true;
    return false;
}

static bool is_name(const struct ks_node *node, const char *name)
{
    return ks_node_is(node, KS_N_NAME, name);
}

// name + a - b, a + (name), fmaf(a, b, name): the variable once, in a place of weight one.
static bool summand(const struct ks_node *e, const char *name)
{
    static const char *const fused[] = {"fma", "fmaf", "__fmaf_rn", "__fma_rn", NULL};
    if (is_name(e, name))
        return true;
    if (e->kind == KS_N_CALL && e->n == 4 && e->kid[0]->kind == KS_N_NAME &&
        one_of(e->kid[0]->text, fused))
        return summand(e->kid[3], name);
    if (!ks_node_is(e, KS_N_BINARY, "+") && !ks_node_is(e, KS_N_BINARY, "-"))
        return false;
    if (ks_node_count_name(e->kid[0], name))
        return summand(e->kid[0], name);
    return e->text[0] == '+' && summand(e->kid[1], name);
}

static bool operand(const struct ks_node *e, const char *name, const char *op)
{
    if (is_name(e, name))
        return true;
    if (!ks_node_is(e, KS_N_BINARY, op))
        return false;
    return ks_node_count_name(e->kid[0], name) ? operand(e->kid[0], name, op)
                                               : operand(e->kid[1], name, op);
}

// max(max(name, a), b): the function, or NULL.
static const char *extreme(const struct ks_node *e, const char *name)
{
    static const char *const functions[] = {"max",  "min",      "fmaxf",    "fminf", "fmax",
                                            "fmin", "std::max", "std::min", NULL};
    if (e->kind != KS_N_CALL || e->n != 3 || e->kid[0]->kind != KS_N_NAME ||
        !one_of(e->kid[0]->text, functions))
        return NULL;
    for (size_t i = 1; i < 3; i++) {
        const char *inner = is_name(e->kid[i], name) ? NULL : extreme(e->kid[i], name);
        if (is_name(e->kid[i], name) || (inner && strcmp(inner, e->kid[0]->text) == 0))
            return e->kid[0]->text;
    }
    return NULL;
}

static bool same_text(const struct reader *r, const struct ks_node *a, const struct ks_node *b)
{
    return strcmp(ks_node_text(r->arena, r->body, a), ks_node_text(r->arena, r->body, b)) == 0;
}

// "e > name" picks e: the relation of the other value to the variable, or NULL.
static const char *relation(const struct ks_node *test, const char *name,
                            const struct ks_node **other)
{
    if (test->kind != KS_N_BINARY || !strchr("<>", test->text[0]) || strlen(test->text) > 2 ||
        (test->text[1] && test->text[1] != '='))
        return NULL;
    bool left = is_name(test->kid[0], name);
    if (!left && !is_name(test->kid[1], name))
        return NULL;
    *other = test->kid[left];
    return (test->text[0] == '>') != left ? ">" : "<";
}

static bool read_pick(const struct reader *r, const struct ks_node *test, const struct ks_node *yes,
                      const struct ks_node *no, struct ks_reduction *out)
{
    const struct ks_node *other;
    const char *pick = relation(test, out->name, &other);
    if (!pick || ks_node_find((struct ks_node *)other, KS_N_ASSIGN, NULL) ||
        ks_node_find((struct ks_node *)other, KS_N_POSTFIX, NULL))
        return false;
    if (same_text(r, yes, other) && is_name(no, out->name))
        out->pick = pick;
    else if (same_text(r, no, other) && is_name(yes, out->name))
        out->pick = *pick == '>' ? "<" : ">";
    return out->pick != NULL;
}

static bool set(struct ks_reduction *out, const char *identity, const char *front,
                const char *between, const char *behind)
{
    out->identity = identity;
    out->front = front;
    out->between = between;
    out->behind = behind;
    return true;
}

static bool read_operator(struct ks_reduction *out, const char *op)
{
    static const struct {
        const char *op, *identity, *between;
    } rules[] = {{"+", "0", " + "},  {"-", "0", " + "},  {"*", "1", " * "},
                 {"|", NULL, " | "}, {"&", NULL, " & "}, {"^", "0", " ^ "}};
    for (size_t i = 0; i < sizeof rules / sizeof *rules; i++)
        if (strncmp(op, rules[i].op, 1) == 0)
            return set(out, rules[i].identity, "", rules[i].between, "");
    return false;
}

static bool read_assignment(const struct reader *r, const struct ks_node *node,
                            struct ks_reduction *out)
{
    const struct ks_node *value = node->kid[1];
    out->name = node->kid[0]->text;
    if (strlen(node->text) == 2)
        return read_operator(out, node->text) && ks_node_count_name(value, out->name) == 0;
    if (strcmp(node->text, "=") != 0)
        return false;
    if (value->kind == KS_N_COND)
        return read_pick(r, value->kid[0], value->kid[1], value->kid[2], out);
    if (ks_node_count_name(value, out->name) != 1)
        return false;
    const char *function = extreme(value, out->name);
    if (function)
        return set(out, NULL, ks_arena_printf(r->arena, "%s(", function), ", ", ")");
    if (summand(value, out->name))
        return read_operator(out, "+");
    static const char *const plain[] = {"*", "|", "&", "^", NULL};
    for (size_t i = 0; plain[i]; i++)
        if (operand(value, out->name, plain[i]))
            return read_operator(out, plain[i]);
    return false;
}

static const struct ks_node *only(const struct ks_node *node)
{
    while (node->kind == KS_N_BLOCK && node->n == 1)
        node = node->kid[0];
    return node->kind == KS_N_EXPR ? node->kid[0] : node;
}

bool ks_reduction_read(struct ks_arena *arena, const struct ks_body *body,
                       const struct ks_node *node, struct ks_reduction *out)
{
    struct reader r = {arena, body};
    *out = (struct ks_reduction){0};
    bool ok = false;
    if (node->kind == KS_N_IF && node->n == 2) { // if (e > m) m = e;
        const struct ks_node *a = only(node->kid[1]);
        if (ks_node_is(a, KS_N_ASSIGN, "=") && a->kid[0]->kind == KS_N_NAME) {
            out->name = a->kid[0]->text;
            ok = read_pick(&r, node->kid[0], a->kid[1], a->kid[0], out);
        }
    } else if (node->kind == KS_N_ASSIGN && node->kid[0]->kind == KS_N_NAME) {
        ok = read_assignment(&r, node, out);
    } else if ((node->kind == KS_N_POSTFIX || node->kind == KS_N_UNARY) && node->n == 1 &&
               node->kid[0]->kind == KS_N_NAME &&
               (strcmp(node->text, "++") == 0 || strcmp(node->text, "--") == 0)) {
        out->name = node->kid[0]->text;
        ok = read_operator(out, "+");
    }
    if (ok)
        out->places = ks_node_count_name(node, out->name);
    return ok;
}

// if (e > m) { m = e; at = i; }, in either order.
bool ks_reduction_read_placed(struct ks_arena *arena, const struct ks_body *body,
                              const struct ks_node *node, struct ks_reduction *out)
{
    struct reader r = {arena, body};
    const struct ks_node *both = node->kind == KS_N_IF && node->n == 2 ? node->kid[1] : NULL;
    if (both == NULL || both->kind != KS_N_BLOCK || both->n != 2)
        return false;
    for (size_t i = 0; i < 2; i++) {
        const struct ks_node *pick = only(both->kid[i]), *keep = only(both->kid[1 - i]);
        if (!ks_node_is(pick, KS_N_ASSIGN, "=") || pick->kid[0]->kind != KS_N_NAME ||
            !ks_node_is(keep, KS_N_ASSIGN, "=") || keep->kid[0]->kind != KS_N_NAME)
            return false;
        *out = (struct ks_reduction){.name = pick->kid[0]->text, .place = keep->kid[0]->text, .where = keep->kid[1],
                                     .value = pick->kid[1]};
        const char *relation = node->kid[0]->kind == KS_N_BINARY ? node->kid[0]->text : "";
        // The first of equal ones stays: with <= it would be the last.
        if (strlen(relation) != 1 || !read_pick(&r, node->kid[0], pick->kid[1], pick->kid[0], out) ||
            ks_node_count_name(node, out->place) != 1 || ks_node_count_name(keep, out->name) != 0)
            continue;
        out->places = ks_node_count_name(node, out->name);
        return true;
    }
    return false;
}

static bool same(const char *a, const char *b)
{
    return a == b || (a && b && strcmp(a, b) == 0);
}

bool ks_reduction_same(const struct ks_reduction *a, const struct ks_reduction *b)
{
    return strcmp(a->name, b->name) == 0 && same(a->front, b->front) &&
           same(a->between, b->between) && same(a->pick, b->pick) && same(a->place, b->place);
}

const char *ks_reduction_text(struct ks_arena *arena, const struct ks_reduction *r,
                              const char *value)
{
    if (r->pick)
        return ks_arena_printf(arena, "%s %s %s ? %s : %s", value, r->pick, r->name, value,
                               r->name);
    return ks_arena_printf(arena, "%s%s%s%s%s", r->front, r->name, r->between, value, r->behind);
}
