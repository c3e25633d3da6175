// Marks held against the kernel that they are bound to.
#include <ctype.h>

#include "base/num.h"
#include "source/clause.h"

// Of any architecture that nvcc 13.0 knows (CUDA programming guide, technical specifications).
#define MOST_SHARED (227 * 1024)

struct known {
    const char *name;
    int64_t value;
    bool has_value; // false: named, but its value hangs on something unknown here
};

struct checker {
    struct ks_arena *arena;
    const struct ks_kernel_decl *kernel;
    const char *where;
    struct ks_err *err;
    // Names with a value so far, for what can be computed now: lets and settings.
    KS_VEC(struct known) known;
    const struct ks_binding *later; // lets not reached yet: their names must wait
    size_t n_later;
};

static const struct ks_param *find_param(const struct ks_kernel_decl *kernel, const char *name)
{
    for (size_t i = 0; i < kernel->n_params; i++)
        if (*name && strcmp(kernel->params[i].name, name) == 0)
            return &kernel->params[i];
    return NULL;
}

// "p.n" with p a parameter that may be a struct: its members are not known here.
static const struct ks_param *find_owner(struct ks_arena *arena, const struct ks_kernel_decl *kernel,
                                         const char *name)
{
    const char *dot = strchr(name, '.');
    const struct ks_param *p =
        dot != NULL ? find_param(kernel, ks_arena_strndup(arena, name, (size_t)(dot - name))) : NULL;
    return p != NULL && !p->type.pointer && p->type.elem.scalar == KS_T_NONE ? p : NULL;
}

static bool names_member(const char *name, const char *param)
{
    size_t n = strlen(param);
    return strncmp(name, param, n) == 0 && name[n] == '.';
}

static bool is_template_param(const struct ks_kernel_decl *kernel, const char *name)
{
    for (size_t i = 0; i < kernel->n_template_params; i++)
        if (*name && strcmp(kernel->template_params[i], name) == 0)
            return true;
    return false;
}

static const struct known *find_known(const struct checker *c, const char *name)
{
    ks_vec_each (struct known, k, &c->known)
        if (strcmp(k->name, name) == 0)
            return k;
    return NULL;
}

static bool is_macro_like(const char *name)
{
    size_t upper = 0;
    for (; *name; name++) {
        if (islower((unsigned char)*name))
            return false;
        upper += isupper((unsigned char)*name) != 0;
    }
    return upper > 1;
}

// "; did you mean 'x'?" among the kernel's names and the lets, or why a macro is not known.
static const char *hint(const struct checker *c, const char *name)
{
    if (is_macro_like(name))
        return "; macros are not expanded in clauses and enumerators not known, write the value or let(...) it";
    struct ks_strv words = {0};
    for (size_t i = 0; i < c->kernel->n_params; i++)
        ks_strv_add(c->arena, &words, c->kernel->params[i].name);
    for (size_t i = 0; i < c->kernel->n_template_params; i++)
        ks_strv_add(c->arena, &words, c->kernel->template_params[i]);
    ks_vec_each (struct known, k, &c->known)
        ks_strv_add(c->arena, &words, k->name);
    // Within distance 2 every name of two letters resembles every other.
    const char *nearest = strlen(name) > 2 && words.len ? ks_nearest_word(name, words.at) : NULL;
    if (nearest && *nearest)
        return ks_arena_printf(c->arena, "; did you mean '%s'?", nearest);
    const char *list = "";
    for (size_t i = 0; i < c->kernel->n_params; i++)
        list = ks_arena_printf(c->arena, "%s%s%s", list, i ? ", " : "", c->kernel->params[i].name);
    return ks_arena_printf(c->arena, "; its parameters are (%s)", list);
}

static enum ks_status fail(const struct checker *c, const char *format, ...)
    __attribute__((format(printf, 2, 3)));

static enum ks_status fail(const struct checker *c, const char *format, ...)
{
    va_list args;
    va_start(args, format);
    const char *text = ks_arena_vprintf(c->arena, format, args);
    va_end(args);
    return ks_err_set(c->err, KS_E_USER, "%s: %s", c->where, text);
}

static bool is_geometry(const char *name)
{
    return ks_starts_with(name, "grid.") || ks_starts_with(name, "block.") ||
           strcmp(name, "shared") == 0;
}

