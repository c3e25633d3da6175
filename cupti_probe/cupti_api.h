// CUPTI, opened at run time: a table of the entry points the probe uses.
#ifndef KS_CUPTI_API_H
#define KS_CUPTI_API_H

#include <cupti_activity.h>
#include <cupti_pcsampling.h>
#include <cupti_profiler_host.h>
#include <cupti_profiler_target.h>
#include <cupti_range_profiler.h>
#include <cupti_result.h>
#include <cupti_target.h>
#include <stdbool.h>

#include "base/status.h"

#define KS_CUPTI_FUNCTIONS(X)                                                                     \
    X(cuptiGetResultString)                                                                       \
    X(cuptiActivityEnable)                                                                        \
    X(cuptiActivityDisable)                                                                       \
    X(cuptiActivityFlushAll)                                                                      \
    X(cuptiActivityGetNextRecord)                                                                 \
    X(cuptiActivityRegisterCallbacks)                                                             \
    X(cuptiProfilerInitialize)                                                                    \
    X(cuptiProfilerDeInitialize)                                                                  \
    X(cuptiProfilerDeviceSupported)                                                               \
    X(cuptiDeviceGetChipName)                                                                     \
    X(cuptiProfilerHostInitialize)                                                                \
    X(cuptiProfilerHostDeinitialize)                                                              \
    X(cuptiProfilerHostConfigAddMetrics)                                                          \
    X(cuptiProfilerHostGetConfigImageSize)                                                        \
    X(cuptiProfilerHostGetConfigImage)                                                            \
    X(cuptiProfilerHostGetNumOfPasses)                                                            \
    X(cuptiProfilerHostEvaluateToGpuValues)                                                       \
    X(cuptiRangeProfilerEnable)                                                                   \
    X(cuptiRangeProfilerDisable)                                                                  \
    X(cuptiRangeProfilerGetCounterDataSize)                                                       \
    X(cuptiRangeProfilerCounterDataImageInitialize)                                               \
    X(cuptiRangeProfilerSetConfig)                                                                \
    X(cuptiRangeProfilerStart)                                                                    \
    X(cuptiRangeProfilerStop)                                                                     \
    X(cuptiRangeProfilerDecodeData)                                                               \
    X(cuptiRangeProfilerGetCounterDataInfo)                                                       \
    X(cuptiPCSamplingEnable)                                                                      \
    X(cuptiPCSamplingDisable)                                                                     \
    X(cuptiPCSamplingGetNumStallReasons)                                                          \
    X(cuptiPCSamplingGetStallReasons)                                                             \
    X(cuptiPCSamplingSetConfigurationAttribute)                                                   \
    X(cuptiPCSamplingStart)                                                                       \
    X(cuptiPCSamplingStop)                                                                        \
    X(cuptiPCSamplingGetData)                                                                     \
    X(cuptiGetSassToSourceCorrelation)

struct ks_cupti {
    bool counters; // libnvperf_host is here too
#define KS_CUPTI_MEMBER(name) __typeof__(name) *name;
    KS_CUPTI_FUNCTIONS(KS_CUPTI_MEMBER)
#undef KS_CUPTI_MEMBER
};

// Opens libnvperf_host and then libcupti: libcupti has no run path, and without the first the host
// calls answer NOT_INITIALIZED. Looks in KS_CUPTI_DIR, then where the loader looks, then in the toolkit
// the project was built with. KS_E_ABSENT: no libcupti; without libnvperf_host activity records still
// work. One table a process.
enum ks_status ks_cupti_open(const struct ks_cupti **cupti, struct ks_err *err);
// KS_E_ABSENT where libnvperf_host is missing, without which there are no counters.
enum ks_status ks_cupti_counters(const struct ks_cupti *cupti, struct ks_err *err);

// KS_OK for CUPTI_SUCCESS; KS_E_UNSUPPORTED with the sentence that says what to change for what is a known
// refusal; else KS_E_DEVICE "what: CUPTI_ERROR_...".
enum ks_status ks_cupti_check(const struct ks_cupti *cupti, CUptiResult result, const char *what,
                              struct ks_err *err);
// A failure with a code (docs/profile.md) of its own.
enum ks_status ks_cupti_refuse(struct ks_err *err, enum ks_status status, const char *code, const char *text);
// The code (docs/profile.md) of the last failure of these; "" before one. One thread.
const char *ks_cupti_code(void);

#endif
