#include "search/replay.h"

#include <math.h>
#include <string.h>

#include "os/clock.h"

struct player {
    const struct ks_replay_kernel *kernel;
    struct ks_policy *policy;
    bool *fits; // [skill * actions + action]: the action is one of the skill's
};

static bool has_value(const struct ks_skill *skill, const char *word, size_t len)
{
    size_t key = strcspn(word, "=");
    for (size_t i = 0; key < len && i < skill->n_params; i++)
        if (strlen(skill->param_names[i]) == key && strncmp(skill->param_names[i], word, key) == 0)
            for (const char **value = skill->param_values[i]; *value != NULL; value++)
                if (strlen(*value) == len - key - 1 &&
                    strncmp(*value, word + key + 1, len - key - 1) == 0)
                    return true;
    return false;
}

static bool is_action(const struct ks_skill *skill, const char *action)
{
    size_t len = strcspn(action, " "), words = 0;
    const char *rest = action + len + strspn(action + len, " ");
    if (skill->template_ != NULL)
        return (strncmp(action, "template ", len + 1) == 0 ||
                strncmp(action, "settings ", len + 1) == 0) &&
               strcmp(rest, skill->template_) == 0;
    if (skill->transform == NULL || strlen(skill->transform) != len ||
        strncmp(skill->transform, action, len) != 0)
        return false;
    for (const char *at = rest; *at; at += strcspn(at, " "), at += strspn(at, " "), words++)
        if (!has_value(skill, at, strcspn(at, " ")))
            return false;
    return words == skill->n_params;
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
            if (step->from == base && player->fits[skill * kernel->actions.len + step->action])
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
    size_t *at, n;
    bool *known;
};

static void look(struct order *order, size_t node)
{
    if (!order->known[node])
        order->at[order->n++] = node;
    order->known[node] = true;
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
    size_t *batch = KS_NEW_ARRAY(arena, size_t, options->batch), n;
    double begun = ks_now();
    do {
        KS_TRY(ks_policy_next(&policy, options->batch, batch, &n, err));
        for (size_t i = 0; i < n; i++) {
            const struct ks_replay_node *node = &kernel->nodes.at[policy.arms.at[batch[i]].tag];
            look(order, policy.arms.at[batch[i]].tag);
            ks_policy_tell(&policy, batch[i], node->right, node->look);
            result->found = fmax(result->found, node->ratio);
        }
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
    size_t total = kernel->nodes.len - 1, *rest = KS_NEW_ARRAY(&arena, size_t, total + 1);
    struct order order = {.at = KS_NEW_ARRAY(&arena, size_t, total + 1),
                          .known = KS_NEW_ARRAY(&arena, bool, total + 1)};
    enum ks_status status = KS_OK;
    *result = (struct ks_replay_result){.found = 1};
    ks_rng_seed(&rng, options->seed);
    if (!options->random)
        status = search(log, kernel, options, &arena, &order, result, err);
    result->asked = order.n;
    for (size_t i = 0; i < total; i++)
        rest[i] = i + 1;
    shuffle(&rng, rest, total);
    for (size_t i = 0; i < total; i++)
        look(&order, rest[i]);
    double goal = options->share * kernel->best;
    for (size_t i = 0; goal > 1 && i < order.n; i++)
        if (kernel->nodes.at[order.at[i]].ratio >= goal) {
            result->needed = i + 1;
            break;
        }
    ks_arena_free(&arena);
    return status;
}
