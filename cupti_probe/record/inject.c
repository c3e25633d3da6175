// libks-record: what the CUDA driver loads into a program that `ks record` runs (CUDA_INJECTION64_PATH), while
// that program initialises CUDA. It writes what kernels ran, and when, to the recording that KS_RECORD_FILE
// names (profile/recording.h). Whatever fails here fails silently for the program: its output, its exit status
// and its errno are its own.
//
// CUPTI hands over buffers of activity records when they are full, and at a flush. A thread of ours flushes ten
// times a second, since a program that crashes, calls exec or _exit takes along what is not flushed; not while
// launches are so many that buffers fill by themselves, since a flush makes launches wait. The end by exit, a reset of
// the device and the end of a context flush at once.
#include <errno.h>
#include <pthread.h>
#include <signal.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "capture_calls.h"
#include "profile/recording.h"
#include "record_cupti.h"
#include "record_file.h"
#include "record_kernels.h"

#define BUFFER (8u << 20) // bytes: some 40,000 records
#define SPARE 8           // buffers kept for the next request
#define FLUSH_MS 100
#define QUIET_MS 500      // since the last full buffer, before a flush

// Called by the CUDA driver; 1: all is well.
int InitializeInjection(void);

static struct record_cupti cupti;
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER; // of the recording
// A launch that needs a buffer must not wait for one that is being written out.
static pthread_mutex_t spare_lock = PTHREAD_MUTEX_INITIALIZER;
static uint8_t *spare[SPARE];
static int n_spare;
static int64_t dropped;
static _Atomic int64_t full_at; // when a buffer came that was full, milliseconds
static pid_t owner; // a child that fork made records nothing

static int64_t unix_time(void)
{
    struct timespec now;
    clock_gettime(CLOCK_REALTIME, &now);
    return (int64_t)now.tv_sec * 1000000000 + now.tv_nsec;
}

static int64_t milliseconds(void)
{
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC_COARSE, &now);
    return (int64_t)now.tv_sec * 1000 + now.tv_nsec / 1000000;
}

static void put_words(const char *kind, const char *code, const char *text)
{
    pthread_mutex_lock(&lock);
    record_launches_end();
    record_begin();
    record_text(kind);
    record_string(code);
    record_text(",\"text\":");
    record_string(text);
    record_end();
    pthread_mutex_unlock(&lock);
}

// ---- buffers of records

static void CUPTIAPI buffer_requested(uint8_t **buffer, size_t *size, size_t *most)
{
    int before = errno;
    pthread_mutex_lock(&spare_lock);
    *buffer = n_spare > 0 ? spare[--n_spare] : NULL;
    pthread_mutex_unlock(&spare_lock);
    if (*buffer == NULL)
        *buffer = aligned_alloc(ACTIVITY_RECORD_ALIGNMENT, BUFFER);
    *size = *buffer != NULL ? BUFFER : 0;
    *most = 0; // as many as there is room for
    errno = before;
}

static void put_dropped(void)
{
    size_t n = 0;
    if (cupti.cuptiActivityGetNumDroppedRecords(NULL, 0, &n) != CUPTI_SUCCESS || n == 0)
        return;
    dropped += (int64_t)n;
    record_launches_end();
    record_begin();
    record_text(",\"dropped\":");
    record_number((int64_t)n);
    record_end();
}

static void CUPTIAPI buffer_completed(CUcontext context, uint32_t stream, uint8_t *buffer,
                                      size_t size, size_t valid)
{
    int before = errno;
    CUpti_Activity *record = NULL;
    (void)context, (void)stream;
    if (valid > size / 2)
        full_at = milliseconds();
    pthread_mutex_lock(&lock);
    while (valid > 0 && cupti.cuptiActivityGetNextRecord(buffer, valid, &record) == CUPTI_SUCCESS)
        if (record->kind == CUPTI_ACTIVITY_KIND_CONCURRENT_KERNEL)
            record_kernel((const CUpti_ActivityKernel10 *)record);
        else if (record->kind == CUPTI_ACTIVITY_KIND_DEVICE)
            record_device((const CUpti_ActivityDevice5 *)record);
    put_dropped();
    record_launches_end();
    record_flush();
    pthread_mutex_unlock(&lock);
    pthread_mutex_lock(&spare_lock);
    if (n_spare < SPARE) {
        spare[n_spare++] = buffer;
        buffer = NULL;
    }
    pthread_mutex_unlock(&spare_lock);
    free(buffer);
    errno = before;
}

// ---- when to flush

static void *flush_often(void *context)
{
    (void)context;
    for (;;) {
        nanosleep(&(struct timespec){.tv_nsec = FLUSH_MS * 1000000}, NULL);
        if (milliseconds() > full_at + QUIET_MS)
            cupti.cuptiActivityFlushAll(0);
    }
    return NULL;
}

static void start_flushing(void)
{
    sigset_t all, before;
    pthread_t thread;
    sigfillset(&all);
    pthread_sigmask(SIG_SETMASK, &all, &before); // the program's signals are for its own threads
    if (pthread_create(&thread, NULL, flush_often, NULL) == 0)
        pthread_detach(thread);
    pthread_sigmask(SIG_SETMASK, &before, NULL);
}

