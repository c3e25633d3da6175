// Questions that fit: the estimate of tokens, what is left out first, and that no limit is passed;
// right proposals beside the best one.
#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>

#include "agent/chain.h"
#include "agent/pack.h"

static struct ks_arena arena;

static int tear_down(void **state)
{
    (void)state;
    ks_arena_free(&arena);
    return 0;
}

static void estimates(void **state)
{
    (void)state;
    static const struct {
        const char *text;
        int64_t tokens;
    } cases[] = {
        {"", 0},     {"the", 1},    {"four", 1},      {"threadIdx.x", 5},
        {"a b", 2},  {"a  b", 3},   {"        x", 2}, {"         x", 3},
        {"1024", 4}, {"i++;\n", 5}, {"\xc3\xa9", 2},  {"x = 0.5f;", 7},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++)
        if (ks_tokens(cases[i].text) != cases[i].tokens)
            fail_msg("`%s`: %d", cases[i].text, (int)ks_tokens(cases[i].text));
    // What o200k, cl100k, Llama 3's and Claude's older tokenizer make of it: 31, 28, 30 and 38.
    assert_in_range(
        ks_tokens(
            "int i = blockIdx.x * blockDim.x + threadIdx.x;\nif (i < n)\n    y[i] = a * x[i];\n"),
        38, 50);
}

static void keeps_lines(void **state)
{
    (void)state;
    assert_string_equal(ks_pack_lines(&arena, "one\ntwo\n", SIZE_MAX), "one\ntwo\n");
    assert_string_equal(ks_pack_lines(&arena, "one\ntwo\nthree\n", 8),
                        "one\ntwo\n(1 more are left out)\n");
    assert_string_equal(ks_pack_lines(&arena, "one\nsixteen\nx\n", 6),
                        "one\n(2 more are left out)\n");
    assert_string_equal(ks_pack_lines(&arena, "one\n", 0), "(1 more are left out)\n");
}

// ---- a consultation that has much to tell

static struct ks_agents agents;
static struct ks_brief brief;
static struct ks_signature signature;
static struct ks_device_info device = {.name = "a GPU"};
static struct ks_kernel_list kernels;
static const char text[] =
    "__global__ void twice(const float *x, float *y, int n) { y[0] = x[0]; }";

static struct ks_candidate *candidate_of(const char *idea, const char *line)
{
    struct ks_candidate *c = KS_NEW(&arena, struct ks_candidate);
    struct ks_buf source = KS_BUF(1 << 16);
    struct ks_yaml *root;
    struct ks_err err = {0};
    ks_buf_puts(&source, "source: |\n  __global__ void k(const float *x, float *y, int n)\n  {\n");
    for (int i = 0; i < 60; i++)
        ks_buf_printf(&source, "      y[%d] = %s(x[%d]) + %d;\n", i, line, i, i);
    ks_buf_puts(&source, "  }\nplan:\n  - {kernel: k, grid: [1], block: [1], args: [x, y, n]}\n");
    *c = (struct ks_candidate){.skill = "unaided", .rationale = idea, .proposer = "m"};
    assert_int_equal(ks_yaml_parse(&arena, "f", ks_slice_of(ks_buf_text(&source)), &root, &err),
                     KS_OK);
    if (ks_proposal_read(&arena, "f", root, &c->proposal, &err) != KS_OK)
        fail_msg("%s", err.text);
    c->proposal.n_params = 3;
    c->proposal.params = KS_NEW_ARRAY(&arena, const char *, 3);
    c->proposal.params[0] = "x", c->proposal.params[1] = "y", c->proposal.params[2] = "n";
    ks_buf_free(&source);
    return c;
}

static struct ks_consult *open_consult(const struct ks_skill *const *skills)
{
    static const char *const types[] = {"float const*", "float*", "int"};
    const struct ks_config config = {.share_dir = KS_SOURCE_DIR};
    struct ks_err err = {0};
    agents = (struct ks_agents){0};
    assert_int_equal(ks_agents_prompts(&arena, &config, &agents, &err), KS_OK);
    assert_int_equal(ks_kernels_find(&arena, "f", ks_slice_of(text), &kernels, &err), KS_OK);
    signature = (struct ks_signature){.registered = "twice",
                                      .qualified = "twice",
                                      .instance = "twice",
                                      .n_params = 3,
                                      .params = KS_NEW_ARRAY(&arena, struct ks_type, 3)};
    for (int i = 0; i < 3; i++)
        signature.params[i] = ks_type_parse(&arena, ks_slice_of(types[i]));
    brief = (struct ks_brief){
        .kernel_text = text, .decl = &kernels.at[0], .signature = &signature, .device = &device};
    for (int i = 0; i < 80; i++)
        ks_fact_set(&arena, &brief.facts, ks_arena_printf(&arena, "fact_%d", i), 1 + i);
    const struct ks_consult_ask ask = {
        .arena = &arena,
        .agents = &agents,
        .brief = &brief,
        .key = "0123456789abcdef",
        .source = {.file = ks_slice_of(text), .end = strlen(text), .contract = ""},
        .skills = skills,
        .n_skills = 3};
    struct ks_consult *consult = ks_consult_open(&ask);
    static const char *const lines[] = {"first", "second", "third"};
    for (int i = 0; i < 80; i++) {
        const struct ks_outcome outcome = {.correctness = i < 3 ? "CORRECT" : "WRONG",
                                           .reason = "output `y` differs",
                                           .correct = i < 3,
                                           .gains = i < 3,
                                           .ratio = i < 3 ? 3 - i : 0,
                                           .lower = 1};
        ks_consult_note(
            consult,
            candidate_of(ks_arena_printf(&arena, "idea number %d, told at some length", i),
                         i < 3 ? lines[i] : "wrong"),
            &outcome);
    }
    return consult;
}

