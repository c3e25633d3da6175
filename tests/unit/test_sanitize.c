// A finalist under the toolkit's sanitizers: what their logs say, and what becomes of a verdict when they find
// something, find it in the original too, are absent, or fail. The tool is a script that writes what the real
// one would, in front of the fake worker.
#define KS_TEST_BUILD
#include "verify/defence.c"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <cmocka.h>

#include "verify/sanitize.h"
#include "../fakes/fake_judge.h"

static void logs_are_read(void **state)
{
    (void)state;
    static const struct { const char *part, *log; bool ended; const char *finding; } cases[] = {
        {"", "", false, ""},
        {"", "========= COMPUTE-SANITIZER\n========= ERROR SUMMARY: 0 errors\n", true, ""},
        {"ks_0123", "========= COMPUTE-SANITIZER\n"
         "========= Invalid __global__ write of size 4 bytes\n=========     at scrub(int)+0x70\n"
         "========= Invalid __global__ write of size 4 bytes\n"
         "=========     at ks_0123::a::part(const float *, int)+0x170 in /tmp/x/shadow.cu:6\n"
         "=========     by thread (0,0,0) in block (0,0,0)\n"
         "=========     Address 0x7f6510c00001 is out of bounds\n"
         "========= Invalid __global__ read of size 1 bytes\n=========     at other(int)+0x70\n"
         "========= ERROR SUMMARY: 2 errors\n", true,
         "Invalid __global__ write of size 4 bytes in part (shadow.cu:6)"},
        {"part", "========= Invalid __shared__ read of size 4 bytes\n=========     at part+0x170\n", false,
         "Invalid __shared__ read of size 4 bytes in part"},
        {"ks_1", "========= Error: Race reported between Write access at ks_1::sum(int *, int *)+0x5a0 in a/b.cu:27\n"
         "=========     and Read access at ks_1::sum(int *, int *)+0x770 in a/b.cu:33 [508 hazards]\n"
         "=========\n========= RACECHECK SUMMARY: 1 hazard displayed (1 error, 0 warnings)\n", true,
         "Race reported between Write access in sum (b.cu:27)"},
        {"sum", "========= Warning: Race reported between Write access at sum(int *)+0x5a0\n"
         "========= RACECHECK SUMMARY: 1 hazard displayed (0 errors, 1 warning)\n", true, ""},
        {"", "========= Error: Device not supported\n", false, ""},
        {"", "Invalid __global__ write of size 4 bytes\n", false, ""}, // what the program says itself
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        char finding[200];
        assert_int_equal(ks_sanitize_read(ks_slice_of(cases[i].log), cases[i].part, finding), cases[i].ended);
        assert_string_equal(finding, cases[i].finding);
    }
}

// What the script does: MODE names it, by tool.
static const char tool_text[] =
    "#!/bin/sh\n"
    "here=$(dirname \"$0\")\n"
    "while [ $# -gt 0 ] && [ \"$1\" != \"$here/worker\" ]; do\n"
    "    case $1 in --tool) tool=$2 ;; --log-file) log=$2 ;; esac\n"
    "    shift\n"
    "done\n"
    "echo \"$tool $(basename \"$log\")\" >> \"$here/calls\"\n"
    "mode=$(cat \"$here/mode\")\n"
    "say() { echo \"========= $*\" >> \"$log\"; }\n"
    "say COMPUTE-SANITIZER\n"
    "case $mode in refused) say 'Error: Device not supported'; exit 1 ;; esac\n"
    "\"$@\"\n"
    "kernel=vadd_ok\n"
    "case $log in */original) [ $mode = both ] || exit 0; kernel=vadd ;; esac\n"
    "say 'Invalid __global__ read of size 4 bytes'; say '    at trusted(float *)+0x70'\n"
    "case $mode,$tool in\n"
    "invalid,memcheck|both,memcheck) say 'Invalid __global__ read of size 4 bytes'\n"
    "    say '    at '$kernel'(float *)+0x70' ;;\n"
    "race,racecheck) say 'Error: Race reported between Write access at '$kernel'(float *)+0x70' ;;\n"
    "warning,racecheck) say 'Warning: Race reported between Write access at '$kernel'(float *)+0x70' ;;\n"
    "early,racecheck) exit 1 ;;\n"
    "esac\n"
    "case $tool in memcheck) say 'ERROR SUMMARY: 0 errors' ;; *) say 'RACECHECK SUMMARY: 0 hazards' ;; esac\n";

