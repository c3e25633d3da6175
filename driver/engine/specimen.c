#include "engine/specimen.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/num.h"
#include "device/emu/emu_device.h"
#include "engine/engine.h"
#include "engine/specimen_run.h"
#include "engine/specimen_sizes.h"
#include "engine/struct_sizes.h"
#include "engine/vectors_apart.h"

#define MOST_BYTES (8 << 20)
#define MOST_THREADS (128 << 10)
#define ENOUGH_INSTRUCTIONS 8000000 // of all: a third specimen is not worth more
#define ATTEMPTS 48
#define UNSEEN 0.02 // beside data around 1
#define SEEN 0.375
#define DECLARED 3      // specimens of declared data, at most
#define EPSILON 1e-3    // what a text adds beside data and is smaller is one
#define USUAL 1e-5      // where it has none
#define LEAST 1e-15     // squares of numbers so small are floats still
#define SHORT 6         // in powers of two below an epsilon: the length of a thousand such numbers is less than it
#define GREAT 1e3       // what a text holds and is larger may stand for the end of the range
#define GREATEST 0x1p100
#define ROUND 64
#define WAYS 10 // to make all sizes small; then one of them is as declared
#define MOST_SIZES 64
#define MOST_TIMES 64 // as many launch several blocks
#define MOST_ORDERED 4 // sizes that are tried in every order

bool ks_specimen_lookup(void *problem, const char *name, int64_t *value)
{
    static const char *const geometry[] = {"grid.x",  "grid.y",  "grid.z",
                                           "block.x", "block.y", "block.z"};
    const struct ks_problem *p = problem;
    for (int i = 0; i < 6; i++)
        if (strcmp(name, geometry[i]) == 0) {
            *value = i < 3 ? p->grid[i] : p->block[i - 3];
            return true;
        }
    return ks_struct_size_value(p, name, value) || ks_problem_value(p, name, value);
}

// Plain buffers, scalars and structs of integers alone.
static bool fits(const struct ks_problem *p)
{
    int64_t threads = 1;
    for (int d = 0; d < 3; d++)
        threads *= p->grid[d] * p->block[d];
    for (size_t i = 0; i < p->n_args; i++) {
        const struct ks_arg *a = &p->args[i];
        bool buffer = a->kind == KS_ARG_BUFFER;
        if (a->kind == KS_ARG_STRUCT) {
            if (!ks_struct_is_of_integers(a))
                return false;
            continue;
        }
        if (ks_arg_is_null(a))
            return false;
        if (buffer && (a->elem.lanes != 1 || a->alias_of >= 0 || ks_init_is_read(&a->init)))
            return false;
        if (buffer ? a->count <= 0 : a->type.elem.lanes != 1)
            return false;
    }
    return threads > 0 && threads <= MOST_THREADS && ks_problem_bytes(p) <= MOST_BYTES;
}

// The nth way to make the sizes small; false behind the last one. Not all kernels work for all:
// some want multiples of a number, some more than a window's width, some a size that their data
// have.
static bool make_small(const struct ks_workload_mark *w, const struct ks_value *declared, size_t n,
                       int attempt, struct ks_value *sizes)
{
    static const int64_t few[][6] = {{2, 3, 2, 5, 4, 7}, {2, 8, 4, 12, 16, 20}, {3, 5, 4, 7, 6, 9}};
    static const int64_t some[][6] = {{4, 3, 5, 3, 4, 5},
                                      {8, 7, 9, 6, 10, 5},
                                      {19, 17, 21, 23, 18, 25},
                                      {61, 67, 59, 71, 53, 47}};
    static const struct {
        int few, some; // few -1: all sizes are of the others
    } ways[WAYS] = {{0, 0}, {1, 0}, {-1, 2}, {0, 1},  {1, 1},
                    {0, 2}, {1, 2}, {2, 2},  {-1, 3}, {1, 3}};
    if (attempt >= WAYS + (int)n || n == 0)
        return false;
    for (size_t i = 0; i < n; i++) {
        int64_t value;
        if (attempt >= WAYS)
            value = (size_t)(attempt - WAYS) == i ? declared[i].value : few[0][i % 6];
        else if (ways[attempt].few < 0 || ks_sizes_lead(w, declared[i].name))
            value = some[ways[attempt].some][i % 6];
        else
            value = few[ways[attempt].few][i % 6];
        sizes[i] = (struct ks_value){declared[i].name, value};
    }
    return true;
}

