#include "search/distill.h"

#include <stdlib.h>
#include <string.h>

#include "engine/subject.h"
#include "engine/transform.h"
#include "memory/skill_check.h"
#include "memory/structure.h"

#define MOST_WHEN 3   // conditions that are taken over
#define MOST_TURNED 2 // parameters that get other values beside the winner's

const struct ks_attempt *ks_distill_best(const struct ks_attempt *attempts, size_t n)
{
    const struct ks_attempt *best = NULL;
    for (size_t i = 0; i < n; i++) {
        const struct ks_attempt *a = &attempts[i];
        bool modelled = strcmp(a->evidence, KS_MODELLED) == 0,
             older = best != NULL && strcmp(best->evidence, KS_MODELLED) == 0;
        if (strcmp(a->correctness, "CORRECT") != 0 ||
            (strcmp(a->speed, "FASTER") != 0 && strcmp(a->speed, "MODELLED") != 0))
            continue;
        if (best == NULL || (older && !modelled) || (older == modelled && a->ratio > best->ratio))
            best = a;
    }
    return best;
}

// One option of the winner's.
struct part {
    const char *name, *value;
    const struct ks_skill *skill; // installed, that has it; NULL: none
};

static bool has_param(const struct ks_skill *skill, const char *name)
{
    for (size_t i = 0; i < skill->n_params; i++)
        if (strcmp(skill->param_names[i], name) == 0)
            return true;
    return false;
}

// The skill that a name stands for: a transform is called like the option that it alone has, or has
// it first.
static const struct ks_skill *skill_of(const struct ks_library *library,
                                       const struct ks_fact_list *facts, const char *name)
{
    const struct ks_skill *found = NULL;
    double best = -1;
    ks_vec_each (const struct ks_skill, s, &library->skills) {
        if (s->transform == NULL || !has_param(s, name) || ks_skill_gate(s, facts) == KS_FALSE)
            continue;
        double score = ks_skill_score(s, facts) - 0.01 * (double)s->n_params;
        if (score > best) {
            best = score;
            found = s;
        }
    }
    return found;
}

static size_t read_parts(struct ks_arena *arena, const struct ks_library *library,
                         const struct ks_fact_list *facts, const char *params, struct part **parts)
{
    size_t n = 0;
    *parts = KS_NEW_ARRAY(arena, struct part, strlen(params) / 2 + 1);
    for (const char *at = params; *(at += strspn(at, " ")); at += strcspn(at, " ")) {
        size_t name = strcspn(at, "= "), all = strcspn(at, " ");
        struct part *p = &(*parts)[n++];
        *p = (struct part){
            .name = ks_arena_strndup(arena, at, name),
            .value = ks_arena_strndup(arena, at + name + 1, all > name ? all - name - 1 : 0)};
        p->skill = skill_of(library, facts, p->name);
    }
    return n;
}

// A skill one setting of which gives these options on the original.
static const struct ks_skill *already(struct ks_arena *arena, const struct ks_library *library,
                                      const struct ks_brief *brief, const char *params,
                                      struct ks_err *err)
{
    struct ks_subject subject;
    if (ks_subject_make(arena, brief, &subject, err) != KS_OK)
        return NULL;
    ks_vec_each (const struct ks_skill, s, &library->skills) {
        size_t *choice = KS_NEW_ARRAY(arena, size_t, s->n_params + 1);
        bool complete = s->transform != NULL;
        for (size_t i = 0; i < s->n_params; i++)
            complete &= s->param_values[i][0] != NULL;
        do {
            struct ks_arena scratch = {0};
            struct ks_subject look = subject;
            struct ks_options options = {0};
            look.arena = &scratch;
            bool same =
                complete &&
                ks_transform_apply(&look, s->transform, ks_skill_settings(&scratch, s, choice),
                                   &options, NULL) == KS_OK &&
                strcmp(ks_options_text(&scratch, &options), params) == 0;
            ks_arena_free(&scratch);
            if (same)
                return s;
        } while (complete && ks_skill_next(s, choice));
    }
    return NULL;
}

