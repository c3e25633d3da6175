// Several models: the choice among them, which is the same for the same record and learns who earns
// his cost; several backends as one.
#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>

#include "agent/models.h"
#include "agent/several.h"
#include "base/rng.h"
#include "memory/model_record.h"
#include "os/file.h"

// Asks `times` questions; model i gains by half as often as chance[i] says. What was asked of each
// into asked[].
static void play(uint64_t seed, const struct ks_price prices[3], const double chance[3], int times,
                 int asked[3], char *order)
{
    struct ks_asked_model models[3] = {{.name = "a", .price = prices[0]},
                                       {.name = "b", .price = prices[1]},
                                       {.name = "c", .price = prices[2]}};
    struct ks_rng rng;
    ks_rng_seed(&rng, seed);
    asked[0] = asked[1] = asked[2] = 0;
    for (int i = 0; i < times; i++) {
        size_t which = ks_models_choose(models, 3);
        bool gains = ks_rng_unit(&rng) < chance[which];
        ks_model_earned(&models[which], ks_model_reward(gains, gains ? 1.5 : 0), 4000, 1500);
        asked[which]++;
        order[i] = "abc"[which];
    }
    order[times] = '\0';
}

static void learns_who_earns(void **state)
{
    (void)state;
    static const struct ks_price prices[3] = {{0.1, 0.4}, {1.5, 7}, {3, 15}};
    static const struct {
        double chance[3];
        int best;
    } cases[] = {
        {{0.5, 0.5, 0.5}, 0},   // equal: the cheap one
        {{0.05, 0.6, 0.65}, 1}, // hardly better, and much dearer: not worth it
        {{0.02, 0.02, 0.9}, 2}, // worth its price
        {{0.7, 0.1, 0.3}, 0},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        int all[3] = {0};
        for (uint64_t seed = 1; seed <= 20; seed++) {
            int asked[3];
            char order[401], again[401];
            play(seed, prices, cases[i].chance, 400, asked, order);
            assert_int_equal(order[0], 'a'); // nothing is known: the cheapest
            for (int k = 0; k < 3; k++)
                all[k] += asked[k];
            play(seed, prices, cases[i].chance, 400, asked, again);
            assert_string_equal(order, again);
        }
        if (all[cases[i].best] < 20 * 400 * 6 / 10) // luck misleads some, not most
            fail_msg("case %zu: %d %d %d", i, all[0], all[1], all[2]);
    }
}

static void rewards(void **state)
{
    (void)state;
    assert_true(ks_model_reward(false, 3) == 0);
    assert_true(ks_model_reward(true, 0.8) == 0.1 && ks_model_reward(true, 1) == 0.1);
    assert_true(ks_model_reward(true, 1.1) > 0.5 &&
                ks_model_reward(true, 1.1) < ks_model_reward(true, 1.5));
    assert_true(ks_model_reward(true, 2) == 1 && ks_model_reward(true, 50) == 1);
    // Usage that was told counts, and money where all are priced.
    struct ks_asked_model m = {.price = {1, 2}};
    double usual = ks_model_cost(&m, true);
    ks_model_earned(&m, 0, 100, 10);
    ks_model_earned(&m, 0, -1, -1);
    assert_true(ks_model_cost(&m, true) == 120 && ks_model_cost(&m, false) == 110 && usual > 120);
    assert_int_equal(m.added.questions, 2);
}

// ---- backends that answer each question with their own name, the second one only every other
// look.

struct echo {
    char ids[8][KS_ASK_ID];
    int n, looks;
    bool slow, closed;
};

static enum ks_status echo_submit(void *self, const struct ks_ask *ask, struct ks_err *err)
{
    struct echo *e = self;
    (void)err;
    snprintf(e->ids[e->n++], KS_ASK_ID, "%s", ask->id);
    return KS_OK;
}

static bool echo_poll(void *self, double seconds, struct ks_answer *answer)
{
    struct echo *e = self;
    (void)seconds;
    if (e->n == 0 || (e->slow && e->looks++ % 2 == 0))
        return false;
    ks_answer_fail(answer, e->ids[--e->n], KS_ANSWER_CUT, "cut");
    return true;
}

static void echo_close(void *self)
{
    ((struct echo *)self)->closed = true;
}

static void asks_by_name(void **state)
{
    (void)state;
    struct echo cheap = {0}, strong = {.slow = true};
    const struct ks_backend two[] = {{.model = "cheap",
                                      .self = &cheap,
                                      .submit = echo_submit,
                                      .poll = echo_poll,
                                      .close = echo_close},
                                     {.model = "strong",
                                      .self = &strong,
                                      .submit = echo_submit,
                                      .poll = echo_poll,
                                      .close = echo_close}};
    struct ks_backend both;
    struct ks_err err = {0};
    assert_int_equal(ks_several_open(two, 2, &both, &err), KS_OK);
    const struct ks_ask asks[] = {{.id = "q-1", .model = "strong"},
                                  {.id = "q-2", .model = "cheap"},
                                  {.id = "q-3"},
                                  {.id = "q-4", .model = "strong"}};
    for (int i = 0; i < 4; i++)
        assert_int_equal(both.submit(both.self, &asks[i], &err), KS_OK);
    assert_int_equal(cheap.n, 2);
    for (int i = 0; i < 4; i++) {
        struct ks_answer answer;
        assert_true(both.poll(both.self, 1, &answer));
        bool is_strong = strcmp(answer.id, "q-1") == 0 || strcmp(answer.id, "q-4") == 0;
        assert_string_equal(answer.model, is_strong ? "strong" : "cheap");
    }
    struct ks_answer none;
    assert_false(both.poll(both.self, 0, &none));
    both.close(both.self);
    assert_true(cheap.closed && strong.closed);
    struct ks_backend same[] = {two[0], two[0]};
    assert_int_equal(ks_several_open(same, 2, &both, &err), KS_E_USER);
}

// The record of all runs is a sum, apart for what was measured and what was modelled.
static void remembers(void **state)
{
    (void)state;
    struct ks_err err = {0};
    struct ks_outcomes *outcomes;
    struct ks_arena arena = {0};
    char *dir;
    assert_int_equal(ks_dir_temp(&arena, "ks-models", &dir, &err), KS_OK);
    const struct ks_config config = {.state_dir = dir};
    assert_int_equal(ks_outcomes_open(&config, &outcomes, &err), KS_OK);
    struct ks_model_record more = {3, 1.5, 300, 30, 2}, read;
    for (int i = 0; i < 2; i++)
        assert_int_equal(ks_model_record_add(outcomes, "m", KS_MEASURED, &more, &err), KS_OK);
    assert_int_equal(ks_model_record_get(outcomes, "m", KS_MEASURED, &read, &err), KS_OK);
    assert_true(read.questions == 6 && read.reward == 3 && read.tokens_in == 600 &&
                read.tokens_out == 60 && read.told == 4);
    assert_int_equal(ks_model_record_get(outcomes, "m", KS_MODELLED, &read, &err), KS_OK);
    assert_int_equal(read.questions, 0);
    ks_outcomes_close(outcomes);
    ks_tree_remove(dir, NULL);
    ks_arena_free(&arena);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(learns_who_earns),
                                       cmocka_unit_test(rewards), cmocka_unit_test(asks_by_name),
                                       cmocka_unit_test(remembers)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
