// Answers of models as hostile text: each kind is refused by its own name, an honest one becomes a
// candidate; parts and edits; what of a file leaves; redaction; budgets.
#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>

#include "agent/excerpt.h"
#include "agent/reading.h"
#include "agent/redact.h"

static struct ks_arena arena;
static struct ks_prompt coder, repairer;
static struct ks_brief brief;
static struct ks_signature signature;
static struct ks_kernel_list kernels;

static int set_up(void **state)
{
    static const char text[] = "__global__ void twice(const float *x, float *y, int n) { y[0] = x[0]; }";
    static const char *const types[] = {"float const*", "float*", "int"};
    struct ks_err err = {0};
    (void)state;
    assert_int_equal(ks_prompt_load(&arena, KS_SOURCE_DIR "/skills/prompts", "coder", &coder, &err), KS_OK);
    assert_int_equal(ks_prompt_load(&arena, KS_SOURCE_DIR "/skills/prompts", "repairer", &repairer, &err),
                     KS_OK);
    assert_int_equal(ks_kernels_find(&arena, "f", ks_slice_of(text), &kernels, &err), KS_OK);
    signature = (struct ks_signature){.registered = "twice", .qualified = "twice", .instance = "twice",
                                      .n_params = 3, .params = KS_NEW_ARRAY(&arena, struct ks_type, 3)};
    for (int i = 0; i < 3; i++)
        signature.params[i] = ks_type_parse(&arena, ks_slice_of(types[i]));
    brief = (struct ks_brief){.kernel_text = text, .decl = &kernels.at[0], .signature = &signature};
    ks_fact_set(&arena, &brief.facts, "dram_pct", 81.234);
    ks_fact_set(&arena, &brief.facts, "loops", 1);
    return 0;
}

static int tear_down(void **state)
{
    (void)state;
    ks_arena_free(&arena);
    return 0;
}

#define SOURCE "  __global__ void k(const float *x, float *y, int n)\n  {\n      if (n > 0)\n          y[0] = x[0];\n  }\n"
#define PLAN "plan:\n  - {kernel: k, grid: [1], block: [1], args: [x, y, n]}\n"
#define HEAD "request: q-1\nidea: less is more\n"

static struct ks_answer answer_of(const char *bytes, size_t len)
{
    struct ks_answer answer;
    char *copy = malloc(len + 1);
    assert_non_null(copy);
    memcpy(copy, bytes, len);
    copy[len] = '\0';
    ks_answer_text(&answer, "q-1", copy, len);
    return answer;
}

static struct ks_reading read_as(const struct ks_reading_ask *ask, const char *bytes, size_t len)
{
    struct ks_reading reading;
    struct ks_answer answer = answer_of(bytes, len);
    ks_read_proposal(&arena, ask, &answer, &reading);
    ks_answer_free(&answer);
    return reading;
}

static struct ks_reading read_text(const char *text)
{
    static const char *const skills[] = {"shared-tiles"};
    const struct ks_skill_list none = {0};
    const struct ks_reading_ask ask = {.prompt = &coder, .brief = &brief, .id = "q-1", .skills = skills,
                                       .n_skills = 1, .known = &none};
    return read_as(&ask, text, strlen(text));
}

static const char *block(const char *fields)
{
    return ks_arena_printf(&arena, "Let me see.\n```yaml\n%s```\n", fields);
}

static const char *with_source(const char *source)
{
    return block(ks_arena_printf(&arena, HEAD "source: |\n%s" PLAN, source));
}

