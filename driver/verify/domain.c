#include "verify/domain.h"

#include <inttypes.h>
#include <string.h>

#include "verify/launch.h"
#include "verify/names.h"

#define DOMAIN_TEXT 4096 // of the expression language
#define NULL_ALIGN (INT64_C(1) << 62)

struct builder {
    struct ks_arena *arena;
    const struct ks_mark *mark;
    const struct ks_workload_mark *workload;
    const struct ks_problem *top; // of what passed (find_top); its arguments and their types are the workload's
    struct ks_names names;
    struct ks_buf *out;
    bool first;
};

static void conjunct(struct builder *b)
{
    ks_buf_puts(b->out, b->first ? "" : " && ");
    b->first = false;
}

static void print(struct builder *b, const struct ks_expr *e)
{
    // What is too deep to be said admits nothing.
    static const struct ks_expr never = {.op = KS_X_INT};
    ks_buf_puts(b->out, "(");
    ks_expr_print(b->out, e != NULL ? e : &never, NULL, NULL);
    ks_buf_puts(b->out, ")");
}

static void equals(struct builder *b, const char *name, const struct ks_expr *formula)
{
    conjunct(b);
    const struct ks_expr *e = ks_names_expand(&b->names, formula);
    if (e == NULL) {
        print(b, NULL);
        return;
    }
    ks_buf_printf(b->out, "%s == ", name);
    print(b, e);
}

static void equals_number(struct builder *b, const char *name, int64_t value)
{
    conjunct(b);
    ks_buf_printf(b->out, "%s == %" PRId64, name, value);
}

// A parameter that follows from others must do so.
static void parameter(struct builder *b, size_t index)
{
    const char *name = ks_names_param(&b->names, index);
    const struct ks_expr *formula = ks_names_formula(&b->names, index);
    if (formula == NULL)
        return; // a size itself
    const struct ks_expr *e = ks_names_expand(&b->names, formula);
    if (e == NULL || e->op != KS_X_NAME || strcmp(e->name, name) != 0)
        equals(b, name, formula);
}

// Whether each size of `a` is at least that of `b`.
static bool covers(const struct builder *b, const struct ks_problem *a, const struct ks_problem *other)
{
    int64_t x, y;
    for (size_t i = 0; i < b->names.n_sizes; i++)
        if (ks_problem_value(a, b->names.sizes[i].name, &x) &&
            ks_problem_value(other, b->names.sizes[i].name, &y) && x < y)
            return false;
    return true;
}

// Whether no size is more than one above what is declared. Small sizes are tried far above that, but of few elements,
// and no time was taken there.
static bool bounded(const struct builder *b, const struct ks_problem *p)
{
    int64_t value;
    for (size_t i = 0; i < b->names.n_sizes; i++) {
        int64_t declared = b->names.sizes[i].declared;
        if (ks_problem_value(p, b->names.sizes[i].name, &value) && value > declared && value - 1 > declared)
            return false;
    }
    return true;
}

// The problem whose sizes end the hull: the declared one, or one that has each of its sizes, the largest of those.
// Nobody ran the top of a box that ends at sizes of several: a product of sizes may pass 2^31 there for the first time.
static const struct ks_problem *find_top(const struct builder *b, const struct ks_seen *seen)
{
    const struct ks_problem *declared = NULL, *top;
    for (size_t i = 0; i < seen->n_passed; i++)
        if (!seen->passed[i]->derived)
            declared = seen->passed[i];
    top = declared; // without it (the guard excludes it) any may be the end, and nothing is claimed
    for (size_t i = 0; i < seen->n_passed; i++) {
        const struct ks_problem *p = seen->passed[i];
        if (!ks_names_counts(&b->names, p) || !bounded(b, p) || (declared != NULL && !covers(b, p, declared)))
            continue;
        if (top == NULL || covers(b, p, top) ||
            (!covers(b, top, p) && ks_problem_bytes(p) > ks_problem_bytes(top)))
            top = p;
    }
    return top;
}

