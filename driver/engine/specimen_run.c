#include "engine/specimen_run.h"

#include <float.h>
#include <math.h>
#include <string.h>

#include "base/num.h"
#include "device/emu/emu_device.h"
#include "workload/fill.h"

#define WIDER 64 // where all that is written is one value: a bias of a hundredth, cut off at zero
#define UNTOUCHED                                                                                  \
    0x4B // of every byte of what is only written: a large number, so that what adds to it shows

static double element(const unsigned char *at, enum ks_scalar scalar)
{
    union {
        uint64_t u64;
        int64_t i64;
        uint32_t u32;
        int32_t i32;
        uint16_t u16;
        int16_t i16;
        uint8_t u8;
        int8_t i8;
        float f32;
        double f64;
    } v = {0};
    memcpy(&v, at, ks_scalar_size(scalar));
    switch (scalar) {
    case KS_T_F64:
        return v.f64;
    case KS_T_F32:
        return (double)v.f32;
    case KS_T_F16:
        return (double)ks_f16_to_f32(v.u16);
    case KS_T_BF16:
        return (double)ks_bf16_to_f32(v.u16);
    case KS_T_U64:
        return (double)v.u64;
    case KS_T_I64:
        return (double)v.i64;
    case KS_T_U32:
        return v.u32;
    case KS_T_I32:
        return v.i32;
    case KS_T_U16:
        return v.u16;
    case KS_T_I16:
        return v.i16;
    case KS_T_I8:
        return v.i8;
    default:
        return v.u8;
    }
}

static void put(unsigned char *at, enum ks_scalar scalar, double value)
{
    const int64_t whole = (int64_t)value;
    const float single = (float)value;
    const uint16_t half = scalar == KS_T_F16 ? ks_f32_to_f16(single) : ks_f32_to_bf16(single);
    if (scalar == KS_T_F64)
        memcpy(at, &value, sizeof value);
    else if (scalar == KS_T_F32)
        memcpy(at, &single, sizeof single);
    else if (ks_scalar_is_float(scalar))
        memcpy(at, &half, sizeof half);
    else
        memcpy(at, &whole, ks_scalar_size(scalar)); // little endian
}

bool ks_specimen_is_above_zero(const struct ks_arg *a)
{
    return a->kind == KS_ARG_BUFFER && a->role != KS_ROLE_OUT && ks_scalar_is_float(a->elem.scalar) &&
           a->init.kind == KS_INIT_UNIFORM && a->init.a >= 0;
}

// Every third number is below zero.
static void turn_signs(const struct ks_arg *a, unsigned char *bytes)
{
    if (!ks_specimen_is_above_zero(a))
        return;
    for (int64_t i = 0; i < a->count; i++, bytes += a->elem.size)
        if (i % 3 == 1)
            put(bytes, a->elem.scalar, -element(bytes, a->elem.scalar));
}

// Integers stay within what their initialiser promises, and what it has none below zero of stays above: logarithms ask for that.
static void turn_data(const struct ks_specimen_data *data, const struct ks_arg *a, unsigned char *bytes)
{
    const bool floats = ks_scalar_is_float(a->elem.scalar);
    const bool ranged = a->init.kind == KS_INIT_RANDINT || a->init.kind == KS_INIT_UNIFORM;
    const bool below = ranged ? a->init.a < 0 : floats;
    if (data->low ? !below : !floats)
        return;
    for (int64_t i = 0; i < a->count; i++, bytes += a->elem.size) {
        const double value = element(bytes, a->elem.scalar);
        if (floats)
            put(bytes, a->elem.scalar, (data->low ? -1 - floor(2 * fabs(value)) : value) * data->size);
        else
            put(bytes, a->elem.scalar, fmax(-fmax(fabs(value), 1), ceil(a->init.a)));
    }
}

