// ks skills lint: every file of a folder, all that is wrong with it, and the lattice of profile points.
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "app/verb_skills.h"
#include "engine/template.h"
#include "engine/transform.h"
#include "fmt/json.h"
#include "memory/lattice.h"
#include "memory/skill_check.h"
#include "os/file.h"

struct lint {
    struct ks_verb_context *context;
    const char *folder;
    struct ks_skill_list skills, misread; // the latter's files say something that cannot be read
    struct ks_finding_list findings;
    struct ks_lattice lattice;
    size_t directions, contradictions;
};

static enum ks_status read_all(struct lint *l, struct ks_err *err)
{
    struct ks_arena *arena = l->context->arena;
    struct ks_strv names = {0};
    KS_TRY(ks_dir_list(arena, l->folder, &names, err));
    for (size_t i = 0; i < names.len; i++) {
        struct ks_skill skill;
        const char *path = ks_path_join(arena, l->folder, names.at[i]);
        if (!ks_ends_with(path, ".yaml"))
            continue;
        bool whole = ks_skill_read_all(arena, path, &skill, &l->findings);
        const struct ks_skill *other = skill.misread != ~0u && skill.id[0] != '\0' ? ks_skill_find(&l->skills, skill.id) : NULL;
        if (other != NULL)
            ks_finding_add(arena, &l->findings, path, 1, false, "`%s` is also the id of %s; rename one",
                           skill.id, other->file);
        else if (whole)
            *ks_vec_push(arena, &l->skills) = skill;
        else if (skill.misread != ~0u)
            *ks_vec_push(arena, &l->misread) = skill;
    }
    return KS_OK;
}

// ---- actions

struct action_check {
    struct ks_verb_context *context;
    struct ks_finding_list *findings;
};

#define FOUND(c, skill, ...)                                                                       \
    ks_finding_add((c)->context->arena, (c)->findings, (skill)->file, (skill)->action_line, false, __VA_ARGS__)

static bool has(const char *const *words, const char *word)
{
    for (; words != NULL && *words != NULL; words++)
        if (strcmp(*words, word) == 0)
            return true;
    return false;
}

static void check_transform(const struct action_check *c, const struct ks_skill *s)
{
    struct ks_arena *arena = c->context->arena;
    const char *const *takes = ks_transform_params(s->transform);
    if (takes == NULL) {
        const char *near = ks_nearest_word(s->transform, ks_transform_names());
        FOUND(c, s, "no transform is called `%s`%s%s%s", s->transform, near != NULL ? "; do you mean `" : "",
              near != NULL ? near : "; docs/skills.md lists them", near != NULL ? "`?" : "");
        return;
    }
    for (size_t p = 0; p < s->n_params; p++) {
        if (!has(takes, s->param_names[p]))
            FOUND(c, s, "the transform `%s` has no parameter `%s`; docs/skills.md lists them", s->transform,
                  s->param_names[p]);
        for (const char **value = s->param_values[p]; *value != NULL; value++) {
            struct ks_options options = {0};
            struct ks_err err = {0};
            if (ks_options_read(ks_arena_printf(arena, "%s=%s", s->param_names[p], *value), &options, &err))
                FOUND(c, s, "%s", err.text);
        }
    }
}

static void check_template(const struct action_check *c, const struct ks_skill *s)
{
    struct ks_arena *arena = c->context->arena;
    struct ks_slice text;
    struct ks_yaml *root;
    struct ks_err err = {0};
    const char *path = ks_arena_printf(arena, "%s/skills/templates/%s.yaml", c->context->config.share_dir,
                                       s->template_);
    if (ks_file_read(arena, path, 1u << 20, &text, &err) != KS_OK ||
        ks_yaml_parse(arena, path, text, &root, &err) != KS_OK) {
        FOUND(c, s, "no template `%s` can be read: %s", s->template_, err.text);
        return;
    }
    if (ks_template_check(arena, ks_path_join(arena, c->context->config.share_dir, "skills/templates"), s->template_,
                          &err) != KS_OK)
        FOUND(c, s, "the template `%s` is wrong: %s", s->template_, err.text);
    for (size_t p = 0; p < s->n_params; p++)
        if (ks_yaml_get(ks_yaml_get(root, "settings"), s->param_names[p]) == NULL)
            FOUND(c, s, "the template `%s` has no setting `%s`; %s lists them", s->template_,
                  s->param_names[p], path);
}

void verb_skill_check_action(struct ks_verb_context *context, const struct ks_skill *s,
                             struct ks_finding_list *findings)
{
    const struct action_check c = {context, findings};
    if (s->transform != NULL)
        check_transform(&c, s);
    else if (s->template_ != NULL)
        check_template(&c, s);
    for (size_t p = 0; p < s->n_params; p++)
        if (s->param_values[p][0] == NULL)
            FOUND(&c, s, "the parameter `%s` has no values: nothing would be tried", s->param_names[p]);
}

static void count(struct lint *l)
{
    for (size_t i = 0; i < l->skills.len; i++) {
        bool seen = false;
        for (size_t k = 0; k < i && !seen; k++)
            seen = strcmp(l->skills.at[k].direction, l->skills.at[i].direction) == 0;
        l->directions += !seen;
    }
    ks_vec_each(struct ks_finding, f, &l->findings) l->contradictions += f->contradiction;
}

// ---- report

