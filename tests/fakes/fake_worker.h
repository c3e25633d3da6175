// A worker (driver/verify/protocol.h) that "executes" a few kernels in C on host memory, for tests of
// the judge without a GPU. What a kernel does, honest or not, follows from its name; fences are
// modelled by canaries behind each buffer. Included by the test program, which runs itself as worker.
#ifndef KS_FAKE_WORKER_H
#define KS_FAKE_WORKER_H

#include <fcntl.h>
#include <math.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#include "base/rng.h"
#include "fmt/json.h"
#include "verify/confine.h"
#include "verify/protocol.h"
#include "workload/fill.h"

#define FAKE_BUFFERS 32
#define FAKE_CANARY 64
#ifndef FAKE_COPY_GBS
#define FAKE_COPY_GBS 3.6
#endif
#ifndef FAKE_PAIRS_RUN
#define FAKE_PAIRS_RUN INT64_MAX // further pairs of one request are said to have taken as long as the last
#endif

struct fake_buffer {
    unsigned char *base;  // canary, data, canary
    size_t bytes;
    uint64_t address;     // what the supervisor is told
    char role[8];
    unsigned char *pristine;
    int sets;
};

struct fake {
    struct fake_buffer buffer[FAKE_BUFFERS];
    size_t n;
    int64_t id;
    int sets;      // asked for, 0 before
    bool scrubbed; // at the last run
    int runs;            // kernels run since the buffers were placed
    int timed;           // runs inside `time`
    bool resident;       // those of one set of buffers, not flushed
    bool spoilt;
    const char *reads, *writes; // hostile: what it goes for once a module is there
    struct { char name[16], image[16]; } module[8]; // image, if it is a test's: "cubin", or "cubin of one"
    size_t n_modules;
};

static void fake_say(struct fake *f, json_t *answer)
{
    json_object_set_new(answer, "id", json_integer(f->id));
    json_object_set_new(answer, "ok", json_true());
    char *text = json_dumps(answer, JSON_COMPACT);
    puts(text);
    free(text);
    json_decref(answer);
}

static void fake_fail(struct fake *f, const char *class_, const char *text)
{
    printf("{\"id\":%lld,\"ok\":false,\"class\":\"%s\",\"text\":\"%s\"}\n", (long long)f->id, class_,
           text);
}

static unsigned char *fake_data(struct fake *f, size_t i)
{
    return f->buffer[i].base + FAKE_CANARY;
}

static void fake_free(struct fake *f)
{
    for (size_t i = 0; i < f->n; i++) {
        free(f->buffer[i].base);
        free(f->buffer[i].pristine);
    }
    f->n = 0;
}

static bool fake_family(const char *name, enum ks_family *family)
{
    for (int i = 0; i < KS_FAMILY_COUNT; i++)
        if (strcmp(ks_family_name((enum ks_family)i), name) == 0) {
            *family = (enum ks_family)i;
            return true;
        }
    return false;
}

static void fake_widen(void *into, float *narrow, int64_t n, uint64_t nudge)
{
    for (int64_t i = 0; i < n; i++)
        ((double *)into)[i] = ks_fill_moved((double)narrow[i], nudge, (uint64_t)i);
    free(narrow);
}

