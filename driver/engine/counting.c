// Loops that count, in one spelling: `while (i < n) { ...; i += s; }` becomes `for (; i < n; i +=
// s)`, where the variable gets its first value just in front that goes in as well, and one that
// serves such loops alone is declared in them. All that looks for counters then sees them.
#include <string.h>

#include "engine/reshape.h"

struct counting {
    const struct ks_subject *s;
    struct ks_edit_list *edits;
};

static bool changes_something(const struct ks_node *node)
{
    return node->kind == KS_N_ASSIGN || node->kind == KS_N_POSTFIX || node->kind == KS_N_CALL ||
           (node->kind == KS_N_UNARY &&
            (strcmp(node->text, "++") == 0 || strcmp(node->text, "--") == 0));
}

static bool visit_effect(void *found, struct ks_node *node)
{
    *(bool *)found = *(bool *)found || changes_something(node);
    return true;
}

static bool has_effects(struct ks_node *node)
{
    bool found = false;
    ks_node_walk(node, visit_effect, &found);
    return found;
}

// The variable that `i += s`, `i = i + s` or `++i` steps, or "".
static const char *stepped(const struct ks_node *node)
{
    if (node->kind == KS_N_CALL || !changes_something(node) || node->kid[0]->kind != KS_N_NAME)
        return "";
    return node->kid[0]->text;
}

struct names {
    const struct ks_node *of;
    bool found;
};

static bool visit_declares(void *context, struct ks_node *node)
{
    struct names *n = context;
    n->found = n->found || (node->kind == KS_N_VAR && ks_node_mentions(n->of, node->text));
    return true;
}

// Whether something that `of` mentions is declared below `node`.
static bool declares(struct ks_node *node, const struct ks_node *of)
{
    struct names n = {of, false};
    ks_node_walk(node, visit_declares, &n);
    return n.found;
}

// A `continue` of this loop would leave its last statement out.
static bool continues(const struct ks_node *node)
{
    if (node->kind == KS_N_CONTINUE)
        return true;
    if (node->kind == KS_N_FOR || node->kind == KS_N_WHILE || node->kind == KS_N_DO)
        return false;
    for (size_t i = 0; i < node->n; i++)
        if (continues(node->kid[i]))
            return true;
    return false;
}

static bool visit_while(void *context, struct ks_node *node)
{
    struct counting *c = context;
    struct ks_arena *arena = c->s->arena;
    struct ks_node *body = node->kind == KS_N_WHILE ? node->kid[1] : NULL;
    if (body == NULL || body->kind != KS_N_BLOCK || body->n < 2)
        return true;
    const struct ks_node *last = body->kid[body->n - 1];
    const char *name = last->kind == KS_N_EXPR ? stepped(last->kid[0]) : "";
    if (*name == '\0' || !ks_node_mentions(node->kid[0], name) || declares(body, last) ||
        continues(body))
        return true;
    ks_edit_add(arena, c->edits, node->begin, body->begin,
                ks_arena_printf(arena, "for (; %s; %s) ",
                                ks_node_text(arena, &c->s->body, node->kid[0]),
                                ks_node_text(arena, &c->s->body, last->kid[0])));
    ks_edit_add(arena, c->edits, last->begin, last->end, "");
    return true;
}

void ks_while_edits(const struct ks_subject *s, struct ks_edit_list *edits)
{
    struct counting c = {s, edits};
    ks_node_walk(s->body.block, visit_while, &c);
}

// Inside the bracket of a `for`, where its first statement begins.
static size_t start_of(const struct counting *c, const struct ks_node *loop)
{
    const char *text = c->s->body.text.at,
               *open = memchr(text + loop->begin, '(', loop->end - loop->begin);
    return (size_t)(open - text) + 1;
}

// `i = START;` right in front of `for (; ...; i += s)`.
static bool visit_starts(void *context, struct ks_node *block)
{
    struct counting *c = context;
    struct ks_arena *arena = c->s->arena;
    for (size_t i = 0; block->kind == KS_N_BLOCK && i + 1 < block->n; i++) {
        const struct ks_node *node = block->kid[i], *loop = block->kid[i + 1];
        const struct ks_node *set = node->kind == KS_N_EXPR ? node->kid[0] : NULL;
        if (!ks_node_is(set, KS_N_ASSIGN, "=") || set->kid[0]->kind != KS_N_NAME ||
            loop->kind != KS_N_FOR || loop->kid[0]->kind != KS_N_EMPTY ||
            strcmp(stepped(loop->kid[2]), set->kid[0]->text) != 0)
            continue;
        ks_edit_add(arena, c->edits, node->begin, node->end, "");
        ks_edit_add(arena, c->edits, start_of(c, loop), start_of(c, loop),
                    ks_node_text(arena, &c->s->body, set));
    }
    return true;
}

