// Local pointers that stand for a place in a parameter's array, `const float *row = x + r * n;`,
// written out where they are used: row[i] becomes x[(long long)(r * n) + (i)]. Pointers that are
// moved once, `x += r * n;`, or as a loop counts, are written as not moved, in the same way. All that looks for accesses
// through parameters then sees them.
#include <string.h>

#include "engine/loop.h"
#include "engine/reshape.h"

struct inliner {
    const struct ks_subject *s;
    struct ks_edit_list *edits;
    struct ks_node *scope; // the block that is walked
};
struct pointer {
    const struct ks_node *var;
    const char *param, *offset;
};

static const struct ks_param *param_of(const struct inliner *n, const char *name)
{
    for (size_t i = 0; i < n->s->decl->n_params; i++)
        if (strcmp(n->s->decl->params[i].name, name) == 0)
            return &n->s->decl->params[i];
    return NULL;
}

struct count {
    const char *name;
    int declared;
};

static bool visit_declared(void *context, struct ks_node *node)
{
    struct count *c = context;
    c->declared += ks_node_is(node, KS_N_VAR, c->name);
    return true;
}

static int declarations(const struct inliner *n, const char *name)
{
    struct count c = {name, 0};
    ks_node_walk(n->s->body.block, visit_declared, &c);
    return c.declared;
}

struct move {
    const char *name;
    int found;
};

static bool visit_move(void *context, struct ks_node *node)
{
    struct move *m = context;
    bool changes = node->kind == KS_N_ASSIGN || node->kind == KS_N_POSTFIX ||
                   (node->kind == KS_N_UNARY && (strlen(node->text) == 2 || node->text[0] == '&'));
    m->found += changes && node->n > 0 && ks_node_is(node->kid[0], KS_N_NAME, m->name);
    for (size_t i = 1; node->kind == KS_N_CALL && i < node->n; i++) // by reference, perhaps
        m->found += (node->changes >> (i < 32 ? i - 1 : 31) & 1) &&
                    ks_node_is(node->kid[i], KS_N_NAME, m->name);
    return true;
}

// How often the pointer itself changes, in the text.
static int moves(const struct inliner *n, const char *name)
{
    struct move m = {name, 0};
    ks_node_walk(n->s->body.block, visit_move, &m);
    return m.found;
}

// Whether an offset has one value wherever in the scope it is written: plain arithmetic on names
// that do not change there and mean one thing.
static bool is_fixed(const struct inliner *n, const struct ks_node *e)
{
    if (e->kind == KS_N_NAME)
        return !ks_node_changes(n->scope, e->text) &&
               declarations(n, e->text) + (param_of(n, e->text) != NULL) <= 1;
    bool plain =
        e->kind == KS_N_NUMBER || e->kind == KS_N_CAST || e->kind == KS_N_MEMBER ||
        (e->kind == KS_N_BINARY && strcmp(e->text, ",") != 0) ||
        (e->kind == KS_N_UNARY && (strcmp(e->text, "-") == 0 || strcmp(e->text, "+") == 0));
    for (size_t i = 0; plain && i < e->n; i++)
        plain = is_fixed(n, e->kid[i]);
    return plain;
}

// The parameter and the offset of an initialiser; false where it is anything else.
static bool read_place(const struct inliner *n, const struct ks_node *e, struct pointer *p)
{
    struct ks_arena *arena = n->s->arena;
    const struct ks_node *base = NULL, *by = NULL;
    const char *sign = "+";
    if (e->kind == KS_N_NAME) {
        const struct ks_param *param = param_of(n, e->text);
        p->param = e->text;
        p->offset = "0";
        return param && param->type.pointer && declarations(n, e->text) == 0 && !moves(n, e->text);
    }
    if (ks_node_is(e, KS_N_UNARY, "&") && e->kid[0]->kind == KS_N_INDEX) {
        base = e->kid[0]->kid[0];
        by = e->kid[0]->kid[1];
    } else if (ks_node_is(e, KS_N_BINARY, "+") || ks_node_is(e, KS_N_BINARY, "-")) {
        base = e->kid[0];
        by = e->kid[1];
        sign = e->text;
        struct pointer other;
        if (sign[0] == '+' && read_place(n, by, &other)) {
            base = e->kid[1];
            by = e->kid[0];
        }
    }
    if (!base || !is_fixed(n, by) || !read_place(n, base, p))
        return false;
    bool none = strcmp(p->offset, "0") == 0 && sign[0] == '+';
    p->offset = ks_arena_printf(arena, "%s%s(long long)(%s)", none ? "" : p->offset,
                                none             ? ""
                                : sign[0] == '+' ? " + "
                                                 : " - ",
                                ks_node_text(arena, &n->s->body, by));
    return true;
}

