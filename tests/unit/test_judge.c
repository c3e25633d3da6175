// The whole judge against a scripted worker that runs known kernels on host memory: each kind of
// wrong candidate gets its verdict, and each defence has a case that passes when it is off.
#define KS_TEST_BUILD
#include "verify/defence.c"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <sys/wait.h>
#include <unistd.h>
#include <cmocka.h>

#include "base/log.h"
#include "fmt/yaml.h"
#include "os/clock.h"
#include "os/file.h"
#include "source/mark.h"
#include "verify/session.h"
#include "verify/vector.h"
#include "../fakes/fake_judge.h"

#define OFF(defence) (1u << (defence))

static void set_off(struct setting *s, unsigned off)
{
    for (int d = 0; d < KS_DEFENCE_COUNT; d++)
        s->off.off[d] = off >> d & 1;
}

static struct ks_verdict judge_vadd_of(const char *original, const char *kernel, const char *when,
                                       unsigned off, bool confirm)
{
    struct setting s = {0};
    struct ks_err err = {0};
    struct ks_verdict verdict;
    set_off(&s, off);
    const char *marked = ks_arena_printf(&s.arena, VADD_MARK "__global__ void %s" VADD_SIGNATURE " { }\n",
                                         original);
    check(open_judge(&s, marked, SUM_PTX, &err), &err);
    struct ks_proposal *p = make_proposal(&s, kernel, VADD_SIGNATURE, "a, b, c, n", when);
    check(ks_judge_full(s.judge, p, &verdict, &err), &err);
    if (confirm && verdict.correctness == KS_C_CORRECT)
        check(ks_judge_confirm(s.judge, p, &verdict, &err), &err);
    // The session survives whatever the candidate did.
    struct ks_verdict after;
    struct ks_proposal *honest = make_proposal(&s, "vadd_ok", VADD_SIGNATURE, "a, b, c, n", "1");
    if (!confirm && off == 0 && strcmp(original, "vadd") == 0) {
        check(ks_judge_quick(s.judge, &honest, 1, &after, &err), &err);
        assert_int_equal(after.correctness, KS_C_CORRECT);
    }
    close_judge(&s);
    return verdict;
}

static struct ks_verdict judge_vadd(const char *kernel, unsigned off)
{
    return judge_vadd_of("vadd", kernel, "1", off, false);
}

static void a_correct_and_faster_kernel_is_confirmed(void **state)
{
    (void)state;
    struct setting s = {0};
    struct ks_err err = {0};
    struct ks_verdict v;
    check(open_judge(&s, VADD_MARK "__global__ void vadd" VADD_SIGNATURE " { }\n", SUM_PTX, &err), &err);
    struct ks_proposal *p = make_proposal(&s, "vadd_ok", VADD_SIGNATURE, "a, b, c, n", "1");
    check(ks_judge_full(s.judge, p, &v, &err), &err);
    expect(v, KS_C_CORRECT, KS_S_AMBIGUOUS, "times as fast");
    assert_non_null(v.domain);
    check(ks_judge_confirm(s.judge, p, &v, &err), &err);
    expect(v, KS_C_CORRECT, KS_S_FASTER, "times as fast");
    assert_true(v.lower > 1.9 && v.geomean < 2.1);
    assert_int_equal(v.evidence.n_timings, 1);
    assert_true(v.evidence.deterministic);
    assert_true(v.evidence.shapes >= 8 && v.evidence.families == KS_FAMILY_COUNT - 5); // nothing is divided, no terms meet, no TF32
    assert_string_equal(v.evidence.kernels[0], "vadd_ok");
    // Evidence travels with projects: nothing in it names a place on the machine that judged.
    for (size_t i = 0; i < v.evidence.n_notes; i++)
        assert_null(strchr(v.evidence.notes[i], '/'));
    struct ks_buf text = KS_BUF(8192);
    ks_expr_print(&text, v.domain, NULL, NULL);
    assert_non_null(strstr(ks_buf_text(&text), "n <= 4001"));
    assert_non_null(strstr(ks_buf_text(&text), "block.x == 256"));
    assert_non_null(strstr(ks_buf_text(&text), "!overlap(a, n * 4, c, n * 4)"));
    ks_buf_free(&text);
    close_judge(&s);
}

