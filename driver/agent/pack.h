// How long a question may be: an estimate of its tokens, and what is left out of one that is too
// long.
#ifndef KS_PACK_H
#define KS_PACK_H

#include "base/str.h"

// More than tokenizers find in English and code: a token for each begun four letters of a word, for
// each digit, sign and line's end, for each begun eight blanks where there are two and more, for
// each byte beyond ASCII. o200k, cl100k, Llama 3's and an older one of Claude's count 0.65 to 0.77
// of that in prompts and files of CUDA, C and English, up to 0.93 in a line or two.
int64_t ks_tokens(const char *text);

// What a question holds, from all there is to what it cannot do without; each step leaves out more.
struct ks_packing {
    size_t digest; // bytes of what was tried
    int others;    // right proposals beside the best one
    size_t skills;
    bool best;
    size_t facts; // bytes
};
#define KS_PACKINGS 10
const struct ks_packing *ks_packing_at(int step);

// The first lines of a text, `most` bytes of them, and below them how many are left out.
const char *ks_pack_lines(struct ks_arena *arena, const char *text, size_t most);

#endif
