// Where a template's value may end and what is made of it begin.
#include <string.h>

#include "base/vec.h"
#include "engine/loop.h"
#include "engine/tail_expr.h"

struct cut {
    size_t kept;                 // the first statement that is; their number: the store alone
    const char *variable;        // that has the template's value in front of it; or
    const struct ks_node *value; // an expression in it is that
};
struct cuts {
    struct ks_tail_reader *t;
    const struct ks_node *store;
    struct ks_nodes list; // statements in front of the store
    struct cut at[KS_TAIL_CUTS];
    size_t n, kept;
};

static const struct ks_node *statement(const struct cuts *c, size_t i)
{
    return i < c->list.len ? c->list.at[i] : c->store;
}

// ---- statements

static bool is_plain(const struct ks_node *s)
{
    if (s->kind == KS_N_EXPR)
        return s->kid[0]->kind == KS_N_ASSIGN && s->kid[0]->kid[0]->kind == KS_N_NAME;
    return s->kind == KS_N_IF || (s->kind == KS_N_DECL && !s->shared && !s->is_static);
}

// Those in front of the store without a loop or what else is not understood between.
static bool collect(struct cuts *c, const struct ks_tail_store *s)
{
    for (size_t d = 0; d < s->depth; d++) {
        struct ks_node *outer = s->path[d], *next = d + 1 < s->depth ? s->path[d + 1] : s->store;
        if (ks_node_is_loop(outer))
            c->list.len = 0;
        if (outer->kind == KS_N_IF && outer->kid[1] != next)
            return false;
        for (size_t i = 0; outer->kind == KS_N_BLOCK && outer->kid[i] != next; i++) {
            if (ks_tail_passes(outer->kid[i]))
                continue;
            if (is_plain(outer->kid[i]))
                *ks_vec_push(c->t->arena, &c->list) = outer->kid[i];
            else
                c->list.len = 0;
        }
    }
    return true;
}

// ---- expressions

static void add(struct cuts *c, const char *variable, const struct ks_node *value)
{
    if (c->n < KS_TAIL_CUTS)
        c->at[c->n] = (struct cut){c->kept, variable, value};
    c->n++;
}

static bool is_local(const struct cuts *c, const char *name)
{
    return ks_loop_declaration(c->t->body.block, name, statement(c, c->kept)->begin) != NULL;
}

static bool visit_source(void *context, struct ks_node *node)
{
    struct cuts *c = context;
    if (node->kind == KS_N_INDEX || (node->kind == KS_N_NAME && is_local(c, node->text)))
        c->n++;
    return true;
}

// Whether something of the kernel's goes into it, not numbers alone.
static bool has_source(const struct cuts *c, struct ks_node *e)
{
    struct cuts counted = {.t = c->t, .store = c->store, .list = c->list, .kept = c->kept};
    ks_node_walk(e, visit_source, &counted);
    return counted.n > 0;
}

// Every expression in it but what is read or named, the inner ones last.
static void add_parts(struct cuts *c, struct ks_node *e, bool whole)
{
    size_t param;
    const struct ks_node *base = e;
    while (base->kind == KS_N_INDEX)
        base = base->kid[0];
    const bool read =
        e->kind == KS_N_INDEX && base->kind == KS_N_NAME && ks_tail_param(c->t, base->text, &param);
    if (e->kind == KS_N_NUMBER || e->kind == KS_N_NAME || e->kind == KS_N_MEMBER || read)
        return;
    if (!whole && has_source(c, e))
        add(c, NULL, e);
    for (size_t i = e->kind == KS_N_CALL; e->kind != KS_N_INDEX && i < e->n; i++)
        add_parts(c, e->kid[i], false);
}

static void add_expressions(struct cuts *c)
{
    const struct ks_node *s = statement(c, c->kept);
    if (s->kind == KS_N_EXPR && s->kid[0]->kind == KS_N_ASSIGN)
        add_parts(c, s->kid[0]->kid[1], true);
    for (size_t i = 0; s->kind == KS_N_DECL && i < s->n; i++)
        if (s->kid[i]->init)
            add_parts(c, s->kid[i]->init, true);
}

// ---- variables

