#include "memory/skill.h"

#include <string.h>

#include "base/log.h"
#include "memory/direction.h"
#include "memory/fact.h"
#include "os/file.h"

#define SKILL_MAX (256u << 10)

static const char *const known[] = {"id", "title", "direction", "risk", "precision", "when",
                                    "requires", "forbids", "expect", "after", "how", "action",
                                    "sources", NULL};
static const char *const risks[] = {"low", "medium", "high", NULL};
static const char *const precisions[] = {"unchanged", "reordered", "reduced", NULL};

static enum ks_status read_condition(struct ks_arena *arena, const char *file,
                                     const struct ks_yaml *item, struct ks_condition *out,
                                     struct ks_err *err)
{
    if (item->kind != KS_YAML_SCALAR || !ks_condition_parse(arena, item->text, out))
        KS_FAIL(err, KS_E_USER, "%s:%d: `%s` is no condition: write FACT, !FACT, ?FACT or FACT < NUMBER, "
                "with `weight N` (up to 100) behind it where it is worth more or less than 1", file,
                item->line, item->kind == KS_YAML_SCALAR ? item->text : "a list or map");
    out->line = item->line;
    const struct ks_fact_name *fact = ks_fact_find(out->fact);
    if (fact == NULL) {
        struct ks_strv names = {0};
        for (const struct ks_fact_name *f = ks_fact_names(); f->name; f++)
            ks_strv_add(arena, &names, f->name);
        const char *near = ks_nearest_word(out->fact, names.at);
        KS_FAIL(err, KS_E_USER, "%s:%d: no fact is called `%s`; %s%s%s", file, item->line, out->fact,
                near != NULL ? "do you mean `" : "`ks skills facts` lists them",
                near != NULL ? near : "", near != NULL ? "`?" : "");
    }
    return KS_OK;
}

static enum ks_status read_conditions(struct ks_arena *arena, const char *file,
                                      const struct ks_yaml *map, const char *key,
                                      struct ks_conditions *out, struct ks_err *err)
{
    const struct ks_yaml *list = ks_yaml_get(map, key);
    if (list == NULL)
        return KS_OK;
    if (list->kind != KS_YAML_LIST)
        KS_FAIL(err, KS_E_USER, "%s:%d: `%s` is a list of conditions: [dram_pct < 60, map]", file,
                list->line, key);
    out->at = KS_NEW_ARRAY(arena, struct ks_condition, list->len + 1);
    for (size_t i = 0; i < list->len; i++)
        KS_TRY(read_condition(arena, file, &list->items[i], &out->at[i], err));
    out->len = list->len;
    return KS_OK;
}

static enum ks_status read_texts(struct ks_arena *arena, const char *file, const struct ks_yaml *map,
                                 const char *key, struct ks_strv *out, int *line, struct ks_err *err)
{
    const struct ks_yaml *list = ks_yaml_get(map, key);
    if (list == NULL)
        return KS_OK;
    *line = list->line;
    if (list->kind != KS_YAML_LIST)
        KS_FAIL(err, KS_E_USER, "%s:%d: `%s` is a list", file, list->line, key);
    for (size_t i = 0; i < list->len; i++) {
        if (list->items[i].kind != KS_YAML_SCALAR || list->items[i].text[0] == '\0')
            KS_FAIL(err, KS_E_USER, "%s:%d: `%s` is a list of texts", file, list->items[i].line, key);
        ks_strv_add(arena, out, list->items[i].text);
    }
    return KS_OK;
}

// One of `words`; the line is the value's.
static enum ks_status read_word(struct ks_arena *arena, const char *file, const struct ks_yaml *map,
                                const char *key, const char *const *words, const char *fallback,
                                const char **out, struct ks_err *err)
{
    const struct ks_yaml *value = ks_yaml_get(map, key);
    struct ks_buf list = KS_BUF(4096);
    *out = fallback;
    if (value == NULL && fallback != NULL)
        return KS_OK;
    for (size_t i = 0; words[i]; i++) {
        if (value != NULL && value->kind == KS_YAML_SCALAR && strcmp(value->text, words[i]) == 0) {
            *out = words[i];
            ks_buf_free(&list);
            return KS_OK;
        }
        ks_buf_printf(&list, "%s%s", i > 0 ? ", " : "", words[i]);
    }
    const char *text = ks_arena_strdup(arena, ks_buf_text(&list));
    ks_buf_free(&list);
    KS_FAIL(err, KS_E_USER, "%s:%d: `%s` is one of %s", file, value != NULL ? value->line : 1, key, text);
}

