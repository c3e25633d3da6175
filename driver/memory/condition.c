#include "memory/condition.h"

#include <string.h>

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

bool ks_fact_get(const struct ks_fact_list *facts, const char *name, double *value)
{
    ks_vec_each(struct ks_fact, fact, facts)
        if (fact->known && strcmp(fact->name, name) == 0) {
            *value = fact->value;
            return true;
        }
    return false;
}

static bool is_name(char c)
{
    return (c >= 'a' && c <= 'z') || (c >= '0' && c <= '9') || c == '_';
}

static bool parse_number(struct ks_arena *arena, const char *at, double *number)
{
    struct ks_slice text = ks_slice_trim(ks_slice_of(at));
    return ks_parse_f64(ks_arena_strndup(arena, text.at, text.len), number);
}

// Takes "weight N" off the end of *text, where it stands.
static bool parse_weight(struct ks_arena *arena, const char **text, double *weight)
{
    const char *word = strstr(*text, " weight ");
    *weight = 1;
    if (word == NULL)
        return true;
    struct ks_slice rest = ks_slice_trim((struct ks_slice){*text, (size_t)(word - *text)});
    if (!parse_number(arena, word + strlen(" weight "), weight) || !(*weight > 0) || *weight > 100)
        return false;
    *text = ks_arena_strndup(arena, rest.at, rest.len);
    return true;
}

static bool parse_comparison(struct ks_arena *arena, const char *rest, struct ks_condition *out)
{
    static const char *const ops[] = {"<=", ">=", "==", "!=", "<", ">"};
    static const int codes[] = {'l', 'g', '=', '!', '<', '>'};
    for (size_t i = 0; i < sizeof ops / sizeof *ops; i++)
        if (ks_starts_with(rest, ops[i])) {
            out->op = codes[i];
            return !out->negated && !out->absent &&
                   parse_number(arena, rest + strlen(ops[i]), &out->number);
        }
    return false;
}

bool ks_condition_parse(struct ks_arena *arena, const char *text, struct ks_condition *out)
{
    *out = (struct ks_condition){0};
    if (!parse_weight(arena, &text, &out->weight))
        return false;
    out->text = text;
    const char *at = text;
    out->negated = *at == '!';
    out->absent = *at == '?';
    at += out->negated || out->absent;
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
    const char *rest = at + n + strspn(at + n, " \t");
    return *rest == '\0' || parse_comparison(arena, rest, out);
}

enum ks_truth ks_condition_of(const struct ks_condition *condition, bool known, double value)
{
    if (condition->absent)
        return known ? KS_FALSE : KS_TRUE;
    if (!known)
        return KS_UNKNOWN;
    bool holds = value != 0;
    switch (condition->op) {
    case '<': holds = value < condition->number; break;
    case '>': holds = value > condition->number; break;
    case 'l': holds = value <= condition->number; break;
    case 'g': holds = value >= condition->number; break;
    case '=': holds = value == condition->number; break;
    case '!': holds = value != condition->number; break;
    default: break;
    }
    return holds != condition->negated ? KS_TRUE : KS_FALSE;
}

enum ks_truth ks_condition_eval(const struct ks_condition *condition,
                                const struct ks_fact_list *facts)
{
    double value = 0;
    bool is_known = ks_fact_get(facts, condition->fact, &value);
    return ks_condition_of(condition, is_known, value);
}

const char *ks_truth_name(enum ks_truth truth)
{
    return truth == KS_TRUE ? "yes" : truth == KS_FALSE ? "no" : "unknown";
}

double ks_truth_share(enum ks_truth truth)
{
    return truth == KS_TRUE ? 1 : truth == KS_FALSE ? 0 : 0.5;
}
