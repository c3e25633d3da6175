// ks explain --why FILE.cu:KERNEL: which skills would be tried, and every number behind that.
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "app/verb_decision.h"
#include "app/verb_device.h"
#include "app/verb_problems.h"
#include "base/log.h"
#include "engine/edit.h"
#include "engine/engine.h"
#include "fmt/json.h"
#include "memory/library.h"
#include "memory/structure.h"
#include "os/file.h"
#include "search/choose.h"

struct why {
    struct ks_verb_context *context;
    struct verb_tu tu;
    struct ks_device_info device;
    bool have_device;
    struct ks_skill_list skills;
    struct ks_outcomes *outcomes; // NULL: no memory
    struct ks_skill_stat *stats; size_t n_stats;
    const char *template_dir;
    json_t *rows;
};

// One kernel, and one skill of it.
struct reasons {
    const struct ks_tu_kernel *kernel;
    struct ks_brief brief;
    struct ks_profile profile;
    bool profiled;          // the last tuning's profile is kept
    const char *structure, *workload;
    struct ks_ranked_skill *ranked; size_t n_ranked;
};
struct action {
    size_t candidates;
    const char *refusal;    // NULL: none
    const char *recognised; // what a template says that the kernel is; NULL: none does
    const char *binding;    // the same, role by role
};

// ---- what is known of the kernel

// The profile that tuning kept under the key: its facts and class.
static bool kept_profile(struct why *w, struct reasons *r)
{
    struct ks_arena *arena = w->context->arena;
    const char *dir = w->context->config.state_dir, *name;
    char hex[KS_HASH_TEXT];
    struct ks_slice text;
    json_t *value;
    if (dir == NULL)
        return false;
    ks_digest_hex(&r->kernel->key, hex);
    const char *path = ks_arena_printf(arena, "%s/profiles/%s.json", dir, hex);
    if (ks_file_read(arena, path, 4u << 20, &text, NULL) != KS_OK)
        return false;
    json_t *root = json_loadb(text.at, text.len, 0, NULL);
    const char *bottleneck = json_string_value(json_object_get(root, "bottleneck"));
    if (bottleneck == NULL) {
        json_decref(root);
        ks_warn("%s cannot be read; the skills are explained without it", path);
        return false;
    }
    r->profile.bottleneck = ks_arena_strdup(arena, bottleneck);
    json_object_foreach(json_object_get(root, "facts"), name, value)
        if (json_is_number(value))
            ks_fact_set(arena, &r->profile.facts, name, json_number_value(value));
    json_decref(root);
    return true;
}

static enum ks_status gather(struct why *w, struct reasons *r, struct ks_err *err)
{
    struct ks_arena *arena = w->context->arena;
    struct ks_problem *problems;
    size_t at;
    KS_TRY(verb_problems(arena, r->kernel, 0, &problems, &at, err));
    KS_TRY(ks_choose_brief(arena, &w->tu.tu, r->kernel, problems, r->kernel->mark->mark->n_workloads,
                           w->have_device ? &w->device : NULL, &r->brief, err));
    r->workload = problems[at].name;
    r->profiled = kept_profile(w, r);
    r->n_ranked = ks_choose_skills(arena, &w->skills, &r->brief, r->profiled ? &r->profile : NULL,
                                   w->outcomes, r->kernel->arch, &r->ranked);
    r->structure = ks_structure_of(&r->brief.facts);
    return KS_OK;
}

// How often the metric that a skill names moved with its gains.
static void predicted(const struct why *w, const struct ks_skill *skill, int *agreed, int *denied)
{
    *agreed = *denied = 0;
    for (size_t i = 0; i < w->n_stats; i++)
        if (strcmp(w->stats[i].skill, skill->id) == 0) {
            *agreed = w->stats[i].agreed;
            *denied = w->stats[i].denied;
        }
}

