// A whole program with the emulated device as its GPU:  emu_program PROGRAM.so ARGUMENTS
// This is CUDA's runtime to it: allocations, copies, launches, as far as samples use them. What the device finds is
// printed, and the launch fails. KS_EMU_SEED: the schedule.
//   nvcc -arch=compute_NN -code=compute_NN -no-compress -cudart=none -shared -Xcompiler=-fPIC (the PTX as text)
// Types of the ABI are written out: this file sees no CUDA header.
#include <dlfcn.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "device/emu/emu_device.h"

enum { OK = 0, ERROR_VALUE = 1, ERROR_MEMORY = 2, ERROR_FUNCTION = 98, ERROR_LAUNCH = 719 };
enum { HOST_TO_DEVICE = 1, DEVICE_TO_HOST = 2 };
enum { ALLOCATIONS = 512, FUNCTIONS = 1024, MODULES = 16, PARAMS = 64 };

struct dims {
    unsigned x, y, z;
};

static struct ks_device device;
static struct ks_err err;
static int last_error;

// Device memory, or memory of the host (`shared`) that kernels see under the buffer's address while they run.
static struct allocation {
    size_t buffer, bytes;
    uint64_t address;
    char *shared;
    bool live;
} allocations[ALLOCATIONS];
static size_t n_allocations;

static struct {
    const void *host;
    const char *name;
    void **binary;
} functions[FUNCTIONS];
static size_t n_functions;

static void open_device(void)
{
    const char *seed = getenv("KS_EMU_SEED");
    if (device.self != NULL)
        return;
    if (ks_device_open_emu_at(&device, seed != NULL ? strtoull(seed, NULL, 10) : 0, &err) != KS_OK) {
        fprintf(stderr, "%s\n", err.text);
        exit(1);
    }
    ks_emu_device_settings(&device)->print = stdout;
}

static int fail(int error)
{
    last_error = error;
    return error;
}

// ---- memory

static int allocate(size_t bytes, bool shared, struct allocation **made)
{
    struct ks_dev_buffer out;
    open_device();
    struct allocation *a = &allocations[n_allocations];
    if (n_allocations == ALLOCATIONS ||
        device.alloc(device.self, (int64_t)bytes, 256, KS_FLUSH_END, &a->buffer, &out, &err) != KS_OK)
        return fail(ERROR_MEMORY);
    n_allocations++;
    *a = (struct allocation){.buffer = a->buffer, .bytes = bytes, .address = out.address, .live = true,
                             .shared = shared ? calloc(1, bytes + 1) : NULL};
    *made = a;
    return OK;
}

static uint64_t start_of(const struct allocation *a)
{
    return a->shared != NULL ? (uint64_t)(uintptr_t)a->shared : a->address;
}

static struct allocation *find(const void *pointer)
{
    uint64_t at = (uint64_t)(uintptr_t)pointer;
    for (size_t i = 0; i < n_allocations; i++) {
        struct allocation *a = &allocations[i];
        if (a->live && at >= start_of(a) && at < start_of(a) + a->bytes)
            return a;
    }
    return NULL;
}

int cudaMalloc(void **pointer, size_t bytes);
int cudaMalloc(void **pointer, size_t bytes)
{
    struct allocation *a;
    int error = allocate(bytes, false, &a);
    if (error == OK)
        *pointer = (void *)(uintptr_t)a->address;
    return error;
}

int cudaMallocManaged(void **pointer, size_t bytes, unsigned flags);
int cudaMallocManaged(void **pointer, size_t bytes, unsigned flags)
{
    struct allocation *a;
    (void)flags;
    int error = allocate(bytes, true, &a);
    if (error == OK)
        *pointer = a->shared;
    return error;
}

int cudaFree(void *pointer);
int cudaFree(void *pointer)
{
    struct allocation *a = find(pointer);
    if (pointer == NULL)
        return OK;
    if (a == NULL || start_of(a) != (uint64_t)(uintptr_t)pointer)
        return fail(ERROR_VALUE);
    free(a->shared);
    a->live = false;
    for (size_t i = 0; i < n_allocations; i++)
        if (allocations[i].live)
            return OK;
    n_allocations = 0; // the device frees all or nothing
    return device.free_all(device.self, &err) == KS_OK ? OK : fail(ERROR_VALUE);
}

