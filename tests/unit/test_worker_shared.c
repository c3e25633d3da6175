// What workers hand over through memory that both map (verify/shared.h), beside what goes through the pipe.
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <cmocka.h>
#include <stdlib.h>
#include <string.h>

#include "os/file.h"
#include "verify/client.h"

static const char *worker_path(struct ks_arena *arena)
{
    return ks_path_join(arena, ks_program_dir(arena), "../bin/ks-worker");
}

// One buffer of index-coded floats, read by a worker that has shared memory, or under `launcher`, without.
static float *read_of(const char *launcher, size_t bytes, bool *shares)
{
    struct ks_arena arena = {0};
    struct ks_worker worker;
    struct ks_device_info info;
    struct ks_err err = {0};
    float *data = calloc(1, bytes + 8);
    assert_non_null(data);
    assert_int_equal(ks_worker_start(&worker, launcher, worker_path(&arena), "emu:seed=0", true, &err), KS_OK);
    assert_int_equal(ks_worker_hello(&worker, &info), KS_ANSWER_OK);
    *shares = worker.shared.at != NULL;
    json_t *buffers = json_pack("{s:s,s:[{s:I,s:i,s:s,s:i,s:{s:s,s:s,s:i,s:i,s:s,s:i,s:I}}]}", "flush", "end", "list",
                                "bytes", (json_int_t)bytes, "align", 4, "role", "in", "alias", -1, "fill", "elem", "f32",
                                "init", "uniform", "a", -1, "b", 1, "family", "declared", "seed", 7, "total",
                                (json_int_t)(bytes / 4));
    assert_int_equal(ks_worker_ask(&worker, "buffers", buffers, 60), KS_ANSWER_OK);
    assert_int_equal(ks_worker_read(&worker, 0, 0, data, bytes, 60), KS_ANSWER_OK);
    assert_int_equal(((unsigned char *)data)[bytes], 0);
    ks_worker_stop(&worker);
    assert_null(worker.shared.at);
    ks_arena_free(&arena);
    return data;
}

static void both_ways_bring_the_same(void **state)
{
    (void)state;
    const size_t half = (size_t)KS_SHARED_BYTES / 2;
    const size_t sizes[] = {4096, (1 << 20) + 4, half, half + 4, 3 * half + 4 * 12345};
    for (size_t i = 0; i < sizeof sizes / sizeof *sizes; i++) {
        bool shares, pipes;
        float *shared = read_of(NULL, sizes[i], &shares), *piped = read_of("env", sizes[i], &pipes);
        assert_true(shares);
        assert_false(pipes);
        assert_memory_equal(shared, piped, sizes[i]);
        for (size_t k = 0; k + 1 < 16; k++) // not the same everywhere
            assert_true(shared[k] != shared[k + 1]);
        free(shared);
        free(piped);
    }
}

// What is asked of shared memory beyond it, or of a worker without any, is the asker's mistake.
static void what_does_not_fit_is_refused(void **state)
{
    (void)state;
    struct ks_arena arena = {0};
    struct ks_err err = {0};
    for (int with = 0; with < 2; with++) {
        struct ks_worker worker;
        struct ks_device_info info;
        assert_int_equal(ks_worker_start(&worker, with ? NULL : "env", worker_path(&arena), "emu:seed=0", false, &err), KS_OK);
        assert_int_equal(ks_worker_hello(&worker, &info), KS_ANSWER_OK);
        json_t *buffers = json_pack("{s:s,s:[{s:i,s:i,s:s,s:i}]}", "flush", "end", "list", "bytes", 4096, "align", 4, "role",
                                    "out", "alias", -1);
        assert_int_equal(ks_worker_ask(&worker, "buffers", buffers, 60), KS_ANSWER_OK);
        const int64_t asked[][3] = {{0, 4096, 0}, {4092, 8, 0}, {-1, 8, 0}, {0, 8, KS_SHARED_BYTES - 4}, {0, 8, -1}};
        for (size_t i = 0; i < sizeof asked / sizeof *asked; i++) {
            json_t *request = json_pack("{s:i,s:I,s:I,s:I}", "buffer", 0, "from", (json_int_t)asked[i][0], "bytes",
                                        (json_int_t)asked[i][1], "to", (json_int_t)asked[i][2]);
            assert_int_equal(ks_worker_ask(&worker, "read", request, 60), i == 0 && with ? KS_ANSWER_OK : KS_ANSWER_TOOL);
        }
        ks_worker_stop(&worker);
    }
    ks_arena_free(&arena);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(both_ways_bring_the_same),
        cmocka_unit_test(what_does_not_fit_is_refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
