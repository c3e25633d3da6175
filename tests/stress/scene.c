#include "scene.h"

#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

struct scene scene;

// Of nvcc run alone, and of an ordinary run of ks-nvcc from the same state.
static struct {
    struct world_bytes nvcc_out, nvcc_err, nvcc_depfile;
    struct world_bytes own_err, own_depfile, own_list, store, stale_object;
    bool own_substitutes;
    char *tape;
} seen;

// What ks-nvcc keeps for itself, and what a run of it prints here.
static const char *const kept[] = {"home/.cache/ks", "out", "err", "tmp", NULL};

_Noreturn void scene_fail(const char *why)
{
    printf("FAILED: %s: %s\n", scene.what, why);
    printf("  as left in %s\n", scene.root);
    exit(1);
}

const char *scene_path(const char *name)
{
    static char path[4][PATH_MAX + 64];
    static int turn;
    turn = (turn + 1) % 4;
    snprintf(path[turn], sizeof path[turn], "%s/%s", scene.root, name);
    return path[turn];
}

static struct world_bytes read_here(const char *name)
{
    return world_read(scene_path(name));
}

void scene_restore(void)
{
    world_remove(scene.root);
    world_copy(scene.state, scene.root);
    if (chdir(scene.root) != 0)
        scene_fail("cannot enter the scene");
}

int scene_run(const char *const *argv)
{
    int status;
    scene.runs++;
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
        scene_fail("cannot run a program");
    return status;
}

static bool is_start_of(const struct world_bytes *whole, const struct world_bytes *start)
{
    return start->len <= whole->len && memcmp(whole->data, start->data, start->len) == 0;
}

// Which recorded compile made the object.
enum object scene_object(void)
{
    struct world_bytes object = read_here("a.o");
    enum object kind = object.data == NULL ? NONE : OTHER;
    if (world_same(&object, &seen.stale_object))
        kind = STALE;
    bool cut = false;
    FILE *entries = NULL;
    char command[PATH_MAX + 64], path[PATH_MAX + 64];
    snprintf(command, sizeof command, "%s/objects", seen.tape);
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
    scene_fail(what);
}

// The one line that a build which asks for tuning gets where there is no tuner.
static void drop_warning(struct world_bytes *err)
{
    char *at = strstr(err->data, "ks-nvcc: warning: cannot tune"), *end;
    if (!scene.tunes || at == NULL || (end = strchr(at, '\n')) == NULL)
        return;
    memmove(at, end + 1, strlen(end + 1) + 1);
    err->len = strlen(err->data);
}

void scene_check_text(void)
{
    struct world_bytes out = read_here("out"), err = read_here("err");
    drop_warning(&err);
    check_same(&out, &seen.nvcc_out, NULL, "other standard output");
    check_same(&err, &seen.nvcc_err, &seen.own_err, "other standard error");
    world_free(&out);
    world_free(&err);
}

// nvcc's prerequisites all, and of ours none that an ordinary run does not name.
void scene_check_depfile(void)
{
    struct world_bytes depfile = read_here("a.d");
    if (depfile.data == NULL)
        scene_fail("no depfile");
    if (!within(&seen.nvcc_depfile, &depfile) || !within(&depfile, &seen.own_depfile))
        check_same(&depfile, &seen.own_depfile, NULL, "a depfile that is neither nvcc's nor ours");
    world_free(&depfile);
}

bool scene_is_empty(const char *dir)
{
    struct world_bytes list = world_list(scene_path(dir), NULL);
    bool empty = list.len == 0;
    world_free(&list);
    return empty;
}

// What a run could not remove, the next that needs a folder there does.
static void check_swept(void)
{
    if (scene_is_empty("tmp"))
        return;
    world_remove(scene_path("home/.cache/ks/manifests"));
    scene_run(scene.ks_nvcc);
    if (scene_is_empty("tmp"))
        return;
    struct world_bytes list = world_list(scene_path("tmp"), NULL);
    printf("left in tmp:\n%s", list.data);
    scene_fail("something is left in TMPDIR");
}

