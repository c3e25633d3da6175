#include "memory/skill.h"

#include <string.h>

#include "base/log.h"
#include "memory/fact.h"
#include "os/file.h"

#define SKILL_MAX (256u << 10)

static const char *const known[] = {"id", "title", "direction", "risk", "precision", "when",
                                    "requires", "forbids", "expect", "how", "action", "sources",
                                    NULL};

void ks_fact_set(struct ks_arena *arena, struct ks_fact_list *facts, const char *name, double value)
{
    ks_vec_each(struct ks_fact, fact, facts)
        if (strcmp(fact->name, name) == 0) {
            *fact = (struct ks_fact){.name = fact->name, .known = true, .value = value};
            return;
        }
    *ks_vec_push(arena, facts) =
        (struct ks_fact){.name = ks_arena_strdup(arena, name), .known = true, .value = value};
}

static bool is_name(char c)
{
    return (c >= 'a' && c <= 'z') || (c >= '0' && c <= '9') || c == '_';
}

// "name", "!name", "name(arg)", optionally followed by an operator and a number.
static bool parse_condition(struct ks_arena *arena, const char *text, struct ks_condition *out)
{
    static const char *const ops[] = {"<=", ">=", "==", "!=", "<", ">"};
    static const int codes[] = {'l', 'g', '=', '!', '<', '>'};
    *out = (struct ks_condition){.text = text};
    const char *at = text;
    if (*at == '!') {
        out->negated = true;
        at++;
    }
    size_t n = 0;
    while (is_name(at[n]))
        n++;
    if (n == 0)
        return false;
    if (at[n] == '(') {
        const char *close = strchr(at + n, ')');
        if (close == NULL || close == at + n + 1)
            return false;
        n = (size_t)(close - at) + 1;
    }
    out->fact = ks_arena_strndup(arena, at, n);
    struct ks_slice rest = ks_slice_trim(ks_slice_of(at + n));
    if (rest.len == 0)
        return true;
    for (size_t i = 0; i < sizeof ops / sizeof *ops; i++) {
        size_t len = strlen(ops[i]);
        if (rest.len <= len || strncmp(rest.at, ops[i], len) != 0)
            continue;
        struct ks_slice number =
            ks_slice_trim((struct ks_slice){rest.at + len, rest.len - len});
        out->op = codes[i];
        return !out->negated &&
               ks_parse_f64(ks_arena_strndup(arena, number.at, number.len), &out->number);
    }
    return false;
}

static enum ks_status read_conditions(struct ks_arena *arena, const char *file,
                                      const struct ks_yaml *map, const char *key,
                                      struct ks_condition **out, size_t *n, struct ks_err *err)
{
    const struct ks_yaml *list = ks_yaml_get(map, key);
    if (list == NULL)
        return KS_OK;
    if (list->kind != KS_YAML_LIST)
        KS_FAIL(err, KS_E_USER, "%s:%d: `%s` is a list of conditions", file, list->line, key);
    *out = KS_NEW_ARRAY(arena, struct ks_condition, list->len + 1);
    for (size_t i = 0; i < list->len; i++) {
        const struct ks_yaml *item = &list->items[i];
        if (item->kind != KS_YAML_SCALAR || !parse_condition(arena, item->text, &(*out)[i]))
            KS_FAIL(err, KS_E_USER, "%s:%d: `%s` is no condition: write a fact, !fact, or a fact "
                    "compared with a number", file, item->line,
                    item->kind == KS_YAML_SCALAR ? item->text : key);
        if (!ks_fact_is_known((*out)[i].fact))
            KS_FAIL(err, KS_E_USER, "%s:%d: no fact is called `%s`; docs/skills.md lists them", file,
                    item->line, (*out)[i].fact);
    }
    *n = list->len;
    return KS_OK;
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
    if (skill->expect_metric[0] == '\0' || (strcmp(sign, "+") != 0 && strcmp(sign, "-") != 0) ||
        !ks_fact_is_known(skill->expect_metric) ||
        !ks_parse_f64(ks_yaml_text(expect, "at_least", "0"), &skill->expect_at_least))
        KS_FAIL(err, KS_E_USER, "%s:%d: `expect` takes a known metric, sign + or -, and a number at_least",
                file, expect->line);
    return KS_OK;
}

