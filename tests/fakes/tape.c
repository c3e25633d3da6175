#include "tape.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#define NOT_RECORDED 97
#define FAILED 98
#define SYSTEM_HEADERS 4

struct bytes {
    char *data;
    size_t len;
};

struct tape {
    char entry[4096]; // folder of this compile
    const char *root, *object, *depfile, *keep;
    int argc;
    char **argv;
};

static void add(struct bytes *to, const char *data, size_t n)
{
    to->data = realloc(to->data, to->len + n + 1);
    if (to->data == NULL)
        abort();
    memcpy(to->data + to->len, data, n);
    to->len += n;
    to->data[to->len] = '\0';
}

static bool load(const char *path, struct bytes *out)
{
    char chunk[1 << 16];
    ssize_t n = -1;
    int fd = open(path, O_RDONLY | O_CLOEXEC);
    *out = (struct bytes){0};
    add(out, "", 0);
    while (fd >= 0 && (n = read(fd, chunk, sizeof chunk)) > 0)
        add(out, chunk, (size_t)n);
    if (fd >= 0)
        close(fd);
    return n == 0;
}

static bool put(int fd, const struct bytes *text)
{
    for (size_t at = 0; at < text->len;) {
        ssize_t n = write(fd, text->data + at, text->len - at);
        if (n < 0 && errno != EINTR)
            return false;
        at += n > 0 ? (size_t)n : 0;
    }
    return true;
}

static bool save(const char *path, const struct bytes *text)
{
    int fd = open(path, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0666);
    bool ok = fd >= 0 && put(fd, text);
    return fd >= 0 && close(fd) == 0 && ok;
}

// As assemblers do: what is there is removed first, so that a link or a mode does not live on.
static bool save_anew(const char *path, const struct bytes *text)
{
    struct stat st;
    if (lstat(path, &st) == 0 && (S_ISREG(st.st_mode) || S_ISLNK(st.st_mode)))
        unlink(path);
    return save(path, text);
}

// Every `from` in the text becomes `to`.
static struct bytes replace(const struct bytes *text, const char *from, const char *to)
{
    struct bytes out = {0};
    size_t n = from == NULL ? 0 : strlen(from);
    add(&out, "", 0);
    for (const char *at = text->data, *end = at + text->len; at < end;) {
        const char *hit = n == 0 ? NULL : memmem(at, (size_t)(end - at), from, n);
        add(&out, at, (size_t)((hit == NULL ? end : hit) - at));
        if (hit == NULL)
            break;
        add(&out, to, strlen(to));
        at = hit + n;
    }
    return out;
}

static void mix(uint64_t hash[2], const char *data, size_t n)
{
    for (size_t i = 0; i < n; i++) { // FNV-1a, and once more with another multiplier
        hash[0] = (hash[0] ^ (unsigned char)data[i]) * 0x100000001b3u;
        hash[1] = (hash[1] ^ (unsigned char)data[i]) * 0x9e3779b97f4a7c15u;
    }
    hash[0] = (hash[0] ^ 0x100u) * 0x100000001b3u;
    hash[1] = (hash[1] ^ 0x100u) * 0x9e3779b97f4a7c15u;
}

static void name_entry(struct tape *tape, const char *dir)
{
    uint64_t hash[2] = {0xcbf29ce484222325u, 0x84222325cbf29ce4u};
    char folder[4096] = "";
    const char *slash = tape->object == NULL ? NULL : strrchr(tape->object, '/');
    if (slash != NULL)
        snprintf(folder, sizeof folder, "%.*s", (int)(slash - tape->object), tape->object);
    for (int i = 1; i < tape->argc; i++) {
        const char *word = tape->argv[i], *before = tape->argv[i - 1];
        size_t n = strlen(word);
        struct bytes text = {tape->argv[i], n};
        if (strcmp(before, "-o") == 0 || strcmp(before, "-MF") == 0 ||
            strcmp(before, "--keep-dir") == 0) {
            mix(hash, "a place", 7);
        } else if (n > 3 && strcmp(word + n - 3, ".cu") == 0) {
            struct bytes file = {0};
            const char *base = strrchr(word, '/');
            load(word, &file);
            file = replace(&file, tape->root, "@ROOT@");
            base = base == NULL ? word : base + 1;
            mix(hash, base, strlen(base));
            mix(hash, file.data, file.len);
        } else {
            text = replace(&text, folder, "@FOLDER@"); // of the object, which may be temporary
            text = replace(&text, tape->root, "@ROOT@");
            mix(hash, text.data, text.len);
        }
    }
    snprintf(tape->entry, sizeof tape->entry, "%s/%016llx%016llx", dir, (unsigned long long)hash[0],
             (unsigned long long)hash[1]);
}

