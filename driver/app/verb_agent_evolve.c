// ks agent evolve ROLE.SECTION FILE.cu:KERNEL ...: a section of a role's prompt, mended by a model
// from what came of it, and kept where tuning kernels with it and without it shows that no less is
// won.
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "agent/ask_one.h"
#include "agent/reading.h"
#include "agent/section.h"
#include "app/verb_agent.h"
#include "app/verb_paired.h"
#include "fmt/hash.h"
#include "os/clock.h"
#include "os/file.h"
#include "os/proc.h"

struct evolving {
    struct ks_verb_context *context;
    struct ks_agents *agents;
    struct ks_outcomes *outcomes;
    struct verb_paired paired;
    const struct ks_prompt *prompt;
    struct ks_prompt_section *section;
    struct ks_section_text anew;
    bool kept;
    const char *reason;
};

static enum ks_status find_section(struct evolving *e, const char *name, struct ks_err *err)
{
    const struct ks_prompt *const prompts[] = {&e->agents->coder,      &e->agents->repairer,
                                               &e->agents->planner,    &e->agents->reviewer,
                                               &e->agents->summariser, &e->agents->ranker};
    const char *dot = strchr(name, '.'), *all = "";
    for (size_t i = 0; i < sizeof prompts / sizeof *prompts; i++)
        for (size_t k = 0; k < prompts[i]->n_sections; k++) {
            const char *is = ks_arena_printf(e->context->arena, "%s.%s", prompts[i]->role,
                                             prompts[i]->sections[k].name);
            all = ks_arena_printf(e->context->arena, "%s%s%s", all, all[0] != '\0' ? ", " : "", is);
            if (dot != NULL && strcmp(is, name) == 0) {
                e->prompt = prompts[i];
                e->section = &prompts[i]->sections[k];
            }
        }
    return e->section != NULL
               ? KS_OK
               : ks_err_set(err, KS_E_USER, "there is no section `%s`; there are %s", name, all);
}

// The section anew, or why there is none in `reason`.
static enum ks_status ask_editor(struct evolving *e, struct ks_err *err)
{
    struct ks_arena *arena = e->context->arena;
    struct ks_prompt editor;
    struct ks_ask ask = {0};
    struct ks_answer answer;
    bool answered;
    char hex[KS_HASH_TEXT];
    const char *record = ks_section_record(arena, e->outcomes, e->prompt->role);
    struct ks_digest digest = ks_digest_of("section", e->section->text, strlen(e->section->text));
    ks_digest_hex(&digest, hex);
    const char *id = ks_arena_printf(arena, "%.12s-editor-00-%.16s", hex, e->prompt->role);
    const char *const names[] = {"request", "role", "whole", "text", "record"};
    const char *const values[] = {id, e->prompt->role, e->prompt->system, e->section->text, record};
    KS_TRY(ks_prompt_load(arena,
                          ks_path_join(arena, e->context->config.share_dir, "skills/prompts"),
                          "editor", &editor, err));
    KS_TRY(ks_prompt_fill(arena, &editor, names, values, 5, &ask, err));
    ask.id = id;
    ask.kernel = e->section->name;
    KS_TRY(ks_ask_one(arena, e->agents, &ask, &answer, &answered, err));
    if (!answered) {
        e->reason = "no answer yet";
        return KS_OK;
    }
    enum ks_refusal refusal;
    char why[400];
    const struct ks_yaml *root = ks_read_fields(arena, &editor, id, &answer, &refusal, why);
    const char *text = root != NULL ? ks_yaml_text(root, "text", "") : "";
    const char *fault = root != NULL ? ks_section_fault(arena, text, e->section->text) : NULL;
    if (root == NULL)
        e->reason = ks_arena_printf(arena, "%s: %s", ks_refusal_name(refusal), why);
    else if (fault != NULL)
        e->reason = ks_arena_printf(arena, "no section: %s", fault);
    else
        e->anew = (struct ks_section_text){
            .role = e->prompt->role,
            .section = e->section->name,
            .text = text,
            .model = ks_arena_strdup(arena, answer.model[0] != '\0' ? answer.model
                                                                    : e->agents->backend.model)};
    ks_answer_free(&answer);
    return KS_OK;
}

