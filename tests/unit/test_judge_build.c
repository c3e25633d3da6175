// Proposals through the real nvcc: what the textual gate, the compiler and the static gate say, one bad
// proposal among several, and a judgement of the shadow's kernels by the fake worker.
#define KS_TEST_BUILD
#include "verify/defence.c"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <cmocka.h>

#include "fmt/yaml.h"
#include "os/file.h"
#include "verify/rounding.h"
#include "verify/session.h"
#include "../fakes/fake_kernels.h"
#include "../fakes/real_tu.h"

static const char source_text[] =
    "static __device__ __noinline__ float series(float v, int k)\n"
    "{\n"
    "    for (int i = 0; i < k; i++)\n"
    "        v = v * v + k;\n"
    "    return v;\n"
    "}\n"
    "#pragma ks optimize\n"
    "#pragma ks workload let(n=4000) in(a[n]) in(b[n]) out(c[n]) grid(ceildiv(n,256)) block(256)\n"
    "__global__ void vadd(const float *a, const float *b, float *c, int n)\n"
    "{\n"
    "    int i = blockIdx.x * blockDim.x + threadIdx.x;\n"
    "    if (i < n)\n"
    "        c[i] = a[i] + b[i];\n"
    "}\n"
    "__global__ void user(float *v) { v[threadIdx.x] = series(v[threadIdx.x], 3); }\n";

struct bench {
    struct real_tu unit;
    struct ks_verify_defences off;
    struct ks_judge *judge;
};
static struct bench bench;

static int open_bench(void **state)
{
    (void)state;
    struct real_tu *b = &bench.unit;
    struct ks_err err = {0};
    real_tu_open(b, "vadd.cu", source_text);
    struct ks_judge_options options = {.worker = "--worker", .launcher = "/proc/self/exe",
                                       .emulator = ks_path_join(&b->arena, ks_program_dir(&b->arena),
                                                                "../bin/ks-worker"),
                                       .device = "cuda", .max_shapes = 12, .seed = 5,
                                       .work_dir = b->dir, .off = &bench.off,
                                       .shadow_root = ks_path_join(&b->arena, b->dir, "shadow")};
    bool fault;
    check(ks_judge_open(&b->arena, &b->tu, &b->tu.kernels[0], &b->plain, &options, &bench.judge, &fault, &err),
          &err);
    return 0;
}

static int close_bench(void **state)
{
    (void)state;
    ks_judge_close(bench.judge);
    real_tu_close(&bench.unit);
    return 0;
}

static struct ks_proposal *propose_on(const char *grid, const char *kernel, const char *before, const char *body)
{
    struct ks_err err = {0};
    struct ks_yaml *root;
    struct ks_proposal *p = KS_NEW(&bench.unit.arena, struct ks_proposal);
    const char *text = ks_arena_printf(
        &bench.unit.arena,
        "params: [a, b, c, n]\nsource: |\n  %s\n  __global__ void %s(const float *a, const float *b, float *c, int n)\n  {\n"
        "      int i = blockIdx.x * blockDim.x + threadIdx.x;\n      %s\n  }\n"
        "plan:\n  - {kernel: %s, grid: [\"%s\"], block: [128], args: [a, b, c, n]}\n",
        before, kernel, body, kernel, grid);
    check(ks_yaml_parse(&bench.unit.arena, "p.yaml", ks_slice_of(text), &root, &err), &err);
    check(ks_proposal_read(&bench.unit.arena, "p.yaml", root, p, &err), &err);
    return p;
}

static struct ks_proposal *propose(const char *kernel, const char *before, const char *body)
{
    return propose_on("ceildiv(n,128)", kernel, before, body);
}

#define HONEST "if (i < n) c[i] = a[i] + b[i];"

