// Landlock's half, and the limits that no kernel keeps for us; sandbox_calls.c has the other.
#include "os/sandbox.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <linux/landlock.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "os/file.h"
#include "os/sandbox_calls.h"

// Newer than the headers of Debian 12.
#define FS_REFER (1ULL << 13)     // version 2
#define FS_TRUNCATE (1ULL << 14)  // 3
#define FS_IOCTL_DEV (1ULL << 15) // 5
#define NET_TCP 3ULL              // 4: bind, connect
#define SCOPES 3ULL               // 6: abstract sockets, signals
#define SCOPE_SIGNALS 2ULL

struct attributes { // struct landlock_ruleset_attr, as of version 6
    uint64_t fs, net, scoped;
};

#define FS_FIRST ((1ULL << 13) - 1) // all of version 1
#define FS_READ (LANDLOCK_ACCESS_FS_READ_FILE | LANDLOCK_ACCESS_FS_READ_DIR)
#define FS_DEVICE                                                                                  \
    (LANDLOCK_ACCESS_FS_READ_FILE | LANDLOCK_ACCESS_FS_WRITE_FILE | FS_TRUNCATE | FS_IOCTL_DEV)
// Without devices, sockets, pipes and programs; nor links, which whoever reads the folder would
// follow.
#define FS_WRITE                                                                                   \
    (FS_READ | FS_REFER | FS_TRUNCATE | LANDLOCK_ACCESS_FS_WRITE_FILE |                            \
     LANDLOCK_ACCESS_FS_REMOVE_DIR | LANDLOCK_ACCESS_FS_REMOVE_FILE |                              \
     LANDLOCK_ACCESS_FS_MAKE_DIR | LANDLOCK_ACCESS_FS_MAKE_REG)
#define FS_OF_A_FILE                                                                               \
    (LANDLOCK_ACCESS_FS_EXECUTE | LANDLOCK_ACCESS_FS_READ_FILE | LANDLOCK_ACCESS_FS_WRITE_FILE |   \
     FS_TRUNCATE | FS_IOCTL_DEV)

const char *const ks_sandbox_system[] = {
    "/usr",
    "/lib",
    "/lib32",
    "/lib64",
    "/libx32",
    "/bin",
    "/sbin",
    "/opt",
    "/nix/store",
    "/gnu/store",
    "/run/current-system",
    "/run/opengl-driver",
    "/etc/alternatives",
    "/etc/ld.so.cache",
    "/etc/ld.so.conf",
    "/etc/ld.so.conf.d",
    "/etc/localtime",
    "/etc/nvidia",
    "/proc/cpuinfo",
    "/proc/meminfo",
    "/proc/stat",
    "/sys/devices/system",
    NULL,
};

bool ks_sandbox_variable(const char *entry)
{
    static const char *const names[] = {
        "PATH=",
        "LD_LIBRARY_PATH=",
        "LANG=",
        "LANGUAGE=",
        "LC_",
        "TZ=",
        "CPATH=",
        "C_INCLUDE_PATH=",
        "CPLUS_INCLUDE_PATH=",
        "LIBRARY_PATH=",
        "COMPILER_PATH=",
        "GCC_EXEC_PREFIX=",
        "SOURCE_DATE_EPOCH=",
        "INCLUDES=",
        "SYSTEM_INCLUDES=",
        "NVCC_",
        "CUDA_",
        "NVIDIA_",
        "NV_",
        "KS_CUDA_DEVICE=",
        "KS_SANDBOX_READ=",
        NULL,
    };
    for (size_t i = 0; names[i] != NULL; i++)
        if (ks_starts_with(entry, names[i]))
            return true;
    return false;
}

int ks_sandbox_version(void)
{
    long version = syscall(SYS_landlock_create_ruleset, NULL, 0, LANDLOCK_CREATE_RULESET_VERSION);
    return version > 0 ? (int)version : 0;
}

