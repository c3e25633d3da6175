// How long a run may take: on a GPU by the clock, on the emulated device by what it executes, so that neither load nor
// host decides whether a kernel ends.
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <cmocka.h>

#include "os/file.h"
#include "verify/vector.h"

// Four instructions a turn, by one thread or many.
static const char loop[] =
    ".version 8.0\n.target sm_80\n.address_size 64\n"
    ".visible .entry k(.param .u64 out, .param .u32 n)\n{\n"
    "\t.reg .pred %p<2>;\n\t.reg .b32 %r<4>;\n\t.reg .b64 %rd<2>;\n"
    "\tld.param.u64 %rd1, [out];\n\tld.param.u32 %r1, [n];\n\tmov.u32 %r2, 0;\n"
    "$again:\n\tadd.u32 %r2, %r2, 1;\n\txor.b32 %r3, %r2, 1;\n\tsetp.lt.u32 %p1, %r2, %r1;\n\t@%p1 bra $again;\n"
    "\tst.global.u32 [%rd1], %r3;\n\tret;\n}\n";

// The same with an atomic in each turn.
static const char waits[] =
    ".version 8.0\n.target sm_80\n.address_size 64\n"
    ".visible .entry k(.param .u64 out, .param .u32 n)\n{\n"
    "\t.reg .pred %p<2>;\n\t.reg .b32 %r<4>;\n\t.reg .b64 %rd<2>;\n"
    "\tld.param.u64 %rd1, [out];\n\tld.param.u32 %r1, [n];\n\tmov.u32 %r2, 0;\n"
    "\tst.global.u32 [%rd1], %r2;\n\tbar.sync 0;\n"
    "$again:\n\tadd.u32 %r2, %r2, 1;\n\tatom.global.add.u32 %r3, [%rd1], 1;\n\tsetp.lt.u32 %p1, %r2, %r1;\n"
    "\t@%p1 bra $again;\n\tret;\n}\n";

// Runs the kernel, or counts it, with so many steps, or without a limit of ours (0).
static enum ks_answer ask(const char *ptx, bool counts, const char *turns, int blocks, int threads,
                          struct ks_run_limit limit, int64_t *steps, char text[256])
{
    struct ks_arena arena = {0};
    struct ks_worker worker;
    struct ks_device_info info;
    struct ks_err err = {0};
    const char *const names[] = {"k"};
    double us;
    assert_int_equal(ks_worker_start(&worker, NULL, ks_path_join(&arena, ks_program_dir(&arena), "../bin/ks-worker"),
                                     "emu:seed=0", false, &err), KS_OK);
    assert_int_equal(ks_worker_hello(&worker, &info), KS_ANSWER_OK);
    assert_int_equal(ks_worker_load(&worker, ks_slice_of(ptx), names, 1), KS_ANSWER_OK);
    json_t *buffers = json_pack("{s:s,s:b,s:[{s:i,s:i,s:s,s:i}]}", "flush", "end", "frozen", false, "list", "bytes", 4,
                                "align", 4, "role", "out", "alias", -1);
    assert_int_equal(ks_worker_ask(&worker, "buffers", buffers, 60), KS_ANSWER_OK);
    json_t *plan = json_pack("[{s:s,s:s,s:[i,i,i],s:[i,i,i],s:i,s:[{s:i},{s:s}]}]", "module", "m0", "kernel", "k",
                             "grid", blocks, 1, 1, "block", threads, 1, 1, "shared", 0, "args", "buffer", 0, "hex", turns);
    json_t *request = json_pack("{s:O}", "plan", plan);
    if (limit.steps > 0)
        json_object_set_new(request, "steps", json_integer(limit.steps));
    enum ks_answer answer =
        counts ? ks_worker_ask(&worker, "count", json_incref(request), 60)
               : ks_vector_run(&worker, plan, 1, true, false, limit, &us);
    json_decref(request);
    *steps = worker.steps;
    memcpy(text, worker.text, 256);
    json_decref(plan);
    ks_worker_stop(&worker);
    ks_arena_free(&arena);
    return answer;
}

static enum ks_answer run(const char *turns, int blocks, int threads, int64_t limit, int64_t *steps, char text[256])
{
    return ask(loop, false, turns, blocks, threads, (struct ks_run_limit){.seconds = 600, .steps = limit}, steps, text);
}

