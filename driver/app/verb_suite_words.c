// Words for nvcc that a fixture may say: those that shape device code. nvcc starts whatever program other words
// name, and has a shell read each step's words, where `$(...)` in the value of a -D runs what stands there.
#include "app/verb_suite_words.h"

#include <string.h>

#include "nvcc/option.h"
#include "os/file.h"

// By their long names, with the characters that a value may hold beside letters and digits; NULL: it takes none.
static const struct { const char *name, *characters; } allowed[] = {
    {"define-macro", "_=.+-"},
    {"undefine-macro", "_"},
    {"include-path", "_.+-/"},
    {"std", "+"},
    {"optimize", ""},
    {"gpu-architecture", "_"},
    {"gpu-code", "_,"},
    {"generate-code", "_,=[]"},
    {"relocatable-device-code", ""},
    {"device-c", NULL},
    {"device-debug", NULL},
    {"generate-line-info", NULL},
    {"maxrregcount", ""},
    {"use_fast_math", NULL},
    {"ftz", ""},
    {"prec-div", ""},
    {"prec-sqrt", ""},
    {"fmad", ""},
    {"extra-device-vectorization", NULL},
    {"restrict", NULL},
    {"expt-relaxed-constexpr", NULL},
    {"extended-lambda", NULL},
    {"ptxas-options", "-=,"},
};

// What ptxas is told. Others of its options name files too.
static bool ptxas_allowed(struct ks_arena *arena, const char *value)
{
    static const char *const begins[] = {"-O", "--opt-level=", "-dlcm=", "--def-load-cache=", "-dscm=",
                                         "--def-store-cache=", "-fmad=", "--fmad=", "--allow-expensive-optimizations=",
                                         "--register-usage-level=", NULL};
    struct ks_strv items = {0};
    ks_option_list(arena, value, &items);
    for (size_t i = 0; i < items.len; i++) {
        size_t b = 0;
        while (begins[b] != NULL && !ks_starts_with(items.at[i], begins[b]))
            b++;
        bool whole = strcmp(items.at[i], "-v") == 0;
        if (!whole && (begins[b] == NULL || strpbrk(items.at[i] + strlen(begins[b]), "-=") != NULL))
            return false;
    }
    return items.len > 0;
}

static bool made_of(const char *value, const char *characters)
{
    static const char plain[] = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789";
    for (; *value != '\0'; value++)
        if (strchr(plain, *value) == NULL && strchr(characters, *value) == NULL)
            return false;
    return true;
}

bool suite_inside(struct ks_arena *arena, const char *dir, const char *path)
{
    const char *real = ks_path_real(arena, path), *top = ks_path_real(arena, dir);
    size_t n = top != NULL ? strlen(top) : 0;
    return real != NULL && top != NULL && strncmp(real, top, n) == 0 && (real[n] == '/' || real[n] == '\0');
}

const char *suite_words_wrong(struct ks_arena *arena, const char *suite, const char *fixture,
                              const struct ks_strv *given, size_t *at, struct ks_strv *words)
{
    struct ks_use use;
    for (size_t i = 0; i < given->len; i += use.n) {
        size_t k = 0;
        *at = i;
        use = ks_option_at(given->at, given->len, i);
        while (use.kind == KS_USE_OPTION && k < sizeof allowed / sizeof *allowed &&
               strcmp(allowed[k].name, use.option->name) != 0)
            k++;
        if (use.kind != KS_USE_OPTION || k == sizeof allowed / sizeof *allowed)
            return "is no word of a suite";
        const char *value = use.value; // NULL where the table above has none
        bool ptxas = strcmp(use.option->name, "ptxas-options") == 0;
        if (value != NULL && ((value[0] == '-' && !ptxas) || !made_of(value, allowed[k].characters)))
            return "has a value with characters that no word of a suite has";
        if (ptxas && !ptxas_allowed(arena, value))
            return "tells ptxas what no word of a suite does";
        if (strcmp(use.option->name, "include-path") != 0) {
            for (size_t w = i; w < i + use.n; w++)
                ks_strv_add(arena, words, given->at[w]);
            continue;
        }
        const char *folder = value[0] == '/' ? value : ks_path_join(arena, fixture, value);
        if (!suite_inside(arena, suite, folder))
            return "names no folder within the suite's own";
        ks_strv_add(arena, words, ks_arena_printf(arena, "-I%s", folder));
    }
    return NULL;
}
