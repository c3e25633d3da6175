// The worker's protocol: paired times.
#include "served_device.h"

#include "verify/worker/serve.h"

static void test_time(void **state)
{
    (void)state;
    begin();
    ask("{\"id\":3,\"do\":\"sets\",\"count\":3}");
    ask(TIME(STEP("twice", "20"), STEP("twice", "10"), "\"pairs\":20,\"batch\":1"));
    ask("{\"id\":4,\"do\":\"read\",\"buffer\":1,\"set\":2}");
    serve(fake_open);
    skip_ok(3);
    json_t *answer = next_ok();
    json_t *a = json_object_get(answer, "a"), *b = json_object_get(answer, "b");
    assert_int_equal(json_array_size(a), 20);
    assert_int_equal(json_array_size(b), 20);
    for (size_t i = 0; i < 20; i++) { // the fake's time is its grid: no arm took the other's
        assert_true(json_number_value(json_array_get(a, i)) == 20);
        assert_true(json_number_value(json_array_get(b, i)) == 10);
    }
    assert_true(ks_json_bool(answer, "fingerprints_ok", false));
    assert_int_equal(ks_json_int(answer, "compared", 0), 20 + 3 + 3); // pairs, warm-ups, last ones
    assert_int_equal(ks_json_int(answer, "clock_dropped", -1), 0);
    assert_int_equal(json_object_size(json_object_get(answer, "outputs")), 1);
    assert_true(fake.cold);
    json_decref(answer);
    skip_ok(1);
    payload(400);
    at_end();
}

// One group of sets alone, which stay where they are.
static void test_time_stays_on_a_group(void **state)
{
    (void)state;
    begin();
    ask("{\"id\":3,\"do\":\"sets\",\"count\":3}");
    ask(TIME(STEP("twice", "20"), STEP("twice", "10"), "\"pairs\":20,\"batch\":1,\"groups\":1"));
    ask(TIME(STEP("twice", "20"), STEP("twice", "10"), "\"pairs\":20,\"batch\":1,\"groups\":0"));
    serve(fake_open);
    skip_ok(3);
    json_t *answer = next_ok();
    assert_int_equal(ks_json_int(answer, "compared", 0), 20 + 3 + 1); // pairs, warm-ups, the last one
    json_decref(answer);
    next_refused("usage", "\"groups\" is 0");
    at_end();
}

// What takes long ends as soon as it has told enough: after one pair at least.
static void test_time_takes_enough(void **state)
{
    (void)state;
    begin();
    ask(TIME(STEP("twice", "20"), STEP("twice", "10"), "\"pairs\":20,\"batch\":1,\"enough_us\":61"));
    ask(TIME(STEP("twice", "20"), STEP("twice", "10"), "\"pairs\":20,\"batch\":1,\"enough_us\":1"));
    ask(TIME(STEP("twice", "20"), STEP("twice", "10"), "\"pairs\":20,\"batch\":1,\"enough_us\":601"));
    ask(TIME(STEP("twice", "20"), STEP("twice", "10"), "\"pairs\":20,\"batch\":1,\"enough_us\":0"));
    serve(fake_open);
    skip_ok(2);
    const int taken[] = {3, 1, 20}; // of 30 us each
    for (size_t i = 0; i < sizeof taken / sizeof *taken; i++) {
        json_t *answer = next_ok();
        assert_int_equal(json_array_size(json_object_get(answer, "a")), taken[i]);
        assert_int_equal(json_array_size(json_object_get(answer, "b")), taken[i]);
        assert_int_equal(ks_json_int(answer, "taken", 0), taken[i]);
        json_decref(answer);
    }
    next_refused("usage", "\"enough_us\" is 0");
    at_end();
}

// The clock of one sample low: its pair goes, both halves of it.
static enum ks_status open_slow(struct ks_device *device, struct ks_err *err)
{
    fake.slow_sample = 6 + 7; // behind the warm-ups
    return fake_open(device, err);
}

static void test_time_drops_slow_clock(void **state)
{
    (void)state;
    begin();
    ask(TIME(STEP("twice", "20"), STEP("twice", "10"), "\"pairs\":20,\"batch\":1"));
    serve(open_slow);
    skip_ok(2);
    json_t *answer = next_ok();
    assert_int_equal(json_array_size(json_object_get(answer, "a")), 19);
    assert_int_equal(json_array_size(json_object_get(answer, "b")), 19);
    assert_int_equal(ks_json_int(answer, "clock_dropped", -1), 1);
    assert_true(ks_json_num(answer, "clock_mhz", 0) == 1900);
    json_decref(answer);
    at_end();
}

// What keeps more of the chip busy runs at a lower clock each time: that is its speed, and no accident. An accident on top
// of it is told as before.
static enum ks_status open_hot(struct ks_device *device, struct ks_err *err)
{
    fake.hot = 10;
    return open_slow(device, err);
}

static void test_time_keeps_an_arm_of_low_clock(void **state)
{
    (void)state;
    begin();
    ask(TIME(STEP("twice", "20"), STEP("twice", "10"), "\"pairs\":20,\"batch\":1"));
    serve(open_hot);
    skip_ok(2);
    json_t *answer = next_ok();
    assert_int_equal(json_array_size(json_object_get(answer, "a")), 19);
    assert_int_equal(ks_json_int(answer, "clock_dropped", -1), 1);
    json_decref(answer);
    at_end();
}