// From the smallest value that passed inside the box, but not below what was slower, to the top's.
static void size_hull(struct builder *b, const struct ks_shown_size *size, const struct ks_seen *seen)
{
    int64_t low = INT64_MAX, high = INT64_MIN, value;
    for (size_t i = 0; i < seen->n_passed; i++)
        if (ks_names_counts(&b->names, seen->passed[i]) && covers(b, b->top, seen->passed[i]) &&
            ks_problem_value(seen->passed[i], size->name, &value) && value < low)
            low = value;
    if (ks_problem_value(b->top, size->name, &value))
        high = value;
    for (size_t i = 0; i < seen->n_floors; i++) {
        value = seen->floors[i].value < size->declared ? seen->floors[i].value : size->declared;
        if (strcmp(seen->floors[i].name, size->name) == 0 && value > low)
            low = value;
    }
    conjunct(b);
    print(b, size->shown);
    if (low == high) {
        ks_buf_printf(b->out, " == %" PRId64, low);
        return;
    }
    ks_buf_printf(b->out, " >= %" PRId64 " && ", low);
    print(b, size->shown);
    ks_buf_printf(b->out, " <= %" PRId64, high);
}

static const struct ks_array *array_of(const struct builder *b, const char *name)
{
    for (size_t i = 0; i < b->workload->n_arrays; i++)
        if (strcmp(b->workload->arrays[i].name, name) == 0)
            return &b->workload->arrays[i];
    return NULL;
}

// Bytes of a pointer argument as text: its extent's formula, or the alias's. False if it is too deep.
static bool print_bytes(struct builder *b, size_t index)
{
    const struct ks_arg *arg = &b->top->args[index];
    const struct ks_array *array = array_of(b, arg->name);
    for (size_t hops = 0; array == NULL && arg->alias_of >= 0 && hops < b->top->n_args; hops++) {
        arg = &b->top->args[arg->alias_of];
        array = array_of(b, arg->name);
    }
    struct ks_expr plain = {.op = KS_X_INT, .value = arg->count};
    const struct ks_expr *count = array != NULL ? ks_names_expand(&b->names, array->count) : &plain;
    print(b, count);
    ks_buf_printf(b->out, " * %zu", arg->elem.size);
    return count != NULL;
}

static void pointers(struct builder *b)
{
    const struct ks_problem *p = b->top;
    struct ks_layout layout = ks_layout_of(b->arena, p);
    // A null pointer takes another way through many kernels: it is told from others by an alignment that
    // no other address has.
    for (size_t i = 0; i < p->n_args; i++)
        if (p->args[i].type.pointer) {
            conjunct(b);
            ks_buf_printf(b->out, "%saligned(%s, %" PRId64 ")", ks_arg_is_null(&p->args[i]) ? "" : "!",
                          ks_names_param(&b->names, i), NULL_ALIGN);
        }
    for (size_t j = 0; j < p->n_args; j++)
        for (size_t i = 0; i < j; i++) {
            if (layout.slot_of[i] == KS_NO_BUFFER || layout.slot_of[j] == KS_NO_BUFFER)
                continue;
            const char *x = ks_names_param(&b->names, i), *y = ks_names_param(&b->names, j);
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
            bool said = print_bytes(b, i);
            ks_buf_printf(b->out, ", %s, ", y);
            said = print_bytes(b, j) && said;
            ks_buf_puts(b->out, said ? ")" : ") && 0");
        }
}