static void wrong_candidates_get_their_verdict(void **state)
{
    (void)state;
    const struct { const char *kernel; enum ks_correctness verdict; const char *reason; } cases[] = {
        {"vadd_stale", KS_C_WRONG, "`c` differs"},
        {"vadd_tail", KS_C_WRONG, "a derived size"},
        {"vadd_residue", KS_C_WRONG, "the last element (a derived size"},
        {"vadd_leftover", KS_C_WRONG, "`c` differs"},
        {"vadd_bf16", KS_C_WRONG, "`c` differs"},
        {"vadd_positive", KS_C_WRONG, ""},
        {"vadd_2ulp", KS_C_WRONG, "exact in fp32"},
        {"vadd_once", KS_C_WRONG, ""},
        {"vadd_input", KS_C_UNSAFE, "an input changed"},
        {"vadd_over", KS_C_UNSAFE, "canary"},
        {"vadd_vector4", KS_C_UNSAFE, "misaligned"},
        {"vadd_apart0", KS_C_WRONG, ""},
        {"vadd_apart1", KS_C_WRONG, ""},
        {"vadd_apart2", KS_C_WRONG, ""},
        {"vadd_fault", KS_C_UNSAFE, "illegal memory access"},
        {"vadd_launch", KS_C_LAUNCH, "too many resources"},
        {"vadd_die", KS_C_UNSAFE, "died"},
        {"vadd_garbage", KS_C_UNSAFE, "protocol"},
        {"vadd_twice", KS_C_UNSAFE, "protocol"},
        {"vadd_wrongid", KS_C_UNSAFE, "protocol"},
        {"vadd_noclass", KS_C_UNSAFE, "protocol"},
        {"vadd_flood", KS_C_UNSAFE, "protocol"},
        {"vadd_2ulp_longread", KS_C_UNSAFE, "protocol"},
        {"vadd_2ulp_shortread", KS_C_UNSAFE, "died"},
        {"vadd_noprint", KS_C_UNSAFE, "protocol"},
        {"vadd_nondet", KS_C_NONDET, "repeated runs"},
        {"vadd_hang", KS_C_HANG, "did not finish"},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        print_message("          %s\n", cases[i].kernel);
        expect(judge_vadd(cases[i].kernel, 0), cases[i].verdict, KS_S_NOT_MEASURED, cases[i].reason);
    }
}

// What is refused at a size that nobody declared says so, and not which it was.
static void a_plan_without_a_launch_says_at_what_sizes(void **state)
{
    (void)state;
    const struct { const char *grid, *why; } cases[] = {
        {"n/2000", "step 1: grid.x is below 1, at a size below the declared ones; a guard (`when:`)"},
        {"n > 4000 ? 0 : n", "step 1: grid.x is below 1, at a size other than the declared ones; a guard"},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct setting s = {0};
        struct ks_err err = {0};
        struct ks_verdict v;
        check(open_judge(&s, VADD_MARK "__global__ void vadd" VADD_SIGNATURE " { }\n", SUM_PTX, &err), &err);
        struct ks_proposal *p = make_proposal(&s, "vadd_ok", VADD_SIGNATURE, "a, b, c, n", "1");
        check(ks_expr_parse(&s.arena, "plan", ks_slice_of(cases[i].grid), &p->steps[0].grid[0], &err), &err);
        check(ks_judge_full(s.judge, p, &v, &err), &err);
        expect(v, KS_C_LAUNCH, KS_S_NOT_MEASURED, cases[i].why);
        close_judge(&s);
    }
}

static void a_defence_that_is_off_lets_its_case_through(void **state)
{
    (void)state;
    // Spare elements catch two of them besides, other defences the last.
    const struct { const char *kernel; enum ks_defence defence; unsigned off; } cases[] = {
        {"vadd_tail", KS_D_SHAPES, OFF(KS_D_SHAPES)},
        {"vadd_residue", KS_D_SHAPES, OFF(KS_D_SHAPES)},
        {"vadd_leftover", KS_D_SCRUB, OFF(KS_D_SCRUB)},
        {"vadd_bf16", KS_D_TOLERANCE,
         OFF(KS_D_TOLERANCE) | OFF(KS_D_EXACT_PROBE) | OFF(KS_D_FAMILIES) | OFF(KS_D_VACUITY)},
        {"vadd_positive", KS_D_FAMILIES, OFF(KS_D_FAMILIES)},
        {"vadd_2ulp", KS_D_EXACT_PROBE, OFF(KS_D_EXACT_PROBE)},
        {"vadd_once", KS_D_POISON, OFF(KS_D_POISON) | OFF(KS_D_PLACEMENT)},
        {"vadd_input", KS_D_UNSAFE, OFF(KS_D_UNSAFE)},
        {"vadd_over", KS_D_UNSAFE, OFF(KS_D_UNSAFE) | OFF(KS_D_PLACEMENT)},
        {"vadd_vector4", KS_D_PLACEMENT, OFF(KS_D_PLACEMENT)},
        {"vadd_apart1", KS_D_PLACEMENT, OFF(KS_D_PLACEMENT)},
        {"vadd_nondet", KS_D_REPETITION,
         OFF(KS_D_REPETITION) | OFF(KS_D_EXACT_PROBE) | OFF(KS_D_TIMED_OUTPUT)},
        {"vadd_stale", KS_D_PROCESS_SPLIT, OFF(KS_D_PROCESS_SPLIT) | OFF(KS_D_POISON)},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        print_message("          %s without %s\n", cases[i].kernel, ks_defence_name(cases[i].defence));
        assert_int_equal(judge_vadd(cases[i].kernel, cases[i].off).correctness, KS_C_CORRECT);
    }
    // Without poison alone no answer of the original's is in reach.
    assert_int_equal(judge_vadd("vadd_stale", OFF(KS_D_POISON)).correctness, KS_C_WRONG);
}

