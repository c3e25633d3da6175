// The option table against the installed nvcc: its help text both ways, and each spelling and form
// of each row against what nvcc itself makes of it. And the table's own rules.
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "base/vec.h"
#include "nvcc/option.h"
#include "nvcc/toolkit.h"
#include "os/proc.h"

static struct ks_arena arena;
static struct ks_toolkit toolkit;
static const struct ks_option *options;
static size_t n_options;

static int setup(void **state)
{
    (void)state;
    options = ks_options(&n_options);
    return 0;
}

static int release(void **state)
{
    (void)state;
    ks_arena_free(&arena);
    return 0;
}

// What `nvcc --dryrun WORD` says, in one string; the test is skipped where there is no nvcc 13.
static const char *nvcc_says(const char *first, const char *second)
{
    struct ks_config config = {0};
    if (ks_toolkit_find(&arena, &config, &toolkit, NULL) != KS_OK ||
        ks_toolkit_version(&arena, &config, &toolkit, NULL) != KS_OK ||
        !ks_starts_with(toolkit.version, "13."))
        skip();
    const char *argv[] = {toolkit.nvcc, first, second, NULL};
    struct ks_proc_options run = {
        .capture_stdout = true, .capture_stderr = true, .null_stdin = true, .timeout_seconds = 60};
    struct ks_proc_result result;
    struct ks_err err;
    if (ks_proc_run(&arena, argv, &run, &result, &err) != KS_OK)
        fail_msg("%s", err.text);
    return ks_arena_printf(&arena, "%.*s\n%.*s", (int)result.out.len, result.out.at,
                           (int)result.err.len, result.err.at);
}

struct help_row {
    const char *name, *alias; // without dashes; alias NULL if there is none
    bool value;               // one is shown; the help forgets it for some
};
typedef KS_VEC(struct help_row) help_list;

// "--name <value>,...    (-alias)" at the beginning of a line; everything else is indented or
// prose.
static help_list read_help(const char *text)
{
    help_list list = {0};
    for (const char *at = text; *at != '\0';) {
        size_t len = strcspn(at, "\n");
        const char *line = ks_arena_strndup(&arena, at, len);
        at += len + (at[len] == '\n');
        if (!ks_starts_with(line, "--") || line[2] == '\0' || line[2] == ' ')
            continue;
        const char *words = line + 2, *open = strstr(words, "(-");
        size_t name = strcspn(words, " ");
        struct help_row row = {.name = ks_arena_strndup(&arena, words, name)};
        if (open != NULL)
            row.alias = ks_arena_strndup(&arena, open + 2, strcspn(open + 2, ")"));
        // One space before a value, a column of them before the alias.
        row.value = words[name] == ' ' && words[name + 1] != ' ' && words[name + 1] != '\0';
        *ks_vec_push(&arena, &list) = row;
    }
    return list;
}

// Where the table and a help text differ; empty if they agree.
static const char *differences(const char *help)
{
    help_list rows = read_help(help);
    const char *found = "";
    for (size_t i = 0; i < rows.len; i++) {
        const struct help_row *row = &rows.at[i];
        const struct ks_option *option = ks_option_find(row->name);
        if (option == NULL || option >= options + n_options - KS_HIDDEN_OPTIONS)
            found = ks_arena_printf(&arena, "%s[the table lacks %s]", found, row->name);
        else if ((row->alias == NULL) != (option->alias == NULL) ||
                 (row->alias != NULL && strcmp(row->alias, option->alias) != 0))
            found = ks_arena_printf(&arena, "%s[%s: the alias is %s]", found, row->name,
                                    row->alias == NULL ? "none" : row->alias);
        else if (row->value && option->value == KS_VALUE_NO)
            found = ks_arena_printf(&arena, "%s[%s takes a value]", found, row->name);
    }
    for (size_t i = 0; i + KS_HIDDEN_OPTIONS < n_options; i++) {
        bool listed = false;
        for (size_t k = 0; k < rows.len; k++)
            listed |= strcmp(rows.at[k].name, options[i].name) == 0;
        if (!listed)
            found = ks_arena_printf(&arena, "%s[the help lacks %s]", found, options[i].name);
    }
    return found;
}

static void agrees_with_help(void **state)
{
    (void)state;
    const char *help = nvcc_says("--help", NULL);
    assert_true(read_help(help).len > 140);
    assert_string_equal(differences(help), "");
}

