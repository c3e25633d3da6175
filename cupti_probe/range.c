#include "range.h"

#include <cuda.h>
#include <dlfcn.h>
#include <stdlib.h>
#include <string.h>

#include "metrics.h"
#include "os/clock.h"

#define RANGES 8          // launches of one plan that are looked at
#define IMAGE_MAX (1u << 30)

// Zeroed, with the size CUPTI wants (its macro, which differs from sizeof).
#define PARAMS(type, name) type name = {.structSize = type##_STRUCT_SIZE}

struct range {
    const struct ks_cupti *cupti;
    CUpti_Profiler_Host_Object *host;
    CUpti_RangeProfiler_Object *profiler;
    const char *chip;
    const char **names; size_t n;
    uint8_t *config; size_t config_size;
    uint8_t *counters; size_t counters_size;
    size_t passes;
};

static enum ks_status host_open(const struct ks_cupti *cupti, const char *chip,
                                CUpti_Profiler_Host_Object **host, struct ks_err *err)
{
    PARAMS(CUpti_Profiler_Host_Initialize_Params, p);
    p.profilerType = CUPTI_PROFILER_TYPE_RANGE_PROFILER;
    p.pChipName = chip;
    KS_TRY(ks_cupti_check(cupti, cupti->cuptiProfilerHostInitialize(&p), "host initialise", err));
    *host = p.pHostObject;
    return KS_OK;
}

static void host_close(const struct ks_cupti *cupti, CUpti_Profiler_Host_Object *host)
{
    PARAMS(CUpti_Profiler_Host_Deinitialize_Params, p);
    p.pHostObject = host;
    if (host != NULL)
        cupti->cuptiProfilerHostDeinitialize(&p);
}

static bool takes(const struct ks_cupti *cupti, const char *chip, const char **names, size_t n)
{
    CUpti_Profiler_Host_Object *host = NULL;
    if (host_open(cupti, chip, &host, NULL) != KS_OK)
        return false;
    PARAMS(CUpti_Profiler_Host_ConfigAddMetrics_Params, p);
    p.pHostObject = host;
    p.ppMetricNames = names;
    p.numMetrics = n;
    bool taken = cupti->cuptiProfilerHostConfigAddMetrics(&p) == CUPTI_SUCCESS;
    host_close(cupti, host);
    return taken;
}

// One bad name fails a whole call, so halves are asked for until the bad ones stand alone: one call where
// the first name of each metric is known, as on GH100.
static void choose_names(struct range *r, const char *chip, const char **first, size_t from, size_t to)
{
    if (takes(r->cupti, chip, first + from, to - from)) {
        memcpy(r->names + r->n, first + from, (to - from) * sizeof *first);
        r->n += to - from;
        return;
    }
    if (to - from > 1) {
        choose_names(r, chip, first, from, from + (to - from) / 2);
        choose_names(r, chip, first, from + (to - from) / 2, to);
        return;
    }
    for (size_t k = 1; k < KS_METRIC_NAMES && ks_metrics[from].names[k] != NULL; k++) {
        const char *name = ks_metrics[from].names[k];
        if (takes(r->cupti, chip, &name, 1)) {
            r->names[r->n++] = name;
            return;
        }
    }
}

