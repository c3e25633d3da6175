#include "verify/client.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/log.h"
#include "os/clock.h"
#include "verify/protocol.h"

#define HELLO_SECONDS 60  // a first CUDA context can take many seconds on a cold machine
#define WRITE_SECONDS 60
#define SHARED_FROM (1 << 20) // bytes: less is in the pipe at once

const char *ks_answer_name(enum ks_answer answer)
{
    static const char *const names[] = {
        "ok", "launch", "limit", "fault", "unsafe", "unsupported", "hang", "died", "lied", "tool",
        "interrupted",
    };
    return names[answer];
}

struct ks_worker_place ks_worker_place_of(const char *setting)
{
    if (setting != NULL && strcmp(setting, "auto") == 0)
        setting = NULL;
    if (setting == NULL || ks_device_known(setting))
        return (struct ks_worker_place){NULL, setting != NULL ? setting : "cuda"};
    return (struct ks_worker_place){setting, "cuda"};
}

enum ks_status ks_worker_start_under(struct ks_worker *worker, const char *const *words,
                                     const char *path, const char *device, bool confined,
                                     struct ks_err *err)
{
    *worker = (struct ks_worker){.confined = confined, .started = ks_now()};
    struct ks_arena arena = {0};
    struct ks_strv argv = {0};
    for (; words != NULL && *words != NULL; words++)
        ks_strv_add(&arena, &argv, *words);
    const bool here = argv.len == 0; // else it may be on any machine
    ks_strv_add(&arena, &argv, path);
    if (device != NULL && strcmp(device, "cuda") != 0)
        ks_strv_add(&arena, &argv, ks_arena_printf(&arena, "--device=%s", device));
    if (confined)
        ks_strv_add(&arena, &argv, "--sandbox");
    struct ks_proc_options options = {0};
    if (here)
        ks_shared_make(&worker->shared, &options.memory);
    enum ks_status status = ks_child_start(argv.at, &options, &worker->child, err);
    if (options.memory > 0)
        close(options.memory);
    if (status != KS_OK)
        ks_shared_free(&worker->shared);
    worker->running = status == KS_OK;
    worker->child.write_timeout = WRITE_SECONDS;
    ks_arena_free(&arena);
    return status;
}

enum ks_status ks_worker_start(struct ks_worker *worker, const char *launcher, const char *path,
                               const char *device, bool confined, struct ks_err *err)
{
    struct ks_arena arena = {0};
    struct ks_strv list = {0};
    char *save = NULL;
    char *words = ks_arena_strdup(&arena, launcher == NULL ? "" : launcher);
    for (char *word = strtok_r(words, " ", &save); word != NULL; word = strtok_r(NULL, " ", &save))
        ks_strv_add(&arena, &list, word);
    enum ks_status status = ks_worker_start_under(worker, list.at, path, device, confined, err);
    ks_arena_free(&arena);
    return status;
}

bool ks_worker_alive(const struct ks_worker *worker)
{
    return worker->running;
}

// With KS_LOG=debug: where the seconds of a judgement go.
static void note_sent(struct ks_worker *worker, const char *verb)
{
    size_t i = 0;
    while (i + 1 < KS_WORKER_VERBS && worker->spent[i].verb != NULL && strcmp(worker->spent[i].verb, verb) != 0)
        i++;
    worker->asking = i;
    worker->spent[i].verb = verb;
    worker->spent[i].asked++;
    worker->sent = ks_now();
}

// Ends the process, with so many seconds for it to do so by itself.
static void end_child(struct ks_worker *worker, double grace)
{
    if (!worker->running)
        return;
    char text[600] = "";
    for (size_t i = 0; i < KS_WORKER_VERBS && worker->spent[i].verb != NULL; i++) {
        const struct ks_worker_spent *s = &worker->spent[i];
        size_t used = strlen(text);
        snprintf(text + used, sizeof text - used, ", %s %" PRId64 "x %.0f/%.0f", s->verb, s->asked,
                 s->waited * 1e3, s->seconds * 1e3);
    }
    double begun = ks_now();
    int pid = (int)worker->child.pid;
    ks_child_stop(&worker->child, grace, NULL);
    ks_shared_free(&worker->shared);
    ks_debug("worker %d lived %.0f ms, ended in %.0f; ms waited/until answered%s", pid,
             (begun - worker->started) * 1e3, (ks_now() - begun) * 1e3, text);
}

static void forget_reply(struct ks_worker *worker)
{
    json_decref(worker->reply);
    worker->reply = NULL;
}

