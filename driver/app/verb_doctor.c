// ks doctor: what this machine can do, and the next step where it cannot.
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "app/verb_agent.h"
#include "app/verb_device.h"
#include "fmt/json.h"
#include "memory/outcomes.h"
#include "memory/skill.h"
#include "os/file.h"
#include "os/proc.h"
#include "store/pending.h"
#include "verify/confine.h"
#include "verify/sanitize.h"

enum health { GOOD, NOTE, BAD };

struct doctor {
    struct ks_verb_context *context;
    json_t *rows;
    int problems;
    bool gpu; // there is one, or what KS_DEVICE names instead
};

static void report(struct doctor *d, const char *what, enum health health, const char *text)
{
    static const char *const names[] = {"ok", "note", "no"};
    d->problems += health == BAD;
    json_array_append_new(d->rows, json_pack("{s:s,s:s,s:s}", "check", what, "status",
                                             names[health], "text", text));
    if (!d->context->json)
        printf("%-10s %-4s %s\n", what, names[health], text);
}

static void check_toolkit(struct doctor *d)
{
    struct ks_arena *arena = d->context->arena;
    struct ks_toolkit toolkit = {0};
    struct ks_err err = {0};
    if (ks_toolkit_find(arena, &d->context->config, &toolkit, &err) != KS_OK ||
        ks_toolkit_version(arena, &d->context->config, &toolkit, &err) != KS_OK)
        report(d, "nvcc", BAD, err.text);
    else
        report(d, "nvcc", GOOD, ks_arena_printf(arena, "%s, release %s", toolkit.nvcc,
                                                toolkit.version));
    const char *launcher = d->context->config.launcher;
    if (launcher != NULL && toolkit.launcher == NULL)
        report(d, "launcher", NOTE,
               ks_arena_printf(arena, "KS_NVCC_LAUNCHER is %s, which is no program: nvcc runs "
                                      "without it", launcher));
    else if (launcher != NULL)
        report(d, "launcher", GOOD, toolkit.launcher);
}

// The programs that `ks` runs stand beside it, data in the share folder.
static void check_installed(struct doctor *d)
{
    struct ks_arena *arena = d->context->arena;
    const char *share = d->context->config.share_dir, *bin = ks_program_dir(arena);
    const char *const files[] = {ks_path_join(arena, share, "hook/crt/host_runtime.h"),
                                 ks_path_join(arena, bin, "ks-nvcc"),
                                 ks_path_join(arena, bin, "ks-worker")};
    for (size_t i = 0; i < sizeof files / sizeof *files; i++)
        if (!ks_file_exists(files[i])) {
            report(d, "installed", BAD, ks_arena_printf(arena, "%s is missing: install again%s",
                                                        files[i], i == 0 ? ", or set KS_SHARE_DIR"
                                                                         : ""));
            return;
        }
    report(d, "installed", GOOD, ks_arena_printf(arena, "%s, %s", bin, share));
}

// What uses CUPTI, asked of the program that opens it; the library in recorded programs looks for it in the
// same places, and needs less of it.
static void check_probe(struct doctor *d)
{
    struct ks_arena *arena = d->context->arena;
    struct ks_proc_result result = {0};
    const struct ks_proc_options options = {.capture_stdout = true, .capture_stderr = true,
                                            .null_stdin = true, .timeout_seconds = 60};
    const char *bin = ks_program_dir(arena), *probe = ks_path_join(arena, bin, "ks-probe");
    const char *recorder = ks_path_join(arena, bin, "libks-record.so");
    const char *const words[] = {probe, "--check", NULL};
    const char *said = "";
    bool runs = ks_file_exists(probe) && ks_proc_run(arena, words, &options, &result, NULL) == KS_OK;
    if (runs) {
        struct ks_slice line = ks_slice_trim((struct ks_slice){result.out.at, result.out.len});
        said = ks_arena_strndup(arena, line.at, line.len);
    }
    bool usable = runs && result.exit_code == 0;
    if (!ks_file_exists(probe))
        report(d, "probe", NOTE, ks_arena_printf(arena, "%s is missing: tuning and `ks profile` go without "
                                                        "counters; install again", probe));
    else if (!usable)
        report(d, "probe", NOTE, ks_arena_printf(arena, "%s: %s", probe, said[0] != '\0' ? said
                                                                                        : "does not run"));
    else
        report(d, "probe", GOOD, probe);
    if (!ks_file_exists(recorder))
        report(d, "recorder", NOTE, ks_arena_printf(arena, "%s is missing: `ks record` cannot look into "
                                                           "programs; install again", recorder));
    else if (ks_starts_with(said, "cupti-"))
        report(d, "recorder", NOTE, ks_arena_printf(arena, "%s: %s", recorder, said));
    else
        report(d, "recorder", GOOD, recorder);
}

