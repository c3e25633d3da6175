// search_record FILE.cu[:KERNEL] [nodes=N] [depth=N] [batch=N] [seed=N] [seconds=N] [lock=FILE]
// [unprofiled] [-- NVCC WORDS]
//
// Measures a sample of what a search of the kernel could reach (search_space.h), for searches to be
// played back on (docs/search.md says what the lines mean), on the device that `ks` would use:
//   nodes=N    transforms' proposals drawn (120); templates' come in addition
//   depth=N    actions in a sequence, at most (4)
//   batch=N    proposals in one compile (24)
//   seed=N     of the draws (1)
//   seconds=N  looks at nothing more after so long; what was measured is there (no limit)
//   lock=FILE  held while the device is used, so that several may compile meanwhile
//   unprofiled without counters
// Prints a line of JSON for the kernel, then one for each proposal, as they come.
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "app/verb.h"
#include "base/log.h"
#include "os/clock.h"
#include "os/file.h"
#include "os/lock.h"
#include "search/choose.h"
#include "search/settle.h"
#include "search_look.h"
#include "search_space.h"

#define PORTION 32     // proposals between two looks at the clock
#define TURN_US 200000 // longer than a waiting process sleeps between two tries at the lock

struct request {
    const char *target, *lock;
    long nodes, depth, batch, seed, seconds;
    bool unprofiled;
    const char *const *words;
};
struct recorder {
    struct ks_arena arena;
    struct request r;
    struct ks_verb_context context;
    struct verb_tu tu;
    const struct ks_tu_kernel *kernel;
    struct ks_judge *judge;
    struct ks_brief brief;
    struct ks_profile profile;
    struct ks_skill_list skills;
    struct space space;
    struct ks_lock lock;
    double begun;
    bool over;
};

static void must(enum ks_status status, const struct ks_err *err)
{
    if (status == KS_OK)
        return;
    fprintf(stderr, "search_record: %s\n", err->text);
    exit(1);
}

static bool read_words(char **argv, struct request *r)
{
    *r = (struct request){.target = argv[1], .nodes = 120, .depth = 4, .batch = 24, .seed = 1};
    for (char **at = argv + 2; *at != NULL; at++) {
        if (strcmp(*at, "--") == 0) {
            r->words = (const char *const *)at + 1;
            break;
        }
        if (strcmp(*at, "unprofiled") == 0)
            r->unprofiled = true;
        else if (strncmp(*at, "lock=", 5) == 0)
            r->lock = *at + 5;
        else if (sscanf(*at, "nodes=%ld", &r->nodes) != 1 &&
                 sscanf(*at, "depth=%ld", &r->depth) != 1 &&
                 sscanf(*at, "batch=%ld", &r->batch) != 1 &&
                 sscanf(*at, "seed=%ld", &r->seed) != 1 &&
                 sscanf(*at, "seconds=%ld", &r->seconds) != 1)
            return false;
    }
    return r->nodes > 0 && r->depth > 0 && r->batch > 0 && r->seconds >= 0;
}

static void take_device(struct recorder *r)
{
    struct ks_err err = {0};
    if (r->r.lock != NULL)
        must(ks_lock_take(r->r.lock, -1, &r->lock, &err), &err);
}

static void leave_device(struct recorder *r)
{
    if (r->r.lock != NULL)
        ks_lock_release(&r->lock);
}

static void print_line(json_t *line)
{
    json_dumpf(line, stdout, JSON_REAL_PRECISION(5) | JSON_PRESERVE_ORDER | JSON_COMPACT);
    puts("");
    fflush(stdout);
    json_decref(line);
}

static void open_kernel(struct recorder *r)
{
    struct ks_err err = {0};
    const char *const none[] = {NULL};
    const char *file, *name, *finding;
    must(ks_config_load(&r->arena, none, &r->context.config, &err), &err);
    verb_split_target(&r->arena, r->r.target, &file, &name);
    must(verb_tu_open(&r->context, file, r->r.words, &r->tu, &err), &err);
    for (size_t i = 0; i < r->tu.tu.n_kernels && r->kernel == NULL; i++)
        if (r->tu.tu.kernels[i].signature != NULL &&
            verb_kernel_is(&r->arena, &r->tu.tu.kernels[i], name))
            r->kernel = &r->tu.tu.kernels[i];
    if (r->kernel == NULL)
        must(verb_no_kernel(&r->tu, name, &err), &err);
    const char *dir = ks_path_join(&r->arena, r->tu.dir, "judge");
    must(ks_dir_make(dir, &err), &err);
    take_device(r);
    must(ks_settle_open(&r->arena, &r->tu.tu, r->kernel, &r->tu.plain, &r->context.config, dir, false,
                        &r->judge, &finding, &err),
         &err);
    if (r->judge == NULL)
        must(ks_err_set(&err, KS_E_DEVICE, "the original: %s", finding), &err);
}