static const char *in_entry(const struct tape *tape, const char *name)
{
    static char path[3][8192];
    static int turn;
    turn = (turn + 1) % 3;
    snprintf(path[turn], sizeof path[turn], "%s/%s", tape->entry, name);
    return path[turn];
}

// Target and prerequisites on one line, less most of the system's headers.
static struct bytes shorten(const struct bytes *depfile)
{
    struct bytes out = {0};
    int seen = 0;
    for (char *word = strtok(depfile->data, " \t\\\n"); word != NULL;
         word = strtok(NULL, " \t\\\n")) {
        bool system = strncmp(word, "/usr/", 5) == 0 && strstr(word, "/cuda_runtime.h") == NULL;
        if (system && seen++ >= SYSTEM_HEADERS)
            continue;
        add(&out, word, strlen(word));
        add(&out, " ", 1);
    }
    add(&out, "\n", 1);
    return out;
}

static bool big(const char *name)
{
    size_t n = strlen(name);
    return (n > 3 && strcmp(name + n - 3, ".ii") == 0) ||
           (n > 12 && strcmp(name + n - 12, ".cudafe1.cpp") == 0);
}

// Copies the files of `from` whose names begin with `stem` into `to`; those of preprocessors empty.
static bool copy_folder(const char *from, const char *stem, const char *to)
{
    DIR *dir = opendir(from);
    struct dirent *file;
    bool ok = true;
    while (dir != NULL && (file = readdir(dir)) != NULL) {
        char path[8192], target[8192];
        struct stat st;
        struct bytes text = {0};
        snprintf(path, sizeof path, "%s/%s", from, file->d_name);
        snprintf(target, sizeof target, "%s/%s", to, file->d_name);
        if (strncmp(file->d_name, stem, strlen(stem)) != 0 || stat(path, &st) != 0 ||
            !S_ISREG(st.st_mode))
            continue;
        if (!big(file->d_name))
            ok = load(path, &text) && ok;
        ok = save(target, &text) && ok;
        free(text.data);
    }
    if (dir != NULL)
        closedir(dir);
    return ok;
}

// Folder and beginning of the names of what -objtemp --keep leaves beside the object.
static const char *beside(const struct tape *tape, char *folder, size_t size)
{
    const char *slash = tape->object == NULL ? NULL : strrchr(tape->object, '/');
    static char stem[512];
    snprintf(folder, size, "%.*s", slash == NULL ? 1 : (int)(slash - tape->object),
             slash == NULL ? "." : tape->object);
    snprintf(stem, sizeof stem, "%s.", slash == NULL ? tape->object : slash + 1);
    return stem;
}

static int run_real(const char *real, const struct tape *tape)
{
    int status;
    pid_t child = fork();
    if (child == 0) {
        int out = open(in_entry(tape, "stdout"), O_WRONLY | O_CREAT | O_TRUNC, 0666);
        int err = open(in_entry(tape, "stderr"), O_WRONLY | O_CREAT | O_TRUNC, 0666);
        dup2(out, 1);
        dup2(err, 2);
        tape->argv[0] = (char *)real;
        execv(real, tape->argv);
        _exit(127);
    }
    return child > 0 && waitpid(child, &status, 0) == child && WIFEXITED(status)
               ? WEXITSTATUS(status)
               : -1;
}

// The input that lies in a folder of shadows, kept or temporary, or NULL.
static const char *shadow_of(const struct tape *tape)
{
    for (int i = 1; i < tape->argc; i++) {
        const char *word = tape->argv[i];
        size_t n = strlen(word);
        if (word[0] == '/' && n > 3 && strcmp(word + n - 3, ".cu") == 0 &&
            (strstr(word, "/shadow/") != NULL || strstr(word, "/ks-shadow") != NULL))
            return word;
    }
    return NULL;
}

