// Sizes beyond what was run stay with the original: a domain never admits a larger array than one that passed, so
// that no index passes 2^31 or 2^32 for the first time in a program.
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <string.h>
#include <cmocka.h>

#include "verify/schedule_maker.h"
#include "bound_mark.h"

#define MATRIX                                                                                                         \
    "in(x[rows*cols]) out(y[rows*cols]) grid(rows) block(256)\n"                                                       \
    "__global__ void k(const float* x, float* y, int rows, int cols) {}\n"

static uint64_t seed_of_shapes = 7;

// What the judge would run on a device of that kind and memory, where the declared problem takes so many instructions.
static struct ks_judge *schedule(struct fixture *f, const char *when, int64_t memory, const char *kind, double insts,
                                 struct ks_schedule *schedule)
{
    struct ks_arena *arena = &f->arena;
    struct ks_tu_mark *bound = KS_NEW(arena, struct ks_tu_mark);
    struct ks_tu_kernel *kernel = KS_NEW(arena, struct ks_tu_kernel);
    struct ks_judge *judge = KS_NEW(arena, struct ks_judge);
    struct ks_err err = {0};
    *bound = (struct ks_tu_mark){.mark = f->mark, .decl = f->decl};
    *kernel = (struct ks_tu_kernel){.mark = bound, .signature = &f->signature, .arch = 90};
    *judge = (struct ks_judge){.arena = arena, .kernel = kernel, .n_problems = 1, .shape_seed = seed_of_shapes};
    judge->problems = KS_NEW(arena, struct ks_problem);
    *judge->problems = *problem(f, 0, NULL, 0, NULL, 0);
    judge->insts = KS_NEW(arena, double);
    *judge->insts = insts;
    judge->device.memory_free = memory;
    snprintf(judge->device.kind, sizeof judge->device.kind, "%s", kind);
    f->proposal.when = parsed(f, when);
    f->proposal.source = "tile[32]; pack[4];";
    check(ks_schedule_full(judge, arena, 0, &f->proposal, schedule, &err), &err);
    return judge;
}

// The problems that the judge would run, with that much memory on the device.
static size_t scheduled(struct fixture *f, const char *when, int64_t memory, const struct ks_problem **out, size_t max)
{
    struct ks_schedule s;
    const struct ks_judge *judge = schedule(f, when, memory, "cuda", 0, &s);
    size_t n = 0;
    for (size_t t = 0; t < s.n_tasks; t++) {
        bool known = false;
        for (size_t i = 0; i < n; i++)
            known = known || out[i] == s.tasks[t].problem;
        if (!known && n < max && ks_guard_admits(judge, &f->arena, &f->proposal, s.tasks[t].problem))
            out[n++] = s.tasks[t].problem;
    }
    return n;
}

#define EIGHT                                                                                                          \
    "let(a=2,b=8,c=16,d=16,e=8,f=3,g=3,h=2) in(x[a*b*c*d]) out(y[e*f*g*h]) grid(1) block(32)\n"                        \
    "__global__ void k(const float* x, float* y, int a, int b, int c, int d, int e, int f, int g, int h) {}\n"

// Whether some task runs with the one size at that value.
static bool tries(const struct ks_schedule *s, size_t which, int64_t value)
{
    for (size_t t = 0; t < s->n_tasks; t++)
        if (s->tasks[t].problem->values[which].value == value)
            return true;
    return false;
}

// Eight sizes that are all 128 are 2^56 units of work: what is left out is the largest of the least worth, whatever
// the order in which it was thought of, and told.
static void too_much_work_is_left_out(void **state)
{
    (void)state;
    static const int64_t edges[] = {3, 4, 5, 31, 32, 33};
    for (int emulated = 0; emulated < 2; emulated++) {
        struct fixture f;
        struct ks_schedule s, again;
        double work = 0, looks = 0;
        set_up(&f, "#pragma ks optimize\n#pragma ks workload " EIGHT);
        struct ks_judge *judge = schedule(&f, "1", INT64_C(1) << 36, emulated ? "emu" : "cuda", 15e6, &s);
        for (size_t t = 0; t < s.n_tasks; t++) {
            double one = ks_schedule_work(judge, 0, s.tasks[t].problem);
            work += s.tasks[t].worth == KS_WORTH_ALWAYS ? 0 : one;
            looks += s.tasks[t].worth == KS_WORTH_EDGE;
        }
        assert_true(work <= ks_schedule_room(judge, 0) && work > 0 && looks > 100);
        for (size_t which = 0; which < 8; which++)
            for (size_t e = 0; e < sizeof edges / sizeof *edges; e++)
                if (!tries(&s, which, edges[e]))
                    fail_msg("size %zu is never %lld", which, (long long)edges[e]);
        assert_int_equal(judge->n_notes, 1);
        assert_non_null(strstr(judge->notes[0], "were left out, the largest first"));
        schedule(&f, "1", INT64_C(1) << 36, emulated ? "emu" : "cuda", 15e6, &again);
        assert_int_equal(s.n_tasks, again.n_tasks);
        for (size_t t = 0; t < s.n_tasks; t++)
            assert_string_equal(s.tasks[t].problem->name, again.tasks[t].problem->name);
        ks_arena_free(&f.arena);
    }
}