// All names in ONE call: separate calls never share a pass, and give wrong instruction counts.
static enum ks_status configure(struct ks_arena *arena, struct range *r, const char *chip,
                                struct ks_err *err)
{
    const struct ks_cupti *cupti = r->cupti;
    const char **first = KS_NEW_ARRAY(arena, const char *, ks_metric_count);
    KS_TRY(host_open(cupti, chip, &r->host, err)); // says so of an unknown chip
    host_close(cupti, r->host);
    r->host = NULL;
    r->names = KS_NEW_ARRAY(arena, const char *, ks_metric_count);
    for (size_t i = 0; i < ks_metric_count; i++)
        first[i] = ks_metrics[i].names[0];
    choose_names(r, chip, first, 0, ks_metric_count);
    if (r->n == 0)
        return ks_err_set(err, KS_E_UNSUPPORTED, "CUPTI knows none of the metrics on %s", chip);
    KS_TRY(host_open(cupti, chip, &r->host, err));
    PARAMS(CUpti_Profiler_Host_ConfigAddMetrics_Params, add);
    add.pHostObject = r->host;
    add.ppMetricNames = r->names;
    add.numMetrics = r->n;
    KS_TRY(ks_cupti_check(cupti, cupti->cuptiProfilerHostConfigAddMetrics(&add), "add metrics", err));
    PARAMS(CUpti_Profiler_Host_GetConfigImageSize_Params, size);
    size.pHostObject = r->host;
    KS_TRY(ks_cupti_check(cupti, cupti->cuptiProfilerHostGetConfigImageSize(&size),
                          "configuration size", err));
    if (size.configImageSize > IMAGE_MAX)
        return ks_err_set(err, KS_E_LIMIT, "configuration image of %zu bytes", size.configImageSize);
    r->config_size = size.configImageSize;
    r->config = ks_arena_alloc(arena, r->config_size);
    PARAMS(CUpti_Profiler_Host_GetConfigImage_Params, image);
    image.pHostObject = r->host;
    image.configImageSize = r->config_size;
    image.pConfigImage = r->config;
    KS_TRY(ks_cupti_check(cupti, cupti->cuptiProfilerHostGetConfigImage(&image), "configuration",
                          err));
    PARAMS(CUpti_Profiler_Host_GetNumOfPasses_Params, count);
    count.configImageSize = r->config_size;
    count.pConfigImage = r->config;
    KS_TRY(ks_cupti_check(cupti, cupti->cuptiProfilerHostGetNumOfPasses(&count), "passes", err));
    r->passes = count.numOfPasses;
    return KS_OK;
}

enum ks_status ks_range_catalogue(struct ks_arena *arena, const char *chip, const char ***names,
                                  size_t *n, size_t *passes, struct ks_err *err)
{
    struct range r = {0};
    KS_TRY(ks_cupti_open(&r.cupti, err));
    KS_TRY(ks_cupti_counters(r.cupti, err));
    enum ks_status status = configure(arena, &r, chip, err);
    host_close(r.cupti, r.host);
    *names = r.names;
    *n = r.n;
    *passes = r.passes;
    return status;
}

enum ks_status ks_cuda_context(CUcontext *context, int *device, struct ks_err *err)
{
    void *driver = dlopen("libcuda.so.1", RTLD_NOW);
    CUresult (*get_context)(CUcontext *) = NULL;
    CUresult (*get_device)(CUdevice *) = NULL;
    if (driver != NULL) {
        *(void **)&get_context = dlsym(driver, "cuCtxGetCurrent");
        *(void **)&get_device = dlsym(driver, "cuCtxGetDevice");
    }
    if (get_context == NULL || get_device == NULL || get_context(context) != CUDA_SUCCESS ||
        *context == NULL || get_device(device) != CUDA_SUCCESS)
        return ks_err_set(err, KS_E_DEVICE, "no CUDA context to profile in");
    return KS_OK;
}

// Once a process: the first collection behind each enabling takes twice as long as a later one.
static enum ks_status enable(struct ks_arena *arena, struct range *r, struct ks_err *err)
{
    const struct ks_cupti *cupti = r->cupti;
    CUcontext context = NULL;
    int device;
    KS_TRY(ks_cuda_context(&context, &device, err));
    PARAMS(CUpti_RangeProfiler_Enable_Params, on);
    on.ctx = context;
    KS_TRY(ks_cupti_check(cupti, cupti->cuptiRangeProfilerEnable(&on), "enable", err));
    r->profiler = on.pRangeProfilerObject;
    PARAMS(CUpti_RangeProfiler_GetCounterDataSize_Params, size);
    size.pRangeProfilerObject = r->profiler;
    size.pMetricNames = r->names;
    size.numMetrics = r->n;
    size.maxNumOfRanges = RANGES;
    size.maxNumRangeTreeNodes = RANGES;
    KS_TRY(ks_cupti_check(cupti, cupti->cuptiRangeProfilerGetCounterDataSize(&size),
                          "counter data size", err));
    if (size.counterDataSize > IMAGE_MAX)
        return ks_err_set(err, KS_E_LIMIT, "counter data of %zu bytes", size.counterDataSize);
    r->counters_size = size.counterDataSize;
    r->counters = ks_arena_alloc(arena, r->counters_size);
    return KS_OK;
}

