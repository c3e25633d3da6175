// The mock runtime: registration, launches, questions. Types of the ABI are written out: this file
// sees no CUDA header.
#include "mock_cudart.h"

#include <pthread.h>
#include <stdlib.h>
#include <string.h>

enum {
    ERROR_VALUE = 1,
    ERROR_CONFIGURATION = 9,
    ERROR_FUNCTION = 98,
    ERROR_NO_DEVICE = 100,
    ERROR_DEVICE = 101,
    ERROR_LAUNCH = 719
};
enum { ATTRIBUTE_MAJOR = 75, ATTRIBUTE_MINOR = 76, ATTRIBUTE_OPTIN = 97, DYNAMIC_SHARED = 8 };
enum { DEVICES = 4, FUNCTIONS = 1024, OPTIN = 232448 };

struct mock_event mock_log[1024];
int mock_n, mock_ptx_version, mock_max_threads = 1024, mock_fail_malloc, mock_fail_attribute;
int mock_fail_query, mock_fail_device, mock_fail_launch, mock_attribute_sets;
void (*mock_instead)(void);
void *(*mock_copy)(const char *, const void *, void **);
void (*mock_run)(void *, struct mock_dims, struct mock_dims, size_t);
void (*mock_drop)(void *);

static struct {
    const void *host;
    const char *name;
    void **binary;
    size_t dynamic[DEVICES]; // most dynamic shared memory of a launch; 0: 48 KiB
} functions[FUNCTIONS];
static int n_functions, capability[DEVICES] = {90, 80}, devices = 2;
static __thread int device, depth, last_error, launches, other_calls;
static __thread struct {
    struct mock_dims grid, block;
    size_t shared;
    void *stream;
} pushed[16];
static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;

static __attribute__((constructor)) void read_environment(void)
{
    const char *at = getenv("MOCK_DEVICES");
    for (devices = at != NULL ? 0 : 2; at != NULL && devices < DEVICES; at++) {
        capability[devices++] = atoi(at);
        at = strchr(at, ',');
        if (at == NULL)
            return;
    }
}

int *mock_last_error_place(void)
{
    return &last_error;
}
int mock_launches(void)
{
    return launches;
}
int mock_other_calls(void)
{
    return other_calls;
}
void mock_called(void)
{
    other_calls++;
}
void mock_lock(void)
{
    pthread_mutex_lock(&mutex);
}
void mock_unlock(void)
{
    pthread_mutex_unlock(&mutex);
}

void mock_reset(void)
{
    memset(mock_log, 0, sizeof mock_log);
    mock_n = mock_ptx_version = mock_attribute_sets = last_error = launches = other_calls = 0;
    mock_fail_malloc = mock_fail_attribute = mock_fail_query = mock_fail_launch = 0;
    mock_fail_device = 0;
    mock_max_threads = 1024;
}

int mock_fail(int error)
{
    last_error = error;
    return error;
}

// Under the lock; the last slot takes what no longer fits.
struct mock_event *mock_record(const char *name, const char *api)
{
    struct mock_event *e = &mock_log[mock_n < 1023 ? mock_n++ : 1023];
    *e = (struct mock_event){.name = name, .api = api};
    return e;
}

static int find(const void *host)
{
    for (int i = 0; i < n_functions; i++)
        if (functions[i].host == host)
            return i;
    return -1;
}

// --- registration ---

void **__cudaRegisterFatBinary(void *binary)
{
    (void)binary;
    return malloc(sizeof(void *));
}
void __cudaRegisterFatBinaryEnd(void **handle)
{
    (void)handle;
}
void __cudaUnregisterFatBinary(void **handle)
{
    mock_lock();
    int n = 0;
    for (int i = 0; i < n_functions; i++)
        if (functions[i].binary != handle)
            functions[n++] = functions[i];
    n_functions = n;
    mock_unlock();
    free(handle);
}
char __cudaInitModule(void **handle)
{
    (void)handle;
    return 1;
}
void __cudaRegisterFunction(void **handle, const char *host, char *fun, const char *name, int limit,
                            void *tid, void *bid, void *block, void *grid, int *size)
{
    (void)fun, (void)limit, (void)tid, (void)bid, (void)block, (void)grid, (void)size;
    mock_lock();
    if (n_functions == FUNCTIONS)
        abort();
    memset(&functions[n_functions], 0, sizeof functions[0]);
    functions[n_functions].host = host;
    functions[n_functions].binary = handle;
    functions[n_functions++].name = name;
    mock_unlock();
}
void __cudaRegisterVar(void **handle, char *host, char *address, const char *name, int ext,
                       size_t size, int constant, int global)
{
    (void)handle, (void)host, (void)address, (void)name, (void)ext, (void)size, (void)constant;
    (void)global;
}

// --- launches ---

static int is_launchable(struct mock_dims grid, struct mock_dims block)
{
    return grid.x && grid.y && grid.z && block.x && block.y && block.z && block.x <= 1024 &&
           block.y <= 1024 && block.z <= 64 && block.x * block.y * block.z <= 1024 &&
           grid.x <= 0x7fffffff && grid.y <= 65535 && grid.z <= 65535;
}

