// The search of one kernel between its policy and its judge, on a clock of its own: what is looked
// at when, and what is judged in full while there is time.
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "os/clock.h"
#include "os/proc.h"

static double clock_now;
static double hunt_now(void)
{
    return clock_now;
}
#define ks_now_own hunt_now
static double stop_when; // 0: never
#define ks_stop_at(when) (stop_when = (when))
#define ks_stop_expired() (stop_when > 0 && clock_now >= stop_when)
#define ks_stop_requested() ks_stop_expired()
#include "search/hunt.c"

// Two skills: a template that comes in one way, and transforms.
static struct ks_skill skills[] = {{.id = "known", .direction = "a", .template_ = "known", .file = "known.yaml"},
                                   {.id = "shape", .direction = "b", .transform = "shape"}};
static struct ks_arena arena;
static double template_ratio,
    transform_ratio; // of the first one: the others are no faster than the original
static double screening_takes, judging_takes;
static bool stands_up = true; // in full, what looked faster
static bool template_wrong;
static struct ks_profile_floor floor_; // of a launch; least_us 0: not known
static double roofline_pct, copied_pct; // 0: not known
static bool moves_arrays;
static size_t workloads = 1;
static double baseline_us = 100;
static char events[512];
static const char *unrun; // why nothing was looked at
static const char *lost; // what became of the likeliest
static bool broken;      // the template's file cannot be read
static int settings = 1; // of the template
static bool deeper;      // a transform may stand on another, and makes nothing faster
static double deep_over; // what that was held against; -1: it was not looked at

static double ratio_of(const struct ks_proposal *proposal)
{
    if (strstr(proposal->source, "known") != NULL)
        return template_ratio;
    return strstr(proposal->source, "width=1") != NULL ? transform_ratio : 1;
}

static void event(const char *what, const char *of)
{
    size_t n = strlen(events);
    snprintf(events + n, sizeof events - n, "%s%s %s", n > 0 ? ", " : "", what, of);
}

void ks_reach_open(struct ks_reach *reach, struct ks_arena *a, const struct ks_brief *brief,
                   const char *template_dir)
{
    *reach = (struct ks_reach){.arena = a, .brief = brief, .template_dir = template_dir};
}

enum ks_status ks_reach_names(struct ks_reach *reach, const struct ks_candidate *base,
                              const struct ks_skill *skill, struct ks_strv *names,
                              const char **refusal, struct ks_err *err)
{
    *refusal = NULL;
    if (broken && skill == &skills[0])
        KS_FAIL(err, KS_E_USER, "known.yaml:3: a template is a map");
    for (int i = 0; base == NULL && skill == &skills[0] && i < settings; i++)
        ks_strv_add(reach->arena, names, i == 0 ? "template known a=x" : ks_arena_printf(reach->arena, "template known a=x bn=%d", i));
    if (deeper && base != NULL && skill == &skills[1] && strstr(base->mechanism, "deep") == NULL)
        ks_strv_add(reach->arena, names, ks_arena_printf(reach->arena, "%s deep=1", base->mechanism));
    for (int i = 0; base == NULL && skill == &skills[1] && i < 3; i++)
        ks_strv_add(reach->arena, names,
                    ks_arena_printf(reach->arena, "transform width=%d", i + 1));
    return KS_OK;
}

enum ks_status ks_reach_make(struct ks_reach *reach, const char *name, const struct ks_skill *skill,
                             struct ks_candidate *candidate, struct ks_err *err)
{
    *candidate = (struct ks_candidate){.skill = skill->id, .mechanism = name, .params = ""};
    candidate->proposal.source =
        ks_arena_printf(reach->arena, "__global__ void made() { /* %s */ %zu; }", name,
                        strlen(name) + (size_t)name[strlen(name) - 1]);
    return ks_expr_parse(reach->arena, "", ks_slice_of("1"), &candidate->proposal.when, err);
}

static const char *unserved = "none"; // part of what dispatch would never launch
static size_t batch; // how many were looked at first

