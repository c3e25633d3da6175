#include "agent/summary.h"

#include <ctype.h>
#include <stdio.h>
#include <string.h>

#include "agent/digest.h"
#include "agent/ask_one.h"
#include "agent/screen.h"
#include "fmt/hash.h"

#define HOW_MOST 3000

// Whole names alone: a parameter called `n` is in no "then".
static bool holds_name(const char *text, const char *name)
{
    size_t n = strlen(name);
    for (const char *at = text; n > 3 && (at = strstr(at, name)) != NULL; at++)
        if ((at == text || !ks_is_ident(at[-1])) && !ks_is_ident(at[n]))
            return true;
    return false;
}

// Why a text is no skill for others, or NULL.
static const char *fault_of(struct ks_arena *arena, const struct ks_summary_ask *ask, const char *text)
{
    const char *fault = ks_screen_advice(arena, text);
    if (fault != NULL)
        return fault;
    if (holds_name(text, ask->brief->decl->name))
        return "it names the kernel";
    for (size_t i = 0; i < ask->brief->decl->n_params; i++)
        if (holds_name(text, ask->brief->decl->params[i].name))
            return ks_arena_printf(arena, "it names the kernel's `%s`", ask->brief->decl->params[i].name);
    return NULL;
}

static void put_list(struct ks_yaml_writer *w, const struct ks_yaml *root, const char *field)
{
    const struct ks_yaml *list = ks_yaml_get(root, field);
    if (list == NULL || list->kind != KS_YAML_LIST || list->len == 0)
        return;
    ks_yaml_begin_list(w, field);
    for (size_t i = 0; i < list->len; i++)
        if (list->items[i].kind == KS_YAML_SCALAR)
            ks_yaml_put(w, NULL, list->items[i].text);
    ks_yaml_end(w);
}

static void put_map(struct ks_yaml_writer *w, const struct ks_yaml *root, const char *field)
{
    const struct ks_yaml *map = ks_yaml_get(root, field);
    if (map == NULL || map->kind != KS_YAML_MAP)
        return;
    ks_yaml_begin_map(w, field);
    for (size_t i = 0; i < map->len; i++)
        if (map->items[i].kind == KS_YAML_SCALAR)
            ks_yaml_put(w, map->keys[i], map->items[i].text);
    ks_yaml_end(w);
}

static const char *skill_text(struct ks_arena *arena, const struct ks_summary_ask *ask, const struct ks_yaml *root,
                              const char *model)
{
    struct ks_buf out = KS_BUF(1 << 16);
    struct ks_yaml_writer w = {.out = &out};
    static const char *const fields[] = {"id", "title", "direction"};
    for (size_t i = 0; i < 3; i++)
        ks_yaml_put(&w, fields[i], ks_yaml_text(root, fields[i], ""));
    ks_yaml_put(&w, "risk", ks_yaml_text(root, "risk", "medium"));
    ks_yaml_put(&w, "precision", "unchanged");
    put_list(&w, root, "when");
    put_list(&w, root, "requires");
    put_list(&w, root, "forbids");
    put_map(&w, root, "expect");
    ks_yaml_put(&w, "how", ks_yaml_text(root, "how", ""));
    ks_yaml_put(&w, "action", "none");
    ks_yaml_begin_list(&w, "sources");
    ks_yaml_putf(&w, NULL, "%s, of variant %s of %s, %.2f times as fast%s", model, ask->variant,
                 ask->brief->signature->instance, ask->ratio, ask->source.modelled ? ", modelled" : "");
    ks_yaml_end(&w);
    const char *text = ks_arena_strdup(arena, ks_buf_text(&out));
    ks_buf_free(&out);
    return text;
}

void ks_read_summary(struct ks_arena *arena, const struct ks_summary_ask *ask, const char *id,
                     const struct ks_answer *answer, struct ks_summary *out)
{
    *out = (struct ks_summary){0};
    const struct ks_yaml *root =
        ks_read_fields(arena, &ask->agents->summariser, id, answer, &out->refusal, out->why);
    if (root == NULL)
        return;
    const char *how = ks_yaml_text(root, "how", ""), *title = ks_yaml_text(root, "title", "");
    const char *fault = strlen(how) > HOW_MOST ? "it is too long" : fault_of(arena, ask, how);
    if (fault == NULL)
        fault = fault_of(arena, ask, title);
    if (fault != NULL) {
        out->refusal = KS_REFUSED_PLAN;
        snprintf(out->why, sizeof out->why, "no skill for others: %.300s", fault);
        return;
    }
    out->id = ks_yaml_text(root, "id", "");
    out->text = skill_text(arena, ask, root, answer->model[0] != '\0' ? answer->model : ask->agents->backend.model);
}

enum ks_status ks_summarise(const struct ks_summary_ask *ask, struct ks_summary *out, struct ks_err *err)
{
    struct ks_arena *arena = ask->arena;
    struct ks_digest digest = ks_digest_of("summary", ask->variant, strlen(ask->variant));
    char hex[KS_HASH_TEXT], id[KS_ASK_ID];
    ks_digest_hex(&digest, hex);
    snprintf(id, sizeof id, "%.12s-summariser-00-%.8s", ask->key, hex);
    const char *const names[] = {"request", "kernel", "facts", "code", "gain"};
    const char *const values[] = {id, ks_brief_code(arena, ask->brief, &ask->source),
                                  ks_brief_facts(arena, ask->brief), ks_digest_code(arena, ask->won),
                                  ks_arena_printf(arena, "%.2f", ask->ratio)};
    struct ks_ask question = {0};
    struct ks_answer answer;
    bool answered;
    *out = (struct ks_summary){.awaited = true};
    KS_TRY(ks_prompt_fill(arena, &ask->agents->summariser, names, values, 5, &question, err));
    question.id = id;
    question.spend = ask->spend;
    question.kernel = ask->brief->signature->instance;
    KS_TRY(ks_ask_one(arena, ask->agents, &question, &answer, &answered, err));
    if (answered) {
        ks_read_summary(arena, ask, id, &answer, out);
        ks_answer_free(&answer);
    }
    return KS_OK;
}
