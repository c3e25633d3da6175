// hammer: every fault at every place of one compile by ks-nvcc, and what becomes of it.
//
//   hammer [--long] [--strict] [--tunes] [--may-substitute] [--only=FAULT] SCENE KS_NVCC NVCC WORDS...
//
// SCENE is a folder with `state` (what each run starts from) and `tape` (recorded compiles); runs take
// place in SCENE/w with HOME=SCENE/w/home and TMPDIR=SCENE/w/tmp. WORDS make a.o and a.d there; both
// exist before, with contents that no compile makes. Held against NVCC run with the same words:
// status, output, object, depfile, what else lies there; and against a second, ordinary run.
//
// Without --long a sample: every fault, at some of its places.
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "fault.h"
#include "fault_names.h"
#include "world.h"

#define UNARMED 6 // system calls by which ks-nvcc gets ready for faults

// What may become of a compile. AS_NVCC: nothing is to be seen.
enum outcome { AS_NVCC, CUT_OFF, KILLED };

static const struct plan {
    struct fault fault;
    enum outcome outcome;
    int stride; // of the places tried without --long
} plans[] = {
    {{.call = "disk", .onwards = true, .kind = FAULT_ERROR, .number = ENOSPC}, AS_NVCC, 2},
    {{.call = "disk", .kind = FAULT_ERROR, .number = EDQUOT}, AS_NVCC, 2},
    {{.call = "create", .onwards = true, .kind = FAULT_ERROR, .number = EROFS}, AS_NVCC, 3},
    {{.call = "open", .onwards = true, .kind = FAULT_ERROR, .number = EMFILE}, AS_NVCC, 7},
    {{.call = "openat", .kind = FAULT_ERROR, .number = EACCES}, AS_NVCC, 4},
    {{.call = "io", .kind = FAULT_ERROR, .number = EIO}, AS_NVCC, 7},
    {{.call = "stat", .kind = FAULT_ERROR, .number = ESTALE}, AS_NVCC, 5},
    {{.call = "memory", .onwards = true, .kind = FAULT_ERROR, .number = ENOMEM}, AS_NVCC, 3},
    {{.call = "read", .kind = FAULT_ERROR, .number = EINTR}, AS_NVCC, 5},
    {{.call = "read", .kind = FAULT_SHORT}, AS_NVCC, 4},
    {{.call = "write", .kind = FAULT_ERROR, .number = EINTR}, AS_NVCC, 2},
    {{.call = "write", .kind = FAULT_SHORT}, AS_NVCC, 1},
    {{.call = "close", .kind = FAULT_ERROR, .number = EIO}, AS_NVCC, 7},
    {{.call = "rename", .kind = FAULT_ERROR, .number = EXDEV}, AS_NVCC, 1},
    {{.call = "linkat", .kind = FAULT_ERROR, .number = EPERM}, AS_NVCC, 1},
    {{.call = "tmpfile", .onwards = true, .kind = FAULT_ERROR, .number = EOPNOTSUPP}, AS_NVCC, 2},
    {{.call = "mkdir", .kind = FAULT_ERROR, .number = EACCES}, AS_NVCC, 1},
    {{.call = "unlink", .kind = FAULT_ERROR, .number = EBUSY}, AS_NVCC, 5},
    {{.call = "flock", .onwards = true, .kind = FAULT_ERROR, .number = ENOLCK}, AS_NVCC, 1},
    {{.call = "fork", .onwards = true, .kind = FAULT_ERROR, .number = EAGAIN}, AS_NVCC, 1},
    {{.call = "execve", .kind = FAULT_ERROR, .number = EAGAIN}, AS_NVCC, 1},
    {{.call = "wait", .kind = FAULT_ERROR, .number = EINTR}, AS_NVCC, 3},
    {{.call = "own", .kind = FAULT_SIGNAL, .number = SIGSEGV}, AS_NVCC, 11},
    {{.call = "any", .kind = FAULT_SIGNAL, .number = SIGTERM}, CUT_OFF, 23},
    {{.call = "any", .kind = FAULT_GROUP, .number = SIGINT}, CUT_OFF, 19},
    {{.call = "any", .kind = FAULT_SIGNAL, .number = SIGKILL}, KILLED, 5},
};

