// ks record: an unmodified program with libks-record in it (cupti_probe/record), which the CUDA driver loads.
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "app/verb_record.h"
#include "base/log.h"
#include "os/file.h"
#include "os/proc.h"

#define INJECTION "CUDA_INJECTION64_PATH" // read by the driver
#define RECORDING "KS_RECORD_FILE"        // read by the library

// The program's environment: this one's, with the library and the recording named in it.
static const char *const *environment(struct ks_arena *arena, const char *library, const char *path)
{
    struct ks_strv list = {0};
    for (char **at = environ; *at != NULL; at++) {
        if (ks_starts_with(*at, INJECTION "=") && strcmp(*at + strlen(INJECTION "="), library) != 0)
            ks_warn("%s: this library is not loaded while the program is recorded", *at);
        if (!ks_starts_with(*at, INJECTION "=") && !ks_starts_with(*at, RECORDING "="))
            ks_strv_add(arena, &list, *at);
    }
    ks_strv_add(arena, &list, ks_arena_printf(arena, INJECTION "=%s", library));
    ks_strv_add(arena, &list, ks_arena_printf(arena, RECORDING "=%s", path));
    return list.at;
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

static enum ks_status find_library(struct ks_arena *arena, const char **library, struct ks_err *err)
{
    *library = ks_path_join(arena, ks_program_dir(arena), "libks-record.so");
    if (!ks_file_exists(*library))
        KS_FAIL(err, KS_E_ABSENT, "%s is missing: install again", *library);
    return KS_OK;
}

// A recording that is kept begins empty: the processes of the program append to it.
static enum ks_status place_recording(struct ks_arena *arena, const char *wanted, const char **path,
                                      char **temporary, struct ks_err *err)
{
    if (wanted != NULL) {
        *path = ks_path_absolute(arena, wanted);
        return ks_file_write(*path, "", 0, false, 0, err);
    }
    KS_TRY(ks_dir_temp(arena, "ks-record", temporary, err));
    *path = ks_path_join(arena, *temporary, "recording");
    return KS_OK;
}

static enum ks_status record(struct ks_verb_context *context, const char *wanted,
                             struct record_run *run, struct ks_err *err)
{
    struct ks_arena *arena = context->arena;
    struct ks_recording recording;
    const char *library, *path, *program = run->words[0];
    char *temporary = NULL;
    if (strchr(program, '/') == NULL ? ks_proc_which(arena, program, NULL) == NULL
                                     : access(program, X_OK) != 0)
        KS_FAIL(err, KS_E_USER, "%s: no such program", program);
    KS_TRY(find_library(arena, &library, err));
    KS_TRY(place_recording(arena, wanted, &path, &temporary, err));
    enum ks_status status = run_program(context, run, environment(arena, library, path), err);
    if (status == KS_OK) {
        status = ks_recording_read(arena, path, &recording, err);
        run->path = wanted;
        if (status == KS_E_ABSENT || status == KS_E_FORMAT) { // no process opened the driver
            recording = (struct ks_recording){0};
            status = KS_OK;
        }
        if (status == KS_OK)
            record_report(context, &recording, run);
    }
    if (temporary != NULL)
        ks_tree_remove(temporary, NULL);
    return status;
}

static int report(struct ks_verb_context *context, const char *path)
{
    struct ks_recording recording;
    struct record_run run = {.path = path};
    struct ks_err err = {0};
    if (ks_recording_read(context->arena, path, &recording, &err) != KS_OK) {
        if (err.status == KS_E_ABSENT || err.status == KS_E_FORMAT)
            err.status = KS_E_USER;
        return verb_fail(context, &err);
    }
    record_report(context, &recording, &run);
    return recording.launches > 0 ? EXIT_OK : EXIT_NEGATIVE;
}

int verb_record(struct ks_verb_context *context)
{
    const char *output = NULL, *earlier = NULL;
    const struct verb_option options[] = {{.name = "-o=", .value = &output},
                                          {.name = "--output=", .value = &output},
                                          {.name = "--report=", .value = &earlier}};
    const struct verb_syntax syntax = {.expects = "give -- PROGRAM and its arguments, or --report FILE",
                                       .options = options, .n_options = 3, .nvcc = true};
    struct verb_words words;
    int status = verb_read_words(context, &syntax, &words);
    if (status != EXIT_OK)
        return status;
    bool program = words.nvcc != NULL && words.nvcc[0] != NULL;
    if (program == (earlier != NULL) || (earlier != NULL && output != NULL))
        return verb_usage(context, "%s", syntax.expects);
    if (earlier != NULL)
        return report(context, earlier);
    struct record_run run = {.words = words.nvcc};
    struct ks_err err = {0};
    if (record(context, output, &run, &err) != KS_OK)
        return verb_fail(context, &err);
    return run.status;
}
