// ks export --trajectories: what was tried here, step by step, as training data (docs/agents.md).
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "agent/redact.h"
#include "agent/transcript.h"
#include "app/verb.h"
#include "app/verb_bundle.h"
#include "fmt/json.h"
#include "memory/outcomes.h"
#include "os/file.h"

#define FILE_MOST ((size_t)1 << 31)
#define SHOWN 8         // steps before, in a state
#define MARKED_GAIN 1.2 // over the best before, of a step worth learning from
#define FULL_RATIO 3.0  // that earns the whole reward

struct step {
    const struct ks_attempt *attempt;
    const char *role;
    double reward, best_before;
    bool correct;
};

// The role is in the name of the question that the proposal answered; without one it is the engine's.
static const char *role_of(struct ks_arena *arena, const struct ks_attempt *a)
{
    const char *dash = ks_starts_with(a->params, "question ") ? strchr(a->params, '-') : NULL;
    return dash != NULL ? ks_arena_strndup(arena, dash + 1, strcspn(dash + 1, "-")) : "engine";
}

static double reward_of(const struct ks_attempt *a, bool correct)
{
    return !correct ? 0 : 0.5 + 0.5 * fmin(1, a->ratio / FULL_RATIO);
}

// What the step earned over the mean of the others of its role on this kernel; 0 where it is alone.
static double advantage(const struct step *steps, size_t n, size_t i)
{
    double sum = 0;
    size_t others = 0;
    for (size_t k = 0; k < n; k++)
        if (k != i && strcmp(steps[k].role, steps[i].role) == 0) {
            sum += steps[k].reward;
            others++;
        }
    return others > 0 ? steps[i].reward - sum / (double)others : 0;
}

static json_t *redacted(const struct ks_redaction *r, const char *text, bool message)
{
    struct ks_buf out = KS_BUF((size_t)16 << 20);
    (message ? ks_redact_message : ks_redact)(r, ks_slice_of(text), &out);
    json_t *value = json_string(ks_buf_text(&out));
    ks_buf_free(&out);
    return value != NULL ? value : json_null();
}

static json_t *state_of(const struct step *steps, size_t i)
{
    const struct ks_attempt *a = steps[i].attempt;
    json_t *before = json_array();
    for (size_t k = i > SHOWN ? i - SHOWN : 0; k < i; k++) {
        const struct ks_attempt *b = steps[k].attempt;
        json_array_append_new(before, json_pack("{s:s,s:s,s:s,s:f}", "skill", b->skill, "direction", b->direction,
                                                "correctness", b->correctness, "ratio", b->ratio));
    }
    return json_pack("{s:s,s:s,s:f,s:o}", "bottleneck", a->bottleneck, "structure",
                     a->structure != NULL ? a->structure : "unknown", "best", steps[i].best_before, "before", before);
}

struct source {
    struct ks_outcomes *outcomes;
    const struct ks_said *said; // or NULL
    const struct ks_redaction *redaction;
};

// What was said of the question that the step answers.
static json_t *messages_of(const struct source *from, const struct ks_attempt *a)
{
    bool asked = from->said != NULL && ks_starts_with(a->params, "question ");
    return asked ? ks_said_messages(from->said, a->params + strlen("question ")) : json_array();
}

