// Requalifying, with the judge over the scripted worker: which stored variants are considered, in which
// order they are judged, and that the first one that verifies is stored and says where it comes from.
#define KS_TEST_BUILD
#include "verify/defence.c"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <cmocka.h>

#include "base/log.h"
#include "fmt/yaml.h"
#include "os/clock.h"
#include "os/file.h"
#include "search/requalify.h"
#include "source/mark.h"
#include "verify/session.h"
#include "../fakes/fake_judge.h"

static struct setting s;
static struct ks_store store;
static struct ks_secret_key secret;
static char *base;

#define KEY_TEXT(nvcc, contract) \
    "format: 1\narch: sm_90\nnvcc: " nvcc "\nptxas: \nmaxrregcount: 0\n" contract "ptx: 00\n"
#define CONTRACT "contract: $0 in f32\ncontract: $1 in f32\ncontract: tolerance derived\n"
#define OTHER_CONTRACT "contract: $0 in f32\ncontract: $1 in f32\ncontract: tolerance exact\n"
#define SHORTER "contract: $0 in f32\ncontract: $1 in f32\n"

static int setup(void **state)
{
    (void)state;
    struct ks_err err = {0};
    s = (struct setting){0};
    if (ks_dir_temp(&s.arena, "ks-requalify", &base, &err) != KS_OK)
        return -1;
    check(open_judge(&s, VADD_MARK "__global__ void vadd" VADD_SIGNATURE " { }\n", SUM_PTX, &err), &err);
    s.config.config_dir = ks_path_join(&s.arena, base, "config");
    s.config.cache_dir = ks_path_join(&s.arena, base, "cache");
    s.kernel.key = (struct ks_digest){{0xee}};
    s.kernel.key_text = KEY_TEXT("13.1.0", CONTRACT);
    check(ks_user_key(&s.config, true, &secret, &err), &err);
    ks_store_open(&s.arena, &s.config, NULL, &store);
    return 0;
}

static int teardown(void **state)
{
    (void)state;
    ks_tree_remove(base, NULL);
    close_judge(&s);
    return 0;
}

// What an earlier search is made to have found under another key.
static const char *stored(int key, const char *kernel, const char *name, int arch, double lower,
                          const char *key_text)
{
    struct ks_err err = {0};
    const char *path;
    struct ks_variant v = {.key = {{(unsigned char)key}}, .key_text = key_text, .kernel = name,
                           .arch = arch, .correctness = KS_C_CORRECT, .speed = KS_S_FASTER,
                           .proposer = "engine", .rationale = "as ever", .parent = "",
                           .geomean = lower + 0.1, .lower = lower,
                           .evidence = {.level = "measured", .nvcc = "13.0.88"}};
    static const char *skills[] = {"unroll"};
    v.skills = skills;
    v.n_skills = 1;
    v.proposal = *make_proposal(&s, kernel, VADD_SIGNATURE, "a, b, c, n", "1");
    check(ks_expr_parse(&s.arena, "d", KS_SLICE("n < 100"), &v.domain, &err), &err);
    v.id = ks_proposal_id(&s.arena, &v.proposal);
    check(ks_store_put_variant(&s.arena, &store, &secret, &v, &path, &err), &err);
    return v.id;
}

static struct ks_requalify_list found(void)
{
    struct ks_requalify_list list;
    struct ks_err err = {0};
    check(ks_requalify_find(&s.arena, &store, &s.config, &s.kernel, &list, &err), &err);
    return list;
}

static struct ks_lookup looked_up(void)
{
    struct ks_lookup lookup;
    ks_store_lookup(&s.arena, &store, &s.config, &s.kernel.key, &lookup);
    return lookup;
}

static void only_the_same_kernel_and_contract_is_considered(void **state)
{
    (void)state;
    const char *slow = stored(1, "vadd_ok", "vadd", 90, 1.2, KEY_TEXT("13.0.88", CONTRACT));
    const char *fast = stored(2, "vadd_fast", "vadd", 90, 2.5, KEY_TEXT("12.4.0", CONTRACT));
    stored(3, "vadd_other", "vadd", 90, 9, KEY_TEXT("13.0.88", OTHER_CONTRACT));
    stored(4, "vadd_short", "vadd", 90, 9, KEY_TEXT("13.0.88", SHORTER));
    stored(5, "vadd_arch", "vadd", 80, 9, KEY_TEXT("13.0.88", CONTRACT));
    stored(6, "vadd_name", "sub", 90, 9, KEY_TEXT("13.0.88", CONTRACT));
    stored(0xee, "vadd_own", "vadd", 90, 9, KEY_TEXT("13.0.88", CONTRACT)); // the key itself
    stored(7, "vadd_ok", "vadd", 90, 1.4, KEY_TEXT("12.9.0", CONTRACT)); // the same code, again
    struct ks_requalify_list list = found();
    assert_int_equal(list.len, 2);
    assert_string_equal(list.at[0].from->id, fast);
    assert_string_equal(list.at[1].from->id, slow);
    assert_true(list.at[1].from->lower > 1.3); // by its best claim
}

