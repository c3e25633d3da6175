// A stand-in for nvcc that measures, records and plays back. What it does is said by the
// environment:
//   BENCH_REAL=NVCC    runs NVCC with the same arguments
//   BENCH_KEPT=FOLDER  with BENCH_REAL: keeps copies of what NVCC wrote; without: writes those
//   copies,
//                      which takes a millisecond where the compile took a second
//   BENCH_TIMES=FILE   appends when it began and ended, in ns of CLOCK_MONOTONIC
//   BENCH_MEMORY=FILE  appends the private memory of the ks-nvcc that waits for it, in KiB
//   BENCH_WORDS=FILE   leaves its arguments there, each ended by a NUL
// A record is one of four, by what a compile is for: of the user's file or of a shadow, with --keep
// or without. `--version` is asked of BENCH_REAL, or read from BENCH_KEPT/version.
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

static _Noreturn void fail(const char *what)
{
    fprintf(stderr, "replay_nvcc: %s: %s\n", what, strerror(errno));
    exit(99);
}

static long long now_ns(void)
{
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (long long)t.tv_sec * 1000000000 + t.tv_nsec;
}

static void append(const char *path, const char *text)
{
    int fd = open(path, O_WRONLY | O_CREAT | O_APPEND, 0666);
    if (fd < 0 || write(fd, text, strlen(text)) != (ssize_t)strlen(text) || close(fd) != 0)
        fail(path);
}

static void copy(const char *from, const char *to)
{
    char chunk[1 << 16];
    ssize_t n;
    int in = open(from, O_RDONLY), out = in < 0 ? -1 : open(to, O_WRONLY | O_CREAT | O_TRUNC, 0666);
    if (out < 0)
        fail(in < 0 ? from : to);
    while ((n = read(in, chunk, sizeof chunk)) > 0)
        if (write(out, chunk, (size_t)n) != n)
            fail(to);
    if (n < 0 || close(out) != 0)
        fail(to);
    close(in);
}

static void copy_folder(const char *from, const char *to)
{
    char source[4096], target[4096];
    struct stat st;
    DIR *dir = opendir(from);
    if (dir == NULL)
        fail(from);
    mkdir(to, 0777);
    for (struct dirent *e; (e = readdir(dir)) != NULL;) {
        snprintf(source, sizeof source, "%s/%s", from, e->d_name);
        snprintf(target, sizeof target, "%s/%s", to, e->d_name);
        if (stat(source, &st) == 0 && S_ISREG(st.st_mode))
            copy(source, target);
    }
    closedir(dir);
}

static const char *value_of(char **argv, const char *option)
{
    const char *value = NULL;
    for (; argv[0] != NULL && argv[1] != NULL; argv++)
        if (strcmp(argv[0], option) == 0)
            value = argv[1];
    return value;
}

static const char *kind_of(char **argv)
{
    bool shadow = false, keep = value_of(argv, "--keep-dir") != NULL;
    for (; *argv != NULL; argv++)
        shadow |= strstr(*argv, "/shadow/") != NULL;
    return shadow ? keep ? "shadow-keep" : "shadow" : keep ? "plain-keep" : "plain";
}

// Between what a compile writes and its record, in the one direction or the other.
static void move_outputs(char **argv, const char *kept, bool record)
{
    static const struct {
        const char *option, *name;
    } outputs[] = {{"-o", "object"}, {"-MF", "depfile"}, {"--keep-dir", "keep"}};
    char place[4096];
    snprintf(place, sizeof place, "%s/%s", kept, kind_of(argv));
    if (record)
        mkdir(place, 0777);
    size_t n = strlen(place);
    for (size_t i = 0; i < sizeof outputs / sizeof *outputs; i++) {
        const char *path = value_of(argv, outputs[i].option);
        if (path == NULL)
            continue;
        snprintf(place + n, sizeof place - n, "/%s", outputs[i].name);
        void (*move)(const char *, const char *) = i == 2 ? copy_folder : copy;
        move(record ? path : place, record ? place : path);
    }
}

// The smallest figure that says what the parent costs: pages that nobody else maps.
static void note_memory(const char *file)
{
    char path[64], program[4096] = "", line[256], text[32];
    long kib = 0, part;
    snprintf(path, sizeof path, "/proc/%d/exe", (int)getppid());
    ssize_t n = readlink(path, program, sizeof program - 1);
    const char *base = n > 0 ? strrchr(program, '/') : NULL;
    if (base == NULL || strcmp(base, "/ks-nvcc") != 0)
        return append(file, "0\n"); // it became this program: nothing waits
    snprintf(path, sizeof path, "/proc/%d/smaps_rollup", (int)getppid());
    FILE *in = fopen(path, "r");
    if (in == NULL)
        fail(path);
    while (fgets(line, sizeof line, in) != NULL)
        if (sscanf(line, "Private_Clean: %ld", &part) == 1 ||
            sscanf(line, "Private_Dirty: %ld", &part) == 1)
            kib += part;
    fclose(in);
    snprintf(text, sizeof text, "%ld\n", kib);
    append(file, text);
}

static void note_words(char **argv, const char *file)
{
    FILE *out = fopen(file, "w");
    if (out == NULL)
        fail(file);
    for (char **at = argv + 1; *at != NULL; at++)
        fwrite(*at, 1, strlen(*at) + 1, out);
    if (fclose(out) != 0)
        fail(file);
}

static int run(const char *real, char **argv)
{
    int status;
    pid_t pid = fork();
    if (pid < 0)
        fail("fork");
    if (pid == 0) {
        argv[0] = (char *)real;
        execv(real, argv);
        _exit(127);
    }
    while (waitpid(pid, &status, 0) != pid)
        if (errno != EINTR)
            fail("waitpid");
    return WIFEXITED(status) ? WEXITSTATUS(status) : 128;
}

int main(int argc, char **argv)
{
    long long begin = now_ns();
    const char *real = getenv("BENCH_REAL"), *kept = getenv("BENCH_KEPT");
    const char *times = getenv("BENCH_TIMES"), *memory = getenv("BENCH_MEMORY");
    const char *words = getenv("BENCH_WORDS");
    if (argc == 2 && strcmp(argv[1], "--version") == 0) {
        char path[4096];
        if (real != NULL)
            return run(real, argv);
        snprintf(path, sizeof path, "%s/version", kept != NULL ? kept : ".");
        copy(path, "/dev/stdout");
        return 0;
    }
    if (memory != NULL)
        note_memory(memory);
    if (words != NULL)
        note_words(argv, words);
    int status = real != NULL ? run(real, argv) : 0;
    if (kept != NULL && status == 0)
        move_outputs(argv, kept, real != NULL);
    if (times != NULL) {
        char text[64];
        snprintf(text, sizeof text, "%lld %lld\n", begin, now_ns());
        append(times, text);
    }
    return status;
}