static enum ks_status prepare(struct range *r, struct ks_err *err)
{
    const struct ks_cupti *cupti = r->cupti;
    PARAMS(CUpti_RangeProfiler_CounterDataImage_Initialize_Params, image);
    image.pRangeProfilerObject = r->profiler;
    image.counterDataSize = r->counters_size;
    image.pCounterData = r->counters;
    KS_TRY(ks_cupti_check(cupti, cupti->cuptiRangeProfilerCounterDataImageInitialize(&image),
                          "counter data", err));
    PARAMS(CUpti_RangeProfiler_SetConfig_Params, set);
    set.pRangeProfilerObject = r->profiler;
    set.configSize = r->config_size;
    set.pConfig = r->config;
    set.counterDataImageSize = r->counters_size;
    set.pCounterDataImage = r->counters;
    set.range = CUPTI_AutoRange;
    set.replayMode = CUPTI_UserReplay;
    set.maxRangesPerPass = RANGES;
    set.numNestingLevels = 1;
    set.minNestingLevel = 1;
    set.targetNestingLevel = 1;
    return ks_cupti_check(cupti, cupti->cuptiRangeProfilerSetConfig(&set), "set configuration", err);
}

static enum ks_status one_pass(struct range *r, const struct ks_range_work *work, bool *last,
                               struct ks_err *err)
{
    const struct ks_cupti *cupti = r->cupti;
    KS_TRY(work->before(work->context, err));
    PARAMS(CUpti_RangeProfiler_Start_Params, start);
    start.pRangeProfilerObject = r->profiler;
    KS_TRY(ks_cupti_check(cupti, cupti->cuptiRangeProfilerStart(&start), "start", err));
    enum ks_status launched = work->launch(work->context, err);
    PARAMS(CUpti_RangeProfiler_Stop_Params, stop);
    stop.pRangeProfilerObject = r->profiler;
    CUptiResult stopped = cupti->cuptiRangeProfilerStop(&stop);
    *last = stop.isAllPassSubmitted != 0;
    KS_TRY(launched);
    return ks_cupti_check(cupti, stopped, "stop", err);
}

static enum ks_status collect(struct range *r, const struct ks_range_work *work, struct ks_err *err)
{
    const struct ks_cupti *cupti = r->cupti;
    bool last = false;
    for (size_t pass = 0; pass < r->passes && !last; pass++)
        KS_TRY(one_pass(r, work, &last, err));
    if (!last)
        return ks_err_set(err, KS_E_DEVICE, "the profiler wants more than its %zu passes", r->passes);
    PARAMS(CUpti_RangeProfiler_DecodeData_Params, decode);
    decode.pRangeProfilerObject = r->profiler;
    return ks_cupti_check(cupti, cupti->cuptiRangeProfilerDecodeData(&decode), "decode", err);
}

static size_t index_of(const struct range *r, const char *name)
{
    for (size_t i = 0; i < r->n; i++)
        if (strcmp(r->names[i], name) == 0)
            return i;
    return r->n;
}

