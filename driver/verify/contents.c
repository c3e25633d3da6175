// What lies in a vector's buffers, and how it gets to a worker; declared in verify/vector.h.
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/num.h"
#include "base/parallel.h"
#include "verify/vary.h"

static const char *const init_names[] = {
    [KS_INIT_DEFAULT] = "default",   [KS_INIT_UNIFORM] = "uniform",
    [KS_INIT_NORMAL] = "normal",     [KS_INIT_RANDINT] = "randint",
    [KS_INIT_IOTA] = "iota",         [KS_INIT_PERMUTATION] = "permutation",
    [KS_INIT_CONSTANT] = "constant", [KS_INIT_FILE] = "file",
    [KS_INIT_CAPTURE] = "capture",
};

void ks_arg_put_float(struct ks_arg *arg, int lane, double value)
{
    enum ks_scalar scalar = arg->type.elem.scalar;
    unsigned char *at = arg->bytes + (size_t)lane * ks_scalar_size(scalar);
    float f = (float)value;
    uint16_t h = scalar == KS_T_F16 ? ks_f32_to_f16(f) : ks_f32_to_bf16(f);
    switch (scalar) {
    case KS_T_F32: memcpy(at, &f, sizeof f); break;
    case KS_T_F64: memcpy(at, &value, sizeof value); break;
    case KS_T_F16:
    case KS_T_BF16: memcpy(at, &h, sizeof h); break;
    default: break;
    }
}

struct signs {
    unsigned char *data;
    enum ks_scalar scalar;
    uint64_t pattern;
};

static void make_part_absolute(void *context, size_t part, int64_t first, int64_t count)
{
    const struct signs *s = context;
    (void)part;
    ks_fill_signs(s->data + (size_t)first * ks_scalar_size(s->scalar), s->scalar, s->pattern, first, count);
}

// |x| (with signs where `pattern` is not 0) of every number in a buffer of floats.
static void make_absolute(void *data, struct ks_elem elem, int64_t count, uint64_t pattern)
{
    struct signs signs = {data, elem.scalar, pattern};
    ks_parallel(count * elem.lanes, make_part_absolute, &signs);
}

struct ks_scalars ks_problem_scalars(const struct ks_problem *problem)
{
    struct ks_scalars scalars = {.n = 0};
    for (size_t i = 0; i < problem->n_args; i++) {
        const struct ks_arg *arg = &problem->args[i];
        for (int lane = 0; arg->kind == KS_ARG_SCALAR && arg->float_scalar && lane < arg->type.elem.lanes; lane++)
            if (scalars.n < sizeof scalars.at / sizeof *scalars.at)
                scalars.at[scalars.n++] = ks_scalar_value(arg->type.elem.scalar, arg->bytes, lane);
    }
    return scalars;
}

uint64_t ks_vector_slot_seed(const struct ks_vector *vector, size_t slot)
{
    return ks_hash_counter(vector->seed, slot) & INT64_MAX; // JSON integers are signed
}

bool ks_vector_is_here(const struct ks_vector *vector, size_t slot)
{
    return ks_init_is_read(&vector->problem.args[vector->layout.slots[slot].arg].init) || vector->literals != NULL ||
           vector->flooded == slot + 1 || vector->stripe > 0 || vector->brink == slot + 1 || ks_vary_twin_of(vector, slot) != slot;
}

static enum ks_family family_of(const struct ks_vector *vector, size_t slot)
{
    return vector->alone == 0 || vector->alone == slot + 1 ? vector->family : KS_FAMILY_DECLARED;
}

static uint64_t signs_of(uint64_t pattern, size_t index)
{
    return pattern == 0 ? 0 : pattern + index;
}

// What is there, but for few elements what its twin has.
static bool fill_twin(const struct ks_vector *vector, size_t index, const struct ks_init *init, void *out)
{
    const struct ks_slot *slot = &vector->layout.slots[index];
    const size_t of = ks_vary_twin_of(vector, index), size = slot->elem.size;
    if (of == index)
        return true;
    unsigned char *twin = calloc((size_t)slot->bytes + 1, 1), *own = out;
    KS_ASSERT(twin != NULL);
    bool ok = ks_fill_all(twin, slot->elem, init, family_of(vector, of), ks_vector_slot_seed(vector, of), slot->filled, NULL) == KS_OK;
    for (int64_t i = 0; ok && i < slot->filled; i++)
        if (!ks_vary_twin_differs(vector, ks_vector_slot_seed(vector, index), i))
            memcpy(own + (size_t)i * size, twin + (size_t)i * size, size);
    free(twin);
    return ok;
}

