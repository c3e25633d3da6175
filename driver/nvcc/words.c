#include "nvcc/words.h"

#include <stdlib.h>
#include <string.h>

#include "os/file.h"

// Deeper than any real nesting; a file that includes itself ends here (nvcc stops it too).
#define MAX_DEPTH 16
#define MAX_OPTIONS_FILE ((size_t)4 << 20)

static void add(struct ks_arena *arena, struct ks_words *words, const char *text, size_t from)
{
    if (words->text.len == words->cap) {
        size_t cap = words->cap == 0 ? 64 : words->cap * 2;
        size_t *grown = KS_NEW_ARRAY(arena, size_t, cap);
        if (words->cap > 0)
            memcpy(grown, words->from, words->cap * sizeof *grown);
        words->from = grown;
        words->cap = cap;
    }
    words->from[words->text.len] = from;
    ks_strv_add(arena, &words->text, text);
}

static void doubt(struct ks_words *words, const char *why)
{
    if (words->doubt == NULL)
        words->doubt = why;
}

// nvcc.profile appends to variables of these names what the environment holds: options of ptxas and
// cudafe++ that no command line shows. Under the others gcc writes a file at each of its steps.
static void look_at_environment(struct ks_arena *arena, struct ks_words *words)
{
    static const char *const names[] = {"PTXAS_FLAGS", "CUDAFE_FLAGS", "DEPENDENCIES_OUTPUT",
                                        "SUNPRO_DEPENDENCIES"};
    for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
        const char *value = getenv(names[i]);
        if (value != NULL && value[0] != '\0')
            doubt(words, ks_arena_printf(arena,
                                         "%s is set in the environment, and reaches nvcc's "
                                         "own steps",
                                         names[i]));
    }
}

// Splits as nvcc 13.0 does (tried): at spaces outside double quotes, which stay part of the word.
// What backslashes, tabs and newlines do differs between its readers, so they are left to nvcc.
static void split_environment(struct ks_arena *arena, const char *name, struct ks_strv *out,
                              struct ks_words *words)
{
    const char *at = getenv(name);
    if (at == NULL)
        return;
    if (strpbrk(at, "\\\t\r\n") != NULL) {
        doubt(words, ks_arena_printf(arena, "%s holds a backslash or a control character", name));
        return;
    }
    while (*at != '\0') {
        at += strspn(at, " ");
        const char *begin = at;
        bool quoted = false;
        for (; *at != '\0' && (quoted || *at != ' '); at++)
            quoted ^= *at == '"';
        if (at > begin)
            ks_strv_add(arena, out, ks_arena_strndup(arena, begin, (size_t)(at - begin)));
    }
}

// Splits at white space outside quotes. In options files nvcc knows double quotes only and drops
// them; the shell behind -Xcompiler knows single ones too. A backslash keeps the next byte. False if
// a word begins with a backslash, which nvcc 13.0 reads otherwise in an options file, or a quote is
// left open.
static bool split_quoted(struct ks_arena *arena, const char *at, bool single, struct ks_strv *out)
{
    char *word = ks_arena_alloc(arena, strlen(at) + 1);
    bool sure = true;
    while (true) {
        at += strspn(at, " \t\r\n\v\f");
        if (*at == '\0')
            return sure;
        sure = sure && *at != '\\';
        size_t len = 0;
        char quote = '\0';
        for (; *at != '\0' && (quote != '\0' || strchr(" \t\r\n\v\f", *at) == NULL); at++) {
            if (*at == '\\' && quote != '\'' && at[1] != '\0')
                word[len++] = *++at;
            else if (quote != '\0' ? *at == quote : *at == '"' || (single && *at == '\''))
                quote = quote != '\0' ? '\0' : *at;
            else
                word[len++] = *at;
        }
        sure = sure && quote == '\0';
        ks_strv_add(arena, out, ks_arena_strndup(arena, word, len));
    }
}

