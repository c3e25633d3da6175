#include "os/reach.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/status.h"
#include "os/clock.h"

#define MOST 8

struct probe {
    pid_t pid;  // -1: none
    int answer; // read end; ends when the child has written or is gone
};

static bool can_read(const char *dir)
{
    int fd = open(dir, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    if (fd < 0)
        return false;
    bool ok = faccessat(fd, ".", R_OK | X_OK, AT_EACCESS) == 0;
    close(fd);
    return ok;
}

// A child that hangs for ever must hold nothing that others wait for, a pipe of the build least of all.
static void close_all_but(int keep)
{
    for (int fd = 0; fd < 3; fd++)
        if (fd != keep)
            close(fd);
    if (keep > 3)
        (void)close_range(3, (unsigned)keep - 1, 0);
    (void)close_range((unsigned)keep + 1, ~0u, 0);
}

static void start(struct probe *probe, const char *dir)
{
    int ends[2];
    *probe = (struct probe){-1, -1};
    if (pipe2(ends, O_CLOEXEC) != 0)
        return;
    probe->pid = fork();
    if (probe->pid == 0) { // async-signal-safe calls alone: the parent may have threads
        close_all_but(ends[1]);
        char yes = can_read(dir) ? '1' : '0';
        _exit(write(ends[1], &yes, 1) == 1 ? 0 : 1);
    }
    close(ends[1]);
    if (probe->pid < 0)
        close(ends[0]);
    else
        probe->answer = ends[0];
}

static enum ks_reach finish(struct probe *probe, double deadline)
{
    if (probe->pid < 0)
        return KS_REACH_ABSENT;
    struct pollfd fd = {.fd = probe->answer, .events = POLLIN};
    int ready;
    do { // once more when time is over: it may have answered while another was waited for
        double left = deadline - ks_now();
        ready = poll(&fd, 1, left > 0 ? (int)(left * 1000) + 1 : 0);
    } while (ready < 0 && errno == EINTR);
    char byte = '0';
    bool answered = ready > 0 && read(probe->answer, &byte, 1) == 1;
    close(probe->answer);
    kill(probe->pid, SIGKILL);
    // One that cannot die is left to init.
    (void)waitpid(probe->pid, NULL, answered ? 0 : WNOHANG);
    return !answered ? KS_REACH_AWAY : byte == '1' ? KS_REACH_HERE : KS_REACH_ABSENT;
}

void ks_reach(const char *const *dirs, size_t n, double seconds, enum ks_reach *out)
{
    struct probe probes[MOST];
    double deadline = ks_now() + seconds;
    KS_ASSERT(n <= MOST);
    for (size_t i = 0; i < n; i++)
        start(&probes[i], dirs[i]);
    for (size_t i = 0; i < n; i++)
        out[i] = finish(&probes[i], deadline);
}
