#include "base/diff.h"

#include <string.h>

#include "base/vec.h"

typedef KS_VEC(struct ks_slice) lines;

struct differ {
    struct ks_arena *arena;
    lines old, new;
    bool (*same)(struct ks_slice a, struct ks_slice b);
};

static void split(struct ks_arena *arena, struct ks_slice text, lines *out)
{
    for (size_t at = 0; at < text.len;) {
        const char *newline = memchr(text.at + at, '\n', text.len - at);
        size_t n = newline == NULL ? text.len - at : (size_t)(newline - text.at) - at;
        *ks_vec_push(arena, out) = (struct ks_slice){text.at + at, n};
        at += n + 1;
    }
}

static bool equal(struct ks_slice a, struct ks_slice b)
{
    return a.len == b.len && memcmp(a.at, b.at, a.len) == 0;
}

static bool match(const struct differ *d, long x, long y)
{
    return d->same(d->old.at[x], d->new.at[y]);
}

// v[k]: how far the path on diagonal k (old index less new index) gets with so many changes. One
// copy a step is kept to walk back. Returns the number of steps, or -1 beyond `most`.
static long forward(const struct differ *d, long most, long **trace)
{
    long n = (long)d->old.len, m = (long)d->new.len, width = 2 * most + 3;
    long *v = KS_NEW_ARRAY(d->arena, long, (size_t)width);
    for (long step = 0; step <= most; step++) {
        trace[step] = ks_arena_memdup(d->arena, v, (size_t)width * sizeof *v);
        for (long k = -step; k <= step; k += 2) {
            long *at = &v[most + 1 + k];
            bool down = k == -step || (k != step && at[-1] < at[1]);
            long x = down ? at[1] : at[-1] + 1, y = x - k;
            while (x < n && y < m && match(d, x, y)) {
                x++;
                y++;
            }
            *at = x;
            if (x == n && y == m)
                return step;
        }
    }
    return -1;
}

static void put(struct ks_diff *diff, size_t *at, enum ks_diff_kind kind, struct ks_slice text)
{
    diff->at[--*at] = (struct ks_diff_line){kind, text};
    diff->changed += kind != KS_DIFF_BOTH;
}

// From the end to the beginning; fills diff->at from its end.
static void backward(const struct differ *d, long most, long steps, long *const *trace,
                     struct ks_diff *diff)
{
    long x = (long)d->old.len, y = (long)d->new.len;
    size_t at = (size_t)(x + y);
    for (long step = steps; step > 0; step--) {
        const long *v = trace[step] + most + 1;
        long k = x - y;
        bool down = k == -step || (k != step && v[k - 1] < v[k + 1]);
        long before = down ? v[k + 1] : v[k - 1], before_y = before - (down ? k + 1 : k - 1);
        while (x > before && y > before_y) {
            x--;
            put(diff, &at, KS_DIFF_BOTH, d->new.at[--y]);
        }
        put(diff, &at, down ? KS_DIFF_NEW : KS_DIFF_OLD,
            down ? d->new.at[before_y] : d->old.at[before]);
        x = before;
        y = before_y;
    }
    while (y > 0)
        put(diff, &at, KS_DIFF_BOTH, d->new.at[--y]);
    diff->n = d->old.len + d->new.len - at;
    memmove(diff->at, diff->at + at, diff->n * sizeof *diff->at);
}

static void all_of_both(const struct differ *d, struct ks_diff *diff)
{
    diff->n = diff->changed = d->old.len + d->new.len;
    for (size_t i = 0; i < d->old.len; i++)
        diff->at[i] = (struct ks_diff_line){KS_DIFF_OLD, d->old.at[i]};
    for (size_t i = 0; i < d->new.len; i++)
        diff->at[d->old.len + i] = (struct ks_diff_line){KS_DIFF_NEW, d->new.at[i]};
}

void ks_diff_lines(struct ks_arena *arena, struct ks_slice old, struct ks_slice new,
                   bool (*same)(struct ks_slice a, struct ks_slice b), size_t most,
                   struct ks_diff *diff)
{
    struct differ d = {.arena = arena, .same = same != NULL ? same : equal};
    split(arena, old, &d.old);
    split(arena, new, &d.new);
    size_t all = d.old.len + d.new.len;
    most = most < all ? most : all;
    *diff = (struct ks_diff){.at = KS_NEW_ARRAY(arena, struct ks_diff_line, all + 1)};
    long **trace = KS_NEW_ARRAY(arena, long *, most + 1);
    long steps = forward(&d, (long)most, trace);
    if (steps >= 0)
        backward(&d, (long)most, steps, trace, diff);
    else
        all_of_both(&d, diff);
}
