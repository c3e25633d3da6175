// Described GPUs and the roofline of counts: what limits, in which order times come, and what is wrong with
// a description is told by line.
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <string.h>
#include <cmocka.h>

#include "device/model.h"
#include "os/file.h"

static struct ks_gpu h200(struct ks_arena *arena)
{
    struct ks_gpu gpu;
    struct ks_err err = {0};
    enum ks_status status = ks_gpu_find(arena, KS_SOURCE_DIR "/devices", 90, &gpu, &err);
    if (status != KS_OK)
        fail_msg("%s", err.text);
    return gpu;
}

static void all_descriptions_are_read(void **state)
{
    struct ks_arena arena = {0};
    struct ks_strv files = {0};
    struct ks_err err = {0};
    (void)state;
    assert_int_equal(ks_dir_list(&arena, KS_SOURCE_DIR "/devices", &files, &err), KS_OK);
    assert_true(files.len >= 3);
    for (size_t i = 0; i < files.len; i++) {
        struct ks_gpu gpu;
        const char *path = ks_path_join(&arena, KS_SOURCE_DIR "/devices", files.at[i]);
        if (ks_gpu_read(&arena, path, &gpu, &err) != KS_OK)
            fail_msg("%s", err.text);
        // Peak fp32 of the data sheets: 19.5 (A100) to 92 (L40S) TFLOP/s.
        double tflops = 2 * gpu.fp32_lanes * gpu.sms * gpu.clock_mhz * 1e-6;
        assert_true(tflops > 19 && tflops < 93);
    }
    struct ks_gpu gpu;
    assert_int_equal(ks_gpu_find(&arena, KS_SOURCE_DIR "/devices", 75, &gpu, &err), KS_E_ABSENT);
    ks_arena_free(&arena);
}

static void a_wrong_description_is_told_by_line(void **state)
{
    struct ks_arena arena = {0};
    struct ks_gpu gpu;
    static const struct {
        const char *text, *said;
    } wrong[] = {{"name: X\narch: 90\nsms: many\n", "gpu.yaml:3: `sms` is no number"},
                 {"name: X\nsms: 4\narch: 90\nclocks: 3\n", "clocks"},
                 {"arch: 90\n", "`name` is missing"},
                 {"name: X\narch: 90\nsms: 1\n", "`clock_mhz` is missing"}};
    (void)state;
    char *dir;
    struct ks_err err = {0};
    assert_int_equal(ks_dir_temp(&arena, "ks-test", &dir, &err), KS_OK);
    const char *path = ks_path_join(&arena, dir, "gpu.yaml");
    for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++) {
        assert_int_equal(ks_file_write(path, wrong[i].text, strlen(wrong[i].text), false, 0, &err),
                         KS_OK);
        assert_int_equal(ks_gpu_read(&arena, path, &gpu, &err), KS_E_USER);
        if (strstr(err.text, wrong[i].said) == NULL)
            fail_msg("'%s' lacks '%s'", err.text, wrong[i].said);
    }
    ks_tree_remove(dir, NULL);
    ks_arena_free(&arena);
}

static void occupancy_has_the_limit_that_is_least(void **state)
{
    struct ks_arena arena = {0};
    struct ks_gpu gpu = h200(&arena);
    (void)state;
    // As the CUDA occupancy calculator has them for compute capability 9.0.
    static const struct {
        int threads, registers, shared, blocks;
        const char *limit;
    } known[] = {{256, 32, 0, 8, "threads"},       {256, 64, 0, 4, "registers"},
                 {256, 255, 0, 1, "registers"},    {32, 16, 0, 32, "blocks"},
                 {128, 16, 48 << 10, 4, "shared memory"}, {1024, 32, 200 << 10, 1, "shared memory"},
                 {100, 0, 0, 16, "threads"}};
    for (size_t i = 0; i < sizeof known / sizeof *known; i++) {
        struct ks_counts counts = {.threads = known[i].threads, .registers = known[i].registers,
                                   .shared_bytes = known[i].shared};
        struct ks_occupancy o = ks_gpu_occupancy(&gpu, &counts);
        assert_int_equal(o.blocks, known[i].blocks);
        assert_string_equal(o.limit, known[i].limit);
    }
    ks_arena_free(&arena);
}

// 2^26 floats copied: by one a thread (a warp waits once for its 128 bytes), by four, and by stores that
// cover sectors in part.
static void more_bytes_in_flight_are_faster(void **state)
{
    struct ks_arena arena = {0};
    struct ks_gpu gpu = h200(&arena);
    double n = 1 << 26, traffic = 8 * n;
    struct ks_counts one = {.blocks = n / 256, .threads = 256, .registers = 16, .read_sectors = n / 8,
                            .write_sectors = n / 8, .waits = n / 32, .global_wavefronts = n / 16};
    struct ks_counts four = one, partial = one;
    (void)state;
    four.blocks /= 4;
    four.waits /= 4;
    partial.write_sectors = partial.partial_sectors = n;
    struct ks_model a = ks_model_launch(&gpu, &one, traffic), b = ks_model_launch(&gpu, &four, traffic);
    struct ks_model c = ks_model_launch(&gpu, &partial, traffic);
    assert_string_equal(a.limit, "latency");
    assert_string_equal(b.limit, "memory");
    assert_string_equal(c.limit, "partial stores");
    // Measured on an H200: 2.70 and 4.28 TB/s; the naive transpose of this size takes 962 us.
    assert_true(a.us > 1.3 * b.us && a.us < 1.9 * b.us);
    assert_true(c.us > 700 && c.us < 1300);
    // One block alone has one SM's part of every pipe.
    struct ks_counts alone = {.blocks = 1, .threads = 256, .warp_insts = {[KS_CLASS_FP32] = 1e6}};
    struct ks_counts spread = alone;
    spread.blocks = 132;
    assert_true(ks_model_launch(&gpu, &alone, 0).us > 50 * ks_model_launch(&gpu, &spread, 0).us);
    ks_arena_free(&arena);
}

static void counts_come_back_from_json(void **state)
{
    struct ks_counts counts = {.blocks = 12, .sampled = 3, .threads = 64, .shared_bytes = 100,
                               .registers = 40, .waits = 7, .read_sectors = 1e12};
    struct ks_counts back;
    (void)state;
    for (int c = 0; c < KS_CLASSES; c++) {
        counts.warp_insts[c] = c + 1;
        counts.thread_insts[c] = 32 * (c + 1);
    }
    json_t *json = ks_counts_json(&counts);
    assert_true(ks_counts_read(json, &back));
    assert_memory_equal(&counts, &back, sizeof back);
    assert_true(ks_counts_lanes(&back) == 32);
    json_decref(json);
    json = json_object();
    assert_false(ks_counts_read(json, &back));
    json_decref(json);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(all_descriptions_are_read),
        cmocka_unit_test(a_wrong_description_is_told_by_line),
        cmocka_unit_test(occupancy_has_the_limit_that_is_least),
        cmocka_unit_test(more_bytes_in_flight_are_faster),
        cmocka_unit_test(counts_come_back_from_json),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
