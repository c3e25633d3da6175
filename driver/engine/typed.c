#include "engine/typed.h"

#include <stdlib.h>
#include <string.h>

#include "base/num.h"
#include "engine/loop.h"

enum { DEEPEST = 40 };

struct ks_typed ks_typed_refuse(struct ks_typed_reader *t, const struct ks_node *at, const char *what)
{
    if (t->why == NULL)
        t->why = ks_arena_printf(t->arena, "line %d: %s", at->line, what);
    return (struct ks_typed){0};
}

static struct ks_typed is(const char *text, enum ks_scalar type)
{
    return (struct ks_typed){.text = text, .type = type};
}

struct ks_typed *ks_typed_get(struct ks_typed_reader *t, const char *name)
{
    for (size_t i = t->env.n; i-- > 0;)
        if (strcmp(t->env.name[i], name) == 0)
            return &t->env.value[i];
    return NULL;
}

const char *ks_typed_let(struct ks_typed_reader *t, const char *value)
{
    const char *name = ks_arena_printf(t->arena, "head_v%d", t->n_lets++);
    ks_buf_printf(&t->lets, "let %s = %s: ", name, value);
    return name;
}

struct mentions {
    const char *name;
    int n;
};

static bool visit_mention(void *context, struct ks_node *node)
{
    struct mentions *m = context;
    m->n += ks_node_is(node, KS_N_NAME, m->name);
    return true;
}

void ks_typed_set(struct ks_typed_reader *t, const char *name, struct ks_typed value)
{
    struct ks_typed *slot = ks_typed_get(t, name);
    struct mentions m = {name, 0};
    ks_node_walk(t->s->body.block, visit_mention, &m);
    value.either |= value.product && (t->inlining || m.n > 1);
    value.text = ks_typed_let(t, value.text);
    if (!slot && t->env.n < KS_TYPED_NAMES) {
        t->env.name[t->env.n] = name;
        slot = &t->env.value[t->env.n++];
    }
    if (slot)
        *slot = value;
}

bool ks_typed_param(const struct ks_typed_reader *t, const char *name, size_t *param)
{
    for (*param = 0; *param < t->s->decl->n_params; ++*param)
        if (strcmp(t->s->decl->params[*param].name, name) == 0)
            return !ks_loop_declaration(t->s->body.block, name, SIZE_MAX);
    return false;
}

enum ks_scalar ks_typed_of_words(struct ks_typed_reader *t, const char *words)
{
    struct ks_type type = ks_type_parse(t->arena, ks_slice_of(words));
    return type.pointer || type.elem.lanes != 1 ? KS_T_NONE : type.elem.scalar;
}

// ---- what it hangs on

struct hanging {
    struct ks_typed_reader *t;
    int on;
};

// The declaration of a local that has one value for all; NULL for other names.
static const struct ks_node *constant(struct ks_typed_reader *t, const char *name, const struct ks_node *at)
{
    const struct ks_node *decl = ks_loop_declaration(t->s->body.block, name, at->begin);
    if (!decl || decl->shared || decl->is_static || ks_node_changes(t->s->body.block, name))
        return NULL;
    for (size_t i = 0; i < decl->n; i++) {
        const struct ks_node *var = decl->kid[i];
        if (strcmp(var->text, name) == 0)
            return var->init && var->n == 0 && !var->pointer && !var->reference && ks_typed_hangs_on(t, var->init) == 0
                       ? decl
                       : NULL;
    }
    return NULL;
}

static bool visit_hanging(void *context, struct ks_node *node)
{
    struct hanging *h = context;
    size_t param;
    if (node->kind == KS_N_MEMBER)
        h->on |= ks_builtin_name(h->t->arena, node) ? KS_TYPED_PLACE : KS_TYPED_OTHER;
    if (node->kind == KS_N_INDEX) {
        const bool own = node->kid[0]->kind == KS_N_NAME && ks_typed_param(h->t, node->kid[0]->text, &param);
        h->on |= own && param != h->t->target ? KS_TYPED_VALUE : KS_TYPED_OTHER;
        return false;
    }
    if (node->kind == KS_N_CALL) {
        for (size_t i = 1; i < node->n; i++)
            ks_node_walk(node->kid[i], visit_hanging, h);
        return false;
    }
    if (node->kind == KS_N_NAME) {
        if (ks_typed_get(h->t, node->text))
            h->on |= KS_TYPED_VALUE;
        else if (ks_typed_param(h->t, node->text, &param))
            h->on |= h->t->s->brief->signature->params[param].pointer ? KS_TYPED_OTHER : 0;
        else if (!ks_subject_constant((void *)(uintptr_t)h->t->s, node->text) && !constant(h->t, node->text, node))
            h->on |= KS_TYPED_PLACE;
    }
    return node->kind != KS_N_MEMBER;
}

