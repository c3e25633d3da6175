// A program of the user's that answers: one process a question, JSON in and JSON out.
#include <errno.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "agent/wire_form.h"
#include "os/clock.h"
#include "os/proc.h"

#define MOST_RUNNING 64
#define WRITE_SECONDS 10.0              // that it may leave the question unread

struct run {
    struct run *next;
    char id[KS_ASK_ID];
    char *question; size_t len; // until it is asked; one line of JSON
    struct ks_child child;
    struct ks_buf reply;
    struct ks_spend *spend;
    struct ks_price price;
    struct ks_hold hold;
    double begun;
    int max_tokens;
    size_t prompt;
};
struct command {
    char **argv;
    double timeout;
    int parallel, running;
    struct run *first;          // waiting and running, in the order of asking
    char *model;
};

static void drop(struct command *command, struct run *run)
{
    struct run **at = &command->first;
    while (*at != run)
        at = &(*at)->next;
    *at = run->next;
    free(run->question);
    ks_buf_free(&run->reply);
    free(run);
}

static enum ks_status submit(void *self, const struct ks_ask *ask, struct ks_err *err)
{
    struct command *command = self;
    size_t len;
    char *text = ks_question_text(ask, &len);
    if (text == NULL)
        KS_FAIL(err, KS_E_INTERNAL, "the question %s is not UTF-8", ask->id);
    struct run *run = calloc(1, sizeof *run);
    KS_ASSERT(run != NULL);
    snprintf(run->id, sizeof run->id, "%s", ask->id);
    run->question = text;
    run->len = len;
    run->max_tokens = ask->max_tokens;
    run->spend = ask->spend;
    run->price = ask->price;
    run->prompt = strlen(ask->system) + strlen(ask->user);
    run->reply = KS_BUF(KS_REPLY_MOST);
    struct run **last = &command->first;
    while (*last != NULL)
        last = &(*last)->next;
    *last = run;
    return KS_OK;
}

// Starts the program and hands it the question. False: `answer` says why not.
static bool begin(struct command *command, struct run *run, struct ks_answer *answer)
{
    struct ks_err err = {0};
    char why[128];
    const struct ks_proc_options options = {.capture_stderr = true};
    if (!ks_spend_hold(run->spend, run->price, run->prompt, run->max_tokens, &run->hold, why)) {
        ks_answer_fail(answer, run->id, KS_ANSWER_NONE, "%s", why);
        return false;
    }
    run->begun = ks_now();
    if (ks_child_start((const char *const *)command->argv, &options, &run->child, &err) == KS_OK) {
        run->child.write_timeout = WRITE_SECONDS;
        run->question[run->len] = '\n'; // in place of the terminator
        if (ks_child_write(&run->child, &(struct ks_slice){run->question, run->len + 1}, 1, &err) == KS_OK) {
            close(run->child.to);
            run->child.to = -1;
            command->running++;
            return true;
        }
        ks_child_stop(&run->child, 0, NULL);
        run->child.pid = 0;
    }
    ks_spend_settle(run->spend, &run->hold, 0, 0);
    ks_answer_fail(answer, run->id, KS_ANSWER_NONE, "%s", err.text);
    return false;
}

// What the program said, once it has ended.
static void finish(const struct run *run, int exit_code, struct ks_answer *answer)
{
    if (exit_code != 0)
        ks_answer_fail(answer, run->id, KS_ANSWER_NONE, "the command exited with %d", exit_code);
    else
        ks_reply_read(run->id, (struct ks_slice){run->reply.data, run->reply.len}, answer);
}

// Reads what is there. True once the run is over, and `answer` is made.
static bool advance(struct command *command, struct run *run, struct ks_answer *answer)
{
    char chunk[64 * 1024];
    bool over = false, long_ = false;
    for (int i = 0; i < 64 && !over; i++) {
        ssize_t n = read(run->child.from, chunk, sizeof chunk);
        if (n < 0 && errno == EINTR)
            continue;
        if (n < 0 && errno == EAGAIN)
            break;
        if (n > 0)
            ks_buf_add(&run->reply, chunk, (size_t)n);
        long_ = run->reply.failed;
        over = n <= 0 || long_;
    }
    bool late = !over && ks_now() - run->begun > command->timeout;
    if (!over && !late)
        return false;
    int exit_code = 0;
    ks_child_stop(&run->child, over && !long_ ? 1.0 : 0.0, &exit_code);
    command->running--;
    if (long_)
        ks_answer_fail(answer, run->id, KS_ANSWER_TOO_LONG, "more than %zu bytes of JSON", KS_REPLY_MOST);
    else if (late)
        ks_answer_fail(answer, run->id, KS_ANSWER_NONE, "no answer within %g s", command->timeout);
    else
        finish(run, exit_code, answer);
    ks_spend_settle(run->spend, &run->hold, answer->tokens_in, answer->tokens_out);
    answer->calls = 1;
    answer->seconds = ks_now() - run->begun;
    return true;
}

static bool poll_once(struct command *command, struct ks_answer *answer)
{
    for (struct run *run = command->first; run != NULL; run = run->next) {
        bool over = false;
        if (run->child.pid > 0)
            over = advance(command, run, answer);
        else if (command->running < command->parallel)
            over = !begin(command, run, answer);
        if (over) {
            drop(command, run);
            return true;
        }
    }
    return false;
}

static bool poll_for(void *self, double seconds, struct ks_answer *answer)
{
    struct command *command = self;
    double until = ks_now() + seconds;
    while (!poll_once(command, answer)) {
        struct pollfd fds[MOST_RUNNING];
        nfds_t n = 0;
        for (struct run *run = command->first; run != NULL && n < MOST_RUNNING; run = run->next)
            if (run->child.pid > 0)
                fds[n++] = (struct pollfd){.fd = run->child.from, .events = POLLIN};
        double left = until - ks_now();
        if (left <= 0 || n == 0 || ks_stop_requested())
            return false;
        poll(fds, n, left < 0.1 ? (int)(left * 1000) + 1 : 100);
    }
    return true;
}

static void close_all(void *self)
{
    struct command *command = self;
    while (command->first != NULL) {
        if (command->first->child.pid > 0)
            ks_child_stop(&command->first->child, 0, NULL);
        drop(command, command->first);
    }
    for (char **at = command->argv; *at != NULL; at++)
        free(*at);
    free(command->argv);
    free(command->model);
    free(command);
}

enum ks_status ks_command_open(const struct ks_command_options *options, struct ks_backend *backend,
                               struct ks_err *err)
{
    size_t n = 0;
    while (options->argv[n] != NULL)
        n++;
    if (n == 0)
        KS_FAIL(err, KS_E_USER, "agent: command: names no program");
    struct command *command = calloc(1, sizeof *command);
    KS_ASSERT(command != NULL);
    command->argv = calloc(n + 1, sizeof *command->argv);
    KS_ASSERT(command->argv != NULL);
    for (size_t i = 0; i < n; i++)
        KS_ASSERT((command->argv[i] = strdup(options->argv[i])) != NULL);
    command->timeout = options->timeout;
    command->parallel = options->parallel < MOST_RUNNING ? options->parallel : MOST_RUNNING;
    command->model = strdup(ks_path_base(options->argv[0]));
    KS_ASSERT(command->model != NULL);
    *backend = (struct ks_backend){.model = command->model, .self = command, .submit = submit,
                                   .poll = poll_for, .close = close_all};
    return KS_OK;
}
