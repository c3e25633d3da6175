// Paired timing of two plans: blocks A B B A or B A A B by coin flip, fresh poison and restored
// contents before each sample, the candidate's outputs fingerprinted after each
// (research: verification.md section 2).

#include <stdio.h>
#include <string.h>

#include "base/stats.h"
#include "verify/worker/serving.h"

#define MAX_PAIRS 4096
#define MAX_BATCH 1024
#define WARM_UPS 3
#define WARM_US 20e3 // what ran for so long, the first runs included, needs no other warm-up
#define MAX_GROUPS 8       // graphs per plan, each on sets of its own
#define LATE_RETRIES 3     // samples in which the host was too slow are taken again
#define CLOCK_SHARE 0.9    // of its arm's median, below which a pair is dropped: an arm's own clock is part of its speed
#define CLOCK_DROPS 5      // one pair in so many at most: a clock that is low more often is the load's own (a power cap)

struct timing {
    struct ks_serving *s;
    int64_t pairs, batch, groups; // pairs: those taken, in the end
    int64_t enough_us;
    bool cold, deterministic, steady;
    struct ks_serve_poison poison;
    struct ks_dev_plan *plans[2]; // of a and b, one for each set
    size_t n_groups, per_group;   // a sample uses the sets of one group
    size_t *outputs, n_outputs;   // buffers (owners) that b's fingerprints are taken of
    uint64_t *reference;          // of b's first run
    int64_t compared, bad;
    double *us[2], *clock[2];     // by pair
};

static enum ks_status read_timing(struct ks_serving *s, const json_t *request, struct timing *t,
                                  struct ks_err *err)
{
    KS_TRY(ks_want_int(request, "pairs", 1, MAX_PAIRS, &t->pairs, err));
    KS_TRY(ks_want_int(request, "batch", 1, MAX_BATCH, &t->batch, err));
    t->enough_us = INT64_MAX;
    if (json_object_get(request, "enough_us") != NULL)
        KS_TRY(ks_want_int(request, "enough_us", 1, INT64_MAX, &t->enough_us, err));
    t->groups = INT64_MAX;
    if (json_object_get(request, "groups") != NULL)
        KS_TRY(ks_want_int(request, "groups", 1, INT64_MAX, &t->groups, err));
    KS_TRY(ks_want_bool(request, "cold", true, &t->cold, err));
    KS_TRY(ks_want_bool(request, "deterministic", true, &t->deterministic, err));
    KS_TRY(ks_want_bool(request, "steady", false, &t->steady, err));
    KS_TRY(ks_serve_read_poison(request, &t->poison, err));
    if (s->n_buffers == 0)
        KS_FAIL(err, KS_E_USER, "there are no buffers");
    KS_TRY(ks_serve_make_sets(s, (size_t)t->batch, err));
    if (s->n_sets < (size_t)t->batch)
        s->n_sets = (size_t)t->batch;
    t->per_group = (size_t)t->batch;
    t->n_groups = s->n_sets / t->per_group;
    if (t->batch > 1 && t->n_groups > MAX_GROUPS)
        t->n_groups = MAX_GROUPS;
    if (t->n_groups > (size_t)t->groups)
        t->n_groups = (size_t)t->groups;
    for (int arm = 0; arm < 2; arm++) {
        size_t n = t->n_groups * t->per_group;
        t->us[arm] = KS_NEW_ARRAY(&s->request, double, (size_t)t->pairs);
        t->clock[arm] = KS_NEW_ARRAY(&s->request, double, (size_t)t->pairs);
        t->plans[arm] = KS_NEW_ARRAY(&s->request, struct ks_dev_plan, n);
        for (size_t set = 0; set < n; set++)
            KS_TRY(ks_serve_plan(s, request, arm == 0 ? "a" : "b", set, &t->plans[arm][set], err));
    }
    t->outputs = KS_NEW_ARRAY(&s->request, size_t, s->n_buffers);
    t->reference = KS_NEW_ARRAY(&s->request, uint64_t, s->n_buffers);
    for (size_t i = 0; i < s->n_buffers; i++)
        if (ks_serve_is_owner(s, i) && (s->buffers[i].role == KS_SERVE_INOUT ||
                                        s->buffers[i].role == KS_SERVE_OUT))
            t->outputs[t->n_outputs++] = i;
    return KS_OK;
}

