#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cmocka.h>

#include "cfg/project.h"
#include "os/file.h"

static struct ks_arena arena;
static char *dir;

static int set_up(void **state)
{
    (void)state;
    if (ks_dir_temp(&arena, "ks-test", &dir, NULL) != KS_OK)
        return -1;
    dir = ks_path_real(&arena, dir);
    setenv("HOME", ks_path_join(&arena, dir, "home"), 1);
    return ks_dir_make(ks_path_join(&arena, dir, "home"), NULL) == KS_OK ? 0 : -1;
}

static int tear_down(void **state)
{
    (void)state;
    enum ks_status status = ks_tree_remove(dir, NULL);
    ks_arena_free(&arena);
    return status == KS_OK ? 0 : -1;
}

static const char *at(const char *name)
{
    return ks_path_join(&arena, dir, name);
}

static const char *put(const char *name, const char *text)
{
    const char *path = at(name);
    assert_int_equal(ks_dir_make(ks_path_dir(&arena, path), NULL), KS_OK);
    assert_int_equal(ks_file_write(path, text, strlen(text), false, 0, NULL), KS_OK);
    return path;
}

static struct ks_project find(const char *from)
{
    struct ks_config config = {0};
    struct ks_project project;
    struct ks_err err;
    if (ks_project_find(&arena, &config, at(from), &project, &err) != KS_OK)
        fail_msg("%s", err.text);
    return project;
}

static const char *root_of(const char *from)
{
    struct ks_project project = find(from);
    return project.root == NULL ? "none" : project.root;
}

static void finds_the_nearest(void **state)
{
    (void)state;
    put("home/p/ks.yaml", "");
    put("home/p/src/a.cu", "");
    put("home/p/vendor/.git/HEAD", ""); // a nested repository is part of the project
    put("home/p/vendor/lib/b.cu", "");
    put("home/p/inner/.ks/index", "");
    put("home/p/inner/c.cu", "");
    assert_string_equal(root_of("home/p/src/a.cu"), at("home/p"));
    assert_string_equal(root_of("home/p"), at("home/p"));
    assert_string_equal(root_of("home/p/vendor/lib/b.cu"), at("home/p"));
    assert_string_equal(root_of("home/p/inner/c.cu"), at("home/p/inner"));
    assert_string_equal(root_of("home/p/src/not-yet.cu"), at("home/p"));
    struct ks_project inner = find("home/p/inner/c.cu");
    assert_null(inner.file);
    assert_int_equal(inner.n_marks, 0);
    assert_string_equal(find("home/p/src").file, at("home/p/ks.yaml"));
}

static void looks_from_the_real_place(void **state)
{
    (void)state;
    put("home/p/ks.yaml", "");
    put("home/p/a.cu", "");
    put("home/q/ks.yaml", "");
    assert_int_equal(symlink(at("home/p/a.cu"), at("home/q/a.cu")), 0);
    assert_string_equal(root_of("home/q/a.cu"), at("home/p"));
}

static void stops_at_home(void **state)
{
    (void)state;
    put("ks.yaml", "");
    put("home/p/a.cu", "");
    put("elsewhere/a.cu", "");
    assert_string_equal(root_of("home/p/a.cu"), "none");
    assert_string_equal(root_of("elsewhere/a.cu"), dir); // not below home: on to the root
    put("home/ks.yaml", "");
    assert_string_equal(root_of("home/p/a.cu"), at("home"));
}

static void passes_over_things_of_the_same_name(void **state)
{
    (void)state;
    put("home/p/ks.yaml", "");
    put("home/p/s/ks.yaml/x", ""); // a folder
    put("home/p/s/.ks", "");       // a file
    put("home/p/s/a.cu", "");
    assert_string_equal(root_of("home/p/s/a.cu"), at("home/p"));
}

