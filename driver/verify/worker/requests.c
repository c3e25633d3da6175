// Checked reading of requests, and the verbs about modules, single runs and their results.

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "device/emu/emu_device.h"
#include "verify/confine.h"
#include "verify/protocol.h"
#include "verify/worker/serving.h"

#define NEAR_BYTES (16 << 10)   // some microseconds of a transfer: what one more costs
#define GATHER_BYTES (8 << 20)  // in one
#define CROWD_MOST_US 1000000
#define FEW_PLACES 64           // up to so many are read one by one

enum ks_status ks_want_int(const json_t *object, const char *key, int64_t min, int64_t max,
                           int64_t *value, struct ks_err *err)
{
    const json_t *number = json_object_get(object, key);
    if (!json_is_integer(number))
        KS_FAIL(err, KS_E_USER, "\"%s\" must be an integer", key);
    *value = json_integer_value(number);
    if (*value < min || *value > max)
        KS_FAIL(err, KS_E_USER, "\"%s\" is %lld; it must be %lld to %lld", key, (long long)*value,
                (long long)min, (long long)max);
    return KS_OK;
}

enum ks_status ks_want_text(const json_t *object, const char *key, const char **value,
                            struct ks_err *err)
{
    *value = json_string_value(json_object_get(object, key));
    if (*value == NULL)
        KS_FAIL(err, KS_E_USER, "\"%s\" must be a string", key);
    return KS_OK;
}

enum ks_status ks_want_array(const json_t *object, const char *key, size_t max, const json_t **value,
                             struct ks_err *err)
{
    *value = json_object_get(object, key);
    if (!json_is_array(*value) || json_array_size(*value) > max)
        KS_FAIL(err, KS_E_USER, "\"%s\" must be a list of at most %zu", key, max);
    return KS_OK;
}

enum ks_status ks_want_bool(const json_t *object, const char *key, bool fallback, bool *value,
                            struct ks_err *err)
{
    const json_t *flag = json_object_get(object, key);
    *value = fallback;
    if (flag != NULL && !json_is_boolean(flag))
        KS_FAIL(err, KS_E_USER, "\"%s\" must be true or false", key);
    if (flag != NULL)
        *value = json_is_true(flag);
    return KS_OK;
}

enum ks_status ks_serve_hello(struct ks_serving *s, const json_t *request, struct ks_slice payload,
                              json_t *answer, struct ks_err *err)
{
    (void)request, (void)payload;
    struct ks_device_info info;
    KS_TRY(s->device.info(s->device.self, &info, err));
    json_object_set_new(answer, "protocol", json_integer(KS_PROTOCOL_VERSION));
    json_object_set_new(answer, "sandbox", json_boolean(ks_confined()));
    json_object_set_new(
        answer, "device",
        json_pack("{s:s,s:s,s:s,s:s,s:i,s:i,s:i,s:i,s:i,s:i,s:i,s:i,s:i,s:I,s:I}", "kind", s->device.kind,
                  "name", info.name, "uuid", info.uuid, "driver", info.driver, "arch", info.arch,
                  "sms", info.sms, "l2_bytes", info.l2_bytes, "smem_optin", info.smem_optin,
                  "max_threads_sm", info.max_threads_sm, "regs_sm", info.regs_sm,
                  "blocks_sm", info.blocks_sm, "smem_sm", info.smem_sm,
                  "pageable_access", info.pageable_access, "memory_total",
                  (json_int_t)info.memory_total, "memory_free", (json_int_t)info.memory_free));
    return KS_OK;
}

// What a device does not make of machine text is a candidate's matter: nobody asked wrongly.
static enum ks_status of_text(struct ks_serving *s, enum ks_status status)
{
    if (status == KS_E_FORMAT || status == KS_E_UNSUPPORTED)
        s->class = "unsupported";
    return status;
}

