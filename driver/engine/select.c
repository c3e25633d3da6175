// Branches that only choose values: both sides are computed and one is taken, so that no thread of
// a warp waits for others. Only what is safe to compute in every case: no memory, no calls of the
// program's functions, no division of integers.
#include <string.h>

#include "engine/loop.h"
#include "engine/reshape.h"

enum { SET_MAX = 4 };

static const char does_more[] = "an arm does more than set variables";

struct choice { // of one variable
    const char *name;
    const struct ks_node *value[2]; // an assignment, or NULL: it stays
};
struct chooser {
    struct ks_subject *s;
    struct ks_edit_list *edits;
    int done;
    const char
        *why;  // the first branch's refusal, of those that only set variables if there are any
    bool more; // that of one that does more
};

static const char *refuse(const struct chooser *c, const struct ks_node *at, const char *why)
{
    return ks_arena_printf(c->s->arena, "line %d: %s", at->line, why);
}

static const struct ks_node *declaration(const struct chooser *c, const char *name, size_t before)
{
    return ks_loop_declaration(c->s->body.block, name, before);
}

static bool is_float(const struct chooser *c, const struct ks_node *e)
{
    if (e->kind == KS_N_NUMBER)
        return strpbrk(e->text, ".eEfF") != NULL && !ks_starts_with(e->text, "0x");
    if (e->kind == KS_N_CAST)
        return strstr(e->text, "float") || strstr(e->text, "double");
    if (e->kind == KS_N_NAME) {
        const struct ks_node *decl = declaration(c, e->text, e->begin);
        for (size_t i = 0; !decl && i < c->s->decl->n_params; i++)
            if (strcmp(c->s->decl->params[i].name, e->text) == 0)
                return ks_scalar_is_float(c->s->brief->signature->params[i].elem.scalar);
        return decl && (strstr(decl->text, "float") || strstr(decl->text, "double"));
    }
    if (e->kind == KS_N_BINARY || e->kind == KS_N_UNARY)
        for (size_t i = 0; i < e->n; i++)
            if (is_float(c, e->kid[i]))
                return true;
    return e->kind == KS_N_CALL && ks_ends_with(e->kid[0]->text, "f");
}

// Why an expression may not be computed where the program does not, or NULL.
static const char *unsafe(const struct chooser *c, const struct ks_node *e)
{
    const char *why = NULL;
    bool changes = e->kind == KS_N_ASSIGN || e->kind == KS_N_POSTFIX ||
                   (e->kind == KS_N_UNARY && (strlen(e->text) == 2 || strchr("*&", e->text[0])));
    if (e->kind == KS_N_INDEX || changes || e->arrow)
        return refuse(c, e, "a memory access or change that the branch guards");
    if (e->kind == KS_N_CALL &&
        (e->kid[0]->kind != KS_N_NAME || !ks_function_is_pure(e->kid[0]->text) ||
         ks_starts_with(e->kid[0]->text, "__s") || ks_starts_with(e->kid[0]->text, "__ld")))
        return refuse(c, e, "a call that the branch guards");
    if ((ks_node_is(e, KS_N_BINARY, "/") || ks_node_is(e, KS_N_BINARY, "%")) && !is_float(c, e))
        return refuse(c, e, "a division of integers that the branch guards");
    if (e->kind == KS_N_LIST)
        return refuse(c, e, "a list");
    for (size_t i = 0; !why && i < e->n; i++)
        why = unsafe(c, e->kid[i]);
    return why;
}

static struct choice *find(struct choice *set, size_t n, const char *name)
{
    for (size_t i = 0; i < n; i++)
        if (strcmp(set[i].name, name) == 0)
            return &set[i];
    return NULL;
}

// Whether a variable that the arm set before is used in the expression.
static bool uses(const struct choice *set, size_t n, const struct ks_node *e, int arm)
{
    for (size_t i = 0; i < n; i++)
        if (set[i].value[arm] && ks_node_count_name(e, set[i].name) > 0)
            return true;
    return false;
}