// Every order of the smallest sizes that divide one another, where there are few: such as one of which
// others are to be multiples have no place of their own. False behind the last one.
static bool make_ordered(const struct ks_value *declared, size_t n, int order, struct ks_value *sizes)
{
    static const int64_t few[MOST_ORDERED] = {2, 4, 8, 12};
    int64_t left[MOST_ORDERED];
    memcpy(left, few, sizeof left);
    if (n < 2 || n > MOST_ORDERED)
        return false;
    for (size_t i = 0; i < n; i++) {
        const size_t others = n - i, at = (size_t)order % others;
        order /= (int)others;
        sizes[i] = (struct ks_value){declared[i].name, left[at]};
        memmove(&left[at], &left[at + 1], (others - at - 1) * sizeof *left);
    }
    return order == 0;
}

static bool told_apart(const struct ks_specimens *out, const struct ks_problem *p)
{
    for (size_t i = 0; i < out->n; i++)
        if (ks_problem_bytes(&out->at[i].problem) == ks_problem_bytes(p))
            return false;
    return true;
}

// What an assumption says of pointers and floats is not known here.
static bool breaks_assumption(const struct ks_mark *mark, struct ks_problem *p)
{
    int64_t held;
    for (size_t i = 0; i < mark->n_assumes; i++)
        if (ks_expr_eval(mark->assumes[i], ks_specimen_lookup, p, &held) && held == 0)
            return true;
    return false;
}

static bool is_unseen(double value)
{
    return value != 0 && fabs(value) < UNSEEN;
}

// Of an epsilon nothing would be seen: numbers so small are larger ones in a specimen.
static void show_numbers(struct ks_problem *p)
{
    for (size_t i = 0; i < p->n_args; i++) {
        struct ks_arg *a = &p->args[i];
        float single = 0;
        double number = 0;
        if (a->kind != KS_ARG_SCALAR || a->type.elem.lanes != 1)
            continue;
        if (a->type.elem.scalar == KS_T_F32)
            memcpy(&single, a->bytes, sizeof single);
        if (a->type.elem.scalar == KS_T_F64)
            memcpy(&number, a->bytes, sizeof number);
        if (is_unseen((double)single))
            memcpy(a->bytes, &(float){SEEN}, sizeof single);
        if (is_unseen(number))
            memcpy(a->bytes, &(double){SEEN}, sizeof number);
    }
}

// NULL where such sizes are no launch at all.
static struct ks_problem *make_sizes(struct ks_specimen_run *r, const struct ks_brief *brief, const struct ks_value *sizes,
                                     size_t n)
{
    struct ks_problem *p = KS_NEW(r->arena, struct ks_problem);
    struct ks_value own[MOST_SIZES];
    n = ks_sizes_with_zeros(&brief->mark->workloads[0], sizes, n, own);
    if (ks_problem_make(r->arena, brief->mark, 0, brief->signature, brief->decl, own, n, p,
                        NULL) != KS_OK ||
        breaks_assumption(brief->mark, p))
        return NULL;
    ks_vectors_apart(p);
    show_numbers(p);
    return p;
}

// Whether such sizes are a launch at all; one that can be run becomes a specimen.
static bool run_sizes(struct ks_specimen_run *r, const struct ks_brief *brief, const struct ks_value *sizes,
                      size_t n, bool any, struct ks_specimens *out, struct ks_err *err)
{
    struct ks_problem *p = make_sizes(r, brief, sizes, n);
    if (p == NULL)
        return false;
    if ((any || !ks_sizes_speak_for_round_alone(&brief->mark->workloads[0], p)) && fits(p) &&
        told_apart(out, p) && ks_specimen_make(r, p, &out->at[out->n], err) == KS_OK)
        out->n++;
    return true;
}

