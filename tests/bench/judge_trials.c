// judge_trials FILE.cu KERNEL PROPOSAL.yaml [search=N] [full=N] [quick=N] [lines=N] [seconds=N] [seed=N] [unsanitized]
//              [anew] [-- NVCC WORDS]
//
// What the judge says of one proposal, many times over, on the device that `ks` would use:
//   search=N  the timing of a search N times, and of a confirmation where that finds it faster
//   full=N    full judgement N times, and the confirmation whatever the first found
//   unsanitized  confirmations without compute-sanitizer: for many trials of what it does not bear on
//   anew  compiles for each full judgement, as a search does: meanwhile processes start and end that the next trial
//             would otherwise wait for
//   quick=N   one batch of N copies of the proposal that differ in a comment
//   lines=N   the trials are divided among N lines (1), each with what its own gave: what was printed survives a cut
//   seconds=N  no trial is begun later than that after the first; the counts say how many were made
//   seed=N    of sizes and values drawn (from the system)
// Prints JSON objects, a line each, for judge_figures.py. Compile times are apart, as everywhere in the judge.
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "app/verb.h"
#include "base/log.h"
#include "os/clock.h"
#include "os/file.h"
#include "search/settle.h"
#include "verify/session.h"
#include "verify/timing.h"

struct request {
    const char *file, *kernel, *proposal;
    long search, full, quick, lines, seconds, seed;
    bool unsanitized, anew;
    const char *const *words;
};

static void must(enum ks_status status, const struct ks_err *err)
{
    if (status == KS_OK)
        return;
    fprintf(stderr, "judge_trials: %s\n", err->text);
    exit(1);
}

static bool read_words(char **argv, struct request *r)
{
    *r = (struct request){.file = argv[1], .kernel = argv[2], .proposal = argv[3], .lines = 1};
    for (char **at = argv + 4; *at != NULL; at++) {
        if (strcmp(*at, "--") == 0) {
            r->words = (const char *const *)at + 1;
            break;
        }
        if (strcmp(*at, "unsanitized") == 0)
            r->unsanitized = true;
        else if (strcmp(*at, "anew") == 0)
            r->anew = true;
        else if (sscanf(*at, "search=%ld", &r->search) != 1 && sscanf(*at, "full=%ld", &r->full) != 1 &&
            sscanf(*at, "quick=%ld", &r->quick) != 1 && sscanf(*at, "seconds=%ld", &r->seconds) != 1 &&
            sscanf(*at, "lines=%ld", &r->lines) != 1 && sscanf(*at, "seed=%ld", &r->seed) != 1)
            return false;
    }
    return r->search >= 0 && r->full >= 0 && r->quick >= 0 && r->seconds >= 0 && r->lines > 0 && r->seed >= 0;
}

static struct ks_proposal *read_proposal(struct ks_arena *arena, const char *path,
                                         const struct ks_signature *signature)
{
    struct ks_err err = {0};
    struct ks_slice text;
    struct ks_yaml *root;
    struct ks_proposal *proposal = KS_NEW(arena, struct ks_proposal);
    must(ks_file_read(arena, path, 1 << 20, &text, &err), &err);
    must(ks_yaml_parse(arena, path, text, &root, &err), &err);
    must(ks_proposal_read(arena, path, root, proposal, &err), &err);
    must(ks_proposal_check(arena, proposal, signature, &err), &err);
    return proposal;
}

static void count(json_t *counts, const char *name)
{
    json_object_set_new(counts, name,
                        json_integer(json_integer_value(json_object_get(counts, name)) + 1));
}

// Whether the proposal is the original to the last instruction, so that its true ratio is 1.
static bool same_code(const struct ks_judge *judge, const struct ks_candidate *candidate)
{
    struct ks_err err = {0};
    struct ks_digest original;
    must(ks_cubin_entry_digest(judge->original_cubin, judge->kernel->signature->registered, &original, &err), &err);
    return candidate->n == 1 && candidate->sass != NULL && ks_digest_eq(&candidate->sass[0], &original);
}

