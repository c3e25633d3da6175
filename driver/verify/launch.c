#include "verify/launch_member.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/num.h"

#define DEFAULT_STATIC_SMEM (48 * 1024)
#define MAX_ALIGN_LOG2 8
#define PREDICTED_SPACING ((uint64_t)1 << 44) // more than any buffer (2^40 bytes in all)

struct ks_layout ks_layout_of(struct ks_arena *arena, const struct ks_problem *problem)
{
    struct ks_layout layout = {.slots = KS_NEW_ARRAY(arena, struct ks_slot, problem->n_args),
                               .slot_of = KS_NEW_ARRAY(arena, size_t, problem->n_args)};
    for (size_t i = 0; i < problem->n_args; i++)
        layout.slot_of[i] = KS_NO_BUFFER;
    for (size_t i = 0; i < problem->n_args; i++) {
        const struct ks_arg *arg = &problem->args[i];
        if (arg->kind != KS_ARG_BUFFER)
            continue;
        size_t root = i;
        for (size_t hops = 0; problem->args[root].alias_of >= 0 && hops < problem->n_args; hops++)
            root = (size_t)problem->args[root].alias_of;
        int64_t bytes = arg->count * (int64_t)arg->elem.size;
        // alias(y,x) gives y the role of x's clause; what y's type lets it write, it may write.
        enum ks_array_role role = arg->role;
        if (arg->alias_of >= 0 && role == KS_ROLE_IN && !arg->type.pointee_const)
            role = KS_ROLE_INOUT;
        if (layout.slot_of[root] == KS_NO_BUFFER) {
            layout.slot_of[root] = layout.n_slots;
            layout.slots[layout.n_slots++] =
                (struct ks_slot){role, i, arg->elem, arg->count, bytes, 0};
        } else {
            struct ks_slot *slot = &layout.slots[layout.slot_of[root]];
            if (slot->role != role) {
                if (slot->role == KS_ROLE_OUT) { // contents are those of the argument that is read
                    slot->arg = i;
                    slot->elem = arg->elem;
                    slot->count = arg->count;
                }
                slot->role = KS_ROLE_INOUT;
            }
            if (bytes > slot->bytes) {
                slot->bytes = bytes;
                slot->count = bytes / (int64_t)slot->elem.size;
            }
        }
        layout.slot_of[i] = layout.slot_of[root];
    }
    for (size_t i = 0; i < layout.n_slots; i++)
        layout.slots[i].filled = layout.slots[i].count;
    return layout;
}

void ks_layout_skew(struct ks_layout *layout, int skew, int64_t elements)
{
    for (size_t i = 0; i < layout->n_slots; i++) {
        if (skew != KS_SKEW_ALL && (int)i + KS_SKEW_ONE != skew)
            continue;
        layout->slots[i].count += elements;
        layout->slots[i].bytes += elements * (int64_t)layout->slots[i].elem.size;
    }
}

static bool geometry(const struct ks_problem *problem, const char *name, int64_t *value)
{
    const int64_t *dims = NULL;
    if (strcmp(name, "shared") == 0) {
        *value = problem->shared;
        return true;
    }
    if (strncmp(name, "grid.", 5) == 0)
        dims = problem->grid, name += 5;
    else if (strncmp(name, "block.", 6) == 0)
        dims = problem->block, name += 6;
    if (dims == NULL || name[0] < 'x' || name[0] > 'z' || name[1] != '\0')
        return false;
    *value = dims[name[0] - 'x'];
    return true;
}

bool ks_scope_lookup(void *context, const char *name, int64_t *value)
{
    const struct ks_scope *scope = context;
    const struct ks_problem *problem = scope->problem;
    struct ks_struct_member member;
    if (geometry(problem, name, value))
        return true;
    int parent = ks_member_parent(scope, name, &member);
    if (parent >= 0)
        return ks_member_value(scope, (size_t)parent, &member, value);
    for (size_t i = 0; i < problem->n_params; i++) {
        if (strcmp(ks_scope_param(scope, i), name) != 0)
            continue;
        if (problem->args[i].kind == KS_ARG_STRUCT)
            return false;
        if (ks_arg_is_null(&problem->args[i])) {
            *value = 0;
            return true;
        }
        if (problem->args[i].kind == KS_ARG_SCALAR)
            return ks_arg_integer(&problem->args[i], value);
        if (scope->addresses == NULL)
            return false;
        *value = (int64_t)scope->addresses[scope->layout->slot_of[i]];
        return true;
    }
    if (scope->decl != NULL && scope->signature != NULL &&
        ks_signature_value(scope->decl, scope->signature, name, value))
        return true;
    for (size_t i = 0; scope->proposal != NULL && i < scope->proposal->n_workspaces; i++)
        if (strcmp(scope->proposal->workspaces[i].name, name) == 0 && scope->workspaces != NULL) {
            *value = scope->workspaces[i];
            return true;
        }
    return false;
}

