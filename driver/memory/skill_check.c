#include "memory/skill_check.h"

#include <stdarg.h>
#include <string.h>

#include "memory/fact_values.h"

#define ALIKE 0.6 // above, two skills are one: research on skill libraries merges there

struct check {
    struct ks_arena *arena;
    const struct ks_skill *skill;
    struct ks_finding_list *findings;
};

void ks_finding_add(struct ks_arena *arena, struct ks_finding_list *findings, const char *file, int line,
                    bool contradiction, const char *format, ...)
{
    va_list args;
    va_start(args, format);
    *ks_vec_push(arena, findings) = (struct ks_finding){file, line, contradiction,
                                                        ks_arena_vprintf(arena, format, args)};
    va_end(args);
}

#define FOUND(c, line, contradiction, ...)                                                         \
    ks_finding_add((c)->arena, (c)->findings, (c)->skill->file, (line), (contradiction), __VA_ARGS__)

// ---- conditions of one skill

// Every condition of the gate, those of `forbids` behind those of `requires`; then those of `when`.
struct all_conditions {
    const struct ks_condition **at;
    size_t requires_, gate, len;
};

static struct all_conditions gather(struct check *c)
{
    const struct ks_skill *s = c->skill;
    struct all_conditions all = {.requires_ = s->requires_.len};
    all.at = KS_NEW_ARRAY(c->arena, const struct ks_condition *,
                          s->requires_.len + s->forbids.len + s->when.len + 1);
    for (size_t i = 0; i < s->requires_.len; i++)
        all.at[all.len++] = &s->requires_.at[i];
    for (size_t i = 0; i < s->forbids.len; i++)
        all.at[all.len++] = &s->forbids.at[i];
    all.gate = all.len;
    for (size_t i = 0; i < s->when.len; i++)
        all.at[all.len++] = &s->when.at[i];
    return all;
}

static bool same_fact(const struct ks_condition *a, const struct ks_condition *b)
{
    return strcmp(a->fact, b->fact) == 0;
}

// Whether the gate's conditions on the fact of `of` let a known value through.
static bool gate_takes(const struct all_conditions *all, const struct ks_condition *of,
                       struct ks_fact_value value)
{
    for (size_t i = 0; i < all->gate; i++)
        if (same_fact(all->at[i], of) &&
            ks_condition_of(all->at[i], value.known, value.value) ==
                (i < all->requires_ ? KS_FALSE : KS_TRUE))
            return false;
    return true;
}

struct outcome {
    bool any, can_hold, can_fail; // over the values that the gate lets through
};

static struct outcome try_values(struct check *c, const struct all_conditions *all, size_t at)
{
    const struct ks_condition *condition = all->at[at];
    struct ks_fact_values values =
        ks_fact_split(c->arena, ks_fact_find(condition->fact), all->at, all->len);
    struct outcome out = {0};
    for (size_t v = condition->absent ? 0 : 1; v < values.len; v++) {
        if (at >= all->gate && !gate_takes(all, condition, values.at[v]))
            continue;
        bool holds = ks_condition_of(condition, values.at[v].known, values.at[v].value) == KS_TRUE;
        out.any = true;
        out.can_hold |= holds;
        out.can_fail |= !holds;
    }
    return out;
}

static void check_duplicates(struct check *c, const struct all_conditions *all)
{
    for (size_t i = 0; i < all->len; i++)
        for (size_t k = 0; k < i; k++) {
            const struct ks_condition *a = all->at[k], *b = all->at[i];
            bool same = same_fact(a, b) && a->op == b->op && a->number == b->number &&
                        a->negated == b->negated && a->absent == b->absent;
            bool forbids = i >= all->requires_ && i < all->gate;
            if (same && forbids && k < all->requires_)
                FOUND(c, b->line, true, "contradiction: `%s` is required in line %d and forbidden here; "
                      "keep one of the two", b->text, a->line);
            else if (same)
                FOUND(c, b->line, false, "`%s` stands in line %d already; take it out of one", b->text,
                      a->line);
        }
}