// Where the original adds floats with atomics, its runs may agree by luck: the candidate's need not.
static void atomic_sums_need_not_repeat(void **state)
{
    (void)state;
    struct setting s = {0};
    struct ks_err err = {0};
    struct ks_verdict v;
    check(open_judge(&s, VADD_MARK "__global__ void vadd" VADD_SIGNATURE " { }\n",
                     SUM_PTX "red.global.add.f32 [%rd1],%f1;\n", &err), &err);
    s.off.off[KS_D_EXACT_PROBE] = true; // a sum may be off by a bit where order is free
    struct ks_proposal *p = make_proposal(&s, "vadd_nondet", VADD_SIGNATURE, "a, b, c, n", "1");
    check(ks_judge_full(s.judge, p, &v, &err), &err);
    assert_int_equal(v.correctness, KS_C_CORRECT);
    assert_false(v.evidence.deterministic);
    close_judge(&s);
}

// How many of 60 vectors of an original show that it reads what nobody wrote.
static int seen_of_60(const char *original)
{
    struct setting s = {0};
    struct ks_err err = {0};
    int seen = 0;
    check(open_judge(&s, ks_arena_printf(&s.arena, "%s__global__ void %s%s { }\n", VADD_MARK, original, VADD_SIGNATURE),
                     SUM_PTX, &err), &err);
    for (int draw = 0; draw < 60; draw++) {
        struct ks_vector vector;
        check(ks_vector_make(s.judge, &s.arena, &s.judge->problems[0], KS_FAMILY_DECLARED, 0, KS_SKEW_NONE, &vector,
                             &err), &err);
        assert_false(vector.excluded);
        seen += !vector.deterministic;
        ks_vector_free(&vector);
    }
    close_judge(&s);
    return seen;
}

static void poison_is_seen_in_results(void **state)
{
    (void)state;
    assert_int_equal(seen_of_60("vadd"), 0);
    assert_int_equal(seen_of_60("vadd_onto"), 60);
    assert_true(seen_of_60("vadd_onto_most") >= 15); // of positive values: where one of them is above
}

static void the_watchdog_ends_a_sleeper(void **state)
{
    (void)state;
    expect(judge_vadd("vadd_sleep", 0), KS_C_HANG, KS_S_NOT_MEASURED, "");
    assert_int_equal(judge_vadd("vadd_sleep", OFF(KS_D_WATCHDOG)).correctness, KS_C_CORRECT);
}

static void speed_is_doubted(void **state)
{
    (void)state;
    expect(judge_vadd("vadd_slow", 0), KS_C_CORRECT, KS_S_NOT_FASTER, "below the minimum gain");
    expect(judge_vadd("vadd_light", 0), KS_C_CORRECT, KS_S_VOID, "memory");
    expect(judge_vadd("vadd_light", OFF(KS_D_FLOOR)), KS_C_CORRECT, KS_S_AMBIGUOUS, "times as fast");
    expect(judge_vadd_of("vdrift", "vadd_ok", "1", 0, false), KS_C_CORRECT, KS_S_VOID, "not quiet");
    struct ks_verdict wild = judge_vadd_of("vdrift", "vadd_ok", "1", OFF(KS_D_CONTROL), false);
    expect(wild, KS_C_CORRECT, KS_S_AMBIGUOUS, "");
    // By little: so much is not claimed.
    struct ks_verdict calm = judge_vadd_of("vdrift_little", "vadd_ok", "1", 0, false),
                      bold = judge_vadd_of("vdrift_little", "vadd_ok", "1", OFF(KS_D_CONTROL), false);
    expect(calm, KS_C_CORRECT, KS_S_AMBIGUOUS, "times as fast");
    assert_true(calm.geomean < bold.geomean / 1.02 && calm.lower < bold.lower / 1.02);
    // A gain over an original that the candidate itself slows down.
    expect(judge_vadd("vadd_scorches", 0), KS_C_CORRECT, KS_S_VOID, "slower beside the candidate than alone");
    expect(judge_vadd("vadd_scorches", OFF(KS_D_CONTROL)), KS_C_CORRECT, KS_S_AMBIGUOUS, "times as fast");
    expect(judge_vadd("vadd_warms", 0), KS_C_CORRECT, KS_S_AMBIGUOUS, "times as fast");
    // By little: what it is slowed down by is not claimed.
    struct ks_verdict fair = judge_vadd("vadd_heats", 0), unfair = judge_vadd("vadd_heats", OFF(KS_D_CONTROL));
    expect(fair, KS_C_CORRECT, KS_S_AMBIGUOUS, "times as fast");
    assert_true(fair.geomean < unfair.geomean / 1.01 && fair.lower < unfair.lower / 1.01);
}

// Times that no clock gives are no measurement, whatever is right otherwise.
static void times_must_have_sense(void **state)
{
    (void)state;
    static const char *const liars[] = {"vadd_minus", "vadd_word", "vadd_more"};
    for (size_t i = 0; i < sizeof liars / sizeof *liars; i++)
        expect(judge_vadd(liars[i], 0), KS_C_UNSAFE, KS_S_NOT_MEASURED, "protocol");
    expect(judge_vadd("vadd_few", 0), KS_C_CORRECT, KS_S_VOID, "too unsteady");
    expect(judge_vadd_of("vramp", "vadd_ok", "1", 0, false), KS_C_CORRECT, KS_S_AMBIGUOUS, "times as fast");
}