// Every name of an expression: an integer parameter, a template parameter or a let; in an
// assumption also the launch geometry, and pointers inside aligned() and overlap().
static enum ks_status check_names(const struct checker *c, const struct ks_expr *e,
                                  const char *clause, bool assumption)
{
    if (!e)
        return KS_OK;
    if ((e->op == KS_X_ALIGNED || e->op == KS_X_OVERLAP) && !assumption)
        return fail(c, "aligned() and overlap() have no place in %s; they are for assume", clause);
    if (e->op == KS_X_NAME) {
        const struct ks_param *p = find_param(c->kernel, e->name);
        if (is_geometry(e->name))
            return assumption ? KS_OK
                              : fail(c,
                                     "'%s' is not known in %s; write the number, or name it with "
                                     "let and use that in both places",
                                     e->name, clause);
        if (find_known(c, e->name) || is_template_param(c->kernel, e->name))
            return KS_OK;
        for (size_t i = 0; i < c->n_later; i++)
            if (strcmp(c->later[i].name, e->name) == 0)
                return fail(c, "'%s' in %s is used before its own let; lets are read left to right",
                            e->name, clause);
        if (!p)
            return fail(c, "'%s' in %s is no parameter of %s%s%s", e->name, clause,
                        c->kernel->qualified, assumption ? "" : " and no let before it",
                        hint(c, e->name));
        if (p->type.pointer)
            return fail(c, "'%s' in %s is a pointer; expressions take integers", e->name, clause);
        if (ks_scalar_is_float(p->type.elem.scalar))
            return fail(c, "'%s' in %s is a %s; expressions take integers", e->name, clause,
                        p->type.text);
        return KS_OK;
    }
    for (int i = 0; i < 4; i++) {
        bool pointer =
            (e->op == KS_X_ALIGNED && i == 0) || (e->op == KS_X_OVERLAP && (i == 0 || i == 2));
        if (!pointer) {
            KS_TRY(check_names(c, e->kid[i], clause, assumption));
            continue;
        }
        const char *name = e->kid[i]->op == KS_X_NAME ? e->kid[i]->name : "";
        const struct ks_param *p = find_param(c->kernel, name);
        if (!p || !p->type.pointer)
            return fail(c, "aligned and overlap in %s take pointer parameters of %s%s", clause,
                        c->kernel->qualified, p ? "" : hint(c, name));
    }
    return KS_OK;
}

static bool lookup(void *context, const char *name, int64_t *value)
{
    const struct known *k = find_known(context, name);
    if (!k || !k->has_value)
        return false;
    *value = k->value;
    return true;
}

struct open_names {
    const struct checker *c;
    bool open;
};

static void visit(void *context, const char *name)
{
    struct open_names *o = context;
    const struct known *k = find_known(o->c, name);
    o->open |= !k || !k->has_value;
}

// The value of an expression as far as it can be known now. Undefined with every name known is
// the user's mistake.
static enum ks_status evaluate(struct checker *c, const struct ks_expr *e, const char *clause,
                               bool *has_value, int64_t *value)
{
    struct open_names names = {c, false};
    ks_expr_names(e, visit, &names);
    *has_value = !names.open;
    if (names.open || ks_expr_eval(e, lookup, c, value))
        return KS_OK;
    return fail(c, "%s has no value: it divides by zero, overflows or shifts too far", clause);
}

static bool fits(enum ks_scalar scalar, double value)
{
    unsigned bits = 8 * (unsigned)ks_scalar_size(scalar);
    if (scalar == KS_T_NONE || ks_scalar_is_float(scalar))
        return true;
    if (scalar == KS_T_BOOL)
        return value == 0 || value == 1;
    bool is_signed = ks_scalar_is_signed(scalar);
    // The largest 64-bit values round up to a power of two as doubles: let the bound itself pass.
    double top = (double)(UINT64_C(1) << (bits - 1)) * (is_signed ? 1 : 2);
    return ks_is_whole(value) && (bits < 64 ? value < top : value <= top) &&
           value >= (is_signed ? -top : 0);
}

static bool no_names(void *context, const char *name, int64_t *value)
{
    (void)context, (void)name, (void)value;
    return false;
}

