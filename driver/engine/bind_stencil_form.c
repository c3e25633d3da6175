// A stencil's formula, and its code: arrays, reads and stores by what stands for them in the template's source.
#include <string.h>

#include "engine/bind_stencil.h"
#include "engine/template.h"

struct writer {
    const struct ks_stencil_grid *g;
    struct ks_arena *arena;
    const struct ks_stencil *st;
    struct ks_form *form;
    size_t arrays[KS_STENCIL_TAPS]; // parameters with taps
    int n_arrays;
    int axis[3]; // of the code's x, y and z: -1 where it has none
};

static void name(struct writer *w, const char *placeholder, struct ks_buf *text)
{
    ks_names_add(w->arena, &w->form->names, placeholder, ks_arena_strdup(w->arena, ks_buf_text(text)));
    ks_buf_free(text);
}

static void number(struct writer *w, const char *placeholder, int value)
{
    ks_names_add(w->arena, &w->form->names, placeholder, ks_arena_printf(w->arena, "%d", value));
}

// ---- the formula

static const char *const loops[] = {"xq", "yq", "zq"}, *const sizes[] = {"w", "h", "d"};

// A place along an axis, or the one that stands for it.
static const char *place_of(const struct writer *w, const int off[3], int a)
{
    const int by = w->g->from[a] + off[a];
    const char *at = ks_arena_printf(w->arena, "(%s %c %d)", loops[a], by < 0 ? '-' : '+', by < 0 ? -by : by);
    if (!w->g->folded[a] || off[a] == 0 || w->g->ends == KS_STENCIL_ZERO)
        return at;
    return w->g->ends == KS_STENCIL_ROUND ? ks_arena_printf(w->arena, "mod(%s, %s)", at, sizes[a])
                                          : ks_arena_printf(w->arena, "larger(smaller(%s, %s - 1), 0)", at, sizes[a]);
}

static const char *index_of(const struct writer *w, const int off[3])
{
    const char *text = "";
    for (int a = w->g->axes - 1; a >= 0; a--) {
        const char *at = place_of(w, off, a);
        text = *text ? ks_arena_printf(w->arena, "(%s * %s + %s)", text, sizes[a], at) : at;
    }
    return text;
}

// An element that is read, or zero beyond the ends.
static const char *tap_of(const struct writer *w, size_t i)
{
    const int *off = w->g->off[i];
    const char *text = ks_arena_printf(w->arena, "tail_%zu[%s]", w->st->taps[i].param, index_of(w, off)), *test = "";
    for (int a = 0; a < w->g->axes && w->g->ends == KS_STENCIL_ZERO; a++)
        if (w->g->folded[a] && off[a] != 0)
            test = ks_arena_printf(w->arena, "%s%s%s >= 0 && %s < %s", test, *test ? " && " : "", place_of(w, off, a),
                                   place_of(w, off, a), sizes[a]);
    return *test ? ks_arena_printf(w->arena, "(%s ? %s : 0)", test, text) : text;
}

static const char *condition(const struct writer *w)
{
    const char *text = "1";
    for (int a = 0; a < w->g->axes; a++)
        text = ks_arena_printf(w->arena, "%s && %s >= %d && %s < %s - %d", text, loops[a],
                               w->g->inner_from[a] - w->g->from[a], loops[a], sizes[a],
                               w->g->inner_upto[a] + w->g->from[a]);
    return text;
}

static enum ks_status put_formula(struct writer *w, struct ks_err *err)
{
    static const int here[3] = {0, 0, 0};
    const struct ks_stencil *st = w->st;
    const char *names[KS_STENCIL_TAPS + KS_STENCIL_FIXED], *values[KS_STENCIL_TAPS + KS_STENCIL_FIXED];
    const char *text = "", *round = "";
    char *means;
    size_t n = 0;
    for (size_t i = 0; i < st->n_taps; i++, n++) {
        names[n] = ks_arena_printf(w->arena, "tap%zu", i);
        values[n] = tap_of(w, i);
    }
    for (size_t i = 0; i < st->n_fixed; i++, n++) {
        names[n] = ks_arena_printf(w->arena, "fixed%zu", i);
        values[n] = ks_arena_printf(w->arena, "tail_%zu[%lld]", st->fixed[i].param, (long long)st->fixed[i].index);
    }
    for (int a = w->g->axes - 1; a >= 0; a--)
        round = ks_arena_printf(w->arena, "%sfor %s < %s - %d: ", round, loops[a], sizes[a], w->g->from[a] + w->g->upto[a]);
    for (size_t k = 0; k < st->n_outs; k++) {
        const struct ks_stencil_out *out = &st->outs[k];
        const char *value = ks_arena_printf(w->arena, "(%s%s)", st->lets, out->value);
        if (out->other)
            value = ks_arena_printf(w->arena, "%s ? %s : (%s%s)", condition(w), value, st->lets, out->other);
        text = ks_arena_printf(w->arena, "%s%s%stail_%zu[%s] = %s", text, k ? "; " : "", round, out->param, index_of(w, here),
                               value);
    }
    KS_TRY(ks_template_expand(w->arena, w->g->b->t->file, text, names, values, n, &means, err));
    w->form->meaning = means;
    return ks_formula_parse(w->arena, w->g->b->t->file, means, &w->form->means, err);
}

