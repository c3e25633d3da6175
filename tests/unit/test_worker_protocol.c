// The worker's protocol: buffers and single runs.
#include <math.h>

#include "served_device.h"

#include "verify/worker/serve.h"
#include "workload/fill.h"

static void test_run_and_read(void **state)
{
    (void)state;
    ask("{\"id\":1,\"do\":\"hello\"}");
    begin();
    ask("{\"id\":3,\"do\":\"function\",\"module\":\"m0\",\"name\":\"twice\"}");
    ask(RUN("twice"));
    ask("{\"id\":5,\"do\":\"read\",\"buffer\":1}");
    ask("{\"id\":6,\"do\":\"read\",\"buffer\":0,\"set\":0}");
    ask("{\"id\":7,\"do\":\"fingerprint\",\"buffer\":1}");
    ask("{\"id\":8,\"do\":\"ceilings\"}");
    ask("{\"id\":9,\"do\":\"run\",\"plan\":[" STEP("nothing", "1") "],\"poison\":67305985,\"scrub\":true,\"crowd\":70}");
    ask("{\"id\":5,\"do\":\"read\",\"buffer\":1}");
    ask("{\"id\":9,\"do\":\"run\",\"plan\":[{\"memset\":1,\"value\":7}],\"poison\":1}");
    ask("{\"id\":5,\"do\":\"read\",\"buffer\":1}");
    serve(fake_open);
    json_t *answer = next_ok();
    assert_int_equal(ks_json_int(answer, "protocol", 0), KS_PROTOCOL_VERSION);
    assert_int_equal(ks_json_int(json_object_get(answer, "device"), "arch", 0), 90);
    json_decref(answer);
    skip_ok(1);
    answer = next_ok();
    assert_int_equal(json_array_size(json_object_get(answer, "addresses")), 2);
    json_decref(answer);
    answer = next_ok();
    assert_int_equal(ks_json_int(json_object_get(answer, "facts"), "registers", 0), 16);
    json_decref(answer);
    answer = next_ok();
    assert_true(ks_json_num(answer, "microseconds", 0) == 12.5);
    json_decref(answer);
    answer = next_ok();
    assert_int_equal(ks_json_int(answer, "payload", 0), 400);
    json_decref(answer);
    float out[N], in[N], expected[N];
    memcpy(out, payload(400), 400);
    skip_ok(1);
    memcpy(in, payload(400), 400);
    struct ks_elem f32;
    assert_true(ks_elem_parse("f32", &f32));
    ks_fill(expected, f32, &(struct ks_init){.kind = KS_INIT_UNIFORM, .a = 1, .b = 2},
            KS_FAMILY_DECLARED, 7, N, 0, N);
    assert_memory_equal(in, expected, 400);
    for (int i = 0; i < N; i++)
        assert_true(out[i] == 2 * in[i]);
    answer = next_ok();
    assert_int_equal(strlen(ks_json_str(answer, "value", "")), 16);
    json_decref(answer);
    answer = next_ok();
    assert_true(ks_json_num(answer, "copy_gbs", 0) == 4000);
    json_decref(answer);
    skip_ok(2);
    const unsigned char *bytes = payload(400);
    for (int i = 0; i < 400; i++)
        assert_int_equal(bytes[i], (i & 3) + 1); // the poison 0x04030201
    assert_true(fake.scrubbed);
    assert_true(fake.beside == 70); // by one run alone
    skip_ok(2);
    bytes = payload(400);
    for (int i = 0; i < 400; i++)
        assert_int_equal(bytes[i], 7);
    at_end();
}

// Floats stored as doubles: the same numbers, or each moved by at most 1.5 * 2^-30 of itself and not all alike.
static void test_wide_fills(void **state)
{
    (void)state;
    struct ks_arena arena = {0};
    for (int type = 0; type < 2; type++)
        for (int nudge = 0; nudge < 2; nudge++) {
            ask(ks_arena_printf(&arena,
                                "{\"id\":1,\"do\":\"buffers\",\"flush\":\"end\",\"list\":[{\"bytes\":64,\"align\":8,"
                                "\"role\":\"in\",\"fill\":{\"elem\":\"%s\",\"init\":\"iota\",\"a\":1,\"b\":2,"
                                "\"seed\":3,\"total\":8,\"wide\":true,\"nudge\":%d}}]}", type == 0 ? "f32" : "f16",
                                nudge * 77));
            ask("{\"id\":2,\"do\":\"read\",\"buffer\":0}");
        }
    serve(fake_open);
    for (int answer = 0; answer < 4; answer++) {
        skip_ok(2);
        double value[8];
        bool up = false, down = false;
        memcpy(value, payload(64), sizeof value);
        for (int i = 0; i < 8; i++) {
            double moved = value[i] / (1 + 2 * i) - 1;
            up = up || moved > 0;
            down = down || moved < 0;
            assert_true(fabs(moved) <= (answer % 2 == 0 ? 0 : 1.5 * KS_FILL_MOVE));
        }
        assert_int_equal(up && down, answer % 2 == 1);
    }
    ks_arena_free(&arena);
    at_end();
}

