// Opening and closing the GPU, and what a CUresult means.

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "device/cuda_device.h"

void ks_cuda_describe(const struct ks_cuda *cuda, CUresult result, char *out, size_t size)
{
    const char *name = NULL, *text = NULL;
    if (cuda->api.GetErrorName(result, &name) != CUDA_SUCCESS || name == NULL)
        name = "unknown error";
    if (cuda->api.GetErrorString(result, &text) != CUDA_SUCCESS || text == NULL)
        text = "?";
    snprintf(out, size, "%s %d (%s)", name, (int)result, text);
}

// Those of which cuda.h says "the process must be terminated and relaunched", and uncorrectable
// hardware errors.
bool ks_cuda_sticky(CUresult result)
{
    switch (result) {
    case CUDA_ERROR_ECC_UNCORRECTABLE:
    case CUDA_ERROR_NVLINK_UNCORRECTABLE:
    case CUDA_ERROR_ILLEGAL_ADDRESS:
    case CUDA_ERROR_LAUNCH_TIMEOUT:
    case CUDA_ERROR_CONTEXT_IS_DESTROYED:
    case CUDA_ERROR_ASSERT:
    case CUDA_ERROR_HARDWARE_STACK_ERROR:
    case CUDA_ERROR_ILLEGAL_INSTRUCTION:
    case CUDA_ERROR_MISALIGNED_ADDRESS:
    case CUDA_ERROR_INVALID_ADDRESS_SPACE:
    case CUDA_ERROR_INVALID_PC:
    case CUDA_ERROR_LAUNCH_FAILED:
    case CUDA_ERROR_UNKNOWN:
        return true;
    default:
        // 226 CONTAINED, 721 TENSOR_MEMORY_LEAK, 911 EXTERNAL_DEVICE: not in every cuda.h 12.
        return (int)result == 226 || (int)result == 721 || (int)result == 911;
    }
}

enum ks_status ks_cuda_check(struct ks_cuda *cuda, CUresult result, const char *call,
                             struct ks_err *err)
{
    if (result == CUDA_SUCCESS)
        return KS_OK;
    char text[300];
    ks_cuda_describe(cuda, result, text, sizeof text);
    if (result == CUDA_ERROR_OUT_OF_MEMORY)
        KS_FAIL(err, KS_E_LIMIT, "%s: the GPU has not enough memory left", call);
    if (result == CUDA_ERROR_NOT_SUPPORTED)
        KS_FAIL(err, KS_E_UNSUPPORTED, "%s: %s", call, text);
    if (!cuda->spoilt)
        snprintf(cuda->spoilt_text, sizeof cuda->spoilt_text, "%s: %s", call, text);
    cuda->spoilt = true;
    return ks_err_set(err, KS_E_DEVICE, "%s: %s", call, text);
}

enum ks_status ks_cuda_ready(const struct ks_cuda *cuda, struct ks_err *err)
{
    if (cuda->spoilt)
        KS_FAIL(err, KS_E_DEVICE, "this process is spoilt by an earlier fault: %s",
                cuda->spoilt_text);
    return KS_OK;
}

static enum ks_status info(void *self, struct ks_device_info *out, struct ks_err *err)
{
    struct ks_cuda *cuda = self;
    KS_TRY(ks_cuda_ready(cuda, err));
    size_t available, total;
    KS_CU(cuda, MemGetInfo, &available, &total);
    cuda->facts.memory_free = (int64_t)available;
    cuda->facts.memory_total = (int64_t)total;
    *out = cuda->facts;
    return KS_OK;
}

// "580.159.04, CUDA 13.0"; the kernel module's version is what bug reports need.
static void driver_text(int version, char *out, size_t size)
{
    char module[16] = "?";
    FILE *file = fopen("/sys/module/nvidia/version", "re");
    if (file != NULL) {
        if (fscanf(file, "%15s", module) != 1)
            strcpy(module, "?");
        fclose(file);
    }
    unsigned number = (unsigned)version; // 13020 for 13.2
    snprintf(out, size, "%.15s, CUDA %u.%u", module, number / 1000 % 100, number / 10 % 100);
}