static struct {
    bool thorough, strict, tunes, may_substitute;
    char root[PATH_MAX + 16], state[PATH_MAX + 16], tape[PATH_MAX + 16];
    const char *const *ks_nvcc; // with the words, NULL-terminated
    const char *const *nvcc;
    // Of nvcc run alone, and of an ordinary run of ks-nvcc from the same state.
    struct world_bytes nvcc_out, nvcc_err, nvcc_depfile;
    int nvcc_status;
    struct world_bytes own_err, own_depfile, own_list, store, stale_object;
    bool own_substitutes;
    int own_status;
    long runs, faults;
    char what[320]; // the fault at work, for messages
} all;

// What ks-nvcc keeps for itself, and what a run of it prints here.
static const char *const kept[] = {"home/.cache/ks", "out", "err", "tmp", NULL};

static _Noreturn void fail(const char *why)
{
    printf("FAILED: %s: %s\n", all.what, why);
    printf("  as left in %s\n", all.root);
    exit(1);
}

static const char *in_root(const char *name)
{
    static char path[4][PATH_MAX + 64];
    static int turn;
    turn = (turn + 1) % 4;
    snprintf(path[turn], sizeof path[turn], "%s/%s", all.root, name);
    return path[turn];
}

static struct world_bytes read_here(const char *name)
{
    return world_read(in_root(name));
}

static void restore(void)
{
    world_remove(all.root);
    world_copy(all.state, all.root);
    if (chdir(all.root) != 0)
        fail("cannot enter the scene");
}

static int run(const char *const *argv)
{
    int status;
    all.runs++;
    pid_t child = fork();
    if (child == 0) {
        int out = open("out", O_WRONLY | O_CREAT | O_TRUNC | O_APPEND, 0666);
        int err = open("err", O_WRONLY | O_CREAT | O_TRUNC | O_APPEND, 0666);
        if (dup2(out, 1) < 0 || dup2(err, 2) < 0)
            _exit(126);
        close(out);
        close(err);
        alarm(60);
        execv(argv[0], (char *const *)argv);
        _exit(127);
    }
    if (child < 0 || waitpid(child, &status, 0) != child)
        fail("cannot run a program");
    return status;
}

enum object { NONE, STALE, PLAIN, SUBSTITUTED, CUT, OTHER };

static bool is_start_of(const struct world_bytes *whole, const struct world_bytes *start)
{
    return start->len <= whole->len && memcmp(whole->data, start->data, start->len) == 0;
}

// Which recorded compile made the object.
static enum object object_kind(void)
{
    struct world_bytes object = read_here("a.o");
    enum object kind = object.data == NULL ? NONE : OTHER;
    if (world_same(&object, &all.stale_object))
        kind = STALE;
    bool cut = false;
    FILE *entries = NULL;
    char command[PATH_MAX + 64], path[PATH_MAX + 64];
    snprintf(command, sizeof command, "%s/objects", all.tape);
    if (kind == OTHER)
        entries = fopen(command, "re");
    while (kind == OTHER && entries != NULL && fgets(path, sizeof path, entries) != NULL) {
        path[strcspn(path, "\n")] = '\0';
        char *file = strchr(path, ' '); // "plain PATH" or "shadow PATH"
        if (file == NULL)
            continue;
        struct world_bytes recorded = world_read(file + 1);
        if (world_same(&recorded, &object))
            kind = strncmp(path, "plain", 5) == 0 ? PLAIN : SUBSTITUTED;
        cut |= is_start_of(&recorded, &object);
        world_free(&recorded);
    }
    if (entries != NULL)
        fclose(entries);
    world_free(&object);
    return kind == OTHER && cut ? CUT : kind;
}