// Options whose number another kernel may want otherwise, up to what they take; the first matter most.
static const struct {
    const char *name;
    int least, most;
} turned_names[] = {{"items", 2, 1024}, {"rows", 2, 1024},  {"tile", 2, 1024}, {"unroll", 2, 1024},
                    {"lanes", 2, 1024}, {"split", 2, 1024}, {"width", 2, 16},  {"block", 32, 1024}};
#define TURNED_NAMES (sizeof turned_names / sizeof *turned_names)

// Which of them gets other values: its position among the names, or TURNED_NAMES. A block of two axes stays.
static size_t turned_at(const struct part *part)
{
    size_t i = 0;
    while (i < TURNED_NAMES && (strcmp(turned_names[i].name, part->name) != 0 || strchr(part->value, 'x') != NULL ||
                                atoi(part->value) < turned_names[i].least))
        i++;
    return i;
}

// How many of the parts matter more.
static int before(const struct part *parts, size_t n, size_t at)
{
    int count = 0;
    for (size_t k = 0; k < n; k++)
        count += turned_at(&parts[k]) < at;
    return count;
}

static const char *names_of(struct ks_arena *arena, const struct part *parts, size_t n,
                            const char *between)
{
    const char *text = "";
    for (size_t i = 0; i < n; i++)
        text = ks_arena_printf(arena, "%s%s%s", text, i > 0 ? between : "", parts[i].name);
    return text;
}

static bool is_true(const struct ks_fact_list *facts, const char *name)
{
    double value;
    return ks_fact_get(facts, name, &value) && value > 0;
}

static void add_condition(struct ks_arena *arena, struct ks_conditions *to, const char *text)
{
    struct ks_condition *at = KS_NEW_ARRAY(arena, struct ks_condition, to->len + 1);
    for (size_t i = 0; i < to->len; i++)
        at[i] = to->at[i];
    ks_condition_parse(arena, text, &at[to->len++]);
    to->at = at;
}

// What kind of kernel it is for.
static void set_gate(struct ks_arena *arena, struct ks_skill *skill, const struct ks_fact_list *facts)
{
    add_condition(arena, &skill->requires_, is_true(facts, "elementwise") ? "elementwise"
                                            : is_true(facts, "map")       ? "map"
                                                                          : "understood");
    if (is_true(facts, "loops"))
        add_condition(arena, &skill->requires_, "loops > 0");
    if (!is_true(facts, "atomics(param)"))
        add_condition(arena, &skill->forbids, "atomics(param)");
}

// What its parts took for evidence and what was true of this kernel, as far as the gate does not say it.
static void set_when(struct ks_arena *arena, struct ks_skill *skill, const struct part *parts, size_t n,
                     const struct ks_fact_list *facts)
{
    for (size_t i = 0; i < n; i++)
        for (size_t c = 0; parts[i].skill != NULL && c < parts[i].skill->when.len && skill->when.len < MOST_WHEN; c++) {
            const struct ks_condition *condition = &parts[i].skill->when.at[c];
            if (ks_condition_eval(condition, facts) == KS_TRUE && ks_skill_takes(arena, skill, condition))
                add_condition(arena, &skill->when, condition->text);
        }
    if (skill->when.len == 0)
        add_condition(arena, &skill->when, "traffic_mb > 1");
}

static void put_conditions(struct ks_buf *out, const char *name, const struct ks_conditions *conditions)
{
    for (size_t i = 0; i < conditions->len; i++) {
        const char *quote = strchr("!?", conditions->at[i].text[0]) != NULL ? "\"" : "";
        ks_buf_printf(out, "%s%s%s%s%s", i > 0 ? ", " : name, i > 0 ? "" : ": [", quote, conditions->at[i].text, quote);
    }
    if (conditions->len > 0)
        ks_buf_puts(out, "]\n");
}

