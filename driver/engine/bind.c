#include "engine/bind.h"

#include <string.h>

#include "base/vec.h"

// More integer assignments than this are not worth a look: no idiom has so many free sizes.
enum { MAX_ASSIGNMENTS = 4096, MAX_BINDINGS = 48, PROBES = 3 };

struct binder {
    struct ks_arena *arena;
    const struct ks_brief *brief;
    const struct ks_template *t;
    struct ks_problem probe[PROBES]; // the workload with every size another prime
    int n_probes;
    int *pointer;            // by role: parameter or -1
    bool *taken;             // by parameter
    const char **integer;    // by role: plan text
    struct ks_strv integers; // what an int role can be
    struct ks_binding_list *out;
    bool exact; // extents must be equal, not just large enough
};

static bool is_pointer_role(const struct ks_role *role)
{
    return role->kind <= KS_ROLE_KIND_INOUT;
}

static enum ks_status make_probes(struct binder *b, struct ks_err *err)
{
    // No two columns are tied by a line with integer slope.
    static const int64_t primes[PROBES][6] = {{211, 223, 227, 229, 233, 239},
                                              {197, 151, 163, 109, 281, 179},
                                              {101, 307, 131, 313, 149, 257}};
    struct ks_value *sizes;
    const struct ks_brief *brief = b->brief;
    if (!brief->mark || brief->mark->n_workloads == 0)
        KS_FAIL(err, KS_E_UNSUPPORTED, "no workload says how large the arrays are");
    size_t n = ks_problem_sizes(b->arena, brief->mark, 0, &sizes);
    for (int p = 0; p < PROBES; p++) {
        for (size_t i = 0; i < n; i++)
            sizes[i].value = primes[p][i % 6];
        KS_TRY(ks_problem_make(b->arena, brief->mark, 0, brief->signature, brief->decl, sizes, n,
                               &b->probe[p], err));
    }
    b->n_probes = PROBES;
    return KS_OK;
}

static bool lookup(void *context, const char *name, int64_t *value)
{
    const struct ks_problem *p = context;
    for (size_t i = 0; i < p->n_values; i++)
        if (strcmp(p->values[i].name, name) == 0) {
            *value = p->values[i].value;
            return true;
        }
    return false;
}

// The value of a text over @roles@ in one probe; false when it has none.
static bool value_of(const struct binder *b, const char *text, int probe, int64_t *value)
{
    struct ks_buf buf = KS_BUF(4096);
    for (const char *at = text; *at; at++) {
        size_t n = *at == '@' ? strcspn(at + 1, "@") : 0;
        size_t i = 0;
        while (n && i < b->t->n_roles &&
               (strlen(b->t->roles[i].name) != n || memcmp(b->t->roles[i].name, at + 1, n) != 0))
            i++;
        if (n == 0 || i == b->t->n_roles || !b->integer[i]) {
            ks_buf_putc(&buf, *at);
            continue;
        }
        ks_buf_printf(&buf, "(%s)", b->integer[i]);
        at += n + 1;
    }
    struct ks_expr *expr;
    bool ok =
        ks_expr_parse(b->arena, b->t->file, ks_slice_of(ks_buf_text(&buf)), &expr, NULL) == KS_OK &&
        ks_expr_eval(expr, lookup, (void *)&b->probe[probe], value);
    ks_buf_free(&buf);
    return ok;
}

static const struct ks_arg *arg_of(const struct binder *b, int probe, size_t param)
{
    return &b->probe[probe].args[param];
}

static bool extents_fit(const struct binder *b)
{
    for (size_t r = 0; r < b->t->n_roles; r++) {
        if (b->pointer[r] < 0 || !is_pointer_role(&b->t->roles[r]))
            continue;
        for (int p = 0; p < b->n_probes; p++) {
            int64_t want;
            int64_t has = arg_of(b, p, (size_t)b->pointer[r])->count;
            bool in = b->t->roles[r].kind == KS_ROLE_KIND_IN;
            if (!value_of(b, b->t->roles[r].extent, p, &want) || want > has ||
                ((b->exact || !in) && want != has))
                return false;
        }
    }
    return true;
}

// x = slope * y + offset in every probe although all sizes differ: the workload ties them.
static bool tied(const struct binder *b, const char *x, const char *y, int64_t *slope,
                 int64_t *offset)
{
    int64_t v[PROBES], w[PROBES];
    for (int p = 0; p < b->n_probes; p++)
        if (!value_of(b, x, p, &v[p]) || !value_of(b, y, p, &w[p]))
            return false;
    int64_t rise = v[1] - v[0], run = w[1] - w[0];
    if (run == 0 || rise % run != 0 || rise / run < 1)
        return false;
    *slope = rise / run;
    *offset = v[0] - *slope * w[0];
    for (int p = 2; p < b->n_probes; p++)
        if (v[p] != *slope * w[p] + *offset)
            return false;
    return true;
}