static void bad_proposals_are_named_before_anything_runs(void **state)
{
    (void)state;
    const struct { const char *kernel, *before, *body; enum ks_correctness verdict; const char *reason; }
        cases[] = {
            {"vadd_ok", "", HONEST, KS_C_CORRECT, ""},
            {"vadd_syntax", "", "if (i < n) c[i] = a[i] + nothing;", KS_C_COMPILE, "line 5: error: identifier \"nothing\""},
            {"vadd_clock", "", "if (i < n && clock64() != 7) c[i] = a[i] + b[i];", KS_C_STATIC, "clock"},
            {"vadd_macro", "#define n 4", HONEST, KS_C_STATIC, ""},
            {"vadd_escape", "} namespace other {", HONEST, KS_C_STATIC, ""},
        };
    struct ks_proposal *proposals[5];
    struct ks_verdict verdicts[5];
    struct ks_err err = {0};
    for (size_t i = 0; i < 5; i++)
        proposals[i] = propose(cases[i].kernel, cases[i].before, cases[i].body);
    check(ks_judge_quick(bench.judge, proposals, 5, verdicts, &err), &err);
    for (size_t i = 0; i < 5; i++)
        if (verdicts[i].correctness != cases[i].verdict ||
            strstr(verdicts[i].reason, cases[i].reason) == NULL)
            fail_msg("%s: %s \"%s\"", cases[i].kernel, ks_correctness_name(verdicts[i].correctness),
                     verdicts[i].reason);
    // No path of this machine in what goes back to a proposer.
    assert_null(strstr(verdicts[1].reason, bench.unit.dir));
}

// Four in three compiles: who shares one with a faulty one is compiled again, alone, and nobody for the full judgement.
static void many_compile_side_by_side(void **state)
{
    (void)state;
    struct ks_proposal *proposals[] = {
        propose("vadd_fault", "", "if (i < n) c[i] = a[i] + nothing;"), propose("vadd_ok", "", HONEST " // with it"),
        propose("vadd_ok", "", HONEST " // alone"), propose("vadd_half", "", HONEST " // wrong by its name"),
    };
    struct ks_verdict v[4], full;
    struct ks_err err = {0};
    int before = bench.judge->built;
    bench.judge->options.compilers = 3;
    check(ks_judge_quick(bench.judge, proposals, 4, v, &err), &err);
    bench.judge->options.compilers = 0;
    assert_int_equal(bench.judge->built - before, 3 + 2);
    assert_int_equal(v[0].correctness, KS_C_COMPILE);
    assert_int_equal(v[1].correctness, KS_C_CORRECT);
    assert_int_equal(v[2].correctness, KS_C_CORRECT);
    assert_int_equal(v[3].correctness, KS_C_WRONG);
    for (size_t i = 1; i < 3; i++) {
        check(ks_judge_full(bench.judge, proposals[i], &full, &err), &err);
        assert_int_equal(full.correctness, KS_C_CORRECT);
        assert_true(full.seconds_compile == 0 && full.checks.seconds[KS_CHECK_COMPILE] > 0);
    }
    assert_int_equal(bench.judge->built - before, 3 + 2);
    // In one compile, what a session holds of each is not what would ship.
    bench.judge->options.compilers = 1;
    before = bench.judge->built;
    struct ks_proposal *both[] = {propose("vadd_ok", "", HONEST " // one"), propose("vadd_ok", "", HONEST " // other")};
    check(ks_judge_quick(bench.judge, both, 2, v, &err), &err);
    assert_int_equal(bench.judge->built - before, 1);
    check(ks_judge_full(bench.judge, both[0], &full, &err), &err);
    bench.judge->options.compilers = 0;
    assert_int_equal(bench.judge->built - before, 2);
}

static struct ks_candidate *build(struct ks_proposal *p, enum ks_build_way way, bool *host)
{
    struct ks_candidate *c;
    struct ks_err err = {0};
    const char *kept = ks_arena_printf(&bench.unit.arena, "%s/candidate-%d/vadd.cudafe1.cpp", bench.unit.dir,
                                       bench.judge->built);
    check(ks_judge_build(bench.judge, &p, 1, way, &c, &err), &err);
    assert_int_equal(c->failure, KS_C_CORRECT);
    *host = ks_file_exists(kept);
    return c;
}