// A guard that asks of a product what the code needs of a factor: sizes that it admits and should not are run.
static void what_a_guard_ties_is_tried(void **state)
{
    (void)state;
    for (uint64_t seed = 1; seed <= 40; seed++) {
        struct fixture f;
        struct ks_schedule s;
        size_t apart = 0;
        set_up(&f, "#pragma ks optimize\n#pragma ks workload let(n=16,c=24,h=50,w=64) in(x[n*c*h*w]) in(b[c]) "
                   "out(y[n*c*h*w]) grid(ceildiv(n*c*h*w,256)) block(256)\n"
                   "__global__ void k(const float* x, const float* b, float* y, int n, int c, int h, int w) {}\n");
        seed_of_shapes = seed;
        struct ks_judge *judge = schedule(&f, "w % 2 == 0 && (c*h*w) % 8 == 0 && aligned(x,16)", INT64_C(1) << 36, "cuda", 0, &s);
        for (size_t t = 0; t < s.n_tasks; t++) {
            const struct ks_value *v = s.tasks[t].problem->values;
            apart += v[2].value * v[3].value % 4 != 0 && ks_guard_admits(judge, &f.arena, &f.proposal, s.tasks[t].problem);
        }
        assert_true(apart >= 1);
        ks_arena_free(&f.arena);
    }
    seed_of_shapes = 7;
}

// What has one size or two is run as ever.
static void little_work_is_all_done(void **state)
{
    (void)state;
    struct fixture f;
    struct ks_schedule s;
    set_up(&f, "#pragma ks optimize\n#pragma ks workload let(rows=40) let(cols=50) " MATRIX);
    struct ks_judge *judge = schedule(&f, "1", INT64_C(1) << 36, "emu", 2e6, &s);
    assert_int_equal(judge->n_notes, 0);
    ks_arena_free(&f.arena);
}

// What a look runs holds what the mark assumes, of many sizes too, and is small where the mark lets it.
static void a_look_keeps_to_assumptions(void **state)
{
    (void)state;
#define FIVE                                                                                                           \
    "let(a=16,b=32,c=64,d=128,e=256) let(o=e*3-2) in(x[a*b*d*e]) out(y[a*c*d*o]) grid(1) block(32)\n"                  \
    "__global__ void k(const float* x, float* y, int a, int b, int c, int d, int e, int o) {}\n"
    static const struct {
        const char *mark;
        bool small;
    } cases[] = {{"#pragma ks optimize assume(b % 4 == 0, c % 4 == 0)\n#pragma ks workload " FIVE, true},
                 {"#pragma ks optimize\n#pragma ks workload " FIVE, true},
                 {"#pragma ks optimize assume(a >= 16, d >= 128)\n#pragma ks workload " FIVE, false}};
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct fixture f;
        struct ks_schedule s;
        struct ks_err err = {0};
        set_up(&f, cases[i].mark);
        struct ks_judge *judge = schedule(&f, "1", INT64_C(1) << 36, "cuda", 0, &s);
        check(ks_schedule_quick(judge, &f.arena, 0, true, &s, &err), &err);
        assert_true(s.n_tasks > 0);
        for (size_t t = 0; t < s.n_tasks; t++) {
            assert_true(ks_guard_admits(judge, &f.arena, NULL, s.tasks[t].problem));
            assert_int_equal(ks_problem_bytes(s.tasks[t].problem) <= 8 << 20, cases[i].small);
        }
        ks_arena_free(&f.arena);
    }
}

// Batches of matrices as well: else guards that ask for whole packs admitted nothing of them.
static void a_look_has_whole_tiles(void **state)
{
    (void)state;
    struct fixture f;
    struct ks_schedule s;
    struct ks_err err = {0};
    set_up(&f, "#pragma ks optimize\n#pragma ks workload let(heads=1024, n=512, d=1024) in(q[heads*n*d]) in(k[heads*n*d]) "
               "out(scores[heads*n*n]) grid(1) block(32)\n"
               "__global__ void k(const float* q, const float* k, float* scores, int n, int d) {}\n");
    struct ks_judge *judge = schedule(&f, "1", INT64_C(1) << 36, "cuda", 0, &s);
    check(ks_schedule_quick(judge, &f.arena, 0, true, &s, &err), &err);
    int whole = 0;
    for (size_t t = 0; t < s.n_tasks; t++) {
        const struct ks_value *size = s.tasks[t].problem->values;
        whole += size[0].value > 1 && size[1].value % 64 == 0 && size[2].value % 64 == 0;
    }
    assert_true(whole > 0);
    ks_arena_free(&f.arena);
}