static void the_first_that_verifies_is_stored(void **state)
{
    (void)state;
    struct ks_err err = {0};
    struct ks_variant v;
    const char *path;
    stored(1, "vadd_tail", "vadd", 90, 3.0, KEY_TEXT("13.0.88", CONTRACT));
    stored(2, "vadd_slow", "vadd", 90, 2.5, KEY_TEXT("13.0.88", CONTRACT));
    const char *good = stored(3, "vadd_ok", "vadd", 90, 1.5, KEY_TEXT("13.0.88", CONTRACT));
    stored(4, "vadd_fast", "vadd", 90, 1.2, KEY_TEXT("13.0.88", CONTRACT));
    struct ks_requalify_list list = found();
    assert_int_equal(list.len, 4);
    assert_int_equal(looked_up().reason, KS_R_PENDING);
    check(ks_requalify(&s.arena, s.judge, &s.config, &store, &s.kernel, &list, &v, &path, &err), &err);
    assert_non_null(path);
    expect(list.at[0].verdict, KS_C_WRONG, KS_S_NOT_MEASURED, "a derived size");
    expect(list.at[1].verdict, KS_C_CORRECT, KS_S_NOT_FASTER, "below the minimum gain");
    expect(list.at[2].verdict, KS_C_CORRECT, KS_S_FASTER, "times as fast");
    assert_false(list.at[3].judged);

    struct ks_lookup lookup = looked_up();
    assert_int_equal(lookup.reason, KS_R_APPLIED);
    assert_int_equal(lookup.n_variants, 1);
    const struct ks_variant *now = &lookup.variants[0].variant;
    assert_string_equal(lookup.variants[0].path, path);
    assert_string_equal(now->id, good);
    assert_string_equal(now->key_text, s.kernel.key_text);
    assert_string_equal(now->parent, ks_arena_printf(&s.arena, "03%062d/%s", 0, good));
    assert_string_equal(now->skills[0], "unroll");
    assert_string_equal(now->proposer, "engine");
    // The old claim and domain are gone: these are today's.
    assert_true(now->lower > 1.9 && now->geomean < 2.1);
    struct ks_buf domain = KS_BUF(8192);
    ks_expr_print(&domain, now->domain, NULL, NULL);
    assert_non_null(strstr(ks_buf_text(&domain), "n <= 4001"));
    ks_buf_free(&domain);
}

static void without_a_winner_nothing_is_stored(void **state)
{
    (void)state;
    struct ks_err err = {0};
    struct ks_variant v;
    const char *path;
    struct ks_requalify_list list = found();
    assert_int_equal(list.len, 0);
    check(ks_requalify(&s.arena, s.judge, &s.config, &store, &s.kernel, &list, &v, &path, &err), &err);
    assert_null(path);
    stored(1, "vadd_over", "vadd", 90, 3.0, KEY_TEXT("13.0.88", CONTRACT));
    stored(2, "vadd_slow", "vadd", 90, 2.5, KEY_TEXT("13.0.88", CONTRACT));
    list = found();
    check(ks_requalify(&s.arena, s.judge, &s.config, &store, &s.kernel, &list, &v, &path, &err), &err);
    assert_null(path);
    assert_true(list.at[0].judged && list.at[1].judged);
    expect(list.at[0].verdict, KS_C_UNSAFE, KS_S_NOT_MEASURED, "canary");
    assert_int_equal(looked_up().reason, KS_R_PENDING);
    // What the parameters of today's kernel do not fit is refused before it is run.
    s.signature.n_params = 3;
    list = found();
    check(ks_requalify(&s.arena, s.judge, &s.config, &store, &s.kernel, &list, &v, &path, &err), &err);
    assert_null(path);
    assert_int_equal(list.at[0].verdict.correctness, KS_C_STATIC);
    s.signature.n_params = 4;
}

int main(int argc, char **argv)
{
    if (argc > 1 && strcmp(argv[1], "--worker") == 0)
        return fake_worker_main(argc, argv);
    ks_log_init("test_requalify", KS_LOG_ERROR);
#define TEST(f) cmocka_unit_test_setup_teardown(f, setup, teardown)
    const struct CMUnitTest tests[] = {
        TEST(only_the_same_kernel_and_contract_is_considered),
        TEST(the_first_that_verifies_is_stored),
        TEST(without_a_winner_nothing_is_stored),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
