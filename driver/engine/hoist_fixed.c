// What has one value in all turns of a loop: expressions of names that do not change there, of
// elements that nothing stores there, and of functions that only compute.
#include <string.h>

#include "engine/hoister.h"
#include "source/lex.h"

static const char *refuse(const struct ks_hoister *h, const struct ks_node *at, const char *why)
{
    return ks_arena_printf(h->s->arena, "line %d: %s", at->line, why);
}

// ---- calls

bool ks_hoist_is_math(const char *name)
{
    // "CUDA Math API": intrinsics of one number, by how their names begin.
    static const char *const intrinsics[] = {
        "__fadd_",     "__fsub_",        "__fmul_",        "__fdiv_",     "__frcp_",
        "__fsqrt_",    "__frsqrt_",      "__fmaf_",        "__fdividef",  "__dadd_",
        "__dsub_",     "__dmul_",        "__ddiv_",        "__drcp_",     "__dsqrt_",
        "__fma_",      "__expf",         "__exp10f",       "__logf",      "__log2f",
        "__log10f",    "__sinf",         "__cosf",         "__tanf",      "__tanhf",
        "__powf",      "__saturatef",    "__popc",         "__clz",       "__brev",
        "__ffs",       "__fns",          "__mul24",        "__umul24",    "__mulhi",
        "__umulhi",    "__mul64hi",      "__umul64hi",     "__sad",       "__usad",
        "__byte_perm", "__funnelshift_", "__float2",       "__float_as_", "__int2",
        "__int_as_",   "__uint2",        "__uint_as_",     "__ll2",       "__ull2",
        "__double2",   "__double_as_",   "__longlong_as_", "__half2",     "__hadd",
        "__hsub",      "__hmul",         "__hdiv",         "__hfma",      "__hneg",
        "__habs",      "__hmax",         "__hmin",         "__low2",      "__high2",
        "__bfloat162", "__dp4a",         "__dp2a",         NULL};
    for (size_t i = 0; intrinsics[i]; i++)
        if (ks_starts_with(name, intrinsics[i]))
            return true;
    return !ks_starts_with(name, "__") && !ks_starts_with(name, "opt_") &&
           ks_function_is_pure(name);
}

static bool is_word(const struct ks_hoister *h, const char *name)
{
    static const char *const words[] = {"if", "for", "while", "switch", "return", "sizeof", NULL};
    for (size_t i = 0; words[i]; i++)
        if (strcmp(name, words[i]) == 0)
            return true;
    return ks_type_parse(h->s->arena, ks_slice_of(name)).elem.size != 0;
}

// What a function may not have, so that its arguments alone decide what it gives, in any number of
// calls.
static const char *forbidden(const struct ks_hoister *h, const char *name, int depth)
{
    static const char *const words[] = {
        "asm",     "__asm__", "__asm",      "volatile", "static",      "goto", "clock",
        "clock64", "printf",  "assert",     "__trap",   "malloc",      "free", "new",
        "delete",  "this",    "__shared__", "extern",   "__nanosleep", "->",   NULL};
    const struct ks_callee *callee = ks_callee_find(&h->s->brief->callees, name);
    if (callee == NULL || callee->n_texts == 0 || callee->looked != 2 || depth > 8)
        return "a function whose text is not seen";
    const struct ks_doing *does = &callee->does;
    if (does->unseen || callee->cut || callee->changes || does->atomics || does->barriers ||
        does->warp_ops || does->shared || does->fences || does->elsewhere)
        return "a function that does more than compute";
    for (size_t i = 0; i < callee->n_texts; i++) {
        struct ks_token *t;
        if (strpbrk(callee->text[i].params, "*["))
            return "a function that is given memory";
        ks_lex_all(h->s->arena, ks_slice_of(callee->text[i].body), false, &t);
        for (size_t k = 0; t[k].kind != KS_TOK_END; k++) {
            for (size_t w = 0; words[w]; w++)
                if (ks_token_is(&t[k], words[w]))
                    return "a function that does more than compute";
            const char *inner = t[k].kind == KS_TOK_IDENT ? ks_token_text(h->s->arena, &t[k]) : "";
            if (!*inner || ks_hoist_is_math(inner))
                continue;
            bool calls = ks_token_is(&t[k + 1], "(") && !is_word(h, inner);
            const char *why = calls || ks_callee_find(&h->s->brief->callees, inner)
                                  ? forbidden(h, inner, depth + 1)
                                  : NULL;
            if (why)
                return why;
        }
    }
    return NULL;
}