bool ks_sandbox_supported(char why[256])
{
    long version = syscall(SYS_landlock_create_ruleset, NULL, 0, LANDLOCK_CREATE_RULESET_VERSION);
    if (version < 1) {
        snprintf(why, 256, "%s",
                 errno == EOPNOTSUPP
                     ? "Landlock is switched off in this kernel (add landlock to lsm= on "
                       "its command line)"
                 : errno == ENOSYS
                     ? "this kernel has no Landlock (Linux 5.13 or newer, built with it)"
                     : "this container does not let its processes use Landlock");
        return false;
    }
    return ks_sandbox_calls_supported(why);
}

static uint64_t handled(int version)
{
    return FS_FIRST | (version >= 2 ? FS_REFER : 0) | (version >= 3 ? FS_TRUNCATE : 0) |
           (version >= 5 ? FS_IOCTL_DEV : 0);
}

struct making {
    int ruleset;
    uint64_t handled;
    const char *const *hidden;
    struct ks_arena *arena;
};

static bool is_below(const char *path, const char *folder)
{
    size_t n = strlen(folder);
    while (n > 1 && folder[n - 1] == '/')
        n--;
    return n == 1 || (strncmp(path, folder, n) == 0 && (path[n] == '\0' || path[n] == '/'));
}

static void add(const struct making *m, const char *path, uint64_t rights);

// A folder with something hidden in it is its entries, less that one.
static void add_entries(const struct making *m, const char *path, uint64_t rights)
{
    struct ks_strv names = {0};
    if (ks_dir_list(m->arena, path, &names, NULL) != KS_OK)
        return;
    for (size_t i = 0; i < names.len; i++)
        add(m, ks_path_join(m->arena, path, names.at[i]), rights);
}

static void add(const struct making *m, const char *path, uint64_t rights)
{
    char *real = ks_path_real(m->arena, path);
    if (real == NULL)
        return;
    for (size_t i = 0; m->hidden != NULL && m->hidden[i] != NULL; i++) {
        const char *hidden = ks_path_real(m->arena, m->hidden[i]);
        if (hidden == NULL)
            continue;
        if (is_below(real, hidden))
            return;
        if (is_below(hidden, real)) {
            add_entries(m, real, rights);
            return;
        }
    }
    struct stat st;
    int fd = open(real, O_PATH | O_CLOEXEC);
    if (fd < 0)
        return;
    if (fstat(fd, &st) == 0) {
        if (!S_ISDIR(st.st_mode))
            rights &= FS_OF_A_FILE;
        struct landlock_path_beneath_attr rule = {.allowed_access = rights & m->handled,
                                                  .parent_fd = fd};
        // What cannot be added stays forbidden.
        (void)syscall(SYS_landlock_add_rule, m->ruleset, LANDLOCK_RULE_PATH_BENEATH, &rule, 0);
    }
    close(fd);
}

static void add_all(const struct making *m, const char *const *paths, uint64_t rights)
{
    for (size_t i = 0; paths != NULL && paths[i] != NULL; i++)
        add(m, paths[i], rights);
}

enum ks_status ks_sandbox_make(struct ks_arena *arena, const struct ks_sandbox_rules *rules,
                               struct ks_sandbox *sandbox, struct ks_err *err)
{
    char why[256];
    *sandbox = (struct ks_sandbox){.ruleset = -1,
                                   .max_file = rules->max_file,
                                   .max_written = rules->max_written,
                                   .max_processes = rules->max_processes,
                                   .written = rules->write != NULL ? rules->write[0] : NULL};
    if (!ks_sandbox_supported(why))
        KS_FAIL(err, KS_E_UNSUPPORTED, "%s", why);
    int version = ks_sandbox_version();
    struct attributes attributes = {handled(version), rules->connects ? 0 : NET_TCP,
                                    rules->connects ? SCOPE_SIGNALS : SCOPES};
    size_t size = version >= 6 ? sizeof attributes : version >= 4 ? 16 : 8;
    sandbox->ruleset =
        (int)syscall(SYS_landlock_create_ruleset, &attributes, size, 0); // close-on-exec
    if (sandbox->ruleset < 0)
        return ks_err_errno(err, "Landlock makes no rules");
    struct making m = {sandbox->ruleset, attributes.fs, rules->hidden, arena};
    add_all(&m, rules->read, FS_READ | (rules->starts ? LANDLOCK_ACCESS_FS_EXECUTE : 0));
    m.hidden = NULL; // said expressly, and narrow
    add_all(&m, rules->write, FS_WRITE);
    add_all(&m, rules->devices, FS_DEVICE | LANDLOCK_ACCESS_FS_READ_DIR);
    sandbox->filter = ks_sandbox_calls(arena, rules->starts, version >= 6, &sandbox->n_filter);
    return KS_OK;
}

