#include "search/policy.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "search/arm_words.h"

#define TRANSFORM_RIGHT 0.9 // how probably a transform is, before any was looked at
#define CONTROL_EVERY 16 // one in so many is drawn
#define WORTH 0.005      // log ratio of a gain that is worth another batch
#define PATIENCE 32      // candidates without one before a search may stop,
#define MOST_PATIENCE 64 // and before it does

const struct ks_policy_constants ks_policy_usual = {
    .priors = {.open = 0.04, .unexplained = 0.0036, .algorithm_gain = 0.5, .algorithm = 0.3},
    .rule_lift = 0.1,
    .binding = 0.3,
    .ahead = 12};

const char *ks_part_name(enum ks_part part)
{
    static const char *const names[KS_PART_COUNT] = {"rules",   "effects", "ahead",
                                                     "explore", "control", "stop"};
    return names[part];
}

static bool has(const struct ks_policy *p, enum ks_part part)
{
    return (p->without & (1u << part)) == 0;
}

void ks_policy_init(struct ks_policy *p, struct ks_arena *arena, uint64_t seed, unsigned without,
                    const struct ks_policy_constants *constants)
{
    *p = (struct ks_policy){.arena = arena, .without = without};
    p->constants = constants != NULL ? constants : &ks_policy_usual;
    ks_rng_seed(&p->rng, seed);
    ks_effects_init(&p->effects, arena, &p->constants->priors);
    p->saved = KS_NEW_ARRAY(arena, double, (size_t)KS_EFFECT_WORDS *KS_EFFECT_WORDS);
}

static size_t group_of(struct ks_policy *p, const char *name)
{
    size_t len = strcspn(name, " ");
    if (ks_starts_with(name, "template "))
        len += 1 + strcspn(name + len + 1, " ");
    for (size_t i = 0; i < p->groups.len; i++)
        if (p->groups.at[i].len == len && strncmp(p->groups.at[i].name, name, len) == 0)
            return i;
    *ks_vec_push(p->arena, &p->groups) = (struct ks_arm_group){.name = name, .len = len};
    return p->groups.len - 1;
}

static void count_groups(struct ks_policy *p)
{
    ks_vec_each (struct ks_arm_group, group, &p->groups)
        group->tried = group->right = 0;
    ks_vec_each (struct ks_arm, arm, &p->arms)
        if (arm->depth == 1 && (arm->state == KS_ARM_RIGHT || arm->state == KS_ARM_WRONG)) {
            p->groups.at[arm->group].tried++;
            p->groups.at[arm->group].right += arm->state == KS_ARM_RIGHT;
        }
}

// How probably it is right. What is known of nothing yet counts as four tries.
static double feasible(const struct ks_policy *p, const struct ks_arm *arm)
{
    bool of_template = ks_starts_with(arm->name, "template ");
    const struct ks_arm_group *group = &p->groups.at[arm->group];
    if (of_template && arm->depth > 1)
        return 0.9; // another setting of what was found right
    return (group->right + 4 * (of_template ? p->constants->binding : TRANSFORM_RIGHT)) / (group->tried + 4);
}

// Expected gain over the best.
static double promise(const struct ks_policy *p, const struct ks_arm *arm)
{
    double mean, variance;
    ks_effects_predict(&p->effects, &arm->words, &mean, &variance);
    double over = mean + arm->lift - p->best;
    if (!has(p, KS_PART_EXPLORE))
        return over;
    double sd = sqrt(fmax(variance, 1e-8)), z = over / sd;
    double density = exp(-z * z / 2) / sqrt(2 * M_PI), below = erfc(-z / sqrt(2)) / 2;
    return sd * density + over * below;
}

static void evaluate(struct ks_policy *p, struct ks_arm *arm)
{
    arm->promise = promise(p, arm);
    arm->value = arm->promise * (arm->promise > 0 ? feasible(p, arm) : 1);
    arm->value += 1e-9 * ks_rng_unit(&p->rng); // what is equal comes in any order
    arm->looked_at = p->looks;
}

