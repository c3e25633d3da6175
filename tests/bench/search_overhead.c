// search_overhead LOG.jsonl SKILLS_DIR TEMPLATES_DIR STATE_DIR KERNEL.cu...: what a search costs
// beside compilers and runs. Searches each kernel as `ks tune` does: names of candidates, the
// policy's choice, their text and plan, the look whether they are known, and the record in a
// memory; answers come from the log where it has the candidate. Prints a line of JSON, milliseconds
// of a candidate.
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "../host_run/host_run.h"
#include "base/log.h"
#include "fmt/json.h"
#include "os/clock.h"
#include "os/file.h"
#include "search/choose.h"
#include "search/reach.h"
#include "search/replay.h"
#include "search/trajectory.h"
#include "source/mechanism.h"

#define BATCH 16
#define MOST 400 // candidates of a kernel

enum part { CHOOSE, EMIT, REMEMBER, PARTS };

struct found { // by the tag of the policy's arm
    const char *name;
    const struct ks_skill *skill;
    struct ks_candidate *candidate; // once it is made
    const char *id, *mechanism;
};
struct search {
    struct ks_arena *arena;
    const struct ks_replay_kernel *log; // NULL: the log does not have the kernel
    struct ks_reach reach;
    struct ks_policy policy;
    struct ks_trajectory trajectory;
    struct ks_ranked_skill *ranked;
    KS_VEC(struct found) all;
    double spent[PARTS], naming; // naming: of CHOOSE
    size_t looked;
};

static void must(enum ks_status status, const struct ks_err *err)
{
    if (status == KS_OK)
        return;
    fprintf(stderr, "search_overhead: %s\n", err->text);
    exit(1);
}

static struct found *found_of(struct search *s, size_t arm)
{
    return &s->all.at[s->policy.arms.at[arm].tag];
}

static enum ks_status expand(void *context, struct ks_policy *policy, size_t from, size_t skill,
                             struct ks_err *err)
{
    struct search *s = context;
    struct ks_candidate ahead = {0};
    const struct ks_candidate *base = from == KS_ORIGINAL ? NULL : found_of(s, from)->candidate;
    struct ks_strv names = {0};
    const char *refusal;
    if (from != KS_ORIGINAL && base == NULL) {
        ahead.mechanism = found_of(s, from)->name;
        ahead.params = ahead.mechanism + strlen("transform ");
        base = &ahead;
    }
    KS_TRY(ks_reach_names(&s->reach, base, s->ranked[skill].skill, &names, &refusal, err));
    for (size_t i = 0; i < names.len; i++)
        if (ks_policy_offer(policy, names.at[i], from, skill, s->all.len))
            *ks_vec_push(s->arena, &s->all) =
                (struct found){.name = names.at[i], .skill = s->ranked[skill].skill};
    return KS_OK;
}

// What the log says of a candidate; of others that they are right and a little slower.
static double answer(const struct search *s, const char *name)
{
    for (size_t i = 1; s->log != NULL && i < s->log->nodes.len; i++)
        if (strcmp(s->log->nodes.at[i].name, name) == 0)
            return s->log->nodes.at[i].look;
    return 0.95;
}

static bool make(struct search *s, size_t arm)
{
    struct found *f = found_of(s, arm);
    struct ks_err err = {0};
    struct ks_candidate made;
    if (f->candidate != NULL)
        return true;
    if (ks_reach_make(&s->reach, f->name, f->skill, &made, &err) != KS_OK)
        return false;
    f->candidate = KS_NEW(s->arena, struct ks_candidate);
    *f->candidate = made;
    f->id = ks_proposal_id(s->arena, &made.proposal);
    f->mechanism = ks_proposal_mechanism(s->arena, &made.proposal);
    return true;
}

static bool stands(void *context, const struct ks_policy *policy, size_t arm)
{
    (void)policy;
    return make(context, arm);
}

static void search(struct search *s)
{
    struct ks_err err = {0};
    for (size_t n = 1; n > 0 && s->looked < MOST;) {
        size_t arms[BATCH];
        double begun = ks_now();
        must(ks_policy_next(&s->policy, BATCH, arms, &n, &err), &err);
        s->spent[CHOOSE] += ks_now() - begun;
        for (size_t i = 0; i < n; i++) {
            begun = ks_now();
            bool made =
                make(s, arms[i]) && !ks_trajectory_knows(&s->trajectory, found_of(s, arms[i])->id);
            s->spent[EMIT] += ks_now() - begun;
            if (!made) {
                ks_policy_drop(&s->policy, arms[i]);
                continue;
            }
            double ratio = answer(s, found_of(s, arms[i])->name);
            struct ks_verdict verdict = {.correctness = ratio > 0 ? KS_C_CORRECT : KS_C_WRONG,
                                         .speed = KS_S_NOT_MEASURED,
                                         .geomean = ratio};
            s->looked++;
            begun = ks_now();
            ks_trajectory_add(&s->trajectory, found_of(s, arms[i])->candidate,
                              found_of(s, arms[i])->id, &verdict, NULL);
            ks_policy_tell(&s->policy, arms[i], ratio > 0, ratio);
            s->spent[REMEMBER] += ks_now() - begun;
        }
    }
}

