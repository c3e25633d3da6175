#include "search/reach.h"

#include <string.h>

#include "engine/template.h"
#include "engine/transform.h"

void ks_reach_open(struct ks_reach *reach, struct ks_arena *arena, const struct ks_brief *brief,
                   const char *template_dir)
{
    struct ks_err err = {0};
    *reach = (struct ks_reach){.arena = arena, .brief = brief, .template_dir = template_dir};
    if (ks_subject_make(arena, brief, &reach->subject, &err) != KS_OK)
        reach->refusal = ks_arena_strdup(arena, err.text);
}

// What one setting of a skill makes of the kernel with that body, in memory that is given back: an
// attempt may leave much behind.
static enum ks_status try_action(struct ks_reach *reach, const char *params,
                                 struct ks_reach_action *action, struct ks_err *err)
{
    struct ks_arena scratch = {0};
    struct ks_subject subject = reach->subject;
    struct ks_options options = {0};
    struct ks_err local = {0};
    subject.arena = &scratch;
    enum ks_status status = ks_options_read(action->body, &options, &local);
    if (status == KS_OK)
        status = ks_transform_apply(&subject, action->skill->transform, params, &options, &local);
    if (status == KS_OK)
        action->text = ks_options_text(reach->arena, &options);
    else if (status == KS_E_UNSUPPORTED)
        action->refusal = ks_arena_strdup(reach->arena, local.text);
    else
        status = ks_err_set(err, status, "%s: %s", action->skill->id, local.text);
    ks_arena_free(&scratch);
    return status == KS_E_UNSUPPORTED ? KS_OK : status;
}

static bool is_done(const struct ks_reach *reach, const struct ks_reach_action *tried)
{
    ks_vec_each (const struct ks_reach_action, action, &reach->actions)
        if (action->text != NULL && strcmp(action->body, tried->body) == 0 &&
            strcmp(action->text, tried->text) == 0)
            return true;
    return strcmp(tried->text, tried->body) == 0;
}

// Tries all settings of a skill on a body, once.
static enum ks_status learn_actions(struct ks_reach *reach, const char *body,
                                    const struct ks_skill *skill, struct ks_err *err)
{
    ks_vec_each (const struct ks_reach_action, known, &reach->actions)
        if (known->skill == skill && strcmp(known->body, body) == 0)
            return KS_OK;
    size_t *index = KS_NEW_ARRAY(reach->arena, size_t, skill->n_params + 1);
    bool complete = true;
    for (size_t i = 0; i < skill->n_params; i++)
        complete &= skill->param_values[i][0] != NULL;
    do {
        struct ks_reach_action action = {.skill = skill, .body = body};
        if (complete)
            KS_TRY(try_action(reach, ks_skill_settings(reach->arena, skill, index), &action, err));
        if (action.text != NULL && is_done(reach, &action))
            action.text = NULL;
        *ks_vec_push(reach->arena, &reach->actions) = action;
    } while (complete && ks_skill_next(skill, index));
    return KS_OK;
}

static enum ks_status transform_names(struct ks_reach *reach, const char *base,
                                      const struct ks_skill *skill, struct ks_strv *names,
                                      const char **refusal, struct ks_err *err)
{
    struct ks_options below = {0};
    KS_TRY(ks_options_read(base, &below, err));
    const struct ks_options own = ks_options_body(&below);
    const char *body = ks_options_text(reach->arena, &own);
    KS_TRY(learn_actions(reach, body, skill, err));
    ks_vec_each (const struct ks_reach_action, action, &reach->actions) {
        struct ks_options options = below;
        if (action->skill != skill || strcmp(action->body, body) != 0)
            continue;
        if (*refusal == NULL)
            *refusal = action->refusal;
        if (action->text == NULL || ks_options_read(action->text, &options, err) != KS_OK ||
            ks_options_agree(&options, NULL) != KS_OK ||
            memcmp(&options, &below, sizeof options) == 0)
            continue;
        const char *text = ks_options_text(reach->arena, &options);
        ks_strv_add(reach->arena, names, ks_arena_printf(reach->arena, "transform %s", text));
    }
    return KS_OK;
}

static enum ks_status template_names(struct ks_reach *reach, const struct ks_candidate *base,
                                     const struct ks_skill *skill, struct ks_strv *names,
                                     const char **refusal, struct ks_err *err)
{
    size_t before = reach->templates.len;
    if (base != NULL && !ks_starts_with(base->mechanism, "template "))
        return KS_OK; // settings are those of a template's binding: no need to read its files
    if (base == NULL)
        KS_TRY(ks_engine_propose(reach->arena, reach->brief, skill, reach->template_dir,
                                 &reach->templates, refusal, err));
    else
        KS_TRY(ks_template_settings(reach->arena, reach->brief, base, skill, reach->template_dir,
                                    &reach->templates, err));
    for (size_t i = before; i < reach->templates.len; i++)
        ks_strv_add(reach->arena, names, reach->templates.at[i].mechanism);
    return KS_OK;
}

enum ks_status ks_reach_names(struct ks_reach *reach, const struct ks_candidate *base,
                              const struct ks_skill *skill, struct ks_strv *names,
                              const char **refusal, struct ks_err *err)
{
    size_t before = names->len;
    *refusal = NULL;
    if (skill->template_ != NULL)
        KS_TRY(template_names(reach, base, skill, names, refusal, err));
    else if (skill->transform != NULL && reach->refusal != NULL)
        *refusal = reach->refusal;
    else if (skill->transform != NULL &&
             (base == NULL || ks_starts_with(base->mechanism, "transform ")))
        KS_TRY(
            transform_names(reach, base == NULL ? "" : base->params, skill, names, refusal, err));
    if (names->len > before)
        *refusal = NULL;
    return KS_OK;
}

enum ks_status ks_reach_make(struct ks_reach *reach, const char *name, const struct ks_skill *skill,
                             struct ks_candidate *candidate, struct ks_err *err)
{
    for (size_t i = 0; i < reach->templates.len; i++)
        if (strcmp(reach->templates.at[i].mechanism, name) == 0) {
            *candidate = reach->templates.at[i];
            return KS_OK;
        }
    struct ks_options options = {0};
    const char *text = name + strlen("transform ");
    KS_TRY(ks_options_read(text, &options, err));
    *candidate = (struct ks_candidate){
        .skill = skill->id,
        .direction = skill->direction,
        .params = text,
        .mechanism = name,
        .rationale = ks_arena_printf(reach->arena, "%s (%s)", skill->title, text)};
    struct ks_err local = {0};
    enum ks_status status = ks_emit(&reach->subject, &options, &candidate->proposal, &local);
    // The kernel's own text may hold what no proposal may.
    if (status == KS_E_INTERNAL)
        status = KS_E_UNSUPPORTED;
    return status == KS_OK ? KS_OK : ks_err_set(err, status, "%s", local.text);
}