// ---- the code

static const char *type_of(const struct writer *w, size_t param)
{
    return ks_scalar_c_name(w->g->b->brief->signature->params[param].elem.scalar);
}

static int array_of(struct writer *w, size_t param)
{
    int i = 0;
    while (i < w->n_arrays && w->arrays[i] != param)
        i++;
    if (i == w->n_arrays)
        w->arrays[w->n_arrays++] = param;
    return i;
}

static int along(const struct writer *w, const int of[3], int axis)
{
    return w->axis[axis] < 0 ? 0 : of[w->axis[axis]];
}

// From where to where an array's taps reach along x in a line; between two lines of a column that lines above and below
// read, what they read.
struct reach {
    bool any;
    int first, last;
};

static struct reach reach_of(const struct writer *w, int array, int z, int y)
{
    struct reach r = {0};
    for (size_t i = 0; i < w->st->n_taps; i++) {
        const int *off = w->g->off[i], x = off[0];
        if (w->arrays[array] != w->st->taps[i].param || along(w, off, 1) != y || along(w, off, 2) != z)
            continue;
        r.first = !r.any || x < r.first ? x : r.first;
        r.last = !r.any || x > r.last ? x : r.last;
        r.any = true;
    }
    return r;
}

static struct reach kept_of(const struct writer *w, int array, int z, int y)
{
    struct reach own = reach_of(w, array, z, y), below = {0};
    bool above = false;
    for (int k = z + 1; k <= along(w, w->g->high, 2) && !own.any; k++)
        above |= reach_of(w, array, k, y).any;
    for (int k = z - 1; k >= -along(w, w->g->low, 2) && !own.any && !below.any; k--)
        below = reach_of(w, array, k, y);
    return own.any || !above ? own : below;
}

static void put_reaches(struct writer *w)
{
    struct ks_buf first = KS_BUF(1 << 16), last = KS_BUF(1 << 16), top = KS_BUF(4096);
    for (int a = 0; a < w->n_arrays; a++) {
        int most = -KS_STENCIL_REACH;
        for (int z = -along(w, w->g->low, 2); z <= along(w, w->g->high, 2); z++)
            for (int y = -along(w, w->g->low, 1); y <= along(w, w->g->high, 1); y++) {
                const struct reach r = kept_of(w, a, z, y);
                if (!r.any)
                    continue;
                most = z;
                ks_buf_printf(&first, "array == %d && z == %d && y == %d ? %d : ", a, z, y, r.first);
                ks_buf_printf(&last, "array == %d && z == %d && y == %d ? %d : ", a, z, y, r.last);
            }
        ks_buf_printf(&top, "array == %d ? %d : ", a, most);
    }
    name(w, "reach_first", &first);
    name(w, "reach_last", &last);
    name(w, "reach_top", &top);
}

// Parameters of the kernel's that go with the template's own: arrays, those that are written, numbers.
static void put_parameters(struct writer *w)
{
    struct ks_buf takes = KS_BUF(1 << 14), passes = KS_BUF(1 << 14);
    const struct ks_stencil *st = w->st;
    const struct ks_kernel_decl *decl = w->g->b->brief->decl;
    for (size_t p = 0; p < decl->n_params; p++) {
        bool read = false, written = false, used = false;
        for (size_t i = 0; i < st->n_taps; i++)
            read |= st->taps[i].param == p;
        for (size_t i = 0; i < st->n_fixed; i++)
            read |= st->fixed[i].param == p;
        for (size_t k = 0; k < st->n_outs; k++)
            written |= st->outs[k].param == p;
        for (size_t i = 0; i < st->numbers.n_scalars; i++)
            used |= st->numbers.scalars[i] == p;
        if (!read && !written && !used)
            continue;
        if (used)
            ks_buf_printf(&takes, ", %s p%zu", type_of(w, p), p);
        else
            ks_buf_printf(&takes, ", %s%s *__restrict__ p%zu", written ? "" : "const ", type_of(w, p), p);
        ks_buf_printf(&passes, ", p%zu", p);
        ks_strv_add(w->arena, &w->form->passes, decl->params[p].name);
    }
    name(w, "stencil_parameters", &takes);
    name(w, "stencil_arguments", &passes);
}