// The bytes that matter, in words as long as they and their place allow; some sixteen together, since a chain
// of conditions is as deep as it is long.
static void struct_bytes(struct builder *b, size_t index)
{
    const struct ks_block *block = b->top->args[index].block;
    const char *name = ks_names_param(&b->names, index);
    size_t said = 0;
    for (size_t at = 0, size; at < block->size; at += size) {
        size = 1;
        if (!block->matters[at])
            continue;
        while (size < 4 && at % (2 * size) == 0 && at + 2 * size <= block->size && block->matters[at + size] &&
               block->matters[at + 2 * size - 1])
            size *= 2;
        int32_t value = 0;
        unsigned shift = 32 - 8 * (unsigned)size;
        memcpy(&value, block->bytes + at, size);
        value = (int32_t)((uint32_t)value << shift) >> shift;
        if (said % 16 == 0)
            conjunct(b);
        ks_buf_printf(b->out, "%s%s.i%zu_%zu == %" PRId32, said % 16 == 0 ? "(" : " && ", name, 8 * size, at, value);
        if (++said % 16 == 0)
            ks_buf_puts(b->out, ")");
    }
    if (said % 16 != 0)
        ks_buf_puts(b->out, ")");
}

static void one_workload(struct builder *b, const struct ks_seen *seen)
{
    static const char *const grids[3] = {"grid.x", "grid.y", "grid.z"};
    static const char *const blocks[3] = {"block.x", "block.y", "block.z"};
    int64_t ignored;
    b->first = true;
    for (size_t i = 0; i < b->names.n_sizes; i++)
        if (b->names.sizes[i].shown != NULL)
            size_hull(b, &b->names.sizes[i], seen);
    for (size_t i = 0; i < b->top->n_args; i++)
        if (ks_arg_integer(&b->top->args[i], &ignored))
            parameter(b, i);
        else if (b->top->args[i].kind == KS_ARG_STRUCT)
            struct_bytes(b, i);
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
        print(b, ks_names_expand(&b->names, b->mark->assumes[i]));
    }
}

// Whatever else an argument holds was tested with one value only, and no condition can ask for it.
static enum ks_status check_arguments(const struct ks_problem *problem, struct ks_err *err)
{
    int64_t ignored;
    for (size_t i = 0; i < problem->n_args; i++) {
        const struct ks_arg *arg = &problem->args[i];
        if (arg->kind == KS_ARG_SCALAR && !ks_arg_is_null(arg) && !arg->float_scalar && !ks_arg_integer(arg, &ignored))
            KS_FAIL(err, KS_E_LIMIT, "no condition can ask for the value of parameter `%s` (%s)",
                    arg->name, arg->type.text != NULL ? arg->type.text : "not an integer");
    }
    return KS_OK;
}

enum ks_status ks_domain_make(struct ks_arena *arena, const struct ks_mark *mark,
                              const struct ks_proposal *proposal, const struct ks_seen *seen,
                              size_t n_seen, struct ks_expr **domain, struct ks_err *err)
{
    struct ks_buf text = KS_BUF(DOMAIN_TEXT);
    bool any = false;
    enum ks_status status = KS_OK;
    for (size_t s = 0; status == KS_OK && s < n_seen; s++) {
        struct builder b = {.arena = arena, .mark = mark,
                            .workload = &mark->workloads[seen[s].workload], .out = &text};
        if (seen[s].n_passed > 0) {
            ks_names_init(&b.names, arena, b.workload, proposal, seen[s].passed[0]);
            b.top = find_top(&b, &seen[s]);
        }
        if (b.top == NULL)
            continue;
        ks_names_init(&b.names, arena, b.workload, proposal, b.top); // what nothing shows has its declared value there
        status = check_arguments(b.top, err);
        ks_buf_puts(&text, any ? " || (" : "(");
        one_workload(&b, &seen[s]);
        ks_buf_puts(&text, ")");
        any = true;
    }
    if (status == KS_OK && !any)
        status = ks_err_set(err, KS_E_ABSENT, "no workload passed: there is no domain");
    if (status == KS_OK)
        status = ks_buf_check(&text, "the domain", err);
    if (status == KS_OK)
        status = ks_expr_parse(arena, "domain", (struct ks_slice){text.data, text.len}, domain, err);
    ks_buf_free(&text);
    return status;
}