// A binding is only ever seen where tied integers are tied, so it is used nowhere else, whether it
// mentions them or not.
static const char *guard_text(const struct binder *b)
{
    struct ks_buf buf = KS_BUF(4096);
    int64_t slope, offset;
    for (size_t i = 0; i < b->integers.len; i++)
        for (size_t k = 0; k < b->integers.len; k++) {
            const char *x = b->integers.at[i], *y = b->integers.at[k];
            if (i == k || !tied(b, x, y, &slope, &offset) || (slope == 1 && i < k))
                continue;
            ks_buf_printf(&buf, "%s%s == ", buf.len ? " && " : "", x);
            if (slope == 1 && offset == 0)
                ks_buf_puts(&buf, y);
            else
                ks_buf_printf(&buf, "%lld * %s + %lld", (long long)slope, y, (long long)offset);
        }
    const char *text = ks_arena_strdup(b->arena, ks_buf_text(&buf));
    ks_buf_free(&buf);
    return text;
}

// Whether an integer is used twice while one of equal value is not used: under the guard that is
// the same binding again.
static bool is_duplicate(const struct binder *b)
{
    int64_t slope, offset;
    for (size_t i = 0; i < b->integers.len; i++) {
        int uses = 0;
        for (size_t r = 0; r < b->t->n_roles; r++)
            uses += b->integer[r] && strcmp(b->integer[r], b->integers.at[i]) == 0;
        for (size_t k = 0; uses > 1 && k < b->integers.len; k++) {
            bool used = k == i;
            for (size_t r = 0; r < b->t->n_roles; r++)
                used |= b->integer[r] && strcmp(b->integer[r], b->integers.at[k]) == 0;
            if (!used && tied(b, b->integers.at[i], b->integers.at[k], &slope, &offset) &&
                slope == 1 && offset == 0)
                return true;
        }
    }
    return false;
}

static enum ks_scalar type_of(const struct binder *b, const char *placeholder)
{
    for (size_t r = 0; r < b->t->n_roles; r++)
        if (is_pointer_role(&b->t->roles[r]) && b->pointer[r] >= 0 &&
            strcmp(b->t->roles[r].elem, placeholder) == 0)
            return arg_of(b, 0, (size_t)b->pointer[r])->elem.scalar;
    return KS_T_NONE;
}

static void add_binding(struct binder *b, const struct ks_names *form)
{
    struct ks_binding_choice *c = ks_vec_push(b->arena, b->out);
    struct ks_buf text = KS_BUF(4096);
    for (size_t r = 0; r < b->t->n_roles; r++) {
        const struct ks_role *role = &b->t->roles[r];
        const char *value = role->fallback;
        if (b->pointer[r] >= 0)
            value = b->brief->decl->params[b->pointer[r]].name;
        else if (b->integer[r])
            value = b->integer[r];
        ks_names_add(b->arena, &c->names, role->name, value);
        if (value != role->fallback)
            ks_buf_printf(&text, "%s%s=%s", text.len ? " " : "", role->name, value);
    }
    for (size_t i = 0; i < b->t->n_types; i++) {
        enum ks_scalar scalar = type_of(b, b->t->type_names[i]);
        ks_names_add(b->arena, &c->names, b->t->type_names[i], ks_scalar_c_name(scalar));
        ks_names_add(b->arena, &c->names,
                     ks_arena_printf(b->arena, "%s_bytes", b->t->type_names[i]),
                     ks_arena_printf(b->arena, "%zu", ks_scalar_size(scalar)));
        ks_buf_printf(&text, " %s=%s", b->t->type_names[i], ks_scalar_name(scalar));
    }
    for (size_t i = 0; i < form->n; i++)
        ks_names_add(b->arena, &c->names, form->name[i], form->value[i]);
    if (b->t->n_forms > 1)
        ks_buf_printf(&text, " form=%s", form->value[0]);
    c->text = ks_arena_strdup(b->arena, ks_buf_text(&text));
    c->guard = guard_text(b);
    ks_buf_free(&text);
}

// Every form is tried with each assignment.
static void finish(struct binder *b)
{
    if (!extents_fit(b) || is_duplicate(b))
        return;
    for (size_t i = 0; i < b->t->n_forms && b->out->len < MAX_BINDINGS; i++)
        add_binding(b, &b->t->forms[i]);
}

static void bind_integers(struct binder *b)
{
    size_t ints[16], n = 0, total = 1;
    for (size_t r = 0; r < b->t->n_roles && n < 16; r++)
        if (b->t->roles[r].kind == KS_ROLE_KIND_INT)
            ints[n++] = r;
    for (size_t i = 0; i < n; i++) {
        total *= b->integers.len;
        if (total > MAX_ASSIGNMENTS)
            return;
    }
    for (size_t a = 0; a < total; a++) {
        size_t rest = a;
        for (size_t i = 0; i < n; i++) { // the last role turns fastest: parameters in order first
            size_t place = n - 1 - i;
            b->integer[ints[place]] = b->integers.at[rest % b->integers.len];
            rest /= b->integers.len;
        }
        finish(b);
    }
}