static enum ks_status read_action(struct ks_arena *arena, const char *file,
                                  const struct ks_yaml *map, struct ks_skill *skill,
                                  struct ks_err *err)
{
    static const char *const keys[] = {"transform", "template", "params", NULL};
    const struct ks_yaml *action = ks_yaml_get(map, "action");
    if (action == NULL || action->kind == KS_YAML_SCALAR)
        return KS_OK; // none: advice for people and models
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

static enum ks_status read_skill(struct ks_arena *arena, const char *path, struct ks_skill *skill,
                                 struct ks_err *err)
{
    struct ks_slice text;
    struct ks_yaml *map;
    *skill = (struct ks_skill){.file = path, .line = 1};
    KS_TRY(ks_file_read(arena, path, SKILL_MAX, &text, err));
    KS_TRY(ks_yaml_parse(arena, path, text, &map, err));
    if (map->kind != KS_YAML_MAP)
        KS_FAIL(err, KS_E_USER, "%s:1: a skill is a map; see docs/skills.md", path);
    KS_TRY(ks_yaml_known(path, map, known, err));
    skill->id = ks_yaml_text(map, "id", "");
    skill->title = ks_yaml_text(map, "title", "");
    skill->direction = ks_yaml_text(map, "direction", "");
    skill->risk = ks_yaml_text(map, "risk", "low");
    skill->precision = ks_yaml_text(map, "precision", "unchanged");
    skill->how = ks_yaml_text(map, "how", "");
    const char *missing = skill->id[0] == '\0'          ? "id"
                          : skill->title[0] == '\0'     ? "title"
                          : skill->direction[0] == '\0' ? "direction"
                          : skill->how[0] == '\0'       ? "how" : NULL;
    if (missing != NULL)
        KS_FAIL(err, KS_E_USER, "%s:1: the skill has no `%s`", path, missing);
    KS_TRY(read_conditions(arena, path, map, "when", &skill->when, &skill->n_when, err));
    KS_TRY(read_conditions(arena, path, map, "requires", &skill->requires_, &skill->n_requires, err));
    KS_TRY(read_conditions(arena, path, map, "forbids", &skill->forbids, &skill->n_forbids, err));
    KS_TRY(read_expect(path, map, skill, err));
    return read_action(arena, path, map, skill, err);
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
        enum ks_status status = read_skill(arena, path, &skill, &local);
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

enum ks_truth ks_condition_eval(const struct ks_condition *condition,
                                const struct ks_fact_list *facts)
{
    const struct ks_fact *fact = NULL;
    ks_vec_each(struct ks_fact, candidate, facts)
        if (candidate->known && strcmp(candidate->name, condition->fact) == 0)
            fact = candidate;
    if (fact == NULL)
        return KS_UNKNOWN;
    bool holds = fact->value != 0;
    switch (condition->op) {
    case '<': holds = fact->value < condition->number; break;
    case '>': holds = fact->value > condition->number; break;
    case 'l': holds = fact->value <= condition->number; break;
    case 'g': holds = fact->value >= condition->number; break;
    case '=': holds = fact->value == condition->number; break;
    case '!': holds = fact->value != condition->number; break;
    default: break;
    }
    return holds != condition->negated ? KS_TRUE : KS_FALSE;
}

static void say(struct ks_buf *why, const struct ks_condition *condition, enum ks_truth truth,
                const struct ks_fact_list *facts)
{
    if (why->len > 0)
        ks_buf_puts(why, ", ");
    ks_buf_puts(why, condition->text);
    if (truth == KS_UNKNOWN) {
        ks_buf_puts(why, " unknown");
        return;
    }
    ks_vec_each(struct ks_fact, fact, facts)
        if (fact->known && strcmp(fact->name, condition->fact) == 0)
            ks_buf_printf(why, " %s (%.4g)", truth == KS_TRUE ? "yes" : "no", fact->value);
}

bool ks_skill_applies(struct ks_arena *arena, const struct ks_skill *skill,
                      const struct ks_fact_list *facts, double *score, const char **why)
{
    for (size_t i = 0; i < skill->n_requires; i++)
        if (ks_condition_eval(&skill->requires_[i], facts) == KS_FALSE)
            return false;
    for (size_t i = 0; i < skill->n_forbids; i++)
        if (ks_condition_eval(&skill->forbids[i], facts) == KS_TRUE)
            return false;
    struct ks_buf text = KS_BUF(16u << 10);
    double sum = 0;
    for (size_t i = 0; i < skill->n_when; i++) {
        enum ks_truth truth = ks_condition_eval(&skill->when[i], facts);
        sum += truth == KS_TRUE ? 1 : truth == KS_UNKNOWN ? 0.5 : 0;
        say(&text, &skill->when[i], truth, facts);
    }
    *score = skill->n_when > 0 ? sum / (double)skill->n_when : 0.5;
    *why = ks_arena_strdup(arena, ks_buf_text(&text));
    ks_buf_free(&text);
    return true;
}
