// What functions do beside returning a value: CUDA's own by their names, the program's by their text.
#include <string.h>

#include "base/vec.h"
#include "source/callee_class.h"

static bool in_list(const char *text, const char *const *words)
{
    for (; *words; words++)
        if (strcmp(text, *words) == 0)
            return true;
    return false;
}

static bool in_list_with_f(const char *text, const char *const *words)
{
    size_t n = strlen(text);
    for (; *words; words++) {
        size_t k = strlen(*words);
        if (strncmp(text, *words, k) == 0 && (n == k || (n == k + 1 && text[k] == 'f')))
            return true;
    }
    return false;
}

// "CUDA C++ Programming Guide", "Mathematical Functions": those that take more than a few instructions, and
// intrinsics of the special function unit.
static bool is_special(const char *name)
{
    static const char *const functions[] = {
        "exp",   "exp2",  "exp10", "expm1", "log",   "log2",    "log10", "log1p", "sin",    "cos",      "sincos",
        "sinpi", "cospi", "sincospi", "tan", "sinh", "cosh",    "tanh",  "asin",  "acos",   "atan",     "atan2",
        "asinh", "acosh", "atanh", "pow",   "powi",  "sqrt",    "rsqrt", "cbrt",  "rcbrt",  "erf",      "erfc",
        "erfinv", "erfcinv", "erfcx", "hypot", "rhypot", "fdivide", "tgamma", "lgamma", "normcdf", "normcdfinv", NULL};
    static const char *const intrinsics[] = {"__expf",    "__exp10f", "__logf", "__log2f",    "__log10f", "__sinf", "__cosf",
                                             "__sincosf", "__tanf",   "__powf", "__fdividef", "__tanhf",  NULL};
    return in_list_with_f(name, functions) || in_list(name, intrinsics);
}

// Of CUDA's library, under all overloads that its headers have: what those of double do, or call by the same name, is
// no matter of the one that is called.
static bool is_library(const char *name)
{
    static const char *const functions[] = {
        "abs",     "fabs",   "labs",     "llabs",    "max",        "min",     "fmax",    "fmin",    "umin",   "umax",
        "llmin",   "llmax",  "ullmin",   "ullmax",   "floor",      "ceil",    "round",   "rint",    "trunc",  "nearbyint",
        "lrint",   "llrint", "lround",   "llround",  "fma",        "fmod",    "fdim",    "modf",    "remainder", "remquo",
        "frexp",   "ldexp",  "scalbn",   "scalbln",  "ilogb",      "logb",    "nextafter", "copysign", "nan", "isnan",
        "isinf",   "isfinite", "signbit", "norm3d",  "norm4d",     "rnorm3d", "rnorm4d", "j0",      "j1",     "jn",
        "y0",      "y1",     "yn",       "cyl_bessel_i0", "cyl_bessel_i1", "saturate", "clock", "clock64", "printf", "assert",
        "memcpy",  "memset", "malloc",   "free",     "forward",    "move",    "swap",    NULL};
    if (ks_starts_with(name, "std::"))
        name += 5;
    return is_special(name) || in_list_with_f(name, functions);
}

bool ks_callee_is_own(const char *name)
{
    if (ks_starts_with(name, "std::"))
        name += 5;
    bool prefix = ks_starts_with(name, "__") || ks_starts_with(name, "make_") || ks_starts_with(name, "tex1D") ||
                  ks_starts_with(name, "tex2D") || ks_starts_with(name, "tex3D") || ks_starts_with(name, "surf");
    return prefix || is_library(name);
}

static const struct ks_doing special = {.special = 1, .operations = 1}, barrier = {.barriers = 1}, warp = {.warp_ops = 1},
                             fence = {.fences = true}, numbers = {.numbers = true},
                             atomic = {.operations = 1, .atomics = 1};

