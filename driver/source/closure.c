#include "source/closure.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <unistd.h>

#include "os/file.h"
#include "source/scan.h"

#define MAX_FILES 4096
#define MAX_BYTES ((size_t)256 << 20)
#define MAX_OPEN_DIRS 128

struct dir {
    const char *path;
    int fd; // NO_HANDLE: reached by its path
    bool absent;
};
#define NO_HANDLE (-1)
#define HERE 0 // the current folder's place among the dirs

// What was asked once is not asked again. One table for all questions, since each is a number or
// two and a name.
enum question {
    Q_DIR,     // the folder `name` below folder a: its place
    Q_FILE,    // the file `name` in folder a: whether it is there
    Q_ID,      // the file with device a and inode b: met before
    Q_INCLUDE, // `name` included in quotes by a file of folder a: met before
    Q_SEARCH,  // `name` included from the search path, quoted if a: met before
};

struct entry {
    enum question question;
    uint64_t a, b;
    struct ks_slice name;
    size_t answer;
};

struct slot {
    uint32_t hash, entry; // entry 0: free
};

struct wanted {
    size_t from; // folder of the file that includes it
    const char *name;
    bool quoted, next;
};

struct closure {
    struct ks_arena *arena;
    struct ks_source_list *files;
    KS_VEC(struct dir) dirs;
    KS_VEC(size_t) quote;
    KS_VEC(size_t) include;
    KS_VEC(struct wanted) wanted;
    KS_VEC(struct entry) entries; // [0] is none
    struct slot *table;           // open addressing, at most half full
    size_t slots;
    int n_open;
    char *text; // of the file being read; one buffer for all
    size_t text_size, bytes;
};

static uint32_t hash_of(const struct entry *key)
{
    uint64_t h = 14695981039346656037u; // FNV-1a
    h = (h ^ (uint64_t)key->question) * 1099511628211u;
    h = (h ^ key->a) * 1099511628211u;
    h = (h ^ key->b) * 1099511628211u;
    for (size_t i = 0; i < key->name.len; i++)
        h = (h ^ (unsigned char)key->name.at[i]) * 1099511628211u;
    return (uint32_t)(h ^ h >> 32);
}

static bool is_same(const struct entry *x, const struct entry *y)
{
    return x->question == y->question && x->a == y->a && x->b == y->b &&
           x->name.len == y->name.len &&
           (x->name.len == 0 || memcmp(x->name.at, y->name.at, x->name.len) == 0);
}

static void grow_table(struct closure *c)
{
    size_t slots = c->slots ? c->slots * 2 : 1024;
    struct slot *table = KS_NEW_ARRAY(c->arena, struct slot, slots);
    for (size_t i = 0; i < c->slots; i++)
        if (c->table[i].entry) {
            size_t at = c->table[i].hash & (slots - 1);
            while (table[at].entry)
                at = (at + 1) & (slots - 1);
            table[at] = c->table[i];
        }
    c->table = table;
    c->slots = slots;
}

// The answer to a question. Asked for the first time (*first), it is for the caller to fill in,
// before the next question. The name is copied.
static size_t *answer(struct closure *c, struct entry key, bool *first)
{
    if (c->entries.len == 0)
        *ks_vec_push(c->arena, &c->entries) = (struct entry){0};
    if (c->entries.len * 2 >= c->slots)
        grow_table(c);
    uint32_t hash = hash_of(&key);
    size_t at = hash & (c->slots - 1);
    for (; c->table[at].entry; at = (at + 1) & (c->slots - 1)) {
        struct entry *e = &c->entries.at[c->table[at].entry];
        *first = !(c->table[at].hash == hash && is_same(e, &key));
        if (!*first)
            return &e->answer;
    }
    *first = true;
    c->table[at] = (struct slot){hash, (uint32_t)c->entries.len};
    struct entry *e = ks_vec_push(c->arena, &c->entries);
    *e = key;
    if (key.name.len > 0)
        e->name.at = ks_arena_strndup(c->arena, key.name.at, key.name.len);
    return &e->answer;
}

static bool is_here(const char *path)
{
    return strcmp(path, ".") == 0;
}

static const char *join(struct closure *c, const struct dir *dir, const char *name)
{
    return is_here(dir->path) ? name : ks_path_join(c->arena, dir->path, name);
}