static void put_step(struct ks_buf *out, struct ks_arena *arena, const struct source *from, const struct step *steps,
                     size_t n, size_t i)
{
    const struct ks_redaction *r = from->redaction;
    const struct step *s = &steps[i];
    const struct ks_attempt *a = s->attempt;
    const char *text = NULL;
    double gain = s->correct && a->ratio > 0 ? a->ratio / s->best_before : 0;
    ks_outcomes_proposal(arena, from->outcomes, a->proposal, &text, NULL); // what was forgotten is null
    json_t *action = json_pack("{s:s,s:s,s:s,s:s}", "skill", a->skill, "direction", a->direction, "params", a->params,
                               "id", a->proposal);
    json_object_set_new(action, "proposal", text != NULL ? redacted(r, text, false) : json_null());
    json_t *outcome = json_pack("{s:s,s:s,s:f,s:f,s:s}", "correctness", a->correctness, "speed", a->speed, "ratio",
                                a->ratio, "lower", a->lower, "evidence", a->evidence != NULL ? a->evidence : KS_MEASURED);
    json_object_set_new(outcome, "reason", redacted(r, a->reason, true));
    json_t *line = json_pack("{s:s,s:s,s:s,s:i,s:s,s:i,s:i,s:o,s:o,s:o,s:f,s:f,s:f,s:b}", "schema", "ks.step", "kernel",
                             a->kernel, "key", a->key, "arch", a->arch, "role", s->role, "step", (int)i, "steps", (int)n,
                             "state", state_of(steps, i), "action", action, "outcome", outcome, "gain", gain, "reward",
                             s->reward, "advantage", advantage(steps, n, i), "marked", gain >= MARKED_GAIN);
    json_object_set_new(line, "messages", messages_of(from, a));
    ks_buf_printf(out, "%s\n", ks_json_text(arena, line));
    json_decref(line);
}

static enum ks_status put_kernel(struct ks_buf *out, const struct source *from, const char *key, int64_t *written,
                                 struct ks_err *err)
{
    struct ks_arena arena = {0};
    struct ks_attempt *attempts;
    size_t n;
    enum ks_status status = ks_outcomes_for_key(&arena, from->outcomes, key, &attempts, &n, err);
    struct step *steps = status == KS_OK ? KS_NEW_ARRAY(&arena, struct step, n + 1) : NULL;
    double best = 1;
    for (size_t i = 0; status == KS_OK && i < n; i++) {
        bool correct = strcmp(attempts[i].correctness, "CORRECT") == 0;
        steps[i] = (struct step){&attempts[i], role_of(&arena, &attempts[i]), reward_of(&attempts[i], correct), best,
                                 correct};
        if (correct && attempts[i].ratio > best)
            best = attempts[i].ratio;
    }
    for (size_t i = 0; status == KS_OK && i < n; i++, (*written)++)
        put_step(out, &arena, from, steps, n, i);
    ks_arena_free(&arena);
    return status;
}

int verb_export_trajectories(struct ks_verb_context *context, const char *path, const char *transcript)
{
    struct ks_arena *arena = context->arena;
    const struct ks_redaction redaction = {.home = getenv("HOME")};
    struct ks_outcomes *outcomes = NULL;
    struct ks_said *said = NULL;
    struct ks_strv keys = {0};
    struct ks_err err = {0};
    struct ks_buf out = KS_BUF(FILE_MOST);
    int64_t written = 0;
    enum ks_status status = transcript != NULL ? ks_said_open(arena, transcript, &said, &err) : KS_OK;
    if (status == KS_OK)
        status = ks_outcomes_open(&context->config, &outcomes, &err);
    if (status == KS_OK)
        status = ks_outcomes_keys(arena, outcomes, &keys, &err);
    const struct source from = {outcomes, said, &redaction};
    for (size_t i = 0; status == KS_OK && i < keys.len; i++)
        status = put_kernel(&out, &from, keys.at[i], &written, &err);
    ks_said_close(said);
    ks_outcomes_close(outcomes);
    if (status == KS_OK)
        status = ks_buf_check(&out, "what was tried", &err);
    if (status == KS_OK && written > 0)
        status = ks_file_write(path, ks_buf_text(&out), out.len, true, 0600, &err);
    ks_buf_free(&out);
    if (status != KS_OK)
        return verb_fail(context, &err);
    if (context->json) {
        json_t *report = ks_json_report("ks.trajectories");
        json_object_set_new(report, "out", written > 0 ? json_string(path) : json_null());
        json_object_set_new(report, "kernels", json_integer((json_int_t)keys.len));
        json_object_set_new(report, "steps", json_integer(written));
        ks_json_print(report);
    } else if (written > 0) {
        printf("ks: %lld steps on %zu kernels in %s\n", (long long)written, keys.len, path);
    } else {
        fprintf(stderr, "ks export: nothing was tried here yet: nothing is written\n");
    }
    return written > 0 ? EXIT_OK : EXIT_NEGATIVE;
}
