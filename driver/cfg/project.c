#include "cfg/project.h"

#include <ctype.h>
#include <fnmatch.h>
#include <glob.h>
#include <string.h>
#include <unistd.h>

#include "cfg/dirs.h"
#include "cfg/owner.h"
#include "os/file.h"

#define MAX_FILE ((size_t)4 << 20)

struct reader {
    struct ks_arena *arena;
    const char *file;
    struct ks_project *project;
    struct ks_err *err;
};

#define FAIL_AT(r, node, ...)                                                                      \
    return fail_at((r), (node)->line, ks_arena_printf((r)->arena, __VA_ARGS__))

static enum ks_status fail_at(struct reader *r, int line, const char *text)
{
    return ks_err_set(r->err, KS_E_USER, "%s:%d: %s", r->file, line, text);
}

static bool is_nothing(const struct ks_yaml *node)
{
    return node == NULL || (node->kind == KS_YAML_SCALAR && node->plain && node->text[0] == '\0');
}

// ns::name<args>: enough to catch a slip; the name itself is looked up in the source.
static bool is_kernel_name(const char *text)
{
    const char *at = text;
    while (true) {
        if (!isalpha((unsigned char)*at) && *at != '_')
            return false;
        while (isalnum((unsigned char)*at) || *at == '_')
            at++;
        if (!ks_starts_with(at, "::"))
            break;
        at += 2;
    }
    return *at == '\0' || (*at == '<' && ks_ends_with(at, ">"));
}

static bool is_below(const char *pattern)
{
    for (const char *at = pattern; *at != '\0'; at += strspn(at, "/")) {
        size_t len = strcspn(at, "/");
        if (len == 2 && at[0] == '.' && at[1] == '.')
            return false;
        at += len;
    }
    return pattern[0] != '/' && pattern[0] != '\0';
}

static enum ks_status scalar(struct reader *r, const struct ks_yaml *map, const char *key,
                             bool needed, const char **text)
{
    const struct ks_yaml *node = ks_yaml_get(map, key);
    *text = "";
    if (is_nothing(node)) {
        if (needed)
            FAIL_AT(r, map, "an entry of kernels needs `%s:`", key);
        return KS_OK;
    }
    if (node->kind != KS_YAML_SCALAR)
        FAIL_AT(r, node, "%s: takes one line of text", key);
    *text = node->text;
    return KS_OK;
}

static enum ks_status read_kernel(struct reader *r, const struct ks_yaml *node,
                                  struct ks_side_mark *mark)
{
    static const char *const keys[] = {"file", "kernel", "optimize", "workloads", NULL};
    if (node->kind != KS_YAML_MAP)
        FAIL_AT(r, node, "an entry of kernels is `file:`, `kernel:`, `optimize:`, `workloads:`");
    KS_TRY(ks_yaml_known(r->file, node, keys, r->err));
    mark->line = node->line;
    KS_TRY(scalar(r, node, "file", true, &mark->file));
    KS_TRY(scalar(r, node, "kernel", true, &mark->kernel));
    KS_TRY(scalar(r, node, "optimize", false, &mark->optimize));
    if (!is_below(mark->file))
        FAIL_AT(r, ks_yaml_get(node, "file"), "file: %s is not a path below this project",
                mark->file);
    if (ks_starts_with(mark->file, "./"))
        mark->file += 2;
    if (!is_kernel_name(mark->kernel))
        FAIL_AT(r, ks_yaml_get(node, "kernel"),
                "kernel: %s is no kernel's name; write it as in ns::relax or ns::relax<float,256>",
                mark->kernel);
    mark->off = strcmp(mark->optimize, "off") == 0;

    const struct ks_yaml *workloads = ks_yaml_get(node, "workloads");
    if (is_nothing(workloads))
        return KS_OK;
    if (workloads->kind != KS_YAML_LIST)
        FAIL_AT(r, workloads, "workloads: is a list, one `- ...` a workload");
    mark->workloads = KS_NEW_ARRAY(r->arena, const char *, workloads->len);
    mark->workload_lines = KS_NEW_ARRAY(r->arena, int, workloads->len);
    for (size_t i = 0; i < workloads->len; i++) {
        const struct ks_yaml *item = &workloads->items[i];
        if (item->kind != KS_YAML_SCALAR || is_nothing(item))
            FAIL_AT(r, item,
                    "a workload is one line of clauses; quote it if YAML reads it otherwise");
        mark->workloads[i] = item->text;
        mark->workload_lines[i] = item->line;
    }
    mark->n_workloads = workloads->len;
    return KS_OK;
}

