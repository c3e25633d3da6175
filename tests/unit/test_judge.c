// The whole judge against a scripted worker that runs known kernels on host memory: each kind of
// wrong candidate gets its verdict, and each defence has a case that passes when it is off.
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
#include "verify/session.h"
#include "../fakes/fake_kernels.h"

struct setting {
    struct ks_arena arena;
    struct ks_source_file file;
    struct ks_kernel_list kernels;
    struct ks_mark_list marks;
    struct ks_signature signature;
    struct ks_tu_mark mark;
    struct ks_tu_kernel kernel;
    struct ks_config config;
    struct ks_tu tu;
    struct ks_judge_options options;
    struct ks_verify_defences off;
    struct ks_judge *judge;
};

// Stands in for the compiler: every kernel of a proposal "compiles" to its own name.
static enum ks_status fake_build(struct ks_judge *judge, struct ks_proposal *const *proposals,
                                 size_t n, struct ks_candidate **candidates, struct ks_err *err)
{
    for (size_t i = 0; i < n; i++) {
        struct ks_candidate *c = candidates[i] = KS_NEW(judge->arena, struct ks_candidate);
        c->proposal = proposals[i];
        c->id = ks_proposal_id(judge->arena, proposals[i]);
        KS_TRY(ks_kernels_find(judge->arena, "proposal", ks_slice_of(proposals[i]->source),
                               &proposals[i]->kernels, err));
        c->failure = KS_C_CORRECT;
        // "_alone": compiled by itself after the others, so its image is another.
        bool alone = strstr(proposals[i]->source, "_alone") != NULL;
        c->cubin = ks_slice_of(alone ? "cubin of one" : "cubin");
        if (alone)
            c->cubin.at = ks_arena_strdup(judge->arena, c->cubin.at);
        c->n = proposals[i]->kernels.len;
        c->names = KS_NEW_ARRAY(judge->arena, const char *, c->n);
        for (size_t k = 0; k < c->n; k++)
            c->names[k] = proposals[i]->kernels.at[k].name;
        c->ptx = KS_NEW_ARRAY(judge->arena, struct ks_digest, c->n);
        c->sass = KS_NEW_ARRAY(judge->arena, struct ks_digest, c->n);
    }
    return KS_OK;
}

#define VADD_MARK "#pragma ks optimize\n" VADD_WORKLOAD
#define VADD_WORKLOAD VADD_WORKLOAD_OF("4000")
#define VADD_WORKLOAD_OF(size)                                                                     \
    "#pragma ks workload let(n=" size ") in(a[n]=uniform(0,1)) "                  \
    "in(b[n]=uniform(0,1)) out(c[n]) grid((n+255)/256) block(256)\n"
#define VADD_SIGNATURE "(const float* a, const float* b, float* c, int n)"
#define SUM_PTX "ld.global.f32 %f1,[%rd1];\nadd.f32 %f3,%f1,%f2;\nst.global.f32[%rd2],%f3;\n"
#define COPY_PTX "ld.global.f32 %f1,[%rd1];\nst.global.f32[%rd2],%f1;\n"

static void check(enum ks_status status, const struct ks_err *err)
{
    if (status != KS_OK)
        fail_msg("%s: %s", ks_status_name(status), err->text);
}

static enum ks_status open_judge(struct setting *s, const char *marked, const char *ptx,
                                 struct ks_err *err)
{
    struct ks_arena *arena = &s->arena;
    check(ks_kernels_find(arena, "t.cu", ks_slice_of(marked), &s->kernels, err), err);
    check(ks_marks_find(arena, "t.cu", ks_slice_of(marked), &s->kernels, &s->marks, err), err);
    const struct ks_kernel_decl *decl = &s->kernels.at[0];
    s->signature = (struct ks_signature){.registered = decl->name, .qualified = decl->name,
                                         .instance = decl->name, .n_params = decl->n_params};
    s->signature.params = KS_NEW_ARRAY(arena, struct ks_type, decl->n_params);
    s->signature.offsets = KS_NEW_ARRAY(arena, size_t, decl->n_params);
    for (size_t i = 0; i < decl->n_params; i++)
        s->signature.params[i] = decl->params[i].type;
    s->mark = (struct ks_tu_mark){.mark = &s->marks.at[0], .decl = decl, .file = &s->file, .in_tu = true};
    s->kernel = (struct ks_tu_kernel){.mark = &s->mark, .signature = &s->signature, .arch = 90};
    s->config.runtime_dir = ks_arena_printf(arena, "%s/ks-test-judge-%d", "/tmp", (int)getpid());
    s->tu.config = &s->config;
    s->options.worker = "--worker"; // after the launcher's word: this program, as a worker
    s->options.launcher = "/proc/self/exe";
    s->options.device = "cuda";
    s->options.max_shapes = 16;
    s->options.seed = 7;
    s->options.off = &s->off;
    bool fault;
    return ks_judge_open_with(arena, &s->tu, &s->kernel, KS_SLICE("cubin"), ks_slice_of(ptx),
                              &s->options, fake_build, &s->judge, &fault, err);
}

