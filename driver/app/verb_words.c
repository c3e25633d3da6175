// What every verb does with its words, and how it says that something is wrong.
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "app/verb.h"
#include "fmt/json.h"

static void say(const struct ks_verb_context *context, enum ks_status status, const char *text)
{
    if (!context->json) {
        fprintf(stderr, "ks %s: %s\n", context->verb, text);
        return;
    }
    json_t *report = ks_json_report("ks.error");
    json_object_set_new(report, "verb", json_string(context->verb));
    json_object_set_new(report, "status", json_string(ks_status_name(status)));
    json_object_set_new(report, "text", json_string(text));
    ks_json_print(report);
}

int verb_fail(const struct ks_verb_context *context, const struct ks_err *err)
{
    say(context, err->status, err->text);
    if (err->status == KS_E_INTERRUPTED)
        return EXIT_INTERRUPTED;
    return err->status == KS_E_USER ? EXIT_USAGE : EXIT_FAULT;
}

int verb_usage(const struct ks_verb_context *context, const char *format, ...)
{
    va_list args;
    va_start(args, format);
    const char *text = ks_arena_vprintf(context->arena, format, args);
    va_end(args);
    say(context, KS_E_USER,
        ks_arena_printf(context->arena, "%s; see `ks help %s`", text, context->verb));
    return EXIT_USAGE;
}

static bool takes_value(const struct verb_option *option)
{
    return ks_ends_with(option->name, "=");
}

static bool matches(const struct verb_option *option, const char *word)
{
    return takes_value(option) ? ks_starts_with(word, option->name)
                               : strcmp(word, option->name) == 0;
}

// "--variant", whose value is the next word.
static bool matches_apart(const struct verb_option *option, const char *word)
{
    size_t n = strlen(word);
    return takes_value(option) && strlen(option->name) == n + 1 &&
           memcmp(option->name, word, n) == 0;
}

// A value is no part of a misspelt name: "--bugdet=5" is near to "--budget=".
static int unknown_option(struct ks_verb_context *context, const struct verb_syntax *syntax,
                          const char *word)
{
    const char **names = KS_NEW_ARRAY(context->arena, const char *, syntax->n_options + 2);
    for (size_t i = 0; i < syntax->n_options; i++)
        names[i] = syntax->options[i].name;
    names[syntax->n_options] = "--json";
    size_t n = strcspn(word, "=");
    const char *name = ks_arena_strndup(context->arena, word, n + (word[n] == '='));
    const char *near = ks_nearest_word(name, names);
    if (near != NULL && strcmp(near, name) != 0)
        return verb_usage(context, "no option `%s`; do you mean `%s`?", name, near);
    return verb_usage(context, "no option `%s`%s", name,
                      syntax->nvcc ? "; nvcc's options go behind --" : "");
}

int verb_read_words(struct ks_verb_context *context, const struct verb_syntax *syntax,
                    struct verb_words *words)
{
    *words = (struct verb_words){0};
    for (int i = 0; i < context->argc; i++) {
        const char *word = context->argv[i];
        if (strcmp(word, "--") == 0) {
            if (!syntax->nvcc)
                return verb_usage(context, "takes no nvcc options");
            words->nvcc = (const char *const *)&context->argv[i + 1];
            break;
        }
        if (word[0] != '-') {
            ks_strv_add(context->arena, &words->targets, word);
            continue;
        }
        const struct verb_option *found = NULL;
        bool apart = false;
        for (size_t k = 0; k < syntax->n_options; k++) {
            if (matches(&syntax->options[k], word))
                found = &syntax->options[k];
            if (matches_apart(&syntax->options[k], word)) {
                found = &syntax->options[k];
                apart = true;
            }
        }
        if (found == NULL)
            return unknown_option(context, syntax, word);
        if (apart && (i + 1 == context->argc || strcmp(context->argv[i + 1], "--") == 0))
            return verb_usage(context, "%s wants a value", word);
        const char *value = apart ? context->argv[++i]
                            : takes_value(found) ? word + strlen(found->name)
                                                 : word;
        if (*value == '\0')
            return verb_usage(context, "%s wants a value", found->name);
        if (found->values != NULL)
            ks_strv_add(context->arena, found->values, value);
        else
            *found->value = value;
    }
    if (words->targets.len < syntax->least || words->targets.len > syntax->most)
        return verb_usage(context, "%s", syntax->expects);
    return EXIT_OK;
}
