#include "source/closure.h"

#include <string.h>
#include <sys/stat.h>

#include "os/file.h"
#include "source/lex.h"

#define MAX_FILES 4096
#define MAX_BYTES (256u << 20)

// Paths that were looked up, by name: an include that many headers share costs one stat(2) a
// folder, found or not. Open addressing, at most half full.
struct lookup {
    const char *path; // NULL: free
    bool regular;
    dev_t dev;
    ino_t ino;
};

struct closure {
    struct ks_arena *arena;
    const char *const *quote_dirs, *const *include_dirs;
    struct ks_source_list *files;
    KS_VEC(struct lookup) seen; // of the files in `files`, by position
    struct lookup *table;
    size_t slots, used, bytes;
};

static size_t hash_text(const char *text)
{
    size_t h = 14695981039346656037u; // FNV-1a
    for (; *text; text++)
        h = (h ^ (unsigned char)*text) * 1099511628211u;
    return h;
}

static struct lookup *slot_of(struct lookup *table, size_t slots, const char *path)
{
    size_t i = hash_text(path) & (slots - 1);
    while (table[i].path && strcmp(table[i].path, path) != 0)
        i = (i + 1) & (slots - 1);
    return &table[i];
}

static const struct lookup *look_up(struct closure *c, const char *path)
{
    if (c->used * 2 >= c->slots) {
        size_t slots = c->slots ? c->slots * 2 : 256;
        struct lookup *table = KS_NEW_ARRAY(c->arena, struct lookup, slots);
        for (size_t i = 0; i < c->slots; i++)
            if (c->table[i].path)
                *slot_of(table, slots, c->table[i].path) = c->table[i];
        c->table = table;
        c->slots = slots;
    }
    struct lookup *slot = slot_of(c->table, c->slots, path);
    if (!slot->path) {
        struct stat st;
        slot->path = path;
        slot->regular = stat(path, &st) == 0 && S_ISREG(st.st_mode);
        if (slot->regular) {
            slot->dev = st.st_dev;
            slot->ino = st.st_ino;
        }
        c->used++;
    }
    return slot;
}

// Reads a file into the list unless it is there already under any name. Unreadable: left out.
static enum ks_status add_file(struct closure *c, const char *path, const struct lookup *found,
                               struct ks_err *err)
{
    for (size_t i = 0; i < c->seen.len; i++)
        if (c->seen.at[i].dev == found->dev && c->seen.at[i].ino == found->ino)
            return KS_OK;
    if (c->files->len >= MAX_FILES || c->bytes >= MAX_BYTES)
        return KS_OK;
    struct ks_slice text;
    KS_TRY(ks_file_read(c->arena, path, MAX_BYTES - c->bytes, &text, err));
    c->bytes += text.len;
    *ks_vec_push(c->arena, &c->seen) = *found;
    *ks_vec_push(c->arena, c->files) =
        (struct ks_source_file){path, text, ks_text_may_have_mark(text)};
    return KS_OK;
}

static bool try_dir(struct closure *c, const char *dir, const char *name)
{
    const char *path = strcmp(dir, ".") == 0 ? name : ks_path_join(c->arena, dir, name);
    const struct lookup *found = look_up(c, path);
    if (!found->regular)
        return false;
    struct lookup copy = *found; // the table may move
    add_file(c, path, &copy, NULL);
    return true;
}

static void include(struct closure *c, const char *from, bool quoted, const char *name)
{
    if (quoted && try_dir(c, ks_path_dir(c->arena, from), name))
        return;
    for (const char *const *d = c->quote_dirs; quoted && d && *d; d++)
        if (try_dir(c, *d, name))
            return;
    for (const char *const *d = c->include_dirs; d && *d; d++)
        if (try_dir(c, *d, name))
            return;
}

static bool blank(char c)
{
    return c == ' ' || c == '\t';
}

// Follows every #include of one file. A textual search for the word, not a lexer: an include inside
// a comment is followed too, which only reads a file more.
static void follow(struct closure *c, const char *path, struct ks_slice text)
{
    const char *end = text.at + text.len;
    for (const char *at = text.at;
         at < end && (at = memmem(at, (size_t)(end - at), "include", 7)) != NULL;) {
        const char *back = at, *p = at + 7;
        at = p;
        while (back > text.at && blank(back[-1]))
            back--;
        if (back == text.at || *--back != '#')
            continue;
        if (end - p > 5 && memcmp(p, "_next", 5) == 0)
            p += 5;
        while (p < end && blank(*p))
            p++;
        if (p == end || (*p != '"' && *p != '<'))
            continue;
        bool quoted = *p++ == '"';
        const char *stop = p;
        while (stop < end && *stop != '\n' && *stop != (quoted ? '"' : '>'))
            stop++;
        if (stop == p || stop == end || *stop == '\n')
            continue;
        include(c, path, quoted, ks_arena_strndup(c->arena, p, (size_t)(stop - p)));
    }
}

enum ks_status ks_closure_read(struct ks_arena *arena, const char *tu,
                               const char *const *quote_dirs, const char *const *include_dirs,
                               struct ks_source_list *files, struct ks_err *err)
{
    struct closure c = {
        .arena = arena, .quote_dirs = quote_dirs, .include_dirs = include_dirs, .files = files};
    *files = (struct ks_source_list){0};
    struct lookup found = *look_up(&c, tu);
    KS_TRY(add_file(&c, tu, &found, err));
    for (size_t i = 0; i < files->len; i++) {
        // A copy: the list grows while its entry is followed.
        struct ks_source_file file = files->at[i];
        follow(&c, file.path, file.text);
    }
    return KS_OK;
}