static void takes_honest_answers(void **state)
{
    (void)state;
    struct ks_reading r =
        read_text(block(HEAD "skill: shared-tiles\nquotes: [dram_pct = 81.2, loops = 1]\nsource: |\n" SOURCE PLAN));
    assert_string_equal(ks_refusal_name(r.refusal), "accepted");
    assert_string_equal(r.candidate.skill, "shared-tiles");
    assert_string_equal(r.candidate.rationale, "less is more");
    assert_int_equal(r.candidate.proposal.n_steps, 1);
    assert_string_equal(r.candidate.proposal.params[2], "n");
    // JSON is a kind of YAML; a skill that was not offered counts as none.
    r = read_text("```json\n{\"request\": \"q-1\", \"idea\": \"i\", \"skill\": \"other\", \"source\": "
                  "\"__global__ void k(float *y, int n) { y[n] = 0; }\", \"plan\": [{\"kernel\": \"k\", \"grid\": "
                  "[1], \"block\": [1], \"args\": [\"y\", \"n\"]}]}\n```");
    assert_string_equal(ks_refusal_name(r.refusal), "accepted");
    assert_string_equal(r.candidate.skill, "unaided");
    // Code that begins deeper than it goes on.
    r = read_text(with_source("      // deep\n" SOURCE));
    assert_string_equal(ks_refusal_name(r.refusal), "accepted");
}

static void refuses_by_name(void **state)
{
    (void)state;
    const struct {
        const char *name, *text;
    } cases[] = {
        {"no-code", "I am sorry, but I cannot help with that."},
        {"no-code", "```yaml\nrequest: q-1\n"}, // never closed
        {"no-code", "```\n```\n"},
        {"no-code", block("- a list\n")},
        {"malformed", block("request: [q-1\n")},
        {"malformed", block(HEAD "source: |\n" SOURCE "plan: []\n")},
        {"malformed", block(HEAD "source: |\n" SOURCE "when: 1 +\n" PLAN)},
        {"malformed", block("a: &x 1\nb: *x\n")},
        {"schema", block("request: q-1\nsource: |\n" SOURCE PLAN)},
        {"schema", block(HEAD "shell: rm -rf /\nsource: |\n" SOURCE PLAN)},
        {"other-request", block("request: q-2\nidea: i\nsource: |\n" SOURCE PLAN)},
        {"unverified-quote", block(HEAD "quotes: [dram_pct = 95]\nsource: |\n" SOURCE PLAN)},
        {"unverified-quote", block(HEAD "quotes: [made_up = 1]\nsource: |\n" SOURCE PLAN)},
        {"unverified-quote", block(HEAD "quotes: [it is memory bound]\nsource: |\n" SOURCE PLAN)},
        {"schema", block(HEAD "edits: [{part: 1, text: x}]\nsource: |\n" SOURCE PLAN)},
        {"include", with_source("  #include \"/etc/passwd\"\n" SOURCE)},
        {"include", with_source("  #define x system(\"id\")\n" SOURCE)},
        {"include", block(HEAD "includes: [stdio.h]\nsource: |\n" SOURCE PLAN)},
        {"host-code", with_source("  void helper() { }\n" SOURCE)},
        {"host-code", with_source("  __host__ __device__ int f() { return 1; }\n" SOURCE)},
        {"host-code", with_source("  int main() { return 0; }\n" SOURCE)},
        {"not-allowed", with_source("  __device__ void f() { asm(\"trap;\"); }\n" SOURCE)},
        {"not-allowed", with_source("  namespace a { }\n" SOURCE)},
        {"not-allowed", block(HEAD "source: |\n" SOURCE "plan:\n  - {kernel: other, grid: [1], block: [1], args: []}\n")},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct ks_reading r = read_text(cases[i].text);
        if (strcmp(ks_refusal_name(r.refusal), cases[i].name) != 0)
            fail_msg("%zu: %s (%s), not %s", i, ks_refusal_name(r.refusal), r.why, cases[i].name);
        assert_true(strlen(r.why) > 0);
        for (const char *at = r.why; *at != '\0'; at++)
            assert_in_range((unsigned char)*at, ' ', '~');
    }
}

static void refuses_bytes(void **state)
{
    (void)state;
    static const char *const bad[] = {"\xff\xfe", "\xc0\x80", "\xed\xa0\x80", "\xf4\x90\x80\x80", "\xe2\x82",
                                      "\x80", "\xf8\x88\x80\x80\x80"};
    const struct ks_reading_ask ask = {.prompt = &coder, .brief = &brief, .id = "q-1"};
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
        struct ks_reading r = read_text(bad[i]);
        assert_string_equal(ks_refusal_name(r.refusal), "not-text");
    }
    struct ks_reading r = read_as(&ask, "a\0b", 3);
    assert_string_equal(ks_refusal_name(r.refusal), "not-text");
    r = read_text(with_source("  // gr\xc3\xb6\xc3\x9f" "er \xf0\x9f\x98\x80\n" SOURCE));
    assert_string_equal(ks_refusal_name(r.refusal), "accepted");
}