// Where a launch is of n / 1024 blocks.
static void run_large(struct ks_specimen_run *r, const struct ks_brief *brief, struct ks_value *sizes, size_t n,
                      struct ks_specimens *out, struct ks_err *err)
{
    static const int64_t large[] = {2111, 3137, 1171, 4093, 1129, 2203},
                         other[] = {7, 9, 5, 11, 6, 10};
    const struct ks_workload_mark *w = &brief->mark->workloads[0];
    for (size_t i = 0; i < n; i++)
        sizes[i].value = ks_sizes_are_launched(w, sizes[i].name) ? large[i % 6] : other[i % 6];
    run_sizes(r, brief, sizes, n, true, out, err);
}

// Numbers of the kernel's text that are no integers: the smallest whose squares are some, and the largest.
static void find_ends(struct ks_arena *arena, const struct ks_brief *brief, double *smallest, double *largest)
{
    struct ks_strv numbers = {0};
    ks_literals_find(arena, brief, KS_LITERALS_OTHERS, &numbers);
    *smallest = INFINITY;
    *largest = 0;
    for (size_t i = 0; i < numbers.len; i++) {
        double number;
        if (!ks_parse_f64(numbers.at[i], &number) || number == 0)
            continue;
        *smallest = fabs(number) >= LEAST ? fmin(*smallest, fabs(number)) : *smallest;
        *largest = fmax(*largest, fabs(number));
    }
}

static bool has_halves(const struct ks_problem *p)
{
    for (size_t i = 0; i < p->n_args; i++)
        if (p->args[i].kind == KS_ARG_BUFFER && p->args[i].elem.scalar == KS_T_F16)
            return true;
    return false;
}

static bool has_above_zero(const struct ks_problem *p)
{
    for (size_t i = 0; i < p->n_args; i++)
        if (ks_specimen_is_above_zero(&p->args[i]))
            return true;
    return false;
}

// A logarithm or a root has nothing to say of numbers below zero.
static bool is_finite(const struct ks_specimen *s)
{
    for (size_t i = 0; i < s->problem.n_args; i++)
        for (int64_t k = 0; s->after[i] != NULL && k < s->problem.args[i].count; k++)
            if (s->written[i][k] && !isfinite(s->after[i][k]))
                return false;
    return true;
}

// On the sizes of `as` other data.
static void run_other(struct ks_specimen_run *r, const struct ks_specimen *as, struct ks_specimen_data data,
                      struct ks_specimens *out, struct ks_err *err)
{
    struct ks_specimen *s = &out->at[out->n];
    r->data = data;
    if (ks_specimen_make(r, &as->problem, s, err) == KS_OK && (!data.signs || is_finite(s))) {
        s->round = as->round;
        out->n++;
    }
    r->data = (struct ks_specimen_data){.size = 1};
}

// As the last one. Of zeros alone what guards a division shows, however small it is. Powers of two keep sums of whole
// numbers exact. Halves end where an epsilon would show.
static void run_others(struct ks_specimen_run *r, const struct ks_brief *brief, struct ks_specimens *out,
                       struct ks_err *err)
{
    double smallest, largest;
    if (out->n == 0)
        return;
    find_ends(r->arena, brief, &smallest, &largest);
    const struct ks_specimen *as = &out->at[out->n - 1];
    run_other(r, as, (struct ks_specimen_data){.size = 0}, out, err);
    const bool halves = has_halves(&as->problem), told = smallest < EPSILON;
    const double epsilon = told ? smallest : USUAL;
    const bool beyond = largest >= GREAT && largest < GREATEST && !halves;
    run_other(r, as, (struct ks_specimen_data){.low = true, .size = beyond ? exp2(ilogb(largest) + 1) : 1}, out,
              err);
    if (has_above_zero(&as->problem))
        run_other(r, as, (struct ks_specimen_data){.signs = true, .size = 1}, out, err);
    if (halves)
        return;
    run_other(r, as, (struct ks_specimen_data){.size = exp2(ilogb(sqrt(epsilon)) - 1), .assumed = !told}, out, err);
    run_other(r, as, (struct ks_specimen_data){.size = exp2(ilogb(epsilon) - SHORT), .assumed = !told}, out, err);
}