bool ks_judge_admits(const struct ks_judge *judge, const struct ks_proposal *proposal, struct ks_expr *domain, size_t workload)
{
    (void)judge, (void)workload;
    assert_null(domain);
    return strstr(proposal->source, unserved) == NULL;
}

enum ks_status ks_judge_screen(struct ks_judge *judge, struct ks_proposal *const *proposals,
                               size_t n, struct ks_verdict *verdicts, struct ks_err *err)
{
    (void)judge;
    batch = batch > 0 ? batch : n;
    clock_now += screening_takes;
    if (ks_stop_requested())
        KS_FAIL(err, KS_E_INTERRUPTED, "interrupted");
    for (size_t i = 0; i < n; i++)
        verdicts[i] =
            (struct ks_verdict){.correctness = KS_C_CORRECT, .geomean = ratio_of(proposals[i])};
    event("look at", strstr(proposals[0]->source, "known") != NULL ? "template" : "transforms");
    return KS_OK;
}

enum ks_status ks_judge_full(struct ks_judge *judge, struct ks_proposal *proposal,
                             struct ks_verdict *verdict, struct ks_err *err)
{
    (void)judge, (void)err;
    clock_now += judging_takes;
    *verdict = (struct ks_verdict){.correctness = KS_C_CORRECT,
                                   .speed = stands_up ? KS_S_FASTER : KS_S_NOT_FASTER,
                                   .geomean = stands_up ? ratio_of(proposal) : 1,
                                   .reason = "as fast"};
    if (template_wrong && strstr(proposal->source, "known") != NULL)
        *verdict = (struct ks_verdict){.correctness = KS_C_WRONG, .reason = "wrong"};
    event("judge", strstr(proposal->source, "known") != NULL ? "template" : "transform");
    return KS_OK;
}

bool ks_tuner_spent(const struct ks_tuner *t)
{
    return clock_now >= t->deadline;
}

void ks_tuner_remember(struct ks_tuner *t, struct ks_candidate *candidate, const char *id,
                       const struct ks_verdict *verdict)
{
    ks_trajectory_add(&t->trajectory, candidate, id, verdict, NULL);
    t->best = fmax(t->best, verdict->geomean);
}

void ks_view(const struct ks_tuner *t, const char *what, const struct ks_candidate *candidate)
{
    (void)t, (void)what, (void)candidate;
}

void ks_view_verdict(struct ks_tuner *t, const struct ks_candidate *candidate,
                     const struct ks_verdict *verdict, bool screened)
{
    (void)t, (void)candidate, (void)verdict, (void)screened;
}

// What a search does that has so much time; `known` is what a run before saw of the template, 0:
// nothing.
static const char *hunted(double seconds, double known)
{
    static const struct ks_ranked_skill ranked[] = {{.skill = &skills[0], .score = 0.5},
                                                    {.skill = &skills[1], .score = 0.5}};
    static const struct ks_signature signature = {.instance = "kernel"};
    static const struct ks_tu_kernel kernel = {.signature = &signature};
    const struct ks_tune_options options = {.budget_seconds = seconds};
    struct ks_tune_result result = {.profiled = true, .profile = {.floor = floor_, .roofline_pct = roofline_pct, .copy_gbs = 100, .achieved_gbs = copied_pct,
                                                                  .moves_arrays = moves_arrays}};
    struct ks_err err = {0};
    struct ks_tuner t = {.arena = &arena,
                         .kernel = &kernel,
                         .options = &options,
                         .result = &result,
                         .ranked = (struct ks_ranked_skill *)(uintptr_t)ranked,
                         .n_ranked = 2,
                         .brief = {.n_problems = workloads, .baseline_us = &baseline_us},
                         .trajectory = {.arena = &arena},
                         .best = 1};
    if (known > 0) {
        struct ks_reach reach;
        struct ks_candidate c;
        ks_reach_open(&reach, &arena, NULL, "");
        assert_int_equal(ks_reach_make(&reach, "template known a=x", &skills[0], &c, &err), KS_OK);
        *ks_vec_push(&arena, &t.trajectory.kept) =
            (struct ks_kept_look){ks_proposal_id(&arena, &c.proposal), known, known, 1};
    }
    clock_now = 100;
    t.deadline = clock_now + seconds;
    events[0] = '\0';
    assert_int_equal(ks_hunt(&t, &err), KS_OK);
    lost = result.lost;
    unrun = result.unrun;
    deep_over = -1;
    ks_vec_each(struct ks_try, look, &t.trajectory.screened)
        if (strcmp(look->candidate->mechanism, "transform width=1 deep=1") == 0)
            deep_over = look->over;
    return events;
}