static void check_skills(struct doctor *d)
{
    struct ks_arena *arena = d->context->arena;
    struct ks_skill_list skills = {0};
    struct ks_err err = {0};
    const char *dir = ks_path_join(arena, d->context->config.share_dir, "skills/expert");
    if (ks_skills_load(arena, dir, false, &skills, &err) != KS_OK)
        report(d, "skills", BAD, err.text);
    else
        report(d, "skills", skills.len > 0 ? GOOD : BAD,
               ks_arena_printf(arena, "%zu in %s", skills.len, dir));
}

static void check_gpu(struct doctor *d)
{
    struct ks_arena *arena = d->context->arena;
    struct ks_device_info info;
    struct ks_err err = {0};
    d->gpu = verb_device_ask(d->context, &info, &err) == KS_OK;
    if (d->gpu)
        report(d, "gpu", GOOD, ks_arena_printf(arena, "%s, sm_%d, driver %s", info.name, info.arch,
                                               info.driver));
    else
        report(d, "gpu", NOTE,
               ks_arena_printf(arena, "none: %s; builds take what is verified, measuring needs a GPU",
                               err.text));
}

// A program of the toolkit and a reader of a file that is not given, both confined as a compile would be.
static const char *try_sandbox(struct doctor *d, const struct ks_toolkit *toolkit)
{
    struct ks_arena *arena = d->context->arena;
    struct ks_err err = {0};
    struct ks_sandbox sandbox = {.ruleset = -1};
    struct ks_proc_result result = {0};
    const char *problem = NULL;
    char *inside = NULL, *outside = NULL;
    if (ks_dir_temp(arena, "ks-doctor", &inside, &err) == KS_OK &&
        ks_dir_temp(arena, "ks-doctor", &outside, &err) == KS_OK &&
        ks_confine_compile(arena, &d->context->config, toolkit, NULL, NULL, inside, &sandbox, &err) ==
            KS_OK) {
        const char *const version[] = {toolkit->nvcc, "--version", NULL};
        const char *const lists[] = {"ls", outside, NULL};
        const struct ks_proc_options options = {.capture_stdout = true, .capture_stderr = true,
                                                .null_stdin = true, .timeout_seconds = 60,
                                                .sandbox = &sandbox};
        if (ks_proc_run(arena, version, &options, &result, &err) != KS_OK || result.exit_code != 0)
            problem = ks_arena_printf(arena, "%s does not run in it%s%s: add its folders to "
                                      "KS_SANDBOX_READ", toolkit->nvcc, err.text[0] != '\0' ? ": " : "",
                                      err.text);
        else if (ks_proc_run(arena, lists, &options, &result, &err) != KS_OK || result.exit_code == 0)
            problem = "it keeps nothing out";
    } else {
        problem = ks_arena_strdup(arena, err.text);
    }
    ks_sandbox_close(&sandbox);
    if (inside != NULL)
        ks_tree_remove(inside, NULL);
    if (outside != NULL)
        ks_tree_remove(outside, NULL);
    return problem;
}

static void check_sanitizer(struct doctor *d)
{
    struct ks_arena *arena = d->context->arena;
    struct ks_toolkit toolkit = {0};
    bool found = ks_toolkit_find(arena, &d->context->config, &toolkit, NULL) == KS_OK;
    const char *program = ks_sanitizer_find(arena, found ? &toolkit : NULL);
    report(d, "sanitizer", program != NULL ? GOOD : NOTE,
           program != NULL ? program : "compute-sanitizer is not installed: finalists on a GPU go "
                                       "without memcheck and racecheck");
}

