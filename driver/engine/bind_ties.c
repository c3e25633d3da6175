// Integers that the workload ties together.
#include <string.h>

#include "engine/binder.h"
#include "engine/specimen.h"

static bool same_in_all(const struct ks_integer *x, const struct ks_integer *y)
{
    return memcmp(x->value, y->value, sizeof x->value) == 0;
}

// x = slope * y + offset in every probe although all sizes differ: the workload ties them.
static bool tied(const struct ks_integer *x, const struct ks_integer *y, int64_t *slope,
                 int64_t *offset)
{
    const int64_t *v = x->value, *w = y->value;
    int64_t rise = v[1] - v[0], run = w[1] - w[0];
    if (run == 0 || rise % run != 0 || rise / run < 1)
        return false;
    *slope = rise / run;
    *offset = v[0] - *slope * w[0];
    for (int p = 2; p < KS_PROBES; p++)
        if (v[p] != *slope * w[p] + *offset)
            return false;
    return true;
}

bool ks_bind_is_word(const char *text)
{
    return text[strspn(text, "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ_0123456789")] ==
           '\0';
}

bool ks_bind_is_name(const char *text)
{
    struct ks_struct_member member;
    return ks_expr_member(text, &member) || (ks_bind_is_word(text) && !(*text >= '0' && *text <= '9'));
}

static const struct ks_binding *let_of(const struct binder *b, const char *name)
{
    const struct ks_workload_mark *w = &b->brief->mark->workloads[0];
    for (size_t i = 0; i < w->n_lets; i++)
        if (strcmp(w->lets[i].name, name) == 0)
            return &w->lets[i];
    return NULL;
}

// The expression for a name of the mark's that says the same of each launch; NULL where a launch does not show it.
static struct ks_expr *over_launch(const struct binder *b, const struct ks_expr *e)
{
    if (e->op != KS_X_NAME) {
        struct ks_expr *out = ks_arena_memdup(b->arena, e, sizeof *e);
        for (int i = 0; i < 4 && e->kid[i]; i++)
            if ((out->kid[i] = over_launch(b, e->kid[i])) == NULL)
                return NULL;
        return out;
    }
    const struct ks_binding *let = let_of(b, e->name);
    struct ks_integer own;
    struct ks_expr *shown = NULL;
    if (!ks_integer_read(b->arena, b->probe, e->name, &own))
        return NULL;
    for (size_t i = 0; i < b->integers.len; i++) {
        if (strcmp(b->integers.at[i].text, e->name) == 0)
            return b->integers.at[i].expr;
        if (shown == NULL && same_in_all(&b->integers.at[i], &own))
            shown = b->integers.at[i].expr;
    }
    return shown == NULL && let && let->expr->op != KS_X_INT ? over_launch(b, let->expr) : shown;
}

// Whether it is a size and a line of it ties the integer.
static bool on_a_line(const struct binder *b, const struct ks_integer *x)
{
    int64_t slope, offset;
    for (size_t k = 0; k < b->integers.len; k++) {
        const struct ks_integer *y = &b->integers.at[k];
        const struct ks_binding *let = y != x ? let_of(b, y->text) : NULL;
        if (let && ks_binding_is_size(let) && tied(x, y, &slope, &offset))
            return true;
    }
    return false;
}

// An integer that the mark reckons from others by no line, stride = cols * rows: as it does.
static void guard_reckoned(const struct binder *b, struct ks_buf *buf)
{
    for (size_t i = 0; i < b->integers.len; i++) {
        const struct ks_integer *x = &b->integers.at[i];
        const struct ks_binding *let = let_of(b, x->text);
        struct ks_expr *by = let && let->expr->op != KS_X_INT && let->expr->op != KS_X_NAME && !on_a_line(b, x)
                                 ? over_launch(b, let->expr)
                                 : NULL;
        if (by == NULL)
            continue;
        ks_buf_printf(buf, "%s%s == (", buf->len ? " && " : "", x->text);
        ks_expr_print(buf, by, NULL, NULL);
        ks_buf_puts(buf, ")");
    }
}

// A binding is only ever seen where tied integers are tied, so it is used nowhere else, whether it
// mentions them or not.
const char *ks_bind_guard(const struct binder *b)
{
    struct ks_buf buf = KS_BUF(4096);
    int64_t slope, offset;
    for (size_t i = 0; i < b->integers.len; i++)
        for (size_t k = 0; k < b->integers.len; k++) {
            const struct ks_integer *x = &b->integers.at[i], *y = &b->integers.at[k];
            if (i == k || !ks_bind_is_name(x->text) || !ks_bind_is_name(y->text) ||
                !tied(x, y, &slope, &offset) || (slope == 1 && i < k))
                continue;
            ks_buf_printf(&buf, "%s%s == ", buf.len ? " && " : "", x->text);
            if (slope == 1 && offset == 0)
                ks_buf_puts(&buf, y->text);
            else
                ks_buf_printf(&buf, "%lld * %s + %lld", (long long)slope, y->text,
                              (long long)offset);
        }
    guard_reckoned(b, &buf);
    const char *text = ks_arena_strdup(b->arena, ks_buf_text(&buf));
    ks_buf_free(&buf);
    return text;
}

const char *ks_bind_round_guard(const struct binder *b, const char *guard)
{
    struct ks_buf buf = KS_BUF(4096);
    const struct ks_specimens *specimens = ks_specimens_of(b->arena, b->brief);
    ks_buf_puts(&buf, guard);
    for (size_t i = 0; i < b->integers.len; i++)
        if (ks_bind_is_name(b->integers.at[i].text))
            ks_buf_printf(&buf, "%s%s %% %d == 0", buf.len ? " && " : "", b->integers.at[i].text,
                          ks_specimens_round(specimens, b->brief, b->integers.at[i].text));
    const char *text = ks_arena_strdup(b->arena, ks_buf_text(&buf));
    ks_buf_free(&buf);
    return text;
}

bool ks_bind_uses(const struct binder *b, const char *text, int *times)
{
    *times = 0;
    for (size_t i = 0; i < b->n_order; i++)
        *times += b->text[b->order[i]] && strcmp(b->text[b->order[i]], text) == 0;
    return *times > 0;
}

// Whether an integer is used twice while one of equal value is not used: under the guard that is
// the same binding again.
bool ks_bind_repeats(const struct binder *b)
{
    int times, none;
    for (size_t i = 0; i < b->integers.len; i++)
        for (size_t k = 0;
             ks_bind_uses(b, b->integers.at[i].text, &times) && times > 1 && k < b->integers.len;
             k++)
            if (k != i && same_in_all(&b->integers.at[i], &b->integers.at[k]) &&
                !ks_bind_uses(b, b->integers.at[k].text, &none))
                return true;
    return false;
}
