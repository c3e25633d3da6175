// Small runs of the original on arrays that hold no numbers.
#include "device/emu/emu_device.h"
#include "engine/specimen_run.h"

// The last of plain data, of round sizes or others. NULL: there is none.
static const struct ks_specimen *last_plain(const struct ks_specimens *all, bool round)
{
    const struct ks_specimen *last = NULL;
    for (size_t i = 0; i < all->n; i++) {
        const struct ks_specimen_data *data = &all->at[i].data;
        if (!data->low && !data->signs && data->size == 1 && (all->at[i].round > 0) == round)
            last = &all->at[i];
    }
    return last;
}

_Static_assert(2 * (KS_BEYOND_KINDS - 1) <= KS_SPECIMENS, "both sizes have room for each kind");

static void run_kinds(struct ks_specimen_run *r, const struct ks_specimen *as, size_t array, struct ks_specimens *out)
{
    struct ks_err err = {0};
    for (int kind = KS_BEYOND_NOTHING + 1; as != NULL && kind < KS_BEYOND_KINDS; kind++) {
        struct ks_specimen *s = &out->at[out->n];
        r->data = (struct ks_specimen_data){.size = 1, .beyond = (enum ks_specimen_beyond)kind, .array = array};
        if (ks_specimen_make(r, &as->problem, s, &err) != KS_OK)
            continue;
        s->round = as->round;
        out->n++;
    }
}

static bool has_floats(const struct ks_specimens *all, size_t array)
{
    const struct ks_arg *a = all->n > 0 ? &all->at[0].problem.args[array] : NULL;
    return a != NULL && a->kind == KS_ARG_BUFFER && a->role != KS_ROLE_OUT && ks_scalar_is_float(a->elem.scalar);
}

static struct ks_specimens *make(struct ks_arena *arena, const struct ks_brief *brief, size_t array)
{
    const struct ks_specimens *all = ks_specimens_of(arena, brief);
    struct ks_specimens *out = KS_NEW(arena, struct ks_specimens);
    struct ks_specimen_run r = {.arena = arena};
    struct ks_err err = {0};
    *out = (struct ks_specimens){.tried = true};
    if (!has_floats(all, array) || ks_device_open_emu(&r.device, &err) != KS_OK)
        return out;
    ks_specimen_settle(&r);
    if (ks_specimen_load(&r, brief, &err) == KS_OK) {
        run_kinds(&r, last_plain(all, false), array, out);
        run_kinds(&r, last_plain(all, true), array, out);
    }
    r.device.close(r.device.self);
    return out;
}

const struct ks_specimens *ks_specimens_beyond(struct ks_arena *arena, const struct ks_brief *brief, size_t array)
{
    struct ks_specimens *kept = brief->specimens;
    for (struct ks_beyond *b = kept ? kept->beyond : NULL; b; b = b->next)
        if (b->array == array)
            return b->runs;
    struct ks_specimens *runs = make(arena, brief, array);
    if (kept) {
        struct ks_beyond *b = KS_NEW(arena, struct ks_beyond);
        *b = (struct ks_beyond){array, runs, kept->beyond};
        kept->beyond = b;
    }
    return runs;
}
