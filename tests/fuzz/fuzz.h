// A fuzz target is one file with LLVMFuzzerTestOneInput and texts to begin with. libFuzzer calls it
// where clang is the compiler (-DKS_LIBFUZZER=ON); fuzz_main.c does everywhere else.
#ifndef FUZZ_H
#define FUZZ_H

#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);
extern const char *const fuzz_seeds[]; // NULL-terminated
extern size_t fuzz_accepted;           // inputs that the code took: a target that refuses all tests little
extern const char *const fuzz_words[]; // of the format, NULL-terminated: the mutator puts them in

// An input on which the code contradicts itself.
#define FUZZ_CHECK(condition)                                                                      \
    do {                                                                                           \
        if (!(condition)) {                                                                        \
            fprintf(stderr, "%s:%d: not so: %s\n", __FILE__, __LINE__, #condition);                \
            abort();                                                                               \
        }                                                                                          \
    } while (0)

#endif
