// pairs N A... -- B...: runs two commands alternately and prints, as "A_ms B_ms
// added_ms", the medians of their wall-clock times and of the paired differences B - A. Nothing but
// fork, exec and wait stands between the clock's two readings. A command that fails ends it all.
#include <fcntl.h>
#include <spawn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

extern char **environ;

static double now_ms(void)
{
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec * 1e3 + (double)t.tv_nsec * 1e-6;
}

static double run_ms(char **argv)
{
    pid_t pid;
    int status;
    posix_spawn_file_actions_t actions;
    posix_spawn_file_actions_init(&actions);
    posix_spawn_file_actions_addopen(&actions, STDOUT_FILENO, "/dev/null", O_WRONLY, 0);
    double begin = now_ms();
    int failed = posix_spawn(&pid, argv[0], &actions, NULL, argv, environ);
    if (failed || waitpid(pid, &status, 0) != pid || status != 0) {
        fprintf(stderr, "pairs: %s failed\n", argv[0]);
        exit(1);
    }
    double end = now_ms();
    posix_spawn_file_actions_destroy(&actions);
    return end - begin;
}

static int by_value(const void *a, const void *b)
{
    double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

static double median(double *values, int n)
{
    qsort(values, (size_t)n, sizeof *values, by_value);
    return n % 2 ? values[n / 2] : (values[n / 2 - 1] + values[n / 2]) / 2;
}

int main(int argc, char **argv)
{
    int n = argc > 1 ? atoi(argv[1]) : 0, split = 2;
    while (split < argc && strcmp(argv[split], "--") != 0)
        split++;
    if (n < 1 || split <= 2 || split + 1 >= argc) {
        fprintf(stderr, "usage: pairs N A... -- B...\n");
        return 2;
    }
    argv[split] = NULL;
    double *a = calloc((size_t)n, sizeof *a), *b = calloc((size_t)n, sizeof *b);
    double *added = calloc((size_t)n, sizeof *added);
    if (a == NULL || b == NULL || added == NULL)
        return 1;
    run_ms(argv + 2); // page cache
    run_ms(argv + split + 1);
    for (int i = 0; i < n; i++) {
        // The order alternates, so that whatever the first of a pair pays is paid by both.
        if (i % 2 == 0)
            a[i] = run_ms(argv + 2);
        b[i] = run_ms(argv + split + 1);
        if (i % 2 != 0)
            a[i] = run_ms(argv + 2);
        added[i] = b[i] - a[i];
    }
    printf("%.3f %.3f %.3f\n", median(a, n), median(b, n), median(added, n));
    free(a);
    free(b);
    free(added);
    return 0;
}
