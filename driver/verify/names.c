#include "verify/names.h"

#include <inttypes.h>
#include <string.h>

#include "verify/launch.h"

#define MAX_DEPTH 64 // of the expression language

const char *ks_names_param(const struct ks_names *names, size_t index)
{
    const struct ks_arg *arg = &names->problem->args[index];
    if (index < names->problem->n_params)
        return index < names->proposal->n_params ? names->proposal->params[index] : arg->name;
    const char *parent = ks_names_param(names, arg->parent);
    if (arg->type.pointer)
        return ks_arena_printf(names->arena, "%s.ptr_%zu", parent, arg->at);
    const char *member = ks_arena_printf(names->arena, "%s.i%zu_%zu", parent, 8 * arg->size, arg->at);
    // Members are read as signed. What is unsigned is so in the domain's text, which is all that names are for.
    return ks_scalar_is_signed(arg->elem.scalar) || arg->size == 8
               ? member
               : ks_arena_printf(names->arena, "(%s & %" PRIu64 ")", member, (UINT64_C(1) << 8 * arg->size) - 1);
}

// A parameter that an expression can name: integers always, pointers for aligned() and overlap().
static bool find_param(const struct ks_names *names, const char *name, size_t *index)
{
    int64_t ignored;
    for (size_t i = 0; i < names->problem->n_args; i++) {
        const struct ks_arg *arg = &names->problem->args[i];
        if (strcmp(arg->name, name) == 0 &&
            (arg->kind == KS_ARG_BUFFER || ks_arg_integer(arg, &ignored))) {
            *index = i;
            return true;
        }
    }
    return false;
}

// What a let that is no size stands for; NULL: there is no such let.
static const struct ks_expr *let_of(const struct ks_names *names, const char *name)
{
    for (size_t i = 0; i < names->workload->n_lets; i++) {
        const struct ks_binding *let = &names->workload->lets[i];
        if (strcmp(let->name, name) == 0)
            return ks_binding_is_size(let) ? NULL : let->expr;
    }
    return NULL;
}

const struct ks_expr *ks_names_formula(const struct ks_names *names, size_t index)
{
    const char *name = names->problem->args[index].name;
    const struct ks_workload_mark *w = names->workload;
    struct ks_expr *formula;
    for (size_t i = 0; i < w->n_settings; i++) // set() is what the argument is made of
        if (strcmp(w->settings[i].name, name) == 0 && w->settings[i].n_values == 1 &&
            ks_expr_parse(names->arena, w->where, ks_slice_of(w->settings[i].values[0]), &formula,
                          NULL) == KS_OK)
            return formula;
    return let_of(names, name);
}

static struct ks_shown_size *find_size(const struct ks_names *names, const char *name)
{
    for (size_t i = 0; i < names->n_sizes; i++)
        if (strcmp(names->sizes[i].name, name) == 0)
            return &names->sizes[i];
    return NULL;
}

static struct ks_expr *make(const struct ks_names *names, enum ks_expr_op op,
                            const struct ks_expr *a, const struct ks_expr *b)
{
    struct ks_expr *e = KS_NEW(names->arena, struct ks_expr);
    e->op = op;
    e->kid[0] = (struct ks_expr *)(uintptr_t)a;
    e->kid[1] = (struct ks_expr *)(uintptr_t)b;
    return e;
}

static struct ks_expr *name_node(const struct ks_names *names, const char *name)
{
    struct ks_expr *e = make(names, KS_X_NAME, NULL, NULL);
    e->name = name;
    return e;
}

static struct ks_expr *integer(const struct ks_names *names, int64_t value)
{
    struct ks_expr *e = make(names, KS_X_INT, NULL, NULL);
    e->value = value;
    return e;
}

static struct ks_expr *expand(const struct ks_names *names, const struct ks_expr *e, int depth)
{
    if (e == NULL || depth > MAX_DEPTH)
        return NULL;
    if (e->op != KS_X_NAME) {
        struct ks_expr *copy = ks_arena_memdup(names->arena, e, sizeof *e);
        for (int i = 0; i < 4; i++) {
            copy->kid[i] = expand(names, e->kid[i], depth + 1);
            if (e->kid[i] != NULL && copy->kid[i] == NULL)
                return NULL;
        }
        return copy;
    }
    size_t index;
    if (find_param(names, e->name, &index))
        return name_node(names, ks_names_param(names, index));
    const struct ks_shown_size *size = find_size(names, e->name);
    if (size != NULL && size->shown != NULL)
        return ks_arena_memdup(names->arena, size->shown, sizeof *size->shown);
    const struct ks_expr *let = let_of(names, e->name);
    if (let != NULL)
        return expand(names, let, depth + 1);
    int64_t value;
    if (ks_problem_value(names->problem, e->name, &value))
        return integer(names, value);
    return name_node(names, e->name); // geometry
}

