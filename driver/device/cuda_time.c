// One timed sample (research: device.md section 6, verification.md section 2).
//
// Long kernels: L2 overwritten, then events round plain launches. Short ones: a graph of many runs,
// since an event pair round a 2 us kernel reads 7 us. A spinning kernel goes first, so that the host
// has enqueued everything before the window opens; where it had not, the sample says `late`.

#include <string.h>

#include "device/cuda_device.h"

#define FLUSH_FACTOR 4       // times L2; 3 is the least that leaves nothing (L2 is hashed, not LRU)
#define SPIN_BASE_US 20.0
#define SPIN_LAUNCH_US 6.0   // one launch takes the host 3.3 us
#define SPIN_MAX_US 2000.0
#define CLOCK_WINDOW_US 50.0 // %globaltimer may tick in steps of 1 us

static enum ks_status flush_l2(struct ks_cuda *cuda, struct ks_err *err)
{
    if (cuda->flush.mapped == 0)
        KS_TRY(ks_cuda_map(cuda, (int64_t)FLUSH_FACTOR * cuda->facts.l2_bytes, 256, KS_FLUSH_START,
                           &cuda->flush, err));
    // Lines a kernel marked as persisting would survive the overwrite. Refused where there is no
    // such feature, and then there is nothing to reset.
    if (cuda->api.CtxResetPersistingL2Cache != NULL)
        (void)cuda->api.CtxResetPersistingL2Cache();
    KS_CU(cuda, MemsetD8Async, cuda->flush.data, cuda->flush_value++, cuda->flush.bytes,
          cuda->stream);
    return KS_OK;
}

// An overwrite alone leaves its own last lines to be written back while the kernel runs; reading all of it displaces them.
enum ks_status ks_cuda_clean_cache(void *self, struct ks_err *err)
{
    struct ks_cuda *cuda = self;
    KS_TRY(ks_cuda_ready(cuda, err));
    KS_TRY(flush_l2(cuda, err));
    KS_TRY(ks_cuda_read_through(cuda, cuda->flush.data, cuda->flush.bytes, err));
    KS_CU(cuda, StreamSynchronize, cuda->stream);
    return KS_OK;
}

static enum ks_status record_graph(struct ks_cuda *cuda, const struct ks_dev_timing *t,
                                   CUgraphExec *exec, struct ks_err *err)
{
    CUgraph graph = NULL;
    KS_CU(cuda, StreamBeginCapture, cuda->stream, CU_STREAM_CAPTURE_MODE_THREAD_LOCAL);
    enum ks_status status = KS_OK;
    for (int i = 0; i < t->batch && status == KS_OK; i++)
        status = ks_cuda_enqueue(cuda, &t->plans[(size_t)i % t->n_plans], err);
    CUresult ended = cuda->api.StreamEndCapture(cuda->stream, &graph); // also when a launch failed
    if (status == KS_OK)
        status = ks_cuda_check(cuda, ended, "cuStreamEndCapture", err);
    if (status == KS_OK)
        status = ks_cuda_check(cuda, cuda->api.GraphInstantiate(exec, graph, 0),
                               "cuGraphInstantiate", err);
    if (graph != NULL && !cuda->spoilt)
        cuda->api.GraphDestroy(graph);
    KS_TRY(status);
    KS_CU(cuda, GraphUpload, *exec, cuda->stream);
    KS_CU(cuda, StreamSynchronize, cuda->stream);
    return KS_OK;
}

static enum ks_status graph_for(struct ks_cuda *cuda, const struct ks_dev_timing *t,
                                CUgraphExec *exec, struct ks_err *err)
{
    for (size_t i = 0; i < cuda->graphs.len; i++) {
        const struct ks_cuda_graph *g = &cuda->graphs.at[i];
        if (g->plans == t->plans && g->n_plans == t->n_plans && g->batch == t->batch) {
            *exec = g->exec;
            return KS_OK;
        }
    }
    KS_TRY(record_graph(cuda, t, exec, err));
    struct ks_cuda_graph *slot = ks_vec_push(&cuda->arena, &cuda->graphs);
    *slot = (struct ks_cuda_graph){t->plans, t->n_plans, t->batch, *exec};
    return KS_OK;
}

void ks_cuda_forget_plans(void *self)
{
    struct ks_cuda *cuda = self;
    if (!cuda->spoilt)
        for (size_t i = 0; i < cuda->graphs.len; i++)
            cuda->api.GraphExecDestroy(cuda->graphs.at[i].exec);
    cuda->graphs.len = 0;
}

// Everything from the spin to the last stamp, without waiting.
static enum ks_status enqueue_window(struct ks_cuda *cuda, const struct ks_dev_timing *t,
                                     CUgraphExec exec, struct ks_err *err)
{
    double launches = exec != NULL ? 4 : 2 + (double)t->plans[0].n_steps;
    double least = SPIN_BASE_US + SPIN_LAUNCH_US * launches;
    if (cuda->spin_us < least)
        cuda->spin_us = least;
    KS_TRY(ks_cuda_spin(cuda, cuda->spin_us, err));
    KS_TRY(ks_cuda_stamp(cuda, 0, err));
    KS_CU(cuda, EventRecord, cuda->begin, cuda->stream);
    if (exec != NULL)
        KS_CU(cuda, GraphLaunch, exec, cuda->stream);
    else
        KS_TRY(ks_cuda_enqueue(cuda, &t->plans[0], err));
    KS_CU(cuda, EventRecord, cuda->end, cuda->stream);
    return ks_cuda_stamp(cuda, 1, err);
}

enum ks_status ks_cuda_time(void *self, const struct ks_dev_timing *t, struct ks_dev_sample *sample,
                            struct ks_err *err)
{
    struct ks_cuda *cuda = self;
    KS_TRY(ks_cuda_ready(cuda, err));
    if (t->n_plans == 0 || t->batch < 1)
        KS_FAIL(err, KS_E_USER, "nothing to time");
    *sample = (struct ks_dev_sample){0};
    CUgraphExec exec = NULL;
    if (t->batch > 1)
        KS_TRY(graph_for(cuda, t, &exec, err));
    KS_TRY(ks_cuda_stamp_clear(cuda, err));
    if (t->cold)
        KS_TRY(flush_l2(cuda, err));
    enum ks_status status = enqueue_window(cuda, t, exec, err);
    if (status != KS_OK) {
        if (!cuda->spoilt)
            KS_TRY(ks_cuda_wait(cuda, &t->plans[0], err));
        return status;
    }
    // If the window has already opened, the host was slower than the spin.
    CUresult opened = cuda->api.EventQuery(cuda->begin);
    KS_TRY(ks_cuda_wait(cuda, &t->plans[0], err));
    sample->late = opened != CUDA_ERROR_NOT_READY;
    if (sample->late && cuda->spin_us < SPIN_MAX_US)
        cuda->spin_us *= 2;
    float ms = 0;
    KS_CU(cuda, EventElapsedTime, &ms, cuda->begin, cuda->end);
    double window = (double)ms * 1000.0;
    sample->microseconds = window / t->batch;
    if (window >= CLOCK_WINDOW_US)
        KS_TRY(ks_cuda_stamp_clock(cuda, &sample->clock_mhz, err));
    return KS_OK;
}