// ---- reads

// A name other than in front of a subscript: what it points to may be stored through another.
struct decay {
    const char *name;
    const struct ks_node *found;
};

static bool visit_decay(void *context, struct ks_node *node)
{
    struct decay *d = context;
    const struct ks_node *base = node;
    bool atomic = node->kind == KS_N_CALL && ks_starts_with(node->kid[0]->text, "atomic");
    if (atomic && node->n > 1 &&
        ks_node_is(node->kid[1], KS_N_UNARY, "&")) { // no address that stays
        ks_node_walk(node->kid[1]->kid[0], visit_decay, context);
        for (size_t i = 2; i < node->n; i++)
            ks_node_walk(node->kid[i], visit_decay, context);
        return false;
    }
    if (ks_node_is(node, KS_N_UNARY, "&") && ks_node_mentions(node, d->name))
        d->found = node;
    while (base->kind == KS_N_INDEX)
        base = base->kid[0];
    if (node->kind == KS_N_INDEX && ks_node_is(base, KS_N_NAME, d->name)) {
        for (const struct ks_node *at = node; at->kind == KS_N_INDEX; at = at->kid[0])
            ks_node_walk(at->kid[1], visit_decay, context);
        return false;
    }
    if (ks_node_is(node, KS_N_NAME, d->name))
        d->found = node;
    return true;
}

static const char *own_array(struct ks_hoister *h, const struct ks_node *e,
                             const struct ks_node *base, const struct ks_hoist_frame *loop)
{
    const struct ks_node *decl = ks_loop_declaration(h->s->body.block, base->text, e->begin);
    const struct ks_node *var = NULL;
    for (size_t i = 0; decl && i < decl->n; i++)
        if (strcmp(decl->kid[i]->text, base->text) == 0)
            var = decl->kid[i];
    if (var == NULL || var->pointer || var->reference || var->n == 0)
        return refuse(h, e,
                      ks_arena_printf(h->s->arena, "%s is no array of the kernel's", base->text));
    if (ks_node_changes(loop->node, base->text) ||
        ks_loop_declaration(loop->node, base->text, SIZE_MAX)) {
        h->varies = true;
        return refuse(h, e, ks_arena_printf(h->s->arena, "%s changes in the loop", base->text));
    }
    struct decay d = {base->text, NULL};
    ks_node_walk(h->s->body.block, visit_decay, &d);
    if (d.found)
        return refuse(
            h, d.found,
            ks_arena_printf(h->s->arena, "%s is used other than by subscript", base->text));
    if (loop->effects.unknown)
        return refuse(h, loop->effects.unknown, "a store in the loop is not followed");
    if (decl->shared && loop->effects.meets)
        return refuse(h, loop->effects.meets,
                      ks_arena_printf(h->s->arena, "others may store to %s", base->text));
    return NULL;
}

static const char *array_of(struct ks_hoister *h, const struct ks_node *e, int param,
                            const struct ks_hoist_frame *loop)
{
    struct ks_arena *arena = h->s->arena;
    const struct ks_type *type = &h->s->decl->params[param].type;
    const struct ks_hoist_effects *own = &loop->effects, *whole = &h->whole;
    const char *name = h->s->decl->params[param].name;
    const struct ks_param_use *use = &h->s->access.use[param];
    if (strstr(type->text, "volatile"))
        return refuse(h, e, ks_arena_printf(arena, "%s is volatile", name));
    if (type->pointee_const && type->restrict_) // read-only to the compiler, too
        return NULL;
    if (own->unknown)
        return refuse(h, own->unknown, "a store in the loop is not followed");
    if (own->written[param])
        return refuse(h, own->written[param],
                      ks_arena_printf(arena, "the loop stores to %s", name));
    if (own->meets &&
        (use->written || use->atomic || use->opaque || whole->written[param] || whole->unknown))
        return refuse(
            h, own->meets,
            ks_arena_printf(arena, "threads meet in the loop, and others may store to %s", name));
    if (own->store == NULL && (own->meets == NULL || whole->store == NULL))
        return NULL;
    const char *apart = ks_subject_apart(h->s);
    if (apart == NULL)
        return refuse(h, e, "the extent of an array is no expression of parameters");
    h->apart = true;
    return NULL;
}

