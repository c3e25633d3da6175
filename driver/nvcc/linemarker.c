#include "nvcc/linemarker.h"

#include <stdlib.h>
#include <string.h>

// The characters between the quotes at `at`, where `*end` is the closing one; NULL: there is none.
// Both compilers put a backslash before a quote or a backslash, and write other bytes in octal.
static char *unquote(struct ks_arena *arena, const char *at, const char *stop, const char **end)
{
    const char *close = at;
    while (close < stop && *close != '"' && *close != '\n')
        close += *close == '\\' && close + 1 < stop ? 2 : 1;
    if (close >= stop || *close != '"')
        return NULL;
    char *name = ks_arena_strndup(arena, at, (size_t)(close - at)), *to = name;
    for (; at < close; at++) {
        if (*at == '\\' && at[1] >= '0' && at[1] <= '3' && close - at > 3) {
            const char digits[] = {at[1], at[2], at[3], '\0'};
            *to++ = (char)strtol(digits, NULL, 8);
            at += 3;
        } else {
            *to++ = *at == '\\' ? *++at : *at;
        }
    }
    *to = '\0';
    *end = close;
    return name;
}

static bool is_known(const struct ks_strv *files, const char *name)
{
    for (size_t i = files->len; i-- > 0;)
        if (strcmp(files->at[i], name) == 0)
            return true;
    return false;
}

static void read_marker(struct ks_arena *arena, const char *at, const char *stop,
                        struct ks_strv *files)
{
    const char *digits = at, *end;
    while (at < stop && *at >= '0' && *at <= '9')
        at++;
    if (at == digits || stop - at < 2 || at[0] != ' ' || at[1] != '"')
        return;
    char *name = unquote(arena, at + 2, stop, &end);
    bool enters = name != NULL && name[0] != '<' && stop - end > 2 && end[1] == ' ' &&
                  end[2] == '1';
    if (enters && !is_known(files, name))
        ks_strv_add(arena, files, name);
}

void ks_line_markers(struct ks_arena *arena, struct ks_slice text, struct ks_strv *files)
{
    const char *stop = text.at + text.len;
    for (const char *at = text.at; at < stop;) {
        if (stop - at > 2 && at[0] == '#' && at[1] == ' ')
            read_marker(arena, at + 2, stop, files);
        const char *newline = memchr(at, '\n', (size_t)(stop - at));
        at = newline == NULL ? stop : newline + 1;
    }
}