static void fake_buffers(struct fake *f, const json_t *request, const unsigned char *payload)
{
    static const char *const inits[] = {"default", "uniform", "normal", "randint", "iota",
                                        "permutation", "constant"};
    const json_t *list = json_object_get(request, "list"), *item;
    bool end = strcmp(ks_json_str(request, "flush", ""), "end") == 0;
    size_t i;
    fake_free(f);
    f->runs = 0;
    json_t *addresses = json_array();
    json_array_foreach(list, i, item)
    {
        struct fake_buffer *b = &f->buffer[f->n++];
        const json_t *fill = json_object_get(item, "fill");
        size_t align = (size_t)ks_json_int(item, "align", 1);
        *b = (struct fake_buffer){.bytes = (size_t)ks_json_int(item, "bytes", 0)};
        snprintf(b->role, sizeof b->role, "%s", ks_json_str(item, "role", ""));
        b->base = malloc(b->bytes + 2 * FAKE_CANARY);
        memset(b->base, 0xc5, b->bytes + 2 * FAKE_CANARY);
        memset(b->base + FAKE_CANARY, 0, b->bytes);
        uint64_t top = ((uint64_t)i + 1) << 32;
        b->address = end ? (top - b->bytes) & ~(uint64_t)(align - 1) : top - (1u << 30);
        json_array_append_new(addresses, json_integer((json_int_t)b->address));
        if (fill != NULL && strcmp(ks_json_str(fill, "init", ""), "bytes") == 0) {
            memcpy(b->base + FAKE_CANARY, payload, b->bytes);
            payload += b->bytes;
        } else if (fill != NULL) {
            struct ks_elem elem;
            enum ks_family family;
            struct ks_init init = {.a = ks_json_num(fill, "a", 0), .b = ks_json_num(fill, "b", 0)};
            for (size_t k = 0; k < sizeof inits / sizeof *inits; k++)
                if (strcmp(inits[k], ks_json_str(fill, "init", "")) == 0)
                    init.kind = (enum ks_init_kind)k;
            if (!ks_elem_parse(ks_json_str(fill, "elem", ""), &elem) ||
                !fake_family(ks_json_str(fill, "family", ""), &family))
                abort();
            int64_t total = ks_json_int(fill, "total", 0);
            bool wide = ks_json_bool(fill, "wide", false); // floats alone
            void *into = wide ? malloc((size_t)total * elem.size + 1) : b->base + FAKE_CANARY;
            ks_fill(into, elem, &init, family, (uint64_t)ks_json_int(fill, "seed", 0), total, 0, total);
            if (ks_json_bool(fill, "absolute", false))
                ks_fill_signs(into, elem.scalar, (uint64_t)ks_json_int(fill, "signs", 0), 0, total * elem.lanes);
            if (wide)
                fake_widen(b->base + FAKE_CANARY, into, total, (uint64_t)ks_json_int(fill, "nudge", 0));
        }
        b->pristine = malloc(b->bytes + 1);
        memcpy(b->pristine, b->base + FAKE_CANARY, b->bytes);
    }
    fake_say(f, json_pack("{s:o}", "addresses", addresses));
}

struct fake_call {
    struct fake *f;
    const json_t *step;
    unsigned char *pointer[8];
    uint64_t address[8];
    size_t bytes[8];
    int64_t number[8];
    float real[8];
    size_t n;
};

static void fake_arguments(struct fake *f, const json_t *list, struct fake_call *call)
{
    const json_t *item;
    *call = (struct fake_call){.f = f};
    json_array_foreach(list, call->n, item)
    {
        const char *hex = ks_json_str(item, "hex", NULL);
        if (hex == NULL) {
            size_t b = (size_t)ks_json_int(item, "buffer", 0);
            call->pointer[call->n] = fake_data(f, b);
            call->address[call->n] = f->buffer[b].address;
            call->bytes[call->n] = f->buffer[b].bytes;
            continue;
        }
        unsigned char bytes[64] = {0};
        for (size_t k = 0; hex[2 * k] != '\0' && k < sizeof bytes; k++) {
            unsigned value;
            sscanf(hex + 2 * k, "%2x", &value);
            bytes[k] = (unsigned char)value;
        }
        int32_t word;
        memcpy(&word, bytes, 4);
        call->number[call->n] = word;
        memcpy(&call->real[call->n], bytes, 4);
    }
}

// Runs the kernel named `name`; false after it has answered for itself (fault).
static bool fake_kernel(struct fake_call *call, const char *name, double *us);

static bool fake_plan(struct fake *f, const json_t *plan, double *us)
{
    const json_t *step;
    size_t i;
    *us = 0;
    json_array_foreach(plan, i, step)
    {
        struct fake_call call;
        double one = 0;
        if (json_object_get(step, "memset") != NULL) {
            size_t b = (size_t)ks_json_int(step, "memset", 0);
            memset(fake_data(f, b), (int)ks_json_int(step, "value", 0), f->buffer[b].bytes);
            continue;
        }
        fake_arguments(f, json_object_get(step, "args"), &call);
        call.step = step;
        if (!fake_kernel(&call, ks_json_str(step, "kernel", ""), &one))
            return false;
        *us += one;
    }
    return true;
}