// Everything that a search knows before its first candidate.
static void open_brief(struct recorder *r)
{
    struct ks_err err = {0};
    const struct ks_problem *problems;
    const double *baseline;
    struct ks_ranked_skill *ranked;
    bool fault;
    size_t n = ks_judge_baseline(r->judge, &problems, &baseline);
    must(ks_choose_brief(&r->arena, &r->tu.tu, r->kernel, problems, n, ks_judge_device(r->judge), &r->brief,
                         &err),
         &err);
    r->brief.baseline_us = baseline;
    const struct ks_profile_ask ask = {.config = &r->context.config,
                                       .tu = &r->tu.tu,
                                       .plain = &r->tu.plain,
                                       .kernel = r->kernel,
                                       .problem = &problems[ks_choose_workload(problems, n)]};
    bool profiled =
        !r->r.unprofiled && ks_profile_run(&r->arena, &ask, &r->profile, &fault, &err) == KS_OK;
    if (!profiled && !r->r.unprofiled)
        fprintf(stderr, "search_record: %s: not profiled: %s\n", r->r.target, err.text);
    leave_device(r);
    ks_choose_skills(&r->arena, &r->skills, &r->brief, profiled ? &r->profile : NULL, NULL,
                     r->kernel->arch, &ranked);
}

static void sample(struct recorder *r)
{
    struct ks_err err = {0};
    const char *share = r->context.config.share_dir;
    must(ks_skills_load(&r->arena, ks_path_join(&r->arena, share, "skills/expert"), true,
                        &r->skills, &err),
         &err);
    open_brief(r);
    r->space = (struct space){.arena = &r->arena,
                              .brief = &r->brief,
                              .skills = &r->skills,
                              .template_dir = ks_path_join(&r->arena, share, "skills/templates")};
    ks_rng_seed(&r->space.rng, (uint64_t)r->r.seed);
    must(space_sample(&r->space, (size_t)r->r.nodes, (int)r->r.depth, &err), &err);
    space_connect(&r->space);
}

static void print_kernel(const struct recorder *r)
{
    const struct ks_problem *problems;
    const double *baseline;
    size_t n = ks_judge_baseline(r->judge, &problems, &baseline);
    json_t *facts = json_object(), *us = json_array(), *actions = json_array();
    for (size_t i = 0; i < r->brief.facts.len; i++)
        if (r->brief.facts.at[i].known)
            json_object_set_new(facts, r->brief.facts.at[i].name,
                                json_real(r->brief.facts.at[i].value));
    for (size_t i = 0; i < n; i++)
        json_array_append_new(us, json_real(baseline[i]));
    for (size_t i = 0; i < r->space.actions.len; i++)
        json_array_append_new(actions, json_string(r->space.actions.at[i]));
    print_line(json_pack(
        "{s:s,s:s,s:i,s:o,s:s,s:f,s:i,s:s,s:o,s:o}", "kernel", r->kernel->signature->instance,
        "gpu", ks_judge_device(r->judge)->name, "arch", r->kernel->arch, "us", us, "bottleneck",
        r->profile.bottleneck ? r->profile.bottleneck : "unknown", "roofline_pct",
        r->profile.roofline_pct, "drawn", (int)r->space.nodes.len - 1, "untransformed",
        r->space.refusal ? r->space.refusal : "", "facts", facts, "actions", actions));
}