struct ks_expr *ks_names_expand(const struct ks_names *names, const struct ks_expr *expr)
{
    return expand(names, expr, 0);
}

// How often sizes that nothing shows (yet) occur in the expansion of an expression; *which is the last.
static int hidden(const struct ks_names *names, const struct ks_expr *e,
                  struct ks_shown_size **which, int depth)
{
    int n = 0;
    size_t index;
    if (e == NULL)
        return 0;
    if (depth > MAX_DEPTH)
        return 2; // too deep to be of use
    if (e->op != KS_X_NAME) {
        for (int i = 0; i < 4; i++)
            n += hidden(names, e->kid[i], which, depth + 1);
        return n;
    }
    if (find_param(names, e->name, &index))
        return 0;
    struct ks_shown_size *size = find_size(names, e->name);
    if (size != NULL) {
        if (size->shown == NULL)
            *which = size;
        return size->shown == NULL;
    }
    const struct ks_expr *let = let_of(names, e->name);
    return let == NULL ? 0 : hidden(names, let, which, depth + 1);
}

// The one hidden size of `e` from the value of `e`; NULL where there is no simple inverse. That the
// parameter equals its formula is demanded besides, so a rounded quotient admits nothing wrong.
static const struct ks_expr *invert(const struct ks_names *names, const struct ks_expr *e,
                                    const struct ks_expr *value, int depth)
{
    struct ks_shown_size *ignored;
    if (depth > MAX_DEPTH)
        return NULL;
    if (e->op == KS_X_NAME) {
        const struct ks_expr *let = let_of(names, e->name);
        return let != NULL ? invert(names, let, value, depth + 1) : value;
    }
    if (e->op == KS_X_NEG)
        return invert(names, e->kid[0], make(names, KS_X_NEG, value, NULL), depth + 1);
    if (e->kid[0] == NULL || e->kid[1] == NULL || e->kid[2] != NULL)
        return NULL;
    bool left = hidden(names, e->kid[0], &ignored, 0) == 1;
    const struct ks_expr *inner = e->kid[left ? 0 : 1];
    const struct ks_expr *other = ks_names_expand(names, e->kid[left ? 1 : 0]);
    const struct ks_expr *next = NULL;
    if (other == NULL)
        return NULL;
    switch (e->op) {
    case KS_X_ADD: next = make(names, KS_X_SUB, value, other); break;
    case KS_X_SUB: next = left ? make(names, KS_X_ADD, value, other)
                               : make(names, KS_X_SUB, other, value); break;
    case KS_X_MUL: next = make(names, KS_X_DIV, value, other); break;
    case KS_X_SHL: next = left ? make(names, KS_X_SHR, value, other) : NULL; break;
    default: break;
    }
    return next == NULL ? NULL : invert(names, inner, next, depth + 1);
}

// One more size by one more parameter; false when there is none.
static bool show_one(struct ks_names *names)
{
    int64_t ignored;
    for (size_t i = 0; i < names->problem->n_args; i++) {
        struct ks_shown_size *which = NULL;
        if (!ks_arg_integer(&names->problem->args[i], &ignored))
            continue;
        const struct ks_expr *formula = ks_names_formula(names, i);
        if (formula == NULL || hidden(names, formula, &which, 0) != 1)
            continue;
        which->shown = invert(names, formula, name_node(names, ks_names_param(names, i)), 0);
        if (which->shown != NULL)
            return true;
    }
    return false;
}

void ks_names_init(struct ks_names *names, struct ks_arena *arena,
                   const struct ks_workload_mark *workload, const struct ks_proposal *proposal,
                   const struct ks_problem *problem)
{
    *names = (struct ks_names){.arena = arena, .workload = workload, .proposal = proposal,
                               .problem = problem};
    names->sizes = KS_NEW_ARRAY(arena, struct ks_shown_size, workload->n_lets);
    for (size_t i = 0; i < workload->n_lets; i++) {
        const struct ks_binding *let = &workload->lets[i];
        size_t index;
        int64_t ignored;
        if (!ks_binding_is_size(let))
            continue;
        struct ks_shown_size *size = &names->sizes[names->n_sizes++];
        *size = (struct ks_shown_size){let->name, let->expr->value, NULL};
        if (find_param(names, let->name, &index) && ks_names_formula(names, index) == NULL &&
            ks_arg_integer(&problem->args[index], &ignored))
            size->shown = name_node(names, ks_names_param(names, index));
    }
    while (show_one(names))
        ;
}

bool ks_names_counts(const struct ks_names *names, const struct ks_problem *problem)
{
    int64_t value;
    for (size_t i = 0; i < names->n_sizes; i++)
        if (names->sizes[i].shown == NULL &&
            ks_problem_value(problem, names->sizes[i].name, &value) &&
            value != names->sizes[i].declared)
            return false;
    return true;
}
