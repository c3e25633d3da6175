// Outcomes: what is added comes back, values back off, damage and newer formats are refused, and
// two writers do not lose attempts.
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cmocka.h>
#include <sqlite3.h>

#include "memory/outcomes.h"
#include "os/file.h"

static struct ks_arena arena;

static struct ks_config fresh(void)
{
    char *dir;
    assert_int_equal(ks_dir_temp(&arena, "ks-memory", &dir, NULL), KS_OK);
    return (struct ks_config){.state_dir = dir};
}

static struct ks_outcomes *opened(const struct ks_config *config)
{
    struct ks_err err = {0};
    struct ks_outcomes *o;
    if (ks_outcomes_open(config, &o, &err) != KS_OK)
        fail_msg("%s", err.text);
    return o;
}

static struct ks_attempt attempt(const char *key, const char *skill, const char *correctness,
                                 double ratio)
{
    return (struct ks_attempt){.key = key, .kernel = "k", .proposal = "p", .skill = skill,
                               .direction = "d", .params = "x=1", .bottleneck = "dram",
                               .date = "2026-01-02", .arch = 90, .correctness = correctness,
                               .speed = ratio > 1 ? "FASTER" : "NOT_FASTER", .reason = "",
                               .ratio = ratio, .lower = ratio * 0.9, .seconds = 0.5};
}

static void add(struct ks_outcomes *o, struct ks_attempt a)
{
    struct ks_err err = {0};
    if (ks_outcomes_add(o, &a, &err) != KS_OK)
        fail_msg("%s", err.text);
}

static void attempts_survive_a_restart(void **state)
{
    (void)state;
    struct ks_config config = fresh();
    struct ks_outcomes *o = opened(&config);
    add(o, attempt("k1", "a", "CORRECT", 2));
    add(o, attempt("k2", "a", "WRONG", 0));
    add(o, attempt("k1", "b", "WRONG", 0));
    ks_outcomes_close(o);
    o = opened(&config);
    struct ks_attempt *list;
    size_t n;
    assert_int_equal(ks_outcomes_for_key(&arena, o, "k1", &list, &n, NULL), KS_OK);
    assert_int_equal(n, 2);
    assert_string_equal(list[0].skill, "a");
    assert_string_equal(list[1].skill, "b");
    assert_string_equal(list[0].params, "x=1");
    assert_int_equal(list[0].arch, 90);
    assert_float_equal(list[0].lower, 1.8, 1e-12);
    struct ks_skill_stat *stats;
    assert_int_equal(ks_outcomes_stats(&arena, o, &stats, &n, NULL), KS_OK);
    assert_int_equal(n, 2);
    assert_int_equal(stats[0].attempts, 2);
    assert_int_equal(stats[0].correct, 1);
    assert_int_equal(stats[0].faster, 1);
    assert_float_equal(stats[0].geomean, 2, 1e-12);
    ks_outcomes_close(o);
    assert_int_equal(ks_tree_remove(config.state_dir, NULL), KS_OK);
}

static void values_back_off(void **state)
{
    (void)state;
    struct ks_config config = fresh();
    struct ks_outcomes *o = opened(&config);
    double feasible, gain;
    int n;
    assert_int_equal(ks_outcomes_skill_value(o, "a", 90, "dram", &feasible, &gain, &n, NULL),
                     KS_OK);
    assert_int_equal(n, 0);
    assert_float_equal(feasible, 0.5, 1e-12);
    assert_float_equal(gain, 0, 1e-12);
    for (int i = 0; i < 20; i++)
        add(o, attempt("k", "a", "CORRECT", 2));
    struct ks_attempt here = attempt("k", "a", "WRONG", 0);
    here.arch = 80;
    for (int i = 0; i < 20; i++)
        add(o, here);
    add(o, attempt("k", "a", "VOID", 0)); // says nothing
    double other_feasible, other_gain, none_feasible, none_gain;
    ks_outcomes_skill_value(o, "a", 90, "dram", &feasible, &gain, &n, NULL);
    assert_int_equal(n, 40);
    ks_outcomes_skill_value(o, "a", 80, "dram", &other_feasible, &other_gain, &n, NULL);
    ks_outcomes_skill_value(o, "a", 70, "dram", &none_feasible, &none_gain, &n, NULL);
    assert_true(feasible > 0.9 && other_feasible < 0.1);
    assert_float_equal(none_feasible, 0.5, 0.01); // nothing known there: the mean of all
    assert_true(gain > 0.6 && none_gain > 0.4);
    ks_outcomes_close(o);
    assert_int_equal(ks_tree_remove(config.state_dir, NULL), KS_OK);
}

