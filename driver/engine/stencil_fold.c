// Places that do not leave the grid: clamped, or from one end on at the other. What stands for them is found out by small runs.
#include <string.h>

#include "engine/stencil_reader.h"

static const struct ks_poly unknown = {.known = false};

static bool moves(const struct ks_stencil_reader *r, const struct ks_poly *p)
{
    return p->known && !ks_stencil_is_fixed(r, p);
}

static int64_t constant_of(const struct ks_poly *p)
{
    for (int i = 0; i < p->n; i++)
        if (p->term[i].n == 0)
            return p->term[i].coef < 0 ? -p->term[i].coef : p->term[i].coef;
    return 0;
}

// The one that is a place; of two the one in fewer words, or else the one farther away.
static struct ks_poly farther(const struct ks_stencil_reader *r, const struct ks_poly *a, const struct ks_poly *b)
{
    if (!a->known || !b->known || (!moves(r, a) && !moves(r, b)))
        return unknown;
    if (moves(r, a) != moves(r, b))
        return moves(r, a) ? *a : *b;
    const int more = (a->n - (constant_of(a) > 0)) - (b->n - (constant_of(b) > 0));
    return more < 0 || (more == 0 && constant_of(a) > constant_of(b)) ? *a : *b;
}

static struct ks_poly of_two(struct ks_stencil_reader *r, const struct ks_node *one, const struct ks_node *other, bool *folded)
{
    struct ks_poly a = ks_stencil_fold(r, one, folded), b = ks_stencil_fold(r, other, folded);
    if (!moves(r, &a))
        ks_stencil_note(r, one);
    if (!moves(r, &b))
        ks_stencil_note(r, other);
    *folded = true;
    return farther(r, &a, &b);
}

bool ks_stencil_is_division(const struct ks_stencil_reader *r, const char *symbol)
{
    for (size_t i = 0; i < r->divisions.len; i++)
        if (strcmp(r->divisions.at[i].name, symbol) == 0)
            return true;
    return false;
}

// i / w as a symbol; i / w / h is i / (w * h).
static struct ks_poly quotient(struct ks_stencil_reader *r, struct ks_poly of, struct ks_poly by)
{
    for (size_t i = 0; i < r->divisions.len && of.known; i++) {
        const struct ks_stencil_division *d = &r->divisions.at[i];
        const struct ks_poly symbol = ks_poly_symbol(d->name);
        if (ks_poly_equal(&of, &symbol)) {
            by = ks_poly_product(&by, &d->by);
            of = d->of;
            break;
        }
    }
    if (!moves(r, &of) || !by.known || moves(r, &by) || constant_of(&of) > 0)
        return unknown;
    for (size_t i = 0; i < r->divisions.len; i++)
        if (ks_poly_equal(&r->divisions.at[i].of, &of) && ks_poly_equal(&r->divisions.at[i].by, &by))
            return ks_poly_symbol(r->divisions.at[i].name);
    const char *name = ks_arena_printf(r->arena, "/%zu", r->divisions.len);
    *ks_vec_push(r->arena, &r->divisions) = (struct ks_stencil_division){name, of, by};
    return ks_poly_symbol(name);
}

// (x + 1) % w and (x - 1 + w) % w; i % w is what i / w leaves.
static struct ks_poly of_rest(struct ks_stencil_reader *r, const struct ks_node *e, bool *folded)
{
    struct ks_poly place = ks_stencil_fold(r, e->kid[0], folded), size = ks_stencil_fold(r, e->kid[1], folded);
    struct ks_poly less = ks_poly_sum(&place, &size, -1);
    const bool round = less.known && less.n < place.n;
    if (!moves(r, &place) || !size.known || moves(r, &size))
        return unknown;
    ks_stencil_note(r, e->kid[1]);
    if (!round && constant_of(&place) == 0) {
        struct ks_poly whole = quotient(r, place, size), left = ks_poly_product(&whole, &size);
        return ks_poly_sum(&place, &left, -1);
    }
    *folded = true;
    return round ? less : place;
}

static struct ks_poly of_quotient(struct ks_stencil_reader *r, const struct ks_node *e, bool *folded)
{
    struct ks_poly of = ks_stencil_fold(r, e->kid[0], folded), by = ks_stencil_fold(r, e->kid[1], folded);
    if (*folded)
        return unknown;
    ks_stencil_note(r, e->kid[1]);
    return quotient(r, of, by);
}

static struct ks_poly of_sum(struct ks_stencil_reader *r, const struct ks_node *e, bool *folded)
{
    if (strcmp(e->text, "%") == 0)
        return of_rest(r, e, folded);
    if (strcmp(e->text, "/") == 0)
        return of_quotient(r, e, folded);
    if (strlen(e->text) != 1 || strchr("+-*", *e->text) == NULL)
        return unknown;
    struct ks_poly a = ks_stencil_fold(r, e->kid[0], folded), b = ks_stencil_fold(r, e->kid[1], folded);
    return *e->text == '*' ? ks_poly_product(&a, &b) : ks_poly_sum(&a, &b, *e->text == '+' ? 1 : -1);
}

struct ks_poly ks_stencil_fold(struct ks_stencil_reader *r, const struct ks_node *e, bool *folded)
{
    struct ks_poly p = ks_affine_eval(&r->env, e);
    for (size_t i = 0; i < r->folded.len; i++)
        *folded |= ks_node_mentions(e, r->folded.at[i]);
    if (p.known)
        return p;
    if (e->kind == KS_N_BINARY)
        return of_sum(r, e, folded);
    if (e->kind == KS_N_CAST)
        return ks_stencil_fold(r, e->kid[0], folded);
    if (e->kind == KS_N_COND && ks_stencil_is_place(r, e->kid[0])) {
        ks_stencil_note(r, e->kid[0]);
        return of_two(r, e->kid[1], e->kid[2], folded);
    }
    if (e->kind == KS_N_CALL && e->n == 3 &&
        (ks_node_is(e->kid[0], KS_N_NAME, "min") || ks_node_is(e->kid[0], KS_N_NAME, "max")))
        return of_two(r, e->kid[1], e->kid[2], folded);
    return unknown;
}
