// Kernel durations by the activity API, for machines whose driver keeps counters to administrators.
#include <stdlib.h>

#include "range.h"

#define BUFFER (8u << 20)

static const struct ks_cupti *library;
static double longest_us;

static void CUPTIAPI buffer_requested(uint8_t **buffer, size_t *size, size_t *max_records)
{
    *buffer = aligned_alloc(ACTIVITY_RECORD_ALIGNMENT, BUFFER);
    *size = *buffer != NULL ? BUFFER : 0;
    *max_records = 0;
}

static void CUPTIAPI buffer_completed(CUcontext context, uint32_t stream, uint8_t *buffer,
                                      size_t size, size_t valid)
{
    (void)context;
    (void)stream;
    (void)size;
    CUpti_Activity *record = NULL;
    while (library->cuptiActivityGetNextRecord(buffer, valid, &record) == CUPTI_SUCCESS) {
        if (record->kind != CUPTI_ACTIVITY_KIND_CONCURRENT_KERNEL)
            continue;
        const CUpti_ActivityKernel10 *kernel = (const CUpti_ActivityKernel10 *)record;
        double us = (double)(kernel->end - kernel->start) / 1000;
        if (us > longest_us)
            longest_us = us;
    }
    free(buffer);
}

enum ks_status ks_activity_time(enum ks_status (*launch)(void *context, struct ks_err *err),
                                void *context, double *microseconds, struct ks_err *err)
{
    KS_TRY(ks_cupti_open(&library, err));
    KS_TRY(ks_cupti_check(library,
                          library->cuptiActivityRegisterCallbacks(buffer_requested,
                                                                  buffer_completed),
                          "activity callbacks", err));
    KS_TRY(ks_cupti_check(library,
                          library->cuptiActivityEnable(CUPTI_ACTIVITY_KIND_CONCURRENT_KERNEL),
                          "activity", err));
    longest_us = 0;
    enum ks_status status = launch(context, err);
    library->cuptiActivityFlushAll(1);
    library->cuptiActivityDisable(CUPTI_ACTIVITY_KIND_CONCURRENT_KERNEL);
    KS_TRY(status);
    if (longest_us <= 0)
        return ks_err_set(err, KS_E_DEVICE, "the activity API recorded no kernel");
    *microseconds = longest_us;
    return KS_OK;
}