// One element in place of a number.
static double beyond(enum ks_specimen_beyond kind, int64_t i, double value)
{
    // Spread: at every third place a NaN would fill columns.
    const bool nan = i == 0 || ((uint32_t)i * 2654435761u >> (16 + kind)) % 3 == 0;
    switch (kind) {
    case KS_BEYOND_ALL_BELOW:
        return -INFINITY;
    case KS_BEYOND_ALL_ABOVE:
        return INFINITY;
    case KS_BEYOND_SOME_BELOW:
        return nan ? NAN : -1 - fabs(value);
    case KS_BEYOND_SOME_ABOVE:
        return nan ? NAN : 1 + fabs(value);
    case KS_BEYOND_ONE_ABOVE:
        return i == 0 ? INFINITY : value;
    case KS_BEYOND_LAST_BELOW:
        return nan ? NAN : -(double)FLT_MAX;
    case KS_BEYOND_LAST_ABOVE:
        return nan ? NAN : (double)FLT_MAX;
    default:
        return NAN;
    }
}

static void turn_beyond(const struct ks_specimen_data *data, const struct ks_arg *a, unsigned char *bytes)
{
    for (int64_t i = 0; i < a->count; i++, bytes += a->elem.size)
        put(bytes, a->elem.scalar, beyond(data->beyond, i, element(bytes, a->elem.scalar)));
}

static double *converted(struct ks_arena *arena, const unsigned char *bytes, const struct ks_arg *a)
{
    double *out = KS_NEW_ARRAY(arena, double, (size_t)a->count + 1);
    for (int64_t i = 0; i < a->count; i++)
        out[i] = element(bytes + (size_t)i * a->elem.size, a->elem.scalar);
    return out;
}

static enum ks_status place(struct ks_specimen_run *r, size_t i, uint64_t seed, struct ks_err *err)
{
    const struct ks_arg *a = &r->problem->args[i];
    int64_t bytes = a->count * (int64_t)a->elem.size;
    struct ks_dev_buffer out;
    struct ks_init init = a->init;
    if (init.kind == KS_INIT_UNIFORM && ks_scalar_is_float(a->elem.scalar)) {
        init.a *= r->wider;
        init.b *= r->wider;
    }
    r->bytes[i] = ks_arena_alloc(r->arena, (size_t)bytes + 8);
    if (a->role == KS_ROLE_OUT)
        memset(r->bytes[i], UNTOUCHED, (size_t)bytes);
    else
        KS_TRY(
            ks_fill_all(r->bytes[i], a->elem, &init, KS_FAMILY_DECLARED, seed + i, a->count, err));
    if (r->data.signs)
        turn_signs(a, r->bytes[i]);
    if (a->role != KS_ROLE_OUT && (r->data.low || r->data.size != 1))
        turn_data(&r->data, a, r->bytes[i]);
    if (r->data.beyond != KS_BEYOND_NOTHING && r->data.array == i)
        turn_beyond(&r->data, a, r->bytes[i]);
    KS_TRY(r->device.alloc(r->device.self, bytes, a->elem.align > 0 ? a->elem.align : 1,
                           KS_FLUSH_END, &r->buffers[i], &out, err));
    return r->device.write(r->device.self, r->buffers[i], 0, r->bytes[i], bytes, err);
}

static enum ks_status launch(struct ks_specimen_run *r, struct ks_err *err)
{
    const struct ks_problem *p = r->problem;
    struct ks_dev_step step = {.function = r->function, .shared = (unsigned)p->shared};
    step.args = KS_NEW_ARRAY(r->arena, struct ks_dev_arg, p->n_params + 1);
    step.n_args = p->n_params;
    for (size_t i = 0; i < p->n_params; i++) {
        struct ks_dev_arg *arg = &step.args[i];
        if (p->args[i].kind == KS_ARG_BUFFER) {
            *arg = (struct ks_dev_arg){.kind = KS_DARG_BUFFER, .buffer = r->buffers[i]};
            continue;
        }
        if (p->args[i].kind == KS_ARG_STRUCT) {
            *arg = (struct ks_dev_arg){.kind = KS_DARG_STRUCT, .size = p->args[i].size};
            arg->block = ks_arena_memdup(r->arena, p->args[i].block->bytes, arg->size);
            continue;
        }
        *arg = (struct ks_dev_arg){.kind = KS_DARG_BYTES, .size = p->args[i].size};
        memcpy(arg->bytes, p->args[i].bytes, p->args[i].size);
    }
    for (int k = 0; k < 3; k++) {
        step.grid[k] = (unsigned)p->grid[k];
        step.block[k] = (unsigned)p->block[k];
    }
    struct ks_dev_plan plan = {&step, 1};
    KS_TRY(r->device.run(r->device.self, &plan, NULL, err));
    r->executed += ks_emu_device_executed(&r->device);
    if (ks_emu_device_executed(&r->device) >= KS_SPECIMEN_INSTRUCTIONS)
        KS_FAIL(err, KS_E_LIMIT, "the smallest sizes are too large for the emulated device");
    return KS_OK;
}

