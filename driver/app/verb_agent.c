// ks agent list DIR | serve DIR: a mailbox of questions, where there is somebody to answer them.
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "agent/agents.h"
#include "agent/wire_form.h"
#include "app/verb_agent.h"
#include "base/log.h"
#include "fmt/json.h"
#include "os/clock.h"
#include "os/file.h"
#include "os/proc.h"

#define LOOK_SECONDS 1.0 // between looks for new questions, under --watch
#define QUESTION_MOST ((size_t)8 << 20)

struct serving {
    struct ks_verb_context *context;
    const char *dir;
    struct ks_agents *agents;
    struct ks_strv asked; // ids, in this run
    int open, answered, failed;
};

static bool has_answer(struct ks_arena *arena, const char *dir, const char *id)
{
    static const char *const suffixes[] = {".json", ".md", ".txt"};
    for (int i = 0; i < 3; i++)
        if (ks_file_exists(ks_arena_printf(arena, "%s/answers/%s%s", dir, id, suffixes[i])))
            return true;
    return false;
}

static enum ks_status questions_of(struct ks_verb_context *context, const char *dir, struct ks_strv *ids,
                                   struct ks_err *err)
{
    struct ks_strv names = {0};
    enum ks_status status =
        ks_dir_list(context->arena, ks_path_join(context->arena, dir, "questions"), &names, NULL);
    if (status != KS_OK)
        KS_FAIL(err, KS_E_USER, "%s: no mailbox: `ks tune --agent mailbox:%s` makes one", dir, dir);
    for (size_t i = 0; i < names.len; i++)
        if (ks_ends_with(names.at[i], ".json"))
            ks_strv_add(context->arena, ids,
                        ks_arena_strndup(context->arena, names.at[i], strlen(names.at[i]) - 5));
    return KS_OK;
}

static enum ks_status read_question(struct ks_arena *arena, const char *dir, const char *id,
                                    struct ks_ask *ask, struct ks_err *err)
{
    struct ks_slice text;
    const char *path = ks_arena_printf(arena, "%s/questions/%s.json", dir, id);
    KS_TRY(ks_file_read(arena, path, QUESTION_MOST, &text, err));
    if (ks_question_read(arena, text, ask, err) != KS_OK || strcmp(ask->id, id) != 0)
        KS_FAIL(err, KS_E_USER, "%s: no question: %s", path, err->text);
    return KS_OK;
}

static int list(struct ks_verb_context *context, const char *dir)
{
    struct ks_arena *arena = context->arena;
    struct ks_strv ids = {0};
    struct ks_err err = {0};
    if (questions_of(context, dir, &ids, &err) != KS_OK)
        return verb_fail(context, &err);
    json_t *rows = json_array();
    for (size_t i = 0; i < ids.len; i++) {
        struct ks_ask ask;
        if (read_question(arena, dir, ids.at[i], &ask, &err) != KS_OK) {
            ks_warn("%s", err.text);
            continue;
        }
        bool looked = ks_file_exists(ks_arena_printf(arena, "%s/done/%s", dir, ids.at[i]));
        const char *state = looked ? "done" : has_answer(arena, dir, ids.at[i]) ? "answered" : "open";
        if (!context->json)
            printf("%-9s %-10s %s  %s\n", state, ask.role, ids.at[i], ask.kernel);
        json_array_append_new(rows, json_pack("{s:s,s:s,s:s,s:s}", "id", ids.at[i], "role", ask.role, "kernel",
                                              ask.kernel, "state", state));
    }
    json_t *report = ks_json_report("ks.agent");
    json_object_set_new(report, "questions", rows);
    json_object_set_new(report, "answered", json_null());
    json_object_set_new(report, "failed", json_null());
    if (context->json)
        ks_json_print(report);
    else
        json_decref(report);
    return EXIT_OK;
}

static bool asked_before(const struct serving *s, const char *id)
{
    for (size_t i = 0; i < s->asked.len; i++)
        if (strcmp(s->asked.at[i], id) == 0)
            return true;
    return false;
}

static enum ks_status ask_open(struct serving *s, struct ks_err *err)
{
    struct ks_strv ids = {0};
    const struct ks_backend *backend = &s->agents->backend;
    KS_TRY(questions_of(s->context, s->dir, &ids, err));
    for (size_t i = 0; i < ids.len; i++) {
        struct ks_arena scratch = {0};
        struct ks_ask ask;
        enum ks_status status = KS_OK;
        if (!asked_before(s, ids.at[i]) && !has_answer(&scratch, s->dir, ids.at[i])) {
            ks_strv_add(s->context->arena, &s->asked, ids.at[i]);
            if (read_question(&scratch, s->dir, ids.at[i], &ask, err) != KS_OK) {
                ks_warn("%s", err->text); // somebody else's file
            } else {
                ask.spend = &s->agents->all;
                ask.price = s->agents->models[0].price; // the first is asked
                status = backend->submit(backend->self, &ask, err);
                s->open += status == KS_OK;
            }
        }
        ks_arena_free(&scratch);
        KS_TRY(status);
    }
    return KS_OK;
}