void ks_words_host(struct ks_arena *arena, const char *value, struct ks_strv *words)
{
    char *text = ks_arena_strdup(arena, value), *to = text;
    bool quoted = false;
    for (const char *at = value; *at != '\0'; at++) {
        if (*at == '\\' && at[1] == ',') // an escaped comma stays one
            *to++ = *++at;
        else if (*at == ',' && !quoted)
            *to++ = ' ';
        else {
            if (*at == '"' && (at == value || at[-1] != '\\'))
                quoted = !quoted;
            *to++ = *at;
        }
    }
    *to = '\0';
    split_quoted(arena, text, true, words);
}

static void expand(struct ks_arena *arena, const struct ks_strv *source, bool from_argv, int depth,
                   struct ks_words *words);

static void expand_file(struct ks_arena *arena, const char *path, int depth, struct ks_words *words)
{
    struct ks_slice text;
    if (depth >= MAX_DEPTH) {
        doubt(words, "options files include each other too deeply");
    } else if (ks_file_read(arena, path, MAX_OPTIONS_FILE, &text, NULL) != KS_OK) {
        doubt(words, ks_arena_printf(arena, "options file %s cannot be read", path));
    } else if (strlen(text.at) != text.len) {
        doubt(words, ks_arena_printf(arena, "options file %s is not text", path));
    } else {
        struct ks_strv inner = {0};
        if (!split_quoted(arena, text.at, false, &inner))
            doubt(words, ks_arena_printf(arena,
                                         "options file %s: a quote is open, or a word begins with a "
                                         "backslash",
                                         path));
        expand(arena, &inner, false, depth + 1, words);
    }
}

// One that keeps no double quote.
static bool lone_backslash(const char *text)
{
    while ((text = strchr(text, '\\')) != NULL && text[1] == '"')
        text += 2;
    return text != NULL;
}

static void expand(struct ks_arena *arena, const struct ks_strv *source, bool from_argv, int depth,
                   struct ks_words *words)
{
    struct ks_use use;
    for (size_t i = 0; i < source->len; i += use.n) {
        use = ks_option_at(source->at, source->len, i);
        if (use.kind == KS_USE_BROKEN)
            doubt(words, ks_arena_printf(arena, "%s: its value is missing, or it takes none",
                                         source->at[i]));
        if (use.kind == KS_USE_OPTION && use.option->effect == KS_OPT_OPTIONS_FILE) {
            struct ks_strv files = {0};
            ks_option_list(arena, use.value, &files);
            for (size_t k = 0; k < files.len; k++)
                expand_file(arena, files.at[k], depth, words);
            continue;
        }
        if (use.kind == KS_USE_OPTION && strcmp(use.option->name, "include-path") == 0 &&
            lone_backslash(use.value))
            doubt(words, ks_arena_printf(arena, "%s: nvcc's shell drops a backslash", use.value));
        for (size_t k = i; k < i + use.n; k++)
            add(arena, words, source->at[k], from_argv ? k + 1 : KS_WORD_ELSEWHERE);
    }
}

void ks_words_read(struct ks_arena *arena, const char *const *argv, size_t argc,
                   struct ks_words *words)
{
    *words = (struct ks_words){0};
    struct ks_strv prepend = {0}, line = {0}, append = {0};
    look_at_environment(arena, words);
    split_environment(arena, "NVCC_PREPEND_FLAGS", &prepend, words);
    for (size_t i = 1; i < argc; i++) {
        ks_strv_add(arena, &line, argv[i]);
        // nvcc hands its steps to a shell, which ends a command at the end of a line.
        if (strpbrk(argv[i], "\r\n") != NULL)
            doubt(words, "a word holds the end of a line");
    }
    split_environment(arena, "NVCC_APPEND_FLAGS", &append, words);
    expand(arena, &prepend, false, 0, words);
    expand(arena, &line, true, 0, words);
    expand(arena, &append, false, 0, words);
}