struct uses {
    const char *name;
    int subscripts, others;
};

static bool visit_uses(void *context, struct ks_node *node)
{
    struct uses *u = context;
    if (node->kind == KS_N_INDEX && ks_node_is(node->kid[0], KS_N_NAME, u->name)) {
        u->subscripts++;
        ks_node_walk(node->kid[1], visit_uses, u);
        return false;
    }
    u->others += ks_node_is(node, KS_N_NAME, u->name);
    return true;
}

struct writer {
    const struct inliner *n;
    const struct pointer *p;
};

static bool visit_write(void *context, struct ks_node *node)
{
    const struct writer *w = context;
    if (node->kind == KS_N_INDEX && ks_node_is(node->kid[0], KS_N_NAME, w->p->var->text)) {
        ks_edit_add(w->n->s->arena, w->n->edits, node->kid[0]->begin, node->kid[1]->begin,
                    strcmp(w->p->offset, "0") == 0
                        ? ks_arena_printf(w->n->s->arena, "%s[(", w->p->param)
                        : ks_arena_printf(w->n->s->arena, "%s[%s + (", w->p->param, w->p->offset));
        ks_edit_add(w->n->s->arena, w->n->edits, node->kid[1]->end, node->kid[1]->end, ")");
    }
    return true;
}

static bool same_elements(const struct inliner *n, const struct ks_node *decl, const char *param)
{
    struct ks_type type = ks_type_parse(n->s->arena, ks_slice_of(decl->text));
    for (size_t i = 0; i < n->s->decl->n_params; i++)
        if (strcmp(n->s->decl->params[i].name, param) == 0) {
            const struct ks_elem *e = &n->s->brief->signature->params[i].elem;
            return !type.pointer && e->size > 0 && e->scalar == type.elem.scalar &&
                   e->lanes == type.elem.lanes && !strstr(decl->text, "volatile");
        }
    return false;
}

// Whether a variable of a declaration is such a pointer, used for nothing but subscripts.
static bool read_pointer(const struct inliner *n, const struct ks_node *decl, struct pointer *p)
{
    const struct ks_node *var = p->var;
    if (!var->pointer || var->reference || var->n > 0 || !var->init || decl->shared ||
        decl->is_static || declarations(n, var->text) != 1 || !read_place(n, var->init, p) ||
        !same_elements(n, decl, p->param))
        return false;
    struct uses u = {var->text, 0, 0};
    ks_node_walk(n->s->body.block, visit_uses, &u);
    return u.subscripts > 0 && u.others == 0;
}

// ---- pointers that are moved once, in a statement of the body itself

struct moved {
    const struct inliner *n;
    const struct ks_node *by; // the statement
    const char *name, *offset;
    bool early;               // used before it
};

static bool visit_early(void *context, struct ks_node *node)
{
    struct moved *m = context;
    m->early |= ks_node_is(node, KS_N_NAME, m->name) && node->begin < m->by->begin;
    return true;
}

static bool visit_moved(void *context, struct ks_node *node)
{
    const struct moved *m = context;
    struct ks_arena *arena = m->n->s->arena;
    if (node == m->by)
        return false;
    if (node->kind == KS_N_INDEX && ks_node_is(node->kid[0], KS_N_NAME, m->name)) {
        ks_edit_add(arena, m->n->edits, node->kid[0]->begin, node->kid[1]->begin,
                    ks_arena_printf(arena, "%s[%s + (", m->name, m->offset));
        ks_edit_add(arena, m->n->edits, node->kid[1]->end, node->kid[1]->end, ")");
        ks_node_walk(node->kid[1], visit_moved, context);
        return false;
    }
    if (ks_node_is(node, KS_N_UNARY, "*") && ks_node_is(node->kid[0], KS_N_NAME, m->name)) {
        ks_edit_add(arena, m->n->edits, node->begin, node->end, ks_arena_printf(arena, "%s[%s]", m->name, m->offset));
        return false;
    }
    if (ks_node_is(node, KS_N_NAME, m->name))
        ks_edit_add(arena, m->n->edits, node->begin, node->end,
                    ks_arena_printf(arena, "(%s + (%s))", m->name, m->offset));
    return true;
}

