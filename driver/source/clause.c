#include "source/clause.h"

#include <ctype.h>

#include "source/signature.h"

static bool ident_start(char c)
{
    return isalpha((unsigned char)c) || c == '_';
}

static bool ident_char(char c)
{
    return isalnum((unsigned char)c) || c == '_';
}

const char *ks_clause_where(const struct ks_clause_text *ct, const char *at)
{
    if (!ct->file)
        return ct->where;
    int line = ct->line;
    for (const char *p = ct->text; p < at && *p; p++)
        line += *p == '\n';
    return ks_arena_printf(ct->arena, "%s:%d", ct->file, line);
}

enum ks_status ks_clause_fail(const struct ks_clause_text *ct, const char *at, const char *format,
                              ...)
{
    va_list args;
    va_start(args, format);
    const char *text = ks_arena_vprintf(ct->arena, format, args);
    va_end(args);
    return ks_err_set(ct->err, KS_E_USER, "%s: %s", ks_clause_where(ct, at), text);
}

size_t ks_clause_balanced(const char *at, const char *end)
{
    char open[64]; // deeper nesting counts as never closed
    size_t depth = 0;
    for (const char *p = at; p < end; p++) {
        if (*p == '"') {
            for (p++; p < end && *p != '"'; p++)
                ;
        } else if (*p == '(' || *p == '[' || *p == '{') {
            if (depth == sizeof open)
                return 0;
            open[depth++] = *p == '(' ? ')' : *p == '[' ? ']' : '}';
        } else if (*p == ')' || *p == ']' || *p == '}') {
            if (depth == 0 || open[--depth] != *p)
                return 0;
            if (depth == 0)
                return (size_t)(p - at) + 1;
        }
    }
    return 0;
}

enum ks_status ks_clause_next(struct ks_clause_text *ct, struct ks_clause *clause, bool *done)
{
    const char *p = ct->at;
    while (isspace((unsigned char)*p))
        p++;
    *done = *p == '\0';
    if (*done)
        return KS_OK;
    if (*p == ',')
        return ks_clause_fail(ct, p, "a comma between clauses; separate clauses by blanks");
    if (!ident_start(*p))
        return ks_clause_fail(ct, p,
                              "a clause was expected at '%.20s'; clauses look like "
                              "name(arguments)",
                              p);
    const char *begin = p;
    while (ident_char(*p))
        p++;
    *clause = (struct ks_clause){.name = ks_arena_strndup(ct->arena, begin, (size_t)(p - begin)),
                                 .begin = begin};
    const char *open = p;
    while (isspace((unsigned char)*open))
        open++;
    if (*open == '(') {
        size_t n = ks_clause_balanced(open, open + strlen(open));
        if (n == 0)
            return ks_clause_fail(ct, begin,
                                  "the parenthesis of '%s(' is never closed or closed by "
                                  "another kind of bracket; balance it%s",
                                  clause->name,
                                  ct->file ? ", and continue a long pragma with '\\'" : "");
        clause->has_args = true;
        clause->args = (struct ks_slice){open + 1, n - 2};
        p = open + n;
    }
    ct->at = p;
    return KS_OK;
}

enum ks_status ks_clause_unknown(const struct ks_clause_text *ct, const struct ks_clause *clause,
                                 const char *directive, const char *const *known)
{
    const char *nearest = ks_nearest_word(clause->name, known);
    if (nearest)
        return ks_clause_fail(ct, clause->begin, "unknown clause '%s' of %s; did you mean '%s'?",
                              clause->name, directive, nearest);
    const char *list = "";
    for (; *known; known++)
        list = ks_arena_printf(ct->arena, "%s%s%s", list, *list ? ", " : "", *known);
    return ks_clause_fail(ct, clause->begin, "unknown clause '%s' of %s; there are %s",
                          clause->name, directive, list);
}

enum ks_status ks_clause_split(const struct ks_clause_text *ct, const struct ks_clause *clause,
                               struct ks_slice **parts, size_t *n)
{
    KS_VEC(struct ks_slice) list = {0};
    if (!clause->has_args)
        return ks_clause_fail(ct, clause->begin, "'%s' needs arguments in parentheses",
                              clause->name);
    const char *end = clause->args.at + clause->args.len, *from = clause->args.at;
    for (const char *p = from; p <= end; p++) {
        if (p < end && *p == '"') {
            for (p++; p < end && *p != '"'; p++)
                ;
        } else if (p < end && (*p == '(' || *p == '[' || *p == '{')) {
            p += ks_clause_balanced(p, end) - 1; // balanced: ks_clause_next has checked
        } else if (p == end || *p == ',') {
            struct ks_slice part = ks_slice_trim((struct ks_slice){from, (size_t)(p - from)});
            if (part.len == 0)
                return ks_clause_fail(ct, from, "an argument of '%s' is empty", clause->name);
            *ks_vec_push(ct->arena, &list) = part;
            from = p + 1;
        }
    }
    *parts = list.at;
    *n = list.len;
    return KS_OK;
}