// A gain from what one set of buffers leaves in the cache, and a gain that nobody repeated.
static void gains_of_luck_do_not_count(void **state)
{
    (void)state;
    expect(judge_vadd("vadd_cached", 0), KS_C_CORRECT, KS_S_NOT_FASTER, "below the minimum gain");
    expect(judge_vadd("vadd_cached", OFF(KS_D_ROTATION)), KS_C_CORRECT, KS_S_AMBIGUOUS, "times as fast");
    expect(judge_vadd("vadd_ok", 0), KS_C_CORRECT, KS_S_AMBIGUOUS, "times as fast");
    expect(judge_vadd("vadd_ok", OFF(KS_D_CONFIRMATION)), KS_C_CORRECT, KS_S_FASTER, "times as fast");
    expect(judge_vadd_of("vadd", "vadd_ok", "1", OFF(KS_D_CONFIRMATION), true), KS_C_CORRECT, KS_S_FASTER,
           "times as fast");
}

// Where the declared size always comes to one answer, who gives that from there on is right by it.
static void a_declared_size_that_tells_nothing_decides_nothing(void **state)
{
    (void)state;
    expect(judge_vadd_of("vmute", "vmute_ok", "1", 0, false), KS_C_VOID, KS_S_NOT_MEASURED, "no test vector of the declared size");
    expect(judge_vadd_of("vmute", "vmute_ok", "1", OFF(KS_D_VACUITY), false), KS_C_CORRECT, KS_S_AMBIGUOUS, "");
    // Values that are not declared do tell.
    expect(judge_vadd_of("vshy", "vshy_ok", "1", 0, false), KS_C_CORRECT, KS_S_AMBIGUOUS, "");
    expect(judge_vadd_of("vshy", "vmute_ok", "1", 0, false), KS_C_WRONG, KS_S_NOT_MEASURED, "`c` differs");
}

// A gain that is a loss where a kernel finds its arrays in the cache, as behind the one that made them.
static void a_gain_is_none_that_the_cache_takes_back(void **state)
{
    (void)state;
    struct setting s = {0};
    struct ks_err err = {0};
    struct ks_verdict v;
    expect(judge_vadd("vadd_cold", 0), KS_C_CORRECT, KS_S_AMBIGUOUS, "times as fast"); // the arrays are no part of its cache
    setenv("KS_FAKE_L2", "1000000", 1);
    expect(judge_vadd("vadd_cold", 0), KS_C_CORRECT, KS_S_NOT_FASTER, "while its arrays lie in the L2 cache (0.66");
    check(open_judge(&s, VADD_MARK "__global__ void vadd" VADD_SIGNATURE " { }\n", SUM_PTX, &err), &err);
    struct ks_proposal *p = make_proposal(&s, "vadd_ok", VADD_SIGNATURE, "a, b, c, n", "1");
    check(ks_judge_full(s.judge, p, &v, &err), &err);
    assert_int_equal(v.speed, KS_S_AMBIGUOUS);
    assert_true(v.evidence.timings[0].warm > 1.9 && v.evidence.timings[0].warm < 2.1);
    close_judge(&s);
    unsetenv("KS_FAKE_L2");
}

static enum ks_correctness judge_known(unsigned off)
{
    struct setting s = {.seeds_of_os = true};
    struct ks_err err = {0};
    struct ks_verdict v;
    set_off(&s, off);
    check(open_judge(&s, VADD_MARK "__global__ void vadd" VADD_SIGNATURE " { }\n", SUM_PTX, &err), &err);
    struct ks_proposal *p = make_proposal(&s, "vadd_known", VADD_SIGNATURE, "a, b, c, n", "1");
    check(ks_judge_full(s.judge, p, &v, &err), &err);
    close_judge(&s);
    return v.correctness;
}

// Replays answers to inputs of an earlier session.
static void answers_of_another_day_do_not_help(void **state)
{
    (void)state;
    char path[] = "/tmp/ks-seen-XXXXXX";
    int fd = mkstemp(path);
    assert_true(fd >= 0);
    close(fd);
    setenv("KS_FAKE_SEEN", path, 1);
    for (int off = 0; off < 2; off++) {
        assert_int_equal(truncate(path, 0), 0);
        setenv("KS_FAKE_LEARN", "1", 1);
        assert_int_equal(judge_known(off ? OFF(KS_D_SEEDS) : 0), KS_C_CORRECT);
        unsetenv("KS_FAKE_LEARN");
        assert_int_equal(judge_known(off ? OFF(KS_D_SEEDS) : 0), off ? KS_C_CORRECT : KS_C_WRONG);
    }
    unsetenv("KS_FAKE_SEEN");
    unlink(path);
}

static void timed_outputs_are_verified(void **state)
{
    (void)state;
    struct ks_verdict v = judge_vadd("vadd_late", 0);
    assert_true(v.correctness == KS_C_NONDET || v.correctness == KS_C_WRONG);
    assert_int_equal(judge_vadd("vadd_late", OFF(KS_D_TIMED_OUTPUT)).correctness, KS_C_CORRECT);
}

