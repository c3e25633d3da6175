// The profiling half of the fake CUPTI: counters as FAKE_COUNTERS says, read of a kernel whose
// stores are scattered. "rights", "busy", "mig", "failed" are refusals; "lines" one of PC sampling
// alone.
#include <cuda.h>
#include <cupti_activity.h>
#include <cupti_pcsampling.h>
#include <cupti_profiler_host.h>
#include <cupti_profiler_target.h>
#include <cupti_range_profiler.h>
#include <cupti_target.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define EXPORT __attribute__((visibility("default")))

static bool is(const char *what)
{
    const char *set = getenv("FAKE_COUNTERS");
    return set != NULL && strcmp(set, what) == 0;
}

// Where each refusal is seen on real machines.
static CUptiResult refused_at_start(void)
{
    return is("busy")     ? CUPTI_ERROR_HARDWARE_BUSY
           : is("rights") ? CUPTI_ERROR_INSUFFICIENT_PRIVILEGES
           : is("failed") ? CUPTI_ERROR_UNKNOWN
                          : CUPTI_SUCCESS;
}

EXPORT CUptiResult cuptiActivityDisable(CUpti_ActivityKind kind)
{
    (void)kind;
    return CUPTI_SUCCESS;
}
EXPORT CUptiResult cuptiProfilerInitialize(CUpti_Profiler_Initialize_Params *p)
{
    (void)p;
    return CUPTI_SUCCESS;
}
EXPORT CUptiResult cuptiProfilerDeInitialize(CUpti_Profiler_DeInitialize_Params *p)
{
    (void)p;
    return CUPTI_SUCCESS;
}
EXPORT CUptiResult cuptiProfilerDeviceSupported(CUpti_Profiler_DeviceSupported_Params *p)
{
    (void)p;
    return CUPTI_SUCCESS;
}
EXPORT CUptiResult cuptiDeviceGetChipName(CUpti_Device_GetChipName_Params *p)
{
    p->pChipName = p->deviceIndex == 3 ? "FAKE3" : "FAKE";
    return CUPTI_SUCCESS;
}

// ---- host: one name is not known on this chip, whose second name is

static const char *const unknown = "dram__bytes_read.sum";
static int object; // stands for all that CUPTI hands out
static bool profiled;
#define PASSES 10
static size_t passes; // that have run

EXPORT CUptiResult cuptiProfilerHostInitialize(CUpti_Profiler_Host_Initialize_Params *p)
{
    p->pHostObject = (CUpti_Profiler_Host_Object *)&object;
    return CUPTI_SUCCESS;
}
EXPORT CUptiResult cuptiProfilerHostDeinitialize(CUpti_Profiler_Host_Deinitialize_Params *p)
{
    (void)p;
    return CUPTI_SUCCESS;
}
EXPORT CUptiResult cuptiProfilerHostConfigAddMetrics(CUpti_Profiler_Host_ConfigAddMetrics_Params *p)
{
    for (size_t i = 0; i < p->numMetrics; i++)
        if (strcmp(p->ppMetricNames[i], unknown) == 0)
            return CUPTI_ERROR_INVALID_PARAMETER;
    return CUPTI_SUCCESS;
}
EXPORT CUptiResult
cuptiProfilerHostGetConfigImageSize(CUpti_Profiler_Host_GetConfigImageSize_Params *p)
{
    p->configImageSize = 64;
    return CUPTI_SUCCESS;
}
EXPORT CUptiResult cuptiProfilerHostGetConfigImage(CUpti_Profiler_Host_GetConfigImage_Params *p)
{
    memset(p->pConfigImage, 0, p->configImageSize);
    return CUPTI_SUCCESS;
}
EXPORT CUptiResult cuptiProfilerHostGetNumOfPasses(CUpti_Profiler_Host_GetNumOfPasses_Params *p)
{
    p->numOfPasses = PASSES;
    return CUPTI_SUCCESS;
}
EXPORT CUptiResult
cuptiProfilerHostEvaluateToGpuValues(CUpti_Profiler_Host_EvaluateToGpuValues_Params *p)
{
    static const struct {
        const char *name;
        double value;
    } values[] = {{"gpu__time_duration.sum", 962000},
                  {"dram__throughput.avg.pct_of_peak_sustained_elapsed", 13.5},
                  {"dram__bytes_op_read.sum", 268435456},
                  {"l1tex__t_sectors_pipe_lsu_mem_global_op_ld.sum", 8388608},
                  {"l1tex__t_requests_pipe_lsu_mem_global_op_ld.sum", 2097152},
                  {"l1tex__t_sectors_pipe_lsu_mem_global_op_st.sum", 67108864},
                  {"l1tex__t_requests_pipe_lsu_mem_global_op_st.sum", 2097152},
                  {"lts__t_sector_hit_rate.pct", 100.6},
                  {"sm__warps_active.avg.pct_of_peak_sustained_active", 94},
                  {"smsp__issue_active.avg.per_cycle_active", 0.05},
                  {"smsp__inst_executed.sum", 65011712}};
    for (size_t i = 0; i < p->numMetrics; i++) {
        p->pMetricValues[i] = 0;
        for (size_t k = 0; k < sizeof values / sizeof *values; k++)
            if (strcmp(values[k].name, p->ppMetricNames[i]) == 0)
                p->pMetricValues[i] = values[k].value;
    }
    return CUPTI_SUCCESS;
}

