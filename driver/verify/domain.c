#include "verify/domain.h"

#include <inttypes.h>
#include <string.h>

#include "verify/launch.h"

#define DOMAIN_TEXT 4096 // of the expression language

struct builder {
    struct ks_arena *arena;
    const struct ks_mark *mark;
    const struct ks_workload_mark *workload;
    const struct ks_signature *signature;
    const struct ks_kernel_decl *decl;
    const struct ks_proposal *proposal;
    const struct ks_problem *declared; // any problem of the workload: arguments and their types
    struct ks_buf *out;
    bool first;
};

static const char *param_as_proposed(const struct builder *b, size_t i)
{
    return i < b->proposal->n_params ? b->proposal->params[i] : b->declared->args[i].name;
}

static bool is_integer_param(const struct builder *b, const char *name, size_t *index)
{
    int64_t value;
    for (size_t i = 0; i < b->declared->n_args; i++)
        if (strcmp(b->declared->args[i].name, name) == 0 &&
            ks_arg_integer(&b->declared->args[i], &value)) {
            *index = i;
            return true;
        }
    return false;
}

static const struct ks_expr *let_of(const struct builder *b, const char *name)
{
    for (size_t i = 0; i < b->workload->n_lets; i++)
        if (strcmp(b->workload->lets[i].name, name) == 0)
            return b->workload->lets[i].expr;
    return NULL;
}

static bool value_of(const struct ks_problem *problem, const char *name, int64_t *value)
{
    for (size_t i = 0; i < problem->n_values; i++)
        if (strcmp(problem->values[i].name, name) == 0) {
            *value = problem->values[i].value;
            return true;
        }
    return false;
}

static struct ks_expr *integer(struct ks_arena *arena, int64_t value)
{
    struct ks_expr *e = KS_NEW(arena, struct ks_expr);
    e->op = KS_X_INT;
    e->value = value;
    return e;
}

// The same expression in names that dispatch knows: integer and pointer parameters as the proposal
// calls them, geometry; lets are expanded, template values and unobservable sizes become numbers.
static struct ks_expr *expand(const struct builder *b, const struct ks_expr *e, int depth)
{
    if (e == NULL || depth > 64)
        return NULL;
    struct ks_expr *copy = ks_arena_memdup(b->arena, e, sizeof *e);
    if (e->op == KS_X_NAME) {
        for (size_t i = 0; i < b->declared->n_args; i++) {
            int64_t ignored;
            const struct ks_arg *arg = &b->declared->args[i];
            if (strcmp(arg->name, e->name) == 0 &&
                (arg->kind == KS_ARG_BUFFER || ks_arg_integer(arg, &ignored))) {
                copy->name = param_as_proposed(b, i);
                return copy;
            }
        }
        const struct ks_expr *let = let_of(b, e->name);
        if (let != NULL && let->op != KS_X_INT)
            return expand(b, let, depth + 1);
        int64_t value;
        if (value_of(b->declared, e->name, &value))
            return integer(b->arena, value);
        return copy; // geometry, or a template value the problem does not list
    }
    for (int i = 0; i < 4; i++)
        copy->kid[i] = expand(b, e->kid[i], depth + 1);
    return copy;
}

static void conjunct(struct builder *b)
{
    ks_buf_puts(b->out, b->first ? "" : " && ");
    b->first = false;
}

static void equals(struct builder *b, const char *name, const struct ks_expr *formula)
{
    conjunct(b);
    ks_buf_printf(b->out, "%s == (", name);
    struct ks_expr *e = expand(b, formula, 0);
    ks_expr_print(b->out, e != NULL ? e : integer(b->arena, 0), NULL, NULL);
    ks_buf_puts(b->out, ")");
}

static void equals_number(struct builder *b, const char *name, int64_t value)
{
    conjunct(b);
    ks_buf_printf(b->out, "%s == %" PRId64, name, value);
}

static const struct ks_setting *setting_of(const struct builder *b, const char *name)
{
    for (size_t i = 0; i < b->workload->n_settings; i++)
        if (strcmp(b->workload->settings[i].name, name) == 0)
            return &b->workload->settings[i];
    return NULL;
}

// Sizes that no parameter carries cannot be told apart at a launch: only problems with their declared
// values count.
static bool counts(const struct builder *b, const struct ks_problem *problem)
{
    for (size_t i = 0; i < b->workload->n_lets; i++) {
        const struct ks_binding *let = &b->workload->lets[i];
        size_t ignored;
        int64_t value;
        if (let->expr->op == KS_X_INT && !is_integer_param(b, let->name, &ignored) &&
            value_of(problem, let->name, &value) && value != let->expr->value)
            return false;
    }
    return true;
}

static void integer_param(struct builder *b, size_t index, const struct ks_seen *seen)
{
    const char *name = b->declared->args[index].name, *as = param_as_proposed(b, index);
    const struct ks_expr *let = let_of(b, name);
    const struct ks_setting *setting = setting_of(b, name);
    struct ks_expr *formula = NULL;
    if (let != NULL && let->op != KS_X_INT) {
        equals(b, as, let);
        return;
    }
    if (let == NULL && setting != NULL && setting->n_values == 1 &&
        ks_expr_parse(b->arena, b->workload->where, ks_slice_of(setting->values[0]), &formula, NULL) ==
            KS_OK) {
        equals(b, as, formula);
        return;
    }
    int64_t low = INT64_MAX, high = INT64_MIN, value;
    for (size_t i = 0; i < seen->n_passed; i++) {
        if (!counts(b, seen->passed[i]) || !ks_arg_integer(&seen->passed[i]->args[index], &value))
            continue;
        low = value < low ? value : low;
        high = value > high ? value : high;
    }
    for (size_t i = 0; i < seen->n_floors; i++)
        if (strcmp(seen->floors[i].name, name) == 0 && seen->floors[i].value > low)
            low = seen->floors[i].value;
    if (low == high) {
        equals_number(b, as, low);
        return;
    }
    conjunct(b);
    ks_buf_printf(b->out, "%s >= %" PRId64 " && %s <= %" PRId64, as, low, as, high);
}

