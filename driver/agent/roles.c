#include "agent/roles.h"

#include <stdio.h>
#include <string.h>

#include "memory/fact.h"

static const char *one_line(struct ks_arena *arena, const char *text)
{
    char *line = ks_arena_printf(arena, "%.600s", text);
    for (char *at = line; *at != '\0'; at++)
        if ((unsigned char)*at < ' ' || (unsigned char)*at > '~')
            *at = ' ';
    return line;
}

static const char *text_of(struct ks_arena *arena, const struct ks_yaml *root, const char *field)
{
    return one_line(arena, ks_yaml_text(root, field, ""));
}

static void refuse(struct ks_plan_reading *out, enum ks_refusal refusal, const char *why)
{
    out->refusal = refusal;
    snprintf(out->why, sizeof out->why, "%s", why);
}

// "NAME +" or "NAME -" for a fact that is known to skills.
static bool is_move(struct ks_arena *arena, const struct ks_yaml *item)
{
    if (item->kind != KS_YAML_SCALAR)
        return false;
    size_t n = strcspn(item->text, " ");
    const char *sign = item->text + n + strspn(item->text + n, " ");
    return ks_fact_is_known(ks_arena_strndup(arena, item->text, n)) &&
           (strcmp(sign, "+") == 0 || strcmp(sign, "-") == 0);
}

static bool plan_holds(struct ks_arena *arena, const struct ks_plan_ask *ask, const struct ks_yaml *root,
                       struct ks_plan_reading *out)
{
    const struct ks_yaml *quotes = ks_yaml_get(root, "quotes"), *expect = ks_yaml_get(root, "expect");
    if (quotes == NULL || quotes->kind != KS_YAML_LIST || quotes->len == 0) {
        refuse(out, KS_REFUSED_QUOTE, "a diagnosis quotes one fact at least");
        return false;
    }
    for (size_t i = 0; i < quotes->len; i++) {
        const char *quote = quotes->items[i].kind == KS_YAML_SCALAR ? quotes->items[i].text : "";
        if (!ks_brief_quotes(ask->brief, quote)) {
            refuse(out, KS_REFUSED_QUOTE,
                   ks_arena_printf(arena, "`%.200s` is no fact that was given", one_line(arena, quote)));
            return false;
        }
    }
    for (size_t i = 0; expect != NULL && expect->kind == KS_YAML_LIST && i < expect->len; i++)
        if (!is_move(arena, &expect->items[i])) {
            refuse(out, KS_REFUSED_PLAN, "`expect` is a list of `FACT +` or `FACT -`");
            return false;
        }
    const char *skill = ks_yaml_text(root, "skill", "none");
    out->skill = strcmp(skill, "none") == 0 ? "none" : NULL;
    for (size_t i = 0; i < ask->n_skills; i++)
        if (strcmp(ask->skills[i], skill) == 0)
            out->skill = ask->skills[i];
    if (out->skill == NULL)
        refuse(out, KS_REFUSED_PLAN,
               ks_arena_printf(arena, "the skill `%.80s` was not offered", one_line(arena, skill)));
    return out->skill != NULL;
}

void ks_read_plan(struct ks_arena *arena, const struct ks_plan_ask *ask, const struct ks_answer *answer,
                  struct ks_plan_reading *out)
{
    *out = (struct ks_plan_reading){0};
    const struct ks_yaml *root =
        ks_read_fields(arena, ask->prompt, ask->id, answer, &out->refusal, out->why);
    if (root == NULL || !plan_holds(arena, ask, root, out))
        return;
    struct ks_buf text = KS_BUF(1 << 14);
    ks_buf_printf(&text, "bottleneck: %s\nskill: %s\n", text_of(arena, root, "bottleneck"), out->skill);
    const struct ks_yaml *steps = ks_yaml_get(root, "steps");
    for (size_t i = 0; steps != NULL && steps->kind == KS_YAML_LIST && i < steps->len && i < 12; i++)
        if (steps->items[i].kind == KS_YAML_SCALAR)
            ks_buf_printf(&text, "%zu. %s\n", i + 1, one_line(arena, steps->items[i].text));
    ks_buf_printf(&text, "not: %s\n", text_of(arena, root, "rejected"));
    out->text = ks_arena_strdup(arena, ks_buf_text(&text));
    ks_buf_free(&text);
}

static const struct ks_skill *offered(const struct ks_ranking_ask *ask, const struct ks_yaml *item)
{
    for (size_t i = 0; item->kind == KS_YAML_SCALAR && i < ask->n; i++)
        if (strcmp(ask->skills[i]->id, item->text) == 0)
            return ask->skills[i];
    return NULL;
}

void ks_read_ranking(struct ks_arena *arena, const struct ks_ranking_ask *ask, const struct ks_answer *answer,
                     struct ks_ranking_reading *out)
{
    *out = (struct ks_ranking_reading){0};
    const struct ks_yaml *root =
        ks_read_fields(arena, ask->prompt, ask->id, answer, &out->refusal, out->why);
    if (root == NULL)
        return;
    const struct ks_yaml *list = ks_yaml_get(root, "skills");
    bool good = list->kind == KS_YAML_LIST && list->len >= 1 && list->len <= KS_SKILLS_RANKED;
    for (size_t i = 0; good && i < list->len; i++) {
        const struct ks_skill *skill = offered(ask, &list->items[i]);
        good = skill != NULL;
        for (size_t k = 0; good && k < out->n; k++)
            good = strcmp(out->skills[k]->direction, skill->direction) != 0;
        if (good)
            out->skills[out->n++] = skill;
    }
    if (good)
        return;
    out->refusal = KS_REFUSED_PLAN;
    snprintf(out->why, sizeof out->why, "`skills` is a list of one to %d that were offered, each of another direction",
             KS_SKILLS_RANKED);
}

void ks_read_review(struct ks_arena *arena, const struct ks_prompt *prompt, const char *id, const char *source,
                    const struct ks_answer *answer, struct ks_review_reading *out)
{
    *out = (struct ks_review_reading){0};
    const struct ks_yaml *root = ks_read_fields(arena, prompt, id, answer, &out->refusal, out->why);
    if (root == NULL)
        return;
    const char *verdict = ks_yaml_text(root, "verdict", ""), *quote = ks_yaml_text(root, "quote", "");
    bool rejects = strcmp(verdict, "reject") == 0;
    if (!rejects && strcmp(verdict, "pass") != 0) {
        out->refusal = KS_REFUSED_SCHEMA;
        snprintf(out->why, sizeof out->why, "`verdict` is pass or reject");
    } else if (rejects && (strlen(quote) < 4 || strstr(source, quote) == NULL)) {
        out->refusal = KS_REFUSED_QUOTE;
        snprintf(out->why, sizeof out->why, "`quote` must be code as it stands there");
    } else if (rejects) {
        out->rejects = true;
        out->finding = ks_arena_printf(arena, "at `%s`: %s", one_line(arena, quote), text_of(arena, root, "finding"));
    }
}
