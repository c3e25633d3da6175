// What one session does with many candidates: screening, vectors that serve several of them, the box of
// sizes, assumptions. With the fake worker, as test_judge.
#define KS_TEST_BUILD
#include "verify/defence.c"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <cmocka.h>

#include "base/log.h"
#include "fmt/yaml.h"
#include "os/clock.h"
#include "os/file.h"
#include "source/mark.h"
#include "verify/recall.h"
#include "verify/session.h"
#include "../fakes/fake_judge.h"

static int64_t runs_so_far(const char *path)
{
    struct ks_arena arena = {0};
    struct ks_slice text = {0};
    ks_file_read(&arena, path, 1 << 20, &text, NULL);
    int64_t n = (int64_t)text.len;
    ks_arena_free(&arena);
    return n;
}

static void the_original_works_once_for_many_candidates(void **state)
{
    (void)state;
    struct setting s = {0};
    struct ks_err err = {0};
    char path[64];
    snprintf(path, sizeof path, "/tmp/ks-test-count-%d", (int)getpid());
    setenv("KS_FAKE_COUNT", path, 1);
    check(open_judge(&s, VADD_MARK "__global__ void vadd" VADD_SIGNATURE " { }\n", SUM_PTX, &err), &err);
    int64_t before = runs_so_far(path), runs[20];
    for (int i = 0; i < 20; i++) {
        // All are wrong in the same late place, so none is timed, and all are told so.
        struct ks_verdict v;
        struct ks_proposal *p = make_proposal(&s, "vadd_unseen", VADD_SIGNATURE, "a, b, c, n", "1");
        p->source = ks_arena_printf(&s.arena, "%s // %c", p->source, 'a' + i);
        check(ks_judge_full(s.judge, p, &v, &err), &err);
        expect(v, KS_C_WRONG, KS_S_NOT_MEASURED, "the last element");
        runs[i] = runs_so_far(path) - before;
        before += runs[i];
    }
    assert_true(runs[0] > 100);
    // What proves nothing is drawn afresh for each.
    for (int i = 1; i < 8; i++)
        assert_true(runs[i] < runs[0] / 5);
    int64_t later = 0;
    for (int i = 8; i < 20; i++)
        later += runs[i];
    assert_true(later > runs[0]); // new contents after sixteen uses, of which a judgement may have two
    unsetenv("KS_FAKE_COUNT");
    ks_tree_remove(path, NULL);
    close_judge(&s);
}

// Indices of a range that fits the declared size alone: smaller ones are nobody's fault.
static void an_original_that_serves_one_size_is_looked_at_there(void **state)
{
    (void)state;
    struct setting s = {0};
    struct ks_err err = {0};
    struct ks_verdict v[2], full;
    check(open_judge(&s, VADD_MARK "__global__ void vadd_wholly" VADD_SIGNATURE " { }\n", SUM_PTX, &err), &err);
    struct ks_proposal *p[] = {make_proposal(&s, "vadd_ok", VADD_SIGNATURE, "a, b, c, n", "1"),
                               make_proposal(&s, "vadd_half", VADD_SIGNATURE, "a, b, c, n", "1")};
    check(ks_judge_quick(s.judge, p, 2, v, &err), &err);
    expect(v[0], KS_C_CORRECT, KS_S_NOT_MEASURED, "");
    expect(v[1], KS_C_WRONG, KS_S_NOT_MEASURED, "`c` differs");
    check(ks_judge_full(s.judge, p[0], &full, &err), &err);
    assert_int_equal(full.correctness, KS_C_CORRECT);
    bool told = false, counted = false;
    size_t each = 0;
    for (size_t i = 0; i < full.evidence.n_notes; i++) {
        told = told || strstr(full.evidence.notes[i], "serves no size but n=4000") != NULL;
        counted = counted || strstr(full.evidence.notes[i], "vectors beside n=4000") != NULL;
        each += strstr(full.evidence.notes[i], "the original fails") != NULL;
    }
    assert_true(told && counted);
    assert_int_equal(each, 2);
    close_judge(&s);
}

