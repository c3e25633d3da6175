#include "search/arm_words.h"

#include <string.h>

const char *ks_arm_words(struct ks_arena *arena, const char *name)
{
    if (!ks_starts_with(name, "template "))
        return ks_starts_with(name, "transform ") ? name + strlen("transform ") : name;
    const char *at = name + strlen("template ");
    int len = (int)strcspn(at, " ");
    struct ks_buf buf = KS_BUF(4096);
    ks_buf_printf(&buf, "%.*s", len, at);
    for (const char *word = at + len; *(word += strspn(word, " ")); word += strcspn(word, " ")) {
        size_t key = strcspn(word, "= ");
        bool setting = word[key] == '=' && word[key + 1] >= '0' && word[key + 1] <= '9';
        if (setting || ks_starts_with(word, "form="))
            ks_buf_printf(&buf, " %.*s.%.*s", len, at, (int)strcspn(word, " "), word);
    }
    char *text = ks_arena_strdup(arena, ks_buf_text(&buf));
    ks_buf_free(&buf);
    return text;
}
