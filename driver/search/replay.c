#include "search/replay.h"

#include <math.h>
#include <string.h>

#include "os/clock.h"
#include "search/tuner.h"

struct player {
    const struct ks_replay_kernel *kernel;
    struct ks_policy *policy;
    bool *fits; // [skill * actions + action]: the action is one of the skill's
};

static bool is_value(const struct ks_skill *skill, size_t param, const char *text, size_t len)
{
    for (const char **value = skill->param_values[param]; *value != NULL; value++)
        if (strlen(*value) == len && strncmp(*value, text, len) == 0)
            return true;
    return false;
}

// "tile=16 near=1" holds a value of the skill's for each of its parameters, and nothing else. What an action says nothing of
// is 0, as it is: a skill may have a parameter more by now.
static bool has_values(const struct ks_skill *skill, const char *settings)
{
    size_t words = 0, named = 0;
    for (const char *at = settings; *at != '\0'; at += strcspn(at, " "), at += strspn(at, " "))
        words++;
    for (size_t i = 0; i < skill->n_params; i++) {
        size_t key = strlen(skill->param_names[i]);
        const char *value = "0";
        size_t len = 1;
        for (const char *at = settings; *at != '\0'; at += strcspn(at, " "), at += strspn(at, " "))
            if (strncmp(at, skill->param_names[i], key) == 0 && at[key] == '=') {
                value = at + key + 1;
                len = strcspn(value, " ");
                named++;
            }
        if (!is_value(skill, i, value, len))
            return false;
    }
    return named == words;
}

static bool is_action(const struct ks_skill *skill, const char *action)
{
    size_t len = strcspn(action, " ");
    const char *rest = action + len + strspn(action + len, " ");
    if (skill->template_ != NULL)
        return (strncmp(action, "template ", len + 1) == 0 ||
                strncmp(action, "settings ", len + 1) == 0) &&
               strcmp(rest, skill->template_) == 0;
    return skill->transform != NULL && strlen(skill->transform) == len &&
           strncmp(skill->transform, action, len) == 0 && has_values(skill, rest);
}

// Assignments to a template's roles are held against small runs of the original before they are offered: the wrong ones
// that a log has, whose sampler drew them all, are no candidates.
static bool is_candidate(const struct ks_replay_node *node)
{
    return node->right || strncmp(node->name, "template ", strlen("template ")) != 0;
}

static enum ks_status expand(void *context, struct ks_policy *policy, size_t from, size_t skill,
                             struct ks_err *err)
{
    const struct player *player = context;
    const struct ks_replay_kernel *kernel = player->kernel;
    size_t base = from == KS_ORIGINAL ? 0 : policy->arms.at[from].tag;
    (void)err;
    for (size_t i = 1; i < kernel->nodes.len; i++)
        for (size_t k = 0; k < kernel->nodes.at[i].n_steps; k++) {
            const struct ks_replay_step *step = &kernel->nodes.at[i].steps[k];
            if (is_candidate(&kernel->nodes.at[i]) && step->from == base && player->fits[skill * kernel->actions.len + step->action])
                ks_policy_offer(policy, kernel->nodes.at[i].name, from, skill, i);
        }
    return KS_OK;
}

static size_t all_skills(struct ks_arena *arena, const struct ks_skill_list *skills,
                         struct ks_ranked_skill **ranked)
{
    size_t n = 0;
    *ranked = KS_NEW_ARRAY(arena, struct ks_ranked_skill, skills->len + 1);
    ks_vec_each(struct ks_skill, skill, skills)
        (*ranked)[n++] = (struct ks_ranked_skill){.skill = skill, .score = 0.5, .why = ""};
    return n;
}

static void shuffle(struct ks_rng *rng, size_t *order, size_t n)
{
    for (size_t i = n; i > 1; i--) {
        size_t k = ks_rng_below(rng, i), other = order[i - 1];
        order[i - 1] = order[k];
        order[k] = other;
    }
}

// Nodes in the order in which they were looked at: the policy's, then the rest in any.
struct order {
    const struct ks_replay_options *options;
    size_t *at, n;
    size_t *arm;        // by node, plus one; 0: the policy did not ask for it
    bool *known, *full; // by node
    size_t looks;
    double best; // of those that had the full number
};

static void look(struct order *order, size_t node)
{
    if (!order->known[node])
        order->at[order->n++] = node;
    order->known[node] = true;
}

static void fill_up(struct order *order, struct player *player, size_t at, size_t looks)
{
    const struct ks_replay_node *node = &player->kernel->nodes.at[at];
    order->full[at] = true;
    order->looks += looks;
    order->best = fmax(order->best, node->ratio);
    if (player->policy != NULL && order->arm[at] > 0)
        ks_policy_tell(player->policy, order->arm[at] - 1, true, node->ratio);
}

// What promises most of all that had one look, as in search/hunt.c; 0: none is worth more.
static size_t finalist(const struct order *order, const struct ks_replay_kernel *kernel)
{
    double most = fmax(KS_WORTH_JUDGING, order->best > 1 ? order->best * KS_LOOK_ERROR : 0);
    size_t best = 0;
    for (size_t i = 0; i < order->n; i++) {
        size_t at = order->at[i];
        if (!order->full[at] && kernel->nodes.at[at].right && kernel->nodes.at[at].look >= most) {
            most = kernel->nodes.at[at].look;
            best = at;
        }
    }
    return best;
}

