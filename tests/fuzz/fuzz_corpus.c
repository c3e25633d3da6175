// What libFuzzer begins with: the target's texts in the corpus' folder, its words as a dictionary.
//   PROGRAM -dict=CORPUS.dict ... CORPUS
#include <string.h>
#include <sys/stat.h>

#include "fuzz.h"

int LLVMFuzzerInitialize(int *argc, char ***argv);

static FILE *create(const char *path)
{
    FILE *file = fopen(path, "wb");
    if (file == NULL) {
        fprintf(stderr, "%s: cannot be written\n", path);
        exit(100);
    }
    return file;
}

static void put_word(FILE *file, const char *word)
{
    fputc('"', file);
    for (; *word != '\0'; word++)
        fprintf(file, "\\x%02X", (unsigned char)*word);
    fputs("\"\n", file);
}

// libFuzzer calls it before it reads either.
int LLVMFuzzerInitialize(int *argc, char ***argv)
{
    const char *corpus = (*argv)[*argc - 1];
    char path[4096];
    struct stat st;
    if (stat(corpus, &st) != 0 || !S_ISDIR(st.st_mode))
        return 0; // a single input, run again
    for (size_t i = 0; fuzz_seeds[i] != NULL; i++) {
        snprintf(path, sizeof path, "%s/seed-%zu", corpus, i);
        FILE *file = create(path);
        fwrite(fuzz_seeds[i], 1, strlen(fuzz_seeds[i]), file);
        fclose(file);
    }
    snprintf(path, sizeof path, "%s.dict", corpus);
    FILE *file = create(path);
    for (size_t i = 0; fuzz_words[i] != NULL; i++)
        put_word(file, fuzz_words[i]);
    fclose(file);
    return 0;
}