static enum ks_status read_kernels(struct reader *r, const struct ks_yaml *list)
{
    if (is_nothing(list))
        return KS_OK;
    if (list->kind != KS_YAML_LIST)
        FAIL_AT(r, list, "kernels: is a list, one `- file: ...` a kernel");
    r->project->marks = KS_NEW_ARRAY(r->arena, struct ks_side_mark, list->len);
    for (size_t i = 0; i < list->len; i++)
        KS_TRY(read_kernel(r, &list->items[i], &r->project->marks[i]));
    r->project->n_marks = list->len;
    return KS_OK;
}

static enum ks_status read_trust(struct reader *r, const struct ks_yaml *list)
{
    if (is_nothing(list))
        return KS_OK;
    if (list->kind != KS_YAML_LIST)
        FAIL_AT(r, list, "trust: is a list of public keys");
    r->project->trust = KS_NEW_ARRAY(r->arena, struct ks_pubkey, list->len);
    for (size_t i = 0; i < list->len; i++) {
        const struct ks_yaml *item = &list->items[i];
        struct ks_err cause;
        if (item->kind != KS_YAML_SCALAR)
            FAIL_AT(r, item, "trust: each entry is the one-line text of a public key");
        if (ks_pubkey_parse(item->text, &r->project->trust[i], &cause) != KS_OK)
            FAIL_AT(r, item, "trust: %s", cause.text);
    }
    r->project->n_trust = list->len;
    return KS_OK;
}

static void insist(struct ks_project *project)
{
    project->has_mode = true;
    project->mode = KS_MODE_STRICT;
}

static enum ks_status read_settings(struct reader *r, const struct ks_yaml *map)
{
    static const char *const keys[] = {"budget", "mode", NULL};
    if (is_nothing(map))
        return KS_OK;
    if (map->kind != KS_YAML_MAP)
        FAIL_AT(r, map, "settings: holds `budget:` and `mode:`");
    KS_TRY(ks_yaml_known(r->file, map, keys, r->err));
    const struct ks_yaml *budget = ks_yaml_get(map, "budget"), *mode = ks_yaml_get(map, "mode");
    if (!is_nothing(budget)) {
        if (budget->kind != KS_YAML_SCALAR ||
            !ks_seconds_parse(budget->text, &r->project->budget_seconds))
            FAIL_AT(r, budget, "budget: wants seconds as in 60s, or minutes as in 5m");
        r->project->has_budget = true;
    }
    if (!is_nothing(mode)) {
        insist(r->project); // a misspelt mode may have meant strict
        enum ks_mode wanted;
        if (mode->kind != KS_YAML_SCALAR || !ks_mode_parse(mode->text, &wanted))
            FAIL_AT(r, mode, "mode: wants consume, strict or off");
        r->project->has_mode = wanted != KS_MODE_TUNE;
        r->project->mode = wanted;
        if (wanted == KS_MODE_TUNE)
            FAIL_AT(r, mode, "mode: a project may not ask for tuning; set KS_MODE=tune yourself");
    }
    return KS_OK;
}

static enum ks_status read_file(struct ks_arena *arena, struct ks_project *project,
                                struct ks_err *err)
{
    static const char *const keys[] = {"kernels", "trust", "settings", NULL};
    struct reader r = {arena, project->file, project, err};
    struct ks_slice text;
    struct ks_yaml *root;
    KS_TRY(ks_file_read(arena, project->file, MAX_FILE, &text, err));
    if (ks_slice_trim(text).len == 0)
        return KS_OK;
    if (memmem(text.at, text.len, "strict", 6) != NULL)
        insist(project); // should the file turn out to be unreadable
    KS_TRY(ks_yaml_parse(arena, project->file, text, &root, err));
    if (is_nothing(root)) {
        project->has_mode = false;
        return KS_OK;
    }
    if (root->kind != KS_YAML_MAP)
        FAIL_AT(&r, root, "expected `kernels:`, `trust:` or `settings:`");
    KS_TRY(ks_yaml_known(project->file, root, keys, err));
    project->has_mode = false;
    KS_TRY(read_settings(&r, ks_yaml_get(root, "settings")));
    KS_TRY(read_kernels(&r, ks_yaml_get(root, "kernels")));
    return read_trust(&r, ks_yaml_get(root, "trust"));
}