static void damage_is_named(void **state)
{
    (void)state;
    struct ks_config config = fresh();
    struct ks_err err = {0};
    struct ks_outcomes *o;
    char *path = ks_path_join(&arena, config.state_dir, "memory.db");
    char garbage[8192];
    memset(garbage, 'x', sizeof garbage);
    assert_int_equal(ks_file_write(path, garbage, sizeof garbage, false, 0, &err), KS_OK);
    assert_int_equal(ks_outcomes_open(&config, &o, &err), KS_E_FORMAT);
    assert_null(o);
    assert_non_null(strstr(err.text, path));
    assert_non_null(strstr(err.text, "mv "));
    assert_int_equal(ks_tree_remove(config.state_dir, NULL), KS_OK);
}

static void newer_formats_are_left_alone(void **state)
{
    (void)state;
    struct ks_config config = fresh();
    struct ks_err err = {0};
    struct ks_outcomes *o = opened(&config);
    ks_outcomes_close(o);
    sqlite3 *db;
    assert_int_equal(sqlite3_open(ks_path_join(&arena, config.state_dir, "memory.db"), &db),
                     SQLITE_OK);
    assert_int_equal(sqlite3_exec(db, "PRAGMA user_version = 99", NULL, NULL, NULL), SQLITE_OK);
    sqlite3_close(db);
    assert_int_equal(ks_outcomes_open(&config, &o, &err), KS_E_UNSUPPORTED);
    assert_non_null(strstr(err.text, "99"));
    assert_int_equal(ks_tree_remove(config.state_dir, NULL), KS_OK);
}

// What the first version made, with an attempt in it.
static void an_older_memory_is_kept(void **state)
{
    (void)state;
    static const char first[] =
        "CREATE TABLE attempts (id INTEGER PRIMARY KEY, key TEXT NOT NULL, kernel TEXT NOT NULL,"
        " proposal TEXT NOT NULL, skill TEXT NOT NULL, direction TEXT NOT NULL, params TEXT NOT NULL,"
        " bottleneck TEXT NOT NULL, date TEXT NOT NULL, arch INTEGER NOT NULL, correctness TEXT NOT NULL,"
        " speed TEXT NOT NULL, reason TEXT NOT NULL, ratio REAL NOT NULL, lower REAL NOT NULL,"
        " seconds REAL NOT NULL);"
        "INSERT INTO attempts VALUES(1,'k1','k','p','s','d','x=1','dram','2026-01-02',90,'CORRECT',"
        "'FASTER','',2.0,1.8,0.5);"
        "PRAGMA user_version = 1";
    struct ks_config config = fresh();
    sqlite3 *db;
    assert_int_equal(sqlite3_open(ks_path_join(&arena, config.state_dir, "memory.db"), &db), SQLITE_OK);
    assert_int_equal(sqlite3_exec(db, first, NULL, NULL, NULL), SQLITE_OK);
    sqlite3_close(db);
    struct ks_outcomes *o = opened(&config);
    struct ks_attempt *list, a = attempt("k1", "s", "WRONG", 0);
    const char *text;
    size_t n;
    a.proposal = "0123";
    a.text = "source: x";
    add(o, a);
    assert_int_equal(ks_outcomes_for_key(&arena, o, "k1", &list, &n, NULL), KS_OK);
    assert_int_equal(n, 2);
    assert_float_equal(list[0].ratio, 2, 1e-12);
    assert_int_equal(ks_outcomes_proposal(&arena, o, "0123", &text, NULL), KS_OK);
    assert_string_equal(text, a.text);
    ks_outcomes_close(o);
    assert_int_equal(ks_tree_remove(config.state_dir, NULL), KS_OK);
}

static void writers_do_not_lose_attempts(void **state)
{
    (void)state;
    enum { WRITERS = 4, EACH = 50 };
    struct ks_config config = fresh();
    for (int w = 0; w < WRITERS; w++)
        if (fork() == 0) {
            struct ks_outcomes *o;
            if (ks_outcomes_open(&config, &o, NULL) != KS_OK)
                _exit(1);
            struct ks_attempt a = attempt("k", "a", "CORRECT", 2);
            for (int i = 0; i < EACH; i++)
                if (ks_outcomes_add(o, &a, NULL) != KS_OK)
                    _exit(1);
            _exit(0); // without closing, as after kill -9
        }
    for (int w = 0; w < WRITERS; w++) {
        int status;
        assert_true(wait(&status) > 0);
        assert_int_equal(status, 0);
    }
    struct ks_outcomes *o = opened(&config);
    struct ks_attempt *list;
    size_t n;
    assert_int_equal(ks_outcomes_for_key(&arena, o, "k", &list, &n, NULL), KS_OK);
    assert_int_equal(n, WRITERS * EACH);
    ks_outcomes_close(o);
    assert_int_equal(ks_tree_remove(config.state_dir, NULL), KS_OK);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(attempts_survive_a_restart), cmocka_unit_test(values_back_off),
        cmocka_unit_test(damage_is_named),            cmocka_unit_test(newer_formats_are_left_alone),
        cmocka_unit_test(an_older_memory_is_kept),    cmocka_unit_test(writers_do_not_lose_attempts),
    };
    int failed = cmocka_run_group_tests(tests, NULL, NULL);
    ks_arena_free(&arena);
    return failed;
}