static enum ks_status try_action(struct why *w, const struct reasons *r, const struct ks_skill *skill,
                                 struct action *action, struct ks_err *err)
{
    struct ks_candidate_list all = {0};
    *action = (struct action){0};
    struct ks_err local = {0};
    enum ks_status status = ks_engine_propose(w->context->arena, &r->brief, skill, w->template_dir, &all,
                                              &action->refusal, &local);
    if (status == KS_E_MEMORY || status == KS_E_INTERRUPTED)
        return ks_err_set(err, status, "%s", local.text);
    if (status != KS_OK) // a file that is wrong
        action->refusal = ks_arena_printf(w->context->arena, "%s:%d: %s", skill->file, skill->action_line, local.text);
    action->candidates = all.len;
    action->recognised = all.len > 0 ? all.at[0].recognised : NULL;
    action->binding = all.len > 0 ? all.at[0].binding : NULL;
    return KS_OK;
}

static const char *action_name(struct ks_arena *arena, const struct ks_skill *s)
{
    return s->transform != NULL   ? ks_arena_printf(arena, "transform %s", s->transform)
           : s->template_ != NULL ? ks_arena_printf(arena, "template %s", s->template_)
                                  : "advice";
}

// ---- report

static void add_conditions(json_t *out, const char *list, const struct ks_conditions *conditions,
                           const struct ks_fact_list *facts)
{
    for (size_t i = 0; i < conditions->len; i++) {
        const struct ks_condition *c = &conditions->at[i];
        double value;
        json_t *row = json_pack("{s:s,s:s,s:f,s:s}", "list", list, "condition", c->text, "weight", c->weight,
                                "truth", ks_truth_name(ks_condition_eval(c, facts)));
        json_object_set_new(row, "value",
                            ks_fact_get(facts, c->fact, &value) ? json_real(value) : json_null());
        json_array_append_new(out, row);
    }
}

static json_t *skill_json(struct why *w, const struct reasons *r, const struct ks_skill *s,
                          const struct ks_ranked_skill *ranked, const struct action *action)
{
    json_t *conditions = json_array();
    int agreed, denied;
    predicted(w, s, &agreed, &denied);
    json_t *row = json_pack("{s:s,s:s,s:s,s:b,s:s}", "skill", s->id, "title", s->title, "direction",
                            s->direction, "applies", ranked != NULL, "action",
                            action_name(w->context->arena, s));
    add_conditions(conditions, "when", &s->when, &r->brief.facts);
    add_conditions(conditions, "requires", &s->requires_, &r->brief.facts);
    add_conditions(conditions, "forbids", &s->forbids, &r->brief.facts);
    json_object_set_new(row, "score", ranked != NULL ? json_real(ranked->score) : json_null());
    json_object_set_new(row, "evidence", ranked != NULL ? json_real(ranked->evidence) : json_null());
    json_object_set_new(row, "attempts", json_integer(ranked != NULL ? ranked->n : 0));
    json_object_set_new(row, "feasible", ranked != NULL ? json_real(ranked->feasible) : json_null());
    json_object_set_new(row, "gain", ranked != NULL ? json_real(exp(ranked->gain)) : json_null());
    json_object_set_new(row, "agreed", json_integer(agreed));
    json_object_set_new(row, "denied", json_integer(denied));
    json_object_set_new(row, "candidates", json_integer((json_int_t)action->candidates));
    json_object_set_new(row, "recognised", action->recognised != NULL ? json_string(action->recognised) : json_null());
    json_object_set_new(row, "binding", action->binding != NULL ? json_string(action->binding) : json_null());
    json_object_set_new(row, "refusal", action->refusal != NULL ? json_string(action->refusal) : json_null());
    json_object_set_new(row, "conditions", conditions);
    return row;
}

