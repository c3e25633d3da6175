// A command that compiles and links, taken apart: nvcc plans the same steps for the parts as for
// the whole, and words of ours stand where they should.
#include <ctype.h>
#include <stdarg.h>
#include <setjmp.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "nvcc/cmdline.h"
#include "nvcc/toolkit.h"
#include "os/proc.h"

static struct ks_arena arena;

static int reset(void **state)
{
    (void)state;
    unsetenv("NVCC_PREPEND_FLAGS");
    unsetenv("NVCC_APPEND_FLAGS");
    ks_arena_free(&arena);
    return 0;
}

static struct ks_cmdline parse(const char *line)
{
    struct ks_cmdline cmd;
    struct ks_strv words = {0};
    char *copy = ks_arena_strdup(&arena, line), *save = NULL;
    ks_strv_add(&arena, &words, "ks-nvcc");
    for (char *word = strtok_r(copy, " ", &save); word != NULL; word = strtok_r(NULL, " ", &save))
        ks_strv_add(&arena, &words, word);
    ks_cmdline_read(&arena, (int)words.len, words.at, &cmd);
    return cmd;
}

static const char *join(const char *const *list)
{
    struct ks_buf buf = KS_BUF(1 << 16);
    for (; *list != NULL; list++)
        ks_buf_printf(&buf, "%s%s", buf.len > 0 ? "|" : "", *list);
    const char *text = ks_arena_strdup(&arena, ks_buf_text(&buf));
    ks_buf_free(&buf);
    return text;
}

static const char *unit_words(const char *line, size_t i)
{
    struct ks_cmdline cmd = parse(line), unit;
    assert_null(cmd.pass);
    ks_cmdline_read_unit(&arena, &cmd, i, "s/x.o", &unit);
    assert_string_equal(unit.output, "s/x.o");
    if (cmd.units[i].cuda)
        assert_string_equal(unit.argv[unit.input], cmd.units[i].path);
    return join(unit.argv + 1);
}

static const char *link_words(const char *line)
{
    const char *const objects[] = {"s/0.o", "s/1.o", "s/2.o"};
    struct ks_cmdline cmd = parse(line);
    assert_null(cmd.pass);
    return join(ks_cmdline_build_link(&arena, &cmd, "nvcc", objects));
}

static void words_of_parts(void **state)
{
    (void)state;
    const char *line =
        "--ks-mode=off -run -arch=sm_90 a.cu -Ia.cu x.a b.cu --output-file=p -I a.cu "
        "main.cpp -lz -objtemp -odir o -link --run-args c.cu -Xcompiler -c";
    assert_string_equal(unit_words(line, 0),
                        "-arch=sm_90|a.cu|-Ia.cu|-I|a.cu|-lz|--run-args|c.cu|-Xcompiler|-c|-c");
    assert_string_equal(unit_words(line, 1),
                        "-arch=sm_90|-Ia.cu|b.cu|-I|a.cu|-lz|--run-args|c.cu|-Xcompiler|-c|-c");
    assert_string_equal(unit_words(line, 2),
                        "-arch=sm_90|-Ia.cu|-I|a.cu|main.cpp|-lz|--run-args|c.cu|-Xcompiler|-c|-c");
    assert_string_equal(
        link_words(line),
        "nvcc|-run|-arch=sm_90|s/0.o|-Ia.cu|x.a|s/1.o|--output-file=p|-I|a.cu|s/2.o|"
        "-lz|-odir|o|-link|--run-args|c.cu|-Xcompiler|-c");
    assert_string_equal(unit_words("-x cu a.cpp -o p", 0), "-x|cu|a.cpp|-c");
    assert_string_equal(link_words("-x cu a.cpp -o p"), "nvcc|s/0.o|-o|p");
}

static void words_of_dependency_files(void **state)
{
    (void)state;
    assert_string_equal(unit_words("-MD a.cu -o out/p.x", 0),
                        "-MD|a.cu|-c|-MT|out/p.x|-MF|out/p.d");
    assert_string_equal(unit_words("-MMD d/a.cu -odir o", 0), "-MMD|d/a.cu|-c|-MT|o/a.o|-MF|o/a.d");
    assert_string_equal(unit_words("-MD -MT t -MF=f -MP a.cu", 0), "-MD|-MT|t|-MF=f|-MP|a.cu|-c");
    assert_string_equal(link_words("-MD -MT t -MF f -MP a.cu"), "nvcc|s/0.o");
}

static void words_of_verbs(void **state)
{
    (void)state;
    const char *const words[] = {"ks",   "-MD", "a.cu",  "-o",  "p",
                                 "b.cu", "-dc", "lib.a", "-DX", NULL};
    assert_string_equal(join(ks_cmdline_unit_words(&arena, words, 9, 2, false).at),
                        "ks|a.cu|-dc|-DX");
    assert_string_equal(join(ks_cmdline_unit_words(&arena, words, 9, 0, true).at),
                        "ks|-MD|-dc|-DX");
}

// --- against nvcc's own plan ---

static const char *nvcc_path;

static const char *plan_of(const char *const *argv)
{
    struct ks_proc_options options = {
        .capture_stdout = true, .capture_stderr = true, .null_stdin = true, .timeout_seconds = 60};
    struct ks_proc_result result;
    assert_int_equal(ks_proc_run(&arena, argv, &options, &result, NULL), KS_OK);
    assert_int_equal(result.exit_code, 0);
    return result.err.at;
}

