// What follows from a recording that was read: occupancy, and the order by time.
#include <stdlib.h>
#include <string.h>

#include "device/model.h"
#include "profile/recording.h"

// What no launch can have leaves it unknown.
static bool is_possible(const struct ks_recorded_class *c)
{
    for (int i = 0; i < 3; i++)
        if (c->block[i] < 1 || c->block[i] > 1024)
            return false;
    return c->registers >= 0 && c->registers <= 1024 && c->static_shared >= 0 && c->dynamic_shared >= 0 &&
           c->static_shared <= 1 << 24 && c->dynamic_shared <= 1 << 24;
}

static void find_occupancy(struct ks_recording *out, struct ks_recorded_class *c)
{
    if (!is_possible(c) || c->device >= out->devices.len || out->devices.at[c->device].threads <= 0)
        return;
    const struct ks_recorded_device *d = &out->devices.at[c->device];
    struct ks_gpu gpu = {.threads_sm = d->threads, .blocks_sm = d->blocks, .regs_sm = d->registers,
                         .shared_sm = d->shared};
    struct ks_counts launch = {.threads = (int)(c->block[0] * c->block[1] * c->block[2]),
                               .registers = c->registers,
                               .shared_bytes = (int)(c->static_shared + c->dynamic_shared)};
    struct ks_occupancy o = ks_gpu_occupancy(&gpu, &launch);
    c->occupancy = o.part;
    c->limit = o.limit;
}

static int by_time(const void *a, const void *b, void *context)
{
    const struct ks_recorded_class *classes = context;
    double x = classes[*(const size_t *)a].total_ns, y = classes[*(const size_t *)b].total_ns;
    return x < y ? 1 : x > y ? -1 : 0;
}

static int by_total(const void *a, const void *b)
{
    const struct ks_recorded_kernel *x = a, *y = b;
    return x->total_ns < y->total_ns ? 1 : x->total_ns > y->total_ns ? -1 : strcmp(x->symbol, y->symbol);
}

void ks_recording_conclude(struct ks_recording *out)
{
    ks_vec_each(struct ks_recorded_class, c, &out->classes)
        find_occupancy(out, c);
    ks_vec_each(struct ks_recorded_kernel, kernel, &out->kernels)
        if (kernel->classes.len > 0) // a kernel that was named and then not launched
            qsort_r(kernel->classes.at, kernel->classes.len, sizeof *kernel->classes.at, by_time,
                    out->classes.at);
    if (out->kernels.len > 0)
        qsort(out->kernels.at, out->kernels.len, sizeof *out->kernels.at, by_total);
    for (size_t i = 0; i < out->kernels.len; i++)
        for (size_t k = 0; k < out->kernels.at[i].classes.len; k++)
            out->classes.at[out->kernels.at[i].classes.at[k]].kernel = i;
    ks_vec_each(struct ks_recorded_session, s, &out->sessions)
        out->span_ns += s->first_ns <= s->last_ns ? s->last_ns - s->first_ns : 0;
}

int64_t ks_recording_variants(const struct ks_recording *recording, double *ns)
{
    int64_t launches = 0;
    *ns = 0;
    ks_vec_each(const struct ks_recorded_kernel, kernel, &recording->kernels)
        if (kernel->variant != NULL) {
            launches += kernel->launches;
            *ns += kernel->total_ns;
        }
    return launches;
}