// Of a convolution in three dimensions every usual shape is too large, or has no output: less of its sizes is run, not the declared
// ones, of gigabytes; its channels stay whole tiles.
static void a_look_is_small(void **state)
{
    (void)state;
    struct fixture f;
    struct ks_schedule s;
    struct ks_err err = {0};
    set_up(&f, "#pragma ks optimize\n#pragma ks workload let(batch=16) let(ci=3) let(co=64) let(d=256) let(h=256) let(w=10) "
               "let(od=d-2) let(oh=h-2) let(ow=w) in(x[batch*ci*d*h*w]) in(weight[ci*co*9]) out(y[batch*co*od*oh*ow]) "
               "grid(ceildiv(od*oh*ow,256),batch*co) block(256)\n"
               "__global__ void k(const float* x, const float* weight, float* y, int ci, int co, int d, int h, int w, int od, "
               "int oh, int ow) {}\n");
    struct ks_judge *judge = schedule(&f, "1", INT64_C(1) << 36, "cuda", 0, &s);
    check(ks_schedule_quick(judge, &f.arena, 0, true, &s, &err), &err);
    assert_int_equal(s.n_tasks, 4); // two shapes, two families
    int whole = 0;
    for (size_t t = 0; t < s.n_tasks; t++) {
        const struct ks_value *size = s.tasks[t].problem->values;
        assert_true(ks_problem_bytes(s.tasks[t].problem) <= 8 << 20);
        assert_true(size[0].value > 1 && size[3].value > 2 && size[4].value > 2);
        whole += size[2].value == 64;
    }
    assert_int_equal(whole, 2);
    ks_arena_free(&f.arena);
}

// Guards that admit none of the usual small sizes: of four sizes with whole packs in the last, of which usual ones make arrays too
// large; leading dimensions, which are no less than others; a multiple that is none of theirs.
static void a_look_finds_what_a_guard_admits(void **state)
{
    (void)state;
    static const char *const heads = "let(b=64,t=1024,h=16,d=64) in(x[b*t*h*d]) out(y[b*t*h*d]) grid(1) block(32)\n"
                                     "__global__ void k(const float* x, float* y, int b, int t, int h, int d) {}\n";
    static const char *const lines = "let(m=2048,n=2048,k=2048,lda=2112,ldb=2112,ldc=2112) in(a[k*lda]) in(b[n*ldb]) inout(c[n*ldc]) grid(1) block(32)\n"
                                     "__global__ void f(const float* a, const float* b, float* c, int m, int n, int k, int lda, int ldb, int ldc) {}\n";
    const struct { const char *mark, *when; } cases[] = {
        {heads, "d % 4 == 0"}, {lines, "lda >= m && ldb >= k && ldc >= m && m % 4 == 0 && k % 4 == 0 && ldb % 4 == 0"},
        {heads, "b >= 1 && h % 6 == 0 && d % 4 == 0"},
    };
    for (size_t c = 0; c < sizeof cases / sizeof *cases; c++) {
        struct fixture f;
        struct ks_schedule s;
        struct ks_err err = {0};
        set_up(&f, ks_arena_printf(&(struct ks_arena){0}, "#pragma ks optimize\n#pragma ks workload %s", cases[c].mark));
        struct ks_judge *judge = schedule(&f, cases[c].when, INT64_C(1) << 36, "cuda", 0, &s);
        check(ks_schedule_guarded(judge, &f.arena, 0, &f.proposal, &s, &err), &err);
        assert_true(s.n_tasks == 2);
        for (size_t t = 0; t < s.n_tasks; t++) {
            assert_true(ks_guard_admits(judge, &f.arena, &f.proposal, s.tasks[t].problem));
            assert_true(ks_problem_bytes(s.tasks[t].problem) <= 8 << 20);
        }
        ks_arena_free(&f.arena);
    }
}

static int64_t largest(const struct ks_problem *const *passed, size_t n)
{
    int64_t count = 0;
    for (size_t i = 0; i < n; i++)
        count = passed[i]->args[0].count > count ? passed[i]->args[0].count : count;
    return count;
}