// Round ones, the smallest that are a launch.
static void run_round(struct ks_specimen_run *r, const struct ks_brief *brief, struct ks_value *sizes, size_t n,
                      struct ks_specimens *out, struct ks_err *err)
{
    static const int rounds[] = {ROUND, 256, 1024};
    const struct ks_workload_mark *w = &brief->mark->workloads[0];
    size_t before = out->n;
    bool launched = false;
    for (size_t k = 0; k < sizeof rounds / sizeof *rounds && !launched; k++) {
        for (size_t i = 0; i < n; i++)
            sizes[i].value =
                (ks_sizes_are_launched(w, sizes[i].name) ? rounds[k] : ROUND) * (int64_t)(i % 3 + 1);
        launched = run_sizes(r, brief, sizes, n, true, out, err);
        if (out->n > before)
            out->at[before].round = rounds[k];
    }
    if (out->n > before)
        run_others(r, brief, out, err);
}

// Several rounds of a few blocks.
static void run_rounds(struct ks_specimen_run *r, const struct ks_brief *brief, struct ks_value *sizes,
                       size_t n, struct ks_specimens *out, struct ks_err *err)
{
    static const int64_t several[] = {61, 67, 59, 71, 53, 47};
    for (size_t i = 0; i < n; i++)
        sizes[i].value = n == 1 ? 7919 : several[i % 6];
    run_sizes(r, brief, sizes, n, true, out, err);
}

// Whether the kernel wrote all of what it only writes: its sizes suit one another.
static bool is_full(const struct ks_specimen *s)
{
    for (size_t i = 0; i < s->problem.n_args; i++) {
        const struct ks_arg *a = &s->problem.args[i];
        for (int64_t k = 0; a->kind == KS_ARG_BUFFER && a->role == KS_ROLE_OUT && k < a->count; k++)
            if (!s->written[i][k])
                return false;
    }
    return true;
}

// Where fewer than two specimens are full, which may be full for being of one size all over, what sizes in
// another order come to: the first that is full is taken, in place of the last one if there is no room.
static void run_ordered(struct ks_specimen_run *r, const struct ks_brief *brief,
                        const struct ks_value *declared, size_t n, struct ks_specimens *out,
                        struct ks_err *err)
{
    struct ks_value sizes[MOST_ORDERED];
    struct ks_specimens more = {0};
    int full = 0;
    for (size_t i = 0; i < out->n; i++)
        full += is_full(&out->at[i]);
    for (int order = 0; full < 2 && more.n == 0 && r->executed < ENOUGH_INSTRUCTIONS &&
                        make_ordered(declared, n, order, sizes);
         order++) {
        run_sizes(r, brief, sizes, n, true, &more, err);
        if (more.n > 0 && !(is_full(&more.at[0]) && told_apart(out, &more.at[0].problem)))
            more.n = 0;
    }
    if (more.n > 0) {
        out->n -= out->n == DECLARED;
        out->at[out->n++] = more.at[0];
    }
}

// Bits of the axes along which a launch has several blocks.
static int axes_of(const struct ks_problem *p)
{
    return (p->grid[0] > 1) | (p->grid[1] > 1) << 1 | (p->grid[2] > 1) << 2;
}

// Those along which a declared launch has several, and no specimen has.
static int lone_axes(const struct ks_brief *brief, const struct ks_specimens *out)
{
    int lone = 0;
    for (size_t w = 0; w < brief->n_problems; w++)
        lone |= axes_of(&brief->problems[w]);
    for (size_t i = 0; i < out->n; i++)
        lone &= ~axes_of(&out->at[i].problem);
    return lone;
}

// What each block does for itself is the whole where there is one block: the smallest launch with several is run too. The
// last one stays where it is, since other data come on its sizes.
static void run_spread(struct ks_specimen_run *r, const struct ks_brief *brief, const struct ks_value *declared,
                       size_t n, struct ks_specimens *out, struct ks_err *err)
{
    static const int64_t several[] = {61, 67, 59, 71, 53, 47}, other[] = {7, 9, 5, 11, 6, 10};
    const struct ks_workload_mark *w = &brief->mark->workloads[0];
    struct ks_value sizes[MOST_SIZES];
    struct ks_specimens more = {0};
    const int lone = lone_axes(brief, out);
    for (int times = 1; lone != 0 && times <= MOST_TIMES && more.n == 0; times *= 2) {
        for (size_t i = 0; i < n; i++) {
            bool launches = false;
            for (int d = 0; d < 3; d++)
                launches |= (lone >> d & 1) != 0 && ks_sizes_hang(w, w->grid[d], declared[i].name);
            sizes[i] = (struct ks_value){declared[i].name, launches ? times * several[i % 6] : other[i % 6]};
        }
        const struct ks_problem *p = make_sizes(r, brief, sizes, n);
        if (p != NULL && (axes_of(p) & lone) == lone)
            run_sizes(r, brief, sizes, n, true, &more, err);
    }
    if (more.n == 0)
        return;
    if (out->n == DECLARED)
        out->at[0] = more.at[0];
    else {
        out->at[out->n] = out->at[out->n - 1];
        out->at[out->n++ - 1] = more.at[0];
    }
}