// Sizes of a schedule are made for one look; what is recalled in the next has the bytes of structs too.
static void what_is_recalled_outlives_its_schedule(void **state)
{
    (void)state;
    struct setting s = {0};
    struct ks_err err = {0};
    struct ks_vector *vector;
    unsigned char bytes[2][4] = {{1, 2, 3, 4}, {1, 2, 3, 4}};
    struct ks_block block = {.name = "p", .bytes = bytes[0], .size = sizeof bytes[0]};
    check(open_judge(&s, VADD_MARK "__global__ void vadd" VADD_SIGNATURE " { }\n", SUM_PTX, &err), &err);
    struct ks_problem problem = s.judge->problems[0];
    problem.args = ks_arena_memdup(&s.arena, problem.args, problem.n_args * sizeof *problem.args);
    problem.args[3].block = &block;
    check(ks_recall(s.judge, &problem, KS_FAMILY_DECLARED, 0, KS_SKEW_NONE, &vector, &err), &err);
    memset(bytes[0], 0xaa, sizeof bytes[0]);
    block = (struct ks_block){0};
    problem.args[3].block = NULL;
    const struct ks_block *kept = vector->problem.args[3].block;
    assert_int_equal(kept->size, sizeof bytes[1]);
    assert_memory_equal(kept->bytes, bytes[1], sizeof bytes[1]);
    ks_recall_done(s.judge, vector);
    close_judge(&s);
}

#define SCREENED 9

static void screening_orders_candidates(void **state)
{
    (void)state;
    struct setting s = {0};
    struct ks_err err = {0};
    check(open_judge(&s, VADD_MARK "__global__ void vadd" VADD_SIGNATURE " { }\n", SUM_PTX, &err), &err);
    const struct {
        const char *kernel, *when;
        enum ks_correctness verdict;
        double ratio; // about; 0 where nothing was timed
    } cases[SCREENED] = {
        {"vadd_ok", "1", KS_C_CORRECT, 2},
        {"vadd_slow", "1", KS_C_CORRECT, 1},
        {"vadd_bf16", "1", KS_C_WRONG, 0},
        {"vadd_big_fault", "1", KS_C_CORRECT, 0},      // tiny sizes are well
        {"vadd_fast", "1", KS_C_CORRECT, 4},           // after a worker was spoilt
        {"vadd_alone", "1", KS_C_CORRECT, 2},          // in a cubin of its own
        {"vadd_ok", "n < 4000", KS_C_CORRECT, 0},      // the declared launch stays with the original
        {"vadd_big_hang", "1", KS_C_CORRECT, 0},
        {"vadd_crawl", "1", KS_C_CORRECT, 0.02},
    };
    struct ks_proposal *p[SCREENED];
    struct ks_verdict v[SCREENED];
    for (size_t i = 0; i < SCREENED; i++)
        p[i] = make_proposal(&s, cases[i].kernel, VADD_SIGNATURE, "a, b, c, n", cases[i].when);
    double start = ks_now();
    check(ks_judge_screen(s.judge, p, SCREENED, v, &err), &err);
    double seconds = ks_now() - start;
    for (size_t i = 0; i < SCREENED; i++) {
        if (v[i].correctness != cases[i].verdict || v[i].speed != KS_S_NOT_MEASURED ||
            v[i].geomean < 0.9 * cases[i].ratio || v[i].geomean > 1.1 * cases[i].ratio)
            fail_msg("%s: %s %s %.3f \"%s\"", cases[i].kernel, ks_correctness_name(v[i].correctness),
                     ks_speed_name(v[i].speed), v[i].geomean, v[i].reason);
        assert_null(v[i].domain);
    }
    assert_true(seconds < 8); // one that hangs costs its deadline once
    // The judgement in full still works afterwards, and contradicts where it must.
    struct ks_verdict full;
    check(ks_judge_full(s.judge, p[3], &full, &err), &err);
    expect(full, KS_C_UNSAFE, KS_S_NOT_MEASURED, "memory fault");
    close_judge(&s);
}

// How often the original runs while so many candidates are looked at, each of which takes half its time.
static int64_t runs_of_original(int n, size_t candidates)
{
    struct setting s = {0};
    struct ks_err err = {0};
    struct ks_proposal *p[6];
    struct ks_verdict v[6];
    char path[64];
    snprintf(path, sizeof path, "/tmp/ks-test-count-%d", (int)getpid());
    setenv("KS_FAKE_COUNT", path, 1);
    check(open_judge(&s, ks_arena_printf(&s.arena, "#pragma ks optimize\n#pragma ks workload let(n=%d) in(a[n]=uniform(0,1)) "
                                         "in(b[n]=uniform(0,1)) out(c[n]) grid((n+255)/256) block(256)\n"
                                         "__global__ void vadd" VADD_SIGNATURE " { }\n", n), SUM_PTX, &err), &err);
    int64_t before = runs_so_far(path);
    for (size_t i = 0; i < candidates; i++) {
        p[i] = make_proposal(&s, "vadd_ok", VADD_SIGNATURE, "a, b, c, n", "1");
        p[i]->source = ks_arena_printf(&s.arena, "%s // %c", p[i]->source, (int)('a' + i));
    }
    check(ks_judge_screen(s.judge, p, candidates, v, &err), &err);
    for (size_t i = 0; i < candidates; i++)
        assert_true(v[i].correctness == KS_C_CORRECT && v[i].geomean > 1.9 && v[i].geomean < 2.1);
    int64_t runs = runs_so_far(path) - before;
    unsetenv("KS_FAKE_COUNT");
    ks_tree_remove(path, NULL);
    close_judge(&s);
    return runs;
}