static const struct ks_array *array_of(const struct builder *b, const char *name)
{
    for (size_t i = 0; i < b->workload->n_arrays; i++)
        if (strcmp(b->workload->arrays[i].name, name) == 0)
            return &b->workload->arrays[i];
    return NULL;
}

// Bytes of a pointer argument as text: its extent's formula, or the alias's.
static void print_bytes(struct builder *b, size_t index)
{
    const struct ks_arg *arg = &b->declared->args[index];
    const struct ks_array *array = array_of(b, arg->name);
    for (size_t hops = 0; array == NULL && arg->alias_of >= 0 && hops < b->declared->n_args; hops++) {
        arg = &b->declared->args[arg->alias_of];
        array = array_of(b, arg->name);
    }
    struct ks_expr *count = array != NULL ? expand(b, array->count, 0)
                                          : integer(b->arena, arg->count);
    ks_buf_puts(b->out, "(");
    ks_expr_print(b->out, count, NULL, NULL);
    ks_buf_printf(b->out, ") * %zu", arg->elem.size);
}

static void pointers(struct builder *b)
{
    const struct ks_problem *p = b->declared;
    struct ks_layout layout = ks_layout_of(b->arena, p);
    for (size_t j = 0; j < p->n_args; j++)
        for (size_t i = 0; i < j; i++) {
            if (layout.slot_of[i] == KS_NO_BUFFER || layout.slot_of[j] == KS_NO_BUFFER)
                continue;
            const char *x = param_as_proposed(b, i), *y = param_as_proposed(b, j);
            if (layout.slot_of[i] == layout.slot_of[j]) {
                conjunct(b);
                ks_buf_printf(b->out, "overlap(%s, 1, %s, 1)", y, x);
                continue;
            }
            if (layout.slots[layout.slot_of[i]].role == KS_ROLE_IN &&
                layout.slots[layout.slot_of[j]].role == KS_ROLE_IN)
                continue; // neither is written: they may overlap
            conjunct(b);
            ks_buf_printf(b->out, "!overlap(%s, ", x);
            print_bytes(b, i);
            ks_buf_printf(b->out, ", %s, ", y);
            print_bytes(b, j);
            ks_buf_puts(b->out, ")");
        }
}

static void one_workload(struct builder *b, const struct ks_seen *seen)
{
    static const char *const grids[3] = {"grid.x", "grid.y", "grid.z"};
    static const char *const blocks[3] = {"block.x", "block.y", "block.z"};
    int64_t ignored;
    b->first = true;
    for (size_t i = 0; i < b->declared->n_args; i++)
        if (ks_arg_integer(&b->declared->args[i], &ignored))
            integer_param(b, i, seen);
    for (int d = 0; d < 3; d++) {
        if (b->workload->block[d] != NULL)
            equals(b, blocks[d], b->workload->block[d]);
        else
            equals_number(b, blocks[d], 1);
    }
    for (int d = 0; d < 3; d++) {
        if (b->workload->grid[d] != NULL)
            equals(b, grids[d], b->workload->grid[d]);
        else
            equals_number(b, grids[d], 1);
    }
    if (b->workload->shared != NULL)
        equals(b, "shared", b->workload->shared);
    else
        equals_number(b, "shared", 0);
    pointers(b);
    for (size_t i = 0; i < b->mark->n_assumes; i++) {
        conjunct(b);
        ks_buf_puts(b->out, "(");
        ks_expr_print(b->out, expand(b, b->mark->assumes[i], 0), NULL, NULL);
        ks_buf_puts(b->out, ")");
    }
}

enum ks_status ks_domain_make(struct ks_arena *arena, const struct ks_mark *mark,
                              const struct ks_signature *signature,
                              const struct ks_kernel_decl *decl, const struct ks_proposal *proposal,
                              const struct ks_seen *seen, size_t n_seen, struct ks_expr **domain,
                              struct ks_err *err)
{
    struct ks_buf text = KS_BUF(DOMAIN_TEXT);
    bool any = false;
    for (size_t s = 0; s < n_seen; s++) {
        struct builder b = {arena, mark, &mark->workloads[seen[s].workload], signature, decl, proposal,
                            NULL, &text, true};
        for (size_t i = 0; i < seen[s].n_passed; i++) {
            b.declared = seen[s].passed[i]; // expand() reads unobservable sizes from it
            if (counts(&b, seen[s].passed[i]))
                break;
            b.declared = NULL;
        }
        if (b.declared == NULL)
            continue;
        ks_buf_puts(&text, any ? " || (" : "(");
        one_workload(&b, &seen[s]);
        ks_buf_puts(&text, ")");
        any = true;
    }
    enum ks_status status = KS_OK;
    if (!any)
        status = ks_err_set(err, KS_E_ABSENT, "no workload passed: there is no domain");
    else
        status = ks_buf_check(&text, "the domain", err);
    if (status == KS_OK)
        status = ks_expr_parse(arena, "domain", (struct ks_slice){text.data, text.len}, domain, err);
    ks_buf_free(&text);
    return status;
}
