// The contract as text:
//
//   $0 in f32 [$2] normal(0,1)
//   $1 inout i32 [$2 * 4] randint [0,99]         "any" where no range was given
//   $2 i32
//   member $3.x in [4096] uniform(0,1)
//   tolerance rel=1e-05 abs=0
//   fastmath
//   assume $2 % 4 == 0
#include "key/contract.h"

#include <stdlib.h>
#include <string.h>

#include "key/number.h"

struct writer {
    struct ks_arena *arena;
    const struct ks_mark *mark;
    const struct ks_signature *signature;
    const struct ks_workload_mark *workload; // whose lets names refer to
    const char **numbers;                    // by position: "$0", "$1", ...
    struct ks_buf out;
    struct ks_err *err;
};

static int parameter(const struct writer *w, const char *name)
{
    const struct ks_kernel_decl *decl = w->mark->kernel;
    for (size_t i = 0; i < decl->n_params; i++)
        if (strcmp(decl->params[i].name, name) == 0)
            return (int)i;
    return -1;
}

// The struct passed by value that has the member of that name, "p.x".
static int owner(const struct writer *w, const char *name)
{
    const char *dot = strchr(name, '.');
    int at = dot != NULL ? parameter(w, ks_arena_strndup(w->arena, name, (size_t)(dot - name))) : -1;
    bool block = at >= 0 && !w->signature->params[at].pointer && w->signature->params[at].elem.scalar == KS_T_NONE;
    return block ? at : -1;
}

// Parameters and template parameters are their positions; grid.x and the like stay.
static const char *rename(void *context, const char *name)
{
    const struct writer *w = context;
    int at = parameter(w, name);
    if (at >= 0)
        return w->numbers[at];
    const struct ks_kernel_decl *decl = w->mark->kernel;
    for (size_t i = 0; i < decl->n_template_params; i++)
        if (strcmp(decl->template_params[i], name) == 0)
            return ks_arena_printf(w->arena, "$T%zu", i);
    return NULL;
}

// A copy with helper lets replaced by what they stand for. Parameters' own lets are sizes and stay
// names. Lets name only earlier lets, so `before` shrinks and this ends.
static struct ks_expr *expand(const struct writer *w, const struct ks_expr *expr, size_t before)
{
    if (expr->op == KS_X_NAME && parameter(w, expr->name) < 0)
        for (size_t i = before; i-- > 0;)
            if (strcmp(w->workload->lets[i].name, expr->name) == 0)
                return expand(w, w->workload->lets[i].expr, i);
    struct ks_expr *copy = ks_arena_memdup(w->arena, expr, sizeof *expr);
    for (size_t i = 0; i < sizeof copy->kid / sizeof *copy->kid; i++)
        if (copy->kid[i] != NULL)
            copy->kid[i] = expand(w, copy->kid[i], before);
    return copy;
}

static bool no_names(void *context, const char *name, int64_t *value)
{
    (void)context, (void)name, (void)value;
    return false;
}

static const char *text_of(struct writer *w, const struct ks_expr *expr, size_t n_lets)
{
    struct ks_expr *expanded = n_lets == 0 ? NULL : expand(w, expr, n_lets);
    int64_t value;
    if (ks_expr_eval(expanded == NULL ? expr : expanded, no_names, NULL, &value))
        return ks_arena_printf(w->arena, "%lld", (long long)value);
    struct ks_buf out = KS_BUF(1 << 16);
    ks_expr_print(&out, expanded == NULL ? expr : expanded, rename, w);
    const char *text = ks_arena_strdup(w->arena, ks_buf_text(&out));
    ks_buf_free(&out);
    return text;
}

static int by_text(const void *a, const void *b)
{
    return strcmp(*(const char *const *)a, *(const char *const *)b);
}

// Sorted, each once: the order of workload lines is no promise.
static void put_set(struct writer *w, struct ks_strv *set, const char *between)
{
    if (set->len == 0)
        return;
    qsort(set->at, set->len, sizeof *set->at, by_text);
    for (size_t i = 0; i < set->len; i++) {
        if (i > 0 && strcmp(set->at[i], set->at[i - 1]) == 0)
            continue;
        if (i > 0)
            ks_buf_puts(&w->out, between);
        ks_buf_puts(&w->out, set->at[i]);
    }
}

// What is known of one buffer over all workloads.
struct buffer {
    const struct ks_array *first;
    const char *where;      // of `first`
    struct ks_elem elem;
    struct ks_strv extents;
    bool fixed;             // extents are numbers, not formulas
    struct ks_strv kinds;   // of initialisation
    bool bounded;           // some kind has a range
    double low, high;
    struct ks_strv aliases;
};