static void check_sandbox(struct doctor *d)
{
    static const char follows[] = "proposals from elsewhere are refused (`ks verify --no-sandbox` judges "
                                  "those whose author you know)";
    struct ks_arena *arena = d->context->arena;
    struct ks_toolkit toolkit = {0};
    struct ks_err err = {0};
    char why[256];
    if (!ks_sandbox_supported(why)) {
        report(d, "sandbox", NOTE, ks_arena_printf(arena, "none: %s; %s", why, follows));
        return;
    }
    const char *problem = ks_toolkit_find(arena, &d->context->config, &toolkit, &err) == KS_OK
                              ? try_sandbox(d, &toolkit) : NULL;
    if (problem == NULL && d->gpu && verb_device_confine(d->context, &err) != KS_OK)
        problem = ks_arena_printf(arena, "the device cannot be used in it: %s", err.text);
    if (problem != NULL)
        report(d, "sandbox", NOTE, ks_arena_printf(arena, "%s; %s", problem, follows));
    else
        report(d, "sandbox", GOOD, ks_arena_printf(arena, "Landlock %d and seccomp", ks_sandbox_version()));
}

// The driver's own switch for counters (docs/judging.md): 1 restricts them to administrators.
static void check_counters(struct doctor *d)
{
    char line[512];
    bool restricted = false;
    FILE *file = fopen("/proc/driver/nvidia/params", "re"); // it says 0 bytes of itself: no ks_file_read
    if (file == NULL)
        return;
    while (fgets(line, sizeof line, file) != NULL)
        restricted |= strncmp(line, "RmProfilingAdminOnly: 1", 23) == 0 && geteuid() != 0;
    fclose(file);
    report(d, "counters", restricted ? NOTE : GOOD,
           restricted ? "the driver keeps them to administrators: load the module with "
                        "NVreg_RestrictProfilingToAdminUsers=0, or run as root; tuning works on "
                        "timings alone"
                      : "readable");
}

static void check_project(struct doctor *d)
{
    struct ks_arena *arena = d->context->arena;
    struct ks_project project = {0};
    struct ks_err err = {0};
    if (ks_project_find(arena, &d->context->config, ".", &project, &err) != KS_OK)
        report(d, "project", BAD, err.text);
    else if (project.ignored != NULL)
        report(d, "project", NOTE, ks_arena_printf(arena, "not used: %s", project.ignored));
    else if (project.root == NULL)
        report(d, "project", GOOD, "no project here: decisions go to the user's store; make a ks.yaml or "
                                   "a .ks folder to commit them");
    else
        report(d, "project", GOOD, ks_arena_printf(arena, "%s, %zu trusted keys", project.root,
                                                   project.n_trust));
    size_t *indices;
    size_t n = project.root == NULL ? 0 : ks_project_marks_without_file(arena, &project, &indices);
    for (size_t i = 0; i < n; i++) {
        const struct ks_side_mark *mark = &project.marks[indices[i]];
        report(d, "marks", NOTE,
               ks_arena_printf(arena, "%s:%d: no file matches `file: %s` (`*` does not cross a /)",
                               project.file, mark->line, mark->file));
    }
}

// Shared folders of decisions, each by itself: builds are silent about one that is away.
static void check_stores(struct doctor *d)
{
    struct ks_arena *arena = d->context->arena;
    struct ks_store store;
    ks_store_open(arena, &d->context->config, NULL, &store);
    for (size_t i = 0; i < store.n_tiers; i++)
        if (store.tiers[i].kind == KS_TIER_SHARED)
            report(d, "store", GOOD, store.tiers[i].dir);
    for (size_t i = 0; i < store.away.len; i++)
        report(d, "store", NOTE,
               ks_arena_printf(arena, "%s is not there or does not answer: builds go on without it",
                               store.away.at[i]));
}

// Looks only: the nearest folder that exists says whether the rest could be made.
static void check_dir(struct doctor *d, const char *what, const char *dir)
{
    struct ks_arena *arena = d->context->arena;
    if (dir == NULL) {
        report(d, what, BAD, "no usable home directory: set HOME, or KS_CACHE_DIR, KS_STATE_DIR and "
                             "KS_CONFIG_DIR");
        return;
    }
    const char *at = dir;
    while (!ks_file_exists(at) && strcmp(at, "/") != 0 && strcmp(at, ".") != 0)
        at = ks_path_dir(arena, at);
    if (!ks_is_dir(at))
        report(d, what, BAD, ks_arena_printf(arena, "%s: %s is no folder", dir, at));
    else if (access(at, W_OK | X_OK) != 0)
        report(d, what, d->context->config.readonly ? NOTE : BAD,
               ks_arena_printf(arena, "%s: %s cannot be written; builds go on without it", dir, at));
    else
        report(d, what, GOOD, at == dir ? dir : ks_arena_printf(arena, "%s (made when needed)", dir));
}