// Of 100 ms and more it is timed once for all of them: 40,000 elements take the fake one ms.
static void a_long_original_is_timed_once(void **state)
{
    (void)state;
    assert_int_equal(runs_of_original(4100000, 6), runs_of_original(4100000, 2));
    assert_true(runs_of_original(3000000, 6) > runs_of_original(3000000, 2));
}

static void screening_weighs_workloads(void **state)
{
    (void)state;
    struct setting s = {0};
    struct ks_err err = {0};
    const char *head = "in(a[n]=uniform(0,1)) in(b[n]=uniform(0,1)) out(c[n]) grid((n+255)/256) block(256)\n";
    check(open_judge(&s, ks_arena_printf(&s.arena, "#pragma ks optimize\n"
                                         "#pragma ks workload weight(3) let(n=4000) %s"
                                         "#pragma ks workload weight(1) let(n=1000) %s"
                                         "__global__ void vadd" VADD_SIGNATURE " { }\n", head, head),
                     SUM_PTX, &err), &err);
    struct ks_proposal *p[5] = {
        make_proposal(&s, "vadd_ok", VADD_SIGNATURE, "a, b, c, n", "1"),
        make_proposal(&s, "vadd_bigonly", VADD_SIGNATURE, "a, b, c, n", "1"), // slow below 2000
        make_proposal(&s, "vadd_fast", VADD_SIGNATURE, "a, b, c, n", "n <= 100 || n >= 2000"),
        make_proposal(&s, "vadd_alone_fast", VADD_SIGNATURE, "a, b, c, n", "n <= 100 || n >= 2000"),
        make_proposal(&s, "vadd_alone", VADD_SIGNATURE, "a, b, c, n", "1"),
    };
    struct ks_verdict v[5];
    check(ks_judge_screen(s.judge, p, 5, v, &err), &err);
    assert_true(v[0].geomean > 1.9 && v[0].geomean < 2.1);
    // Twice as fast with weight three, half as fast with weight one: 2^(3/4) * 2^(-1/4).
    assert_true(v[1].geomean > 1.38 && v[1].geomean < 1.45);
    for (int i = 2; i < 4; i++) { // one workload is excluded
        assert_int_equal(v[i].correctness, KS_C_CORRECT);
        assert_true(v[i].geomean == 0);
        // The other shows what it can do there.
        assert_int_equal(v[i].evidence.n_timings, 2);
        assert_true(v[i].evidence.timings[0].ratio > 3.6 && v[i].evidence.timings[0].ratio < 4.4);
        assert_true(v[i].evidence.timings[1].ratio == 0);
    }
    assert_true(v[1].evidence.timings[0].ratio > 1.9 && v[1].evidence.timings[1].ratio < 0.55);
    assert_true(v[4].geomean > 1.9 && v[4].geomean < 2.1); // though others came between its images
    close_judge(&s);
}

static void sizes_are_combined(void **state)
{
    (void)state;
    // Each size alone is everywhere; the domain is their box, so its corners are run.
    const struct { const char *kernel, *when; enum ks_correctness verdict; } cases[] = {
        {"transpose_ok", "1", KS_C_CORRECT},
        {"transpose_wide", "1", KS_C_WRONG},
        {"transpose_tall", "1", KS_C_WRONG},
        {"transpose_wide", "rows >= 64", KS_C_CORRECT}, // not dispatched where it is wrong
        {"transpose_wide", "rows % 8 == 0 && cols % 4 == 0", KS_C_CORRECT},
        {"transpose_wide", "rows % 4 == 0 && cols % 4 == 0", KS_C_WRONG},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct setting s = {0};
        struct ks_err err = {0};
        struct ks_verdict v;
        check(open_judge(&s, "#pragma ks optimize\n#pragma ks workload let(rows=416, cols=212) "
                             "in(in[rows*cols]) out(out[rows*cols]) grid(rows,cols) block(1)\n"
                             "__global__ void transpose(const float* in, float* out, int rows, int cols) { }\n",
                         COPY_PTX, &err), &err);
        struct ks_proposal *p =
            make_proposal(&s, cases[i].kernel, "(const float* in, float* out, int rows, int cols)",
                          "in, out, rows, cols", cases[i].when);
        check(ks_judge_full(s.judge, p, &v, &err), &err);
        if (v.correctness != cases[i].verdict)
            fail_msg("%s when %s: %s \"%s\"", cases[i].kernel, cases[i].when,
                     ks_correctness_name(v.correctness), v.reason);
        close_judge(&s);
    }
}

