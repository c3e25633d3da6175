// The command-line model against hand-written expectations (tests/data/cmdlines) and, where there
// is one, against what the real nvcc would do (--dryrun). The option table has a test of its own.
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

#include "base/rng.h"
#include "nvcc/cmdline.h"
#include "nvcc/option.h"
#include "nvcc/toolkit.h"
#include "os/file.h"
#include "os/proc.h"

static struct ks_arena arena;

static int reset(void **state)
{
    (void)state;
    ks_arena_free(&arena);
    unsetenv("NVCC_PREPEND_FLAGS");
    unsetenv("NVCC_APPEND_FLAGS");
    return 0;
}

// Words of a line, with both kinds of quotes; argv[0] is "ks-nvcc".
static struct ks_strv split(const char *at)
{
    struct ks_strv words = {0};
    ks_strv_add(&arena, &words, "ks-nvcc");
    while (*(at += strspn(at, " ")) != '\0') {
        char *word = ks_arena_alloc(&arena, strlen(at) + 1), *to = word;
        char quote = '\0';
        for (; *at != '\0' && (quote != '\0' || *at != ' '); at++) {
            if (quote == '\0' && (*at == '"' || *at == '\''))
                quote = *at;
            else if (quote != '\0' && *at == quote)
                quote = '\0';
            else
                *to++ = *at;
        }
        ks_strv_add(&arena, &words, word);
    }
    return words;
}

static struct ks_cmdline parse(const char *line)
{
    struct ks_strv words = split(line);
    struct ks_cmdline cmd;
    ks_cmdline_read(&arena, (int)words.len, words.at, &cmd);
    return cmd;
}

static const char *join(const char *const *list)
{
    struct ks_buf buf = KS_BUF(65536);
    for (; *list != NULL; list++)
        ks_buf_printf(&buf, "%s%s", buf.len > 0 ? "|" : "", *list);
    const char *text = ks_arena_strdup(&arena, buf.len > 0 ? buf.data : "none");
    ks_buf_free(&buf);
    return text;
}

static const char *arch_names(const struct ks_cmdline *cmd)
{
    const char *text = "";
    for (size_t i = 0; i < cmd->n_archs; i++) {
        const struct ks_arch *arch = &cmd->archs[i];
        char suffix[2] = {arch->suffix, '\0'};
        text = ks_arena_printf(&arena, "%s%s%s_%d%s", text, text[0] == '\0' ? "" : ",",
                               arch->sm != 0 ? "sm" : "compute",
                               arch->sm != 0 ? arch->sm : arch->compute, suffix);
    }
    return text[0] == '\0' ? "none" : text;
}

// What is compiled before a link; the host compiler's alone in brackets.
static const char *unit_names(const struct ks_cmdline *cmd)
{
    const char *text = "";
    for (size_t i = 0; i < cmd->n_units; i++) {
        const struct ks_cmdline_unit *unit = &cmd->units[i];
        assert_string_equal(cmd->argv[unit->at], unit->path);
        text = ks_arena_printf(&arena, unit->cuda ? "%s%s%s" : "%s%s(%s)", text,
                               text[0] == '\0' ? "" : "|", unit->path);
    }
    return text[0] == '\0' ? "none" : text;
}

static const char *or_none(const char *text)
{
    return text == NULL || text[0] == '\0' ? "none" : text;
}