static void check_memory(struct doctor *d)
{
    const struct ks_config *config = &d->context->config;
    struct ks_outcomes *outcomes = NULL;
    struct ks_err err = {0};
    const char *path = config->state_dir == NULL
                           ? NULL : ks_path_join(d->context->arena, config->state_dir, "memory.db");
    if (path == NULL || !ks_file_exists(path))
        report(d, "memory", GOOD, "empty: the first tune makes it");
    else if (ks_outcomes_open(config, &outcomes, &err) != KS_OK ||
             ks_outcomes_check(outcomes, &err) != KS_OK)
        report(d, "memory", BAD, err.text);
    else if (ks_outcomes_on_network(outcomes))
        report(d, "memory", NOTE, ks_arena_printf(d->context->arena, "%s lies on a network disk: slower, and "
               "safe only where its locks work; KS_STATE_DIR can name a folder on a disk of this machine", path));
    else
        report(d, "memory", GOOD, path);
    ks_outcomes_close(outcomes);
}

static void check_pending(struct doctor *d)
{
    struct ks_arena *arena = d->context->arena;
    struct ks_pending *items;
    size_t n = 0;
    struct ks_err err = {0};
    if (d->context->config.cache_dir == NULL)
        return;
    if (ks_pending_list(arena, &d->context->config, &items, &n, &err) != KS_OK)
        report(d, "pending", BAD, err.text);
    else
        report(d, "pending", GOOD, n == 0 ? "nothing"
                                          : ks_arena_printf(arena, "%zu kernels; `ks warm` tunes "
                                                                   "them",
                                                            ks_pending_keys(items, n)));
}

static void check_key(struct doctor *d)
{
    struct ks_secret_key secret;
    struct ks_pubkey public_key;
    struct ks_err err = {0};
    enum ks_status status = ks_user_key(&d->context->config, false, &secret, &err);
    if (status == KS_E_ABSENT) {
        report(d, "key", GOOD, "not made yet: the first tune makes it");
    } else if (status != KS_OK) {
        report(d, "key", BAD, err.text);
    } else {
        char text[KS_PUBKEY_TEXT];
        ks_secret_public(&secret, &public_key);
        ks_pubkey_text(&public_key, text);
        report(d, "key", GOOD,
               ks_arena_printf(d->context->arena, "%s (for `trust:` in ks.yaml)", text));
    }
}

static void check_agent(struct doctor *d)
{
    enum verb_agent_health is;
    const char *text = verb_agent_health(d->context, &is);
    report(d, "agent", is == AGENT_WRONG ? BAD : is == AGENT_SILENT ? NOTE : GOOD, text);
}

int verb_doctor(struct ks_verb_context *context)
{
    static const struct verb_syntax syntax = {.expects = "takes no arguments"};
    struct verb_words words;
    int exit_code = verb_read_words(context, &syntax, &words);
    if (exit_code != EXIT_OK)
        return exit_code;
    struct doctor d = {.context = context, .rows = json_array()};
    check_toolkit(&d);
    check_installed(&d);
    check_probe(&d);
    check_skills(&d);
    check_gpu(&d);
    check_sanitizer(&d);
    check_sandbox(&d);
    check_counters(&d);
    check_project(&d);
    check_stores(&d);
    check_dir(&d, "cache", context->config.cache_dir);
    check_dir(&d, "state", context->config.state_dir);
    check_dir(&d, "config", context->config.config_dir);
    check_memory(&d);
    check_pending(&d);
    check_key(&d);
    check_agent(&d);
    if (context->json) {
        json_t *out = ks_json_report("ks.doctor");
        json_object_set(out, "checks", d.rows);
        json_object_set_new(out, "problems", json_integer(d.problems));
        ks_json_print(out);
    }
    json_decref(d.rows);
    return d.problems > 0 ? EXIT_NEGATIVE : EXIT_OK;
}