// A plan's heaviest kernel stands for it.
static enum ks_status evaluate(struct ks_arena *arena, struct range *r, struct ks_range_values *out,
                               struct ks_err *err)
{
    const struct ks_cupti *cupti = r->cupti;
    PARAMS(CUpti_RangeProfiler_GetCounterDataInfo_Params, info);
    info.pCounterDataImage = r->counters;
    info.counterDataImageSize = r->counters_size;
    KS_TRY(ks_cupti_check(cupti, cupti->cuptiRangeProfilerGetCounterDataInfo(&info), "ranges", err));
    if (info.numTotalRanges == 0)
        return ks_err_set(err, KS_E_DEVICE, "the profiler saw no kernel");
    double *best = NULL, longest = -1;
    size_t duration = index_of(r, "gpu__time_duration.sum");
    for (size_t i = 0; i < info.numTotalRanges && i < RANGES; i++) {
        double *row = KS_NEW_ARRAY(arena, double, r->n + 1);
        PARAMS(CUpti_Profiler_Host_EvaluateToGpuValues_Params, p);
        p.pHostObject = r->host;
        p.pCounterDataImage = r->counters;
        p.counterDataImageSize = r->counters_size;
        p.rangeIndex = i;
        p.ppMetricNames = r->names;
        p.numMetrics = r->n;
        p.pMetricValues = row;
        KS_TRY(ks_cupti_check(cupti, cupti->cuptiProfilerHostEvaluateToGpuValues(&p), "evaluate",
                              err));
        if (row[duration] > longest) {
            longest = row[duration];
            best = row;
        }
    }
    out->values = json_object();
    for (size_t i = 0; i < r->n; i++)
        json_object_set_new(out->values, r->names[i], json_real(best[i]));
    return KS_OK;
}

// What is kept from call to call, once it has begun.
static struct range kept;
static struct ks_arena kept_arena;
static bool begun;

void ks_range_end(void)
{
    if (kept.profiler != NULL) {
        PARAMS(CUpti_RangeProfiler_Disable_Params, off);
        off.pRangeProfilerObject = kept.profiler;
        kept.cupti->cuptiRangeProfilerDisable(&off);
    }
    if (kept.cupti != NULL)
        host_close(kept.cupti, kept.host);
    PARAMS(CUpti_Profiler_DeInitialize_Params, p);
    if (kept.cupti != NULL && kept.chip != NULL)
        kept.cupti->cuptiProfilerDeInitialize(&p);
    kept = (struct range){0};
    ks_arena_free(&kept_arena);
    begun = false;
}

// What stays the same as long as the process lives: chip, names, configuration.
static enum ks_status begin(struct ks_arena *arena, struct range *r, struct ks_err *err)
{
    CUcontext context = NULL;
    int device = 0;
    KS_TRY(ks_cuda_context(&context, &device, err));
    KS_TRY(ks_cupti_open(&r->cupti, err));
    KS_TRY(ks_cupti_counters(r->cupti, err));
    PARAMS(CUpti_Profiler_Initialize_Params, init);
    KS_TRY(ks_cupti_check(r->cupti, r->cupti->cuptiProfilerInitialize(&init), "initialise", err));
    r->chip = "";
    PARAMS(CUpti_Device_GetChipName_Params, name);
    name.deviceIndex = (size_t)device;
    KS_TRY(ks_cupti_check(r->cupti, r->cupti->cuptiDeviceGetChipName(&name), "chip name", err));
    r->chip = ks_arena_strdup(arena, name.pChipName);
    return configure(arena, r, r->chip, err);
}

enum ks_status ks_range_profile(struct ks_arena *arena, const struct ks_range_work *work,
                                struct ks_range_values *out, struct ks_err *err)
{
    enum ks_status status = KS_OK;
    double began = ks_now();
    *out = (struct ks_range_values){.chip = ""};
    if (!begun)
        KS_TRY_GOTO(begin(&kept_arena, &kept, err), done);
    begun = true;
    out->chip = ks_arena_strdup(arena, kept.chip);
    out->passes = kept.passes;
    out->seconds_begin = ks_now() - began;
    if (kept.profiler == NULL)
        KS_TRY_GOTO(enable(&kept_arena, &kept, err), done);
    KS_TRY_GOTO(prepare(&kept, err), done);
    out->seconds_enable = ks_now() - began - out->seconds_begin;
    KS_TRY_GOTO(collect(&kept, work, err), done);
    out->seconds_collect = ks_now() - began - out->seconds_begin - out->seconds_enable;
    KS_TRY_GOTO(evaluate(arena, &kept, out, err), done);
done:
    out->seconds = ks_now() - began;
    if (status != KS_OK) // the next request begins anew
        ks_range_end();
    return status;
}
