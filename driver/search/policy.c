#include "search/policy.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "search/arm_words.h"

#define RULE_LIFT 0.1    // log ratio between a skill for which all speaks and one without evidence
#define CONTROL_EVERY 16 // one in so many is drawn
#define PARENTS 4        // of steps, beside the best
#define NEAR 0.1         // log ratio to the best, of such parents
#define WORTH 0.005      // log ratio of a gain that is worth another batch
#define PATIENCE 32      // candidates without one before a search may stop,
#define MOST_PATIENCE 64 // and before it does

const char *ks_part_name(enum ks_part part)
{
    static const char *const names[KS_PART_COUNT] = {
        "rules",     "lessons", "similar",   "effects", "transitions", "explore",
        "backtrack", "archive", "crossover", "warm",    "control",     "stop"};
    return names[part];
}

static bool has(const struct ks_policy *p, enum ks_part part)
{
    return (p->without & (1u << part)) == 0;
}

void ks_policy_init(struct ks_policy *p, struct ks_arena *arena, uint64_t seed, unsigned without)
{
    *p = (struct ks_policy){.arena = arena, .without = without};
    ks_rng_seed(&p->rng, seed);
    ks_effects_init(&p->effects, arena);
    p->saved = KS_NEW_ARRAY(arena, double, (size_t)KS_EFFECT_WORDS *KS_EFFECT_WORDS);
}

static const char *direction_of(const struct ks_policy *p, size_t arm)
{
    return arm == KS_ORIGINAL ? "" : p->arms.at[arm].direction;
}

