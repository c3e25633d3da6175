// Plans and reviews that must hold; streams of both protocols, whole and broken; retrieval.
#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>

#include "agent/ask_one.h"
#include "agent/bm25.h"
#include "agent/http.h"
#include "agent/retrieve.h"
#include "agent/roles.h"
#include "agent/summary.h"
#include "os/clock.h"

static struct ks_arena arena;

static int tear_down(void **state)
{
    (void)state;
    ks_arena_free(&arena);
    return 0;
}

static struct ks_prompt prompt_of(const char *role)
{
    struct ks_prompt prompt;
    assert_int_equal(ks_prompt_load(&arena, KS_SOURCE_DIR "/skills/prompts", role, &prompt, NULL), KS_OK);
    return prompt;
}

static struct ks_answer answer_of(const char *fields)
{
    struct ks_answer answer;
    char *text = strdup(ks_arena_printf(&arena, "```yaml\nrequest: q-1\n%s```\n", fields));
    assert_non_null(text);
    ks_answer_text(&answer, "q-1", text, strlen(text));
    return answer;
}

static void checks_plans(void **state)
{
    (void)state;
    const struct ks_prompt prompt = prompt_of("planner");
    static const char *const skills[] = {"shared-tiles"};
    struct ks_brief brief = {0};
    ks_fact_set(&arena, &brief.facts, "dram_pct", 81.2);
    const struct ks_plan_ask ask = {&prompt, &brief, "q-1", skills, 1};
#define REST "bottleneck: memory\nsteps: [tile it, time it]\nrejected: compute\n"
    const struct {
        const char *refusal, *fields;
    } cases[] = {
        {"accepted", REST "quotes: [dram_pct = 81.2]\nskill: shared-tiles\nexpect: [dram_pct -]\n"},
        {"accepted", REST "quotes: [dram_pct = 81]\nskill: none\n"},
        {"unverified-quote", REST "quotes: [dram_pct = 95]\nskill: none\n"},
        {"unverified-quote", REST "quotes: []\nskill: none\n"},
        {"unverified-quote", REST "quotes: [l2_pct = 10]\nskill: none\n"},
        {"plan", REST "quotes: [dram_pct = 81.2]\nskill: half-precision\n"},
        {"plan", REST "quotes: [dram_pct = 81.2]\nskill: none\nexpect: [speed +]\n"},
        {"plan", REST "quotes: [dram_pct = 81.2]\nskill: none\nexpect: [dram_pct up]\n"},
        {"schema", "bottleneck: memory\nquotes: [dram_pct = 81.2]\nskill: none\n"},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct ks_plan_reading plan;
        struct ks_answer answer = answer_of(cases[i].fields);
        ks_read_plan(&arena, &ask, &answer, &plan);
        if (strcmp(ks_refusal_name(plan.refusal), cases[i].refusal) != 0)
            fail_msg("%zu: %s (%s), not %s", i, ks_refusal_name(plan.refusal), plan.why, cases[i].refusal);
        if (i == 0)
            assert_string_equal(plan.text, "bottleneck: memory\nskill: shared-tiles\n1. tile it\n2. time it\n"
                                           "not: compute\n");
        ks_answer_free(&answer);
    }
}

static void checks_rankings(void **state)
{
    (void)state;
    const struct ks_prompt prompt = prompt_of("ranker");
    const struct ks_skill all[] = {{.id = "tiles", .direction = "data-reuse"}, {.id = "packs", .direction = "memory-access"},
                                   {.id = "wide", .direction = "memory-access"}, {.id = "shuffles", .direction = "parallel-reduction"}};
    const struct ks_skill *const offered[] = {&all[0], &all[1], &all[2], &all[3]};
    const struct ks_ranking_ask ask = {&prompt, "q-1", offered, 4};
    const struct {
        const char *refusal, *fields;
        size_t n;
    } cases[] = {
        {"accepted", "skills: [shuffles, tiles, wide]\n", 3},
        {"accepted", "skills: [packs]\nwhy: it streams\n", 1},
        {"plan", "skills: [packs, wide]\n", 0},
        {"plan", "skills: [packs, packs]\n", 0},
        {"plan", "skills: [cublas]\n", 0},
        {"plan", "skills: []\n", 0},
        {"plan", "skills: tiles\n", 0},
        {"plan", "skills: [[tiles]]\n", 0},
        {"schema", "why: I do not know\n", 0},
        {"schema", "skills: [tiles]\ncode: x\n", 0},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct ks_ranking_reading ranking;
        struct ks_answer answer = answer_of(cases[i].fields);
        ks_read_ranking(&arena, &ask, &answer, &ranking);
        if (strcmp(ks_refusal_name(ranking.refusal), cases[i].refusal) != 0)
            fail_msg("%zu: %s (%s), not %s", i, ks_refusal_name(ranking.refusal), ranking.why, cases[i].refusal);
        assert_true(ranking.refusal != KS_ACCEPTED || ranking.n == cases[i].n);
        if (i == 0)
            assert_ptr_equal(ranking.skills[0], &all[3]);
        ks_answer_free(&answer);
    }
}