// Moved ones that are floats again: as they lie, or as doubles. Halves stay.
static void test_single_fills(void **state)
{
    (void)state;
    static const char *const asked[] = {"\"elem\":\"f32\"", "\"elem\":\"f32\",\"wide\":true", "\"elem\":\"f16\",\"wide\":true"};
    const uint64_t pattern = 77 | KS_FILL_FAR(9);
    struct ks_arena arena = {0};
    for (int i = 0; i < 3; i++) {
        ask(ks_arena_printf(&arena,
                            "{\"id\":1,\"do\":\"buffers\",\"flush\":\"end\",\"list\":[{\"bytes\":64,\"align\":8,\"role\":\"in\",\"fill\":{%s,"
                            "\"init\":\"iota\",\"a\":1,\"b\":2,\"seed\":3,\"total\":8,\"single\":true,\"nudge\":%llu}}]}", asked[i],
                            (unsigned long long)pattern));
        ask("{\"id\":2,\"do\":\"read\",\"buffer\":0}");
    }
    serve(fake_open);
    for (int answer = 0; answer < 3; answer++) {
        skip_ok(2);
        double wide[8];
        float narrow[8];
        const unsigned char *bytes = (const void *)payload(64);
        memcpy(wide, bytes, sizeof wide);
        memcpy(narrow, bytes, sizeof narrow);
        for (int i = 0; i < 8; i++) {
            double plain = 1 + 2 * i;
            float moved = (float)ks_fill_moved(plain, pattern, (uint64_t)i);
            assert_true(answer == 0 ? narrow[i] == moved : wide[i] == (answer == 1 ? (double)moved : plain));
        }
    }
    ks_arena_free(&arena);
    at_end();
}

// Elements of a buffer by their places; what does not rise or lies beyond it is refused.
static void test_gather(void **state)
{
    (void)state;
    const int64_t places[] = {0, 3, N - 1}, falling[] = {3, 3}, beyond[] = {N};
    begin();
    ask(RUN("twice"));
    ask_bytes("{\"id\":3,\"do\":\"gather\",\"buffer\":1,\"size\":4,\"payload\":24}", places, sizeof places);
    ask_bytes("{\"id\":4,\"do\":\"gather\",\"buffer\":1,\"size\":4,\"payload\":16}", falling, sizeof falling);
    ask_bytes("{\"id\":5,\"do\":\"gather\",\"buffer\":1,\"size\":4,\"payload\":8}", beyond, sizeof beyond);
    ask_bytes("{\"id\":6,\"do\":\"gather\",\"buffer\":1,\"size\":4,\"payload\":5}", beyond, 5);
    ask("{\"id\":7,\"do\":\"gather\",\"buffer\":1,\"size\":0}");
    ask("{\"id\":8,\"do\":\"gather\",\"buffer\":1,\"size\":4}");
    ask("{\"id\":9,\"do\":\"read\",\"buffer\":1}");
    serve(fake_open);
    skip_ok(3);
    json_t *answer = next_ok();
    assert_int_equal(ks_json_int(answer, "payload", 0), 12);
    json_decref(answer);
    float some[3], all[N];
    memcpy(some, payload(12), sizeof some);
    next_refused("usage", "does not rise");
    next_refused("usage", "beyond the buffer");
    next_refused("usage", "whole number of places");
    next_refused("usage", "size");
    answer = next_ok();
    assert_int_equal(ks_json_int(answer, "payload", -1), 0);
    json_decref(answer);
    skip_ok(1);
    memcpy(all, payload(4 * N), sizeof all);
    for (int i = 0; i < 3; i++)
        assert_true(some[i] == all[places[i]]);
    at_end();
}

static enum ks_status open_gathering(struct ks_device *device, struct ks_err *err)
{
    enum ks_status status = fake_open(device, err);
    device->gather = fake_gather;
    return status;
}

static enum ks_status open_crowded(struct ks_device *device, struct ks_err *err)
{
    fake.crowded = true;
    return open_gathering(device, err);
}

