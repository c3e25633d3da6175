// A stand-in for nvcc: exits at once, so that what a wrapper adds can be measured and what it hands
// on can be seen. All of its behaviour is switched on by environment variables:
//   KS_FAKE_LOG=FILE      append one record of this call: cwd, arguments, environment
//   KS_FAKE_CREATE=1      make the -o file and, with -MD or -MMD and -MF, the dependency file
//   KS_FAKE_OBJECT=FILE   copy this to the -o file, and
//   KS_FAKE_DEPFILE=FILE  this to the -MF file: a compile played back
//   KS_FAKE_TAPE=DIR      play recorded compiles back (tests/fakes/tape.h)
//   KS_FAKE_FORWARD=NVCC  become this program instead, but for --version
//   KS_FAKE_STDERR=TEXT   print this line on stderr
//   KS_FAKE_EXIT=N        exit with this status
// `--version` always answers like nvcc 13.0.88. A record is lines "cwd X", "arg X", "env N=V",
// "end"; newlines and backslashes in X are escaped; it is written by one write, so parallel calls
// do not mix.
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "tape.h"

extern char **environ;

static const char version[] = "nvcc: NVIDIA (R) Cuda compiler driver\n"
                              "Copyright (c) 2005-2025 NVIDIA Corporation\n"
                              "Built on Wed_Aug_20_01:58:59_PM_PDT_2025\n"
                              "Cuda compilation tools, release 13.0, V13.0.88\n"
                              "Build cuda_13.0.r13.0/compiler.36424714_0\n";

static void put_line(FILE *out, const char *label, const char *text)
{
    fprintf(out, "%s ", label);
    for (; *text != '\0'; text++)
        if (*text == '\n')
            fputs("\\n", out);
        else
            fprintf(out, *text == '\\' ? "\\%c" : "%c", *text);
    fputc('\n', out);
}

static int record(const char *path, int argc, char **argv)
{
    char *text = NULL, cwd[4096];
    size_t len = 0;
    FILE *out = open_memstream(&text, &len);
    if (out == NULL)
        return 1;
    put_line(out, "cwd", getcwd(cwd, sizeof cwd) != NULL ? cwd : "?");
    for (int i = 0; i < argc; i++)
        put_line(out, "arg", argv[i]);
    for (char **at = environ; *at != NULL; at++)
        if (strncmp(*at, "KS_FAKE_", 8) != 0)
            put_line(out, "env", *at);
    fputs("end\n", out);
    if (fclose(out) != 0)
        return 1;
    int fd = open(path, O_WRONLY | O_APPEND | O_CREAT, 0666);
    int bad = fd < 0 || write(fd, text, len) != (ssize_t)len;
    if (fd >= 0)
        close(fd);
    free(text);
    return bad;
}

static const char *value_of(int argc, char **argv, const char *option)
{
    const char *value = NULL;
    for (int i = 1; i + 1 < argc; i++)
        if (strcmp(argv[i], option) == 0)
            value = argv[i + 1];
    return value;
}

static int create(const char *path, const char *first, const char *second)
{
    FILE *out = path == NULL ? NULL : fopen(path, "w");
    if (out == NULL)
        return path != NULL;
    fprintf(out, "%s : %s\n", first, second);
    return fclose(out) != 0;
}

static int create_outputs(int argc, char **argv)
{
    const char *input = "", *output = value_of(argc, argv, "-o");
    for (int i = 1; i < argc; i++) {
        size_t len = strlen(argv[i]);
        if (len > 3 && strcmp(argv[i] + len - 3, ".cu") == 0)
            input = argv[i];
    }
    return create(output, "fake object", input) |
           create(value_of(argc, argv, "-MF"), output == NULL ? "a.o" : output, input);
}

static int copy(const char *from, const char *to)
{
    char chunk[1 << 16];
    ssize_t n = -1;
    int in = open(from, O_RDONLY);
    int out = to == NULL ? -1 : open(to, O_WRONLY | O_CREAT | O_TRUNC, 0666);
    while (in >= 0 && out >= 0 && (n = read(in, chunk, sizeof chunk)) > 0)
        if (write(out, chunk, (size_t)n) != n)
            return 1;
    if (in >= 0)
        close(in);
    return out < 0 || close(out) != 0 || n != 0;
}

int main(int argc, char **argv)
{
    const char *log = getenv("KS_FAKE_LOG"), *status = getenv("KS_FAKE_EXIT");
    const char *text = getenv("KS_FAKE_STDERR");
    int bad = log != NULL && record(log, argc, argv);
    for (int i = 1; i < argc; i++)
        if (strcmp(argv[i], "--version") == 0 || strcmp(argv[i], "-V") == 0)
            return write(STDOUT_FILENO, version, sizeof version - 1) != (ssize_t)sizeof version - 1;
    const char *tape = getenv("KS_FAKE_TAPE");
    if (tape != NULL)
        return tape_run(tape, argc, argv);
    const char *forward = getenv("KS_FAKE_FORWARD");
    if (forward != NULL) {
        argv[0] = (char *)forward;
        execv(forward, argv);
        return 127;
    }
    if (text != NULL)
        fprintf(stderr, "%s\n", text);
    if (getenv("KS_FAKE_CREATE") != NULL)
        bad |= create_outputs(argc, argv);
    const char *object = getenv("KS_FAKE_OBJECT"), *depfile = getenv("KS_FAKE_DEPFILE");
    if (object != NULL)
        bad |= copy(object, value_of(argc, argv, "-o"));
    if (depfile != NULL)
        bad |= copy(depfile, value_of(argc, argv, "-MF"));
    if (bad) {
        fputs("fake_nvcc: cannot write what was asked for\n", stderr);
        return 99;
    }
    return status == NULL ? 0 : atoi(status);
}