static enum ks_init_kind kind_of(const struct ks_array *array, struct ks_elem elem,
                                 struct ks_init *init)
{
    *init = array->init;
    if (init->kind != KS_INIT_DEFAULT)
        return init->kind;
    // Of floats any may come, whatever is declared; of integers a range is a promise, and none is none.
    if (ks_scalar_is_float(elem.scalar))
        *init = (struct ks_init){.kind = KS_INIT_NORMAL, .a = 0, .b = 1};
    return init->kind;
}

static void widen(struct buffer *buffer, double low, double high)
{
    // Of two zeros the later one's sign stays; it enters the key.
    buffer->low = buffer->bounded && buffer->low < low ? buffer->low : low;
    buffer->high = buffer->bounded && buffer->high > high ? buffer->high : high;
    buffer->bounded = true;
}

static void add_init(struct writer *w, struct buffer *buffer, const struct ks_array *array)
{
    struct ks_init init;
    char a[KS_NUMBER_TEXT], b[KS_NUMBER_TEXT];
    const char *kind = "";
    switch (kind_of(array, buffer->elem, &init)) {
    case KS_INIT_UNIFORM:
        kind = "uniform";
        widen(buffer, init.a, init.b);
        break;
    case KS_INIT_RANDINT:
        kind = "randint";
        widen(buffer, init.a, init.b);
        break;
    case KS_INIT_CONSTANT:
        kind = "constant";
        widen(buffer, init.a, init.a);
        break;
    case KS_INIT_NORMAL:
        kind = ks_arena_printf(w->arena, "normal(%s,%s)", ks_number_text(init.a, a),
                               ks_number_text(init.b, b));
        break;
    case KS_INIT_IOTA:
        kind = ks_arena_printf(w->arena, "iota(%s,%s)", ks_number_text(init.a, a),
                               ks_number_text(init.b, b));
        break;
    case KS_INIT_PERMUTATION:
        kind = "permutation";
        break;
    case KS_INIT_FILE:
        kind = ks_arena_printf(w->arena, "file(%s)", init.path);
        break;
    case KS_INIT_DEFAULT: // of integers
        kind = "any";
        break;
    case KS_INIT_CAPTURE: // expanded only after the contract is written
        break;
    }
    ks_strv_add(w->arena, &buffer->kinds, kind);
}

static const char *role_name(enum ks_array_role role)
{
    return role == KS_ROLE_IN ? "in" : role == KS_ROLE_OUT ? "out" : "inout";
}

static enum ks_status add_array(struct writer *w, struct buffer *buffer, size_t at,
                                const struct ks_array *array)
{
    const char *where = w->workload->where;
    const struct ks_type *declared = &w->signature->params[at];
    bool typed = array->type.text != NULL && array->type.text[0] != '\0';
    struct ks_elem elem = typed ? array->type.elem : declared->elem;
    if (elem.size == 0)
        KS_FAIL(w->err, KS_E_UNSUPPORTED, "%s: the element type of '%s' is not known; write it in the "
                "clause, as in %s(float %s[n])", where, array->name, role_name(array->role),
                array->name);
    const char *extent = text_of(w, array->count, w->workload->n_lets);
    bool fixed = strspn(extent, "-0123456789") == strlen(extent);
    if (buffer->first == NULL) {
        buffer->first = array;
        buffer->where = where;
        buffer->elem = elem;
        buffer->fixed = fixed;
    } else if (array->role != buffer->first->role) {
        KS_FAIL(w->err, KS_E_USER, "%s: '%s' is '%s' here and '%s' at %s; one kernel has one role "
                "for it", where, array->name, role_name(array->role),
                role_name(buffer->first->role), buffer->where);
    } else if (elem.scalar != buffer->elem.scalar ||
               elem.lanes != buffer->elem.lanes) {
        KS_FAIL(w->err, KS_E_USER, "%s: '%s' has elements of %s here and of %s at %s", where,
                array->name, ks_elem_text(w->arena, elem), ks_elem_text(w->arena, buffer->elem),
                buffer->where);
    } else if (!(fixed && buffer->fixed) && strcmp(extent, buffer->extents.at[0]) != 0) {
        KS_FAIL(w->err, KS_E_USER, "%s: '%s' has %s elements here and %s at %s; write its size with "
                "the kernel's parameters, the same way in each workload", where, array->name,
                extent, buffer->extents.at[0], buffer->where);
    }
    // Numbers are no formula: nothing at a launch tells which of them holds, so all enter.
    ks_strv_add(w->arena, &buffer->extents, extent);
    if (array->role != KS_ROLE_OUT)
        add_init(w, buffer, array);
    return KS_OK;
}