int ks_typed_hangs_on(struct ks_typed_reader *t, const struct ks_node *e)
{
    struct hanging h = {t, 0};
    ks_node_walk((struct ks_node *)(uintptr_t)e, visit_hanging, &h);
    return h.on;
}

// ---- conversions

static enum ks_scalar promoted(enum ks_scalar type)
{
    return type < KS_T_I32 ? KS_T_I32 : type;
}

enum ks_scalar ks_typed_common(enum ks_scalar a, enum ks_scalar b)
{
    a = promoted(a);
    b = promoted(b);
    return a > b ? a : b; // in the order of their ranks
}

// Bits that are kept, of fewer than 64.
static const char *wrapped(struct ks_arena *arena, const char *text, enum ks_scalar type)
{
    const unsigned long long range = 1ull << 8 * ks_scalar_size(type);
    return ks_scalar_is_signed(type) ? ks_arena_printf(arena, "(mod(%s + %llu, %llu) - %llu)", text, range / 2, range, range / 2)
                                     : ks_arena_printf(arena, "mod(%s, %llu)", text, range);
}

// The device's conversions end at the ends of the range.
static const char *from_float(struct ks_arena *arena, const char *text, enum ks_scalar type)
{
    text = ks_arena_printf(arena, "whole(%s)", text);
    if (type == KS_T_U32)
        return ks_arena_printf(arena, "smaller(larger(%s, 0), 4294967295)", text);
    if (type == KS_T_U64)
        return ks_arena_printf(arena, "larger(%s, 0)", text);
    return type == KS_T_I64 ? text : ks_arena_printf(arena, "smaller(larger(%s, -2147483648), 2147483647)", text);
}

// Whether all numbers of one are the other's.
static bool holds_all(enum ks_scalar wide, enum ks_scalar narrow)
{
    const bool signs = ks_scalar_is_signed(narrow);
    return narrow == KS_T_BOOL || wide == narrow ||
           (ks_scalar_size(wide) > ks_scalar_size(narrow) && (!signs || ks_scalar_is_signed(wide)));
}

struct ks_typed ks_typed_as(struct ks_typed_reader *t, struct ks_typed v, enum ks_scalar type)
{
    if (!v.text || v.type == type)
        return v;
    if (type == KS_T_BOOL)
        return is(ks_arena_printf(t->arena, "(%s != 0)", v.text), type);
    if (type == KS_T_F64 || (type == KS_T_F32 && ks_scalar_size(v.type) < 4))
        return is(v.text, type);
    if (type == KS_T_F32)
        return is(ks_arena_printf(t->arena, "single(%s)", v.text), type);
    if (ks_scalar_is_float(v.type) && ks_scalar_size(type) >= 4)
        return is(from_float(t->arena, v.text, type), type);
    if (ks_scalar_is_float(v.type))
        v = is(from_float(t->arena, v.text, KS_T_I32), KS_T_I32);
    return is(holds_all(type, v.type) || ks_scalar_size(type) == 8 ? v.text : wrapped(t->arena, v.text, type), type);
}

// ---- names and elements

static struct ks_typed scalar(struct ks_typed_reader *t, const struct ks_node *e, size_t param)
{
    const struct ks_type *type = &t->s->brief->signature->params[param];
    size_t i = 0;
    if (type->pointer || type->elem.lanes != 1 || type->elem.scalar == KS_T_F16 || type->elem.scalar == KS_T_BF16)
        return ks_typed_refuse(t, e, "a parameter that counts depend on is no plain number");
    while (i < t->tail->n_scalars && t->tail->scalars[i] != param)
        i++;
    if (i == KS_TAIL_SCALARS)
        return ks_typed_refuse(t, e, "too many parameters");
    t->tail->scalars[i] = param;
    t->tail->n_scalars += i == t->tail->n_scalars;
    return is(ks_arena_printf(t->arena, "tail_%zu", param), type->elem.scalar);
}