static const char *field(const struct ks_cmdline *cmd, const char *name)
{
    static const char *const phases[] = {"other", "compile", "device-c", "link"};
    const struct {
        const char *name;
        const char *text;
    } texts[] = {
        {"phase", phases[cmd->phase]},
        {"input", cmd->input == 0 ? "none" : cmd->argv[cmd->input]},
        {"output", or_none(cmd->output)},
        {"default", ks_cmdline_default_output(&arena, cmd)},
        {"depfile", or_none(cmd->depfile)},
        {"archs", arch_names(cmd)},
        {"problem", or_none(cmd->arch_problem)},
        {"include", join(cmd->include_dirs)},
        {"quote", join(cmd->quote_dirs)},
        {"own", join(cmd->own)},
        {"ptxas", or_none(cmd->ptxas_options)},
        {"maxrregcount", ks_arena_printf(&arena, "%d", cmd->maxrregcount)},
        {"pass", or_none(cmd->pass)},
        {"units", unit_names(cmd)},
    };
    for (size_t i = 0; i < sizeof texts / sizeof *texts; i++)
        if (strcmp(name, texts[i].name) == 0)
            return texts[i].text;
    const struct {
        const char *name;
        bool value;
    } flags[] = {
        {"mmd", cmd->depfile_mmd},   {"rdc", cmd->rdc},
        {"lineinfo", cmd->lineinfo}, {"debug", cmd->debug_device},
        {"keep", cmd->keep},         {"objtemp", cmd->objtemp},
        {"dlto", cmd->dlto},         {"fast_math", cmd->fast_math},
        {"run", cmd->run},
    };
    for (size_t i = 0; i < sizeof flags / sizeof *flags; i++)
        if (strcmp(name, flags[i].name) == 0)
            return flags[i].value ? "yes" : "no";
    fail_msg("the test data names an unknown field %s", name);
    return NULL;
}

static const char *const fields[] = {
    "phase=",   "input=",   "output=",    "default=",  "depfile=", "archs=",
    "problem=", "include=", "quote=",     "own=",      "ptxas=",   "maxrregcount=",
    "pass=",    "mmd=",     "rdc=",       "lineinfo=", "debug=",   "keep=",
    "objtemp=", "dlto=",    "fast_math=", "units=",    "run=",     NULL};

// Where the next " field=" begins, or the end: values may hold blanks.
static const char *next_field(const char *at)
{
    for (; *at != '\0'; at++)
        for (size_t i = 0; *at == ' ' && fields[i] != NULL; i++)
            if (ks_starts_with(at + 1, fields[i]))
                return at;
    return at;
}

// A list where the order says nothing.
static bool same_set(const char *a, const char *b)
{
    struct ks_strv left = {0}, right = {0};
    ks_option_list(&arena, a, &left);
    ks_option_list(&arena, b, &right);
    size_t found = 0;
    for (size_t i = 0; i < left.len; i++)
        for (size_t k = 0; k < right.len; k++)
            found += strcmp(left.at[i], right.at[k]) == 0;
    return left.len == right.len && found == left.len;
}

static void check_expectation(const char *where, const char *command, const char *line)
{
    struct ks_cmdline cmd = parse(command);
    bool pass_named = false;
    while (*line != '\0') {
        size_t name_len = strcspn(line, "=");
        const char *name = ks_arena_strndup(&arena, line, name_len);
        line += name_len + 1;
        const char *end = next_field(line);
        const char *wanted = ks_arena_strndup(&arena, line, (size_t)(end - line));
        const char *found = field(&cmd, name);
        bool is_pass = strcmp(name, "pass") == 0;
        bool fits = is_pass && strcmp(wanted, "none") != 0 ? strstr(found, wanted) != NULL
                    : strcmp(name, "archs") == 0           ? same_set(found, wanted)
                                                           : strcmp(found, wanted) == 0;
        if (!fits)
            fail_msg("%s: %s\n  %s: wanted %s, found %s", where, command, name, wanted, found);
        pass_named |= is_pass;
        line = end + (*end == ' ');
    }
    if (!pass_named && cmd.pass != NULL)
        fail_msg("%s: %s\n  passed through: %s", where, command, cmd.pass);
}

// Calls `each` for every "$ command" with the line below it; returns how many.
static size_t for_each_case(const char *file,
                            void (*each)(const char *, const char *, const char *))
{
    struct ks_slice text;
    struct ks_err err;
    struct ks_arena lines = {0};
    const char *path = ks_arena_printf(&lines, "%s/cmdlines/%s", KS_TEST_DATA, file);
    if (ks_file_read(&lines, path, 1 << 20, &text, &err) != KS_OK)
        fail_msg("%s", err.text);
    size_t n = 0, number = 0;
    const char *command = NULL;
    for (const char *at = text.at; *at != '\0';) {
        size_t len = strcspn(at, "\n");
        const char *line = ks_arena_strndup(&lines, at, len);
        at += len + (at[len] == '\n');
        number++;
        if (ks_starts_with(line, "$ ")) {
            assert_null(command); // each has its expectation
            command = line + 2;
        } else if (line[0] != '\0' && line[0] != '#') {
            assert_non_null(command);
            each(ks_arena_printf(&lines, "%s:%zu", file, number), command, line);
            command = NULL;
            n++;
        }
    }
    assert_null(command);
    ks_arena_free(&lines);
    return n;
}