// "/tmp/tmpxft_00001b2c_00000000-6_a.ii" is "T_a.ii"; a name with nothing behind is "T".
static void add_line(struct ks_buf *out, const char *line, size_t n)
{
    for (size_t i = 0; i < n; i++) {
        if (strncmp(line + i, "tmpxft_", 7) != 0) {
            ks_buf_putc(out, line[i]);
            continue;
        }
        while (out->len > 0 && strchr("\" =", out->data[out->len - 1]) == NULL)
            out->len--;
        i += 7 + 8 + 1 + 8;
        if (line[i] == '-') {
            for (i++; isdigit((unsigned char)line[i]); i++)
                ;
        }
        ks_buf_putc(out, 'T');
        i--;
    }
    ks_buf_putc(out, '\n');
}

// Steps, without settings, and without the device link's packing: what it says of the front end's
// options is a note.
static void add_steps(struct ks_buf *out, const char *text)
{
    for (size_t n; *text != '\0'; text += n + (text[n] == '\n')) {
        n = strcspn(text, "\n");
        const char *line = ks_arena_strndup(&arena, text, n);
        size_t name = strspn(line + 3, "ABCDEFGHIJKLMNOPQRSTUVWXYZ_");
        if (!ks_starts_with(line, "#$ ") || (name > 0 && line[3 + name] == '=') ||
            (ks_starts_with(line, "#$ fatbinary") && strstr(line, " -link ") != NULL))
            continue;
        add_line(out, line, n);
    }
}

static void check_parts(const char *line)
{
    static const char *const dryrun[] = {"--dryrun", NULL};
    struct ks_buf whole = KS_BUF(1 << 24), parts = KS_BUF(1 << 24);
    struct ks_cmdline cmd = parse(line);
    const char **objects = KS_NEW_ARRAY(&arena, const char *, cmd.n_units);
    if (cmd.pass != NULL)
        fail_msg("%s: %s", line, cmd.pass);
    add_steps(&whole, plan_of(ks_cmdline_build(&arena, &cmd, nvcc_path, dryrun, NULL, NULL, NULL)));
    for (size_t i = 0; i < cmd.n_units; i++) {
        struct ks_cmdline unit;
        const char *base = ks_path_base(cmd.units[i].path);
        objects[i] = ks_arena_printf(&arena, "T_%.*s.o", (int)strcspn(base, "."), base);
        ks_cmdline_read_unit(&arena, &cmd, i, objects[i], &unit);
        add_steps(&parts, plan_of(ks_cmdline_build(&arena, &unit, nvcc_path, dryrun, NULL,
                                                   objects[i], NULL)));
    }
    const char **argv = ks_cmdline_build_link(&arena, &cmd, nvcc_path, objects);
    struct ks_strv link = {0};
    for (size_t i = 0; argv[i] != NULL; i++) {
        ks_strv_add(&arena, &link, argv[i]);
        if (i == 0)
            ks_strv_add(&arena, &link, "--dryrun");
    }
    add_steps(&parts, plan_of(link.at));
    assert_true(whole.len > 1000);
    size_t same = 0;
    for (size_t i = 0; whole.data[i] != '\0' && whole.data[i] == ks_buf_text(&parts)[i]; i++)
        same = whole.data[i] == '\n' ? i + 1 : same;
    if (strcmp(whole.data, ks_buf_text(&parts)) != 0)
        fail_msg("%s\n  the whole: %.300s\n  the parts: %.300s", line, whole.data + same,
                 parts.data + same);
    ks_buf_free(&whole);
    ks_buf_free(&parts);
}

static void parts_are_the_whole(void **state)
{
    (void)state;
    struct ks_config config = {0};
    struct ks_toolkit toolkit;
    if (ks_toolkit_find(&arena, &config, &toolkit, NULL) != KS_OK)
        skip();
    nvcc_path = toolkit.nvcc;
    assert_int_equal(ks_toolkit_version(&arena, &config, &toolkit, NULL), KS_OK);
    if (!ks_starts_with(toolkit.version, "13."))
        skip();
    check_parts("a.cu");
    check_parts(
        "-arch=sm_90 d/a.cu main.cpp b.cu c.c -o app -O3 -std=c++17 -Xcompiler -Wall -lfoo -L.");
    check_parts("-arch=sm_90 -rdc=true a.cu b.cu x.o lib.a -o app -lcudadevrt");
    check_parts(
        "-gencode arch=compute_80,code=sm_80 -gencode arch=compute_90,code=[sm_90,compute_90] "
        "-shared -Xcompiler -fPIC -Xlinker -s a.cu -cudart shared -nodlink -o liba.so");
    check_parts("-arch=sm_90 -dlto a.cu b.cu -o app");
    check_parts("-arch=sm_90 -g -Xcompiler=-fopenmp a.cu -o app -Xnvlink -v -Xptxas -v -res-usage");
    check_parts("-arch=sm_90 -x cu a.cpp b.cpp -odir out -include near.h");
    check_parts("-arch=sm_90 -objtemp -link a.cu -o app");
    check_parts("-arch=sm_90 -run a.cu -o app --run-args x,y");
    check_parts("-forward-unknown-to-host-compiler -fopenmp -Wall a.cu main.cpp -o app");
    check_parts(
        "-default-stream per-thread -maxrregcount=32 -use_fast_math -lineinfo a.cu b.c -o app");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(words_of_parts, reset, reset),
        cmocka_unit_test_setup_teardown(words_of_dependency_files, reset, reset),
        cmocka_unit_test_setup_teardown(words_of_verbs, reset, reset),
        cmocka_unit_test_setup_teardown(parts_are_the_whole, reset, reset),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
