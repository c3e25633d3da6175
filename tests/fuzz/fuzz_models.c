// What models, their servers and mailboxes say, whatever it is: streams cut anywhere say the same
// as whole ones, reasons for a refusal are one plain line, what is taken for a proposal passes the
// gate again, what is read of a question can be written and read.
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "agent/http.h"
#include "agent/roles.h"
#include "agent/transcript_lines.h"
#include "agent/wire_form.h"
#include "fuzz.h"

#define CODE "source: |\n  __global__ void k(float *y, int n)\n  {\n      y[n] = 2 * y[n];\n  }\n"
#define PLAN "when: n >= 1\nplan:\n  - {kernel: k, grid: [1], block: [32], args: [y, n]}\n"

size_t fuzz_accepted;
const char *const fuzz_seeds[] = {
    "Let me think.\n```yaml\nrequest: q-1\nidea: less\nskill: tiles\nquotes: [loops = 1]\n" CODE
        PLAN "```\n",
    "```yaml\nrequest: q-1\ncause: differs\nidea: more\nedits:\n  - part: 1\n    text: |\n      "
    "__global__ void k(float *y, "
    "int n) { y[n] = 1; }\n```\n",
    "```\nrequest: q-1\nbottleneck: b\nquotes: [loops = 1]\nskill: tiles\nsteps: [one]\nexpect: "
    "[dram_pct -]\nrejected: r\n```\n",
    "```\nrequest: q-1\nverdict: reject\nquote: y[n] = 2\nfinding: f\n```\n",
    "```\nrequest: q-1\nskills: [tiles]\nwhy: w\n```\n",
    "data: {\"choices\": [{\"delta\": {\"content\": \"Hello\"}, \"finish_reason\": null}]}\n\n"
    "data: {\"choices\": [{\"delta\": {}, \"finish_reason\": \"stop\"}]}\n\ndata: {\"choices\": "
    "[], \"usage\": "
    "{\"prompt_tokens\": 5, \"completion_tokens\": 7}}\n\ndata: [DONE]\n\n",
    "event: message_start\ndata: {\"type\": \"message_start\", \"message\": {\"usage\": "
    "{\"input_tokens\": 9}}}\n\n"
    "data: {\"type\": \"content_block_delta\", \"delta\": {\"text\": \"Hello\"}}\n\ndata: "
    "{\"type\": \"message_delta\", "
    "\"delta\": {\"stop_reason\": \"end_turn\"}, \"usage\": {\"output_tokens\": 3}}\n\ndata: "
    "{\"type\": \"message_stop\"}\n\n",
    "{\"choices\": [{\"message\": {\"content\": \"Hello\"}, \"finish_reason\": \"length\"}]}",
    "{\"error\": {\"message\": \"Incorrect API key provided: hunter2hunter2\"}}",
    "{\"id\": \"q-1\", \"text\": \"Hello\", \"usage\": {\"input_tokens\": 1, \"output_tokens\": "
    "2}}",
    "{\"id\":\"q-1\",\"role\":\"coder\",\"kernel\":\"k\",\"system\":\"s\",\"user\":\"u\",\"max_"
    "tokens\":10,\"temperature\":0.5}",
    "{\"id\":\"q-1\",\"prompt\":\"00\",\"model\":\"m\",\"end\":\"answered\",\"text\":\"Hello\","
    "\"tokens_in\":1,\"tokens_out\":2}\n",
    NULL};
const char *const fuzz_words[] = {"```",
                                  "```\n",
                                  "request: q-1\n",
                                  "@kernel@",
                                  "edits:",
                                  "part: 1",
                                  "source: |",
                                  "- ",
                                  ": ",
                                  "[",
                                  "]",
                                  "{",
                                  "}",
                                  "data: ",
                                  "\n\n",
                                  "[DONE]",
                                  "\"error\"",
                                  "\"usage\"",
                                  "null",
                                  "\\u0000",
                                  "\xff",
                                  "\\ud800",
                                  "hunter2hunter2",
                                  "\"hex\":\"ff00\"",
                                  "\"end\":\"cut\"",
                                  "sk-aaaaaaaaaaaaaaaaaaaa",
                                  NULL};