// Anew, after answers.
static void evaluate_all(struct ks_policy *p)
{
    count_groups(p);
    p->looks++;
    ks_vec_each (struct ks_arm, arm, &p->arms)
        if (arm->state == KS_ARM_OPEN)
            evaluate(p, arm);
}

// Where a name is in the table, or would be.
static size_t *slot_of(struct ks_policy *p, const char *name)
{
    uint64_t hash = 1469598103934665603u;
    for (const char *at = name; *at != '\0'; at++)
        hash = (hash ^ (unsigned char)*at) * 1099511628211u;
    size_t at = (size_t)hash & (p->n_by_name - 1);
    while (p->by_name[at] != 0 && strcmp(p->arms.at[p->by_name[at] - 1].name, name) != 0)
        at = (at + 1) & (p->n_by_name - 1);
    return &p->by_name[at];
}

static void make_room(struct ks_policy *p)
{
    if (p->n_by_name > 2 * p->arms.len)
        return;
    p->n_by_name = p->n_by_name > 0 ? 4 * p->n_by_name : 256;
    p->by_name = KS_NEW_ARRAY(p->arena, size_t, p->n_by_name);
    for (size_t i = 0; i < p->arms.len; i++)
        *slot_of(p, p->arms.at[i].name) = i + 1;
}

bool ks_policy_offer(struct ks_policy *p, const char *name, size_t from, size_t skill, size_t tag)
{
    make_room(p);
    size_t *slot = slot_of(p, name);
    if (*slot != 0) {
        struct ks_arm *arm = &p->arms.at[*slot - 1];
        if (arm->state == KS_ARM_BASELESS) { // and on a better one now
            arm->state = KS_ARM_OPEN;
            arm->from = from;
            evaluate(p, arm);
        }
        return false;
    }
    *slot = p->arms.len + 1;
    bool ruled = has(p, KS_PART_RULES);
    const char *copy = ks_arena_strdup(p->arena, name);
    struct ks_arm *arm = ks_vec_push(p->arena, &p->arms);
    *arm = (struct ks_arm){.name = copy,
                           .group = group_of(p, copy),
                           .from = from,
                           .skill = skill,
                           .tag = tag,
                           .depth = from == KS_ORIGINAL ? 1 : p->arms.at[from].depth + 1,
                           .lift = ruled ? p->constants->rule_lift * (p->ranked[skill].score - 0.5) : 0,
                           .words = ks_effects_words(&p->effects, ks_arm_words(p->arena, name))};
    evaluate(p, arm);
    return true;
}

static enum ks_status expand(struct ks_policy *p, size_t from, struct ks_err *err)
{
    if (from != KS_ORIGINAL) {
        if (p->arms.at[from].expanded)
            return KS_OK;
        p->arms.at[from].expanded = true;
    }
    for (size_t i = 0; i < p->n_ranked; i++)
        KS_TRY(p->space.expand(p->space.context, p, from, i, err));
    return KS_OK;
}

// Of what was not stepped on yet, ahead of an answer.
static size_t most_promising(const struct ks_policy *p)
{
    size_t best = SIZE_MAX;
    for (size_t i = 0; i < p->arms.len; i++) {
        const struct ks_arm *arm = &p->arms.at[i];
        if (arm->state == KS_ARM_OPEN && !arm->expanded &&
            (best == SIZE_MAX || arm->promise > p->arms.at[best].promise) &&
            ks_starts_with(arm->name, "transform "))
            best = i;
    }
    return best;
}

// Steps on the open arms that promise most, and on what those give: what is best stands on several.
static enum ks_status look_ahead(struct ks_policy *p, struct ks_err *err)
{
    for (int k = 0; k < p->constants->ahead; k++) {
        size_t best = most_promising(p);
        while (best != SIZE_MAX && p->space.stands != NULL &&
               !p->space.stands(p->space.context, p, best)) {
            p->arms.at[best].state = KS_ARM_DROPPED;
            best = most_promising(p);
        }
        if (best != SIZE_MAX)
            KS_TRY(expand(p, best, err));
    }
    return KS_OK;
}

