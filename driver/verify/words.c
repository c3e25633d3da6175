#include "verify/words.h"

#include <ctype.h>
#include <string.h>

struct ks_words ks_words_of(struct ks_slice text)
{
    return (struct ks_words){.at = text.at, .end = text.at + text.len};
}

static bool in_word(char c)
{
    return isalnum((unsigned char)c) || c == '_' || c == '.' || c == '%' || c == '$';
}

bool ks_words_next(struct ks_words *words)
{
    while (words->at < words->end && !in_word(*words->at)) {
        if (!isspace((unsigned char)*words->at))
            words->before = *words->at;
        words->at++;
    }
    if (words->at >= words->end)
        return false;
    const char *begin = words->at;
    while (words->at < words->end && in_word(*words->at))
        words->at++;
    if (words->word.at != NULL && begin > words->word.at + words->word.len) {
        // `before` was set by the separators passed; white space alone means none
        bool only_space = true;
        for (const char *p = words->word.at + words->word.len; p < begin; p++)
            only_space = only_space && isspace((unsigned char)*p);
        if (only_space)
            words->before = ' ';
    }
    words->word = (struct ks_slice){begin, (size_t)(words->at - begin)};
    return true;
}

bool ks_word_has(struct ks_slice word, const char *part)
{
    return memmem(word.at, word.len, part, strlen(part)) != NULL;
}

bool ks_word_begins(struct ks_slice word, const char *prefix)
{
    size_t n = strlen(prefix);
    return word.len >= n && memcmp(word.at, prefix, n) == 0;
}

bool ks_word_part(struct ks_slice word, const char *part)
{
    size_t n = strlen(part);
    for (size_t i = 0; i + n <= word.len; i++)
        if ((i == 0 || word.at[i - 1] == '.') && memcmp(word.at + i, part, n) == 0 &&
            (i + n == word.len || word.at[i + n] == '.'))
            return true;
    return false;
}

struct ks_slice ks_word_base(struct ks_slice word)
{
    const char *dot = memchr(word.at, '.', word.len);
    return (struct ks_slice){word.at, dot == NULL ? word.len : (size_t)(dot - word.at)};
}

bool ks_word_one_of(struct ks_slice word, const char *const *list)
{
    for (; *list != NULL; list++)
        if (ks_slice_eq(word, *list))
            return true;
    return false;
}