static void put_params(struct ks_buf *out, const struct part *parts, size_t n)
{
    ks_buf_puts(out, "action: {transform: together, params: {");
    for (size_t i = 0; i < n; i++) {
        size_t at = turned_at(&parts[i]);
        ks_buf_printf(out, "%s%s: [%s", i > 0 ? ", " : "", parts[i].name, parts[i].value);
        if (at < TURNED_NAMES && before(parts, n, at) < MOST_TURNED) {
            int value = atoi(parts[i].value);
            if (2 * value <= turned_names[at].most)
                ks_buf_printf(out, ", %d", 2 * value);
            if (value / 2 >= turned_names[at].least)
                ks_buf_printf(out, ", %d", value / 2);
        }
        ks_buf_puts(out, "]");
    }
    ks_buf_puts(out, "}}\n");
}

static void put_how(struct ks_arena *arena, struct ks_buf *out, const struct part *parts, size_t n,
                    const struct ks_attempt *won)
{
    ks_buf_printf(out, "how: |\n  Mechanism: %s together made %s %.2f times as fast, %s.",
                  names_of(arena, parts, n, ", "), won->kernel, won->ratio, won->evidence);
    for (size_t i = 0; i < n; i++) {
        bool told = parts[i].skill == NULL;
        for (size_t k = 0; k < i; k++)
            told |= parts[k].skill == parts[i].skill;
        if (!told)
            ks_buf_printf(out, "\n  %s: %s (%s).", parts[i].name, parts[i].skill->title,
                          parts[i].skill->id);
    }
    ks_buf_printf(
        out,
        "\n  Pitfalls: those of its parts; what pays together on one kernel may not on the next.\n"
        "  Sketch: %s.\n",
        won->params);
}

enum ks_status ks_distill(struct ks_arena *arena, const struct ks_library *library,
                          const struct ks_brief *brief, const struct ks_attempt *won,
                          const char **id, const char **text, struct ks_err *err)
{
    struct part *parts;
    struct ks_options options = {0};
    struct ks_skill made = {.file = ""};
    struct ks_buf out = KS_BUF(64u << 10);
    const struct ks_skill *last = ks_skill_find(&library->skills, won->skill);
    if (won->ratio < KS_DISTILL_GAIN)
        KS_FAIL(err, KS_E_UNSUPPORTED,
                "the best attempt is %.2fx, and less than %.1fx is not worth a skill", won->ratio,
                KS_DISTILL_GAIN);
    if (last == NULL || last->transform == NULL)
        KS_FAIL(err, KS_E_UNSUPPORTED, "what won is %s; only what transforms do can be distilled",
                last == NULL ? "of a skill that is not here"
                             : "a template's, which is a skill as it is");
    KS_TRY(ks_options_read(won->params, &options, err));
    const char *params = ks_options_text(arena, &options);
    const struct ks_skill *same = already(arena, library, brief, params, err);
    if (same != NULL)
        KS_FAIL(err, KS_E_UNSUPPORTED, "the skill %s does that already: %s", same->id, params);
    size_t n = read_parts(arena, library, &brief->facts, params, &parts);
    *id = ks_arena_printf(arena, "distilled-%s-%s", names_of(arena, parts, n, "-"),
                          ks_structure_of(&brief->facts));
    ks_buf_printf(&out, "id: %s\ntitle: %s together\ndirection: %s\nrisk: low\nprecision: %s\n",
                  *id, names_of(arena, parts, n, ", "), last->direction, last->precision);
    set_gate(arena, &made, &brief->facts);
    set_when(arena, &made, parts, n, &brief->facts);
    put_conditions(&out, "when", &made.when);
    put_conditions(&out, "requires", &made.requires_);
    put_conditions(&out, "forbids", &made.forbids);
    if (last->expect_metric[0] != '\0')
        ks_buf_printf(&out, "expect: {metric: %s, sign: \"%s\", at_least: %g}\n",
                      last->expect_metric, last->expect_sign < 0 ? "-" : "+",
                      last->expect_at_least);
    put_how(arena, &out, parts, n, won);
    put_params(&out, parts, n);
    ks_buf_printf(&out, "sources: [\"distilled from %s, %.12s, %s\"]\n", won->kernel, won->key,
                  won->date);
    *text = ks_arena_strdup(arena, ks_buf_text(&out));
    ks_buf_free(&out);
    return KS_OK;
}
