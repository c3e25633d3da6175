// A dependency is compared by its bytes. Files of the toolkit, the host compiler and the system's own
// headers (the bulk: an empty kernel includes 370) are compared by size, mtime and inode: packages
// replace such files as a whole, nobody edits them in a build, and hashing their 5 MB would cost 5 ms
// of every compile where 370 stat(2) calls cost 0.5 ms.
#include "store/dependency.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "os/file.h"

#define LARGEST_DEPENDENCY ((size_t)256 << 20)

static struct ks_dependency stat_mark(const struct stat *st)
{
    return (struct ks_dependency){
        .by_stat = true,
        .size = st->st_size,
        .seconds = st->st_mtim.tv_sec,
        .nanoseconds = st->st_mtim.tv_nsec,
        .inode = (int64_t)st->st_ino,
        .device = (int64_t)st->st_dev,
    };
}

// What a line marker names and nobody can open: the "file" of a #line, which nvcc lists as well. It
// holds as long as there is none.
static bool is_absent(const struct ks_dependency *mark)
{
    return mark->by_stat && mark->size < 0;
}

static bool below(const char *path, const char *dir, size_t n)
{
    return n > 0 && strncmp(path, dir, n) == 0 && path[n] == '/';
}

// Folders of headers that come with a compiler, told by what each unit reads of them: nvcc puts
// cuda_runtime.h in front of every file, which includes the others.
static const struct anchor {
    const char *name;
    const char *ways[3]; // one of these is in its path: a header of the user's may have its name
} anchors[] = {{"cuda_runtime.h", {"/"}},
               {"stddef.h", {"/lib/gcc/", "/lib/clang/", "/lib64/clang/"}},
               {"cstdlib", {"/c++/"}}};

enum { N_ANCHORS = sizeof anchors / sizeof *anchors };

struct folder {
    const char *path; // as the compiler spells it, through "..", for most; NULL: not met
    size_t len;
    const char *real;
};

static bool leads_elsewhere(const char *path)
{
    return strstr(path, "/../") != NULL;
}

static void find_folders(struct ks_arena *arena, const struct ks_strv *dependencies,
                         struct folder folders[N_ANCHORS])
{
    for (size_t i = 1; i < dependencies->len; i++)
        for (int a = 0; a < N_ANCHORS; a++) {
            const char *path = dependencies->at[i], *base = ks_path_base(path);
            if (folders[a].path != NULL || path[0] != '/' || strcmp(base, anchors[a].name) != 0)
                continue;
            const char *real = ks_path_real(arena, ks_path_dir(arena, path));
            for (int w = 0; real != NULL && w < 3 && anchors[a].ways[w] != NULL; w++)
                if (strstr(real, anchors[a].ways[w]) != NULL)
                    folders[a] = (struct folder){path, (size_t)(base - path) - 1, real};
        }
}

static bool is_system(struct ks_arena *arena, const char *path,
                      const struct folder folders[N_ANCHORS])
{
    static const char *const dirs[] = {"/usr/include", "/usr/lib/gcc"};
    if (path[0] != '/')
        return false;
    for (int a = 0; a < N_ANCHORS; a++)
        if (below(path, folders[a].path, folders[a].len) &&
            !leads_elsewhere(path + folders[a].len))
            return true;
    const char *real = leads_elsewhere(path) ? ks_path_real(arena, path) : path;
    if (real == NULL)
        return false;
    for (size_t i = 0; i < sizeof dirs / sizeof *dirs; i++)
        if (below(real, dirs[i], strlen(dirs[i])))
            return true;
    for (int a = 0; a < N_ANCHORS; a++)
        if (folders[a].path != NULL && below(real, folders[a].real, strlen(folders[a].real)))
            return true;
    return false;
}