// A parameter's own let, and 1<<20 of any other, is a number and so a size, however it is written. A helper that is
// reckoned of numbers (pad=8*4) stays what it is.
static void fold_size(const struct ks_param *p, struct ks_expr *e)
{
    int64_t value;
    if ((p || e->op == KS_X_SHL) && ks_expr_eval(e, no_names, NULL, &value))
        *e = (struct ks_expr){.op = KS_X_INT, .value = value};
}

static enum ks_status check_lets(struct checker *c, const struct ks_workload_mark *w)
{
    for (size_t i = 0; i < w->n_lets; i++) {
        struct ks_binding *b = &w->lets[i];
        const struct ks_param *p = find_param(c->kernel, b->name);
        const char *clause = ks_arena_printf(c->arena, "let(%s=...)", b->name);
        if (is_template_param(c->kernel, b->name))
            return fail(c, "%s: '%s' is a template parameter; inst(...) chooses it", clause,
                        b->name);
        if (p && p->type.pointer)
            return fail(c, "%s: '%s' is a pointer; describe it with in, inout or out", clause,
                        b->name);
        c->later = b;
        c->n_later = w->n_lets - i;
        KS_TRY(check_names(c, b->expr, clause, false));
        struct known k = {.name = b->name};
        KS_TRY(evaluate(c, b->expr, clause, &k.has_value, &k.value));
        if (p && k.has_value && !fits(p->type.elem.scalar, (double)k.value))
            return fail(c, "%s: %lld does not fit into %s %s", clause, (long long)k.value,
                        p->type.text, b->name);
        fold_size(p, b->expr);
        b->fixed = p && p->type.elem.scalar == KS_T_BOOL;
        *ks_vec_push(c->arena, &c->known) = k;
    }
    c->n_later = 0;
    return KS_OK;
}

static enum ks_status check_value(struct checker *c, const struct ks_param *p, const char *text)
{
    const char *clause = ks_arena_printf(c->arena, "set(%s=...)", p->name);
    double number;
    enum ks_scalar scalar = p->type.elem.scalar;
    if (strcmp(text, "true") == 0 || strcmp(text, "false") == 0)
        return scalar == KS_T_BOOL || scalar == KS_T_NONE
                   ? KS_OK
                   : fail(c, "%s: '%s' is no value of %s", clause, text, p->type.text);
    if (ks_parse_f64(text, &number)) {
        if (!fits(scalar, number))
            return fail(c, "%s: %s does not fit into %s", clause, text, p->type.text);
        return KS_OK;
    }
    struct ks_expr *expr;
    int64_t value;
    bool has_value;
    KS_TRY(ks_expr_parse(c->arena, c->where, ks_slice_of(text), &expr, c->err));
    KS_TRY(check_names(c, expr, clause, false));
    KS_TRY(evaluate(c, expr, clause, &has_value, &value));
    if (has_value && !fits(scalar, (double)value))
        return fail(c, "%s: %lld does not fit into %s", clause, (long long)value, p->type.text);
    return KS_OK;
}

static enum ks_status check_settings(struct checker *c, const struct ks_workload_mark *w)
{
    for (size_t i = 0; i < w->n_settings; i++) {
        const struct ks_setting *s = &w->settings[i];
        const struct ks_param *p = find_param(c->kernel, s->name);
        const struct ks_param *owner = find_owner(c->arena, c->kernel, s->name);
        if (!p && !owner)
            return fail(c, "set(%s=...): %s has no such parameter%s", s->name, c->kernel->qualified,
                        hint(c, s->name));
        if (owner) {
            for (size_t k = 0; k < s->n_values && strcmp(s->values[k], "nullptr") != 0; k++)
                KS_TRY(check_value(c, owner, s->values[k]));
            continue;
        }
        bool null = s->n_values == 1 && strcmp(s->values[0], "nullptr") == 0;
        if (null && (p->type.pointer || p->type.elem.scalar == KS_T_NONE)) // or what a name stands for
            continue;
        if (null)
            return fail(c, "set(%s=nullptr): '%s' is no pointer but %s", s->name, s->name, p->type.text);
        if (p->type.pointer)
            return fail(c, "set(%s=...): '%s' is a pointer; describe it with in, inout or out, or say "
                        "set(%s=nullptr)",
                        s->name, s->name, s->name);
        size_t lanes = (size_t)p->type.elem.lanes;
        if (p->type.elem.scalar != KS_T_NONE && s->n_values != lanes && s->n_values != 1)
            return fail(c, "set(%s=...): %zu values for %s, which has %zu", s->name, s->n_values,
                        p->type.text, lanes);
        for (size_t k = 0; k < s->n_values; k++)
            KS_TRY(check_value(c, p, s->values[k]));
    }
    return KS_OK;
}