// The assignments of an arm to plain variables declared outside it.
static const char *read_arm(const struct chooser *c, const struct ks_node *arm, int which,
                            struct choice *set, size_t *n)
{
    if (arm->kind == KS_N_BLOCK) {
        const char *why = NULL;
        for (size_t i = 0; !why && i < arm->n; i++)
            why = read_arm(c, arm->kid[i], which, set, n);
        return why;
    }
    const struct ks_node *a = arm->kind == KS_N_EXPR ? arm->kid[0] : NULL;
    if (!a || a->kind != KS_N_ASSIGN || a->kid[0]->kind != KS_N_NAME)
        return refuse(c, arm, does_more);
    const char *name = a->kid[0]->text;
    const struct ks_node *decl = declaration(c, name, arm->begin);
    struct ks_type type = ks_type_parse(c->s->arena, ks_slice_of(decl ? decl->text : ""));
    if (!decl || decl->shared || type.pointer || type.elem.lanes != 1 || type.elem.size == 0)
        return refuse(c, a, "what is set is no plain variable of a known type");
    for (size_t i = 0; i < decl->n; i++)
        if (strcmp(decl->kid[i]->text, name) == 0 &&
            (decl->kid[i]->n > 0 || decl->kid[i]->pointer || decl->kid[i]->reference))
            return refuse(c, a, "what is set is no plain variable");
    const char *why = unsafe(c, a->kid[1]);
    bool division = (a->text[0] == '/' || a->text[0] == '%') && !is_float(c, a->kid[0]);
    if (!why && division)
        why = refuse(c, a, "a division of integers that the branch guards");
    if (why)
        return why;
    struct choice *own = find(set, *n, name);
    if (uses(set, *n, a->kid[1], which) || (own && own->value[which]))
        return refuse(c, a, "a variable is set and used in one arm");
    if (!own) {
        if (*n == SET_MAX)
            return refuse(c, a, "more than four variables are set");
        own = &set[(*n)++];
        *own = (struct choice){.name = name};
    }
    own->value[which] = a;
    return NULL;
}

// "e", or "name + (e)" for "name += e".
static const char *value_text(const struct chooser *c, const struct choice *one, int which)
{
    struct ks_arena *arena = c->s->arena;
    const struct ks_node *a = one->value[which];
    if (!a)
        return one->name;
    char *text = ks_node_text(arena, &c->s->body, a->kid[1]);
    size_t n = strlen(a->text) - 1; // of the operator in front of '='
    return n == 0 ? text : ks_arena_printf(arena, "%s %.*s (%s)", one->name, (int)n, a->text, text);
}

static const char *rewrite(struct chooser *c, const struct ks_node *node)
{
    struct choice set[SET_MAX];
    size_t n = 0;
    const struct ks_node *test = node->kid[0];
    struct ks_arena *arena = c->s->arena;
    const char *why = read_arm(c, node->kid[1], 0, set, &n);
    if (!why && node->n > 2)
        why = read_arm(c, node->kid[2], 1, set, &n);
    if (!why && n == 0)
        why = refuse(c, node, "an empty branch");
    if (!why && (ks_node_find((struct ks_node *)test, KS_N_ASSIGN, NULL) ||
                 ks_node_find((struct ks_node *)test, KS_N_POSTFIX, NULL)))
        why = refuse(c, test, "the condition changes something");
    if (why)
        return why;
    const char *text = ks_arena_printf(arena, "{ const bool opt_if%d = %s;", c->done,
                                       ks_node_text(arena, &c->s->body, test));
    const char *sets = "";
    for (size_t i = 0; i < n; i++) {
        const char *type = declaration(c, set[i].name, node->begin)->text;
        type = ks_starts_with(type, "const ") ? type + 6 : type;
        text = ks_arena_printf(arena, "%s const %s opt_yes%d_%zu = %s, opt_no%d_%zu = %s;", text,
                               type, c->done, i, value_text(c, &set[i], 0), c->done, i,
                               value_text(c, &set[i], 1));
        sets = ks_arena_printf(arena, "%s %s = opt_if%d ? opt_yes%d_%zu : opt_no%d_%zu;", sets,
                               set[i].name, c->done, c->done, i, c->done, i);
    }
    ks_edit_add(arena, c->edits, node->begin, node->end,
                ks_arena_printf(arena, "%s%s }", text, sets));
    c->done++;
    return NULL;
}

static bool visit(void *context, struct ks_node *node)
{
    struct chooser *c = context;
    if (node->kind != KS_N_IF)
        return true;
    const char *why = rewrite(c, node);
    bool more = why && ks_ends_with(why, does_more);
    if (why && (!c->why || (c->more && !more))) {
        c->why = why;
        c->more = more;
    }
    return why != NULL;
}

enum ks_status ks_select_values(struct ks_subject *s, struct ks_edit_list *edits,
                                struct ks_err *err)
{
    struct chooser c = {.s = s, .edits = edits};
    ks_node_walk(s->body.block, visit, &c);
    if (c.done == 0)
        KS_FAIL(
            err, KS_E_UNSUPPORTED, "%s",
            c.why ? c.why
                  : ks_arena_printf(s->arena, "line %d: the kernel has no branch", s->decl->line));
    return KS_OK;
}