bool ks_vector_slot_bytes(const struct ks_vector *vector, size_t index, enum ks_contents contents,
                          uint64_t pattern, void *out)
{
    const struct ks_slot *slot = &vector->layout.slots[index];
    const struct ks_arg *arg = &vector->problem.args[slot->arg];
    struct ks_init init = arg->init;
    bool read = ks_init_is_read(&init), is_float = ks_scalar_is_float(slot->elem.scalar);
    bool kept = vector->family == KS_FAMILY_DECLARED || (init.kind == KS_INIT_FILE && !is_float);
    if (read && kept && !vector->problem.derived && !vector->problem.resized) {
        if (ks_fill_read(out, vector->problem.where, &init, slot->elem, slot->filled, NULL) != KS_OK)
            return false;
    } else {
        // What is promised of integers that are read is their range.
        if (read && !is_float)
            init = (struct ks_init){.kind = KS_INIT_RANDINT, .a = init.a, .b = init.b};
        else if (read)
            init = (struct ks_init){.kind = KS_INIT_DEFAULT, .normal = init.normal, .factors = init.factors,
                                    .nearer = init.nearer};
        if (ks_fill_all(out, slot->elem, &init, family_of(vector, index), ks_vector_slot_seed(vector, index),
                        slot->filled, NULL) != KS_OK || !fill_twin(vector, index, &init, out))
            return false;
    }
    if (vector->literals != NULL) {
        struct ks_scalars scalars = ks_problem_scalars(&vector->problem);
        uint64_t seed = ks_vector_slot_seed(vector, index);
        double base = vector->lattice == 0 || !is_float ? 0
                          : ks_literals_base(vector->literals, &scalars, vector->lattice - 1, slot->elem.scalar);
        if (vector->run > 0 && !is_float)
            ks_literals_runs(vector->literals, slot->elem, &init, vector->run, seed, slot->filled, out);
        else if (base != 0)
            ks_literals_lattice(base, slot->elem, seed, slot->filled, out);
        else
            ks_literals_plant(vector->literals, &scalars, slot->elem, &init, seed, slot->filled, out);
    }
    if (vector->stripe > 0)
        ks_vary_stripes(vector, index, out);
    if (vector->flooded == index + 1)
        ks_vary_flood(vector, out);
    if (vector->brink == index + 1 && vector->brinks != NULL)
        memcpy(out, vector->brinks, (size_t)slot->filled * slot->elem.size);
    if (is_float && (contents == KS_CONTENTS_ABSOLUTE || contents == KS_CONTENTS_SIGNED)) // integers may be indices
        make_absolute(out, slot->elem, slot->filled, signs_of(pattern, index));
    return true;
}

json_t *ks_vector_slot_fill(struct ks_arena *arena, const struct ks_vector *vector, size_t index,
                            bool ones)
{
    const struct ks_slot *slot = &vector->layout.slots[index];
    const struct ks_arg *arg = &vector->problem.args[slot->arg];
    return json_pack("{s:s,s:s,s:f,s:f,s:b,s:b,s:i,s:s,s:I,s:I}", "elem", ks_elem_text(arena, slot->elem),
                     "init", init_names[ones ? KS_INIT_CONSTANT : arg->init.kind], "a",
                     ones ? 1.0 : arg->init.a, "b", ones ? 1.0 : arg->init.b, "normal", arg->init.normal, "factors",
                     arg->init.factors, "nearer", arg->init.nearer, "family", ks_family_name(ones ? KS_FAMILY_DECLARED : family_of(vector, index)), "seed",
                     (json_int_t)ks_vector_slot_seed(vector, index), "total", (json_int_t)slot->filled);
}