static enum ks_status read_parameter(struct writer *w, size_t at, struct buffer *buffer)
{
    const struct ks_mark *mark = w->mark;
    const char *name = mark->kernel->params[at].name;
    for (size_t i = 0; i < mark->n_workloads; i++) {
        w->workload = &mark->workloads[i];
        bool here = false;
        for (size_t j = 0; j < w->workload->n_arrays; j++) {
            const struct ks_array *array = &w->workload->arrays[j];
            if (strcmp(array->name, name) != 0)
                continue;
            KS_TRY(add_array(w, buffer, at, array));
            here = true;
        }
        for (size_t j = 0; j < w->workload->n_aliases && !here; j++) {
            int to = parameter(w, w->workload->aliases[j][1]);
            if (strcmp(w->workload->aliases[j][0], name) == 0 && to >= 0)
                ks_strv_add(w->arena, &buffer->aliases, w->numbers[to]);
        }
    }
    return KS_OK;
}

static enum ks_status put_parameter(struct writer *w, size_t at)
{
    const struct ks_type *type = &w->signature->params[at];
    struct buffer buffer = {0};
    KS_TRY(read_parameter(w, at, &buffer));
    ks_buf_printf(&w->out, "%s ", w->numbers[at]);
    // A type that is not modelled keeps its spelling: it stands for itself.
    bool modelled = type->elem.size > 0 && !ks_type_is_enum(w->arena, type);
    const char *declared = modelled ? ks_elem_text(w->arena, type->elem) : type->text;
    if (buffer.first == NULL) {
        ks_buf_printf(&w->out, "%s%s", type->pointer ? "pointer " : "", declared);
    } else {
        ks_buf_printf(&w->out, "%s %s [", role_name(buffer.first->role),
                      ks_elem_text(w->arena, buffer.elem));
        put_set(w, &buffer.extents, "|");
        ks_buf_putc(&w->out, ']');
        if (buffer.kinds.len > 0)
            ks_buf_putc(&w->out, ' ');
        put_set(w, &buffer.kinds, "|");
        char low[KS_NUMBER_TEXT], high[KS_NUMBER_TEXT];
        if (buffer.bounded)
            ks_buf_printf(&w->out, " [%s,%s]", ks_number_text(buffer.low, low),
                          ks_number_text(buffer.high, high));
    }
    if (buffer.aliases.len > 0) {
        ks_buf_puts(&w->out, " alias ");
        put_set(w, &buffer.aliases, "|");
    }
    ks_buf_putc(&w->out, '\n');
    return KS_OK;
}

// Each clause names a parameter, or it would be left out in silence.
static enum ks_status check_names(struct writer *w)
{
    for (size_t i = 0; i < w->mark->n_workloads; i++) {
        const struct ks_workload_mark *workload = &w->mark->workloads[i];
        for (size_t j = 0; j < workload->n_arrays; j++) {
            const char *name = workload->arrays[j].name;
            int at = parameter(w, name);
            if (at < 0 && owner(w, name) >= 0)
                continue;
            if (at < 0)
                KS_FAIL(w->err, KS_E_USER, "%s: '%s' has no parameter named '%s'", workload->where,
                        w->mark->kernel->qualified, name);
            if (!w->signature->params[at].pointer)
                KS_FAIL(w->err, KS_E_USER, "%s: parameter '%s' of '%s' is no pointer, so it cannot "
                        "be an array; give a scalar with let() or set()", workload->where, name,
                        w->mark->kernel->qualified);
        }
    }
    return KS_OK;
}

static const char *member_name(const struct writer *w, const char *name)
{
    return ks_arena_printf(w->arena, "%s%s", w->numbers[owner(w, name)], strchr(name, '.'));
}

