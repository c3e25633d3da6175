// Clauses that name members of a struct passed by value: what the problem is made of, which launches the domain
// admits, and what is said of a clause that does not fit.
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <cmocka.h>

#include "bound_mark.h"
#include "verify/launch.h"
#include "workload/members.h"

struct part {
    short scale;
    double weight;
};
struct job {
    const float *x;
    float *y;
    float a;
    int n;
    struct part part;
    unsigned char k[2];
};
static const char definitions[] = "struct part { short scale; double weight; };\n"
                                  "struct job { const float *x; float *y; float a; int n; part part; unsigned char k[2]; };\n";

static void expand(struct fixture *f, const char *clauses)
{
    static char source[1024];
    snprintf(source, sizeof source, "#pragma ks optimize\n#pragma ks workload %s grid(ceildiv(n,128)) block(128)\n"
                                    "__global__ void k(job p, int m) {}\n", clauses);
    set_up(f, source);
    assert_true(ks_members_named(f->mark));
    f->mark = ks_members_expand(&f->arena, f->mark, f->decl, &f->signature, ks_slice_of(definitions));
}

static const char all[] = "let(n=4096) set(m=7, p.a=2.5f, p.n=2*n, p.part.scale=-3, p.part.weight=0.5, p.k.0=1, p.k.1=255) "
                          "in(p.x[2*n]=uniform(-1,1)) out(p.y[n])";

static void members_are_written_into_the_struct(void **state)
{
    struct fixture f;
    (void)state;
    expand(&f, all);
    struct ks_problem *p = problem(&f, 0, "n", 100, NULL, 0);
    struct job want = {.a = 2.5f, .n = 200, .part = {-3, 0.5}, .k = {1, 255}}, got;
    assert_int_equal(p->args[0].kind, KS_ARG_STRUCT);
    assert_int_equal(p->args[0].size, sizeof got);
    memcpy(&got, p->args[0].block->bytes, sizeof got);
    assert_true(got.a == want.a && got.n == want.n && got.part.scale == want.part.scale &&
                got.part.weight == want.part.weight && got.k[0] == 1 && got.k[1] == 255 && got.x == NULL);
    assert_int_equal(p->n_params, 2);
    assert_string_equal(p->args[2].name, "p.x");
    assert_int_equal(p->args[2].kind, KS_ARG_BUFFER);
    assert_int_equal(p->args[2].count, 200);
    assert_int_equal(p->args[2].role, KS_ROLE_IN);
    assert_int_equal(p->args[2].at, offsetof(struct job, x));
    assert_int_equal(p->args[3].count, 100);
    assert_int_equal(p->args[3].at, offsetof(struct job, y));
    ks_arena_free(&f.arena);
}

// Of one size as of another, with the member that follows it; other members as they were tested.
static void domains_follow_sizes_in_structs(void **state)
{
    struct fixture f;
    (void)state;
    expand(&f, all);
    const struct ks_problem *passed[] = {problem(&f, 0, "n", 32, NULL, 0), problem(&f, 0, NULL, 0, NULL, 0)};
    struct ks_seen seen = {0, passed, 2, NULL, 0};
    struct ks_expr *d = domain_of(&f, &seen, 1);
    assert_true(inside(&f, d, passed[1], NULL));
    assert_true(inside(&f, d, problem(&f, 0, "n", 1000, NULL, 0), NULL));
    assert_false(inside(&f, d, problem(&f, 0, "n", 31, NULL, 0), NULL));
    assert_false(inside(&f, d, problem(&f, 0, "n", 5000, NULL, 0), NULL));
    static const size_t others[] = {offsetof(struct job, a), offsetof(struct job, n), offsetof(struct job, part.scale),
                                    offsetof(struct job, part.weight), offsetof(struct job, k) + 1};
    for (size_t i = 0; i < sizeof others / sizeof *others; i++) {
        struct ks_problem *p = problem(&f, 0, NULL, 0, NULL, 0);
        ((unsigned char *)(uintptr_t)p->args[0].block->bytes)[others[i]] ^= 1;
        if (inside(&f, d, p, NULL))
            fail_msg("a launch with another byte %zu", others[i]);
    }
    struct ks_problem *padded = problem(&f, 0, NULL, 0, NULL, 0); // nobody reads that
    ((unsigned char *)(uintptr_t)padded->args[0].block->bytes)[offsetof(struct job, part.scale) + 3] = 1;
    assert_true(inside(&f, d, padded, NULL));
    ks_arena_free(&f.arena);
}

