#include "mutate.h"

#include <stdlib.h>
#include <string.h>

#include "source/lex.h"

struct state {
    struct ks_arena *arena;
    const char *source;
    struct ks_token *t;
    size_t n;
    struct mutant_list *out;
};

const char *mutation_name(enum mutation kind)
{
    static const char *const names[MUT_CLASSES] = {"operator", "condition", "bound", "index",
                                                   "number", "type", "barrier", "fence"};
    return names[kind];
}

// The source with [from, to) replaced, and `before` in front of all.
static void add(struct state *s, enum mutation kind, const char *before, const struct ks_token *at,
                const char *from, const char *to, const char *text)
{
    struct mutant *m = ks_vec_push(s->arena, s->out);
    m->kind = kind;
    m->line = at->line;
    m->what = *text != '\0' ? ks_arena_printf(s->arena, "`%.*s` becomes `%s`", (int)(to - from), from, text)
                            : ks_arena_printf(s->arena, "`%.*s` is left out", (int)(to - from), from);
    m->source = ks_arena_printf(s->arena, "%s%.*s%s%s", before, (int)(from - s->source), s->source, text, to);
}

static void replace(struct state *s, enum mutation kind, size_t i, const char *text)
{
    const struct ks_token *t = &s->t[i];
    add(s, kind, "", t, t->at, t->at + t->len, text);
}

static bool is(const struct state *s, size_t i, const char *text)
{
    return i < s->n && ks_token_is(&s->t[i], text);
}

static size_t closing(const struct state *s, size_t open)
{
    int depth = 0;
    for (size_t i = open; i < s->n; i++) {
        depth += is(s, i, "(") || is(s, i, "[");
        depth -= is(s, i, ")") || is(s, i, "]");
        if (depth == 0)
            return i;
    }
    return s->n;
}

static void punctuator(struct state *s, size_t i)
{
    static const struct { const char *from, *to; enum mutation kind; } swaps[] = {
        {"+", "-", MUT_OPERATOR}, {"-", "+", MUT_OPERATOR}, {"*", "+", MUT_OPERATOR},
        {"/", "*", MUT_OPERATOR}, {"%", "/", MUT_OPERATOR}, {"<<", ">>", MUT_OPERATOR},
        {">>", "<<", MUT_OPERATOR}, {"&", "|", MUT_OPERATOR}, {"|", "&", MUT_OPERATOR},
        {"^", "&", MUT_OPERATOR}, {"+=", "-=", MUT_OPERATOR}, {"+=", "=", MUT_OPERATOR},
        {"-=", "+=", MUT_OPERATOR}, {"*=", "+=", MUT_OPERATOR}, {"/=", "*=", MUT_OPERATOR},
        {"++", "--", MUT_OPERATOR}, {"==", "!=", MUT_CONDITION}, {"!=", "==", MUT_CONDITION},
        {"&&", "||", MUT_CONDITION}, {"||", "&&", MUT_CONDITION}, {"<", "<=", MUT_BOUND},
        {"<=", "<", MUT_BOUND}, {">", ">=", MUT_BOUND}, {">=", ">", MUT_BOUND},
    };
    for (size_t k = 0; k < sizeof swaps / sizeof *swaps; k++)
        if (is(s, i, swaps[k].from))
            replace(s, swaps[k].kind, i, swaps[k].to);
    if (is(s, i, "]") && !is(s, i - 1, "[")) {
        replace(s, MUT_INDEX, i, " + 1]");
        replace(s, MUT_INDEX, i, " - 1]");
    }
}

static void number(struct state *s, size_t i, int inside_condition, int inside_index)
{
    const struct ks_token *t = &s->t[i];
    char *end;
    long value = strtol(t->at, &end, 0);
    enum mutation kind = inside_condition > 0 ? MUT_BOUND : inside_index > 0 ? MUT_INDEX : MUT_NUMBER;
    if (end != t->at + t->len) { // a float, or a suffix
        replace(s, MUT_NUMBER, i, memchr(t->at, '.', t->len) != NULL ? "3.f" : "3");
        return;
    }
    replace(s, kind, i, ks_arena_printf(s->arena, "%ld", value + 1));
    replace(s, kind, i, value > 0 ? ks_arena_printf(s->arena, "%ld", value - 1) : "(-1)");
}

static void word(struct state *s, size_t i)
{
    static const char *const geometry[] = {"threadIdx", "blockIdx", "blockDim", "gridDim"};
    static const char *const wide[] = {"int", "size_t", "float", "unsigned"};
    static const char *const narrow[] = {"signed char", "unsigned char", "int", "unsigned char"};
    const struct ks_token *t = &s->t[i];
    for (int g = 0; g < 4; g++)
        if (is(s, i, geometry[g]) && is(s, i + 1, ".") && (is(s, i + 2, "x") || is(s, i + 2, "y")))
            replace(s, MUT_INDEX, i + 2, is(s, i + 2, "x") ? "y" : "x");
    for (int w = 0; w < 4; w++)
        if (is(s, i, wide[w]) && !is(s, i + 1, "int") && !is(s, i + 1, "long") && !is(s, i + 1, "*") &&
            !is(s, i + 1, ">") && !is(s, i - 1, "const"))
            replace(s, MUT_TYPE, i, narrow[w]);
    if (is(s, i, "if") && is(s, i + 1, "(")) {
        size_t end = closing(s, i + 1);
        const char *from = s->t[i + 1].at, *to = s->t[end].at + 1;
        add(s, MUT_CONDITION, "", t, from, to,
            ks_arena_printf(s->arena, "(!%.*s)", (int)(to - from), from));
    }
    bool barrier = is(s, i, "__syncthreads") || is(s, i, "__syncwarp");
    bool fence = is(s, i, "__threadfence") || is(s, i, "__threadfence_block");
    if ((barrier || fence) && is(s, i + 1, "(")) {
        size_t end = closing(s, i + 1);
        add(s, barrier ? MUT_BARRIER : MUT_FENCE, "", t, t->at, s->t[end].at + 1, "");
    }
    if (is(s, i, "atomicAdd"))
        add(s, MUT_FENCE,
            "template <class T>\n__device__ T plain_add(T *at, T value)\n{\n    T old = *at;\n"
            "    *at = old + value;\n    return old;\n}\n",
            t, t->at, t->at + t->len, "plain_add");
}

void mutate(struct ks_arena *arena, const char *source, struct mutant_list *mutants)
{
    struct state s = {.arena = arena, .source = source, .out = mutants};
    int braces = 0, conditions = 0, indices = 0;
    size_t condition_end = 0;
    s.n = ks_lex_all(arena, ks_slice_of(source), false, &s.t);
    for (size_t i = 1; i < s.n && s.t[i].kind != KS_TOK_END; i++) {
        braces += is(&s, i, "{");
        braces -= is(&s, i, "}");
        if (braces == 0)
            continue;
        if ((is(&s, i, "if") || is(&s, i, "for") || is(&s, i, "while")) && is(&s, i + 1, "(")) {
            conditions = 1;
            condition_end = closing(&s, i + 1);
        }
        if (i > condition_end)
            conditions = 0;
        indices += is(&s, i, "[");
        indices -= is(&s, i, "]");
        if (s.t[i].kind == KS_TOK_PUNCT)
            punctuator(&s, i);
        else if (s.t[i].kind == KS_TOK_NUMBER)
            number(&s, i, conditions, indices);
        else if (s.t[i].kind == KS_TOK_IDENT)
            word(&s, i);
    }
}
