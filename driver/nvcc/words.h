// The words nvcc will really see: the command line with NVCC_PREPEND_FLAGS, NVCC_APPEND_FLAGS and
// options files put in, to look at only; nvcc does the same to what we hand it.
#ifndef KS_WORDS_H
#define KS_WORDS_H

#include "nvcc/option.h"

#define KS_WORD_ELSEWHERE 0 // from the environment or an options file

struct ks_words {
    struct ks_strv text;
    size_t *from; // for each word: its index in the argument vector, or KS_WORD_ELSEWHERE
    size_t cap;
    const char *doubt; // why the list cannot be relied on, or NULL
};

// `argv` holds the words from index 1 on, `argc` counts argv[0] too.
void ks_words_read(struct ks_arena *arena, const char *const *argv, size_t argc,
                   struct ks_words *words);

// A string of options for the host compiler (the value of -Xcompiler) as words: nvcc turns commas
// outside double quotes into spaces, a shell splits the result.
void ks_words_host(struct ks_arena *arena, const char *value, struct ks_strv *words);

#endif
