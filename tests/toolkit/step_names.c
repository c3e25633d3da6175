#include "step_names.h"

#include <string.h>

#define MARK "\1<ks-" // begins what stands for a name

// "tmpxft_0123abcd_00000000" or "ks-tmp-123/ks-hit-aBc123" at the beginning of `text`.
static size_t temporary_length(const char *text)
{
    static const char hex[] = "0123456789abcdef";
    if (ks_starts_with(text, "tmpxft_"))
        return strspn(text + 7, hex) == 8 && text[15] == '_' && strspn(text + 16, hex) == 8 ? 24
                                                                                            : 0;
    if (!ks_starts_with(text, "ks-tmp-"))
        return 0;
    size_t n = 7 + strspn(text + 7, "0123456789");
    if (!ks_starts_with(text + n, "/ks-"))
        return 0;
    n += 4 + strspn(text + n + 4, "abcdefghijklmnopqrstuvwxyz");
    return text[n] == '-' && strcspn(text + n + 1, "/= ") == 6 ? n + 7 : 0;
}

bool names_add(struct names *names, struct ks_arena *arena, const char *text, char kind, int n)
{
    size_t at = 0;
    for (size_t i = 0; i < names->n; i++)
        if (strcmp(names->at[i].text, text) == 0)
            return true;
    if (names->n == NAMES_MAX)
        return false;
    while (at < names->n && strlen(names->at[at].text) >= strlen(text))
        at++;
    memmove(names->at + at + 1, names->at + at, (names->n++ - at) * sizeof *names->at);
    names->at[at] = (struct name){text, ks_arena_printf(arena, MARK "%c%d>", kind, n)};
    return true;
}

// Files between the steps, by the end of their names.
static bool is_between(const char *word)
{
    static const char *const ends[] = {".cpp1.ii",   ".cpp4.ii",        ".cudafe1.cpp",
                                       ".cudafe1.c", ".cudafe1.stub.c", ".cudafe1.gpu",
                                       ".module_id", ".fatbin.c"};
    for (size_t k = 0; k < sizeof ends / sizeof *ends; k++)
        if (ks_ends_with(word, ends[k]))
            return true;
    return false;
}

bool names_find(struct names *names, struct ks_arena *arena, int argc, char **argv, bool between)
{
    int n = 0;
    for (int i = 1; i < argc; i++) {
        const char *word = argv[i];
        if (between && word[0] != '-' && is_between(word) && !names_add(names, arena, word, 'w', i))
            return false;
        for (const char *at = word; *at != '\0'; at++) {
            int length = (int)temporary_length(at);
            if (length > 0 &&
                !names_add(names, arena, ks_arena_printf(arena, "%.*s", length, at), 't', n++))
                return false;
        }
    }
    return true;
}

// Each `from` in the text becomes `to`.
static struct ks_slice replace(struct ks_slice text, const char *from, const char *to)
{
    struct ks_buf out = KS_BUF(FILE_MAX_);
    const char *at = text.at, *end = text.at + text.len, *hit;
    size_t n = strlen(from);
    if (text.len == 0 || memmem(text.at, text.len, from, n) == NULL)
        return text;
    while ((hit = memmem(at, (size_t)(end - at), from, n)) != NULL) {
        ks_buf_add(&out, at, (size_t)(hit - at));
        ks_buf_puts(&out, to);
        at = hit + n;
    }
    ks_buf_add(&out, at, (size_t)(end - at));
    return (struct ks_slice){out.data, out.len}; // to the end of the program
}

bool names_marked(struct ks_slice text)
{
    return text.len > 0 && memmem(text.at, text.len, MARK, strlen(MARK)) != NULL;
}

struct ks_slice names_mask(const struct names *names, struct ks_slice text)
{
    for (size_t i = 0; i < names->n; i++)
        text = replace(text, names->at[i].text, names->at[i].mark);
    return text;
}

struct ks_slice names_unmask(const struct names *names, struct ks_slice text)
{
    for (size_t i = 0; names_marked(text) && i < names->n; i++)
        text = replace(text, names->at[i].mark, names->at[i].text);
    return text;
}

static const char *text_of(struct ks_arena *arena, struct ks_slice text)
{
    return ks_arena_printf(arena, "%.*s", (int)text.len, text.at);
}

const char *names_mask_word(const struct names *names, struct ks_arena *arena, const char *word)
{
    return text_of(arena, names_mask(names, ks_slice_of(word)));
}

const char *names_unmask_word(const struct names *names, struct ks_arena *arena, const char *word)
{
    return text_of(arena, names_unmask(names, ks_slice_of(word)));
}
