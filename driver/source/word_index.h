// Where each word of a long text stands. A preprocessed unit has millions of bytes, and what reads kernels asks for
// hundreds of names in it: made once, each is found without going through the text again.
#ifndef KS_WORD_INDEX_H
#define KS_WORD_INDEX_H

#include "base/str.h"

struct ks_word_index {
    struct ks_slice text; // borrowed
    uint32_t *first, *last, *next; // of words with one hash, in the text's order: their numbers from 1, 0 ends
    uint32_t *at, len, n_hashes;   // by number: the word's first byte; how many hashes there are, a power of two
};

// Of a text of less than 4 GiB, the rest of which is not looked at.
void ks_word_index_make(struct ks_arena *arena, struct ks_slice text, struct ks_word_index *words);
// The number of the first whole word of that spelling behind word `after` (0: of all), or 0.
uint32_t ks_word_index_next(const struct ks_word_index *words, struct ks_slice name, uint32_t after);

#endif