enum ks_status ks_clause_id(const struct ks_clause_text *ct, const struct ks_clause *clause,
                            bool dashes, const char **id)
{
    struct ks_slice text = ks_slice_trim(clause->args);
    bool good = clause->has_args && text.len > 0 && (dashes || ident_start(*text.at));
    for (size_t i = 0; i < text.len; i++)
        good = good && (ident_char(text.at[i]) ||
                        (dashes && i > 0 && (text.at[i] == '-' || text.at[i] == '.')));
    if (!good)
        return ks_clause_fail(ct, clause->begin,
                              "'%s' takes one name made of letters, digits and "
                              "'_'%s",
                              clause->name, dashes ? ", '-' or '.'" : "");
    *id = ks_arena_strndup(ct->arena, text.at, text.len);
    return KS_OK;
}

void ks_clause_assigned(struct ks_arena *arena, struct ks_slice *part, const char **name)
{
    *name = NULL;
    size_t n = 0;
    while (n < part->len && (ident_char(part->at[n]) || (n > 0 && part->at[n] == '.'))) // a struct's member
        n++;
    size_t eq = n;
    while (eq < part->len && isspace((unsigned char)part->at[eq]))
        eq++;
    if (n == 0 || !ident_start(*part->at) || eq >= part->len || part->at[eq] != '=' ||
        (eq + 1 < part->len && part->at[eq + 1] == '='))
        return;
    *name = ks_arena_strndup(arena, part->at, n);
    *part = ks_slice_trim((struct ks_slice){part->at + eq + 1, part->len - eq - 1});
}

bool ks_clause_number(struct ks_arena *arena, struct ks_slice text, double *value)
{
    text = ks_slice_trim(text);
    if (text.len > 1 && (text.at[text.len - 1] == 'f' || text.at[text.len - 1] == 'F') &&
        (isdigit((unsigned char)text.at[text.len - 2]) || text.at[text.len - 2] == '.') &&
        !memchr(text.at, 'x', text.len))
        text.len--;
    return ks_parse_f64(ks_arena_strndup(arena, text.at, text.len), value);
}

// ------------------------------------------------------------------------------ optimize

static enum ks_status parse_tol(struct ks_clause_text *ct, const struct ks_clause *c,
                                struct ks_tolerance *tol)
{
    struct ks_slice *parts;
    size_t n;
    if (tol->kind != KS_TOL_DERIVED || tol->sum > 0)
        return ks_clause_fail(ct, c->begin, "tol is given twice");
    KS_TRY(ks_clause_split(ct, c, &parts, &n));
    if (n == 1 && ks_slice_eq(parts[0], "exact")) {
        tol->kind = KS_TOL_EXACT;
        return KS_OK;
    }
    const char *key;
    ks_clause_assigned(ct->arena, &parts[0], &key);
    const char *text = ks_arena_strndup(ct->arena, parts[0].at, parts[0].len);
    if (key && n == 1 && strcmp(key, "ulp") == 0) {
        if (!ks_parse_i64(text, &tol->ulp) || tol->ulp < 0)
            return ks_clause_fail(ct, c->begin, "tol(ulp=N) takes a whole number from 0, not '%s'",
                                  text);
        tol->kind = KS_TOL_ULP;
        return KS_OK;
    }
    if (key && n == 1 && strcmp(key, "sum") == 0) {
        if (!ks_clause_number(ct->arena, parts[0], &tol->sum) || tol->sum <= 0 || tol->sum >= 1)
            return ks_clause_fail(ct, c->begin, "tol(sum=F) takes a number between 0 and 1, not '%s'", text);
        return KS_OK;
    }
    if (!key || strcmp(key, "rel") != 0 || n > 2)
        return ks_clause_fail(ct, c->begin,
                              "tol takes exact, ulp=N, sum=F, or rel=F with an optional "
                              "abs=F, as in tol(rel=1e-5,abs=1e-8)");
    if (!ks_clause_number(ct->arena, parts[0], &tol->rel) || tol->rel <= 0 || tol->rel >= 1)
        return ks_clause_fail(ct, c->begin,
                              "tol(rel=F) takes a number between 0 and 1, not '%s'; "
                              "for no difference at all write tol(exact)",
                              text);
    if (n == 2) {
        ks_clause_assigned(ct->arena, &parts[1], &key);
        if (!key || strcmp(key, "abs") != 0 || !ks_clause_number(ct->arena, parts[1], &tol->abs) ||
            tol->abs < 0)
            return ks_clause_fail(ct, c->begin, "behind rel=F, tol takes abs=F with F from 0");
    }
    tol->kind = KS_TOL_REL;
    return KS_OK;
}

