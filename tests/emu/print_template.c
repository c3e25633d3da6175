// Says what a template makes of a marked kernel, whose PTX a compile has left:
//   print_template FILE.cu FILE.ptx KERNEL TEMPLATE [form=FORM] [NAME=VALUE...]
//       the proposal, as `ks verify` reads it
//   print_template FILE.cu FILE.ptx
//       "KERNEL TEMPLATE: binding" for all that fit
// The binding goes to stderr, and why there is none.
#include <dirent.h>

#include "engine/specimen.h"
#include "engine/template.h"
#include "key/ptx.h"
#include "os/file.h"
#include "../host_run/host_run.h"

#define DIRECTORY KS_SOURCE_DIR "/skills/templates"

static struct ks_arena arena;
static struct ks_ptx_module module;

// The template arguments of mark `m`: of its first inst(), which no type of a parameter hangs on.
static size_t arguments(const char *text, size_t m, const char *const **out)
{
    struct ks_kernel_list kernels = {0};
    struct ks_mark_list marks = {0};
    struct ks_err err = {0};
    struct ks_strv args = {0};
    if (ks_kernels_find(&arena, "t.cu", ks_slice_of(text), &kernels, &err) != KS_OK ||
        ks_marks_find(&arena, "t.cu", ks_slice_of(text), &kernels, &marks, &err) != KS_OK)
        fail_msg("%s", err.text);
    const char *at = marks.at[m].n_instances > 0 ? marks.at[m].instances[0] : "";
    for (size_t n; *at; at += n + (at[n] == ',')) {
        n = strcspn(at, ",");
        ks_strv_add(&arena, &args, ks_arena_strndup(&arena, at, n));
    }
    *out = args.at;
    return args.len;
}

// The brief of mark `m`, with the PTX of its kernel.
static bool kernel_make(const char *text, size_t m, struct host_case *c)
{
    const char *const *args;
    const size_t n_args = arguments(text, m, &args);
    host_case_make_nth(&arena, text, m, NULL, args, n_args, c);
    for (size_t i = 0; i < module.n_entries; i++) {
        const struct ks_ptx_entry *e = &module.entries[i];
        const char *at = strstr(e->name, c->brief.decl->name);
        // _Z4name...: the length in front tells `sum` from `row_sum`.
        if (at != NULL && (at == e->name || (at[-1] >= '0' && at[-1] <= '9' &&
                                             strtoul(at - (strlen(c->brief.decl->name) > 9 ? 2 : 1),
                                                     NULL, 10) == strlen(c->brief.decl->name)))) {
            c->brief.canonical_ptx = ks_arena_strndup(&arena, e->canonical.at, e->canonical.len);
            c->brief.specimens = ks_engine_specimens(&arena);
            return true;
        }
    }
    return false;
}

static struct ks_skill skill_of(const char *name, char **settings, int n)
{
    struct ks_skill s = {.id = "template", .title = name, .direction = "d", .template_ = name,
                         .file = name, .n_params = (size_t)n};
    s.param_names = KS_NEW_ARRAY(&arena, const char *, (size_t)n + 1);
    s.param_values = ks_arena_array(&arena, (size_t)n + 1, sizeof *s.param_values);
    for (int i = 0; i < n; i++) {
        size_t len = strcspn(settings[i], "=");
        s.param_names[i] = ks_arena_strndup(&arena, settings[i], len);
        s.param_values[i] = KS_NEW_ARRAY(&arena, const char *, 2);
        s.param_values[i][0] = settings[i] + len + (settings[i][len] == '=');
        s.param_values[i][1] = NULL;
    }
    return s;
}

static enum ks_status propose(const struct host_case *c, const char *name, char **settings, int n,
                              struct ks_candidate_list *list, const char **why, struct ks_err *err)
{
    const struct ks_skill skill = skill_of(name, settings, n);
    *why = NULL;
    return ks_template_propose(&arena, &c->brief, &skill, DIRECTORY, list, why, err);
}

// The first, or the first of a form.
static const struct ks_candidate *of_form(const struct ks_candidate_list *list, const char *form)
{
    for (size_t i = 0; i < list->len; i++)
        if (form == NULL || strstr(list->at[i].params, ks_arena_printf(&arena, " %s ", form)))
            return &list->at[i];
    return NULL;
}

static int print_one(const struct host_case *c, const char *name, char **settings, int n)
{
    struct ks_candidate_list list = {0};
    struct ks_err err = {0};
    const char *why, *form = NULL;
    if (n > 0 && ks_starts_with(settings[0], "form="))
        form = settings[0];
    if (propose(c, name, settings + (form != NULL), n - (form != NULL), &list, &why, &err) !=
            KS_OK ||
        list.len == 0) {
        fprintf(stderr, "%s\n", err.status != KS_OK ? err.text : why);
        return 1;
    }
    const struct ks_candidate *chosen = of_form(&list, form);
    if (chosen == NULL) {
        fprintf(stderr, "no binding with %s\n", form);
        return 1;
    }
    fprintf(stderr, "%zu: %s\n%s\n", list.len, chosen->rationale, chosen->params);
    struct ks_buf out = KS_BUF(1u << 20);
    struct ks_yaml_writer w = {.out = &out};
    ks_proposal_write(&w, &chosen->proposal);
    fputs(ks_buf_text(&out), stdout);
    ks_buf_free(&out);
    return 0;
}

static int print_all(const struct host_case *c)
{
    struct dirent **files;
    int n = scandir(DIRECTORY, &files, NULL, alphasort), bad = 0;
    for (int i = 0; i < n; i++) {
        struct ks_candidate_list list = {0};
        struct ks_err err = {0};
        const char *why;
        if (!ks_ends_with(files[i]->d_name, ".yaml"))
            continue;
        char *name = ks_arena_strndup(&arena, files[i]->d_name, strlen(files[i]->d_name) - 5);
        if (propose(c, name, NULL, 0, &list, &why, &err) != KS_OK) {
            fprintf(stderr, "%s\n", err.text);
            bad = 1;
        } else if (list.len > 0) {
            printf("%s %s: %zu: %s\n", c->brief.decl->name, name, list.len, list.at[0].params);
            if (c->brief.specimens->tried && c->brief.specimens->n == 0)
                printf("  not held against the original: %s\n", c->brief.specimens->why);
        } else if (getenv("WHY") != NULL) {
            fprintf(stderr, "%s %s: %s\n", c->brief.decl->name, name, why);
        }
    }
    return bad;
}

int main(int argc, char **argv)
{
    struct ks_err err = {0};
    struct ks_slice text, ptx;
    struct host_case c;
    int bad = 0;
    if ((argc != 3 && argc < 5) || ks_file_read(&arena, argv[1], 1u << 20, &text, &err) != KS_OK ||
        ks_file_read(&arena, argv[2], 1u << 24, &ptx, &err) != KS_OK ||
        ks_ptx_read(&arena, ptx, &module, &err) != KS_OK) {
        fprintf(stderr, "%s\n", err.text);
        return 2;
    }
    const char *own = ks_arena_strndup(&arena, text.at, text.len);
    for (size_t m = 0; host_case_has(&arena, own, m); m++) {
        if (!kernel_make(own, m, &c)) {
            fprintf(stderr, "no PTX of %s\n", c.brief.decl->name);
            return 2;
        }
        if (argc == 3)
            bad |= print_all(&c);
        else if (strcmp(c.brief.decl->name, argv[3]) == 0)
            bad |= print_one(&c, argv[4], argv + 5, argc - 5);
    }
    ks_arena_free(&arena);
    return bad;
}
