// The floor of a short kernel: what a launch takes that only moves what the kernel has to.
#include <math.h>
#include <string.h>

#include "base/stats.h"
#include "profile/parts.h"
#include "verify/accept.h"
#include "verify/timing.h"

#define UNIT 16          // bytes that a thread of ks_least moves at once
#define THREADS 256
#define PAIRS 51         // the judge's first look
#define SECONDS 30.0
#define COUNTED 0.98     // of what is moved counters must show: they count sectors, and miss a few

static const int shapes[] = {1, 2, 4}; // units a thread: which is the quickest depends on the size

// The largest array of those that are read, or written, as a buffer of the worker's; false: there is none.
static bool largest(const struct ks_layout *layout, enum ks_array_role role, size_t *buffer, int64_t *bytes)
{
    *bytes = 0;
    for (size_t i = 0; i < layout->n_slots; i++) {
        const struct ks_slot *slot = &layout->slots[i];
        if ((slot->role == role || slot->role == KS_ROLE_INOUT) && slot->bytes > *bytes) {
            *buffer = i;
            *bytes = slot->bytes / UNIT * UNIT;
        }
    }
    return *bytes > 0;
}

static json_t *number(int64_t value, size_t size)
{
    char hex[2 * sizeof value + 1];
    for (size_t i = 0; i < size; i++)
        snprintf(hex + 2 * i, 3, "%02x", (unsigned)(value >> 8 * i & 0xff));
    return json_pack("{s:s}", "hex", hex);
}

static json_t *least_plan(const struct ks_moved *moved, int each)
{
    int64_t reads = moved->read / UNIT, writes = moved->written / UNIT;
    int64_t units = reads > writes ? reads : writes, a_block = (int64_t)THREADS * each;
    return json_pack("[{s:s,s:s,s:[I,i,i],s:[i,i,i],s:i,s:[{s:I},o,{s:I},o,o]}]", "module", "ks", "kernel",
                     "ks_least", "grid", (json_int_t)((units + a_block - 1) / a_block), 1, 1, "block", THREADS,
                     1, 1, "shared", 0, "args", "buffer", (json_int_t)moved->from, number(reads, 8), "buffer",
                     (json_int_t)moved->to, number(writes, 8), number(each, 4));
}

static size_t read_times(const json_t *list, double out[PAIRS])
{
    size_t n = json_array_size(list);
    for (size_t i = 0; i < n && i < PAIRS; i++) {
        out[i] = json_number_value(json_array_get(list, i));
        if (!(out[i] > 0) || !isfinite(out[i]))
            return 0;
    }
    return n <= PAIRS ? n : 0;
}

// One shape of it: the floor is that of the quickest, and what may be gained the most of all.
static bool take_shape(struct ks_worker *worker, json_t *plan, json_t *least, int batch,
                       struct ks_profile_floor *floor)
{
    double a[PAIRS], b[PAIRS], gain[PAIRS];
    json_t *request = json_pack("{s:O,s:O,s:i,s:b,s:i,s:i,s:b}", "a", plan, "b", least, "pairs", PAIRS, "cold", 0,
                                "batch", batch, "poison", 0x5a5a5a5a, "deterministic", 0);
    if (ks_worker_ask(worker, "time", request, SECONDS) != KS_ANSWER_OK)
        return false;
    size_t n = read_times(json_object_get(worker->reply, "a"), a);
    size_t rank = ks_median_lower_rank(n, ks_rule_search.alpha);
    if (rank == 0 || read_times(json_object_get(worker->reply, "b"), b) != n)
        return false;
    struct ks_paired paired;
    ks_paired_of(a, b, n, ks_rule_search.alpha, &paired);
    for (size_t i = 0; i < n; i++)
        gain[i] = a[i] - b[i];
    floor->gain_us = fmax(floor->gain_us, ks_kth_smallest(gain, n, n + 1 - rank));
    floor->ratio = fmax(floor->ratio, paired.upper);
    if (floor->least_us == 0 || paired.b_us < floor->least_us) {
        floor->least_us = paired.b_us;
        floor->original_us = paired.a_us;
    }
    return true;
}

void ks_profile_arrays(const struct ks_layout *layout, struct ks_moved *moved)
{
    *moved = (struct ks_moved){0};
    if (largest(layout, KS_ROLE_OUT, &moved->to, &moved->written) && !largest(layout, KS_ROLE_IN, &moved->from, &moved->read))
        moved->from = moved->to; // nothing is read
}

void ks_profile_least(struct ks_worker *worker, const struct ks_device_info *device,
                      const struct ks_vector *vector, const struct ks_moved *moved, json_t *plan,
                      struct ks_profile_floor *floor)
{
    struct ks_err err = {0};
    double us;
    int batch;
    *floor = (struct ks_profile_floor){0};
    if (moved->written == 0)
        return;
    if (ks_timing_baseline(worker, plan, &us, &batch, &err) != KS_OK || batch == 1)
        return;
    int sets = ks_timing_sets(device, ks_problem_bytes(&vector->problem), batch);
    if (ks_worker_ask(worker, "sets", json_pack("{s:i}", "count", sets), SECONDS) != KS_ANSWER_OK)
        return;
    bool known = true;
    for (size_t i = 0; i < sizeof shapes / sizeof *shapes && known; i++) {
        json_t *least = least_plan(moved, shapes[i]);
        known = take_shape(worker, plan, least, batch, floor);
        json_decref(least);
    }
    if (!known)
        *floor = (struct ks_profile_floor){0};
}

bool ks_profile_moved(const struct ks_fact_list *facts, const json_t *metrics, const struct ks_moved *moved)
{
    double read = 0;
    ks_fact_get(facts, "dram_bytes_read", &read);
    double written = 32 * ks_json_num(metrics, "l1tex__t_sectors_pipe_lsu_mem_global_op_st.sum", 0);
    return read >= COUNTED * (double)moved->read && written >= COUNTED * (double)moved->written;
}

double ks_profile_memory_share(const struct ks_profile *p)
{
    double floor = p->floor.least_us > 0 ? 100 * p->floor.least_us / p->floor.original_us : 0;
    double copied = p->moves_arrays && p->copy_gbs > 0 ? 100 * p->achieved_gbs / p->copy_gbs : 0;
    return fmin(fmax(floor, copied), 100);
}

double ks_profile_share(const struct ks_profile *p)
{
    return fmin(fmax(ks_profile_memory_share(p), p->roofline_pct), 100);
}