static struct ks_verdict judge_assuming(const char *assumption, const char *kernel)
{
    struct setting s = {0};
    struct ks_err err = {0};
    struct ks_verdict v;
    check(open_judge(&s, ks_arena_printf(&s.arena, "#pragma ks optimize %s\n" VADD_WORKLOAD
                                         "__global__ void vadd" VADD_SIGNATURE " { }\n", assumption),
                     SUM_PTX, &err), &err);
    struct ks_proposal *p = make_proposal(&s, kernel, VADD_SIGNATURE, "a, b, c, n", "1");
    check(ks_judge_full(s.judge, p, &v, &err), &err);
    if (v.correctness == KS_C_CORRECT) {
        check(ks_judge_confirm(s.judge, p, &v, &err), &err);
        struct ks_buf text = KS_BUF(8192);
        ks_expr_print(&text, v.domain, NULL, NULL);
        assert_non_null(strstr(ks_buf_text(&text), assumption[0] == '\0' ? "n" : " % "));
        ks_buf_free(&text);
    }
    close_judge(&s);
    return v;
}

static void what_is_assumed_joins_every_guard(void **state)
{
    (void)state;
    // The proposal has no guard of its own: it is run, and will be dispatched, where the mark says.
    expect(judge_assuming("assume(n % 4 == 0)", "vadd_tail"), KS_C_CORRECT, KS_S_FASTER, "");
    expect(judge_assuming("assume(n % 4 == 0, n % 3 < 3)", "vadd_tail"), KS_C_CORRECT, KS_S_FASTER, "");
    expect(judge_assuming("assume(n % 2 == 0)", "vadd_tail"), KS_C_WRONG, KS_S_NOT_MEASURED, "`c` differs");
    expect(judge_assuming("", "vadd_tail"), KS_C_WRONG, KS_S_NOT_MEASURED, "`c` differs");
    expect(judge_assuming("assume(n % 1 == 0 && aligned(a,16) && aligned(b,16) && aligned(c,16))",
                          "vadd_vector4"), KS_C_CORRECT, KS_S_FASTER, "");
}

static void the_original_may_rely_on_what_is_assumed(void **state)
{
    (void)state;
    static const char *const assumptions[] = {
        "", "assume(aligned(a,16), aligned(b,16), aligned(c,16))", "assume(n < 4000)"};
    static const char *const words[] = {"misaligned", NULL, "assumption"};
    for (int i = 0; i < 3; i++) {
        struct setting s = {0};
        struct ks_err err = {0};
        enum ks_status status =
            open_judge(&s, ks_arena_printf(&s.arena, "#pragma ks optimize %s\n" VADD_WORKLOAD_OF("4001")
                                           "__global__ void vadd_vector4" VADD_SIGNATURE " { }\n",
                                           assumptions[i]), SUM_PTX, &err);
        assert_int_equal(status, words[i] == NULL ? KS_OK : KS_E_DEVICE);
        assert_true(words[i] == NULL || strstr(err.text, words[i]) != NULL);
        close_judge(&s);
    }
}

int main(int argc, char **argv)
{
    if (argc > 1 && strcmp(argv[1], "--worker") == 0)
        return fake_worker_main(argc, argv);
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_original_works_once_for_many_candidates),
        cmocka_unit_test(an_original_that_serves_one_size_is_looked_at_there),
        cmocka_unit_test(what_is_recalled_outlives_its_schedule),
        cmocka_unit_test(screening_orders_candidates),
        cmocka_unit_test(a_long_original_is_timed_once),
        cmocka_unit_test(screening_weighs_workloads),
        cmocka_unit_test(sizes_are_combined),
        cmocka_unit_test(what_is_assumed_joins_every_guard),
        cmocka_unit_test(the_original_may_rely_on_what_is_assumed),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