static bool asks(struct ks_consult *consult, int64_t context, const char **user, int64_t *tokens)
{
    struct ks_ask ask;
    struct ks_err err = {0};
    agents.context = context;
    enum ks_status status = ks_chain_ask(consult, &consult->chains[0], &arena, &ask, &err);
    if (status == KS_E_LIMIT)
        assert_non_null(strstr(err.text, "context=N"));
    else
        assert_int_equal(status, KS_OK);
    *user = ask.user;
    *tokens = ks_tokens(ask.system) + ks_tokens(ask.user) + ask.max_tokens;
    return status == KS_OK;
}

// In this order things go: those that are still there at one limit are there at every larger one.
static void leaves_out_in_order(void **state)
{
    (void)state;
    static const char *const parts[] = {"idea number 20,", "third(x[", "second(x[",
                                        "skill-3 ",        "skill-2 ", "skill-1 ",
                                        "fact_79 =",       "fact_0 =", "first(x["};
    enum { PARTS = sizeof parts / sizeof *parts };
    char *how = KS_NEW_ARRAY(&arena, char, 3001);
    memset(how, 'h', 3000);
    const struct ks_skill all[] = {
        {.id = "skill-1", .direction = "a", .precision = "p", .title = "t", .how = how},
        {.id = "skill-2", .direction = "b", .precision = "p", .title = "t", .how = how},
        {.id = "skill-3", .direction = "c", .precision = "p", .title = "t", .how = how}};
    const struct ks_skill *const skills[] = {&all[0], &all[1], &all[2]};
    struct ks_consult *consult = open_consult(skills);
    int64_t least[PARTS] = {0}, tokens, smallest = 0;
    const char *user;
    for (int64_t context = 12500; context < 26000; context += 50) {
        if (!asks(consult, context, &user, &tokens)) {
            assert_int_equal(smallest, 0); // what fits in less fits in more
            continue;
        }
        smallest = smallest > 0 ? smallest : context;
        if (tokens > context)
            fail_msg("%d tokens where %d are allowed", (int)tokens, (int)context);
        assert_non_null(strstr(user, text)); // the kernel is never left out
        for (int i = 0; i < PARTS; i++) {
            bool there = strstr(user, parts[i]) != NULL;
            assert_true(there || least[i] == 0);
            least[i] = there && least[i] == 0 ? context : least[i];
        }
        // What is left out is told.
        const char *listed = strstr(user, "## Skills that may apply"),
                   *others = strstr(user, "## Others that are right");
        assert_true(least[3] > 0 ||
                    strstr(listed, "more are left out") < strstr(listed, "## Diagnosis"));
        assert_true(least[1] > 0 ||
                    strstr(others, "more are left out") < strstr(others, "## Your last answer"));
        assert_true(least[1] > 0 || strstr(others, "more are left out") != NULL);
        assert_true(least[8] > 0 || strstr(user, "(too long to show)") != NULL);
    }
    assert_in_range(smallest, 12501, 15000);
    for (int i = 0; i < PARTS; i++) {
        assert_true(least[i] > 0);
        if (i > 0 && least[i] > least[i - 1])
            fail_msg("`%s` is left out before `%s`", parts[i], parts[i - 1]);
    }
    assert_true(least[0] > least[3] && least[3] > least[6] && least[6] > least[8] &&
                least[8] > smallest);
}

// Beside the best one the fastest comes that differs, and not one that is nearly the same; what is
// wrong never does.
static void shows_others(void **state)
{
    (void)state;
    struct ks_tried tried[] = {
        {.candidate = candidate_of("a", "one"),
         .outcome = {.correct = true, .gains = true, .ratio = 4, .reason = ""}},
        {.candidate = candidate_of("b", "one"),
         .outcome = {.correct = true, .gains = true, .ratio = 3.9, .reason = ""}}, // the same lines
        {.candidate = candidate_of("c", "two"),
         .outcome = {.correct = true, .gains = true, .ratio = 2, .reason = ""}},
        {.candidate = candidate_of("d", "three"), .outcome = {.correct = false, .reason = "wrong"}},
        {.candidate = candidate_of("e", "four"),
         .outcome = {.correct = true, .ratio = 0.9, .reason = ""}},
    };
    const struct ks_digest_list list = {tried, 5, 5};
    const struct ks_tried *found[4], *best = ks_digest_best(&list);
    assert_ptr_equal(best, &tried[0]);
    assert_int_equal(ks_digest_others(&arena, &list, best, 4, found), 2);
    assert_ptr_equal(found[0], &tried[2]);
    assert_ptr_equal(found[1], &tried[4]);
    assert_int_equal(ks_digest_others(&arena, &list, best, 1, found), 1);
    assert_int_equal(ks_digest_others(&arena, &list, NULL, 1, found), 1);
    assert_ptr_equal(found[0], &tried[0]);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(estimates), cmocka_unit_test(keeps_lines),
                                       cmocka_unit_test(leaves_out_in_order),
                                       cmocka_unit_test(shows_others)};
    return cmocka_run_group_tests(tests, NULL, tear_down);
}