// A clock that is low in many pairs is no accident: all count, but where it is asked to be steady.
static enum ks_status open_capped(struct ks_device *device, struct ks_err *err)
{
    fake.slow_each = 7;
    return fake_open(device, err);
}

static void test_time_keeps_what_is_often_slow(void **state)
{
    (void)state;
    begin();
    ask(TIME(STEP("twice", "20"), STEP("twice", "10"), "\"pairs\":21,\"batch\":1"));
    ask(TIME(STEP("twice", "20"), STEP("twice", "10"), "\"pairs\":21,\"batch\":1,\"steady\":true"));
    serve(open_capped);
    skip_ok(2);
    json_t *answer = next_ok();
    assert_int_equal(json_array_size(json_object_get(answer, "a")), 21);
    assert_int_equal(json_array_size(json_object_get(answer, "b")), 21);
    assert_int_equal(ks_json_int(answer, "clock_dropped", -1), 0);
    json_decref(answer);
    answer = next_ok();
    assert_int_equal(json_array_size(json_object_get(answer, "a")), 15);
    assert_int_equal(ks_json_int(answer, "clock_dropped", -1), 6);
    json_decref(answer);
    at_end();
}

static enum ks_status open_late(struct ks_device *device, struct ks_err *err)
{
    fake.late = 2;
    return fake_open(device, err);
}

static void test_time_repeats_late_samples(void **state)
{
    (void)state;
    begin();
    ask(TIME(STEP("twice", "1"), STEP("twice", "1"), "\"pairs\":4,\"batch\":1"));
    serve(open_late);
    skip_ok(3);
    assert_int_equal(fake.samples, 2 + 6 + 8 + 1);
    at_end();
}

// The three ways to be fast with nothing done in the timed window.
static void test_time_checks_outputs(void **state)
{
    (void)state;
    begin();
    ask(TIME(STEP("twice", "1"), STEP("tires", "1"), "\"pairs\":20,\"batch\":1"));
    ask(TIME(STEP("twice", "1"), STEP("tires", "1"), "\"pairs\":20,\"batch\":1,\"deterministic\":false"));
    serve(fake_open);
    skip_ok(2);
    json_t *answer = next_ok();
    assert_false(ks_json_bool(answer, "fingerprints_ok", true));
    json_decref(answer);
    answer = next_ok();
    assert_int_equal(ks_json_int(answer, "compared", -1), 0);
    json_decref(answer);
    at_end();
    begin();
    ask(TIME(STEP("twice", "1"), STEP("lazy", "1"), "\"pairs\":10,\"batch\":2"));
    serve(fake_open);
    skip_ok(3);
    // Worked in the first run, and in both copies of each of 3 + 10 + 1 samples.
    assert_int_equal(fake.launches / 1000, 1 + 2 * 14);
    at_end();
    begin();
    ask(TIME(STEP("twice", "1"), STEP("clobber", "1"), "\"pairs\":2,\"batch\":1"));
    serve(fake_open);
    skip_ok(2);
    next_refused("unsafe", "input buffer 0 was changed");
    at_end();
}

// The device's own code is there without being loaded, where the device has any.
static enum ks_status open_bare(struct ks_device *device, struct ks_err *err)
{
    enum ks_status status = fake_open(device, err);
    device->own_module = NULL;
    return status;
}

static void test_time_launches_own_code(void **state)
{
    (void)state;
    static const char own[] =
        "{\"module\":\"ks\",\"kernel\":\"twice\",\"grid\":[7,1,1],\"block\":[32,1,1],\"shared\":0,"
        "\"args\":[{\"buffer\":0},{\"buffer\":1},{\"hex\":\"64000000\"}]}";
    char *time = NULL;
    assert_true(asprintf(&time, "{\"id\":9,\"do\":\"time\",\"a\":[%s],\"b\":[%s],\"pairs\":2,\"batch\":1,\"poison\":1}",
                         STEP("twice", "20"), own) > 0);
    begin();
    ask(time);
    serve(fake_open);
    skip_ok(2);
    json_t *answer = next_ok();
    assert_true(json_number_value(json_array_get(json_object_get(answer, "b"), 0)) == 7);
    json_decref(answer);
    at_end();
    begin();
    ask(time);
    serve(open_bare);
    skip_ok(2);
    next_refused("usage", "there is no module 'ks'");
    at_end();
    free(time);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_time),
        cmocka_unit_test(test_time_stays_on_a_group),
        cmocka_unit_test(test_time_takes_enough),
        cmocka_unit_test(test_time_drops_slow_clock),
        cmocka_unit_test(test_time_keeps_an_arm_of_low_clock),
        cmocka_unit_test(test_time_keeps_what_is_often_slow),
        cmocka_unit_test(test_time_repeats_late_samples),
        cmocka_unit_test(test_time_checks_outputs),
        cmocka_unit_test(test_time_launches_own_code),
    };
    int failed = cmocka_run_group_tests(tests, NULL, NULL);
    free(output);
    return failed;
}
