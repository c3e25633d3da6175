// What a worker may answer, as the supervisor reads it: any bytes end as one of the known answers, and a
// worker that broke the protocol is used no more.
#include <fcntl.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "fuzz.h"
#include "verify/client.h"

size_t fuzz_accepted;
const char *const fuzz_seeds[] = {
    "{\"id\":1,\"ok\":true,\"protocol\":1,\"device\":{\"name\":\"H200\",\"arch\":90,\"sms\":132,"
    "\"l2_bytes\":62914560}}\n",
    "{\"id\":1,\"ok\":false,\"class\":\"unsafe\",\"text\":\"an input changed\"}\n",
    "{\"id\":1,\"ok\":true,\"payload\":16}\n0123456789abcdef",
    "{\"id\":1,\"ok\":true,\"value\":\"0123456789abcdef\"}\n",
    "{\"id\":1,\"ok\":true,\"microseconds\":1}\n{\"id\":1,\"ok\":true,\"microseconds\":1}\n",
    NULL};
const char *const fuzz_words[] = {"{", "}", "\"id\":", "\"ok\":", "true", "false", "\"class\":", "\"text\":",
                                  "\"fault\"", "\"launch\"", "\"payload\":", "\"value\":", "\"device\":",
                                  "\"protocol\":", "null", "[", "]", ",", "\n", "\\u0000", NULL};

// A worker that has said `data` and is asked `verb` number 1.
static struct ks_worker worker_of(const uint8_t *data, size_t size)
{
    int ends[2], nowhere = open("/dev/null", O_WRONLY | O_CLOEXEC);
    FUZZ_CHECK(nowhere >= 0 && pipe2(ends, O_CLOEXEC) == 0);
    size = size < 60000 ? size : 60000; // a pipe's room
    FUZZ_CHECK(write(ends[1], data, size) == (ssize_t)size);
    close(ends[1]);
    // A process of its own group, so that ending it ends nothing else; what it said is in the pipe.
    pid_t pid = vfork();
    FUZZ_CHECK(pid >= 0);
    if (pid == 0)
        _exit(0);
    setpgid(pid, pid);
    struct ks_worker worker = {.running = true};
    worker.child = (struct ks_child){.pid = pid, .to = nowhere, .from = ends[0], .pending = KS_BUF(1 << 21)};
    return worker;
}

static void end(struct ks_worker *worker, enum ks_answer answer)
{
    FUZZ_CHECK(answer >= KS_ANSWER_OK && answer <= KS_ANSWER_INTERRUPTED);
    fuzz_accepted += answer == KS_ANSWER_OK;
    if (answer == KS_ANSWER_LIED || answer == KS_ANSWER_DIED || answer == KS_ANSWER_FAULT)
        FUZZ_CHECK(!ks_worker_alive(worker));
    ks_worker_stop(worker);
    FUZZ_CHECK(!ks_worker_alive(worker) && waitpid(-1, NULL, WNOHANG) < 0);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct ks_device_info info;
    unsigned char bytes[16];
    uint64_t value;
    struct ks_worker worker = worker_of(data, size);
    end(&worker, ks_worker_hello(&worker, &info));
    worker = worker_of(data, size);
    end(&worker, ks_worker_read(&worker, 0, 0, bytes, sizeof bytes, 1));
    worker = worker_of(data, size);
    end(&worker, ks_worker_fingerprint(&worker, 0, 0, &value, 1));
    return 0;
}
