// Reading a folder of fixtures.
#include <string.h>

#include "app/verb_suite.h"
#include "app/verb_suite_words.h"
#include "os/file.h"

#define TEXT_MAX (1u << 20)
#define TU_MAX (4u << 20)

struct reader {
    struct ks_arena *arena;
    const char *path; // of the file being read
    const char *dir;  // the suite's
    bool confined, emulated;
    struct ks_err *err;
};

#define FAIL_AT(r, line, ...)                                                                     \
    return ks_err_set((r)->err, KS_E_USER, "%s:%d: %s", (r)->path, line,                          \
                      ks_arena_printf((r)->arena, __VA_ARGS__))

static enum ks_status read_words(const struct reader *r, const struct ks_yaml *map, const char *key,
                                 struct ks_strv *words)
{
    const struct ks_yaml *list = ks_yaml_get(map, key);
    if (list == NULL)
        return KS_OK;
    if (list->kind != KS_YAML_LIST)
        FAIL_AT(r, list->line, "`%s` is a list of words", key);
    for (size_t i = 0; i < list->len; i++) {
        if (list->items[i].kind != KS_YAML_SCALAR)
            FAIL_AT(r, list->items[i].line, "a word is expected here");
        ks_strv_add(r->arena, words, list->items[i].text);
    }
    return KS_OK;
}

static enum ks_status read_yes(const struct reader *r, const struct ks_yaml *map, const char *key, bool *yes)
{
    const struct ks_yaml *value = ks_yaml_get(map, key);
    const char *text = ks_yaml_text(map, key, "");
    *yes = strcmp(text, "yes") == 0;
    if (value != NULL && !*yes && strcmp(text, "no") != 0)
        FAIL_AT(r, value->line, "`%s` is yes or no", key);
    return KS_OK;
}

static bool is_correctness(const char *word)
{
    for (int c = KS_C_CORRECT; c <= KS_C_VOID; c++)
        if (strcmp(word, ks_correctness_name((enum ks_correctness)c)) == 0)
            return true;
    return false;
}

static bool is_speed(const char *word)
{
    for (int s = KS_S_FASTER; s <= KS_S_NOT_MEASURED; s++)
        if (strcmp(word, ks_speed_name((enum ks_speed)s)) == 0)
            return true;
    return false;
}

static enum ks_status read_outcomes(const struct reader *r, const struct ks_yaml *map, const char *key,
                                    struct ks_strv *outcomes, bool *timed)
{
    *outcomes = (struct ks_strv){0};
    KS_TRY(read_words(r, map, key, outcomes));
    for (size_t i = 0; i < outcomes->len; i++) {
        bool speed = is_speed(outcomes->at[i]) && strcmp(outcomes->at[i], "VOID") != 0;
        if (!speed && !is_correctness(outcomes->at[i]))
            FAIL_AT(r, ks_yaml_get(map, key)->line, "`%s` is no outcome", outcomes->at[i]);
        *timed |= speed;
    }
    return KS_OK;
}

static enum ks_status read_nvcc(const struct reader *r, const struct suite_fixture *f, const struct ks_yaml *map,
                                struct suite_case *one)
{
    struct ks_strv given = {0}, words = {0};
    const struct ks_yaml *list = ks_yaml_get(map, "nvcc");
    size_t at;
    if (list == NULL)
        return KS_OK;
    KS_TRY(read_words(r, map, "nvcc", &given));
    const char *wrong = suite_words_wrong(r->arena, r->dir, f->dir, &given, &at, &words);
    if (wrong != NULL)
        FAIL_AT(r, list->items[at].line, "nvcc's word `%s` %s; leave it out, or judge the file alone: ks verify "
                "FILE.cu --variant P.yaml -- WORDS (docs/suite.md lists the words of suites)", given.at[at], wrong);
    ks_strv_add(r->arena, &words, NULL);
    one->words = words.at;
    return KS_OK;
}

// The compiler reads nothing of the user's beside the suite's folder.
static enum ks_status check_file(const struct reader *r, const struct ks_yaml *map, const char *file)
{
    const struct ks_yaml *said = ks_yaml_get(map, "file");
    if (!r->confined || !ks_file_exists(file) || suite_inside(r->arena, r->dir, file))
        return KS_OK;
    FAIL_AT(r, said != NULL ? said->line : map->line, "%s lies outside of the suite's folder; copy it there, or "
            "--no-sandbox, if you know whose text this is", file);
}

