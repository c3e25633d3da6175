// Bottleneck classes of kernels of known kind. The counters are those read on an H200 for 8192 x 8192
// floats (device measurements of November 2026), not output of the classifier.
#include <stdarg.h>
#include <setjmp.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>
#include <cmocka.h>

#include "profile/facts.h"
#include "profile/parts.h"
#include "profile/profile.h"

struct pair {
    const char *name;
    double value;
};

static const char *class_of(const struct pair *facts, size_t n, double time_us)
{
    static struct ks_arena arena;
    struct ks_profile profile = {.time_us = time_us};
    for (size_t i = 0; i < n; i++)
        ks_fact_set(&arena, &profile.facts, facts[i].name, facts[i].value);
    ks_profile_classify(&arena, &profile);
    assert_non_null(profile.evidence);
    return profile.bottleneck;
}

#define CLASS(time, ...)                                                                          \
    class_of((const struct pair[]){__VA_ARGS__},                                                  \
             sizeof((const struct pair[]){__VA_ARGS__}) / sizeof(struct pair), time)

static void test_known_kernels(void **state)
{
    (void)state;
    assert_string_equal(CLASS(129, {"dram_pct", 88}, {"sectors_per_request_ld", 16},
                              {"sectors_per_request_st", 16}, {"issue_active", 0.03}),
                        "dram-bandwidth"); // float4 copy
    assert_string_equal(CLASS(962, {"dram_pct", 13.5}, {"sectors_per_request_ld", 4},
                              {"sectors_per_request_st", 32}, {"issue_active", 0.05}),
                        "uncoalesced"); // naive transpose
    assert_string_equal(CLASS(1178, {"dram_pct", 81}, {"sectors_per_request_ld", 32},
                              {"sectors_per_request_st", 4}, {"issue_active", 0.02}),
                        "uncoalesced"); // copy with stride 32: full DRAM, a sixteenth of it used
    assert_string_equal(CLASS(331, {"dram_pct", 34}, {"sectors_per_request_ld", 4},
                              {"sectors_per_request_st", 4}, {"shared_conflict_pct", 93},
                              {"issue_active", 0.2}),
                        "shared-conflicts"); // transpose with an unpadded tile
    assert_string_equal(CLASS(582, {"dram_pct", 0}, {"pipe_fma_pct", 97.5},
                              {"issue_active", 0.999}),
                        "compute"); // FMA loop
    assert_string_equal(CLASS(925, {"dram_pct", 0.6}, {"issue_active", 0.003},
                              {"red_sectors", 4.2e6}, {"sectors_per_request_ld", 4}),
                        "atomics");
    assert_string_equal(CLASS(3720, {"dram_pct", 34}, {"local_sectors", 2.1e8},
                              {"instructions", 2e7}, {"issue_active", 0.1}),
                        "local-memory");
    assert_string_equal(CLASS(204, {"dram_pct", 55}, {"sectors_per_request_ld", 4},
                              {"sectors_per_request_st", 4}, {"stall_long_scoreboard", 59}),
                        "latency"); // scalar copy: too few bytes in flight
}

static void test_without_counters(void **state)
{
    (void)state;
    assert_string_equal(CLASS(100, {"registers", 32}), "unknown");
}

static void test_facts_from_counters(void **state)
{
    (void)state;
    struct ks_arena arena = {0};
    struct ks_fact_list facts = {0};
    json_t *metrics = json_pack("{s:f,s:f,s:f,s:f}",
                                "l1tex__t_sectors_pipe_lsu_mem_global_op_st.sum", 320.0,
                                "l1tex__t_requests_pipe_lsu_mem_global_op_st.sum", 10.0,
                                "lts__t_sector_hit_rate.pct", 100.6, "dram__bytes_op_read.sum", 7.0);
    double value;
    ks_profile_facts(&arena, metrics, &facts);
    assert_true(ks_fact_get(&facts, "sectors_per_request_st", &value));
    assert_true(value == 32);
    assert_true(ks_fact_get(&facts, "l2_hit_pct", &value));
    assert_true(value == 100); // two passes can disagree by a little
    assert_true(ks_fact_get(&facts, "dram_bytes_read", &value)); // the other chip's spelling
    assert_false(ks_fact_get(&facts, "sectors_per_request_ld", &value));
    json_decref(metrics);
    ks_arena_free(&arena);
}

// The floor of a launch moves arrays whole: what counters do not show of the kernel itself says nothing of it.
static void test_moved(void **state)
{
    (void)state;
    struct ks_arena arena = {0};
    struct ks_fact_list facts = {0};
    const struct ks_moved moved = {.read = 1 << 20, .written = 1 << 20}, more_read = {.read = 1 << 21, .written = 1 << 20},
                          more_written = {.read = 1 << 20, .written = 1 << 21};
    json_t *metrics = json_pack("{s:f,s:f}", "dram__bytes_read.sum", 1053184.0,
                                "l1tex__t_sectors_pipe_lsu_mem_global_op_st.sum", 32768.0);
    assert_false(ks_profile_moved(&facts, metrics, &moved)); // not read
    ks_profile_facts(&arena, metrics, &facts);
    assert_true(ks_profile_moved(&facts, metrics, &moved)); // an H200, 262144 floats
    assert_false(ks_profile_moved(&facts, metrics, &more_read));
    assert_false(ks_profile_moved(&facts, metrics, &more_written));
    assert_false(ks_profile_moved(&facts, NULL, &moved));
    json_decref(metrics);
    ks_arena_free(&arena);
}

// Of long arrays, too: what is moved does not depend on whether a launch counts.
static void test_arrays(void **state)
{
    (void)state;
    struct ks_slot slots[] = {{.role = KS_ROLE_IN, .bytes = 1000},
                              {.role = KS_ROLE_OUT, .bytes = 5000},
                              {.role = KS_ROLE_IN, .bytes = (int64_t)3 << 30},
                              {.role = KS_ROLE_INOUT, .bytes = 7000}};
    const struct ks_layout all = {.slots = slots, .n_slots = 4}, read = {.slots = slots, .n_slots = 1},
                           written = {.slots = slots + 1, .n_slots = 1};
    struct ks_moved moved;
    ks_profile_arrays(&all, &moved);
    assert_int_equal(moved.read, (int64_t)3 << 30);
    assert_int_equal(moved.written, 6992); // whole units of 16 bytes
    assert_int_equal(moved.from, 2);
    assert_int_equal(moved.to, 3);
    ks_profile_arrays(&written, &moved);
    assert_int_equal(moved.read, 0);
    assert_int_equal(moved.written, 4992);
    ks_profile_arrays(&read, &moved);
    assert_int_equal(moved.written, 0);
}

static void test_share(void **state)
{
    (void)state;
    struct ks_profile p = {.roofline_pct = 13};
    assert_true(ks_profile_share(&p) == 13);
    p.floor = (struct ks_profile_floor){.original_us = 3, .least_us = 2.25};
    assert_true(ks_profile_share(&p) == 75);
    p.roofline_pct = 80;
    assert_true(ks_profile_share(&p) == 80);
    p.floor.least_us = 3.03; // as quick as that, but for noise
    assert_true(ks_profile_share(&p) == 100);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_known_kernels),
        cmocka_unit_test(test_without_counters),
        cmocka_unit_test(test_facts_from_counters),
        cmocka_unit_test(test_moved),
        cmocka_unit_test(test_arrays),
        cmocka_unit_test(test_share),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