static void close_judge(struct setting *s)
{
    ks_judge_close(s->judge);
    ks_tree_remove(s->config.runtime_dir, NULL);
    ks_arena_free(&s->arena);
}

static struct ks_proposal *make_proposal(struct setting *s, const char *kernel, const char *signature,
                                         const char *args, const char *when)
{
    struct ks_err err = {0};
    struct ks_yaml *root;
    struct ks_proposal *p = KS_NEW(&s->arena, struct ks_proposal);
    const char *text = ks_arena_printf(
        &s->arena,
        "source: \"__global__ void %s%s { }\"\nwhen: \"%s\"\nplan:\n"
        "  - {kernel: %s, grid: [\"ceildiv(%s,256)\"], block: [256], args: [%s]}\n",
        kernel, signature, when, kernel, strstr(args, "rows") != NULL ? "rows" : "n", args);
    check(ks_yaml_parse(&s->arena, "p.yaml", ks_slice_of(text), &root, &err), &err);
    check(ks_proposal_read(&s->arena, "p.yaml", root, p, &err), &err);
    // As ks_proposal_check would fill it.
    p->n_params = s->signature.n_params;
    p->params = KS_NEW_ARRAY(&s->arena, const char *, p->n_params);
    for (size_t i = 0; i < p->n_params; i++)
        p->params[i] = s->mark.decl->params[i].name;
    return p;
}

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

static void expect(struct ks_verdict v, enum ks_correctness correctness, enum ks_speed speed,
                   const char *reason)
{
    if (v.correctness != correctness || v.speed != speed || strstr(v.reason, reason) == NULL)
        fail_msg("got %s %s \"%s\", want %s %s \"%s\"", ks_correctness_name(v.correctness),
                 ks_speed_name(v.speed), v.reason, ks_correctness_name(correctness),
                 ks_speed_name(speed), reason);
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
    assert_true(v.evidence.shapes >= 8 && v.evidence.families == KS_FAMILY_COUNT);
    assert_string_equal(v.evidence.kernels[0], "vadd_ok");
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
        {"vadd_bf16", KS_C_WRONG, "`c` differs"},
        {"vadd_positive", KS_C_WRONG, ""},
        {"vadd_2ulp", KS_C_WRONG, "exact in fp32"},
        {"vadd_once", KS_C_WRONG, ""},
        {"vadd_input", KS_C_UNSAFE, "an input changed"},
        {"vadd_over", KS_C_UNSAFE, "canary"},
        {"vadd_vector4", KS_C_UNSAFE, "misaligned"},
        {"vadd_fault", KS_C_UNSAFE, "illegal memory access"},
        {"vadd_launch", KS_C_LAUNCH, "too many resources"},
        {"vadd_die", KS_C_UNSAFE, "died"},
        {"vadd_garbage", KS_C_UNSAFE, "protocol"},
        {"vadd_twice", KS_C_UNSAFE, "protocol"},
        {"vadd_flood", KS_C_UNSAFE, "protocol"},
        {"vadd_nondet", KS_C_NONDET, "repeated runs"},
        {"vadd_hang", KS_C_HANG, "did not finish"},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        print_message("          %s\n", cases[i].kernel);
        expect(judge_vadd(cases[i].kernel, 0), cases[i].verdict, KS_S_NOT_MEASURED, cases[i].reason);
    }
}