static enum ks_status read_case(const struct reader *r, const struct suite_fixture *f,
                                const struct ks_yaml *map, struct suite_case *one)
{
    struct ks_strv off = {0}, seen = {0};
    const char *file = ks_yaml_text(map, "file", NULL);
    if (file != NULL)
        one->file = ks_path_join(r->arena, f->dir, file);
    KS_TRY(check_file(r, map, one->file));
    KS_TRY(read_nvcc(r, f, map, one));
    one->weak = ks_yaml_text(map, "known_weak", one->weak);
    one->emu = ks_yaml_text(map, "emu", one->emu);
    KS_TRY(read_yes(r, map, "timed", &one->timed));
    bool timed = one->timed;
    KS_TRY(read_outcomes(r, map, "expect", &one->expect, &one->timed));
    KS_TRY(read_outcomes(r, map, "emu_expect", &seen, &timed));
    if (r->emulated && seen.len > 0) {
        one->expect = seen;
        one->timed = timed;
    }
    KS_TRY(read_words(r, map, "off", &off));
    for (size_t i = 0; i < off.len; i++) {
        enum ks_defence which;
        if (!ks_defence_parse(off.at[i], &which))
            FAIL_AT(r, ks_yaml_get(map, "off")->line, "no defence `%s`", off.at[i]);
        one->off.off[which] = true;
    }
    // Without a defence it is to be seen what gets through, not who else looks.
    one->off.off[KS_D_EMULATION] = one->off.off[KS_D_EMULATION] || off.len > 0;
    return KS_OK;
}

// How a reject is judged once more: with the defence off that it names, or why not at all.
static enum ks_status read_weakened(const struct reader *r, const struct ks_yaml *root,
                                    struct suite_fixture *f)
{
    static const char *const known[] = {"file", "nvcc", "off", "expect", "emu_expect", "timed", "known_weak", "emu",
                                        NULL};
    const struct ks_yaml *weakened = ks_yaml_get(root, "weakened");
    enum ks_defence which;
    bool named = f->defence != NULL, fixed = named && suite_is_fixed(f->defence);
    if (named && !fixed && !ks_defence_parse(f->defence, &which))
        FAIL_AT(r, ks_yaml_get(root, "defence")->line, "no defence `%s`", f->defence);
    if (weakened == NULL && named && !fixed)
        FAIL_AT(r, ks_yaml_get(root, "defence")->line,
                "`weakened` says how it is judged without `%s`, or why it is not", f->defence);
    if (weakened == NULL || (weakened->kind == KS_YAML_SCALAR && weakened->text[0] != '\0' && named))
        return KS_OK;
    KS_TRY(ks_yaml_known(r->path, weakened, known, r->err));
    if (!named || fixed)
        FAIL_AT(r, weakened->line, "`weakened` needs a `defence` that a build can leave out");
    f->weakened = f->main;
    KS_TRY(read_case(r, f, weakened, &f->weakened));
    if (!f->weakened.off.off[which])
        FAIL_AT(r, weakened->line, "`off` lists the defence that `defence` names: `%s`", f->defence);
    // What is asked then is whether the same is said again: a speed needs a speed.
    f->weakened.timed |= f->main.timed && f->weakened.expect.len == 0;
    f->has_weakened = true;
    return KS_OK;
}

static enum ks_status read_fixture(const struct reader *r, const struct ks_yaml *root,
                                   struct suite_fixture *f)
{
    static const char *const known[] = {"title", "file", "kernel", "nvcc", "expect", "timed",
                                        "defence", "weakened", "known_weak", "emu", NULL};
    KS_TRY(ks_yaml_known(r->path, root, known, r->err));
    f->title = ks_yaml_text(root, "title", "");
    f->kernel = ks_yaml_text(root, "kernel", NULL);
    f->defence = ks_yaml_text(root, "defence", NULL);
    f->main.file = ks_path_join(r->arena, f->dir, "kernel.cu");
    KS_TRY(read_case(r, f, root, &f->main));
    if (f->main.expect.len == 0)
        FAIL_AT(r, root->line, "`expect` lists the outcomes that are right");
    return read_weakened(r, root, f);
}

static bool wanted(const char *id, const char *only)
{
    if (only == NULL)
        return true;
    for (const char *at = only; *at != '\0'; at += strcspn(at, ","), at += *at == ',') {
        size_t n = strcspn(at, ",");
        if (n > 0 && strncmp(id, at, n) == 0)
            return true;
    }
    return false;
}

static enum ks_status read_number(const struct reader *r, const struct ks_yaml *map, const char *key,
                                  int64_t *n)
{
    const struct ks_yaml *value = ks_yaml_get(map, key);
    *n = 0;
    if (value != NULL && (!ks_parse_i64(ks_yaml_text(map, key, ""), n) || *n < 0))
        FAIL_AT(r, value->line, "`%s` is a number of fixtures", key);
    return KS_OK;
}

