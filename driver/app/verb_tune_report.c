// What tuning says of each kernel: lines for people (stderr inside a build, whose stdout belongs to
// the compiler), a row for --json, and the profile that `ks show` prints later.
#include <stdio.h>
#include <string.h>

#include "app/verb_decision.h"
#include "app/verb_tune.h"
#include "base/log.h"
#include "os/file.h"

static FILE *stream(const struct tuning *tuning)
{
    return tuning->in_build || tuning->context->json ? stderr : stdout;
}

static void say_path(FILE *out, const struct ks_tune_result *result, const char *when)
{
    if (ks_evidence_notes(&result->variant.evidence, KS_NOTE_ASSERT))
        fprintf(out, "ks:   " KS_NOTE_ASSERT "\n");
    fprintf(out, "ks:   stored %s%s\n", result->path, when);
}

static void say_variant(FILE *out, struct ks_arena *arena, const char *name, const struct ks_tune_result *result)
{
    const struct ks_variant *v = &result->variant;
    if (v->speed == KS_S_MODELLED) {
        fprintf(out, "ks: %s: %.2fx faster, modelled, not measured (%s); %d judged in %.0f s\n", name,
                v->geomean, v->n_skills > 0 ? v->skills[0] : v->proposer, result->judged,
                result->seconds);
        for (size_t i = 0; i < v->evidence.n_timings; i++) {
            const struct ks_timing *t = &v->evidence.timings[i];
            fprintf(out, "ks:   %s: %.1f us -> %.1f us (%.2fx, %s)\n", t->workload, t->original_us,
                    t->variant_us, t->ratio, t->method);
        }
        say_path(out, result, "; builds take it with KS_ACCEPT=modelled");
        return;
    }
    fprintf(out, "ks: %s: %.2fx faster, at least %.2fx (%s); %d judged in %.0f s\n", name,
            v->geomean, v->lower, v->n_skills > 0 ? v->skills[0] : v->proposer, result->judged, result->seconds);
    for (size_t i = 0; i < v->evidence.n_timings; i++) {
        const struct ks_timing *t = &v->evidence.timings[i];
        fprintf(out, "ks:   %s: %.1f us -> %.1f us (%.3fx, lower bound %.3fx, %d pairs, %s%s)\n",
                t->workload, t->original_us, t->variant_us, t->ratio, t->lower, t->pairs, t->method,
                t->warm > 0 ? ks_arena_printf(arena, "; %.3fx with its arrays in L2", t->warm) : "");
    }
    say_path(out, result, "");
}

// What was confirmed met what was stored before: which of them builds take.
static void say_meetings(FILE *out, struct ks_arena *arena, const struct ks_tune_result *result)
{
    for (size_t i = 0; i < result->n_meetings; i++) {
        const struct ks_meeting *m = &result->meetings[i];
        fprintf(out, "ks:   the stored variant %s %s%s%s: %s\n", m->variant,
                m->replaced ? "stands behind it" : "stays in front", m->workload[0] != '\0' ? " on " : "", m->workload,
                ks_meeting_text(arena, m));
    }
}

// What models were asked and what came of it, one line.
static void say_agents(FILE *out, const char *name, const struct ks_consult_counts *c)
{
    const struct ks_spend *s = c->spend;
    fprintf(out, "ks: %s: %d questions, %d answers, %d proposals", name, c->asked, c->answered, c->proposed);
    for (int i = 0; i < KS_REFUSALS; i++)
        if (c->refused[i] > 0)
            fprintf(out, ", %d %s", c->refused[i], ks_refusal_name((enum ks_refusal)i));
    for (size_t i = 0; c->n_models > 1 && i < c->n_models; i++)
        fprintf(out, ", %d by %s", c->models[i].asked, c->models[i].name);
    if (c->waiting > 0)
        fprintf(out, ", %d awaited", c->waiting);
    if (c->ranked > 0)
        fprintf(out, ", %d choices of skills", c->ranked);
    if (c->planned > 0)
        fprintf(out, ", %d plans", c->planned);
    if (c->rejected > 0)
        fprintf(out, ", %d rejected in review", c->rejected);
    if (s->requests > 0)
        fprintf(out, "; %lld requests, %lld tokens%s", (long long)s->requests,
                (long long)(s->tokens_in + s->tokens_out), s->untold > 0 ? " at most" : "");
    if (s->money > 0)
        fprintf(out, ", cost %.4g", s->money);
    fprintf(out, "%s%s\n", c->stopped != NULL ? "; stopped: " : "", c->stopped != NULL ? c->stopped : "");
}

