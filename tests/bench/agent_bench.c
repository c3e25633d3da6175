// agent_bench URL STEPS PARALLEL TOKENS: asks the server of tests/agent/server.py so many questions, so many at a time, within a
// budget of TOKENS (0: none), reads each answer as a proposal, and prints one JSON object: answers lost and doubled,
// what was spent, processor time a step, memory at a fifth of the way and at the end, a query among 10,000 skills, and
// the making of a question about a kernel on which 40 proposals were tried.
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <unistd.h>

#include "agent/bm25.h"
#include "agent/chain.h"
#include "agent/http.h"
#include "agent/reading.h"
#include "base/rng.h"
#include "os/clock.h"

static double processor_seconds(void)
{
    struct rusage r;
    getrusage(RUSAGE_SELF, &r);
    return (double)r.ru_utime.tv_sec + (double)r.ru_stime.tv_sec +
           1e-6 * (double)(r.ru_utime.tv_usec + r.ru_stime.tv_usec);
}

static long resident_kib(void)
{
    long pages = 0, total;
    FILE *f = fopen("/proc/self/statm", "r");
    if (f == NULL || fscanf(f, "%ld %ld", &total, &pages) != 2)
        pages = 0;
    if (f != NULL)
        fclose(f);
    return pages * (sysconf(_SC_PAGESIZE) / 1024);
}

// Median of 101 queries among 10,000 texts of some 60 words, 2,000 different.
static double bm25_ms(void)
{
    struct ks_arena arena = {0};
    struct ks_rng rng;
    static const char *texts[10000];
    double times[101], scores[20];
    size_t found[20];
    ks_rng_seed(&rng, 1);
    for (int i = 0; i < 10000; i++) {
        struct ks_buf text = KS_BUF(4096);
        for (int k = 0; k < 60; k++) {
            double u = ks_rng_unit(&rng);
            ks_buf_printf(&text, "word%d ", (int)(2000 * u * u)); // some are frequent
        }
        texts[i] = ks_arena_strdup(&arena, ks_buf_text(&text));
        ks_buf_free(&text);
    }
    struct ks_bm25 *index = ks_bm25_make(&arena, texts, 10000);
    for (int i = 0; i < 101; i++) {
        struct ks_buf query = KS_BUF(4096);
        for (int k = 0; k < 30; k++)
            ks_buf_printf(&query, "word%d ", (int)ks_rng_below(&rng, 2000));
        double begun = ks_now();
        ks_bm25_find(index, ks_buf_text(&query), 20, found, scores);
        double took = ks_now() - begun;
        int at = i;
        for (; at > 0 && times[at - 1] > took; at--)
            times[at] = times[at - 1];
        times[at] = took;
        ks_buf_free(&query);
    }
    ks_arena_free(&arena);
    return 1000 * times[50];
}

static struct ks_candidate *tried_one(struct ks_arena *arena, int number)
{
    struct ks_candidate *c = KS_NEW(arena, struct ks_candidate);
    struct ks_buf text = KS_BUF(1 << 16);
    struct ks_yaml *root;
    ks_buf_puts(&text, "source: |\n  __global__ void k(float *y, int n)\n  {\n");
    for (int i = 0; i < 80; i++)
        ks_buf_printf(&text, "      y[%d * n] = %d.0f * y[n + %d];\n", i, number, i);
    ks_buf_puts(&text, "  }\nplan:\n  - {kernel: k, grid: [1], block: [1], args: [y, n]}\n");
    *c = (struct ks_candidate){.skill = "unaided", .rationale = "what one thinks of first", .proposer = "m"};
    KS_ASSERT(ks_yaml_parse(arena, "f", ks_slice_of(ks_buf_text(&text)), &root, NULL) == KS_OK &&
              ks_proposal_read(arena, "f", root, &c->proposal, NULL) == KS_OK);
    ks_buf_free(&text);
    return c;
}

// Of one question, the mean of 200, after 40 proposals of 80 lines of which every fourth was right.
static double question_ms(void)
{
    static const char text[] = "__global__ void twice(float *y, int n) { y[n] = 2 * y[n]; }";
    static const struct ks_device_info device = {.name = "a GPU"};
    struct ks_arena arena = {0};
    struct ks_err err = {0};
    struct ks_kernel_list kernels = {0};
    struct ks_type types[2] = {ks_type_parse(&arena, ks_slice_of("float*")), ks_type_parse(&arena, ks_slice_of("int"))};
    const struct ks_signature signature = {.registered = "twice", .qualified = "twice", .instance = "twice",
                                           .n_params = 2, .params = types};
    struct ks_agents agents = {0};
    const struct ks_config config = {.share_dir = KS_SOURCE_DIR};
    KS_ASSERT(ks_agents_prompts(&arena, &config, &agents, &err) == KS_OK &&
              ks_kernels_find(&arena, "f", ks_slice_of(text), &kernels, &err) == KS_OK);
    const struct ks_brief brief = {.kernel_text = text, .decl = &kernels.at[0], .signature = &signature,
                                   .device = &device};
    const struct ks_consult_ask ask = {.arena = &arena, .agents = &agents, .brief = &brief, .key = "0123456789ab",
                                       .source = {.file = ks_slice_of(text), .end = strlen(text), .contract = ""}};
    struct ks_consult *consult = ks_consult_open(&ask);
    for (int i = 0; i < 40; i++) {
        const struct ks_outcome outcome = {.correctness = i % 4 == 0 ? "CORRECT" : "WRONG", .reason = "",
                                           .correct = i % 4 == 0, .gains = i % 4 == 0, .ratio = i % 4 == 0 ? 1 + i : 0};
        ks_consult_note(consult, tried_one(&arena, i), &outcome);
    }
    double begun = processor_seconds();
    for (int i = 0; i < 200; i++) {
        struct ks_arena scratch = {0};
        struct ks_ask question;
        KS_ASSERT(ks_chain_ask(consult, &consult->chains[0], &scratch, &question, &err) == KS_OK);
        ks_arena_free(&scratch);
    }
    double ms = 1000 * (processor_seconds() - begun) / 200;
    ks_arena_free(&arena);
    return ms;
}

