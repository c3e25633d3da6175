// search_bench LOG.jsonl SKILLS_DIR [seeds=N] [batch=N] [share=N] [full=N]: plays searches back on a log,
// whole, with each part left out, and drawn at random; prints tables, and last a line of JSON. Each half of the kernels
// is searched with constants that were fitted to the other.
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/log.h"
#include "fmt/json.h"
#include "search/replay.h"
#include "search_fit.h"

#define RESAMPLES 2000
#define FIT_SEEDS 3

struct bench {
    struct ks_arena arena;
    struct ks_skill_list skills;
    struct ks_replay_log record;
    long seeds, batch, share, full;
    unsigned base; // bits of parts that are left out throughout
    struct ks_policy_constants fitted[2]; // to the other half
    bool usual;                           // the constants of `ks tune` in their place
};
struct figures {
    double *needed;  // by kernel: mean over seeds
    double *by_seed; // sum over kernels
    double asked, found, seconds;
    size_t n_asked, missed;
};

static void must(enum ks_status status, const struct ks_err *err)
{
    if (status == KS_OK)
        return;
    fprintf(stderr, "search_bench: %s\n", err->text);
    exit(1);
}

// With `racing` what is needed counts in looks.
static struct figures play(struct bench *b, unsigned without, bool random, enum ks_replay_racing racing)
{
    size_t n = b->record.kernels.len;
    struct figures f = {.needed = KS_NEW_ARRAY(&b->arena, double, n),
                        .by_seed = KS_NEW_ARRAY(&b->arena, double, (size_t)b->seeds)};
    for (size_t k = 0; k < n; k++) {
        const struct ks_policy_constants *constants =
            b->usual ? NULL : &b->fitted[fit_half(b->record.kernels.at[k].name)];
        for (long seed = 0; seed < b->seeds; seed++) {
            struct ks_err err = {0};
            struct ks_replay_result result;
            const struct ks_replay_options options = {.seed = (uint64_t)seed + 1,
                                                      .without = without | b->base,
                                                      .constants = constants,
                                                      .random = random,
                                                      .batch = (size_t)b->batch,
                                                      .share = (double)b->share / 100,
                                                      .racing = racing,
                                                      .full = (size_t)b->full};
            must(ks_replay_search(&b->record, k, &options, &result, &err), &err);
            double needed = (double)(racing == KS_REPLAY_UNCOUNTED ? result.needed : result.looks);
            f.needed[k] += needed / (double)b->seeds;
            f.by_seed[seed] += needed;
            f.missed += result.missed;
            f.asked += (double)result.asked;
            f.found += log(result.found / b->record.kernels.at[k].best);
            f.seconds += result.seconds;
            f.n_asked++;
        }
    }
    return f;
}

// Mean of what is drawn from `values` (exp of it, of logarithms), and its 95 % interval by drawing again.
static void interval(double *values, size_t n, double out[3])
{
    double means[RESAMPLES], sum = 0;
    struct ks_rng rng;
    ks_rng_seed(&rng, 7);
    for (size_t i = 0; i < n; i++)
        sum += values[i];
    out[0] = exp(sum / (double)n);
    for (size_t r = 0; r < RESAMPLES; r++) {
        double drawn = 0;
        for (size_t i = 0; i < n; i++)
            drawn += values[ks_rng_below(&rng, n)];
        size_t at = r;
        for (; at > 0 && means[at - 1] > drawn / (double)n; at--)
            means[at] = means[at - 1];
        means[at] = drawn / (double)n;
    }
    out[1] = exp(means[RESAMPLES / 40]);
    out[2] = exp(means[RESAMPLES - 1 - RESAMPLES / 40]);
}