static enum ks_status parse_budget(struct ks_clause_text *ct, const struct ks_clause *c,
                                   struct ks_mark *mark)
{
    struct ks_slice text = ks_slice_trim(c->args);
    bool seconds = text.len > 1 && text.at[text.len - 1] == 's';
    double s = 0;
    int64_t tries = 0;
    bool good;
    if (seconds) {
        text.len--;
        good = ks_clause_number(ct->arena, text, &s) && s > 0 && s <= 1e7;
    } else {
        good = ks_parse_i64(ks_arena_strndup(ct->arena, text.at, text.len), &tries) && tries > 0;
    }
    if (!good || !c->has_args)
        return ks_clause_fail(ct, c->begin,
                              "budget takes seconds, as in budget(60s), or a number "
                              "of attempts, as in budget(40)");
    if (seconds ? mark->budget_seconds > 0 : mark->budget_tries > 0)
        return ks_clause_fail(ct, c->begin, "this kind of budget is given twice");
    if (seconds)
        mark->budget_seconds = s;
    else
        mark->budget_tries = tries;
    return KS_OK;
}

static enum ks_status parse_assume(struct ks_clause_text *ct, const struct ks_clause *c,
                                   struct ks_mark *mark)
{
    struct ks_slice *parts;
    size_t n;
    KS_TRY(ks_clause_split(ct, c, &parts, &n));
    KS_VEC(struct ks_expr *) list = {mark->assumes, mark->n_assumes, mark->n_assumes};
    for (size_t i = 0; i < n; i++)
        KS_TRY(ks_expr_parse(ct->arena, ks_clause_where(ct, parts[i].at), parts[i],
                             ks_vec_push(ct->arena, &list), ct->err));
    mark->assumes = list.at;
    mark->n_assumes = list.len;
    return KS_OK;
}

static enum ks_status parse_inst(struct ks_clause_text *ct, const struct ks_clause *c,
                                 struct ks_mark *mark)
{
    struct ks_slice text = ks_slice_trim(c->args);
    if (!c->has_args || text.len == 0)
        return ks_clause_fail(ct, c->begin,
                              "inst takes template arguments, as in "
                              "inst(float,256)");
    const char *args = ks_arena_strndup(ct->arena, text.at, text.len);
    KS_VEC(const char *) list = {mark->instances, mark->n_instances, mark->n_instances};
    *ks_vec_push(ct->arena, &list) = args = ks_instance_normalise(ct->arena, args);
    for (size_t i = 0; i < mark->n_instances; i++)
        if (strcmp(mark->instances[i], args) == 0)
            return ks_clause_fail(ct, c->begin, "inst(%s) is given twice", args);
    mark->instances = list.at;
    mark->n_instances = list.len;
    return KS_OK;
}

enum ks_status ks_clauses_optimize(struct ks_clause_text *ct, struct ks_mark *mark)
{
    static const char *const known[] = {"name",   "tol",  "fastmath", "assume",
                                        "budget", "inst", NULL};
    static const char *const of_workload[] = {"let",    "in",      "inout",  "out",
                                              "set",    "alias",   "grid",   "block",
                                              "shared", "capture", "weight", NULL};
    struct ks_clause c;
    bool done;
    if (!mark->name)
        mark->name = "";
    for (;;) {
        KS_TRY(ks_clause_next(ct, &c, &done));
        if (done)
            return KS_OK;
        if (strcmp(c.name, "name") == 0) {
            if (*mark->name)
                return ks_clause_fail(ct, c.begin, "name is given twice");
            KS_TRY(ks_clause_id(ct, &c, false, &mark->name));
        } else if (strcmp(c.name, "tol") == 0) {
            KS_TRY(parse_tol(ct, &c, &mark->tolerance));
        } else if (strcmp(c.name, "fastmath") == 0) {
            if (c.has_args || mark->fastmath)
                return ks_clause_fail(ct, c.begin, "fastmath stands once and takes no arguments");
            mark->fastmath = true;
        } else if (strcmp(c.name, "assume") == 0) {
            KS_TRY(parse_assume(ct, &c, mark));
        } else if (strcmp(c.name, "budget") == 0) {
            KS_TRY(parse_budget(ct, &c, mark));
        } else if (strcmp(c.name, "inst") == 0) {
            KS_TRY(parse_inst(ct, &c, mark));
        } else {
            for (size_t i = 0; of_workload[i]; i++)
                if (strcmp(c.name, of_workload[i]) == 0)
                    return ks_clause_fail(ct, c.begin,
                                          "'%s' is a clause of workload, not of "
                                          "optimize; put it into a workload directive of its own",
                                          c.name);
            return ks_clause_unknown(ct, &c, "optimize", known);
        }
    }
}

enum ks_status ks_mark_parse_optimize(struct ks_arena *arena, const char *where, const char *text,
                                      struct ks_mark *mark, struct ks_err *err)
{
    struct ks_clause_text ct = {
        .arena = arena, .where = where, .text = text, .at = text, .err = err};
    return ks_clauses_optimize(&ct, mark);
}