static void a_count_ends_where_it_is_told_to(void **state)
{
    (void)state;
    char text[256];
    int64_t steps;
    assert_int_equal(ask(loop, true, "60ea0000", 1, 1, (struct ks_run_limit){.seconds = 600}, &steps, text), KS_ANSWER_OK); // 60000 turns
    assert_int_equal(ask(loop, true, "60ea0000", 1, 1, (struct ks_run_limit){.seconds = 600, .steps = 100000}, &steps, text), KS_ANSWER_LIMIT);
    assert_non_null(strstr(text, "endless: not at its end after 1"));
    assert_int_equal(ask(loop, true, "60ea0000", 1, 1, (struct ks_run_limit){.seconds = 600, .steps = 250000}, &steps, text), KS_ANSWER_OK);
}

static void a_launch_is_endless_by_its_instructions(void **state)
{
    (void)state;
    char text[256];
    int64_t one, many, steps;
    assert_int_equal(run("e8030000", 1, 1, 0, &one, text), KS_ANSWER_OK); // 1000 turns
    assert_true(one > 4000 && one < 4010);
    // An instruction takes as long with all lanes on; what each of them stores is a step.
    assert_int_equal(run("e8030000", 1, 32, 0, &many, text), KS_ANSWER_OK);
    assert_int_equal(many, one + 31);
    assert_int_equal(ask(waits, false, "e8030000", 1, 32, (struct ks_run_limit){.seconds = 600}, &many, text), KS_ANSWER_OK);
    assert_true(many > 36000 && many < 36050);
    assert_int_equal(ask(waits, false, "60ea0000", 1, 32, (struct ks_run_limit){.seconds = 600, .steps = 100000}, &steps, text), KS_ANSWER_FAULT);
    assert_int_equal(run("e8030000", 1, 1, one + 1, &steps, text), KS_ANSWER_OK);
    assert_int_equal(run("60ea0000", 1, 1, 100000, &steps, text), KS_ANSWER_FAULT); // 60000 turns
    assert_non_null(strstr(text, "endless: not at its end after 1"));
    assert_int_equal(run("60ea0000", 1, 1, 250000, &steps, text), KS_ANSWER_OK);
    // Blocks that end one by one: those that are left are not passed over.
    assert_int_equal(run("e8030000", 8, 1, 3 * one, &steps, text), KS_ANSWER_FAULT);
    assert_int_equal(run("e8030000", 8, 1, 8 * one + 1, &steps, text), KS_ANSWER_OK);
    assert_int_equal(steps, 8 * one);
    // Or they are, as long as one ends within the limit and all do in the greater one.
    const struct ks_run_limit patient = {.seconds = 600, .steps = one + 1, .most = 8 * one + 1}, less = {.seconds = 600, .steps = one + 1, .most = 7 * one},
                              none = {.seconds = 600, .steps = 100000, .most = INT64_MAX};
    assert_int_equal(ask(loop, false, "e8030000", 8, 1, patient, &steps, text), KS_ANSWER_OK);
    assert_int_equal(ask(loop, false, "e8030000", 8, 1, less, &steps, text), KS_ANSWER_FAULT);
    assert_int_equal(ask(loop, false, "60ea0000", 8, 1, none, &steps, text), KS_ANSWER_FAULT);
}

static void time_counts_on_a_gpu_alone(void **state)
{
    (void)state;
    struct ks_judge judge = {.options = {.run_timeout = 60}};
    struct ks_vector vector = {.original_us = 1e5, .original_steps = 1000000};
    strcpy(judge.device.kind, "cuda");
    struct ks_run_limit limit = ks_run_limit_of(&judge, &vector);
    assert_true(limit.seconds > 4.9 && limit.seconds < 5.1 && limit.steps < 0);
    strcpy(judge.device.kind, "emu");
    limit = ks_run_limit_of(&judge, &vector);
    assert_int_equal(limit.steps, 50000000);
    assert_false(limit.cut);
    const struct ks_run_limit slow = ks_run_limit_of(&judge, &(struct ks_vector){.original_us = 1e9});
    assert_int_equal(slow.steps, KS_RUN_STEPS);
    assert_true(slow.seconds == limit.seconds && slow.seconds > 60); // whatever the host took
    assert_int_equal(limit.most, 50000000 * KS_RUN_PATIENCE);
    judge.options.run_steps = 5000; // a second look, which has little time
    assert_int_equal(ks_run_limit_of(&judge, &vector).steps, 5000);
    assert_true(ks_run_limit_of(&judge, &vector).cut); // a candidate that it ends has not hung
    assert_int_equal(ks_run_limit(&judge).steps, 5000);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_launch_is_endless_by_its_instructions),
        cmocka_unit_test(a_count_ends_where_it_is_told_to),
        cmocka_unit_test(time_counts_on_a_gpu_alone),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