struct sought {
    const char *name;
    const struct ks_node *var;
};

static bool visit_local(void *context, struct ks_node *node)
{
    struct sought *s = context;
    for (size_t i = 0; node->kind == KS_N_DECL && !node->is_static && !node->shared && i < node->n; i++)
        if (strcmp(node->kid[i]->text, s->name) == 0)
            s->var = node->kid[i];
    return true;
}

// Whether the name means one pointer, of the launch or of the thread, wherever it stands.
static bool is_one_pointer(const struct inliner *n, const char *name)
{
    const struct ks_param *param = param_of(n, name);
    struct sought s = {name, NULL};
    if (param != NULL)
        return param->type.pointer && declarations(n, name) == 0;
    ks_node_walk(n->s->body.block, visit_local, &s);
    return s.var != NULL && s.var->pointer && !s.var->reference && s.var->n == 0 && s.var->init != NULL &&
           declarations(n, name) == 1;
}

// `p += e;` where nothing else moves p, and p is used behind it alone.
static void moved(struct inliner *n, const struct ks_node *statement)
{
    const struct ks_node *e = statement->kind == KS_N_EXPR ? statement->kid[0] : NULL;
    bool forth = e != NULL && ks_node_is(e, KS_N_ASSIGN, "+="), back = e != NULL && ks_node_is(e, KS_N_ASSIGN, "-=");
    if ((!forth && !back) || e->kid[0]->kind != KS_N_NAME || !is_one_pointer(n, e->kid[0]->text) ||
        moves(n, e->kid[0]->text) != 1 || !is_fixed(n, e->kid[1]))
        return;
    struct moved m = {n, statement, e->kid[0]->text, NULL, false};
    ks_node_walk(n->s->body.block, visit_early, &m);
    if (m.early)
        return;
    m.offset = ks_arena_printf(n->s->arena, "%s(long long)(%s)", back ? "-" : "",
                               ks_node_text(n->s->arena, &n->s->body, e->kid[1]));
    ks_node_walk(n->s->body.block, visit_moved, &m);
    ks_edit_add(n->s->arena, n->edits, statement->begin, statement->end, "");
}

// ---- pointers that are moved as a loop counts

// How far `name += s` or `name++` goes, NULL where it is no such.
static const char *step_of(const struct inliner *n, const struct ks_node *e, const char *name)
{
    bool once = (e->kind == KS_N_POSTFIX || e->kind == KS_N_UNARY) && strcmp(e->text, "++") == 0;
    if (e->n == 0 || !ks_node_is(e->kid[0], KS_N_NAME, name))
        return NULL;
    if (ks_node_is(e, KS_N_ASSIGN, "+=") && is_fixed(n, e->kid[1]))
        return ks_node_text(n->s->arena, &n->s->body, e->kid[1]);
    return once ? "1" : NULL;
}

static bool visit_behind(void *context, struct ks_node *node)
{
    struct moved *m = context;
    m->early |= ks_node_is(node, KS_N_NAME, m->name) && node->begin >= m->by->end;
    return true;
}

static bool in_header(const struct ks_node *loop, const char *name)
{
    for (size_t i = 0; i < 3; i++)
        if (ks_node_mentions(loop->kid[i], name))
            return true;
    return false;
}

static bool is_wide(const struct inliner *n, const struct ks_node *decl)
{
    struct ks_type type = ks_type_parse(n->s->arena, ks_slice_of(decl->text));
    return type.elem.lanes == 1 && type.elem.size >= 4 && !ks_scalar_is_float(type.elem.scalar);
}