static const struct ks_node *ldg(const struct ks_node *e)
{
    bool is = e->kind == KS_N_CALL && ks_node_is(e->kid[0], KS_N_NAME, "__ldg") && e->n == 2 &&
              ks_node_is(e->kid[1], KS_N_UNARY, "&") && e->kid[1]->kid[0]->kind == KS_N_INDEX;
    return is ? e->kid[1]->kid[0] : NULL;
}

static const char *element(struct ks_hoister *h, const struct ks_node *e,
                           const struct ks_hoist_frame *loop)
{
    const struct ks_node *base = e;
    const char *why = NULL;
    for (; !why && base->kind == KS_N_INDEX; base = base->kid[0])
        why = ks_hoist_varies(h, base->kid[1], loop);
    if (why)
        return why;
    if (base->kind != KS_N_NAME)
        return refuse(h, e, "a pointer is not followed");
    int param = ks_hoist_param(h->s, base);
    if (param < 0)
        return own_array(h, e, base, loop);
    return base == e->kid[0] ? array_of(h, e, param, loop)
                             : refuse(h, e, "a pointer that is read from memory");
}

// ---- names

struct binding {
    const char *name;
    bool found;
};

// Whether the variable may be changed through another name: a reference to it, or its address.
static bool visit_binding(void *context, struct ks_node *node)
{
    struct binding *b = context;
    const struct ks_node *at = NULL;
    if (node->kind == KS_N_VAR && node->reference)
        at = node->init;
    if (ks_node_is(node, KS_N_UNARY, "&"))
        at = node->kid[0];
    while (at && (at->kind == KS_N_INDEX || at->kind == KS_N_MEMBER))
        at = at->kid[0];
    b->found |= ks_node_is(at, KS_N_NAME, b->name) ||
                (node->kind == KS_N_VAR && node->reference && strcmp(node->text, b->name) == 0);
    return !b->found;
}

static const char *name_of(struct ks_hoister *h, const struct ks_node *e,
                           const struct ks_hoist_frame *loop)
{
    struct ks_arena *arena = h->s->arena;
    struct binding b = {e->text, false};
    const struct ks_node *decl = ks_loop_declaration(h->s->body.block, e->text, e->begin);
    bool pointer = ks_hoist_param(h->s, e) >= 0;
    for (size_t i = 0; decl && i < decl->n; i++)
        if (strcmp(decl->kid[i]->text, e->text) == 0)
            pointer |= decl->kid[i]->pointer || decl->kid[i]->n > 0 || decl->shared ||
                       strstr(decl->text, "volatile");
    if (pointer)
        return refuse(h, e, ks_arena_printf(arena, "%s is used other than by subscript", e->text));
    ks_node_walk(h->s->body.block, visit_binding, &b);
    if (b.found)
        return refuse(
            h, e, ks_arena_printf(arena, "%s has another name, by which it may change", e->text));
    if (!ks_loop_declaration(loop->node, e->text, SIZE_MAX) &&
        (h->front || !ks_node_changes(loop->node, e->text)))
        return NULL;
    h->varies = true;
    return refuse(h, e, ks_arena_printf(arena, "%s changes in the loop", e->text));
}

