#include "world.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

static _Noreturn void die(const char *what, const char *path)
{
    fprintf(stderr, "%s %s: %s\n", what, path, strerror(errno));
    exit(3);
}

static void add(struct world_bytes *to, const char *data, size_t n)
{
    to->data = realloc(to->data, to->len + n + 1);
    if (to->data == NULL)
        abort();
    memcpy(to->data + to->len, data, n);
    to->len += n;
    to->data[to->len] = '\0';
}

void world_free(struct world_bytes *bytes)
{
    free(bytes->data);
    *bytes = (struct world_bytes){0};
}

struct world_bytes world_read(const char *path)
{
    struct world_bytes bytes = {0};
    char chunk[1 << 16];
    ssize_t n;
    int fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK);
    if (fd < 0)
        return bytes;
    add(&bytes, "", 0);
    while ((n = read(fd, chunk, sizeof chunk)) > 0)
        add(&bytes, chunk, (size_t)n);
    close(fd);
    return bytes;
}

bool world_same(const struct world_bytes *a, const struct world_bytes *b)
{
    return (a->data == NULL) == (b->data == NULL) && a->len == b->len &&
           (a->len == 0 || memcmp(a->data, b->data, a->len) == 0);
}

static void join(char *out, size_t size, const char *dir, const char *name)
{
    if (snprintf(out, size, "%s/%s", dir, name) >= (int)size)
        die("too long:", dir);
}

// The names in a folder, sorted; NULL where it is none.
static struct dirent **names_in(const char *path, int *n)
{
    struct dirent **names = NULL;
    *n = scandir(path, &names, NULL, alphasort);
    return names;
}

static bool is_dots(const char *name)
{
    return strcmp(name, ".") == 0 || strcmp(name, "..") == 0;
}

void world_remove(const char *path)
{
    int n;
    if (unlink(path) == 0 || errno == ENOENT)
        return;
    struct dirent **names = names_in(path, &n);
    for (int i = 0; i < n; i++) {
        char inner[4096];
        join(inner, sizeof inner, path, names[i]->d_name);
        if (!is_dots(names[i]->d_name))
            world_remove(inner);
        free(names[i]);
    }
    free(names);
    if (rmdir(path) != 0)
        die("cannot remove", path);
}

static void copy_file(const char *from, const char *to, const struct stat *st)
{
    struct world_bytes bytes = world_read(from);
    int fd = open(to, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, st->st_mode & 0777);
    if (fd < 0 || write(fd, bytes.data, bytes.len) != (ssize_t)bytes.len ||
        fchmod(fd, st->st_mode & 0777) != 0)
        die("cannot write", to);
    close(fd);
    world_free(&bytes);
}

void world_copy(const char *from, const char *to)
{
    struct stat st;
    int n = 0;
    if (lstat(from, &st) != 0)
        die("cannot copy", from);
    if (S_ISDIR(st.st_mode)) {
        if (mkdir(to, 0700) != 0 || chmod(to, st.st_mode & 0777) != 0)
            die("cannot make", to);
        struct dirent **names = names_in(from, &n);
        for (int i = 0; i < n; i++) {
            char source[4096], target[4096];
            join(source, sizeof source, from, names[i]->d_name);
            join(target, sizeof target, to, names[i]->d_name);
            if (!is_dots(names[i]->d_name))
                world_copy(source, target);
            free(names[i]);
        }
        free(names);
    } else {
        copy_file(from, to, &st);
    }
    const struct timespec times[2] = {st.st_atim, st.st_mtim};
    if (utimensat(AT_FDCWD, to, times, 0) != 0)
        die("cannot date", to);
}

static void visit(const char *root, const char *inner, const char *const *skip, bool content,
                  struct world_bytes *out)
{
    char path[4096];
    struct stat st;
    int n = 0;
    for (const char *const *at = skip; at != NULL && *at != NULL; at++)
        if (strcmp(*at, inner) == 0)
            return;
    join(path, sizeof path, root, inner);
    if (lstat(path, &st) != 0)
        return;
    bool is_dir = S_ISDIR(st.st_mode);
    if (inner[0] != '\0') {
        add(out, inner, strlen(inner));
        add(out, is_dir ? "/\n" : "\n", is_dir ? 2 : 1);
    }
    if (content && !is_dir) {
        struct world_bytes bytes = world_read(path);
        add(out, bytes.data == NULL ? "" : bytes.data, bytes.len);
        world_free(&bytes);
    }
    struct dirent **names = is_dir ? names_in(path, &n) : NULL;
    for (int i = 0; i < n; i++) {
        char below[4096];
        if (inner[0] == '\0')
            snprintf(below, sizeof below, "%s", names[i]->d_name);
        else
            join(below, sizeof below, inner, names[i]->d_name);
        if (!is_dots(names[i]->d_name))
            visit(root, below, skip, content, out);
        free(names[i]);
    }
    free(names);
}

struct world_bytes world_list(const char *root, const char *const *skip)
{
    struct world_bytes out = {0};
    add(&out, "", 0);
    visit(root, "", skip, false, &out);
    return out;
}

struct world_bytes world_content(const char *root)
{
    struct world_bytes out = {0};
    add(&out, "", 0);
    visit(root, "", NULL, true, &out);
    return out;
}