// What only looks needs no host code, and its device code is that of what ships.
static void device_code_alone_is_the_same(void **state)
{
    (void)state;
    struct ks_proposal *p = propose("vadd_ok", "", HONEST);
    bool host;
    const struct ks_candidate *looked_at = build(p, KS_BUILD_DEVICE, &host);
    assert_false(host || looked_at->ships);
    const struct ks_candidate *whole = build(p, KS_BUILD_SHARED, &host);
    assert_true(host && whole->ships);
    assert_true(ks_digest_eq(&looked_at->ptx[0], &whole->ptx[0]));
    assert_true(ks_digest_eq(&looked_at->sass[0], &whole->sass[0]));
    bench.off.off[KS_D_TEXT] = true; // what it keeps out may be host code
    build(p, KS_BUILD_DEVICE, &host);
    bench.off.off[KS_D_TEXT] = false;
    assert_true(host);
}

// What the compiler knows of a helper ends with another caller, and so another kernel changes: the fault of one.
static void who_changes_an_original_fails_alone(void **state)
{
    (void)state;
    struct ks_proposal *proposals[] = {
        propose("vadd_beside", "", "if (i < n) c[i] = b[i] + a[i];"),
        propose("vadd_series", "", "if (i < n) c[i] = a[i] + b[i] + 0 * series(a[i], n);"),
        propose("vadd_after", "", "if (n > i) c[i] = a[i] + b[i];"),
    };
    struct ks_verdict v[3];
    struct ks_err err = {0};
    check(ks_judge_quick(bench.judge, proposals, 3, v, &err), &err);
    assert_int_equal(v[1].correctness, KS_C_STATIC);
    assert_non_null(strstr(v[1].reason, "user"));
    assert_non_null(strstr(v[1].reason, "changes beside the candidate"));
    for (size_t i = 0; i < 3; i += 2)
        if (v[i].correctness != KS_C_CORRECT)
            fail_msg("%s \"%s\"", ks_correctness_name(v[i].correctness), v[i].reason);
}

// Each gate rejects its own, and where it is off no other objects.
static void gates_can_be_switched_off_in_tests_only(void **state)
{
    (void)state;
    const struct {
        const char *kernel, *body, *grid;
        enum ks_defence defence; enum ks_check_kind check; enum ks_correctness verdict;
    } cases[] = {
        {"vadd_asm", "asm volatile(\"\"); " HONEST, "ceildiv(n,128)", KS_D_TEXT, KS_CHECK_TEXT, KS_C_STATIC},
        {"vadd_zero", HONEST, "n/0", KS_D_LIMITS, KS_CHECK_LIMITS, KS_C_LAUNCH},
        {"vadd_series2", "if (i < n) c[i] = a[i] + b[i] + 0 * series(a[i], n);", "ceildiv(n,128)", KS_D_IDENTITY,
         KS_CHECK_IDENTITY, KS_C_STATIC},
        {"vadd_clock2", "if (i < n && clock64() != 7) c[i] = a[i] + b[i];", "ceildiv(n,128)", KS_D_STATIC_GATE,
         KS_CHECK_STATIC, KS_C_STATIC},
    };
    struct ks_verdict v;
    struct ks_err err = {0};
    for (size_t i = 0; i < 4; i++) {
        print_message("          %s\n", ks_defence_name(cases[i].defence));
        struct ks_proposal *on = propose_on(cases[i].grid, cases[i].kernel, "", cases[i].body);
        struct ks_proposal *off = propose_on(cases[i].grid, cases[i].kernel, "", ks_arena_printf(
            &bench.unit.arena, "%s // without", cases[i].body)); // no session judges a text twice
        check(ks_judge_gates(bench.judge, on, &v, &err), &err);
        assert_int_equal(v.correctness, cases[i].verdict);
        assert_int_equal(v.checks.result[cases[i].check], KS_CHECK_FAILED);
        bench.off.off[cases[i].defence] = true;
        check(ks_judge_gates(bench.judge, off, &v, &err), &err);
        bench.off.off[cases[i].defence] = false;
        assert_int_equal(v.correctness, KS_C_VOID); // nothing found: only runs can tell
        assert_int_equal(v.checks.result[KS_CHECK_STATIC], KS_CHECK_PASSED);
    }
}

