// What integer and literal roles can be.
#include <string.h>

#include "base/vec.h"
#include "engine/bind.h"
#include "engine/specimen.h"
#include "engine/struct_sizes.h"
#include "engine/vectors_apart.h"
#include "source/lex.h"

#define MOST 48
#define LARGEST_LITERAL 4096
#define LARGEST_SIZE (1 << 24)
#define LARGEST_RADIUS 5
#define LEAST_LOW 1000

bool ks_integer_read(struct ks_arena *arena, const struct ks_problem probes[KS_PROBES],
                     const char *text, struct ks_integer *out)
{
    *out = (struct ks_integer){.text = text};
    if (ks_expr_parse(arena, "", ks_slice_of(text), &out->expr, NULL) != KS_OK)
        return false;
    for (int p = 0; p < KS_PROBES; p++)
        if (!ks_expr_eval(out->expr, ks_specimen_lookup, (void *)(uintptr_t)&probes[p],
                          &out->value[p]))
            return false;
    return true;
}

// A stride of 1, say: as a size it would make a matrix of everything.
static bool is_always_one(const struct ks_integer *integer)
{
    int p = 0;
    while (p < KS_PROBES && integer->value[p] == 1)
        p++;
    return p == KS_PROBES;
}

static void add(struct ks_arena *arena, const struct ks_problem probes[KS_PROBES], const char *text,
                struct ks_integer_list *out)
{
    struct ks_integer integer;
    for (size_t i = 0; i < out->len; i++)
        if (strcmp(out->at[i].text, text) == 0)
            return;
    if (out->len < MOST && ks_integer_read(arena, probes, text, &integer) && !is_always_one(&integer))
        *ks_vec_push(arena, out) = integer;
}

// Whether a text has the size's value in every probe.
static bool shows(struct ks_arena *arena, const struct ks_problem probes[KS_PROBES],
                  const char *text, const char *size)
{
    struct ks_integer a, b;
    return ks_integer_read(arena, probes, text, &a) && ks_integer_read(arena, probes, size, &b) &&
           memcmp(a.value, b.value, sizeof a.value) == 0;
}

// Whether one of the first numbers has it.
static bool is_said(struct ks_arena *arena, const struct ks_problem probes[KS_PROBES],
                    const struct ks_integer_list *list, size_t n, const char *size)
{
    for (size_t i = 0; i < n; i++)
        if (shows(arena, probes, list->at[i].text, size))
            return true;
    return false;
}

static bool is_param(const struct ks_brief *brief, const char *name)
{
    for (size_t i = 0; i < brief->decl->n_params; i++)
        if (strcmp(brief->decl->params[i].name, name) == 0)
            return true;
    return false;
}

// A number whose quotient by two others is the size in every probe: n / (h * w) where a parameter counts all elements of images.
static const char *quotient(struct ks_arena *arena, const struct ks_integer_list *list, size_t n_params, const struct ks_integer *size)
{
    for (size_t a = 0; a < n_params; a++)
        for (size_t b = 0; b < list->len; b++)
            for (size_t c = b; c < list->len; c++) {
                int p = 0;
                while (p < KS_PROBES && list->at[b].value[p] > 0 && list->at[c].value[p] > 0 && a != b && a != c &&
                       list->at[a].value[p] == size->value[p] * list->at[b].value[p] * list->at[c].value[p])
                    p++;
                if (p == KS_PROBES)
                    return ks_arena_printf(arena, "%s / (%s * %s)", list->at[a].text, list->at[b].text, list->at[c].text);
            }
    return NULL;
}