bool ks_policy_offer(struct ks_policy *p, const char *name, size_t from, size_t skill, size_t tag)
{
    ks_vec_each (struct ks_arm, arm, &p->arms)
        if (strcmp(arm->name, name) == 0)
            return false;
    const char *direction = skill < p->n_ranked ? p->ranked[skill].skill->direction : "";
    double lift = 0;
    if (has(p, KS_PART_RULES) && skill < p->n_ranked)
        lift += RULE_LIFT * (p->ranked[skill].score - 0.5);
    if (has(p, KS_PART_TRANSITIONS) && p->view.lessons != NULL)
        lift += ks_lessons_gain(&p->view, direction_of(p, from), direction);
    bool learned = p->view.lessons != NULL && has(p, KS_PART_LESSONS);
    *ks_vec_push(p->arena, &p->arms) =
        (struct ks_arm){.name = ks_arena_strdup(p->arena, name),
                        .direction = direction,
                        .from = from,
                        .skill = skill,
                        .tag = tag,
                        .depth = from == KS_ORIGINAL ? 1 : p->arms.at[from].depth + 1,
                        .lift = lift,
                        .words = ks_effects_words(&p->effects, ks_arm_words(p->arena, name),
                                                  learned ? ks_lessons_prior : NULL, &p->view)};
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

// Right arms, best first; at most `most`.
static size_t best_arms(const struct ks_policy *p, size_t most, size_t *best)
{
    size_t n = 0;
    for (size_t i = 0; i < p->arms.len; i++) {
        if (p->arms.at[i].state != KS_ARM_RIGHT)
            continue;
        size_t at = n < most ? n++ : most;
        for (; at > 0 && p->arms.at[best[at - 1]].log_ratio < p->arms.at[i].log_ratio; at--)
            if (at < most)
                best[at] = best[at - 1];
        if (at < most)
            best[at] = i;
    }
    return n;
}

// The best of each direction by size of block.
static enum ks_status expand_archive(struct ks_policy *p, struct ks_err *err)
{
    for (size_t i = 0; i < p->arms.len; i++) {
        bool elite = p->arms.at[i].state == KS_ARM_RIGHT && p->arms.at[i].log_ratio > 0;
        for (size_t k = 0; elite && k < p->arms.len; k++)
            elite = p->arms.at[k].state != KS_ARM_RIGHT ||
                    strcmp(p->arms.at[k].direction, p->arms.at[i].direction) != 0 ||
                    p->arms.at[k].log_ratio <= p->arms.at[i].log_ratio;
        if (elite)
            KS_TRY(expand(p, i, err));
    }
    return KS_OK;
}

static const char *merged(struct ks_arena *arena, const char *a, const char *b)
{
    struct ks_buf buf = KS_BUF(4096);
    ks_buf_puts(&buf, a);
    for (const char *at = b; *(at += strspn(at, " ")); at += strcspn(at, " ")) {
        size_t key = strcspn(at, "= ") + 1;
        const char *found = NULL;
        for (const char *own = a; found == NULL && *(own += strspn(own, " "));
             own += strcspn(own, " "))
            if (strncmp(own, at, key) == 0)
                found = own;
        if (found == NULL)
            ks_buf_printf(&buf, " %.*s", (int)strcspn(at, " "), at);
    }
    char *text = ks_arena_strdup(arena, ks_buf_text(&buf));
    ks_buf_free(&buf);
    return text;
}

static enum ks_status cross(struct ks_policy *p, const size_t *best, size_t n, struct ks_err *err)
{
    for (size_t i = 0; i < n; i++)
        for (size_t k = 0; k < n; k++)
            if (i != k && ks_starts_with(p->arms.at[best[i]].name, "transform ") &&
                ks_starts_with(p->arms.at[best[k]].name, "transform "))
                KS_TRY(p->space.reach(
                    p->space.context, p,
                    merged(p->arena, p->arms.at[best[i]].name, p->arms.at[best[k]].name), err));
    return KS_OK;
}

static enum ks_status warm_start(struct ks_policy *p, struct ks_err *err)
{
    for (size_t i = 0; p->view.lessons != NULL && i < p->view.lessons->of.len; i++)
        for (size_t k = 0; p->view.weight[i] > 0.05 && k < p->view.lessons->of.at[i].n_best; k++)
            KS_TRY(p->space.reach(p->space.context, p, p->view.lessons->of.at[i].best[k], err));
    return KS_OK;
}

static enum ks_status widen(struct ks_policy *p, struct ks_err *err)
{
    size_t best[PARENTS + 1];
    size_t n = best_arms(p, PARENTS + 1, best);
    if (!p->begun) {
        p->begun = true;
        KS_TRY(expand(p, KS_ORIGINAL, err));
        if (has(p, KS_PART_WARM) && p->space.reach != NULL)
            KS_TRY(warm_start(p, err));
        return KS_OK;
    }
    for (size_t i = 0; i < n; i++)
        if (i == 0 || (has(p, KS_PART_BACKTRACK) && p->arms.at[best[i]].log_ratio > p->best - NEAR))
            KS_TRY(expand(p, best[i], err));
    if (has(p, KS_PART_ARCHIVE))
        KS_TRY(expand_archive(p, err));
    return has(p, KS_PART_CROSSOVER) && p->space.reach != NULL ? cross(p, best, n, err) : KS_OK;
}

static double feasible(const struct ks_policy *p, const struct ks_arm *arm)
{
    bool of_template = ks_starts_with(arm->name, "template ");
    size_t group = of_template ? strcspn(arm->name + strlen("template "), " ") : 0;
    double right = 4 * (p->view.lessons != NULL ? ks_lessons_right(&p->view, of_template)
                        : of_template           ? 0.3
                                                : 0.9),
           tried = 4;
    if (of_template && arm->depth > 1)
        return 0.9; // another setting of what was found right
    ks_vec_each (const struct ks_arm, other, &p->arms)
        if ((other->state == KS_ARM_RIGHT || other->state == KS_ARM_WRONG) && other->depth == 1 &&
            ks_starts_with(other->name, "template ") == of_template &&
            strncmp(other->name, arm->name, group + strlen("template ")) == 0) {
            tried++;
            right += other->state == KS_ARM_RIGHT;
        }
    return right / tried;
}

// Expected gain over the best, times how probably it is right.
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

static size_t pick(struct ks_policy *p)
{
    size_t chosen = SIZE_MAX;
    double most = -INFINITY;
    for (size_t i = 0; i < p->arms.len; i++) {
        const struct ks_arm *arm = &p->arms.at[i];
        if (arm->state != KS_ARM_OPEN)
            continue;
        double value = promise(p, arm);
        value *= value > 0 ? feasible(p, arm) : 1;
        value += 1e-9 * ks_rng_unit(&p->rng); // what is equal comes in any order
        if (value > most) {
            most = value;
            chosen = i;
        }
    }
    return chosen;
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
    return mean + arm->lift + 2 * sqrt(fmax(variance - KS_UNEXPLAINED, 0));
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
    p->batches++;
    return KS_OK;
}

void ks_policy_tell(struct ks_policy *p, size_t at, bool right, double ratio)
{
    struct ks_arm *arm = &p->arms.at[at];
    bool first = arm->state == KS_ARM_ASKED;
    arm->state = right ? KS_ARM_RIGHT : KS_ARM_WRONG;
    arm->log_ratio = right ? log(ratio) : 0;
    if (right && first && has(p, KS_PART_EFFECTS))
        ks_effects_learn(&p->effects, &arm->words, arm->log_ratio, true);
    p->best = 0;
    ks_vec_each (const struct ks_arm, other, &p->arms)
        if (other->state == KS_ARM_RIGHT)
            p->best = fmax(p->best, other->log_ratio);
}

void ks_policy_drop(struct ks_policy *p, size_t at)
{
    p->arms.at[at].state = KS_ARM_DROPPED;
    p->asked--;
}