// Two conditions that no value fulfils both.
static bool exclude_each_other(struct check *c, const struct all_conditions *all, size_t i, size_t k)
{
    const struct ks_condition *a = all->at[i], *b = all->at[k];
    struct ks_fact_values values = ks_fact_split(c->arena, ks_fact_find(a->fact), all->at, all->len);
    for (size_t v = 0; v < values.len; v++)
        if (ks_condition_of(a, values.at[v].known, values.at[v].value) == KS_TRUE &&
            ks_condition_of(b, values.at[v].known, values.at[v].value) == KS_TRUE)
            return false;
    return true;
}

static void check_pairs(struct check *c, const struct all_conditions *all, size_t from, size_t to)
{
    for (size_t i = from; i < to; i++)
        for (size_t k = from; k < i; k++)
            if (same_fact(all->at[i], all->at[k]) && exclude_each_other(c, all, i, k))
                FOUND(c, all->at[i]->line, true, "contradiction: `%s` and `%s` are never true together; "
                      "take one out, or make two skills", all->at[k]->text, all->at[i]->text);
}

static void check_each(struct check *c, const struct all_conditions *all)
{
    for (size_t i = 0; i < all->len; i++) {
        const struct ks_condition *condition = all->at[i];
        const struct ks_fact_name *fact = ks_fact_find(condition->fact);
        struct outcome out = try_values(c, all, i);
        if (condition->op == 0 && !condition->absent && fact->kind != KS_FACT_PROPERTY &&
            fact->kind != KS_FACT_COUNT)
            FOUND(c, condition->line, false, "`%s` is an amount: compare it with a number",
                  condition->text);
        else if (i < all->gate && !out.can_hold)
            FOUND(c, condition->line, true, "contradiction: `%s` is never true of any %s; correct the number",
                  condition->text, fact->meaning);
        else if (i < all->gate && !out.can_fail)
            FOUND(c, condition->line, false, "`%s` is always true and decides nothing; take it out",
                  condition->text);
        else if (i >= all->gate && out.any && !out.can_hold)
            FOUND(c, condition->line, true, "contradiction: `%s` is never true where the skill applies; "
                  "take it out, or change `requires` or `forbids`", condition->text);
        else if (i >= all->gate && out.any && !out.can_fail)
            FOUND(c, condition->line, false, "`%s` is true wherever the skill applies and so is no evidence; "
                  "take it out", condition->text);
    }
}

// No known value of one fact passes the gate, though each condition alone could hold.
static void check_gate(struct check *c, const struct all_conditions *all)
{
    for (size_t i = 0; i < all->gate; i++) {
        const struct ks_condition *condition = all->at[i];
        struct ks_fact_values values =
            ks_fact_split(c->arena, ks_fact_find(condition->fact), all->at, all->len);
        bool any = false, last = true, alone = true;
        for (size_t v = 1; v < values.len; v++)
            any |= gate_takes(all, condition, values.at[v]);
        for (size_t k = 0; k < all->gate; k++) {
            last &= k <= i || !same_fact(all->at[k], condition);
            alone &= k == i || !same_fact(all->at[k], condition);
        }
        if (!any && last && !alone)
            FOUND(c, condition->line, true, "contradiction: no value of `%s` passes both `requires` and "
                  "`forbids`; the skill never applies where it is known", condition->fact);
    }
}

// ---- one skill

static void check_parts(struct check *c)
{
    const struct ks_skill *s = c->skill;
    const char *name = ks_path_base(s->file);
    size_t n = strlen(s->id);
    if (n > 0 && (strncmp(name, s->id, n) != 0 || strcmp(name + n, ".yaml") != 0))
        FOUND(c, s->line, false, "the file of skill `%s` is called %s.yaml; rename one", s->id, s->id);
    if (s->when.len == 0 && !(s->misread & KS_MISREAD_WHEN))
        FOUND(c, s->line, false, "the skill has no `when`: nothing could ever speak for it");
    if (s->expect_metric[0] == '\0' && !(s->misread & KS_MISREAD_EXPECT))
        FOUND(c, s->line, false, "the skill has no `expect`: name the metric that should move");
    if (s->sources.len == 0 && !(s->misread & KS_MISREAD_SOURCES))
        FOUND(c, s->line, false, "the skill has no `sources`: name a public document that says so");
    static const char *const parts[] = {"Mechanism:", "Pitfalls:", "Sketch:"};
    for (size_t i = 0; i < sizeof parts / sizeof *parts && !(s->misread & KS_MISREAD_HOW); i++)
        if (strstr(s->how, parts[i]) == NULL)
            FOUND(c, s->line, false, "`how` has no part that begins with \"%s\"", parts[i]);
}

