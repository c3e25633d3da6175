#include "agent/summary.h"

#include <ctype.h>
#include <stdio.h>
#include <string.h>
#include <strings.h>

#include "agent/digest.h"
#include "agent/pack.h"
#include "fmt/hash.h"
#include "os/clock.h"
#include "os/proc.h"

#define HOW_MOST 3000
#define LARGE 1100 // a number above is a size of somebody's problem, not of the hardware's blocks

static bool holds_word(const char *text, const char *word)
{
    size_t n = strlen(word);
    for (const char *at = text; *at != '\0'; at++)
        if (strncasecmp(at, word, n) == 0 && (at == text || !isalnum((unsigned char)at[-1])))
            return true;
    return false;
}

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
    static const char *const words[][2] = {
        {"cublas", "a library in disguise"}, {"cudnn", "a library in disguise"}, {"cutlass", "a library in disguise"},
        {"cusparse", "a library in disguise"}, {"cufft", "a library in disguise"}, {"thrust::", "a library in disguise"},
        {"cub::", "a library in disguise"}, {"lower precision", "lower precision"}, {"half precision", "lower precision"},
        {"fp16", "lower precision"}, {"bf16", "lower precision"}, {"tf32", "lower precision"}, {"fast-math", "lower precision"},
        {"use_fast_math", "lower precision"}, {"skip the ", "leaving work out"}, {"avoid computing", "leaving work out"},
        {"precomputed answer", "leaving work out"}, {"hard-code", "one kernel's sizes"}, {"hardcode", "one kernel's sizes"}};
    for (size_t i = 0; i < sizeof words / sizeof *words; i++)
        if (holds_word(text, words[i][0]))
            return ks_arena_printf(arena, "`%s`: %s", words[i][0], words[i][1]);
    for (const char *at = text; *at != '\0';) {
        size_t n = strspn(at, "0123456789");
        int64_t value = 0;
        bool number = n > 0 && n < 18 && (at == text || !isalnum((unsigned char)at[-1])) &&
                      ks_parse_i64(ks_arena_strndup(arena, at, n), &value);
        if (n >= 18 || (number && value > LARGE))
            return ks_arena_printf(arena, "%.*s: one kernel's sizes", (int)n, at);
        at += n > 0 ? n : 1;
    }
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

static enum ks_status submit(const struct ks_summary_ask *ask, char id[KS_ASK_ID], struct ks_err *err)
{
    struct ks_arena *arena = ask->arena;
    struct ks_digest digest = ks_digest_of("summary", ask->variant, strlen(ask->variant));
    char hex[KS_HASH_TEXT];
    ks_digest_hex(&digest, hex);
    snprintf(id, KS_ASK_ID, "%.12s-summariser-00-%.8s", ask->key, hex);
    const char *const names[] = {"request", "kernel", "facts", "code", "gain"};
    const char *const values[] = {id, ks_brief_code(arena, ask->brief, &ask->source),
                                  ks_brief_facts(arena, ask->brief), ks_digest_code(arena, ask->won),
                                  ks_arena_printf(arena, "%.2f", ask->ratio)};
    struct ks_ask question;
    KS_TRY(ks_prompt_fill(arena, &ask->agents->summariser, names, values, 5, &question, err));
    if (ask->agents->context > 0 &&
        ks_tokens(question.system) + ks_tokens(question.user) + question.max_tokens + KS_FRAMING >
            ask->agents->context)
        KS_FAIL(err, KS_E_LIMIT, "the question takes more than %lld tokens, answer included",
                (long long)ask->agents->context);
    struct ks_spend *spend = KS_NEW(arena, struct ks_spend);
    *spend = (struct ks_spend){.limits = ask->agents->each, .whole = &ask->agents->all};
    question.id = id;
    question.kernel = ask->brief->signature->instance;
    question.spend = spend;
    const struct ks_agents *agents = ask->agents; // once a win: the strongest is worth it
    if (agents->n_models > 0) {
        question.model = agents->models[agents->n_models - 1].name;
        question.price = agents->models[agents->n_models - 1].price;
    }
    return ask->agents->backend.submit(ask->agents->backend.self, &question, err);
}

enum ks_status ks_summarise(const struct ks_summary_ask *ask, struct ks_summary *out, struct ks_err *err)
{
    const struct ks_backend *backend = &ask->agents->backend;
    char id[KS_ASK_ID];
    *out = (struct ks_summary){.awaited = true};
    KS_TRY(submit(ask, id, err));
    double until = ks_now() + (backend->patient ? 0 : ask->agents->each.seconds);
    while (out->awaited && !ks_stop_requested()) {
        struct ks_answer answer;
        double left = until - ks_now();
        if (!backend->poll(backend->self, left < 0 ? 0 : left < 1 ? left : 1, &answer)) {
            if (left <= 0)
                break;
            continue;
        }
        if (strcmp(answer.id, id) == 0) { // else one that came too late for its question
            ks_read_summary(ask->arena, ask, id, &answer, out);
            if (backend->done != NULL)
                backend->done(backend->self, id);
        }
        ks_answer_free(&answer);
    }
    return KS_OK;
}
