// What does not change in a loop computed once in front of it: elements that are read, functions,
// and what is made of them. In front of the outermost loop that allows it, once for all places that
// ask for the same.
#include <string.h>

#include "engine/hoister.h"
#include "engine/reshape.h"

struct once { // a variable in front of a loop
    const struct ks_node *loop;
    const char *text, *test;
    int number;
};
struct hoist {
    struct ks_hoister h;
    struct ks_edit_list *edits;
    struct ks_affine env;
    size_t limit; // only in front of loops that are further out
    struct once *once;
    size_t n, cap;
    const char *why; // the first refusal
};

static void expression(struct hoist *w, const struct ks_node *e, bool summed);
static void statement(struct hoist *w, struct ks_node *node, bool block);

static struct ks_hoist_frame *push(struct hoist *w, struct ks_hoist_frame frame)
{
    ks_vec_grow_(w->h.s->arena, (void **)&w->h.at, &w->h.n, &w->h.cap, sizeof frame);
    w->h.at[w->h.n - 1] = frame;
    return &w->h.at[w->h.n - 1];
}

static const char *refuse(const struct hoist *w, const struct ks_node *at, const char *why)
{
    return ks_arena_printf(w->h.s->arena, "line %d: %s", at->line, why);
}

static const char *text_of(const struct hoist *w, const struct ks_node *e)
{
    return ks_node_text(w->h.s->arena, &w->h.s->body, e);
}

// ---- whether it is evaluated at all

struct leave {
    const struct ks_node *e;
    size_t before; // usually its beginning
    bool found;
};

static bool visit_return(void *context, struct ks_node *node)
{
    struct leave *l = context;
    l->found |= node->kind == KS_N_RETURN;
    return !l->found;
}

static bool visit_leave(void *context, struct ks_node *node)
{
    struct leave *l = context;
    if (node->begin >= l->before)
        return false;
    bool round = node->begin <= l->e->begin && node->end >= l->e->end;
    if (ks_node_is_loop(node) && !round) { // done with: what leaves it leads here
        ks_node_walk(node, visit_return, l);
        return false;
    }
    l->found |=
        node->kind == KS_N_RETURN || node->kind == KS_N_BREAK || node->kind == KS_N_CONTINUE;
    return !l->found;
}

static const char *both(const struct hoist *w, const char *a, const char *b)
{
    return *a ? ks_arena_printf(w->h.s->arena, "%s && %s", a, b) : b;
}

// Adds what says that a loop turns: nothing, what is asked of the launch, or a test in the text.
// NULL where none is known.
static const char *add_turns(struct hoist *w, const struct ks_hoist_frame *f,
                             const struct ks_hoist_frame *loop, const char *test, const char **asks)
{
    const char *own, *ask;
    const struct ks_node *node = f->node;
    bool front = w->h.front;
    bool endless =
        node->kind == KS_N_DO || (node->kind == KS_N_FOR && node->kid[1]->kind == KS_N_EMPTY);
    if (f->part == KS_HOIST_TEST || endless)
        return test;
    const struct ks_node *parts[] = {node->kind == KS_N_WHILE ? node->kid[0] : f->l.start,
                                     f->l.limit};
    if (node->kind == KS_N_WHILE)
        own = ks_arena_printf(w->h.s->arena, "(%s)", text_of(w, node->kid[0]));
    else if (!ks_reshape_turns(w->h.s, &f->env, &f->l, &own, &ask))
        return NULL;
    else if (own == NULL) {
        *asks = ask == NULL     ? *asks
                : *asks == NULL ? ask
                                : ks_arena_printf(w->h.s->arena, "%s && %s", *asks, ask);
        return test;
    }
    const char *why = NULL;
    w->h.front = f == loop;
    for (size_t i = 0; !why && i < (node->kind == KS_N_WHILE ? 1 : 2); i++)
        why = ks_hoist_varies(&w->h, parts[i], loop);
    w->h.front = front;
    return why ? NULL : both(w, test, own);
}