static bool has_token(const struct world_bytes *text, const char *token)
{
    size_t n = strlen(token);
    for (const char *at = text->data; (at = strstr(at, token)) != NULL; at += n)
        if ((at == text->data || strchr(" \t\n\\", at[-1])) && strchr(" \t\n\\", at[n]))
            return true;
    return false;
}

// Every token of `part` stands in `whole`.
static bool within(const struct world_bytes *part, const struct world_bytes *whole)
{
    char *text = strndup(part->data, part->len), *rest = NULL;
    bool ok = true;
    for (char *word = strtok_r(text, " \t\n\\", &rest); word != NULL;
         word = strtok_r(NULL, " \t\n\\", &rest))
        ok = ok && has_token(whole, word);
    free(text);
    return ok;
}

static void check_same(const struct world_bytes *got, const struct world_bytes *want,
                       const struct world_bytes *or_this, const char *what)
{
    if (world_same(got, want) || (or_this != NULL && world_same(got, or_this)))
        return;
    printf("got:\n%.2000s\nwanted:\n%.2000s\n", got->data == NULL ? "(nothing)" : got->data,
           want->data == NULL ? "(nothing)" : want->data);
    fail(what);
}

// The one line that a build which asks for tuning gets where there is no tuner.
static void drop_warning(struct world_bytes *err)
{
    char *at = strstr(err->data, "ks-nvcc: warning: cannot tune"), *end;
    if (!all.tunes || at == NULL || (end = strchr(at, '\n')) == NULL)
        return;
    memmove(at, end + 1, strlen(end + 1) + 1);
    err->len = strlen(err->data);
}

static void check_text(void)
{
    struct world_bytes out = read_here("out"), err = read_here("err");
    drop_warning(&err);
    check_same(&out, &all.nvcc_out, NULL, "other standard output");
    check_same(&err, &all.nvcc_err, &all.own_err, "other standard error");
    world_free(&out);
    world_free(&err);
}

// nvcc's prerequisites all, and of ours none that an ordinary run does not name.
static void check_depfile(void)
{
    struct world_bytes depfile = read_here("a.d");
    if (depfile.data == NULL)
        fail("no depfile");
    if (!within(&all.nvcc_depfile, &depfile) || !within(&depfile, &all.own_depfile))
        check_same(&depfile, &all.own_depfile, NULL, "a depfile that is neither nvcc's nor ours");
    world_free(&depfile);
}

static bool is_empty(const char *dir)
{
    struct world_bytes list = world_list(in_root(dir), NULL);
    bool empty = list.len == 0;
    world_free(&list);
    return empty;
}

// What a run could not remove, the next that needs a folder there does.
static void check_swept(void)
{
    if (is_empty("tmp"))
        return;
    world_remove(in_root("home/.cache/ks/manifests"));
    run(all.ks_nvcc);
    if (is_empty("tmp"))
        return;
    struct world_bytes list = world_list(in_root("tmp"), NULL);
    printf("left in tmp:\n%s", list.data);
    fail("something is left in TMPDIR");
}

// What lies about, but for what is our own; drafts and folders of ours nowhere.
static void check_litter(void)
{
    struct world_bytes list = world_list(all.root, kept), whole = world_list(all.root, NULL);
    check_same(&list, &all.own_list, NULL, "other files");
    if (strstr(whole.data, ".ks-") != NULL) {
        printf("%s", whole.data);
        fail("a draft is left");
    }
    world_free(&list);
    world_free(&whole);
}

static void check_store(void)
{
    struct world_bytes store = world_content(in_root(".ks"));
    check_same(&store, &all.store, NULL, "the store has changed");
    world_free(&store);
}

// Strict mode may refuse, with a word and without an object.
static bool strictly_refused(int status)
{
    struct world_bytes err = read_here("err");
    enum object kind = object_kind(); // an old one: it broke down before it knew the name
    bool refused = all.strict && WIFEXITED(status) && WEXITSTATUS(status) == 1 &&
                   strstr(err.data, "strict") != NULL && (kind == NONE || kind == STALE);
    world_free(&err);
    return refused;
}

