// The clauses of `workload`. What can be said without the kernel is checked here; mark_check.c
// holds the rest against the kernel's parameters.
#include <ctype.h>

#include "base/num.h"
#include "source/clause.h"

struct lists {
    KS_VEC(struct ks_binding) lets;
    KS_VEC(struct ks_array) arrays;
    KS_VEC(struct ks_setting) settings;
    struct {
        const char *(*at)[2];
        size_t len, cap;
    } aliases;
};

static enum ks_status parse_expr(struct ks_clause_text *ct, struct ks_slice text,
                                 struct ks_expr **expr)
{
    return ks_expr_parse(ct->arena, ks_clause_where(ct, text.at), text, expr, ct->err);
}

// A name may be given a value once in a workload, whichever clause does it.
static enum ks_status claim(struct ks_clause_text *ct, const struct lists *l, const char *at,
                            const char *name)
{
    const char *by = NULL;
    ks_vec_each (struct ks_binding, b, &l->lets)
        if (strcmp(b->name, name) == 0)
            by = "let";
    ks_vec_each (struct ks_array, a, &l->arrays)
        if (strcmp(a->name, name) == 0)
            by = "an array clause";
    ks_vec_each (struct ks_setting, s, &l->settings)
        if (strcmp(s->name, name) == 0)
            by = "set";
    for (size_t i = 0; i < l->aliases.len; i++)
        if (strcmp(l->aliases.at[i][0], name) == 0)
            by = "alias";
    if (by)
        return ks_clause_fail(ct, at, "'%s' is given twice in this workload: %s has it already",
                              name, by);
    return KS_OK;
}

static enum ks_status parse_let(struct ks_clause_text *ct, const struct ks_clause *c,
                                struct lists *l)
{
    struct ks_slice *parts;
    size_t n;
    KS_TRY(ks_clause_split(ct, c, &parts, &n));
    for (size_t i = 0; i < n; i++) {
        struct ks_binding b = {0};
        const char *at = parts[i].at;
        ks_clause_assigned(ct->arena, &parts[i], &b.name);
        if (!b.name)
            return ks_clause_fail(ct, at, "let takes NAME=expression, not '%.*s'",
                                  (int)parts[i].len, parts[i].at);
        if (strchr(b.name, '.') != NULL)
            return ks_clause_fail(ct, at, "a member takes its value by set(%s=...); let makes names of sizes", b.name);
        KS_TRY(claim(ct, l, at, b.name));
        KS_TRY(parse_expr(ct, parts[i], &b.expr));
        *ks_vec_push(ct->arena, &l->lets) = b;
    }
    return KS_OK;
}

// A literal (without C's suffix f, so that ks_parse_f64 reads it) or the text of an expression.
static enum ks_status parse_value(struct ks_clause_text *ct, struct ks_slice text,
                                  const char **value)
{
    double number;
    struct ks_expr *expr;
    char *copy = ks_arena_strndup(ct->arena, text.at, text.len);
    *value = copy;
    if (strcmp(copy, "true") == 0 || strcmp(copy, "false") == 0 || ks_parse_f64(copy, &number))
        return KS_OK;
    if (!ks_clause_number(ct->arena, text, &number))
        return parse_expr(ct, text, &expr);
    copy[text.len - 1] = '\0';
    return KS_OK;
}

static enum ks_status parse_set(struct ks_clause_text *ct, const struct ks_clause *c,
                                struct lists *l)
{
    struct ks_slice *parts;
    size_t n;
    KS_TRY(ks_clause_split(ct, c, &parts, &n));
    KS_VEC(const char *) values = {0};
    struct ks_setting *setting = NULL;
    for (size_t i = 0; i < n; i++) {
        const char *name, *at = parts[i].at;
        ks_clause_assigned(ct->arena, &parts[i], &name);
        if (name) {
            KS_TRY(claim(ct, l, at, name));
            setting = ks_vec_push(ct->arena, &l->settings);
            setting->name = name;
            memset(&values, 0, sizeof values);
        } else if (!setting) {
            return ks_clause_fail(ct, at, "set takes NAME=value, not '%.*s'", (int)parts[i].len,
                                  parts[i].at);
        }
        KS_TRY(parse_value(ct, parts[i], ks_vec_push(ct->arena, &values)));
        setting->values = values.at;
        setting->n_values = values.len;
    }
    return KS_OK;
}

static const struct {
    const char *name;
    enum ks_init_kind kind;
    size_t n_args;
    const char *example;
} inits[] = {
    {"uniform", KS_INIT_UNIFORM, 2, "uniform(-1,1)"},
    {"normal", KS_INIT_NORMAL, 2, "normal(0,1)"},
    {"randint", KS_INIT_RANDINT, 2, "randint(0,99)"},
    {"iota", KS_INIT_IOTA, 2, "iota(0,1)"},
    {"permutation", KS_INIT_PERMUTATION, 0, "permutation"},
    {"constant", KS_INIT_CONSTANT, 1, "constant(0)"},
    {"file", KS_INIT_FILE, 1, "file(\"x.npy\")"},
};