// A folder by its name below another; an absolute name is below any.
static size_t dir_below(struct closure *c, size_t above, const char *name)
{
    if (name[0] == '/')
        above = HERE;
    if (above == HERE && is_here(name))
        return HERE;
    bool first;
    size_t *place = answer(c, (struct entry){Q_DIR, above, 0, ks_slice_of(name), 0}, &first);
    if (!first)
        return *place;
    *place = c->dirs.len;
    struct dir parent = c->dirs.at[above];
    struct dir dir = {.path = join(c, &parent, name), .fd = NO_HANDLE, .absent = parent.absent};
    if (!dir.absent && c->n_open < MAX_OPEN_DIRS) {
        dir.fd = parent.fd == NO_HANDLE ? open(dir.path, O_PATH | O_DIRECTORY | O_CLOEXEC)
                                        : openat(parent.fd, name, O_PATH | O_DIRECTORY | O_CLOEXEC);
        dir.absent = dir.fd < 0 && (errno == ENOENT || errno == ENOTDIR);
        c->n_open += dir.fd >= 0;
    }
    *ks_vec_push(c->arena, &c->dirs) = dir;
    return c->dirs.len - 1;
}

// Pragmas that gcc knows, or nvcc keeps from it (tried: gcc 12, nvcc 13.0).
static bool is_known_pragma(struct ks_slice word)
{
    static const char *const known[] = {"once", "GCC", "pack", "push_macro", "pop_macro", "weak",
                                        "redefine_extname", "message", "unroll", "nounroll",
                                        "hd_warning_disable"};
    for (size_t i = 0; i < sizeof known / sizeof *known; i++)
        if (word.len == strlen(known[i]) && memcmp(word.at, known[i], word.len) == 0)
            return true;
    return word.len > 3 && memcmp(word.at, "nv_", 3) == 0;
}

// Asks a text for what it includes and whether it concerns us.
static void scan_text(struct closure *c, size_t dir, struct ks_source_file *file)
{
    struct ks_scan scan = ks_scan_begin(file->text);
    for (enum ks_scan_kind kind; (kind = ks_scan_next(&scan)) != KS_SCAN_END;) {
        if (kind != KS_SCAN_INCLUDE) {
            file->may_have_mark |= kind == KS_SCAN_MARK;
            file->has_kernel |= kind == KS_SCAN_KERNEL;
            bool omp = kind == KS_SCAN_PRAGMA && scan.name.len == 3 &&
                       memcmp(scan.name.at, "omp", 3) == 0;
            file->has_omp |= omp;
            file->has_odd_pragma |=
                kind == KS_SCAN_PRAGMA && !omp && !is_known_pragma(scan.name);
            continue;
        }
        bool first = true;
        struct entry met = {scan.quoted ? Q_INCLUDE : Q_SEARCH, scan.quoted ? dir : false, 0,
                            scan.name, 0};
        if (!scan.next)
            answer(c, met, &first);
        if (first)
            *ks_vec_push(c->arena, &c->wanted) =
                (struct wanted){dir, ks_arena_strndup(c->arena, scan.name.at, scan.name.len),
                                scan.quoted, scan.next};
    }
}

// Reads an open file into the list, its text only if that is wanted.
static bool read_file(struct closure *c, int fd, const struct stat *info, size_t dir,
                      const char *path)
{
    size_t size = (size_t)info->st_size;
    if (size > MAX_BYTES - c->bytes)
        return false;
    if (size > c->text_size) {
        size_t more = size < 128 * 1024 ? 128 * 1024 : size * 2;
        char *text = realloc(c->text, more);
        if (text == NULL)
            return false;
        c->text = text;
        c->text_size = more;
    }
    ssize_t n = ks_fd_read(fd, c->text, size);
    if (n < 0)
        return false;
    c->bytes += (size_t)n;
    struct ks_source_file file = {.path = path, .text = {c->text, (size_t)n},
                                  .id = ks_file_identify(info)};
    scan_text(c, dir, &file);
    if (c->files->len == 0 || file.may_have_mark)
        file.text.at = ks_arena_strndup(c->arena, file.text.at, file.text.len);
    else
        file.text = (struct ks_slice){0};
    *ks_vec_push(c->arena, c->files) = file;
    return true;
}