// Sizes that no parameter is named after, from what a launch shows: grid.z where it is one block
// each, grid.y * block.y where it is a thread each, grid.z / co where it is a block for each pair,
// m / rows or m / (rows * cols) where a parameter is a product.
static void hidden(struct ks_arena *arena, const struct ks_brief *brief,
                   const struct ks_problem probes[KS_PROBES], size_t n_params,
                   struct ks_integer_list *out)
{
    static const char *const grids[] = {"grid.x", "grid.y", "grid.z", "grid.x * block.x",
                                        "grid.y * block.y", "grid.z * block.z"};
    const struct ks_workload_mark *w = &brief->mark->workloads[0];
    struct ks_integer own;
    for (size_t l = 0; l < w->n_lets; l++) {
        const char *size = w->lets[l].name, *found = NULL;
        if (is_param(brief, size) || is_said(arena, probes, out, n_params, size))
            continue;
        for (size_t g = 0; g < sizeof grids / sizeof *grids && !found; g++)
            if (shows(arena, probes, grids[g], size))
                found = grids[g];
        for (size_t i = 0; i < (3 + n_params) * out->len && !found; i++) {
            const char *a = i / out->len < 3 ? grids[i / out->len] : out->at[i / out->len - 3].text;
            const char *text = ks_arena_printf(arena, "%s / %s", a, out->at[i % out->len].text);
            if (shows(arena, probes, text, size))
                found = text;
        }
        if (!found && ks_integer_read(arena, probes, size, &own))
            found = quotient(arena, out, n_params, &own);
        if (found)
            add(arena, probes, found, out);
    }
}

static bool divides(const struct ks_expr *e)
{
    bool found = e->op != KS_X_NAME && e->op != KS_X_INT && e->op != KS_X_MUL;
    for (int i = 0; i < 4 && e->op == KS_X_MUL && e->kid[i]; i++)
        found |= divides(e->kid[i]);
    return found;
}

// A launch of a block for each of a product tells that product, whatever its factors are, and so do all of a launch's blocks.
static void launched(struct ks_arena *arena, const struct ks_brief *brief,
                     const struct ks_problem probes[KS_PROBES], struct ks_integer_list *out)
{
    static const char *const grids[] = {"grid.x", "grid.y", "grid.z"};
    const struct ks_workload_mark *w = &brief->mark->workloads[0];
    for (int g = 0; g < 3; g++)
        if (w->grid[g] && w->grid[g]->op == KS_X_MUL && !divides(w->grid[g]))
            add(arena, probes, grids[g], out);
    if (w->grid[2])
        add(arena, probes, "grid.x * grid.y * grid.z", out);
}

struct of_params {
    const struct ks_brief *brief;
    bool any, all;
};

static void note_param(void *context, const char *name)
{
    struct of_params *o = context;
    o->any = true;
    o->all = o->all && is_param(o->brief, name);
}

// What parameters come to in a formula of the mark, and the code computes for itself: h / 2 rows of an output of (h / 2) * w.
static void add_formula(struct ks_arena *arena, const struct ks_brief *brief, const struct ks_problem probes[KS_PROBES],
                        const struct ks_expr *e, struct ks_integer_list *out)
{
    struct of_params of = {.brief = brief, .all = true};
    struct ks_buf text = KS_BUF(1 << 12);
    ks_expr_names(e, note_param, &of);
    if (e->op == KS_X_NAME || !of.any || !of.all)
        return;
    ks_expr_print(&text, e, NULL, NULL);
    add(arena, probes, ks_arena_strdup(arena, ks_buf_text(&text)), out);
    ks_buf_free(&text);
}

static void factors(struct ks_arena *arena, const struct ks_brief *brief, const struct ks_problem probes[KS_PROBES],
                    const struct ks_expr *e, struct ks_integer_list *out)
{
    if (e->op != KS_X_MUL) {
        add_formula(arena, brief, probes, e, out);
        return;
    }
    factors(arena, brief, probes, e->kid[0], out);
    factors(arena, brief, probes, e->kid[1], out);
}

static void formulas(struct ks_arena *arena, const struct ks_brief *brief, const struct ks_problem probes[KS_PROBES],
                     struct ks_integer_list *out)
{
    const struct ks_workload_mark *w = &brief->mark->workloads[0];
    for (size_t l = 0; l < w->n_lets; l++)
        if (!is_param(brief, w->lets[l].name))
            add_formula(arena, brief, probes, w->lets[l].expr, out);
    for (size_t i = 0; i < w->n_arrays; i++)
        if (w->arrays[i].count != NULL)
            factors(arena, brief, probes, w->arrays[i].count, out);
}

// Whether an array can have as many parts, whatever the other sizes are.
static bool divides_an_array(const struct ks_problem probes[KS_PROBES], int64_t value)
{
    for (size_t i = 0; value > 1 && i < probes->n_args; i++) {
        int p = 0;
        while (p < KS_PROBES && probes[p].args[i].kind == KS_ARG_BUFFER && probes[p].args[i].count % value == 0)
            p++;
        if (p == KS_PROBES)
            return true;
    }
    return false;
}

