// pairs [--before PROGRAM] N A... -- B...: runs two commands alternately and prints, in one line of
// names and numbers, of N pairs:
//   a b added low high   medians of the wall-clock times in ms and of the paired differences B - A,
//                        with the 95 % confidence interval of the latter
//   cpu                  median difference of user and system time in ms, children included
//   peak                 the largest resident memory of B or of a child of it, in KiB
//   ratio                median of B / A
//   outside              with BENCH_TIMES: median difference of the time not spent in replay_nvcc,
//   in ms
// PROGRAM is run before each command, its time not counted. Nothing but fork, exec and wait stands
// between the clock's two readings. A command that fails ends it all.
#include <fcntl.h>
#include <spawn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "base/stats.h"

struct run {
    double wall, cpu, outside; // ms
    long peak;                 // KiB
};

static double now_ms(void)
{
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec * 1e3 + (double)t.tv_nsec * 1e-6;
}

static double ms(struct timeval t)
{
    return (double)t.tv_sec * 1e3 + (double)t.tv_usec * 1e-3;
}

// What replay_nvcc noted since the last run.
static double inside_ms(void)
{
    const char *path = getenv("BENCH_TIMES");
    FILE *in = path == NULL ? NULL : fopen(path, "r");
    double inside = 0, begin, end;
    if (in == NULL)
        return 0;
    while (fscanf(in, "%lf %lf", &begin, &end) == 2)
        inside += (end - begin) * 1e-6;
    fclose(in);
    if (truncate(path, 0) != 0)
        exit(1);
    return inside;
}

static struct run run(char **argv)
{
    pid_t pid;
    int status;
    struct rusage usage;
    posix_spawn_file_actions_t actions;
    posix_spawn_file_actions_init(&actions);
    posix_spawn_file_actions_addopen(&actions, STDOUT_FILENO, "/dev/null", O_WRONLY, 0);
    double begin = now_ms();
    int failed = posix_spawn(&pid, argv[0], &actions, NULL, argv, environ);
    if (failed || wait4(pid, &status, 0, &usage) != pid || status != 0) {
        fprintf(stderr, "pairs: %s failed\n", argv[0]);
        exit(1);
    }
    double wall = now_ms() - begin;
    posix_spawn_file_actions_destroy(&actions);
    return (struct run){wall, ms(usage.ru_utime) + ms(usage.ru_stime), wall - inside_ms(),
                        usage.ru_maxrss};
}

int main(int argc, char **argv)
{
    char *before[2] = {NULL, NULL};
    if (argc > 2 && strcmp(argv[1], "--before") == 0) {
        before[0] = argv[2];
        argv += 2;
        argc -= 2;
    }
    int n = argc > 1 ? atoi(argv[1]) : 0, split = 2;
    while (split < argc && strcmp(argv[split], "--") != 0)
        split++;
    if (n < 1 || split <= 2 || split + 1 >= argc) {
        fprintf(stderr, "usage: pairs [--before PROGRAM] N A... -- B...\n");
        return 2;
    }
    argv[split] = NULL;
    char **commands[2] = {argv + 2, argv + split + 1};
    enum { A, B, ADDED, CPU, RATIO, OUTSIDE, SERIES };
    double *series[SERIES];
    for (int s = 0; s < SERIES; s++)
        if ((series[s] = calloc((size_t)n, sizeof(double))) == NULL)
            return 1;
    long peak = 0;
    (void)inside_ms(); // of whoever ran before
    for (int i = n > 2 ? -1 : 0; i < n; i++) { // the first of many fills the page cache
        struct run r[2];
        // The order alternates, so that whatever the first of a pair pays is paid by both.
        for (int k = 0; k < 2; k++) {
            int which = (i + k) & 1;
            if (before[0] != NULL)
                run(before);
            r[which] = run(commands[which]);
        }
        if (i < 0)
            continue;
        series[A][i] = r[0].wall;
        series[B][i] = r[1].wall;
        series[ADDED][i] = r[1].wall - r[0].wall;
        series[CPU][i] = r[1].cpu - r[0].cpu;
        series[RATIO][i] = r[1].wall / r[0].wall;
        series[OUTSIDE][i] = r[1].outside - r[0].outside;
        peak = r[1].peak > peak ? r[1].peak : peak;
    }
    double middle[SERIES];
    for (int s = 0; s < SERIES; s++)
        middle[s] = ks_median(series[s], (size_t)n);
    size_t rank = ks_median_lower_rank((size_t)n, 0.025);
    rank = rank > 0 ? rank : 1; // too few pairs for an interval: all of them
    printf(
        "a %.3f b %.3f added %.3f low %.3f high %.3f cpu %.3f peak %ld ratio %.4f outside %.3f\n",
        middle[A], middle[B], middle[ADDED], ks_kth_smallest(series[ADDED], (size_t)n, rank),
        ks_kth_smallest(series[ADDED], (size_t)n, (size_t)n + 1 - rank), middle[CPU], peak,
        middle[RATIO], middle[OUTSIDE]);
    for (int s = 0; s < SERIES; s++)
        free(series[s]);
    return 0;
}
