#include "engine/math.h"

#include <stdlib.h>
#include <string.h>

#include "base/num.h"

// Functions of one float that have a counterpart of a few instructions: errors in the CUDA C++ Programming
// Guide, "Mathematical Functions", "Intrinsic Functions". The names without f are the float overloads.
static const struct {
    const char *name, *plain, *fast;
} functions[] = {
    {"expf", "exp", "__expf"},       {"exp10f", "exp10", "__exp10f"}, {"logf", "log", "__logf"},
    {"log2f", "log2", "__log2f"},    {"log10f", "log10", "__log10f"}, {"sinf", "sin", "__sinf"},
    {"cosf", "cos", "__cosf"},       {"tanf", "tan", "__tanf"},       {"tanhf", "tanh", "opt_tanh"},
};
enum { N_FUNCTIONS = sizeof functions / sizeof *functions };

static const struct {
    const char *call, *text;
} helpers[] = {
    {"opt_tanh", "__device__ __forceinline__ float opt_tanh(float x)\n{\n"
                 "    return 1.0f - __fdividef(2.0f, __expf(2.0f * x) + 1.0f);\n}\n"},
    {"opt_square", "__device__ __forceinline__ float opt_square(float x)\n{\n    return x * x;\n}\n"},
    {"opt_cube", "__device__ __forceinline__ float opt_cube(float x)\n{\n    return x * x * x;\n}\n"},
    {"opt_fourth", "__device__ __forceinline__ float opt_fourth(float x)\n{\n"
                   "    float y = x * x;\n    return y * y;\n}\n"},
};
enum { N_HELPERS = sizeof helpers / sizeof *helpers };

struct rewriter {
    struct ks_subject *s;
    int level, done;
    bool used[N_HELPERS];
    const struct ks_node *inside; // the first call of a function of the program's that calls such
};

enum type { OTHER, INTEGER, FLOAT };

static enum type of_words(const char *text)
{
    static const char *const integers[] = {"int", "unsigned", "unsigned int", "size_t", "long", "short", "char",
                                           "bool", "long long", "unsigned long long", "int64_t", "uint32_t",
                                           "int32_t", "unsigned char"};
    if (ks_starts_with(text, "const "))
        text += 6;
    if (strcmp(text, "float") == 0)
        return FLOAT;
    for (size_t i = 0; i < sizeof integers / sizeof *integers; i++)
        if (strcmp(text, integers[i]) == 0)
            return INTEGER;
    return OTHER;
}

static enum type of_type(const struct ks_type *type)
{
    if (type->elem.lanes != 1 || type->elem.scalar == KS_T_NONE)
        return OTHER;
    if (type->elem.scalar == KS_T_F32)
        return FLOAT;
    return ks_scalar_is_float(type->elem.scalar) ? OTHER : INTEGER;
}

struct search {
    const char *name;
    enum type type;
    int found;
};

static bool visit_declaration(void *context, struct ks_node *node)
{
    struct search *s = context;
    for (size_t i = 0; node->kind == KS_N_DECL && i < node->n; i++)
        if (strcmp(node->kid[i]->text, s->name) == 0) {
            enum type type = node->kid[i]->pointer ? OTHER : of_words(node->text);
            s->type = s->found++ == 0 || s->type == type ? type : OTHER;
        }
    return true;
}

// The element's type of a variable or parameter; several of one name must agree.
static enum type of_name(const struct rewriter *r, const char *name)
{
    struct search s = {.name = name};
    ks_node_walk(r->s->body.block, visit_declaration, &s);
    if (s.found > 0)
        return s.type;
    for (size_t i = 0; i < r->s->decl->n_params; i++)
        if (strcmp(r->s->decl->params[i].name, name) == 0)
            return of_type(&r->s->brief->signature->params[i]);
    return OTHER;
}

static enum type of_number(const char *text)
{
    size_t n = strlen(text);
    if (ks_starts_with(text, "0x") || strpbrk(text, ".eE") == NULL)
        return strpbrk(text, "\"'") ? OTHER : INTEGER;
    return n > 0 && (text[n - 1] == 'f' || text[n - 1] == 'F') ? FLOAT : OTHER;
}

static bool is_float_call(const char *name)
{
    static const char *const others[] = {"fmaf", "fmaxf", "fminf", "fabsf", "sqrtf", "rsqrtf", "powf", "floorf",
                                         "ceilf", "__ldg", "erff", "exp2f", "log1pf", "expm1f", "__fdividef"};
    for (size_t i = 0; i < N_FUNCTIONS; i++)
        if (strcmp(name, functions[i].name) == 0)
            return true;
    for (size_t i = 0; i < sizeof others / sizeof *others; i++)
        if (strcmp(name, others[i]) == 0 && strcmp(name, "__ldg") != 0)
            return true;
    return false;
}