// `for (int i = a; ...; i += s) { ... p += s; }`: p[k] there is p[i - a + k] of the p in front of the loop.
static void stepped(struct inliner *n, const struct ks_node *loop)
{
    const struct ks_node *decl = loop->kind == KS_N_FOR ? loop->kid[0] : NULL;
    struct ks_node *body = decl ? loop->kid[3] : NULL;
    if (!decl || decl->kind != KS_N_DECL || decl->n != 1 || !decl->kid[0]->init || body->kind != KS_N_BLOCK ||
        body->n == 0 || !is_wide(n, decl) || !is_fixed(n, decl->kid[0]->init) ||
        ks_node_find(body, KS_N_CONTINUE, NULL))
        return;
    const char *var = decl->kid[0]->text, *by = step_of(n, loop->kid[2], var);
    if (!by || ks_node_changes(body, var) || ks_node_find(body, KS_N_VAR, var))
        return;
    for (size_t i = body->n; i-- > 0 && body->kid[i]->kind == KS_N_EXPR;) {
        const struct ks_node *e = body->kid[i]->kid[0];
        const char *name = e->n > 0 && e->kid[0]->kind == KS_N_NAME ? e->kid[0]->text : NULL;
        const char *step = name ? step_of(n, e, name) : NULL;
        if (!step)
            return;
        // What stands behind the moves is moves alone, and nothing behind the loop looks.
        struct moved m = {n, loop, name, NULL, false};
        ks_node_walk(n->s->body.block, visit_behind, &m);
        if (m.early || in_header(loop, name) || strcmp(step, by) != 0 || !is_one_pointer(n, name) || moves(n, name) != 1)
            continue;
        m.by = body->kid[i];
        m.offset = ks_arena_printf(n->s->arena, "(long long)%s - (long long)(%s)", var,
                                   ks_node_text(n->s->arena, &n->s->body, decl->kid[0]->init));
        ks_node_walk(body, visit_moved, &m);
        ks_edit_add(n->s->arena, n->edits, m.by->begin, m.by->end, "");
    }
}

void ks_moved_edits(const struct ks_subject *s, struct ks_edit_list *edits)
{
    struct inliner n = {.s = s, .edits = edits, .scope = s->body.block};
    for (size_t i = 0; i < s->body.block->n; i++) {
        moved(&n, s->body.block->kid[i]);
        stepped(&n, s->body.block->kid[i]);
    }
}

// ---- local pointers

static void declaration(struct inliner *n, const struct ks_node *decl)
{
    bool kept = false;
    size_t gone = 0;
    struct pointer *p = KS_NEW_ARRAY(n->s->arena, struct pointer, decl->n + 1);
    for (size_t i = 0; i < decl->n; i++) {
        p[i].var = decl->kid[i];
        if (read_pointer(n, decl, &p[i]))
            gone++;
        else
            p[i].var = NULL;
    }
    for (size_t i = 0; i < decl->n; i++) {
        struct writer w = {n, &p[i]};
        if (p[i].var)
            ks_node_walk(n->s->body.block, visit_write, &w);
    }
    if (gone == decl->n) {
        ks_edit_add(n->s->arena, n->edits, decl->begin, decl->end, "");
        return;
    }
    for (size_t i = 0; i < decl->n && gone > 0; kept |= p[i].var == NULL, i++)
        if (p[i].var && kept)
            ks_edit_add(n->s->arena, n->edits, decl->kid[i - 1]->end, decl->kid[i]->end, "");
        else if (p[i].var)
            ks_edit_add(n->s->arena, n->edits, decl->kid[i]->begin, decl->kid[i + 1]->begin, "");
}

static void statement(struct inliner *n, struct ks_node *node)
{
    struct ks_node *outer = n->scope;
    if (node->kind == KS_N_BLOCK)
        n->scope = node;
    if (node->kind == KS_N_DECL)
        declaration(n, node);
    for (size_t i = node->kind == KS_N_FOR;
         node->kind >= KS_N_BLOCK && node->kind != KS_N_DECL && i < node->n; i++)
        statement(n, node->kid[i]);
    n->scope = outer;
}

void ks_pointer_edits(const struct ks_subject *s, struct ks_edit_list *edits)
{
    struct inliner n = {.s = s, .edits = edits, .scope = s->body.block};
    statement(&n, s->body.block);
}
