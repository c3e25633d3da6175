#include "engine/engine.h"

#include <string.h>

#include "engine/specimen.h"
#include "engine/subject.h"
#include "engine/template.h"
#include "engine/transform.h"

struct ks_specimens *ks_engine_specimens(struct ks_arena *arena)
{
    struct ks_specimens *room = KS_NEW(arena, struct ks_specimens);
    *room = (struct ks_specimens){0};
    return room;
}

static struct ks_candidate *add(struct ks_arena *arena, struct ks_candidate_list *out,
                                const struct ks_skill *skill, const char *params,
                                const char *mechanism, const char *rationale)
{
    struct ks_candidate *c = ks_vec_push(arena, out);
    *c = (struct ks_candidate){.skill = skill->id,
                               .direction = skill->direction,
                               .params = params,
                               .mechanism = mechanism,
                               .rationale = rationale};
    return c;
}

static bool seen(const struct ks_candidate_list *out, const char *mechanism)
{
    for (size_t i = 0; i < out->len; i++)
        if (strcmp(out->at[i].mechanism, mechanism) == 0)
            return true;
    return false;
}

// One candidate a parameter combination; refusals are remembered, faults returned.
static enum ks_status transform_all(struct ks_arena *arena, struct ks_subject *subject,
                                    const struct ks_skill *skill, struct ks_candidate_list *out,
                                    const char **refusal, struct ks_err *err)
{
    size_t *index = KS_NEW_ARRAY(arena, size_t, skill->n_params + 1);
    for (size_t i = 0; i < skill->n_params; i++)
        if (!skill->param_values[i][0])
            return KS_OK;
    do {
        struct ks_err local = {0};
        struct ks_options options = {0};
        struct ks_proposal proposal;
        const char *params = ks_skill_settings(arena, skill, index);
        enum ks_status status =
            ks_transform_apply(subject, skill->transform, params, &options, &local);
        if (status == KS_OK)
            status = ks_emit(subject, &options, &proposal, &local);
        // The kernel's own text may hold what no proposal may.
        if (status == KS_E_UNSUPPORTED || status == KS_E_INTERNAL) {
            if (!*refusal)
                *refusal = ks_arena_strdup(arena, local.text);
            continue;
        }
        if (status != KS_OK)
            KS_FAIL(err, status, "%s: %s", skill->id, local.text);
        const char *text = ks_options_text(arena, &options);
        const char *mechanism = ks_arena_printf(arena, "transform %s", text);
        if (seen(out, mechanism) || text[0] == '\0')
            continue;
        add(arena, out, skill, text, mechanism,
            ks_arena_printf(arena, "%s (%s)", skill->title, text))
            ->proposal = proposal;
    } while (ks_skill_next(skill, index));
    return KS_OK;
}

enum ks_status ks_engine_propose(struct ks_arena *arena, const struct ks_brief *brief,
                                 const struct ks_skill *skill, const char *template_dir,
                                 struct ks_candidate_list *out, const char **refusal,
                                 struct ks_err *err)
{
    *refusal = NULL;
    if (skill->template_)
        return ks_template_propose(arena, brief, skill, template_dir, out, refusal, err);
    if (!skill->transform)
        return KS_OK;
    struct ks_subject subject;
    struct ks_err local = {0};
    if (ks_subject_make(arena, brief, &subject, &local) != KS_OK) {
        *refusal = ks_arena_strdup(arena, local.text);
        return KS_OK;
    }
    size_t before = out->len;
    KS_TRY(transform_all(arena, &subject, skill, out, refusal, err));
    if (out->len > before)
        *refusal = NULL;
    return KS_OK;
}