int mock_prepare(const void *host, struct mock_dims grid, struct mock_dims block, size_t shared,
                 void **args, struct mock_launch *launch)
{
    mock_lock();
    int i = find(host);
    const char *name = i >= 0 ? functions[i].name : NULL;
    size_t most = i >= 0 && functions[i].dynamic[device] ? functions[i].dynamic[device] : 48 << 10;
    mock_unlock();
    if (i < 0)
        return ERROR_FUNCTION;
    if (!is_launchable(grid, block))
        return ERROR_CONFIGURATION;
    if (shared > most)
        return ERROR_VALUE;
    *launch = (struct mock_launch){mock_copy != NULL ? mock_copy(name, host, args) : NULL, grid,
                                   block, shared};
    return 0;
}

static int launch(const char *api, const void *host, struct mock_dims grid, struct mock_dims block,
                  void **args, size_t shared, void *stream)
{
    if (mock_instead != NULL) {
        mock_instead();
        return 0;
    }
    launches++;
    if (mock_fail_launch > 0 && --mock_fail_launch == 0)
        return mock_fail(ERROR_LAUNCH);
    struct mock_launch now;
    int error = mock_prepare(host, grid, block, shared, args, &now);
    if (error)
        return mock_fail(error);
    mock_lock();
    struct mock_event *e = mock_record(functions[find(host)].name, api);
    e->grid = grid;
    e->block = block;
    e->shared = shared;
    e->stream = stream;
    mock_unlock();
    if (!mock_captured(stream, now) && now.copy != NULL) {
        mock_run(now.copy, grid, block, shared);
        mock_drop(now.copy);
    }
    return 0;
}

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
#define LAUNCHER(name)                                                                             \
    int name(const void *host, struct mock_dims grid, struct mock_dims block, void **args,         \
             size_t shared, void *stream)                                                          \
    {                                                                                              \
        return launch(#name, host, grid, block, args, shared, stream);                             \
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
    void *attributes;
    unsigned n_attributes;
};
int cudaLaunchKernelExC(const struct config *c, const void *host, void **args)
{
    return launch("cudaLaunchKernelExC", host, c->grid, c->block, args, c->shared, c->stream);
}
MOCK_ALSO(cudaLaunchKernelExC, _ptsz);

// --- questions ---

int cudaGetLastError(void)
{
    int e = last_error;
    mock_called();
    last_error = 0;
    return e;
}
int cudaPeekAtLastError(void)
{
    mock_called();
    return last_error;
}
int cudaGetDevice(int *d)
{
    mock_called();
    *d = device;
    return mock_fail_device ? mock_fail(ERROR_NO_DEVICE) : 0;
}
int cudaGetDeviceCount(int *n)
{
    mock_called();
    *n = devices;
    return mock_fail_device ? mock_fail(ERROR_NO_DEVICE) : 0;
}
int cudaSetDevice(int d)
{
    mock_called();
    if (d < 0 || d >= devices)
        return mock_fail(ERROR_DEVICE);
    device = d;
    return 0;
}
int cudaDeviceSynchronize(void)
{
    mock_called();
    return 0;
}
int cudaDeviceReset(void)
{
    mock_called();
    mock_lock();
    for (int i = 0; i < n_functions; i++)
        functions[i].dynamic[device] = 0;
    mock_unlock();
    return 0;
}
int cudaDeviceGetAttribute(int *value, int attribute, int d)
{
    mock_called();
    if (attribute == ATTRIBUTE_MAJOR)
        *value = capability[d] / 10;
    else if (attribute == ATTRIBUTE_MINOR)
        *value = capability[d] % 10;
    else if (attribute == ATTRIBUTE_OPTIN)
        *value = OPTIN;
    else
        return mock_fail(ERROR_VALUE);
    return 0;
}
struct attributes {
    size_t shared, constant, local;
    int max_threads, registers, ptx, binary, cache_mode, dynamic_shared;
    int rest[20]; // not all: never beyond the real one
};
int cudaFuncGetAttributes(struct attributes *a, const void *host)
{
    mock_called();
    mock_lock();
    int i = find(host);
    mock_unlock();
    if (mock_fail_query || i < 0)
        return mock_fail(i < 0 ? ERROR_FUNCTION : ERROR_VALUE);
    memset(a, 0, sizeof *a);
    a->max_threads = mock_max_threads;
    a->binary = capability[device];
    a->ptx = mock_ptx_version ? mock_ptx_version : a->binary;
    a->dynamic_shared =
        (int)(functions[i].dynamic[device] ? functions[i].dynamic[device] : 48 << 10);
    return 0;
}
int cudaFuncSetAttribute(const void *host, int attribute, int value)
{
    mock_called();
    mock_attribute_sets++;
    mock_lock();
    int i = find(host), ok = i >= 0 && attribute == DYNAMIC_SHARED && value >= 0 && value <= OPTIN;
    if (ok && !mock_fail_attribute)
        functions[i].dynamic[device] = (size_t)value;
    mock_unlock();
    return !ok || mock_fail_attribute ? mock_fail(ERROR_VALUE) : 0;
}
int cudaOccupancyMaxActiveBlocksPerMultiprocessor(int *n, const void *host, int block,
                                                  size_t shared)
{
    mock_called();
    mock_lock();
    int i = find(host);
    mock_unlock();
    *n = shared > 48 << 10 ? 1 : 2048 / (block > 0 ? block : 1);
    return i < 0 ? mock_fail(ERROR_FUNCTION) : 0;
}