// A variable that never changes, from wherever it stands.
static struct ks_typed outer(struct ks_typed_reader *t, const struct ks_node *e, const struct ks_node *decl)
{
    const struct ks_node *var = decl->kid[0];
    for (size_t i = 0; i < decl->n; i++)
        if (strcmp(decl->kid[i]->text, e->text) == 0)
            var = decl->kid[i];
    struct ks_typed value = ks_typed_formula(t, var->init);
    const enum ks_scalar type = strstr(decl->text, "auto") ? value.type : ks_typed_of_words(t, decl->text);
    if (!value.text || type == KS_T_NONE)
        return ks_typed_refuse(t, e, "a variable that counts depend on is not understood");
    ks_buf_printf(&t->front, "    %s %s = %s;\n", decl->text, e->text,
                  ks_edit_apply(t->arena, &t->edits, t->s->body.text, var->init->begin, var->init->end));
    ks_typed_set(t, e->text, ks_typed_as(t, value, type));
    return *ks_typed_get(t, e->text);
}

static struct ks_typed name(struct ks_typed_reader *t, const struct ks_node *e)
{
    const struct ks_typed *known = ks_typed_get(t, e->text);
    size_t param;
    if (known)
        return *known;
    if (t->inlining)
        return ks_typed_refuse(t, e, "a function uses other names than its arguments");
    if (ks_typed_param(t, e->text, &param))
        return scalar(t, e, param);
    const char *number = ks_subject_constant((void *)(uintptr_t)t->s, e->text);
    const struct ks_node *decl = constant(t, e->text, e);
    if (number) {
        ks_edit_add(t->arena, &t->edits, e->begin, e->end, ks_arena_printf(t->arena, "(%s)", number));
        return is(number, KS_T_I32);
    }
    if (!decl || t->env.n == KS_TYPED_NAMES)
        return ks_typed_refuse(t, e, "a name that counts depend on has no single value");
    return outer(t, e, decl);
}

struct ks_typed ks_typed_element(struct ks_typed_reader *t, const struct ks_node *e, const struct ks_node *whole)
{
    size_t param, i = 0;
    if (t->inlining || e->kid[0]->kind != KS_N_NAME || !ks_typed_param(t, e->kid[0]->text, &param))
        return ks_typed_refuse(t, e, "an element of no parameter is counted");
    const struct ks_type *type = &t->s->brief->signature->params[param];
    if (type->elem.lanes != 1 || type->elem.scalar == KS_T_F16 || type->elem.scalar == KS_T_BF16)
        return ks_typed_refuse(t, e, "elements that are counted are no plain numbers");
    const char *index = ks_node_text(t->arena, &t->s->body, e->kid[1]);
    while (i < t->tail->n_reads && (t->tail->reads[i].param != param || strcmp(t->tail->reads[i].index, index) != 0))
        i++;
    if (i == KS_TAIL_READS)
        return ks_typed_refuse(t, e, "too many arrays are read");
    t->tail->reads[i] = (struct ks_tail_read){param, index};
    t->tail->n_reads += i == t->tail->n_reads;
    ks_edit_add(t->arena, &t->edits, whole->begin, whole->end, ks_arena_printf(t->arena, "its_read%zu", i));
    return is(ks_arena_printf(t->arena, "@read%zu@", i), type->elem.scalar);
}

// ---- operators

static struct ks_typed number(struct ks_typed_reader *t, const struct ks_node *e)
{
    if (e->text[0] == '\'' && strlen(e->text) == 3 && e->text[1] != '\\')
        return is(ks_arena_printf(t->arena, "%d", e->text[1]), KS_T_I8);
    char *text = ks_arena_strdup(t->arena, e->text);
    const bool hex = text[0] == '0' && (text[1] == 'x' || text[1] == 'X');
    const bool real = !hex && strpbrk(text, ".eE") != NULL;
    bool single = false, is_unsigned = false;
    int longs = 0;
    size_t n = strlen(text);
    double value;
    int64_t whole;
    for (; n > 1 && strchr(real ? "fFlL" : "uUlL", text[n - 1]); text[--n] = '\0') {
        single |= strchr("fF", text[n - 1]) != NULL;
        is_unsigned |= strchr("uU", text[n - 1]) != NULL;
        longs += strchr("lL", text[n - 1]) != NULL;
    }
    if (real && ks_parse_f64(text, &value))
        return is(ks_arena_printf(t->arena, "%.17g", single ? (double)(float)value : value), single ? KS_T_F32 : KS_T_F64);
    if (real || strchr(text, '\'') || (text[0] == '0' && !hex && n > 1))
        return ks_typed_refuse(t, e, "this number is not understood");
    char *end;
    whole = (int64_t)strtoull(text, &end, 0);
    if (*end || whole < 0)
        return ks_typed_refuse(t, e, "this number is not understood");
    const bool large = whole > (is_unsigned || hex ? (int64_t)UINT32_MAX : (int64_t)INT32_MAX);
    is_unsigned |= hex && longs == 0 && whole > INT32_MAX && !large;
    return is(ks_arena_printf(t->arena, "%lld", (long long)whole), longs > 0 || large ? is_unsigned ? KS_T_U64 : KS_T_I64
                                                                   : is_unsigned      ? KS_T_U32
                                                                                      : KS_T_I32);
}

