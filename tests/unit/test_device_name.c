// Devices by name, and what KS_DEVICE means.
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <string.h>
#include <cmocka.h>

#include "verify/client.h"

static void a_setting_is_a_device_or_a_launcher(void **state)
{
    (void)state;
    struct ks_worker_place place = ks_worker_place_of(NULL);
    assert_null(place.launcher);
    assert_string_equal(place.device, "cuda");
    place = ks_worker_place_of("auto");
    assert_null(place.launcher);
    assert_string_equal(place.device, "cuda");
    place = ks_worker_place_of("cuda");
    assert_null(place.launcher);
    place = ks_worker_place_of("srun -G1");
    assert_string_equal(place.launcher, "srun -G1");
    assert_string_equal(place.device, "cuda");
}

static void an_unknown_device_is_absent(void **state)
{
    (void)state;
    struct ks_device device;
    struct ks_err err = {0};
    assert_true(ks_device_known("cuda"));
    assert_false(ks_device_known("cud"));
    assert_int_equal(ks_device_open("abacus", &device, &err), KS_E_ABSENT);
    assert_non_null(strstr(err.text, "`abacus`"));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_setting_is_a_device_or_a_launcher),
        cmocka_unit_test(an_unknown_device_is_absent),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
