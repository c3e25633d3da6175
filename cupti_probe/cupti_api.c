#include "cupti_api.h"

#include <dlfcn.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include "cupti_library.h"

static const char *last_code = "";

const char *ks_cupti_code(void)
{
    return last_code;
}

enum ks_status ks_cupti_refuse(struct ks_err *err, enum ks_status status, const char *code,
                               const char *text)
{
    last_code = code;
    return ks_err_set(err, status, "%s", text);
}

static enum ks_status missing(struct ks_err *err, const char *code, const char *library)
{
    char text[512];
    snprintf(text, sizeof text,
             "%s is not found: install CUPTI of the CUDA Toolkit, or set KS_CUPTI_DIR "
             "to its folder",
             library);
    return ks_cupti_refuse(err, KS_E_ABSENT, code, text);
}

enum ks_status ks_cupti_open(const struct ks_cupti **cupti, struct ks_err *err)
{
    static struct ks_cupti table;
    static void *handle;
    *cupti = &table;
    if (handle != NULL)
        return KS_OK;
    bool nvperf = ks_cupti_library("libnvperf_host.so", RTLD_GLOBAL) != NULL;
    void *library = ks_cupti_library("libcupti.so", RTLD_GLOBAL);
    if (library == NULL)
        return missing(err, "cupti-absent", "libcupti.so");
#define KS_CUPTI_LOAD(name)                                                                        \
    *(void **)&table.name = dlsym(library, #name);                                                 \
    if (table.name == NULL)                                                                        \
        return ks_cupti_refuse(err, KS_E_UNSUPPORTED, "cupti-old",                                 \
                               "libcupti.so has no " #name ": use CUPTI of "                       \
                               "CUDA 13 (KS_CUPTI_DIR names its folder)");
    KS_CUPTI_FUNCTIONS(KS_CUPTI_LOAD)
#undef KS_CUPTI_LOAD
    table.counters = nvperf;
    handle = library;
    return KS_OK;
}

enum ks_status ks_cupti_counters(const struct ks_cupti *cupti, struct ks_err *err)
{
    return cupti->counters ? KS_OK : missing(err, "nvperf-absent", "libnvperf_host.so");
}

// What CUPTI says no by, and what to change.
static const struct {
    CUptiResult result;
    const char *code, *text;
} refusals[] = {
    {CUPTI_ERROR_INSUFFICIENT_PRIVILEGES, "counters-rights",
     "the driver keeps counters to administrators: load the nvidia module with "
     "NVreg_RestrictProfilingToAdminUsers=0, or grant CAP_SYS_ADMIN"},
    {CUPTI_ERROR_VIRTUALIZED_DEVICE_INSUFFICIENT_PRIVILEGES, "counters-rights",
     "the host of this virtual GPU keeps its counters: have profiling enabled for this machine "
     "there"},
    {CUPTI_ERROR_HARDWARE_BUSY, "counters-busy",
     "another profiler holds the counters of this GPU: run it again when that has ended"},
    {CUPTI_ERROR_MIG_DEVICE_NOT_SUPPORTED, "counters-mig",
     "a slice of a GPU (MIG) has no counters of its own here: profile on a whole GPU"},
    {CUPTI_ERROR_VIRTUALIZED_DEVICE_NOT_SUPPORTED, "counters-device",
     "this virtual GPU has no counters: profile on a machine that has the GPU itself"},
    {CUPTI_ERROR_CONFIDENTIAL_COMPUTING_NOT_SUPPORTED, "counters-device",
     "confidential computing hides the counters: profile on a GPU without it"},
    {CUPTI_ERROR_CMP_DEVICE_NOT_SUPPORTED, "counters-device",
     "this card has no counters: profile on another"},
    {CUPTI_ERROR_WSL_DEVICE_NOT_SUPPORTED, "counters-device",
     "counters are not to be had under WSL here: profile under Linux itself"},
};

// A daemon that shares the GPU among processes keeps a socket here.
static bool served_by_mps(void)
{
    char path[4096];
    const char *dir = getenv("CUDA_MPS_PIPE_DIRECTORY");
    snprintf(path, sizeof path, "%s/control", dir != NULL ? dir : "/tmp/nvidia-mps");
    return access(path, F_OK) == 0;
}

enum ks_status ks_cupti_check(const struct ks_cupti *cupti, CUptiResult result, const char *what,
                              struct ks_err *err)
{
    if (result == CUPTI_SUCCESS)
        return KS_OK;
    for (size_t i = 0; i < sizeof refusals / sizeof *refusals; i++)
        if (refusals[i].result == result)
            return ks_cupti_refuse(err, KS_E_UNSUPPORTED, refusals[i].code, refusals[i].text);
    const char *name = NULL;
    char text[512];
    cupti->cuptiGetResultString(result, &name);
    bool mps = served_by_mps();
    snprintf(
        text, sizeof text, "%s: %s (%d)%s", what, name != NULL ? name : "?", (int)result,
        mps ? "; MPS shares this GPU: end it (echo quit | nvidia-cuda-mps-control) and run it again"
            : "");
    return ks_cupti_refuse(err, KS_E_DEVICE, mps ? "counters-mps" : "counters-failed", text);
}