// What stands behind the pointers in structs. The members' types are the compiler's business, and the code's.
static void add_members(struct writer *w, struct ks_strv *lines)
{
    for (size_t j = 0; j < w->workload->n_arrays; j++) {
        const struct ks_array *array = &w->workload->arrays[j];
        struct buffer buffer = {.elem = array->type.elem};
        char low[KS_NUMBER_TEXT], high[KS_NUMBER_TEXT];
        if (owner(w, array->name) < 0)
            continue;
        if (array->role != KS_ROLE_OUT && array->init.kind != KS_INIT_DEFAULT)
            add_init(w, &buffer, array);
        ks_strv_add(w->arena, lines,
                    ks_arena_printf(w->arena, "%s %s [%s] %s%s", member_name(w, array->name), role_name(array->role),
                                    text_of(w, array->count, w->workload->n_lets),
                                    buffer.kinds.len > 0 ? buffer.kinds.at[0] : "default",
                                    !buffer.bounded ? "" : ks_arena_printf(w->arena, " [%s,%s]",
                                        ks_number_text(buffer.low, low), ks_number_text(buffer.high, high))));
    }
    for (size_t j = 0; j < w->workload->n_aliases; j++) {
        const char *const *pair = w->workload->aliases[j];
        int at = parameter(w, pair[1]);
        if (owner(w, pair[0]) >= 0)
            ks_strv_add(w->arena, lines,
                        ks_arena_printf(w->arena, "%s alias %s", member_name(w, pair[0]),
                                        at >= 0 ? w->numbers[at] : owner(w, pair[1]) >= 0 ? member_name(w, pair[1]) : ""));
    }
}

static void put_tolerance(struct writer *w)
{
    const struct ks_tolerance *tolerance = &w->mark->tolerance;
    char rel[KS_NUMBER_TEXT], abs[KS_NUMBER_TEXT];
    switch (tolerance->kind) {
    case KS_TOL_DERIVED:
        if (tolerance->sum > 0)
            ks_buf_printf(&w->out, "tolerance sum=%s\n", ks_number_text(tolerance->sum, rel));
        else
            ks_buf_puts(&w->out, "tolerance derived\n");
        break;
    case KS_TOL_EXACT:
        ks_buf_puts(&w->out, "tolerance exact\n");
        break;
    case KS_TOL_ULP:
        ks_buf_printf(&w->out, "tolerance ulp=%lld\n", (long long)tolerance->ulp);
        break;
    case KS_TOL_REL:
        ks_buf_printf(&w->out, "tolerance rel=%s abs=%s\n", ks_number_text(tolerance->rel, rel),
                      ks_number_text(tolerance->abs, abs));
        break;
    }
    if (w->mark->fastmath)
        ks_buf_puts(&w->out, "fastmath\n");
}

static void put_lines(struct writer *w, const char *word, struct ks_strv *lines)
{
    if (lines->len == 0)
        return;
    ks_buf_printf(&w->out, "%s ", word);
    put_set(w, lines, ks_arena_printf(w->arena, "\n%s ", word));
    ks_buf_putc(&w->out, '\n');
}

static enum ks_status put_all(struct writer *w)
{
    KS_TRY(check_names(w));
    for (size_t i = 0; i < w->signature->n_params; i++)
        KS_TRY(put_parameter(w, i));
    put_tolerance(w);
    struct ks_strv assumes = {0}, captures = {0}, members = {0};
    for (size_t i = 0; i < w->mark->n_assumes; i++)
        ks_strv_add(w->arena, &assumes, text_of(w, w->mark->assumes[i], 0));
    // What a capture promises is in the capture, which later layers read; its name, which ends in a
    // hash of its content, stands for it here.
    for (size_t i = 0; i < w->mark->n_workloads; i++)
        if (w->mark->workloads[i].capture[0] != '\0')
            ks_strv_add(w->arena, &captures, w->mark->workloads[i].capture);
    for (size_t i = 0; i < w->mark->n_workloads; i++) {
        w->workload = &w->mark->workloads[i];
        add_members(w, &members);
    }
    put_lines(w, "member", &members);
    put_lines(w, "assume", &assumes);
    put_lines(w, "capture", &captures);
    return ks_buf_check(&w->out, "the contract", w->err);
}

enum ks_status ks_contract_text(struct ks_arena *arena, const struct ks_mark *mark,
                                const struct ks_signature *signature, const char **text,
                                struct ks_err *err)
{
    if (mark->kernel == NULL || mark->kernel->n_params != signature->n_params)
        KS_FAIL(err, KS_E_USER, "%s:%d: the kernel's parameters in the text and in the compiled "
                "code disagree; write the parameter list without macros", mark->file, mark->line);
    struct writer w = {.arena = arena, .mark = mark, .signature = signature,
                       .out = KS_BUF(1 << 20), .err = err};
    w.numbers = KS_NEW_ARRAY(arena, const char *, signature->n_params);
    for (size_t i = 0; i < signature->n_params; i++)
        w.numbers[i] = ks_arena_printf(arena, "$%zu", i);
    enum ks_status status = put_all(&w);
    if (status == KS_OK)
        *text = ks_arena_strdup(arena, ks_buf_text(&w.out));
    ks_buf_free(&w.out);
    return status;
}