static void reads_plain_lines(void **state)
{
    (void)state;
    assert_true(for_each_case("plain.txt", check_expectation) > 80);
}

static void reads_architectures(void **state)
{
    (void)state;
    assert_true(for_each_case("archs.txt", check_expectation) > 30);
}

static void reads_lines_of_real_projects(void **state)
{
    (void)state;
    assert_true(for_each_case("projects.txt", check_expectation) > 15);
}

static const char *const options_dir = "/tmp/ks-test-options";

static const char *options_file(const char *name, const char *text)
{
    struct ks_err err;
    const char *path = ks_arena_printf(&arena, "%s-%d-%s", options_dir, (int)getpid(), name);
    assert_int_equal(ks_file_write(path, text, strlen(text), false, 0, &err), KS_OK);
    return path;
}

static void expands_options_files(void **state)
{
    (void)state;
    const char *inner = options_file("inner", "-I\"two three\" -DX=a\\ b\r\n\t-G");
    const char *outer = options_file(
        "outer", ks_arena_printf(&arena, "-Ione --options-file %s\n-arch=sm_80", inner));
    struct ks_cmdline cmd = parse(ks_arena_printf(&arena, "-c a.cu --options-file=%s", outer));
    assert_string_equal(join(cmd.include_dirs), "one|two three");
    assert_string_equal(arch_names(&cmd), "sm_80,compute_80");
    assert_true(cmd.debug_device);
    assert_int_equal(cmd.argc, 4); // argv keeps the word as given

    const char *input = options_file("input", "a.cu -o x.o");
    cmd = parse(ks_arena_printf(&arena, "-c -optf %s", input));
    assert_non_null(strstr(cmd.pass, "options file"));
    const char *output = options_file("output", "-o x.o");
    cmd = parse(ks_arena_printf(&arena, "-c a.cu -optf %s", output));
    assert_non_null(strstr(cmd.pass, "output is named in an options file"));
    cmd = parse(ks_arena_printf(&arena, "-c -optf %s,%s", output, input));
    assert_non_null(cmd.pass);

    const char *self = ks_arena_printf(&arena, "%s-%d-self", options_dir, (int)getpid());
    options_file("self", ks_arena_printf(&arena, "-optf %s", self));
    cmd = parse(ks_arena_printf(&arena, "-c a.cu -optf %s", self));
    assert_non_null(strstr(cmd.pass, "too deeply"));
    const char *names[] = {inner, outer, input, output, self};
    for (size_t i = 0; i < 5; i++)
        assert_int_equal(unlink(names[i]), 0);
}