// Names of an assumption are the mark's: its parameters, lets and template values.
static bool mark_lookup(void *context, const char *name, int64_t *value)
{
    struct ks_scope scope = *(const struct ks_scope *)context;
    scope.proposal = NULL;
    return ks_scope_lookup(&scope, name, value) || ks_problem_value(scope.problem, name, value);
}

bool ks_scope_admits(struct ks_scope *scope)
{
    for (size_t i = 0; scope->mark != NULL && i < scope->mark->n_assumes; i++)
        if (!ks_expr_holds(scope->mark->assumes[i], mark_lookup, scope))
            return false;
    return scope->proposal == NULL || ks_expr_holds(scope->proposal->when, ks_scope_lookup, scope);
}

size_t ks_placement_align(const struct ks_placement *placement, const struct ks_layout *layout,
                          size_t slot)
{
    size_t align = layout->slots[slot].elem.align, own = (size_t)1 << placement->log2[slot];
    align = own > align ? own : align;
    return placement->align > align ? placement->align : align;
}

void ks_placement_predict(const struct ks_layout *layout, struct ks_placement placement,
                          uint64_t *addresses)
{
    for (size_t i = 0; i < layout->n_slots; i++) {
        const struct ks_slot *slot = &layout->slots[i];
        size_t align = ks_placement_align(&placement, layout, i);
        uint64_t end = (uint64_t)(i + 2) * PREDICTED_SPACING;
        addresses[i] = placement.flush == KS_FLUSH_START
                           ? end - PREDICTED_SPACING / 2
                           : (end - (uint64_t)slot->bytes) & ~(uint64_t)(align - 1);
    }
}

static bool admits_at(struct ks_scope *scope, const struct ks_placement *placement)
{
    uint64_t addresses[KS_LAUNCH_SLOTS];
    const uint64_t *before = scope->addresses;
    ks_placement_predict(scope->layout, *placement, addresses);
    scope->addresses = addresses;
    bool admits = ks_scope_admits(scope);
    scope->addresses = before;
    return admits;
}

bool ks_placement_choose(struct ks_scope *scope, enum ks_flush flush,
                         struct ks_placement *placement)
{
    size_t n = scope->layout->n_slots;
    if (n > KS_LAUNCH_SLOTS)
        return false;
    *placement = (struct ks_placement){.flush = KS_FLUSH_START};
    if (flush == KS_FLUSH_START)
        return admits_at(scope, placement);
    for (int power = 0; power <= MAX_ALIGN_LOG2; power++) {
        *placement = (struct ks_placement){.flush = KS_FLUSH_END};
        memset(placement->log2, power, n);
        if (!admits_at(scope, placement))
            continue;
        // What the guard asks of one pointer is not given to the others.
        for (size_t i = 0; i < n; i++)
            for (unsigned char least = 0; least <= power; least++) {
                placement->log2[i] = least;
                if (admits_at(scope, placement))
                    break;
            }
        return true;
    }
    *placement = (struct ks_placement){.flush = KS_FLUSH_START};
    return admits_at(scope, placement);
}

// Numbers are told where sizes are the declared ones alone: of others they would tell what was drawn.
static void tell_number(const struct ks_scope *scope, int64_t value, char text[32])
{
    text[0] = '\0';
    if (!scope->problem->derived)
        snprintf(text, 32, "%" PRId64 ", ", value);
}