void ks_worker_end(struct ks_worker *worker, double seconds)
{
    end_child(worker, seconds);
    worker->running = worker->waiting = false;
    forget_reply(worker);
}

void ks_worker_stop(struct ks_worker *worker)
{
    ks_worker_end(worker, worker->waiting ? 0 : 0.5);
}

static void *see_off(void *leaver)
{
    ks_worker_stop(&((struct ks_leaver *)leaver)->worker);
    return NULL;
}

void ks_worker_leave(struct ks_worker *worker, struct ks_leaving *leaving)
{
    if (!worker->running) {
        ks_worker_stop(worker);
        return;
    }
    if (leaving->n == KS_LEAVERS) {
        ks_leaving_begin(leaving);
        ks_leaving_wait(leaving);
    }
    struct ks_leaver *leaver = malloc(sizeof *leaver);
    KS_ASSERT(leaver != NULL);
    *leaver = (struct ks_leaver){.worker = *worker};
    leaver->worker.child.dropped = NULL;
    *worker = (struct ks_worker){0};
    leaving->at[leaving->n++] = leaver;
    if (!leaving->later)
        ks_leaving_begin(leaving);
}

void ks_leaving_begin(struct ks_leaving *leaving)
{
    for (size_t i = 0; i < leaving->n; i++) {
        struct ks_leaver *leaver = leaving->at[i];
        if (leaver->begun)
            continue;
        leaver->begun = pthread_create(&leaver->thread, NULL, see_off, leaver) == 0;
        if (!leaver->begun)
            see_off(leaver); // then there is nothing to be ended any more
    }
}

void ks_leaving_wait(struct ks_leaving *leaving)
{
    size_t left = 0;
    for (size_t i = 0; i < leaving->n; i++) {
        struct ks_leaver *leaver = leaving->at[i];
        if (leaver->begun)
            pthread_join(leaver->thread, NULL);
        if (!leaver->begun && ks_worker_alive(&leaver->worker))
            leaving->at[left++] = leaver;
        else
            free(leaver);
    }
    leaving->n = left;
}

// Ends a worker that cannot be trusted or used any more.
static enum ks_answer give_up(struct ks_worker *worker, enum ks_answer answer, const char *text)
{
    size_t n = strnlen(text, sizeof worker->text - 1);
    memmove(worker->text, text, n); // `text` may be worker->text itself
    worker->text[n] = '\0';
    end_child(worker, answer == KS_ANSWER_FAULT ? worker->grace : 0);
    worker->running = worker->waiting = false;
    return answer;
}

static enum ks_answer from_status(struct ks_worker *worker, const struct ks_err *err, bool late)
{
    if (err->status == KS_E_INTERRUPTED)
        return give_up(worker, KS_ANSWER_INTERRUPTED, err->text);
    if (err->status == KS_E_LIMIT)
        return give_up(worker, late ? KS_ANSWER_HANG : KS_ANSWER_LIED, err->text);
    return give_up(worker, KS_ANSWER_DIED, err->text);
}

enum ks_answer ks_worker_send(struct ks_worker *worker, const char *verb, json_t *request,
                              const struct ks_slice *payloads, size_t n_payloads)
{
    forget_reply(worker);
    if (!worker->running) {
        json_decref(request);
        return KS_ANSWER_DIED; // text says why it ended
    }
    size_t payload = 0;
    for (size_t i = 0; i < n_payloads; i++)
        payload += payloads[i].len;
    note_sent(worker, verb);
    json_object_set_new(request, "id", json_integer(++worker->asked));
    json_object_set_new(request, "do", json_string(verb));
    if (n_payloads > 0)
        json_object_set_new(request, "payload", json_integer((json_int_t)payload));
    char *line = json_dumps(request, JSON_COMPACT);
    json_decref(request);
    KS_ASSERT(line != NULL);
    struct ks_err err = {0};
    struct ks_slice *parts = malloc((2 + n_payloads) * sizeof *parts);
    KS_ASSERT(parts != NULL);
    parts[0] = ks_slice_of(line);
    parts[1] = ks_slice_of("\n");
    for (size_t i = 0; i < n_payloads; i++)
        parts[2 + i] = payloads[i];
    enum ks_status status = ks_child_write(&worker->child, parts, 2 + n_payloads, &err);
    free(parts);
    free(line);
    if (status != KS_OK)
        return from_status(worker, &err, true);
    worker->waiting = true;
    return KS_ANSWER_OK;
}