static enum ks_status read_direction(struct ks_arena *arena, const char *file,
                                     const struct ks_yaml *map, const char **out, struct ks_err *err)
{
    struct ks_strv names = {0};
    for (const struct ks_direction *d = ks_directions(); d->name; d++)
        ks_strv_add(arena, &names, d->name);
    return read_word(arena, file, map, "direction", names.at, NULL, out, err);
}

static enum ks_status read_expect(const char *file, const struct ks_yaml *map,
                                  struct ks_skill *skill, struct ks_err *err)
{
    static const char *const keys[] = {"metric", "sign", "at_least", NULL};
    const struct ks_yaml *expect = ks_yaml_get(map, "expect");
    skill->expect_metric = "";
    if (expect == NULL)
        return KS_OK;
    KS_TRY(ks_yaml_known(file, expect, keys, err));
    skill->expect_metric = ks_yaml_text(expect, "metric", "");
    const char *sign = ks_yaml_text(expect, "sign", "+");
    skill->expect_sign = sign[0] == '-' ? -1 : 1;
    const struct ks_fact_name *fact = ks_fact_find(skill->expect_metric);
    if (fact == NULL || !fact->metric || (strcmp(sign, "+") != 0 && strcmp(sign, "-") != 0) ||
        !ks_parse_f64(ks_yaml_text(expect, "at_least", "0"), &skill->expect_at_least) ||
        skill->expect_at_least < 0 || skill->expect_at_least > fact->most)
        KS_FAIL(err, KS_E_USER, "%s:%d: `expect` takes a metric of `ks skills facts`, sign + or -, and "
                "at_least, a number that the metric can move by", file, expect->line);
    return KS_OK;
}

static enum ks_status read_action(struct ks_arena *arena, const char *file,
                                  const struct ks_yaml *map, struct ks_skill *skill,
                                  struct ks_err *err)
{
    static const char *const keys[] = {"transform", "template", "params", NULL};
    const struct ks_yaml *action = ks_yaml_get(map, "action");
    skill->action_line = action != NULL ? action->line : 1;
    if (action == NULL ||
        (action->kind == KS_YAML_SCALAR && strcmp(action->text, "none") == 0))
        return KS_OK; // advice for people and models
    if (action->kind != KS_YAML_MAP)
        KS_FAIL(err, KS_E_USER, "%s:%d: `action` is none, or {transform: NAME, params: {...}}", file,
                action->line);
    KS_TRY(ks_yaml_known(file, action, keys, err));
    skill->transform = ks_yaml_text(action, "transform", NULL);
    skill->template_ = ks_yaml_text(action, "template", NULL);
    if ((skill->transform == NULL) == (skill->template_ == NULL))
        KS_FAIL(err, KS_E_USER, "%s:%d: `action` names one transform or one template", file,
                action->line);
    const struct ks_yaml *params = ks_yaml_get(action, "params");
    if (params == NULL)
        return KS_OK;
    if (params->kind != KS_YAML_MAP)
        KS_FAIL(err, KS_E_USER, "%s:%d: `params` maps names to lists of values", file, params->line);
    skill->n_params = params->len;
    skill->param_names = KS_NEW_ARRAY(arena, const char *, params->len + 1);
    skill->param_values = KS_NEW_ARRAY(arena, const char **, params->len + 1);
    for (size_t i = 0; i < params->len; i++) {
        const struct ks_yaml *values = &params->items[i];
        size_t n = values->kind == KS_YAML_LIST ? values->len : 1;
        const char **out = KS_NEW_ARRAY(arena, const char *, n + 1);
        for (size_t v = 0; v < n; v++) {
            const struct ks_yaml *value = values->kind == KS_YAML_LIST ? &values->items[v] : values;
            if (value->kind != KS_YAML_SCALAR)
                KS_FAIL(err, KS_E_USER, "%s:%d: a parameter's values are plain", file, value->line);
            out[v] = value->text;
        }
        skill->param_names[i] = params->keys[i];
        skill->param_values[i] = out;
    }
    return KS_OK;
}

// Each text must be there, and be one: a value of another kind reads as none.
static enum ks_status read_heads(const char *path, const struct ks_yaml *map, struct ks_skill *skill,
                                 struct ks_err *err)
{
    const struct {
        const char *key, **out;
    } heads[] = {{"id", &skill->id}, {"title", &skill->title}, {"how", &skill->how}};
    for (size_t i = 0; i < sizeof heads / sizeof *heads; i++) {
        const struct ks_yaml *value = ks_yaml_get(map, heads[i].key);
        *heads[i].out = ks_yaml_text(map, heads[i].key, "");
        if (**heads[i].out == '\0')
            KS_FAIL(err, KS_E_USER, "%s:%d: the skill has no `%s`; give it one, as text", path,
                    value != NULL ? value->line : 1, heads[i].key);
    }
    size_t n = strspn(skill->id, "abcdefghijklmnopqrstuvwxyz0123456789-");
    if (skill->id[n] != '\0' || n > 60)
        KS_FAIL(err, KS_E_USER, "%s:%d: an id is up to 60 small letters, digits and hyphens", path,
                ks_yaml_get(map, "id")->line);
    return KS_OK;
}