static enum ks_status parse_file(struct ks_clause_text *ct, const struct ks_clause *c,
                                 struct ks_slice part, struct ks_init *init)
{
    if (part.len < 3 || *part.at != '"' || part.at[part.len - 1] != '"')
        return ks_clause_fail(ct, c->begin, "file takes a quoted path, as in file(\"x.npy\")");
    init->path = ks_arena_strndup(ct->arena, part.at + 1, part.len - 2);
    if (!ks_ends_with(init->path, ".npy"))
        return ks_clause_fail(ct, c->begin, "file(\"%s\"): only NumPy's .npy files are read",
                              init->path);
    return KS_OK;
}

// The initialiser behind '=': a word with arguments, parsed as a clause of its own.
static enum ks_status parse_init(struct ks_clause_text *ct, struct ks_slice text, const char *array,
                                 struct ks_init *init)
{
    struct ks_clause_text sub = *ct;
    sub.file = NULL;
    sub.where = ks_clause_where(ct, text.at);
    sub.text = sub.at = ks_arena_strndup(ct->arena, text.at, text.len);
    struct ks_clause c = {0};
    bool done;
    KS_TRY(ks_clause_next(&sub, &c, &done));
    size_t k = 0, n_kinds = sizeof inits / sizeof *inits;
    while (!done && k < n_kinds && strcmp(c.name, inits[k].name) != 0)
        k++;
    if (done || k == n_kinds) {
        const char *names[sizeof inits / sizeof *inits + 1] = {NULL};
        for (size_t i = 0; i < n_kinds; i++)
            names[i] = inits[i].name;
        const char *nearest = done ? NULL : ks_nearest_word(c.name, names);
        return ks_clause_fail(&sub, sub.text, "unknown initialiser '%s' of %s; %s%s%s",
                              done ? "" : c.name, array, nearest ? "did you mean '" : "there are ",
                              nearest ? nearest
                                      : "uniform, normal, randint, iota, permutation, constant and "
                                        "file",
                              nearest ? "'?" : "");
    }
    init->kind = inits[k].kind;
    struct ks_slice *parts = NULL;
    size_t n = 0;
    if (c.has_args)
        KS_TRY(ks_clause_split(&sub, &c, &parts, &n));
    if (n != inits[k].n_args || sub.at[strspn(sub.at, " \t\r\n")] != '\0')
        return ks_clause_fail(&sub, sub.text, "the initialiser of %s is written %s", array,
                              inits[k].example);
    if (init->kind == KS_INIT_FILE)
        return parse_file(&sub, &c, parts[0], init);
    double v[2] = {0, 0};
    for (size_t i = 0; i < n; i++)
        if (!ks_clause_number(ct->arena, parts[i], &v[i]))
            return ks_clause_fail(&sub, sub.text,
                                  "bad number '%.*s' in %s of %s: only numbers stand there, the same at every size, "
                                  "as in %s%s",
                                  (int)parts[i].len, parts[i].at, c.name, array, inits[k].example,
                                  init->kind == KS_INIT_RANDINT
                                      ? "; each index below the array's own length once is `permutation`"
                                      : "");
    init->a = v[0];
    init->b = v[1];
    bool range = init->kind == KS_INIT_UNIFORM || init->kind == KS_INIT_RANDINT;
    if (range && v[0] > v[1])
        return ks_clause_fail(&sub, sub.text,
                              "%s(%g,%g) of %s: the lower bound is above the upper; "
                              "exchange them",
                              c.name, v[0], v[1], array);
    if (init->kind == KS_INIT_NORMAL && v[1] < 0)
        return ks_clause_fail(&sub, sub.text,
                              "normal(%g,%g) of %s: the standard deviation is "
                              "negative",
                              v[0], v[1], array);
    if (init->kind == KS_INIT_RANDINT && !(ks_is_whole(v[0]) && ks_is_whole(v[1])))
        return ks_clause_fail(&sub, sub.text, "randint of %s takes whole numbers", array);
    return KS_OK;
}

