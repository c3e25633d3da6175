// The lock of a GPU: alone, shared, and who waits comes before those that ask later.
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <setjmp.h>
#include <cmocka.h>
#include <sys/wait.h>
#include <unistd.h>

#include "device/device.h"
#include "os/clock.h"
#include "os/file.h"
#include "os/proc.h"

static struct ks_arena arena;
static char *dir;

static int set_up(void **state)
{
    (void)state;
    return ks_dir_temp(&arena, "ks-test", &dir, NULL) == KS_OK ? 0 : -1;
}

static int tear_down(void **state)
{
    (void)state;
    int rc = ks_tree_remove(dir, NULL) == KS_OK ? 0 : -1;
    ks_arena_free(&arena);
    return rc;
}

static enum ks_status share(double seconds, struct ks_lock *lock)
{
    return ks_device_share(&arena, dir, "GPU-1", seconds, lock, NULL);
}

static enum ks_status alone(double seconds, struct ks_lock *lock)
{
    return ks_device_lock(&arena, dir, "GPU-1", seconds, lock, NULL);
}

static void many_share_and_one_measures(void **state)
{
    (void)state;
    struct ks_lock a, b, c;
    assert_int_equal(share(0, &a), KS_OK);
    assert_int_equal(share(0, &b), KS_OK);
    assert_int_equal(alone(0, &c), KS_E_LIMIT);
    ks_lock_release(&a);
    assert_int_equal(alone(0, &c), KS_E_LIMIT);
    ks_lock_release(&b);
    assert_int_equal(alone(0, &c), KS_OK);
    assert_int_equal(share(0, &a), KS_E_LIMIT);
    assert_int_equal(alone(0, &b), KS_E_LIMIT);
    assert_int_equal(ks_device_share(&arena, dir, "GPU-2", 0, &b, NULL), KS_OK); // another GPU's
    ks_lock_release(&b);
    ks_lock_release(&c);
    assert_int_equal(share(0, &a), KS_OK);
    ks_lock_release(&a);
}

static void what_is_shared_is_no_measurement(void **state)
{
    (void)state;
    struct ks_lock lock;
    struct timespec since;
    assert_int_equal(alone(0, &lock), KS_OK);
    clock_gettime(CLOCK_REALTIME, &since);
    assert_true(ks_device_measured(dir, &since));
    ks_lock_release(&lock);
    ks_sleep(0.1);
    clock_gettime(CLOCK_REALTIME, &since);
    assert_int_equal(share(0, &lock), KS_OK);
    assert_false(ks_device_measured(dir, &since));
    ks_lock_release(&lock);
}

static void nobody_passes_who_waits(void **state)
{
    (void)state;
    struct ks_lock first, second;
    int got[2], status;
    char c;
    assert_int_equal(pipe(got), 0);
    assert_int_equal(share(0, &first), KS_OK);
    pid_t child = fork();
    if (child == 0) {
        struct ks_lock lock;
        close(first.fd); // of the parent's own
        bool is = alone(10, &lock) == KS_OK && write(got[1], "g", 1) == 1;
        ks_sleep(0.2);
        _exit(is ? 0 : 1);
    }
    double begun = ks_now();
    while (share(0, &second) == KS_OK && ks_now() - begun < 5) { // until the child has come to wait
        ks_lock_release(&second);
        ks_sleep(0.01);
    }
    assert_int_equal(share(0, &second), KS_E_LIMIT);
    ks_lock_release(&first);
    assert_int_equal(read(got[0], &c, 1), 1);
    assert_int_equal(share(0, &second), KS_E_LIMIT); // it measures
    assert_int_equal(share(5, &second), KS_OK);
    ks_lock_release(&second);
    assert_int_equal(waitpid(child, &status, 0), child);
    assert_int_equal(status, 0);
}

// What another process takes for its measurement is no time of one's own, and ends no budget.
static void waiting_costs_nothing(void **state)
{
    (void)state;
    struct ks_lock lock;
    int held[2], status;
    char c;
    assert_int_equal(pipe(held), 0);
    pid_t child = fork();
    if (child == 0) {
        bool is = alone(0, &lock) == KS_OK && write(held[1], "h", 1) == 1;
        ks_sleep(0.6);
        _exit(is ? 0 : 1);
    }
    assert_int_equal(read(held[0], &c, 1), 1);
    double begun = ks_now(), own = ks_now_own();
    ks_stop_at(own + 0.3);
    assert_int_equal(share(5, &lock), KS_OK);
    assert_false(ks_stop_expired());
    double passed = ks_now() - begun, counted = ks_now_own() - own;
    assert_true(passed > 0.4);
    assert_true(counted < passed - 0.4);
    ks_sleep(0.35); // its own
    assert_true(ks_now_own() - own >= counted + 0.35);
    assert_true(ks_stop_expired());
    ks_stop_at(0);
    ks_lock_release(&lock);
    assert_int_equal(waitpid(child, &status, 0), child);
    assert_int_equal(status, 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(many_share_and_one_measures, set_up, tear_down),
        cmocka_unit_test_setup_teardown(what_is_shared_is_no_measurement, set_up, tear_down),
        cmocka_unit_test_setup_teardown(nobody_passes_who_waits, set_up, tear_down),
        cmocka_unit_test_setup_teardown(waiting_costs_nothing, set_up, tear_down),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