static enum ks_status widen(struct ks_policy *p, struct ks_err *err)
{
    size_t best = KS_ORIGINAL;
    for (size_t i = 0; i < p->arms.len; i++)
        if (p->arms.at[i].state == KS_ARM_RIGHT &&
            (best == KS_ORIGINAL || p->arms.at[i].log_ratio > p->arms.at[best].log_ratio))
            best = i;
    evaluate_all(p);
    if (!p->begun)
        KS_TRY(expand(p, KS_ORIGINAL, err));
    p->begun = true;
    if (best != KS_ORIGINAL)
        KS_TRY(expand(p, best, err));
    return has(p, KS_PART_AHEAD) ? look_ahead(p, err) : KS_OK;
}

// What awaited answers leave of a value is looked up where it may be the largest: others fell as
// well.
static size_t pick(struct ks_policy *p)
{
    p->looks++;
    for (;;) {
        size_t chosen = SIZE_MAX;
        for (size_t i = 0; i < p->arms.len; i++)
            if (p->arms.at[i].state == KS_ARM_OPEN &&
                (chosen == SIZE_MAX || p->arms.at[i].value > p->arms.at[chosen].value))
                chosen = i;
        if (chosen == SIZE_MAX || p->arms.at[chosen].looked_at == p->looks)
            return chosen;
        evaluate(p, &p->arms.at[chosen]);
    }
}

static size_t pick_any(struct ks_policy *p)
{
    size_t open = 0;
    ks_vec_each (struct ks_arm, arm, &p->arms)
        open += arm->state == KS_ARM_OPEN;
    size_t at = open > 0 ? ks_rng_below(&p->rng, open) : 0;
    for (size_t i = 0; i < p->arms.len; i++)
        if (p->arms.at[i].state == KS_ARM_OPEN && at-- == 0)
            return i;
    return SIZE_MAX;
}

// Two standard deviations over what the effects expect.
static double bound(const struct ks_policy *p, const struct ks_arm *arm)
{
    double mean, variance;
    ks_effects_predict(&p->effects, &arm->words, &mean, &variance);
    return mean + arm->lift + 2 * sqrt(fmax(variance - p->constants->priors.unexplained, 0));
}

// Whether nothing that is worth it remains.
static bool flat(const struct ks_policy *p)
{
    int waited = p->asked - p->gained;
    if (waited < PATIENCE || waited >= MOST_PATIENCE)
        return waited >= MOST_PATIENCE;
    ks_vec_each (const struct ks_arm, arm, &p->arms)
        if (arm->state == KS_ARM_OPEN && bound(p, arm) > p->best + WORTH)
            return false;
    return true;
}

enum ks_status ks_policy_next(struct ks_policy *p, size_t most, size_t *arms, size_t *n,
                              struct ks_err *err)
{
    *n = 0;
    KS_TRY(widen(p, err));
    if (has(p, KS_PART_STOP) && flat(p))
        return KS_OK;
    ks_effects_save(&p->effects, p->saved);
    while (*n < most) {
        bool control = has(p, KS_PART_CONTROL) && (p->asked + 1) % CONTROL_EVERY == 0;
        size_t chosen = control ? pick_any(p) : pick(p);
        if (chosen == SIZE_MAX)
            break;
        struct ks_arm *arm = &p->arms.at[chosen];
        arm->state = KS_ARM_ASKED;
        arm->control = control;
        if (has(p, KS_PART_EFFECTS))
            ks_effects_learn(&p->effects, &arm->words, 0, false);
        arms[(*n)++] = chosen;
        p->asked++;
    }
    ks_effects_restore(&p->effects, p->saved);
    return KS_OK;
}