static const char *replaced(const char *text, const char *from, const char *to)
{
    const char *at = strstr(text, from);
    assert_non_null(at);
    return ks_arena_printf(&arena, "%.*s%s%s", (int)(at - text), text, to, at + strlen(from));
}

// The comparison notices each kind of difference: a toolkit that has changed.
static void notices_another_help(void **state)
{
    (void)state;
    const char *help = nvcc_says("--help", NULL);
    assert_string_equal(differences(replaced(help, "\n--compile  ", "\n  --gone  ")),
                        "[the help lacks compile]");
    assert_string_equal(
        differences(replaced(help, "\n--compile  ", "\n--brand-new (-bn)\n--compile  ")),
        "[the table lacks brand-new]");
    assert_string_equal(differences(replaced(help, "(-maxrregcount)", "(-maxr)")),
                        "[maxrregcount: the alias is maxr]");
    assert_string_equal(differences(replaced(help, "(-lineinfo)", "")),
                        "[generate-line-info: the alias is none]");
    assert_string_equal(differences(replaced(help, "\n--shared ", "\n--shared <kind> ")),
                        "[shared takes a value]");
    assert_string_equal(differences(replaced(help, "\n--compile  ",
                                             "\n--nvvm-version  (-nvvm-version)\n--compile  ")),
                        "[the table lacks nvvm-version]"); // no longer hidden
}

// nvcc and the table read this word the same way.
static void check_word(const char *word)
{
    const char *says = nvcc_says("--dryrun", word);
    enum ks_use_kind nvcc = strstr(says, "Unknown option") != NULL            ? KS_USE_UNKNOWN
                            : strstr(says, "argument expected after") != NULL ? KS_USE_BROKEN
                                                                              : KS_USE_OPTION;
    struct ks_use use = ks_option_at(&word, 1, 0);
    if (use.kind != nvcc)
        fail_msg("%s: read as kind %d, but nvcc says: %s", word, use.kind, says);
}

static void check_forms(const char *word)
{
    check_word(word); // a value missing, or none wanted
    check_word(ks_arena_printf(&arena, "%s=1q", word));
    check_word(ks_arena_printf(&arena, "%s1q", word));
}

static void agrees_with_nvcc_on_forms(void **state)
{
    (void)state;
    for (size_t i = 0; i < n_options; i++) {
        const struct ks_option *o = &options[i];
        check_forms(ks_arena_printf(&arena, "--%s", o->name));
        if (o->alias != NULL)
            check_forms(ks_arena_printf(&arena, "-%s", o->alias));
        // Never crosswise: a long name behind one dash is an alias or nothing.
        check_word(ks_arena_printf(&arena, "-%s", o->name));
    }
}

static void the_table_is_consistent(void **state)
{
    (void)state;
    size_t n_passing = 0, n_code = 0;
    for (size_t i = 0; i < n_options; i++) {
        const struct ks_option *o = &options[i];
        bool out = o->effect == KS_OPT_PASS || o->effect == KS_OPT_LOOK ||
                   o->effect == KS_OPT_LIST || o->effect == KS_OPT_DEBUG ||
                   o->effect == KS_OPT_KEEP;
        assert_int_equal(o->why != NULL, out);
        assert_int_equal(o->key == KS_KEY_NEVER, out);
        n_passing += out;
        n_code += o->key == KS_KEY_CODE;
        // What goes into the key must be read.
        if (o->key == KS_KEY_CODE)
            assert_int_not_equal(o->effect, KS_OPT_PLAIN);
        if (o->effect == KS_OPT_CODEGEN || o->effect == KS_OPT_PTXAS)
            assert_int_equal(o->key, KS_KEY_CODE);
        for (size_t k = 0; k < i; k++) {
            assert_string_not_equal(o->name, options[k].name);
            if (o->alias != NULL && options[k].alias != NULL)
                assert_string_not_equal(o->alias, options[k].alias);
        }
    }
    assert_true(n_passing > 30);
    assert_true(n_code >= 9);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(agrees_with_help, setup, release),
        cmocka_unit_test_setup_teardown(notices_another_help, setup, release),
        cmocka_unit_test_setup_teardown(agrees_with_nvcc_on_forms, setup, release),
        cmocka_unit_test_setup_teardown(the_table_is_consistent, setup, release),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
