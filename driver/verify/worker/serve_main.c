#include <poll.h>
#include <pthread.h>
#include <signal.h>
#include <sys/resource.h>
#include <unistd.h>

#include "os/clock.h"
#include "verify/worker/serve.h"

#define ORPHAN_SECONDS 60
#define STREAM_BYTES (1 << 16) // most requests and answers, payload and all, in one piece

// A supervisor that died cannot kill us, and an endless kernel never ends by itself (device.md 6):
// once nobody can write to us any more, what is under way gets a minute.
static void *end_when_orphaned(void *unused)
{
    struct pollfd in = {.fd = STDIN_FILENO};
    while (poll(&in, 1, -1) <= 0 || (in.revents & (POLLHUP | POLLERR | POLLNVAL)) == 0)
        continue;
    ks_sleep(ORPHAN_SECONDS);
    _exit(101);
    return unused;
}

int ks_serve_main(ks_serve_open *open, const struct ks_serve_extra *extra)
{
    signal(SIGPIPE, SIG_IGN); // a supervisor that went away is seen by the write
    setrlimit(RLIMIT_CORE, &(struct rlimit){0, 0}); // a GPU process maps many gigabytes
    // Anything else that prints (a driver's debug output) must not break the protocol.
    int out = dup(STDOUT_FILENO);
    FILE *answers = out >= 0 && dup2(STDERR_FILENO, STDOUT_FILENO) >= 0 ? fdopen(out, "w") : NULL;
    if (answers == NULL || setvbuf(answers, NULL, _IOFBF, STREAM_BYTES) != 0 ||
        setvbuf(stdin, NULL, _IOFBF, STREAM_BYTES) != 0)
        return 100;
    pthread_t thread;
    if (pthread_create(&thread, NULL, end_when_orphaned, NULL) != 0)
        return 100;
    return ks_serve(stdin, answers, open, extra) ? 0 : 100;
}
