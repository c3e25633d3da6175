#include "verify/build.h"

#include <pthread.h>
#include <sched.h>
#include <stdatomic.h>

#include "base/log.h"
#include "os/clock.h"
#include "os/file.h"
#include "verify/confine.h"

#define COMPILE_SECONDS 120.0
#define COMPILE_MEMORY (INT64_C(8) << 30) // address space of each program; nvcc's own take below two
#define AT_ONCE 16

size_t ks_shadow_builds_at_once(const struct ks_judge *judge)
{
    cpu_set_t set;
    if (judge->options.compilers > 0)
        return (size_t)judge->options.compilers;
    // Two threads of one core are no faster than one at this, and others want to compute meanwhile.
    size_t n = sched_getaffinity(0, sizeof set, &set) == 0 ? (size_t)CPU_COUNT(&set) / 2 : 1;
    return n < 1 ? 1 : n > AT_ONCE ? AT_ONCE : n;
}

struct ks_substitution ks_candidate_substitution(struct ks_judge *judge, const struct ks_candidate *candidate)
{
    const struct ks_tu_mark *mark = judge->kernel->mark;
    return (struct ks_substitution){.signature = judge->kernel->signature, .decl = mark->decl,
                                    .file = mark->file->path, .in_tu = mark->in_tu,
                                    .proposal = candidate->proposal, .key = "", .id = candidate->id,
                                    .arch = judge->kernel->arch,
                                    .suffix = ks_cmdline_suffix(judge->tu->cmd, judge->kernel->arch),
                                    .provenance = ""};
}

// All that needs the session, which one thread alone uses.
static enum ks_status prepare(struct ks_judge *judge, struct ks_shadow_build *b, struct ks_err *err)
{
    struct ks_arena *arena = judge->arena;
    const struct ks_judge_options *options = &judge->options;
    b->keep = ks_arena_printf(arena, "%s/candidate-%d", options->work_dir, judge->built++);
    // Templates can keep a compiler busy for ever, and take all memory.
    b->compile = (struct ks_tu_compile){.quiet = true, .device = b->device,
                                        .limit_seconds = options->compile_timeout > 0 ? options->compile_timeout
                                                                                      : COMPILE_SECONDS,
                                        .limit_memory = COMPILE_MEMORY};
    b->subs = KS_NEW_ARRAY(arena, struct ks_substitution, b->n);
    for (size_t i = 0; i < b->n; i++)
        b->subs[i] = ks_candidate_substitution(judge, b->candidates[i]);
    KS_TRY(ks_dir_make(b->keep, err));
    if (!options->sandbox)
        return KS_OK;
    KS_TRY(ks_dir_make(options->shadow_root, err));
    KS_TRY(ks_confine_compile(arena, judge->tu->config, judge->tu->toolkit, judge->tu, options->shadow_root, b->keep,
                              &b->sandbox, err));
    b->compile.sandbox = &b->sandbox;
    return KS_OK;
}

static void compile(const struct ks_judge *judge, struct ks_shadow_build *b)
{
    const char *shadow_path;
    double start = ks_now();
    b->status = ks_tu_compile_shadow(&b->arena, judge->tu, b->subs, b->n, false, judge->options.shadow_root, b->keep,
                                     ks_path_join(&b->arena, b->keep, "shadow.o"), NULL, &b->compile, &shadow_path,
                                     &b->err);
    b->seconds = ks_now() - start;
}

struct queue {
    const struct ks_judge *judge;
    struct ks_shadow_build *builds;
    size_t n;
    atomic_size_t next;
};

static void *compile_next(void *context)
{
    struct queue *q = context;
    for (size_t i; (i = atomic_fetch_add(&q->next, 1)) < q->n;)
        compile(q->judge, &q->builds[i]);
    return NULL;
}

enum ks_status ks_shadow_builds_run(struct ks_judge *judge, struct ks_shadow_build *builds, size_t n,
                                    struct ks_err *err)
{
    for (size_t i = 0; i < n; i++)
        builds[i].sandbox.ruleset = -1;
    for (size_t i = 0; i < n; i++)
        KS_TRY(prepare(judge, &builds[i], err));
    struct queue queue = {.judge = judge, .builds = builds, .n = n};
    double start = ks_now(), alone = 0;
    pthread_t threads[AT_ONCE];
    size_t at_once = ks_shadow_builds_at_once(judge), others = 0;
    // This thread works too; where there is none to be had, the others do its part.
    while (others + 1 < n && others + 1 < at_once && others < AT_ONCE &&
           pthread_create(&threads[others], NULL, compile_next, &queue) == 0)
        others++;
    compile_next(&queue);
    for (size_t i = 0; i < others; i++)
        pthread_join(threads[i], NULL);
    for (size_t i = 0; i < n; i++)
        alone += builds[i].seconds;
    ks_debug("%zu compiles, %zu at once: %.2f s in place of %.2f", n, others + 1, ks_now() - start, alone);
    return KS_OK;
}

void ks_shadow_build_free(struct ks_shadow_build *build)
{
    ks_sandbox_close(&build->sandbox);
    ks_arena_free(&build->arena);
}