enum ks_status ks_serve_module(struct ks_serving *s, const json_t *request, struct ks_slice payload,
                               json_t *answer, struct ks_err *err)
{
    (void)answer;
    const char *name;
    KS_TRY(ks_want_text(request, "name", &name, err));
    ks_vec_each(struct ks_serve_module, m, &s->modules)
        if (strcmp(m->name, name) == 0)
            KS_FAIL(err, KS_E_USER, "there is a module '%s' already", name);
    if (strcmp(name, KS_SERVE_OWN) == 0)
        KS_FAIL(err, KS_E_USER, "the module '%s' is the device's own", name);
    if (payload.len == 0)
        KS_FAIL(err, KS_E_USER, "a module needs its image as payload");
    void *handle;
    KS_TRY(of_text(s, s->device.module(s->device.self, payload, &handle, err)));
    struct ks_serve_module *slot = ks_vec_push(&s->arena, &s->modules);
    *slot = (struct ks_serve_module){ks_arena_strdup(&s->arena, name), handle};
    return KS_OK;
}

enum ks_status ks_serve_function(struct ks_serving *s, const json_t *request,
                                 struct ks_slice payload, json_t *answer, struct ks_err *err)
{
    (void)payload;
    const char *module, *name;
    KS_TRY(ks_want_text(request, "module", &module, err));
    KS_TRY(ks_want_text(request, "name", &name, err));
    const struct ks_serve_module *found = NULL;
    struct ks_serve_module own = {KS_SERVE_OWN, NULL};
    ks_vec_each(struct ks_serve_module, m, &s->modules)
        if (strcmp(m->name, module) == 0)
            found = m;
    if (strcmp(module, own.name) == 0 && s->device.own_module != NULL) {
        own.handle = s->device.own_module(s->device.self);
        found = &own;
    }
    if (found == NULL)
        KS_FAIL(err, KS_E_USER, "there is no module '%s'", module);
    void *handle;
    json_t *facts = NULL;
    s->class = "usage"; // a name that the module lacks
    KS_TRY(of_text(s, s->device.function(s->device.self, found->handle, name, &handle, &facts, err)));
    s->class = NULL;
    json_object_set_new(answer, "facts", facts);
    struct ks_serve_function *slot = ks_vec_push(&s->arena, &s->functions);
    *slot = (struct ks_serve_function){found->name, ks_arena_strdup(&s->arena, name), handle};
    return KS_OK;
}

// How long a launch of this run may take on an emulated device: what it gives by itself where nothing is asked.
static enum ks_status limit_steps(struct ks_serving *s, const json_t *request, struct ks_err *err)
{
    int64_t steps = 0, most = 0;
    if (json_object_get(request, "steps") != NULL)
        KS_TRY(ks_want_int(request, "steps", 1, INT64_MAX, &steps, err));
    if (json_object_get(request, "most") != NULL)
        KS_TRY(ks_want_int(request, "most", 1, INT64_MAX, &most, err));
    if (!ks_device_emulated(s->device.kind))
        return KS_OK;
    struct ks_emu_settings *settings = ks_emu_device_settings(&s->device);
    if (s->own_budget == 0)
        s->own_budget = settings->budget;
    settings->budget = steps > 0 ? (uint64_t)steps : s->own_budget;
    settings->most = (uint64_t)most;
    KS_TRY(ks_want_bool(request, "races", true, &settings->races, err));
    return ks_want_bool(request, "serial", false, &settings->serial, err);
}

enum ks_status ks_serve_run(struct ks_serving *s, const json_t *request, struct ks_slice payload,
                            json_t *answer, struct ks_err *err)
{
    (void)payload;
    struct ks_dev_plan plan;
    struct ks_serve_poison poison;
    bool scrub;
    int64_t crowd = 0;
    double microseconds = 0;
    KS_TRY(ks_serve_read_poison(request, &poison, err));
    KS_TRY(ks_want_bool(request, "scrub", false, &scrub, err));
    if (json_object_get(request, "crowd") != NULL)
        KS_TRY(ks_want_int(request, "crowd", 1, CROWD_MOST_US, &crowd, err));
    KS_TRY(ks_serve_plan(s, request, "plan", 0, &plan, err));
    KS_TRY(limit_steps(s, request, err));
    KS_TRY(ks_serve_prepare(s, 0, poison, err));
    if (scrub)
        KS_TRY(s->device.scrub(s->device.self, (uint32_t)ks_rng_next(&s->rng), err));
    if (crowd > 0 && s->device.crowd != NULL)
        KS_TRY(s->device.crowd(s->device.self, (double)crowd, err));
    enum ks_status status = s->device.run(s->device.self, &plan, &microseconds, err);
    if (status == KS_E_LIMIT)
        s->class = "launch";
    KS_TRY(status);
    KS_TRY(ks_serve_check(s, err));
    json_object_set_new(answer, "microseconds", json_real(microseconds));
    if (ks_device_emulated(s->device.kind))
        json_object_set_new(answer, "steps", json_integer((json_int_t)ks_emu_device_steps(&s->device)));
    return KS_OK;
}