enum ks_answer ks_vector_place(struct ks_arena *arena, const struct ks_vector *vector,
                               struct ks_worker *worker, struct ks_placement placement,
                               const int64_t *workspaces, size_t n_workspaces,
                               enum ks_contents contents, uint64_t pattern)
{
    static const char *const roles[] = {
        [KS_ROLE_IN] = "in", [KS_ROLE_INOUT] = "inout", [KS_ROLE_OUT] = "out"};
    const struct ks_layout *layout = &vector->layout;
    struct ks_slice *payloads = KS_NEW_ARRAY(arena, struct ks_slice, layout->n_slots);
    size_t n_payloads = 0;
    bool ok = true;
    json_t *list = json_array();
    for (size_t i = 0; ok && i < layout->n_slots; i++) {
        const struct ks_slot *slot = &layout->slots[i];
        size_t align = ks_placement_align(&placement, layout, i);
        if (placement.flush == KS_FLUSH_START)
            align = 256;
        json_t *item = json_pack("{s:I,s:I,s:s,s:i}", "bytes", (json_int_t)slot->bytes, "align",
                                 (json_int_t)align, "role", roles[slot->role], "alias", -1);
        json_array_append_new(list, item);
        if (slot->role == KS_ROLE_OUT)
            continue;
        bool is_float = ks_scalar_is_float(slot->elem.scalar);
        bool ones = contents == KS_CONTENTS_ONES && is_float;
        bool here = ks_vector_is_here(vector, i);
        if (here && !ones) {
            void *bytes = calloc((size_t)slot->bytes + 1, 1);
            ok = bytes != NULL && ks_vector_slot_bytes(vector, i, contents, pattern, bytes);
            payloads[n_payloads++] = (struct ks_slice){bytes, (size_t)slot->bytes};
            json_object_set_new(item, "fill", json_pack("{s:s}", "init", "bytes"));
        } else {
            json_t *fill = ks_vector_slot_fill(arena, vector, i, ones);
            if (is_float && (contents == KS_CONTENTS_ABSOLUTE || contents == KS_CONTENTS_SIGNED)) {
                json_object_set_new(fill, "absolute", json_true());
                json_object_set_new(fill, "signs", json_integer((json_int_t)signs_of(pattern, i)));
            }
            json_object_set_new(item, "fill", fill);
        }
    }
    for (size_t i = 0; i < n_workspaces; i++)
        json_array_append_new(list, json_pack("{s:I,s:i,s:s,s:i}", "bytes",
                                              (json_int_t)workspaces[i], "align", 256, "role",
                                              "work", "alias", -1));
    enum ks_answer answer = KS_ANSWER_TOOL;
    json_t *request = json_pack("{s:s,s:b,s:b,s:I,s:o}", "flush",
                                placement.flush == KS_FLUSH_START ? "start" : "end", "frozen",
                                placement.frozen, "shuffled", placement.shuffled, "chance",
                                (json_int_t)(placement.chance & INT64_MAX), "list", list);
    if (ok) {
        answer = ks_worker_send(worker, "buffers", request, payloads, n_payloads);
    } else {
        snprintf(worker->text, sizeof worker->text, "cannot fill the inputs of %s",
                 vector->problem.where);
        json_decref(request);
    }
    for (size_t i = 0; i < n_payloads; i++)
        free((void *)(uintptr_t)payloads[i].at);
    return answer;
}

double ks_vector_seconds(const struct ks_vector *vector)
{
    return 30 + (double)ks_problem_bytes(&vector->problem) / 5e7;
}

int64_t ks_vector_looks(const struct ks_vector *vector, size_t output)
{
    const struct ks_output *o = &vector->outputs[output];
    const struct ks_slot *slot = &vector->layout.slots[o->slot];
    return o->lanes != NULL ? o->n_lanes : slot->count * slot->elem.lanes;
}

enum ks_answer ks_vector_look(const struct ks_vector *vector, size_t output, struct ks_worker *worker, size_t size,
                              void *into)
{
    const struct ks_output *o = &vector->outputs[output];
    double seconds = 2 * ks_vector_seconds(vector);
    int64_t n = ks_vector_looks(vector, output);
    return o->lanes != NULL ? ks_worker_gather(worker, o->slot, size, o->lanes, n, into, seconds)
                            : ks_worker_read(worker, o->slot, 0, into, (size_t)n * size, seconds);
}

enum ks_answer ks_vector_placed(const struct ks_vector *vector, struct ks_worker *worker,
                                uint64_t *addresses)
{
    enum ks_answer answer = ks_worker_wait(worker, ks_vector_seconds(vector));
    if (answer != KS_ANSWER_OK)
        return answer;
    const json_t *list = json_object_get(worker->reply, "addresses");
    for (size_t i = 0; i < vector->layout.n_slots; i++) {
        const json_t *item = json_array_get(list, i);
        if (!json_is_integer(item)) {
            snprintf(worker->text, sizeof worker->text, "the worker gave no addresses");
            return KS_ANSWER_LIED;
        }
        addresses[i] = (uint64_t)json_integer_value(item);
    }
    return KS_ANSWER_OK;
}

enum ks_answer ks_vector_run(struct ks_worker *worker, json_t *plan, uint32_t poison, bool poisoned,
                             bool scrub, struct ks_run_limit limit, double *microseconds)
{
    json_t *request = json_pack("{s:O,s:b}", "plan", plan, "scrub", scrub);
    json_object_set_new(request, "poison", poisoned ? json_integer(poison) : json_null());
    if (limit.steps > 0)
        json_object_set_new(request, "steps", json_integer(limit.steps));
    if (limit.steps > 0 && limit.most > 0)
        json_object_set_new(request, "most", json_integer(limit.most));
    if (limit.serial)
        json_object_set_new(request, "serial", json_true());
    if (limit.trusts)
        json_object_set_new(request, "races", json_false());
    if (limit.crowd > 0)
        json_object_set_new(request, "crowd", json_integer(limit.crowd));
    enum ks_answer answer = ks_worker_ask(worker, "run", request, limit.seconds);
    if (answer == KS_ANSWER_OK) {
        *microseconds = ks_json_num(worker->reply, "microseconds", -1);
        worker->steps += ks_json_int(worker->reply, "steps", 0);
    }
    return answer;
}