// Methods of cooperative groups, by their names alone; `class` is NULL where it is not told.
static const struct ks_doing *of_method(const char *class, const char *name)
{
    static const char *const groups[] = {"thread_block", "grid_group", "cluster_group", "coalesced_group", "thread_group", NULL};
    static const char *const ranks[] = {"thread_rank",     "block_rank",     "meta_group_rank", "group_index",
                                        "thread_index",    "block_index",    "num_threads",     "meta_group_size",
                                        "group_dim",       "dim_threads",    "dim_blocks",      "cluster_rank", NULL};
    static const char *const votes[] = {"ballot", "match_any", "match_all", NULL};
    static const char *const meets[] = {"sync", "barrier_arrive", "barrier_wait", "arrive_and_wait", NULL};
    if (in_list(name, ranks) || (class && strcmp(name, "size") == 0 && in_list(class, groups)))
        return &numbers;
    if (in_list(name, meets))
        return &barrier;
    return in_list(name, votes) || ks_starts_with(name, "shfl") ? &warp : NULL;
}

// CUDA's own functions that do more than compute; NULL: it is none of these.
static const struct ks_doing *of_own(const char *name)
{
    static const char *const votes[] = {"__activemask", "__any",   "__all",          "__ballot",
                                        "mma_sync",     "load_matrix_sync", "store_matrix_sync", NULL};
    static const char *const groups[] = {"this_thread_block",  "this_grid",         "this_cluster", "this_multi_grid",
                                         "coalesced_threads",  "tiled_partition",   "binary_partition",
                                         "labeled_partition", NULL};
    bool group = ks_starts_with(name, "cg::") || ks_starts_with(name, "cooperative_groups::");
    const char *last = strrchr(name, ':');
    last = last ? last + 1 : name;
    size_t n = strcspn(last, "<");
    if (ks_starts_with(name, "std::"))
        name = last;
    if (ks_starts_with(name, "__syncthreads") || ks_starts_with(name, "__barrier_sync") ||
        ks_starts_with(name, "__cluster_barrier") || (group && strcmp(last, "sync") == 0))
        return &barrier;
    if (ks_starts_with(name, "__shfl") || ks_starts_with(name, "__reduce_") || ks_starts_with(name, "__vote") ||
        (ks_starts_with(name, "__") && strstr(name, "_sync")) || ks_starts_with(name, "__syncwarp") ||
        in_list(last, votes) ||
        (group && (ks_starts_with(last, "reduce") || strstr(last, "_scan"))))
        return &warp;
    if (ks_starts_with(name, "__threadfence"))
        return &fence;
    for (size_t i = 0; groups[i]; i++)
        if (strlen(groups[i]) == n && memcmp(last, groups[i], n) == 0)
            return &numbers;
    if (ks_starts_with(name, "atomic"))
        return &atomic;
    return is_special(name) ? &special : NULL;
}

static const struct ks_doing unknown = {.operations = -1, .unseen = ""};

// Of a method in the list ("CLASS.METHOD"), or of one of no known class ("METHOD"); NULL: not seen.
static const struct ks_doing *of_class(const char *name)
{
    const char *point = strchr(name, '.');
    char class[64] = "";
    size_t n = point ? (size_t)(point - name) : 0;
    if (n < sizeof class)
        memcpy(class, name, n);
    return of_method(n > 0 && n < sizeof class ? class : NULL, point ? point + 1 : name);
}

static const struct ks_doing *does_method(const struct ks_callee_list *callees, const char *called)
{
    const char *name = called + strlen(called);
    while (name > called && ks_is_ident(name[-1]))
        name--;
    for (size_t i = 0; callees && i < callees->n_methods; i++)
        if (strcmp(callees->methods[i].called, called) == 0)
            name = callees->methods[i].name;
    const struct ks_doing *own = of_class(name);
    const struct ks_callee *callee = own || !strchr(name, '.') ? NULL : ks_callee_find(callees, name);
    return own ? own : callee && callee->looked == 2 ? &callee->does : &unknown;
}

const struct ks_doing *ks_callee_does(const struct ks_callee_list *callees, const char *name, bool method)
{
    const struct ks_doing *own = method ? NULL : of_own(name);
    if (own || (!method && is_library(name)))
        return own;
    if (method)
        return does_method(callees, name);
    const struct ks_callee *callee = ks_callee_find(callees, name);
    if (!callee && (*name == '\0' || strchr(name, '(')))
        return &unknown;
    if (!callee || (callee->n_texts == 0 && ks_callee_is_own(name)))
        return NULL;
    return callee->looked == 2 ? &callee->does : NULL;
}

