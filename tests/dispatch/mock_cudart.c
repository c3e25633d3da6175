// The mock runtime. Types of the ABI are written out: this file sees no CUDA header.
#include "mock_cudart.h"

#include <string.h>

enum { ERROR_MEMORY = 2, ERROR_VALUE = 1, ERROR_NO_DEVICE = 100, ERROR_LAUNCH = 719 };
enum { ATTRIBUTE_MAJOR = 75, ATTRIBUTE_MINOR = 76, ATTRIBUTE_OPTIN = 97 };

struct mock_event mock_log[256];
int mock_n, mock_capability[2] = {90, 80}, mock_ptx_version, mock_capturing, mock_optin = 232448;
int mock_max_threads = 1024, mock_fail_malloc, mock_fail_attribute, mock_fail_query;
int mock_fail_device, mock_fail_launch, mock_attribute_sets, mock_last_error, mock_devices = 2;
int mock_launches, mock_other_calls, mock_silent;

static struct {
    const void *host;
    const char *name;
} registered[256];
static int n_registered, device, depth;
static struct {
    struct mock_dims grid, block;
    size_t shared;
    void *stream;
} pushed[16];
static char heap[1 << 20] __attribute__((aligned(256)));

void mock_reset(void)
{
    memset(mock_log, 0, sizeof mock_log);
    mock_n = mock_ptx_version = mock_capturing = mock_attribute_sets = mock_last_error = 0;
    mock_fail_malloc = mock_fail_attribute = mock_fail_query = mock_fail_launch = 0;
    mock_fail_device = mock_launches = mock_other_calls = 0;
    mock_optin = 232448;
    mock_max_threads = 1024;
}

static int fail(int error)
{
    mock_last_error = error;
    return error;
}

static struct mock_event *record(const char *name, const char *api)
{
    struct mock_event *e = &mock_log[mock_n < 255 ? mock_n++ : 255];
    *e = (struct mock_event){.name = name, .api = api};
    return e;
}

static const char *name_of(const void *host)
{
    for (int i = 0; i < n_registered; i++)
        if (registered[i].host == host)
            return registered[i].name;
    return "?";
}

static int launch(const char *api, const void *host, struct mock_dims grid, struct mock_dims block,
                  void **args, size_t shared, void *stream)
{
    mock_launches++;
    if (mock_silent)
        return 0;
    if (mock_fail_launch > 0 && --mock_fail_launch == 0)
        return fail(ERROR_LAUNCH);
    struct mock_event *e = record(name_of(host), api);
    e->grid = grid;
    e->block = block;
    e->shared = shared;
    e->stream = stream;
    // Only a variant's argument array ends with a null pointer.
    if (strstr(e->name, "ks_") != NULL)
        for (; e->n_args < 8 && args[e->n_args] != NULL; e->n_args++)
            memcpy(&e->args[e->n_args], args[e->n_args], 8);
    return 0;
}

// --- registration ---

void **__cudaRegisterFatBinary(void *binary)
{
    static void *handle;
    (void)binary;
    return &handle;
}
void __cudaRegisterFatBinaryEnd(void **handle)
{
    (void)handle;
}
void __cudaUnregisterFatBinary(void **handle)
{
    (void)handle;
}
char __cudaInitModule(void **handle)
{
    (void)handle;
    return 1;
}
void __cudaRegisterFunction(void **handle, const char *host, char *fun, const char *name, int limit,
                            void *tid, void *bid, void *block, void *grid, int *size)
{
    (void)handle, (void)fun, (void)limit, (void)tid, (void)bid, (void)block, (void)grid, (void)size;
    registered[n_registered].host = host;
    registered[n_registered++].name = name;
}
void __cudaRegisterVar(void **handle, char *host, char *address, const char *name, int ext,
                       size_t size, int constant, int global)
{
    (void)handle, (void)host, (void)address, (void)name, (void)ext, (void)size, (void)constant;
    (void)global;
}

// --- launches ---