static void check_as_nvcc(const struct fault *fault, const struct fault_result *result)
{
    enum object kind = object_kind();
    bool main_exec = strcmp(fault->call, "execve") == 0 && strstr(result->where, "child") == NULL;
    if (strictly_refused(result->status))
        return;
    if (result->status != all.nvcc_status && !(main_exec && WEXITSTATUS(result->status) == 110)) {
        printf("wait status %#x\n", (unsigned)result->status);
        fail("another status");
    }
    check_text();
    if (kind != PLAIN && !(kind == SUBSTITUTED && all.may_substitute))
        fail(kind == STALE  ? "the object is an old one"
             : kind == NONE ? "no object"
                            : "an object that nobody compiled");
    if (all.strict && kind != SUBSTITUTED)
        fail("strict mode let an object without a decision pass");
    check_depfile();
}

static void check_cut_off(const struct fault *fault, const struct fault_result *result)
{
    bool by_signal = WIFSIGNALED(result->status) && WTERMSIG(result->status) == fault->number;
    enum object kind = object_kind();
    if (!by_signal && result->status != all.nvcc_status && !strictly_refused(result->status)) {
        printf("wait status %#x\n", (unsigned)result->status);
        fail("another status");
    }
    if (kind == OTHER)
        fail("an object that nobody compiled");
    if (!is_empty("tmp"))
        fail("something is left in TMPDIR");
    if (result->status == all.nvcc_status && kind != PLAIN && kind != SUBSTITUTED)
        fail("success without an object");
}

// The next ordinary run, from what the fault left.
static void check_next(void)
{
    int status = run(all.ks_nvcc);
    char *colon = all.what + strlen(all.what);
    snprintf(colon, (size_t)(all.what + sizeof all.what - colon), ", the next run");
    if (status != all.own_status)
        fail("another status");
    check_text();
    if (object_kind() != (all.own_substitutes ? SUBSTITUTED : PLAIN))
        fail("another object");
    struct world_bytes depfile = read_here("a.d");
    if (!within(&depfile, &all.own_depfile) || !within(&all.own_depfile, &depfile))
        check_same(&depfile, &all.own_depfile, NULL, "another depfile");
    world_free(&depfile);
    check_litter();
    check_store();
    check_swept();
    *colon = '\0';
}

// One fault at one place. False when the program has no such place.
static bool hit(const struct plan *plan, const struct fault *fault)
{
    struct fault_program program = {.argv = all.ks_nvcc, .stdout_path = "out",
                                    .stderr_path = "err", .seconds = 60};
    struct fault_result result;
    restore();
    all.runs++;
    fault_print(fault, all.what, sizeof all.what);
    if (!fault_run(&program, fault, &result)) {
        printf("skipped: cannot trace a program: %s\n", strerror(errno));
        exit(77);
    }
    if (!result.injected)
        return false;
    size_t n = strlen(all.what);
    snprintf(all.what + n, sizeof all.what - n, " (%s)", result.where);
    if (getenv("HAMMER_VERBOSE") != NULL)
        fprintf(stderr, "%s\n", all.what);
    all.faults++;
    if (result.hung)
        fail("it hangs");
    if (fault->number == SIGSEGV && fault->nth <= UNARMED)
        ; // it is not yet prepared
    else if (plan->outcome == AS_NVCC)
        check_as_nvcc(fault, &result);
    else if (plan->outcome == CUT_OFF)
        check_cut_off(fault, &result);
    else if (object_kind() == OTHER)
        fail("an object that nobody compiled");
    if (all.may_substitute)
        check_store();
    check_next();
    return true;
}