static void judges_what_is_clear_at_once(void **state)
{
    (void)state;
    template_ratio = 2, transform_ratio = 1.1, screening_takes = 3, judging_takes = 3;
    assert_string_equal(hunted(60, 0), "look at template, judge template, look at transforms");
    // And where only a run before looked at it.
    assert_string_equal(hunted(60, 2), "judge template, look at transforms");
}

static void looks_further_where_time_is(void **state)
{
    (void)state;
    template_ratio = 1.1, transform_ratio = 1.5, screening_takes = 3, judging_takes = 3;
    assert_string_equal(hunted(60, 0), "look at template, look at transforms, judge transform");
    assert_string_equal(hunted(60, 1.1), "look at transforms, judge transform");
}

// Of more settings than the first batch has, the others of the fastest come before the judge, unless the time is over.
static void looks_at_the_fastest_in_all_its_settings(void **state)
{
    (void)state;
    template_ratio = 2, transform_ratio = 1.1, screening_takes = 3, judging_takes = 3, settings = 11;
    assert_string_equal(hunted(7, 0), "look at template, look at template, judge template");
    assert_string_equal(hunted(5.5, 0), "look at template, look at template, judge template");
    assert_string_equal(hunted(2.5, 0), "look at template, judge template");
    settings = 1;
}

// What dispatch would leave to the original on all workloads is not looked at, and others come in its place.
static void looks_at_what_serves_a_workload(void **state)
{
    (void)state;
    template_ratio = 2, transform_ratio = 1.5, screening_takes = 3, judging_takes = 3, settings = 11, batch = 0;
    unserved = "bn=1"; // and 10
    assert_string_equal(hunted(7, 0), "look at template, look at template, judge template");
    assert_int_equal(batch, KS_RECOGNISED);
    unserved = "bn=";
    assert_string_equal(hunted(7, 0), "look at template, judge template");
    unserved = "known";
    assert_string_equal(hunted(60, 0), "look at transforms, judge transform");
    unserved = "none", settings = 1;
}

// Both are of one batch, in whatever order.
static void holds_a_step_against_what_it_stands_on(void **state)
{
    (void)state;
    template_ratio = 1.1, transform_ratio = 1.5, screening_takes = 3, judging_takes = 3, deeper = true;
    (void)hunted(60, 0);
    assert_float_equal(deep_over, 1.5, 1e-12);
    deeper = false;
}

// Another look would take what is left.
static void judges_what_it_has_while_it_can(void **state)
{
    (void)state;
    template_ratio = 1.1, transform_ratio = 1.2, screening_takes = 3, judging_takes = 3;
    assert_string_equal(hunted(5, 0), "look at template, judge template");
    assert_string_equal(hunted(3.5, 1.1), "judge template");
    // What is not worth it holds nothing up.
    template_ratio = 1;
    assert_string_equal(hunted(5, 0), "look at template, look at transforms, judge transform");
    // What turns out no faster leaves the rest of the time to others.
    template_ratio = 1.1, stands_up = false;
    assert_string_equal(hunted(5, 0), "look at template, judge template");
    judging_takes = 1;
    assert_string_equal(hunted(5, 0), "look at template, judge template, look at transforms");
    stands_up = true;
}

