// ks-probe: the worker's protocol (verify/protocol.h) and one verb more.
//
// profile    {"plan":[step...]} -> {"method":"range profiler|activity|timing","refused":"...",
//            "chip":"GH100","time_us":..,"metrics":{"hardware name": value}}
//            Time is taken first, outside any profiling. Refused counters are an answer, not an error.
//
// `ks-probe --catalogue CHIP` lists, without a GPU, which metrics of the set a chip has.
#include <signal.h>
#include <stdio.h>
#include <string.h>

#include "base/log.h"
#include "base/stats.h"
#include "range.h"
#include "verify/worker/serving.h"

#define SAMPLES 7

struct launch {
    struct ks_serving *serving;
    struct ks_dev_plan plan;
};

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

static enum ks_status serve_profile(struct ks_serving *s, const json_t *request,
                                    struct ks_slice payload, json_t *answer, struct ks_err *err)
{
    (void)payload;
    struct launch launch = {.serving = s};
    double us = 0;
    struct ks_serve_poison poison = {.on = true, .word = (uint32_t)ks_seed_from_os()};
    KS_TRY(ks_serve_plan(s, request, "plan", 0, &launch.plan, err));
    KS_TRY(ks_serve_prepare(s, 0, poison, err));
    KS_TRY(run_once(&launch, err));
    KS_TRY(take_time(&launch, &us, err));

    json_t *values = NULL;
    const char *chip = "", *method = "range profiler";
    struct ks_err refused = {0};
    if (ks_range_profile(&s->request, 0, run_once, &launch, &values, &chip, &refused) != KS_OK) {
        double traced = 0;
        method = "timing";
        if (ks_activity_time(run_once, &launch, &traced, NULL) == KS_OK) {
            method = "activity";
            json_object_set_new(answer, "activity_us", json_real(traced));
        }
    }
    json_object_set_new(answer, "method", json_string(method));
    json_object_set_new(answer, "refused", json_string(refused.text));
    json_object_set_new(answer, "chip", json_string(chip));
    json_object_set_new(answer, "time_us", json_real(us));
    json_object_set_new(answer, "metrics", values != NULL ? values : json_object());
    return KS_OK;
}

static int print_catalogue(const char *chip)
{
    struct ks_arena arena = {0};
    struct ks_err err = {0};
    const char **names;
    size_t n, passes;
    if (ks_range_catalogue(&arena, chip, &names, &n, &passes, &err) != KS_OK) {
        fprintf(stderr, "ks-probe: %s\n", err.text);
        return 1;
    }
    for (size_t i = 0; i < n; i++)
        printf("%s\n", names[i]);
    printf("%zu metrics, %zu passes on %s\n", n, passes, chip);
    ks_arena_free(&arena);
    return 0;
}

int main(int argc, char **argv)
{
    static const struct ks_serve_extra extra = {"profile", serve_profile};
    if (argc == 3 && strcmp(argv[1], "--catalogue") == 0)
        return print_catalogue(argv[2]);
    if (argc > 1) {
        fprintf(stderr, "usage: ks-probe [--catalogue CHIP]; ks starts it and sends it requests\n");
        return 2;
    }
    ks_log_init("ks-probe", KS_LOG_WARN);
    return ks_serve_main(ks_device_open_cuda, &extra);
}
