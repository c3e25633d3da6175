#include "workload/problem.h"

#include <string.h>

#include "base/num.h"
#include "workload/blocks.h"
#include "workload/problem_maker.h"

#define MAX_TOTAL_BYTES (INT64_C(1) << 40)

// An integer parameter that set() gives a number: a window's width, which extents may name.
static bool find_setting(const struct ks_maker *m, const char *name, int64_t *value)
{
    bool integer = false;
    for (size_t i = 0; i < m->decl->n_params; i++) {
        const struct ks_type *type = &m->signature->params[i];
        if (strcmp(m->decl->params[i].name, name) == 0)
            integer = !type->pointer && type->elem.lanes == 1 && type->elem.scalar != KS_T_NONE && !ks_scalar_is_float(type->elem.scalar);
    }
    for (size_t i = 0; integer && i < m->mark->n_settings; i++) {
        const struct ks_setting *set = &m->mark->settings[i];
        if (strcmp(set->name, name) == 0)
            return set->n_values == 1 && ks_parse_i64(set->values[0], value);
    }
    return false;
}

bool ks_maker_find(void *context, const char *name, int64_t *value)
{
    const struct ks_maker *m = context;
    for (size_t i = m->values.len; i-- > 0;) // a later name hides an earlier one
        if (strcmp(m->values.at[i].name, name) == 0) {
            *value = m->values.at[i].value;
            return true;
        }
    return find_setting(m, name, value);
}

static void add_value(struct ks_maker *m, const char *name, int64_t value)
{
    struct ks_value *slot = ks_vec_push(m->arena, &m->values);
    *slot = (struct ks_value){name, value};
}

struct unknown_name {
    const struct ks_maker *m;
    const char *name;
};

static void note_unknown(void *context, const char *name)
{
    struct unknown_name *u = context;
    int64_t value;
    if (u->name == NULL && !ks_maker_find((void *)u->m, name, &value))
        u->name = name;
}

enum ks_status ks_maker_evaluate(const struct ks_maker *m, const struct ks_expr *expr, const char *what,
                                 int64_t *value, struct ks_err *err)
{
    if (ks_expr_eval(expr, ks_maker_find, (void *)m, value))
        return KS_OK;
    struct unknown_name u = {.m = m};
    ks_expr_names(expr, note_unknown, &u);
    if (u.name != NULL)
        KS_FAIL(err, KS_E_USER, "%s: %s needs '%s', which has no value; add let(%s=...)",
                m->mark->where, what, u.name, u.name);
    struct ks_buf text = KS_BUF(512);
    ks_expr_print(&text, expr, NULL, NULL);
    enum ks_status status =
        ks_err_set(err, KS_E_USER, "%s: %s = %s is undefined (overflow or division by zero)",
                   m->mark->where, what, ks_buf_text(&text));
    ks_buf_free(&text);
    return status;
}

// ---- names: template values and lets

static bool template_value(const char *text, int64_t *value)
{
    if (strcmp(text, "true") == 0 || strcmp(text, "false") == 0) {
        *value = text[0] == 't';
        return true;
    }
    if (*text == '(') { // "(int)256"
        const char *close = strchr(text, ')');
        text = close != NULL ? close + 1 : text;
    }
    char digits[32];
    size_t n = strcspn(text, "uUlL");
    if (n >= sizeof digits)
        return false;
    memcpy(digits, text, n);
    digits[n] = '\0';
    return ks_parse_i64(digits, value);
}

static const int64_t *override_of(const struct ks_value *overrides, size_t n, const char *name)
{
    for (size_t i = 0; i < n; i++)
        if (strcmp(overrides[i].name, name) == 0)
            return &overrides[i].value;
    return NULL;
}