static bool is_divided_by(const struct ks_expr *e, int64_t value)
{
    bool found = e != NULL && e->op == KS_X_DIV && e->kid[1]->op == KS_X_INT && e->kid[1]->value == value;
    for (int i = 0; e != NULL && e->op != KS_X_INT && e->op != KS_X_NAME && i < 4; i++)
        found |= is_divided_by(e->kid[i], value);
    return found;
}

// Whether an array has an element for each run of so many: `in(scale[rows * cols / 32])`.
static bool counts_runs(const struct ks_workload_mark *w, int64_t value)
{
    bool found = false;
    for (size_t i = 0; value > 1 && i < w->n_arrays; i++)
        found |= is_divided_by(w->arrays[i].count, value);
    return found;
}

// Numbers that no parameter says: `#define COLS 64`, or a grid of as many blocks.
static void constants(struct ks_arena *arena, const struct ks_brief *brief, const struct ks_problem probes[KS_PROBES],
                      struct ks_integer_list *out)
{
    static const char *const launch[] = {"grid.x",           "grid.y",           "grid.z",           "block.x", "block.y", "block.z",
                                         "grid.x * block.x", "grid.y * block.y", "grid.z * block.z"};
    struct ks_strv numbers = {0};
    struct ks_integer all;
    ks_literals_find(arena, brief, KS_LITERALS_SIZES, &numbers);
    for (size_t i = 0; i < numbers.len; i++)
        if (ks_integer_read(arena, probes, numbers.at[i], &all) &&
            (divides_an_array(probes, all.value[0]) || counts_runs(&brief->mark->workloads[0], all.value[0])))
            add(arena, probes, numbers.at[i], out);
    for (size_t i = 0; i < sizeof launch / sizeof *launch; i++) {
        int p = 1;
        if (!ks_integer_read(arena, probes, launch[i], &all))
            continue;
        while (p < KS_PROBES && all.value[p] == all.value[0])
            p++;
        if (p == KS_PROBES && divides_an_array(probes, all.value[0]))
            add(arena, probes, ks_arena_printf(arena, "%lld", (long long)all.value[0]), out);
    }
}

// What vectors come to as elements: n4 of float4, or n of which n / 4 are packs.
static void of_vectors(struct ks_arena *arena, const struct ks_brief *brief, const struct ks_problem probes[KS_PROBES],
                       struct ks_integer_list *out)
{
    const size_t n = out->len;
    for (int lanes = 2; lanes <= 4; lanes++)
        for (size_t i = 0; i < n && ks_vectors_have(brief, lanes); i++) {
            add(arena, probes, ks_arena_printf(arena, "%s * %d", out->at[i].text, lanes), out);
            add(arena, probes, ks_arena_printf(arena, "%s / %d * %d", out->at[i].text, lanes, lanes), out);
        }
}

void ks_integers_find(struct ks_arena *arena, const struct ks_brief *brief,
                      const struct ks_problem probes[KS_PROBES], enum ks_integers which,
                      struct ks_integer_list *out)
{
    const struct ks_kernel_decl *decl = brief->decl;
    for (size_t i = 0; i < decl->n_params; i++) {
        const struct ks_type *type = &brief->signature->params[i];
        if (!type->pointer && type->elem.lanes == 1 && type->elem.scalar >= KS_T_I32 &&
            type->elem.scalar <= KS_T_U64)
            add(arena, probes, decl->params[i].name, out);
    }
    for (size_t i = probes->n_params; i < probes->n_args; i++)
        if (probes->args[i].kind == KS_ARG_SCALAR)
            add(arena, probes, ks_struct_size_text(arena, probes, &probes->args[i]), out);
    for (size_t i = 0; i < brief->signature->n_template_args; i++) {
        int64_t value;
        if (i < decl->n_template_params && ks_parse_i64(brief->signature->template_args[i], &value))
            add(arena, probes, brief->signature->template_args[i], out);
    }
    hidden(arena, brief, probes, out->len, out);
    formulas(arena, brief, probes, out);
    of_vectors(arena, brief, probes, out);
    if (which == KS_INTEGERS_CONSTANTS)
        constants(arena, brief, probes, out);
    if (which == KS_INTEGERS_PRODUCTS)
        launched(arena, brief, probes, out);
    size_t n = out->len;
    for (size_t i = 0; which == KS_INTEGERS_PRODUCTS && i < n; i++)
        for (size_t k = i; k < n; k++)
            add(arena, probes, ks_arena_printf(arena, "%s * %s", out->at[i].text, out->at[k].text),
                out);
}

