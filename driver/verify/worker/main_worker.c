// ks-worker: speaks for one GPU on stdin and stdout (verify/protocol.h). Started by the judge,
// directly or through a launcher such as `srun -G1`.

#include <poll.h>
#include <pthread.h>
#include <signal.h>
#include <string.h>
#include <sys/resource.h>
#include <unistd.h>

#include "base/log.h"
#include "os/clock.h"
#include "verify/worker/serve.h"

#define ORPHAN_SECONDS 60

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

int main(int argc, char **argv)
{
    if (argc > 1 && strcmp(argv[1], "--version") == 0) {
        printf("ks-worker %s\n", KS_VERSION);
        return 0;
    }
    if (argc > 1) {
        fprintf(stderr, "ks-worker takes no arguments; ks starts it and sends it requests\n");
        return 2;
    }
    ks_log_init("ks-worker", KS_LOG_WARN);
    signal(SIGPIPE, SIG_IGN); // a supervisor that went away is seen by the write
    setrlimit(RLIMIT_CORE, &(struct rlimit){0, 0}); // a GPU process maps many gigabytes
    // Anything else that prints (a driver's debug output) must not break the protocol.
    int out = dup(STDOUT_FILENO);
    FILE *answers = out >= 0 && dup2(STDERR_FILENO, STDOUT_FILENO) >= 0 ? fdopen(out, "w") : NULL;
    if (answers == NULL)
        return 100;
    pthread_t thread;
    if (pthread_create(&thread, NULL, end_when_orphaned, NULL) != 0)
        return 100;
    return ks_serve(stdin, answers, ks_device_open_cuda) ? 0 : 100;
}