static void believes_no_foreign_file(void **state)
{
    (void)state;
    put("home/p/ks.yaml", "kernels: [");
    put("home/p/s/a.cu", "");
    put("home/ks.yaml", "");
    assert_int_equal(chmod(at("home/p/ks.yaml"), 0666), 0);
    struct ks_project project = find("home/p/s/a.cu");
    assert_null(project.root); // and the search does not go on to home/ks.yaml
    assert_null(project.file);
    assert_non_null(strstr(project.ignored, "home/p/ks.yaml can be written by everybody"));
    assert_int_equal(chmod(at("home/p/ks.yaml"), 0644), 0);
    if (geteuid() != 0)
        return;
    assert_int_equal(chown(at("home/p/ks.yaml"), 12345, 12345), 0);
    project = find("home/p/s/a.cu");
    assert_null(project.root);
    assert_non_null(strstr(project.ignored, "belongs to another user"));
    // Root in a container builds somebody's checkout: all of it is theirs.
    put("home/p/ks.yaml", "");
    assert_int_equal(chown(at("home/p/ks.yaml"), 12345, 12345), 0);
    assert_int_equal(chown(at("home/p/s"), 12345, 12345), 0);
    assert_string_equal(root_of("home/p/s/a.cu"), at("home/p"));
    put("home/q/.ks/index", "");
    assert_int_equal(chmod(at("home/q/.ks"), 0777), 0);
    assert_non_null(strstr(find("home/q").ignored, "home/q/.ks can be written by everybody"));
}

static void takes_a_named_folder(void **state)
{
    (void)state;
    put("elsewhere/ks.yaml", "settings: {budget: 9s}\n");
    put("home/p/ks.yaml", "");
    put("empty/x", "");
    struct ks_config config = {.project = at("elsewhere")};
    struct ks_project project;
    struct ks_err err;
    assert_int_equal(ks_project_find(&arena, &config, at("home/p"), &project, &err), KS_OK);
    assert_string_equal(project.root, at("elsewhere"));
    assert_true(project.has_budget);
    config.project = at("empty");
    assert_int_equal(ks_project_find(&arena, &config, at("home/p"), &project, &err), KS_OK);
    assert_string_equal(project.root, at("empty"));
    assert_null(project.file);
    config.project = at("missing");
    assert_int_equal(ks_project_find(&arena, &config, at("home/p"), &project, &err), KS_E_USER);
    assert_non_null(strstr(err.text, "--ks-project"));
}

static const char *key_text(void)
{
    struct ks_secret_key secret;
    struct ks_pubkey key;
    char text[KS_PUBKEY_TEXT];
    assert_int_equal(ks_key_generate(&secret, &key, NULL), KS_OK);
    ks_pubkey_text(&key, text);
    return ks_arena_strdup(&arena, text);
}