static struct ks_typed of_floats(struct ks_typed_reader *t, const struct ks_node *e, struct ks_typed a, struct ks_typed b,
                                 enum ks_scalar type)
{
    const bool adds = *e->text == '+' || *e->text == '-', times = *e->text == '*';
    if (*e->text == '%')
        return ks_typed_refuse(t, e, "this operation is not known of floats");
    // Which of two products is rounded and which goes into the sum, a compiler may choose anew.
    if (adds && ((a.product && b.product) || a.either || b.either))
        return ks_typed_refuse(t, e, "a sum of two products may be rounded in two ways");
    const char *text = ks_arena_printf(t->arena, "(%s %s %s)", adds && a.product ? a.product : a.text, e->text,
                                       adds && b.product ? b.product : b.text);
    const char *rounded = type == KS_T_F32 ? ks_arena_printf(t->arena, "single(%s)", text) : text;
    return (struct ks_typed){rounded, type, times ? text : NULL, false};
}

static struct ks_typed of_whole(struct ks_typed_reader *t, const struct ks_node *e, struct ks_typed a, struct ks_typed b,
                                enum ks_scalar type)
{
    static const char *const bits[] = {"&", "and", "|", "or", "^", "xor"};
    const bool wraps = type == KS_T_U32, signs = ks_scalar_is_signed(type);
    const char *text = ks_arena_printf(t->arena, "(%s %s %s)", a.text, e->text, b.text);
    for (int i = 0; i < 6; i += 2)
        if (strcmp(e->text, bits[i]) == 0)
            return is(ks_arena_printf(t->arena, "%s(%s, %s)", bits[i + 1], a.text, b.text), type);
    if (*e->text == '*' && wraps)
        return is(ks_arena_printf(t->arena, "low_product(%s, %s)", a.text, b.text), type);
    if (*e->text == '/' || *e->text == '%') {
        if (!signs)
            return is(ks_arena_printf(t->arena, "%s(%s, %s)", *e->text == '/' ? "div" : "mod", a.text, b.text), type);
        const char *whole = ks_typed_let(t, ks_arena_printf(t->arena, "whole(%s / %s)", a.text, b.text));
        return is(*e->text == '/' ? whole : ks_arena_printf(t->arena, "(%s - %s * %s)", a.text, b.text, whole), type);
    }
    return is(wraps ? wrapped(t->arena, text, type) : text, type);
}

static struct ks_typed shifted(struct ks_typed_reader *t, const struct ks_node *e, struct ks_typed a, struct ks_typed b)
{
    const enum ks_scalar type = promoted(a.type);
    if (ks_scalar_is_float(type) || ks_scalar_is_float(b.type))
        return ks_typed_refuse(t, e, "this operation is not known of floats");
    if (*e->text == '>')
        return is(ks_arena_printf(t->arena, "div(%s, pow(2, %s))", a.text, b.text), type);
    const char *text = ks_arena_printf(t->arena, "(%s * pow(2, %s))", a.text, b.text);
    return is(type == KS_T_U32 ? wrapped(t->arena, text, type) : text, type);
}