static enum ks_status bind_lets(struct ks_maker *m, const struct ks_value *overrides, size_t n,
                                struct ks_err *err)
{
    for (size_t i = 0; i < m->decl->n_template_params && i < m->signature->n_template_args; i++) {
        int64_t value;
        if (template_value(m->signature->template_args[i], &value))
            add_value(m, m->decl->template_params[i], value);
    }
    for (size_t i = 0; i < m->mark->n_lets; i++) {
        const struct ks_binding *let = &m->mark->lets[i];
        const int64_t *override = ks_binding_is_size(let) ? override_of(overrides, n, let->name) : NULL;
        int64_t value;
        if (override != NULL) {
            value = *override;
            m->problem->derived |= value != let->expr->value;
        } else {
            KS_TRY(ks_maker_evaluate(m, let->expr, ks_arena_printf(m->arena, "let(%s)", let->name),
                                     &value, err));
        }
        m->problem->resized |= m->mark->declared != NULL && ks_binding_is_size(let) && value != m->mark->declared[i].expr->value;
        add_value(m, let->name, value);
    }
    return KS_OK;
}

// Name as the user would read it: the workload's own, or its sizes.
static const char *problem_name(struct ks_maker *m)
{
    if (*m->mark->name != '\0' && !m->problem->derived)
        return m->mark->name;
    struct ks_buf text = KS_BUF(256);
    if (*m->mark->name != '\0')
        ks_buf_printf(&text, "%s:", m->mark->name);
    for (size_t i = 0, n = 0; i < m->mark->n_lets; i++) {
        int64_t value = 0;
        if (!ks_binding_is_size(&m->mark->lets[i]) ||
            !ks_maker_find(m, m->mark->lets[i].name, &value))
            continue;
        ks_buf_printf(&text, "%s%s=%lld", n++ ? "," : "", m->mark->lets[i].name, (long long)value);
    }
    const char *name = ks_arena_strdup(m->arena, text.len ? ks_buf_text(&text) : "workload");
    ks_buf_free(&text);
    return name;
}

// ---- clauses that must name a parameter

static int param_index(const struct ks_kernel_decl *decl, const char *name)
{
    for (size_t i = 0; i < decl->n_params; i++)
        if (strcmp(decl->params[i].name, name) == 0)
            return (int)i;
    return -1;
}

// Among the problem's arguments; -1: none of them.
static int arg_index(const struct ks_maker *m, const char *name)
{
    const struct ks_block_pointer *member;
    for (size_t n = 0; (member = ks_blocks_pointer(m->mark, n, NULL)) != NULL; n++)
        if (strcmp(member->name, name) == 0)
            return (int)(m->decl->n_params + n);
    return param_index(m->decl, name);
}

static enum ks_status require_param(const struct ks_maker *m, const char *clause, const char *name,
                                    bool pointer, struct ks_err *err)
{
    int i = arg_index(m, name);
    if (ks_blocks_gives(m->mark, name) || i >= (int)m->decl->n_params || (i >= 0 && m->signature->params[i].pointer == pointer))
        return KS_OK;
    if (i >= 0)
        KS_FAIL(err, KS_E_USER, "%s: %s(%s): the parameter is %s (%s); use %s", m->mark->where,
                clause, name, pointer ? "no pointer" : "a pointer", m->signature->params[i].text,
                pointer ? "let or set" : "in, inout or out");
    struct ks_strv names = {0};
    for (size_t k = 0; k < m->decl->n_params; k++)
        ks_strv_add(m->arena, &names, m->decl->params[k].name);
    const char *near = names.len ? ks_nearest_word(name, names.at) : NULL;
    KS_FAIL(err, KS_E_USER, "%s: %s(%s) names no parameter of %s%s%s%s", m->mark->where, clause,
            name, m->decl->qualified, near ? "; did you mean '" : "", near ? near : "",
            near ? "'?" : "");
}

static bool is_null(const struct ks_setting *setting)
{
    return setting->n_values == 1 && strcmp(setting->values[0], "nullptr") == 0;
}

static const char *const roles[] = {
    [KS_ROLE_IN] = "in", [KS_ROLE_INOUT] = "inout", [KS_ROLE_OUT] = "out"};