static enum ks_answer class_of(const char *name)
{
    static const struct { const char *name; enum ks_answer answer; } classes[] = {
        {"launch", KS_ANSWER_LAUNCH}, {"limit", KS_ANSWER_LIMIT}, {"fault", KS_ANSWER_FAULT},
        {"unsafe", KS_ANSWER_UNSAFE}, {"unsupported", KS_ANSWER_UNSUPPORTED},
        {"io", KS_ANSWER_TOOL}, {"usage", KS_ANSWER_TOOL}, {"absent", KS_ANSWER_TOOL},
    };
    for (size_t i = 0; i < sizeof classes / sizeof classes[0]; i++)
        if (strcmp(name, classes[i].name) == 0)
            return classes[i].answer;
    return KS_ANSWER_LIED;
}

enum ks_answer ks_worker_wait(struct ks_worker *worker, double seconds)
{
    if (!worker->running || !worker->waiting)
        return KS_ANSWER_DIED;
    struct ks_err err = {0};
    struct ks_slice line;
    double begun = ks_now();
    enum ks_status status =
        ks_child_read_line(&worker->child, seconds, KS_PROTOCOL_LINE, &line, &err);
    worker->spent[worker->asking].waited += ks_now() - begun;
    worker->spent[worker->asking].seconds += ks_now() - worker->sent;
    if (status != KS_OK)
        return from_status(worker, &err, strstr(err.text, "within") != NULL);
    worker->waiting = false;
    forget_reply(worker);
    worker->reply = ks_json_parse(line, &err);
    const json_t *ok = json_object_get(worker->reply, "ok");
    if (!json_is_object(worker->reply) || !json_is_boolean(ok) ||
        ks_json_int(worker->reply, "id", -1) != worker->asked)
        return give_up(worker, KS_ANSWER_LIED, "the worker's answer breaks the protocol");
    if (json_is_true(ok))
        return KS_ANSWER_OK;
    enum ks_answer answer = class_of(ks_json_str(worker->reply, "class", ""));
    if (answer == KS_ANSWER_LIED)
        return give_up(worker, answer, "the worker's answer is of no known class");
    ks_text_fit(worker->text, sizeof worker->text, ks_json_str(worker->reply, "text", ""));
    for (char *p = worker->text; *p != '\0'; p++)
        if ((unsigned char)*p < ' ')
            *p = ' ';
    // After a fault its CUDA context is finished.
    return answer == KS_ANSWER_FAULT ? give_up(worker, answer, worker->text) : answer;
}

enum ks_answer ks_worker_ask(struct ks_worker *worker, const char *verb, json_t *request,
                             double seconds)
{
    enum ks_answer answer = ks_worker_send(worker, verb, request, NULL, 0);
    return answer == KS_ANSWER_OK ? ks_worker_wait(worker, seconds) : answer;
}

static enum ks_answer take_bytes(struct ks_worker *worker, void *data, size_t bytes, double seconds)
{
    if (ks_json_int(worker->reply, "payload", -1) != (int64_t)bytes)
        return give_up(worker, KS_ANSWER_LIED, "the worker sent a buffer of another size");
    struct ks_err err = {0};
    if (bytes > 0 && ks_child_read_bytes(&worker->child, seconds, data, bytes, &err) != KS_OK)
        return from_status(worker, &err, true);
    return KS_ANSWER_OK;
}

// Through shared memory, half by half: the worker fills one while the other is taken.
static enum ks_answer read_shared(struct ks_worker *worker, size_t buffer, int set, char *data, int64_t bytes,
                                  double seconds)
{
    const int64_t half = KS_SHARED_BYTES / 2;
    int64_t asked = 0, taken = 0;
    enum ks_answer answer = KS_ANSWER_OK;
    for (int64_t k = 0; answer == KS_ANSWER_OK && taken < bytes; k++) {
        int64_t had = asked - taken;
        if (had > 0)
            answer = ks_worker_wait(worker, seconds);
        int64_t more = bytes - asked < half ? bytes - asked : half;
        if (answer == KS_ANSWER_OK && more > 0)
            answer = ks_worker_send(worker, "read",
                                    json_pack("{s:I,s:i,s:I,s:I,s:I}", "buffer", (json_int_t)buffer, "set", set, "from",
                                              (json_int_t)asked, "bytes", (json_int_t)more, "to",
                                              (json_int_t)(k % 2 * half)), NULL, 0);
        asked += more;
        if (answer == KS_ANSWER_OK && had > 0)
            ks_shared_take(&worker->shared, (k - 1) % 2 * half, data + taken, had);
        taken += had;
    }
    return answer;
}

