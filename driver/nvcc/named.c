#include "nvcc/named.h"

#include <string.h>

static bool is_nvcc(const char *word)
{
    const char *base = ks_path_base(word);
    return strcmp(base, "nvcc") == 0 || ks_starts_with(base, "nvcc-");
}

// Not an input that happens to be called so: those have a suffix.
static bool may_launch(const char *word)
{
    return word[0] != '-' && strchr(ks_path_base(word), '.') == NULL;
}

void ks_named_take(struct ks_arena *arena, int *argc, char **argv, struct ks_named *named)
{
    *named = (struct ks_named){0};
    int at = 1, n = 0;
    while (at < *argc && ks_starts_with(argv[at], "--ks-"))
        at++;
    if (at < *argc && is_nvcc(argv[at])) {
        named->nvcc = ks_arena_strdup(arena, argv[at]);
        n = 1;
    } else if (at < *argc && strcmp(ks_path_base(argv[at]), "ks-nvcc") == 0) {
        n = 1;
    } else if (at + 1 < *argc && may_launch(argv[at]) && is_nvcc(argv[at + 1])) {
        named->launcher = ks_arena_strdup(arena, argv[at]);
        named->nvcc = ks_arena_strdup(arena, argv[at + 1]);
        n = 2;
    }
    memmove(argv + at, argv + at + n, (size_t)(*argc - at - n + 1) * sizeof *argv);
    *argc -= n;
}