static void guards_are_honoured(void **state)
{
    (void)state;
    const char *aligned = "aligned(a,16) && aligned(b,16) && aligned(c,16)";
    expect(judge_vadd_of("vadd", "vadd_vector4", aligned, 0, true), KS_C_CORRECT, KS_S_FASTER, "");
    // What one pointer is asked for is not given to the others; nor does a size give it.
    expect(judge_vadd_of("vadd", "vadd_vector4", "aligned(a,16) && aligned(b,16) && aligned(c,8)", 0, false),
           KS_C_UNSAFE, KS_S_NOT_MEASURED, "misaligned");
    expect(judge_vadd_of("vadd", "vadd_vector4", "n % 64 == 32", 0, false),
           KS_C_UNSAFE, KS_S_NOT_MEASURED, "misaligned");
    expect(judge_vadd_of("vadd", "vadd_tail", "n % 4 == 0", 0, true), KS_C_CORRECT, KS_S_FASTER, "");
    expect(judge_vadd_of("vadd", "vadd_ok", "n < 4000", 0, false), KS_C_CORRECT, KS_S_NOT_FASTER,
           "guard excludes workload");
    // Without that check it is the timing that finds nothing to time.
    for (int off = 0; off < 2; off++)
        assert_int_equal(judge_vadd_of("vadd", "vadd_ok", "n < 4000", off ? OFF(KS_D_GUARD) : 0, false)
                             .checks.result[KS_CHECK_TIMING], off ? KS_CHECK_FAILED : KS_CHECK_NOT_MADE);
    expect(judge_vadd_of("vadd", "vadd_ok", "n > 1000000", 0, false), KS_C_VOID, KS_S_NOT_MEASURED,
           "the guard admits none");
    // Small sizes are run far above what is declared: the guard is what is told, not that they make no domain.
    struct setting s = {0};
    struct ks_err err = {0};
    struct ks_verdict v;
    check(open_judge(&s, "#pragma ks optimize\n" VADD_WORKLOAD_OF("50") "__global__ void vadd" VADD_SIGNATURE " { }\n",
                     SUM_PTX, &err), &err);
    check(ks_judge_full(s.judge, make_proposal(&s, "vadd_ok", VADD_SIGNATURE, "a, b, c, n", "n > 60"), &v, &err), &err);
    expect(v, KS_C_CORRECT, KS_S_NOT_FASTER, "guard excludes workload");
    close_judge(&s);
}

static void confirmation_sees_other_sizes(void **state)
{
    (void)state;
    // Wrong between the edges: the search finds it, and the confirmation by itself.
    unsigned shapes = OFF(KS_D_SHAPES);
    expect(judge_vadd_of("vadd", "vadd_unseen", "1", 0, false), KS_C_WRONG, KS_S_NOT_MEASURED, "");
    assert_int_equal(judge_vadd_of("vadd", "vadd_unseen", "1", shapes, false).correctness, KS_C_CORRECT);
    expect(judge_vadd_of("vadd", "vadd_unseen", "1", shapes, true), KS_C_WRONG, KS_S_NOT_MEASURED, "");
    expect(judge_vadd_of("vadd", "vadd_unseen", "1", shapes | OFF(KS_D_UNSEEN), true), KS_C_CORRECT,
           KS_S_FASTER, "");
}

static const char *text_of(struct setting *s, const struct ks_expr *domain)
{
    struct ks_buf text = KS_BUF(8192);
    ks_expr_print(&text, domain, NULL, NULL);
    const char *out = ks_arena_strdup(&s->arena, ks_buf_text(&text));
    ks_buf_free(&text);
    return out;
}

// A candidate that is slower on one workload is nothing for all, but a variant for the other: from above the
// smaller one's sizes on, or from where it was last seen faster than a rival.
static void a_workload_is_a_class_of_its_own(void **state)
{
    (void)state;
    struct setting s = {0};
    struct ks_err err = {0};
    struct ks_verdict v;
    check(open_judge(&s, "#pragma ks optimize\n" VADD_WORKLOAD_OF("40000") VADD_WORKLOAD_OF("1000")
                         "__global__ void vadd" VADD_SIGNATURE " { }\n", SUM_PTX, &err), &err);
    struct ks_proposal *p = make_proposal(&s, "vadd_bigonly", VADD_SIGNATURE, "a, b, c, n", "1");
    check(ks_judge_full(s.judge, p, &v, &err), &err);
    expect(v, KS_C_CORRECT, KS_S_NOT_FASTER, "slower on workload n=1000");
    ks_judge_class(s.judge, 1, NULL);
    check(ks_judge_full(s.judge, p, &v, &err), &err);
    expect(v, KS_C_CORRECT, KS_S_NOT_FASTER, "slower on workload n=1000");
    ks_judge_class(s.judge, 0, NULL);
    check(ks_judge_full(s.judge, p, &v, &err), &err);
    expect(v, KS_C_CORRECT, KS_S_AMBIGUOUS, "times as fast");
    assert_int_equal(v.evidence.n_timings, 1);
    assert_string_equal(v.evidence.timings[0].workload, "n=40000");
    // Faster at 10000 and 2500, slower at 625.
    assert_true(v.probes[0] > 1.9 && v.probes[1] > 1.9 && v.probes[2] == 0);
    assert_non_null(strstr(text_of(&s, v.domain), "n >= 2500"));
    assert_null(strstr(text_of(&s, v.domain), "||")); // nothing of the other workload
    check(ks_judge_confirm(s.judge, p, &v, &err), &err);
    expect(v, KS_C_CORRECT, KS_S_FASTER, "times as fast");
    assert_int_equal(v.evidence.n_timings, 1);
    const double rival[KS_FLOOR_STEPS] = {1.5, 2.5, 0}; // at 2500 it is better
    ks_judge_class(s.judge, 0, rival);
    check(ks_judge_full(s.judge, p, &v, &err), &err);
    assert_non_null(strstr(text_of(&s, v.domain), "n >= 10000"));
    // Not slower anywhere: its class begins where the other ends.
    struct ks_proposal *ok = make_proposal(&s, "vadd_ok", VADD_SIGNATURE, "a, b, c, n", "1");
    ks_judge_class(s.judge, 0, NULL);
    check(ks_judge_full(s.judge, ok, &v, &err), &err);
    assert_non_null(strstr(text_of(&s, v.domain), "n >= 1002 && n <= 40001"));
    ks_judge_class(s.judge, 1, NULL);
    check(ks_judge_full(s.judge, ok, &v, &err), &err);
    assert_non_null(strstr(text_of(&s, v.domain), "n <= 1001"));
    assert_null(strstr(text_of(&s, v.domain), "40001"));
    ks_judge_class(s.judge, KS_ALL_CLASSES, NULL);
    check(ks_judge_full(s.judge, ok, &v, &err), &err);
    assert_non_null(strstr(text_of(&s, v.domain), "||"));
    close_judge(&s);
}

