// What is asked of a parsed body: texts, walks, what changes.
#include <string.h>

#include "engine/body.h"

bool ks_node_is(const struct ks_node *node, enum ks_node_kind kind, const char *text)
{
    return node && node->kind == kind && (!text || strcmp(node->text, text) == 0);
}

char *ks_node_text(struct ks_arena *arena, const struct ks_body *body, const struct ks_node *node)
{
    return ks_arena_strndup(arena, body->text.at + node->begin, node->end - node->begin);
}

size_t ks_node_front(const struct ks_body *body, const struct ks_node *node)
{
    for (size_t i = 0; i < body->n_pragmas; i++)
        if (body->pragmas[i].end <= node->begin &&
            strspn(body->text.at + body->pragmas[i].end, " \t\r\n") ==
                node->begin - body->pragmas[i].end)
            return body->pragmas[i].begin;
    return node->begin;
}

void ks_node_walk(struct ks_node *node, ks_node_visit *visit, void *context)
{
    if (!node || !visit(context, node))
        return;
    for (size_t i = 0; i < node->n; i++)
        ks_node_walk(node->kid[i], visit, context);
    ks_node_walk(node->init, visit, context);
}

bool ks_function_is_pure(const char *name)
{
    static const char *const names[] = {
        "abs",  "fabs",     "max",     "min",      "fmax",  "fmin",  "sqrt",  "rsqrt", "exp",
        "exp2", "expm1",    "log",     "log2",     "log10", "log1p", "pow",   "sin",   "cos",
        "tan",  "tanh",     "sinh",    "cosh",     "asin",  "acos",  "atan",  "atan2", "erf",
        "erfc", "floor",    "ceil",    "round",    "rint",  "trunc", "fma",   "fmod",  "hypot",
        "cbrt", "isnan",    "isinf",   "copysign", "ldexp", "powi",  "exp10", "llabs", "labs",
        "fdim", "isfinite", "signbit", "make",     NULL};
    if (ks_starts_with(name, "std::"))
        name += 5;
    if (ks_starts_with(name, "__") || ks_starts_with(name, "make_") || ks_starts_with(name, "opt_"))
        return true;
    size_t n = strlen(name);
    for (size_t i = 0; names[i]; i++) {
        size_t k = strlen(names[i]);
        if (strncmp(name, names[i], k) == 0 && (n == k || (n == k + 1 && name[k] == 'f')))
            return true;
    }
    return false;
}

const char *ks_node_changed_by(const struct ks_node *call, size_t i)
{
    const struct ks_node *root = call->kid[i];
    if (i > 0 && !(call->changes & (i < 32 ? 1u << (i - 1) : (uint32_t)KS_CALLEE_ALL)))
        return NULL;
    if (i == 0 && root->kind != KS_N_MEMBER) // the object of a method
        return NULL;
    while (root->kind == KS_N_INDEX || root->kind == KS_N_MEMBER)
        root = root->kid[0];
    return root->kind == KS_N_NAME ? root->text : NULL;
}

struct changes {
    const char *name;
    bool found;
};

static bool visit_changes(void *context, struct ks_node *node)
{
    struct changes *c = context;
    bool writes = node->kind == KS_N_ASSIGN || node->kind == KS_N_POSTFIX ||
                  (node->kind == KS_N_UNARY &&
                   (strcmp(node->text, "++") == 0 || strcmp(node->text, "--") == 0 ||
                    strcmp(node->text, "&") == 0));
    if (writes && node->n > 0) {
        struct ks_node *target = node->kid[0];
        while (target->kind == KS_N_INDEX || target->kind == KS_N_MEMBER)
            target = target->kid[0];
        c->found |= ks_node_is(target, KS_N_NAME, c->name);
    }
    for (size_t i = 0; node->kind == KS_N_CALL && i < node->n; i++) {
        const char *name = ks_node_changed_by(node, i);
        c->found |= name && strcmp(name, c->name) == 0;
    }
    return !c->found;
}

bool ks_node_changes(struct ks_node *node, const char *name)
{
    struct changes c = {name, false};
    ks_node_walk(node, visit_changes, &c);
    return c.found;
}

struct search {
    enum ks_node_kind kind;
    const char *text;
    struct ks_node *found;
};

static bool visit_search(void *context, struct ks_node *node)
{
    struct search *s = context;
    if (!s->found && ks_node_is(node, s->kind, s->text))
        s->found = node;
    return !s->found;
}

struct ks_node *ks_node_find(struct ks_node *node, enum ks_node_kind kind, const char *text)
{
    struct search s = {kind, text, NULL};
    ks_node_walk(node, visit_search, &s);
    return s.found;
}

bool ks_node_mentions(const struct ks_node *node, const char *name)
{
    return ks_node_find((struct ks_node *)(uintptr_t)node, KS_N_NAME, name) != NULL;
}