static bool declares(const struct ks_node *s, const char *name)
{
    for (size_t i = 0; s->kind == KS_N_DECL && i < s->n; i++)
        if (strcmp(s->kid[i]->text, name) == 0)
            return true;
    return false;
}

static bool visit_variable(void *context, struct ks_node *node)
{
    struct cuts *c = context;
    if (node->kind == KS_N_INDEX)
        return false; // where it is stored or read is the template's business
    if (node->kind != KS_N_NAME || !is_local(c, node->text))
        return true;
    struct ks_node *front = c->kept > 0 ? c->list.at[c->kept - 1] : NULL;
    if (front && !declares(front, node->text) && !ks_node_changes(front, node->text))
        return true; // it has that value earlier
    for (size_t i = 0; i < c->n && i < KS_TAIL_CUTS; i++)
        if (c->at[i].kept == c->kept && c->at[i].variable &&
            strcmp(c->at[i].variable, node->text) == 0)
            return true;
    add(c, node->text, NULL);
    return true;
}

static void find_cuts(struct cuts *c)
{
    for (c->kept = c->list.len + 1; c->kept-- > 0;) {
        add_expressions(c);
        for (size_t i = c->kept; i <= c->list.len; i++)
            ks_node_walk((struct ks_node *)(uintptr_t)statement(c, i), visit_variable, c);
    }
}

// ---- one of them

static bool give(struct ks_tail_reader *t, const struct cut *cut)
{
    const struct ks_node *decl = ks_loop_declaration(t->body.block, cut->variable, t->cut.from);
    for (size_t i = 0; i < decl->n; i++) {
        const struct ks_node *var = decl->kid[i];
        if (strcmp(var->text, cut->variable) == 0 &&
            (var->n > 0 || var->pointer || var->reference || decl->shared || decl->is_static))
            return false;
    }
    t->accumulator = cut->variable;
    ks_buf_printf(&t->front, "    %s %s = its_sum;\n", decl->text, cut->variable);
    ks_tail_set(t, cut->variable, "@sum@");
    return true;
}

static bool read_cut(struct cuts *c, const struct cut *cut, struct ks_tail *tail)
{
    struct ks_tail_reader *t = c->t;
    const struct ks_node *first = statement(c, cut->kept), *stored = c->store->kid[0]->kid[1];
    struct ks_nodes kept = {0};
    t->cut = (struct ks_tail_cut){first->begin, first->end, NULL};
    if (cut->value)
        t->cut.text = ks_node_text(t->arena, &t->body, cut->value);
    else if (!give(t, cut))
        return false;
    for (size_t i = cut->kept; i < c->list.len; i++) {
        if (!ks_tail_statement(t, c->list.at[i]))
            return false;
        *ks_vec_push(t->arena, &kept) = c->list.at[i];
    }
    const char *value = ks_tail_formula(t, stored);
    if (!value || !t->accumulator)
        return false;
    ks_tail_finish(t, tail, &kept, stored, value);
    return true;
}

bool ks_tail_chooses(const struct ks_tail *tail)
{
    static const char *const choices[] = {" ? ", "larger(", "smaller(", "abs(", "floor("};
    bool is = false;
    for (size_t i = 0; i < sizeof choices / sizeof *choices; i++)
        is |= strstr(tail->lets, choices[i]) || strstr(tail->value, choices[i]);
    return is;
}

bool ks_tail_cut(struct ks_arena *arena, const struct ks_brief *brief, size_t nth,
                 struct ks_tail *tail, bool *more, const char **why)
{
    struct ks_tail_reader t;
    struct ks_tail_store store;
    struct cuts c = {.t = &t};
    bool found = false;
    *tail = (struct ks_tail){0};
    *more = false;
    if (ks_tail_open(&t, arena, ks_tail_kept(arena, brief), tail) && ks_tail_find_store(&t, &store)) {
        c.store = store.store;
        if (collect(&c, &store))
            find_cuts(&c);
        // Of more the longest tails would be missing.
        *more = c.n <= KS_TAIL_CUTS && nth < c.n;
        found = *more && read_cut(&c, &c.at[c.n - 1 - nth], tail);
    }
    ks_tail_close(&t);
    *why = t.why;
    return found;
}
