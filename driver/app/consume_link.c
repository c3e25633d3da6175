// A command that compiles and links, with a marked unit among what it compiles: each unit is
// compiled as `ks-nvcc -c` would compile it, into a folder of ours, and nvcc links the objects
// under the words of the command. What is said is kept back: where the parts do not make the
// program, the real nvcc gets the whole command, as if nothing had been tried.
#include "app/consume.h"

#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/log.h"
#include "os/file.h"
#include "os/proc.h"
#include "os/rescue.h"

#define EXIT_REFUSED 1
#define EXIT_NO_COMPILER 110

struct unit {
    struct whole *whole;
    bool marked;
    struct ks_cmdline cmd;
    const char *object;
    struct ks_held held;
};

struct whole {
    struct ks_arena *arena;
    const struct ks_config *config;
    const struct ks_cmdline *cmd;
    struct ks_toolkit *toolkit;
    struct consume_part part;
    bool strict;
    char *dir; // of the objects
    struct unit *units;
    const char **objects;
};

// Whether ks has anything to do or to say about this source: marks, or one that is wrong.
static bool is_marked(struct whole *w, const char *source)
{
    struct consume c = {
        .arena = w->arena, .config = w->config, .cmd = w->cmd, .toolkit = w->toolkit};
    struct ks_err err = {0};
    struct ks_config config = *w->config;
    enum ks_status status = consume_open_source(&c, source, &err);
    ks_project_apply(&c.tu.project, &config);
    bool marked = status == KS_OK ? c.tu.n_marks > 0 : access(source, R_OK) == 0;
    if (!marked || config.mode == KS_MODE_OFF)
        return false;
    w->strict |= config.mode == KS_MODE_STRICT;
    return true;
}

static bool find_marked(struct whole *w)
{
    const struct ks_cmdline *cmd = w->cmd;
    bool any = false;
    w->units = KS_NEW_ARRAY(w->arena, struct unit, cmd->n_units);
    for (size_t i = 0; i < cmd->n_units; i++) {
        w->units[i].whole = w;
        w->units[i].marked = cmd->units[i].cuda && is_marked(w, cmd->units[i].path);
        any |= w->units[i].marked;
    }
    return any;
}

// nvcc says what it thinks of the command itself (an option given twice) once for each command: for
// the parts it would say so again and again. False: it fails.
static bool ask_nvcc(struct whole *w, const char **remark)
{
    static const char *const dryrun[] = {"--dryrun", NULL};
    struct ks_proc_options options = {
        .capture_stdout = true, .capture_stderr = true, .in_group = true, .partial = true};
    struct ks_proc_result result;
    const char **argv =
        ks_cmdline_build(w->arena, w->cmd, w->toolkit->nvcc, dryrun, NULL, NULL, NULL);
    *remark = NULL;
    if (ks_proc_run(w->arena, argv, &options, &result, NULL) != KS_OK || result.exit_code != 0)
        return false;
    const char *text = result.err.at;
    for (size_t n; *text != '\0' && *remark == NULL; text += n + (text[n] == '\n')) {
        n = strcspn(text, "\n");
        if (!ks_starts_with(text, "#$ "))
            *remark =
                ks_arena_printf(w->arena, "nvcc says of the command itself: %.*s", (int)n, text);
    }
    return true;
}

static const char **command_of(const struct unit *unit)
{
    return ks_cmdline_build(unit->whole->arena, &unit->cmd, unit->whole->toolkit->nvcc, NULL, NULL,
                            unit->object, NULL);
}

// In a process of its own: it may become nvcc, and whatever breaks down there breaks down alone.
static int compile_marked(void *context)
{
    struct unit *unit = context;
    struct whole *w = unit->whole;
    struct ks_err err = {0};
    ks_rescue_arm(w->toolkit->nvcc, command_of(unit));
    int status = consume_run(w->arena, w->config, &unit->cmd, w->toolkit, &w->part);
    if (status != CONSUME_PASS)
        return status;
    if (ks_stop_requested())
        ks_exit_stopped();
    const char *const *argv = ks_toolkit_command(w->arena, w->toolkit, command_of(unit));
    ks_proc_exec(argv[0], argv, &err);
    ks_error("%s", err.text);
    return EXIT_NO_COMPILER;
}

static bool prepare(struct whole *w, size_t i, struct ks_err *err)
{
    struct unit *unit = &w->units[i];
    const char *base = ks_path_base(w->cmd->units[i].path), *dot = strrchr(base, '.');
    int stem = dot != NULL ? (int)(dot - base) : (int)strlen(base);
    const char *dir = ks_path_join(w->arena, w->dir, ks_arena_printf(w->arena, "%zu", i));
    unit->object = w->objects[i] = ks_arena_printf(w->arena, "%s/%.*s.o", dir, stem, base);
    ks_cmdline_read_unit(w->arena, w->cmd, i, unit->object, &unit->cmd);
    if (unit->marked && unit->cmd.pass != NULL) {
        ks_err_set(err, KS_E_UNSUPPORTED, "%s", unit->cmd.pass);
        return false;
    }
    return ks_dir_make(dir, err) == KS_OK;
}

// nvcc's status of a unit, or CONSUME_PASS.
static int compile(struct whole *w, size_t i, struct ks_err *err)
{
    struct unit *unit = &w->units[i];
    struct ks_proc_options options = {.in_group = true, .hold = true, .partial = true};
    struct ks_proc_result result;
    if (!prepare(w, i, err))
        return CONSUME_PASS;
    const char *const *argv = ks_toolkit_command(w->arena, w->toolkit, command_of(unit));
    if (unit->marked) {
        options.branch = compile_marked;
        options.context = unit;
    }
    if (ks_proc_run(w->arena, argv, &options, &result, err) != KS_OK)
        return CONSUME_PASS;
    unit->held = result.held;
    bool ours = result.signal != 0 || result.exit_code == EXIT_NO_COMPILER ||
                access(ks_path_dir(w->arena, unit->object), W_OK) != 0 ||
                ks_held_says(&result.held, w->dir);
    return result.exit_code != 0 && ours && !w->strict ? CONSUME_PASS : result.exit_code;
}