static void print_conditions(const char *label, const struct ks_conditions *conditions,
                             const struct ks_fact_list *facts)
{
    for (size_t i = 0; i < conditions->len; i++) {
        const struct ks_condition *c = &conditions->at[i];
        double value;
        printf("        %-8s  %-34s %s", i == 0 ? label : "", c->text,
               ks_truth_name(ks_condition_eval(c, facts)));
        if (ks_fact_get(facts, c->fact, &value))
            printf(" %.4g", value);
        if (c->weight != 1)
            printf("  (weight %g)", c->weight);
        printf("\n");
    }
}

static void print_skill(struct why *w, const struct reasons *r, const struct ks_ranked_skill *ranked,
                        const struct action *action)
{
    const struct ks_skill *s = ranked->skill;
    printf("  %4.2f  %s  %s: %s\n", ranked->score, s->id, s->direction, s->title);
    print_conditions("when", &s->when, &r->brief.facts);
    print_conditions("requires", &s->requires_, &r->brief.facts);
    print_conditions("forbids", &s->forbids, &r->brief.facts);
    if (ranked->n > 0)
        printf("        memory    %d attempts here and elsewhere: %.0f %% verify, %.2fx when they do\n", ranked->n,
               100 * ranked->feasible, exp(ranked->gain));
    int agreed, denied;
    predicted(w, s, &agreed, &denied);
    if (agreed + denied > 0)
        printf("        predicted %s moved as it says with %d of %d gains\n", s->expect_metric, agreed, agreed + denied);
    printf("        action    %s", action_name(w->context->arena, s));
    if (action->candidates > 0)
        printf(": %zu candidate%s", action->candidates, action->candidates == 1 ? "" : "s");
    if (action->recognised != NULL)
        printf("; this is %s", action->recognised);
    else if (action->candidates > 0 && s->template_ != NULL)
        printf("; by types and extents alone, for no small run of the kernel could tell");
    if (action->candidates == 0 && action->refusal != NULL)
        printf(" refuses: %s", action->refusal);
    else if (action->candidates == 0 && (s->transform != NULL || s->template_ != NULL))
        printf(": no candidate");
    printf("\n");
}

// The condition that keeps a skill out.
static void print_excluded(const struct ks_skill *s, const struct ks_fact_list *facts)
{
    const struct ks_condition *shut = NULL;
    const char *list = "requires";
    double value = 0;
    for (size_t i = 0; i < s->requires_.len && shut == NULL; i++)
        if (ks_condition_eval(&s->requires_.at[i], facts) == KS_FALSE)
            shut = &s->requires_.at[i];
    for (size_t i = 0; i < s->forbids.len && shut == NULL; i++)
        if (ks_condition_eval(&s->forbids.at[i], facts) == KS_TRUE) {
            shut = &s->forbids.at[i];
            list = "forbids";
        }
    if (shut == NULL)
        return;
    ks_fact_get(facts, shut->fact, &value);
    printf("    %-28s %s %s, and it is %.4g\n", s->id, list, shut->text, value);
}

static const struct ks_ranked_skill *rank_of(const struct reasons *r, const struct ks_skill *skill)
{
    for (size_t i = 0; i < r->n_ranked; i++)
        if (r->ranked[i].skill == skill)
            return &r->ranked[i];
    return NULL;
}

// Whether any evidence is true.
static bool speaks(const struct ks_skill *s, const struct ks_fact_list *facts)
{
    for (size_t i = 0; i < s->when.len; i++)
        if (ks_condition_eval(&s->when.at[i], facts) == KS_TRUE)
            return true;
    return false;
}

static void print_head(const struct reasons *r)
{
    printf("%s (%s:%d), sm_%d, on %s\n", verb_kernel_name(r->kernel), r->kernel->mark->file->path,
           r->kernel->mark->decl->line, r->kernel->arch, r->workload);
    printf("  structure: %s; bottleneck: %s\n", r->structure,
           r->profiled ? r->profile.bottleneck
                       : "unknown, for no tuning has left a profile of it; conditions on counters count half");
}