// "24 looked at, 21 of them not right, mostly: ...; ", or "0 looked at (unroll: line 9: ... is not understood); "
static const char *looked(struct ks_arena *arena, const struct ks_tune_result *result)
{
    const char *text = ks_arena_printf(arena, "%d looked at", result->screened + result->recalled);
    if (result->wrong > 0)
        text = ks_arena_printf(arena, "%s, %d of them not right%s%s", text, result->wrong,
                               result->wrong_most != NULL ? ", mostly: " : "",
                               result->wrong_most != NULL ? result->wrong_most : "");
    else if (result->screened + result->recalled == 0 && result->refusal != NULL && !result->at_ceiling)
        text = ks_arena_printf(arena, "%s (%s)", text, result->refusal);
    return ks_arena_printf(arena, "%s; ", text);
}

// Why nothing was tried, or "".
static const char *alone(struct ks_arena *arena, const struct ks_tune_result *result)
{
    const struct ks_profile_floor *floor = &result->profile.floor;
    if (result->profiled && result->at_ceiling)
        return ks_arena_printf(arena, "left alone at %.0f %% of the nearer ceiling; ", ks_profile_share(&result->profile));
    if (!result->at_floor)
        return "";
    return ks_arena_printf(arena, "left alone at the floor of a launch, %.2f us of %.2f us; ", floor->least_us,
                           floor->original_us);
}

static void say(const struct tuning *tuning, const struct ks_tu_kernel *kernel, const char *text,
                const struct ks_tune_result *result)
{
    const char *name = verb_kernel_name(kernel);
    FILE *out = stream(tuning);
    if (result != NULL && result->end == KS_TUNE_PROMPT) {
        fputs(result->prompt, out);
        return;
    }
    if (result != NULL && result->consulted)
        say_agents(out, name, &result->agents);
    if (result != NULL && result->skill != NULL)
        fprintf(out, "ks: %s: a new skill, %s, on probation: `ks skills adopt` tells whether it pays\n", name,
                result->skill);
    if (result != NULL && result->end == KS_TUNE_VARIANT) {
        say_variant(out, tuning->context->arena, name, result);
        say_meetings(out, tuning->context->arena, result);
    } else if (result != NULL && result->end == KS_TUNE_STAYS)
        fprintf(out, "ks: %s: %s; %s%d judged in full in %.0f s\n", name, text,
                looked(tuning->context->arena, result), result->judged, result->seconds);
    else if (result != NULL && result->unrun != NULL)
        fprintf(out, "ks: %s: the original stays: %s (budget spent); nothing is stored\n", name, text);
    else if (result != NULL && (result->end == KS_TUNE_ORIGINAL || result->end == KS_TUNE_BUDGET))
        fprintf(out, "ks: %s: the original stays: %s%s%d judged in full in %.0f s, none %s faster%s%s%s%s\n",
                name, alone(tuning->context->arena, result), looked(tuning->context->arena, result), result->judged, result->seconds,
                result->path != NULL ? "confirmed" : "modelled as",
                result->end == KS_TUNE_BUDGET ? " (budget spent)" : "",
                result->path != NULL ? "" : "; nothing is stored", text[0] != '\0' ? "; the likeliest: " : "", text);
    else
        fprintf(result != NULL ? stderr : out, "ks: %s, sm_%d: %s\n", name, kernel->arch, text);
}