static void looks_at_flags_of_the_environment(void **state)
{
    (void)state;
    setenv("NVCC_PREPEND_FLAGS", "  -arch=sm_80 -I\"a b\"  ", 1);
    setenv("NVCC_APPEND_FLAGS", "-rdc=true", 1);
    struct ks_cmdline cmd = parse("-c a.cu");
    assert_null(cmd.pass);
    assert_true(cmd.rdc);
    assert_int_equal(cmd.phase, KS_PHASE_DEVICE_C);
    assert_string_equal(arch_names(&cmd), "sm_80,compute_80");
    assert_string_equal(join(cmd.include_dirs), "a b");
    assert_int_equal(cmd.argc, 3);
    cmd = parse("-c a.cu -arch=sm_90"); // the later one counts
    assert_string_equal(arch_names(&cmd), "sm_90,compute_90");

    setenv("NVCC_APPEND_FLAGS", "-G", 1);
    cmd = parse("-c a.cu");
    assert_true(cmd.debug_device);
    cmd = parse("-c a.cu -Xcompiler=-Wall");
    assert_false(cmd.openmp || cmd.host_parts);
    cmd = parse("-c a.cu -Xcompiler=-Wall,-fopenmp");
    assert_true(cmd.openmp && !cmd.host_parts);
    cmd = parse("-c a.cu -Xcompiler -B/x");
    assert_true(cmd.host_parts && !cmd.openmp);
    setenv("NVCC_APPEND_FLAGS", "b.cu", 1);
    assert_non_null(strstr(parse("-c a.cu").pass, "several"));
    setenv("NVCC_APPEND_FLAGS", "-o x.o", 1);
    assert_non_null(strstr(parse("-c a.cu").pass, "environment"));
    setenv("NVCC_APPEND_FLAGS", "-DX=a\\ b", 1);
    assert_non_null(strstr(parse("-c a.cu").pass, "NVCC_APPEND_FLAGS"));
    unsetenv("NVCC_APPEND_FLAGS");
    setenv("PTXAS_FLAGS", "-O1", 1); // by way of nvcc.profile
    assert_non_null(strstr(parse("-c a.cu").pass, "PTXAS_FLAGS"));
    setenv("PTXAS_FLAGS", "", 1);
    assert_null(parse("-c a.cu").pass);
    unsetenv("PTXAS_FLAGS");
}

static void builds_the_same_words(void **state)
{
    (void)state;
    const char *line = "-c -o=x.o \"a b.cu\" -Xcompiler -o --output-file y.o -DA=a.cu -I a.cu";
    struct ks_cmdline cmd = parse(line);
    struct ks_strv given = split(line);
    const char **same = ks_cmdline_build(&arena, &cmd, "/n/nvcc", NULL, NULL, NULL, NULL);
    assert_string_equal(same[0], "/n/nvcc");
    for (size_t i = 1; i <= given.len; i++)
        if (given.at[i] == NULL)
            assert_null(same[i]);
        else
            assert_string_equal(same[i], given.at[i]);

    const char *const first[] = {"-Xcompiler=-iquote,d", NULL}, *const last[] = {"--keep", NULL};
    const char **other = ks_cmdline_build(&arena, &cmd, "/n/nvcc", first, "s/a b.cu", "z.o", last);
    assert_string_equal(join(other),
                        "/n/nvcc|-Xcompiler=-iquote,d|-c|-o=z.o|s/a b.cu|-Xcompiler|-o|"
                        "--output-file|z.o|-DA=a.cu|-I|a.cu|--keep");
    cmd = parse("-c a.cu --ks-mode=off");
    other = ks_cmdline_build(&arena, &cmd, "nvcc", NULL, NULL, "z.o", last);
    assert_string_equal(join(other), "nvcc|-c|a.cu|-o|z.o|--keep");
    cmd = parse("--version"); // passed through: nothing is replaced
    other = ks_cmdline_build(&arena, &cmd, "nvcc", NULL, "x.cu", NULL, NULL);
    assert_string_equal(join(other), "nvcc|--version");
}

// A word like those of commands: an option of the table in some form, a file, or bytes of any kind.
static const char *random_word(struct ks_rng *rng)
{
    static const char *const plain[] = {"a.cu", "b.cu", "c.o",   "-",  "",       "--", "-=", "--=",
                                        "=",    " ",    "a=b,c", "\"", "-Xfoo=", "@f", "'",  "-I"};
    size_t n;
    const struct ks_option *options = ks_options(&n);
    const struct ks_option *option = &options[ks_rng_below(rng, n)];
    const char *dashes = ks_rng_below(rng, 2) == 0 ? "--" : "-", *name = option->name;
    if (option->alias != NULL && dashes[1] == '\0')
        name = option->alias;
    switch (ks_rng_below(rng, 6)) {
    case 0:
        return plain[ks_rng_below(rng, sizeof plain / sizeof *plain)];
    case 1: {
        size_t len = 1 + ks_rng_below(rng, 12);
        char *bytes = ks_arena_alloc(&arena, len + 1);
        for (size_t i = 0; i < len; i++)
            bytes[i] = (char)(1 + ks_rng_below(rng, 255));
        return bytes;
    }
    case 2:
        return ks_arena_printf(&arena, "%s%s=%s", dashes, name, plain[ks_rng_below(rng, 8)]);
    case 3:
        return ks_arena_printf(&arena, "%s%s%d", dashes, name, (int)ks_rng_below(rng, 99));
    default:
        return ks_arena_printf(&arena, "%s%s", dashes, name);
    }
}

