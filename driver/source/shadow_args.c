// What nvcc must be told so that a shadow compiles as the original would.
#include <string.h>

#include "os/file.h"
#include "source/shadow.h"

// nvcc splits -Xcompiler values at commas and runs the host compiler through a shell, in double
// quotes that it puts itself: a backslash keeps a comma, nothing keeps the rest.
static bool is_quotable(const char *path)
{
    return strpbrk(path, "\"\\$`'\n\r") == NULL;
}

// nvcc hashes the path of its input into the names of what unnamed namespaces and separate compilation
// keep internal. Given the original's path instead, they do not depend on where the shadow lies: the
// same object for every user and cache. (Not in nvcc's help; steps take the last one they are given.)
static void keep_path(struct ks_arena *arena, const char *tu_path, struct ks_strv *args)
{
    const char *path = ks_path_absolute(arena, tu_path);
    if (!is_quotable(path) || strpbrk(path, ", \t=") != NULL)
        return;
    ks_strv_add(arena, args, ks_arena_printf(arena, "-Xcudafe=--orig_src_path_name=%s", path));
    ks_strv_add(arena, args, ks_arena_printf(arena, "-Xcicc=--orig_src_path_name=%s", path));
}

enum ks_status ks_shadow_arguments(struct ks_arena *arena, const char *tu_path,
                                   const char *hook_dir, bool dispatch, struct ks_strv *args,
                                   struct ks_err *err)
{
    const char *dir = ks_path_dir(arena, tu_path);
    if (!is_quotable(dir))
        KS_FAIL(err, KS_E_UNSUPPORTED, "folder %s cannot be quoted safely for nvcc", dir);
    struct ks_buf quoted = KS_BUF(1 << 16);
    for (const char *c = dir; *c != '\0'; c++)
        ks_buf_printf(&quoted, *c == ',' ? "\\%c" : "%c", *c);
    // Joined, as ccache cannot cache the two-word form.
    ks_strv_add(arena, args,
                ks_arena_printf(arena, "-Xcompiler=-iquote,\"%s\"", ks_buf_text(&quoted)));
    ks_buf_free(&quoted);
    keep_path(arena, tu_path, args);
    if (dispatch) {
        if (!is_quotable(hook_dir) || strchr(hook_dir, ',') != NULL) // -I is split without mercy
            KS_FAIL(err, KS_E_UNSUPPORTED, "folder %s cannot be quoted safely for nvcc", hook_dir);
        ks_strv_add(arena, args, ks_arena_printf(arena, "-I%s", hook_dir));
    }
    return KS_OK;
}

bool ks_shadow_includes_beside(struct ks_slice text)
{
    const char *end = text.at + text.len, *at = text.at;
    while ((at = memmem(at, (size_t)(end - at), "include", 7)) != NULL) {
        at += 7;
        while (at < end && (*at == ' ' || *at == '\t'))
            at++;
        if (at < end && *at != '<')
            return true;
    }
    return false;
}

bool ks_shadow_front(struct ks_arena *arena, const char *dir, struct ks_strv *args)
{
    if (!is_quotable(dir) || strchr(dir, ',') != NULL)
        return false;
    ks_strv_add(arena, args, ks_arena_printf(arena, "-Xcompiler=-B\"%s/\"", dir));
    return true;
}

static struct ks_slice folder_of(const char *path)
{
    return (struct ks_slice){path, (size_t)(ks_path_base(path) - path)};
}

void ks_shadow_map_debug(struct ks_arena *arena, const char *from, const char *to,
                         struct ks_strv *args)
{
    struct ks_slice old = folder_of(from), new = folder_of(to);
    if (!is_quotable(from) || !is_quotable(to) || strpbrk(from, ",=") != NULL ||
        strpbrk(to, ",=") != NULL)
        return;
    ks_strv_add(arena, args,
                ks_arena_printf(arena, "-Xcompiler=-fdebug-prefix-map=\"%.*s=%.*s\"",
                                (int)old.len, old.at, (int)new.len, new.at));
}