static enum ks_status read_facts(struct ks_cuda *cuda, struct ks_err *err)
{
    struct ks_device_info *f = &cuda->facts;
    KS_CU(cuda, DeviceGetName, f->name, (int)sizeof f->name, cuda->device);
    CUuuid uuid;
    KS_CU(cuda, DeviceGetUuid, &uuid, cuda->device);
    const unsigned char *u = (const unsigned char *)uuid.bytes;
    snprintf(f->uuid, sizeof f->uuid,
             "GPU-%02x%02x%02x%02x-%02x%02x-%02x%02x-%02x%02x-%02x%02x%02x%02x%02x%02x", u[0], u[1],
             u[2], u[3], u[4], u[5], u[6], u[7], u[8], u[9], u[10], u[11], u[12], u[13], u[14],
             u[15]);
    int version = 0, major = 0, minor = 0, managed = 0;
    KS_CU(cuda, DriverGetVersion, &version);
    driver_text(version, f->driver, sizeof f->driver);
    const struct {
        CUdevice_attribute what;
        int *to;
    } attributes[] = {
        {CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MAJOR, &major},
        {CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MINOR, &minor},
        {CU_DEVICE_ATTRIBUTE_MULTIPROCESSOR_COUNT, &f->sms},
        {CU_DEVICE_ATTRIBUTE_L2_CACHE_SIZE, &f->l2_bytes},
        {CU_DEVICE_ATTRIBUTE_MAX_SHARED_MEMORY_PER_BLOCK_OPTIN, &f->smem_optin},
        {CU_DEVICE_ATTRIBUTE_MAX_THREADS_PER_MULTIPROCESSOR, &f->max_threads_sm},
        {CU_DEVICE_ATTRIBUTE_MAX_REGISTERS_PER_MULTIPROCESSOR, &f->regs_sm},
        {CU_DEVICE_ATTRIBUTE_MAX_BLOCKS_PER_MULTIPROCESSOR, &f->blocks_sm},
        {CU_DEVICE_ATTRIBUTE_MAX_SHARED_MEMORY_PER_MULTIPROCESSOR, &f->smem_sm},
        {CU_DEVICE_ATTRIBUTE_PAGEABLE_MEMORY_ACCESS, &f->pageable_access},
        {CU_DEVICE_ATTRIBUTE_VIRTUAL_MEMORY_MANAGEMENT_SUPPORTED, &managed},
    };
    for (size_t i = 0; i < sizeof attributes / sizeof *attributes; i++)
        KS_CU(cuda, DeviceGetAttribute, attributes[i].to, attributes[i].what, cuda->device);
    f->arch = 10 * major + minor;
    if (!managed)
        KS_FAIL(err, KS_E_UNSUPPORTED, "%s has no virtual memory management; buffers cannot be "
                                       "fenced there, so nothing can be judged on it", f->name);
    return KS_OK;
}

static enum ks_status choose_device(struct ks_cuda *cuda, struct ks_err *err)
{
    CUresult result = cuda->api.Init(0);
    char text[300];
    ks_cuda_describe(cuda, result, text, sizeof text);
    if (result == CUDA_ERROR_STUB_LIBRARY) // it has no texts either
        KS_FAIL(err, KS_E_ABSENT, "no NVIDIA driver on this machine: the libcuda.so.1 found is the "
                                  "toolkit's stub (look at LD_LIBRARY_PATH)");
    if (result == CUDA_ERROR_NO_DEVICE)
        KS_FAIL(err, KS_E_ABSENT, "no NVIDIA GPU on this machine: cuInit says %s", text);
    if (result != CUDA_SUCCESS)
        KS_FAIL(err, KS_E_ABSENT, "the NVIDIA driver does not start: cuInit says %s; see whether "
                                  "nvidia-smi works", text);
    int count = 0;
    KS_CU(cuda, DeviceGetCount, &count);
    int64_t wanted = 0;
    const char *chosen = getenv("KS_CUDA_DEVICE");
    if (chosen != NULL && *chosen != '\0' && !ks_parse_i64(chosen, &wanted))
        KS_FAIL(err, KS_E_USER, "KS_CUDA_DEVICE=%s is no number; set it to 0 to %d", chosen,
                count - 1);
    if (count < 1)
        KS_FAIL(err, KS_E_ABSENT, "the NVIDIA driver shows no GPU (CUDA_VISIBLE_DEVICES?)");
    if (wanted < 0 || wanted >= count)
        KS_FAIL(err, KS_E_USER, "KS_CUDA_DEVICE=%s, but there are %d GPUs; set it to 0 to %d",
                chosen, count, count - 1);
    KS_CU(cuda, DeviceGet, &cuda->device, (int)wanted);
    return KS_OK;
}