static void repairs_by_parts(void **state)
{
    (void)state;
    struct ks_reading first = read_text(with_source(SOURCE "  __device__ int f(int a)\n  {\n      return a;\n  }\n"));
    assert_string_equal(ks_refusal_name(first.refusal), "accepted");
    struct ks_reading_ask ask = {.prompt = &repairer, .brief = &brief, .id = "q-1",
                                 .base = &first.candidate.proposal, .log = "WRONG: output `y` differs at 3"};
    const char *parts = ks_parts_print(&arena, first.candidate.proposal.source);
    assert_non_null(strstr(parts, "//@ part 1\n__global__ void k("));
    assert_non_null(strstr(parts, "//@ part 2\n__device__ int f("));
    const char *good = "```\n" HEAD "cause: differs at 3\nedits:\n  - part: 2\n    text: |\n"
                       "      __device__ int f(int a) { return a + 1; }\n```\n";
    struct ks_reading r = read_as(&ask, good, strlen(good));
    assert_string_equal(ks_refusal_name(r.refusal), "accepted");
    assert_non_null(strstr(r.candidate.proposal.source, "return a + 1;"));
    assert_non_null(strstr(r.candidate.proposal.source, "__global__ void k("));
    assert_null(strstr(r.candidate.proposal.source, "//@"));
    assert_int_equal(r.candidate.proposal.n_steps, 1); // the plan stays
    const struct {
        const char *name, *fields;
    } cases[] = {
        {"unverified-quote", "cause: it was slow\nedits: [{part: 2, text: x}]\n"},
        {"unverified-quote", "cause: \"\"\nedits: [{part: 2, text: x}]\n"},
        {"bad-edit", "cause: differs\nedits: [{part: 3, text: x}]\n"},
        {"bad-edit", "cause: differs\nedits: [{part: 0, text: x}]\n"},
        {"bad-edit", "cause: differs\nedits: [{part: 1, text: x}, {part: 1, text: y}]\n"},
        {"bad-edit", "cause: differs\nedits: [{lines: 1, text: x}]\n"},
        {"schema", "edits: [{part: 2, text: x}]\n"},
        {"host-code", "cause: differs\nedits: [{part: 2, text: \"int main() { return 0; }\"}]\n"},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        const char *text = block(ks_arena_printf(&arena, HEAD "%s", cases[i].fields));
        r = read_as(&ask, text, strlen(text));
        if (strcmp(ks_refusal_name(r.refusal), cases[i].name) != 0)
            fail_msg("%zu: %s (%s), not %s", i, ks_refusal_name(r.refusal), r.why, cases[i].name);
    }
}

static void excerpts_what_is_needed(void **state)
{
    (void)state;
    static const char file[] = "#include <cstdio>\n#define W 3 // width\n#define UNUSED 4\n"
                               "// obey me\nstatic const int table = W;\nnamespace a {\n"
                               "struct Pair { int x, y; };\n/* obey */ __device__ int inner(int v) { return v; }\n"
                               "__device__ int outer(Pair p) { return inner(p.x) + table; }\n"
                               "__device__ int lonely() { return 1; }\nint host() { return outer({1, 2}); }\n"
                               "__global__ void other() { lonely(); }\n"
                               "__global__ void k(int *y) { y[0] = outer({1, 2}); /* obey */ }\n}\n";
    const char *kernel = strstr(file, "__global__ void k"), *end = strstr(kernel, "}\n}");
    const char *needs = ks_excerpt_needs(&arena, ks_slice_of(file), (size_t)(kernel - file),
                                         (size_t)(end + 1 - file));
    assert_string_equal(needs, "#define W 3\nstatic const int table = W;\nstruct Pair { int x, y; };\n"
                               "__device__ int inner(int v) { return v; }\n"
                               "__device__ int outer(Pair p) { return inner(p.x) + table; }\n");
    assert_string_equal(ks_excerpt_code(&arena, ks_slice_of("int a; // b\n  /* c\n */\nchar *s = \"// d\";\n")),
                        "int a;\nchar *s = \"// d\";\n");
}

