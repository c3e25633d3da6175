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

static enum ks_status transform_names(struct ks_reach *reach, const char *base,
                                      const struct ks_skill *skill, struct ks_strv *names,
                                      const char **refusal, struct ks_err *err)
{
    size_t *index = KS_NEW_ARRAY(reach->arena, size_t, skill->n_params + 1);
    for (size_t i = 0; i < skill->n_params; i++)
        if (!skill->param_values[i][0])
            return KS_OK;
    do {
        struct ks_err local = {0};
        struct ks_options options = {0};
        const char *params = ks_skill_settings(reach->arena, skill, index);
        KS_TRY(ks_options_read(base, &options, err));
        enum ks_status status =
            ks_transform_apply(&reach->subject, skill->transform, params, &options, &local);
        if (status == KS_E_UNSUPPORTED) {
            if (*refusal == NULL)
                *refusal = ks_arena_strdup(reach->arena, local.text);
            continue;
        }
        if (status != KS_OK)
            KS_FAIL(err, status, "%s: %s", skill->id, local.text);
        const char *text = ks_options_text(reach->arena, &options);
        if (strcmp(text, base) != 0)
            ks_strv_add(reach->arena, names, ks_arena_printf(reach->arena, "transform %s", text));
    } while (ks_skill_next(skill, index));
    return KS_OK;
}

static enum ks_status template_names(struct ks_reach *reach, const struct ks_candidate *base,
                                     const struct ks_skill *skill, struct ks_strv *names,
                                     const char **refusal, struct ks_err *err)
{
    size_t before = reach->templates.len;
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
