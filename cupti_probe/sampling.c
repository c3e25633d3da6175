#include "sampling.h"

#include <stdlib.h>
#include <string.h>

#include "base/vec.h"
#include "range.h"

#define PERIOD 11   // 2^n cycles: some 18,000 samples of a kernel of 150 us, none dropped
#define PCS 2048    // instructions that one reading holds
#define READINGS 64 // of one kernel, at most
#define LINES 64    // that are told of
#define REASON_MAX CUPTI_STALL_REASON_STRING_SIZE

struct line {
    const char *file; // NULL: the cubin does not say
    uint32_t line;
    uint64_t samples;
    uint64_t *stalls; // by reason
};
struct sampler {
    const struct ks_cupti *cupti;
    struct ks_arena *arena;
    CUcontext context;
    size_t n_reasons;
    char **names;
    uint32_t *indices;
    CUpti_PCSamplingData data;
    KS_VEC(struct line) lines;
    uint64_t samples, dropped;
};

static enum ks_status read_reasons(struct sampler *s, struct ks_err *err)
{
    CUpti_PCSamplingGetNumStallReasonsParams count = {
        .size = CUpti_PCSamplingGetNumStallReasonsParamsSize,
        .ctx = s->context,
        .numStallReasons = &s->n_reasons};
    KS_TRY(ks_cupti_check(s->cupti, s->cupti->cuptiPCSamplingGetNumStallReasons(&count),
                          "stall reasons", err));
    s->names = KS_NEW_ARRAY(s->arena, char *, s->n_reasons + 1);
    s->indices = KS_NEW_ARRAY(s->arena, uint32_t, s->n_reasons + 1);
    for (size_t i = 0; i < s->n_reasons; i++)
        s->names[i] = KS_NEW_ARRAY(s->arena, char, REASON_MAX + 1);
    CUpti_PCSamplingGetStallReasonsParams list = {.size = CUpti_PCSamplingGetStallReasonsParamsSize,
                                                  .ctx = s->context,
                                                  .numStallReasons = s->n_reasons,
                                                  .stallReasonIndex = s->indices,
                                                  .stallReasons = s->names};
    return ks_cupti_check(s->cupti, s->cupti->cuptiPCSamplingGetStallReasons(&list),
                          "stall reasons", err);
}

static void make_room(struct sampler *s, CUpti_PCSamplingData *data)
{
    *data = (CUpti_PCSamplingData){.size = sizeof *data, .collectNumPcs = PCS};
    data->pPcData = KS_NEW_ARRAY(s->arena, CUpti_PCSamplingPCData, PCS);
    for (size_t i = 0; i < PCS; i++) {
        data->pPcData[i].size = sizeof *data->pPcData;
        data->pPcData[i].stallReason =
            KS_NEW_ARRAY(s->arena, CUpti_PCSamplingStallReason, s->n_reasons + 1);
    }
}

static enum ks_status configure(struct sampler *s, struct ks_err *err)
{
    enum { MODE, PERIOD_OF, REASONS, CONTROL, BUFFER, ATTRIBUTES };
    CUpti_PCSamplingConfigurationInfo *info =
        KS_NEW_ARRAY(s->arena, CUpti_PCSamplingConfigurationInfo, ATTRIBUTES);
    make_room(s, &s->data);
    info[MODE].attributeType = CUPTI_PC_SAMPLING_CONFIGURATION_ATTR_TYPE_COLLECTION_MODE;
    info[MODE].attributeData.collectionModeData.collectionMode =
        CUPTI_PC_SAMPLING_COLLECTION_MODE_KERNEL_SERIALIZED;
    info[PERIOD_OF].attributeType = CUPTI_PC_SAMPLING_CONFIGURATION_ATTR_TYPE_SAMPLING_PERIOD;
    info[PERIOD_OF].attributeData.samplingPeriodData.samplingPeriod = PERIOD;
    info[REASONS].attributeType = CUPTI_PC_SAMPLING_CONFIGURATION_ATTR_TYPE_STALL_REASON;
    info[REASONS].attributeData.stallReasonData.stallReasonCount = s->n_reasons;
    info[REASONS].attributeData.stallReasonData.pStallReasonIndex = s->indices;
    info[CONTROL].attributeType =
        CUPTI_PC_SAMPLING_CONFIGURATION_ATTR_TYPE_ENABLE_START_STOP_CONTROL;
    info[CONTROL].attributeData.enableStartStopControlData.enableStartStopControl = 1;
    info[BUFFER].attributeType = CUPTI_PC_SAMPLING_CONFIGURATION_ATTR_TYPE_SAMPLING_DATA_BUFFER;
    info[BUFFER].attributeData.samplingDataBufferData.samplingDataBuffer = &s->data;
    CUpti_PCSamplingConfigurationInfoParams p = {.size =
                                                     CUpti_PCSamplingConfigurationInfoParamsSize,
                                                 .ctx = s->context,
                                                 .numAttributes = ATTRIBUTES,
                                                 .pPCSamplingConfigurationInfo = info};
    KS_TRY(ks_cupti_check(s->cupti, s->cupti->cuptiPCSamplingSetConfigurationAttribute(&p),
                          "sampling attributes", err));
    for (size_t i = 0; i < ATTRIBUTES; i++) // one may be refused while the call succeeds
        KS_TRY(ks_cupti_check(s->cupti, info[i].attributeStatus, "a sampling attribute", err));
    return KS_OK;
}

