// A whole program, its original kernels against its variants: a gain in a kernel that the program does not
// feel, or pays for elsewhere, shows here alone.
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "app/verb_bench.h"
#include "app/verb_inspect.h"
#include "app/verb_record.h"
#include "os/file.h"
#include "os/proc.h"
#include "verify/accept.h"

#define ALPHA 0.025           // on each side: an interval of 95 %
#define KEPT_OUTPUT (64 << 10) // of what the program prints; the rest is dropped

enum { ORIGINAL, SUBSTITUTED };

struct program {
    struct ks_verb_context *context;
    const char *const *words;
    const char *const *env[2];
    double *seconds[2];
    int status[2];            // of the first run
    char differs[256];        // a later run ended otherwise; or ""
    bool watched;             // whether variants ran is known:
    int64_t launches, variant_launches;
    double variant_share;     // of GPU time
    const char *unwatched;    // else why not
};

static const char *const *environment(struct ks_arena *arena, bool disable)
{
    struct ks_strv list = {0};
    for (char **at = environ; *at != NULL; at++)
        if (!ks_starts_with(*at, "KS_DISABLE="))
            ks_strv_add(arena, &list, *at);
    if (disable)
        ks_strv_add(arena, &list, "KS_DISABLE=1");
    return list.at;
}

// One run of one arm; `n` below 0: not counted.
static enum ks_status run_once(struct program *p, int arm, int n, struct ks_err *err)
{
    const struct ks_proc_options options = {.env = p->env[arm], .capture_stdout = true,
                                            .capture_stderr = true, .null_stdin = true,
                                            .max_output = KEPT_OUTPUT};
    struct ks_arena arena = {0};
    struct ks_proc_result result;
    enum ks_status status = ks_proc_run(&arena, p->words, &options, &result, err);
    if (status == KS_OK && n < 0)
        p->status[arm] = result.exit_code;
    else if (status == KS_OK)
        p->seconds[arm][n] = result.seconds;
    if (status == KS_OK && result.exit_code != p->status[arm])
        snprintf(p->differs, sizeof p->differs, "it exits with %d and with %d, with %s alike",
                 p->status[arm], result.exit_code, arm == ORIGINAL ? "the originals" : "the variants");
    ks_arena_free(&arena);
    return status;
}

// A further run with the variants, not timed, in which libks-record tells which kernels were launched. What it
// cannot tell is no fault of the program's.
static void watch(struct program *p, const char *dir)
{
    struct ks_arena *arena = p->context->arena;
    const char *path = ks_path_join(arena, dir, "recording"), *const *env;
    struct ks_recording recording;
    struct ks_proc_result result;
    struct ks_err err = {0};
    struct ks_proc_options options = {.capture_stdout = true, .capture_stderr = true, .null_stdin = true,
                                      .max_output = KEPT_OUTPUT};
    p->unwatched = "";
    if (record_environment(arena, p->env[SUBSTITUTED], path, NULL, &env, &err) != KS_OK)
        p->unwatched = ks_arena_strdup(arena, err.text);
    options.env = p->unwatched[0] == '\0' ? env : p->env[SUBSTITUTED];
    if (p->unwatched[0] != '\0' || ks_proc_run(arena, p->words, &options, &result, &err) != KS_OK ||
        ks_recording_read(arena, path, &recording, &err) != KS_OK) {
        if (p->unwatched[0] == '\0')
            p->unwatched = "no process of it initialised CUDA";
        return;
    }
    ks_vec_each(const struct ks_recorded_session, session, &recording.sessions)
        if (session->refused != NULL)
            p->unwatched = ks_arena_printf(arena, "%s: %s", session->refused, session->text);
    double ns;
    p->watched = p->unwatched[0] == '\0';
    p->launches = recording.launches;
    p->variant_launches = ks_recording_variants(&recording, &ns);
    p->variant_share = recording.total_ns > 0 ? ns / recording.total_ns : 0;
}

static enum ks_status watch_once(struct program *p, struct ks_err *err)
{
    char *dir;
    KS_TRY(ks_dir_temp(p->context->arena, "ks-bench", &dir, err));
    watch(p, dir);
    return ks_tree_remove(dir, err);
}

static enum ks_status run_all(struct program *p, int runs, struct ks_err *err)
{
    for (int arm = 0; arm < 2; arm++)
        KS_TRY(run_once(p, arm, -1, err));
    if (p->status[ORIGINAL] != p->status[SUBSTITUTED]) {
        snprintf(p->differs, sizeof p->differs, "it exits with %d with the originals, with %d with the variants",
                 p->status[ORIGINAL], p->status[SUBSTITUTED]);
        return KS_OK;
    }
    for (int i = 0; i < runs && p->differs[0] == '\0'; i++)
        for (int k = 0; k < 2 && p->differs[0] == '\0'; k++)
            KS_TRY(run_once(p, (i + k) % 2, i, err)); // A B B A
    return KS_OK;
}

// Whether there is anything to compare: not in a program whose file says that it holds no variant. A script,
// or a program whose libraries do, cannot be told from here.
static const char *note_on(struct ks_verb_context *context, const char *word)
{
    struct inspection found;
    struct ks_err ignored = {0};
    const char *path = strchr(word, '/') != NULL ? word : ks_proc_which(context->arena, word, NULL);
    if (path == NULL || inspect_read(context->arena, path, &found, &ignored) != KS_OK)
        return "";
    return found.rows.len == 0 ? "no variant is compiled into it: unless a library holds some, both arms are "
                                 "the same" : "";
}

