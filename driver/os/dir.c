// Directories and paths of os/file.h.
#include "os/file.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "os/scratch.h"

enum ks_status ks_dir_make(const char *path, struct ks_err *err)
{
    if (mkdir(path, 0777) == 0)
        return KS_OK;
    int first = errno;
    if (ks_is_dir(path)) // also where mkdir says EROFS or EACCES for what is there
        return KS_OK;
    if (first != ENOENT) {
        errno = first;
        return ks_err_errno(err, "cannot make directory %s", path);
    }
    struct ks_arena arena = {0};
    char *parent = ks_path_dir(&arena, path);
    enum ks_status status = KS_OK;
    if (strcmp(parent, path) == 0 || strcmp(parent, ".") == 0) {
        errno = first;
        status = ks_err_errno(err, "cannot make directory %s", path);
    } else {
        status = ks_dir_make(parent, err);
    }
    ks_arena_free(&arena);
    KS_TRY(status);
    // Another process may have been faster.
    if (mkdir(path, 0777) != 0 && !ks_is_dir(path))
        return ks_err_errno(err, "cannot make directory %s", path);
    return KS_OK;
}

bool ks_is_dir(const char *path)
{
    int saved = errno;
    struct stat info;
    bool is = stat(path, &info) == 0 && S_ISDIR(info.st_mode);
    errno = saved;
    return is;
}

char *ks_path_real(struct ks_arena *arena, const char *path)
{
    char buffer[PATH_MAX];
    return realpath(path, buffer) == NULL ? NULL : ks_arena_strdup(arena, buffer);
}

char *ks_path_absolute(struct ks_arena *arena, const char *path)
{
    char cwd[PATH_MAX];
    if (path[0] == '/' || getcwd(cwd, sizeof cwd) == NULL) // a removed cwd has no name to join
        return ks_arena_strdup(arena, path);
    return path[0] == '\0' ? ks_arena_strdup(arena, cwd) : ks_path_join(arena, cwd, path);
}

static int compare_names(const void *a, const void *b)
{
    return strcmp(*(const char *const *)a, *(const char *const *)b);
}

enum ks_status ks_dir_list(struct ks_arena *arena, const char *path, struct ks_strv *names,
                           struct ks_err *err)
{
    *names = (struct ks_strv){0};
    DIR *dir = opendir(path);
    if (dir == NULL)
        return ks_err_errno(err, "%s", path);
    struct dirent *entry;
    errno = 0;
    while ((entry = readdir(dir)) != NULL) {
        if (strcmp(entry->d_name, ".") != 0 && strcmp(entry->d_name, "..") != 0)
            ks_strv_add(arena, names, ks_arena_strdup(arena, entry->d_name));
        errno = 0;
    }
    enum ks_status status = errno == 0 ? KS_OK : ks_err_errno(err, "%s", path);
    closedir(dir);
    if (names->len > 1)
        qsort(names->at, names->len, sizeof *names->at, compare_names);
    return status;
}

// Below an open directory, so that nobody can swap a symlink in between: openat with O_NOFOLLOW.
static bool remove_below(int parent, const char *name, int depth)
{
    if (unlinkat(parent, name, 0) == 0 || errno == ENOENT)
        return true;
    if (errno != EISDIR && errno != EPERM)
        return false;
    if (depth == 0) {
        errno = ELOOP;
        return false;
    }
    int fd = openat(parent, name, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
    if (fd < 0)
        return errno == ENOENT;
    DIR *dir = fdopendir(fd);
    if (dir == NULL) {
        close(fd);
        return false;
    }
    bool ok = true;
    int saved = 0;
    struct dirent *entry;
    while ((entry = readdir(dir)) != NULL) {
        if (strcmp(entry->d_name, ".") == 0 || strcmp(entry->d_name, "..") == 0)
            continue;
        if (!remove_below(fd, entry->d_name, depth - 1)) {
            ok = false;
            saved = errno;
        }
    }
    closedir(dir);
    if (!ok) {
        errno = saved;
        return false;
    }
    return unlinkat(parent, name, AT_REMOVEDIR) == 0 || errno == ENOENT;
}

enum ks_status ks_tree_remove(const char *path, struct ks_err *err)
{
    if (path[0] != '/' || path[1] == '\0')
        KS_FAIL(err, KS_E_INTERNAL, "refusing to remove '%s': not an absolute path", path);
    bool ok = remove_below(AT_FDCWD, path, 128);
    int saved = errno;
    ks_dir_temp_forget(path);
    errno = saved;
    return ok ? KS_OK : ks_err_errno(err, "cannot remove %s", path);
}

char *ks_program_dir(struct ks_arena *arena)
{
    char path[PATH_MAX];
    ssize_t n = readlink("/proc/self/exe", path, sizeof path - 1);
    if (n <= 0)
        return ks_arena_strdup(arena, ".");
    path[n] = '\0';
    return ks_path_dir(arena, path);
}
