// Variant files: exact round trip, a stable text, and damage told apart from a newer format.
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <math.h>
#include <string.h>

#include <cmocka.h>

#include "key/variant.h"

static struct ks_arena arena;

static const char proposal_text[] =
    "includes:\n  - cuda_fp16.h\nparams:\n  - x\n  - n\nsource: |\n"
    "  __global__ void part(float *x, int n)\n  {\n      x[0] = n; // \"quoted\": {yes}\n  }\n"
    "when: n % 4 == 0 && aligned(x, 16)\nworkspace:\n  w: 4 * ceildiv(n, 1024)\nplan:\n"
    "  - memset: w\n    value: 0\n  - kernel: part\n    grid:\n      - ceildiv(n, 1024)\n"
    "    block:\n      - 256\n    args:\n      - x\n      - n\n";

static struct ks_expr *expression(const char *text)
{
    struct ks_expr *expr;
    struct ks_err err;
    if (ks_expr_parse(&arena, "test", ks_slice_of(text), &expr, &err) != KS_OK)
        fail_msg("%s", err.text);
    return expr;
}

static struct ks_variant sample(void)
{
    static struct ks_timing timings[] = {
        {"n=4096", 12.3456789012345, 3.1, 3.98, 3.9000000000000004, 0, 0, 41, "flushed events"},
        {"big: n=1, m=2", 1e-3, 1.0 / 3, 0.1, 1e300, 0, 0, 7, "graph of 20"},
    };
    static const char *notes[] = {"racecheck: not installed", "- a dash", ""};
    static const char *kernels[] = {"part"};
    static const char *skills[] = {"vectorized-global-access", "no"};
    static struct ks_digest ptx, sass;
    ptx = ks_digest_of("t", "ptx", 3);
    sass = ks_digest_of("t", "sass", 4);
    struct ks_yaml *root;
    struct ks_variant variant = {
        .key = ks_digest_of("t", "key", 3),
        .key_text = "format: 1\narch: sm_90\ncontract: $0 in f32 [$1]\n",
        .kernel = "ns::relax<float,256>",
        .arch = 90,
        .correctness = KS_C_CORRECT,
        .speed = KS_S_FASTER,
        .domain = expression("n >= 1 && n <= 4096 && block.x == 256"),
        .evidence = {.level = "measured", .device = "NVIDIA H200", .driver = "580.1",
                     .nvcc = "13.0.88", .date = "2026-01-31T12:00:00Z", .judge = "0.1",
                     .shapes = 12, .families = 5, .runs = 60, .max_ulp = 0.5,
                     .max_rel = 1.1920928955078125e-07, .deterministic = true,
                     .timings = timings, .n_timings = 2, .notes = notes, .n_notes = 3,
                     .kernels = kernels, .ptx = &ptx, .sass = &sass, .n_kernels = 1},
        .proposer = "engine",
        .skills = skills,
        .n_skills = 2,
        .parent = "",
        .rationale = "Loads of 16 bytes.\nTwo lines: the second has a colon.",
        .geomean = 3.98,
        .lower = 3.9000000000000004,
    };
    struct ks_err err;
    if (ks_yaml_parse(&arena, "p", ks_slice_of(proposal_text), &root, &err) != KS_OK ||
        ks_proposal_read(&arena, "p", root, &variant.proposal, &err) != KS_OK)
        fail_msg("%s", err.text);
    variant.id = ks_proposal_id(&arena, &variant.proposal);
    return variant;
}