static void fake_prepare(struct fake *f, const json_t *request)
{
    const json_t *poison = json_object_get(request, "poison");
    uint32_t word = (uint32_t)json_integer_value(poison);
    for (size_t i = 0; i < f->n; i++) {
        struct fake_buffer *b = &f->buffer[i];
        if (strcmp(b->role, "inout") == 0)
            memcpy(fake_data(f, i), b->pristine, b->bytes);
        if (json_is_integer(poison) && (strcmp(b->role, "out") == 0 || strcmp(b->role, "work") == 0))
            for (size_t k = 0; k < b->bytes; k += sizeof word)
                memcpy(fake_data(f, i) + k, &word, b->bytes - k < sizeof word ? b->bytes - k : sizeof word);
    }
}

// Canaries and inputs; true when all is well.
static bool fake_check(struct fake *f)
{
    for (size_t i = 0; i < f->n; i++) {
        struct fake_buffer *b = &f->buffer[i];
        for (size_t k = 0; k < FAKE_CANARY; k++)
            if (b->base[k] != 0xc5 || b->base[FAKE_CANARY + b->bytes + k] != 0xc5) {
                memset(b->base, 0xc5, FAKE_CANARY);
                memset(b->base + FAKE_CANARY + b->bytes, 0xc5, FAKE_CANARY);
                fake_fail(f, "unsafe", "a canary changed");
                return false;
            }
        if (strcmp(b->role, "in") == 0 && memcmp(fake_data(f, i), b->pristine, b->bytes) != 0) {
            memcpy(fake_data(f, i), b->pristine, b->bytes);
            fake_fail(f, "unsafe", "an input changed");
            return false;
        }
    }
    return true;
}

static uint64_t fake_print(struct fake *f, size_t i)
{
    uint64_t hash = 0xcbf29ce484222325u;
    for (size_t k = 0; k < f->buffer[i].bytes; k++)
        hash = (hash ^ fake_data(f, i)[k]) * 0x100000001b3u;
    return hash;
}

static uint64_t fake_outputs(struct fake *f)
{
    uint64_t hash = 0;
    for (size_t i = 0; i < f->n; i++)
        if (strcmp(f->buffer[i].role, "out") == 0 || strcmp(f->buffer[i].role, "inout") == 0)
            hash = hash * 31 + fake_print(f, i);
    return hash;
}

static uint64_t fake_random(void)
{
    static uint64_t n;
    return ks_hash_counter(12345, n++);
}

// The kernel that ran last, by whose name this worker lies.
static char fake_last[96];

static bool fake_last_has(const char *part)
{
    return strstr(fake_last, part) != NULL;
}

static void fake_time(struct fake *f, const json_t *request)
{
    int64_t pairs = ks_json_int(request, "pairs", 1);
    bool first_time = f->timed == 0;
    f->resident = !ks_json_bool(request, "cold", true) && ks_json_int(request, "groups", 0) == 1;
    json_t *lists[2] = {json_array(), json_array()};
    const json_t *plans[2] = {json_object_get(request, "a"), json_object_get(request, "b")};
    bool ok = true;
    uint64_t first = 0;
    double us[2];
    for (int64_t p = 0; p < pairs; p++)
        for (int arm = 0; arm < 2; arm++) {
            bool run = p < FAKE_PAIRS_RUN;
            f->timed++;
            if (run)
                fake_prepare(f, request);
            if (run && !fake_plan(f, plans[arm], &us[arm])) {
                json_decref(lists[0]);
                json_decref(lists[1]);
                return;
            }
            // Noise of about 0.1 %.
            double noise = (double)(fake_random() % 2001) / 1e6 - 0.001;
            json_array_append_new(lists[arm], json_real(us[arm] * (1 + noise)));
            if (arm == 1 && run) {
                uint64_t now = fake_outputs(f);
                ok = ok && (p == 0 || now == first);
                first = p == 0 ? now : first;
            }
        }
    if (fake_last_has("_minus"))
        json_array_set_new(lists[1], (size_t)pairs - 1, json_real(-1));
    if (fake_last_has("_word"))
        json_array_set_new(lists[1], 0, json_string("fast"));
    if (fake_last_has("_more"))
        json_array_append_new(lists[0], json_real(1));
    if (fake_last_has("_few") || (fake_last_has("vramp") && first_time)) // the clock is on its way up
        json_array_clear(lists[0]);
    fake_say(f, json_pack("{s:o,s:o,s:b,s:i}", "a", lists[0], "b", lists[1], "fingerprints_ok",
                          ok || !ks_json_bool(request, "deterministic", false), "clock_dropped", 0));
}