static void pass_text(struct whole *w)
{
    for (size_t i = 0; i < w->cmd->n_units; i++)
        ks_held_pass(&w->units[i].held);
}

static bool has_proof(struct whole *w, const char *file)
{
    struct consume c = {.arena = w->arena};
    return consume_has_proof(&c, file) == KS_OK;
}

static bool any_substituted(struct whole *w)
{
    bool any = false;
    for (size_t i = 0; i < w->cmd->n_units && !any; i++)
        any = w->units[i].marked && has_proof(w, w->units[i].object);
    return any;
}

// A build that insists on decisions gets no older program either.
static void refuse(const struct whole *w, const char *why)
{
    struct stat st;
    if (why != NULL)
        ks_error("strict: %s", why);
    if (lstat(w->part.program, &st) == 0 && S_ISREG(st.st_mode))
        unlink(w->part.program);
}

// The program as plain nvcc makes it, where the objects with variants make none, or none that would
// ask the table.
static int link_plainly(struct whole *w, enum ks_reason reason, const char *text)
{
    struct ks_proc_options options = {.in_group = true};
    struct ks_proc_result result;
    const char **argv =
        ks_cmdline_build(w->arena, w->cmd, w->toolkit->nvcc, NULL, NULL, NULL, NULL);
    if (ks_proc_run(w->arena, argv, &options, &result, NULL) != KS_OK)
        return CONSUME_PASS;
    ks_rescue_settle(result.exit_code);
    if (result.exit_code == 0)
        (void)consume_may_stay(w->arena, w->config, w->cmd, w->toolkit, reason, text);
    return result.exit_code;
}

static int link_objects(struct whole *w, struct ks_err *err)
{
    bool runs = w->cmd->run, substituted = any_substituted(w);
    // What runs behind the link talks to the user.
    struct ks_proc_options options = {
        .capture_stdout = !runs, .capture_stderr = !runs, .in_group = true};
    struct ks_proc_result result;
    const char **argv = ks_cmdline_build_link(w->arena, w->cmd, w->toolkit->nvcc, w->objects);
    if (runs)
        pass_text(w);
    if (ks_proc_run(w->arena, argv, &options, &result, err) != KS_OK)
        return CONSUME_PASS;
    bool proved = runs || !substituted || result.exit_code != 0 || has_proof(w, w->part.program);
    if (!runs && !w->strict && !ks_stop_requested() && (result.exit_code != 0 || !proved)) {
        if (!substituted)
            return CONSUME_PASS;
        return result.exit_code != 0
                   ? link_plainly(w, KS_R_SHADOW_FAILED, "the program does not link with it")
                   : link_plainly(w, KS_R_NO_PROOF, "the link has dropped it");
    }
    if (!proved) {
        refuse(w, "the link has dropped the dispatch table; mend the linker's options");
        return EXIT_REFUSED;
    }
    ks_rescue_settle(result.exit_code);
    pass_text(w);
    fwrite(result.out.at, 1, result.out.len, stdout);
    fflush(stdout);
    fwrite(result.err.at, 1, result.err.len, stderr);
    return result.exit_code;
}

// Without -t nvcc goes from one unit to the next and stops at the first that fails; so with it, now
// and then.
static int compile_and_link(struct whole *w)
{
    struct ks_err err = {0};
    int status = 0;
    if (ks_dir_temp(w->arena, "ks-link", &w->dir, &err) != KS_OK) {
        ks_debug("%s", err.text);
        return CONSUME_PASS;
    }
    w->objects = KS_NEW_ARRAY(w->arena, const char *, w->cmd->n_units);
    for (size_t i = 0; i < w->cmd->n_units && status == 0; i++)
        status = ks_stop_requested() ? CONSUME_PASS : compile(w, i, &err);
    if (status > 0)
        pass_text(w);
    if (status > 0 && w->strict && !ks_stop_requested())
        refuse(w, NULL);
    if (status == 0)
        status = link_objects(w, &err);
    for (size_t i = 0; i < w->cmd->n_units; i++)
        ks_held_drop(&w->units[i].held);
    if (err.text[0] != '\0')
        ks_debug("%s: %s", w->part.program, err.text);
    ks_tree_remove(w->dir, NULL);
    return status;
}

int consume_link(struct ks_arena *arena, const struct ks_config *config,
                 const struct ks_cmdline *cmd, struct ks_toolkit *toolkit)
{
    struct whole w = {.arena = arena, .config = config, .cmd = cmd, .toolkit = toolkit};
    const char *remark;
    w.part.program = cmd->output != NULL ? cmd->output : ks_cmdline_default_output(arena, cmd);
    w.part.alone = cmd->n_units == 1;
    if (!find_marked(&w) || !ask_nvcc(&w, &remark))
        return CONSUME_PASS;
    if (remark != NULL) {
        bool may = consume_may_stay(arena, config, cmd, toolkit, KS_R_COMMAND, remark);
        return may ? CONSUME_PASS : EXIT_REFUSED;
    }
    if (w.strict)
        ks_rescue_refuse(w.part.program);
    int status = compile_and_link(&w);
    if (status != CONSUME_PASS || !w.strict || ks_stop_requested())
        return status;
    refuse(&w, "the program cannot be made of parts; see KS_LOG=debug");
    return EXIT_REFUSED;
}