static void reads_marks_keys_and_settings(void **state)
{
    (void)state;
    const char *key = key_text();
    put("home/p/ks.yaml",
        ks_arena_printf(
            &arena,
            "kernels:\n"
            "  - file: src/solver/*.cu            # a comment\n"
            "    kernel: ns::relax\n"
            "    optimize: tol(rel=1e-5) budget(60s)\n"
            "    workloads:\n"
            "      - let(n=4096) in(a[n*n]=uniform(-1,1)) out(b[n*n]) grid(n/32,n/8) block(32,8)\n"
            "      - capture(relax-3f2a)\n"
            "  - {file: ./inc/k.cuh, kernel: \"ns::relax<float,256>\", optimize: off}\n"
            "  - file: \"**\"\n"
            "    kernel: k\n"
            "trust:\n"
            "  - %s\n"
            "settings:\n"
            "  budget: 2m\n"
            "  mode: strict\n",
            key));
    struct ks_project project = find("home/p");
    assert_int_equal(project.n_marks, 3);
    const struct ks_side_mark *mark = &project.marks[0];
    assert_int_equal(mark->line, 2);
    assert_string_equal(mark->file, "src/solver/*.cu");
    assert_string_equal(mark->kernel, "ns::relax");
    assert_string_equal(mark->optimize, "tol(rel=1e-5) budget(60s)");
    assert_false(mark->off);
    assert_int_equal(mark->n_workloads, 2);
    assert_string_equal(
        mark->workloads[0],
        "let(n=4096) in(a[n*n]=uniform(-1,1)) out(b[n*n]) grid(n/32,n/8) block(32,8)");
    assert_int_equal(mark->workload_lines[0], 6);
    assert_int_equal(mark->workload_lines[1], 7);
    assert_string_equal(project.marks[1].file, "inc/k.cuh");
    assert_string_equal(project.marks[1].kernel, "ns::relax<float,256>");
    assert_true(project.marks[1].off);
    assert_string_equal(project.marks[2].optimize, "");
    assert_int_equal(project.marks[2].n_workloads, 0);

    assert_int_equal(project.n_trust, 1);
    char text[KS_PUBKEY_TEXT];
    ks_pubkey_text(&project.trust[0], text);
    assert_string_equal(text, key);

    struct ks_config config = {.mode = KS_MODE_CONSUME, .budget_seconds = 60};
    ks_project_apply(&project, &config);
    assert_int_equal(config.mode, KS_MODE_STRICT);
    assert_true(config.budget_seconds > 119 && config.budget_seconds < 121);
    config = (struct ks_config){
        .mode = KS_MODE_OFF, .budget_seconds = 1, .mode_fixed = true, .budget_fixed = true};
    ks_project_apply(&project, &config);
    assert_int_equal(config.mode, KS_MODE_OFF);
    assert_true(config.budget_seconds < 2);
}

static void matches_files(void **state)
{
    (void)state;
    put("home/p/ks.yaml", "kernels:\n"
                          "  - {file: src/*.cu, kernel: a}\n"
                          "  - {file: src/x.cu, kernel: b}\n"
                          "  - {file: '*', kernel: c}\n"
                          "  - {file: 'src/[ab]?.cuh', kernel: d}\n");
    struct ks_project project = find("home/p");
    const struct {
        const char *file;
        size_t n, first;
    } cases[] = {
        {"home/p/src/x.cu", 2, 0},  {"home/p/src/y.cu", 1, 0},   {"home/p/src/sub/x.cu", 0, 0},
        {"home/p/top.cu", 1, 2},    {"home/p/src/a1.cuh", 1, 3}, {"home/p/src/c1.cuh", 0, 0},
        {"home/p2/src/x.cu", 0, 0}, {"home/src/x.cu", 0, 0},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        size_t *indices, n = ks_project_marks_for(&arena, &project, at(cases[i].file), &indices);
        assert_int_equal(n, cases[i].n);
        put(cases[i].file, "");
        assert_true(n == 0 || ks_project_may_mark(&project, at(cases[i].file)));
        if (n > 0)
            assert_int_equal(indices[0], cases[i].first);
    }
    struct ks_project none = {0};
    size_t *indices;
    assert_false(ks_project_may_mark(&none, at("home/p/src/x.cu")));
    put("home/p/ks.yaml", "kernels: [{file: 'src/*.cu', kernel: a}]\n");
    project = find("home/p");
    put("home/p/src/x.hpp", "");
    assert_false(ks_project_may_mark(&project, at("home/p/src/x.hpp")));
    assert_int_equal(symlink("x.cu", at("home/p/src/link.hpp")), 0);
    assert_true(ks_project_may_mark(&project, at("home/p/src/link.hpp")));
    assert_int_equal(ks_project_marks_for(&arena, &none, at("x.cu"), &indices), 0);
}

static void an_empty_file_is_a_project(void **state)
{
    (void)state;
    const char *texts[] = {"", "\n", "# nothing yet\n", "---\n", "kernels:\ntrust:\nsettings:\n"};
    for (size_t i = 0; i < sizeof texts / sizeof *texts; i++) {
        put("home/p/ks.yaml", texts[i]);
        struct ks_project project = find("home/p");
        assert_string_equal(project.root, at("home/p"));
        assert_int_equal(project.n_marks + project.n_trust, 0);
    }
}

