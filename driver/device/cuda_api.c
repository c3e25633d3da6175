#include "device/cuda_api.h"

#include <dlfcn.h>
#include <stdlib.h>

#define QUOTE_EXPANDED(name) #name
#define QUOTE(name) QUOTE_EXPANDED(name)

static enum ks_status find(void *library, const char *name, void *out, struct ks_err *err)
{
    void *symbol = dlsym(library, name);
    if (symbol == NULL)
        KS_FAIL(err, KS_E_ABSENT, "the NVIDIA driver's libcuda.so.1 has no %s; CUDA 12.0 or newer "
                                  "is needed: update the driver", name);
    *(void **)out = symbol; // dlsym(3): the cast that POSIX asks for
    return KS_OK;
}

enum ks_status ks_cuda_api_open(struct ks_cuda_api *api, struct ks_err *err)
{
    *api = (struct ks_cuda_api){0};
    // Lazy loading puts a module's load into the first launch, and fails under stream capture.
    setenv("CUDA_MODULE_LOADING", "EAGER", 1);
    api->library = dlopen("libcuda.so.1", RTLD_NOW | RTLD_LOCAL);
    if (api->library == NULL)
        KS_FAIL(err, KS_E_ABSENT, "no NVIDIA driver on this machine (%s)", dlerror());
#define FIND(name)                                                                                \
    {                                                                                             \
        enum ks_status status = find(api->library, QUOTE(cu##name), &api->name, err);             \
        if (status != KS_OK) {                                                                    \
            ks_cuda_api_close(api);                                                               \
            return status;                                                                        \
        }                                                                                         \
    }
    KS_CUDA_REQUIRED(FIND)
#define FIND_OPTIONAL(name) (void)find(api->library, QUOTE(cu##name), &api->name, NULL);
    KS_CUDA_OPTIONAL(FIND_OPTIONAL)
#undef cuEventElapsedTime
    FIND(EventElapsedTime)
    return KS_OK;
}

void ks_cuda_api_close(struct ks_cuda_api *api)
{
    if (api->library != NULL)
        dlclose(api->library);
    api->library = NULL;
}
