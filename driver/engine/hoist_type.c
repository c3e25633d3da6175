// Types of arithmetic expressions, by C++'s usual conversions.
#include <string.h>

#include "engine/hoister.h"

static enum ks_scalar of_words(const struct ks_subject *s, const char *text)
{
    struct ks_type type = ks_type_parse(s->arena, ks_slice_of(text));
    return type.pointer || type.elem.lanes != 1 ? KS_T_NONE : type.elem.scalar;
}

static enum ks_scalar promoted(enum ks_scalar a)
{
    return a >= KS_T_BOOL && a < KS_T_I32    ? KS_T_I32
           : a == KS_T_F16 || a == KS_T_BF16 ? KS_T_NONE
                                             : a;
}

static enum ks_scalar common(enum ks_scalar a, enum ks_scalar b)
{
    a = promoted(a);
    b = promoted(b);
    return a == KS_T_NONE || b == KS_T_NONE ? KS_T_NONE : a > b ? a : b;
}

static enum ks_scalar of_number(const char *text)
{
    size_t n = strlen(text);
    bool hex = ks_starts_with(text, "0x") || ks_starts_with(text, "0X");
    if (n > 9 || hex || strchr(text, '\''))
        return KS_T_NONE;
    if (strspn(text, "0123456789") == n)
        return KS_T_I32;
    if (strspn(text, "0123456789.eE+-") == n)
        return KS_T_F64;
    return strspn(text, "0123456789.eE+-") + 1 == n && strchr("fF", text[n - 1]) ? KS_T_F32
                                                                                 : KS_T_NONE;
}

// What a name means: its declaration in sight, or a parameter. Of an array the type of an element.
static enum ks_scalar of_name(const struct ks_subject *s, const char *name, bool element, size_t at)
{
    const struct ks_node *decl = ks_loop_declaration(s->body.block, name, at);
    for (size_t i = 0; decl && i < decl->n; i++)
        if (strcmp(decl->kid[i]->text, name) == 0)
            return decl->kid[i]->pointer || (decl->kid[i]->n > 0) != element
                       ? KS_T_NONE
                       : of_words(s, decl->text);
    for (size_t i = 0; !decl && i < s->decl->n_params; i++)
        if (strcmp(s->decl->params[i].name, name) == 0) {
            const struct ks_type *type = &s->brief->signature->params[i];
            return type->pointer == element && type->elem.lanes == 1 ? type->elem.scalar
                                                                     : KS_T_NONE;
        }
    return KS_T_NONE;
}

static enum ks_scalar of_call(const struct ks_subject *s, const struct ks_node *e, size_t at)
{
    static const char *const either[] = {"min", "max", "fmin", "fmax", NULL};
    const char *name = e->kid[0]->kind == KS_N_NAME ? e->kid[0]->text : "";
    if (strcmp(name, "__ldg") == 0 && e->n == 2 && ks_node_is(e->kid[1], KS_N_UNARY, "&"))
        return ks_hoist_type(s, e->kid[1]->kid[0], at);
    for (size_t i = 0; e->n == 3 && either[i]; i++)
        if (strcmp(name, either[i]) == 0) {
            enum ks_scalar a = ks_hoist_type(s, e->kid[1], at);
            bool as_is =
                a == ks_hoist_type(s, e->kid[2], at) && (name[0] != 'f' || ks_scalar_is_float(a));
            return as_is ? promoted(a) : KS_T_NONE;
        }
    const struct ks_callee *own =
        ks_hoist_is_math(name) ? NULL : ks_callee_find(&s->brief->callees, name);
    if (own)
        return own->result ? of_words(s, own->result) : KS_T_NONE;
    bool single = ks_ends_with(name, "f") && !ks_starts_with(name, "__") && ks_hoist_is_math(name);
    return single && strcmp(name, "erf") != 0 && strcmp(name, "isinf") != 0 ? KS_T_F32 : KS_T_NONE;
}

static enum ks_scalar of_binary(const struct ks_subject *s, const struct ks_node *e, size_t at)
{
    static const char *const truth[] = {"<", ">", "<=", ">=", "==", "!=", "&&", "||", NULL};
    for (size_t i = 0; truth[i]; i++)
        if (strcmp(e->text, truth[i]) == 0)
            return KS_T_BOOL;
    if (strcmp(e->text, ",") == 0)
        return KS_T_NONE;
    enum ks_scalar a = ks_hoist_type(s, e->kid[0], at);
    if (strcmp(e->text, "<<") == 0 || strcmp(e->text, ">>") == 0)
        return promoted(a);
    return common(a, ks_hoist_type(s, e->kid[1], at));
}

enum ks_scalar ks_hoist_type(const struct ks_subject *s, const struct ks_node *e, size_t at)
{
    switch (e->kind) {
    case KS_N_NUMBER:
        return of_number(e->text);
    case KS_N_NAME:
        return of_name(s, e->text, false, at);
    case KS_N_INDEX:
        return e->kid[0]->kind == KS_N_NAME ? of_name(s, e->kid[0]->text, true, at) : KS_T_NONE;
    case KS_N_CAST:
        return of_words(s, e->text);
    case KS_N_CALL:
        return of_call(s, e, at);
    case KS_N_MEMBER:
        return ks_builtin_name(s->arena, e) ? KS_T_U32 : KS_T_NONE;
    case KS_N_UNARY:
        if (strcmp(e->text, "!") == 0)
            return KS_T_BOOL;
        return strlen(e->text) == 1 && strchr("+-~", e->text[0])
                   ? promoted(ks_hoist_type(s, e->kid[0], at))
                   : KS_T_NONE;
    case KS_N_COND:
        return common(ks_hoist_type(s, e->kid[1], at), ks_hoist_type(s, e->kid[2], at));
    case KS_N_BINARY:
        return of_binary(s, e, at);
    default:
        return KS_T_NONE;
    }
}
