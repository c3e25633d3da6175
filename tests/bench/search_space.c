#include "search_space.h"

#include <string.h>

#include "engine/template.h"
#include "engine/transform.h"

#define DRY 3000 // sequences in a row that brought nothing new: that was all

static size_t node_of(const struct space *s, const char *name)
{
    for (size_t i = 0; i < s->nodes.len; i++)
        if (strcmp(s->nodes.at[i].name, name) == 0)
            return i;
    return SIZE_MAX;
}

static bool was_refused(const struct space *s, const char *text)
{
    for (size_t i = 0; i < s->refused.len; i++)
        if (strcmp(s->refused.at[i], text) == 0)
            return true;
    return false;
}

static size_t action_of(struct space *s, const char *text)
{
    for (size_t i = 0; i < s->actions.len; i++)
        if (strcmp(s->actions.at[i], text) == 0)
            return i;
    ks_strv_add(s->arena, &s->actions, ks_arena_strdup(s->arena, text));
    return s->actions.len - 1;
}

static void add_edge(struct space *s, size_t to, size_t from, const char *action)
{
    struct space_node *node = &s->nodes.at[to];
    size_t at = action_of(s, action);
    for (size_t i = 0; i < node->edges.len; i++)
        if (node->edges.at[i].from == from && node->edges.at[i].action == at)
            return;
    *ks_vec_push(s->arena, &node->edges) = (struct space_edge){from, at};
}

static size_t add_node(struct space *s, const struct ks_candidate *candidate, int depth)
{
    *ks_vec_push(s->arena, &s->nodes) =
        (struct space_node){.name = candidate->mechanism, .candidate = *candidate, .depth = depth};
    return s->nodes.len - 1;
}

// The options that a transform with these parameters makes of those of `base`; NULL where it
// refuses, or changes nothing.
static const char *stepped(struct space *s, const char *base, const struct ks_skill *skill,
                           const char *params, struct ks_options *options)
{
    struct ks_err local = {0};
    *options = (struct ks_options){0};
    if (ks_options_read(base, options, &local) != KS_OK ||
        ks_transform_apply(&s->subject, skill->transform, params, options, &local) != KS_OK)
        return NULL;
    const char *text = ks_options_text(s->arena, options);
    return strcmp(text, base) == 0 ? NULL : text;
}

// The node of these options, made if a proposal comes of them; SIZE_MAX where none does.
static size_t reached(struct space *s, const char *text, const struct ks_options *options,
                      const struct ks_skill *skill, int depth)
{
    const char *name = ks_arena_printf(s->arena, "transform %s", text);
    size_t at = node_of(s, name);
    if (at != SIZE_MAX || was_refused(s, text))
        return at;
    struct ks_err local = {0};
    struct ks_candidate candidate = {.skill = skill->id,
                                     .direction = skill->direction,
                                     .params = text,
                                     .mechanism = name,
                                     .rationale = skill->title};
    if (ks_emit(&s->subject, options, &candidate.proposal, &local) == KS_OK)
        return add_node(s, &candidate, depth);
    ks_strv_add(s->arena, &s->refused, text);
    return SIZE_MAX;
}

static const struct ks_skill *draw_skill(struct space *s, size_t n_transforms)
{
    size_t pick = ks_rng_below(&s->rng, n_transforms);
    ks_vec_each(struct ks_skill, skill, s->skills)
        if (skill->transform != NULL && pick-- == 0)
            return skill;
    return NULL;
}

static const char *draw_params(struct space *s, const struct ks_skill *skill)
{
    size_t *index = KS_NEW_ARRAY(s->arena, size_t, skill->n_params + 1);
    for (size_t i = 0; i < skill->n_params; i++) {
        size_t n = 0;
        while (skill->param_values[i][n] != NULL)
            n++;
        if (n == 0)
            return NULL;
        index[i] = ks_rng_below(&s->rng, n);
    }
    return ks_skill_settings(s->arena, skill, index);
}