static enum ks_status collect(struct sampler *s,
                              enum ks_status (*launch)(void *context, struct ks_err *err),
                              void *context, struct ks_err *err)
{
    CUpti_PCSamplingStartParams start = {.size = CUpti_PCSamplingStartParamsSize,
                                         .ctx = s->context};
    KS_TRY(ks_cupti_check(s->cupti, s->cupti->cuptiPCSamplingStart(&start), "sampling start", err));
    enum ks_status launched = launch(context, err);
    CUpti_PCSamplingStopParams stop = {.size = CUpti_PCSamplingStopParamsSize, .ctx = s->context};
    CUptiResult stopped = s->cupti->cuptiPCSamplingStop(&stop);
    KS_TRY(launched);
    return ks_cupti_check(s->cupti, stopped, "sampling stop",
                          err); // fills the buffer given at configuration
}

// ---- from instructions to lines

static struct line *line_of(struct sampler *s, const char *file, uint32_t number)
{
    ks_vec_each (struct line, line, &s->lines)
        if (line->line == number && (file == NULL) == (line->file == NULL) &&
            (file == NULL || strcmp(file, line->file) == 0))
            return line;
    struct line *line = ks_vec_push(s->arena, &s->lines);
    *line = (struct line){.file = file == NULL ? NULL : ks_arena_strdup(s->arena, file),
                          .line = number,
                          .stalls = KS_NEW_ARRAY(s->arena, uint64_t, s->n_reasons + 1)};
    return line;
}

static struct line *find_line(struct sampler *s, struct ks_slice cubin,
                              const CUpti_PCSamplingPCData *pc)
{
    CUpti_GetSassToSourceCorrelationParams p = {.size = CUpti_GetSassToSourceCorrelationParamsSize,
                                                .cubin = cubin.at,
                                                .cubinSize = cubin.len,
                                                .functionName = pc->functionName,
                                                .pcOffset = pc->pcOffset};
    bool known = s->cupti->cuptiGetSassToSourceCorrelation(&p) == CUPTI_SUCCESS &&
                 p.fileName != NULL && p.lineNumber > 0;
    const char *file = p.fileName;
    if (known && file[0] != '/' && p.dirName != NULL && p.dirName[0] != '\0')
        file = ks_arena_printf(s->arena, "%s/%s", p.dirName, file);
    struct line *line = line_of(s, known ? file : NULL, known ? p.lineNumber : 0);
    free(p.fileName);
    free(p.dirName);
    return line;
}

// Each reason has a twin "..._not_issued" that counts a part of the same samples.
static bool counts(const char *reason)
{
    static const char twin[] = "_not_issued";
    size_t n = strlen(reason), m = sizeof twin - 1;
    return n > 0 && (n < m || strcmp(reason + n - m, twin) != 0);
}

// Several records of one instruction are possible: they add up.
static void sum(struct sampler *s, struct ks_slice cubin, const CUpti_PCSamplingData *data)
{
    s->dropped += data->droppedSamples;
    for (size_t i = 0; i < data->totalNumPcs && i < PCS; i++) {
        const CUpti_PCSamplingPCData *pc = &data->pPcData[i];
        struct line *line = find_line(s, cubin, pc);
        for (size_t k = 0; k < pc->stallReasonCount && k < s->n_reasons; k++)
            for (size_t z = 0; z < s->n_reasons; z++)
                if (s->indices[z] == pc->stallReason[k].pcSamplingStallReasonIndex &&
                    counts(s->names[z])) {
                    line->stalls[z] += pc->stallReason[k].samples;
                    line->samples += pc->stallReason[k].samples;
                    s->samples += pc->stallReason[k].samples;
                }
    }
}