static bool allowed(const struct binder *b, const struct ks_role *role, enum ks_scalar scalar)
{
    enum ks_scalar bound = type_of(b, role->elem);
    if (bound != KS_T_NONE)
        return bound == scalar;
    for (size_t i = 0; i < b->t->n_types; i++)
        for (size_t k = 0; strcmp(b->t->type_names[i], role->elem) == 0 && k < b->t->types[i].len;
             k++)
            if (strcmp(b->t->types[i].at[k], ks_scalar_name(scalar)) == 0)
                return true;
    return false;
}

static bool fits(const struct binder *b, const struct ks_role *role, size_t param)
{
    const struct ks_arg *arg = arg_of(b, 0, param);
    if (b->taken[param] || arg->alias_of >= 0)
        return false;
    if (role->kind == KS_ROLE_KIND_SCALAR)
        return arg->kind == KS_ARG_SCALAR && arg->type.elem.lanes == 1 &&
               arg->type.elem.scalar == type_of(b, role->elem);
    if (arg->kind != KS_ARG_BUFFER || arg->elem.lanes != 1 || !allowed(b, role, arg->elem.scalar))
        return false;
    if (role->kind == KS_ROLE_KIND_IN)
        return arg->role == KS_ROLE_IN;
    // A kernel that only writes may be declared inout by a careful user.
    return role->kind == KS_ROLE_KIND_OUT ? arg->role != KS_ROLE_IN : arg->role == KS_ROLE_INOUT;
}

static bool all_bound(const struct binder *b)
{
    for (size_t i = 0; i < b->brief->decl->n_params; i++) {
        const struct ks_arg *arg = arg_of(b, 0, i);
        bool must = arg->kind != KS_ARG_SCALAR || arg->float_scalar;
        if (must && !b->taken[i])
            return false;
    }
    return true;
}

static void bind_pointers(struct binder *b, size_t r)
{
    while (r < b->t->n_roles && b->t->roles[r].kind == KS_ROLE_KIND_INT)
        r++;
    if (r == b->t->n_roles) {
        if (all_bound(b))
            bind_integers(b);
        return;
    }
    for (size_t p = 0; p < b->brief->decl->n_params; p++) {
        if (!fits(b, &b->t->roles[r], p))
            continue;
        b->pointer[r] = (int)p;
        b->taken[p] = true;
        bind_pointers(b, r + 1);
        b->taken[p] = false;
        b->pointer[r] = -1;
    }
    if (b->t->roles[r].fallback)
        bind_pointers(b, r + 1);
}

static void find_integers(struct binder *b)
{
    const struct ks_kernel_decl *decl = b->brief->decl;
    for (size_t i = 0; i < decl->n_params; i++) {
        const struct ks_type *type = &b->brief->signature->params[i];
        if (!type->pointer && type->elem.lanes == 1 && type->elem.scalar >= KS_T_I32 &&
            type->elem.scalar <= KS_T_U64)
            ks_strv_add(b->arena, &b->integers, decl->params[i].name);
    }
    for (size_t i = 0; i < b->brief->signature->n_template_args; i++) {
        int64_t value;
        if (i < decl->n_template_params &&
            ks_parse_i64(b->brief->signature->template_args[i], &value))
            ks_strv_add(b->arena, &b->integers, b->brief->signature->template_args[i]);
    }
}

enum ks_status ks_bind(struct ks_arena *arena, const struct ks_brief *brief,
                       const struct ks_template *t, struct ks_binding_list *out,
                       const char **refusal, struct ks_err *err)
{
    struct binder b = {.arena = arena, .brief = brief, .t = t, .out = out};
    struct ks_err local = {0};
    (void)err;
    if (make_probes(&b, &local) != KS_OK) {
        *refusal = ks_arena_strdup(arena, local.text);
        return KS_OK;
    }
    b.pointer = KS_NEW_ARRAY(arena, int, t->n_roles);
    b.integer = KS_NEW_ARRAY(arena, const char *, t->n_roles);
    b.taken = KS_NEW_ARRAY(arena, bool, brief->decl->n_params);
    for (size_t i = 0; i < t->n_roles; i++)
        b.pointer[i] = -1;
    find_integers(&b);
    b.exact = true;
    bind_pointers(&b, 0);
    if (out->len == 0) { // inputs may be larger than what the kernel reads
        b.exact = false;
        bind_pointers(&b, 0);
    }
    if (out->len == 0)
        *refusal = ks_arena_printf(arena,
                                   "line %d: no assignment of the parameters to the roles of %s "
                                   "fits their types, directions and extents",
                                   brief->decl->line, t->name);
    return KS_OK;
}
