// ks record: an unmodified program with libks-record in it (cupti_probe/record), which the CUDA driver loads.
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "app/verb_record.h"
#include "base/log.h"
#include "device/device.h"
#include "os/file.h"
#include "os/proc.h"

#define INJECTION "CUDA_INJECTION64_PATH" // read by the driver
#define RECORDING "KS_RECORD"             // begins what is read by the library

static enum ks_status find_library(struct ks_arena *arena, const char **library, struct ks_err *err)
{
    *library = ks_path_join(arena, ks_program_dir(arena), "libks-record.so");
    if (!ks_file_exists(*library))
        KS_FAIL(err, KS_E_ABSENT, "%s is missing: install again", *library);
    return KS_OK;
}

enum ks_status record_environment(struct ks_arena *arena, const char *const *env, const char *path,
                                  const struct record_captures *captures, const char *const **watched,
                                  struct ks_err *err)
{
    struct ks_strv list = {0};
    const char *library;
    KS_TRY(find_library(arena, &library, err));
    for (; *env != NULL; env++) {
        if (ks_starts_with(*env, INJECTION "=") && strcmp(*env + strlen(INJECTION "="), library) != 0)
            ks_warn("%s: this library is not loaded while the program is recorded", *env);
        if (!ks_starts_with(*env, INJECTION "=") && !ks_starts_with(*env, RECORDING))
            ks_strv_add(arena, &list, *env);
    }
    ks_strv_add(arena, &list, ks_arena_printf(arena, INJECTION "=%s", library));
    ks_strv_add(arena, &list, ks_arena_printf(arena, RECORDING "_FILE=%s", path));
    if (captures != NULL)
        record_captures_ask(arena, captures, &list);
    *watched = list.at;
    return KS_OK;
}

// Runs the program as if by hand: in this process's group, on its terminal. With --json stdout is the
// report's, and what the program prints there goes to stderr.
static enum ks_status run_program(struct ks_verb_context *context, struct record_run *run,
                                  const char *const *env, struct ks_err *err)
{
    const struct ks_proc_options options = {.env = env, .in_group = true};
    struct ks_proc_result result = {0};
    int out = context->json ? dup(STDOUT_FILENO) : -1;
    fflush(stdout);
    if (out >= 0)
        dup2(STDERR_FILENO, STDOUT_FILENO);
    ks_stop_on_signals();
    enum ks_status status = ks_proc_run(context->arena, run->words, &options, &result, err);
    if (out >= 0) {
        dup2(out, STDOUT_FILENO);
        close(out);
    }
    run->status = result.exit_code;
    run->seconds = result.seconds;
    return status;
}

// What one recording goes through.
struct job {
    struct ks_verb_context *context;
    struct record_run *run;
    const char *wanted;             // where the recording is kept, or NULL
    char *dir;                      // private
    struct record_captures captures;
    int top;
    bool capture, suggest, write;   // write: the marks that are suggested
    struct record_suggestions suggestions;
    struct ks_recording recording;
};

// Reports the recording, with what follows from it.
static enum ks_status conclude(struct job *j, struct ks_err *err)
{
    if (j->suggest)
        KS_TRY(record_suggest(j->context, &j->recording, &j->suggestions, err));
    if (j->write)
        KS_TRY(record_suggest_write(j->context->arena, &j->suggestions, err));
    j->run->suggestions = j->suggest ? &j->suggestions : NULL;
    record_report(j->context, &j->recording, j->run);
    return KS_OK;
}

// Runs the program once. A recording that is kept begins empty: the program's processes append to it.
static enum ks_status run_once(struct job *j, bool capture, struct ks_err *err)
{
    struct ks_arena *arena = j->context->arena;
    const char *path = j->wanted != NULL ? ks_path_absolute(arena, j->wanted)
                                         : ks_path_join(arena, j->dir, "recording");
    KS_TRY(ks_file_write(path, "", 0, false, 0, err));
    const char *const *env;
    KS_TRY(record_environment(arena, (const char *const *)environ, path, capture ? &j->captures : NULL, &env, err));
    struct timespec began;
    clock_gettime(CLOCK_REALTIME, &began);
    KS_TRY(run_program(j->context, j->run, env, err));
    struct ks_err local = {0};
    enum ks_status status = ks_recording_read(arena, path, &j->recording, &local);
    if (status == KS_OK && ks_device_measured(j->context->config.runtime_dir, &began))
        *ks_vec_push(arena, &j->recording.notes) = (struct ks_recorded_note){
            "gpu-shared", "ks tune, verify, bench or profile measured on this machine's GPU meanwhile: times here, and "
            "theirs, may be longer than alone; record again when that has ended"};
    if (status == KS_E_FORMAT) // no process opened the driver
        return KS_OK;
    return status == KS_OK ? KS_OK : ks_err_set(err, status, "%s", local.text);
}