static void put(struct setting *s, const char *dir, const char *name, const char *text)
{
    struct ks_err err = {0};
    check(ks_file_write(ks_path_join(&s->arena, dir, name), text, strlen(text), false, 0755, &err), &err);
}

struct outcome {
    struct ks_verdict verdict;
    const char *calls;
};

// A session with the tool in that mode; its folder.
static const char *open_with_tool(struct setting *s, const char *mode)
{
    struct ks_err err = {0};
    char *dir;
    check(ks_dir_temp(&s->arena, "ks-test-sanitize", &dir, &err), &err);
    put(s, dir, "mode", mode);
    put(s, dir, "tool", tool_text);
    put(s, dir, "worker", ks_arena_printf(&s->arena, "#!/bin/sh\nexec %s --worker \"$@\"\n",
                                          ks_path_real(&s->arena, "/proc/self/exe")));
    s->own_worker = ks_path_join(&s->arena, dir, "worker");
    s->options.sanitizer = strcmp(mode, "absent") == 0 ? "" : ks_path_join(&s->arena, dir, "tool");
    check(open_judge(s, VADD_MARK "__global__ void vadd" VADD_SIGNATURE " { }\n", SUM_PTX, &err), &err);
    return dir;
}

static const char *read_calls(struct setting *s, const char *dir)
{
    struct ks_slice calls;
    bool there = ks_file_read(&s->arena, ks_path_join(&s->arena, dir, "calls"), 65536, &calls, NULL) == KS_OK;
    return there ? calls.at : "";
}

static struct outcome confirmed(struct setting *s, const char *mode)
{
    struct ks_err err = {0};
    struct outcome o;
    const char *dir = open_with_tool(s, mode);
    struct ks_proposal *p = make_proposal(s, "vadd_ok", VADD_SIGNATURE, "a, b, c, n", "1");
    for (int i = 0; i < 2; i++) { // the next one is judged as the first
        check(ks_judge_full(s->judge, p, &o.verdict, &err), &err);
        assert_int_equal(o.verdict.correctness, KS_C_CORRECT);
        assert_int_equal(o.verdict.checks.result[KS_CHECK_MEMCHECK], KS_CHECK_NOT_MADE);
        check(ks_judge_confirm(s->judge, p, &o.verdict, &err), &err);
    }
    o.calls = read_calls(s, dir);
    ks_tree_remove(dir, NULL);
    return o;
}

static bool noted(const struct ks_verdict *v, const char *text)
{
    for (size_t i = 0; i < v->evidence.n_notes; i++)
        if (strstr(v->evidence.notes[i], text) != NULL)
            return true;
    return false;
}

static void verdicts_follow_the_tools(void **state)
{
    (void)state;
    enum { NO = KS_CHECK_NOT_MADE, OK = KS_CHECK_PASSED, BAD = KS_CHECK_FAILED };
    static const struct {
        const char *mode;
        enum ks_correctness correctness;
        int memcheck, racecheck;
        const char *reason, *note;
    } cases[] = {
        {"clean", KS_C_CORRECT, OK, OK, "times as fast", NULL},
        {"invalid", KS_C_UNSAFE, BAD, NO, "memcheck: Invalid __global__ read of size 4 bytes in vadd_ok", NULL},
        {"race", KS_C_UNSAFE, OK, BAD, "racecheck: Race reported between Write access in vadd_ok", NULL},
        {"warning", KS_C_CORRECT, OK, OK, "times as fast", NULL},
        {"both", KS_C_CORRECT, NO, OK, "times as fast", "memcheck reports the original too"},
        {"early", KS_C_CORRECT, OK, NO, "times as fast", "racecheck was not made: the tool ended early"},
        {"refused", KS_C_CORRECT, NO, NO, "times as fast", "compute-sanitizer does not run here"},
        {"absent", KS_C_CORRECT, NO, NO, "times as fast", "not made: compute-sanitizer is not installed"},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct setting s = {0};
        struct outcome o = confirmed(&s, cases[i].mode);
        const struct ks_verdict *v = &o.verdict;
        if (v->correctness != cases[i].correctness || strstr(v->reason, cases[i].reason) == NULL)
            fail_msg("%s: %s \"%s\"", cases[i].mode, ks_correctness_name(v->correctness), v->reason);
        assert_int_equal(v->speed, cases[i].correctness == KS_C_CORRECT ? KS_S_FASTER : KS_S_NOT_MEASURED);
        assert_int_equal(v->checks.result[KS_CHECK_MEMCHECK], cases[i].memcheck);
        assert_int_equal(v->checks.result[KS_CHECK_RACECHECK], cases[i].racecheck);
        int passed = (cases[i].memcheck == OK) + (cases[i].racecheck == OK);
        assert_int_equal((int)v->evidence.n_sanitizers, passed);
        if (cases[i].note != NULL && !noted(v, cases[i].note))
            fail_msg("%s: no note \"%s\"", cases[i].mode, cases[i].note);
        // The original is looked at where something was found, and only there.
        if (strcmp(cases[i].mode, "absent") != 0)
            assert_non_null(strstr(o.calls, "memcheck memcheck\n"));
        bool asked = strstr(o.calls, " original\n") != NULL;
        assert_int_equal(asked, strcmp(cases[i].mode, "invalid") == 0 || strcmp(cases[i].mode, "race") == 0 ||
                                    strcmp(cases[i].mode, "both") == 0);
        close_judge(&s);
    }
}