void ks_start_edits(const struct ks_subject *s, struct ks_edit_list *edits)
{
    struct counting c = {s, edits};
    ks_node_walk(s->body.block, visit_starts, &c);
}

struct uses {
    const char *name;
    int named, declared;
};

static bool visit_use(void *context, struct ks_node *node)
{
    struct uses *u = context;
    u->named += ks_node_is(node, KS_N_NAME, u->name);
    u->declared += ks_node_is(node, KS_N_VAR, u->name);
    return true;
}

static struct uses count(struct ks_node *node, const char *name)
{
    struct uses u = {name, 0, 0};
    ks_node_walk(node, visit_use, &u);
    return u;
}

// Loops that give the variable its value at their start.
struct starts {
    const char *name;
    struct ks_node *loop[8];
    size_t n;
    int named; // in them
};

static bool visit_start(void *context, struct ks_node *node)
{
    struct starts *s = context;
    const struct ks_node *init = node->kind == KS_N_FOR ? node->kid[0] : NULL;
    if (init == NULL || init->kind != KS_N_EXPR || !ks_node_is(init->kid[0], KS_N_ASSIGN, "=") ||
        !ks_node_is(init->kid[0]->kid[0], KS_N_NAME, s->name) ||
        ks_node_mentions(init->kid[0]->kid[1], s->name) || s->n == sizeof s->loop / sizeof *s->loop)
        return true;
    s->loop[s->n++] = node;
    s->named += count(node, s->name).named;
    return false;
}

// `int i; for (i = 0; ...)`: declared in each such loop, if it is of use in them alone.
static bool declare_in_loops(struct counting *c, struct ks_node *block, const struct ks_node *decl,
                             const struct ks_node *var)
{
    struct starts s = {.name = var->text};
    ks_node_walk(block, visit_start, &s);
    if (s.n == 0 || s.named != count(block, var->text).named)
        return false;
    for (size_t i = 0; i < s.n; i++)
        ks_edit_add(c->s->arena, c->edits, s.loop[i]->kid[0]->begin, s.loop[i]->kid[0]->begin,
                    ks_arena_printf(c->s->arena, "%s ", decl->text));
    return true;
}

// `int i = START; for (; ...)`, with nothing but declarations without effects between.
static bool move_into_loop(struct counting *c, struct ks_node *block, size_t at,
                           const struct ks_node *var)
{
    struct ks_arena *arena = c->s->arena;
    const struct ks_node *decl = block->kid[at];
    const char *start = ks_node_text(arena, &c->s->body, var->init);
    struct ks_node *loop = NULL;
    if (has_effects((struct ks_node *)decl) || strchr(start, '\n') != NULL)
        return false;
    for (size_t i = at + 1; i < block->n && loop == NULL; i++) {
        struct ks_node *node = block->kid[i];
        if (node->kind == KS_N_FOR && node->kid[0]->kind == KS_N_EMPTY &&
            strcmp(stepped(node->kid[2]), var->text) == 0)
            loop = node;
        else if (node->kind != KS_N_DECL || has_effects(node))
            return false;
    }
    if (loop == NULL || count(loop, var->text).named != count(block, var->text).named)
        return false;
    ks_edit_add(arena, c->edits, start_of(c, loop), start_of(c, loop),
                ks_arena_printf(arena, "%s %s = %s", decl->text, var->text, start));
    return true;
}

static void look_at_block(struct counting *c, struct ks_node *block)
{
    for (size_t i = 0; i < block->n; i++) {
        struct ks_node *decl = block->kid[i];
        if (decl->kind != KS_N_DECL || decl->shared || decl->is_static || decl->is_extern ||
            strstr(decl->text, "const") != NULL)
            continue;
        bool *gone = KS_NEW_ARRAY(c->s->arena, bool, decl->n + 1), any = false;
        for (size_t v = 0; v < decl->n; v++) {
            const struct ks_node *var = decl->kid[v];
            if (var->n > 0 || var->pointer || var->reference ||
                count(c->s->body.block, var->text).declared != 1)
                continue;
            gone[v] = var->init != NULL ? move_into_loop(c, block, i, var)
                                        : declare_in_loops(c, block, decl, var);
            any = any || gone[v];
        }
        if (any)
            ks_node_drop(c->s->arena, c->edits, decl, gone);
    }
}

static bool visit_block(void *context, struct ks_node *node)
{
    if (node->kind == KS_N_BLOCK)
        look_at_block(context, node);
    return true;
}

void ks_counter_edits(const struct ks_subject *s, struct ks_edit_list *edits)
{
    struct counting c = {s, edits};
    ks_node_walk(s->body.block, visit_block, &c);
}
