#include "engine/tail.h"

#include <string.h>

#include "base/vec.h"
#include "engine/edit.h"
#include "engine/loop.h"
#include "engine/tail_expr.h"

static bool refuse(struct ks_tail_reader *t, const struct ks_node *at, const char *what)
{
    if (t->why == NULL)
        t->why = ks_arena_printf(t->arena, "line %d: %s", at ? at->line : t->decl->line, what);
    return false;
}

// ---- where it is

static bool is_store(const struct ks_tail_reader *t, const struct ks_node *s)
{
    size_t param;
    return s->kind == KS_N_EXPR && s->n > 0 && s->kid[0]->kind == KS_N_ASSIGN &&
           s->kid[0]->kid[0]->kind == KS_N_INDEX && s->kid[0]->kid[0]->kid[0]->kind == KS_N_NAME &&
           ks_tail_param(t, s->kid[0]->kid[0]->kid[0]->text, &param);
}

static void find_store(const struct ks_tail_reader *t, struct ks_tail_store *s,
                       struct ks_node *node, struct ks_node **path, size_t depth)
{
    if (is_store(t, node)) {
        s->stores++;
        s->store = node;
        memcpy(s->path, path, depth * sizeof *path);
        s->depth = depth;
        return;
    }
    if (depth == KS_TAIL_DEPTH || node->kind < KS_N_BLOCK)
        return;
    path[depth] = node;
    for (size_t i = 0; i < node->n; i++)
        find_store(t, s, node->kid[i], path, depth + 1);
}

bool ks_tail_find_store(struct ks_tail_reader *t, struct ks_tail_store *s)
{
    struct ks_node *path[KS_TAIL_DEPTH];
    *s = (struct ks_tail_store){0};
    find_store(t, s, t->body.block, path, 0);
    if (s->stores != 1)
        return refuse(t, NULL, "there is no single store behind a loop");
    if (strcmp(s->store->kid[0]->text, "=") != 0)
        return refuse(t, s->store, "the store adds to what is there");
    return true;
}

// The innermost block round the store in which a loop stands before it, and that loop's place.
static struct ks_node *block_with_loop(const struct ks_tail_store *s, size_t *loop)
{
    const struct ks_node *inside = s->store;
    for (size_t d = s->depth; d-- > 0; inside = s->path[d]) {
        struct ks_node *block = s->path[d];
        size_t at = 0;
        if (ks_node_is_loop(block))
            return NULL; // a store a turn
        while (at < block->n && block->kid[at] != inside)
            at++;
        for (*loop = at; block->kind == KS_N_BLOCK && *loop > 0;)
            if (ks_node_is_loop(block->kid[--*loop]))
                return block;
    }
    return NULL;
}

// ---- statements

static bool declaration(struct ks_tail_reader *t, const struct ks_node *s)
{
    if (s->shared || s->is_static)
        return refuse(t, s, "memory of the block behind the loop");
    for (size_t i = 0; i < s->n; i++) {
        const struct ks_node *var = s->kid[i];
        if (!var->init || var->n > 0 || var->pointer || var->reference)
            return refuse(t, s, "a variable without a value behind the loop");
        const char *value = ks_tail_formula(t, var->init);
        if (!value)
            return false;
        ks_tail_set(t, var->text, value);
    }
    return true;
}

static bool assignment(struct ks_tail_reader *t, const struct ks_node *e)
{
    const struct ks_node *target = e->kid[0];
    if (e->kind != KS_N_ASSIGN || target->kind != KS_N_NAME)
        return refuse(t, e, "what stands behind the loop changes more than variables");
    const char *value = ks_tail_formula(t, e->kid[1]);
    if (value && strcmp(e->text, "=") != 0) {
        const char *old = ks_tail_formula(t, target);
        if (!old || strlen(e->text) != 2 || strchr("+-*/", *e->text) == NULL)
            return refuse(t, e, "this operation behind the loop is not known");
        value = ks_arena_printf(t->arena, "(%s %c %s)", old, *e->text, value);
    } else if (value && !ks_tail_knows(t, target->text) && !ks_tail_formula(t, target)) {
        return false;
    }
    if (value)
        ks_tail_set(t, target->text, value);
    return value != NULL;
}

// Both ways are reckoned, and each variable takes its value from one.
static bool choice(struct ks_tail_reader *t, struct ks_node *s)
{
    const char *condition = ks_tail_condition(t, s->kid[0]);
    if (!condition)
        return false;
    condition = ks_tail_let(t, condition);
    for (size_t way = 1; way < s->n; way++) {
        const struct ks_tail_env before = t->env;
        if (!ks_tail_statement(t, s->kid[way]))
            return false;
        const struct ks_tail_env after = t->env;
        t->env = before;
        for (size_t i = 0; i < before.n; i++)
            if (before.value[i] != after.value[i])
                ks_tail_set(t, before.name[i],
                            way == 1 ? ks_arena_printf(t->arena, "(%s ? %s : %s)", condition,
                                                       after.value[i], before.value[i])
                                     : ks_arena_printf(t->arena, "(%s ? %s : %s)", condition,
                                                       before.value[i], after.value[i]));
    }
    return true;
}