// The condition, at the front of the loop of frame `d`, under which its first turn evaluates the
// expression; "" where it does in any case, NULL (*why) where that is not told.
static const char *condition(struct hoist *w, const struct ks_node *e, size_t d, const char **asks,
                             const char **why)
{
    const struct ks_hoist_frame *loop = &w->h.at[d];
    struct leave leave = {e, e->begin, false};
    const char *test = "";
    for (size_t i = d; i < w->h.n && test; i++) {
        const struct ks_hoist_frame *f = &w->h.at[i];
        if (f->part == KS_HOIST_STEP && f->loop && f->node->end > leave.before)
            leave.before = f->node->end;
        if (f->loop) {
            test = add_turns(w, f, loop, test, asks);
            *why = test ? NULL
                        : refuse(w, f->node,
                                 "whether the loop turns at all is not known in front of it");
            continue;
        }
        *why = ks_hoist_varies(&w->h, f->node, loop);
        test = *why ? NULL
                    : both(w, test,
                           ks_arena_printf(w->h.s->arena, "%s(%s)", f->negated ? "!" : "",
                                           text_of(w, f->node)));
        if (*why)
            *why = refuse(w, e, "not every turn evaluates it");
    }
    ks_node_walk(loop->node, visit_leave, &leave);
    if (test && leave.found) {
        *why = refuse(w, e, "the loop may be left in front of it");
        return NULL;
    }
    return test;
}

// ---- writing

static const char *type_text(const struct hoist *w, const struct ks_node *e)
{
    enum ks_scalar type = ks_hoist_type(w->h.s, e, e->begin);
    return type == KS_T_NONE ? NULL : ks_scalar_c_name(type);
}

static struct ks_hoist_frame *frame_of(struct hoist *w, const struct ks_node *loop)
{
    for (size_t i = 0; i < w->h.n; i++)
        if (w->h.at[i].node == loop)
            return &w->h.at[i];
    return NULL;
}

// The variable in front of the loop that holds this value.
static const char *variable(struct hoist *w, const struct ks_node *loop, const char *type,
                            const char *text, const char *test)
{
    struct ks_arena *arena = w->h.s->arena;
    for (size_t i = 0; i < w->n; i++)
        if (w->once[i].loop == loop && strcmp(w->once[i].text, text) == 0 &&
            strcmp(w->once[i].test, test) == 0)
            return ks_arena_printf(arena, "opt_once%d", w->once[i].number);
    bool first = true;
    for (size_t i = 0; i < w->n; i++)
        first &= w->once[i].loop != loop;
    int number = (int)w->n;
    ks_vec_grow_(arena, (void **)&w->once, &w->n, &w->cap, sizeof *w->once);
    w->once[number] = (struct once){loop, text, test, number};
    bool braces = first && frame_of(w, loop)->alone;
    size_t at = ks_node_front(&w->h.s->body, loop);
    const char *value = *test ? ks_arena_printf(arena, "%s ? %s : (%s)0", test, text, type) : text;
    ks_edit_add(arena, w->edits, at, at,
                ks_arena_printf(arena, "%sconst %s opt_once%d = %s;%s", braces ? "{ " : "",
                                type ? type : "auto", number, value,
                                at == loop->begin ? " " : "\n"));
    if (braces)
        ks_edit_add(arena, w->edits, loop->end, loop->end, " }");
    return ks_arena_printf(arena, "opt_once%d", number);
}

static void write_once(struct hoist *w, const struct ks_node *e, size_t d, const char *test)
{
    const struct ks_node *node = w->h.at[d].node;
    size_t limit = w->limit;
    w->limit = d;
    for (size_t i = 0; d > 0 && i < e->n; i++) // parts of it perhaps further out
        expression(w, e->kid[i], true);
    w->limit = limit;
    const char *text = ks_edit_apply(w->h.s->arena, w->edits, w->h.s->body.text, e->begin, e->end);
    ks_edit_add(w->h.s->arena, w->edits, e->begin, e->end,
                variable(w, node, type_text(w, e), text, test));
}

