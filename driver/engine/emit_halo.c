// Tiles of a block's patches with their rim. An element is loaded where it lies in its array, whoever reads it:
// the barrier stands in front of everything that may leave early.
#include <string.h>

#include "device/banks.h"
#include "engine/halo.h"

enum { ROOM = 48 * 1024 };

// The shortest row in which lanes that sit in rows `apart` from each other meet in as few banks as can be.
static int padded(int cells, int bytes, int lanes, int apart)
{
    unsigned least = UINT32_MAX;
    int best = cells;
    for (int pitch = cells; lanes < KS_BANKS_LANES && pitch < cells + KS_BANKS_LANES; pitch++) {
        uint64_t at[KS_BANKS_LANES];
        for (int l = 0; l < KS_BANKS_LANES; l++)
            at[l] = (uint64_t)((l % lanes + l / lanes * apart * pitch) * bytes);
        unsigned waves = ks_banks_take(UINT32_MAX, at, (uint32_t)bytes).waves;
        if (waves < least) {
            least = waves;
            best = pitch;
        }
    }
    return best;
}

enum ks_status ks_halo_shape(const struct ks_subject *s, struct ks_halo *halo, const int block[3],
                             const int items[3], struct ks_err *err)
{
    int64_t all = 0;
    for (size_t i = 0; i < halo->n_patches; i++) {
        struct ks_halo_patch *p = &halo->patches[i];
        if (!p->staged)
            continue;
        if (ks_halo_count(s, p->param) == NULL)
            KS_FAIL(err, KS_E_UNSUPPORTED, "line %d: the extent of %s is no expression of parameters", p->line,
                    s->decl->params[p->param].name);
        for (int a = 0; a < 3; a++)
            p->cells[a] = p->stride[a].n ? items[a] + p->high[a] - p->low[a] : 1;
        bool rows = p->cells[1] > 1 || p->cells[2] > 1;
        p->pitch = rows ? padded(p->cells[0], p->bytes, block[0], items[1] / block[1]) : p->cells[0];
        all += (int64_t)p->pitch * p->cells[1] * p->cells[2] * p->bytes;
    }
    if (all > ROOM)
        KS_FAIL(err, KS_E_UNSUPPORTED, "line %d: tiles of %lld bytes have no room", s->decl->line, (long long)all);
    return KS_OK;
}

// A polynomial in 32 bits that wrap: below 2^31 elements that is the element, however the original counts.
static void put_poly(const struct ks_poly *p, struct ks_buf *out)
{
    for (int i = 0; i < p->n; i++) {
        const struct ks_term *t = &p->term[i];
        ks_buf_puts(out, i > 0 ? " + " : "");
        if (t->coef != 1 || t->n == 0)
            ks_buf_printf(out, "%uu%s", (unsigned)((uint64_t)t->coef & UINT32_MAX), t->n ? " * " : "");
        for (int k = 0; k < t->n; k++)
            ks_buf_printf(out, "%s(unsigned)%s", k ? " * " : "", t->symbol[k]);
    }
}

static void put_fill(const struct ks_subject *s, const struct ks_halo_patch *p, int number, int threads,
                     struct ks_buf *out)
{
    int row = p->cells[0], plane = p->cells[0] * p->cells[1], all = plane * p->cells[2];
    const char *place[] = {"opt_cell", "opt_cell", "opt_cell"};
    if (all > row) {
        place[0] = ks_arena_printf(s->arena, "opt_cell %% %d", row);
        place[1] = all > plane ? ks_arena_printf(s->arena, "opt_cell / %d %% %d", row, p->cells[1])
                               : ks_arena_printf(s->arena, "opt_cell / %d", row);
        place[2] = ks_arena_printf(s->arena, "opt_cell / %d", plane);
    }
    ks_buf_printf(out, "    _Pragma(\"unroll\") for (unsigned opt_cell = opt_thread; opt_cell < %d; opt_cell += %d) {\n",
                  all, threads);
    ks_buf_puts(out, "        const unsigned opt_at = ");
    put_poly(&p->origin, out);
    for (int a = 0; a < 3; a++)
        if (p->stride[a].n) {
            ks_buf_printf(out, "%s(opt_from_%c + %s - %du)", a > 0 || p->origin.n ? " + " : "", 'x' + a,
                          p->cells[a] > 1 ? place[a] : "0", (unsigned)-p->low[a]);
            if (a > 0) {
                ks_buf_puts(out, " * (");
                put_poly(&p->stride[a], out);
                ks_buf_puts(out, ")");
            }
        }
    ks_buf_printf(out, ";\n        if (opt_at < opt_count%zu)\n            opt_tile%d", p->param, number);
    for (int a = 2; a >= 0; a--)
        if (a == 0 || p->stride[a].n)
            ks_buf_printf(out, "[%s]", p->cells[a] > 1 ? place[a] : "0");
    ks_buf_printf(out, " = %s[opt_at];\n    }\n", s->decl->params[p->param].name);
}