static json_t *meetings_json(struct ks_arena *arena, const struct ks_tune_result *result)
{
    json_t *rows = json_array();
    for (size_t i = 0; result != NULL && i < result->n_meetings; i++) {
        const struct ks_meeting *m = &result->meetings[i];
        json_array_append_new(rows, json_pack("{s:s,s:s,s:s,s:f,s:f,s:s}", "variant", m->variant, "workload",
                                              m->workload, "place", m->replaced ? "before" : "behind", "ratio",
                                              m->ratio, "lower", m->lower, "text", ks_meeting_text(arena, m)));
    }
    return rows;
}

static json_t *new_row(const char *kernel, const char *key, int arch, const char *status,
                       const char *reason, const char *text)
{
    json_t *row = json_object();
    json_object_set_new(row, "kernel", json_string(kernel));
    json_object_set_new(row, "key", key != NULL ? json_string(key) : json_null());
    json_object_set_new(row, "arch", arch > 0 ? json_sprintf("sm_%d", arch) : json_null());
    json_object_set_new(row, "status", json_string(status));
    json_object_set_new(row, "reason", reason != NULL ? json_string(reason) : json_null());
    json_object_set_new(row, "text", json_string(text));
    return row;
}

static json_t *agents_json(const struct ks_consult_counts *c)
{
    json_t *refused = json_object();
    for (int i = 0; i < KS_REFUSALS; i++)
        if (c->refused[i] > 0)
            json_object_set_new(refused, ks_refusal_name((enum ks_refusal)i), json_integer(c->refused[i]));
    json_t *o = json_object();
    json_object_set_new(o, "asked", json_integer(c->asked));
    json_object_set_new(o, "answered", json_integer(c->answered));
    json_object_set_new(o, "proposed", json_integer(c->proposed));
    json_object_set_new(o, "waiting", json_integer(c->waiting));
    json_object_set_new(o, "refused", refused);
    json_object_set_new(o, "ranked", json_integer(c->ranked));
    json_object_set_new(o, "planned", json_integer(c->planned));
    json_object_set_new(o, "rejected", json_integer(c->rejected));
    json_object_set_new(o, "requests", json_integer(c->spend->requests));
    json_object_set_new(o, "tokens_in", json_integer(c->spend->tokens_in));
    json_object_set_new(o, "tokens_out", json_integer(c->spend->tokens_out));
    json_object_set_new(o, "untold", json_integer(c->spend->untold));
    json_object_set_new(o, "money", json_real(c->spend->money));
    json_t *models = json_array();
    for (size_t i = 0; i < c->n_models; i++)
        json_array_append_new(models, json_pack("{s:s,s:i,s:i,s:i,s:i}", "model", c->models[i].name, "asked",
                                                c->models[i].asked, "proposed", c->models[i].proposed, "correct",
                                                c->models[i].correct, "gained", c->models[i].gained));
    json_object_set_new(o, "models", models);
    json_object_set_new(o, "stopped", c->stopped != NULL ? json_string(c->stopped) : json_null());
    return o;
}

static json_t *spent_json(const struct ks_tune_result *result)
{
    json_t *spent = json_object();
    for (int step = 0; step < KS_TUNE_STEPS; step++)
        json_object_set_new(spent, ks_tune_step_name((enum ks_tune_step)step), json_real(result->steps[step].seconds));
    for (int kind = 0; kind < KS_CHECK_COUNT; kind++)
        if (result->checks[kind] > 0)
            json_object_set_new(spent, ks_check_kind_name((enum ks_check_kind)kind), json_real(result->checks[kind]));
    return spent;
}