static const struct ks_signature no_signature = {.instance = "k"};
static const struct ks_kernel_decl no_decl = {.name = "k"};

// Reads an answer as it comes in a search; true if it is the one to this question.
static bool read_answer(const struct ks_prompt *prompt, const struct ks_answer *answer)
{
    struct ks_arena arena = {0};
    const struct ks_brief brief = {.decl = &no_decl, .signature = &no_signature};
    const struct ks_reading_ask ask = {.prompt = prompt, .brief = &brief, .id = answer->id};
    struct ks_reading reading;
    bool right = answer->end == KS_ANSWERED &&
                 strcmp(answer->text, ks_arena_printf(&arena, "answer to %s", answer->id)) == 0;
    ks_read_proposal(&arena, &ask, answer, &reading);
    ks_arena_free(&arena);
    return right;
}

int main(int argc, char **argv)
{
    struct ks_arena arena = {0};
    struct ks_err err = {0};
    struct ks_backend backend;
    struct ks_prompt prompt;
    if (argc != 5)
        return 2;
    size_t steps = (size_t)atol(argv[2]), asked = 0, open = 0, lost = 0, doubled = 0, wrong = 0, refused = 0;
    const struct ks_http_options options = {.model = "m", .url = argv[1], .timeout = 20, .delay = 0.02,
                                            .parallel = atoi(argv[3]), .tries = 12};
    struct ks_spend spend = {.limits = {.tokens = atol(argv[4])}};
    unsigned char *got = calloc(steps + 1, 1);
    char *pad = calloc(2001, 1);
    KS_ASSERT(got != NULL && pad != NULL);
    memset(pad, 'x', 2000);
    if (ks_http_open(&options, &backend, &err) != KS_OK ||
        ks_prompt_load(&arena, KS_SOURCE_DIR "/skills/prompts", "coder", &prompt, &err) != KS_OK) {
        fprintf(stderr, "%s\n", err.text);
        return 1;
    }
    long early = 0;
    double begun = ks_now(), processor = processor_seconds();
    while (asked < steps || open > 0) {
        struct ks_answer answer;
        while (asked < steps && open < (size_t)options.parallel * 2) {
            char id[KS_ASK_ID], user[2600];
            snprintf(id, sizeof id, "s%zu", asked);
            snprintf(user, sizeof user, "# Request %s\n%s", id, pad);
            const struct ks_ask ask = {.id = id, .role = "coder", .kernel = "k", .system = "s", .user = user,
                                       .max_tokens = 100, .spend = &spend};
            KS_ASSERT(backend.submit(backend.self, &ask, &err) == KS_OK);
            asked++;
            open++;
        }
        if (!backend.poll(backend.self, 30, &answer))
            break;
        size_t number = (size_t)atol(answer.id + 1);
        doubled += number < steps && got[number]++ > 0;
        refused += answer.end != KS_ANSWERED;
        wrong += !read_answer(&prompt, &answer) && answer.end == KS_ANSWERED;
        ks_answer_free(&answer);
        open--;
        if (asked - open == steps / 5)
            early = resident_kib();
    }
    processor = processor_seconds() - processor;
    for (size_t i = 0; i < steps; i++)
        lost += got[i] == 0;
    long late = resident_kib();
    backend.close(backend.self);
    printf("{\"steps\": %zu, \"seconds\": %.2f, \"lost\": %zu, \"doubled\": %zu, \"wrong\": %zu, \"unanswered\": %zu, "
           "\"requests\": %lld, \"spent\": %lld, \"untold\": %lld, \"overhead_ms\": %.3f, \"kib_early\": %ld, "
           "\"kib_end\": %ld, \"bm25_ms\": %.3f, \"question_ms\": %.3f}\n",
           steps, ks_now() - begun, lost, doubled, wrong, refused, (long long)spend.requests,
           (long long)(spend.tokens_in + spend.tokens_out), (long long)spend.untold,
           1000 * processor / (double)steps, early, late, bm25_ms(), question_ms());
    free(got);
    free(pad);
    ks_arena_free(&arena);
    return 0;
}
