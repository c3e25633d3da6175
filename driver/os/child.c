// Long-lived children that speak lines, declared in os/proc.h.
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <string.h>
#include <sys/uio.h>
#include <unistd.h>

#include "os/clock.h"
#include "os/proc.h"
#include "os/spawn.h"

#define PIPE_BYTES (1 << 20) // what Linux grants to anyone: sixteen times fewer turns where much comes back
#define PARTS 128 // in one write

static void close_fd(int *fd)
{
    if (*fd >= 0)
        close(*fd);
    *fd = -1;
}

static bool given_up(const struct ks_child *child)
{
    return ks_stop_requested() || (child->dropped != NULL && *child->dropped);
}

enum ks_status ks_child_start(const char *const *argv, const struct ks_proc_options *options,
                              struct ks_child *child, struct ks_err *err)
{
    static const struct ks_proc_options defaults = {0};
    if (options == NULL)
        options = &defaults;
    *child = (struct ks_child){.to = -1, .from = -1};
    int to[2] = {-1, -1}, from[2] = {-1, -1}, quiet = -1;
    enum ks_status status = KS_OK;
    ks_spawn_hold_stdio(0);
    if (pipe2(to, O_CLOEXEC) != 0 || pipe2(from, O_CLOEXEC) != 0 ||
        (options->capture_stderr && (quiet = open("/dev/null", O_WRONLY | O_CLOEXEC)) < 0)) {
        status = ks_err_errno(err, "cannot start %s", argv[0]);
    } else {
        struct ks_proc_options without_stdin = *options;
        without_stdin.null_stdin = false;
        struct ks_spawn spawn = {argv, &without_stdin, to[0], from[1], quiet, false, false};
        status = ks_spawn(&spawn, &child->pid, err);
    }
    close_fd(&to[0]);
    close_fd(&from[1]);
    close_fd(&quiet);
    if (status != KS_OK) {
        close_fd(&to[1]);
        close_fd(&from[0]);
        child->pid = 0;
        return status;
    }
    // Our ends only: the child's are other open file descriptions.
    fcntl(from[0], F_SETPIPE_SZ, PIPE_BYTES); // or it stays smaller
    fcntl(to[1], F_SETFL, O_NONBLOCK);
    fcntl(from[0], F_SETFL, O_NONBLOCK);
    child->to = to[1];
    child->from = from[0];
    return KS_OK;
}

// Drops what was written from the front of the parts.
static void advance(struct iovec **part, int *n_parts, size_t written)
{
    while (*n_parts > 0 && written >= (*part)->iov_len) {
        written -= (*part)->iov_len;
        ++*part;
        --*n_parts;
    }
    if (*n_parts > 0) {
        (*part)->iov_base = (char *)(*part)->iov_base + written;
        (*part)->iov_len -= written;
    }
}

static enum ks_status write_some(struct ks_child *child, struct iovec *part, int left, double deadline,
                                 struct ks_err *err)
{
    while (left > 0) {
        ssize_t written = writev(child->to, part, left);
        if (written >= 0) {
            advance(&part, &left, (size_t)written);
        } else if (errno == EAGAIN) {
            struct pollfd ready = {.fd = child->to, .events = POLLOUT};
            poll(&ready, 1, 100);
        } else if (errno != EINTR) {
            KS_FAIL(err, KS_E_CHILD, "the child process reads no more: %s", strerror(errno));
        }
        if (left > 0 && given_up(child))
            KS_FAIL(err, KS_E_INTERRUPTED, "interrupted");
        if (left > 0 && child->write_timeout > 0 && ks_now() > deadline)
            KS_FAIL(err, KS_E_LIMIT, "the child process did not read for %g s",
                    child->write_timeout);
    }
    return KS_OK;
}

enum ks_status ks_child_write(struct ks_child *child, const struct ks_slice *parts, size_t n, struct ks_err *err)
{
    if (child->pid <= 0)
        KS_FAIL(err, KS_E_CHILD, "the child process is not running");
    double deadline = ks_now() + child->write_timeout;
    for (size_t at = 0; at < n;) {
        struct iovec some[PARTS];
        int m = 0;
        for (; m < PARTS && at < n; m++, at++)
            some[m] = (struct iovec){(void *)(uintptr_t)parts[at].at, parts[at].len};
        KS_TRY(write_some(child, some, m, deadline, err));
    }
    return KS_OK;
}