// Loops and how accesses lie in memory, as far as the text tells: a line each.
static json_t *text_lines(const struct why *w, const struct reasons *r)
{
    struct ks_buf text = KS_BUF(1 << 16);
    json_t *lines = json_array();
    if (ks_engine_describe(w->context->arena, &r->brief, &text) == KS_OK)
        for (char *rest, *line = strtok_r(ks_arena_strdup(w->context->arena, ks_buf_text(&text)), "\n", &rest);
             line != NULL; line = strtok_r(NULL, "\n", &rest))
            json_array_append_new(lines, json_string(line));
    ks_buf_free(&text);
    return lines;
}

static json_t *facts_json(const struct ks_fact_list *facts)
{
    json_t *out = json_object();
    ks_vec_each(struct ks_fact, f, facts) json_object_set_new(out, f->name, json_real(f->value));
    return out;
}

static void print_text(const struct why *w, const struct reasons *r, const json_t *lines)
{
    struct ks_buf text = KS_BUF(1 << 16);
    for (size_t i = 0; i < json_array_size(lines); i++)
        printf("  %s\n", json_string_value(json_array_get(lines, i)));
    int compared = r->profiled ? ks_engine_cross_check(w->context->arena, &r->brief, &r->profile.facts, NULL, 0, &text) : 0;
    if (compared > 0 && text.len == 0)
        printf("  the counts agree with the text, as far as they can be compared (%d)\n", compared);
    printf("%s", ks_text_indent(w->context->arena, ks_buf_text(&text), 2));
    ks_buf_free(&text);
}

// What a mark can say otherwise, once for all templates.
static void add_unrecognised(const struct why *w, const struct reasons *r, json_t *lines)
{
    struct ks_arena *arena = w->context->arena;
    const char *not_run = ks_engine_not_run(arena, &r->brief);
    if (not_run == NULL)
        return;
    const char *said = ks_arena_printf(arena, "line %d: no small run tells what it computes: %s",
                                       r->kernel->mark->decl->line, not_run);
    json_array_append_new(lines, json_string(said));
    if (!w->context->json)
        printf("  %s\n", said);
}

static enum ks_status explain(struct why *w, const struct ks_tu_kernel *kernel, struct ks_err *err)
{
    struct reasons r = {.kernel = kernel};
    char hex[KS_HASH_TEXT];
    size_t excluded = 0, unknown = 0, unfit = 0;
    bool recognised = false;
    KS_TRY(gather(w, &r, err));
    json_t *skills = json_array();
    if (!w->context->json)
        print_head(&r);
    json_t *text = text_lines(w, &r);
    if (!w->context->json)
        print_text(w, &r, text);
    for (size_t i = 0; i < r.n_ranked; i++) {
        struct action action;
        KS_TRY(try_action(w, &r, r.ranked[i].skill, &action, err));
        recognised |= action.recognised != NULL;
        if (w->context->json)
            json_array_append_new(skills, skill_json(w, &r, r.ranked[i].skill, &r.ranked[i], &action));
        else if (ks_engine_fits_none(action.refusal))
            unfit++;
        else if (speaks(r.ranked[i].skill, &r.brief.facts) || action.candidates > 0 || action.refusal != NULL)
            print_skill(w, &r, &r.ranked[i], &action);
        else
            unknown++;
    }
    if (unfit > 0)
        printf("  and %zu whose templates fit no assignment of the parameters by types, directions and extents (--json has "
               "all)\n", unfit);
    if (unknown > 0 && !w->context->json)
        printf("  and %zu, all advice, that nothing speaks for (--json has all)\n", unknown);
    if (!recognised)
        add_unrecognised(w, &r, text);
    ks_vec_each(struct ks_skill, s, &w->skills) {
        const struct action none = {0};
        if (rank_of(&r, s) != NULL)
            continue;
        if (w->context->json)
            json_array_append_new(skills, skill_json(w, &r, s, NULL, &none));
        else if (excluded++ == 0)
            printf("  kept out by their gates:\n");
        if (!w->context->json)
            print_excluded(s, &r.brief.facts);
    }
    ks_digest_hex(&kernel->key, hex);
    json_t *row = json_pack("{s:s,s:s,s:i,s:s,s:s,s:s,s:s,s:o}", "kernel", verb_kernel_name(kernel), "file",
                            kernel->mark->file->path, "line", kernel->mark->decl->line, "key", hex,
                            "workload", r.workload, "structure", r.structure, "bottleneck",
                            r.profiled ? r.profile.bottleneck : "unknown", "skills", skills);
    json_object_set_new(row, "arch", json_sprintf("sm_%d", kernel->arch));
    json_object_set_new(row, "text", text);
    json_object_set_new(row, "facts", facts_json(&r.brief.facts));
    json_array_append_new(w->rows, row);
    return KS_OK;
}