static void names_the_line_of_a_mistake(void **state)
{
    (void)state;
    const struct {
        const char *text, *part;
    } bad[] = {
        {"kernel:\n", "ks.yaml:1"},
        {"trust: []\nkernles: []\n", "ks.yaml:2"},
        {"kernels:\n  - {file: a.cu}\n", "ks.yaml:2: an entry of kernels needs `kernel:`"},
        {"kernels:\n  - {kernel: k}\n", "ks.yaml:2: an entry of kernels needs `file:`"},
        {"kernels:\n  - {file: a.cu, kernel: k, optimise: off}\n", "optimize"},
        {"kernels:\n  - {file: /a.cu, kernel: k}\n", "is not a path below this project"},
        {"kernels:\n  - {file: x/../../a.cu, kernel: k}\n", "is not a path below this project"},
        {"kernels:\n  - file: a.cu\n    kernel: 3k\n", "ks.yaml:3: kernel: 3k is no kernel's name"},
        {"kernels:\n  - {file: a.cu, kernel: 'ns:k'}\n", "is no kernel's name"},
        {"kernels:\n  - {file: a.cu, kernel: 'k<int'}\n", "is no kernel's name"},
        {"kernels:\n  - {file: a.cu, kernel: 'k::'}\n", "is no kernel's name"},
        {"kernels:\n  - file: a.cu\n    kernel: k\n    workloads: in(a[n])\n",
         "ks.yaml:4: workloads"},
        {"kernels:\n  - file: a.cu\n    kernel: k\n    workloads:\n      -\n", "ks.yaml:5"},
        {"kernels:\n  - file: a.cu\n    kernel: k\n    workloads:\n      - [a, b]\n", "ks.yaml:5"},
        {"kernels: {file: a.cu}\n", "kernels: is a list"},
        {"kernels:\n  - a.cu\n", "ks.yaml:2"},
        {"kernels:\n  - {file: [a.cu], kernel: k}\n", "ks.yaml:2: file: takes one line"},
        {"trust: x\n", "trust: is a list"},
        {"trust:\n  - not a key\n", "ks.yaml:2: trust:"},
        {"trust:\n  - [a]\n", "ks.yaml:2: trust:"},
        {"settings: fast\n", "settings: holds"},
        {"settings:\n  budget: never\n", "ks.yaml:2: budget"},
        {"settings:\n  mode: quick\n", "ks.yaml:2: mode"},
        {"settings:\n  mode: tune\n", "may not ask for tuning"},
        {"settings:\n  nvcc: /evil\n", "ks.yaml:2"},
        {"settings:\n  device: ssh evil\n", "ks.yaml:2"},
        {"settings:\n  cache_dir: /x\n", "ks.yaml:2"},
        {"- a\n", "expected `kernels:`"},
        {"kernels: [\n", "ks.yaml:"},
        {"a: &x 1\nb: *x\n", "ks.yaml:1"},
    };
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
        struct ks_config config = {0};
        struct ks_project project;
        struct ks_err err;
        put("home/p/ks.yaml", bad[i].text);
        assert_int_equal(ks_project_find(&arena, &config, at("home/p"), &project, &err), KS_E_USER);
        if (strstr(err.text, bad[i].part) == NULL ||
            strstr(err.text, at("home/p/ks.yaml:")) == NULL)
            fail_msg("%s\ngives: %s\nwanted: %s", bad[i].text, err.text, bad[i].part);
    }
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, set_up, tear_down)

int main(void)
{
    const struct CMUnitTest tests[] = {
        TEST(finds_the_nearest),
        TEST(looks_from_the_real_place),
        TEST(stops_at_home),
        TEST(passes_over_things_of_the_same_name),
        TEST(believes_no_foreign_file),
        TEST(takes_a_named_folder),
        TEST(reads_marks_keys_and_settings),
        TEST(matches_files),
        TEST(an_empty_file_is_a_project),
        TEST(names_the_line_of_a_mistake),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