// All own sections as they are, this one as it is tried, or not.
static enum ks_status prepare(void *self, const char *state, bool with, struct ks_err *err)
{
    struct evolving *e = self;
    struct ks_arena *arena = e->context->arena;
    struct ks_strv names = {0};
    const char *from = ks_path_join(arena, e->context->config.state_dir, "prompts");
    const char *to = ks_path_join(arena, state, "prompts");
    KS_TRY(ks_dir_make(to, err));
    ks_dir_list(arena, from, &names, NULL);
    for (size_t i = 0; i < names.len; i++)
        KS_TRY(ks_file_copy(ks_path_join(arena, from, names.at[i]),
                            ks_path_join(arena, to, names.at[i]), err));
    return with ? ks_section_write(arena, state, &e->anew, e->section->installed, err) : KS_OK;
}

static enum ks_status try_it(struct evolving *e, const struct ks_strv *targets, struct ks_err *err)
{
    struct ks_arena *arena = e->context->arena;
    char date[32], hex[KS_HASH_TEXT];
    struct ks_digest digest = ks_digest_of("section", e->anew.text, strlen(e->anew.text));
    ks_digest_hex(&digest, hex);
    e->paired.recorded =
        ks_arena_printf(arena, "prompt %s.%s %.8s", e->anew.role, e->anew.section, hex);
    KS_TRY(verb_paired_run(&e->paired, targets->at + 2, targets->len - 2, err));
    ks_section_judge(arena, e->paired.trials.at, e->paired.trials.len, &e->kept, &e->reason);
    if (!e->kept)
        return KS_OK;
    ks_utc_text(date);
    e->anew.since = date;
    e->anew.evidence = ks_arena_printf(arena, "%s, %s", e->reason, e->paired.trials.at[0].evidence);
    return ks_section_write(arena, e->context->config.state_dir, &e->anew, e->section->installed,
                            err);
}

static void print(const struct evolving *e, const char *name)
{
    json_t *rows = verb_paired_rows(&e->paired);
    if (!e->context->json) {
        json_decref(rows);
        printf("%s: %s: %s\n", name, e->kept ? "kept" : "not kept", e->reason);
        return;
    }
    json_t *report = ks_json_report("ks.evolve");
    json_object_set_new(report, "section", json_string(name));
    json_object_set_new(report, "kept", json_boolean(e->kept));
    json_object_set_new(report, "reason", json_string(e->reason));
    json_object_set_new(report, "text",
                        e->anew.text != NULL ? json_string(e->anew.text) : json_null());
    json_object_set_new(report, "trials", rows);
    ks_json_print(report);
}

int verb_agent_evolve(struct ks_verb_context *context, const struct verb_words *words,
                      const char *budget, const char *device)
{
    const char *name = words->targets.at[1];
    struct evolving e = {.context = context};
    struct ks_err err = {0};
    int exit_code =
        verb_paired_check(context, "evolve", words->targets.at + 2, words->targets.len - 2);
    if (exit_code != EXIT_OK)
        return exit_code;
    if (context->config.agent == NULL)
        return verb_usage(context,
                          "nobody is there to mend it, and to be told: give --agent=BACKEND");
    setenv("KS_AGENT", context->config.agent, 1); // for the tunings
    ks_stop_on_signals();
    if (ks_agents_open(context->arena, &context->config, &e.agents, &err) != KS_OK)
        return verb_fail(context, &err);
    if (e.agents == NULL)
        return verb_usage(context, "offline, nobody can be asked");
    enum ks_status status = find_section(&e, name, &err);
    if (status == KS_OK)
        status = ks_outcomes_open(&context->config, &e.outcomes, &err);
    if (status == KS_OK)
        status = ask_editor(&e, &err);
    e.paired = (struct verb_paired){.context = context,
                                    .what = "the section anew",
                                    .outcomes = e.outcomes,
                                    .budget = budget,
                                    .device = device,
                                    .words = words->nvcc,
                                    .agents_alone = true,
                                    .prepare = prepare,
                                    .self = &e};
    if (status == KS_OK && e.anew.text != NULL)
        status = try_it(&e, &words->targets, &err);
    ks_outcomes_close(e.outcomes);
    ks_agents_close(e.agents);
    if (status != KS_OK)
        return verb_fail(context, &err);
    print(&e, name);
    return e.kept ? EXIT_OK : EXIT_NEGATIVE;
}
