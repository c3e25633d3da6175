#include "engine/head.h"

#include <math.h>
#include <string.h>

#include "engine/formula.h"
#include "engine/loop.h"
#include "engine/tail_expr.h"
#include "engine/template.h"

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

struct test {
    const struct ks_tail_reader *t;
    bool place, value;
};

static bool visit_name(void *context, struct ks_node *node)
{
    struct test *test = context;
    size_t param;
    if (node->kind == KS_N_INDEX || node->kind == KS_N_CALL)
        test->value = true;
    if (node->kind != KS_N_NAME)
        return true;
    test->value |= ks_tail_knows(test->t, node->text);
    test->place |= !ks_tail_param(test->t, node->text, &param);
    return true;
}

// Whether it is tested where the turn is, and nothing else: the template has bounds of its own, and
// small runs of the original show whether they are those.
static bool is_bound(const struct ks_tail_reader *t, struct ks_node *s)
{
    struct test test = {t, false, false};
    if (s->kind != KS_N_IF || s->n != 2)
        return false;
    ks_node_walk(s->kid[0], visit_name, &test);
    return test.place && !test.value;
}

static bool only_leaves(const struct ks_node *s)
{
    return s->kind == KS_N_CONTINUE ||
           (s->kind == KS_N_BLOCK && s->n == 1 && only_leaves(s->kid[0]));
}

// A turn's statements that say what is added.
static bool read_turn(struct ks_tail_reader *t, struct ks_node *body, struct ks_nodes *list)
{
    if (is_place(t, body) || (is_bound(t, body) && only_leaves(body->kid[1])))
        return true;
    if (is_bound(t, body))
        return read_turn(t, body->kid[1], list);
    for (size_t i = 0; body->kind == KS_N_BLOCK && i < body->n; i++)
        if (!read_turn(t, body->kid[i], list))
            return false;
    if (body->kind == KS_N_BLOCK)
        return true;
    *ks_vec_push(t->arena, list) = body;
    return ks_tail_statement(t, body);
}

// ---- a product

static bool number_at(void *context, const char *name, double *value)
{
    const double *point = context;
    *value = strcmp(name, "p") == 0 ? point[0] : strcmp(name, "q") == 0 ? point[1] : point[2];
    return true;
}

static bool no_array(void *context, const char *name, struct ks_formula_array *array)
{
    (void)context, (void)name, (void)array;
    return false;
}

// Whether that is what is added, at a few places.
static bool is_product(struct ks_arena *arena, const struct ks_tail *head)
{
    static double points[][3] = {{0.7, -1.3, 3.1}, {-2.1, -0.4, 0.3}, {1.9, 0.6, -1.7}};
    static const char *const names[] = {"read0", "read1"}, *const values[] = {"p", "q"};
    struct ks_formula *formula;
    int64_t at, index;
    double value;
    char *text;
    if (head->n_reads != 2 ||
        ks_template_expand(arena, "",
                           ks_arena_printf(arena, "for i < 1: y[i] = %s%s", head->lets, head->value),
                           names, values, 2, &text, NULL) != KS_OK ||
        ks_formula_parse(arena, "", text, &formula, NULL) != KS_OK)
        return false;
    for (size_t i = 0; i < sizeof points / sizeof *points; i++) {
        const struct ks_formula_scope scope = {points[i], number_at, no_array};
        const double want = points[i][0] * points[i][1];
        if (ks_formula_bind(formula, "", &scope, NULL) != KS_OK ||
            !ks_formula_element(formula, 0, 0, &at, &value, &index) ||
            fabs(value - want) > 1e-9 * fabs(want))
            return false;
    }
    return true;
}

// Where no loop reads arrays, a tree may sum what each thread has read.
static bool open_turn(struct ks_tail_reader *t, struct ks_tail *head)
{
    struct ks_brief *brief = ks_arena_memdup(t->arena, t->brief, sizeof *brief);
    brief->kernel_text = ks_head_turn(t->arena, t->brief);
    if (brief->kernel_text == NULL)
        return false;
    ks_tail_close(t);
    return ks_tail_open(t, t->arena, brief, head);
}

static bool read_all(struct ks_tail_reader *t, struct ks_tail *head)
{
    struct search s = {.t = t};
    ks_node_walk(t->body.block, visit, &s);
    if (s.found == NULL && open_turn(t, head))
        ks_node_walk(t->body.block, visit, &s);
    if (s.found == NULL || s.several)
        return refuse(t, s.found, "no single loop reads arrays");
    struct ks_node *body = body_of(s.found);
    struct changes c = {.t = t};
    struct ks_nodes list = {0};
    t->loop = s.found;
    ks_node_walk(body, visit_assignment, &c);
    if (c.declaration == NULL || c.several)
        return refuse(t, s.found, "the loop leaves no single variable");
    head->type = c.declaration->text;
    if (strcmp(head->type, "float") != 0 && strcmp(head->type, "double") != 0)
        return refuse(t, c.declaration, "the sum is of another type than float and double");
    ks_tail_set(t, t->accumulator, "0");
    struct ks_buf code = KS_BUF(1 << 16);
    ks_buf_printf(&code, "    %s %s = its_sum;\n", head->type, t->accumulator);
    bool understood = read_turn(t, body, &list);
    ks_buf_puts(&code, ks_buf_text(&t->front));
    ks_vec_each (struct ks_node *, node, &list)
        ks_tail_add_code(t, &code, *node);
    ks_buf_printf(&code, "    return %s;\n", t->accumulator);
    head->code = ks_arena_strdup(t->arena, ks_buf_text(&code));
    head->lets = ks_arena_strdup(t->arena, ks_buf_text(&t->lets));
    head->value = ks_tail_value(t, t->accumulator);
    ks_buf_free(&code);
    if (!understood || head->n_reads == 0)
        return refuse(t, body, "the loop reads no array");
    head->product = is_product(t->arena, head);
    return true;
}

bool ks_head_find(struct ks_arena *arena, const struct ks_brief *brief, struct ks_tail *head,
                  const char **why)
{
    struct ks_tail_reader t;
    *head = (struct ks_tail){.in_front = true};
    bool found = ks_tail_open(&t, arena, ks_tail_kept(arena, brief), head) && read_all(&t, head);
    ks_tail_close(&t);
    *why = t.why;
    return found;
}