// The fields of a run, null where it did not come to them.
static void add_result(struct ks_arena *arena, json_t *row, const struct ks_tune_result *result)
{
    const struct ks_variant *v =
        result != NULL && result->end == KS_TUNE_VARIANT ? &result->variant : NULL;
    json_t *profile = result != NULL && result->profiled ? result->profile.json : NULL;
    json_object_set_new(row, "proposed", json_integer(result != NULL ? result->proposed : 0));
    json_object_set_new(row, "screened", json_integer(result != NULL ? result->screened : 0));
    json_object_set_new(row, "recalled", json_integer(result != NULL ? result->recalled : 0));
    json_object_set_new(row, "wrong", json_integer(result != NULL ? result->wrong : 0));
    json_object_set_new(row, "judged", json_integer(result != NULL ? result->judged : 0));
    json_object_set_new(row, "correct", json_integer(result != NULL ? result->correct : 0));
    json_object_set_new(row, "seconds", json_real(result != NULL ? result->seconds : 0));
    json_object_set_new(row, "spent", result != NULL ? spent_json(result) : json_null());
    json_object_set_new(row, "variant", v != NULL ? json_string(v->id) : json_null());
    json_object_set_new(row, "speedup", v != NULL ? json_real(v->geomean) : json_null());
    json_object_set_new(row, "lower", v != NULL ? json_real(v->lower) : json_null());
    json_object_set_new(row, "skill",
                        v != NULL && v->n_skills > 0 ? json_string(v->skills[0]) : json_null());
    json_object_set_new(row, "evidence", v != NULL ? json_string(v->evidence.level) : json_null());
    json_object_set_new(row, "path", result != NULL && result->path != NULL
                                         ? json_string(result->path) : json_null());
    json_object_set_new(row, "timings", v != NULL ? verb_timings_json(&v->evidence) : json_array());
    json_object_set_new(row, "against", meetings_json(arena, result));
    json_object_set_new(row, "agents", result != NULL && result->consulted ? agents_json(&result->agents)
                                                                          : json_null());
    json_object_set_new(row, "profile", profile != NULL ? json_incref(profile) : json_null());
}

void tuning_report(struct tuning *tuning, const struct ks_tu_kernel *kernel, const char *status,
                   enum ks_reason reason, const char *text, const struct ks_tune_result *result)
{
    bool compiled = kernel->reason == KS_R_APPLIED;
    char hex[KS_HASH_TEXT];
    ks_digest_hex(&kernel->key, hex);
    say(tuning, kernel, text, result);
    json_t *row = new_row(verb_kernel_name(kernel), compiled ? hex : NULL, kernel->arch, status,
                          reason != KS_R_COUNT ? ks_reason_name(reason) : NULL, text);
    add_result(tuning->context->arena, row, result);
    json_array_append_new(tuning->rows, row);
}

void tuning_report_skipped(struct tuning *tuning, const char *kernel, const char *key, int arch, const char *status,
                           const char *text)
{
    fprintf(stream(tuning), "ks: %s, sm_%d: %s\n", kernel, arch, text);
    json_t *row = new_row(kernel, key, arch, status, NULL, text);
    add_result(tuning->context->arena, row, NULL);
    json_array_append_new(tuning->rows, row);
}

void tuning_report_file(struct tuning *tuning, const char *file, const char *kernel,
                        const struct ks_err *err)
{
    fprintf(stderr, "ks %s: %s\n", tuning->context->verb, err->text);
    const char *text = ks_starts_with(err->text, file)
                           ? err->text
                           : ks_arena_printf(tuning->context->arena, "%s: %s", file, err->text);
    json_t *row = new_row(kernel, NULL, 0, "failed", NULL, text);
    add_result(tuning->context->arena, row, NULL);
    json_array_append_new(tuning->rows, row);
}

void tuning_keep_profile(struct tuning *tuning, const struct ks_tu_kernel *kernel,
                         struct ks_tune_result *result)
{
    struct ks_arena *arena = tuning->context->arena;
    if (!result->profiled || result->profile.json == NULL ||
        tuning->context->config.state_dir == NULL)
        return;
    char hex[KS_HASH_TEXT];
    ks_digest_hex(&kernel->key, hex);
    struct ks_buf page = KS_BUF(64u << 10);
    ks_profile_print(&page, &result->profile);
    json_object_set_new(result->profile.json, "page", json_string(ks_buf_text(&page)));
    ks_buf_free(&page);
    const char *dir = ks_path_join(arena, tuning->context->config.state_dir, "profiles");
    const char *text = ks_json_text(arena, result->profile.json);
    struct ks_err err = {0};
    if (ks_dir_make(dir, &err) != KS_OK ||
        ks_file_write(ks_arena_printf(arena, "%s/%s.json", dir, hex), text, strlen(text), false, 0,
                      &err) != KS_OK)
        ks_warn("%s; the profile is not kept for `ks show`", err.text);
}