struct looker {
    struct ks_arena *arena;
    struct ks_callee_list *callees;
    struct ks_callee *callee;
    const struct ks_callee_text *text; // that is looked at, and names of it
    struct ks_strv params, shared;
};

static void look(struct ks_arena *arena, struct ks_callee_list *callees, struct ks_callee *callee);

static bool names(const struct ks_strv *list, const struct ks_token *t, size_t *i)
{
    for (*i = 0; *i < list->len; ++*i)
        if (ks_token_is(t, list->at[*i]))
            return true;
    return false;
}

// The last word of each parameter.
static void read_params(struct looker *l, const char *params)
{
    struct ks_token *t;
    const char *name = "";
    int depth = 0;
    bool value = false;
    ks_lex_all(l->arena, ks_slice_of(params), false, &t);
    for (;; t++) {
        bool end = t->kind == KS_TOK_END, comma = depth == 0 && ks_token_is(t, ",");
        if (end || comma) {
            ks_strv_add(l->arena, &l->params, name);
            name = "";
            value = false;
        }
        if (end)
            return;
        depth += (ks_token_is(t, "<") || ks_token_is(t, "(")) - (ks_token_is(t, ">") || ks_token_is(t, ")"));
        value |= ks_token_is(t, "=") || ks_token_is(t, "[");
        if (t->kind == KS_TOK_IDENT && !value)
            name = ks_token_text(l->arena, t);
    }
}

// Argument `which` of the call whose bracket is at `open`: which parameters' memory it may lead to. Where it leads to
// none of theirs, and to no shared variable, *elsewhere becomes true: a member's, or the program's own.
static uint32_t leads_to(const struct looker *l, const struct ks_token *open, unsigned which, bool *elsewhere)
{
    int depth = 0;
    unsigned at = 0;
    uint32_t bits = 0;
    bool shared = false;
    for (const struct ks_token *t = open; t->kind != KS_TOK_END; t++) {
        depth += (ks_token_is(t, "(") || ks_token_is(t, "[") || ks_token_is(t, "{")) -
                 (ks_token_is(t, ")") || ks_token_is(t, "]") || ks_token_is(t, "}"));
        if (depth == 0)
            break;
        at += depth == 1 && ks_token_is(t, ",");
        size_t i;
        if (t->kind != KS_TOK_IDENT || at != which || depth > 1)
            continue;
        bits |= names(&l->params, t, &i) && i < 32 ? 1u << i : 0;
        shared |= names(&l->shared, t, &i);
    }
    if (bits || shared)
        return bits;
    *elsewhere |= l->callee->changes == 0;
    return l->callee->changes; // a local pointer, to what is not followed
}

// The bracket of the call that the name begins, template arguments left out, or NULL.
static const struct ks_token *called_at(const struct ks_token *t)
{
    int depth = 0;
    for (t++; ks_token_is(t, "<") || depth > 0; t++) {
        if (t->kind == KS_TOK_END || ks_token_is(t, ";") || ks_token_is(t, "{") || ks_token_is(t, "&&") ||
            ks_token_is(t, "||"))
            return NULL;
        depth += ks_token_is(t, "<") - ks_token_is(t, ">") - 2 * ks_token_is(t, ">>");
        if (depth <= 0 && !ks_token_is(t, "<")) {
            t++;
            break;
        }
    }
    return ks_token_is(t, "(") ? t : NULL;
}

// Counts of what calls functions of libraries double with each level.
static int sum(int a, int b)
{
    enum { MOST = 1 << 20 };
    return a + b < MOST ? a + b : MOST;
}

static void add(struct ks_doing *to, const struct ks_doing *from)
{
    to->special = sum(to->special, from->special);
    to->barriers = sum(to->barriers, from->barriers);
    to->warp_ops = sum(to->warp_ops, from->warp_ops);
    to->shared = sum(to->shared, from->shared);
    to->operations = to->operations < 0 || from->operations < 0 ? -1 : sum(to->operations, from->operations);
    to->numbers |= from->numbers;
    to->fences |= from->fences;
    to->doubles |= from->doubles;
    to->elsewhere |= from->elsewhere;
    to->unseen = to->unseen ? to->unseen : from->unseen;
}

