#include "nvcc/host_option.h"

#include <string.h>

static void doubt(struct ks_host_options *host, struct ks_arena *arena, const char *format,
                  const char *word)
{
    if (host->doubt == NULL)
        host->doubt = ks_arena_printf(arena, "%s: %s", word, format);
}

static bool starts_with_any(const char *word, const char *const *prefixes)
{
    for (; *prefixes != NULL; prefixes++)
        if (ks_starts_with(word, *prefixes))
            return true;
    return false;
}

static void look_at(struct ks_host_options *host, struct ks_arena *arena, const char *word)
{
    static const char *const instruments[] = {"-fsanitize=",
                                              "--coverage",
                                              "-coverage",
                                              "-fprofile-",
                                              "-ftest-coverage",
                                              "-fcoverage-mapping",
                                              "-fauto-profile",
                                              "-fcs-profile",
                                              "-finstrument-functions",
                                              NULL};
    // They write files named after what is compiled, or print what a probe will parse.
    static const char *const side_outputs[] = {"-save-temps", "--save-temps", "-Wp,-M", "-M",
                                               "-fdump-",     "-ftime-trace", NULL};
    static const char *const parts[] = {"-B", "-specs", "--specs", "-wrapper",
                                        "-no-integrated-cpp", NULL};
    static const char *const whole_words[] = {"-v", "-###", "-E", "-S", "-fsyntax-only", NULL};
    if (starts_with_any(word, instruments)) {
        host->instrumented = true;
        doubt(host, arena, "an instrumented build keeps its own kernels", word);
    } else if (starts_with_any(word, side_outputs)) {
        doubt(host, arena, "an output of the host compiler that ks does not know", word);
    } else if (starts_with_any(word, parts)) {
        host->parts = true;
    } else if (ks_starts_with(word, "-fopenmp")) {
        host->openmp = true;
    } else if (word[0] == '@') {
        doubt(host, arena, "an options file of the host compiler", word);
    } else {
        for (size_t i = 0; whole_words[i] != NULL; i++)
            if (strcmp(word, whole_words[i]) == 0)
                doubt(host, arena, "the host compiler does something else with it", word);
    }
}

// "-I dir" or "-Idir" at words[*i]; moves *i onto the last word used.
static const char *directory(const struct ks_strv *words, size_t *i, const char *option)
{
    if (!ks_starts_with(words->at[*i], option))
        return NULL;
    const char *rest = words->at[*i] + strlen(option);
    if (*rest != '\0')
        return rest;
    return *i + 1 < words->len ? words->at[++*i] : NULL;
}

void ks_host_options_read(struct ks_arena *arena, struct ks_host_options *host)
{
    for (size_t i = 0; i < host->words.len; i++) {
        const char *word = host->words.at[i], *dir;
        if ((dir = directory(&host->words, &i, "-iquote")) != NULL)
            ks_strv_add(arena, &host->quote_dirs, dir);
        else if ((dir = directory(&host->words, &i, "-I")) != NULL)
            ks_strv_add(arena, &host->include_dirs, dir);
        else
            look_at(host, arena, word);
    }
}