// ---- skills and each other

static const char *grams(struct ks_arena *arena, const struct ks_skill *s, struct ks_strv *out)
{
    const char *text = ks_arena_printf(arena, "%s %s", s->title, s->how);
    const char *words[3] = {"", "", ""};
    static const char ends[] = " \n\t.,;:()[]=*+<>\"'`";
    size_t n = 0;
    for (const char *at = text + strspn(text, ends); *at != '\0'; at += strspn(at, ends)) {
        size_t len = strcspn(at, ends);
        words[0] = words[1];
        words[1] = words[2];
        words[2] = ks_arena_strndup(arena, at, len);
        if (++n >= 3)
            ks_strv_add(arena, out, ks_arena_printf(arena, "%s %s %s", words[0], words[1], words[2]));
        at += len;
    }
    return text;
}

double ks_skill_likeness(struct ks_arena *arena, const struct ks_skill *a, const struct ks_skill *b)
{
    struct ks_strv x = {0}, y = {0};
    size_t common = 0;
    grams(arena, a, &x);
    grams(arena, b, &y);
    for (size_t i = 0; i < x.len; i++)
        for (size_t k = 0; k < y.len; k++)
            if (strcmp(x.at[i], y.at[k]) == 0) {
                common++;
                break;
            }
    size_t all = x.len + y.len - common;
    return all > 0 ? (double)common / (double)all : 0;
}

static bool same_params(const struct ks_skill *a, const struct ks_skill *b)
{
    if (a->n_params != b->n_params)
        return false;
    for (size_t i = 0; i < a->n_params; i++) {
        const char **x = a->param_values[i], **y = b->param_values[i];
        if (strcmp(a->param_names[i], b->param_names[i]) != 0)
            return false;
        for (; *x != NULL && *y != NULL && strcmp(*x, *y) == 0; x++)
            y++;
        if (*x != NULL || *y != NULL)
            return false;
    }
    return true;
}

static bool same_text(const char *a, const char *b)
{
    return a == NULL || b == NULL ? a == b : strcmp(a, b) == 0;
}

static bool same_evidence(const struct ks_skill *a, const struct ks_skill *b)
{
    bool same = a->when.len == b->when.len && a->when.len > 0;
    for (size_t i = 0; same && i < a->when.len; i++) {
        same = false;
        for (size_t k = 0; k < b->when.len; k++)
            same |= strcmp(a->when.at[i].text, b->when.at[k].text) == 0;
    }
    return same;
}

static void check_pair(struct check *c, const struct ks_skill *other)
{
    const struct ks_skill *s = c->skill;
    bool acts = s->transform != NULL || s->template_ != NULL;
    if (acts && same_text(s->transform, other->transform) &&
        same_text(s->template_, other->template_) && same_params(s, other))
        FOUND(c, s->action_line, false, "does what `%s` (%s) does, with the same parameters; merge the two",
              other->id, other->file);
    else if (strcmp(s->title, other->title) == 0 ||
             ks_skill_likeness(c->arena, s, other) > ALIKE)
        FOUND(c, s->line, false, "says what `%s` (%s) says; merge the two", other->id, other->file);
    if (same_evidence(s, other) && strcmp(s->expect_metric, other->expect_metric) == 0 &&
        s->expect_sign * other->expect_sign < 0)
        FOUND(c, s->when.at[0].line, true, "contradiction: on the same evidence `%s` (%s) expects %s to "
              "move the other way; tell apart when each is right", other->id, other->file,
              s->expect_metric);
}