static enum ks_status start(struct ks_cuda *cuda, struct ks_err *err)
{
    KS_TRY(choose_device(cuda, err));
    KS_TRY(read_facts(cuda, err));
    KS_CU(cuda, DevicePrimaryCtxRetain, &cuda->context, cuda->device);
    KS_CU(cuda, CtxSetCurrent, cuda->context);
    // Non-blocking: the default stream, which nobody here uses, cannot order itself into ours.
    KS_CU(cuda, StreamCreate, &cuda->stream, CU_STREAM_NON_BLOCKING);
    KS_CU(cuda, EventCreate, &cuda->begin, CU_EVENT_DEFAULT);
    KS_CU(cuda, EventCreate, &cuda->end, CU_EVENT_DEFAULT);
    CUmemAllocationProp prop = {.type = CU_MEM_ALLOCATION_TYPE_PINNED,
                                .location = {.type = CU_MEM_LOCATION_TYPE_DEVICE,
                                             .id = cuda->device}};
    KS_CU(cuda, MemGetAllocationGranularity, &cuda->granularity, &prop,
          CU_MEM_ALLOC_GRANULARITY_MINIMUM);
    size_t scratch = KS_CUDA_RESULTS * 8 + 2 * KS_CUDA_STAMPS * 16;
    KS_TRY(ks_cuda_map(cuda, (int64_t)scratch, 256, KS_FLUSH_END, &cuda->scratch, err));
    return ks_cuda_trusted_load(cuda, err);
}

static void close_device(void *self)
{
    struct ks_cuda *cuda = self;
    if (!cuda->spoilt && cuda->context != NULL) {
        // A spoilt context is left to the end of the process: calls into it may crash.
        cuda->api.StreamSynchronize(cuda->stream);
        ks_cuda_forget_plans(cuda);
        ks_cuda_free_all(cuda, NULL);
        ks_cuda_unmap_kept(cuda);
        ks_cuda_unmap(cuda, &cuda->flush, NULL);
        ks_cuda_unmap(cuda, &cuda->scratch, NULL);
        for (size_t i = 0; i < cuda->modules.len; i++)
            cuda->api.ModuleUnload(cuda->modules.at[i]);
        if (cuda->begin != NULL)
            cuda->api.EventDestroy(cuda->begin);
        if (cuda->end != NULL)
            cuda->api.EventDestroy(cuda->end);
        if (cuda->stream != NULL)
            cuda->api.StreamDestroy(cuda->stream);
        if (cuda->aside != NULL)
            cuda->api.StreamDestroy(cuda->aside);
        cuda->api.DevicePrimaryCtxRelease(cuda->device);
    }
    ks_arena_free(&cuda->arena);
    free(cuda); // libcuda stays loaded: it has threads and exit handlers
}

static void chance(void *self, uint64_t seed)
{
    struct ks_cuda *cuda = self;
    ks_rng_seed(&cuda->rng, seed);
}

static void *own_module(void *self)
{
    struct ks_cuda *cuda = self;
    return cuda->trusted.module;
}

enum ks_status ks_device_open_cuda(struct ks_device *device, struct ks_err *err)
{
    struct ks_cuda *cuda = calloc(1, sizeof *cuda);
    if (cuda == NULL)
        KS_FAIL(err, KS_E_MEMORY, "out of memory");
    enum ks_status status = ks_cuda_api_open(&cuda->api, err);
    if (status != KS_OK) {
        free(cuda);
        return status;
    }
    ks_rng_seed(&cuda->rng, ks_seed_from_os());
    status = start(cuda, err);
    if (status != KS_OK) {
        close_device(cuda);
        return status;
    }
    *device = (struct ks_device){
        .kind = "cuda", .self = cuda, .info = info,
        .module = ks_cuda_module, .function = ks_cuda_function, .own_module = own_module,
        .chance = chance, .alloc = ks_cuda_alloc, .free_all = ks_cuda_free_all,
        .write = ks_cuda_write, .read = ks_cuda_read, .gather = ks_cuda_gather, .generate = ks_cuda_generate,
        .copy = ks_cuda_copy,
        .freeze = ks_cuda_freeze,
        .poison = ks_cuda_poison, .check_slack = ks_cuda_check_slack,
        .fingerprints = ks_cuda_fingerprints, .scrub = ks_cuda_scrub, .crowd = ks_cuda_crowd,
        .run = ks_cuda_run, .time = ks_cuda_time, .clean_cache = ks_cuda_clean_cache, .forget_plans = ks_cuda_forget_plans,
        .ceilings = ks_cuda_ceilings, .close = close_device,
    };
    return KS_OK;
}