static bool is_open_template(const struct ks_arm *arm)
{
    return arm->state == KS_ARM_OPEN && arm->from == KS_ORIGINAL && ks_starts_with(arm->name, "template ");
}

static void ask(struct ks_policy *p, size_t arm, size_t *arms, size_t *n)
{
    p->arms.at[arm].state = KS_ARM_ASKED;
    arms[(*n)++] = arm;
    p->asked++;
}

enum ks_status ks_policy_recognised(struct ks_policy *p, size_t most, size_t *arms, size_t *n, struct ks_err *err)
{
    *n = 0;
    if (!p->begun) // one step, and none ahead: what is looked at otherwise stays as it is
        KS_TRY(expand(p, KS_ORIGINAL, err));
    p->begun = true;
    for (bool taken = true; taken && *n < most;) {
        taken = false;
        size_t skill = SIZE_MAX; // of the one before
        for (size_t i = 0; i < p->arms.len && *n < most; i++) {
            if (!is_open_template(&p->arms.at[i]) || p->arms.at[i].skill == skill)
                continue;
            ask(p, i, arms, n);
            skill = p->arms.at[i].skill;
            taken = true;
        }
    }
    return KS_OK;
}

void ks_policy_settings(struct ks_policy *p, size_t arm, size_t *arms, size_t *n)
{
    *n = 0;
    for (size_t i = 0; i < p->arms.len && *n < KS_RECOGNISED; i++)
        if (is_open_template(&p->arms.at[i]) && p->arms.at[i].skill == p->arms.at[arm].skill)
            ask(p, i, arms, n);
}

void ks_policy_tell(struct ks_policy *p, size_t at, bool right, double ratio)
{
    struct ks_arm *arm = &p->arms.at[at];
    bool first = arm->state == KS_ARM_ASKED;
    arm->state = right ? KS_ARM_RIGHT : KS_ARM_WRONG;
    arm->log_ratio = right ? log(ratio) : 0;
    if (right && first && has(p, KS_PART_EFFECTS))
        ks_effects_learn(&p->effects, &arm->words, arm->log_ratio, true);
    double before = p->best;
    p->best = 0;
    ks_vec_each (struct ks_arm, other, &p->arms) {
        if (!right && other->from == at && other->state == KS_ARM_OPEN)
            other->state = KS_ARM_BASELESS;
        if (other->state == KS_ARM_RIGHT)
            p->best = fmax(p->best, other->log_ratio);
    }
    if (p->best > before + WORTH)
        p->gained = p->asked;
}

bool ks_policy_reduces(const struct ks_policy *p, size_t arm)
{
    for (size_t at = arm; at != KS_ORIGINAL; at = p->arms.at[at].from) {
        const char *precision = p->ranked[p->arms.at[at].skill].skill->precision;
        if (precision != NULL && strcmp(precision, "reduced") == 0)
            return true;
    }
    return false;
}

size_t ks_policy_skills(const struct ks_policy *p, size_t arm, const char ***skills)
{
    size_t n = 0, most = (size_t)p->arms.at[arm].depth;
    const char **ids = KS_NEW_ARRAY(p->arena, const char *, most + 1);
    for (size_t at = arm; at != KS_ORIGINAL && n < most; at = p->arms.at[at].from)
        ids[n++] = p->ranked[p->arms.at[at].skill].skill->id;
    *skills = KS_NEW_ARRAY(p->arena, const char *, n + 1);
    size_t kept = 0;
    for (size_t i = n; i-- > 0;) {
        bool known = false;
        for (size_t k = 0; k < kept; k++)
            known = known || strcmp((*skills)[k], ids[i]) == 0;
        if (!known)
            (*skills)[kept++] = ids[i];
    }
    return kept;
}

void ks_policy_drop(struct ks_policy *p, size_t at)
{
    p->arms.at[at].state = KS_ARM_DROPPED;
    p->asked--;
}