static void null_and_shared_pointers(void **state)
{
    struct fixture f;
    (void)state;
    expand(&f, "let(n=64) set(m=7, p.a=1, p.n=n, p.part.scale=0, p.part.weight=0, p.k.0=0, p.k.1=0, p.x=nullptr) out(p.y[n])");
    struct ks_problem *p = problem(&f, 0, NULL, 0, NULL, 0);
    assert_true(ks_arg_is_null(&p->args[2]));
    const struct ks_problem *passed[] = {p};
    struct ks_seen seen = {0, passed, 1, NULL, 0};
    assert_true(inside(&f, domain_of(&f, &seen, 1), p, NULL));
    ks_arena_free(&f.arena);
    expand(&f, "let(n=64) set(m=7, p.a=1, p.n=n, p.part.scale=0, p.part.weight=0, p.k.0=0, p.k.1=0) inout(p.y[n]) alias(p.x,p.y)");
    p = problem(&f, 0, NULL, 0, NULL, 0);
    assert_int_equal(p->args[2].alias_of, 3);
    ks_arena_free(&f.arena);
}

static void what_does_not_fit_is_told(void **state)
{
    (void)state;
    static const struct { const char *clauses, *said; } cases[] = {
        {"let(n=64) set(m=7, p.q=1) in(p.x[n]) out(p.y[n])",
         "t.cu:2: set(p.q): job has no such member; it has x, y, a, n, part.scale, part.weight, k.0, k.1"},
        {"let(n=64) set(m=7, p.a=1, p.n=n, p.part.scale=0, p.k.0=0, p.k.1=0) in(p.x[n]) out(p.y[n])",
         "t.cu:2: member 'p.part.weight' (double) of job is given nothing; add set(p.part.weight=...)"},
        {"let(n=64) set(m=7, p.a=1, p.n=n, p.part.scale=0, p.part.weight=0, p.k.0=0, p.k.1=0) out(p.y[n])",
         "t.cu:2: member 'p.x' (const float*) of job is given nothing; add in(p.x[...])"},
        {"let(n=64) set(m=7, p.x=1) out(p.y[n])", "t.cu:2: set(p.x): the member is a pointer"},
        {"let(n=64) set(m=7) out(p.y[n]) in(p.n[n])", "t.cu:2: in(p.n): the member is no pointer (int); use set"},
        {"let(n=64) set(m=7, p.a=1, p.n=n, p.part.scale=99999, p.part.weight=0, p.k.0=0, p.k.1=0) in(p.x[n]) out(p.y[n])",
         "t.cu:2: p.part.scale = 99999 does not fit its type short"},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct fixture f;
        struct ks_err err = {0};
        struct ks_problem p;
        expand(&f, cases[i].clauses);
        assert_int_equal(ks_problem_make(&f.arena, f.mark, 0, &f.signature, f.decl, NULL, 0, &p, &err), KS_E_USER);
        if (strstr(err.text, cases[i].said) != err.text)
            fail_msg("%s\n  not %s", err.text, cases[i].said);
        ks_arena_free(&f.arena);
    }
    struct fixture f;
    struct ks_err err = {0};
    struct ks_problem p;
    expand(&f, all);
    f.mark = &f.marks.at[0];
    f.mark = ks_members_expand(&f.arena, f.mark, f.decl, &f.signature, ks_slice_of("struct job : base { int n; };"));
    assert_int_equal(ks_problem_make(&f.arena, f.mark, 0, &f.signature, f.decl, NULL, 0, &p, &err), KS_E_USER);
    assert_non_null(strstr(err.text, "capture a launch instead (ks record --capture)"));
    ks_arena_free(&f.arena);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(members_are_written_into_the_struct),
        cmocka_unit_test(domains_follow_sizes_in_structs),
        cmocka_unit_test(null_and_shared_pointers),
        cmocka_unit_test(what_does_not_fit_is_told),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