static enum ks_status want_buffer(struct ks_serving *s, const json_t *request, size_t *buffer,
                                  size_t *device_buffer, struct ks_err *err)
{
    int64_t i, set = 0;
    if (s->n_buffers == 0)
        KS_FAIL(err, KS_E_USER, "there are no buffers");
    KS_TRY(ks_want_int(request, "buffer", 0, (int64_t)s->n_buffers - 1, &i, err));
    if (json_object_get(request, "set") != NULL)
        KS_TRY(ks_want_int(request, "set", 0, (int64_t)s->n_sets - 1, &set, err));
    *buffer = (size_t)i;
    *device_buffer = s->sets[set][i];
    return KS_OK;
}

enum ks_status ks_serve_read(struct ks_serving *s, const json_t *request, void **data, size_t *n,
                             struct ks_err *err)
{
    size_t buffer, device_buffer;
    KS_TRY(want_buffer(s, request, &buffer, &device_buffer, err));
    int64_t bytes = s->buffers[buffer].asked, from, n_bytes, to;
    if (json_object_get(request, "to") != NULL) {
        KS_TRY(ks_want_int(request, "from", 0, bytes, &from, err));
        KS_TRY(ks_want_int(request, "bytes", 0, bytes - from, &n_bytes, err));
        KS_TRY(ks_want_int(request, "to", 0, KS_SHARED_BYTES - n_bytes, &to, err));
        KS_TRY(ks_shared_map(&s->shared, err));
        return s->device.read(s->device.self, device_buffer, from, s->shared.at + to, n_bytes, err);
    }
    *data = malloc((size_t)bytes + 1);
    if (*data == NULL)
        KS_FAIL(err, KS_E_MEMORY, "no memory for %lld bytes", (long long)bytes);
    *n = (size_t)bytes;
    return s->device.read(s->device.self, device_buffer, 0, *data, bytes, err);
}

static enum ks_status read_places(const char *payload, size_t n, int64_t most, int64_t *places, struct ks_err *err)
{
    int64_t least = 0;
    memcpy(places, payload, n * sizeof *places);
    for (size_t i = 0; i < n; i++) {
        if (places[i] < least || places[i] >= most)
            KS_FAIL(err, KS_E_USER, "place %lld is beyond the buffer or does not rise",
                    (long long)places[i]);
        least = places[i] + 1;
    }
    return KS_OK;
}

// How many places from the first on are read at once: what lies between them is less than a transfer costs.
static size_t near_places(const int64_t *places, size_t n, int64_t size)
{
    size_t k = 1;
    while (k < n && (places[k] - places[k - 1]) * size <= NEAR_BYTES &&
           (places[k] - places[0]) * size < GATHER_BYTES)
        k++;
    return k;
}

static enum ks_status read_near(struct ks_serving *s, size_t device_buffer, int64_t size, const int64_t *places, size_t count,
                                char *run, char *to, struct ks_err *err)
{
    for (size_t i = 0, k; i < count; i += k) {
        k = near_places(places + i, count - i, size);
        int64_t bytes = (places[i + k - 1] - places[i] + 1) * size;
        KS_TRY(s->device.read(s->device.self, device_buffer, places[i] * size, run, bytes, err));
        for (size_t j = 0; j < k; j++, to += size)
            memcpy(to, run + (places[i + j] - places[i]) * size, (size_t)size);
    }
    return KS_OK;
}

