#include "serve_profile.h"

#include "base/stats.h"
#include "range.h"
#include "sampling.h"

#define SAMPLES 7

struct launch {
    struct ks_serving *serving;
    struct ks_dev_plan plan;
    struct ks_serve_poison poison;
};

static enum ks_status restore(void *context, struct ks_err *err)
{
    struct launch *launch = context;
    struct ks_device *device = &launch->serving->device;
    KS_TRY(ks_serve_prepare(launch->serving, 0, launch->poison, err));
    return device->clean_cache(device->self, err);
}

static enum ks_status run_once(void *context, struct ks_err *err)
{
    struct launch *launch = context;
    struct ks_device *device = &launch->serving->device;
    return device->run(device->self, &launch->plan, NULL, err);
}

static enum ks_status take_time(struct launch *launch, double *microseconds, struct ks_err *err)
{
    struct ks_device *device = &launch->serving->device;
    struct ks_dev_timing timing = {.plans = &launch->plan, .n_plans = 1, .cold = true, .batch = 1};
    double samples[SAMPLES];
    for (int i = -2; i < SAMPLES; i++) { // the first two warm up
        struct ks_dev_sample sample;
        KS_TRY(device->time(device->self, &timing, &sample, err));
        if (i >= 0)
            samples[i] = sample.microseconds;
    }
    *microseconds = ks_median(samples, SAMPLES);
    device->forget_plans(device->self);
    return KS_OK;
}

static json_t *refusal(const struct ks_err *err)
{
    const char *code = ks_cupti_code();
    return json_pack("{s:s,s:s}", "code", code[0] != '\0' ? code : "counters-failed", "text",
                     err->text);
}

// What counters say, or, where they are refused, what activity records still say.
static void add_counters(struct launch *launch, json_t *answer)
{
    struct ks_range_values values;
    struct ks_err err = {0};
    struct ks_range_work work = {restore, run_once, launch};
    const char *method = "range profiler";
    json_t *refused = json_null();
    if (ks_range_profile(&launch->serving->request, &work, &values, &err) != KS_OK) {
        double traced = 0;
        refused = refusal(&err);
        method = "timing";
        if (ks_activity_time(run_once, launch, &traced, NULL) == KS_OK) {
            method = "activity";
            json_object_set_new(answer, "activity_us", json_real(traced));
        }
    }
    json_object_set_new(answer, "method", json_string(method));
    json_object_set_new(answer, "refused", refused);
    json_object_set_new(answer, "chip", json_string(values.chip));
    json_object_set_new(answer, "passes", json_integer((json_int_t)values.passes));
    json_object_set_new(answer, "seconds", json_real(values.seconds));
    json_object_set_new(answer, "seconds_begin", json_real(values.seconds_begin));
    json_object_set_new(answer, "seconds_enable", json_real(values.seconds_enable));
    json_object_set_new(answer, "seconds_collect", json_real(values.seconds_collect));
    json_object_set_new(answer, "metrics", values.values != NULL ? values.values : json_object());
}

static void add_lines(struct launch *launch, struct ks_slice cubin, json_t *answer)
{
    json_t *lines = NULL, *refused = json_null();
    uint64_t samples = 0, dropped = 0;
    struct ks_err err = {0};
    ks_range_end();
    if (ks_sample_lines(&launch->serving->request, cubin, run_once, launch, &lines, &samples,
                        &dropped, &err) != KS_OK)
        refused = refusal(&err);
    json_object_set_new(answer, "lines", lines != NULL ? lines : json_null());
    json_object_set_new(answer, "lines_refused", refused);
    json_object_set_new(answer, "samples", json_integer((json_int_t)samples));
    json_object_set_new(answer, "dropped", json_integer((json_int_t)dropped));
}

static enum ks_status serve_profile(struct ks_serving *s, const json_t *request,
                                    struct ks_slice payload, json_t *answer, struct ks_err *err)
{
    struct launch launch = {.serving = s,
                            .poison = {.on = true, .word = (uint32_t)ks_seed_from_os()}};
    double us = 0;
    bool lines;
    KS_TRY(ks_want_bool(request, "lines", false, &lines, err));
    KS_TRY(ks_serve_plan(s, request, "plan", 0, &launch.plan, err));
    KS_TRY(ks_serve_prepare(s, 0, launch.poison, err));
    KS_TRY(run_once(&launch, err));
    if (lines) {
        add_lines(&launch, payload, answer);
        return KS_OK;
    }
    KS_TRY(take_time(&launch, &us, err));
    json_object_set_new(answer, "time_us", json_real(us));
    add_counters(&launch, answer);
    return KS_OK;
}

const struct ks_serve_extra ks_probe_verb = {"profile", serve_profile};