static const char *call_of(struct ks_hoister *h, const struct ks_node *e,
                           const struct ks_hoist_frame *loop)
{
    if (ldg(e))
        return element(h, ldg(e), loop);
    const char *name = e->kid[0]->kind == KS_N_NAME ? e->kid[0]->text : NULL;
    if (name == NULL || ks_loop_declaration(h->s->body.block, name, e->begin))
        return refuse(h, e, "a method, or a function that is a value");
    for (size_t i = 0; i < h->s->decl->n_params; i++)
        if (strcmp(h->s->decl->params[i].name, name) == 0)
            return refuse(h, e, "a method, or a function that is a value");
    const char *why = NULL;
    bool math = ks_hoist_is_math(name), own = !math && ks_callee_find(&h->s->brief->callees, name);
    if (!math &&
        !own) { // what CUDA's other functions do, their arguments alone do not tell: no finding
        h->varies = true;
        return refuse(h, e, "a function that does more than compute");
    }
    for (size_t i = 1; !why && i < e->n; i++) {
        why = ks_hoist_varies(h, e->kid[i], loop);
        if (!why && own && ks_hoist_type(h->s, e->kid[i], e->begin) == KS_T_NONE)
            why =
                refuse(h, e, ks_arena_printf(h->s->arena, "what %s() is given is no number", name));
    }
    if (why || math)
        return why;
    why = forbidden(h, name, 0);
    return why ? refuse(h, e, ks_arena_printf(h->s->arena, "%s() is %s", name, why)) : NULL;
}

const char *ks_hoist_varies(struct ks_hoister *h, const struct ks_node *e,
                            const struct ks_hoist_frame *loop)
{
    if (ks_builtin_name(h->s->arena, e))
        return NULL;
    switch (e->kind) {
    case KS_N_NAME:
        return name_of(h, e, loop);
    case KS_N_INDEX:
        return element(h, e, loop);
    case KS_N_CALL:
        return call_of(h, e, loop);
    case KS_N_NUMBER:
        return NULL;
    case KS_N_UNARY:
        if (strcmp(e->text, "sizeof") == 0)
            return NULL;
        if (strlen(e->text) != 1 || !strchr("+-!~", e->text[0]))
            return refuse(h, e, "an address, or a change");
        break;
    case KS_N_MEMBER:
        if (e->arrow)
            return refuse(h, e, "a pointer is not followed");
        break;
    case KS_N_CAST:
        if (strpbrk(e->text, "*&"))
            return refuse(h, e, "a pointer is not followed");
        break;
    case KS_N_BINARY:
    case KS_N_COND:
        break;
    default:
        return refuse(h, e, "a change, or a list");
    }
    const char *why = NULL;
    for (size_t i = 0; !why && i < e->n; i++)
        why = ks_hoist_varies(h, e->kid[i], loop);
    return why;
}

// ---- what it costs

// By other than a literal, which is no zero, and perhaps of integers.
static bool divides(const struct ks_hoister *h, const struct ks_node *e)
{
    return (ks_node_is(e, KS_N_BINARY, "/") || ks_node_is(e, KS_N_BINARY, "%")) &&
           e->kid[1]->kind != KS_N_NUMBER && !ks_scalar_is_float(ks_hoist_type(h->s, e, e->begin));
}

bool ks_hoist_may_fault(const struct ks_hoister *h, const struct ks_node *e)
{
    if (e->kind == KS_N_INDEX || divides(h, e))
        return true;
    if (e->kind == KS_N_CALL &&
        (e->kid[0]->kind != KS_N_NAME || !ks_hoist_is_math(e->kid[0]->text)))
        return true;
    bool may = false;
    for (size_t i = 0; !may && i < e->n; i++)
        may = ks_hoist_may_fault(h, e->kid[i]);
    return may;
}

bool ks_hoist_pays(const struct ks_hoister *h, const struct ks_node *e,
                   const struct ks_hoist_frame *loop, bool conditional)
{
    bool changes = loop->effects.store || loop->effects.meets || loop->effects.unknown;
    if (e->kind == KS_N_INDEX && (changes || conditional))
        return true;
    if (e->kind == KS_N_CALL && (ldg(e) == NULL || changes || conditional) &&
        (!ks_hoist_is_math(e->kid[0]->kind == KS_N_NAME ? e->kid[0]->text : "") ||
         (e->does && e->does->special)))
        return true;
    if (conditional && divides(h, e))
        return true;
    bool pays = false;
    for (size_t i = 0; !pays && i < e->n; i++)
        pays = ks_hoist_pays(h, e->kid[i], loop, conditional);
    return pays;
}