// Of two oblong workloads each has its own domain, although squares of 128 were run for both.
static void oblong_classes_have_their_own_sizes(void **state)
{
    (void)state;
    struct setting s = {0};
    struct ks_err err = {0};
    struct ks_verdict v;
#define OBLONG(rows, cols)                                                                                             \
    "#pragma ks workload let(rows=" rows ") let(cols=" cols ") in(in[rows*cols]) out(out[rows*cols]) "                    \
    "grid(rows,cols) block(1)\n"
    check(open_judge(&s, "#pragma ks optimize\n" OBLONG("96", "80") OBLONG("8", "768")
                         "__global__ void transpose(const float* in, float* out, int rows, int cols) { }\n", COPY_PTX,
                     &err), &err);
    struct ks_proposal *p = make_proposal(&s, "transpose_ok", "(const float* in, float* out, int rows, int cols)",
                                          "in, out, rows, cols", "1");
    static const char *const ends[2][2] = {{"rows <= 97", "cols <= 81"}, {"rows <= 9", "cols <= 769"}};
    for (size_t w = 0; w < 2; w++) {
        ks_judge_class(s.judge, w, NULL);
        check(ks_judge_full(s.judge, p, &v, &err), &err);
        expect(v, KS_C_CORRECT, KS_S_AMBIGUOUS, "times as fast");
        assert_int_equal(v.checks.result[KS_CHECK_DOMAIN], KS_CHECK_PASSED);
        for (int i = 0; i < 2; i++)
            if (strstr(text_of(&s, v.domain), ends[w][i]) == NULL)
                fail_msg("%s", text_of(&s, v.domain));
    }
    // A guard's modulus makes no side longer than it is declared while the lower end is looked for: 64 by 192 is faster,
    // but 8 by 192 is not.
    p = make_proposal(&s, "transpose_bigonly", "(const float* in, float* out, int rows, int cols)",
                      "in, out, rows, cols", "cols % 64 == 0");
    check(ks_judge_full(s.judge, p, &v, &err), &err);
    expect(v, KS_C_CORRECT, KS_S_AMBIGUOUS, "times as fast");
    if (strstr(text_of(&s, v.domain), "rows >= 8 && rows <= 9 && cols == 768 ") == NULL)
        fail_msg("%s", text_of(&s, v.domain));
    close_judge(&s);
}

// What was timed lies inside the domain, and no other class's workload does; else the times are no claim.
static void a_domain_without_its_workload_is_no_claim(void **state)
{
    (void)state;
    struct setting s = {0}, t = {0};
    struct ks_err err = {0};
    struct ks_verdict v;
#define PLUS_40 "+1+1+1+1+1+1+1+1+1+1+1+1+1+1+1+1+1+1+1+1+1+1+1+1+1+1+1+1+1+1+1+1+1+1+1+1+1+1+1+1"
    // Two formulas that are too deep together for the language that domains are written in.
    check(open_judge(&s, "#pragma ks optimize\n"
                         "#pragma ks workload let(half=4000) let(more=half" PLUS_40 ") let(n=more" PLUS_40 ") "
                         "in(a[n]) in(b[n]) out(c[n]) grid((n+255)/256) block(256)\n"
                         "__global__ void vadd" VADD_SIGNATURE " { }\n", SUM_PTX, &err), &err);
    struct ks_proposal *p = make_proposal(&s, "vadd_ok", VADD_SIGNATURE, "a, b, c, n", "1");
    check(ks_judge_full(s.judge, p, &v, &err), &err);
    expect(v, KS_C_CORRECT, KS_S_VOID, "the domain excludes workload");
    assert_int_equal(v.checks.result[KS_CHECK_DOMAIN], KS_CHECK_FAILED);
    close_judge(&s);
    // Nothing but values tells these apart, which no condition can ask for.
    check(open_judge(&t, "#pragma ks optimize\n" VADD_WORKLOAD
                         "#pragma ks workload name(ones) let(n=4000) in(a[n]=constant(1)) in(b[n]) out(c[n]) "
                         "grid((n+255)/256) block(256)\n"
                         "__global__ void vadd" VADD_SIGNATURE " { }\n", SUM_PTX, &err), &err);
    p = make_proposal(&t, "vadd_ok", VADD_SIGNATURE, "a, b, c, n", "1");
    check(ks_judge_full(t.judge, p, &v, &err), &err);
    expect(v, KS_C_CORRECT, KS_S_AMBIGUOUS, "times as fast");
    ks_judge_class(t.judge, 0, NULL);
    check(ks_judge_full(t.judge, p, &v, &err), &err);
    expect(v, KS_C_CORRECT, KS_S_VOID, "cannot tell workload ones");
    close_judge(&t);
}