static const char *hoist_to(struct hoist *w, const struct ks_node *e, size_t d)
{
    struct ks_hoister *h = &w->h;
    const char *test = "", *asks = NULL;
    bool conditional = false;
    for (size_t i = d + 1; i < h->n; i++)
        conditional |= !h->at[i].loop || h->at[i].part != KS_HOIST_TEST;
    h->varies = h->apart = false;
    const char *why = ks_hoist_varies(h, e, &h->at[d]);
    if (why)
        return why;
    h->varies = !ks_hoist_pays(h, e, &h->at[d], conditional);
    if (h->varies)
        return "";
    if (ks_hoist_may_fault(h, e))
        test = condition(w, e, d, &asks, &why);
    h->varies = false;
    if (!test)
        return why;
    if (*test && type_text(w, e) == NULL)
        return refuse(w, e, "what is not evaluated in every case is no number of a known type");
    h->s->apart |= h->apart;
    if (asks)
        ks_reshape_ask(h->s, asks);
    write_once(w, e, d, test);
    return NULL;
}

// A product that the compiler may make one instruction with the sum that it goes to.
static bool is_factor(const struct hoist *w, const struct ks_node *e, bool summed)
{
    return summed && ks_node_is(e, KS_N_BINARY, "*") &&
           (ks_hoist_type(w->h.s, e, e->begin) == KS_T_NONE ||
            ks_scalar_is_float(ks_hoist_type(w->h.s, e, e->begin)));
}

static bool hoisted(struct hoist *w, const struct ks_node *e, bool summed)
{
    if (e->kind == KS_N_NAME || e->kind == KS_N_NUMBER || e->kind == KS_N_ASSIGN ||
        e->kind == KS_N_LIST || is_factor(w, e, summed))
        return false;
    for (size_t d = 0; d < w->limit && d < w->h.n; d++) {
        if (!w->h.at[d].loop || w->h.at[d].shut)
            continue;
        const char *why = hoist_to(w, e, d);
        if (!why)
            return true;
        bool own = e->kind == KS_N_INDEX || e->kind == KS_N_CALL ||
                   ks_node_is(e, KS_N_BINARY, "/"); // else its parts tell
        if (own && !w->h.varies && !w->why)
            w->why = why;
    }
    return false;
}

// ---- the walk

// What is stored to, or handed over to be: only its subscripts are values.
static void target(struct hoist *w, const struct ks_node *e)
{
    if (e->kind == KS_N_INDEX)
        expression(w, e->kid[1], false);
    for (size_t i = 0; i < e->n && i < 1; i++)
        target(w, e->kid[i]);
}

static void under(struct hoist *w, const struct ks_node *e, const struct ks_node *test,
                  bool negated, bool summed)
{
    push(w, (struct ks_hoist_frame){.node = (struct ks_node *)(uintptr_t)test, .negated = negated});
    expression(w, e, summed);
    w->h.n--;
}

static void parts(struct hoist *w, const struct ks_node *e, bool summed)
{
    bool steps =
        (e->kind == KS_N_UNARY || e->kind == KS_N_POSTFIX) &&
        (strcmp(e->text, "++") == 0 || strcmp(e->text, "--") == 0 || strcmp(e->text, "&") == 0);
    bool scales =
        ks_node_is(e, KS_N_BINARY, "*") || ks_node_is(e, KS_N_BINARY, "/") || e->kind == KS_N_INDEX;
    if (steps || ks_node_is(e, KS_N_UNARY, "sizeof")) {
        if (steps)
            target(w, e->kid[0]);
    } else if (e->kind == KS_N_ASSIGN) {
        target(w, e->kid[0]);
        expression(w, e->kid[1], true);
    } else if (e->kind == KS_N_INDEX) {
        target(w, e);
    } else if (e->kind == KS_N_CALL) {
        bool math = e->kid[0]->kind == KS_N_NAME && ks_hoist_is_math(e->kid[0]->text);
        target(w, e->kid[0]);
        for (size_t i = 1; i < e->n; i++)
            if (ks_node_changed_by(e, i) || ks_node_is(e->kid[i], KS_N_UNARY, "&"))
                target(w, e->kid[i]);
            else
                expression(w, e->kid[i], !math);
    } else if (e->kind == KS_N_COND) {
        expression(w, e->kid[0], true);
        under(w, e->kid[1], e->kid[0], false, summed);
        under(w, e->kid[2], e->kid[0], true, summed);
    } else if (ks_node_is(e, KS_N_BINARY, "&&") || ks_node_is(e, KS_N_BINARY, "||")) {
        expression(w, e->kid[0], true);
        under(w, e->kid[1], e->kid[0], e->text[0] == '|', true);
    } else {
        for (size_t i = 0; i < e->n; i++)
            expression(w, e->kid[i], !scales);
    }
}

