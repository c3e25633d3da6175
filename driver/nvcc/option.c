#include "nvcc/option.h"

#include <ctype.h>
#include <string.h>

static const struct ks_option *find(const char *text, size_t len, bool alias)
{
    size_t n;
    const struct ks_option *options = ks_options(&n);
    for (size_t i = 0; i < n; i++) {
        const char *name = alias ? options[i].alias : options[i].name;
        if (name != NULL && strncmp(name, text, len) == 0 && name[len] == '\0')
            return &options[i];
    }
    return NULL;
}

const struct ks_option *ks_option_find(const char *name)
{
    return find(name, strlen(name), false);
}

struct ks_use ks_option_at(const char *const *words, size_t len, size_t i)
{
    const char *word = words[i];
    struct ks_use use = {.kind = KS_USE_INPUT, .n = 1};
    if (word[0] != '-' || word[1] == '\0')
        return use;

    bool alias = word[1] != '-';
    const char *name = word + (alias ? 1 : 2);
    size_t name_len = strcspn(name, "=");
    const struct ks_option *option = find(name, name_len, alias);
    if (option == NULL && alias) { // "-Ifoo"; also "-Dfoo=1", whose "=" is part of the value
        option = find(name, 1, true);
        if (option == NULL || option->value != KS_VALUE_GLUED) {
            use.kind = KS_USE_UNKNOWN;
            return use;
        }
        use = (struct ks_use){KS_USE_OPTION, option, name + 1, 1};
        return use;
    }
    if (option == NULL) {
        use.kind = KS_USE_UNKNOWN;
        return use;
    }

    bool has_value = name[name_len] == '=';
    use.kind = KS_USE_OPTION;
    use.option = option;
    if (option->value == KS_VALUE_NO) {
        if (has_value) // "no argument expected after '-c'"
            use = (struct ks_use){.kind = KS_USE_BROKEN, .n = 1};
    } else if (has_value) {
        use.value = name + name_len + 1;
    } else if (option->value == KS_VALUE_MAYBE && (i + 1 == len || words[i + 1][0] == '-')) {
        use.value = NULL;
    } else if (i + 1 < len) {
        use.value = words[i + 1];
        use.n = 2;
    } else { // "argument expected after '-o'"
        use = (struct ks_use){.kind = KS_USE_BROKEN, .n = 1};
    }
    return use;
}

void ks_option_list(struct ks_arena *arena, const char *value, struct ks_strv *items)
{
    char *copy = ks_arena_strdup(arena, value); // holds every item: each is at most as long
    const char *at = value;
    while (true) {
        char *item = copy, *end = item;
        bool quoted = false;
        for (; *at != '\0' && (quoted || *at != ','); at++) {
            if (*at == '"')
                quoted = !quoted;
            else
                *end++ = *at;
        }
        bool last = *at == '\0';
        while (item < end && isspace((unsigned char)*item))
            item++;
        while (end > item && isspace((unsigned char)end[-1]))
            end--;
        if (end > item)
            ks_strv_add(arena, items, ks_arena_strndup(arena, item, (size_t)(end - item)));
        if (last)
            return;
        at++;
    }
}