static enum ks_status run_all(struct ks_specimen_run *r, const struct ks_brief *brief, bool few,
                              struct ks_specimens *out, struct ks_err *err)
{
    const struct ks_workload_mark *w = &brief->mark->workloads[0];
    struct ks_value *declared, sizes[MOST_SIZES];
    size_t n = ks_problem_sizes(r->arena, brief->mark, 0, &declared);
    ks_specimen_settle(r);
    ks_err_set(err, KS_E_UNSUPPORTED,
               "no size of the workload is small enough for the emulated device");
    if (n > MOST_SIZES)
        return KS_E_UNSUPPORTED;
    KS_TRY(ks_specimen_load(r, brief, err));
    if (few && n > 0)
        run_rounds(r, brief, declared, n, out, err);
    for (int attempt = 0; attempt < ATTEMPTS && out->n < DECLARED &&
                          (out->n < 2 || r->executed < ENOUGH_INSTRUCTIONS);
         attempt++) {
        if (!make_small(w, declared, n, attempt, sizes) && (attempt > 0 || n > 0))
            break;
        run_sizes(r, brief, sizes, n, attempt < WAYS, out, err);
    }
    run_ordered(r, brief, declared, n, out, err);
    if (out->n == 0 && n > 0)
        run_large(r, brief, declared, n, out, err);
    else if (n > 0)
        run_spread(r, brief, declared, n, out, err);
    run_others(r, brief, out, err);
    if (ks_sizes_are_rounded_down(w) && n > 0)
        run_round(r, brief, declared, n, out, err);
    return out->n > 0 ? KS_OK : KS_E_UNSUPPORTED;
}

bool ks_specimens_have_round(const struct ks_specimens *specimens)
{
    return specimens->n > 0 && specimens->at[specimens->n - 1].round > 0;
}

int ks_specimens_round(const struct ks_specimens *specimens, const struct ks_brief *brief,
                       const char *size)
{
    const struct ks_workload_mark *w = &brief->mark->workloads[0];
    for (size_t i = 0; i < w->n_lets; i++)
        if (strcmp(w->lets[i].name, size) == 0 && !ks_sizes_are_launched(w, size))
            return ROUND;
    return specimens->at[specimens->n - 1].round;
}

const char *ks_engine_not_run(struct ks_arena *arena, const struct ks_brief *brief)
{
    const struct ks_specimens *specimens = ks_specimens_of(arena, brief);
    return specimens->n > 0 || (specimens->fixed && specimens->fixed->n > 0) ? NULL : specimens->why;
}

const struct ks_specimens *ks_specimens_of(struct ks_arena *arena, const struct ks_brief *brief)
{
    struct ks_specimens *out = brief->specimens;
    struct ks_err err = {0};
    if (out == NULL) {
        out = KS_NEW(arena, struct ks_specimens);
        *out = (struct ks_specimens){0};
    }
    if (out->tried)
        return out;
    out->tried = true;
    struct ks_specimen_run r = {.arena = arena, .data.size = 1};
    enum ks_status status = ks_device_open_emu(&r.device, &err);
    if (status == KS_OK) {
        struct ks_brief less = *brief;
        less.mark = ks_sizes_with_few_blocks(arena, brief->mark, MOST_THREADS);
        status = less.mark ? run_all(&r, &less, true, out, &err) : KS_E_UNSUPPORTED;
        if (out->n == 0)
            status = run_all(&r, brief, false, out, &err);
        r.device.close(r.device.self);
    }
    if (status != KS_OK)
        out->why = ks_arena_strdup(arena, err.text);
    return out;
}