static struct ks_arena lasting;
static struct ks_prompt coder, repairer, planner, reviewer, ranker;
static struct ks_kernel_list kernels;
static struct ks_signature signature;
static struct ks_brief brief;
static struct ks_proposal base;
static struct ks_redaction redaction;

static void load(const char *role, struct ks_prompt *prompt)
{
    FUZZ_CHECK(ks_prompt_load(&lasting, KS_SOURCE_DIR "/skills/prompts", role, prompt, NULL) ==
               KS_OK);
}

static void set_up(void)
{
    static const char text[] = "__global__ void twice(float *y, int n) { y[n] = 2 * y[n]; }";
    struct ks_yaml *root;
    if (brief.decl != NULL)
        return;
    load("coder", &coder);
    load("repairer", &repairer);
    load("planner", &planner);
    load("reviewer", &reviewer);
    load("ranker", &ranker);
    FUZZ_CHECK(ks_kernels_find(&lasting, "f", ks_slice_of(text), &kernels, NULL) == KS_OK);
    signature = (struct ks_signature){.registered = "twice",
                                      .qualified = "twice",
                                      .instance = "twice",
                                      .n_params = 2,
                                      .params = KS_NEW_ARRAY(&lasting, struct ks_type, 2)};
    signature.params[0] = ks_type_parse(&lasting, ks_slice_of("float*"));
    signature.params[1] = ks_type_parse(&lasting, ks_slice_of("int"));
    brief = (struct ks_brief){.kernel_text = text, .decl = &kernels.at[0], .signature = &signature};
    ks_fact_set(&lasting, &brief.facts, "loops", 1);
    FUZZ_CHECK(ks_yaml_parse(&lasting, "f", ks_slice_of(CODE PLAN), &root, NULL) == KS_OK &&
               ks_proposal_read(&lasting, "f", root, &base, NULL) == KS_OK);
    ks_strv_add(&lasting, &redaction.secrets, "hunter2hunter2");
}

static bool is_line(const char *text)
{
    for (; *text != '\0'; text++)
        if ((unsigned char)*text < ' ' || (unsigned char)*text > '~')
            return false;
    return true;
}

static struct ks_answer answer_of(struct ks_slice text)
{
    struct ks_answer answer;
    char *copy = malloc(text.len + 1);
    FUZZ_CHECK(copy != NULL);
    memcpy(copy, text.at, text.len);
    copy[text.len] = '\0';
    ks_answer_text(&answer, "q-1", copy, text.len);
    return answer;
}

static void read_proposal(struct ks_arena *arena, const struct ks_answer *answer, bool repair)
{
    static const char *const skills[] = {"tiles"};
    const struct ks_skill_list none = {0};
    const struct ks_reading_ask ask = {.prompt = repair ? &repairer : &coder,
                                       .brief = &brief,
                                       .id = "q-1",
                                       .base = repair ? &base : NULL,
                                       .log = repair ? "WRONG: it differs" : NULL,
                                       .skills = skills,
                                       .n_skills = 1,
                                       .known = &none};
    struct ks_reading reading;
    struct ks_err err = {0};
    ks_read_proposal(arena, &ask, answer, &reading);
    FUZZ_CHECK(is_line(reading.why) && strlen(ks_refusal_name(reading.refusal)) > 0);
    FUZZ_CHECK((reading.refusal == KS_ACCEPTED) == (reading.why[0] == '\0'));
    if (reading.refusal != KS_ACCEPTED)
        return;
    FUZZ_CHECK(ks_proposal_check(arena, &reading.candidate.proposal, &signature, &err) == KS_OK);
    FUZZ_CHECK(is_line(reading.candidate.rationale));
    fuzz_accepted++;
}

