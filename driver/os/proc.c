#include "os/proc.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "os/clock.h"
#include "os/rescue.h"
#include "os/sandbox.h"
#include "os/signals.h"
#include "os/spawn.h"

#define DEFAULT_OUTPUT ((size_t)16 << 20)
#define KILL_GRACE 1.0     // seconds from TERM to KILL
#define SANDBOX_LOOK 0.1   // seconds between looks at what no kernel limits for us
#define SHARED_SIGNAL 0.15 // within that a child ends by a signal that its whole group got

struct stream {
    int fd; // our end, -1 once closed
    struct ks_buf text;
};

static void stream_close(struct stream *stream)
{
    if (stream->fd >= 0)
        close(stream->fd);
    stream->fd = -1;
}

// One read; what is beyond the cap is dropped so that the child never blocks on a full pipe.
static void stream_read(struct stream *stream)
{
    char chunk[64 * 1024];
    ssize_t n = read(stream->fd, chunk, sizeof chunk);
    if (n < 0 && (errno == EINTR || errno == EAGAIN))
        return;
    if (n <= 0) {
        stream_close(stream);
        return;
    }
    size_t room = stream->text.max - stream->text.len;
    ks_buf_add(&stream->text, chunk, (size_t)n < room ? (size_t)n : room);
}

enum outcome { ENDED, TIMED_OUT, STOPPED, EXCEEDED };

// A request to stop that came to this process alone goes on to the child. One from the terminal has
// reached it already, and nvcc ignores SIGINT and SIGQUIT anyhow while its steps run. `*asked` is
// when the request was seen; below 0: handed on.
static void hand_on(pid_t pid, double *asked)
{
    int number = ks_signals_stop();
    if ((number != SIGTERM && number != SIGHUP) || *asked < 0)
        return;
    if (*asked == 0)
        *asked = ks_now();
    if (ks_now() < *asked + SHARED_SIGNAL)
        return;
    kill(pid, number);
    *asked = -1;
}

// Reads both streams until the child has ended.
static enum outcome watch(pid_t pid, const struct ks_proc_options *options,
                          struct stream streams[2], double deadline, const char **exceeded)
{
    double asked = 0, look = 0;
    int pidfd = (int)syscall(SYS_pidfd_open, pid, 0);
    enum outcome outcome = ENDED;
    while (!ks_spawn_ended(pid)) {
        double left = deadline > 0 ? deadline - ks_now() : 1;
        if (left <= 0 || (ks_stop_requested() && !options->in_group)) {
            outcome = left <= 0 ? TIMED_OUT : STOPPED;
            break;
        }
        if (options->in_group)
            hand_on(pid, &asked);
        if (options->sandbox != NULL && ks_now() >= look) {
            look = ks_now() + SANDBOX_LOOK;
            *exceeded = ks_sandbox_exceeded(options->sandbox, pid);
            if (*exceeded != NULL) {
                outcome = EXCEEDED;
                break;
            }
        }
        struct pollfd fds[3] = {{.fd = streams[0].fd, .events = POLLIN},
                                {.fd = streams[1].fd, .events = POLLIN},
                                {.fd = pidfd, .events = POLLIN}};
        // 100 ms: a signal may have been taken by another thread. 5 ms where there is no pidfd.
        double most = pidfd >= 0 ? 0.1 : 0.005;
        if (poll(fds, 3, (int)((left < most ? left : most) * 1000) + 1) <= 0)
            continue;
        for (int i = 0; i < 2; i++)
            if (fds[i].revents != 0)
                stream_read(&streams[i]);
    }
    if (pidfd >= 0)
        close(pidfd);
    return outcome;
}

