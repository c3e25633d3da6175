// A dependency is compared by its bytes. Files of the toolkit, the host compiler and the system's own
// headers (the bulk: an empty kernel includes 370) are compared by size, mtime and inode: packages
// replace such files as a whole, nobody edits them in a build, and hashing their 5 MB would cost 5 ms
// of every compile where 370 stat(2) calls cost 0.5 ms.
#include "store/dependency.h"

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

static bool below(const char *path, const char *dir, size_t n)
{
    return n > 0 && strncmp(path, dir, n) == 0 && path[n] == '/';
}

// nvcc puts cuda_runtime.h in front of every file: where that stands are the toolkit's headers.
static size_t toolkit_dir(const struct ks_strv *dependencies, const char **dir)
{
    for (size_t i = 1; i < dependencies->len; i++)
        if (strcmp(ks_path_base(dependencies->at[i]), "cuda_runtime.h") == 0) {
            *dir = dependencies->at[i];
            return strlen(*dir) - strlen("/cuda_runtime.h");
        }
    *dir = "";
    return 0;
}

static bool is_system(const char *path, const char *toolkit, size_t toolkit_len)
{
    static const char *const dirs[] = {"/usr/include", "/usr/lib/gcc", "/usr/lib/llvm-14"};
    if (strstr(path, "/../") != NULL && !below(path, toolkit, toolkit_len))
        return false; // it may lead anywhere
    for (size_t i = 0; i < sizeof dirs / sizeof *dirs; i++)
        if (below(path, dirs[i], strlen(dirs[i])))
            return true;
    return path[0] == '/' && below(path, toolkit, toolkit_len);
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

static enum ks_status mark_one(const char *path, bool system, const struct timespec *start,
                               struct ks_dependency *mark, bool *probing, struct ks_err *err)
{
    struct stat st;
    if (stat(path, &st) != 0)
        return ks_err_errno(err, "%s", path);
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
    const char *toolkit;
    *probing = false;
    size_t toolkit_len = toolkit_dir(paths, &toolkit);
    struct timespec start = process_start();
    for (size_t i = 0; i < paths->len; i++) {
        bool system = i > 0 && is_system(paths->at[i], toolkit, toolkit_len);
        KS_TRY(mark_one(paths->at[i], system, &start, &marks[i], probing, err));
    }
    return KS_OK;
}

bool ks_dependency_holds(const char *path, const struct ks_dependency *mark)
{
    if (mark->by_stat) {
        struct stat st;
        if (stat(path, &st) != 0)
            return false;
        struct ks_dependency now = stat_mark(&st);
        return now.size == mark->size && now.seconds == mark->seconds &&
               now.nanoseconds == mark->nanoseconds && now.inode == mark->inode &&
               now.device == mark->device;
    }
    struct ks_digest digest;
    return mark_content(path, &digest, NULL, NULL) == KS_OK && ks_digest_eq(&digest, &mark->digest);
}