static enum ks_status launch_status(struct timing *t, enum ks_status status)
{
    if (status == KS_E_LIMIT)
        t->s->class = "launch";
    return status;
}

// Of the outputs of `n` sets, from `first` on, set by set.
static enum ks_status output_prints(struct timing *t, size_t first, size_t n, uint64_t *prints,
                                    struct ks_err *err)
{
    struct ks_serving *s = t->s;
    size_t *buffers = KS_NEW_ARRAY(&s->request, size_t, n * t->n_outputs);
    for (size_t i = 0; i < n * t->n_outputs; i++)
        buffers[i] = s->sets[first + i / t->n_outputs][t->outputs[i % t->n_outputs]];
    return ks_serve_prints(s, buffers, n * t->n_outputs, prints, err);
}

// Each plan once: a launch that is refused, or faults, is named here; and b's result is what the timed ones must equal.
// Adds to `ran` the microseconds of both.
static enum ks_status first_runs(struct timing *t, double *ran, struct ks_err *err)
{
    struct ks_serving *s = t->s;
    for (int arm = 0; arm < 2; arm++) {
        double us = 0;
        KS_TRY(ks_serve_prepare(s, 0, t->poison, err));
        KS_TRY(launch_status(t, s->device.run(s->device.self, &t->plans[arm][0], &us, err)));
        *ran += us;
    }
    return output_prints(t, 0, 1, t->reference, err);
}

static enum ks_status compare_outputs(struct timing *t, size_t group, struct ks_err *err)
{
    size_t n = t->per_group * t->n_outputs;
    uint64_t *prints = KS_NEW_ARRAY(&t->s->request, uint64_t, n);
    KS_TRY(output_prints(t, group * t->per_group, t->per_group, prints, err));
    for (size_t i = 0; i < n; i++, t->compared++)
        t->bad += prints[i] != t->reference[i % t->n_outputs];
    return KS_OK;
}

static enum ks_status take_sample(struct timing *t, int arm, size_t group,
                                  struct ks_dev_sample *sample, struct ks_err *err)
{
    struct ks_serving *s = t->s;
    struct ks_dev_timing timing = {&t->plans[arm][group * t->per_group], t->per_group, t->cold,
                                   (int)t->batch};
    for (int tries = 0; tries <= LATE_RETRIES; tries++) {
        for (size_t k = 0; k < t->per_group; k++)
            KS_TRY(ks_serve_prepare(s, group * t->per_group + k, t->poison, err));
        KS_TRY(launch_status(t, s->device.time(s->device.self, &timing, sample, err)));
        // Every timed output is looked at, also of samples that are not used.
        if (arm == 1 && t->deterministic)
            KS_TRY(compare_outputs(t, group, err));
        if (!sample->late)
            break;
    }
    return KS_OK;
}

// Pair p of a block of two: the order within the second is the mirror of the first.
static enum ks_status take_pairs(struct timing *t, struct ks_err *err)
{
    int first = 0;
    int64_t p;
    double ran = 0;
    for (p = 0; p < t->pairs && (p == 0 || ran < (double)t->enough_us); p++) {
        first = p % 2 == 0 ? (int)ks_rng_below(&t->s->rng, 2) : 1 - first;
        size_t group = (size_t)ks_rng_below(&t->s->rng, t->n_groups); // the same for both
        for (int k = 0; k < 2; k++) {
            int arm = k == 0 ? first : 1 - first;
            struct ks_dev_sample sample;
            KS_TRY(take_sample(t, arm, group, &sample, err));
            t->us[arm][p] = sample.microseconds;
            t->clock[arm][p] = sample.clock_mhz;
            ran += sample.microseconds * (double)t->batch;
        }
    }
    t->pairs = p;
    return KS_OK;
}