static void round_trip_is_exact(void **state)
{
    (void)state;
    struct ks_variant variant = sample(), back;
    const char *text = ks_variant_text(&arena, &variant);
    struct ks_err err;
    if (ks_variant_read(&arena, "v.yaml", ks_slice_of(text), &back, &err) != KS_OK)
        fail_msg("%s\n%s", err.text, text);
    assert_string_equal(ks_variant_text(&arena, &back), text);
    assert_string_equal(ks_variant_text(&arena, &variant), text);

    assert_string_equal(back.kernel, variant.kernel);
    assert_string_equal(back.id, variant.id);
    assert_string_equal(back.key_text, variant.key_text);
    assert_string_equal(back.rationale, variant.rationale);
    assert_string_equal(back.proposal.source, variant.proposal.source);
    assert_true(ks_digest_eq(&back.key, &variant.key));
    assert_true(ks_digest_eq(&back.evidence.sass[0], &variant.evidence.sass[0]));
    assert_int_equal(back.speed, KS_S_FASTER);
    assert_true(back.evidence.deterministic);
    assert_int_equal(back.evidence.n_notes, 3);
    for (size_t i = 0; i < 3; i++)
        assert_string_equal(back.evidence.notes[i], variant.evidence.notes[i]);
    for (size_t i = 0; i < 2; i++) {
        assert_string_equal(back.skills[i], variant.skills[i]);
        const struct ks_timing *a = &variant.evidence.timings[i], *b = &back.evidence.timings[i];
        assert_true(a->original_us == b->original_us && a->variant_us == b->variant_us);
        assert_true(a->ratio == b->ratio && a->lower == b->lower && a->pairs == b->pairs);
        assert_string_equal(a->workload, b->workload);
        assert_string_equal(a->method, b->method);
    }
    assert_true(back.evidence.max_rel == variant.evidence.max_rel);
}

static void places_round_trip(void **state)
{
    (void)state;
    struct ks_against against[] = {{"0123456789abcdef", true, 1.0625, 1.05}, {"fedcba9876543210", false, 0, 0}};
    struct ks_variant variant = sample(), back;
    struct ks_err err;
    assert_null(strstr(ks_variant_text(&arena, &variant), "against")); // files from before have none
    variant.against = against;
    variant.n_against = 2;
    const char *text = ks_variant_text(&arena, &variant);
    if (ks_variant_read(&arena, "v.yaml", ks_slice_of(text), &back, &err) != KS_OK)
        fail_msg("%s\n%s", err.text, text);
    assert_string_equal(ks_variant_text(&arena, &back), text);
    assert_int_equal(back.n_against, 2);
    assert_string_equal(back.against[0].variant, against[0].variant);
    assert_true(back.against[0].before && back.against[0].ratio == 1.0625 && back.against[0].lower == 1.05);
    assert_true(!back.against[1].before && back.against[1].ratio == 0);
}

static void original_decision_round_trips(void **state)
{
    (void)state;
    struct ks_original_decision decision = {
        .key = ks_digest_of("t", "key", 3), .key_text = "a: b\n", .kernel = "k",
        .date = "2026-01-31T12:00:00Z", .device = "NVIDIA H200", .arch = 90, .tried = 12,
        .correct = 11, .budget_seconds = 60.5, .upper_bound = 1.004, .complete = true}, back;
    const char *text = ks_original_text(&arena, &decision);
    struct ks_err err;
    if (ks_original_read(&arena, "original.yaml", ks_slice_of(text), &back, &err) != KS_OK)
        fail_msg("%s", err.text);
    assert_string_equal(ks_original_text(&arena, &back), text);
    assert_int_equal(back.tried, 12);
    assert_true(back.complete && back.upper_bound == 1.004);
    // Neither file is taken for the other.
    struct ks_variant variant;
    assert_int_equal(ks_variant_read(&arena, "v", ks_slice_of(text), &variant, &err), KS_E_FORMAT);
    struct ks_variant other = sample();
    assert_int_equal(ks_original_read(&arena, "o", ks_slice_of(ks_variant_text(&arena, &other)),
                                      &back, &err), KS_E_FORMAT);
}

// The text with the first `from` replaced.
static const char *edited(const char *text, const char *from, const char *to)
{
    const char *at = strstr(text, from);
    if (at == NULL)
        fail_msg("the text has no '%s'", from);
    return ks_arena_printf(&arena, "%.*s%s%s", (int)(at - text), text, to, at + strlen(from));
}