static enum ks_status keep(struct serving *s, const struct ks_answer *answer, struct ks_err *err)
{
    struct ks_arena scratch = {0};
    s->open--;
    if (answer->end == KS_ANSWER_NONE) { // stays open, for another time
        ks_warn("%s: %s", answer->id, answer->why);
        s->failed++;
        return KS_OK;
    }
    char *text = ks_reply_text(answer);
    const char *path = ks_arena_printf(&scratch, "%s/answers/%s.json", s->dir, answer->id);
    enum ks_status status = ks_file_write(path, text, strlen(text), true, 0, err);
    free(text);
    ks_arena_free(&scratch);
    s->answered += status == KS_OK;
    return status;
}

static enum ks_status serve_all(struct serving *s, bool watch, struct ks_err *err)
{
    const struct ks_backend *backend = &s->agents->backend;
    while (!ks_stop_requested()) {
        struct ks_answer answer;
        KS_TRY(ask_open(s, err));
        if (s->open == 0 && !watch)
            break;
        if (s->open == 0)
            ks_sleep(LOOK_SECONDS);
        else if (backend->poll(backend->self, LOOK_SECONDS, &answer)) {
            enum ks_status status = keep(s, &answer, err);
            ks_answer_free(&answer);
            KS_TRY(status);
        }
    }
    return KS_OK;
}

static int serve(struct ks_verb_context *context, const char *dir, bool watch)
{
    struct serving s = {.context = context, .dir = dir};
    struct ks_err err = {0};
    if (context->config.agent == NULL)
        return verb_usage(context, "nobody is there to answer: give --agent=BACKEND");
    if (ks_agents_open(context->arena, &context->config, &s.agents, &err) != KS_OK)
        return verb_fail(context, &err);
    if (s.agents == NULL)
        return verb_usage(context, "offline, nobody can be asked");
    ks_stop_on_signals();
    enum ks_status status = s.agents->backend.patient
                                ? ks_err_set(&err, KS_E_USER, "a mailbox cannot answer a mailbox")
                                : serve_all(&s, watch, &err);
    ks_agents_close(s.agents);
    if (status != KS_OK)
        return verb_fail(context, &err);
    json_t *report = ks_json_report("ks.agent");
    json_object_set_new(report, "questions", json_null());
    json_object_set_new(report, "answered", json_integer(s.answered));
    json_object_set_new(report, "failed", json_integer(s.failed));
    if (context->json)
        ks_json_print(report);
    else {
        json_decref(report);
        printf("ks: %d answered, %d not\n", s.answered, s.failed);
    }
    return ks_stop_requested() ? EXIT_INTERRUPTED : s.failed > 0 ? EXIT_NEGATIVE : EXIT_OK;
}

const char *verb_agent_health(struct ks_verb_context *context, enum verb_agent_health *is)
{
    struct ks_config config = context->config;
    struct ks_agents *agents = NULL;
    struct ks_err err = {0};
    config.agent_record = NULL;
    *is = AGENT_GOOD;
    if (config.agent == NULL)
        return "none: no model is asked (docs/agents.md)";
    if (ks_starts_with(config.agent, "mailbox:")) // whose folder a tuner makes
        return config.agent;
    *is = AGENT_SILENT;
    if (config.offline && !ks_starts_with(config.agent, "replay:"))
        return "offline: no server or command is asked";
    *is = AGENT_WRONG;
    if (ks_agents_open(context->arena, &config, &agents, &err) != KS_OK)
        return ks_arena_strdup(context->arena, err.text);
    *is = AGENT_GOOD;
    const char *text = "";
    for (size_t i = 0; i < agents->n_models; i++)
        text = ks_arena_printf(context->arena, "%s%s%s", text, i > 0 ? ", then " : "", agents->models[i].name);
    text = ks_arena_printf(context->arena, "%s%s", text, agents->redaction.secrets.len > 0 ? ", with a key" : "");
    ks_agents_close(agents);
    return text;
}

int verb_agent(struct ks_verb_context *context)
{
    const char *agent = NULL, *watch = NULL, *budget = NULL, *device = NULL;
    const struct verb_option options[] = {{.name = "--agent=", .value = &agent},
                                          {.name = "--watch", .value = &watch},
                                          {.name = "--budget=", .value = &budget},
                                          {.name = "--device=", .value = &device}};
    const struct verb_syntax syntax = {.expects = "give `list DIR`, `serve DIR --agent=BACKEND` or `evolve ROLE.SECTION "
                                                  "FILE.cu:KERNEL ...`",
                                       .options = options, .n_options = 4, .least = 2, .most = 1000, .nvcc = true};
    struct verb_words words;
    int exit_code = verb_read_words(context, &syntax, &words);
    if (exit_code != EXIT_OK)
        return exit_code;
    if (agent != NULL)
        context->config.agent = agent;
    if (strcmp(words.targets.at[0], "evolve") == 0)
        return verb_agent_evolve(context, &words, budget, device);
    if (words.targets.len > 2 || words.nvcc != NULL || budget != NULL || device != NULL)
        return verb_usage(context, "%s", syntax.expects);
    if (strcmp(words.targets.at[0], "list") == 0)
        return list(context, words.targets.at[1]);
    if (strcmp(words.targets.at[0], "serve") == 0)
        return serve(context, words.targets.at[1], watch != NULL);
    return verb_usage(context, "%s", syntax.expects);
}