bool ks_tail_statement(struct ks_tail_reader *t, struct ks_node *s)
{
    switch (s->kind) {
    case KS_N_EMPTY:
        return true;
    case KS_N_DECL:
        return declaration(t, s);
    case KS_N_EXPR:
        return assignment(t, s->kid[0]);
    case KS_N_IF:
        return choice(t, s);
    case KS_N_BLOCK:
        for (size_t i = 0; i < s->n; i++)
            if (!ks_tail_statement(t, s->kid[i]))
                return false;
        return true;
    default:
        return refuse(t, s, "what stands behind the loop is more than expressions");
    }
}

void ks_tail_add_code(struct ks_tail_reader *t, struct ks_buf *code, const struct ks_node *s)
{
    ks_buf_printf(code, "    %s\n",
                  ks_edit_apply(t->arena, &t->edits, t->body.text, s->begin, s->end));
}

bool ks_tail_passes(const struct ks_node *s)
{
    const struct ks_node *e = s->kind == KS_N_EXPR ? s->kid[0] : NULL;
    const bool barrier =
        e && e->kind == KS_N_CALL && ks_node_is(e->kid[0], KS_N_NAME, "__syncthreads");
    return barrier ||
           (s->kind == KS_N_IF && s->n == 2 && ks_node_find(s->kid[1], KS_N_RETURN, NULL));
}

void ks_tail_finish(struct ks_tail_reader *t, struct ks_tail *tail, const struct ks_nodes *list,
                    const struct ks_node *stored, const char *value)
{
    struct ks_buf code = KS_BUF(1 << 16);
    ks_buf_puts(&code, ks_buf_text(&t->front));
    ks_vec_each (struct ks_node *, node, list)
        ks_tail_add_code(t, &code, *node);
    ks_buf_printf(&code, "    return %s;\n",
                  ks_edit_apply(t->arena, &t->edits, t->body.text, stored->begin, stored->end));
    tail->code = ks_arena_strdup(t->arena, ks_buf_text(&code));
    tail->lets = ks_arena_strdup(t->arena, ks_buf_text(&t->lets));
    tail->value = value;
    ks_buf_free(&code);
}

// Statements before the store, down the blocks that it stands in; bounds that are tested on the way
// are the template's business.
static bool walk_down(struct ks_tail_reader *t, const struct ks_tail_store *s,
                      struct ks_node *block, size_t from, struct ks_nodes *list)
{
    size_t d = 0;
    while (s->path[d] != block)
        d++;
    for (; d < s->depth; d++, from = 0) {
        struct ks_node *outer = s->path[d], *next = d + 1 < s->depth ? s->path[d + 1] : s->store;
        if (outer->kind == KS_N_IF && outer->kid[1] == next)
            continue;
        if (outer->kind != KS_N_BLOCK)
            return refuse(t, outer, "the store behind the loop is in another branch");
        for (size_t i = from; outer->kid[i] != next; i++) {
            if (ks_tail_passes(outer->kid[i]) || ks_tail_leaves_share(t, outer->kid[i]))
                continue;
            if (!ks_tail_statement(t, outer->kid[i]))
                return false;
            *ks_vec_push(t->arena, list) = outer->kid[i];
        }
    }
    return true;
}

static bool read_all(struct ks_tail_reader *t, struct ks_tail *tail)
{
    struct ks_tail_store s;
    struct ks_node *store;
    struct ks_nodes list = {0};
    size_t loop;
    if (!ks_tail_find_store(t, &s))
        return false;
    struct ks_node *block = block_with_loop(&s, &loop);
    if (!block)
        return refuse(t, s.store, "no loop stands before the store");
    t->loop = block->kid[loop];
    store = s.store->kid[0];
    t->stored = store->kid[0]->kid[0]->text;
    if (!walk_down(t, &s, block, loop + 1, &list))
        return false;
    const char *value = ks_tail_formula(t, store->kid[1]);
    if (!value)
        return false;
    if (!t->accumulator)
        return refuse(t, store, "what is stored does not come from the loop");
    ks_tail_finish(t, tail, &list, store->kid[1], value);
    return true;
}

bool ks_tail_open(struct ks_tail_reader *t, struct ks_arena *arena, const struct ks_brief *brief,
                  struct ks_tail *tail)
{
    struct ks_err err = {0};
    *t = (struct ks_tail_reader){.arena = arena,
                                 .brief = brief,
                                 .decl = brief->decl,
                                 .tail = tail,
                                 .lets = KS_BUF(1 << 16),
                                 .front = KS_BUF(1 << 16)};
    if (brief->decl->problem || ks_body_parse(arena, brief->kernel_text, brief->decl,
                                              &brief->callees, &t->body, &err) != KS_OK)
        return refuse(t, NULL, "the text is not understood");
    return true;
}

void ks_tail_close(struct ks_tail_reader *t)
{
    ks_buf_free(&t->lets);
    ks_buf_free(&t->front);
}

bool ks_tail_find(struct ks_arena *arena, const struct ks_brief *brief, struct ks_tail *tail,
                  const char **why)
{
    struct ks_tail_reader t;
    *tail = (struct ks_tail){0};
    bool found = ks_tail_open(&t, arena, ks_tail_kept(arena, brief), tail) && read_all(&t, tail);
    ks_tail_close(&t);
    *why = t.why;
    return found;
}