static bool lies_along(const struct ks_halo *halo, int axis)
{
    for (size_t i = 0; i < halo->n_patches; i++)
        if (halo->patches[i].staged && halo->patches[i].stride[axis].n)
            return true;
    return false;
}

size_t ks_halo_counts(const struct ks_subject *s, const struct ks_halo *halo, size_t *params)
{
    size_t n = 0;
    for (size_t param = 0; param < s->decl->n_params; param++)
        for (size_t i = 0; i < halo->n_patches; i++)
            if (halo->patches[i].staged && halo->patches[i].param == param) {
                params[n++] = param;
                break;
            }
    return n;
}

char *ks_halo_front(const struct ks_subject *s, const struct ks_halo *halo, const int block[3], const int items[3])
{
    struct ks_buf out = KS_BUF(1 << 16);
    for (size_t i = 0; i < halo->n_patches; i++) {
        const struct ks_halo_patch *p = &halo->patches[i];
        if (!p->staged)
            continue;
        ks_buf_printf(&out, "    __shared__ %s opt_tile%zu", p->type, i);
        for (int a = 2; a >= 0; a--)
            if (a == 0 || p->stride[a].n)
                ks_buf_printf(&out, "[%d]", a ? p->cells[a] : p->pitch);
        ks_buf_puts(&out, ";\n");
    }
    for (int a = 0; a < 3; a++)
        if (lies_along(halo, a))
            ks_buf_printf(&out, "    const unsigned opt_from_%c = blockIdx.%c * %du;\n", 'x' + a, 'x' + a,
                          (unsigned)items[a]);
    ks_buf_printf(&out, "    const unsigned opt_thread = (threadIdx.z * %d + threadIdx.y) * %d + threadIdx.x;\n", block[1],
                  block[0]);
    for (size_t i = 0; i < halo->n_patches; i++)
        if (halo->patches[i].staged)
            put_fill(s, &halo->patches[i], (int)i, block[0] * block[1] * block[2], &out);
    ks_buf_puts(&out, "    __syncthreads();\n");
    char *text = ks_arena_strdup(s->arena, ks_buf_text(&out));
    ks_buf_free(&out);
    return text;
}

// What loops add along an axis; numbers below zero wrap, and come back in the sum.
static const char *turns_text(const struct ks_subject *s, const struct ks_halo_read *read, int axis)
{
    const char *text = "";
    for (int i = 0; i < read->n_turns; i++) {
        const struct ks_halo_turn *turn = &read->turns[i];
        if (turn->axis == axis && turn->by == 1)
            text = ks_arena_printf(s->arena, "%s + (unsigned)%s", text, turn->var);
        else if (turn->axis == axis)
            text = ks_arena_printf(s->arena, "%s + %uu * (unsigned)%s", text, (unsigned)turn->by, turn->var);
    }
    return text;
}

void ks_halo_edits(const struct ks_subject *s, const struct ks_halo *halo, struct ks_edit_list *edits)
{
    for (size_t i = 0; i < halo->n_reads; i++) {
        const struct ks_halo_read *read = &halo->reads[i];
        const struct ks_halo_patch *p = &halo->patches[read->patch];
        if (!p->staged)
            continue;
        const char *cell = ks_arena_printf(s->arena, "opt_tile%d", read->patch);
        for (int a = 2; a >= 0; a--)
            if (a == 0 || p->stride[a].n)
                cell = ks_arena_printf(s->arena, "%s[%sopt_%c - opt_from_%c + %uu%s]", cell,
                                       s->map.axis[a].wide ? "(unsigned)" : "", 'x' + a, 'x' + a,
                                       (unsigned)(read->off[a] - p->low[a]), turns_text(s, read, a));
        ks_edit_add(s->arena, edits, read->node->begin, read->node->end, cell);
    }
}
