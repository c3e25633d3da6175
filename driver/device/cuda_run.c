// Modules, functions and plans.

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "device/cuda_device.h"

enum ks_status ks_cuda_module(void *self, struct ks_slice cubin, void **module, struct ks_err *err)
{
    struct ks_cuda *cuda = self;
    KS_TRY(ks_cuda_ready(cuda, err));
    // Terminated, for PTX; and a truncated ELF's tables end in zeros instead of someone's memory.
    char *image = calloc(1, cubin.len + 4096);
    if (image == NULL)
        KS_FAIL(err, KS_E_MEMORY, "out of memory");
    memcpy(image, cubin.at, cubin.len);
    char log[400] = "", text[300];
    CUjit_option options[] = {CU_JIT_ERROR_LOG_BUFFER, CU_JIT_ERROR_LOG_BUFFER_SIZE_BYTES};
    void *values[] = {log, (void *)(uintptr_t)sizeof log};
    CUmodule loaded = NULL;
    CUresult result = cuda->api.ModuleLoadDataEx(&loaded, image, 2, options, values);
    free(image);
    ks_cuda_describe(cuda, result, text, sizeof text);
    log[sizeof log - 1] = '\0';
    switch (result) {
    case CUDA_SUCCESS:
        break;
    case CUDA_ERROR_NO_BINARY_FOR_GPU:
    case CUDA_ERROR_UNSUPPORTED_PTX_VERSION:
        KS_FAIL(err, KS_E_UNSUPPORTED, "not for this GPU (sm_%d) or driver: %s", cuda->facts.arch,
                text);
    default:
        if (ks_cuda_sticky(result) || result == CUDA_ERROR_OUT_OF_MEMORY)
            return ks_cuda_check(cuda, result, "cuModuleLoadDataEx", err);
        KS_FAIL(err, KS_E_FORMAT, "not a loadable module: %s %s", text, log);
    }
    CUmodule *slot = ks_vec_push(&cuda->arena, &cuda->modules);
    *slot = loaded;
    *module = loaded;
    return KS_OK;
}

// Parameter sizes, so that a plan with a wrong argument is refused instead of read out of bounds.
static void read_params(struct ks_cuda *cuda, struct ks_cuda_function *f, json_t *list)
{
    KS_VEC(size_t) sizes = {0};
    if (cuda->api.FuncGetParamInfo == NULL)
        return;
    size_t offset, size;
    while (sizes.len < KS_CUDA_MAX_ARGS + 1 &&
           cuda->api.FuncGetParamInfo(f->handle, sizes.len, &offset, &size) == CUDA_SUCCESS) {
        size_t *slot = ks_vec_push(&cuda->arena, &sizes);
        *slot = size;
        if (list != NULL)
            json_array_append_new(list, json_pack("[I,I]", (json_int_t)offset, (json_int_t)size));
    }
    f->params_known = true;
    f->param_sizes = sizes.at;
    f->n_params = sizes.len;
}

static enum ks_status read_facts(struct ks_cuda *cuda, struct ks_cuda_function *f, json_t *facts,
                                 struct ks_err *err)
{
    const struct {
        CUfunction_attribute what;
        const char *name;
    } attributes[] = {
        {CU_FUNC_ATTRIBUTE_NUM_REGS, "registers"},
        {CU_FUNC_ATTRIBUTE_SHARED_SIZE_BYTES, "static_shared"},
        {CU_FUNC_ATTRIBUTE_LOCAL_SIZE_BYTES, "local"},
        {CU_FUNC_ATTRIBUTE_CONST_SIZE_BYTES, "constant"},
        {CU_FUNC_ATTRIBUTE_MAX_THREADS_PER_BLOCK, "max_threads"},
        {CU_FUNC_ATTRIBUTE_BINARY_VERSION, "arch"},
    };
    for (size_t i = 0; i < sizeof attributes / sizeof *attributes; i++) {
        int value = 0;
        KS_CU(cuda, FuncGetAttribute, &value, attributes[i].what, f->handle);
        if (attributes[i].what == CU_FUNC_ATTRIBUTE_SHARED_SIZE_BYTES)
            f->static_shared = value;
        if (attributes[i].what == CU_FUNC_ATTRIBUTE_MAX_THREADS_PER_BLOCK)
            f->max_threads = value;
        if (facts != NULL)
            json_object_set_new(facts, attributes[i].name, json_integer(value));
    }
    if (facts == NULL)
        return KS_OK;
    int grid = 0, block = 0, blocks = 0;
    KS_CU(cuda, OccupancyMaxPotentialBlockSize, &grid, &block, f->handle, NULL, 0, 0);
    KS_CU(cuda, OccupancyMaxActiveBlocksPerMultiprocessor, &blocks, f->handle, block, 0);
    json_object_set_new(facts, "best_block", json_integer(block));
    json_object_set_new(facts, "blocks_per_sm_at_best", json_integer(blocks));
    return KS_OK;
}