// How many candidates `a` needs for one of `c`: of all kernels together, paired by seed; and the mean of the kernels'
// ratios, each of them drawn again.
static void ratios_of(struct bench *b, const struct figures *a, const struct figures *c, double by_seed[3],
                      double by_kernel[3])
{
    size_t n = b->record.kernels.len, m = 0;
    double *logs = KS_NEW_ARRAY(&b->arena, double, n + (size_t)b->seeds);
    for (long seed = 0; seed < b->seeds; seed++)
        logs[seed] = log(a->by_seed[seed] / c->by_seed[seed]);
    interval(logs, (size_t)b->seeds, by_seed);
    for (size_t k = 0; k < n; k++)
        if (c->needed[k] > 0)
            logs[m++] = log(a->needed[k] / c->needed[k]);
    interval(logs, m, by_kernel);
}

static double mean_needed(const struct bench *b, const struct figures *f)
{
    double sum = 0;
    size_t m = 0;
    for (size_t k = 0; k < b->record.kernels.len; k++)
        if (f->needed[k] > 0) {
            sum += f->needed[k];
            m++;
        }
    return sum / (double)(m > 0 ? m : 1);
}

static void by_kernel(const struct bench *b, const struct figures *whole,
                      const struct figures *random)
{
    printf("| kernel | candidates | best | random needs | the search needs "
           "|\n|---|---|---|---|---|\n");
    for (size_t k = 0; k < b->record.kernels.len; k++) {
        const struct ks_replay_kernel *kernel = &b->record.kernels.at[k];
        printf("| %s | %zu | %.2f | %.1f | %.1f |\n", kernel->name, kernel->nodes.len - 1,
               kernel->best, random->needed[k], whole->needed[k]);
    }
    puts("");
}

// Each half's, to be used on the other.
static void fit(struct bench *b)
{
    const struct ks_replay_options options = {.without = b->base, .batch = (size_t)b->batch, .share = (double)b->share / 100};
    long seeds = b->seeds < FIT_SEEDS ? b->seeds : FIT_SEEDS;
    fit_constants(&b->record, 1, &options, seeds, &b->fitted[0]);
    fit_constants(&b->record, 0, &options, seeds, &b->fitted[1]);
    puts("| fitted to | open | unexplained | algorithm gain | algorithm | rule lift | binding | ahead |\n"
         "|---|---|---|---|---|---|---|---|");
    fit_print("one half", &b->fitted[1]);
    fit_print("the other half", &b->fitted[0]);
    fit_print("(`ks tune` has)", &ks_policy_usual);
    puts("");
}

static void row(struct bench *b, const char *name, const struct figures *f, const struct figures *whole,
                json_t *report, const char *key)
{
    double s[3], k[3];
    ratios_of(b, f, whole, s, k);
    printf("| %s | %.1f | %.2f (%.2f to %.2f) | %.2f (%.2f to %.2f) | %.0f | %.1f %% |\n", name, mean_needed(b, f), s[0],
           s[1], s[2], k[0], k[1], k[2], f->asked / (double)f->n_asked, 100 * exp(f->found / (double)f->n_asked));
    json_object_set_new(report, key, json_real(s[0]));
    json_object_set_new(report, ks_arena_printf(&b->arena, "%s_bounds", key), json_pack("[f,f]", s[1], s[2]));
}

// What a look that sorts candidates out saves of the device's time, in looks.
static void race(struct bench *b, json_t *report)
{
    struct figures raced = play(b, 0, false, KS_REPLAY_RACED), full = play(b, 0, false, KS_REPLAY_ALL_FULL);
    double s[3], k[3];
    size_t counted = 0;
    for (size_t i = 0; i < b->record.kernels.len; i++)
        counted += raced.needed[i] > 0 ? (size_t)b->seeds : 0;
    ratios_of(b, &full, &raced, s, k);
    printf("\n| a candidate gets | looks needed | ratio, paired by seed | mean ratio of the kernels | the best sorted out |\n"
           "|---|---|---|---|---|\n| one look, %ld where it stays | %.1f | 1 | 1 | %zu of %zu |\n"
           "| %ld looks | %.1f | %.2f (%.2f to %.2f) | %.2f (%.2f to %.2f) | |\n",
           b->full, mean_needed(b, &raced), raced.missed, counted, b->full, mean_needed(b, &full), s[0], s[1], s[2],
           k[0], k[1], k[2]);
    json_object_set_new(report, "ratio_without_racing", json_real(s[0]));
    json_object_set_new(report, "ratio_without_racing_bounds", json_pack("[f,f]", s[1], s[2]));
    json_object_set_new(report, "racing_missed", json_real((double)raced.missed / (double)(counted > 0 ? counted : 1)));
}