// A method that is not seen is of no object that is known, or its class has none of that name.
static void call_of(struct looker *l, const char *name, bool method, const struct ks_token *open)
{
    static const struct ks_doing plain = {.operations = 1}, nothing = {.operations = -1};
    struct ks_doing *does = &l->callee->does;
    const bool known = !method || strchr(name, '.');
    struct ks_callee *callee = known ? (struct ks_callee *)(uintptr_t)ks_callee_find(l->callees, name) : NULL;
    const struct ks_doing *of = method ? of_class(name) : of_own(name);
    bool own = !method && is_library(name);
    if (!of && !own && callee && (callee->n_texts > 0 || !ks_callee_is_own(name))) {
        look(l->arena, l->callees, callee);
        if (callee->looked == 1)
            does->unseen = does->unseen ? does->unseen : callee->name;
        of = callee->looked == 1 ? &nothing : &callee->does;
    } else if (!of && method) {
        does->unseen = does->unseen ? does->unseen : name;
        of = &nothing;
    }
    add(does, of ? of : &plain);
    for (unsigned i = 0; of && i < 32; i++)
        if (of->atomics >> i & 1)
            does->atomics |= leads_to(l, open, i, &does->elsewhere);
}

// Of the method whose name stands at `t` of the body: "CLASS.METHOD", or its own name where the class is not told.
static const char *method_name(const struct looker *l, const struct ks_token *t, const char *name)
{
    struct ks_token *first;
    const char *front = ks_arena_printf(l->arena, "%s; ", l->text->params);
    const char *whole = ks_arena_printf(l->arena, "%s%s", front, l->text->body);
    const char *at = whole + strlen(front) + (t->at - l->text->body);
    ks_lex_all(l->arena, ks_slice_of(whole), false, &first);
    const struct ks_token *same = first;
    while (same->kind != KS_TOK_END && same->at < at)
        same++;
    const char *called = ks_class_called(l->arena, first, same, l->text->scope);
    return called ? called : name;
}

static void call(struct looker *l, const struct ks_token *first, const struct ks_token *t, const struct ks_token *open)
{
    bool method = t > first && (ks_token_is(t - 1, ".") || ks_token_is(t - 1, "->"));
    const char *name = ks_token_text(l->arena, t);
    const struct ks_token *close = ks_callee_closing(open);
    if (close && ks_token_is(close + 1, "(")) { // T()(x)
        const char *object = ks_arena_printf(l->arena, "%s()", name);
        call_of(l, ks_callee_find(l->callees, object) ? object : name, false, close + 1);
        return;
    }
    if (ks_token_is(open, "{"))
        return;
    const char *scoped = l->text->scope && !method && !(t > first && ks_token_is(t - 1, "::"))
                             ? ks_arena_printf(l->arena, "%s.%s", l->text->scope, name)
                             : NULL;
    if (method)
        name = method_name(l, t, name);
    else if (scoped && ks_callee_find(l->callees, scoped)) {
        name = scoped;
        method = true;
    } else if (t > first + 1 && ks_token_is(t - 1, "::") && t[-2].kind == KS_TOK_IDENT)
        name = ks_arena_printf(l->arena, "%s::%s", ks_token_text(l->arena, t - 2), name);
    call_of(l, name, method, open);
}

// Inline assembly that is no thread's own business.
static void assembly(struct ks_doing *does, struct ks_slice text)
{
    static const struct {
        const char *word;
        const struct ks_doing *does;
    } words[] = {{"bar.", &barrier},     {"barrier", &barrier}, {"shfl", &warp},      {"vote", &warp},
                 {"match.", &warp},      {"redux", &warp},      {"mma", &warp},       {"ldmatrix", &warp},
                 {"%tid", &numbers},     {"%ntid", &numbers},   {"%ctaid", &numbers}, {"%laneid", &numbers},
                 {"%lanemask", &numbers}, {"%warpid", &numbers}, {"%nctaid", &numbers}, {"membar", &fence},
                 {"fence", &fence}};
    for (size_t i = 0; i < sizeof words / sizeof *words; i++)
        if (memmem(text.at, text.len, words[i].word, strlen(words[i].word)))
            add(does, words[i].does);
}