enum ks_status ks_serve_gather(struct ks_serving *s, const json_t *request, struct ks_slice payload,
                               void **data, size_t *n, struct ks_err *err)
{
    int64_t size;
    size_t count = payload.len / sizeof(int64_t), buffer, device_buffer;
    KS_TRY(ks_want_int(request, "size", 1, 64, &size, err));
    if (payload.len % sizeof(int64_t) != 0)
        KS_FAIL(err, KS_E_USER, "a payload of %zu bytes holds no whole number of places",
                payload.len);
    KS_TRY(want_buffer(s, request, &buffer, &device_buffer, err));
    int64_t *places = malloc(payload.len + 1);
    char *run = malloc(GATHER_BYTES + 64);
    enum ks_status status = KS_OK;
    *data = malloc(count * (size_t)size + 1);
    if (places == NULL || run == NULL || *data == NULL)
        status = ks_err_set(err, KS_E_MEMORY, "no memory for %zu places", count);
    if (status == KS_OK)
        status = read_places(payload.at, count, s->buffers[buffer].asked / size, places, err);
    bool gathers = s->device.gather != NULL && count > FEW_PLACES;
    if (status == KS_OK && gathers) {
        status = s->device.gather(s->device.self, device_buffer, (size_t)size, places, count, *data, err);
        gathers = status != KS_E_LIMIT; // no room on the device for the places
        status = gathers ? status : KS_OK;
    }
    if (status == KS_OK && !gathers)
        status = read_near(s, device_buffer, size, places, count, run, *data, err);
    free(places);
    free(run);
    *n = count * (size_t)size;
    return status;
}

enum ks_status ks_serve_fingerprint(struct ks_serving *s, const json_t *request,
                                    struct ks_slice payload, json_t *answer, struct ks_err *err)
{
    (void)payload;
    size_t buffer, device_buffer;
    uint64_t value;
    char text[17];
    KS_TRY(want_buffer(s, request, &buffer, &device_buffer, err));
    KS_TRY(s->device.fingerprints(s->device.self, &device_buffer, 1, &value, err));
    snprintf(text, sizeof text, "%016llx", (unsigned long long)value);
    json_object_set_new(answer, "value", json_string(text));
    return KS_OK;
}

enum ks_status ks_serve_count(struct ks_serving *s, const json_t *request, struct ks_slice payload,
                              json_t *answer, struct ks_err *err)
{
    (void)payload;
    struct ks_dev_plan plan;
    bool lines;
    KS_TRY(ks_want_bool(request, "lines", false, &lines, err));
    if (s->device.count == NULL)
        KS_FAIL(err, KS_E_UNSUPPORTED, "the device %s counts nothing", s->device.kind);
    KS_TRY(ks_serve_plan(s, request, "plan", 0, &plan, err));
    KS_TRY(limit_steps(s, request, err));
    struct ks_counts *counts = KS_NEW_ARRAY(&s->request, struct ks_counts, plan.n_steps);
    lines = lines && ks_device_emulated(s->device.kind); // others tell none
    if (lines)
        ks_emu_device_settings(&s->device)->count = true;
    KS_TRY(s->device.count(s->device.self, &plan, counts, err));
    json_t *steps = json_array();
    for (size_t i = 0; i < plan.n_steps; i++)
        json_array_append_new(steps, ks_counts_json(&counts[i]));
    json_object_set_new(answer, "steps", steps);
    if (lines)
        json_object_set_new(answer, "lines", ks_emu_device_lines_json(&s->device));
    return KS_OK;
}

enum ks_status ks_serve_ceilings(struct ks_serving *s, const json_t *request,
                                 struct ks_slice payload, json_t *answer, struct ks_err *err)
{
    (void)request, (void)payload;
    double copy, fma;
    KS_TRY(s->device.ceilings(s->device.self, &copy, &fma, err));
    json_object_set_new(answer, "copy_gbs", json_real(copy));
    json_object_set_new(answer, "fma_gflops", json_real(fma));
    return KS_OK;
}
