// A chain of questions about one kernel with a model that answers from a list: what was tried before is not judged
// again, whatever its names, and repairs that run in a circle end.
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>

#include "agent/consult.h"
#include "engine/brief.h"

static struct ks_arena arena;

struct script {
    const char *const *answers; // behind "request: ID"
    size_t at;
    char id[KS_ASK_ID], roles[256], refused[1024];
    bool open;
};

static enum ks_status submit(void *self, const struct ks_ask *ask, struct ks_err *err)
{
    struct script *s = self;
    (void)err;
    assert_false(s->open);
    snprintf(s->id, sizeof s->id, "%s", ask->id);
    snprintf(s->roles + strlen(s->roles), sizeof s->roles - strlen(s->roles), "%s ", ask->role);
    const char *refused = strstr(ask->user, "circle");
    if (refused != NULL)
        snprintf(s->refused, sizeof s->refused, "%s", refused);
    s->open = true;
    return KS_OK;
}

static bool poll_answer(void *self, double seconds, struct ks_answer *answer)
{
    struct script *s = self;
    (void)seconds;
    if (!s->open)
        return false;
    const char *fields = s->answers[s->at];
    s->open = false;
    if (fields == NULL) {
        ks_answer_fail(answer, s->id, KS_ANSWER_NONE, "nothing more");
        return true;
    }
    s->at++;
    char *text = strdup(ks_arena_printf(&arena, "```yaml\nrequest: %s\n%s```\n", s->id, fields));
    assert_non_null(text);
    ks_answer_text(answer, s->id, text, strlen(text));
    return true;
}

static struct ks_prompt prompt_of(const char *role)
{
    struct ks_prompt prompt;
    assert_int_equal(ks_prompt_load(&arena, KS_SOURCE_DIR "/skills/prompts", role, &prompt, NULL), KS_OK);
    return prompt;
}

#define PLAN "plan:\n  - {kernel: k, grid: [1], block: [1], args: [x, y, n]}\n"
#define CODE(name, value) "source: |\n  __global__ void k(const float *x, float *y, int " name ")\n  {\n" \
                          "      float v = x[0] * " value ";\n      if (" name " > 0)\n          y[0] = v;\n  }\n" PLAN

// All candidates are WRONG; their number.
static int converse(struct script *script, bool repairs, struct ks_consult_counts *counts)
{
    static const char text[] = "__global__ void twice(const float *x, float *y, int n) { y[0] = 2 * x[0]; }";
    struct ks_kernel_list kernels = {0};
    struct ks_type params[3];
    static const char *const types[] = {"float const*", "float*", "int"};
    assert_int_equal(ks_kernels_find(&arena, "f", ks_slice_of(text), &kernels, NULL), KS_OK);
    for (int i = 0; i < 3; i++)
        params[i] = ks_type_parse(&arena, ks_slice_of(types[i]));
    const struct ks_signature signature = {.registered = "twice", .qualified = "twice", .instance = "twice",
                                           .n_params = 3, .params = params};
    const struct ks_device_info device = {.name = "a device"};
    const struct ks_brief brief = {.kernel_text = text, .decl = &kernels.at[0], .signature = &signature, .device = &device};
    struct ks_agents agents = {.backend = {.model = "m", .self = script, .submit = submit, .poll = poll_answer},
                               .coder = prompt_of("coder"), .repairer = prompt_of("repairer"), .repairs = repairs,
                               .chains = 1, .steps = 9};
    const struct ks_consult_ask ask = {.arena = &arena, .agents = &agents, .brief = &brief, .key = "0123456789ab",
                                       .source = {.file = ks_slice_of(text), .begin = 0, .end = sizeof text - 1, .contract = ""}};
    struct ks_consult *consult = ks_consult_open(&ask);
    enum ks_consult_state state = KS_CONSULT_PENDING;
    struct ks_candidate *candidate;
    int judged = 0;
    while (state != KS_CONSULT_OVER) {
        assert_int_equal(ks_consult_next(consult, 0, &state, &candidate, NULL), KS_OK);
        if (state != KS_CONSULT_CANDIDATE)
            continue;
        const struct ks_outcome wrong = {.correctness = "WRONG", .speed = "NOT_MEASURED",
                                         .reason = "output `y` differs: 1 element"};
        ks_consult_tell(consult, &wrong, 0);
        judged++;
    }
    *counts = ks_consult_counts(consult);
    ks_consult_close(consult);
    return judged;
}

static void a_circle_of_repairs_ends(void **state)
{
    (void)state;
    static const char *const answers[] = {
        "idea: a\n" CODE("n", "3.0f"),
        "cause: output `y` differs\nidea: b\n" CODE("n", "4.0f"),
        "cause: output `y` differs\nidea: c\n" CODE("count", "3.0f"), // the first, with another name in it
        "idea: d\n" CODE("n", "5.0f"),
        NULL};
    struct script script = {.answers = answers};
    struct ks_consult_counts counts;
    assert_int_equal(converse(&script, true, &counts), 3);
    assert_string_equal(script.roles, "coder repairer repairer coder repairer ");
    assert_int_equal(counts.refused[KS_REFUSED_REPEATED], 1);
    assert_non_null(strstr(script.refused, "circle, begin anew"));
}

static void the_same_under_other_names_is_not_judged(void **state)
{
    (void)state;
    static const char *const answers[] = {"idea: a\n" CODE("n", "3.0f"), "idea: b\n" CODE("size", "3.0f"),
                                          "idea: c\n" CODE("size", "7.0f"), NULL};
    struct script script = {.answers = answers};
    struct ks_consult_counts counts;
    assert_int_equal(converse(&script, false, &counts), 2);
    assert_string_equal(script.roles, "coder coder coder coder ");
    assert_int_equal(counts.refused[KS_REFUSED_REPEATED], 1);
    assert_string_equal(script.refused, ""); // no repairs, no circle
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(a_circle_of_repairs_ends),
                                       cmocka_unit_test(the_same_under_other_names_is_not_judged)};
    int failed = cmocka_run_group_tests(tests, NULL, NULL);
    ks_arena_free(&arena);
    return failed;
}