// Integer settings are names that later expressions may use.
static void learn_settings(struct checker *c, const struct ks_workload_mark *w)
{
    for (size_t i = 0; i < w->n_settings; i++) {
        const struct ks_param *p = find_param(c->kernel, w->settings[i].name);
        if (!p || p->type.pointer || w->settings[i].n_values != 1)
            continue;
        struct known k = {.name = p->name};
        k.has_value = ks_parse_i64(w->settings[i].values[0], &k.value);
        if (!ks_scalar_is_float(p->type.elem.scalar))
            *ks_vec_push(c->arena, &c->known) = k;
    }
}

static enum ks_status check_init(const struct checker *c, const struct ks_array *a,
                                 struct ks_elem elem)
{
    const struct ks_init *init = &a->init;
    enum ks_scalar s = elem.scalar;
    if (s == KS_T_NONE) // a typedef or a template parameter: judged once the compiler has named it
        return KS_OK;
    bool real = ks_scalar_is_float(s);
    const char *type = ks_elem_text(c->arena, elem);
    if (!real && (init->kind == KS_INIT_UNIFORM || init->kind == KS_INIT_NORMAL))
        return fail(c,
                    "%s holds integers (%s): uniform and normal are for floating point; write "
                    "randint(lo,hi)",
                    a->name, type);
    if (init->kind == KS_INIT_PERMUTATION && (real || s == KS_T_BOOL))
        return fail(c, "%s is %s: permutation makes indices and needs integers", a->name, type);
    double a0 = init->a, b0 = init->b;
    bool two = init->kind == KS_INIT_RANDINT || init->kind == KS_INIT_IOTA;
    if ((two || init->kind == KS_INIT_CONSTANT) &&
        (!fits(s, a0) || (init->kind == KS_INIT_RANDINT && !fits(s, b0)) ||
         (init->kind == KS_INIT_IOTA && !real && !ks_is_whole(b0))))
        return fail(c, "the initialiser's values do not fit %s, which is %s", a->name, type);
    return KS_OK;
}

// The parameter that shares an array's memory and may be written through; NULL if there is none.
static const struct ks_param *written_alias(const struct checker *c, const struct ks_workload_mark *w, const char *name)
{
    for (size_t i = 0; i < w->n_aliases; i++) {
        const struct ks_param *p = find_param(c->kernel, w->aliases[i][0]);
        if (strcmp(w->aliases[i][1], name) == 0 && p && p->type.pointer && !p->type.pointee_const)
            return p;
    }
    return NULL;
}

