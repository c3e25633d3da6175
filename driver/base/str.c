#include "base/str.h"

#include <ctype.h>
#include <errno.h>
#include <locale.h>
#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct ks_slice ks_slice_of(const char *text)
{
    return (struct ks_slice){text, text == NULL ? 0 : strlen(text)};
}

bool ks_slice_eq(struct ks_slice slice, const char *text)
{
    return strlen(text) == slice.len && (slice.len == 0 || memcmp(slice.at, text, slice.len) == 0);
}

static bool is_space(char c)
{
    return c == ' ' || (c >= '\t' && c <= '\r');
}

struct ks_slice ks_slice_trim(struct ks_slice slice)
{
    while (slice.len > 0 && is_space(slice.at[0])) {
        slice.at++;
        slice.len--;
    }
    while (slice.len > 0 && is_space(slice.at[slice.len - 1]))
        slice.len--;
    return slice;
}

void ks_strv_add(struct ks_arena *arena, struct ks_strv *list, const char *text)
{
    if (list->len + 2 > list->cap) {
        size_t cap = list->cap == 0 ? 16 : list->cap * 2;
        const char **at = KS_NEW_ARRAY(arena, const char *, cap);
        if (list->len > 0)
            memcpy(at, list->at, list->len * sizeof *at);
        list->at = at;
        list->cap = cap;
    }
    list->at[list->len++] = text;
    list->at[list->len] = NULL;
}

bool ks_starts_with(const char *text, const char *prefix)
{
    return strncmp(text, prefix, strlen(prefix)) == 0;
}

bool ks_ends_with(const char *text, const char *suffix)
{
    size_t n = strlen(text), m = strlen(suffix);
    return n >= m && memcmp(text + n - m, suffix, m) == 0;
}

bool ks_parse_i64(const char *text, int64_t *value)
{
    const char *digits = text + (text[0] == '-' || text[0] == '+');
    int base = 10;
    if (digits[0] == '0' && (digits[1] == 'x' || digits[1] == 'X')) {
        base = 16;
        digits += 2;
    }
    // strtoll would skip white space and take a second sign.
    if (!(base == 16 ? isxdigit((unsigned char)digits[0]) : isdigit((unsigned char)digits[0])))
        return false;
    char *end;
    errno = 0;
    long long parsed = strtoll(text, &end, base);
    if (errno != 0 || *end != '\0')
        return false;
    *value = parsed;
    return true;
}

bool ks_parse_f64(const char *text, double *value)
{
    const char *digits = text + (text[0] == '-' || text[0] == '+');
    if (!isdigit((unsigned char)digits[0]) && digits[0] != '.')
        return false;         // white space, "inf", "nan"
    static locale_t c_locale; // never freed; a race would leak one
    locale_t locale = __atomic_load_n(&c_locale, __ATOMIC_ACQUIRE);
    if (locale == NULL) {
        locale = newlocale(LC_ALL_MASK, "C", NULL);
        KS_ASSERT(locale != NULL);
        __atomic_store_n(&c_locale, locale, __ATOMIC_RELEASE);
    }
    char *end;
    double parsed = strtod_l(text, &end, locale);
    if (end == text || *end != '\0' || !isfinite(parsed))
        return false;
    *value = parsed;
    return true;
}

void ks_text_fit(char *out, size_t size, const char *text)
{
    static const char rest[] = " ...";
    size_t n = strlen(text);
    KS_ASSERT(size > sizeof rest);
    if (n < size) {
        memcpy(out, text, n + 1);
        return;
    }
    n = size - sizeof rest;
    size_t word = n;
    while (word > 0 && text[word] != ' ')
        word--;
    n = word > 0 ? word : n; // one word alone
    memcpy(out, text, n);
    memcpy(out + n, rest, sizeof rest);
}

const char *ks_path_base(const char *path)
{
    const char *slash = strrchr(path, '/');
    return slash == NULL ? path : slash + 1;
}

char *ks_path_dir(struct ks_arena *arena, const char *path)
{
    const char *slash = strrchr(path, '/');
    if (slash == NULL)
        return ks_arena_strdup(arena, ".");
    while (slash > path && slash[-1] == '/')
        slash--;
    return ks_arena_strndup(arena, path, slash == path ? 1 : (size_t)(slash - path));
}

char *ks_path_join(struct ks_arena *arena, const char *a, const char *b)
{
    if (b[0] == '/' || a[0] == '\0')
        return ks_arena_strdup(arena, b);
    return ks_arena_printf(arena, "%s%s%s", a, ks_ends_with(a, "/") ? "" : "/", b);
}

#define LONGEST_WORD 64

// Levenshtein distance with adjacent transpositions counted as one edit.
static size_t edit_distance(const char *a, size_t n, const char *b, size_t m)
{
    size_t rows[3][LONGEST_WORD + 1];
    size_t *before = rows[0], *last = rows[1], *now = rows[2];
    for (size_t j = 0; j <= m; j++)
        last[j] = j;
    for (size_t i = 1; i <= n; i++) {
        now[0] = i;
        for (size_t j = 1; j <= m; j++) {
            size_t best = last[j - 1] + (a[i - 1] != b[j - 1]);
            if (last[j] + 1 < best)
                best = last[j] + 1;
            if (now[j - 1] + 1 < best)
                best = now[j - 1] + 1;
            if (i > 1 && j > 1 && a[i - 1] == b[j - 2] && a[i - 2] == b[j - 1] &&
                before[j - 2] + 1 < best)
                best = before[j - 2] + 1;
            now[j] = best;
        }
        size_t *spare = before;
        before = last;
        last = now;
        now = spare;
    }
    return last[m];
}

const char *ks_nearest_word(const char *text, const char *const *words)
{
    size_t n = strlen(text);
    if (n == 0 || n > LONGEST_WORD)
        return NULL;
    const char *nearest = NULL;
    size_t least = 3;
    for (; *words != NULL; words++) {
        size_t m = strlen(*words);
        if (m > LONGEST_WORD || m > n + 2 || n > m + 2)
            continue;
        size_t distance = edit_distance(text, n, *words, m);
        // Two edits turn any two-letter word into any other: that is no suggestion.
        if (distance < least && distance < m) {
            least = distance;
            nearest = *words;
        }
    }
    return nearest;
}
