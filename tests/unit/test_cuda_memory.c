// Fenced buffers of the cuda device over a driver that only keeps books: what is mapped, and what can be reached.
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>
#include <cmocka.h>

#include "device/cuda_device.h"

#define GRANULE ((size_t)2 << 20)
#define MOST 512

static struct {
    struct {
        CUdeviceptr at;
        size_t bytes;
        int access;
    } mapped[MOST];
    size_t n, memory, reserved, calls, creates;
    CUdeviceptr next;
    bool refuse_access;
    size_t room; // bytes of memory left
} driver;

static size_t index_of(CUdeviceptr at)
{
    for (size_t i = 0; i < driver.n; i++)
        if (driver.mapped[i].at == at)
            return i;
    fail_msg("nothing is mapped there");
    return 0;
}

static CUresult reserve(CUdeviceptr *at, size_t bytes, size_t align, CUdeviceptr wish, unsigned long long flags)
{
    (void)align, (void)wish, (void)flags;
    *at = driver.next += 64 * GRANULE;
    assert_true(bytes < 64 * GRANULE);
    driver.reserved++;
    driver.calls++;
    return CUDA_SUCCESS;
}

static CUresult release_addresses(CUdeviceptr at, size_t bytes)
{
    (void)at, (void)bytes;
    driver.reserved--;
    driver.calls++;
    return CUDA_SUCCESS;
}

static CUresult create(CUmemGenericAllocationHandle *memory, size_t bytes, const CUmemAllocationProp *prop,
                       unsigned long long flags)
{
    (void)prop, (void)flags;
    driver.calls++;
    if (bytes > driver.room)
        return CUDA_ERROR_OUT_OF_MEMORY;
    driver.room -= bytes;
    driver.memory++;
    driver.creates++;
    *memory = bytes;
    return CUDA_SUCCESS;
}

static CUresult release_memory(CUmemGenericAllocationHandle memory)
{
    driver.room += (size_t)memory;
    driver.memory--;
    driver.calls++;
    return CUDA_SUCCESS;
}

static CUresult map(CUdeviceptr at, size_t bytes, size_t offset, CUmemGenericAllocationHandle memory,
                    unsigned long long flags)
{
    (void)offset, (void)memory, (void)flags;
    assert_true(driver.n < MOST);
    driver.mapped[driver.n].at = at;
    driver.mapped[driver.n].bytes = bytes;
    driver.mapped[driver.n++].access = CU_MEM_ACCESS_FLAGS_PROT_NONE;
    driver.calls++;
    return CUDA_SUCCESS;
}

static CUresult unmap(CUdeviceptr at, size_t bytes)
{
    size_t i = index_of(at);
    assert_int_equal(driver.mapped[i].bytes, bytes);
    driver.mapped[i] = driver.mapped[--driver.n];
    driver.calls++;
    return CUDA_SUCCESS;
}

static CUresult set_access(CUdeviceptr at, size_t bytes, const CUmemAccessDesc *desc, size_t n)
{
    size_t i = index_of(at);
    assert_int_equal(driver.mapped[i].bytes, bytes);
    assert_int_equal(n, 1);
    driver.calls++;
    if (driver.refuse_access)
        return CUDA_ERROR_NOT_SUPPORTED;
    driver.mapped[i].access = (int)desc->flags;
    return CUDA_SUCCESS;
}

static CUresult launch(CUfunction f, unsigned gx, unsigned gy, unsigned gz, unsigned bx, unsigned by, unsigned bz,
                       unsigned shared, CUstream stream, void **params, void **extra)
{
    (void)f, (void)gx, (void)gy, (void)gz, (void)bx, (void)by, (void)bz, (void)shared, (void)stream, (void)extra;
    CUdeviceptr at = *(CUdeviceptr *)params[0]; // a canary is written: it must be within reach
    bool found = false;
    for (size_t i = 0; i < driver.n; i++)
        found = found || (at >= driver.mapped[i].at && at < driver.mapped[i].at + driver.mapped[i].bytes &&
                          driver.mapped[i].access == CU_MEM_ACCESS_FLAGS_PROT_READWRITE);
    assert_true(found);
    return CUDA_SUCCESS;
}

static CUresult synchronize(CUstream stream)
{
    (void)stream;
    return CUDA_SUCCESS;
}

static CUresult name_of(CUresult result, const char **text)
{
    (void)result;
    *text = "an error";
    return CUDA_SUCCESS;
}

static struct ks_cuda cuda;

static int begin(void **state)
{
    (void)state;
    memset(&driver, 0, sizeof driver);
    driver.room = SIZE_MAX / 2;
    cuda = (struct ks_cuda){.granularity = GRANULE, .facts = {.sms = 4}};
    cuda.api.MemAddressReserve = reserve;
    cuda.api.MemAddressFree = release_addresses;
    cuda.api.MemCreate = create;
    cuda.api.MemRelease = release_memory;
    cuda.api.MemMap = map;
    cuda.api.MemUnmap = unmap;
    cuda.api.MemSetAccess = set_access;
    cuda.api.LaunchKernel = launch;
    cuda.api.StreamSynchronize = synchronize;
    cuda.api.GetErrorName = cuda.api.GetErrorString = name_of;
    ks_rng_seed(&cuda.rng, 1);
    return 0;
}