enum ks_status ks_cuda_function(void *self, void *module, const char *name, void **function,
                                json_t **facts, struct ks_err *err)
{
    struct ks_cuda *cuda = self;
    KS_TRY(ks_cuda_ready(cuda, err));
    CUfunction handle = NULL;
    CUresult result = cuda->api.ModuleGetFunction(&handle, module, name);
    if (result == CUDA_ERROR_NOT_FOUND)
        KS_FAIL(err, KS_E_ABSENT, "the module has no kernel %s", name);
    KS_TRY(ks_cuda_check(cuda, result, "cuModuleGetFunction", err));
    // Some attributes of a function that is not loaded yet answer error 913.
    if (cuda->api.FuncLoad != NULL)
        KS_CU(cuda, FuncLoad, handle);
    struct ks_cuda_function *f = KS_NEW(&cuda->arena, struct ks_cuda_function);
    f->handle = handle;
    f->name = ks_arena_strdup(&cuda->arena, name);
    json_t *object = facts != NULL ? json_object() : NULL;
    json_t *params = facts != NULL ? json_array() : NULL;
    read_params(cuda, f, params);
    enum ks_status status = read_facts(cuda, f, object, err);
    if (status != KS_OK) {
        json_decref(object);
        json_decref(params);
        return status;
    }
    f->shared_allowed = f->static_shared < 49152 ? (unsigned)(49152 - f->static_shared) : 0;
    *function = f;
    if (facts != NULL) {
        json_object_set_new(object, "params", params);
        *facts = object;
    }
    return KS_OK;
}

// ---- plans

// What the driver would answer with a bare INVALID_VALUE, said properly.
static enum ks_status check_shape(const struct ks_cuda *cuda, const struct ks_cuda_function *f,
                                  const struct ks_dev_step *step, struct ks_err *err)
{
    uint64_t threads = (uint64_t)step->block[0] * step->block[1] * step->block[2];
    if (step->grid[0] == 0 || step->grid[1] == 0 || step->grid[2] == 0 || threads == 0)
        KS_FAIL(err, KS_E_LIMIT, "launch of %s refused: a grid or block of zero", f->name);
    if (step->grid[0] > INT32_MAX || step->grid[1] > 65535 || step->grid[2] > 65535)
        KS_FAIL(err, KS_E_LIMIT, "launch of %s refused: grid (%u,%u,%u); at most "
                                 "(2147483647,65535,65535)",
                f->name, step->grid[0], step->grid[1], step->grid[2]);
    if (threads > (uint64_t)f->max_threads)
        KS_FAIL(err, KS_E_LIMIT, "launch of %s refused: %llu threads a block; this kernel can have "
                                 "%d", f->name, (unsigned long long)threads, f->max_threads);
    if ((uint64_t)step->shared + (uint64_t)f->static_shared > (uint64_t)cuda->facts.smem_optin)
        KS_FAIL(err, KS_E_LIMIT, "launch of %s refused: %llu bytes of shared memory a block; the "
                                 "GPU has %d", f->name,
                (unsigned long long)step->shared + (unsigned)f->static_shared,
                cuda->facts.smem_optin);
    return KS_OK;
}

static enum ks_status bind_args(struct ks_cuda *cuda, const struct ks_cuda_function *f,
                                const struct ks_dev_step *step, CUdeviceptr *addresses,
                                void **params, struct ks_err *err)
{
    if (step->n_args > KS_CUDA_MAX_ARGS)
        KS_FAIL(err, KS_E_LIMIT, "%s: more than %d arguments", f->name, KS_CUDA_MAX_ARGS);
    if (f->params_known && step->n_args != f->n_params)
        KS_FAIL(err, KS_E_USER, "%s takes %zu arguments, the plan gives %zu", f->name, f->n_params,
                step->n_args);
    for (size_t i = 0; i < step->n_args; i++) {
        const struct ks_dev_arg *arg = &step->args[i];
        bool buffer = arg->kind == KS_DARG_BUFFER;
        size_t size = buffer ? sizeof *addresses : arg->size;
        if (f->params_known && size != f->param_sizes[i])
            KS_FAIL(err, KS_E_USER, "%s: argument %zu has %zu bytes, the kernel takes %zu", f->name,
                    i + 1, size, f->param_sizes[i]);
        if (buffer) {
            struct ks_cuda_buffer *b;
            KS_TRY(ks_cuda_buffer_at(cuda, arg->buffer, &b, err));
            addresses[i] = b->data;
            params[i] = &addresses[i];
        } else if (arg->kind == KS_DARG_STRUCT) {
            for (size_t k = 0; k < arg->n_pointers; k++) {
                struct ks_cuda_buffer *b;
                KS_TRY(ks_cuda_buffer_at(cuda, arg->pointers[k].buffer, &b, err));
                memcpy(arg->block + arg->pointers[k].at, &b->data, sizeof b->data);
            }
            params[i] = arg->block;
        } else {
            params[i] = (void *)(uintptr_t)arg->bytes; // only read
        }
    }
    return KS_OK;
}

