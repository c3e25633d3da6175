// Functions in typed expressions: CUDA's own, and the program's that are one expression.
#include <string.h>

#include "engine/functions.h"
#include "engine/typed.h"

static struct ks_typed known(struct ks_typed_reader *t, const struct ks_node *e, const struct ks_function *f)
{
    const char *args[KS_FUNCTION_TAKES];
    struct ks_typed value[KS_FUNCTION_TAKES] = {0};
    enum ks_scalar takes = f->takes != KS_T_NONE ? f->takes : KS_T_F32;
    for (size_t i = 0; i + 1 < e->n; i++) {
        value[i] = ks_typed_formula(t, e->kid[i + 1]);
        if (!value[i].text)
            return value[i];
        if (f->takes == KS_T_NONE && value[i].type != KS_T_F32)
            takes = KS_T_F64;
    }
    for (size_t i = 0; i + 1 < e->n; i++)
        args[i] = ks_typed_let(t, ks_typed_as(t, value[i], takes).text);
    struct ks_typed made = {.text = ks_function_of(t->arena, f, args), .type = takes};
    const enum ks_scalar gives = f->gives == KS_T_NONE ? takes : f->gives;
    if (gives == KS_T_F32)
        return (struct ks_typed){.text = ks_arena_printf(t->arena, "single(%s)", made.text), .type = gives};
    return ks_typed_as(t, made, gives);
}

// max, min and abs, of the type that both have.
static struct ks_typed of_any(struct ks_typed_reader *t, const struct ks_node *e, const char *name)
{
    struct ks_typed a = ks_typed_formula(t, e->kid[1]), b = a.text && e->n > 2 ? ks_typed_formula(t, e->kid[2]) : a;
    if (!b.text)
        return b;
    const enum ks_scalar type = ks_typed_common(a.type, b.type);
    a = ks_typed_as(t, a, type);
    b = ks_typed_as(t, b, type);
    const char *text = *name == 'a' ? ks_arena_printf(t->arena, "abs(%s)", a.text)
                                    : ks_arena_printf(t->arena, "%s(%s, %s)", name[1] == 'a' ? "larger" : "smaller", a.text, b.text);
    return (struct ks_typed){.text = text, .type = type};
}

// "const float u" as its name and its words.
static const char *last_word(struct ks_arena *arena, const char *text, size_t len, const char **words)
{
    const char *end = text + len;
    while (end > text && !ks_is_ident(end[-1]))
        end--;
    const char *from = end;
    while (from > text && ks_is_ident(from[-1]))
        from--;
    *words = ks_arena_strndup(arena, text, (size_t)(from - text));
    return ks_arena_strndup(arena, from, (size_t)(end - from));
}

// The arguments of a call by the names of the function's parameters.
static bool take_arguments(struct ks_typed_reader *t, const struct ks_node *call, const char *params,
                           struct ks_typed_env *inner)
{
    for (size_t i = 1; i < call->n; i++) {
        const size_t len = strcspn(params, ",");
        const char *words, *name = last_word(t->arena, params, len, &words);
        const enum ks_scalar type = ks_typed_of_words(t, words);
        struct ks_typed value = ks_typed_as(t, ks_typed_formula(t, call->kid[i]), type);
        if (!value.text || type == KS_T_NONE || inner->n == KS_TYPED_NAMES || (params[len] == '\0') != (i + 1 == call->n))
            return false;
        value.either |= value.product != NULL;
        value.text = ks_typed_let(t, value.text);
        inner->name[inner->n] = name;
        inner->value[inner->n++] = value;
        params += len + (params[len] == ',');
    }
    return true;
}

// The program's own function that is one expression.
static struct ks_typed inlined(struct ks_typed_reader *t, const struct ks_node *call)
{
    static const char head[] = "__global__ void f() ";
    const struct ks_callee *callee = ks_callee_find(&t->s->brief->callees, call->kid[0]->text);
    const enum ks_scalar type = callee && callee->value ? ks_typed_of_words(t, callee->result) : KS_T_NONE;
    struct ks_typed_env inner = {0};
    struct ks_body body;
    if (type == KS_T_NONE || !take_arguments(t, call, callee->params, &inner))
        return ks_typed_refuse(t, call, "a function that counts depend on is not known");
    const struct ks_typed_env kept = t->env; // arguments may have brought variables
    const struct ks_kernel_decl decl = {.name = "f", .line = call->line, .body = sizeof head - 1};
    const char *text = ks_arena_printf(t->arena, "%s{ x = %s; }", head, callee->value);
    if (ks_body_parse(t->arena, text, &decl, &t->s->brief->callees, &body, NULL) != KS_OK || body.block->n != 1 ||
        body.block->kid[0]->kind != KS_N_EXPR || body.block->kid[0]->kid[0]->kind != KS_N_ASSIGN)
        return ks_typed_refuse(t, call, "a function that counts depend on is not understood");
    const bool was = t->inlining;
    t->inlining = true;
    t->env = inner;
    const struct ks_typed value = ks_typed_formula(t, body.block->kid[0]->kid[0]->kid[1]);
    t->inlining = was;
    t->env = kept;
    return ks_typed_as(t, value, type);
}

struct ks_typed ks_typed_call(struct ks_typed_reader *t, const struct ks_node *e)
{
    static const char *const any[] = {"max", "min", "umax", "umin", "abs"};
    if (e->kid[0]->kind != KS_N_NAME || e->n < 2)
        return ks_typed_refuse(t, e, "this call is not understood");
    const char *name = e->kid[0]->text;
    name += ks_starts_with(name, "std::") ? 5 : 0;
    if (strcmp(name, "__ldg") == 0 && ks_node_is(e->kid[1], KS_N_UNARY, "&") && e->kid[1]->kid[0]->kind == KS_N_INDEX)
        return ks_typed_element(t, e->kid[1]->kid[0], e);
    for (size_t i = 0; i < sizeof any / sizeof *any; i++)
        if (strcmp(any[i], name) == 0)
            return of_any(t, e, name + (*name == 'u'));
    const struct ks_function *f = ks_function_find(name, e->n - 1);
    const bool halves = f && (ks_scalar_size(f->takes) == 2 || ks_scalar_size(f->gives) == 2);
    if (f && !halves)
        return known(t, e, f);
    return ks_callee_find(&t->s->brief->callees, name) ? inlined(t, e)
                                                       : ks_typed_refuse(t, e, "a function that counts depend on is not known");
}