// Whether `dir` is a project's root. A found file or folder that may not be believed ends the
// search: project->ignored says why.
static bool look_in(struct ks_arena *arena, const char *dir, uid_t builder,
                    struct ks_project *project)
{
    const char *const names[] = {"ks.yaml", ".ks"};
    for (size_t i = 0; i < 2; i++) {
        const char *path = ks_path_join(arena, dir, names[i]);
        struct stat st;
        if (stat(path, &st) != 0 || (i == 0 ? !S_ISREG(st.st_mode) : !S_ISDIR(st.st_mode)))
            continue;
        const char *problem = ks_owner_problem(&st, builder);
        if (problem != NULL) {
            *project =
                (struct ks_project){.ignored = ks_arena_printf(arena, "%s %s", path, problem)};
            return true;
        }
        project->root = dir;
        if (i == 0)
            project->file = path;
    }
    return project->root != NULL;
}

static void search(struct ks_arena *arena, const char *from, struct ks_project *project)
{
    const char *dir = ks_path_real(arena, from);
    if (dir == NULL || !ks_is_dir(dir)) // a file, perhaps one still to be made
        dir = ks_path_real(arena, ks_path_dir(arena, dir != NULL ? dir : from));
    const char *home = ks_dirs_home(arena);
    home = home == NULL ? NULL : ks_path_real(arena, home);
    struct stat start, st;
    if (dir == NULL || stat(dir, &start) != 0)
        return;
    while (stat(dir, &st) == 0 && st.st_dev == start.st_dev) {
        bool last = strcmp(dir, "/") == 0 || (home != NULL && strcmp(dir, home) == 0);
        if (look_in(arena, dir, start.st_uid, project) || last)
            return;
        dir = ks_path_dir(arena, dir);
    }
}

enum ks_status ks_project_find(struct ks_arena *arena, const struct ks_config *config,
                               const char *from, struct ks_project *project, struct ks_err *err)
{
    *project = (struct ks_project){0};
    if (config->project != NULL) {
        const char *dir = ks_path_real(arena, config->project);
        if (dir == NULL || !ks_is_dir(dir))
            KS_FAIL(err, KS_E_USER,
                    "project folder %s does not exist; --ks-project and KS_PROJECT "
                    "name the folder that holds ks.yaml or .ks",
                    config->project);
        project->root = dir;
        const char *file = ks_path_join(arena, dir, "ks.yaml");
        project->file = ks_file_exists(file) ? file : NULL;
    } else {
        search(arena, from, project);
    }
    return project->file == NULL ? KS_OK : read_file(arena, project, err);
}

void ks_project_apply(const struct ks_project *project, struct ks_config *config)
{
    if (project->has_mode && !config->mode_fixed)
        config->mode = project->mode;
    if (project->has_budget && !config->budget_fixed)
        config->budget_seconds = project->budget_seconds;
}

bool ks_project_may_mark(const struct ks_project *project, const char *path)
{
    struct stat st;
    if (project->n_marks == 0)
        return false;
    if (lstat(path, &st) != 0 || S_ISLNK(st.st_mode))
        return true; // its real name may be any
    for (size_t i = 0; i < project->n_marks; i++)
        if (fnmatch(ks_path_base(project->marks[i].file), ks_path_base(path), 0) == 0)
            return true;
    return false;
}

size_t ks_project_marks_for(struct ks_arena *arena, const struct ks_project *project,
                            const char *file, size_t **indices)
{
    size_t n = 0, root_len = project->root == NULL ? 0 : strlen(project->root);
    *indices = KS_NEW_ARRAY(arena, size_t, project->n_marks);
    if (root_len == 0 || !ks_starts_with(file, project->root))
        return 0;
    const char *below = file + root_len;
    if (root_len > 1 && *below++ != '/') // "/" is the only root that ends in one
        return 0;
    for (size_t i = 0; i < project->n_marks; i++)
        if (fnmatch(project->marks[i].file, below, FNM_PATHNAME) == 0)
            (*indices)[n++] = i;
    return n;
}

size_t ks_project_marks_without_file(struct ks_arena *arena, const struct ks_project *project,
                                     size_t **indices)
{
    size_t n = 0;
    *indices = KS_NEW_ARRAY(arena, size_t, project->n_marks);
    for (size_t i = 0; i < project->n_marks; i++) {
        glob_t found = {0};
        // The root is a name, whatever its characters.
        struct ks_buf pattern = KS_BUF(1 << 16);
        for (const char *at = project->root; *at != '\0'; at++)
            ks_buf_printf(&pattern, strchr("*?[\\", *at) != NULL ? "\\%c" : "%c", *at);
        ks_buf_printf(&pattern, "/%s", project->marks[i].file);
        if (glob(ks_buf_text(&pattern), GLOB_NOSORT | GLOB_PERIOD, NULL, &found) == GLOB_NOMATCH)
            (*indices)[n++] = i;
        globfree(&found);
        ks_buf_free(&pattern);
    }
    return n;
}