static double median_clock(const struct timing *t, int arm)
{
    double *known = KS_NEW_ARRAY(&t->s->request, double, (size_t)t->pairs);
    size_t n = 0;
    for (int64_t p = 0; p < t->pairs; p++)
        if (t->clock[arm][p] > 0)
            known[n++] = t->clock[arm][p];
    return n > 0 ? ks_median(known, n) : 0;
}

static void write_pairs(const struct timing *t, json_t *answer)
{
    double clock[2] = {median_clock(t, 0), median_clock(t, 1)};
    json_t *lists[2] = {json_array(), json_array()};
    bool *slow = KS_NEW_ARRAY(&t->s->request, bool, (size_t)t->pairs);
    int64_t dropped = 0;
    for (int64_t p = 0; p < t->pairs; p++) {
        for (int arm = 0; arm < 2; arm++)
            slow[p] |= t->clock[arm][p] > 0 && t->clock[arm][p] < CLOCK_SHARE * clock[arm];
        dropped += slow[p];
    }
    if (!t->steady && dropped * CLOCK_DROPS > t->pairs)
        dropped = 0;
    for (int64_t p = 0; p < t->pairs; p++)
        for (int arm = 0; arm < 2 && !(slow[p] && dropped > 0); arm++)
            json_array_append_new(lists[arm], json_real(t->us[arm][p]));
    json_object_set_new(answer, "a", lists[0]);
    json_object_set_new(answer, "b", lists[1]);
    json_object_set_new(answer, "taken", json_integer(t->pairs));
    json_object_set_new(answer, "clock_dropped", json_integer(dropped));
    json_object_set_new(answer, "clock_mhz", json_real(clock[0]));
}

static void write_prints(const struct timing *t, json_t *answer)
{
    json_t *outputs = json_object();
    for (size_t i = 0; i < t->n_outputs; i++) {
        char name[24], text[17];
        snprintf(name, sizeof name, "%zu", t->outputs[i]);
        snprintf(text, sizeof text, "%016llx", (unsigned long long)t->reference[i]);
        json_object_set_new(outputs, name, json_string(text));
    }
    json_object_set_new(answer, "outputs", outputs);
    json_object_set_new(answer, "fingerprints_ok", json_boolean(t->bad == 0));
    json_object_set_new(answer, "compared", json_integer(t->compared));
}

static enum ks_status measure(struct timing *t, struct ks_err *err)
{
    double ran = 0;
    KS_TRY(first_runs(t, &ran, err));
    for (int i = 0; i < WARM_UPS && ran < WARM_US; i++)
        for (int arm = 0; arm < 2; arm++) {
            struct ks_dev_sample sample;
            KS_TRY(take_sample(t, arm, (size_t)i % t->n_groups, &sample, err));
            ran += sample.microseconds * (double)t->batch;
        }
    KS_TRY(take_pairs(t, err));
    for (size_t group = 0; group < t->n_groups; group++) { // b's outputs stay, not a's
        struct ks_dev_sample unused;
        KS_TRY(take_sample(t, 1, group, &unused, err));
    }
    return ks_serve_check(t->s, err);
}

enum ks_status ks_serve_time(struct ks_serving *s, const json_t *request, struct ks_slice payload,
                             json_t *answer, struct ks_err *err)
{
    (void)payload;
    struct timing t = {.s = s};
    KS_TRY(read_timing(s, request, &t, err));
    enum ks_status status = measure(&t, err);
    s->device.forget_plans(s->device.self); // the plans go away with the request
    KS_TRY(status);
    write_pairs(&t, answer);
    write_prints(&t, answer);
    return KS_OK;
}