// What an ended child left in the pipes. A daemon it started may hold them open: no waiting for
// EOF.
static void drain(struct stream streams[2], size_t most)
{
    for (int i = 0; i < 2; i++) {
        struct pollfd ready = {.fd = streams[i].fd, .events = POLLIN};
        for (size_t chunks = 0; streams[i].fd >= 0 && chunks < most / 4096 + 64; chunks++) {
            if (poll(&ready, 1, 0) <= 0)
                break;
            stream_read(&streams[i]);
        }
        stream_close(&streams[i]);
    }
}

static enum ks_status open_streams(const struct ks_proc_options *options, struct stream streams[2],
                                   int ends[2], struct ks_err *err)
{
    const bool wanted[2] = {options->capture_stdout, options->capture_stderr};
    for (int i = 0; i < 2; i++) {
        int fds[2];
        if (!wanted[i])
            continue;
        if (pipe2(fds, O_CLOEXEC) != 0)
            return ks_err_errno(err, "cannot make a pipe");
        streams[i].fd = fds[0];
        ends[i] = fds[1];
    }
    return KS_OK;
}

enum ks_status ks_proc_run(struct ks_arena *arena, const char *const *argv,
                           const struct ks_proc_options *options, struct ks_proc_result *result,
                           struct ks_err *err)
{
    static const struct ks_proc_options defaults = {0};
    if (options == NULL)
        options = &defaults;
    *result = (struct ks_proc_result){0};
    size_t cap = options->max_output > 0 ? options->max_output : DEFAULT_OUTPUT;
    struct stream streams[2] = {{-1, KS_BUF(cap)}, {-1, KS_BUF(cap)}};
    int ends[2] = {-1, -1};
    pid_t pid = 0;
    double started = ks_now();

    ks_spawn_hold_stdio(0);
    enum ks_status status = open_streams(options, streams, ends, err);
    if (status == KS_OK) {
        struct ks_spawn spawn = {argv, options, -1, ends[0], ends[1], true, true};
        if (options->hold)
            ks_held_begin(&result->held);
        if (spawn.out < 0 && result->held.fds[0] > 0)
            spawn.out = result->held.fds[0];
        if (spawn.err < 0 && result->held.fds[1] > 0)
            spawn.err = result->held.fds[1];
        status = ks_spawn(&spawn, &pid, err);
        if (status != KS_OK)
            ks_held_drop(&result->held);
    }
    for (int i = 0; i < 2; i++)
        if (ends[i] >= 0)
            close(ends[i]);
    if (status == KS_OK) {
        double limit = options->timeout_seconds;
        enum outcome outcome =
            watch(pid, options, streams, limit > 0 ? started + limit : 0, &result->exceeded);
        if (outcome != ENDED) // what breaks limits gets no time to go on
            ks_spawn_kill(pid, outcome == EXCEEDED ? 0 : KILL_GRACE);
        else if (options->sandbox != NULL)
            kill(-pid, SIGKILL); // nothing confined outlives what it was started for
        drain(streams, cap);
        ks_spawn_reap(pid, true, &result->exit_code, &result->signal);
        ks_rescue_child(0, 0);
        result->timed_out = outcome == TIMED_OUT;
        if (outcome == TIMED_OUT)
            status = ks_err_set(err, KS_E_CHILD, "%s did not end within %g s and was killed",
                                argv[0], limit);
        else if (outcome == EXCEEDED)
            status = ks_err_set(err, KS_E_CHILD, "%s was killed: %s", argv[0], result->exceeded);
        else if (outcome == STOPPED)
            status = ks_err_set(err, KS_E_INTERRUPTED, "%s was interrupted", argv[0]);
        struct ks_slice *slices[2] = {&result->out, &result->err};
        for (int i = 0; i < 2; i++) {
            struct ks_buf *text = &streams[i].text;
            *slices[i] =
                (struct ks_slice){ks_arena_strndup(arena, ks_buf_text(text), text->len), text->len};
        }
    }
    for (int i = 0; i < 2; i++) {
        stream_close(&streams[i]);
        ks_buf_free(&streams[i].text);
    }
    result->seconds = ks_now() - started;
    return status;
}
