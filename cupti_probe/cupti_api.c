#include "cupti_api.h"

#include <dlfcn.h>

#include "cupti_library.h"

enum ks_status ks_cupti_open(const struct ks_cupti **cupti, struct ks_err *err)
{
    static struct ks_cupti table;
    static void *handle;
    *cupti = &table;
    if (handle != NULL)
        return KS_OK;
    if (ks_cupti_library("libnvperf_host.so", RTLD_GLOBAL) == NULL)
        return ks_err_set(err, KS_E_ABSENT, "libnvperf_host.so: %s; install CUPTI of the CUDA "
                          "Toolkit, or set KS_CUPTI_DIR to its folder", dlerror());
    void *library = ks_cupti_library("libcupti.so", RTLD_GLOBAL);
    if (library == NULL)
        return ks_err_set(err, KS_E_ABSENT, "libcupti.so: %s; install CUPTI of the CUDA Toolkit, or "
                          "set KS_CUPTI_DIR to its folder", dlerror());
#define KS_CUPTI_LOAD(name)                                                                       \
    *(void **)&table.name = dlsym(library, #name);                                                \
    if (table.name == NULL)                                                                       \
        return ks_err_set(err, KS_E_UNSUPPORTED, "libcupti.so has no " #name ": the probe needs "  \
                          "CUDA 13's CUPTI");
    KS_CUPTI_FUNCTIONS(KS_CUPTI_LOAD)
#undef KS_CUPTI_LOAD
    handle = library;
    return KS_OK;
}

enum ks_status ks_cupti_check(const struct ks_cupti *cupti, CUptiResult result, const char *what,
                              struct ks_err *err)
{
    if (result == CUPTI_SUCCESS)
        return KS_OK;
    const char *text = NULL;
    cupti->cuptiGetResultString(result, &text);
    if (result == CUPTI_ERROR_INSUFFICIENT_PRIVILEGES)
        return ks_err_set(err, KS_E_UNSUPPORTED,
                          "the driver keeps counters to administrators: load the nvidia module with "
                          "NVreg_RestrictProfilingToAdminUsers=0, or grant CAP_SYS_ADMIN");
    if (result == CUPTI_ERROR_HARDWARE_BUSY)
        return ks_err_set(err, KS_E_UNSUPPORTED, "another profiler holds the counters of this GPU");
    return ks_err_set(err, KS_E_DEVICE, "%s: %s (%d)", what, text != NULL ? text : "?",
                      (int)result);
}