// Of several that do not win the one that looked best is told of.
static void says_what_became_of_the_likeliest(void **state)
{
    (void)state;
    template_ratio = 1.3, transform_ratio = 1.2, screening_takes = 3, judging_takes = 3, stands_up = false;
    assert_string_equal(hunted(60, 0), "look at template, judge template, look at transforms, judge transform");
    assert_string_equal(lost, "1.30x at a look, then NOT_FASTER, as fast");
    template_ratio = 1.1;
    assert_string_equal(hunted(60, 1.1), "look at transforms, judge transform, judge template");
    assert_string_equal(lost, "1.20x at a look, then NOT_FASTER, as fast");
    stands_up = true;
    (void)hunted(60, 0);
    assert_null(lost);
}

// With something to lose no other is judged that would leave its confirmation no time: 4 seconds, or half a judgement.
static void keeps_time_for_the_confirmation(void **state)
{
    (void)state;
    template_ratio = 1.1, transform_ratio = 1.2, screening_takes = 3, judging_takes = 3;
    baseline_us = 1e6;
    assert_string_equal(hunted(16.5, 1.1), "look at transforms, judge transform");
    // Both look alike, and the second judgement and a confirmation fit, or do not.
    template_ratio = transform_ratio = 1.1;
    assert_string_equal(hunted(13.5, 1.1), "look at transforms, judge template, judge transform");
    assert_string_equal(hunted(12.5, 1.1), "look at transforms, judge template");
    judging_takes = 10;
    assert_string_equal(hunted(28.5, 1.1), "look at transforms, judge template, judge transform");
    assert_string_equal(hunted(27.5, 1.1), "look at transforms, judge template");
    baseline_us = 100;
}

// Nothing that could be found would be accepted: too little in microseconds, or of the ratio.
static void leaves_alone_what_is_at_its_floor(void **state)
{
    (void)state;
    template_ratio = 1, transform_ratio = 1.03, screening_takes = 3, judging_takes = 3;
    floor_ = (struct ks_profile_floor){.original_us = 3, .least_us = 2.8, .gain_us = 0.25, .ratio = 1.09};
    assert_string_equal(hunted(60, 0), "");
    workloads = 2; // on the other there may be more
    assert_string_equal(hunted(60, 0), "look at template, look at transforms, judge transform");
    workloads = 1;
    floor_ = (struct ks_profile_floor){.original_us = 45, .least_us = 44.7, .gain_us = 0.4, .ratio = 1.009};
    assert_string_equal(hunted(60, 0), "");
    // Near what copying takes, too; near what arithmetic allows what is recognised is looked at, and judged if that pays.
    floor_ = (struct ks_profile_floor){.original_us = 100, .least_us = 91, .gain_us = 9, .ratio = 1.1};
    assert_string_equal(hunted(60, 0), "");
    floor_ = (struct ks_profile_floor){.original_us = 100, .least_us = 89, .gain_us = 11, .ratio = 1.12};
    assert_string_equal(hunted(60, 0), "look at template, look at transforms, judge transform");
    floor_ = (struct ks_profile_floor){0};
    roofline_pct = 91, copied_pct = 10;
    assert_string_equal(hunted(60, 0), "look at template");
    template_ratio = 1.06;
    assert_string_equal(hunted(60, 0), "look at template, judge template");
    copied_pct = 91; // of arrays that it may use a part of
    assert_string_equal(hunted(60, 0), "look at template, judge template");
    moves_arrays = true;
    assert_string_equal(hunted(60, 0), "");
    roofline_pct = copied_pct = 0, moves_arrays = false;
    template_ratio = 1;
    floor_ = (struct ks_profile_floor){.original_us = 3, .least_us = 2.5, .gain_us = 0.55, .ratio = 1.22};
    assert_string_equal(hunted(60, 0), "look at template, look at transforms, judge transform");
    floor_ = (struct ks_profile_floor){0};
}

// A look before which nothing was found is left after twice the budget, and nothing is judged.
static void leaves_a_look_for_the_deadline(void **state)
{
    (void)state;
    screening_takes = 25, judging_takes = 3;
    template_ratio = 2, transform_ratio = 2;
    assert_string_equal(hunted(12, 0), "");
    assert_non_null(strstr(unrun, "the budget of"));
    template_ratio = 1;
    assert_string_equal(hunted(13, 0), "look at template");
    assert_null(unrun);
}