static void add_word(struct ks_arena *arena, struct ks_strv *out, const char *text)
{
    for (size_t i = 0; i < out->len; i++)
        if (strcmp(out->at[i], text) == 0)
            return;
    if (out->len < MOST)
        ks_strv_add(arena, out, text);
}

static void of_expr(struct ks_arena *arena, const struct ks_expr *e, int64_t most, struct ks_strv *out)
{
    if (e == NULL)
        return;
    if (e->op == KS_X_INT && e->value >= 0 && e->value <= most)
        add_word(arena, out, ks_arena_printf(arena, "%lld", (long long)e->value));
    for (int i = 0; e->op != KS_X_INT && e->op != KS_X_NAME && i < 4; i++)
        of_expr(arena, e->kid[i], most, out);
}

// `max = -10000`: a number below zero, and of so many that it stands for the least.
static bool is_low(const struct ks_token *tokens, size_t i, int64_t value)
{
    return value >= LEAST_LOW && i >= 2 && ks_token_is(&tokens[i - 1], "-") && tokens[i - 2].kind != KS_TOK_NUMBER &&
           tokens[i - 2].kind != KS_TOK_IDENT && !ks_token_is(&tokens[i - 2], ")") && !ks_token_is(&tokens[i - 2], "]");
}

static void of_text(struct ks_arena *arena, const char *kernel, bool integers, int64_t most, struct ks_strv *out)
{
    struct ks_token *tokens;
    size_t n = ks_lex_all(arena, ks_slice_of(kernel), false, &tokens);
    for (size_t i = 0; i < n; i++) {
        int64_t value;
        double number;
        if (tokens[i].kind != KS_TOK_NUMBER)
            continue;
        char *text = ks_token_text(arena, &tokens[i]);
        size_t len = strlen(text);
        if (len > 1 && (text[len - 1] == 'f' || text[len - 1] == 'F') &&
            strncmp(text, "0x", 2) != 0)
            text[len - 1] = '\0';
        bool whole = ks_parse_i64(text, &value);
        if (integers && whole && value >= 0 && value <= most)
            add_word(arena, out, text);
        if (!integers && (!whole || is_low(tokens, i, value)) && ks_parse_f64(text, &number) && number != 0)
            add_word(arena, out, text);
    }
}

// From so many in front of a place to as many behind it.
static void add_windows(struct ks_arena *arena, struct ks_strv *out)
{
    const size_t n = out->len;
    int64_t radius;
    for (size_t i = 0; i < n; i++)
        if (ks_parse_i64(out->at[i], &radius) && radius > 0 && radius <= LARGEST_RADIUS)
            add_word(arena, out, ks_arena_printf(arena, "%lld", (long long)(2 * radius + 1)));
}

void ks_literals_find(struct ks_arena *arena, const struct ks_brief *brief, enum ks_literals which,
                      struct ks_strv *out)
{
    const int64_t most = which == KS_LITERALS_SIZES ? LARGEST_SIZE : LARGEST_LITERAL;
    const struct ks_workload_mark *w = &brief->mark->workloads[0];
    int64_t value;
    of_text(arena, brief->kernel_text, which != KS_LITERALS_OTHERS, most, out);
    if (which == KS_LITERALS_OTHERS)
        return;
    for (size_t i = 0; i < w->n_arrays; i++)
        of_expr(arena, w->arrays[i].count, most, out);
    for (size_t i = 0; i < w->n_lets; i++)
        if (w->lets[i].expr->op != KS_X_INT)
            of_expr(arena, w->lets[i].expr, most, out);
    for (size_t i = 0; i < w->n_settings; i++)
        if (w->settings[i].n_values == 1 && ks_parse_i64(w->settings[i].values[0], &value) && value >= 0 && value <= most)
            add_word(arena, out, w->settings[i].values[0]);
    for (size_t i = 0; i < brief->signature->n_template_args; i++)
        if (ks_parse_i64(brief->signature->template_args[i], &value) && value >= 0)
            add_word(arena, out, brief->signature->template_args[i]);
    if (which == KS_LITERALS_WIDTHS)
        add_windows(arena, out);
}