static void put_function(struct writer *w)
{
    struct ks_buf takes = KS_BUF(1 << 16), values = KS_BUF(1 << 16), code = KS_BUF(1 << 18), fixed = KS_BUF(1 << 14);
    const struct ks_stencil *st = w->st;
    const struct ks_kernel_decl *decl = w->g->b->brief->decl;
    for (size_t k = 0; k < st->n_outs; k++) {
        ks_buf_printf(&takes, ", %s &its_out%zu", type_of(w, st->outs[k].param), k);
        ks_buf_printf(&values, ", made%zu[o]", k);
        ks_buf_printf(&code, "    %s its_other%zu = 0;\n", type_of(w, st->outs[k].param), k);
    }
    for (size_t i = 0; i < st->n_taps; i++) {
        const int *off = w->g->off[i], array = array_of(w, st->taps[i].param);
        ks_buf_printf(&takes, ", %s its_tap%zu", type_of(w, st->taps[i].param), i);
        ks_buf_printf(&values, ", held%d[back + %d][above + r + %d][left + o + %d]", array, along(w, off, 2), along(w, off, 1),
                      off[0]);
    }
    for (size_t i = 0; i < st->n_fixed; i++) {
        ks_buf_printf(&takes, ", %s its_fixed%zu", type_of(w, st->fixed[i].param), i);
        ks_buf_printf(&values, ", its_fixed%zu", i);
        ks_buf_printf(&fixed, "    const %s its_fixed%zu = p%zu[%lld];\n", type_of(w, st->fixed[i].param), i,
                      st->fixed[i].param, (long long)st->fixed[i].index);
    }
    for (size_t i = 0; i < st->numbers.n_scalars; i++) {
        const size_t p = st->numbers.scalars[i];
        ks_buf_printf(&takes, ", %s %s", type_of(w, p), decl->params[p].name);
        ks_buf_printf(&values, ", p%zu", p);
    }
    ks_buf_puts(&code, st->code);
    for (size_t k = 0; k < st->n_outs; k++)
        ks_buf_printf(&code, "    its_out%zu = its_inside ? its_out%zu : its_other%zu;\n", k, k, k);
    name(w, "stencil_takes", &takes);
    name(w, "stencil_values", &values);
    name(w, "stencil_code", &code);
    name(w, "stencil_fixed", &fixed);
}

static void put_lines(struct writer *w)
{
    struct ks_buf held = KS_BUF(1 << 14), begin = KS_BUF(1 << 14), go_on = KS_BUF(1 << 14), made = KS_BUF(4096),
                  stores = KS_BUF(1 << 14);
    for (int a = 0; a < w->n_arrays; a++) {
        ks_buf_printf(&held, "    @T@ held%d[planes][span][width];\n", a);
        ks_buf_printf(&begin, "    begin<%d, whole, 0>(held%d, p%zu, z0, y0, x0, z1, d, h, w);\n", a, a, w->arrays[a]);
        ks_buf_printf(&go_on, "        go_on<%d, whole, 0>(held%d, p%zu, z, y0, x0, z1, d, h, w);\n", a, a, w->arrays[a]);
    }
    for (size_t k = 0; k < w->st->n_outs; k++) {
        ks_buf_printf(&made, "            @T@ made%zu[lanes];\n", k);
        ks_buf_printf(&stores, "                store<whole>(p%zu, made%zu, row, x0, w);\n", w->st->outs[k].param, k);
    }
    name(w, "stencil_held", &held);
    name(w, "stencil_begin", &begin);
    name(w, "stencil_go_on", &go_on);
    name(w, "stencil_made", &made);
    name(w, "stencil_stores", &stores);
    struct ks_buf aligned = KS_BUF(4096);
    for (int a = 0; a < w->n_arrays; a++)
        ks_buf_printf(&aligned, " | reinterpret_cast<size_t>(p%zu)", w->arrays[a]);
    for (size_t k = 0; k < w->st->n_outs; k++)
        ks_buf_printf(&aligned, " | reinterpret_cast<size_t>(p%zu)", w->st->outs[k].param);
    name(w, "stencil_places", &aligned);
}