static double share(const struct ks_lattice *lattice)
{
    return lattice->points > 0 ? 100 * lattice->uncovered / lattice->points : 0;
}

static void print_json(const struct lint *l)
{
    const struct ks_lattice *p = &l->lattice;
    json_t *report = ks_json_report("ks.lint"), *findings = json_array(), *lattice = json_object();
    ks_vec_each(struct ks_finding, f, &l->findings)
        json_array_append_new(findings, json_pack("{s:s,s:i,s:b,s:s}", "file", f->file, "line", f->line,
                                                  "contradiction", f->contradiction, "text", f->text));
    json_object_set_new(lattice, "facts", json_integer((json_int_t)p->facts));
    json_object_set_new(lattice, "points", json_real(p->points));
    json_object_set_new(lattice, "uncovered", json_real(p->uncovered));
    json_object_set_new(lattice, "uncovered_pct", json_real(share(p)));
    json_object_set_new(lattice, "contradictions", json_integer((json_int_t)l->contradictions));
    json_object_set_new(lattice, "complete", json_boolean(p->complete));
    json_object_set_new(lattice, "parts", json_integer((json_int_t)p->steps));
    json_object_set_new(lattice, "example", p->example != NULL ? json_string(p->example) : json_null());
    json_object_set_new(lattice, "sampled", json_integer((json_int_t)p->sampled));
    json_object_set_new(lattice, "with_action_pct", json_real(100 * p->with_action));
    json_object_set_new(lattice, "skills_a_point", json_real(p->skills));
    json_object_set_new(report, "folder", json_string(l->folder));
    json_object_set_new(report, "skills", json_integer((json_int_t)l->skills.len));
    json_object_set_new(report, "directions", json_integer((json_int_t)l->directions));
    json_object_set_new(report, "findings", findings);
    json_object_set_new(report, "lattice", lattice);
    ks_json_print(report);
}

static void print(const struct lint *l)
{
    const struct ks_lattice *p = &l->lattice;
    ks_vec_each(struct ks_finding, f, &l->findings)
        fprintf(stderr, "%s:%d: %s\n", f->file, f->line, f->text);
    printf("%zu skills in %s, %zu directions, %s\n", l->skills.len, l->folder, l->directions,
           l->findings.len == 0 ? "nothing wrong" : "not as they should be");
    printf("lattice: %.3g points (%zu facts that conditions speak of, each in its ranges or unknown),\n"
           "  %s%.3g uncovered (%.3g %%), %zu contradictions; decided in %zu parts\n",
           p->points, p->facts, p->complete ? "" : "at least ", p->uncovered, share(p), l->contradictions,
           p->steps);
    if (p->example != NULL)
        printf("  uncovered: %s\n", p->example);
    printf("  of %zu points drawn at random %.0f %% have a skill with an action; %.1f skills a point\n",
           p->sampled, 100 * p->with_action, p->skills);
}

static void check_action(struct lint *l, const struct ks_skill *s)
{
    if (s->action_line == 0)
        ks_finding_add(l->context->arena, &l->findings, s->file, s->line, false,
                       "the skill has no `action`: name a transform or a template, or write none");
    verb_skill_check_action(l->context, s, &l->findings);
}

static int by_place(const void *a, const void *b)
{
    const struct ks_finding *x = a, *y = b;
    int order = strcmp(x->file, y->file);
    order = order != 0 ? order : x->line - y->line;
    return order != 0 ? order : strcmp(x->text, y->text);
}

int verb_skills_lint(struct ks_verb_context *context, const char *folder, bool cover)
{
    struct ks_arena *arena = context->arena;
    struct lint l = {.context = context, .folder = folder};
    struct ks_err err = {0};
    struct ks_skill_list installed = {0};
    const char *own = ks_path_join(arena, context->config.share_dir, "skills/expert");
    if (folder == NULL)
        l.folder = own;
    else
        ks_skills_load(arena, own, true, &installed, NULL);
    if (read_all(&l, &err) != KS_OK) {
        if (err.status == KS_E_ABSENT && folder != NULL)
            ks_err_set(&err, KS_E_USER, "%s: no such folder", folder);
        return verb_fail(context, &err);
    }
    ks_vec_each(struct ks_skill, s, &l.misread) {
        ks_skill_check_rest(arena, s, &l.skills, &installed, &l.findings);
        check_action(&l, s);
        *ks_vec_push(arena, &installed) = *s; // which others may name
    }
    ks_skills_check(arena, &l.skills, &installed, &l.findings);
    ks_vec_each(struct ks_skill, s, &l.skills) check_action(&l, s);
    ks_lattice_count(arena, &l.skills, &l.lattice);
    // A folder of one's own need not answer for every kernel, unless it is asked to: the installed skills do.
    if ((folder == NULL || cover) && (l.lattice.uncovered > 0 || !l.lattice.complete))
        ks_finding_add(arena, &l.findings, l.folder, 1, false, "the lattice of profile points is not %s "
                       "covered; add a skill for: %s", l.lattice.complete ? "wholly" : "shown to be",
                       l.lattice.example != NULL ? l.lattice.example : "what is not decided");
    if (l.findings.len > 1)
        qsort(l.findings.at, l.findings.len, sizeof *l.findings.at, by_place);
    count(&l);
    if (context->json)
        print_json(&l);
    else
        print(&l);
    return l.findings.len == 0 ? EXIT_OK : EXIT_USAGE;
}
