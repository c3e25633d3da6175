#include "memory/skill.h"

#include <stdio.h>
#include <string.h>

#include "base/log.h"
#include "memory/direction.h"
#include "memory/fact.h"
#include "memory/skill_check.h"
#include "os/file.h"

#define SKILL_MAX (256u << 10)

static const char *const known[] = {"id", "title", "direction", "risk", "precision", "when",
                                    "requires", "forbids", "expect", "after", "how", "action",
                                    "sources", NULL};
static const char *const risks[] = {"low", "medium", "high", NULL};
static const char *const precisions[] = {"unchanged", "reordered", "reduced", NULL};

// What is wrong with one field leaves the others to be read.
struct reader {
    struct ks_arena *arena;
    const char *file;
    struct ks_finding_list *findings;
};
#define WRONG(r, line, ...) ks_finding_add((r)->arena, (r)->findings, (r)->file, (line), false, __VA_ARGS__)

static void check_keys(struct reader *r, const struct ks_yaml *map, const char *const *keys)
{
    for (size_t i = 0; i < map->len; i++) {
        size_t k = 0;
        while (keys[k] != NULL && strcmp(keys[k], map->keys[i]) != 0)
            k++;
        const char *near = keys[k] == NULL ? ks_nearest_word(map->keys[i], keys) : NULL;
        if (keys[k] == NULL)
            WRONG(r, map->key_lines[i], "unknown key '%s'%s%s%s", map->keys[i], near != NULL ? "; did you mean '" : "",
                  near != NULL ? near : "", near != NULL ? "'?" : "");
    }
}

static bool read_condition(struct reader *r, const struct ks_yaml *item, struct ks_condition *out)
{
    if (item->kind != KS_YAML_SCALAR || !ks_condition_parse(r->arena, item->text, out)) {
        WRONG(r, item->line, "`%s` is no condition: write FACT, !FACT, ?FACT or FACT < NUMBER, with `weight N` (up to 100) "
              "behind it where it is worth more or less than 1", item->kind == KS_YAML_SCALAR ? item->text : "a list or map");
        return false;
    }
    out->line = item->line;
    if (ks_fact_find(out->fact) != NULL)
        return true;
    struct ks_strv names = {0};
    for (const struct ks_fact_name *f = ks_fact_names(); f->name; f++)
        ks_strv_add(r->arena, &names, f->name);
    const char *near = ks_nearest_word(out->fact, names.at);
    WRONG(r, item->line, "no fact is called `%s`; %s%s%s", out->fact,
          near != NULL ? "do you mean `" : "`ks skills facts` lists them", near != NULL ? near : "", near != NULL ? "`?" : "");
    return false;
}

static void read_conditions(struct reader *r, const struct ks_yaml *map, const char *key, struct ks_conditions *out)
{
    const struct ks_yaml *list = ks_yaml_get(map, key);
    if (list == NULL)
        return;
    if (list->kind != KS_YAML_LIST) {
        WRONG(r, list->line, "`%s` is a list of conditions: [dram_pct < 60, map]", key);
        return;
    }
    out->at = KS_NEW_ARRAY(r->arena, struct ks_condition, list->len + 1);
    for (size_t i = 0; i < list->len; i++)
        out->len += read_condition(r, &list->items[i], &out->at[out->len]);
}

static void read_texts(struct reader *r, const struct ks_yaml *map, const char *key, struct ks_strv *out, int *line)
{
    const struct ks_yaml *list = ks_yaml_get(map, key);
    if (list == NULL)
        return;
    *line = list->line;
    if (list->kind != KS_YAML_LIST) {
        WRONG(r, list->line, "`%s` is a list", key);
        return;
    }
    for (size_t i = 0; i < list->len; i++)
        if (list->items[i].kind != KS_YAML_SCALAR || list->items[i].text[0] == '\0')
            WRONG(r, list->items[i].line, "`%s` is a list of texts", key);
        else
            ks_strv_add(r->arena, out, list->items[i].text);
}

// One of `words`; the line is the value's.
static void read_word(struct reader *r, const struct ks_yaml *map, const char *key, const char *const *words,
                      const char *fallback, const char **out)
{
    const struct ks_yaml *value = ks_yaml_get(map, key);
    struct ks_buf list = KS_BUF(4096);
    *out = fallback != NULL ? fallback : "";
    if (value == NULL && fallback != NULL)
        return;
    for (size_t i = 0; words[i]; i++) {
        if (value != NULL && value->kind == KS_YAML_SCALAR && strcmp(value->text, words[i]) == 0) {
            *out = words[i];
            ks_buf_free(&list);
            return;
        }
        ks_buf_printf(&list, "%s%s", i > 0 ? ", " : "", words[i]);
    }
    WRONG(r, value != NULL ? value->line : 1, "`%s` is one of %s", key, ks_buf_text(&list));
    ks_buf_free(&list);
}