static enum ks_status take(struct ks_specimen_run *r, size_t i, struct ks_specimen *s, struct ks_err *err)
{
    const struct ks_arg *a = &r->problem->args[i];
    size_t bytes = (size_t)a->count * a->elem.size;
    unsigned char *now = ks_arena_alloc(r->arena, bytes + 8);
    KS_TRY(r->device.read(r->device.self, r->buffers[i], 0, now, (int64_t)bytes, err));
    s->before[i] = converted(r->arena, r->bytes[i], a);
    s->after[i] = converted(r->arena, now, a);
    s->written[i] = KS_NEW_ARRAY(r->arena, bool, (size_t)a->count + 1);
    double squares = 0, n = 0;
    for (int64_t k = 0; k < a->count; k++) {
        size_t at = (size_t)k * a->elem.size;
        s->written[i][k] = memcmp(r->bytes[i] + at, now + at, a->elem.size) != 0;
        if (s->written[i][k] && isfinite(s->after[i][k])) {
            squares += s->after[i][k] * s->after[i][k];
            n++;
        }
    }
    s->scale[i] = n > 0 && isfinite(squares) ? sqrt(squares / n) : 0;
    return KS_OK;
}

static enum ks_status run_one(struct ks_specimen_run *r, const struct ks_problem *problem,
                              struct ks_specimen *s, struct ks_err *err)
{
    size_t n = problem->n_args;
    s->problem = *problem;
    s->data = r->data;
    s->before = KS_NEW_ARRAY(r->arena, double *, n + 1);
    s->after = KS_NEW_ARRAY(r->arena, double *, n + 1);
    s->written = KS_NEW_ARRAY(r->arena, bool *, n + 1);
    s->scale = KS_NEW_ARRAY(r->arena, double, n + 1);
    s->scalar = KS_NEW_ARRAY(r->arena, double, n + 1);
    r->problem = problem;
    r->bytes = KS_NEW_ARRAY(r->arena, unsigned char *, n + 1);
    r->buffers = KS_NEW_ARRAY(r->arena, size_t, n + 1);
    enum ks_status status = KS_OK;
    for (size_t i = 0; i < n && status == KS_OK; i++) {
        if (problem->args[i].kind == KS_ARG_BUFFER)
            status = place(r, i, 977 * (i + 1), err);
        else if (problem->args[i].kind == KS_ARG_SCALAR)
            s->scalar[i] = element(problem->args[i].bytes, problem->args[i].type.elem.scalar);
    }
    if (status == KS_OK)
        status = launch(r, err);
    for (size_t i = 0; i < n && status == KS_OK; i++)
        if (problem->args[i].kind == KS_ARG_BUFFER)
            status = take(r, i, s, err);
    r->device.free_all(r->device.self, NULL);
    return status;
}

// Whether several floats were written and all are the same: any formula of that value would do.
static bool is_flat(const struct ks_specimen *s)
{
    int64_t n = 0, same = 0;
    for (size_t i = 0; i < s->problem.n_args; i++) {
        const struct ks_arg *a = &s->problem.args[i];
        const double *first = NULL;
        for (int64_t k = 0; s->written[i] && ks_scalar_is_float(a->elem.scalar) && k < a->count;
             k++) {
            if (!s->written[i][k])
                continue;
            if (first == NULL)
                first = &s->after[i][k];
            n++;
            same += s->after[i][k] == *first;
        }
    }
    return n > 1 && same == n;
}