static void a_defence_that_is_off_lets_its_case_through(void **state)
{
    (void)state;
    // Spare elements catch two of them besides, other defences the last.
    const struct { const char *kernel; enum ks_defence defence; unsigned off; } cases[] = {
        {"vadd_tail", KS_D_SHAPES, OFF(KS_D_SHAPES)},
        {"vadd_positive", KS_D_FAMILIES, OFF(KS_D_FAMILIES)},
        {"vadd_2ulp", KS_D_EXACT_PROBE, OFF(KS_D_EXACT_PROBE)},
        {"vadd_once", KS_D_POISON, OFF(KS_D_POISON) | OFF(KS_D_PLACEMENT)},
        {"vadd_input", KS_D_UNSAFE, OFF(KS_D_UNSAFE)},
        {"vadd_over", KS_D_UNSAFE, OFF(KS_D_UNSAFE) | OFF(KS_D_PLACEMENT)},
        {"vadd_vector4", KS_D_PLACEMENT, OFF(KS_D_PLACEMENT)},
        {"vadd_nondet", KS_D_REPETITION,
         OFF(KS_D_REPETITION) | OFF(KS_D_EXACT_PROBE) | OFF(KS_D_TIMED_OUTPUT)},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        print_message("          %s without %s\n", cases[i].kernel, ks_defence_name(cases[i].defence));
        assert_int_equal(judge_vadd(cases[i].kernel, cases[i].off).correctness, KS_C_CORRECT);
    }
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
    expect(judge_vadd_of("vdrift", "vadd_ok", "1", OFF(KS_D_CONTROL), false), KS_C_CORRECT, KS_S_AMBIGUOUS, "");
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
    expect(judge_vadd_of("vadd", "vadd_ok", "n > 1000000", 0, false), KS_C_VOID, KS_S_NOT_MEASURED,
           "the guard admits none");
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
                     "ld.global.f32 %f1,[%rd1];\nadd.f32 %f3,%f1,%f2;\n", &err), &err);
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
        check(open_judge(&s, "#pragma ks optimize\n#pragma ks workload let(rows=512, cols=300) "
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
    for (int i = 1; i < 8; i++)
        assert_true(runs[i] < runs[0] / 10);
    int64_t later = 0;
    for (int i = 8; i < 20; i++)
        later += runs[i];
    assert_true(later > runs[0]); // new contents after sixteen uses, of which a judgement may have two
    unsetenv("KS_FAKE_COUNT");
    ks_tree_remove(path, NULL);
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
    }
    assert_true(v[4].geomean > 1.9 && v[4].geomean < 2.1); // though others came between its images
    close_judge(&s);
}

int main(int argc, char **argv)
{
    if (argc > 1 && strcmp(argv[1], "--worker") == 0)
        return fake_worker_main();
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_correct_and_faster_kernel_is_confirmed),
        cmocka_unit_test(wrong_candidates_get_their_verdict),
        cmocka_unit_test(a_defence_that_is_off_lets_its_case_through),
        cmocka_unit_test(the_watchdog_ends_a_sleeper),
        cmocka_unit_test(speed_is_doubted),
        cmocka_unit_test(timed_outputs_are_verified),
        cmocka_unit_test(guards_are_honoured),
        cmocka_unit_test(confirmation_sees_other_sizes),
        cmocka_unit_test(what_the_original_leaves_alone_stays),
        cmocka_unit_test(inputs_that_prove_nothing_void_the_verdict),
        cmocka_unit_test(integers_collide),
        cmocka_unit_test(a_sum_may_change_its_order_but_not_its_precision),
        cmocka_unit_test(a_transpose_is_judged_quickly),
        cmocka_unit_test(sizes_are_combined),
        cmocka_unit_test(a_faulty_original_is_the_users_finding),
        cmocka_unit_test(the_original_works_once_for_many_candidates),
        cmocka_unit_test(screening_orders_candidates),
        cmocka_unit_test(screening_weighs_workloads),
        cmocka_unit_test(what_is_assumed_joins_every_guard),
        cmocka_unit_test(the_original_may_rely_on_what_is_assumed),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