// At most `most` trials, none begun after `end`; 0: whenever.
static json_t *search_trials(struct ks_judge *judge, const struct ks_candidate *candidate, long most, double end)
{
    struct ks_err err = {0};
    if (candidate->failure != KS_C_CORRECT)
        must(ks_err_set(&err, KS_E_USER, "%s", candidate->reason), &err);
    json_t *ratios = json_array(), *seconds = json_array();
    long n = 0, wins = 0, confirmed = 0, not_measured = 0;
    for (; n < most && (end == 0 || ks_now() < end); n++) {
        struct ks_arena scratch = {0};
        struct ks_timed timed;
        enum ks_correctness correctness = KS_C_CORRECT;
        double start = ks_now();
        must(ks_timing_run(judge, &scratch, candidate, &ks_rule_search, false, &timed, &correctness,
                           &err),
             &err);
        json_array_append_new(seconds, json_real(ks_now() - start));
        if (timed.speed == KS_S_VOID || correctness != KS_C_CORRECT)
            not_measured++;
        else
            json_array_append_new(ratios, json_real(timed.geomean));
        if (timed.speed == KS_S_FASTER) {
            wins++;
            must(ks_timing_run(judge, &scratch, candidate, &ks_rule_confirm, false, &timed,
                               &correctness, &err),
                 &err);
            confirmed += timed.speed == KS_S_FASTER && correctness == KS_C_CORRECT;
        }
        ks_arena_free(&scratch);
    }
    return json_pack("{s:I,s:I,s:I,s:I,s:o,s:o}", "trials", (json_int_t)n, "faster", (json_int_t)wins, "confirmed",
                     (json_int_t)confirmed, "not_measured", (json_int_t)not_measured, "ratios", ratios, "seconds",
                     seconds);
}

// The same proposal, with a comment that no other has.
static struct ks_proposal *copy_proposal(struct ks_arena *arena, const struct ks_proposal *proposal)
{
    static int copies;
    struct ks_proposal *copy = ks_arena_memdup(arena, proposal, sizeof *proposal);
    copy->source = ks_arena_printf(arena, "// copy %d\n%s", ++copies, proposal->source);
    return copy;
}

static json_t *full_trials(struct ks_judge *judge, struct ks_proposal *proposal, bool anew, long most, double end)
{
    json_t *correctness = json_object(), *speeds = json_object(), *seconds = json_array(), *ratios = json_array();
    json_t *checks = json_object();
    char reason[512] = "";
    long n = 0;
    for (; n < most && (end == 0 || ks_now() < end); n++) {
        struct ks_err err = {0};
        struct ks_verdict verdict;
        judge->claims = 0; // each trial is a search of its own
        if (anew)
            proposal = copy_proposal(judge->arena, proposal);
        must(ks_judge_full(judge, proposal, &verdict, &err), &err);
        if (verdict.correctness == KS_C_CORRECT && verdict.domain != NULL)
            must(ks_judge_confirm(judge, proposal, &verdict, &err), &err);
        count(correctness, ks_correctness_name(verdict.correctness));
        count(speeds, ks_speed_name(verdict.speed));
        json_array_append_new(seconds, json_real(verdict.seconds_run));
        for (int kind = KS_CHECK_CORRECTNESS; kind < KS_CHECK_COUNT; kind++) { // those before it are no runs
            const char *name = ks_check_kind_name((enum ks_check_kind)kind);
            if (json_object_get(checks, name) == NULL)
                json_object_set_new(checks, name, json_array());
            json_array_append_new(json_object_get(checks, name), json_real(verdict.checks.seconds[kind]));
        }
        if (verdict.geomean > 0)
            json_array_append_new(ratios, json_real(verdict.geomean));
        snprintf(reason, sizeof reason, "%s", verdict.reason);
    }
    return json_pack("{s:I,s:o,s:o,s:o,s:o,s:o,s:s}", "trials", (json_int_t)n, "correctness", correctness, "speed",
                     speeds, "seconds_run", seconds, "checks", checks, "ratios", ratios, "reason", reason);
}

