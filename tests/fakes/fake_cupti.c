// A CUPTI for tests without a GPU. FAKE_CUPTI says what fails: "refuse" the activity records, "callbacks" the
// subscription, "drop" every 100th record. Records are lost with the process unless they are flushed, as the
// real one's are. Compiled with FAKE_CUPTI_OLD it lacks what libks-record needs.
#include <cupti_activity.h>
#include <cupti_callbacks.h>
#include <cupti_driver_cbid.h>
#include <cupti_result.h>
#include <cupti_version.h>
#include <pthread.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "fake_cuda.h"

#define EXPORT __attribute__((visibility("default")))

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static CUpti_BuffersCallbackRequestFunc request;
static CUpti_BuffersCallbackCompleteFunc complete;
static uint8_t *buffer;
static size_t room, used, dropped, seen;
static bool kernels;
static CUpti_CallbackFunc subscriber;
static void *subscribed;
static bool enabled[1024];

static bool fails(const char *what)
{
    const char *set = getenv("FAKE_CUPTI");
    return set != NULL && strcmp(set, what) == 0;
}

EXPORT CUptiResult cuptiGetVersion(uint32_t *version)
{
    *version = CUPTI_API_VERSION;
    return CUPTI_SUCCESS;
}

EXPORT CUptiResult cuptiGetResultString(CUptiResult result, const char **text)
{
    *text = result == CUPTI_ERROR_NOT_COMPATIBLE ? "CUPTI_ERROR_NOT_COMPATIBLE" : "CUPTI_ERROR_MADE_UP";
    return CUPTI_SUCCESS;
}

EXPORT CUptiResult cuptiActivityRegisterCallbacks(CUpti_BuffersCallbackRequestFunc a,
                                                  CUpti_BuffersCallbackCompleteFunc b)
{
    request = a;
    complete = b;
    return CUPTI_SUCCESS;
}

// With the lock held; given up while the client is called, which may wait for its own.
static void deliver(void)
{
    uint8_t *full = buffer;
    size_t size = room, valid = used;
    buffer = NULL;
    room = used = 0;
    if (full == NULL)
        return;
    pthread_mutex_unlock(&lock);
    complete(NULL, 0, full, size, valid);
    pthread_mutex_lock(&lock);
}

static void put(const void *record, size_t size)
{
    size = (size + 7) / 8 * 8;
    if (buffer != NULL && used + size > room)
        deliver();
    if (buffer == NULL) {
        size_t most;
        request(&buffer, &room, &most);
    }
    if (buffer == NULL)
        return;
    memset(buffer + used, 0, size);
    memcpy(buffer + used, record, size);
    used += size;
}

EXPORT CUptiResult cuptiActivityEnable(CUpti_ActivityKind kind)
{
    if (fails("refuse"))
        return CUPTI_ERROR_NOT_COMPATIBLE;
    pthread_mutex_lock(&lock);
    if (kind == CUPTI_ACTIVITY_KIND_CONCURRENT_KERNEL)
        kernels = true;
    if (kind == CUPTI_ACTIVITY_KIND_DEVICE) {
        CUpti_ActivityDevice5 d = {.kind = kind, .name = "Fake GPU", .numMultiprocessors = 4,
                                   .numThreadsPerWarp = 32, .maxWarpsPerMultiprocessor = 64,
                                   .maxBlocksPerMultiprocessor = 32,
                                   .maxRegistersPerMultiprocessor = 65536,
                                   .maxSharedMemoryPerMultiprocessor = 233472,
                                   .globalMemoryBandwidth = 32000000, .computeCapabilityMajor = 9};
        put(&d, sizeof d);
    }
    pthread_mutex_unlock(&lock);
    return CUPTI_SUCCESS;
}

EXPORT CUptiResult cuptiActivityFlushAll(uint32_t flag)
{
    (void)flag;
    pthread_mutex_lock(&lock);
    deliver();
    pthread_mutex_unlock(&lock);
    return CUPTI_SUCCESS;
}

static size_t size_of(const CUpti_Activity *record)
{
    size_t n = record->kind == CUPTI_ACTIVITY_KIND_DEVICE ? sizeof(CUpti_ActivityDevice5)
                                                          : sizeof(CUpti_ActivityKernel10);
    return (n + 7) / 8 * 8;
}

EXPORT CUptiResult cuptiActivityGetNextRecord(uint8_t *at, size_t valid, CUpti_Activity **record)
{
    uint8_t *next = *record == NULL ? at : (uint8_t *)*record + size_of(*record);
    if (next >= at + valid)
        return CUPTI_ERROR_MAX_LIMIT_REACHED;
    *record = (CUpti_Activity *)(void *)next;
    return CUPTI_SUCCESS;
}

EXPORT CUptiResult cuptiActivityGetNumDroppedRecords(CUcontext context, uint32_t stream, size_t *n)
{
    (void)context, (void)stream;
    *n = dropped;
    dropped = 0;
    return CUPTI_SUCCESS;
}

#ifndef FAKE_CUPTI_OLD
EXPORT CUptiResult cuptiSubscribe(CUpti_SubscriberHandle *handle, CUpti_CallbackFunc function, void *data)
{
    if (fails("callbacks"))
        return CUPTI_ERROR_MULTIPLE_SUBSCRIBERS_NOT_SUPPORTED;
    subscriber = function;
    subscribed = data;
    *handle = NULL;
    return CUPTI_SUCCESS;
}
#endif

EXPORT CUptiResult cuptiEnableCallback(uint32_t enable, CUpti_SubscriberHandle handle,
                                       CUpti_CallbackDomain domain, CUpti_CallbackId id)
{
    (void)handle;
    if (domain == CUPTI_CB_DOMAIN_DRIVER_API && id < sizeof enabled / sizeof *enabled)
        enabled[id] = enable != 0;
    return CUPTI_SUCCESS;
}

EXPORT void fake_cupti_kernel(const CUpti_ActivityKernel10 *kernel)
{
    pthread_mutex_lock(&lock);
    if (kernels && fails("drop") && ++seen % 100 == 0)
        dropped++;
    else if (kernels)
        put(kernel, sizeof *kernel);
    pthread_mutex_unlock(&lock);
}

EXPORT void fake_cupti_driver(uint32_t id, int enter, const void *params, const char *symbol, CUcontext context)
{
    static CUresult success = CUDA_SUCCESS;
    CUpti_CallbackData data = {.callbackSite = enter ? CUPTI_API_ENTER : CUPTI_API_EXIT,
                               .functionParams = params, .symbolName = symbol, .context = context,
                               .functionReturnValue = enter ? NULL : &success};
    if (subscriber != NULL && enabled[id])
        subscriber(subscribed, CUPTI_CB_DOMAIN_DRIVER_API, id, &data);
}