// Millions of instantiations: ended in time, and no harm to the next one in the same compile.
static void a_template_bomb_is_defused(void **state)
{
    (void)state;
    struct ks_proposal *bomb = propose(
        "vadd_bomb",
        "template <int A, int B> struct X { static constexpr long v = X<A - 1, 2 * B>::v + X<A - 1, 2 * B + "
        "1>::v; }; template <int B> struct X<0, B> { static constexpr long v = B; };",
        "if (i < n) c[i] = a[i] + b[i] + (X<26, 0>::v == 1 ? 1.f : 0.f);");
    struct ks_verdict v;
    struct ks_err err = {0};
    bench.judge->options.compile_timeout = 3;
    check(ks_judge_quick(bench.judge, &bomb, 1, &v, &err), &err);
    bench.judge->options.compile_timeout = 0;
    if (v.correctness != KS_C_COMPILE || strstr(v.reason, "did not finish within 3 s") == NULL)
        fail_msg("%s \"%s\"", ks_correctness_name(v.correctness), v.reason);
    struct ks_proposal *honest = propose("vadd_ok", "", HONEST);
    check(ks_judge_quick(bench.judge, &honest, 1, &v, &err), &err);
    assert_int_equal(v.correctness, KS_C_CORRECT);
}

static void the_build_that_ships_is_judged(void **state)
{
    (void)state;
    struct ks_proposal *p = propose("vadd_ok", "", HONEST);
    struct ks_verdict v;
    struct ks_err err = {0};
    check(ks_judge_full(bench.judge, p, &v, &err), &err);
    assert_int_equal(v.correctness, KS_C_CORRECT);
    check(ks_judge_confirm(bench.judge, p, &v, &err), &err);
    assert_int_equal(v.speed, KS_S_FASTER);
    assert_int_equal(v.evidence.n_kernels, 1);
    assert_string_equal(v.evidence.kernels[0], "vadd_ok");
    static const struct ks_digest zero;
    assert_false(ks_digest_eq(&v.evidence.ptx[0], &zero));
    assert_false(ks_digest_eq(&v.evidence.sass[0], &zero));
    assert_string_equal(v.evidence.nvcc, bench.unit.toolkit.version);
}

static void wrong_arithmetic_is_seen_whatever_its_name(void **state)
{
    (void)state;
    // The fake goes by names: this one is wrong by name, honest by code.
    struct ks_proposal *p = propose("vadd_tail", "", HONEST);
    struct ks_verdict v;
    struct ks_err err = {0};
    check(ks_judge_full(bench.judge, p, &v, &err), &err);
    assert_int_equal(v.correctness, KS_C_WRONG);
    assert_true(v.seconds_compile > 0);
}

// Right by name, so that the fake device finds nothing: what is wrong with the code, the emulated one sees.
static void what_hardware_hides_is_seen_on_the_emulated_device(void **state)
{
    (void)state;
    const struct { const char *body, *reason; } cases[] = {
        {HONEST, ""},
        {"if (i < n) c[i] = a[i] + b[i] + 0.f * a[i + 1];", "out-of-bounds"},
        {"__shared__ float s[128]; s[threadIdx.x] = i < n ? a[i] : 0.f; "
         "if (i < n) c[i] = a[i] + b[i] + 0.f * s[threadIdx.x ^ 32];", "shared"},
        {"if (i < n && i > 0) c[i - 1] = 3.f; if (i < n) c[i] = a[i] + b[i];", "race"},
    };
    struct ks_err err = {0};
    for (size_t i = 0; i < 4; i++) {
        struct ks_proposal *p = propose("vadd_ok", "", cases[i].body);
        struct ks_verdict v;
        check(ks_judge_full(bench.judge, p, &v, &err), &err);
        if (v.correctness != (i == 0 ? KS_C_CORRECT : KS_C_UNSAFE) ||
            strstr(v.reason, cases[i].reason) == NULL)
            fail_msg("%s: %s \"%s\"", cases[i].body, ks_correctness_name(v.correctness), v.reason);
        assert_int_equal(v.checks.result[KS_CHECK_EMULATION],
                         i == 0 ? KS_CHECK_PASSED : KS_CHECK_FAILED);
        bench.off.off[KS_D_EMULATION] = true;
        check(ks_judge_full(bench.judge, p, &v, &err), &err);
        bench.off.off[KS_D_EMULATION] = false;
        assert_int_equal(v.correctness, KS_C_CORRECT);
        assert_int_equal(v.checks.result[KS_CHECK_EMULATION], KS_CHECK_NOT_MADE);
    }
}