// Appends the ids along `after` from `skill` back to `target`, the shortest first found; false: none.
static bool reaches(const struct ks_skill_list *skills, const struct ks_skill *skill,
                    const struct ks_skill *target, bool *seen, struct ks_buf *path)
{
    size_t length = path->len;
    for (size_t i = 0; i < skill->after.len; i++) {
        const struct ks_skill *next = ks_skill_find(skills, skill->after.at[i]);
        if (next == NULL || seen[next - skills->at])
            continue;
        seen[next - skills->at] = true;
        ks_buf_printf(path, " after %s", next->id);
        if (next == target || reaches(skills, next, target, seen, path))
            return true;
        path->len = length;
        path->data[length] = '\0';
    }
    return false;
}

static void check_after(struct check *c, const struct ks_skill_list *skills,
                        const struct ks_skill_list *others)
{
    const struct ks_skill *s = c->skill;
    for (size_t i = 0; i < s->after.len; i++)
        if (ks_skill_find(skills, s->after.at[i]) == NULL &&
            (others == NULL || ks_skill_find(others, s->after.at[i]) == NULL))
            FOUND(c, s->after_line, false, "`after` names `%s`, and no skill is called so; `ks skills list` has them",
                  s->after.at[i]);
    struct ks_buf path = KS_BUF(16u << 10);
    bool *seen = KS_NEW_ARRAY(c->arena, bool, skills->len + 1);
    ks_buf_puts(&path, s->id);
    if (reaches(skills, s, s, seen, &path))
        FOUND(c, s->after_line, true, "contradiction: `after` runs in a circle: %s; take one out",
              ks_buf_text(&path));
    ks_buf_free(&path);
}

static void check_conditions(struct check *c)
{
    struct all_conditions all = gather(c);
    check_duplicates(c, &all);
    check_each(c, &all);
    check_gate(c, &all);
    check_pairs(c, &all, 0, all.requires_);
    check_pairs(c, &all, all.gate, all.len);
}

static void check_alone(struct check *c, const struct ks_skill_list *skills, const struct ks_skill_list *others)
{
    check_parts(c);
    check_conditions(c);
    check_after(c, skills, others);
}

const char *ks_skill_contradiction(struct ks_arena *arena, const struct ks_skill_list *skills,
                                   const struct ks_skill *skill)
{
    struct ks_finding_list findings = {0};
    struct check c = {arena, skill, &findings};
    check_conditions(&c);
    check_after(&c, skills, NULL);
    ks_vec_each(struct ks_finding, f, &findings)
        if (f->contradiction)
            return ks_arena_printf(arena, "%s:%d: %s", f->file, f->line, f->text);
    return NULL;
}

bool ks_skill_takes(struct ks_arena *arena, const struct ks_skill *skill, const struct ks_condition *condition)
{
    struct ks_finding_list findings = {0};
    struct ks_skill with = *skill;
    struct check c = {arena, &with, &findings};
    with.when.at = KS_NEW_ARRAY(arena, struct ks_condition, skill->when.len + 1);
    for (size_t i = 0; i < skill->when.len; i++)
        with.when.at[i] = skill->when.at[i];
    with.when.at[with.when.len++] = *condition;
    check_conditions(&c);
    return findings.len == 0;
}

void ks_skills_check(struct ks_arena *arena, const struct ks_skill_list *skills,
                     const struct ks_skill_list *others, struct ks_finding_list *findings)
{
    ks_vec_each(struct ks_skill, skill, skills) {
        struct check c = {arena, skill, findings};
        check_alone(&c, skills, others);
        for (const struct ks_skill *other = skills->at; other < skill; other++)
            check_pair(&c, other);
    }
}

void ks_skill_check_rest(struct ks_arena *arena, const struct ks_skill *skill, const struct ks_skill_list *skills,
                         const struct ks_skill_list *others, struct ks_finding_list *findings)
{
    struct check c = {arena, skill, findings};
    struct ks_skill_list with = {0}; // a circle may run through it
    ks_vec_each(struct ks_skill, other, skills) *ks_vec_push(arena, &with) = *other;
    *ks_vec_push(arena, &with) = *skill;
    c.skill = &with.at[with.len - 1];
    check_alone(&c, &with, others);
}