// One number of a plan, `*value` where there is no expression. false: `reason` says what is wrong with `what`.
static bool plan_number(struct ks_scope *scope, const struct ks_expr *expr, int64_t least, int64_t most,
                        int64_t *value, const char *what, char reason[256])
{
    char why[KS_EXPR_WHY], number[32];
    if (expr == NULL)
        return true;
    if (!ks_expr_eval(expr, ks_scope_lookup, scope, value)) {
        ks_expr_explain(expr, ks_scope_lookup, scope, why);
        snprintf(reason, 256, "%s is undefined: %s", what, why);
        return false;
    }
    if (*value >= least && *value <= most)
        return true;
    bool below = *value < least;
    tell_number(scope, *value, number);
    snprintf(reason, 256, "%s is %s%s %" PRId64, what, number, below ? "below" : "above", below ? least : most);
    return false;
}

bool ks_launch_workspaces(struct ks_scope *scope, const struct ks_device_info *device,
                          int64_t *bytes, char reason[256])
{
    int64_t total = 0, room = device->memory_free / 2;
    for (size_t i = 0; i < scope->proposal->n_workspaces; i++) {
        const struct ks_workspace *w = &scope->proposal->workspaces[i];
        char what[96], number[32];
        snprintf(what, sizeof what, "size of workspace `%.60s`", w->name);
        if (!plan_number(scope, w->bytes, 0, INT64_MAX, &bytes[i], what, reason))
            return false;
        if (!ks_add_i64(total, bytes[i], &total) || total > room) {
            tell_number(scope, bytes[i], number);
            snprintf(reason, 256, "%s is %s%s half of the device's free memory, %" PRId64, what, number,
                     bytes[i] > room ? "above" : "with those before it above", room);
            return false;
        }
    }
    return true;
}

json_t *ks_launch_bytes(const void *data, size_t n)
{
    char text[2 * 64 + 1];
    const unsigned char *at = data;
    KS_ASSERT(n <= 64);
    for (size_t i = 0; i < n; i++)
        snprintf(text + 2 * i, 3, "%02x", at[i]);
    text[2 * n] = '\0';
    return json_pack("{s:s}", "hex", text);
}

static json_t *struct_argument(const struct ks_scope *scope, size_t index)
{
    const struct ks_problem *problem = scope->problem;
    const struct ks_block *block = problem->args[index].block;
    struct ks_buf text = KS_BUF(1 << 17);
    json_t *pointers = json_array();
    for (size_t i = 0; i < block->size; i++)
        ks_buf_printf(&text, "%02x", block->bytes[i]);
    for (size_t i = problem->n_params; i < problem->n_args; i++)
        if (problem->args[i].parent == index && problem->args[i].kind == KS_ARG_BUFFER)
            json_array_append_new(pointers, json_pack("[I,I]", (json_int_t)problem->args[i].at,
                                                      (json_int_t)scope->layout->slot_of[i]));
    json_t *arg = json_pack("{s:s,s:o}", "hex", ks_buf_text(&text), "pointers", pointers);
    ks_buf_free(&text);
    return arg;
}

// The address of a buffer, with what messages call it: "buffer `x`", "workspace `w`".
static json_t *buffer_argument(size_t buffer, const char *what, const char *name)
{
    json_t *arg = json_pack("{s:I}", "buffer", (json_int_t)buffer);
    if (name[0] != '\0')
        json_object_set_new(arg, "shown", json_sprintf("%s `%.60s`", what, name));
    return arg;
}

// An argument as the original takes it.
static json_t *own_argument(const struct ks_scope *scope, size_t index)
{
    const struct ks_arg *arg = &scope->problem->args[index];
    switch (arg->kind) {
    case KS_ARG_BUFFER:
        return buffer_argument((size_t)scope->layout->slot_of[index], "buffer", ks_scope_param(scope, index));
    case KS_ARG_STRUCT:
        return struct_argument(scope, index);
    default:
        return ks_launch_bytes(arg->bytes, arg->size);
    }
}