static void read_direction(struct reader *r, const struct ks_yaml *map, const char **out)
{
    struct ks_strv names = {0};
    for (const struct ks_direction *d = ks_directions(); d->name; d++)
        ks_strv_add(r->arena, &names, d->name);
    read_word(r, map, "direction", names.at, NULL, out);
}

static void read_expect(struct reader *r, const struct ks_yaml *map, struct ks_skill *skill)
{
    static const char *const keys[] = {"metric", "sign", "at_least", NULL};
    const struct ks_yaml *expect = ks_yaml_get(map, "expect");
    skill->expect_metric = "";
    if (expect == NULL)
        return;
    if (expect->kind != KS_YAML_MAP) {
        WRONG(r, expect->line, "expected 'key: value' lines here");
        return;
    }
    check_keys(r, expect, keys);
    const char *metric = ks_yaml_text(expect, "metric", ""), *sign = ks_yaml_text(expect, "sign", "+");
    const struct ks_fact_name *fact = ks_fact_find(metric);
    if (fact == NULL || !fact->metric || (strcmp(sign, "+") != 0 && strcmp(sign, "-") != 0) ||
        !ks_parse_f64(ks_yaml_text(expect, "at_least", "0"), &skill->expect_at_least) ||
        skill->expect_at_least < 0 || skill->expect_at_least > fact->most) {
        WRONG(r, expect->line, "`expect` takes a metric of `ks skills facts`, sign + or -, and at_least, a number that the "
              "metric can move by");
        return;
    }
    skill->expect_metric = metric;
    skill->expect_sign = sign[0] == '-' ? -1 : 1;
}

static void read_params(struct reader *r, const struct ks_yaml *action, struct ks_skill *skill)
{
    const struct ks_yaml *params = ks_yaml_get(action, "params");
    if (params == NULL)
        return;
    if (params->kind != KS_YAML_MAP) {
        WRONG(r, params->line, "`params` maps names to lists of values");
        return;
    }
    skill->n_params = params->len;
    skill->param_names = KS_NEW_ARRAY(r->arena, const char *, params->len + 1);
    skill->param_values = KS_NEW_ARRAY(r->arena, const char **, params->len + 1);
    for (size_t i = 0; i < params->len; i++) {
        const struct ks_yaml *values = &params->items[i];
        size_t n = values->kind == KS_YAML_LIST ? values->len : 1, kept = 0;
        const char **out = KS_NEW_ARRAY(r->arena, const char *, n + 1);
        for (size_t v = 0; v < n; v++) {
            const struct ks_yaml *value = values->kind == KS_YAML_LIST ? &values->items[v] : values;
            if (value->kind != KS_YAML_SCALAR)
                WRONG(r, value->line, "a parameter's values are plain");
            else
                out[kept++] = value->text;
        }
        skill->param_names[i] = params->keys[i];
        skill->param_values[i] = out;
    }
}

static void read_action(struct reader *r, const struct ks_yaml *map, struct ks_skill *skill)
{
    static const char *const keys[] = {"transform", "template", "params", NULL};
    const struct ks_yaml *action = ks_yaml_get(map, "action");
    skill->action_line = action != NULL ? action->line : 0;
    if (action == NULL || (action->kind == KS_YAML_SCALAR && strcmp(action->text, "none") == 0))
        return; // advice for people and models
    if (action->kind != KS_YAML_MAP) {
        WRONG(r, action->line, "`action` is none, or {transform: NAME, params: {...}}");
        return;
    }
    check_keys(r, action, keys);
    skill->transform = ks_yaml_text(action, "transform", NULL);
    skill->template_ = ks_yaml_text(action, "template", NULL);
    if ((skill->transform == NULL) == (skill->template_ == NULL)) {
        WRONG(r, action->line, "`action` names one transform or one template");
        skill->transform = skill->template_ = NULL;
    }
    read_params(r, action, skill);
}

