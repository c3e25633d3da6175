#include "agent/screen.h"

#include <ctype.h>
#include <string.h>
#include <strings.h>

#define LARGE 1100 // a number above is a size of somebody's problem, not of the hardware's blocks

static bool holds_word(const char *text, const char *word)
{
    size_t n = strlen(word);
    for (const char *at = text; *at != '\0'; at++)
        if (strncasecmp(at, word, n) == 0 && (at == text || !isalnum((unsigned char)at[-1])))
            return true;
    return false;
}

const char *ks_screen_advice(struct ks_arena *arena, const char *text)
{
    static const char *const words[][2] = {{"cublas", "a library in disguise"},
                                           {"cudnn", "a library in disguise"},
                                           {"cutlass", "a library in disguise"},
                                           {"cusparse", "a library in disguise"},
                                           {"cufft", "a library in disguise"},
                                           {"thrust::", "a library in disguise"},
                                           {"cub::", "a library in disguise"},
                                           {"lower precision", "lower precision"},
                                           {"half precision", "lower precision"},
                                           {"fp16", "lower precision"},
                                           {"bf16", "lower precision"},
                                           {"tf32", "lower precision"},
                                           {"fast-math", "lower precision"},
                                           {"use_fast_math", "lower precision"},
                                           {"skip the ", "leaving work out"},
                                           {"avoid computing", "leaving work out"},
                                           {"precomputed answer", "leaving work out"},
                                           {"hard-code", "one kernel's sizes"},
                                           {"hardcode", "one kernel's sizes"}};
    for (size_t i = 0; i < sizeof words / sizeof *words; i++)
        if (holds_word(text, words[i][0]))
            return ks_arena_printf(arena, "`%s`: %s", words[i][0], words[i][1]);
    for (const char *at = text; *at != '\0';) {
        size_t n = strspn(at, "0123456789");
        int64_t value = 0;
        bool number = n > 0 && n < 18 && (at == text || !isalnum((unsigned char)at[-1])) &&
                      ks_parse_i64(ks_arena_strndup(arena, at, n), &value);
        if (n >= 18 || (number && value > LARGE))
            return ks_arena_printf(arena, "%.*s: one kernel's sizes", (int)n, at);
        at += n > 0 ? n : 1;
    }
    return NULL;
}