static void put_numbers(struct writer *w)
{
    static const char *const axes[] = {"x", "y", "z"};
    const struct ks_stencil_grid *g = w->g;
    number(w, "left", along(w, g->low, 0));
    number(w, "right", along(w, g->high, 0));
    number(w, "above", along(w, g->low, 1));
    number(w, "below", along(w, g->high, 1));
    number(w, "back", along(w, g->low, 2));
    number(w, "front", along(w, g->high, 2));
    for (int a = 0; a < 3; a++) {
        number(w, ks_arena_printf(w->arena, "from_%s", axes[a]), along(w, g->from, a));
        number(w, ks_arena_printf(w->arena, "upto_%s", axes[a]), along(w, g->upto, a));
        number(w, ks_arena_printf(w->arena, "inner_from_%s", axes[a]), along(w, g->inner_from, a));
        number(w, ks_arena_printf(w->arena, "inner_upto_%s", axes[a]), along(w, g->inner_upto, a));
    }
    for (int a = 0; a < 3; a++) {
        static const char *const folds[] = {"clamped(at, size)", "around(at, size)", "at"};
        const bool folded = w->axis[a] >= 0 && g->folded[w->axis[a]];
        ks_names_add(w->arena, &w->form->names, ks_arena_printf(w->arena, "fold_%s", axes[a]), folded ? folds[g->ends] : "at");
    }
    ks_names_add(w->arena, &w->form->names, "folds_x", g->folded[0] && g->ends != KS_STENCIL_ZERO ? "true" : "false");
    number(w, "points", (int)w->st->n_taps);
}

// That what is written lies apart from all else.
static const char *apart(const struct writer *w)
{
    const struct ks_stencil *st = w->st;
    const struct ks_kernel_decl *decl = w->g->b->brief->decl;
    const char *text = w->g->asks, *all = "1";
    for (int a = 0; a < w->g->axes; a++)
        all = ks_arena_printf(w->arena, "%s * %s", all, w->g->text[a]);
    for (size_t k = 0; k < st->n_outs; k++) {
        const size_t out = st->outs[k].param, bytes = ks_bind_arg(w->g->b, 0, out)->elem.size;
        for (size_t p = 0; p < decl->n_params; p++) {
            int64_t most = -1;
            for (size_t i = 0; i < st->n_fixed; i++)
                most = st->fixed[i].param == p && st->fixed[i].index > most ? st->fixed[i].index : most;
            const char *count = most < 0 ? NULL : ks_arena_printf(w->arena, "%lld", (long long)most + 1);
            for (int a = 0; a < w->n_arrays; a++)
                count = w->arrays[a] == p ? all : count;
            for (size_t j = 0; j < k; j++)
                count = st->outs[j].param == p ? all : count;
            if (count && p != out)
                text = ks_arena_printf(w->arena, "%s%s!overlap(%s, %zu * %s, %s, %zu * %s)", text, *text ? " && " : "",
                                       decl->params[out].name, bytes, all, decl->params[p].name, bytes, count);
        }
    }
    return *text ? text : NULL;
}

enum ks_status ks_stencil_form(const struct ks_stencil_grid *g, struct ks_form *form, struct ks_err *err)
{
    struct writer w = {.g = g, .arena = g->b->arena, .st = g->b->stencil, .form = form, .axis = {0, -1, -1}};
    *form = (struct ks_form){.says = form->says};
    if (g->axes > 1)
        w.axis[2] = g->axes - 1;
    if (g->axes == 3)
        w.axis[1] = 1;
    for (size_t i = 0; i < w.st->n_taps; i++)
        array_of(&w, w.st->taps[i].param);
    static const char *const ends[][2] = {{"clamped", ", clamped"}, {"round", ", from one end on at the other"},
                                          {"zeros", ", zero beyond"}, {"edges", ", edges apart"}, {"inside", ""}};
    const bool folded = g->folded[0] || g->folded[1] || g->folded[2];
    const int which = folded ? (int)g->ends : w.st->outs[0].other ? 3 : 4;
    ks_names_add(w.arena, &form->names, "form", ends[which][0]);
    ks_names_add(w.arena, &form->names, "edges", ends[which][1]);
    KS_TRY(put_formula(&w, err));
    put_reaches(&w);
    put_parameters(&w);
    put_function(&w);
    put_lines(&w);
    put_numbers(&w);
    form->asks = apart(&w);
    return KS_OK;
}
