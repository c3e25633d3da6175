// What a launch takes of an SM, and how many blocks fit.
#include <string.h>

#include "base/num.h"
#include "profile/parts.h"

// The number in front of `unit`, or -1.
static int before(struct ks_slice line, const char *unit)
{
    const char *at = memmem(line.at, line.len, unit, strlen(unit));
    int64_t value = 0, scale = 1;
    if (at == NULL || at == line.at || at[-1] < '0' || at[-1] > '9')
        return -1;
    while (at > line.at && at[-1] >= '0' && at[-1] <= '9' && scale < 1000000000) {
        value += scale * (*--at - '0');
        scale *= 10;
    }
    return (int)value;
}

static bool holds(struct ks_slice line, const char *text)
{
    return memmem(line.at, line.len, text, strlen(text)) != NULL;
}

static void keep(int value, int *to)
{
    if (value >= 0)
        *to = value;
}

void ks_resources_read(struct ks_slice said, const char *registered, int arch,
                       struct ks_resources *r)
{
    char entry[4200], target[32];
    bool ours = false;
    *r = (struct ks_resources){-1, -1, 0, -1, -1, -1, 0, false, {.limit = ""}};
    if (snprintf(entry, sizeof entry, "function '%s'", registered) >= (int)sizeof entry)
        return;
    snprintf(target, sizeof target, "for 'sm_%d", arch);
    for (size_t at = 0; at < said.len;) {
        const char *newline = memchr(said.at + at, '\n', said.len - at);
        size_t n = newline == NULL ? said.len - at : (size_t)(newline - said.at) - at;
        struct ks_slice line = {said.at + at, n};
        at += n + 1;
        if (holds(line, "Compiling entry function"))
            ours = holds(line, entry) && holds(line, target);
        if (!ours)
            continue;
        keep(before(line, " bytes stack frame"), &r->frame);
        keep(before(line, " bytes spill stores"), &r->spill_stores);
        keep(before(line, " bytes spill loads"), &r->spill_loads);
        if (holds(line, "Used ") && before(line, " registers") >= 0) {
            r->registers = before(line, " registers");
            keep(before(line, " bytes smem"), &r->static_shared);
            r->static_shared = r->static_shared < 0 ? 0 : r->static_shared;
        }
    }
}

void ks_resources_place(const struct ks_gpu *gpu, const struct ks_problem *problem,
                        struct ks_resources *r)
{
    r->threads = (int)(problem->block[0] * problem->block[1] * problem->block[2]);
    r->dynamic_shared = problem->shared;
    if (r->registers < 0 || r->static_shared < 0 || gpu->threads_sm <= 0 || gpu->blocks_sm <= 0 ||
        gpu->shared_sm <= 0)
        return;
    struct ks_counts launch = {.threads = r->threads,
                               .registers = r->registers,
                               .shared_bytes = r->static_shared + (int)r->dynamic_shared};
    r->occupancy = ks_gpu_occupancy(gpu, &launch);
    r->placed = true;
}

void ks_resources_print(struct ks_buf *out, const struct ks_resources *r)
{
    if (r->registers >= 0)
        ks_buf_printf(out, "  resources: %d registers, %lld bytes of shared memory a block",
                      r->registers,
                      (long long)(r->static_shared > 0 ? r->static_shared : 0) + r->dynamic_shared);
    if (r->spill_stores > 0 || r->spill_loads > 0)
        ks_buf_printf(out, ", spills of %d bytes stored and %d loaded", r->spill_stores,
                      r->spill_loads);
    else if (r->spill_stores == 0)
        ks_buf_printf(out, ", no spills");
    if (r->frame > 0)
        ks_buf_printf(out, ", %d bytes of local memory a thread", r->frame);
    if (r->registers >= 0)
        ks_buf_printf(out, "\n");
    if (!r->placed)
        return;
    const struct ks_occupancy *o = &r->occupancy;
    ks_buf_printf(out,
                  "  occupancy: at most %.0f %% of an SM's threads, %d blocks of %d, limited by %s "
                  "(blocks that fit: threads %d, blocks %d, registers %d, shared memory %d)\n",
                  100 * o->part, o->blocks, r->threads, o->limit, o->fits[KS_FIT_THREADS],
                  o->fits[KS_FIT_BLOCKS], o->fits[KS_FIT_REGISTERS], o->fits[KS_FIT_SHARED]);
}

static void set(json_t *object, const char *name, int64_t value)
{
    json_object_set_new(object, name, value >= 0 ? json_integer((json_int_t)value) : json_null());
}

json_t *ks_resources_json(const struct ks_resources *r)
{
    json_t *out = json_object();
    set(out, "registers", r->registers);
    set(out, "static_shared", r->static_shared);
    set(out, "dynamic_shared", r->dynamic_shared);
    set(out, "frame", r->frame);
    set(out, "spill_stores", r->spill_stores);
    set(out, "spill_loads", r->spill_loads);
    set(out, "threads", r->threads);
    json_object_set_new(out, "occupancy", r->placed ? json_real(r->occupancy.part) : json_null());
    json_object_set_new(out, "limit", r->placed ? json_string(r->occupancy.limit) : json_null());
    json_object_set_new(out, "blocks", r->placed ? json_integer(r->occupancy.blocks) : json_null());
    json_object_set_new(out, "fits",
                        !r->placed ? json_null()
                                   : json_pack("{s:i,s:i,s:i,s:i}", "threads",
                                               r->occupancy.fits[KS_FIT_THREADS], "blocks",
                                               r->occupancy.fits[KS_FIT_BLOCKS], "registers",
                                               r->occupancy.fits[KS_FIT_REGISTERS], "shared_memory",
                                               r->occupancy.fits[KS_FIT_SHARED]));
    return out;
}
