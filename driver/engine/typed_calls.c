// Functions in typed expressions: CUDA's own, and the program's that are one expression.
#include <string.h>

#include "engine/typed.h"

// What a function makes of its arguments %a, %b, %c, which come as `takes`; KS_T_NONE: as floats, and float where they are all
// no wider.
struct function {
    const char *name, *means;
    enum ks_scalar takes, gives;
};
static const struct function functions[] = {
    {"fmaxf", "larger(%a, %b)", KS_T_F32, KS_T_F32},
    {"fminf", "smaller(%a, %b)", KS_T_F32, KS_T_F32},
    {"fmax", "larger(%a, %b)", KS_T_NONE, KS_T_NONE},
    {"fmin", "smaller(%a, %b)", KS_T_NONE, KS_T_NONE},
    {"floorf", "floor(%a)", KS_T_F32, KS_T_F32},
    {"floor", "floor(%a)", KS_T_NONE, KS_T_NONE},
    {"ceilf", "(-floor(-%a))", KS_T_F32, KS_T_F32},
    {"ceil", "(-floor(-%a))", KS_T_NONE, KS_T_NONE},
    {"truncf", "whole(%a)", KS_T_F32, KS_T_F32},
    {"trunc", "whole(%a)", KS_T_NONE, KS_T_NONE},
    {"roundf", "(%a < 0 ? -floor(0.5 - %a) : floor(%a + 0.5))", KS_T_F32, KS_T_F32},
    {"round", "(%a < 0 ? -floor(0.5 - %a) : floor(%a + 0.5))", KS_T_NONE, KS_T_NONE},
    {"fabsf", "abs(%a)", KS_T_F32, KS_T_F32},
    {"fabs", "abs(%a)", KS_T_NONE, KS_T_NONE},
    {"sqrtf", "single(sqrt(%a))", KS_T_F32, KS_T_F32},
    {"expf", "single(exp(%a))", KS_T_F32, KS_T_F32},
    {"logf", "single(log(%a))", KS_T_F32, KS_T_F32},
    {"log2f", "single(log(%a) / log(2))", KS_T_F32, KS_T_F32},
    {"log10f", "single(log(%a) / log(10))", KS_T_F32, KS_T_F32},
    {"__saturatef", "smaller(larger(%a, 0), 1)", KS_T_F32, KS_T_F32},
    {"fmaf", "single(%a * %b + %c)", KS_T_F32, KS_T_F32},
    {"__fmaf_rn", "single(%a * %b + %c)", KS_T_F32, KS_T_F32},
    {"__fmul_rn", "single(%a * %b)", KS_T_F32, KS_T_F32},
    {"__fadd_rn", "single(%a + %b)", KS_T_F32, KS_T_F32},
    {"__fsub_rn", "single(%a - %b)", KS_T_F32, KS_T_F32},
    {"__fdiv_rn", "single(%a / %b)", KS_T_F32, KS_T_F32},
    {"__int2float_rn", "single(%a)", KS_T_I32, KS_T_F32},
    {"__uint2float_rn", "single(%a)", KS_T_U32, KS_T_F32},
    {"__float2int_rz", "%a", KS_T_F32, KS_T_I32},
    {"__float2int_rd", "floor(%a)", KS_T_F32, KS_T_I32},
    {"__float2int_ru", "(-floor(-%a))", KS_T_F32, KS_T_I32},
    {"__float2int_rn", "(%a - floor(%a) == 0.5 ? 2 * floor((%a + 0.5) / 2) : floor(%a + 0.5))", KS_T_F32, KS_T_I32},
    {"__float2uint_rz", "%a", KS_T_F32, KS_T_U32},
    {"__float2uint_rd", "floor(%a)", KS_T_F32, KS_T_U32},
};

static const char *put_in(struct ks_arena *arena, const char *means, const char *const args[3])
{
    struct ks_buf buf = KS_BUF(1 << 16);
    for (const char *at = means; *at; at++)
        if (*at == '%')
            ks_buf_puts(&buf, args[*++at - 'a']);
        else
            ks_buf_putc(&buf, *at);
    const char *text = ks_arena_strdup(arena, ks_buf_text(&buf));
    ks_buf_free(&buf);
    return text;
}

static struct ks_typed known(struct ks_typed_reader *t, const struct ks_node *e, const struct function *f)
{
    const char *args[3] = {"", "", ""};
    struct ks_typed value[3] = {0};
    enum ks_scalar takes = f->takes != KS_T_NONE ? f->takes : KS_T_F32;
    for (size_t i = 0; i + 1 < e->n && i < 3; i++) {
        value[i] = ks_typed_formula(t, e->kid[i + 1]);
        if (!value[i].text)
            return value[i];
        if (f->takes == KS_T_NONE && value[i].type != KS_T_F32)
            takes = KS_T_F64;
    }
    for (size_t i = 0; i < 3 && value[i].text; i++)
        args[i] = ks_typed_let(t, ks_typed_as(t, value[i], takes).text);
    struct ks_typed made = {.text = put_in(t->arena, f->means, args), .type = takes};
    return f->gives == KS_T_NONE ? made : ks_typed_as(t, made, f->gives);
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
    if (ks_callee_find(&t->s->brief->callees, name))
        return inlined(t, e);
    name += ks_starts_with(name, "std::") ? 5 : 0;
    if (strcmp(name, "__ldg") == 0 && ks_node_is(e->kid[1], KS_N_UNARY, "&") && e->kid[1]->kid[0]->kind == KS_N_INDEX)
        return ks_typed_element(t, e->kid[1]->kid[0], e);
    for (size_t i = 0; i < sizeof any / sizeof *any; i++)
        if (strcmp(any[i], name) == 0)
            return of_any(t, e, name + (*name == 'u'));
    for (size_t i = 0; i < sizeof functions / sizeof *functions; i++)
        if (strcmp(functions[i].name, name) == 0)
            return known(t, e, &functions[i]);
    return ks_typed_refuse(t, e, "a function that counts depend on is not known");
}