static void open_memory(struct why *w)
{
    struct ks_err err = {0};
    if (ks_outcomes_look(&w->context->config, &w->outcomes, &err) != KS_OK)
        ks_warn("%s; skills are ranked without memory", err.text);
    if (w->outcomes != NULL &&
        ks_outcomes_stats(w->context->arena, w->outcomes, &w->stats, &w->n_stats, &err) != KS_OK)
        ks_warn("%s", err.text);
}

static enum ks_status explain_file(struct why *w, const char *file, const char *kernel,
                                   const char *const *words, struct ks_err *err)
{
    struct ks_verb_context *context = w->context;
    size_t matched = 0;
    struct ks_library library;
    open_memory(w);
    KS_TRY(ks_library_load(context->arena, &context->config, w->outcomes, false, &library, err));
    w->skills = library.skills;
    // Without a GPU the size of its L2 stays unknown, and nothing else.
    w->have_device = verb_device_ask(context, &w->device, NULL) == KS_OK;
    const char *own[] = {ks_arena_printf(context->arena, "-arch=sm_%d", w->device.arch), NULL};
    const char *how = NULL;
    if (words == NULL)
        words = w->have_device ? own : verb_known_words(context, &file, &how);
    KS_TRY(verb_tu_open_partly(context, file, words, &w->tu, err));
    if (how != NULL && !context->json)
        printf("compiled %s; give the options of another compile behind --\n", how);
    for (size_t i = 0; i < w->tu.tu.n_kernels; i++) {
        const struct ks_tu_kernel *k = &w->tu.tu.kernels[i];
        if (!verb_kernel_is(context->arena, k, kernel))
            continue;
        matched++;
        if (k->ptx == NULL || k->signature == NULL || k->mark->mark->problem != NULL)
            fprintf(stderr, "ks explain: %s: %s\n", verb_kernel_name(k), ks_reason_text(k->reason));
        else
            KS_TRY(explain(w, k, err));
    }
    return matched > 0 ? KS_OK : verb_no_kernel(&w->tu, kernel, err);
}

int verb_why(struct ks_verb_context *context, const char *target, const char *const *words)
{
    struct why w = {.context = context, .rows = json_array()};
    struct ks_err err = {0};
    const char *file, *kernel;
    verb_split_target(context->arena, target, &file, &kernel);
    w.template_dir = ks_path_join(context->arena, context->config.share_dir, "skills/templates");
    enum ks_status status = ks_file_exists(file)
                                ? explain_file(&w, file, kernel, words, &err)
                                : ks_err_set(&err, KS_E_USER, "%s: no such file; --why takes FILE.cu or "
                                             "FILE.cu:KERNEL", file);
    int exit_code = status == KS_OK ? verb_tell_mistakes(context, &w.tu) : EXIT_OK;
    verb_tu_close(&w.tu);
    ks_outcomes_close(w.outcomes);
    if (status != KS_OK || !context->json) {
        json_decref(w.rows);
        return status != KS_OK ? verb_fail(context, &err) : exit_code;
    }
    json_t *report = ks_json_report("ks.why");
    json_object_set_new(report, "kernels", w.rows);
    ks_json_print(report);
    return exit_code;
}