// What is handed on is what came, word for word, whatever it means.
static void check_handed_on(const struct ks_strv *words)
{
    struct ks_cmdline cmd;
    ks_cmdline_read(&arena, (int)words->len, words->at, &cmd);
    assert_int_equal(cmd.argc, words->len);
    if (cmd.pass == NULL && cmd.phase == KS_PHASE_LINK)
        assert_true(cmd.input == 0 && cmd.n_units > 0);
    else
        assert_true(cmd.pass != NULL || (cmd.input > 0 && cmd.input < cmd.argc));
    const char **argv = ks_cmdline_build(&arena, &cmd, "nvcc", NULL, NULL, NULL, NULL);
    for (size_t i = 1; i < words->len; i++)
        assert_ptr_equal(argv[i], words->at[i]);
    assert_null(argv[words->len]);
}

static void hands_on_random_words(void **state)
{
    (void)state;
    struct ks_rng rng;
    ks_rng_seed(&rng, 20);
    for (int round = 0; round < 3000; round++) {
        struct ks_strv words = {0};
        size_t len = 1 + ks_rng_below(&rng, 14);
        ks_strv_add(&arena, &words, "ks-nvcc");
        for (size_t i = 0; i < len; i++)
            ks_strv_add(&arena, &words, random_word(&rng));
        check_handed_on(&words);
        ks_arena_free(&arena);
    }
    struct ks_strv many = {0};
    ks_strv_add(&arena, &many, "ks-nvcc");
    for (int i = 0; i < 100000; i++)
        ks_strv_add(&arena, &many, i == 5 ? "-c" : i == 7 ? "a.cu" : "-DX");
    check_handed_on(&many);
}

static void survives_an_empty_vector(void **state)
{
    (void)state;
    struct ks_cmdline cmd;
    const char *const none[] = {NULL};
    ks_cmdline_read(&arena, 0, none, &cmd);
    assert_string_equal(cmd.pass, "no input file");
    assert_int_equal(cmd.argc, 1);
}

// Path of the real nvcc, or the test is skipped.
static const char *real_nvcc(void)
{
    struct ks_config config = {0};
    struct ks_toolkit toolkit;
    if (ks_toolkit_find(&arena, &config, &toolkit, NULL) != KS_OK)
        skip();
    return toolkit.nvcc;
}

static const char *output_of(const char *const *argv)
{
    struct ks_proc_options options = {
        .capture_stdout = true, .capture_stderr = true, .null_stdin = true, .timeout_seconds = 30};
    struct ks_proc_result result;
    struct ks_err err;
    if (ks_proc_run(&arena, argv, &options, &result, &err) != KS_OK)
        fail_msg("%s", err.text);
    return ks_arena_printf(&arena, "%.*s\n%.*s", (int)result.out.len, result.out.at,
                           (int)result.err.len, result.err.at);
}

// The images that nvcc puts into the object, from the fatbinary step of --dryrun.
static const char *images(const char *dryrun)
{
    static const char mark[] = "--image3=kind=";
    const char *list = "";
    for (const char *at = dryrun; (at = strstr(at, mark)) != NULL;) {
        at += sizeof mark - 1;
        const char *kind = ks_starts_with(at, "elf") ? "sm" : "compute";
        const char *number = strstr(at, "sm=") + 3;
        list = ks_arena_printf(&arena, "%s%s%s_%.*s", list, list[0] == '\0' ? "" : ",", kind,
                               (int)strcspn(number, ","), number);
    }
    return list;
}

static const char *nvcc_path;
static size_t compared;