int cudaMemcpy(void *to, const void *from, size_t bytes, int kind);
int cudaMemcpy(void *to, const void *from, size_t bytes, int kind)
{
    const struct allocation *a = find(kind == HOST_TO_DEVICE ? to : from);
    enum ks_status status = KS_E_USER;
    if (a != NULL && bytes == a->bytes && kind == HOST_TO_DEVICE)
        status = device.write(device.self, a->buffer, 0, from, (int64_t)bytes, &err);
    if (a != NULL && bytes <= a->bytes && kind == DEVICE_TO_HOST && (uintptr_t)from == a->address)
        status = device.read(device.self, a->buffer, 0, to, (int64_t)bytes, &err);
    return status == KS_OK ? OK : fail(ERROR_VALUE);
}

// ---- programs

void **__cudaRegisterFatBinary(void *binary);
void **__cudaRegisterFatBinary(void *binary)
{
    const char *data;
    void **handle = calloc(1, sizeof *handle);
    uint16_t header;
    uint64_t bytes;
    memcpy(&data, (char *)binary + 8, sizeof data);
    memcpy(&header, data + 6, sizeof header);
    memcpy(&bytes, data + 8, sizeof bytes);
    const char *text = memmem(data + header, bytes, "\n.version", 9);
    open_device();
    if (text == NULL) {
        fprintf(stderr, "the program holds no PTX in plain text\n");
        exit(1);
    }
    if (device.module(device.self, (struct ks_slice){text, strnlen(text, bytes - (size_t)(text - data - header))},
                      handle, &err) != KS_OK) {
        fprintf(stderr, "%s\n", err.text);
        exit(1);
    }
    return handle;
}

void __cudaRegisterFatBinaryEnd(void **handle);
void __cudaRegisterFatBinaryEnd(void **handle)
{
    (void)handle;
}

void __cudaUnregisterFatBinary(void **handle);
void __cudaUnregisterFatBinary(void **handle)
{
    free(handle);
}

char __cudaInitModule(void **handle);
char __cudaInitModule(void **handle)
{
    (void)handle;
    return 1;
}

void __cudaRegisterFunction(void **handle, const char *host, char *fun, const char *name, int limit, void *tid,
                            void *bid, void *block, void *grid, int *size);
void __cudaRegisterFunction(void **handle, const char *host, char *fun, const char *name, int limit, void *tid,
                            void *bid, void *block, void *grid, int *size)
{
    (void)fun, (void)limit, (void)tid, (void)bid, (void)block, (void)grid, (void)size;
    if (n_functions == FUNCTIONS)
        abort();
    functions[n_functions].host = host;
    functions[n_functions].name = name;
    functions[n_functions++].binary = handle;
}

// Variables keep what the module initialises them with: nothing copies to them.
void __cudaRegisterVar(void **handle, char *host, char *address, const char *name, int external, size_t size,
                       int constant, int global);
void __cudaRegisterVar(void **handle, char *host, char *address, const char *name, int external, size_t size,
                       int constant, int global)
{
    (void)handle, (void)host, (void)address, (void)name, (void)external, (void)size, (void)constant, (void)global;
}

// ---- launches

// Bytes of a parameter, in which addresses of shared memory become those of their buffers.
static void put_argument(struct ks_dev_arg *arg, const void *value, size_t size)
{
    *arg = (struct ks_dev_arg){.kind = KS_DARG_STRUCT, .size = size, .block = malloc(size + 1)};
    memcpy(arg->block, value, size);
    for (size_t at = 0; at + 8 <= size; at += 8) {
        void *pointer;
        memcpy(&pointer, arg->block + at, 8);
        const struct allocation *a = find(pointer);
        if (a != NULL && a->shared != NULL) {
            uint64_t address = a->address + ((uintptr_t)pointer - start_of(a));
            memcpy(arg->block + at, &address, 8);
        }
    }
}

static enum ks_status exchange(bool back)
{
    enum ks_status status = KS_OK;
    for (size_t i = 0; status == KS_OK && i < n_allocations; i++) {
        struct allocation *a = &allocations[i];
        if (!a->live || a->shared == NULL)
            continue;
        status = back ? device.read(device.self, a->buffer, 0, a->shared, (int64_t)a->bytes, &err)
                      : device.write(device.self, a->buffer, 0, a->shared, (int64_t)a->bytes, &err);
    }
    return status;
}

static int run(const char *name, struct ks_dev_step *step, const json_t *params, void **values)
{
    struct ks_dev_arg args[PARAMS];
    struct ks_dev_plan plan = {step, 1};
    step->args = args;
    for (; step->n_args < json_array_size(params) && step->n_args < PARAMS; step->n_args++) {
        const json_t *param = json_array_get(params, step->n_args);
        put_argument(&args[step->n_args], values[step->n_args],
                     (size_t)json_integer_value(json_array_get(param, 1)));
    }
    enum ks_status status = exchange(false);
    if (status == KS_OK)
        status = device.run(device.self, &plan, NULL, &err);
    if (status == KS_OK)
        status = exchange(true);
    for (size_t i = 0; i < step->n_args; i++)
        free(args[i].block);
    if (status != KS_OK)
        fprintf(stderr, "%s: %s\n", name, err.text);
    return status == KS_OK ? OK : fail(ERROR_LAUNCH);
}