// One sequence; what it meets stays.
static void draw_sequence(struct space *s, size_t n_transforms, int depth)
{
    size_t at = 0;
    int length = 1 + (int)ks_rng_below(&s->rng, (uint64_t)depth);
    for (int step = 0; step < length; step++) {
        const struct ks_skill *skill = draw_skill(s, n_transforms);
        const char *params = draw_params(s, skill);
        const char *base = at == 0 ? "" : s->nodes.at[at].candidate.params;
        struct ks_options options;
        const char *text = params ? stepped(s, base, skill, params, &options) : NULL;
        size_t next =
            text ? reached(s, text, &options, skill, s->nodes.at[at].depth + 1) : SIZE_MAX;
        if (next == SIZE_MAX)
            continue; // another action in its place
        at = next;
    }
}

static enum ks_status add_bindings(struct space *s, struct ks_err *err)
{
    ks_vec_each(struct ks_skill, skill, s->skills) {
        struct ks_candidate_list list = {0};
        const char *refusal;
        if (skill->template_ == NULL)
            continue;
        KS_TRY(ks_engine_propose(s->arena, s->brief, skill, s->template_dir, &list, &refusal, err));
        for (size_t i = 0; i < list.len; i++) {
            size_t at = node_of(s, list.at[i].mechanism);
            if (at == SIZE_MAX)
                at = add_node(s, &list.at[i], 1);
            add_edge(s, at, 0, ks_arena_printf(s->arena, "template %s", skill->template_));
        }
        if (list.len > 0)
            action_of(s, ks_arena_printf(s->arena, "settings %s", skill->template_));
    }
    return KS_OK;
}

enum ks_status space_sample(struct space *s, size_t target, int depth, struct ks_err *err)
{
    struct ks_err local = {0};
    size_t n = 0;
    *ks_vec_push(s->arena, &s->nodes) = (struct space_node){.name = ""};
    ks_vec_each(struct ks_skill, skill, s->skills)
        n += skill->transform != NULL;
    if (ks_subject_make(s->arena, s->brief, &s->subject, &local) != KS_OK)
        s->refusal = ks_arena_strdup(s->arena, local.text);
    for (int dry = 0; s->refusal == NULL && n > 0 && dry < DRY && s->nodes.len <= target; dry++) {
        size_t before = s->nodes.len;
        draw_sequence(s, n, depth);
        if (s->nodes.len > before)
            dry = 0;
    }
    return add_bindings(s, err);
}

enum ks_status space_settings(struct space *s, size_t node, struct ks_err *err)
{
    ks_vec_each(struct ks_skill, skill, s->skills) {
        struct ks_candidate_list list = {0};
        struct ks_candidate base = s->nodes.at[node].candidate;
        if (skill->template_ == NULL)
            continue;
        KS_TRY(ks_template_settings(s->arena, s->brief, &base, skill, s->template_dir, &list, err));
        for (size_t i = 0; i < list.len; i++) {
            size_t at = node_of(s, list.at[i].mechanism);
            if (at == SIZE_MAX)
                at = add_node(s, &list.at[i], 2);
            add_edge(s, at, node, ks_arena_printf(s->arena, "settings %s", skill->template_));
        }
    }
    return KS_OK;
}

static void connect_one(struct space *s, size_t from, const struct ks_skill *skill)
{
    const char *base = from == 0 ? "" : s->nodes.at[from].candidate.params;
    size_t *index = KS_NEW_ARRAY(s->arena, size_t, skill->n_params + 1);
    for (size_t i = 0; i < skill->n_params; i++)
        if (skill->param_values[i][0] == NULL)
            return;
    do {
        struct ks_options options;
        const char *params = ks_skill_settings(s->arena, skill, index);
        const char *text = stepped(s, base, skill, params, &options);
        size_t to = text ? node_of(s, ks_arena_printf(s->arena, "transform %s", text)) : SIZE_MAX;
        if (to != SIZE_MAX && to != from)
            add_edge(s, to, from, ks_arena_printf(s->arena, "%s %s", skill->transform, params));
    } while (ks_skill_next(skill, index));
}

void space_connect(struct space *s)
{
    for (size_t from = 0; s->refusal == NULL && from < s->nodes.len; from++)
        ks_vec_each(struct ks_skill, skill, s->skills)
            if (skill->transform != NULL && !ks_starts_with(s->nodes.at[from].name, "template "))
                connect_one(s, from, skill);
}