// ---- ranges: one, known once it has run in each pass

EXPORT CUptiResult cuptiRangeProfilerEnable(CUpti_RangeProfiler_Enable_Params *p)
{
    p->pRangeProfilerObject = (CUpti_RangeProfiler_Object *)&object;
    profiled = true;
    return is("mig") ? CUPTI_ERROR_MIG_DEVICE_NOT_SUPPORTED : CUPTI_SUCCESS;
}
EXPORT CUptiResult cuptiRangeProfilerDisable(CUpti_RangeProfiler_Disable_Params *p)
{
    (void)p;
    return CUPTI_SUCCESS;
}
EXPORT CUptiResult
cuptiRangeProfilerGetCounterDataSize(CUpti_RangeProfiler_GetCounterDataSize_Params *p)
{
    p->counterDataSize = 64;
    return CUPTI_SUCCESS;
}
EXPORT CUptiResult cuptiRangeProfilerCounterDataImageInitialize(
    CUpti_RangeProfiler_CounterDataImage_Initialize_Params *p)
{
    memset(p->pCounterData, 0, p->counterDataSize);
    passes = 0;
    return CUPTI_SUCCESS;
}
EXPORT CUptiResult cuptiRangeProfilerSetConfig(CUpti_RangeProfiler_SetConfig_Params *p)
{
    (void)p;
    return CUPTI_SUCCESS;
}
EXPORT CUptiResult cuptiRangeProfilerStart(CUpti_RangeProfiler_Start_Params *p)
{
    (void)p;
    return refused_at_start();
}
EXPORT CUptiResult cuptiRangeProfilerStop(CUpti_RangeProfiler_Stop_Params *p)
{
    p->isAllPassSubmitted = ++passes == PASSES;
    return CUPTI_SUCCESS;
}
EXPORT CUptiResult cuptiRangeProfilerDecodeData(CUpti_RangeProfiler_DecodeData_Params *p)
{
    (void)p;
    return CUPTI_SUCCESS;
}
EXPORT CUptiResult
cuptiRangeProfilerGetCounterDataInfo(CUpti_RangeProfiler_GetCounterDataInfo_Params *p)
{
    p->numTotalRanges = passes == PASSES;
    return CUPTI_SUCCESS;
}

// ---- PC sampling: two instructions of one line and one of another; each stall has its twin

static const char *const reasons[] = {"smsp__pcsamp_warps_issue_stalled_long_scoreboard",
                                      "smsp__pcsamp_warps_issue_stalled_long_scoreboard_not_issued",
                                      "smsp__pcsamp_warps_issue_stalled_lg_throttle",
                                      "smsp__pcsamp_warps_issue_stalled_lg_throttle_not_issued"};