static void no_array_outgrows_what_was_run(void **state)
{
    (void)state;
    // One more of each crosses 2^31 elements, or 2^31 or 2^32 bytes.
    const struct { int64_t rows, cols; const char *when; } cases[] = {
        {46340, 46340, "1"}, {46340, 46340, "cols % 4 == 0"}, {65535, 16384, "1"}, {23170, 23170, "1"},
        {32767, 32768, "rows % 32 == 0"}, {1000, 1000, "1"}, {40, 50, "1"}, {4, 900, "1"}, {900, 4, "cols % 4 == 0"},
        {8, 1024, "rows % 8 == 0"}, {96, 80, "1"}, {1, 100000, "1"},
    };
    static const int64_t memories[] = {INT64_C(1) << 30, INT64_C(1) << 36, INT64_C(1) << 40};
    for (size_t c = 0; c < sizeof cases / sizeof *cases; c++)
        for (size_t m = 0; m < 3; m++)
            for (int fails = 0; fails < 3; fails++) { // none, those above the declared rows, above both
                struct fixture f;
                set_up(&f, ks_arena_printf(&(struct ks_arena){0}, "#pragma ks optimize\n#pragma ks workload "
                                           "let(rows=%lld) let(cols=%lld) " MATRIX,
                                           (long long)cases[c].rows, (long long)cases[c].cols));
                const struct ks_problem *all[512], *passed[512];
                size_t n = 0, n_all = scheduled(&f, cases[c].when, memories[m], all, 512);
                assert_true(n_all < 512);
                for (size_t i = 0; i < n_all; i++) {
                    int64_t rows = all[i]->values[0].value, cols = all[i]->values[1].value;
                    if (!(fails > 0 && rows > cases[c].rows && (fails == 1 || cols > cases[c].cols)))
                        passed[n++] = all[i];
                }
                assert_true(n > 0);
                int64_t most = largest(passed, n);
                struct ks_seen seen = {0, passed, n, NULL, 0};
                struct ks_expr *d = domain_of(&f, &seen, 1);
                for (int64_t more = 0; more < 66 * 66; more++) {
                    const struct ks_problem *p = problem(&f, 0, "rows", cases[c].rows + more / 66, "cols",
                                                         cases[c].cols + more % 66);
                    if (p->args[0].count > most && inside(&f, d, p, NULL))
                        fail_msg("%s is inside, %lld elements were run", p->name, (long long)most);
                }
                size_t n_inside = 0;
                for (size_t i = 0; i < n; i++) {
                    const bool declared = passed[i]->values[0].value == cases[c].rows && passed[i]->values[1].value == cases[c].cols;
                    if (!inside(&f, d, passed[i], NULL)) {
                        assert_false(declared);
                        continue;
                    }
                    n_inside++;
                    if (passed[i]->values[0].value > cases[c].rows + 1 || passed[i]->values[1].value > cases[c].cols + 1)
                        fail_msg("%s is inside, far above what is declared", passed[i]->name);
                }
                assert_true(n_inside > n / 2);
                ks_arena_free(&f.arena);
            }
}

// Where there is room, one more of each is run even if that is 2^31 elements; where there is none, it is not dispatched.
static void the_first_launch_beyond_two_to_31_is_the_judges(void **state)
{
    (void)state;
    struct fixture f;
    const struct ks_problem *run[256];
    set_up(&f, "#pragma ks optimize\n#pragma ks workload let(n=2147483647) in(x[n]) out(y[n]) "
               "grid(ceildiv(n,256)) block(256)\n"
               "__global__ void k(const unsigned char* x, unsigned char* y, long long n) {}\n");
    size_t n = scheduled(&f, "1", INT64_C(1) << 36, run, 256);
    assert_true(largest(run, n) == INT64_C(1) << 31);
    struct ks_seen seen = {0, run, n, NULL, 0};
    assert_true(inside(&f, domain_of(&f, &seen, 1), problem(&f, 0, "n", INT64_C(1) << 31, NULL, 0), NULL));
    seen.n_passed = n = scheduled(&f, "1", INT64_C(1) << 33, run, 256);
    assert_true(largest(run, n) == (INT64_C(1) << 31) - 1);
    assert_false(inside(&f, domain_of(&f, &seen, 1), problem(&f, 0, "n", INT64_C(1) << 31, NULL, 0), NULL));
    ks_arena_free(&f.arena);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(no_array_outgrows_what_was_run),
        cmocka_unit_test(the_first_launch_beyond_two_to_31_is_the_judges),
        cmocka_unit_test(too_much_work_is_left_out),
        cmocka_unit_test(what_a_guard_ties_is_tried),
        cmocka_unit_test(little_work_is_all_done),
        cmocka_unit_test(a_look_keeps_to_assumptions),
        cmocka_unit_test(a_look_has_whole_tiles),
        cmocka_unit_test(a_look_is_small),
        cmocka_unit_test(a_look_finds_what_a_guard_admits),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