// When this process began, in wall-clock time; a file written later may differ from what the
// compiler read. Kernel ticks are 10 ms, rounded down.
static struct timespec process_start(void)
{
    struct timespec now = {0}, boot = {0};
    unsigned long long ticks = 0;
    char text[1024] = "";
    int fd = open("/proc/self/stat", O_RDONLY | O_CLOEXEC);
    ssize_t n = fd < 0 ? -1 : read(fd, text, sizeof text - 1);
    if (fd >= 0)
        close(fd);
    text[n > 0 ? n : 0] = '\0';
    const char *at = strrchr(text, ')'); // the name may hold anything; field 22 counts from pid
    for (int field = 2; at != NULL && field < 22; field++)
        at = strchr(at + 1, ' ');
    if (at != NULL)
        ticks = strtoull(at, NULL, 10);
    clock_gettime(CLOCK_REALTIME, &now);
    clock_gettime(CLOCK_BOOTTIME, &boot);
    double age = (double)boot.tv_sec + (double)boot.tv_nsec * 1e-9 -
                 (double)ticks / (double)sysconf(_SC_CLK_TCK);
    double start = (double)now.tv_sec + (double)now.tv_nsec * 1e-9 - age;
    return (struct timespec){.tv_sec = (time_t)start,
                             .tv_nsec = (long)((start - (double)(time_t)start) * 1e9)};
}

static bool newer(const struct stat *st, const struct timespec *than)
{
    return st->st_mtim.tv_sec > than->tv_sec ||
           (st->st_mtim.tv_sec == than->tv_sec && st->st_mtim.tv_nsec > than->tv_nsec);
}

// Text that changes without a file changing.
static bool says(struct ks_slice text, const char *word)
{
    return memmem(text.at, text.len, word, strlen(word)) != NULL;
}

static bool asks_for_time(struct ks_slice text)
{
    return says(text, "__DATE__") || says(text, "__TIME__") || says(text, "__TIMESTAMP__");
}

struct asks {
    bool time, files;
};

static enum ks_status mark_content(const char *path, struct ks_digest *digest, struct asks *asks,
                                   struct ks_err *err)
{
    struct ks_arena arena = {0};
    struct ks_slice text;
    enum ks_status status = ks_file_read(&arena, path, LARGEST_DEPENDENCY, &text, err);
    if (status == KS_OK) {
        *digest = ks_digest_of("dependency", text.at, text.len);
        if (asks != NULL)
            *asks = (struct asks){asks_for_time(text), says(text, "__has_include")};
    }
    ks_arena_free(&arena);
    return status;
}

static enum ks_status mark_one(const char *path, bool main, bool system,
                               const struct timespec *start, struct ks_dependency *mark,
                               bool *probing, struct ks_err *err)
{
    struct stat st;
    if (stat(path, &st) != 0) {
        if (main || (errno != ENOENT && errno != ENOTDIR))
            return ks_err_errno(err, "%s", path);
        *mark = (struct ks_dependency){.by_stat = true, .size = -1};
        return KS_OK;
    }
    if (newer(&st, start))
        KS_FAIL(err, KS_E_UNSUPPORTED, "%s was written while the file that reads it was compiled",
                path);
    *mark = stat_mark(&st);
    mark->by_stat = system;
    if (system)
        return KS_OK;
    struct asks asks = {0};
    KS_TRY(mark_content(path, &mark->digest, &asks, err));
    if (asks.time)
        KS_FAIL(err, KS_E_UNSUPPORTED, "%s asks for the date or time", path);
    *probing |= asks.files;
    return KS_OK;
}

enum ks_status ks_dependencies_mark(const struct ks_strv *paths, struct ks_dependency *marks,
                                    bool *probing, struct ks_err *err)
{
    struct ks_arena arena = {0};
    struct folder folders[N_ANCHORS] = {0};
    struct timespec start = process_start();
    enum ks_status status = KS_OK;
    *probing = false;
    find_folders(&arena, paths, folders);
    for (size_t i = 0; status == KS_OK && i < paths->len; i++) {
        bool system = i > 0 && is_system(&arena, paths->at[i], folders);
        status = mark_one(paths->at[i], i == 0, system, &start, &marks[i], probing, err);
    }
    ks_arena_free(&arena);
    return status;
}

bool ks_dependency_holds(const char *path, const struct ks_dependency *mark)
{
    if (mark->by_stat) {
        struct stat st;
        if (stat(path, &st) != 0)
            return is_absent(mark) && (errno == ENOENT || errno == ENOTDIR);
        struct ks_dependency now = stat_mark(&st);
        return now.size == mark->size && now.seconds == mark->seconds &&
               now.nanoseconds == mark->nanoseconds && now.inode == mark->inode &&
               now.device == mark->device;
    }
    struct ks_digest digest;
    return mark_content(path, &digest, NULL, NULL) == KS_OK && ks_digest_eq(&digest, &mark->digest);
}