int main(int argc, char **argv)
{
    struct bench b = {.seeds = 20, .batch = 8, .share = 95, .full = 3};
    struct ks_err err = {0};
    ks_log_init("search_bench", KS_LOG_WARN);
    for (int i = 3; i < argc; i++)
        for (int part = 0; part < KS_PART_COUNT; part++)
            if (strncmp(argv[i], "without=", 8) == 0 && strstr(argv[i], ks_part_name((enum ks_part)part)) != NULL)
                b.base |= 1u << part;
    for (int i = 3; i < argc; i++)
        if (strncmp(argv[i], "without=", 8) != 0 &&
            sscanf(argv[i], "seeds=%ld", &b.seeds) != 1 &&
            sscanf(argv[i], "batch=%ld", &b.batch) != 1 &&
            sscanf(argv[i], "full=%ld", &b.full) != 1 &&
            sscanf(argv[i], "share=%ld", &b.share) != 1)
            argc = 0;
    if (argc < 3 || b.seeds < 1 || b.batch < 1 || b.full < 1) {
        fprintf(stderr, "usage: search_bench LOG.jsonl SKILLS_DIR [seeds=N] [batch=N] [share=N] [full=N]\n");
        return 2;
    }
    must(ks_skills_load(&b.arena, argv[2], false, &b.skills, &err), &err);
    must(ks_replay_load(&b.arena, argv[1], &b.skills, &b.record, &err), &err);
    b.usual = true;
    struct figures usual = play(&b, 0, false, KS_REPLAY_UNCOUNTED);
    b.usual = false;
    fit(&b);
    struct figures whole = play(&b, 0, false, KS_REPLAY_UNCOUNTED), random = play(&b, 0, true, KS_REPLAY_UNCOUNTED);
    json_t *report = json_pack(
        "{s:s,s:i,s:i,s:f,s:f,s:f,s:f,s:f}", "schema", "bench.search", "kernels",
        (int)b.record.kernels.len, "seeds", (int)b.seeds, "needed", mean_needed(&b, &whole),
        "needed_usual", mean_needed(&b, &usual), "asked", whole.asked / (double)whole.n_asked, "found",
        exp(whole.found / (double)whole.n_asked), "policy_ms", whole.seconds / whole.asked * 1e3);
    by_kernel(&b, &whole, &random);
    puts("| without | candidates needed | ratio to the whole, paired by seed | mean ratio of the kernels | looked at until it "
         "stops | share of the best by then |\n|---|---|---|---|---|---|");
    printf("| (nothing: the whole) | %.1f | 1 | 1 | %.0f | %.1f %% |\n", mean_needed(&b, &whole),
           whole.asked / (double)whole.n_asked, 100 * exp(whole.found / (double)whole.n_asked));
    for (int part = 0; part < KS_PART_COUNT; part++) {
        if (b.base & (1u << part))
            continue;
        struct figures less = play(&b, 1u << part, false, KS_REPLAY_UNCOUNTED);
        const char *name = ks_part_name((enum ks_part)part);
        row(&b, name, &less, &whole, report, ks_arena_printf(&b.arena, "ratio_without_%s", name));
    }
    row(&b, "any policy (at random)", &random, &whole, report, "ratio_random");
    race(&b, report);
    json_dumpf(report, stdout, JSON_REAL_PRECISION(4) | JSON_PRESERVE_ORDER);
    puts("");
    json_decref(report);
    ks_arena_free(&b.arena);
    return 0;
}