static enum ks_status launch(struct ks_cuda *cuda, const struct ks_dev_step *step,
                             struct ks_err *err)
{
    struct ks_cuda_function *f = step->function;
    CUdeviceptr addresses[KS_CUDA_MAX_ARGS];
    void *params[KS_CUDA_MAX_ARGS + 1];
    char text[300];
    KS_TRY(check_shape(cuda, f, step, err));
    KS_TRY(bind_args(cuda, f, step, addresses, params, err));
    CUresult result = CUDA_SUCCESS;
    if (step->shared > f->shared_allowed) {
        result = cuda->api.FuncSetAttribute(
            f->handle, CU_FUNC_ATTRIBUTE_MAX_DYNAMIC_SHARED_SIZE_BYTES, (int)step->shared);
        f->shared_allowed = result == CUDA_SUCCESS ? step->shared : f->shared_allowed;
    }
    if (result == CUDA_SUCCESS)
        result = cuda->api.LaunchKernel(f->handle, step->grid[0], step->grid[1], step->grid[2],
                                        step->block[0], step->block[1], step->block[2],
                                        step->shared, cuda->stream, params, NULL);
    if (result == CUDA_SUCCESS)
        return KS_OK;
    if (ks_cuda_sticky(result))
        return ks_cuda_check(cuda, result, f->name, err);
    ks_cuda_describe(cuda, result, text, sizeof text);
    KS_FAIL(err, KS_E_LIMIT, "launch of %s refused: %s", f->name, text);
}

enum ks_status ks_cuda_enqueue(struct ks_cuda *cuda, const struct ks_dev_plan *plan,
                               struct ks_err *err)
{
    for (size_t i = 0; i < plan->n_steps; i++) {
        const struct ks_dev_step *step = &plan->steps[i];
        if (step->function != NULL) {
            KS_TRY(launch(cuda, step, err));
            continue;
        }
        struct ks_cuda_buffer *b = NULL;
        KS_TRY(ks_cuda_buffer_at(cuda, step->buffer, &b, err));
        if (b->bytes > 0)
            KS_CU(cuda, MemsetD8Async, b->data, (unsigned char)step->value, b->bytes, cuda->stream);
    }
    return KS_OK;
}

enum ks_status ks_cuda_wait(struct ks_cuda *cuda, const struct ks_dev_plan *plan,
                            struct ks_err *err)
{
    CUresult result = cuda->api.StreamSynchronize(cuda->stream);
    char names[200] = "running";
    for (size_t i = 0; result != CUDA_SUCCESS && i < plan->n_steps; i++) {
        const struct ks_cuda_function *f = plan->steps[i].function;
        size_t used = strlen(names);
        if (f != NULL)
            snprintf(names + used, sizeof names - used, "%s%s", used > 7 ? ", " : " ", f->name);
    }
    return ks_cuda_check(cuda, result, names, err);
}

enum ks_status ks_cuda_run(void *self, const struct ks_dev_plan *plan, double *microseconds,
                           struct ks_err *err)
{
    struct ks_cuda *cuda = self;
    KS_TRY(ks_cuda_ready(cuda, err));
    KS_CU(cuda, EventRecord, cuda->begin, cuda->stream);
    enum ks_status status = ks_cuda_enqueue(cuda, plan, err);
    if (status != KS_OK) {
        if (!cuda->spoilt) // steps before the refused one may still run, and may fault
            KS_TRY(ks_cuda_wait(cuda, plan, err));
        return status;
    }
    KS_CU(cuda, EventRecord, cuda->end, cuda->stream);
    KS_TRY(ks_cuda_wait(cuda, plan, err));
    KS_TRY(ks_cuda_crowd_ends(cuda, err));
    float ms = 0;
    KS_CU(cuda, EventElapsedTime, &ms, cuda->begin, cuda->end);
    if (microseconds != NULL)
        *microseconds = (double)ms * 1000.0;
    return KS_OK;
}
