// Words of PTX text: opcodes ("cvt.rn.f16.f32"), directives (".global"), registers ("%clock64"),
// numbers; everything else separates. Shared by gate.c, arith.c, arith_joins.c and rounding.c only.
#ifndef KS_WORDS_H
#define KS_WORDS_H

#include "base/str.h"

struct ks_words {
    const char *at, *end;
    struct ks_slice word;
    char before;      // last separator that is no white space before the word, 0 at the start
};

struct ks_words ks_words_of(struct ks_slice text);
bool ks_words_next(struct ks_words *words);
bool ks_word_has(struct ks_slice word, const char *part); // contains
bool ks_word_begins(struct ks_slice word, const char *prefix);
// One of the dot-separated parts is `part`: "cvt.rn.f16.f32" has part "f16".
bool ks_word_part(struct ks_slice word, const char *part);
// It is one of `list`, which ends with NULL.
bool ks_word_one_of(struct ks_slice word, const char *const *list);
// First part: "cvt".
struct ks_slice ks_word_base(struct ks_slice word);

#endif