static void go_through(size_t i)
{
    const struct plan *plan = &plans[i];
    struct fault fault = plan->fault;
    int stride = all.thorough ? 1 : plan->stride;
    // Which of the places: not the same ones for every kind of fault.
    for (fault.nth = 1 + (long)(i * 7) % stride; hit(plan, &fault); fault.nth += stride)
        ;
}

static void take_reference(void)
{
    restore();
    snprintf(all.what, sizeof all.what, "nvcc alone");
    all.stale_object = read_here("a.o");
    all.nvcc_status = run(all.nvcc);
    all.nvcc_out = read_here("out");
    all.nvcc_err = read_here("err");
    all.nvcc_depfile = read_here("a.d");
    if (object_kind() != PLAIN)
        fail("no object of the recording");
    restore();
    snprintf(all.what, sizeof all.what, "no fault");
    all.own_status = run(all.ks_nvcc);
    all.own_err = read_here("err");
    drop_warning(&all.own_err);
    all.own_depfile = read_here("a.d");
    all.own_list = world_list(all.root, kept);
    all.store = world_content(in_root(".ks"));
    enum object kind = object_kind();
    all.own_substitutes = kind == SUBSTITUTED;
    if (all.own_status != all.nvcc_status || (kind != PLAIN && kind != SUBSTITUTED))
        fail("fails without any fault");
    if (all.own_substitutes != all.may_substitute)
        fail(all.may_substitute ? "does not substitute" : "substitutes");
    check_litter();
    if (!is_empty("tmp"))
        fail("something is left in TMPDIR");
}

int main(int argc, char **argv)
{
    const char *only = NULL;
    int at = 1;
    setvbuf(stdout, NULL, _IOLBF, 0);
    for (; at < argc && strncmp(argv[at], "--", 2) == 0; at++) {
        if (strcmp(argv[at], "--long") == 0)
            all.thorough = true;
        else if (strcmp(argv[at], "--strict") == 0)
            all.strict = true;
        else if (strcmp(argv[at], "--tunes") == 0)
            all.tunes = true;
        else if (strcmp(argv[at], "--may-substitute") == 0)
            all.may_substitute = true;
        else if (strncmp(argv[at], "--only=", 7) == 0)
            only = argv[at] + 7;
        else
            return 2;
    }
    if (argc - at < 4)
        return 2;
    char scene[PATH_MAX];
    if (realpath(argv[at], scene) == NULL)
        return 2;
    snprintf(all.root, sizeof all.root, "%s/w", scene);
    snprintf(all.state, sizeof all.state, "%s/state", scene);
    snprintf(all.tape, sizeof all.tape, "%s/tape", scene);
    const char **ks_nvcc = calloc((size_t)argc, sizeof *ks_nvcc);
    const char **nvcc = calloc((size_t)argc, sizeof *nvcc);
    ks_nvcc[0] = argv[at + 1];
    nvcc[0] = argv[at + 2];
    for (int i = at + 3; i < argc; i++)
        ks_nvcc[i - at - 2] = nvcc[i - at - 2] = argv[i];
    all.ks_nvcc = ks_nvcc;
    all.nvcc = nvcc;

    take_reference();
    char text[128];
    struct plan one = {.outcome = AS_NVCC};
    if (only != NULL) {
        snprintf(text, sizeof text, "%s", only);
        if (!fault_parse(text, &one.fault))
            return 2;
        if (one.fault.kind == FAULT_SIGNAL || one.fault.kind == FAULT_GROUP)
            one.outcome = one.fault.number == SIGKILL   ? KILLED
                          : one.fault.number == SIGSEGV ? AS_NVCC
                                                        : CUT_OFF;
        if (!hit(&one, &one.fault))
            printf("no such place\n");
        return 0;
    }
    for (size_t i = 0; i < sizeof plans / sizeof *plans; i++) {
        long before = all.faults;
        go_through(i);
        fault_print(&plans[i].fault, text, sizeof text);
        printf("%5ld  %s\n", all.faults - before, text);
    }
    printf("%ld faults, %ld runs\n", all.faults, all.runs);
    return 0;
}