static void print_node(const struct recorder *r, size_t at, const struct look *look)
{
    const struct space_node *node = &r->space.nodes.at[at];
    json_t *edges = json_array(), *ratios = json_array();
    for (size_t i = 0; i < node->edges.len; i++)
        json_array_append_new(
            edges, json_pack("[i,i]", (int)node->edges.at[i].from, (int)node->edges.at[i].action));
    for (int i = 0; i < LOOKS && look->ratio[i] > 0; i++)
        json_array_append_new(ratios, json_real(look->ratio[i]));
    json_t *line = json_pack(
        "{s:s,s:i,s:s,s:i,s:s,s:s,s:o,s:f,s:f}", "of", r->kernel->signature->instance, "node",
        (int)at, "name", node->name, "depth", node->depth, "found",
        ks_correctness_name(look->verdict.correctness), "id",
        ks_arena_printf((struct ks_arena *)&r->arena, "%.12s",
                        ks_proposal_id((struct ks_arena *)&r->arena, &node->candidate.proposal)),
        "ratios", ratios, "compile_ms", look->verdict.seconds_compile * 1e3, "run_ms",
        look->run_ms);
    if (look->verdict.correctness != KS_C_CORRECT)
        json_object_set_new(line, "reason",
                            json_stringn(look->verdict.reason, strnlen(look->verdict.reason, 60)));
    json_object_set_new(line, "from", edges);
    print_line(line);
}

// Whether two bindings of the same template are in `right` already: several may do, as of a square
// matrix.
static bool enough(const struct recorder *r, const size_t *right, size_t n,
                   const struct ks_candidate *candidate)
{
    int same = 0;
    for (size_t i = 0; i < n; i++)
        same += strcmp(r->space.nodes.at[right[i]].candidate.group, candidate->group) == 0;
    return same >= 2;
}

// Compiles nodes [first, end of the list), then looks at them with the device held. Notes in
// `right` the first right bindings of each template.
static void measure(struct recorder *r, size_t first, size_t *right, size_t *n_right)
{
    struct ks_err err = {0};
    size_t n = r->space.nodes.len - first;
    struct ks_proposal **proposals = KS_NEW_ARRAY(&r->arena, struct ks_proposal *, n + 1);
    struct look *looks = KS_NEW_ARRAY(&r->arena, struct look, n + 1);
    for (size_t i = 0; i < n; i++)
        proposals[i] = &r->space.nodes.at[first + i].candidate.proposal;
    double start = ks_now();
    must(look_build(r->judge, proposals, n, (size_t)r->r.batch, &err), &err);
    double compile = (ks_now() - start) / (double)(n > 0 ? n : 1);
    for (size_t at = 0; at < n && !r->over; at += PORTION) {
        size_t m = n - at < PORTION ? n - at : PORTION;
        take_device(r);
        must(look_at(r->judge, proposals + at, m, looks + at, &err), &err);
        leave_device(r);
        for (size_t i = at; i < at + m; i++) {
            looks[i].verdict.seconds_compile = compile;
            print_node(r, first + i, &looks[i]);
            const struct ks_candidate *candidate = &r->space.nodes.at[first + i].candidate;
            if (candidate->recognition && looks[i].verdict.correctness == KS_C_CORRECT &&
                !enough(r, right, *n_right, candidate))
                right[(*n_right)++] = first + i;
        }
        if (at + m == n)
            break;
        r->over = r->r.seconds > 0 && ks_now() - r->begun > (double)r->r.seconds;
        usleep(TURN_US); // whoever waits has its turn: all get on alike
    }
}

int main(int argc, char **argv)
{
    static struct recorder r = {.lock = {.fd = -1}};
    struct ks_err err = {0};
    ks_log_init("search_record", KS_LOG_WARN);
    if (argc < 2 || !read_words(argv, &r.r)) {
        fprintf(stderr, "usage: see the head of search_record.c\n");
        return 2;
    }
    r.begun = ks_now();
    r.context.arena = &r.arena;
    open_kernel(&r);
    sample(&r);
    print_kernel(&r);
    size_t *right = KS_NEW_ARRAY(&r.arena, size_t, r.space.nodes.len), n_right = 0;
    measure(&r, 1, right, &n_right);
    size_t first = r.space.nodes.len;
    for (size_t i = 0; i < n_right; i++)
        must(space_settings(&r.space, right[i], &err), &err);
    if (!r.over && r.space.nodes.len > first)
        measure(&r, first, right, &n_right);
    print_line(json_pack("{s:s,s:b,s:f}", "end", r.kernel->signature->instance, "whole", !r.over,
                         "seconds", ks_now() - r.begun));
    ks_judge_close(r.judge);
    verb_tu_close(&r.tu);
    ks_arena_free(&r.arena);
    return 0;
}