enum ks_status ks_skill_parse(struct ks_arena *arena, const char *path, struct ks_slice text,
                              struct ks_skill *skill, struct ks_err *err)
{
    struct ks_yaml *map;
    int line = 1;
    *skill = (struct ks_skill){.file = path, .line = 1};
    KS_TRY(ks_yaml_parse(arena, path, text, &map, err));
    if (map->kind != KS_YAML_MAP)
        KS_FAIL(err, KS_E_USER, "%s:1: a skill is a map; see docs/skills.md", path);
    KS_TRY(ks_yaml_known(path, map, known, err));
    KS_TRY(read_heads(path, map, skill, err));
    KS_TRY(read_direction(arena, path, map, &skill->direction, err));
    KS_TRY(read_word(arena, path, map, "risk", risks, "low", &skill->risk, err));
    KS_TRY(read_word(arena, path, map, "precision", precisions, "unchanged", &skill->precision, err));
    KS_TRY(read_conditions(arena, path, map, "when", &skill->when, err));
    KS_TRY(read_conditions(arena, path, map, "requires", &skill->requires_, err));
    KS_TRY(read_conditions(arena, path, map, "forbids", &skill->forbids, err));
    KS_TRY(read_texts(arena, path, map, "after", &skill->after, &skill->after_line, err));
    KS_TRY(read_texts(arena, path, map, "sources", &skill->sources, &line, err));
    KS_TRY(read_expect(path, map, skill, err));
    return read_action(arena, path, map, skill, err);
}

enum ks_status ks_skill_read(struct ks_arena *arena, const char *path, struct ks_skill *skill,
                             struct ks_err *err)
{
    struct ks_slice text;
    KS_TRY(ks_file_read(arena, path, SKILL_MAX, &text, err));
    return ks_skill_parse(arena, path, text, skill, err);
}

enum ks_status ks_skills_load(struct ks_arena *arena, const char *dir, bool lenient,
                              struct ks_skill_list *skills, struct ks_err *err)
{
    struct ks_strv names = {0};
    KS_TRY(ks_dir_list(arena, dir, &names, err));
    for (size_t i = 0; i < names.len; i++) {
        struct ks_skill skill;
        struct ks_err local = {0};
        if (!ks_ends_with(names.at[i], ".yaml"))
            continue;
        const char *path = ks_path_join(arena, dir, names.at[i]);
        enum ks_status status = ks_skill_read(arena, path, &skill, &local);
        ks_vec_each(struct ks_skill, other, skills)
            if (status == KS_OK && strcmp(other->id, skill.id) == 0)
                status = ks_err_set(&local, KS_E_USER, "%s:1: `%s` is also the id of %s", path,
                                    skill.id, other->file);
        if (status == KS_OK) {
            *ks_vec_push(arena, skills) = skill;
        } else if (lenient) {
            ks_warn("%s; skill left out", local.text);
        } else {
            return ks_err_set(err, status, "%s", local.text);
        }
    }
    return KS_OK;
}

const struct ks_skill *ks_skill_find(const struct ks_skill_list *skills, const char *id)
{
    ks_vec_each(struct ks_skill, skill, skills)
        if (strcmp(skill->id, id) == 0)
            return skill;
    return NULL;
}

bool ks_skill_next(const struct ks_skill *skill, size_t *choice)
{
    for (size_t i = 0; i < skill->n_params; i++) {
        if (skill->param_values[i][++choice[i]] != NULL)
            return true;
        choice[i] = 0;
    }
    return false;
}

const char *ks_skill_settings(struct ks_arena *arena, const struct ks_skill *skill, const size_t *choice)
{
    struct ks_buf buf = KS_BUF(1024);
    for (size_t i = 0; i < skill->n_params; i++)
        ks_buf_printf(&buf, "%s%s=%s", i ? " " : "", skill->param_names[i], skill->param_values[i][choice[i]]);
    const char *text = ks_arena_strdup(arena, ks_buf_text(&buf));
    ks_buf_free(&buf);
    return text;
}