unsigned __cudaPushCallConfiguration(struct mock_dims grid, struct mock_dims block, size_t shared,
                                     void *stream)
{
    pushed[depth].grid = grid;
    pushed[depth].block = block;
    pushed[depth].shared = shared;
    pushed[depth++].stream = stream;
    return 0;
}
int __cudaPopCallConfiguration(struct mock_dims *grid, struct mock_dims *block, size_t *shared,
                               void *stream)
{
    depth--;
    *grid = pushed[depth].grid;
    *block = pushed[depth].block;
    *shared = pushed[depth].shared;
    memcpy(stream, &pushed[depth].stream, sizeof(void *));
    return 0;
}
int __cudaGetKernel(void **kernel, const void *host)
{
    *kernel = (void *)(size_t)host;
    return 0;
}
#define LAUNCHER(name)                                                                            \
    int name(const void *host, struct mock_dims grid, struct mock_dims block, void **args,        \
             size_t shared, void *stream)                                                         \
    {                                                                                             \
        return launch(#name, host, grid, block, args, shared, stream);                            \
    }
LAUNCHER(__cudaLaunchKernel)
LAUNCHER(__cudaLaunchKernel_ptsz)
LAUNCHER(cudaLaunchKernel)
LAUNCHER(cudaLaunchKernel_ptsz)
LAUNCHER(cudaLaunchCooperativeKernel)
LAUNCHER(cudaLaunchCooperativeKernel_ptsz)
struct config {
    struct mock_dims grid, block;
    size_t shared;
    void *stream;
};
int cudaLaunchKernelExC(const struct config *c, const void *host, void **args)
{
    return launch("cudaLaunchKernelExC", host, c->grid, c->block, args, c->shared, c->stream);
}
int cudaLaunchKernelExC_ptsz(const struct config *c, const void *host, void **args)
{
    return cudaLaunchKernelExC(c, host, args);
}

// --- questions ---

int cudaGetLastError(void)
{
    mock_other_calls++;
    int e = mock_last_error;
    mock_last_error = 0;
    return e;
}
int cudaPeekAtLastError(void)
{
    mock_other_calls++;
    return mock_last_error;
}
int cudaGetDevice(int *d)
{
    mock_other_calls++;
    *d = device;
    return mock_fail_device ? fail(ERROR_NO_DEVICE) : 0;
}
int cudaGetDeviceCount(int *n)
{
    mock_other_calls++;
    *n = mock_devices;
    return mock_fail_device ? fail(ERROR_NO_DEVICE) : 0;
}
int cudaDeviceSynchronize(void)
{
    mock_other_calls++;
    return 0;
}
int cudaSetDevice(int d)
{
    mock_other_calls++;
    device = d;
    return 0;
}
int cudaDeviceGetAttribute(int *value, int attribute, int d)
{
    mock_other_calls++;
    if (attribute == ATTRIBUTE_MAJOR)
        *value = mock_capability[d] / 10;
    else if (attribute == ATTRIBUTE_MINOR)
        *value = mock_capability[d] % 10;
    else if (attribute == ATTRIBUTE_OPTIN)
        *value = mock_optin;
    else
        return fail(ERROR_VALUE);
    return 0;
}
int cudaFree(void *p)
{
    mock_other_calls++;
    return p == NULL ? 0 : fail(ERROR_VALUE);
}
struct attributes {
    size_t shared, constant, local;
    int max_threads, registers, ptx, binary;
    int rest[32];
};
int cudaFuncGetAttributes(struct attributes *a, const void *host)
{
    mock_other_calls++;
    (void)host;
    if (mock_fail_query)
        return fail(ERROR_VALUE);
    a->shared = 0;
    a->max_threads = mock_max_threads;
    a->binary = mock_capability[device];
    a->ptx = mock_ptx_version ? mock_ptx_version : a->binary;
    return 0;
}
int cudaFuncSetAttribute(const void *host, int attribute, int value)
{
    mock_other_calls++;
    (void)host, (void)attribute, (void)value;
    mock_attribute_sets++;
    return mock_fail_attribute ? fail(ERROR_VALUE) : 0;
}
int cudaStreamIsCapturing(void *stream, int *status)
{
    mock_other_calls++;
    (void)stream;
    *status = mock_capturing;
    return 0;
}
int cudaStreamIsCapturing_ptsz(void *stream, int *status)
{
    return cudaStreamIsCapturing(stream, status);
}

// --- memory ---

int cudaMallocAsync(void **p, size_t bytes, void *stream)
{
    mock_other_calls++;
    if (mock_fail_malloc)
        return fail(ERROR_MEMORY);
    struct mock_event *e = record("malloc", "cudaMallocAsync");
    e->bytes = bytes;
    e->stream = stream;
    *p = heap;
    return 0;
}
int cudaFreeAsync(void *p, void *stream)
{
    mock_other_calls++;
    record("free", "cudaFreeAsync")->stream = stream;
    return p == heap ? 0 : fail(ERROR_VALUE);
}
int cudaMemsetAsync(void *p, int value, size_t bytes, void *stream)
{
    mock_other_calls++;
    struct mock_event *e = record("memset", "cudaMemsetAsync");
    e->args[0] = (size_t)p - (size_t)heap;
    e->value = value;
    e->bytes = bytes;
    e->stream = stream;
    return 0;
}
int cudaMallocAsync_ptsz(void **p, size_t bytes, void *stream)
{
    return cudaMallocAsync(p, bytes, stream);
}
int cudaFreeAsync_ptsz(void *p, void *stream)
{
    return cudaFreeAsync(p, stream);
}
int cudaMemsetAsync_ptsz(void *p, int value, size_t bytes, void *stream)
{
    return cudaMemsetAsync(p, value, bytes, stream);
}