static enum ks_status check_clauses(const struct ks_maker *m, struct ks_err *err)
{
    if (m->signature->n_params != m->decl->n_params)
        KS_FAIL(err, KS_E_USER, "%s: %s has %zu parameters in the source and %zu for the compiler",
                m->mark->where, m->decl->qualified, m->decl->n_params, m->signature->n_params);
    for (size_t i = 0; i < m->mark->n_arrays; i++) {
        const char *name = m->mark->arrays[i].name;
        KS_TRY(require_param(m, roles[m->mark->arrays[i].role], name, true, err));
        for (size_t k = 0; k < i; k++)
            if (strcmp(m->mark->arrays[k].name, name) == 0)
                KS_FAIL(err, KS_E_USER, "%s: '%s' stands in two array clauses; keep one "
                                        "(inout for read and written)", m->mark->where, name);
    }
    for (size_t i = 0; i < m->mark->n_settings; i++)
        KS_TRY(require_param(m, "set", m->mark->settings[i].name,
                             is_null(&m->mark->settings[i]), err));
    for (size_t i = 0; i < m->mark->n_aliases; i++) {
        KS_TRY(require_param(m, "alias", m->mark->aliases[i][0], true, err));
        KS_TRY(require_param(m, "alias", m->mark->aliases[i][1], true, err));
    }
    return KS_OK;
}

// With the members that clauses give, for these sizes.
static enum ks_status bind_struct(struct ks_maker *m, struct ks_arg *arg, bool *bound, struct ks_err *err)
{
    const struct ks_block *block = ks_blocks_of(m->mark, arg->name);
    *bound = block != NULL;
    if (block == NULL)
        return KS_OK;
    struct ks_block *own = ks_arena_memdup(m->arena, block, sizeof *block);
    unsigned char *bytes = ks_arena_memdup(m->arena, block->bytes, block->size);
    for (size_t v = 0; v < block->n_values; v++) {
        struct ks_arg value = {.name = block->values[v].name, .type = block->values[v].type};
        KS_TRY(ks_maker_scalar(m, &value, err));
        memcpy(bytes + block->values[v].at, value.bytes, value.size);
    }
    own->bytes = bytes;
    *arg = (struct ks_arg){.kind = KS_ARG_STRUCT, .name = arg->name, .type = arg->type, .block = own,
                           .size = block->size, .alias_of = -1};
    return KS_OK;
}

// ---- buffers

static const struct ks_array *array_of(const struct ks_workload_mark *mark, const char *name)
{
    for (size_t i = 0; i < mark->n_arrays; i++)
        if (strcmp(mark->arrays[i].name, name) == 0)
            return &mark->arrays[i];
    return NULL;
}

static const char *alias_target(const struct ks_workload_mark *mark, const char *name)
{
    for (size_t i = 0; i < mark->n_aliases; i++)
        if (strcmp(mark->aliases[i][0], name) == 0)
            return mark->aliases[i][1];
    return NULL;
}

static const struct ks_type *type_of(const struct ks_maker *m, size_t arg)
{
    size_t n = m->decl->n_params;
    return arg < n ? &m->signature->params[arg] : &ks_blocks_pointer(m->mark, arg - n, NULL)->type;
}