static enum ks_status parse_array(struct ks_clause_text *ct, const struct ks_clause *c,
                                  enum ks_array_role role, struct lists *l)
{
    struct ks_slice *parts;
    size_t n;
    KS_TRY(ks_clause_split(ct, c, &parts, &n));
    if (n > 1)
        return ks_clause_fail(ct, c->begin,
                              "%s describes one array; write another %s(...) for "
                              "'%.*s'",
                              c->name, c->name, (int)parts[1].len, parts[1].at);
    struct ks_slice part = parts[0];
    const char *open = memchr(part.at, '[', part.len), *end = part.at + part.len;
    size_t bracket = open ? ks_clause_balanced(open, end) : 0;
    const char *name_end = open;
    while (open && name_end > part.at && isspace((unsigned char)name_end[-1]))
        name_end--;
    const char *name = name_end;
    while (open && name > part.at && (isalnum((unsigned char)name[-1]) || name[-1] == '_' || name[-1] == '.'))
        name--;
    if (!open || bracket == 0 || name == name_end || isdigit((unsigned char)*name) || *name == '.')
        return ks_clause_fail(ct, c->begin,
                              "%s takes an array with its number of elements, as in "
                              "%s(x[n]%s), not '%.*s'",
                              c->name, c->name, role == KS_ROLE_OUT ? "" : "=uniform(0,1)",
                              (int)part.len, part.at);
    struct ks_array a = {.role = role,
                         .name = ks_arena_strndup(ct->arena, name, (size_t)(name_end - name)),
                         .type = {.text = ""}};
    KS_TRY(claim(ct, l, c->begin, a.name));
    struct ks_slice type = ks_slice_trim((struct ks_slice){part.at, (size_t)(name - part.at)});
    if (type.len) {
        a.type = ks_type_parse(ct->arena, type);
        if (a.type.pointer || a.type.elem.scalar == KS_T_NONE)
            return ks_clause_fail(ct, c->begin,
                                  "'%.*s' is no element type of %s; use a builtin "
                                  "type, a CUDA vector type, half or bfloat16",
                                  (int)type.len, type.at, a.name);
    }
    KS_TRY(parse_expr(ct, (struct ks_slice){open + 1, bracket - 2}, &a.count));
    const char *rest = open + bracket;
    while (rest < end && isspace((unsigned char)*rest))
        rest++;
    if (rest < end && *rest != '=')
        return ks_clause_fail(ct, rest,
                              "behind %s[...] only '=' and an initialiser may stand, not "
                              "'%.*s'; an array has one dimension, so write the product",
                              a.name, (int)(end - rest), rest);
    if (rest < end && role == KS_ROLE_OUT)
        return ks_clause_fail(ct, c->begin,
                              "out(%s[...]) takes no initialiser; if the kernel reads "
                              "it, write inout",
                              a.name);
    if (rest < end)
        KS_TRY(
            parse_init(ct, (struct ks_slice){rest + 1, (size_t)(end - rest) - 1}, a.name, &a.init));
    *ks_vec_push(ct->arena, &l->arrays) = a;
    return KS_OK;
}

static enum ks_status parse_alias(struct ks_clause_text *ct, const struct ks_clause *c,
                                  struct lists *l)
{
    struct ks_slice *parts;
    size_t n;
    KS_TRY(ks_clause_split(ct, c, &parts, &n));
    if (n != 2)
        return ks_clause_fail(ct, c->begin,
                              "alias takes two parameters: alias(y,x) passes x's "
                              "pointer for y too");
    const char *y = ks_arena_strndup(ct->arena, parts[0].at, parts[0].len);
    const char *x = ks_arena_strndup(ct->arena, parts[1].at, parts[1].len);
    if (strcmp(x, y) == 0)
        return ks_clause_fail(ct, c->begin, "alias(%s,%s) names one parameter twice", y, x);
    KS_TRY(claim(ct, l, c->begin, y));
    const char *(*pair)[2] = ks_vec_push(ct->arena, &l->aliases);
    (*pair)[0] = y;
    (*pair)[1] = x;
    return KS_OK;
}

static enum ks_status parse_dims(struct ks_clause_text *ct, const struct ks_clause *c,
                                 struct ks_expr **dims)
{
    struct ks_slice *parts;
    size_t n;
    if (dims[0])
        return ks_clause_fail(ct, c->begin, "%s is given twice", c->name);
    KS_TRY(ks_clause_split(ct, c, &parts, &n));
    if (n > 3)
        return ks_clause_fail(ct, c->begin, "%s has at most three dimensions", c->name);
    for (size_t i = 0; i < n; i++)
        KS_TRY(parse_expr(ct, parts[i], &dims[i]));
    return KS_OK;
}

static enum ks_status parse_weight(struct ks_clause_text *ct, const struct ks_clause *c,
                                   double *weight)
{
    if (!ks_clause_number(ct->arena, c->args, weight) || *weight <= 0)
        return ks_clause_fail(ct, c->begin, "weight takes a positive number, as in weight(2.5)");
    return KS_OK;
}