void ks_sandbox_close(struct ks_sandbox *sandbox)
{
    if (sandbox->ruleset >= 0)
        close(sandbox->ruleset);
    sandbox->ruleset = -1;
}

bool ks_sandbox_fence(const struct ks_sandbox *sandbox)
{
    rlim_t most = (rlim_t)sandbox->max_file;
    if (sandbox->max_file > 0 && setrlimit(RLIMIT_FSIZE, &(struct rlimit){most, most}) != 0)
        return false;
    if (setrlimit(RLIMIT_CORE, &(struct rlimit){0, 0}) != 0)
        return false;
    // What the program that calls us was given by its own caller is not for the confined.
    (void)syscall(SYS_close_range, 3U, ~0U, 4U /* CLOSE_RANGE_CLOEXEC */);
    return prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) == 0 &&
           syscall(SYS_landlock_restrict_self, sandbox->ruleset, 0) == 0;
}

// Bytes below a folder; stops counting past `most`.
static int64_t bytes_below(int dir_fd, int64_t most, int depth)
{
    int64_t bytes = 0;
    DIR *dir = fdopendir(dir_fd);
    if (dir == NULL) {
        close(dir_fd);
        return 0;
    }
    for (struct dirent *entry; bytes <= most && (entry = readdir(dir)) != NULL;) {
        struct stat st;
        if (strcmp(entry->d_name, ".") == 0 || strcmp(entry->d_name, "..") == 0 ||
            fstatat(dirfd(dir), entry->d_name, &st, AT_SYMLINK_NOFOLLOW) != 0)
            continue;
        bytes += (int64_t)st.st_blocks * 512;
        if (!S_ISDIR(st.st_mode))
            continue;
        int fd = depth < 32 ? openat(dirfd(dir), entry->d_name,
                                     O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC)
                            : -1;
        if (depth >= 32)
            bytes = most + 1; // nobody honest nests so deep
        if (fd >= 0)
            bytes += bytes_below(fd, most - bytes, depth + 1);
    }
    closedir(dir);
    return bytes;
}

// Processes whose group is `group`, by field 5 of /proc/PID/stat; stops counting past `most`.
static int processes_of(pid_t group, int most)
{
    int n = 0;
    DIR *dir = opendir("/proc");
    for (struct dirent *entry; dir != NULL && n <= most && (entry = readdir(dir)) != NULL;) {
        char path[64], text[512];
        if (entry->d_name[0] < '0' || entry->d_name[0] > '9')
            continue;
        snprintf(path, sizeof path, "/proc/%.20s/stat", entry->d_name);
        int fd = open(path, O_RDONLY | O_CLOEXEC);
        ssize_t got = fd >= 0 ? read(fd, text, sizeof text - 1) : 0;
        if (fd >= 0)
            close(fd);
        text[got > 0 ? got : 0] = '\0';
        int pgrp;
        const char *behind = strrchr(text, ')'); // the name may hold anything
        n += behind != NULL && sscanf(behind + 1, " %*c %*d %d", &pgrp) == 1 && pgrp == group;
    }
    if (dir != NULL)
        closedir(dir);
    return n;
}

const char *ks_sandbox_exceeded(const struct ks_sandbox *sandbox, pid_t group)
{
    if (sandbox->max_processes > 0 &&
        processes_of(group, sandbox->max_processes) > sandbox->max_processes)
        return "too many processes";
    if (sandbox->max_written <= 0 || sandbox->written == NULL)
        return NULL;
    int fd = open(sandbox->written, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
    if (fd >= 0 && bytes_below(fd, sandbox->max_written, 0) > sandbox->max_written)
        return "too many bytes written";
    return NULL;
}