// The last word in quotes of the last line that holds `mark`, or "none".
static const char *last_name(const char *dryrun, const char *mark)
{
    const char *line = NULL;
    for (const char *at = dryrun; (at = strstr(at, mark)) != NULL; at += strlen(mark))
        line = at;
    if (line == NULL)
        return "none";
    const char *end = line + strcspn(line, "\n");
    while (end > line && (end[-1] == '"' || end[-1] == ' '))
        end--;
    const char *begin = end;
    while (begin > line && begin[-1] != '"' && begin[-1] != ' ')
        begin--;
    return ks_arena_strndup(&arena, begin, (size_t)(end - begin));
}

// nvcc's own plan for a command that is not passed through: one CUDA source, the same object and
// dependency file, the same device images, relocatable or not.
static void check_against_dryrun(const char *where, const char *command, const char *line)
{
    (void)line;
    struct ks_cmdline cmd = parse(command);
    if (cmd.pass != NULL || cmd.phase == KS_PHASE_LINK) // those: test_cmdline_link.c
        return;
    const char *const first[] = {"--dryrun", NULL};
    const char **argv = ks_cmdline_build(&arena, &cmd, nvcc_path, first, NULL, NULL, NULL);
    const char *text = output_of(argv);
    if (strstr(text, "nvcc fatal") != NULL) // another version of nvcc, or a host compiler not here
        return;
    const char *object = cmd.output != NULL ? cmd.output : ks_cmdline_default_output(&arena, &cmd);
    if (strstr(text, ks_arena_printf(&arena, "--orig_src_file_name \"%s\"", cmd.argv[cmd.input])) ==
        NULL)
        fail_msg("%s: %s\n  nvcc does not compile %s", where, command, cmd.argv[cmd.input]);
    if (strstr(text, "_stderr") == NULL && strcmp(last_name(text, " -c -x c++ "), object) != 0)
        fail_msg("%s: %s\n  nvcc writes %s, we say %s", where, command,
                 last_name(text, " -c -x c++ "), object);
    if (strcmp(last_name(text, "Filter Dependencies -- >"), or_none(cmd.depfile)) != 0)
        fail_msg("%s: %s\n  nvcc's dependency file is %s, we say %s", where, command,
                 last_name(text, "Filter Dependencies -- >"), or_none(cmd.depfile));
    if (cmd.arch_problem == NULL && !cmd.dlto && !same_set(images(text), arch_names(&cmd)))
        fail_msg("%s: %s\n  nvcc makes %s, we say %s", where, command, images(text),
                 arch_names(&cmd));
    if (!cmd.dlto && (strstr(text, "--compile-only") != NULL) != cmd.rdc &&
        strstr(arch_names(&cmd), "sm_") != NULL)
        fail_msg("%s: %s\n  relocatable device code: we say %d", where, command, cmd.rdc);
    compared++;
}

static void agrees_with_dryrun(void **state)
{
    (void)state;
    struct ks_config config = {0};
    struct ks_toolkit toolkit;
    nvcc_path = real_nvcc();
    assert_int_equal(ks_toolkit_find(&arena, &config, &toolkit, NULL), KS_OK);
    assert_int_equal(ks_toolkit_version(&arena, &config, &toolkit, NULL), KS_OK);
    if (!ks_starts_with(toolkit.version, "13."))
        skip();
    compared = 0;
    for_each_case("archs.txt", check_against_dryrun);
    for_each_case("plain.txt", check_against_dryrun);
    for_each_case("projects.txt", check_against_dryrun);
    assert_true(compared > 60);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(reads_plain_lines, reset, reset),
        cmocka_unit_test_setup_teardown(reads_architectures, reset, reset),
        cmocka_unit_test_setup_teardown(reads_lines_of_real_projects, reset, reset),
        cmocka_unit_test_setup_teardown(expands_options_files, reset, reset),
        cmocka_unit_test_setup_teardown(looks_at_flags_of_the_environment, reset, reset),
        cmocka_unit_test_setup_teardown(builds_the_same_words, reset, reset),
        cmocka_unit_test_setup_teardown(hands_on_random_words, reset, reset),
        cmocka_unit_test_setup_teardown(survives_an_empty_vector, reset, reset),
        cmocka_unit_test_setup_teardown(agrees_with_dryrun, reset, reset),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
