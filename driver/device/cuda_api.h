// libcuda by dlopen: a program linked to it does not start on a machine without a driver.
#ifndef KS_CUDA_API_H
#define KS_CUDA_API_H

#include <cuda.h>

#include "base/status.h"

// Names are expanded by cuda.h's own version macros (cuMemAlloc is cuMemAlloc_v2), so that symbol
// and prototype always belong together.
#define KS_CUDA_REQUIRED(X)                                                                       \
    X(Init) X(DriverGetVersion) X(DeviceGetCount) X(DeviceGet) X(DeviceGetName) X(DeviceGetUuid)  \
    X(DeviceGetAttribute) X(DevicePrimaryCtxRetain) X(DevicePrimaryCtxRelease) X(CtxSetCurrent)   \
    X(GetErrorName) X(GetErrorString) X(MemGetInfo)                                               \
    X(ModuleLoadDataEx) X(ModuleUnload) X(ModuleGetFunction)                                      \
    X(FuncGetAttribute) X(FuncSetAttribute) X(LaunchKernel)                                       \
    X(OccupancyMaxActiveBlocksPerMultiprocessor) X(OccupancyMaxPotentialBlockSize)                \
    X(StreamCreate) X(StreamDestroy) X(StreamSynchronize) X(StreamWaitEvent)                      \
    X(StreamBeginCapture) X(StreamEndCapture)                                                     \
    X(GraphInstantiate) X(GraphUpload) X(GraphLaunch) X(GraphDestroy) X(GraphExecDestroy)         \
    X(EventCreate) X(EventRecord) X(EventQuery) X(EventSynchronize) X(EventDestroy)               \
    X(MemcpyHtoDAsync) X(MemcpyDtoHAsync) X(MemcpyDtoDAsync) X(MemsetD8Async)                     \
    X(MemGetAllocationGranularity) X(MemAddressReserve) X(MemAddressFree)                         \
    X(MemCreate) X(MemRelease) X(MemMap) X(MemUnmap) X(MemSetAccess)

// NULL where the driver is older than they are (both 12.4).
#define KS_CUDA_OPTIONAL(X) X(FuncLoad) X(FuncGetParamInfo) X(CtxResetPersistingL2Cache)

struct ks_cuda_api {
    void *library;
#define KS_CUDA_FIELD(name) __typeof__(&cu##name) name;
    KS_CUDA_REQUIRED(KS_CUDA_FIELD)
    KS_CUDA_OPTIONAL(KS_CUDA_FIELD)
#undef KS_CUDA_FIELD
    // cuda.h 13 means cuEventElapsedTime_v2, which drivers before 12.8 lack; same prototype.
    CUresult (*EventElapsedTime)(float *milliseconds, CUevent start, CUevent end);
};

// KS_E_ABSENT, in a sentence, when there is no driver on this machine.
enum ks_status ks_cuda_api_open(struct ks_cuda_api *api, struct ks_err *err);
void ks_cuda_api_close(struct ks_cuda_api *api);

#endif