static void checks_reviews(void **state)
{
    (void)state;
    const struct ks_prompt prompt = prompt_of("reviewer");
    const struct {
        const char *refusal, *fields;
        bool rejects;
    } cases[] = {
        {"accepted", "verdict: pass\n", false},
        {"accepted", "verdict: reject\nquote: \"y[i + 1]\"\nfinding: past the end\n", true},
        {"unverified-quote", "verdict: reject\nquote: \"y[i + 2]\"\nfinding: past the end\n", false},
        {"unverified-quote", "verdict: reject\nfinding: I do not like it\n", false},
        {"schema", "verdict: perhaps\n", false},
        {"schema", "quote: x\n", false},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct ks_review_reading review;
        struct ks_answer answer = answer_of(cases[i].fields);
        ks_read_review(&arena, &prompt, "q-1", "y[i + 1] = 0;", &answer, &review);
        if (strcmp(ks_refusal_name(review.refusal), cases[i].refusal) != 0 || review.rejects != cases[i].rejects)
            fail_msg("%zu: %s (%s)", i, ks_refusal_name(review.refusal), review.why);
        ks_answer_free(&answer);
    }
}

static void checks_summaries(void **state)
{
    (void)state;
    static const struct ks_param params[] = {{.name = "n"}, {.name = "weights"}};
    const struct ks_kernel_decl decl = {.name = "comb", .params = (struct ks_param *)params, .n_params = 2};
    const struct ks_signature signature = {.instance = "comb"};
    const struct ks_brief brief = {.decl = &decl, .signature = &signature};
    struct ks_agents agents = {.summariser = prompt_of("summariser"), .backend = {.model = "big"}};
    const struct ks_summary_ask ask = {.arena = &arena, .agents = &agents, .brief = &brief, .variant = "12ab",
                                       .ratio = 1.5, .source = {.modelled = true}};
    const struct {
        const char *why, *how; // why NULL: it is a skill
    } cases[] = {
        {NULL, "Mechanism: tiles of 64 by 64; then each thread takes 8, at most 1024 threads."},
        {"`cublas`: a library in disguise", "Call cublasSgemm."},
        {"`cub::`: a library in disguise", "Use cub::BlockReduce."},
        {"`fp16`: lower precision", "Convert to FP16 first."},
        {"`skip the `: leaving work out", "Skip the last tile."},
        {"`hard-code`: one kernel's sizes", "Hard-code the bounds."},
        {"16384: one kernel's sizes", "When there are 16384 rows."},
        {"it names the kernel", "In comb the sum is shared."},
        {"it names the kernel's `weights`", "Load weights once."},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct ks_summary summary;
        struct ks_skill skill;
        struct ks_answer answer = answer_of(
            ks_arena_printf(&arena, "id: an-idea\ntitle: t\ndirection: cache\nwhen: [loops > 0]\nexpect: {metric: dram_pct, "
                                    "sign: \"-\", at_least: 2}\nhow: |\n  %s\n", cases[i].how));
        ks_read_summary(&arena, &ask, "q-1", &answer, &summary);
        if (cases[i].why == NULL) {
            assert_string_equal(ks_refusal_name(summary.refusal), "accepted");
            assert_int_equal(ks_skill_parse(&arena, "s.yaml", ks_slice_of(summary.text), &skill, NULL), KS_OK);
            assert_string_equal(skill.sources.at[0], "big, of variant 12ab of comb, 1.50 times as fast, modelled");
            assert_true(skill.transform == NULL && skill.template_ == NULL);
        } else {
            assert_string_equal(ks_refusal_name(summary.refusal), "plan");
            assert_string_equal(summary.why, ks_arena_printf(&arena, "no skill for others: %s", cases[i].why));
        }
        ks_answer_free(&answer);
    }
}

// Whatever pieces a stream comes in.
static struct ks_stream stream_of(bool anthropic, const char *text, size_t piece)
{
    struct ks_stream s;
    ks_stream_begin(&s, anthropic);
    for (size_t at = 0, n = strlen(text); at < n; at += piece)
        if (!ks_stream_take(&s, text + at, n - at < piece ? n - at : piece))
            break;
    ks_stream_end(&s);
    return s;
}