static void what_the_original_leaves_alone_stays(void **state)
{
    (void)state;
    expect(judge_vadd_of("vhalf", "vhalf_whole", "1", 0, false), KS_C_WRONG, KS_S_NOT_MEASURED, "");
    assert_int_equal(
        judge_vadd_of("vhalf", "vhalf_whole", "1", OFF(KS_D_UNWRITTEN), false).correctness, KS_C_CORRECT);
    assert_int_equal(judge_vadd_of("vhalf", "vadd_half", "1", 0, false).correctness, KS_C_CORRECT);
}

static struct ks_verdict judge_integers(const char *init, const char *kernel, unsigned off)
{
    struct setting s = {0};
    struct ks_err err = {0};
    struct ks_verdict v;
    const char *signature = "(const int* a, int* c, int n)";
    set_off(&s, off);
    check(open_judge(&s, ks_arena_printf(&s.arena,
                         "#pragma ks optimize\n#pragma ks workload let(n=4000) in(a[n]=%s) "
                         "out(c[n]) grid((n+255)/256) block(256)\n"
                         "__global__ void iadd(const int* a, int* c, int n) { }\n", init),
                     "add.s32 %r1,%r2,%r3;\n", &err), &err);
    struct ks_proposal *p = make_proposal(&s, kernel, signature, "a, c, n", "1");
    check(ks_judge_full(s.judge, p, &v, &err), &err);
    close_judge(&s);
    return v;
}

static void inputs_that_prove_nothing_void_the_verdict(void **state)
{
    (void)state;
    expect(judge_integers("constant(0)", "iadd_zero", 0), KS_C_VOID, KS_S_NOT_MEASURED, "trivial answer");
    assert_int_equal(judge_integers("constant(0)", "iadd_zero", OFF(KS_D_VACUITY)).correctness,
                     KS_C_CORRECT);
}

static void integers_collide(void **state)
{
    (void)state;
    expect(judge_integers("randint(0,255)", "iadd_distinct", 0), KS_C_WRONG, KS_S_NOT_MEASURED, "`c` differs");
    assert_int_equal(judge_integers("randint(0,255)", "iadd_distinct", OFF(KS_D_FAMILIES)).correctness,
                     KS_C_CORRECT);
    assert_int_equal(judge_integers("randint(0,255)", "iadd_ok", 0).correctness, KS_C_CORRECT);
    // A permutation is promised to be one.
    assert_int_equal(judge_integers("permutation", "iadd_distinct", 0).correctness, KS_C_CORRECT);
}

static struct ks_verdict judge_rowsum(const char *kernel)
{
    struct setting s = {0};
    struct ks_err err = {0};
    struct ks_verdict v;
    check(open_judge(&s, "#pragma ks optimize\n#pragma ks workload let(rows=12, cols=4096) "
                         "in(x[rows*cols]=uniform(0,1)) out(y[rows]) grid(rows) block(1)\n"
                         "__global__ void rowsum(const float* x, float* y, int rows, int cols) { }\n",
                     "$L1:\nld.global.f32 %f1,[%rd1];\nadd.f32 %f3,%f1,%f2;\n@%p1 bra $L1;\n", &err), &err);
    struct ks_proposal *p = make_proposal(&s, kernel, "(const float* x, float* y, int rows, int cols)",
                                          "x, y, rows, cols", "1");
    check(ks_judge_full(s.judge, p, &v, &err), &err);
    close_judge(&s);
    return v;
}

static void a_sum_may_change_its_order_but_not_its_precision(void **state)
{
    (void)state;
    assert_int_equal(judge_rowsum("rowsum_tree").correctness, KS_C_CORRECT);
    expect(judge_rowsum("rowsum_tf32"), KS_C_WRONG, KS_S_NOT_MEASURED, "`y` differs");
    expect(judge_rowsum("rowsum_skip"), KS_C_WRONG, KS_S_NOT_MEASURED, "`y` differs");
}