static const char *fake_yes(bool done) { return done ? "yes" : "no"; }

// What the host side of a candidate would do, had it one. Tells on stderr.
static void fake_attack(const struct fake *f)
{
    pid_t pid = fork();
    if (pid == 0)
        _exit(0);
    fprintf(stderr, "attack: key=%s write=%s socket=%s fork=%s signal=%s secret=%s\n",
            fake_yes(open(f->reads, O_RDONLY) >= 0),
            fake_yes(open(f->writes, O_WRONLY | O_CREAT, 0600) >= 0),
            fake_yes(socket(AF_UNIX, SOCK_STREAM, 0) >= 0), fake_yes(pid > 0),
            fake_yes(kill(getppid(), 0) == 0), fake_yes(getenv("FAKE_SECRET") != NULL));
}

static const char *fake_image(const struct fake *f, const char *module)
{
    for (size_t i = 0; i < f->n_modules; i++)
        if (strcmp(f->module[i].name, module) == 0)
            return f->module[i].image;
    return NULL;
}

static bool fake_holds(const char *image, const char *kernel)
{
    if (image == NULL || strncmp(image, "cubin", 5) != 0 || strchr(kernel, '_') == NULL)
        return image != NULL;
    return (strcmp(image, "cubin of one") == 0) == (strstr(kernel, "_alone") != NULL);
}

static void fake_gather(struct fake *f, const json_t *request, const unsigned char *places)
{
    size_t size = (size_t)ks_json_int(request, "size", 0), n = (size_t)ks_json_int(request, "payload", 0) / sizeof(int64_t);
    const unsigned char *from = fake_data(f, (size_t)ks_json_int(request, "buffer", 0));
    unsigned char *bytes = malloc(n * size + 1);
    int64_t place;
    for (size_t i = 0; i < n; i++) {
        memcpy(&place, places + i * sizeof place, sizeof place);
        memcpy(bytes + i * size, from + (size_t)place * size, size);
    }
    fake_say(f, json_pack("{s:I}", "payload", (json_int_t)(n * size)));
    fwrite(bytes, 1, n * size, stdout);
    free(bytes);
}