static bool is_arithmetic(const struct ks_token *first, const struct ks_token *t)
{
    static const char *const operators[] = {"+", "-", "*", "/", "%", "&", "|", "^", "+=", "-=", "*=", "/=", "%=", NULL};
    static const char *const words[] = {"return", "const", "float", "double", "int", "unsigned", "char", "long", "short",
                                        "void",   "auto",  "half",  NULL};
    bool is = false;
    for (size_t i = 0; t->kind == KS_TOK_PUNCT && operators[i]; i++)
        is |= ks_token_is(t, operators[i]);
    for (size_t i = 0; is && t > first && words[i]; i++)
        is = !ks_token_is(t - 1, words[i]);
    return is && t > first &&
           (t[-1].kind == KS_TOK_IDENT || t[-1].kind == KS_TOK_NUMBER || ks_token_is(t - 1, ")") || ks_token_is(t - 1, "]"));
}

// `__shared__`, or what the compiler's headers make of it: `__attribute__((shared))`.
static bool is_shared(const struct ks_token *first, const struct ks_token *t)
{
    return ks_token_is(t, "__shared__") ||
           (ks_token_is(t, "shared") && t > first + 2 && ks_token_is(t - 1, "(") && ks_token_is(t - 2, "(") &&
            ks_token_is(t - 3, "__attribute__"));
}

static void read_text(struct looker *l, const struct ks_callee_text *text)
{
    static const char *const launch[] = {"threadIdx", "blockIdx", "blockDim", "gridDim", NULL};
    static const char *const loops[] = {"for", "while", "do", "goto", NULL};
    static const char *const words[] = {"if", "switch", "return", "sizeof", "alignof", "decltype", "static_cast",
                                        "reinterpret_cast", "const_cast", "defined", "__attribute__", "_Pragma", "asm",
                                        "__asm__", "__asm", "volatile", "__volatile__", "for", "while", "catch", "int",
                                        "float", "double", "unsigned", "bool", "char", "long", "short", NULL};
    struct ks_doing *does = &l->callee->does;
    struct ks_token *first;
    int subscripts = 0;
    l->text = text;
    l->params = l->shared = (struct ks_strv){0};
    read_params(l, text->params);
    does->doubles |= strstr(text->params, "double") || strcmp(text->result, "double") == 0;
    ks_lex_all(l->arena, ks_slice_of(text->body), false, &first);
    for (const struct ks_token *t = first; t->kind != KS_TOK_END; t++) {
        subscripts += ks_token_is(t, "[") - ks_token_is(t, "]");
        if (t->kind == KS_TOK_STRING)
            assembly(does, (struct ks_slice){t->at, t->len});
        if (subscripts == 0 && does->operations >= 0)
            does->operations += is_arithmetic(first, t);
        if (t->kind != KS_TOK_IDENT)
            continue;
        const char *word = ks_token_text(l->arena, t);
        does->numbers |= in_list(word, launch) && !(t > first && ks_token_is(t - 1, "."));
        does->doubles |= strcmp(word, "double") == 0;
        if (in_list(word, loops))
            does->operations = -1;
        if (is_shared(first, t)) {
            does->shared++;
            for (const struct ks_token *s = t; s->kind != KS_TOK_END && !ks_token_is(s, ";"); s++)
                if (s->kind == KS_TOK_IDENT)
                    ks_strv_add(l->arena, &l->shared, ks_token_text(l->arena, s));
        }
        const struct ks_token *open = in_list(word, words) ? NULL : ks_token_is(t + 1, "{") ? t + 1 : called_at(t);
        if (open)
            call(l, first, t, open);
    }
}

static void look(struct ks_arena *arena, struct ks_callee_list *callees, struct ks_callee *callee)
{
    struct looker l = {.arena = arena, .callees = callees, .callee = callee};
    if (callee->looked)
        return;
    callee->looked = 1;
    callee->does.unseen = callee->n_texts == 0 || callee->cut ? callee->name : NULL;
    callee->does.operations = callee->does.unseen ? -1 : 0;
    for (size_t i = 0; i < callee->n_texts; i++)
        read_text(&l, &callee->text[i]);
    callee->looked = 2;
}

void ks_callees_look(struct ks_arena *arena, struct ks_callee_list *callees)
{
    for (size_t i = 0; i < callees->len; i++)
        look(arena, callees, &callees->at[i]);
}
