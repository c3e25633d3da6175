// The supervisor's end of one worker process (verify/protocol.h). Whatever the worker does (dies,
// hangs, floods, lies) ends as one of the answers below and a killed process group, never as harm to
// the supervisor.
#ifndef KS_CLIENT_H
#define KS_CLIENT_H

#include <pthread.h>

#include "device/device.h"
#include "fmt/json.h"
#include "os/proc.h"
#include "verify/shared.h"

enum ks_answer {
    KS_ANSWER_OK,
    KS_ANSWER_LAUNCH,      // the launch was refused
    KS_ANSWER_LIMIT,       // no room for what was asked
    KS_ANSWER_FAULT,       // hardware fault; the worker is spoilt
    KS_ANSWER_UNSAFE,      // a canary or an input changed
    KS_ANSWER_UNSUPPORTED,
    KS_ANSWER_HANG,        // no answer in time: killed
    KS_ANSWER_DIED,        // ended without an answer
    KS_ANSWER_LIED,        // broke the protocol: killed
    KS_ANSWER_TOOL,        // io, usage, absent: our mistake or the machine's, never a candidate's
    KS_ANSWER_INTERRUPTED,
};
const char *ks_answer_name(enum ks_answer answer);

// What a worker's answers to one verb took, for the log: until the answer came, and of that waited for.
struct ks_worker_spent {
    const char *verb;
    int64_t asked;
    double seconds, waited;
};
#define KS_WORKER_VERBS 16
#define KS_ANSWER_TEXT 704 // a finding (device/emu/emu_finding.h), and the sizes that show it

struct ks_worker {
    struct ks_child child;
    bool running;
    int64_t asked;      // id of the request last sent
    bool waiting;       // an answer is due
    json_t *reply;      // of the last answer; ours, until the next request
    double grace;       // seconds that it has to end by itself after a fault
    bool confined;      // it was asked to run in a sandbox
    char text[KS_ANSWER_TEXT]; // what went wrong, one line
    struct ks_shared shared; // with one of this machine
    struct ks_worker_spent spent[KS_WORKER_VERBS]; // verbs are literals
    size_t asking;                                 // of them the one last sent
    double started, sent;
    int64_t steps;      // on an emulated device: those of its runs so far
};

// Starts `launcher` words (NULL: none) followed by the worker's path, for the device of that name;
// `confined`: in a sandbox that it enters by itself, wherever it runs, and whose absence ends it with the
// answer to hello. KS_E_CHILD if that fails.
enum ks_status ks_worker_start(struct ks_worker *worker, const char *launcher, const char *path,
                               const char *device, bool confined, struct ks_err *err);
// The same under the words of a program that runs it (NULL-terminated, may be NULL).
enum ks_status ks_worker_start_under(struct ks_worker *worker, const char *const *words,
                                     const char *path, const char *device, bool confined,
                                     struct ks_err *err);
// What KS_DEVICE says: the name of a device here, `auto` (the GPU, until somebody finds that there is
// none), or the words that start a worker for the GPU of another machine.
struct ks_worker_place {
    const char *launcher; // NULL: none
    const char *device;
};
struct ks_worker_place ks_worker_place_of(const char *setting);
// Sends one request (takes the reference). Payloads follow the line, in order.
enum ks_answer ks_worker_send(struct ks_worker *worker, const char *verb, json_t *request,
                              const struct ks_slice *payloads, size_t n_payloads);
// Waits for its answer.
enum ks_answer ks_worker_wait(struct ks_worker *worker, double seconds);
enum ks_answer ks_worker_ask(struct ks_worker *worker, const char *verb, json_t *request,
                             double seconds);
// Reads a buffer of exactly `bytes` bytes; `set` 0 unless after `sets`.
enum ks_answer ks_worker_read(struct ks_worker *worker, size_t buffer, int set, void *data,
                              size_t bytes, double seconds);
// Reads the elements of `size` bytes at n rising places.
enum ks_answer ks_worker_gather(struct ks_worker *worker, size_t buffer, size_t size, const int64_t *places,
                                int64_t n, void *data, double seconds);
enum ks_answer ks_worker_fingerprint(struct ks_worker *worker, size_t buffer, int set,
                                     uint64_t *value, double seconds);
// Fills `info` from the answer to hello.
enum ks_answer ks_worker_hello(struct ks_worker *worker, struct ks_device_info *info);
// Ends it: politely if it behaves, by force otherwise. Idempotent.
void ks_worker_stop(struct ks_worker *worker);
// Lets it end by itself within that time, whatever it was doing; then as ks_worker_stop.
void ks_worker_end(struct ks_worker *worker, double seconds);
bool ks_worker_alive(const struct ks_worker *worker);

// Workers on their way out: a context takes tenths of a second to close, for which only who takes times next has
// to wait.
#define KS_LEAVERS 8
struct ks_leaving {
    struct ks_leaver {
        struct ks_worker worker;
        pthread_t thread;
        bool begun;
    } *at[KS_LEAVERS];
    size_t n;
    bool later; // who leaves stays idle until ks_leaving_begin: times are to be taken soon
};
// As ks_worker_stop, but in a thread; the worker is gone for the caller.
void ks_worker_leave(struct ks_worker *worker, struct ks_leaving *leaving);
// Lets those go that were to leave later.
void ks_leaving_begin(struct ks_leaving *leaving);
// Waits for those that are on their way.
void ks_leaving_wait(struct ks_leaving *leaving);

#endif