static enum ks_status check_array(struct checker *c, const struct ks_workload_mark *w, const struct ks_array *a)
{
    static const char *const roles[] = {"in", "inout", "out"};
    const char *clause = ks_arena_printf(c->arena, "%s(%s[...])", roles[a->role], a->name);
    const struct ks_param *p = find_param(c->kernel, a->name);
    const struct ks_param member = {.type = {.text = "", .pointer = true}}; // its type is not known here
    if (find_owner(c->arena, c->kernel, a->name))
        p = &member;
    if (!p)
        return fail(c, "%s: %s has no parameter of that name%s", clause, c->kernel->qualified,
                    hint(c, a->name));
    if (!p->type.pointer)
        return fail(c, "%s: '%s' is not a pointer but %s; use let or set", clause, a->name,
                    p->type.text);
    const struct ks_param *written = p->type.pointee_const ? written_alias(c, w, a->name) : NULL;
    if (a->role != KS_ROLE_IN && written)
        return fail(c, "%s: '%s' is %s, which the kernel cannot write; name the memory by what it is written through: "
                    "%s(%s[...]) alias(%s,%s)",
                    clause, a->name, p->type.text, roles[a->role], written->name, a->name, written->name);
    if (a->role != KS_ROLE_IN && p->type.pointee_const)
        return fail(c, "%s: '%s' is %s, which the kernel cannot write; use in", clause, a->name,
                    p->type.text);
    const struct ks_elem *own = &p->type.elem, *named = &a->type.elem;
    bool is_void = strstr(p->type.text, "void") && !strchr(p->type.text, '(');
    if (is_void && own->size == 0 && !*a->type.text)
        return fail(c, "%s: '%s' is %s; name the element type, as in %s(float %s[n])", clause,
                    a->name, p->type.text, roles[a->role], a->name);
    if (own->scalar == KS_T_NONE && own->size == sizeof(void *))
        return fail(c,
                    "%s: '%s' is %s; buffers of pointers cannot be described, so this kernel "
                    "cannot be tuned: remove the mark",
                    clause, a->name, p->type.text);
    bool bytes = ks_scalar_size(own->scalar) == 1 && own->lanes == 1;
    if (*a->type.text && own->scalar != KS_T_NONE && !bytes &&
        (own->scalar != named->scalar || own->lanes != named->lanes))
        return fail(c, "%s: '%s' is %s, not %s; leave the type out", clause, a->name, p->type.text,
                    a->type.text);
    KS_TRY(check_init(c, a, *a->type.text ? *named : *own));
    KS_TRY(check_names(c, a->count, clause, false));
    bool has_value;
    int64_t count;
    KS_TRY(evaluate(c, a->count, clause, &has_value, &count));
    if (has_value && count <= 0)
        return fail(c, "%s: %lld elements; the number must be positive", clause, (long long)count);
    return KS_OK;
}

static enum ks_status check_alias(const struct checker *c, const struct ks_workload_mark *w,
                                  const char *const pair[2])
{
    for (int i = 0; i < 2; i++) {
        const struct ks_param *p = find_param(c->kernel, pair[i]);
        if (find_owner(c->arena, c->kernel, pair[i]))
            continue;
        if (!p || !p->type.pointer)
            return fail(c, "alias(%s,%s): '%s' is no pointer parameter of %s%s", pair[0], pair[1],
                        pair[i], c->kernel->qualified, p ? "" : hint(c, pair[i]));
    }
    for (size_t i = 0; i < w->n_arrays; i++)
        if (strcmp(w->arrays[i].name, pair[1]) == 0)
            return KS_OK;
    return fail(c, "alias(%s,%s): '%s' has no array clause whose memory '%s' could share", pair[0],
                pair[1], pair[1], pair[0]);
}

// Limits of every architecture so far (CUDA programming guide, technical specifications).
static enum ks_status check_dims(struct checker *c, struct ks_expr *const *dims, bool grid)
{
    static const int64_t limits[2][3] = {{1024, 1024, 64}, {2147483647, 65535, 65535}};
    const char *what = grid ? "grid" : "block";
    int64_t threads = 1;
    bool all = true;
    for (int i = 0; i < 3 && dims[i]; i++) {
        bool has_value;
        int64_t value;
        KS_TRY(check_names(c, dims[i], what, false));
        KS_TRY(evaluate(c, dims[i], what, &has_value, &value));
        all &= has_value;
        if (!has_value)
            continue;
        if (value <= 0 || value > limits[grid][i])
            return fail(c, "impossible %s: %c is %lld, it must be from 1 to %lld", what, "xyz"[i],
                        (long long)value, (long long)limits[grid][i]);
        threads *= value;
    }
    if (!grid && all && threads > 1024)
        return fail(c, "impossible block: %lld threads, a block has at most 1024",
                    (long long)threads);
    return KS_OK;
}