// What lies about, but for what is our own; drafts and folders of ours nowhere.
static void check_litter(void)
{
    struct world_bytes list = world_list(scene.root, kept), whole = world_list(scene.root, NULL);
    check_same(&list, &seen.own_list, NULL, "other files");
    int drafts = 0;
    char *rest = NULL;
    for (char *line = strtok_r(whole.data, "\n", &rest); line != NULL;
         line = strtok_r(NULL, "\n", &rest)) {
        if (strstr(line, "/.ks-") == NULL && strncmp(line, ".ks-", 4) != 0)
            continue;
        drafts++;
        if (!scene.killed || drafts > 1 || strncmp(line, "home/.cache/ks/", 15) != 0) {
            printf("%s\n", line);
            scene_fail("a draft is left");
        }
    }
    world_free(&list);
    world_free(&whole);
}

void scene_check_store(void)
{
    struct world_bytes store = world_content(scene_path(".ks"));
    check_same(&store, &seen.store, NULL, "the store has changed");
    world_free(&store);
}

// Strict mode may refuse, with a word and without an object.
bool scene_refused(int status)
{
    struct world_bytes err = read_here("err");
    enum object kind = scene_object(); // an old one: it broke down before it knew the name
    bool refused = scene.strict && WIFEXITED(status) && WEXITSTATUS(status) == 1 &&
                   strstr(err.data, "strict") != NULL && (kind == NONE || kind == STALE);
    world_free(&err);
    return refused;
}

// The next ordinary run, from what the fault left.
void scene_check_next(void)
{
    int status = scene_run(scene.ks_nvcc);
    char *colon = scene.what + strlen(scene.what);
    snprintf(colon, (size_t)(scene.what + sizeof scene.what - colon), ", the next run");
    if (status != scene.own_status)
        scene_fail("another status");
    scene_check_text();
    if (scene_object() != (seen.own_substitutes ? SUBSTITUTED : PLAIN))
        scene_fail("another object");
    struct world_bytes depfile = read_here("a.d");
    if (!within(&depfile, &seen.own_depfile) || !within(&seen.own_depfile, &depfile))
        check_same(&depfile, &seen.own_depfile, NULL, "another depfile");
    world_free(&depfile);
    check_litter();
    scene_check_store();
    check_swept();
    *colon = '\0';
}

void scene_reference(void)
{
    scene_restore();
    snprintf(scene.what, sizeof scene.what, "nvcc alone");
    seen.stale_object = read_here("a.o");
    scene.nvcc_status = scene_run(scene.nvcc);
    seen.nvcc_out = read_here("out");
    seen.nvcc_err = read_here("err");
    seen.nvcc_depfile = read_here("a.d");
    if (scene_object() != PLAIN)
        scene_fail("no object of the recording");
    scene_restore();
    snprintf(scene.what, sizeof scene.what, "no fault");
    scene.own_status = scene_run(scene.ks_nvcc);
    seen.own_err = read_here("err");
    drop_warning(&seen.own_err);
    seen.own_depfile = read_here("a.d");
    seen.own_list = world_list(scene.root, kept);
    seen.store = world_content(scene_path(".ks"));
    enum object kind = scene_object();
    seen.own_substitutes = kind == SUBSTITUTED;
    if (scene.own_status != scene.nvcc_status || (kind != PLAIN && kind != SUBSTITUTED))
        scene_fail("fails without any fault");
    if (seen.own_substitutes != scene.may_substitute)
        scene_fail(scene.may_substitute ? "does not substitute" : "substitutes");
    check_litter();
    if (!scene_is_empty("tmp"))
        scene_fail("something is left in TMPDIR");
}

static char *below(const char *dir, const char *name)
{
    char *path = NULL;
    if (asprintf(&path, "%s/%s", dir, name) < 0)
        abort();
    return path;
}

bool scene_words(int argc, char **argv)
{
    char *dir = argc < 4 ? NULL : realpath(argv[0], NULL);
    const char **ks_nvcc = calloc((size_t)argc + 1, sizeof *ks_nvcc);
    const char **nvcc = calloc((size_t)argc + 1, sizeof *nvcc);
    if (dir == NULL || ks_nvcc == NULL || nvcc == NULL)
        return false;
    scene.root = below(dir, "w");
    scene.state = below(dir, "state");
    seen.tape = below(dir, "tape");
    ks_nvcc[0] = argv[1];
    nvcc[0] = argv[2];
    for (int i = 3; i < argc; i++)
        ks_nvcc[i - 2] = nvcc[i - 2] = argv[i];
    scene.ks_nvcc = ks_nvcc;
    scene.nvcc = nvcc;
    return true;
}