static int end(void **state)
{
    (void)state;
    assert_int_equal(ks_cuda_free_all(&cuda, NULL), KS_OK);
    ks_cuda_unmap_kept(&cuda);
    assert_int_equal(driver.n + driver.memory + driver.reserved, 0);
    ks_arena_free(&cuda.arena);
    return 0;
}

static size_t reachable(void)
{
    size_t n = 0;
    for (size_t i = 0; i < driver.n; i++)
        n += driver.mapped[i].access != CU_MEM_ACCESS_FLAGS_PROT_NONE;
    return n;
}

static struct ks_dev_buffer alloc(int64_t bytes, enum ks_flush flush, size_t *buffer)
{
    struct ks_dev_buffer placed;
    struct ks_err err = {0};
    if (ks_cuda_alloc(&cuda, bytes, 4, flush, buffer, &placed, &err) != KS_OK)
        fail_msg("%s", err.text);
    return placed;
}

static void mappings_are_used_again(void **state)
{
    (void)state;
    size_t buffer, calls;
    for (int turn = 0; turn < 100; turn++) {
        calls = driver.calls;
        // Sizes and sides change, the mapping's own size does not.
        struct ks_dev_buffer a = alloc(400 + 4 * turn, KS_FLUSH_END, &buffer), b = alloc(100, KS_FLUSH_START, &buffer);
        size_t i = index_of((a.address + (uint64_t)a.bytes - 1) / GRANULE * GRANULE);
        assert_int_equal(a.address + (uint64_t)a.bytes, driver.mapped[i].at + GRANULE); // against the fence
        index_of(b.address);
        assert_int_equal(ks_cuda_freeze(&cuda, buffer, NULL), KS_OK);
        assert_int_equal(reachable(), 2);
        assert_int_equal(ks_cuda_free_all(&cuda, NULL), KS_OK);
        assert_int_equal(reachable(), 0); // nobody's memory is in nobody's reach
        assert_true(turn == 0 || driver.calls - calls == 5);
    }
    assert_int_equal(driver.creates, 2);
}

static void not_more_than_so_many_are_kept(void **state)
{
    (void)state;
    size_t buffer;
    for (int i = 0; i < 200; i++)
        alloc(100, KS_FLUSH_END, &buffer);
    alloc(INT64_C(50) << 20, KS_FLUSH_END, &buffer);
    assert_int_equal(ks_cuda_free_all(&cuda, NULL), KS_OK);
    assert_int_equal(driver.n, 64);
    assert_int_equal(reachable(), 0);
    alloc(INT64_C(300) << 20 >> 4, KS_FLUSH_END, &buffer); // none is that large
    assert_int_equal(reachable(), 1);
}

static void what_is_kept_makes_room(void **state)
{
    (void)state;
    size_t buffer;
    driver.room = 4 * GRANULE;
    for (int i = 0; i < 4; i++)
        alloc(100, KS_FLUSH_END, &buffer);
    assert_int_equal(ks_cuda_free_all(&cuda, NULL), KS_OK);
    alloc((int64_t)(3 * GRANULE), KS_FLUSH_END, &buffer);
    assert_int_equal(reachable(), 1);
    struct ks_dev_buffer placed;
    struct ks_err err = {0};
    assert_int_equal(ks_cuda_alloc(&cuda, (int64_t)(2 * GRANULE), 4, KS_FLUSH_END, &buffer, &placed, &err), KS_E_LIMIT);
    assert_int_equal(driver.n, 1);
}

static void a_driver_that_refuses_keeps_none(void **state)
{
    (void)state;
    size_t buffer;
    alloc(100, KS_FLUSH_END, &buffer);
    alloc(100, KS_FLUSH_END, &buffer);
    assert_int_equal(ks_cuda_free_all(&cuda, NULL), KS_OK);
    assert_int_equal(driver.n, 2);
    struct ks_dev_buffer placed;
    struct ks_err err = {0};
    driver.refuse_access = true; // even what is new
    assert_int_equal(ks_cuda_alloc(&cuda, 100, 4, KS_FLUSH_END, &buffer, &placed, &err), KS_E_UNSUPPORTED);
    assert_int_equal(driver.n, 1);
    driver.refuse_access = false;
    alloc(100, KS_FLUSH_END, &buffer);
    driver.refuse_access = true;
    assert_int_equal(ks_cuda_free_all(&cuda, NULL), KS_OK);
    assert_int_equal(driver.n, 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(mappings_are_used_again, begin, end),
        cmocka_unit_test_setup_teardown(not_more_than_so_many_are_kept, begin, end),
        cmocka_unit_test_setup_teardown(what_is_kept_makes_room, begin, end),
        cmocka_unit_test_setup_teardown(a_driver_that_refuses_keeps_none, begin, end),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
