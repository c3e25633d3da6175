#include "capture_calls.h"

#define ID(name) CUPTI_DRIVER_TRACE_CBID_##name

const CUpti_CallbackId capture_calls[] = {
    ID(cuLaunchKernel), ID(cuLaunchKernel_ptsz), ID(cuLaunchKernelEx), ID(cuLaunchKernelEx_ptsz),
    ID(cuLaunchCooperativeKernel), ID(cuLaunchCooperativeKernel_ptsz),
    ID(cuGraphInstantiate), ID(cuGraphInstantiate_v2), ID(cuGraphInstantiateWithFlags),
    ID(cuGraphInstantiateWithParams), ID(cuGraphInstantiateWithParams_ptsz), ID(cuGraphExecDestroy),
    ID(cuGraphLaunch), ID(cuGraphLaunch_ptsz), ID(cuGraphExecUpdate), ID(cuGraphExecUpdate_v2),
    ID(cuGraphNodeSetEnabled), ID(cuGraphExecNodeSetParams), ID(cuGraphExecKernelNodeSetParams),
    ID(cuGraphExecKernelNodeSetParams_v2), ID(cuGraphExecMemcpyNodeSetParams), ID(cuGraphExecMemsetNodeSetParams),
    ID(cuGraphExecHostNodeSetParams), ID(cuGraphExecChildGraphNodeSetParams), ID(cuGraphExecEventRecordNodeSetEvent),
    ID(cuGraphExecEventWaitNodeSetEvent), ID(cuGraphExecExternalSemaphoresSignalNodeSetParams),
    ID(cuGraphExecExternalSemaphoresWaitNodeSetParams), ID(cuGraphExecBatchMemOpNodeSetParams)};
const size_t capture_n_calls = sizeof capture_calls / sizeof *capture_calls;

static void set(unsigned to[3], unsigned x, unsigned y, unsigned z)
{
    to[0] = x;
    to[1] = y;
    to[2] = z;
}

static bool is_cooperative(const CUlaunchConfig *config)
{
    for (unsigned i = 0; i < config->numAttrs; i++)
        if (config->attrs[i].id == CU_LAUNCH_ATTRIBUTE_COOPERATIVE && config->attrs[i].value.cooperative != 0)
            return true;
    return false;
}

// A launch's arguments; false: the call is no launch.
static bool read_launch(CUpti_CallbackId id, const CUpti_CallbackData *data, struct capture_call *call)
{
    bool own = false; // a null stream is the thread's own
    *call = (struct capture_call){.symbol = data->symbolName, .context = data->context};
    switch (id) {
    case ID(cuLaunchKernel_ptsz):
        own = true;
        // fall through
    case ID(cuLaunchKernel): {
        const cuLaunchKernel_params *p = data->functionParams;
        set(call->grid, p->gridDimX, p->gridDimY, p->gridDimZ);
        set(call->block, p->blockDimX, p->blockDimY, p->blockDimZ);
        call->function = p->f;
        call->shared = p->sharedMemBytes;
        call->stream = p->hStream;
        call->params = p->kernelParams;
        call->extra = p->extra;
        break;
    }
    case ID(cuLaunchKernelEx_ptsz):
        own = true;
        // fall through
    case ID(cuLaunchKernelEx): {
        const cuLaunchKernelEx_params *p = data->functionParams;
        const CUlaunchConfig *c = p->config;
        set(call->grid, c->gridDimX, c->gridDimY, c->gridDimZ);
        set(call->block, c->blockDimX, c->blockDimY, c->blockDimZ);
        call->function = p->f;
        call->shared = c->sharedMemBytes;
        call->stream = c->hStream;
        call->params = p->kernelParams;
        call->extra = p->extra;
        call->cooperative = is_cooperative(c);
        break;
    }
    case ID(cuLaunchCooperativeKernel_ptsz):
        own = true;
        // fall through
    case ID(cuLaunchCooperativeKernel): {
        const cuLaunchCooperativeKernel_params *p = data->functionParams;
        set(call->grid, p->gridDimX, p->gridDimY, p->gridDimZ);
        set(call->block, p->blockDimX, p->blockDimY, p->blockDimZ);
        call->function = p->f;
        call->shared = p->sharedMemBytes;
        call->stream = p->hStream;
        call->params = p->kernelParams;
        call->cooperative = true;
        break;
    }
    default:
        return false;
    }
    if (own && call->stream == NULL)
        call->stream = CU_STREAM_PER_THREAD;
    return true;
}

// All that concerns an instantiated graph has it as its first argument; instantiation has where to put it.
static bool graph_called(CUpti_CallbackId id, const CUpti_CallbackData *data)
{
    bool enter = data->callbackSite == CUPTI_API_ENTER;
    const CUresult *result = data->functionReturnValue;
    bool done = !enter && result != NULL && *result == CUDA_SUCCESS;
    switch (id) {
    case ID(cuGraphInstantiate):
    case ID(cuGraphInstantiate_v2):
    case ID(cuGraphInstantiateWithFlags):
    case ID(cuGraphInstantiateWithParams):
    case ID(cuGraphInstantiateWithParams_ptsz): {
        const cuGraphInstantiateWithFlags_params *p = data->functionParams;
        if (done)
            capture_graph_made(*p->phGraphExec, p->hGraph);
        return true;
    }
    case ID(cuGraphExecUpdate):
    case ID(cuGraphExecUpdate_v2): {
        const cuGraphExecUpdate_v2_params *p = data->functionParams;
        if (done)
            capture_graph_made(p->hGraphExec, p->hGraph);
        else if (!enter)
            capture_graph_changed(p->hGraphExec);
        return true;
    }
    case ID(cuGraphExecDestroy): {
        const cuGraphExecDestroy_params *p = data->functionParams;
        if (enter)
            capture_graph_gone(p->hGraphExec);
        return true;
    }
    case ID(cuGraphLaunch):
    case ID(cuGraphLaunch_ptsz): {
        const cuGraphLaunch_ptsz_params *p = data->functionParams;
        struct capture_call call = {.context = data->context, .stream = p->hStream};
        if (id == ID(cuGraphLaunch_ptsz) && call.stream == NULL)
            call.stream = CU_STREAM_PER_THREAD;
        if (enter)
            capture_graph_enter(p->hGraphExec, call.context, call.stream);
        else
            capture_leave(&call, done);
        return true;
    }
    default:
        return false;
    }
}

static bool is_capturing(CUpti_CallbackId id)
{
    for (size_t i = 0; i < capture_n_calls; i++)
        if (capture_calls[i] == id)
            return true;
    return false;
}

bool capture_called(CUpti_CallbackId id, const CUpti_CallbackData *data)
{
    struct capture_call call;
    const CUresult *result = data->functionReturnValue;
    if (graph_called(id, data))
        return true;
    if (!is_capturing(id))
        return false;
    if (!read_launch(id, data, &call)) {
        const cuGraphExecDestroy_params *p = data->functionParams;
        if (data->callbackSite == CUPTI_API_ENTER)
            capture_graph_changed(p->hGraphExec);
    } else if (data->callbackSite == CUPTI_API_ENTER) {
        capture_enter(&call);
    } else {
        capture_leave(&call, result != NULL && *result == CUDA_SUCCESS);
    }
    return true;
}