static void reads_streams(void **state)
{
    (void)state;
    static const char *const openai =
        ": hello\r\n\r\ndata: {\"choices\":[{\"delta\":{\"content\":\"a\\u00e9\"},\"finish_reason\":null}]}\r\n\r\n"
        "data:{\"choices\":[{\"delta\":{\"content\":\"b\"}}],\"error\":null}\n\n"
        "data: {\"choices\":[{\"delta\":{},\"finish_reason\":\"stop\"}]}\n\n"
        "data: {\"choices\":[],\"usage\":{\"prompt_tokens\":7,\"completion_tokens\":3}}\n\ndata: [DONE]\n\n";
    static const char *const anthropic =
        "event: message_start\ndata: {\"type\":\"message_start\",\"message\":{\"usage\":{\"input_tokens\":9,"
        "\"output_tokens\":1}}}\n\nevent: ping\ndata: {\"type\":\"ping\"}\n\n"
        "event: content_block_delta\ndata: {\"type\":\"content_block_delta\",\"delta\":{\"type\":\"text_delta\","
        "\"text\":\"ab\"}}\n\nevent: message_delta\ndata: {\"type\":\"message_delta\",\"delta\":{\"stop_reason\":"
        "\"max_tokens\"},\"usage\":{\"output_tokens\":5}}\n\ndata: {\"type\":\"message_stop\"}\n\n";
    for (size_t piece = 1; piece < 600; piece = piece * 3 + 1) {
        struct ks_stream s = stream_of(false, openai, piece);
        assert_string_equal(ks_buf_text(&s.text), "a\xc3\xa9" "b");
        assert_true(s.ended && !s.cut && !s.garbage && !s.refused && s.tokens_in == 7 && s.tokens_out == 3);
        ks_stream_free(&s);
        s = stream_of(true, anthropic, piece);
        assert_string_equal(ks_buf_text(&s.text), "ab");
        assert_true(s.ended && s.cut && s.tokens_in == 9 && s.tokens_out == 5);
        ks_stream_free(&s);
    }
    struct ks_stream s = stream_of(false, "{\"choices\":[{\"message\":{\"content\":\"whole\"},\"finish_reason\":"
                                          "\"stop\"}],\n\"usage\":{\"prompt_tokens\":1,\"completion_tokens\":2}}", 10);
    assert_string_equal(ks_buf_text(&s.text), "whole");
    assert_true(s.ended && s.tokens_out == 2);
    ks_stream_free(&s);
    s = stream_of(true, "{\"type\":\"message\",\"content\":[{\"type\":\"text\",\"text\":\"w\"}],\"stop_reason\":"
                        "\"end_turn\",\"usage\":{\"input_tokens\":1,\"output_tokens\":2}}", 1000);
    assert_string_equal(ks_buf_text(&s.text), "w");
    assert_true(s.ended);
    ks_stream_free(&s);
    s = stream_of(false, "data: {\"error\":{\"message\":\"busy\"}}\n\n", 4);
    assert_true(s.refused);
    assert_string_equal(s.why, "busy");
    ks_stream_free(&s);
    struct ks_redaction redaction = {0}; // a key that the server repeats, also where what it says is cut
    ks_strv_add(&arena, &redaction.secrets, "my-own-server's-key");
    ks_stream_begin(&s, false);
    s.redaction = &redaction;
    const char *said = ks_arena_printf(&arena, "{\"error\":{\"message\":\"no: my-own-server's-key%0170d my-own-server's-key"
                                               "\"}}", 0);
    ks_stream_take(&s, said, strlen(said));
    ks_stream_end(&s);
    assert_true(s.refused && ks_starts_with(s.why, "no: [secret]000"));
    assert_null(strstr(s.why, "my-own"));
    ks_stream_free(&s);
    s = stream_of(false, "data: {\"choices\": [\xff\n\n", 4);
    assert_true(s.garbage);
    ks_stream_free(&s);
    s = stream_of(false, "data: {\"choices\":[{\"delta\":{\"content\":\"a\"}}]}\n\n", 9); // breaks off
    assert_false(s.ended);
    ks_stream_free(&s);
}

static void bounds_streams(void **state)
{
    (void)state;
    struct ks_stream s;
    static const char line[] = "data: {\"choices\":[{\"delta\":{\"content\":\"0123456789012345678901234567890123456789\"}}]}\n";
    ks_stream_begin(&s, false);
    size_t n = 0;
    while (ks_stream_take(&s, line, sizeof line - 1) && n < 1000000)
        n++;
    assert_true(s.too_long && n >= KS_ANSWER_MOST / 40 - 1 && n <= KS_ANSWER_MOST / 40);
    ks_stream_free(&s);
    ks_stream_begin(&s, false); // one endless line
    static char bytes[65536];
    memset(bytes, 'x', sizeof bytes);
    for (n = 0; ks_stream_take(&s, bytes, sizeof bytes) && n < 10000; n++)
        ;
    assert_true(s.too_long && n < 64);
    ks_stream_free(&s);
    ks_stream_begin(&s, false); // lines without end that say nothing
    memset(bytes, '\n', sizeof bytes);
    for (n = 0; ks_stream_take(&s, bytes, sizeof bytes) && n < 10000; n++)
        ;
    assert_true(s.too_long && n < 2000);
    ks_stream_free(&s);
}