static enum ks_status read_least(const struct reader *r, const struct ks_yaml *root,
                                 struct suite *suite)
{
    static const char *const known[] = {"least", NULL}, *const devices[] = {"cuda", "emu", "none", NULL},
                      *const kinds[] = {"reject", "accept", NULL};
    const struct ks_yaml *least = ks_yaml_get(root, "least");
    KS_TRY(ks_yaml_known(r->path, root, known, r->err));
    KS_TRY(ks_yaml_known(r->path, least, devices, r->err));
    for (size_t i = 0; least != NULL && i < least->len; i++) {
        const struct ks_yaml *one = &least->items[i];
        KS_TRY(ks_yaml_known(r->path, one, kinds, r->err));
        suite->least[i].device = least->keys[i];
        KS_TRY(read_number(r, one, "reject", &suite->least[i].reject));
        KS_TRY(read_number(r, one, "accept", &suite->least[i].accept));
        suite->n_least = i + 1;
    }
    return KS_OK;
}

static enum ks_status read_yaml(struct reader *r, const char *path, struct ks_yaml **root)
{
    struct ks_slice text;
    struct ks_err local = {0};
    r->path = path;
    if (ks_file_read(r->arena, path, TEXT_MAX, &text, &local) != KS_OK)
        KS_FAIL(r->err, KS_E_USER, "%s", local.text);
    return ks_yaml_parse(r->arena, path, text, root, r->err);
}

enum ks_status suite_read(struct ks_arena *arena, const char *dir, const char *only, bool confined,
                          bool emulated, struct suite *suite, struct ks_err *err)
{
    struct reader r = {.arena = arena, .path = dir, .dir = dir, .confined = confined, .emulated = emulated,
                       .err = err};
    struct ks_strv names = {0};
    struct ks_yaml *root;
    struct ks_err local = {0};
    *suite = (struct suite){0};
    if (ks_dir_list(arena, dir, &names, &local) != KS_OK)
        KS_FAIL(err, KS_E_USER, "%s: no folder of fixtures: %s", dir, local.text);
    suite->at = KS_NEW_ARRAY(arena, struct suite_fixture, names.len);
    for (size_t i = 0; i < names.len; i++) {
        const char *folder = ks_path_join(arena, dir, names.at[i]);
        const char *path = ks_path_join(arena, folder, "expect.yaml");
        if (!ks_file_exists(path) || !wanted(names.at[i], only))
            continue;
        struct suite_fixture *f = &suite->at[suite->n++];
        *f = (struct suite_fixture){.id = names.at[i], .dir = folder};
        KS_TRY(read_yaml(&r, path, &root));
        KS_TRY(read_fixture(&r, root, f));
    }
    if (suite->n == 0)
        KS_FAIL(err, KS_E_USER, "%s: no fixture (a folder with expect.yaml)%s", dir,
                only != NULL ? " of that name" : "");
    const char *path = ks_path_join(arena, dir, "suite.yaml");
    if (only != NULL || !ks_file_exists(path))
        return KS_OK;
    KS_TRY(read_yaml(&r, path, &root));
    return read_least(&r, root, suite);
}

enum ks_status suite_with_workload(struct ks_arena *arena, const char *file, const char *workload,
                                   const char **out, char **dir, struct ks_err *err)
{
    struct ks_slice text;
    KS_TRY(ks_file_read(arena, file, TU_MAX, &text, err));
    KS_TRY(ks_dir_temp(arena, "ks-suite", dir, err));
    struct ks_buf copy = KS_BUF(TU_MAX + 4096);
    bool placed = false, inside = false;
    for (size_t at = 0; at < text.len;) {
        const char *line = text.at + at, *newline = memchr(line, '\n', text.len - at);
        size_t n = newline != NULL ? (size_t)(newline - line) : text.len - at;
        at += n + 1;
        if (inside || ks_starts_with(line, "#pragma ks workload")) {
            inside = n > 0 && line[n - 1] == '\\';
            if (!placed)
                ks_buf_printf(&copy, "#pragma ks workload %s\n", workload);
            placed = true;
            continue;
        }
        ks_buf_add(&copy, line, n);
        ks_buf_putc(&copy, '\n');
    }
    *out = ks_path_join(arena, *dir, ks_path_base(file));
    enum ks_status status = ks_file_write(*out, ks_buf_text(&copy), copy.len, false, 0, err);
    ks_buf_free(&copy);
    return status;
}