static CUpti_PCSamplingData *given;
static bool left;

EXPORT CUptiResult cuptiPCSamplingEnable(CUpti_PCSamplingEnableParams *p)
{
    (void)p;
    return is("lines") ? CUPTI_ERROR_HARDWARE_BUSY : CUPTI_SUCCESS;
}
EXPORT CUptiResult cuptiPCSamplingDisable(CUpti_PCSamplingDisableParams *p)
{
    (void)p;
    return CUPTI_SUCCESS;
}
EXPORT CUptiResult cuptiPCSamplingGetNumStallReasons(CUpti_PCSamplingGetNumStallReasonsParams *p)
{
    *p->numStallReasons = sizeof reasons / sizeof *reasons;
    return CUPTI_SUCCESS;
}
EXPORT CUptiResult cuptiPCSamplingGetStallReasons(CUpti_PCSamplingGetStallReasonsParams *p)
{
    for (size_t i = 0; i < p->numStallReasons; i++) {
        p->stallReasonIndex[i] = (uint32_t)(10 + i);
        snprintf(p->stallReasons[i], CUPTI_STALL_REASON_STRING_SIZE, "%s", reasons[i]);
    }
    return CUPTI_SUCCESS;
}
EXPORT CUptiResult
cuptiPCSamplingSetConfigurationAttribute(CUpti_PCSamplingConfigurationInfoParams *p)
{
    for (size_t i = 0; i < p->numAttributes; i++)
        if (p->pPCSamplingConfigurationInfo[i].attributeType ==
            CUPTI_PC_SAMPLING_CONFIGURATION_ATTR_TYPE_SAMPLING_DATA_BUFFER)
            given = p->pPCSamplingConfigurationInfo[i]
                        .attributeData.samplingDataBufferData.samplingDataBuffer;
    return CUPTI_SUCCESS;
}
EXPORT CUptiResult cuptiPCSamplingStart(CUpti_PCSamplingStartParams *p)
{
    (void)p;
    return CUPTI_SUCCESS;
}
static CUptiResult put(CUpti_PCSamplingData *data, size_t from, size_t to)
{
    static char name[] = "fake";
    static const uint32_t samples[3][4] = {{600, 590, 100, 90}, {150, 140, 50, 50}, {100, 0, 0, 0}};
    for (size_t i = from; i < to; i++) {
        CUpti_PCSamplingPCData *pc = &data->pPcData[i - from];
        pc->functionName = name;
        pc->pcOffset = 16 * i;
        pc->stallReasonCount = 4;
        for (size_t k = 0; k < 4; k++)
            pc->stallReason[k] = (CUpti_PCSamplingStallReason){(uint32_t)(10 + k), samples[i][k]};
    }
    data->totalNumPcs = to - from;
    return CUPTI_SUCCESS;
}

// Some come with the end, the rest is to be asked for. Behind a range profiler that was enabled
// there are none, as on a real GPU.
EXPORT CUptiResult cuptiPCSamplingStop(CUpti_PCSamplingStopParams *p)
{
    (void)p;
    left = !profiled && !is("nothing");
    return left ? put(given, 0, 2) : CUPTI_SUCCESS;
}
EXPORT CUptiResult cuptiPCSamplingGetData(CUpti_PCSamplingGetDataParams *p)
{
    CUptiResult result = left ? put(p->pcSamplingData, 2, 3) : CUPTI_SUCCESS;
    left = false;
    return result;
}
EXPORT CUptiResult cuptiGetSassToSourceCorrelation(CUpti_GetSassToSourceCorrelationParams *p)
{
    if (p->cubinSize == 0 || p->cubin == NULL)
        return CUPTI_ERROR_INVALID_PARAMETER;
    p->lineNumber = p->pcOffset < 32 ? 7 : 6;
    p->fileName = strdup("a.cu");
    p->dirName = strdup("/src");
    return CUPTI_SUCCESS;
}