// The value in the bytes of a kernel parameter; false when it does not fit the type.
static bool convert(int64_t value, struct ks_elem elem, unsigned char out[8])
{
    size_t size = ks_scalar_size(elem.scalar);
    if (elem.lanes != 1 || size == 0)
        return false;
    if (elem.scalar == KS_T_F32) {
        float f = (float)value;
        if (f >= 0x1p63f || (int64_t)f != value)
            return false;
        memcpy(out, &f, sizeof f);
        return true;
    }
    if (elem.scalar == KS_T_F64) {
        double d = (double)value;
        if (d >= 0x1p63 || (int64_t)d != value)
            return false;
        memcpy(out, &d, sizeof d);
        return true;
    }
    if (ks_scalar_is_float(elem.scalar))
        return false;
    int bits = (int)size * 8;
    if (elem.scalar == KS_T_BOOL) {
        if (value != 0 && value != 1)
            return false;
    } else if (ks_scalar_is_signed(elem.scalar)) {
        if (bits < 64 && (value < -((int64_t)1 << (bits - 1)) || value >= (int64_t)1 << (bits - 1)))
            return false;
    } else if (value < 0 || (bits < 64 && value >= (int64_t)1 << bits)) {
        return false;
    }
    memcpy(out, &value, size); // little-endian host and device
    return true;
}

// NULL: `why` says what keeps the expression from being an argument of that type.
static json_t *plan_argument(struct ks_scope *scope, const struct ks_expr *expr,
                             const struct ks_type *type, char why[KS_EXPR_WHY])
{
    snprintf(why, KS_EXPR_WHY, type->pointer ? "is no pointer, as its parameter is"
                                             : "is not of its parameter's type");
    const struct ks_problem *problem = scope->problem;
    if (expr->op == KS_X_NAME) {
        for (size_t i = 0; i < problem->n_params; i++) {
            const struct ks_arg *arg = &problem->args[i];
            int64_t ignored;
            if (strcmp(ks_scope_param(scope, i), expr->name) != 0)
                continue;
            if (arg->kind == KS_ARG_BUFFER || ks_arg_is_null(arg))
                return type->pointer ? own_argument(scope, i) : NULL;
            if (!ks_arg_integer(arg, &ignored) || type->elem.size == 0) // a struct, or an enum by name
                return !type->pointer && (type->elem.size == 0 || type->elem.size == arg->size)
                           ? own_argument(scope, i)
                           : NULL;
        }
        for (size_t i = 0; i < scope->proposal->n_workspaces; i++)
            if (strcmp(scope->proposal->workspaces[i].name, expr->name) == 0 && type->pointer)
                return buffer_argument(scope->layout->n_slots + scope->first_workspace + i, "workspace",
                                       expr->name);
        struct ks_struct_member member;
        int parent = ks_member_parent(scope, expr->name, &member);
        json_t *arg = parent >= 0 ? ks_member_argument(scope, (size_t)parent, &member, type) : NULL;
        if (arg != NULL)
            return arg;
    }
    int64_t value;
    unsigned char bytes[8];
    char part[KS_EXPR_WHY], number[32];
    if (type->pointer)
        return NULL;
    if (!ks_expr_eval(expr, ks_scope_lookup, scope, &value)) {
        ks_expr_explain(expr, ks_scope_lookup, scope, part);
        snprintf(why, KS_EXPR_WHY, "is undefined: %.110s", part);
        return NULL;
    }
    if (!convert(value, type->elem, bytes)) {
        tell_number(scope, value, number);
        snprintf(why, KS_EXPR_WHY, "is %s its parameter cannot hold",
                 number[0] != '\0' ? strcat(number, "which") : "a value that");
        return NULL;
    }
    return ks_launch_bytes(bytes, ks_scalar_size(type->elem.scalar));
}

static bool plan_dimension(struct ks_scope *scope, const struct ks_expr *expr, size_t number,
                           const char *of, int axis, int64_t most, int64_t *value, char reason[256])
{
    char what[64];
    *value = 1;
    snprintf(what, sizeof what, "step %zu: %s.%c", number, of, "xyz"[axis]);
    return plan_number(scope, expr, 1, most, value, what, reason);
}