static char sent[256];
static int polls;

static enum ks_status take_question(void *self, const struct ks_ask *ask, struct ks_err *err)
{
    (void)self;
    (void)err;
    snprintf(sent, sizeof sent, "%s", ask->user);
    return KS_OK;
}

static bool no_answer(void *self, double seconds, struct ks_answer *answer)
{
    (void)self;
    (void)seconds;
    (void)answer;
    ks_sleep(0.001);
    polls++;
    return false;
}

static void asks_one_within_bounds(void **state)
{
    (void)state;
    struct ks_agents agents = {.backend = {.submit = take_question, .poll = no_answer},
                               .each = {.seconds = 1},
                               .all = {.limits = {.seconds = 5}, .seconds = 5},
                               .redaction = {.home = "/home/somebody"}};
    struct ks_ask ask = {.id = "q-1", .system = "", .user = "at /home/somebody/x with my-own-server's-key"};
    struct ks_answer answer;
    bool answered;
    ks_strv_add(&arena, &agents.redaction.secrets, "my-own-server's-key");
    assert_int_equal(ks_ask_one(&arena, &agents, &ask, &answer, &answered, NULL), KS_OK);
    assert_false(answered);
    assert_string_equal(sent, "at ~/x with [secret]");
    assert_int_equal(polls, 1); // no time is left in all
    assert_true(agents.all.seconds > 5);
}

static void ranks_by_words(void **state)
{
    (void)state;
    static const char *const texts[] = {"the cat sat", "the dog", "the cat and theCat-cat_cat", "none of it"};
    const struct ks_bm25 *index = ks_bm25_make(&arena, texts, 4);
    size_t found[4];
    double scores[4];
    assert_int_equal(ks_bm25_find(index, "CAT cat", 4, found, scores), 2);
    assert_int_equal(found[0], 2);
    // By hand: N = 4, n = 2, idf = ln(1 + 2.5 / 2.5); lengths 3, 2, 7, 3, mean 3.75.
    double idf = 0.69314718056, a = idf * 4 * 2.5 / (4 + 1.5 * (0.25 + 0.75 * 7 / 3.75)),
           b = idf * 2.5 / (1 + 1.5 * (0.25 + 0.75 * 3 / 3.75));
    assert_true(scores[0] > a - 1e-9 && scores[0] < a + 1e-9);
    assert_true(scores[1] > b - 1e-9 && scores[1] < b + 1e-9);
    assert_int_equal(ks_bm25_find(index, "the", 2, found, scores), 2);
    assert_int_equal(ks_bm25_find(index, "bird", 4, found, scores), 0);
}

static void shows_what_complements(void **state)
{
    (void)state;
    const struct ks_skill skills[] = {
        {.id = "a", .title = "t", .direction = "cache", .how = "nothing in common"},
        {.id = "b", .title = "t", .direction = "cache", .how = "histogram of bins with atomics"},
        {.id = "c", .title = "t", .direction = "atomics", .how = "nothing in common"},
        {.id = "d", .title = "t", .direction = "measurement", .how = "histogram bins"},
    };
    const struct ks_retrieve_from from[] = {{&skills[0], 0.9}, {&skills[1], 0.8}, {&skills[2], 0.1}, {&skills[3], 1}};
    const struct ks_brief brief = {.kernel_text = "__global__ void histogram(int *bins) {}"};
    const struct ks_skill *chosen[3];
    assert_int_equal(ks_retrieve(&arena, &brief, from, 4, 3, true, chosen), 2);
    assert_string_equal(chosen[0]->id, "b"); // its words outweigh a tenth of score
    assert_string_equal(chosen[1]->id, "c");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(checks_plans),   cmocka_unit_test(checks_rankings),
         cmocka_unit_test(checks_reviews),
        cmocka_unit_test(checks_summaries), cmocka_unit_test(reads_streams),
        cmocka_unit_test(bounds_streams), cmocka_unit_test(ranks_by_words), cmocka_unit_test(shows_what_complements),
        cmocka_unit_test(asks_one_within_bounds),
    };
    return cmocka_run_group_tests(tests, NULL, tear_down);
}