static json_t *quick_trial(struct ks_judge *judge, struct ks_arena *arena,
                           const struct ks_proposal *proposal, size_t n)
{
    struct ks_err err = {0};
    struct ks_proposal **copies = KS_NEW_ARRAY(arena, struct ks_proposal *, n);
    struct ks_verdict *verdicts = KS_NEW_ARRAY(arena, struct ks_verdict, n);
    size_t correct = 0;
    double compile = 0, run = 0;
    for (size_t i = 0; i < n; i++)
        copies[i] = copy_proposal(arena, proposal);
    must(ks_judge_quick(judge, copies, n, verdicts, &err), &err);
    for (size_t i = 0; i < n; i++) {
        correct += verdicts[i].correctness == KS_C_CORRECT;
        compile += verdicts[i].seconds_compile;
        run += verdicts[i].seconds_run;
    }
    return json_pack("{s:I,s:I,s:f,s:f,s:f}", "candidates", (json_int_t)n, "correct",
                     (json_int_t)correct, "seconds_compile", compile, "seconds_run", run,
                     "per_second", (double)n / (compile + run));
}

static long share(long n, long line, long lines)
{
    return n * (line + 1) / lines - n * line / lines;
}

int main(int argc, char **argv)
{
    struct ks_arena arena = {0};
    struct ks_err err = {0};
    struct request r;
    struct ks_verb_context context = {.arena = &arena};
    struct verb_tu tu;
    ks_log_init("judge_trials", KS_LOG_WARN);
    if (argc < 4 || !read_words(argv, &r)) {
        fprintf(stderr, "usage: see the head of judge_trials.c\n");
        return 2;
    }
    const char *const none[] = {NULL};
    must(ks_config_load(&arena, none, &context.config, &err), &err);
    must(verb_tu_open(&context, r.file, r.words, &tu, &err), &err);
    const struct ks_tu_kernel *kernel = NULL;
    for (size_t i = 0; i < tu.tu.n_kernels; i++)
        if (tu.tu.kernels[i].signature != NULL &&
            verb_kernel_is(&arena, &tu.tu.kernels[i], r.kernel))
            kernel = &tu.tu.kernels[i];
    if (kernel == NULL)
        must(verb_no_kernel(&tu, r.kernel, &err), &err);
    struct ks_judge *judge;
    const char *finding, *dir = ks_path_join(&arena, tu.dir, "judge");
    must(ks_dir_make(dir, &err), &err);
    must(ks_settle_open(&arena, &tu.tu, kernel, &tu.plain, &context.config, dir, false, &judge, &finding,
                        &err),
         &err);
    if (judge == NULL)
        must(ks_err_set(&err, KS_E_DEVICE, "the original: %s", finding), &err);
    if (r.seed > 0) {
        judge->options.seed = (uint64_t)r.seed;
        ks_judge_reseed(judge);
        judge->shape_seed = ks_rng_next(&judge->rng);
    }
    if (r.unsanitized)
        snprintf(judge->no_sanitizer, sizeof judge->no_sanitizer, "this benchmark leaves it out");
    struct ks_proposal *proposal = read_proposal(&arena, r.proposal, kernel->signature);
    const struct ks_problem *problems;
    const double *baseline;
    ks_judge_baseline(judge, &problems, &baseline);
    must(ks_judge_prepare(judge, &proposal, 1, &err), &err);
    const struct ks_candidate *candidate = judge->cache.at[0];
    char date[32];
    ks_utc_text(date);
    double end = r.seconds > 0 ? ks_now() + (double)r.seconds : 0;
    for (long line = 0; line < r.lines && (end == 0 || ks_now() < end); line++) {
        long search = share(r.search, line, r.lines), full = share(r.full, line, r.lines);
        json_t *out = json_pack("{s:s,s:s,s:s,s:s,s:I,s:b,s:f,s:b}", "kernel", r.kernel, "proposal",
                                ks_path_base(r.proposal), "date", date, "gpu", judge->device.uuid, "seed",
                                (json_int_t)r.seed, "same_code", same_code(judge, candidate), "original_us",
                                baseline[0], "sanitized", !r.unsanitized);
        if (search > 0)
            json_object_set_new(out, "search", search_trials(judge, candidate, search, end));
        if (full > 0)
            json_object_set_new(out, "full", full_trials(judge, proposal, r.anew, full, end));
        if (r.quick > 0 && line == 0)
            json_object_set_new(out, "quick", quick_trial(judge, &arena, proposal, (size_t)r.quick));
        json_dumpf(out, stdout, JSON_REAL_PRECISION(5) | JSON_PRESERVE_ORDER | JSON_COMPACT);
        puts("");
        fflush(stdout);
        json_decref(out);
    }
    ks_judge_close(judge);
    verb_tu_close(&tu);
    ks_arena_free(&arena);
    return 0;
}