static enum ks_status bind_buffer(struct ks_maker *m, struct ks_arg *arg, struct ks_err *err)
{
    const char *where = m->mark->where;
    const char *target = alias_target(m->mark, arg->name);
    const struct ks_array *array = array_of(m->mark, arg->name);
    arg->kind = KS_ARG_BUFFER;
    arg->size = sizeof(void *);
    arg->alias_of = -1;
    for (size_t i = 0; i < m->mark->n_settings; i++)
        if (strcmp(m->mark->settings[i].name, arg->name) == 0) { // nullptr
            arg->kind = KS_ARG_SCALAR;
            return KS_OK;
        }
    if (target != NULL) {
        if (alias_target(m->mark, target) != NULL || strcmp(target, arg->name) == 0)
            KS_FAIL(err, KS_E_USER, "%s: alias(%s,%s): '%s' must have memory of its own", where,
                    arg->name, target, target);
        arg->alias_of = arg_index(m, target);
        array = array_of(m->mark, target);
    }
    if (array == NULL)
        KS_FAIL(err, KS_E_USER, "%s: pointer '%s' has no array; add in(%s[...]), inout(%s[...]) "
                                "or out(%s[...]), or set(%s=nullptr)",
                where, arg->name, arg->name, arg->name, arg->name, arg->name);
    if (array->role != KS_ROLE_IN && arg->type.pointee_const && target == NULL)
        KS_FAIL(err, KS_E_USER, "%s: %s(%s) but the kernel takes %s; use in(%s[...])", where,
                roles[array->role], arg->name, arg->type.text,
                arg->name);
    arg->role = array->role;
    arg->init = array->init;
    arg->elem = arg->type.elem;
    bool named = array->type.text != NULL && *array->type.text != '\0';
    if (named && arg->elem.size != 0 && array->type.elem.size != arg->elem.size)
        KS_FAIL(err, KS_E_USER, "%s: '%s' is given as %s, but the kernel takes %s", where,
                arg->name, array->type.text, arg->type.text);
    if (named && arg->elem.scalar == KS_T_NONE)
        arg->elem = array->type.elem;
    if (arg->elem.scalar == KS_T_NONE && arg->alias_of >= 0) // void *, or by value
        arg->elem = type_of(m, (size_t)arg->alias_of)->elem;
    if (arg->elem.scalar == KS_T_NONE || arg->elem.size == 0)
        KS_FAIL(err, KS_E_USER, "%s: element type of '%s' (%s) is unknown; name it, as in "
                                "%s(float %s[...])",
                where, arg->name, arg->type.text, roles[arg->role], arg->name);
    KS_TRY(ks_maker_evaluate(m, array->count, ks_arena_printf(m->arena, "the size of '%s'", arg->name),
                             &arg->count, err));
    if (arg->count < 0)
        KS_FAIL(err, KS_E_USER, "%s: the size of '%s' is %lld; it must not be negative", where,
                arg->name, (long long)arg->count);
    int64_t bytes;
    if (!ks_mul_i64(arg->count, (int64_t)arg->elem.size, &bytes) || bytes > MAX_TOTAL_BYTES)
        KS_FAIL(err, KS_E_USER, "%s: '%s' would be larger than 2^40 bytes", where, arg->name);
    return KS_OK;
}

static enum ks_status bind_args(struct ks_maker *m, struct ks_err *err)
{
    struct ks_problem *p = m->problem;
    p->n_args = p->n_params = m->decl->n_params;
    const struct ks_block *block;
    const struct ks_block_value *value;
    while (ks_blocks_pointer(m->mark, p->n_args - p->n_params, NULL) != NULL)
        p->n_args++;
    size_t n_pointers = p->n_args - p->n_params;
    while (ks_blocks_value(m->mark, p->n_args - p->n_params - n_pointers, &block) != NULL)
        p->n_args++;
    p->args = KS_NEW_ARRAY(m->arena, struct ks_arg, p->n_args);
    for (int pass = 0; pass < 2; pass++) // array sizes may use the scalars
        for (size_t i = 0; i < p->n_params; i++) {
            struct ks_arg *arg = &p->args[i];
            arg->type = m->signature->params[i];
            arg->name = m->decl->params[i].name;
            if (arg->type.pointer != (pass == 1))
                continue;
            if (*arg->name == '\0')
                KS_FAIL(err, KS_E_USER, "%s: parameter %zu of %s has no name to give a value to",
                        m->mark->where, i + 1, m->decl->qualified);
            if (pass == 1) {
                KS_TRY(bind_buffer(m, arg, err));
                continue;
            }
            bool bound;
            KS_TRY(bind_struct(m, arg, &bound, err));
            if (bound)
                continue;
            KS_TRY(ks_maker_scalar(m, arg, err));
            int64_t number;
            if (ks_arg_integer(arg, &number))
                add_value(m, arg->name, number);
        }
    for (size_t i = p->n_params; i < p->n_params + n_pointers; i++) {
        const struct ks_block_pointer *member = ks_blocks_pointer(m->mark, i - p->n_params, &block);
        p->args[i].name = member->name;
        p->args[i].type = member->type;
        KS_TRY(bind_buffer(m, &p->args[i], err));
        p->args[i].parent = (size_t)param_index(m->decl, block->name);
        p->args[i].at = member->at;
    }
    for (size_t n = 0; (value = ks_blocks_value(m->mark, n, &block)) != NULL; n++) {
        struct ks_arg *arg = &p->args[p->n_params + n_pointers + n];
        arg->name = value->name;
        arg->type = value->type;
        KS_TRY(ks_maker_scalar(m, arg, err));
        arg->parent = (size_t)param_index(m->decl, block->name);
        arg->at = value->at;
    }
    int64_t total = 0;
    for (size_t i = 0; i < p->n_args; i++) {
        const struct ks_arg *arg = &p->args[i];
        if (arg->kind == KS_ARG_BUFFER && arg->alias_of < 0)
            total += arg->count * (int64_t)arg->elem.size; // each at most 2^40
        if (total > MAX_TOTAL_BYTES)
            KS_FAIL(err, KS_E_USER, "%s: the arrays are larger than 2^40 bytes together",
                    m->mark->where);
    }
    return KS_OK;
}

