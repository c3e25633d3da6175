// Whose fault a shadow is that does not compile. Text of a variant stands under a file name of its
// own and in a namespace of its own, both with its id: cudafe++ and the host compiler name the one,
// ptxas the other, or a line of the PTX, which stands in a function of that namespace.
#include "app/consume.h"

#include <stdlib.h>
#include <string.h>

#include "os/file.h"

#define PTX_MAX (256u << 20)

static bool says(struct ks_slice text, const char *word)
{
    return memmem(text.at, text.len, word, strlen(word)) != NULL;
}

// ptxas ends its list of a text's errors with such a line. Other fatal errors are not of the text.
static bool is_fatal(struct ks_slice text)
{
    static const char word[] = "fatal";
    static const char behind_errors[] = "fatal   : Ptx assembly aborted due to errors";
    for (const char *at = text.at, *end = text.at + text.len;
         (at = memmem(at, (size_t)(end - at), word, strlen(word))) != NULL; at++)
        if ((size_t)(end - at) < strlen(behind_errors) ||
            memcmp(at, behind_errors, strlen(behind_errors)) != 0)
            return true;
    return false;
}

bool consume_is_about_text(const struct ks_tu_compile *compile)
{
    return (compile->exit_code == 1 || compile->exit_code == 2 || compile->exit_code == 255) &&
           (says(compile->err, "error:") || says(compile->err, "error   :")) &&
           !is_fatal(compile->err) && !says(compile->err, "catastrophic") &&
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

// "ptxas DIR/a.ptx, line 46; error   : ...": the function there, or nothing.
static struct ks_slice function_of(struct ks_arena *arena, const struct ks_tu_compile *compile,
                                   struct ks_slice line)
{
    static const char tool[] = "ptxas ", where[] = ", line ";
    const char *at = memmem(line.at, line.len, where, strlen(where));
    struct ks_slice ptx, function = {0};
    if (line.len < strlen(tool) || memcmp(line.at, tool, strlen(tool)) != 0 || at == NULL)
        return function;
    const char *file = line.at + strlen(tool);
    const char *base = ks_path_base(ks_arena_strndup(arena, file, (size_t)(at - file)));
    const char *path = ks_path_join(arena, compile->keep_dir, base);
    if (ks_file_read(arena, path, PTX_MAX, &ptx, NULL) == KS_OK)
        function = ks_ptx_function_at(ptx, strtol(at + strlen(where), NULL, 10));
    return function;
}

// A complaint: what it says, and whom it may name.
struct complaint {
    struct ks_slice text, function;
};
struct complaint_list {
    struct complaint *at;
    size_t len, cap;
};

static void read_complaints(struct ks_arena *arena, const struct ks_tu_compile *compile,
                            struct complaint_list *list)
{
    struct ks_slice text = compile->err;
    for (size_t at = 0; at < text.len;) {
        const char *newline = memchr(text.at + at, '\n', text.len - at);
        size_t n = newline == NULL ? text.len - at : (size_t)(newline - text.at) - at;
        struct complaint complaint = {{text.at + at, n}, {0}};
        at += n + 1;
        const char *error = memmem(complaint.text.at, n, "error", strlen("error"));
        if (error == NULL)
            continue;
        complaint.function = function_of(arena, compile, complaint.text);
        if (complaint.function.len > 0) // the file is one of ours, and gone
            complaint.text = (struct ks_slice){error, (size_t)(complaint.text.at + n - error)};
        *ks_vec_push(arena, list) = complaint;
    }
}

size_t consume_blame(struct consume *c, const struct ks_tu_compile *compile)
{
    size_t before = c->n_subs;
    struct complaint_list complaints = {0};
    read_complaints(c->arena, compile, &complaints);
    for (size_t i = c->n_subs; i-- > 0;) {
        const struct ks_substitution *sub = &c->subs[i];
        const char *name = ks_shadow_namespace(c->arena, sub->id, sub->decl) + strlen("ks_");
        ks_vec_each (struct complaint, complaint, &complaints) {
            struct ks_slice function = complaint->function;
            if (!is_named(complaint->text, name) &&
                (function.len == 0 || !is_named(function, name)))
                continue;
            size_t n = complaint->text.len < 400 ? complaint->text.len : 400;
            consume_drop(c, i, KS_R_SHADOW_FAILED,
                         ks_arena_strndup(c->arena, complaint->text.at, n));
            break;
        }
    }
    return before - c->n_subs;
}
