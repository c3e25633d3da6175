#include "nvcc/reentry.h"

#include <stdlib.h>
#include <string.h>

#define GUARD "KS_NVCC_ACTIVE" // "2:/opt/a/nvcc": depth of what is started, and the programs

static bool set_guard(struct ks_arena *arena, int depth, const char *seen, const char *more)
{
    int next = depth < KS_REENTRY_DEEPEST ? depth + 1 : depth;
    bool any = seen[0] != '\0' || more[0] != '\0';
    return setenv(GUARD,
                  ks_arena_printf(arena, "%d%s%s%s%s", next, any ? ":" : "", seen,
                                  seen[0] != '\0' && more[0] != '\0' ? ":" : "", more),
                  1) == 0;
}

int ks_reentry_enter(struct ks_arena *arena, const char **seen)
{
    const char *text = getenv(GUARD);
    int depth = text == NULL ? 0 : atoi(text);
    if (text != NULL && depth < 1)
        depth = 1;
    if (depth > KS_REENTRY_DEEPEST)
        depth = KS_REENTRY_DEEPEST;
    const char *colon = text == NULL ? NULL : strchr(text, ':');
    *seen = colon == NULL ? "" : ks_arena_strdup(arena, colon + 1);
    return set_guard(arena, depth, *seen, "") ? depth : KS_REENTRY_DEEPEST;
}

void ks_reentry_note(struct ks_arena *arena, int depth, const char *seen,
                     const struct ks_toolkit *toolkit)
{
    if (toolkit->root == NULL && strchr(toolkit->nvcc, ':') == NULL)
        (void)set_guard(arena, depth, seen, toolkit->nvcc);
}
