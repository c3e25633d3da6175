// option_words WORDS...: the folders and host options that ks-nvcc reads off a command line, one a
// line, as gcc is to get them: "-Idir", "-DA=1". Or "doubt", where it leaves the line to nvcc.
#include <stdio.h>
#include <string.h>

#include "nvcc/words.h"

static void print_all(const char *prefix, const struct ks_strv *items)
{
    for (size_t i = 0; i < items->len; i++)
        printf("%s%s\n", prefix, items->at[i]);
}

int main(int argc, char **argv)
{
    struct ks_arena arena = {0};
    struct ks_words words;
    ks_words_read(&arena, (const char *const *)argv, (size_t)argc, &words);
    if (words.doubt != NULL) {
        puts("doubt");
        return 0;
    }
    struct ks_use use;
    for (size_t i = 0; i < words.text.len; i += use.n) {
        use = ks_option_at(words.text.at, words.text.len, i);
        if (use.kind != KS_USE_OPTION)
            continue;
        struct ks_strv items = {0};
        if (strcmp(use.option->name, "include-path") == 0) {
            ks_option_list(&arena, use.value, &items);
            print_all("-I", &items);
        } else if (strcmp(use.option->name, "compiler-options") == 0) {
            ks_words_host(&arena, use.value, &items);
            print_all("", &items);
        }
    }
    ks_arena_free(&arena);
    return 0;
}