static void redacts(void **state)
{
    (void)state;
    struct ks_redaction r = {.home = "/home/eve"};
    struct ks_buf out = KS_BUF(4096);
    ks_strv_add(&arena, &r.secrets, "hunter2hunter2");
    ks_redact(&r, ks_slice_of("a hunter2hunter2 /home/eve/x /home/evelyn sk-abcdefghijklmnop123 Bearer "
                              "abcdefghijklmnop.q risk-averse-and-long-word a / b /c/ d"), &out);
    assert_string_equal(ks_buf_text(&out), "a [secret] ~/x /home/evelyn [secret] [secret] "
                                           "risk-averse-and-long-word a / b /c/ d");
    ks_buf_clear(&out);
    ks_redact_message(&r, ks_slice_of("/tmp/ks-x/shadow/a.cu(3): error: x / y, see n/m"), &out);
    assert_string_equal(ks_buf_text(&out), "a.cu(3): error: x / y, see n/m");
    ks_buf_free(&out);
}

static void never_passes_a_budget(void **state)
{
    (void)state;
    struct ks_price price = {3, 15};
    struct ks_spend all = {.limits = {.requests = 3}};
    struct ks_spend one = {.limits = {.tokens = 5000, .money = 0.05}, .whole = &all};
    struct ks_hold a, b, c;
    char why[128];
    assert_true(ks_spend_hold(&one, price, 1000, 1000, &a, why)); // 2064 at worst
    assert_true(ks_spend_hold(&one, price, 1000, 1000, &b, why));
    assert_false(ks_spend_hold(&one, price, 1000, 1000, &c, why));
    assert_string_equal(why, "the budget of tokens for this kernel has no room for another call");
    ks_spend_settle(&one, &a, 300, 200); // the rest is free again
    assert_true(ks_spend_hold(&one, price, 1000, 1000, &c, why));
    ks_spend_settle(&one, &b, -1, 5); // not told: the worst
    assert_int_equal(one.tokens_in + one.tokens_out, 500 + 2064);
    assert_int_equal(one.untold, 1);
    ks_spend_settle(&one, &c, 0, 0);
    assert_false(ks_spend_hold(&one, price, 10, 10, &a, why));
    assert_string_equal(why, "the budget of requests in all has no room for another call");
    assert_true(all.money > 0.0038 && all.money < 0.0239);
    struct ks_limits each = {0}, whole = {0};
    bool found;
    assert_int_equal(ks_limits_parse(&arena, "requests=8,tokens=200k,all-money=1.5,seconds=5m,gpu=30", &each,
                                     &whole, NULL), KS_OK);
    assert_int_equal(each.tokens, 200000);
    assert_true(each.seconds == 300 && each.gpu_seconds == 30 && whole.money == 1.5 && each.money == 0);
    struct ks_err err = {0};
    assert_int_equal(ks_limits_parse(&arena, "token=3", &each, &whole, &err), KS_E_USER);
    assert_non_null(strstr(err.text, "do you mean tokens?"));
    assert_int_equal(ks_limits_parse(&arena, "requests=0", &each, &whole, &err), KS_E_USER);
    assert_int_equal(ks_price_parse(&arena, "big=3/15,small=0.5/2", "small", &price, &found, &err), KS_OK);
    assert_true(found && price.in == 0.5 && price.out == 2);
    assert_int_equal(ks_price_parse(&arena, "big=3/15", "small", &price, &found, &err), KS_OK);
    assert_false(found);
    assert_int_equal(ks_price_parse(&arena, "3", "small", &price, &found, &err), KS_E_USER);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(takes_honest_answers),     cmocka_unit_test(refuses_by_name),
        cmocka_unit_test(refuses_bytes),            cmocka_unit_test(repairs_by_parts),
        cmocka_unit_test(excerpts_what_is_needed),  cmocka_unit_test(redacts),
        cmocka_unit_test(never_passes_a_budget),
    };
    return cmocka_run_group_tests(tests, set_up, tear_down);
}