// Each text must be there, and be one: a value of another kind reads as none.
static void read_heads(struct reader *r, const struct ks_yaml *map, struct ks_skill *skill)
{
    const struct {
        const char *key, **out;
    } heads[] = {{"id", &skill->id}, {"title", &skill->title}, {"how", &skill->how}};
    for (size_t i = 0; i < sizeof heads / sizeof *heads; i++) {
        const struct ks_yaml *value = ks_yaml_get(map, heads[i].key);
        *heads[i].out = ks_yaml_text(map, heads[i].key, "");
        if (**heads[i].out == '\0')
            WRONG(r, value != NULL ? value->line : 1, "the skill has no `%s`; give it one, as text", heads[i].key);
    }
    size_t n = strspn(skill->id, "abcdefghijklmnopqrstuvwxyz0123456789-");
    if (skill->id[n] != '\0' || n > 60) {
        WRONG(r, ks_yaml_get(map, "id")->line, "an id is up to 60 small letters, digits and hyphens");
        skill->id = "";
    }
}

static void read_fields(struct reader *r, const struct ks_yaml *map, struct ks_skill *skill)
{
    int line = 1;
    check_keys(r, map, known);
    read_heads(r, map, skill);
    read_direction(r, map, &skill->direction);
    read_word(r, map, "risk", risks, "low", &skill->risk);
    read_word(r, map, "precision", precisions, "unchanged", &skill->precision);
    size_t before = r->findings->len;
    read_conditions(r, map, "when", &skill->when);
    skill->misread |= r->findings->len > before ? KS_MISREAD_WHEN : 0;
    read_conditions(r, map, "requires", &skill->requires_);
    read_conditions(r, map, "forbids", &skill->forbids);
    read_texts(r, map, "after", &skill->after, &skill->after_line);
    before = r->findings->len;
    read_texts(r, map, "sources", &skill->sources, &line);
    skill->misread |= r->findings->len > before ? KS_MISREAD_SOURCES : 0;
    before = r->findings->len;
    read_expect(r, map, skill);
    skill->misread |= (r->findings->len > before ? KS_MISREAD_EXPECT : 0) | (skill->how[0] == '\0' ? KS_MISREAD_HOW : 0);
    read_action(r, map, skill);
}

// A failure where it is no map at all, and nothing was read: `misread` has every bit then.
static enum ks_status read_map(struct ks_arena *arena, const char *path, struct ks_slice text, struct ks_skill *skill,
                               struct ks_finding_list *findings, struct ks_err *err)
{
    struct ks_yaml *map;
    struct reader r = {arena, path, findings};
    *skill = (struct ks_skill){.file = path, .line = 1, .id = "", .title = "", .how = "", .direction = "", .expect_metric = "",
                               .misread = ~0u};
    KS_TRY(ks_yaml_parse(arena, path, text, &map, err));
    if (map->kind != KS_YAML_MAP)
        KS_FAIL(err, KS_E_USER, "%s:1: a skill is a map; see docs/skills.md", path);
    skill->misread = 0;
    read_fields(&r, map, skill);
    return KS_OK;
}

enum ks_status ks_skill_parse(struct ks_arena *arena, const char *path, struct ks_slice text,
                              struct ks_skill *skill, struct ks_err *err)
{
    struct ks_finding_list findings = {0};
    KS_TRY(read_map(arena, path, text, skill, &findings, err));
    if (findings.len > 0)
        KS_FAIL(err, KS_E_USER, "%s:%d: %s", path, findings.at[0].line, findings.at[0].text);
    return KS_OK;
}

enum ks_status ks_skill_read(struct ks_arena *arena, const char *path, struct ks_skill *skill,
                             struct ks_err *err)
{
    struct ks_slice text;
    KS_TRY(ks_file_read(arena, path, SKILL_MAX, &text, err));
    return ks_skill_parse(arena, path, text, skill, err);
}

bool ks_skill_read_all(struct ks_arena *arena, const char *path, struct ks_skill *skill, struct ks_finding_list *findings)
{
    struct ks_err err = {0};
    struct ks_slice text;
    size_t before = findings->len;
    *skill = (struct ks_skill){.file = path, .misread = ~0u};
    enum ks_status status = ks_file_read(arena, path, SKILL_MAX, &text, &err);
    if (status == KS_OK)
        status = read_map(arena, path, text, skill, findings, &err);
    if (status == KS_OK)
        return findings->len == before;
    // "FILE:LINE: TEXT" of the reader, taken apart.
    int line = 1, at = 0;
    const char *rest = ks_starts_with(err.text, path) ? err.text + strlen(path) : err.text;
    if (sscanf(rest, ":%d: %n", &line, &at) == 1 && at > 0)
        rest += at;
    else { // of the file as a whole
        line = 1;
        rest += strspn(rest, ": ");
    }
    ks_finding_add(arena, findings, path, line, false, "%s", rest);
    return false;
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