// --capture top:N: the kernels are known only after a first run.
static enum ks_status find_top(struct job *j, struct ks_err *err)
{
    KS_TRY(run_once(j, false, err));
    for (size_t i = 0; i < j->recording.kernels.len && i < (size_t)j->top; i++)
        ks_strv_add(j->context->arena, &j->captures.symbols, j->recording.kernels.at[i].symbol);
    return KS_OK;
}

static enum ks_status run_job(struct job *j, struct ks_err *err)
{
    struct ks_arena *arena = j->context->arena;
    j->captures.spool = ks_path_join(arena, j->dir, "spool");
    KS_TRY(ks_dir_make(j->captures.spool, err));
    if (j->top > 0)
        KS_TRY(find_top(j, err));
    KS_TRY(run_once(j, j->capture, err));
    if (j->capture)
        KS_TRY(record_captures_take(arena, &j->captures, &j->recording, err));
    return conclude(j, err);
}

static enum ks_status record(struct job *j, struct ks_err *err)
{
    struct ks_arena *arena = j->context->arena;
    const char *program = j->run->words[0];
    if (strchr(program, '/') == NULL ? ks_proc_which(arena, program, NULL) == NULL
                                     : access(program, X_OK) != 0)
        KS_FAIL(err, KS_E_USER, "%s: no such program", program);
    KS_TRY(ks_dir_temp(arena, "ks-record", &j->dir, err));
    j->run->path = j->wanted;
    j->run->captures = j->capture ? &j->captures : NULL;
    enum ks_status status = run_job(j, err);
    ks_tree_remove(j->dir, NULL);
    return status;
}

static enum ks_status report(struct job *j, const char *path, struct ks_err *err)
{
    j->run->path = path;
    if (ks_recording_read(j->context->arena, path, &j->recording, err) != KS_OK) {
        if (err->status == KS_E_ABSENT || err->status == KS_E_FORMAT)
            err->status = KS_E_USER;
        return err->status;
    }
    KS_TRY(conclude(j, err));
    j->run->status = j->recording.launches > 0 ? EXIT_OK : EXIT_NEGATIVE;
    return KS_OK;
}

int verb_record(struct ks_verb_context *context)
{
    const char *output = NULL, *earlier = NULL, *capture = NULL, *most = NULL, *suggest = NULL, *write = NULL;
    const struct verb_option options[] = {{.name = "-o=", .value = &output},
                                          {.name = "--output=", .value = &output},
                                          {.name = "--capture=", .value = &capture},
                                          {.name = "--max-bytes=", .value = &most},
                                          {.name = "--suggest", .value = &suggest},
                                          {.name = "--write", .value = &write},
                                          {.name = "--report=", .value = &earlier}};
    const struct verb_syntax syntax = {.expects = "give -- PROGRAM and its arguments, or a recording",
                                       .options = options, .n_options = 7, .most = 1, .nvcc = true};
    struct verb_words words;
    int status = verb_read_words(context, &syntax, &words);
    if (status != EXIT_OK)
        return status;
    if (earlier == NULL && words.targets.len > 0 && suggest != NULL) // --suggest RECORDING
        earlier = words.targets.at[0];
    else if (words.targets.len > 0)
        return verb_usage(context, "%s", syntax.expects);
    bool program = words.nvcc != NULL && words.nvcc[0] != NULL;
    if (program == (earlier != NULL) || (earlier != NULL && (output != NULL || capture != NULL)))
        return verb_usage(context, "%s", syntax.expects);
    if (most != NULL && capture == NULL)
        return verb_usage(context, "--max-bytes goes with --capture");
    if (write != NULL && suggest == NULL)
        return verb_usage(context, "--write goes with --suggest");
    struct record_run run = {.words = words.nvcc};
    struct job job = {.context = context, .run = &run, .wanted = output, .capture = capture != NULL,
                      .suggest = suggest != NULL, .write = write != NULL};
    struct ks_err err = {0};
    enum ks_status done = capture != NULL ? record_captures_read(context, capture, most, &job.captures,
                                                                 &job.top, &err) : KS_OK;
    if (done == KS_OK)
        done = earlier != NULL ? report(&job, earlier, &err) : record(&job, &err);
    return done == KS_OK ? run.status : verb_fail(context, &err);
}