// No second look is none: noted, and no harm to the first.
static void an_emulated_device_that_does_not_start_is_noted(void **state)
{
    (void)state;
    struct ks_proposal *p = propose("vadd_ok", "", HONEST " // again");
    struct ks_verdict v;
    struct ks_err err = {0};
    bool noted = false;
    struct ks_judge *second = bench.judge->second;
    const char *emulator = bench.judge->options.emulator;
    bench.judge->second = NULL;
    bench.judge->options.emulator = "/nowhere/ks-worker";
    check(ks_judge_full(bench.judge, p, &v, &err), &err);
    bench.judge->options.emulator = emulator;
    bench.judge->second = second;
    assert_int_equal(v.correctness, KS_C_CORRECT);
    assert_int_equal(v.checks.result[KS_CHECK_EMULATION], KS_CHECK_NOT_MADE);
    for (size_t i = 0; i < v.evidence.n_notes; i++)
        noted = noted || strstr(v.evidence.notes[i], "not looked at on the emulated device") != NULL;
    assert_true(noted);
}

// The original with random rounding, as a GPU loads it: whole, and from a unit that is linked.
static void random_rounding_is_assembled(void **state)
{
    (void)state;
    struct real_tu *b = &bench.unit;
    struct ks_err err = {0};
    struct ks_buf text = KS_BUF(1 << 20);
    const char *const name = bench.judge->kernel->signature->registered, *const names[] = {name, NULL}, *image;
    ks_rounding_text(bench.judge->original_text, &text);
    for (int linked = 0; linked < 2; linked++) {
        struct ks_cmdline cmd = b->cmd;
        struct ks_tu tu = b->tu;
        struct ks_slice cubin;
        cmd.rdc = linked;
        tu.cmd = &cmd;
        char *path = ks_path_join(&b->arena, b->dir, linked ? "linked.ptx" : "whole.ptx");
        check(ks_file_write(path, text.data, text.len, false, 0, &err), &err);
        check(ks_tu_assemble(&b->arena, &tu, path, 90, names, 64, &image, &err), &err);
        check(ks_file_read(&b->arena, image, 1 << 20, &cubin, &err), &err);
        assert_in_range(ks_cubin_registers(cubin, name), 8, 64);
    }
    ks_buf_free(&text);
}

int main(int argc, char **argv)
{
    if (argc > 1 && strcmp(argv[1], "--worker") == 0)
        return fake_worker_main(argc, argv);
    if (!real_nvcc())
        return 77;
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(bad_proposals_are_named_before_anything_runs),
        cmocka_unit_test(many_compile_side_by_side),
        cmocka_unit_test(device_code_alone_is_the_same),
        cmocka_unit_test(who_changes_an_original_fails_alone),
        cmocka_unit_test(gates_can_be_switched_off_in_tests_only),
        cmocka_unit_test(a_template_bomb_is_defused),
        cmocka_unit_test(the_build_that_ships_is_judged),
        cmocka_unit_test(wrong_arithmetic_is_seen_whatever_its_name),
        cmocka_unit_test(what_hardware_hides_is_seen_on_the_emulated_device),
        cmocka_unit_test(an_emulated_device_that_does_not_start_is_noted),
        cmocka_unit_test(random_rounding_is_assembled),
    };
    return cmocka_run_group_tests(tests, open_bench, close_bench);
}
