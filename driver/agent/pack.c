#include "agent/pack.h"

#include <string.h>

int64_t ks_tokens(const char *text)
{
    int64_t n = 0;
    for (const char *at = text; *at != '\0';) {
        size_t run = 0;
        if (*at == ' ' || *at == '\t') {
            run = strspn(at, " \t");
            n += run > 1 ? (int64_t)(run + 7) / 8 : 0; // one alone goes with the word behind it
        } else {
            while ((at[run] >= 'a' && at[run] <= 'z') || (at[run] >= 'A' && at[run] <= 'Z'))
                run++;
            n += run > 0 ? (int64_t)(run + 3) / 4 : 1;
        }
        at += run > 0 ? run : 1;
    }
    return n;
}

const struct ks_packing *ks_packing_at(int step)
{
    static const struct ks_packing steps[KS_PACKINGS] = {
        {6000, 2, 3, true, SIZE_MAX}, {3000, 2, 3, true, SIZE_MAX}, {3000, 1, 3, true, SIZE_MAX},
        {1500, 0, 3, true, SIZE_MAX}, {1500, 0, 2, true, SIZE_MAX}, {600, 0, 1, true, SIZE_MAX},
        {600, 0, 0, true, 2000},      {600, 0, 0, true, 0},         {600, 0, 0, false, 0},
        {0, 0, 0, false, 0},
    };
    return &steps[step];
}

const char *ks_pack_lines(struct ks_arena *arena, const char *text, size_t most)
{
    size_t kept = 0, left = 0;
    for (const char *at = text; *at != '\0';) {
        size_t n = strcspn(at, "\n");
        n += at[n] == '\n';
        if (left == 0 && kept + n <= most)
            kept += n;
        else
            left++;
        at += n;
    }
    return left == 0
               ? text
               : ks_arena_printf(arena, "%.*s(%zu more are left out)\n", (int)kept, text, left);
}