static void at_exit(void)
{
    if (getpid() != owner)
        return;
    int before = errno;
    cupti.cuptiActivityFlushAll(CUPTI_ACTIVITY_FLAG_FLUSH_FORCED);
    pthread_mutex_lock(&lock);
    record_begin();
    record_text(",\"end\":");
    record_number(record_launches());
    record_text(",\"t\":");
    record_number(unix_time());
    record_end();
    record_flush();
    pthread_mutex_unlock(&lock);
    errno = before;
}

// ---- the driver's calls

static void note(const char *code, const char *text)
{
    put_words(",\"note\":", code, text);
}

static void CUPTIAPI driver_called(void *context, CUpti_CallbackDomain domain, CUpti_CallbackId id,
                                   const void *data)
{
    const CUpti_CallbackData *called = data;
    int before = errno;
    (void)context;
    if (domain != CUPTI_CB_DOMAIN_DRIVER_API || getpid() != owner)
        return;
    if (!capture_called(id, called) && called->callbackSite == CUPTI_API_ENTER) { // the end of a context
        bool named = id == CUPTI_DRIVER_TRACE_CBID_cuCtxDestroy || id == CUPTI_DRIVER_TRACE_CBID_cuCtxDestroy_v2;
        cupti.cuptiActivityFlushAll(CUPTI_ACTIVITY_FLAG_FLUSH_FORCED);
        capture_context_gone(named ? ((const cuCtxDestroy_v2_params *)called->functionParams)->ctx : NULL);
    }
    errno = before;
}

static const char *result_text(CUptiResult result)
{
    const char *text = NULL;
    cupti.cuptiGetResultString(result, &text);
    return text != NULL ? text : "unknown error";
}

static const CUpti_CallbackId ends[] = {
    CUPTI_DRIVER_TRACE_CBID_cuCtxDestroy,
    CUPTI_DRIVER_TRACE_CBID_cuCtxDestroy_v2,
    CUPTI_DRIVER_TRACE_CBID_cuDevicePrimaryCtxReset,
    CUPTI_DRIVER_TRACE_CBID_cuDevicePrimaryCtxReset_v2,
    CUPTI_DRIVER_TRACE_CBID_cuDevicePrimaryCtxRelease,
    CUPTI_DRIVER_TRACE_CBID_cuDevicePrimaryCtxRelease_v2};
static CUptiResult enable(CUpti_SubscriberHandle subscriber, const CUpti_CallbackId *ids, size_t n)
{
    CUptiResult result = CUPTI_SUCCESS;
    for (size_t i = 0; i < n && result == CUPTI_SUCCESS; i++)
        result = cupti.cuptiEnableCallback(1, subscriber, CUPTI_CB_DOMAIN_DRIVER_API, ids[i]);
    return result;
}

// What ends a context takes its records along; launches are looked at where they are to be captured. Another
// subscriber, a debugger's or the program's own, is no reason not to record.
static void watch_driver(void)
{
    CUpti_SubscriberHandle subscriber;
    CUptiResult result = cupti.cuptiSubscribe(&subscriber, driver_called, NULL);
    if (result == CUPTI_SUCCESS)
        result = enable(subscriber, ends, sizeof ends / sizeof *ends);
    if (result == CUPTI_SUCCESS && capture_begin(note))
        result = enable(subscriber, capture_calls, capture_n_calls);
    if (result != CUPTI_SUCCESS)
        note("callbacks-refused", result_text(result));
}

// ---- the beginning

static void begin_session(uint32_t version)
{
    char program[4096];
    ssize_t n = readlink("/proc/self/exe", program, sizeof program - 1);
    program[n > 0 ? n : 0] = '\0';
    record_begin();
    record_text(",\"ks\":\"recording\",\"format\":");
    record_number(KS_RECORDING_FORMAT);
    record_text(",\"program\":");
    record_string(program);
    record_text(",\"cupti\":");
    record_number(version);
    record_text(",\"t\":");
    record_number(unix_time());
    record_end();
}

// NULL, or the code of what stands in the way, with a sentence in *text.
static const char *start(const char **text)
{
    CUptiResult result = cupti.cuptiActivityRegisterCallbacks(buffer_requested, buffer_completed);
    if (result == CUPTI_SUCCESS)
        result = cupti.cuptiActivityEnable(CUPTI_ACTIVITY_KIND_CONCURRENT_KERNEL);
    if (result == CUPTI_SUCCESS) // limits of the device, for occupancy: not vital
        cupti.cuptiActivityEnable(CUPTI_ACTIVITY_KIND_DEVICE);
    *text = result_text(result);
    return result == CUPTI_SUCCESS ? NULL : "cupti-refused";
}

__attribute__((visibility("default"))) int InitializeInjection(void)
{
    static bool done; // the driver calls once; a program that loads it by hand as well does no harm
    const char *path = getenv("KS_RECORD_FILE"), *text = "";
    int before = errno;
    if (path == NULL || path[0] != '/' || done)
        return 1;
    done = true;
    owner = getpid();
    path = strdup(path); // the program may change its environment
    if (path == NULL)
        return 1;
    record_open(path);
    uint32_t version = 0;
    const char *refused = record_cupti_open(&cupti, &text);
    if (refused == NULL)
        cupti.cuptiGetVersion(&version);
    begin_session(version);
    if (refused == NULL)
        refused = start(&text);
    if (refused != NULL) {
        put_words(",\"refused\":", refused, text);
    } else {
        watch_driver();
        start_flushing();
        atexit(at_exit);
    }
    pthread_mutex_lock(&lock);
    record_launches_end();
    record_flush();
    pthread_mutex_unlock(&lock);
    errno = before;
    return 1;
}