int cudaLaunchKernel(const void *host, struct dims grid, struct dims block, void **args, size_t shared, void *stream);
int cudaLaunchKernel(const void *host, struct dims grid, struct dims block, void **args, size_t shared, void *stream)
{
    struct ks_dev_step step = {.grid = {grid.x, grid.y, grid.z}, .block = {block.x, block.y, block.z},
                               .shared = (unsigned)shared};
    (void)stream;
    for (size_t i = 0; i < n_functions; i++) {
        json_t *facts = NULL;
        if (functions[i].host != host)
            continue;
        if (device.function(device.self, *functions[i].binary, functions[i].name, &step.function, &facts, &err) !=
            KS_OK) {
            fprintf(stderr, "%s: %s\n", functions[i].name, err.text);
            return fail(ERROR_FUNCTION);
        }
        int error = run(functions[i].name, &step, json_object_get(facts, "params"), args);
        json_decref(facts);
        return error;
    }
    return fail(ERROR_FUNCTION);
}

int __cudaLaunchKernel(const void *host, struct dims grid, struct dims block, void **args, size_t shared,
                       void *stream);
int __cudaLaunchKernel(const void *host, struct dims grid, struct dims block, void **args, size_t shared,
                       void *stream)
{
    return cudaLaunchKernel(host, grid, block, args, shared, stream);
}

int __cudaGetKernel(void **kernel, const void *host);
int __cudaGetKernel(void **kernel, const void *host)
{
    *kernel = (void *)(uintptr_t)host;
    return OK;
}

static struct {
    struct dims grid, block;
    size_t shared;
} pushed;

unsigned __cudaPushCallConfiguration(struct dims grid, struct dims block, size_t shared, void *stream);
unsigned __cudaPushCallConfiguration(struct dims grid, struct dims block, size_t shared, void *stream)
{
    (void)stream;
    pushed.grid = grid;
    pushed.block = block;
    pushed.shared = shared;
    return OK;
}

int __cudaPopCallConfiguration(struct dims *grid, struct dims *block, size_t *shared, void *stream);
int __cudaPopCallConfiguration(struct dims *grid, struct dims *block, size_t *shared, void *stream)
{
    *grid = pushed.grid;
    *block = pushed.block;
    *shared = pushed.shared;
    memset(stream, 0, sizeof(void *));
    return OK;
}

// ---- the rest

int cudaGetDeviceCount(int *n);
int cudaGetDeviceCount(int *n)
{
    *n = 1;
    return OK;
}

int cudaGetLastError(void);
int cudaGetLastError(void)
{
    int error = last_error;
    last_error = OK;
    return error;
}

int cudaDeviceSynchronize(void);
int cudaDeviceSynchronize(void)
{
    return last_error;
}

const char *cudaGetErrorString(int error);
const char *cudaGetErrorString(int error)
{
    return error == OK ? "no error" : error == ERROR_LAUNCH ? "the emulated device found a fault" : "refused";
}

// Nothing is timed.
int cudaEventCreate(void **event);
int cudaEventCreate(void **event)
{
    *event = NULL;
    return OK;
}

int cudaEventRecord(void *event, void *stream);
int cudaEventRecord(void *event, void *stream)
{
    (void)event, (void)stream;
    return OK;
}

int cudaEventSynchronize(void *event);
int cudaEventSynchronize(void *event)
{
    (void)event;
    return OK;
}

int cudaEventElapsedTime(float *milliseconds, void *begin, void *end);
int cudaEventElapsedTime(float *milliseconds, void *begin, void *end)
{
    (void)begin, (void)end;
    *milliseconds = 0;
    return OK;
}

int main(int argc, char **argv)
{
    void *program = argc > 1 ? dlopen(argv[1], RTLD_NOW | RTLD_GLOBAL) : NULL;
    void *entry = program != NULL ? dlsym(program, "main") : NULL;
    int (*run_program)(int, char **);
    if (entry == NULL) {
        fprintf(stderr, "usage: emu_program PROGRAM.so ARGUMENTS; %s\n", argc > 1 ? dlerror() : "");
        return 2;
    }
    memcpy(&run_program, &entry, sizeof entry);
    return run_program(argc - 1, argv + 1);
}