// What stopping put into the buffer of the configuration, then whatever is still to be had.
static enum ks_status read_samples(struct sampler *s, struct ks_slice cubin, struct ks_err *err)
{
    CUpti_PCSamplingData more;
    CUpti_PCSamplingGetDataParams p = {
        .size = CUpti_PCSamplingGetDataParamsSize, .ctx = s->context, .pcSamplingData = &more};
    sum(s, cubin, &s->data);
    for (int i = 0; i < READINGS; i++) {
        make_room(s, &more);
        CUptiResult result = s->cupti->cuptiPCSamplingGetData(&p);
        if (result != CUPTI_SUCCESS && s->samples == 0)
            return ks_cupti_check(s->cupti, result, "samples", err);
        if (result != CUPTI_SUCCESS || more.totalNumPcs == 0)
            break;
        sum(s, cubin, &more);
    }
    return s->samples > 0 ? KS_OK
                          : ks_cupti_refuse(
                                err, KS_E_DEVICE, "lines-none",
                                "the sampler saw nothing of the kernel: give it more work (--set)");
}

static int by_samples(const void *a, const void *b)
{
    const struct line *x = a, *y = b;
    return x->samples < y->samples ? 1 : x->samples > y->samples ? -1 : x->line < y->line ? -1 : 1;
}

// "smsp__pcsamp_warps_issue_stalled_long_scoreboard" is "long_scoreboard" here.
static const char *short_name(const char *reason)
{
    static const char stalled[] = "stalled_";
    const char *at = strstr(reason, stalled);
    return at != NULL ? at + sizeof stalled - 1 : reason;
}

static json_t *lines_json(const struct sampler *s)
{
    json_t *list = json_array();
    for (size_t i = 0; i < s->lines.len && i < LINES; i++) {
        const struct line *line = &s->lines.at[i];
        json_t *stalls = json_object();
        for (size_t z = 0; z < s->n_reasons; z++)
            if (line->stalls[z] > 0)
                json_object_set_new(stalls, short_name(s->names[z]),
                                    json_integer((json_int_t)line->stalls[z]));
        json_t *row = json_pack("{s:i,s:I,s:o}", "line", (int)line->line, "samples",
                                (json_int_t)line->samples, "stalls", stalls);
        json_object_set_new(row, "file",
                            line->file != NULL ? json_string(line->file) : json_null());
        json_array_append_new(list, row);
    }
    return list;
}

enum ks_status ks_sample_lines(struct ks_arena *arena, struct ks_slice cubin,
                               enum ks_status (*launch)(void *context, struct ks_err *err),
                               void *context, json_t **lines, uint64_t *samples, uint64_t *dropped,
                               struct ks_err *err)
{
    struct sampler s = {.arena = arena};
    enum ks_status status;
    bool enabled = false;
    int device;
    KS_TRY(ks_cupti_open(&s.cupti, err));
    KS_TRY(ks_cuda_context(&s.context, &device, err));
    CUpti_PCSamplingEnableParams on = {.size = CUpti_PCSamplingEnableParamsSize, .ctx = s.context};
    KS_TRY_GOTO(ks_cupti_check(s.cupti, s.cupti->cuptiPCSamplingEnable(&on), "sampling", err),
                done);
    enabled = true;
    KS_TRY_GOTO(read_reasons(&s, err), done);
    KS_TRY_GOTO(configure(&s, err), done);
    KS_TRY_GOTO(collect(&s, launch, context, err), done);
    KS_TRY_GOTO(read_samples(&s, cubin, err), done);
    if (s.lines.len > 0)
        qsort(s.lines.at, s.lines.len, sizeof *s.lines.at, by_samples);
    *lines = lines_json(&s);
    *samples = s.samples;
    *dropped = s.dropped;
done:
    if (enabled) {
        CUpti_PCSamplingDisableParams off = {.size = CUpti_PCSamplingDisableParamsSize,
                                             .ctx = s.context};
        s.cupti->cuptiPCSamplingDisable(&off);
    }
    return status;
}