static size_t lines(const char *text)
{
    size_t n = 0;
    for (; *text != '\0'; text++)
        n += *text == '\n';
    return n;
}

// They start beside what comes before a confirmation and serve one; where memory is scarce not before it.
static void tools_wait_for_a_finalist(void **state)
{
    (void)state;
    for (int roomy = 0; roomy < 2; roomy++) {
        struct setting s = {0};
        struct ks_err err = {0};
        struct ks_verdict v;
        const char *dir = open_with_tool(&s, "clean");
        struct ks_proposal *wrong = make_proposal(&s, "vadd_off", VADD_SIGNATURE, "a, b, c, n", "1");
        struct ks_proposal *right = make_proposal(&s, "vadd_ok", VADD_SIGNATURE, "a, b, c, n", "1");
        assert_true(s.judge->roomy);
        s.judge->roomy = roomy;
        for (int i = 0; i < 3; i++) // one pair for all that end early
            check(ks_judge_full(s.judge, i == 1 ? wrong : right, &v, &err), &err);
        assert_int_equal(lines(read_calls(&s, dir)), roomy ? 2 : 0);
        check(ks_judge_confirm(s.judge, right, &v, &err), &err);
        assert_int_equal(v.checks.result[KS_CHECK_RACECHECK], KS_CHECK_PASSED);
        assert_int_equal(lines(read_calls(&s, dir)), 2);
        s.judge->roomy = roomy; // its new oracle has said anew what is free
        check(ks_judge_full(s.judge, right, &v, &err), &err);
        assert_int_equal(lines(read_calls(&s, dir)), roomy ? 4 : 2);
        ks_tree_remove(dir, NULL);
        close_judge(&s);
    }
}

// A context that closes is felt by what is timed, one that waits is not.
static void workers_leave_after_times_were_taken(void **state)
{
    (void)state;
    struct setting s = {0};
    struct ks_err err = {0};
    struct ks_worker runner;
    const char *dir = open_with_tool(&s, "clean");
    for (int later = 0; later < 2; later++) {
        check(ks_runner_take(s.judge, &runner, 1, &err), &err);
        pid_t pid = runner.child.pid;
        s.judge->leaving.later = later;
        ks_worker_leave(&runner, &s.judge->leaving);
        ks_leaving_wait(&s.judge->leaving);
        assert_int_equal(kill(pid, 0) == 0, later);
        ks_leaving_begin(&s.judge->leaving);
        ks_leaving_wait(&s.judge->leaving);
        assert_int_not_equal(kill(pid, 0), 0);
    }
    ks_tree_remove(dir, NULL);
    close_judge(&s);
}

int main(int argc, char **argv)
{
    if (argc > 1 && strcmp(argv[1], "--worker") == 0)
        return fake_worker_main(argc, argv);
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(logs_are_read),
        cmocka_unit_test(verdicts_follow_the_tools),
        cmocka_unit_test(tools_wait_for_a_finalist),
        cmocka_unit_test(workers_leave_after_times_were_taken),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