static json_t *kernel_step(struct ks_scope *scope, const struct ks_device_info *device,
                           const struct ks_step *step, size_t number, const char *module,
                           const char *const *names, char reason[256])
{
    static const int64_t grid_max[3] = {INT32_MAX, 65535, 65535}, block_max[3] = {1024, 1024, 64};
    int64_t grid[3], block[3], shared = 0;
    char what[64], why[KS_EXPR_WHY];
    for (int d = 0; d < 3; d++)
        if (!plan_dimension(scope, step->grid[d], number, "grid", d, grid_max[d], &grid[d], reason) ||
            !plan_dimension(scope, step->block[d], number, "block", d, block_max[d], &block[d], reason))
            return NULL;
    if (block[0] * block[1] * block[2] > 1024) {
        snprintf(reason, 256, "step %zu: more than 1024 threads a block", number);
        return NULL;
    }
    int64_t smem = device->smem_optin > 0 ? device->smem_optin : DEFAULT_STATIC_SMEM;
    snprintf(what, sizeof what, "step %zu: shared memory", number);
    if (!plan_number(scope, step->shared, 0, smem, &shared, what, reason))
        return NULL;
    size_t k = 0;
    while (k < scope->proposal->kernels.len &&
           strcmp(scope->proposal->kernels.at[k].name, step->kernel) != 0)
        k++;
    if (k == scope->proposal->kernels.len || scope->proposal->kernels.at[k].n_params != step->n_args) {
        snprintf(reason, 256, "step %zu: no kernel `%s` with %zu parameters", number, step->kernel,
                 step->n_args);
        return NULL;
    }
    json_t *args = json_array();
    for (size_t i = 0; i < step->n_args; i++) {
        json_t *arg = plan_argument(scope, step->args[i], &scope->proposal->kernels.at[k].params[i].type, why);
        if (arg == NULL) {
            snprintf(reason, 256, "step %zu: argument %zu %s", number, i + 1, why);
            json_decref(args);
            return NULL;
        }
        json_array_append_new(args, arg);
    }
    json_t *shown = json_sprintf("kernel `%.60s`", step->kernel);
    return json_pack("{s:s,s:s,s:o,s:[I,I,I],s:[I,I,I],s:I,s:o}", "module", module, "kernel", names[k],
                     "shown", shown, "grid", (json_int_t)grid[0], (json_int_t)grid[1], (json_int_t)grid[2], "block",
                     (json_int_t)block[0], (json_int_t)block[1], (json_int_t)block[2], "shared",
                     (json_int_t)shared, "args", args);
}

json_t *ks_launch_plan(struct ks_scope *scope, const struct ks_device_info *device,
                       const char *module, const char *const *names, char reason[256])
{
    const struct ks_proposal *proposal = scope->proposal;
    if (proposal->n_steps == 0 || proposal->n_steps > KS_LAUNCH_STEPS) {
        snprintf(reason, 256, "a plan has 1 to %d steps", KS_LAUNCH_STEPS);
        return NULL;
    }
    if (!ks_members_inside(scope, reason))
        return NULL;
    json_t *plan = json_array();
    for (size_t s = 0; s < proposal->n_steps; s++) {
        const struct ks_step *step = &proposal->steps[s];
        json_t *item = NULL;
        if (step->kind == KS_STEP_KERNEL) {
            item = kernel_step(scope, device, step, s + 1, module, names, reason);
        } else {
            for (size_t i = 0; i < proposal->n_workspaces; i++)
                if (strcmp(proposal->workspaces[i].name, step->workspace) == 0)
                    item = json_pack("{s:I,s:i}", "memset",
                                     (json_int_t)(scope->layout->n_slots + scope->first_workspace + i),
                                     "value", step->value & 255);
            if (item == NULL)
                snprintf(reason, 256, "step %zu: no workspace `%s`", s + 1, step->workspace);
        }
        if (item == NULL) {
            json_decref(plan);
            return NULL;
        }
        json_array_append_new(plan, item);
    }
    return plan;
}

json_t *ks_launch_original(const struct ks_scope *scope, const char *module)
{
    const struct ks_problem *p = scope->problem;
    json_t *args = json_array();
    for (size_t i = 0; i < p->n_params; i++)
        json_array_append_new(args, own_argument(scope, i));
    return json_pack("[{s:s,s:s,s:[I,I,I],s:[I,I,I],s:I,s:o}]", "module", module, "kernel",
                     scope->original != NULL ? scope->original : scope->signature->registered, "grid", (json_int_t)p->grid[0],
                     (json_int_t)p->grid[1], (json_int_t)p->grid[2], "block",
                     (json_int_t)p->block[0], (json_int_t)p->block[1], (json_int_t)p->block[2],
                     "shared", (json_int_t)p->shared, "args", args);
}