static struct ks_typed binary(struct ks_typed_reader *t, const struct ks_node *e)
{
    static const char *const compared[] = {"<", "<=", ">", ">=", "==", "!="};
    struct ks_typed a = ks_typed_formula(t, e->kid[0]);
    struct ks_typed b = a.text ? ks_typed_formula(t, e->kid[1]) : a;
    if (!a.text || !b.text)
        return (struct ks_typed){0};
    if (strcmp(e->text, "&&") == 0 || strcmp(e->text, "||") == 0)
        return is(ks_arena_printf(t->arena, "(%s %s %s)", a.text, e->text, b.text), KS_T_BOOL);
    if (strcmp(e->text, "<<") == 0 || strcmp(e->text, ">>") == 0)
        return shifted(t, e, a, b);
    const enum ks_scalar type = ks_typed_common(a.type, b.type);
    a = ks_typed_as(t, a, type);
    b = ks_typed_as(t, b, type);
    for (int i = 0; i < 6; i++)
        if (strcmp(e->text, compared[i]) == 0)
            return is(ks_arena_printf(t->arena, "(%s %s %s)", a.text, e->text, b.text), KS_T_BOOL);
    if (strlen(e->text) != 1 || strchr("+-*/%&|^", *e->text) == NULL)
        return ks_typed_refuse(t, e, "this operation is not known");
    return ks_scalar_is_float(type) ? of_floats(t, e, a, b, type) : of_whole(t, e, a, b, type);
}

static struct ks_typed unary(struct ks_typed_reader *t, const struct ks_node *e)
{
    struct ks_typed a = ks_typed_formula(t, e->kid[0]);
    if (!a.text)
        return a;
    const enum ks_scalar type = promoted(a.type);
    if (strcmp(e->text, "!") == 0)
        return is(ks_arena_printf(t->arena, "(!%s)", a.text), KS_T_BOOL);
    if (strcmp(e->text, "+") == 0)
        return is(a.text, type);
    if (strcmp(e->text, "-") == 0) {
        struct ks_typed v = is(ks_arena_printf(t->arena, "(-%s)", a.text), type);
        v.product = a.product ? ks_arena_printf(t->arena, "(-%s)", a.product) : NULL;
        v.text = type == KS_T_U32 ? wrapped(t->arena, v.text, type) : v.text;
        return v;
    }
    if (strcmp(e->text, "~") == 0 && !ks_scalar_is_float(type))
        return is(type == KS_T_U32 ? ks_arena_printf(t->arena, "(4294967295 - %s)", a.text)
                                   : ks_arena_printf(t->arena, "(-1 - %s)", a.text), type);
    return ks_typed_refuse(t, e, "this operation is not known");
}

static struct ks_typed choice(struct ks_typed_reader *t, const struct ks_node *e)
{
    struct ks_typed c = ks_typed_formula(t, e->kid[0]), a = c.text ? ks_typed_formula(t, e->kid[1]) : c;
    struct ks_typed b = a.text ? ks_typed_formula(t, e->kid[2]) : a;
    if (!b.text)
        return b;
    const enum ks_scalar type = a.type == b.type ? a.type : ks_typed_common(a.type, b.type);
    return is(ks_arena_printf(t->arena, "(%s ? %s : %s)", c.text, ks_typed_as(t, a, type).text, ks_typed_as(t, b, type).text),
              type);
}

static struct ks_typed cast(struct ks_typed_reader *t, const struct ks_node *e)
{
    const enum ks_scalar type = ks_typed_of_words(t, e->text);
    if (type == KS_T_NONE || type == KS_T_F16 || type == KS_T_BF16)
        return ks_typed_refuse(t, e, "this conversion is not known");
    return ks_typed_as(t, ks_typed_formula(t, e->kid[0]), type);
}

static struct ks_typed expression(struct ks_typed_reader *t, const struct ks_node *e)
{
    switch (e->kind) {
    case KS_N_NUMBER:
        return number(t, e);
    case KS_N_NAME:
        return name(t, e);
    case KS_N_INDEX:
        return ks_typed_element(t, e, e);
    case KS_N_CALL:
        return ks_typed_call(t, e);
    case KS_N_BINARY:
        return binary(t, e);
    case KS_N_UNARY:
        return unary(t, e);
    case KS_N_COND:
        return choice(t, e);
    case KS_N_CAST:
        return cast(t, e);
    default:
        return ks_typed_refuse(t, e, "this expression is not understood");
    }
}

struct ks_typed ks_typed_formula(struct ks_typed_reader *t, const struct ks_node *e)
{
    if (t->depth == DEEPEST)
        return ks_typed_refuse(t, e, "expressions are nested too deep");
    t->depth++;
    const struct ks_typed value = expression(t, e);
    t->depth--;
    return value;
}
