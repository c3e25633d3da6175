// Whose fault a shadow is that does not compile. Text of a variant stands under a file name of its
// own and in a namespace of its own, both with its id: cudafe++ and the host compiler name the one,
// ptxas the other.
#include "app/consume.h"

#include <string.h>

static bool says(struct ks_slice text, const char *word)
{
    return memmem(text.at, text.len, word, strlen(word)) != NULL;
}

bool consume_is_about_text(const struct ks_tu_compile *compile)
{
    return (compile->exit_code == 1 || compile->exit_code == 2 || compile->exit_code == 255) &&
           (says(compile->err, "error:") || says(compile->err, "error   :")) &&
           !says(compile->err, "fatal") && !says(compile->err, "catastrophic") &&
           !says(compile->err, "No space left") && !says(compile->err, "Killed");
}

static bool is_named(struct ks_slice line, const char *name)
{
    size_t n = strlen(name);
    for (const char *at = line.at, *end = line.at + line.len;
         (at = memmem(at, (size_t)(end - at), name, n)) != NULL; at++)
        if (at > line.at && (at[-1] == '-' || at[-1] == '_') && (at + n == end || at[n] != '_'))
            return true;
    return false;
}

// The first line with an error that names the variant; empty: none does.
static struct ks_slice complaint_about(struct ks_slice text, const char *name)
{
    for (size_t at = 0; at < text.len;) {
        const char *newline = memchr(text.at + at, '\n', text.len - at);
        size_t n = newline == NULL ? text.len - at : (size_t)(newline - text.at) - at;
        struct ks_slice line = {text.at + at, n};
        if (says(line, "error") && is_named(line, name))
            return line;
        at += n + 1;
    }
    return (struct ks_slice){0};
}

size_t consume_blame(struct consume *c, struct ks_slice complaints)
{
    size_t before = c->n_subs;
    for (size_t i = c->n_subs; i-- > 0;) {
        const struct ks_substitution *sub = &c->subs[i];
        const char *name = ks_shadow_namespace(c->arena, sub->id, sub->decl) + strlen("ks_");
        struct ks_slice line = complaint_about(complaints, name);
        if (line.len > 0)
            consume_drop(c, i, KS_R_SHADOW_FAILED,
                         ks_arena_strndup(c->arena, line.at, line.len < 400 ? line.len : 400));
    }
    return before - c->n_subs;
}
