// State of one worker, and what its verbs share. Private to driver/verify/worker.
#ifndef KS_SERVING_H
#define KS_SERVING_H

#include "base/rng.h"
#include "base/vec.h"
#include "verify/shared.h"
#include "verify/worker/serve.h"

enum ks_serve_role { KS_SERVE_IN, KS_SERVE_INOUT, KS_SERVE_OUT, KS_SERVE_WORK };

// One entry of a `buffers` request. Aliases share the memory of their owner; the owner's role and
// size cover all of its names.
struct ks_serve_buffer {
    int64_t asked;     // bytes by the request
    int64_t bytes;     // of the memory (owner)
    size_t align;
    enum ks_serve_role role;
    size_t owner;      // its own index unless an alias
    size_t pristine;   // device buffer with the contents to restore (owner with role inout)
    uint64_t print;    // fingerprint of the contents (owner with role in)
};

struct ks_serve_function {
    const char *module, *name;
    void *handle;
};
struct ks_serve_module {
    const char *name;
    void *handle;
};
#define KS_SERVE_OWN "ks" // names the module of the device's own code

struct ks_serving {
    struct ks_device device;
    bool open;
    char spoilt[KS_ERR_TEXT]; // "" or the fault after which nothing more can be done
    const char *class;        // class of the next failure where the status does not tell; or NULL
    struct ks_arena arena;    // lives as long as the worker: modules, functions
    struct ks_arena request;  // freed after each request
    KS_VEC(struct ks_serve_module) modules;
    KS_VEC(struct ks_serve_function) functions;
    struct ks_arena layout;   // lives as long as the buffers
    struct ks_serve_buffer *buffers; size_t n_buffers;
    enum ks_flush flush;
    bool frozen;              // writing to a buffer with role in is a fault
    size_t **sets;            // sets[s][i]: device buffer of buffer i (owners' and aliases' alike)
    size_t n_sets, made_sets; // in use by time; allocated
    struct ks_rng rng;
    struct ks_shared shared;  // mapped when first asked for
    uint64_t own_budget;      // of an emulated device, steps a launch; 0: not asked yet
};

// ---- checked reading of requests: KS_E_USER says which key is wrong
enum ks_status ks_want_int(const json_t *object, const char *key, int64_t min, int64_t max,
                           int64_t *value, struct ks_err *err);
enum ks_status ks_want_text(const json_t *object, const char *key, const char **value,
                            struct ks_err *err);
enum ks_status ks_want_array(const json_t *object, const char *key, size_t max, const json_t **value,
                             struct ks_err *err);
// Absent: `fallback`.
enum ks_status ks_want_bool(const json_t *object, const char *key, bool fallback, bool *value,
                            struct ks_err *err);

// ---- verbs; each adds its members to `answer`. `payload` is the request's.
typedef enum ks_status ks_serve_verb(struct ks_serving *s, const json_t *request,
                                     struct ks_slice payload, json_t *answer, struct ks_err *err);
ks_serve_verb ks_serve_hello, ks_serve_module, ks_serve_function, ks_serve_buffers, ks_serve_run,
    ks_serve_fingerprint, ks_serve_sets, ks_serve_time, ks_serve_ceilings, ks_serve_count;
struct ks_serve_extra {
    const char *name;
    ks_serve_verb *verb;
};
// The bytes go out behind the answer: malloc'ed into *data; NULL where they went into shared memory.
enum ks_status ks_serve_read(struct ks_serving *s, const json_t *request, void **data, size_t *n,
                             struct ks_err *err);
enum ks_status ks_serve_gather(struct ks_serving *s, const json_t *request, struct ks_slice payload,
                               void **data, size_t *n, struct ks_err *err);

// ---- plans
// A poison word, or none (null: contents are left as they are).
struct ks_serve_poison {
    bool on;
    uint32_t word;
};
enum ks_status ks_serve_read_poison(const json_t *request, struct ks_serve_poison *poison,
                                    struct ks_err *err);
// The plan under `key` with the buffers of set `set`; lives in the request's arena.
enum ks_status ks_serve_plan(struct ks_serving *s, const json_t *request, const char *key, size_t set,
                             struct ks_dev_plan *plan, struct ks_err *err);

// ---- buffers
enum ks_status ks_serve_make_sets(struct ks_serving *s, size_t count, struct ks_err *err);
// Before a run: restores inout, poisons out and work of one set. Enqueues.
enum ks_status ks_serve_prepare(struct ks_serving *s, size_t set, struct ks_serve_poison poison,
                                struct ks_err *err);
// Fingerprints of device buffers.
enum ks_status ks_serve_prints(struct ks_serving *s, const size_t *device_buffers, size_t n, uint64_t *prints,
                               struct ks_err *err);
// After runs: canaries of everything, inputs of the sets in use. Failure: class "unsafe".
enum ks_status ks_serve_check(struct ks_serving *s, struct ks_err *err);
bool ks_serve_is_owner(const struct ks_serving *s, size_t buffer);

#endif
