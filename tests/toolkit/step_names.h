// Names that differ from compile to compile, and what stands for them where a step is remembered.
#ifndef STEP_NAMES_H
#define STEP_NAMES_H

#include "base/str.h"

#define NAMES_MAX 512
#define FILE_MAX_ ((size_t)1 << 30)

struct names {
    struct name {
        const char *text, *mark;
    } at[NAMES_MAX]; // the longest first
    size_t n;
};

// Finds the names of temporary files and folders in the words, and with `between` those words that
// are files between nvcc's steps. False if there are too many.
bool names_find(struct names *names, struct ks_arena *arena, int argc, char **argv, bool between);
// One more, told apart by its kind and number.
bool names_add(struct names *names, struct ks_arena *arena, const char *text, char kind, int n);
// With what stands for the names, and back. What is new stays to the end of the program.
struct ks_slice names_mask(const struct names *names, struct ks_slice text);
struct ks_slice names_unmask(const struct names *names, struct ks_slice text);
const char *names_mask_word(const struct names *names, struct ks_arena *arena, const char *word);
const char *names_unmask_word(const struct names *names, struct ks_arena *arena, const char *word);
// Whether the text holds what stands for a name.
bool names_marked(struct ks_slice text);

#endif