static enum type of(const struct rewriter *r, const struct ks_node *e)
{
    switch (e->kind) {
    case KS_N_NUMBER:
        return of_number(e->text);
    case KS_N_NAME:
        return of_name(r, e->text);
    case KS_N_INDEX:
        return e->kid[0]->kind == KS_N_NAME ? of_name(r, e->kid[0]->text) : OTHER;
    case KS_N_CAST:
        return of_words(e->text);
    case KS_N_CALL:
        return e->kid[0]->kind == KS_N_NAME && is_float_call(e->kid[0]->text) ? FLOAT : OTHER;
    case KS_N_UNARY:
        return strcmp(e->text, "-") == 0 || strcmp(e->text, "+") == 0 ? of(r, e->kid[0]) : OTHER;
    case KS_N_COND: {
        enum type a = of(r, e->kid[1]);
        return a == of(r, e->kid[2]) ? a : OTHER;
    }
    case KS_N_BINARY: {
        if (strlen(e->text) != 1 || !strchr("+-*/", e->text[0]))
            return OTHER;
        enum type a = of(r, e->kid[0]), b = of(r, e->kid[1]);
        return a == OTHER || b == OTHER ? OTHER : a > b ? a : b;
    }
    default:
        return OTHER;
    }
}

static void put(struct rewriter *r, size_t begin, size_t end, const char *text)
{
    ks_edit_add(r->s->arena, &r->s->rewrites, begin, end, text);
    r->done++;
    for (size_t i = 0; i < N_HELPERS; i++)
        r->used[i] |= ks_starts_with(text, helpers[i].call);
}

static void power(struct rewriter *r, const struct ks_node *call)
{
    const struct ks_node *exponent = call->kid[2];
    const char *name = NULL;
    double value = exponent->kind == KS_N_NUMBER ? strtod(exponent->text, NULL) : 0;
    if (value == 2)
        name = "opt_square";
    else if (value == 3)
        name = "opt_cube";
    else if (value == 4)
        name = "opt_fourth";
    else if (value == 0.5 && r->level > 1) // of -0 and -inf it is another
        name = "sqrtf";
    if (name) {
        put(r, call->kid[0]->begin, call->kid[0]->end, name);
        ks_edit_add(r->s->arena, &r->s->rewrites, call->kid[1]->end, call->kid[2]->end, "");
    } else if (r->level > 1) {
        put(r, call->kid[0]->begin, call->kid[0]->end, "__powf");
    }
}

static void call(struct rewriter *r, const struct ks_node *node)
{
    const char *name = node->kid[0]->kind == KS_N_NAME ? node->kid[0]->text : "";
    if (node->n == 3 && (strcmp(name, "powf") == 0 ||
                         (strcmp(name, "pow") == 0 && of(r, node->kid[1]) == FLOAT &&
                          of(r, node->kid[2]) == FLOAT)))
        power(r, node);
    for (size_t i = 0; r->level > 1 && node->n == 2 && i < N_FUNCTIONS; i++)
        if (strcmp(name, functions[i].name) == 0 ||
            (strcmp(name, functions[i].plain) == 0 && of(r, node->kid[1]) == FLOAT))
            put(r, node->kid[0]->begin, node->kid[0]->end, functions[i].fast);
}

// a / b: the text between the operands becomes a comma. Brackets belong to the nodes that they stand round.
static void division(struct rewriter *r, const struct ks_node *node)
{
    const char *text = r->s->body.text.at;
    size_t at = node->kid[0]->end;
    while (at < node->kid[1]->begin && text[at] != '/')
        at++;
    if (at == node->kid[1]->begin || text[at + 1] == '/' || text[at + 1] == '*')
        return;
    ks_edit_add(r->s->arena, &r->s->rewrites, node->kid[0]->begin, node->kid[0]->begin, "__fdividef(");
    put(r, at, at + 1, ",");
    ks_edit_add(r->s->arena, &r->s->rewrites, node->kid[1]->end, node->kid[1]->end, ")");
}

static bool visit(void *context, struct ks_node *node)
{
    struct rewriter *r = context;
    if (node->kind == KS_N_CALL)
        call(r, node);
    if (node->kind == KS_N_CALL && !r->inside && node->does && node->does->special > 0 &&
        ks_callee_does(NULL, node->kid[0]->text, false) != node->does)
        r->inside = node;
    if (r->level > 1 && ks_node_is(node, KS_N_BINARY, "/") && of(r, node) == FLOAT)
        division(r, node);
    return true;
}

static bool allowed(const struct ks_mark *mark)
{
    return mark && (mark->fastmath || mark->tolerance.kind == KS_TOL_ULP || mark->tolerance.kind == KS_TOL_REL);
}

enum ks_status ks_math_rewrite(struct ks_subject *s, int level, struct ks_err *err)
{
    struct rewriter r = {.s = s, .level = level};
    if (level > 1 && !allowed(s->brief->mark))
        KS_FAIL(err, KS_E_UNSUPPORTED, "line %d: approximations are for marks with fastmath or a tol()",
                s->decl->line);
    ks_node_walk(s->body.block, visit, &r);
    if (r.done == 0 && r.inside)
        KS_FAIL(err, KS_E_UNSUPPORTED, "line %d: what %s() calls is not rewritten, only what the kernel calls itself",
                r.inside->line, r.inside->kid[0]->text);
    if (r.done == 0)
        KS_FAIL(err, KS_E_UNSUPPORTED, "line %d: no mathematical function with a cheaper form", s->decl->line);
    struct ks_buf text = KS_BUF(4096);
    for (size_t i = 0; i < N_HELPERS; i++)
        if (r.used[i])
            ks_buf_printf(&text, "%s\n", helpers[i].text);
    s->helpers = ks_arena_printf(s->arena, "%s%s", s->helpers ? s->helpers : "", ks_buf_text(&text));
    ks_buf_free(&text);
    return KS_OK;
}
