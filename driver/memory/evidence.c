// What facts say of a skill: gate, score, and what moved afterwards.
#include "memory/skill.h"

enum ks_truth ks_skill_gate(const struct ks_skill *skill, const struct ks_fact_list *facts)
{
    enum ks_truth gate = KS_TRUE;
    for (size_t i = 0; i < skill->requires_.len; i++) {
        enum ks_truth truth = ks_condition_eval(&skill->requires_.at[i], facts);
        gate = truth < gate ? truth : gate;
    }
    for (size_t i = 0; i < skill->forbids.len; i++) {
        enum ks_truth not = (enum ks_truth)(KS_TRUE - ks_condition_eval(&skill->forbids.at[i], facts));
        gate = not < gate ? not : gate;
    }
    return gate;
}

double ks_skill_score(const struct ks_skill *skill, const struct ks_fact_list *facts)
{
    double sum = 0, weight = 0;
    for (size_t i = 0; i < skill->when.len; i++) {
        const struct ks_condition *c = &skill->when.at[i];
        sum += c->weight * ks_truth_share(ks_condition_eval(c, facts));
        weight += c->weight;
    }
    return weight > 0 ? sum / weight : 0.5;
}

static void say(struct ks_buf *why, const struct ks_condition *condition,
                const struct ks_fact_list *facts)
{
    enum ks_truth truth = ks_condition_eval(condition, facts);
    double value;
    ks_buf_printf(why, "%s%s %s", why->len > 0 ? ", " : "", condition->text, ks_truth_name(truth));
    if (ks_fact_get(facts, condition->fact, &value))
        ks_buf_printf(why, " (%.4g)", value);
}

bool ks_skill_applies(struct ks_arena *arena, const struct ks_skill *skill,
                      const struct ks_fact_list *facts, double *score, const char **why)
{
    if (ks_skill_gate(skill, facts) == KS_FALSE)
        return false;
    struct ks_buf text = KS_BUF(16u << 10);
    for (size_t i = 0; i < skill->when.len; i++)
        say(&text, &skill->when.at[i], facts);
    *score = ks_skill_score(skill, facts);
    *why = ks_arena_strdup(arena, ks_buf_text(&text));
    ks_buf_free(&text);
    return true;
}

enum ks_truth ks_skill_moved(const struct ks_skill *skill, const struct ks_fact_list *before,
                             const struct ks_fact_list *after)
{
    double was, is;
    if (!ks_fact_get(before, skill->expect_metric, &was) || !ks_fact_get(after, skill->expect_metric, &is))
        return KS_UNKNOWN;
    double moved = (is - was) * skill->expect_sign;
    return moved > 0 && moved >= skill->expect_at_least ? KS_TRUE : KS_FALSE;
}