static bool record(const char *real, struct tape *tape)
{
    char folder[4096], number[16];
    struct bytes text = {0};
    if (mkdir(tape->entry, 0777) != 0 || mkdir(in_entry(tape, "keep"), 0777) != 0 ||
        mkdir(in_entry(tape, "beside"), 0777) != 0)
        return false;
    int status = run_real(real, tape);
    bool ok = status >= 0;
    if (tape->object != NULL && load(tape->object, &text))
        ok = save(in_entry(tape, "object"), &text) && ok;
    if (tape->depfile != NULL && load(tape->depfile, &text)) {
        text = shorten(&text);
        text = replace(&text, tape->object, "@OBJECT@");
        text = replace(&text, shadow_of(tape), "@SHADOW@");
        text = replace(&text, tape->root, "@ROOT@");
        ok = save(in_entry(tape, "depfile"), &text) && ok;
    }
    if (tape->keep != NULL && tape->object != NULL) {
        const char *stem = beside(tape, folder, sizeof folder);
        ok = copy_folder(folder, stem, in_entry(tape, "beside")) && ok;
        ok = copy_folder(tape->keep, "", in_entry(tape, "keep")) && ok;
        unlink(in_entry(tape, "keep/ks.d"));
    }
    const char *kind = shadow_of(tape) != NULL ? "shadow" : "plain";
    text = (struct bytes){(char *)kind, strlen(kind)};
    ok = save(in_entry(tape, "kind"), &text) && ok;
    text = (struct bytes){0};
    add(&text, number, (size_t)snprintf(number, sizeof number, "%d", status));
    return save(in_entry(tape, "status"), &text) && ok;
}

// KS_FAKE_DIE, if it means this compile and this moment.
static void die(const struct tape *tape, const char *when)
{
    const char *how = getenv("KS_FAKE_DIE");
    char wanted[32];
    const char *kind = shadow_of(tape) != NULL ? "shadow" : "plain";
    int n = snprintf(wanted, sizeof wanted, "%s:%s:", kind, when);
    if (how != NULL && strncmp(how, wanted, (size_t)n) == 0) {
        raise(atoi(how + n));
        pause();
    }
}

static int play(const struct tape *tape)
{
    die(tape, "before");
    char folder[4096];
    struct bytes text;
    bool ok = true;
    if (load(in_entry(tape, "stdout"), &text))
        (void)put(1, &text); // compilers do not care
    if (load(in_entry(tape, "stderr"), &text))
        (void)put(2, &text);
    if (tape->keep != NULL && tape->object != NULL) {
        beside(tape, folder, sizeof folder);
        ok = copy_folder(in_entry(tape, "keep"), "", tape->keep) && ok;
        ok = copy_folder(in_entry(tape, "beside"), "", folder) && ok;
    }
    if (tape->depfile != NULL && load(in_entry(tape, "depfile"), &text)) {
        text = replace(&text, "@OBJECT@", tape->object == NULL ? "" : tape->object);
        const char *shadow = shadow_of(tape);
        text = replace(&text, "@SHADOW@", shadow == NULL ? "" : shadow);
        text = replace(&text, "@ROOT@", tape->root == NULL ? "" : tape->root);
        ok = save(tape->depfile, &text) && ok;
    }
    if (tape->object != NULL && load(in_entry(tape, "object"), &text)) {
        struct bytes half = {text.data, text.len / 2};
        ok = save_anew(tape->object, &half) && ok;
        die(tape, "half");
        ok = save(tape->object, &text) && ok;
    }
    die(tape, "after");
    if (!ok) {
        fprintf(stderr, "nvcc: cannot write: %s\n", strerror(errno));
        return FAILED;
    }
    return load(in_entry(tape, "status"), &text) ? atoi(text.data) : FAILED;
}

int tape_run(const char *dir, int argc, char **argv)
{
    const char *real = getenv("KS_FAKE_RECORD");
    struct tape tape = {.root = getenv("KS_FAKE_ROOT"), .argc = argc, .argv = argv};
    struct stat st;
    for (int i = 1; i + 1 < argc; i++) {
        if (strcmp(argv[i], "-o") == 0)
            tape.object = argv[i + 1];
        if (strcmp(argv[i], "-MF") == 0)
            tape.depfile = argv[i + 1];
        if (strcmp(argv[i], "--keep-dir") == 0)
            tape.keep = argv[i + 1];
    }
    name_entry(&tape, dir);
    if (stat(tape.entry, &st) == 0)
        return play(&tape);
    if (real == NULL) {
        fprintf(stderr, "nvcc: not on the tape:");
        for (int i = 1; i < argc; i++)
            fprintf(stderr, " %s", argv[i]);
        fputc('\n', stderr);
        return NOT_RECORDED;
    }
    if (!record(real, &tape)) {
        fprintf(stderr, "nvcc: cannot record in %s\n", tape.entry);
        return FAILED;
    }
    return play(&tape);
}
