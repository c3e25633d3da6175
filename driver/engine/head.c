#include "engine/head.h"

#include <string.h>

#include "engine/loop.h"
#include "engine/tail_expr.h"

static bool refuse(struct ks_tail_reader *t, const struct ks_node *at, const char *what)
{
    if (t->why == NULL)
        t->why = ks_arena_printf(t->arena, "line %d: %s", at ? at->line : t->decl->line, what);
    return false;
}

// ---- the loop

struct search {
    const struct ks_tail_reader *t;
    struct ks_node *loop; // the innermost round the node that is visited
    struct ks_node *found;
    bool several;
};

static bool reads_array(const struct ks_tail_reader *t, const struct ks_node *node)
{
    size_t param;
    return node->kind == KS_N_INDEX && node->kid[0]->kind == KS_N_NAME &&
           ks_tail_param(t, node->kid[0]->text, &param);
}

struct reads {
    const struct ks_tail_reader *t;
    bool any;
};

static bool visit_read(void *context, struct ks_node *node)
{
    struct reads *r = context;
    r->any |= reads_array(r->t, node);
    return !r->any;
}

static bool reads_any(const struct ks_tail_reader *t, struct ks_node *node)
{
    struct reads r = {t, false};
    ks_node_walk(node, visit_read, &r);
    return r.any;
}

static bool visit(void *context, struct ks_node *node)
{
    struct search *s = context;
    if (ks_node_is_loop(node)) {
        struct search inner = {.t = s->t, .loop = node, .found = s->found, .several = s->several};
        for (size_t i = 0; i < node->n; i++)
            ks_node_walk(node->kid[i], visit, &inner);
        s->found = inner.found;
        s->several = inner.several;
        return false;
    }
    if (s->loop != NULL && reads_array(s->t, node)) {
        s->several |= s->found != NULL && s->found != s->loop;
        s->found = s->loop;
    }
    return true;
}

static struct ks_node *body_of(const struct ks_node *loop)
{
    return loop->kind == KS_N_FOR ? loop->kid[3] : loop->kid[loop->kind == KS_N_WHILE ? 1 : 0];
}

// ---- the sum

struct changes {
    struct ks_tail_reader *t;
    const struct ks_node *declaration; // of the sum
    bool several;
};

// The one variable from before the loop that its body assigns.
static bool visit_assignment(void *context, struct ks_node *node)
{
    struct changes *c = context;
    if (node->kind != KS_N_ASSIGN || node->kid[0]->kind != KS_N_NAME)
        return true;
    const char *name = node->kid[0]->text;
    const struct ks_node *decl =
        ks_loop_declaration(c->t->body.block, name, c->t->loop->begin);
    if (decl == NULL)
        return true;
    c->several |= c->t->accumulator != NULL && strcmp(c->t->accumulator, name) != 0;
    c->t->accumulator = name;
    c->declaration = decl;
    return true;
}

// A place alone, which is no value: indices of reads are taken as they are written.
static bool is_place(struct ks_tail_reader *t, struct ks_node *s)
{
    static const char *const whole[] = {"int",    "unsigned",  "unsigned int",
                                        "size_t", "long long", "long"};
    if (s->kind != KS_N_DECL)
        return false;
    const char *type = s->text + (ks_starts_with(s->text, "const ") ? 6 : 0);
    bool is = false;
    for (size_t i = 0; i < sizeof whole / sizeof *whole; i++)
        is |= strcmp(type, whole[i]) == 0;
    for (size_t i = 0; is && i < s->n; i++)
        is = s->kid[i]->init != NULL && !reads_any(t, s->kid[i]->init);
    return is;
}

// A turn's statements, as formula and as code.
static bool read_turn(struct ks_tail_reader *t, struct ks_node *body, struct ks_buf *code)
{
    struct ks_node *one[] = {body}, **at = body->kind == KS_N_BLOCK ? body->kid : one;
    struct ks_nodes list = {0};
    for (size_t i = 0; i < (body->kind == KS_N_BLOCK ? body->n : 1); i++) {
        if (is_place(t, at[i]))
            continue;
        if (!ks_tail_statement(t, at[i]))
            return false;
        *ks_vec_push(t->arena, &list) = at[i];
    }
    ks_buf_puts(code, ks_buf_text(&t->front));
    ks_vec_each (struct ks_node *, node, &list)
        ks_tail_add_code(t, code, *node);
    return true;
}

static bool read_all(struct ks_tail_reader *t, struct ks_tail *head)
{
    struct search s = {.t = t};
    ks_node_walk(t->body.block, visit, &s);
    if (s.found == NULL || s.several)
        return refuse(t, s.found, "no single loop reads arrays");
    struct ks_node *body = body_of(s.found);
    struct changes c = {.t = t};
    t->loop = s.found;
    ks_node_walk(body, visit_assignment, &c);
    if (c.declaration == NULL || c.several)
        return refuse(t, s.found, "the loop leaves no single variable");
    head->type = c.declaration->text;
    if (strcmp(head->type, "float") != 0 && strcmp(head->type, "double") != 0)
        return refuse(t, c.declaration, "the sum is of another type than float and double");
    ks_tail_set(t, t->accumulator, "0");
    struct ks_buf code = KS_BUF(1 << 16);
    ks_buf_printf(&code, "    %s %s = 0;\n", head->type, t->accumulator);
    bool understood = read_turn(t, body, &code);
    ks_buf_printf(&code, "    return %s;\n", t->accumulator);
    head->code = ks_arena_strdup(t->arena, ks_buf_text(&code));
    head->lets = ks_arena_strdup(t->arena, ks_buf_text(&t->lets));
    head->value = ks_tail_value(t, t->accumulator);
    ks_buf_free(&code);
    return understood && (head->n_reads > 0 || refuse(t, body, "the loop reads no array"));
}

bool ks_head_find(struct ks_arena *arena, const struct ks_brief *brief, struct ks_tail *head,
                  const char **why)
{
    struct ks_tail_reader t;
    *head = (struct ks_tail){.in_front = true};
    bool found = ks_tail_open(&t, arena, brief, head) && read_all(&t, head);
    ks_tail_close(&t);
    *why = t.why;
    return found;
}