// Every parameter must have got a value.
static enum ks_status check_complete(const struct checker *c, const struct ks_workload_mark *w)
{
    for (size_t i = 0; i < c->kernel->n_params; i++) {
        const struct ks_param *p = &c->kernel->params[i];
        bool given = false;
        if (!*p->name)
            return fail(c,
                        "parameter %zu of %s has no name, so that no clause can give it a value; "
                        "name it",
                        i + 1, c->kernel->qualified);
        for (size_t k = 0; k < w->n_lets; k++)
            given |= strcmp(w->lets[k].name, p->name) == 0;
        for (size_t k = 0; k < w->n_settings; k++)
            given |= strcmp(w->settings[k].name, p->name) == 0 || names_member(w->settings[k].name, p->name);
        for (size_t k = 0; k < w->n_arrays; k++)
            given |= strcmp(w->arrays[k].name, p->name) == 0 || names_member(w->arrays[k].name, p->name);
        for (size_t k = 0; k < w->n_aliases; k++)
            given |= strcmp(w->aliases[k][0], p->name) == 0;
        if (!given && p->type.pointer)
            return fail(c,
                        "the workload says nothing about '%s' (%s); add in(%s[...]), inout or "
                        "out",
                        p->name, p->type.text, p->name);
        if (!given && p->type.elem.scalar == KS_T_NONE) // a struct, or what a name stands for
            return fail(c,
                        "the workload gives '%s' (%s) no value; a number takes let(%s=...) or set(%s=...), an enum its "
                        "number, a struct set(%s.MEMBER=...) for each member, and of a lambda or a functor without members "
                        "a launch is captured (ks record --capture)",
                        p->name, p->type.text, p->name, p->name, p->name);
        if (!given)
            return fail(c, "the workload gives '%s' (%s) no value; add let(%s=...) or set(%s=...)",
                        p->name, p->type.text, p->name, p->name);
    }
    return KS_OK;
}

static enum ks_status check_workload(struct checker *c, const struct ks_workload_mark *w)
{
    c->where = w->where;
    c->known.len = 0;
    if (*w->capture)
        return KS_OK;
    learn_settings(c, w);
    KS_TRY(check_lets(c, w));
    KS_TRY(check_settings(c, w));
    for (size_t i = 0; i < w->n_arrays; i++)
        KS_TRY(check_array(c, w, &w->arrays[i]));
    for (size_t i = 0; i < w->n_aliases; i++)
        KS_TRY(check_alias(c, w, w->aliases[i]));
    KS_TRY(check_dims(c, w->grid, true));
    KS_TRY(check_dims(c, w->block, false));
    if (w->shared) {
        bool has_value;
        int64_t bytes;
        KS_TRY(check_names(c, w->shared, "shared", false));
        KS_TRY(evaluate(c, w->shared, "shared", &has_value, &bytes));
        if (has_value && bytes < 0)
            return fail(c, "shared(%lld) is no amount of shared memory; it counts bytes",
                        (long long)bytes);
        if (has_value && bytes > MOST_SHARED)
            return fail(c, "shared(%lld): a block has at most %d bytes of shared memory",
                        (long long)bytes, MOST_SHARED);
    }
    return check_complete(c, w);
}

static enum ks_status check_instances(const struct checker *c, const struct ks_mark *mark)
{
    for (size_t i = 0; i < mark->n_instances; i++) {
        const char *args = mark->instances[i];
        size_t n = 1, n_params = c->kernel->n_template_params;
        int depth = 0;
        for (const char *p = args; *p; p++) {
            depth += strchr("(<[{", *p) ? 1 : strchr(")>]}", *p) ? -1 : 0;
            n += depth == 0 && *p == ',';
        }
        if (!c->kernel->is_template)
            return fail(c, "inst(%s): %s is no template", args, c->kernel->qualified);
        if (n > n_params && !strstr(c->kernel->template_head, "..."))
            return fail(c, "inst(%s): %zu arguments, but %s has %zu template parameter%s", args, n,
                        c->kernel->qualified, n_params, n_params == 1 ? "" : "s");
    }
    return KS_OK;
}

enum ks_status ks_mark_check(struct ks_arena *arena, const struct ks_mark *mark, struct ks_err *err)
{
    struct checker c = {.arena = arena, .kernel = mark->kernel, .err = err};
    c.where = ks_arena_printf(arena, "%s:%d", mark->file, mark->line);
    if (!mark->kernel || mark->kernel->problem)
        return KS_OK;
    for (size_t i = 0; i < mark->n_assumes; i++)
        KS_TRY(check_names(&c, mark->assumes[i], "assume", true));
    KS_TRY(check_instances(&c, mark));
    for (size_t i = 0; i < mark->n_workloads; i++)
        KS_TRY(check_workload(&c, &mark->workloads[i]));
    return KS_OK;
}