// Many places are the device's to gather, if it can and has the room.
static void test_gather_by_the_device(void **state)
{
    (void)state;
    int64_t places[N];
    struct ks_arena arena = {0};
    for (int i = 0; i < N; i++)
        places[i] = i;
    for (int crowded = 0; crowded < 2; crowded++) {
        begin();
        ask(RUN("twice"));
        ask("{\"id\":3,\"do\":\"read\",\"buffer\":1}");
        ask_bytes(ks_arena_printf(&arena, "{\"id\":4,\"do\":\"gather\",\"buffer\":1,\"size\":4,\"payload\":%d}", 8 * N), places,
                  sizeof places);
        ask_bytes("{\"id\":5,\"do\":\"gather\",\"buffer\":1,\"size\":4,\"payload\":24}", places, 24);
        serve(crowded ? open_crowded : open_gathering);
        assert_int_equal(fake.gathers, 1);
        assert_int_equal(fake.reads, 1 + crowded + 1);
        skip_ok(4);
        char all[4 * N];
        memcpy(all, payload(4 * N), sizeof all);
        skip_ok(1);
        assert_memory_equal(payload(4 * N), all, sizeof all);
        skip_ok(1);
        assert_memory_equal(payload(12), all, 12);
        at_end();
    }
    ks_arena_free(&arena);
}

// Places far from each other are read apart.
static void test_gather_far(void **state)
{
    (void)state;
    enum { MANY = 3 << 16, RUN_OF = 5 };
    const int64_t firsts[] = {0, 100, 4200, 8300, 1 << 16, 131000, MANY - RUN_OF};
    int64_t places[RUN_OF * sizeof firsts / sizeof *firsts];
    size_t n = 0;
    struct ks_arena arena = {0};
    for (size_t i = 0; i < sizeof firsts / sizeof *firsts; i++)
        for (int64_t k = 0; k < RUN_OF; k++)
            places[n++] = firsts[i] + k;
    ask(ks_arena_printf(&arena, "{\"id\":1,\"do\":\"buffers\",\"flush\":\"end\",\"list\":[{\"bytes\":%d,\"align\":4,"
                                "\"role\":\"in\",\"fill\":{\"elem\":\"i32\",\"init\":\"iota\",\"a\":7,\"b\":1,\"seed\":3,"
                                "\"total\":%d}}]}", 4 * MANY, MANY));
    ask_bytes(ks_arena_printf(&arena, "{\"id\":2,\"do\":\"gather\",\"buffer\":0,\"size\":4,\"payload\":%zu}",
                              n * sizeof *places), places, n * sizeof *places);
    serve(fake_open);
    skip_ok(2);
    int32_t some[sizeof places / sizeof *places];
    memcpy(some, payload(4 * n), sizeof some);
    for (size_t i = 0; i < n; i++)
        assert_int_equal(some[i], 7 + places[i]);
    ks_arena_free(&arena);
    at_end();
}

static void test_inout_is_restored(void **state)
{
    (void)state;
    ask_bytes("{\"id\":1,\"do\":\"module\",\"name\":\"m0\",\"payload\":5}", "cubin", 5);
    float data[3] = {1, 2, 3};
    ask_bytes("{\"id\":2,\"do\":\"buffers\",\"flush\":\"start\",\"payload\":12,\"list\":[{\"bytes\":12,"
              "\"align\":4,\"role\":\"inout\",\"fill\":{\"init\":\"bytes\"}}]}", data, sizeof data);
#define ADD_ONE                                                                                   \
    "{\"module\":\"m0\",\"kernel\":\"add_one\",\"grid\":[1,1,1],\"block\":[1,1,1],\"shared\":0,"   \
    "\"args\":[{\"buffer\":0},{\"hex\":\"03000000\"}]}"
    for (int i = 0; i < 3; i++)
        ask("{\"id\":3,\"do\":\"run\",\"plan\":[" ADD_ONE "],\"poison\":null}");
    ask("{\"id\":4,\"do\":\"read\",\"buffer\":0}");
    ask("{\"id\":5,\"do\":\"time\",\"a\":[" ADD_ONE "],\"b\":[" ADD_ONE "],\"pairs\":5,\"cold\":true,"
        "\"batch\":4,\"poison\":1,\"deterministic\":true}");
    ask("{\"id\":6,\"do\":\"read\",\"buffer\":0,\"set\":3}");
    serve(fake_open);
    skip_ok(6);
    const float expected[3] = {2, 3, 4};
    assert_memory_equal(payload(12), expected, 12);
    json_t *answer = next_ok();
    assert_true(ks_json_bool(answer, "fingerprints_ok", false));
    assert_int_equal(fake.batch, 4);
    assert_int_equal(fake.plans, 4);
    json_decref(answer);
    skip_ok(1);
    assert_memory_equal(payload(12), expected, 12);
    at_end();
}