static void a_transpose_is_judged_quickly(void **state)
{
    (void)state;
    struct setting s = {0};
    struct ks_err err = {0};
    const char *signature = "(const float* in, float* out, int rows, int cols)";
    check(open_judge(&s, "#pragma ks optimize\n#pragma ks workload let(rows=512, cols=300) "
                         "in(in[rows*cols]) out(out[rows*cols]) grid(rows,cols) block(1)\n"
                         "__global__ void transpose(const float* in, float* out, int rows, int cols) { }\n",
                     COPY_PTX, &err), &err);
    struct ks_proposal *p[3] = {
        make_proposal(&s, "transpose_ok", signature, "in, out, rows, cols", "1"),
        make_proposal(&s, "transpose_die", signature, "in, out, rows, cols", "1"),
        make_proposal(&s, "transpose_swap", signature, "in, out, cols, rows", "1"),
    };
    struct ks_verdict v[3];
    check(ks_judge_quick(s.judge, p, 3, v, &err), &err);
    expect(v[0], KS_C_CORRECT, KS_S_NOT_MEASURED, "");
    expect(v[1], KS_C_UNSAFE, KS_S_NOT_MEASURED, "died");
    expect(v[2], KS_C_WRONG, KS_S_NOT_MEASURED, "differs");
    close_judge(&s);
}

static void a_faulty_original_is_the_users_finding(void **state)
{
    (void)state;
    struct setting s = {0};
    struct ks_err err = {0};
    enum ks_status status = open_judge(
        &s, VADD_MARK "__global__ void vadd_over" VADD_SIGNATURE " { }\n", SUM_PTX, &err);
    assert_int_equal(status, KS_E_DEVICE);
    assert_non_null(strstr(err.text, "t.cu:2"));
    assert_non_null(strstr(err.text, "canary"));
    assert_null(s.judge);
    close_judge(&s);
}

// Seconds of a quick look while another process has the GPU's lock for a second and a half, alone or shared.
static double looks_beside(bool alone)
{
    struct setting s = {0};
    struct ks_err err = {0};
    struct ks_verdict verdict;
    int ready[2], status;
    char c;
    check(open_judge(&s, VADD_MARK "__global__ void vadd" VADD_SIGNATURE " { }\n", SUM_PTX, &err), &err);
    struct ks_proposal *honest = make_proposal(&s, "vadd_ok", VADD_SIGNATURE, "a, b, c, n", "1");
    assert_int_equal(pipe(ready), 0);
    pid_t other = fork();
    if (other == 0) {
        struct ks_lock lock;
        const char *uuid = ks_judge_device(s.judge)->uuid;
        if ((alone ? ks_device_lock : ks_device_share)(&s.arena, s.config.runtime_dir, uuid, 0, &lock, NULL) != KS_OK ||
            write(ready[1], "r", 1) != 1)
            _exit(1);
        ks_sleep(1.5);
        _exit(0);
    }
    assert_int_equal(read(ready[0], &c, 1), 1);
    double start = ks_now();
    check(ks_judge_quick(s.judge, &honest, 1, &verdict, &err), &err);
    double seconds = ks_now() - start;
    assert_int_equal(verdict.correctness, KS_C_CORRECT);
    assert_int_equal(waitpid(other, &status, 0), other);
    assert_int_equal(status, 0);
    close(ready[0]);
    close(ready[1]);
    close_judge(&s);
    return seconds;
}

static void nothing_runs_while_others_take_times(void **state)
{
    (void)state;
    assert_true(looks_beside(true) >= 1.5);
    assert_true(looks_beside(false) < 1.5);
}

int main(int argc, char **argv)
{
    if (argc > 1 && strcmp(argv[1], "--worker") == 0)
        return fake_worker_main(argc, argv);
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_correct_and_faster_kernel_is_confirmed),
        cmocka_unit_test(wrong_candidates_get_their_verdict),
        cmocka_unit_test(a_plan_without_a_launch_says_at_what_sizes),
        cmocka_unit_test(a_defence_that_is_off_lets_its_case_through),
        cmocka_unit_test(atomic_sums_need_not_repeat),
        cmocka_unit_test(poison_is_seen_in_results),
        cmocka_unit_test(the_watchdog_ends_a_sleeper),
        cmocka_unit_test(speed_is_doubted),
        cmocka_unit_test(times_must_have_sense),
        cmocka_unit_test(a_declared_size_that_tells_nothing_decides_nothing),
        cmocka_unit_test(a_gain_is_none_that_the_cache_takes_back),
        cmocka_unit_test(gains_of_luck_do_not_count),
        cmocka_unit_test(answers_of_another_day_do_not_help),
        cmocka_unit_test(timed_outputs_are_verified),
        cmocka_unit_test(guards_are_honoured),
        cmocka_unit_test(confirmation_sees_other_sizes),
        cmocka_unit_test(a_workload_is_a_class_of_its_own),
        cmocka_unit_test(oblong_classes_have_their_own_sizes),
        cmocka_unit_test(a_domain_without_its_workload_is_no_claim),
        cmocka_unit_test(what_the_original_leaves_alone_stays),
        cmocka_unit_test(inputs_that_prove_nothing_void_the_verdict),
        cmocka_unit_test(integers_collide),
        cmocka_unit_test(a_sum_may_change_its_order_but_not_its_precision),
        cmocka_unit_test(a_transpose_is_judged_quickly),
        cmocka_unit_test(a_faulty_original_is_the_users_finding),
        cmocka_unit_test(nothing_runs_while_others_take_times),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
