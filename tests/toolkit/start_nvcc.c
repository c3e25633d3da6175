#include "start_nvcc.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/str.h"

static struct ks_arena arena;

// Whether words or environment say a standard, or may; or there is nothing to say it of.
static bool says_standard(int argc, char **argv)
{
    static const char *const flags[] = {"NVCC_PREPEND_FLAGS", "NVCC_APPEND_FLAGS"};
    bool compiles = false;
    for (int i = 1; i < argc; i++) {
        compiles |= ks_ends_with(argv[i], ".cu");
        if (strstr(argv[i], "-std") != NULL || ks_starts_with(argv[i], "-optf") ||
            ks_starts_with(argv[i], "--options-file"))
            return true;
    }
    for (size_t k = 0; k < sizeof flags / sizeof *flags; k++)
        if (getenv(flags[k]) != NULL && strstr(getenv(flags[k]), "-std") != NULL)
            return true;
    return !compiles;
}

int start_nvcc(int argc, char **argv)
{
    struct ks_strv words = {0};
    for (int i = 0; i < argc; i++) {
        ks_strv_add(&arena, &words, argv[i]);
        if (i == 0 && !says_standard(argc, argv))
            ks_strv_add(&arena, &words, "-std=c++14");
    }
    const char *path = getenv("PATH"); // nvcc looks at gcc before it puts the toolkit in front
    if (path != NULL && !ks_starts_with(path, KS_TEST_TOOLKIT "/bin:"))
        (void)setenv("PATH", ks_arena_printf(&arena, KS_TEST_TOOLKIT "/bin:%s", path), 1);
    execv(KS_REAL_TOOLKIT "/bin/nvcc", (char **)words.at); // argv[0] tells it the toolkit's folder
    perror(KS_REAL_TOOLKIT "/bin/nvcc");
    return 1;
}