// The best of what was looked at is judged, however long the look took, if it is faster by more than a look is off.
static void judges_the_best_of_a_long_look(void **state)
{
    (void)state;
    screening_takes = 13, judging_takes = 3;
    template_ratio = 1.1, transform_ratio = 1;
    assert_string_equal(hunted(12, 0), "look at template, judge template");
    template_ratio = 1.02;
    assert_string_equal(hunted(12, 0), "look at template");
    template_ratio = 1, transform_ratio = 1.1;
    assert_string_equal(hunted(14, 0), "look at template, look at transforms, judge transform");
    transform_ratio = 1.02;
    assert_string_equal(hunted(14, 0), "look at template, look at transforms");
}

// Where the best was wrong and the time is over, another skill's best is judged as well; but not what has fewer bits as that has.
static void owes_a_judgement_to_another_skill(void **state)
{
    (void)state;
    template_ratio = 1.2, transform_ratio = 1.1, screening_takes = 3, judging_takes = 8, template_wrong = true;
    assert_string_equal(hunted(9, 0), "look at template, look at transforms, judge template, judge transform");
    skills[0].precision = "reduced", skills[1].precision = "reordered";
    assert_string_equal(hunted(9, 0), "look at template, look at transforms, judge template, judge transform");
    skills[1].precision = "reduced";
    assert_string_equal(hunted(9, 0), "look at template, look at transforms, judge template");
    skills[0].precision = skills[1].precision = NULL;
    template_wrong = false;
    assert_string_equal(hunted(9, 0), "look at template, look at transforms, judge template");
}

// An action that cannot be read is left out, and all others are tried.
static void goes_on_beside_a_wrong_action(void **state)
{
    (void)state;
    template_ratio = 1.5, transform_ratio = 1.2, screening_takes = 3, judging_takes = 3;
    broken = true;
    assert_string_equal(hunted(60, 0), "look at transforms, judge transform");
    broken = false;
}

// Of 3 us 0.3 are a tenth: what looks a twentieth faster cannot gain enough.
static void judges_what_can_gain_enough(void **state)
{
    (void)state;
    template_ratio = 1, transform_ratio = 1.05, screening_takes = 3, judging_takes = 3;
    assert_string_equal(hunted(60, 0), "look at template, look at transforms, judge transform");
    baseline_us = 3;
    assert_string_equal(hunted(60, 0), "look at template, look at transforms");
    workloads = 2; // a gain on either will do
    assert_string_equal(hunted(60, 0), "look at template, look at transforms, judge transform");
    workloads = 1, transform_ratio = 1.09;
    assert_string_equal(hunted(60, 0), "look at template, look at transforms, judge transform");
    baseline_us = 100;
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(leaves_alone_what_is_at_its_floor),
        cmocka_unit_test(judges_what_is_clear_at_once),
        cmocka_unit_test(looks_further_where_time_is),
        cmocka_unit_test(looks_at_the_fastest_in_all_its_settings),
        cmocka_unit_test(looks_at_what_serves_a_workload),
        cmocka_unit_test(holds_a_step_against_what_it_stands_on),
        cmocka_unit_test(judges_what_it_has_while_it_can),
        cmocka_unit_test(says_what_became_of_the_likeliest),
        cmocka_unit_test(keeps_time_for_the_confirmation),
        cmocka_unit_test(leaves_a_look_for_the_deadline),
        cmocka_unit_test(judges_the_best_of_a_long_look),
        cmocka_unit_test(judges_what_can_gain_enough),
        cmocka_unit_test(owes_a_judgement_to_another_skill),
        cmocka_unit_test(goes_on_beside_a_wrong_action),
    };
    int failed = cmocka_run_group_tests(tests, NULL, NULL);
    ks_arena_free(&arena);
    return failed;
}