enum ks_answer ks_worker_read(struct ks_worker *worker, size_t buffer, int set, void *data,
                              size_t bytes, double seconds)
{
    if (worker->shared.at != NULL && bytes >= SHARED_FROM)
        return read_shared(worker, buffer, set, data, (int64_t)bytes, seconds);
    enum ks_answer answer = ks_worker_ask(
        worker, "read", json_pack("{s:I,s:i}", "buffer", (json_int_t)buffer, "set", set), seconds);
    return answer == KS_ANSWER_OK ? take_bytes(worker, data, bytes, seconds) : answer;
}

enum ks_answer ks_worker_gather(struct ks_worker *worker, size_t buffer, size_t size,
                                const int64_t *places, int64_t n, void *data, double seconds)
{
    struct ks_slice payload = {(const char *)places, (size_t)n * sizeof *places};
    json_t *request = json_pack("{s:I,s:I}", "buffer", (json_int_t)buffer, "size", (json_int_t)size);
    enum ks_answer answer = ks_worker_send(worker, "gather", request, &payload, 1);
    if (answer == KS_ANSWER_OK)
        answer = ks_worker_wait(worker, seconds);
    return answer == KS_ANSWER_OK ? take_bytes(worker, data, (size_t)n * size, seconds) : answer;
}

enum ks_answer ks_worker_fingerprint(struct ks_worker *worker, size_t buffer, int set,
                                     uint64_t *value, double seconds)
{
    enum ks_answer answer =
        ks_worker_ask(worker, "fingerprint",
                      json_pack("{s:I,s:i}", "buffer", (json_int_t)buffer, "set", set), seconds);
    if (answer != KS_ANSWER_OK)
        return answer;
    const char *text = ks_json_str(worker->reply, "value", "");
    char *end;
    *value = strtoull(text, &end, 16);
    if (strlen(text) != 16 || *end != '\0')
        return give_up(worker, KS_ANSWER_LIED, "the worker sent no fingerprint");
    return KS_ANSWER_OK;
}

enum ks_answer ks_worker_hello(struct ks_worker *worker, struct ks_device_info *info)
{
    enum ks_answer answer = worker->waiting ? KS_ANSWER_OK
                                            : ks_worker_send(worker, "hello", json_object(), NULL, 0);
    if (answer == KS_ANSWER_OK)
        answer = ks_worker_wait(worker, HELLO_SECONDS);
    if (answer != KS_ANSWER_OK)
        return answer;
    const json_t *d = json_object_get(worker->reply, "device");
    if (ks_json_int(worker->reply, "protocol", -1) != KS_PROTOCOL_VERSION || !json_is_object(d))
        return give_up(worker, KS_ANSWER_LIED, "the worker speaks another protocol version");
    if (worker->confined && !ks_json_bool(worker->reply, "sandbox", false))
        return give_up(worker, KS_ANSWER_LIED, "the worker does not run in the sandbox that was asked for");
    *info = (struct ks_device_info){
        .arch = (int)ks_json_int(d, "arch", 0),
        .sms = (int)ks_json_int(d, "sms", 0),
        .l2_bytes = (int)ks_json_int(d, "l2_bytes", 0),
        .smem_optin = (int)ks_json_int(d, "smem_optin", 0),
        .max_threads_sm = (int)ks_json_int(d, "max_threads_sm", 0),
        .regs_sm = (int)ks_json_int(d, "regs_sm", 0),
        .blocks_sm = (int)ks_json_int(d, "blocks_sm", 0),
        .smem_sm = (int)ks_json_int(d, "smem_sm", 0),
        .pageable_access = (int)ks_json_int(d, "pageable_access", 0),
        .memory_total = ks_json_int(d, "memory_total", 0),
        .memory_free = ks_json_int(d, "memory_free", 0),
    };
    snprintf(info->name, sizeof info->name, "%s", ks_json_str(d, "name", ""));
    snprintf(info->uuid, sizeof info->uuid, "%s", ks_json_str(d, "uuid", ""));
    snprintf(info->driver, sizeof info->driver, "%s", ks_json_str(d, "driver", ""));
    snprintf(info->kind, sizeof info->kind, "%s", ks_json_str(d, "kind", "cuda"));
    return KS_ANSWER_OK;
}
