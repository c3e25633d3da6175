#include "source/word_index.h"

#include <string.h>

#include "source/lex.h"

static uint32_t hash_of(const struct ks_word_index *words, const char *at, size_t n)
{
    uint32_t hash = 2166136261u; // FNV-1a
    for (size_t i = 0; i < n; i++)
        hash = (hash ^ (unsigned char)at[i]) * 16777619u;
    return (hash ^ hash >> 16) & (words->n_hashes - 1);
}

// The word from `at` on or behind it; empty at the end.
static struct ks_slice word_from(struct ks_slice text, size_t at)
{
    while (at < text.len && !ks_is_ident(text.at[at]))
        at++;
    size_t end = at;
    while (end < text.len && ks_is_ident(text.at[end]))
        end++;
    return (struct ks_slice){text.at + at, end - at};
}

void ks_word_index_make(struct ks_arena *arena, struct ks_slice text, struct ks_word_index *words)
{
    if (text.len > UINT32_MAX)
        text.len = UINT32_MAX;
    *words = (struct ks_word_index){.text = text, .n_hashes = 64};
    uint32_t n = 0;
    for (struct ks_slice w = word_from(text, 0); w.len > 0; w = word_from(text, (size_t)(w.at - text.at) + w.len))
        n++;
    while (words->n_hashes < n / 4)
        words->n_hashes *= 2;
    words->first = KS_NEW_ARRAY(arena, uint32_t, words->n_hashes);
    words->last = KS_NEW_ARRAY(arena, uint32_t, words->n_hashes);
    words->next = KS_NEW_ARRAY(arena, uint32_t, n + 1);
    words->at = KS_NEW_ARRAY(arena, uint32_t, n + 1);
    for (struct ks_slice w = word_from(text, 0); w.len > 0; w = word_from(text, (size_t)(w.at - text.at) + w.len)) {
        uint32_t hash = hash_of(words, w.at, w.len), i = ++words->len;
        words->at[i] = (uint32_t)(w.at - text.at);
        *(words->first[hash] ? &words->next[words->last[hash]] : &words->first[hash]) = i;
        words->last[hash] = i;
    }
}

uint32_t ks_word_index_next(const struct ks_word_index *words, struct ks_slice name, uint32_t after)
{
    uint32_t i = after                          ? words->next[after]
                 : name.len > 0 && words->first ? words->first[hash_of(words, name.at, name.len)]
                                                : 0;
    for (; i != 0; i = words->next[i]) {
        const char *at = words->text.at + words->at[i];
        size_t left = words->text.len - words->at[i];
        if (left >= name.len && memcmp(at, name.at, name.len) == 0 && (left == name.len || !ks_is_ident(at[name.len])))
            return i;
    }
    return 0;
}