// ---- launch

static enum ks_status bind_dims(struct ks_maker *m, const char *what, struct ks_expr *const *exprs,
                                const int64_t *limits, int64_t *out, struct ks_err *err)
{
    for (size_t i = 0; i < 3; i++) {
        out[i] = 1;
        if (exprs[i] == NULL)
            continue;
        const char *name = ks_arena_printf(m->arena, "%s.%c", what, "xyz"[i]);
        KS_TRY(ks_maker_evaluate(m, exprs[i], name, &out[i], err));
        if (out[i] < 1 || out[i] > limits[i])
            KS_FAIL(err, KS_E_USER, "%s: %s = %lld is impossible; it must be 1 to %lld",
                    m->mark->where, name, (long long)out[i], (long long)limits[i]);
    }
    return KS_OK;
}

// Limits that hold for every compute capability since 3.0 (CUDA programming guide, table
// "Technical Specifications per Compute Capability").
static enum ks_status bind_launch(struct ks_maker *m, struct ks_err *err)
{
    static const int64_t grid_limits[] = {INT32_MAX, 65535, 65535}, block_limits[] = {1024, 1024, 64};
    struct ks_problem *p = m->problem;
    if (m->mark->grid[0] == NULL || m->mark->block[0] == NULL)
        KS_FAIL(err, KS_E_USER, "%s: the workload has no %s; add %s(...)", m->mark->where,
                m->mark->grid[0] == NULL ? "grid" : "block",
                m->mark->grid[0] == NULL ? "grid" : "block");
    KS_TRY(bind_dims(m, "block", m->mark->block, block_limits, p->block, err));
    if (p->block[0] * p->block[1] * p->block[2] > 1024)
        KS_FAIL(err, KS_E_USER, "%s: block(%lld,%lld,%lld) has %lld threads; at most 1024",
                m->mark->where, (long long)p->block[0], (long long)p->block[1],
                (long long)p->block[2], (long long)(p->block[0] * p->block[1] * p->block[2]));
    KS_TRY(bind_dims(m, "grid", m->mark->grid, grid_limits, p->grid, err));
    p->shared = 0;
    if (m->mark->shared != NULL)
        KS_TRY(ks_maker_evaluate(m, m->mark->shared, "shared", &p->shared, err));
    if (p->shared < 0 || p->shared > 1 << 20)
        KS_FAIL(err, KS_E_USER, "%s: shared = %lld bytes is impossible", m->mark->where,
                (long long)p->shared);
    return KS_OK;
}

enum ks_status ks_problem_make(struct ks_arena *arena, const struct ks_mark *mark,
                               size_t workload, const struct ks_signature *signature,
                               const struct ks_kernel_decl *decl, const struct ks_value *overrides,
                               size_t n_overrides, struct ks_problem *problem,
                               struct ks_err *err)
{
    KS_ASSERT(workload < mark->n_workloads);
    *problem = (struct ks_problem){.workload = workload};
    struct ks_maker m = {.arena = arena, .mark = &mark->workloads[workload], .signature = signature,
                      .decl = decl, .problem = problem};
    problem->where = m.mark->where;
    problem->weight = m.mark->weight;
    if (m.mark->capture_problem != NULL)
        return ks_err_set(err, KS_E_USER, "%s", m.mark->capture_problem);
    if (m.mark->capture != NULL && *m.mark->capture != '\0')
        KS_FAIL(err, KS_E_UNSUPPORTED, "%s: capture(%s) is not known here", m.mark->where,
                m.mark->capture);
    KS_TRY(check_clauses(&m, err));
    KS_TRY(bind_lets(&m, overrides, n_overrides, err));
    KS_TRY(bind_args(&m, err));
    KS_TRY(bind_launch(&m, err));
    problem->name = problem_name(&m);
    problem->values = m.values.at;
    problem->n_values = m.values.len;
    return KS_OK;
}
