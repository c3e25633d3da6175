// Plans as they come in a request, made ready for the device.

#include <string.h>

#include "device/emu/emu_device.h"
#include "verify/worker/serving.h"

#define MAX_STEPS 256
#define MAX_ARGS 256
#define MAX_SHOWN 80 // bytes of a name in messages
#define MAX_STRUCT 32764 // bytes of all of a kernel's parameters, CUDA programming guide

static bool hex_digit(char c, unsigned *value)
{
    if (c >= '0' && c <= '9')
        *value = (unsigned)(c - '0');
    else if (c >= 'a' && c <= 'f')
        *value = (unsigned)(c - 'a') + 10;
    else
        return false;
    return true;
}

static enum ks_status read_hex(const char *text, unsigned char *out, size_t most, size_t *size, struct ks_err *err)
{
    size_t n = strlen(text);
    if (n == 0 || n % 2 != 0 || n / 2 > most)
        KS_FAIL(err, KS_E_USER, "\"hex\" must be 1 to %zu bytes", most);
    for (size_t i = 0; i < n / 2; i++) {
        unsigned high, low;
        if (!hex_digit(text[2 * i], &high) || !hex_digit(text[2 * i + 1], &low))
            KS_FAIL(err, KS_E_USER, "\"hex\" must be lower-case hexadecimal digits");
        out[i] = (unsigned char)(high << 4 | low);
    }
    *size = n / 2;
    return KS_OK;
}

static enum ks_status read_struct(struct ks_serving *s, const char *hex, const json_t *pointers, size_t set,
                                  struct ks_dev_arg *arg, struct ks_err *err)
{
    arg->kind = KS_DARG_STRUCT;
    arg->block = ks_arena_alloc(&s->request, strlen(hex) / 2 + 1);
    KS_TRY(read_hex(hex, arg->block, MAX_STRUCT, &arg->size, err));
    arg->n_pointers = json_array_size(pointers);
    arg->pointers = KS_NEW_ARRAY(&s->request, struct ks_dev_pointer, arg->n_pointers);
    for (size_t i = 0; i < arg->n_pointers; i++) {
        const json_t *pair = json_array_get(pointers, i);
        json_int_t at = json_integer_value(json_array_get(pair, 0));
        json_int_t buffer = json_integer_value(json_array_get(pair, 1));
        if (json_array_size(pair) != 2 || at < 0 || (size_t)at + sizeof(uint64_t) > arg->size || buffer < 0 ||
            (size_t)buffer >= s->n_buffers)
            KS_FAIL(err, KS_E_USER, "\"pointers\" are pairs of a byte in the struct and a buffer");
        arg->pointers[i] = (struct ks_dev_pointer){(size_t)at, s->sets[set][buffer]};
    }
    return KS_OK;
}

// What messages call a buffer or a kernel; NULL where the request does not say.
static enum ks_status want_shown(struct ks_serving *s, const json_t *item, const char **shown, struct ks_err *err)
{
    *shown = NULL;
    if (json_object_get(item, "shown") == NULL)
        return KS_OK;
    KS_TRY(ks_want_text(item, "shown", shown, err));
    *shown = ks_arena_printf(&s->request, "%.*s", MAX_SHOWN, *shown);
    return KS_OK;
}

static enum ks_status read_arg(struct ks_serving *s, const json_t *item, size_t set,
                               struct ks_dev_arg *arg, struct ks_err *err)
{
    const char *hex = json_string_value(json_object_get(item, "hex"));
    int64_t buffer;
    if (hex != NULL && json_object_get(item, "pointers") != NULL)
        return read_struct(s, hex, json_object_get(item, "pointers"), set, arg, err);
    arg->kind = KS_DARG_BYTES;
    if (hex != NULL)
        return read_hex(hex, arg->bytes, sizeof arg->bytes, &arg->size, err);
    KS_TRY(ks_want_int(item, "buffer", 0, (int64_t)s->n_buffers - 1, &buffer, err));
    arg->kind = KS_DARG_BUFFER;
    arg->buffer = s->sets[set][buffer];
    const char *shown;
    KS_TRY(want_shown(s, item, &shown, err));
    if (shown != NULL && ks_device_emulated(s->device.kind))
        ks_emu_device_name(&s->device, arg->buffer, shown);
    return KS_OK;
}