// Whether the file is there. It is read unless it was before, under any name; unreadable: left out.
static bool look_in(struct closure *c, size_t dir, const char *name)
{
    const char *base = ks_path_base(name);
    if (base != name) {
        const char *end = base;
        while (end - name > 1 && end[-1] == '/')
            end--;
        dir = dir_below(c, dir, ks_arena_strndup(c->arena, name, (size_t)(end - name)));
    }
    if (c->dirs.at[dir].absent || *base == '\0')
        return false;
    bool first;
    size_t *there = answer(c, (struct entry){Q_FILE, dir, 0, ks_slice_of(base), 0}, &first);
    if (!first)
        return *there != 0;
    struct dir in = c->dirs.at[dir];
    struct stat info;
    const char *path = NULL;
    if (in.fd == NO_HANDLE)
        path = join(c, &in, base);
    int fd = ks_file_open_at(path ? AT_FDCWD : in.fd, path ? path : base, &info);
    *there = fd >= 0 || (errno != ENOENT && errno != ENOTDIR && errno != EISDIR);
    bool found = *there != 0;
    if (fd < 0)
        return found;
    struct entry id = {Q_ID, (uint64_t)info.st_dev, (uint64_t)info.st_ino, {0}, 0};
    answer(c, id, &first);
    if (first && c->files->len < MAX_FILES)
        read_file(c, fd, &info, dir, path ? path : join(c, &in, base));
    close(fd);
    return found;
}

static void search(struct closure *c, const struct wanted *w)
{
    for (size_t i = 0; w->quoted && i < c->quote.len; i++)
        if (look_in(c, c->quote.at[i], w->name) && !w->next)
            return;
    for (size_t i = 0; i < c->include.len; i++)
        if (look_in(c, c->include.at[i], w->name) && !w->next)
            return;
}

// #include_next means a later folder than that of the file it stands in; all folders are near
// enough.
static void follow(struct closure *c, struct wanted w)
{
    if (w.quoted && look_in(c, w.from, w.name) && !w.next)
        return;
    bool first = true;
    if (w.quoted && !w.next)
        answer(c, (struct entry){Q_SEARCH, true, 0, ks_slice_of(w.name), 0}, &first);
    if (first)
        search(c, &w);
}

// Whether a folder is one of those to leave out, which are many fewer than those to look in.
static bool is_left_out(const struct dir *dir, const struct stat *left_out, size_t n)
{
    struct stat is;
    if (n == 0 || (dir->fd >= 0 ? fstat(dir->fd, &is) : stat(dir->path, &is)) != 0)
        return false;
    for (size_t i = 0; i < n; i++)
        if (is.st_dev == left_out[i].st_dev && is.st_ino == left_out[i].st_ino)
            return true;
    return false;
}

static void read_dirs(struct closure *c, const struct ks_closure_dirs *dirs)
{
    KS_VEC(struct stat) left_out = {0};
    for (const char *const *d = dirs->left_out; d && *d; d++) {
        struct stat is;
        if (dirs->include && *dirs->include && stat(*d, &is) == 0)
            *ks_vec_push(c->arena, &left_out) = is;
    }
    for (const char *const *d = dirs->quote; d && *d; d++)
        *ks_vec_push(c->arena, &c->quote) = dir_below(c, HERE, *d);
    for (const char *const *d = dirs->include; d && *d; d++) {
        size_t dir = dir_below(c, HERE, *d);
        if (!is_left_out(&c->dirs.at[dir], left_out.at, left_out.len))
            *ks_vec_push(c->arena, &c->include) = dir;
    }
}

// The TU itself, for which being unreadable is a failure.
static enum ks_status read_tu(struct closure *c, const char *tu, struct ks_err *err)
{
    look_in(c, HERE, tu);
    if (c->files->len > 0) {
        c->files->at[0].path = tu; // as it is spelled
        return KS_OK;
    }
    struct ks_slice text; // for the reason; one that it can read now was not read before
    KS_TRY(ks_file_read(c->arena, tu, MAX_BYTES, &text, err));
    KS_FAIL(err, KS_E_IO, "%s: cannot be read", tu);
}

enum ks_status ks_closure_read(struct ks_arena *arena, const char *tu,
                               const struct ks_closure_dirs *dirs, struct ks_source_list *files,
                               struct ks_err *err)
{
    struct closure c = {.arena = arena, .files = files};
    *files = (struct ks_source_list){0};
    *ks_vec_push(arena, &c.dirs) = (struct dir){.path = ".", .fd = AT_FDCWD};
    read_dirs(&c, dirs);
    enum ks_status status = read_tu(&c, tu, err);
    for (size_t i = 0; status == KS_OK && i < c.wanted.len; i++)
        follow(&c, c.wanted.at[i]);
    ks_vec_each (struct dir, d, &c.dirs)
        if (d->fd >= 0)
            close(d->fd);
    free(c.text);
    return status;
}

bool ks_closure_holds(const struct ks_source_list *files)
{
    for (size_t i = 0; i < files->len; i++)
        if (!ks_file_is_still(files->at[i].path, &files->at[i].id))
            return false;
    return true;
}