static const struct ks_replay_kernel *logged(const struct ks_replay_log *log, const char *name)
{
    for (size_t i = 0; i < log->kernels.len; i++)
        if (strcmp(log->kernels.at[i].name, name) == 0)
            return &log->kernels.at[i];
    return NULL;
}

// Adds what the search of one kernel took to `spent`; how many candidates.
static size_t of_kernel(const char *file, const struct ks_replay_log *log,
                        const struct ks_skill_list *skills, const char *templates,
                        struct ks_outcomes *outcomes, double *spent, double *slowest)
{
    struct ks_arena arena = {0};
    struct ks_err err = {0};
    struct ks_slice text;
    struct host_case c;
    must(ks_file_read(&arena, file, 1u << 20, &text, &err), &err);
    host_case_make(&arena, ks_arena_strndup(&arena, text.at, text.len), NULL, NULL, 0, &c);
    must(ks_engine_features(&arena, &c.brief, &err), &err);
    struct search s = {.arena = &arena, .log = logged(log, c.signature.instance)};
    s.trajectory = (struct ks_trajectory){.arena = &arena,
                                          .outcomes = outcomes,
                                          .key = file,
                                          .arch = 90,
                                          .kernel = c.signature.instance,
                                          .bottleneck = "unknown"};
    double begun = ks_now();
    struct ks_profile profile = {.bottleneck = s.log != NULL ? s.log->bottleneck : "unknown"};
    for (size_t i = 0; s.log != NULL && i < s.log->facts.len; i++)
        ks_fact_set(&arena, &profile.facts, s.log->facts.at[i].name, s.log->facts.at[i].value);
    size_t n = ks_choose_skills(&arena, skills, &c.brief, s.log != NULL ? &profile : NULL, outcomes,
                                90, &s.ranked);
    ks_reach_open(&s.reach, &arena, &c.brief, templates);
    ks_policy_init(&s.policy, &arena, 1, 0, NULL);
    s.policy.space = (struct ks_policy_space){&s, expand, stands};
    s.policy.ranked = s.ranked;
    s.policy.n_ranked = n;
    s.spent[CHOOSE] = ks_now() - begun;
    search(&s);
    double all = 0;
    for (int part = 0; part < PARTS; part++) {
        spent[part] += s.spent[part];
        all += s.spent[part];
    }
    if (s.looked > 0 && all / (double)s.looked > *slowest)
        *slowest = all / (double)s.looked;
    ks_arena_free(&arena);
    return s.looked;
}

int main(int argc, char **argv)
{
    struct ks_arena arena = {0};
    struct ks_err err = {0};
    struct ks_skill_list skills = {0};
    struct ks_replay_log log;
    struct ks_outcomes *outcomes;
    double spent[PARTS] = {0}, slowest = 0;
    size_t looked = 0;
    ks_log_init("search_overhead", KS_LOG_WARN);
    if (argc < 6) {
        fprintf(stderr, "usage: see the head of search_overhead.c\n");
        return 2;
    }
    const struct ks_config config = {.state_dir = argv[4]};
    must(ks_skills_load(&arena, argv[2], false, &skills, &err), &err);
    must(ks_replay_load(&arena, argv[1], &skills, &log, &err), &err);
    must(ks_outcomes_open(&config, &outcomes, &err), &err);
    clock_t begun = clock();
    for (int i = 5; i < argc; i++)
        looked += of_kernel(argv[i], &log, &skills, argv[3], outcomes, spent, &slowest);
    double cpu = (double)(clock() - begun) / CLOCKS_PER_SEC;
    ks_outcomes_close(outcomes);
    double of = 1e3 / (double)(looked > 0 ? looked : 1);
    json_t *report = json_pack("{s:i,s:f,s:f,s:f,s:f,s:f,s:f}", "overhead_candidates", (int)looked,
                               "overhead_ms", (spent[CHOOSE] + spent[EMIT] + spent[REMEMBER]) * of,
                               "overhead_choose_ms", spent[CHOOSE] * of, "overhead_emit_ms",
                               spent[EMIT] * of, "overhead_memory_ms", spent[REMEMBER] * of,
                               "overhead_slowest_ms", slowest * 1e3, "overhead_cpu_ms", cpu * of);
    json_dumpf(report, stdout, JSON_REAL_PRECISION(4) | JSON_PRESERVE_ORDER);
    puts("");
    json_decref(report);
    ks_arena_free(&arena);
    return 0;
}