static void fake_serve(struct fake *f, const char *verb, const json_t *request,
                       const unsigned char *payload)
{
    char text[17];
    double us;
    const char *l2 = getenv("KS_FAKE_L2"); // its bytes
    if (strcmp(verb, "hello") == 0) {
        fake_say(f, json_pack("{s:b,s:i,s:{s:s,s:s,s:s,s:i,s:i,s:i,s:i,s:I,s:I}}", "sandbox", ks_confined(), "protocol",
                              KS_PROTOCOL_VERSION, "device", "name", "Fake 90", "uuid",
                              "GPU-fake-judge-test", "driver", "0", "arch", 90, "sms", 4, "l2_bytes",
                              l2 != NULL ? atoi(l2) : 4096, "smem_optin", 232448, "memory_total", (json_int_t)1 << 34,
                              "memory_free", (json_int_t)1 << 33));
    } else if (strcmp(verb, "module") == 0 &&
               (fake_image(f, ks_json_str(request, "name", "")) != NULL || f->n_modules == 8)) {
        fake_fail(f, "usage", "there is such a module already, or no room for one");
    } else if (strcmp(verb, "module") == 0) {
        if (f->reads != NULL)
            fake_attack(f);
        snprintf(f->module[f->n_modules].name, 16, "%.15s", ks_json_str(request, "name", ""));
        snprintf(f->module[f->n_modules++].image, 16, "%.15s", (const char *)payload);
        fake_say(f, json_object());
    } else if (strcmp(verb, "sets") == 0) {
        f->sets = (int)ks_json_int(request, "count", 0);
        fake_say(f, json_object());
    } else if (strcmp(verb, "function") == 0 &&
               !fake_holds(fake_image(f, ks_json_str(request, "module", "")), ks_json_str(request, "name", ""))) {
        fake_fail(f, "usage", "the module has no such kernel");
    } else if (strcmp(verb, "function") == 0) {
        fake_say(f, json_pack("{s:{}}", "facts"));
    } else if (strcmp(verb, "buffers") == 0) {
        fake_buffers(f, request, payload);
    } else if (strcmp(verb, "run") == 0) {
        fake_prepare(f, request);
        f->scrubbed = ks_json_bool(request, "scrub", false);
        if (fake_plan(f, json_object_get(request, "plan"), &us) && fake_check(f))
            fake_say(f, json_pack("{s:f}", "microseconds", us));
    } else if (strcmp(verb, "read") == 0) {
        size_t i = (size_t)ks_json_int(request, "buffer", 0);
        size_t more = fake_last_has("_longread") ? 4 : 0; // than there is
        fake_say(f, json_pack("{s:I}", "payload", (json_int_t)(f->buffer[i].bytes + more)));
        if (fake_last_has("_shortread")) {
            fwrite(fake_data(f, i), 1, f->buffer[i].bytes / 2, stdout);
            fflush(stdout);
            _exit(0);
        }
        fwrite(fake_data(f, i), 1, f->buffer[i].bytes, stdout);
    } else if (strcmp(verb, "gather") == 0) {
        fake_gather(f, request, payload);
    } else if (strcmp(verb, "fingerprint") == 0 && fake_last_has("_noprint")) {
        fake_say(f, json_pack("{s:s}", "value", "0123456789abcdeg"));
    } else if (strcmp(verb, "fingerprint") == 0) {
        snprintf(text, sizeof text, "%016llx",
                 (unsigned long long)fake_print(f, (size_t)ks_json_int(request, "buffer", 0)));
        fake_say(f, json_pack("{s:s}", "value", text));
    } else if (strcmp(verb, "time") == 0) {
        fake_time(f, request);
    } else if (strcmp(verb, "ceilings") == 0) {
        fake_say(f, json_pack("{s:f,s:f}", "copy_gbs", FAKE_COPY_GBS, "fma_gflops", 1.0));
    } else {
        fake_fail(f, "usage", "unknown verb");
    }
}

// Serves stdin until its end. Words: --worker PATH, or --worker --hostile READS WRITES PATH; then
// --sandbox, as the real one.
static int fake_worker_main(int argc, char **argv)
{
    static struct fake f;
    struct ks_err confine_err = {0};
    if (argc > 4 && strcmp(argv[2], "--hostile") == 0) {
        f.reads = argv[3];
        f.writes = argv[4];
    }
    if (strcmp(argv[argc - 1], "--sandbox") == 0 && (ks_confine_worker(&confine_err) != KS_OK ||
                                                     ks_confine_worker_open(&confine_err) != KS_OK)) {
        printf("{\"id\":1,\"ok\":false,\"class\":\"unsupported\",\"text\":\"%s\"}\n", confine_err.text);
        return 1;
    }
    char *line = NULL;
    size_t cap = 0;
    while (getline(&line, &cap, stdin) > 0) {
        struct ks_err err;
        json_t *request = ks_json_parse(ks_slice_trim(ks_slice_of(line)), &err);
        if (request == NULL)
            return 1;
        size_t n = (size_t)ks_json_int(request, "payload", 0);
        unsigned char *payload = calloc(n + 1, 1);
        if (fread(payload, 1, n, stdin) != n)
            return 1;
        f.id = ks_json_int(request, "id", -1);
        if (f.spoilt)
            fake_fail(&f, "fault", "spoilt");
        else
            fake_serve(&f, ks_json_str(request, "do", ""), request, payload);
        fflush(stdout);
        free(payload);
        json_decref(request);
    }
    free(line);
    return 0;
}

#endif