// Counts the looks at what came since position `from` of the order.
static void race(struct order *order, struct player *player, size_t from, struct ks_replay_result *result)
{
    const struct ks_replay_kernel *kernel = player->kernel;
    const struct ks_replay_options *options = order->options;
    double goal = options->share * kernel->best;
    if (options->racing == KS_REPLAY_UNCOUNTED || goal <= 1 || result->looks > 0)
        return;
    for (size_t i = from; i < order->n; i++) // what is wrong is not timed
        if (kernel->nodes.at[order->at[i]].right && options->racing == KS_REPLAY_ALL_FULL)
            fill_up(order, player, order->at[i], options->full);
        else if (kernel->nodes.at[order->at[i]].right)
            order->looks++;
    for (size_t i = 0; i < KS_FINALISTS && options->racing == KS_REPLAY_RACED && order->best < goal; i++) {
        size_t at = finalist(order, kernel);
        if (at == 0)
            break;
        fill_up(order, player, at, options->full - 1);
    }
    if (order->best >= goal)
        result->looks = order->looks;
}

static void tell(struct player *player, const size_t *arms, size_t n, struct order *order,
                 struct ks_replay_result *result)
{
    size_t from = order->n;
    for (size_t i = 0; i < n; i++) {
        size_t at = player->policy->arms.at[arms[i]].tag;
        const struct ks_replay_node *node = &player->kernel->nodes.at[at];
        look(order, at);
        order->arm[at] = arms[i] + 1;
        ks_policy_tell(player->policy, arms[i], node->right,
                       order->options->racing == KS_REPLAY_ALL_FULL ? node->ratio : node->look);
        result->found = fmax(result->found, node->ratio);
    }
    race(order, player, from, result);
}

static enum ks_status search(const struct ks_replay_log *log, const struct ks_replay_kernel *kernel,
                             const struct ks_replay_options *options, struct ks_arena *arena,
                             struct order *order, struct ks_replay_result *result,
                             struct ks_err *err)
{
    struct ks_policy policy;
    struct ks_ranked_skill *ranked;
    struct player player = {.kernel = kernel, .policy = &policy};
    ks_policy_init(&policy, arena, options->seed, options->without, options->constants);
    policy.space = (struct ks_policy_space){.context = &player, .expand = expand};
    policy.n_ranked = options->without & (1u << KS_PART_RULES)
                          ? all_skills(arena, log->skills, &ranked)
                          : ks_rank_skills(arena, log->skills, &kernel->facts, NULL, NULL, &ranked);
    policy.ranked = ranked;
    player.fits = KS_NEW_ARRAY(arena, bool, policy.n_ranked * kernel->actions.len + 1);
    for (size_t s = 0; s < policy.n_ranked; s++)
        for (size_t a = 0; a < kernel->actions.len; a++)
            player.fits[s * kernel->actions.len + a] =
                is_action(ranked[s].skill, kernel->actions.at[a]);
    size_t first[KS_RECOGNISED], *batch = KS_NEW_ARRAY(arena, size_t, options->batch), n;
    double begun = ks_now();
    KS_TRY(ks_policy_recognised(&policy, KS_RECOGNISED, first, &n, err)); // as `ks tune` does
    tell(&player, first, n, order, result);
    do {
        KS_TRY(ks_policy_next(&policy, options->batch, batch, &n, err));
        tell(&player, batch, n, order, result);
    } while (n > 0);
    result->seconds = ks_now() - begun;
    return KS_OK;
}

enum ks_status ks_replay_search(const struct ks_replay_log *log, size_t index,
                                const struct ks_replay_options *options,
                                struct ks_replay_result *result, struct ks_err *err)
{
    const struct ks_replay_kernel *kernel = &log->kernels.at[index];
    struct ks_arena arena = {0};
    struct ks_rng rng;
    size_t total = 0, *rest = KS_NEW_ARRAY(&arena, size_t, kernel->nodes.len);
    struct order order = {.options = options,
                          .at = KS_NEW_ARRAY(&arena, size_t, kernel->nodes.len),
                          .arm = KS_NEW_ARRAY(&arena, size_t, kernel->nodes.len),
                          .known = KS_NEW_ARRAY(&arena, bool, kernel->nodes.len),
                          .full = KS_NEW_ARRAY(&arena, bool, kernel->nodes.len)};
    struct player rest_of = {.kernel = kernel}; // no policy chooses it
    enum ks_status status = KS_OK;
    *result = (struct ks_replay_result){.found = 1};
    ks_rng_seed(&rng, options->seed);
    if (!options->random)
        status = search(log, kernel, options, &arena, &order, result, err);
    result->asked = order.n;
    for (size_t i = 1; i < kernel->nodes.len; i++)
        if (is_candidate(&kernel->nodes.at[i]))
            rest[total++] = i;
    shuffle(&rng, rest, total);
    for (size_t i = 0; i < total;) {
        size_t from = order.n;
        for (; i < total && order.n - from < options->batch; i++)
            look(&order, rest[i]);
        race(&order, &rest_of, from, result);
    }
    double goal = options->share * kernel->best;
    for (size_t i = 0; goal > 1 && i < order.n; i++)
        if (kernel->nodes.at[order.at[i]].ratio >= goal) {
            result->needed = i + 1;
            break;
        }
    result->missed = options->racing != KS_REPLAY_UNCOUNTED && result->needed > 0 && result->looks == 0;
    for (size_t i = 0; result->missed && i < order.n; i++)
        order.looks += kernel->nodes.at[order.at[i]].right && !order.full[order.at[i]] ? options->full - 1 : 0;
    if (result->missed)
        result->looks = order.looks;
    ks_arena_free(&arena);
    return status;
}
