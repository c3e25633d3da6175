#include "agent/bm25.h"

#include <ctype.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/vec.h"

#define K1 1.5
#define B 0.75
#define WORD_MOST 48

struct posting {
    uint32_t text, times;
};
struct word {
    const char *name; // NULL: a free slot
    KS_VEC(struct posting) postings;
};
struct ks_bm25 {
    struct ks_arena *arena;
    size_t n;
    double *lengths, mean; // in words
    struct word *words;    // open addressing
    size_t slots, used;
};

// The next word of the text, in lower case; false at its end.
static bool next_word(const char **at, char word[WORD_MOST])
{
    const char *p = *at;
    size_t n = 0;
    while (*p != '\0' && !isalnum((unsigned char)*p))
        p++;
    for (; isalnum((unsigned char)*p); p++) {
        bool hump = n > 0 && isupper((unsigned char)*p) && islower((unsigned char)p[-1]);
        if (hump)
            break;
        if (n + 1 < WORD_MOST)
            word[n++] = (char)tolower((unsigned char)*p);
    }
    word[n] = '\0';
    *at = p;
    return n > 0;
}

static size_t slot_of(const struct ks_bm25 *index, const char *word)
{
    uint64_t hash = 14695981039346656037u; // FNV-1a
    for (const char *p = word; *p != '\0'; p++)
        hash = (hash ^ (unsigned char)*p) * 1099511628211u;
    size_t slot = (size_t)(hash >> 7) & (index->slots - 1);
    while (index->words[slot].name != NULL && strcmp(index->words[slot].name, word) != 0)
        slot = (slot + 1) & (index->slots - 1);
    return slot;
}

static void grow(struct ks_bm25 *index)
{
    struct word *old = index->words;
    size_t slots = index->slots;
    index->slots *= 2;
    index->words = KS_NEW_ARRAY(index->arena, struct word, index->slots);
    for (size_t i = 0; i < slots; i++)
        if (old[i].name != NULL)
            index->words[slot_of(index, old[i].name)] = old[i];
}

static void add_word(struct ks_bm25 *index, uint32_t text, const char *name)
{
    if (index->used * 2 >= index->slots)
        grow(index);
    struct word *word = &index->words[slot_of(index, name)];
    if (word->name == NULL) {
        word->name = ks_arena_strdup(index->arena, name);
        index->used++;
    }
    if (word->postings.len == 0 || word->postings.at[word->postings.len - 1].text != text)
        *ks_vec_push(index->arena, &word->postings) = (struct posting){text, 0};
    word->postings.at[word->postings.len - 1].times++;
}

struct ks_bm25 *ks_bm25_make(struct ks_arena *arena, const char *const *texts, size_t n)
{
    struct ks_bm25 *index = KS_NEW(arena, struct ks_bm25);
    char word[WORD_MOST];
    double sum = 0;
    *index = (struct ks_bm25){.arena = arena, .n = n, .slots = 1024};
    index->words = KS_NEW_ARRAY(arena, struct word, index->slots);
    index->lengths = KS_NEW_ARRAY(arena, double, n + 1);
    for (size_t i = 0; i < n; i++) {
        for (const char *at = texts[i]; next_word(&at, word); index->lengths[i]++)
            add_word(index, (uint32_t)i, word);
        sum += index->lengths[i];
    }
    index->mean = n > 0 && sum > 0 ? sum / (double)n : 1;
    return index;
}

static void add_scores(const struct ks_bm25 *index, const struct word *word, double *scores)
{
    double n = (double)word->postings.len;
    double idf = log(1 + ((double)index->n - n + 0.5) / (n + 0.5));
    for (size_t i = 0; i < word->postings.len; i++) {
        const struct posting *p = &word->postings.at[i];
        double times = p->times, length = index->lengths[p->text] / index->mean;
        scores[p->text] += idf * times * (K1 + 1) / (times + K1 * (1 - B + B * length));
    }
}

size_t ks_bm25_find(const struct ks_bm25 *index, const char *query, size_t most, size_t *found, double *scores)
{
    double *all = calloc(index->n + 1, sizeof *all);
    bool *seen = calloc(index->slots, sizeof *seen);
    char name[WORD_MOST];
    size_t n = 0;
    KS_ASSERT(all != NULL && seen != NULL);
    for (const char *at = query; next_word(&at, name);) {
        size_t slot = slot_of(index, name);
        if (index->words[slot].name != NULL && !seen[slot])
            add_scores(index, &index->words[slot], all);
        seen[slot] = true;
    }
    for (size_t i = 0; i < index->n; i++) {
        if (all[i] <= 0 || (n == most && all[i] <= scores[n - 1]))
            continue;
        size_t at = n < most ? n++ : n - 1;
        for (; at > 0 && scores[at - 1] < all[i]; at--) {
            scores[at] = scores[at - 1];
            found[at] = found[at - 1];
        }
        scores[at] = all[i];
        found[at] = i;
    }
    free(all);
    free(seen);
    return n;
}