// Drops the line handed out last.
static void forget_line(struct ks_child *child)
{
    struct ks_buf *pending = &child->pending;
    if (child->taken == 0)
        return;
    memmove(pending->data, pending->data + child->taken, pending->len - child->taken + 1);
    pending->len -= child->taken;
    child->taken = 0;
}

enum ks_status ks_child_read_line(struct ks_child *child, double timeout_seconds, size_t max,
                                  struct ks_slice *line, struct ks_err *err)
{
    if (child->pid <= 0)
        KS_FAIL(err, KS_E_CHILD, "the child process is not running");
    forget_line(child);
    struct ks_buf *pending = &child->pending;
    char chunk[16 * 1024];
    pending->max = max + sizeof chunk; // what one read can bring in past a full line
    if (pending->max < pending->len + sizeof chunk)
        pending->max = pending->len + sizeof chunk;
    double deadline = ks_now() + timeout_seconds;
    size_t searched = 0;
    for (;;) {
        char *end = pending->len > searched
                        ? memchr(pending->data + searched, '\n', pending->len - searched)
                        : NULL;
        size_t len = end != NULL ? (size_t)(end - pending->data) : pending->len;
        if (len > max)
            KS_FAIL(err, KS_E_LIMIT, "the child process sent a line of more than %zu bytes", max);
        if (end != NULL) {
            *line = (struct ks_slice){pending->data, len};
            *end = '\0';
            child->taken = len + 1;
            return KS_OK;
        }
        searched = pending->len;

        if (given_up(child))
            KS_FAIL(err, KS_E_INTERRUPTED, "interrupted");
        double left = timeout_seconds > 0 ? deadline - ks_now() : 1;
        if (left <= 0)
            KS_FAIL(err, KS_E_LIMIT, "the child process did not answer within %g s",
                    timeout_seconds);
        struct pollfd ready = {.fd = child->from, .events = POLLIN};
        if (poll(&ready, 1, (int)((left < 0.1 ? left : 0.1) * 1000) + 1) <= 0)
            continue;
        ssize_t n = read(child->from, chunk, sizeof chunk);
        if (n > 0)
            ks_buf_add(pending, chunk, (size_t)n);
        else if (n == 0 || (errno != EINTR && errno != EAGAIN))
            KS_FAIL(err, KS_E_CHILD, "the child process ended without an answer");
    }
}

enum ks_status ks_child_read_bytes(struct ks_child *child, double timeout_seconds, void *data,
                                   size_t n, struct ks_err *err)
{
    if (child->from < 0)
        KS_FAIL(err, KS_E_CHILD, "the child process is not running");
    forget_line(child);
    struct ks_buf *pending = &child->pending;
    char *at = data;
    size_t have = pending->len < n ? pending->len : n;
    if (have > 0) {
        memcpy(at, pending->data, have);
        memmove(pending->data, pending->data + have, pending->len - have + 1);
        pending->len -= have;
    }
    double deadline = ks_now() + timeout_seconds;
    while (have < n) {
        if (given_up(child))
            KS_FAIL(err, KS_E_INTERRUPTED, "interrupted");
        double left = timeout_seconds > 0 ? deadline - ks_now() : 1;
        if (left <= 0)
            KS_FAIL(err, KS_E_LIMIT, "the child process did not send its bytes within %g s",
                    timeout_seconds);
        struct pollfd ready = {.fd = child->from, .events = POLLIN};
        if (poll(&ready, 1, (int)((left < 0.1 ? left : 0.1) * 1000) + 1) <= 0)
            continue;
        ssize_t got = read(child->from, at + have, n - have);
        if (got > 0)
            have += (size_t)got;
        else if (got == 0 || (errno != EINTR && errno != EAGAIN))
            KS_FAIL(err, KS_E_CHILD, "the child process ended %zu bytes early", n - have);
    }
    return KS_OK;
}

void ks_child_stop(struct ks_child *child, double grace_seconds, int *exit_code)
{
    int code = 0, signal_number;
    if (child->pid > 0) {
        close_fd(&child->to);
        close_fd(&child->from);
        ks_spawn_wait(child->pid, grace_seconds);
        ks_spawn_kill(child->pid, 0);
        ks_spawn_reap(child->pid, false, &code, &signal_number);
        child->pid = 0;
        child->to = child->from = -1;
    }
    child->taken = 0;
    ks_buf_free(&child->pending);
    if (exit_code != NULL)
        *exit_code = code;
}