enum ks_status ks_specimen_make(struct ks_specimen_run *r, const struct ks_problem *problem, struct ks_specimen *s,
                                struct ks_err *err)
{
    struct ks_specimen other = {0};
    r->wider = 1;
    KS_TRY(run_one(r, problem, s, err));
    r->wider = WIDER;
    if (is_flat(s) && run_one(r, problem, &other, err) == KS_OK && !is_flat(&other))
        *s = other;
    return KS_OK;
}

// Where assert() calls what ends it, by the number that the canonical text has for that ("#g2"), or NULL.
static const char *assert_fails(struct ks_arena *arena, const char *canonical)
{
    static const char head[] = "\n.extern __assertfail:.func ";
    const char *at = strstr(canonical, head);
    return at ? ks_arena_strndup(arena, at + sizeof head - 1, strcspn(at + sizeof head - 1, "(\n")) : NULL;
}

// The canonical text as the emulated device reads it: names without '#', zeros for an assert's place, and an end to
// variables of the module. Shared memory whose size the launch says stands there as ".extern:.shared ...".
static char *readable(struct ks_arena *arena, const char *canonical)
{
    struct ks_buf out = KS_BUF(64 << 20);
    const char *fails = assert_fails(arena, canonical);
    for (const char *at = canonical; *at;) {
        bool sized = strncmp(at, ".extern:.shared ", 16) == 0;
        if (sized)
            ks_buf_puts(&out, ".extern ");
        at += sized ? 8 : 0;
        size_t n = strcspn(at, "\n");
        if (fails && strncmp(at, ".extern __assertfail:", 21) == 0) {
            at += n + (at[n] == '\n');
            continue;
        }
        bool variable = (strncmp(at, ".shared ", 8) == 0 || strncmp(at, ".const ", 7) == 0 ||
                         strncmp(at, ".global ", 8) == 0) &&
                        n > 0 && at[n - 1] != ';';
        for (size_t i = 0; i < n; i++) {
            size_t end = i + 1 + strspn(at + i + 1, "abcdefghijklmnopqrstuvwxyz0123456789");
            bool place = fails && at[i] == '#' && end == i + 2 && at[i + 1] == 'a';
            bool call = fails && end - i == strlen(fails) && strncmp(at + i, fails, end - i) == 0;
            if (place || call) {
                ks_buf_puts(&out, place ? "0" : "__assertfail");
                i = end - 1;
                continue;
            }
            ks_buf_putc(&out, at[i] == '#' ? '$' : at[i]);
        }
        ks_buf_puts(&out, variable ? ";\n" : "\n");
        at += n + (at[n] == '\n');
    }
    char *text = ks_arena_strdup(arena, ks_buf_text(&out));
    ks_buf_free(&out);
    return text;
}

void ks_specimen_settle(struct ks_specimen_run *r)
{
    struct ks_emu_settings *settings = ks_emu_device_settings(&r->device);
    settings->vary = settings->races = false;
    settings->budget = KS_SPECIMEN_INSTRUCTIONS;
}

enum ks_status ks_specimen_load(struct ks_specimen_run *r, const struct ks_brief *brief, struct ks_err *err)
{
    if (brief->canonical_ptx == NULL)
        KS_FAIL(err, KS_E_UNSUPPORTED, "the kernel's PTX is not at hand");
    char *text = readable(r->arena, brief->canonical_ptx), name[64];
    const char *entry = strstr(text, ".entry ");
    size_t n = entry ? strcspn(entry + 7, "( \n") : 0;
    if (n == 0 || n >= sizeof name)
        KS_FAIL(err, KS_E_UNSUPPORTED, "the kernel's PTX has no entry");
    memcpy(name, entry + 7, n);
    name[n] = '\0';
    void *module;
    KS_TRY(r->device.module(r->device.self, ks_slice_of(text), &module, err));
    return r->device.function(r->device.self, module, name, &r->function, NULL, err);
}