static void read_roles(struct ks_arena *arena, const struct ks_answer *answer)
{
    static const char *const ids[] = {"tiles"};
    static const struct ks_skill tiles = {.id = "tiles", .direction = "data-reuse"};
    const struct ks_skill *const skills[] = {&tiles};
    const struct ks_plan_ask plan_ask = {&planner, &brief, "q-1", ids, 1};
    const struct ks_ranking_ask ranking_ask = {&ranker, "q-1", skills, 1};
    struct ks_plan_reading plan;
    struct ks_review_reading review;
    struct ks_ranking_reading ranking;
    ks_read_plan(arena, &plan_ask, answer, &plan);
    ks_read_review(arena, &reviewer, "q-1", CODE, answer, &review);
    ks_read_ranking(arena, &ranking_ask, answer, &ranking);
    FUZZ_CHECK(is_line(plan.why) && is_line(review.why) && is_line(ranking.why));
    FUZZ_CHECK(!review.rejects || is_line(review.finding));
    FUZZ_CHECK((plan.refusal == KS_ACCEPTED) == (plan.text != NULL));
    FUZZ_CHECK(ranking.refusal != KS_ACCEPTED || ranking.n == 1);
}

// Whole and cut in pieces of one to seven bytes, a stream says the same.
static void read_stream(bool anthropic, struct ks_slice text)
{
    struct ks_stream whole, cut;
    ks_stream_begin(&whole, anthropic);
    ks_stream_begin(&cut, anthropic);
    whole.redaction = cut.redaction = &redaction;
    bool more = ks_stream_take(&whole, text.at, text.len);
    for (size_t at = 0, n = 1; at < text.len; at += n, n = 1 + (n * 5 + at) % 7)
        if (!ks_stream_take(&cut, text.at + at, n < text.len - at ? n : text.len - at))
            break;
    ks_stream_end(&whole);
    ks_stream_end(&cut);
    FUZZ_CHECK(strstr(whole.why, "hunter2hunter2") == NULL &&
               strstr(cut.why, "hunter2hunter2") == NULL);
    if (more && !whole.garbage && !whole.refused) {
        FUZZ_CHECK(whole.ended == cut.ended && whole.cut == cut.cut &&
                   whole.tokens_in == cut.tokens_in);
        FUZZ_CHECK(strcmp(ks_buf_text(&whole.text), ks_buf_text(&cut.text)) == 0);
    }
    ks_stream_free(&whole);
    ks_stream_free(&cut);
}

static void read_wires(struct ks_arena *arena, struct ks_slice text)
{
    struct ks_answer answer;
    struct ks_ask ask, again;
    struct ks_err err = {0};
    ks_reply_read("q-1", text, &answer);
    FUZZ_CHECK(answer.end == KS_ANSWERED ? answer.text[answer.len] == '\0' : is_line(answer.why));
    ks_answer_free(&answer);
    if (ks_question_read(arena, text, &ask, &err) == KS_OK) {
        char *written = ks_question_text(&ask, NULL);
        FUZZ_CHECK(written != NULL &&
                   ks_question_read(arena, ks_slice_of(written), &again, &err) == KS_OK);
        FUZZ_CHECK(strcmp(ask.user, again.user) == 0 && ask.max_tokens == again.max_tokens);
        free(written);
    }
    int fd = memfd_create("transcript", MFD_CLOEXEC);
    FUZZ_CHECK(fd >= 0 && write(fd, text.at, text.len) == (ssize_t)text.len &&
               lseek(fd, 0, SEEK_SET) == 0);
    struct ks_lines lines = {0};
    char model[128] = "";
    if (ks_lines_scan(arena, fd, "transcript", true, &lines, model, &err) == KS_OK &&
        lines.len > 0) {
        ks_line_answer(fd, &lines.at[0], &answer);
        FUZZ_CHECK(strcmp(answer.id, lines.at[0].id) == 0);
        ks_answer_free(&answer);
    }
    close(fd);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct ks_arena arena = {0};
    set_up();
    // Readers get text that ends, as it comes from buffers.
    const struct ks_slice text = {ks_arena_strndup(&arena, (const char *)data, size), size};
    struct ks_answer answer = answer_of(text);
    read_proposal(&arena, &answer, false);
    read_proposal(&arena, &answer, true);
    read_roles(&arena, &answer);
    ks_answer_free(&answer);
    read_stream(false, text);
    read_stream(true, text);
    read_wires(&arena, text);
    ks_arena_free(&arena);
    return 0;
}