static enum ks_status read_dims(const json_t *item, const char *key, unsigned out[3],
                                struct ks_err *err)
{
    const json_t *list;
    KS_TRY(ks_want_array(item, key, 3, &list, err));
    for (size_t i = 0; i < 3; i++) {
        const json_t *value = json_array_get(list, i);
        int64_t n = json_is_integer(value) ? json_integer_value(value) : -1;
        if (n < 0 || n > UINT32_MAX) // zero goes to the device, which refuses it by name
            KS_FAIL(err, KS_E_USER, "\"%s\" must be three integers from 0", key);
        out[i] = (unsigned)n;
    }
    return KS_OK;
}

static enum ks_status find_function(struct ks_serving *s, const json_t *item, void **function,
                                    struct ks_err *err)
{
    const char *module, *name;
    KS_TRY(ks_want_text(item, "module", &module, err));
    KS_TRY(ks_want_text(item, "kernel", &name, err));
    for (int pass = 0; pass < 2; pass++) {
        ks_vec_each(struct ks_serve_function, f, &s->functions)
            if (strcmp(f->module, module) == 0 && strcmp(f->name, name) == 0) {
                *function = f->handle;
                return KS_OK;
            }
        // Not looked up by a `function` request yet.
        json_t *request = json_pack("{s:s,s:s}", "module", module, "name", name);
        json_t *answer = json_object();
        enum ks_status status =
            ks_serve_function(s, request, (struct ks_slice){0}, answer, err);
        json_decref(request);
        json_decref(answer);
        KS_TRY(status);
    }
    KS_FAIL(err, KS_E_INTERNAL, "function %s was not kept", name);
}

static enum ks_status read_step(struct ks_serving *s, const json_t *item, size_t set,
                                struct ks_dev_step *step, struct ks_err *err)
{
    int64_t number;
    if (!json_is_object(item))
        KS_FAIL(err, KS_E_USER, "a step is an object");
    if (json_object_get(item, "memset") != NULL) {
        KS_TRY(ks_want_int(item, "memset", 0, (int64_t)s->n_buffers - 1, &number, err));
        step->buffer = s->sets[set][number];
        KS_TRY(ks_want_int(item, "value", 0, 255, &number, err));
        step->value = (int)number;
        return KS_OK;
    }
    const json_t *args;
    KS_TRY(find_function(s, item, &step->function, err));
    KS_TRY(want_shown(s, item, &step->shown, err));
    KS_TRY(read_dims(item, "grid", step->grid, err));
    KS_TRY(read_dims(item, "block", step->block, err));
    KS_TRY(ks_want_int(item, "shared", 0, INT32_MAX, &number, err));
    step->shared = (unsigned)number;
    KS_TRY(ks_want_array(item, "args", MAX_ARGS, &args, err));
    step->n_args = json_array_size(args);
    step->args = KS_NEW_ARRAY(&s->request, struct ks_dev_arg, step->n_args);
    for (size_t i = 0; i < step->n_args; i++)
        KS_TRY(read_arg(s, json_array_get(args, i), set, &step->args[i], err));
    return KS_OK;
}

enum ks_status ks_serve_plan(struct ks_serving *s, const json_t *request, const char *key, size_t set,
                             struct ks_dev_plan *plan, struct ks_err *err)
{
    const json_t *list;
    KS_TRY(ks_want_array(request, key, MAX_STEPS, &list, err));
    if (s->n_sets == 0)
        KS_FAIL(err, KS_E_USER, "make the buffers before a plan that uses them");
    plan->n_steps = json_array_size(list);
    if (plan->n_steps == 0)
        KS_FAIL(err, KS_E_USER, "\"%s\" has no steps", key);
    plan->steps = KS_NEW_ARRAY(&s->request, struct ks_dev_step, plan->n_steps);
    for (size_t i = 0; i < plan->n_steps; i++)
        KS_TRY(read_step(s, json_array_get(list, i), set, &plan->steps[i], err));
    return KS_OK;
}