static void test_alias(void **state)
{
    (void)state;
    ask_bytes("{\"id\":1,\"do\":\"module\",\"name\":\"m0\",\"payload\":5}", "cubin", 5);
    ask("{\"id\":2,\"do\":\"buffers\",\"flush\":\"end\",\"list\":[" IN
        ",{\"bytes\":400,\"align\":4,\"role\":\"out\",\"alias\":0}]}");
    ask(RUN("twice")); // in place: the input is expected to change
    ask(RUN("twice"));
    ask("{\"id\":5,\"do\":\"read\",\"buffer\":0}");
    ask("{\"id\":2,\"do\":\"buffers\",\"flush\":\"end\",\"list\":[{\"bytes\":4,\"align\":4,\"role\":"
        "\"out\",\"alias\":1},{\"bytes\":4,\"align\":4,\"role\":\"out\",\"alias\":0}]}");
    serve(fake_open);
    skip_ok(1);
    json_t *answer = next_ok();
    json_t *list = json_object_get(answer, "addresses");
    assert_true(json_equal(json_array_get(list, 0), json_array_get(list, 1)));
    json_decref(answer);
    skip_ok(3);
    float v;
    memcpy(&v, payload(400), sizeof v);
    assert_true(v >= 2 && v < 4); // doubled once: restored before the second run
    next_refused("usage", "alias of an alias");
    at_end();
}

static void test_frozen(void **state)
{
    (void)state;
    begin();
    ask(RUN("borrows"));
    ask("{\"id\":2,\"do\":\"buffers\",\"flush\":\"end\",\"frozen\":true,\"list\":[" IN "," OUT "]}");
    ask(RUN("twice")); // the output may be written
    ask(RUN("borrows"));
    serve(fake_open);
    skip_ok(5);
    next_refused("fault", "illegal address in borrows");
    at_end();
}

static void test_unsafe(void **state)
{
    (void)state;
    begin();
    ask(RUN("overrun"));
    ask("{\"id\":2,\"do\":\"buffers\",\"flush\":\"end\",\"list\":[" IN "," OUT "]}");
    ask(RUN("clobber"));
    ask("{\"id\":2,\"do\":\"buffers\",\"flush\":\"end\",\"list\":[" IN "," OUT "]}");
    ask(RUN("twice"));
    serve(fake_open);
    skip_ok(2);
    next_refused("unsafe", "written outside buffer 1, the first 4 bytes after its end");
    skip_ok(1);
    next_refused("unsafe", "input buffer 0 was changed");
    skip_ok(2);
    at_end();
}

static void test_launch_refused_and_fault(void **state)
{
    (void)state;
    begin();
    ask("{\"id\":3,\"do\":\"run\",\"plan\":[{\"module\":\"m0\",\"kernel\":\"twice\",\"grid\":[1,1,1],"
        "\"block\":[2048,1,1],\"shared\":0,\"args\":[]}],\"poison\":1}");
    ask(RUN("twice"));
    ask(RUN("faults"));
    ask(RUN("twice"));
    ask("{\"id\":4,\"do\":\"hello\"}");
    ask("nonsense");
    serve(fake_open);
    skip_ok(2);
    next_refused("launch", "block 2048");
    skip_ok(1);
    for (int i = 0; i < 4; i++)
        next_refused("fault", "illegal address in faults");
    at_end();
}

static void test_absent(void **state)
{
    (void)state;
    ask("{\"id\":1,\"do\":\"hello\"}");
    ask("{\"id\":2,\"do\":\"hello\"}");
    serve(no_device);
    next_refused("absent", "no NVIDIA driver on this machine");
    next_refused("absent", "no NVIDIA driver on this machine");
    assert_int_equal(output_at, output_len);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_run_and_read),
        cmocka_unit_test(test_wide_fills),
        cmocka_unit_test(test_single_fills),
        cmocka_unit_test(test_gather),
        cmocka_unit_test(test_gather_by_the_device),
        cmocka_unit_test(test_gather_far),
        cmocka_unit_test(test_inout_is_restored),
        cmocka_unit_test(test_alias),
        cmocka_unit_test(test_frozen),
        cmocka_unit_test(test_unsafe),
        cmocka_unit_test(test_launch_refused_and_fault),
        cmocka_unit_test(test_absent),
    };
    int failed = cmocka_run_group_tests(tests, NULL, NULL);
    free(output);
    return failed;
}