// What the interval shows of the variants: nothing, whatever it is, where none ran.
static const char *shown_of(const struct program *p, const struct ks_paired *paired, const char *note)
{
    const char *shown = bench_shown(paired->lower, paired->upper);
    bool none_ran = p->watched ? p->variant_launches == 0 : note[0] != '\0';
    return none_ran && (strcmp(shown, "faster") == 0 || strcmp(shown, "slower") == 0) ? "no-variant" : shown;
}

static void tell(const struct program *p, const struct ks_paired *paired, const char *note)
{
    const char *shown = shown_of(p, paired, note);
    double ratio = paired->ratio;
    printf("%s: %.4f s with the originals, %.4f s with the variants (medians of %zu pairs)\n", p->words[0],
           paired->a_us, paired->b_us, paired->pairs);
    if (strcmp(shown, "too-few") == 0)
        printf("  ratio %.3f; fewer than %d pairs show nothing\n", ratio, BENCH_RUNS_LEAST);
    else if (strcmp(shown, "no-difference") == 0)
        printf("  no difference shown: ratio %.3f, 95 %% interval %.3f to %.3f\n",
               ratio, paired->lower, paired->upper);
    else if (strcmp(shown, "no-variant") == 0)
        printf("  ratio %.3f, 95 %% interval %.3f to %.3f, but no variant ran: the machine makes that difference\n", ratio,
               paired->lower, paired->upper);
    else
        printf("  %s with the variants: %.3f times as fast, 95 %% interval %.3f to %.3f\n", shown, ratio,
               paired->lower, paired->upper);
    if (p->status[ORIGINAL] != 0)
        printf("  it exits with %d, with and without them\n", p->status[ORIGINAL]);
    if (note[0] != '\0')
        printf("  note: %s\n", note);
    if (!p->watched)
        printf("  whether variants ran is not known: %s\n", p->unwatched);
    else if (p->variant_launches == 0)
        printf("  none of its %lld launches was a variant's\n", (long long)p->launches);
    else
        printf("  variants ran: %lld of %lld launches, %.1f %% of GPU time\n", (long long)p->variant_launches,
               (long long)p->launches, 100 * p->variant_share);
}

static void tell_json(const struct program *p, const struct ks_paired *paired, const char *note,
                      int exit_code)
{
    json_t *report = ks_json_report("ks.bench.program"), *words = json_array();
    for (size_t i = 0; p->words[i] != NULL; i++)
        json_array_append_new(words, json_string(p->words[i]));
    bool timed = paired->pairs > 0;
    json_object_set_new(report, "words", words);
    json_object_set_new(report, "pairs", json_integer((json_int_t)paired->pairs));
    json_object_set_new(report, "original_s", json_real(paired->a_us));
    json_object_set_new(report, "substituted_s", json_real(paired->b_us));
    json_object_set_new(report, "ratio", json_real(paired->ratio));
    json_object_set_new(report, "lower", bench_bound(paired->lower));
    json_object_set_new(report, "upper", bench_bound(paired->upper));
    json_object_set_new(report, "shown", timed ? json_string(shown_of(p, paired, note))
                                               : json_null());
    json_object_set_new(report, "status", json_integer(p->status[ORIGINAL]));
    json_object_set_new(report, "status_substituted", json_integer(p->status[SUBSTITUTED]));
    json_object_set_new(report, "reason", json_string(p->differs));
    json_object_set_new(report, "note", json_string(note));
    json_object_set_new(report, "launches", p->watched ? json_integer(p->launches) : json_null());
    json_object_set_new(report, "variant_launches", p->watched ? json_integer(p->variant_launches) : json_null());
    json_object_set_new(report, "variant_share", p->watched ? json_real(p->variant_share) : json_null());
    json_object_set_new(report, "exit", json_integer(exit_code));
    ks_json_print(report);
}

int bench_program(struct ks_verb_context *context, const char *const *words, int runs)
{
    struct ks_arena *arena = context->arena;
    struct program p = {.context = context, .words = words};
    struct ks_paired paired = {0};
    struct ks_err err = {0};
    for (int arm = 0; arm < 2; arm++) {
        p.env[arm] = environment(arena, arm == ORIGINAL);
        p.seconds[arm] = KS_NEW_ARRAY(arena, double, (size_t)runs);
    }
    if (strchr(words[0], '/') == NULL ? ks_proc_which(arena, words[0], NULL) == NULL
                                      : access(words[0], X_OK) != 0) {
        ks_err_set(&err, KS_E_USER, "%s: no such program", words[0]);
        return verb_fail(context, &err);
    }
    if (run_all(&p, runs, &err) != KS_OK)
        return verb_fail(context, &err);
    int exit_code = p.differs[0] != '\0' ? EXIT_NEGATIVE : EXIT_OK;
    const char *note = note_on(context, words[0]);
    if (exit_code == EXIT_OK && watch_once(&p, &err) != KS_OK)
        return verb_fail(context, &err);
    if (exit_code == EXIT_OK)
        ks_paired_of(p.seconds[ORIGINAL], p.seconds[SUBSTITUTED], (size_t)runs, ALPHA, &paired);
    if (context->json)
        tell_json(&p, &paired, note, exit_code);
    else if (exit_code == EXIT_OK)
        tell(&p, &paired, note);
    else
        printf("%s: nothing can be said of its time: %s\n", words[0], p.differs);
    return exit_code;
}