// `summed`: what it gives may go to a sum.
static void expression(struct hoist *w, const struct ks_node *e, bool summed)
{
    if (e->kind != KS_N_EMPTY && !hoisted(w, e, summed))
        parts(w, e, summed);
}

static void loop(struct hoist *w, struct ks_node *node, bool block)
{
    const struct ks_subject *s = w->h.s;
    struct ks_affine before = w->env;
    const struct ks_node *last = s->body.block->n ? s->body.block->kid[s->body.block->n - 1] : NULL;
    if (node->kind == KS_N_FOR)
        statement(w, node->kid[0], false);
    struct ks_hoist_frame *f = push(w, (struct ks_hoist_frame){
                                           .node = node,
                                           .loop = true,
                                           .shut = s->is_map && s->map.stride && node == last,
                                           .alone = !block,
                                           .effects = ks_hoist_effects(s, node),
                                           .env = before,
                                       });
    f->env.cap = f->env.len;
    ks_loop_read(s->arena, s->decl, &s->body, &f->env, node, &f->l);
    ks_loop_enter(&w->env, node);
    size_t at = w->h.n - 1;
    for (size_t i = node->kind == KS_N_FOR; i < node->n; i++) {
        bool test = node->kind == KS_N_FOR ? i == 1 : node->kind == KS_N_WHILE && i == 0;
        bool body = node->kid[i]->kind >= KS_N_BLOCK && node->kid[i]->kind != KS_N_EMPTY;
        w->h.at[at].part = test ? KS_HOIST_TEST : body ? KS_HOIST_BODY : KS_HOIST_STEP;
        if (node->kid[i]->kind >= KS_N_BLOCK)
            statement(w, node->kid[i], false);
        else
            expression(w, node->kid[i], true);
    }
    w->h.n--;
    w->env = before;
    w->env.cap = w->env.len;
}

static void statement(struct hoist *w, struct ks_node *node, bool block)
{
    struct ks_affine before = w->env;
    if (ks_node_is_loop(node)) {
        loop(w, node, block);
    } else if (node->kind == KS_N_DECL) {
        for (size_t i = 0; i < node->n; i++)
            if (node->kid[i]->init && !node->kid[i]->reference && node->kid[i]->n == 0 &&
                !node->is_static)
                expression(w, node->kid[i]->init, true);
        ks_loop_declare(&w->env, node);
    } else if (node->kind == KS_N_EXPR) {
        expression(w, node->kid[0], true);
    } else if (node->kind == KS_N_IF) {
        expression(w, node->kid[0], true);
        for (size_t i = 1; i < node->n; i++) {
            push(w, (struct ks_hoist_frame){.node = node->kid[0], .negated = i == 2});
            statement(w, node->kid[i], false);
            w->h.n--;
        }
    } else if (node->kind == KS_N_BLOCK) {
        for (size_t i = 0; i < node->n; i++)
            statement(w, node->kid[i], true);
        w->env = before;
        w->env.cap = w->env.len;
    }
}

enum ks_status ks_hoist_values(struct ks_subject *s, struct ks_edit_list *edits, struct ks_err *err)
{
    struct hoist w = {.h = {.s = s, .whole = ks_hoist_effects(s, s->body.block)},
                      .edits = edits,
                      .limit = SIZE_MAX};
    ks_affine_begin(s->arena, s->body.block, &w.env);
    statement(&w, s->body.block, true);
    if (w.n == 0)
        KS_FAIL(err, KS_E_UNSUPPORTED, "%s",
                w.why ? w.why
                      : ks_arena_printf(s->arena,
                                        "line %d: no loop computes anew what does not change in it",
                                        s->decl->line));
    return KS_OK;
}
