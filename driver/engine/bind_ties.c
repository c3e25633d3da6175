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