static void damage_names_its_line(void **state)
{
    (void)state;
    struct ks_variant variant = sample(), back;
    const char *text = ks_variant_text(&arena, &variant);
    static const char *const edits[][3] = {
        {"correctness: CORRECT", "correctness: FINE", "v.yaml:4"},
        {"arch: 90", "arch: ninety", "v.yaml:3"},
        {"geomean: 3.98", "geomean: fast", "v.yaml:6"},
        {"x[0] = n;", "x[1] = n;", "the id is"},
        {"block:", "blocks:", "v.yaml:"},
        {"repeats: identical", "repeats: maybe", "identical or different"},
        {"level: measured", "level: guessed", "measured or modelled"},
        {"domain: n >= 1", "domain: n >= >= 1", "v.yaml:"},
        {"format: 1\n", "", "format"},
        {"format: 1\n", "format: 0\n", "format 0"},
        {"\nkey: ", "\nkey: zz", "hexadecimal"},
        {"pairs: 41", "pairs: -41", "pairs"},
        {"provenance:", "unknown_key: 1\nprovenance:", "unknown_key"},
    };
    for (size_t i = 0; i < sizeof edits / sizeof *edits; i++) {
        struct ks_err err = {0};
        const char *bad = edited(text, edits[i][0], edits[i][1]);
        enum ks_status status =
            ks_variant_read(&arena, "v.yaml", ks_slice_of(bad), &back, &err);
        if (status != KS_E_FORMAT || err.status != KS_E_FORMAT ||
            strstr(err.text, edits[i][2]) == NULL || !ks_starts_with(err.text, "v.yaml"))
            fail_msg("'%s': %s: %s", edits[i][1], ks_status_name(status), err.text);
    }
}

static void newer_format_is_not_damage(void **state)
{
    (void)state;
    struct ks_variant variant = sample(), back;
    const char *text = ks_variant_text(&arena, &variant);
    struct ks_err err;
    // Whatever else it says: an unknown key too.
    const char *newer = edited(edited(text, "format: 1", "format: 2"), "arch: 90", "archs: [90]");
    assert_int_equal(ks_variant_read(&arena, "v", ks_slice_of(newer), &back, &err),
                     KS_E_UNSUPPORTED);
    assert_non_null(strstr(err.text, "update ks"));
}

// Cut anywhere it is refused, never read as something else.
static void truncation_is_refused(void **state)
{
    (void)state;
    struct ks_variant variant = sample(), back;
    const char *text = ks_variant_text(&arena, &variant);
    size_t last_field = (size_t)(strstr(text, "key_fields:") - text);
    for (size_t n = 0; n < last_field; n += 5) {
        struct ks_arena own = {0};
        if (ks_variant_read(&own, "v", (struct ks_slice){text, n}, &back, NULL) == KS_OK)
            fail_msg("%zu bytes are taken for a variant", n);
        ks_arena_free(&own);
    }
}

static void infinities_survive(void **state)
{
    (void)state;
    struct ks_variant variant = sample(), back;
    variant.evidence.max_ulp = INFINITY;
    variant.evidence.max_rel = NAN;
    const char *text = ks_variant_text(&arena, &variant);
    assert_int_equal(ks_variant_read(&arena, "v", ks_slice_of(text), &back, NULL), KS_OK);
    assert_true(isinf(back.evidence.max_ulp) && isnan(back.evidence.max_rel));
}

static int teardown(void **state)
{
    (void)state;
    ks_arena_free(&arena);
    return 0;
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(round_trip_is_exact),
        cmocka_unit_test(places_round_trip),
        cmocka_unit_test(original_decision_round_trips),
        cmocka_unit_test(damage_names_its_line),
        cmocka_unit_test(newer_format_is_not_damage),
        cmocka_unit_test(truncation_is_refused),
        cmocka_unit_test(infinities_survive),
    };
    return cmocka_run_group_tests(tests, NULL, teardown);
}