static enum ks_status parse_one(struct ks_clause_text *ct, const struct ks_clause *c,
                                struct ks_workload_mark *w, struct lists *l, bool *weighted)
{
    static const char *const known[] = {"name",   "weight",  "let",   "in",   "inout",
                                        "out",    "set",     "alias", "grid", "block",
                                        "shared", "capture", NULL};
    static const char *const of_optimize[] = {"tol", "fastmath", "assume", "budget", "inst", NULL};
    if (strcmp(c->name, "name") == 0)
        return *w->name ? ks_clause_fail(ct, c->begin, "name is given twice")
                        : ks_clause_id(ct, c, false, &w->name);
    if (strcmp(c->name, "capture") == 0)
        return *w->capture ? ks_clause_fail(ct, c->begin, "capture is given twice")
                           : ks_clause_id(ct, c, true, &w->capture);
    if (strcmp(c->name, "weight") == 0) {
        if (*weighted)
            return ks_clause_fail(ct, c->begin, "weight is given twice");
        *weighted = true;
        return parse_weight(ct, c, &w->weight);
    }
    if (strcmp(c->name, "let") == 0)
        return parse_let(ct, c, l);
    if (strcmp(c->name, "in") == 0)
        return parse_array(ct, c, KS_ROLE_IN, l);
    if (strcmp(c->name, "inout") == 0)
        return parse_array(ct, c, KS_ROLE_INOUT, l);
    if (strcmp(c->name, "out") == 0)
        return parse_array(ct, c, KS_ROLE_OUT, l);
    if (strcmp(c->name, "set") == 0)
        return parse_set(ct, c, l);
    if (strcmp(c->name, "alias") == 0)
        return parse_alias(ct, c, l);
    if (strcmp(c->name, "grid") == 0)
        return parse_dims(ct, c, w->grid);
    if (strcmp(c->name, "block") == 0)
        return parse_dims(ct, c, w->block);
    if (strcmp(c->name, "shared") == 0) {
        if (w->shared || !c->has_args)
            return ks_clause_fail(ct, c->begin, "shared stands once, with its bytes: shared(4*n)");
        return parse_expr(ct, c->args, &w->shared);
    }
    for (size_t i = 0; of_optimize[i]; i++)
        if (strcmp(c->name, of_optimize[i]) == 0)
            return ks_clause_fail(ct, c->begin,
                                  "'%s' is a clause of optimize, not of workload; put "
                                  "it into an optimize directive above",
                                  c->name);
    return ks_clause_unknown(ct, c, "workload", known);
}

enum ks_status ks_clauses_workload(struct ks_clause_text *ct, struct ks_mark *mark)
{
    struct ks_workload_mark w = {
        .name = "", .capture = "", .weight = 1, .where = ks_clause_where(ct, ct->at)};
    struct lists l;
    memset(&l, 0, sizeof l);
    struct ks_clause c;
    bool done, weighted = false, shaped = false;
    const char *begin = ct->at;
    for (;;) {
        KS_TRY(ks_clause_next(ct, &c, &done));
        if (done)
            break;
        KS_TRY(parse_one(ct, &c, &w, &l, &weighted));
        shaped |= strcmp(c.name, "name") != 0 && strcmp(c.name, "weight") != 0 &&
                  strcmp(c.name, "capture") != 0;
    }
    if (*w.capture && shaped)
        return ks_clause_fail(ct, begin,
                              "capture(%s) brings sizes, data and launch of its own; only "
                              "name and weight may stand beside it",
                              w.capture);
    if (!*w.capture && (!w.grid[0] || !w.block[0]))
        return ks_clause_fail(ct, begin,
                              "a workload needs %s, as in grid(ceildiv(n,256)) "
                              "block(256)",
                              w.grid[0]    ? "block(...)"
                              : w.block[0] ? "grid(...)"
                                           : "grid(...) and block(...)");
    w.lets = l.lets.at;
    w.n_lets = l.lets.len;
    w.arrays = l.arrays.at;
    w.n_arrays = l.arrays.len;
    w.settings = l.settings.at;
    w.n_settings = l.settings.len;
    w.aliases = l.aliases.at;
    w.n_aliases = l.aliases.len;
    KS_VEC(struct ks_workload_mark) list = {mark->workloads, mark->n_workloads, mark->n_workloads};
    for (size_t i = 0; i < mark->n_workloads; i++)
        if (*w.name && strcmp(mark->workloads[i].name, w.name) == 0)
            return ks_clause_fail(ct, begin, "this kernel has a workload named '%s' already (%s)",
                                  w.name, mark->workloads[i].where);
    *ks_vec_push(ct->arena, &list) = w;
    mark->workloads = list.at;
    mark->n_workloads = list.len;
    return KS_OK;
}

enum ks_status ks_mark_parse_workload(struct ks_arena *arena, const char *where, const char *text,
                                      struct ks_mark *mark, struct ks_err *err)
{
    struct ks_clause_text ct = {
        .arena = arena, .where = where, .text = text, .at = text, .err = err};
    if (!mark->name)
        mark->name = "";
    return ks_clauses_workload(&ct, mark);
}
