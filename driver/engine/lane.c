#include "engine/lane.h"

#include <string.h>

#include "base/num.h"
#include "device/banks.h"
#include "engine/loop.h"
#include "engine/pattern.h"

enum { STEPS = 4096, EXTENTS = 4 };

struct lane {
    const struct ks_subject *s;
    const struct ks_affine *env;
    int64_t thread[3];
    int steps; // of evaluation that are left: text may double what it names
};

static bool value_of(struct lane *l, const struct ks_node *e, int64_t *value);

static bool is_whole(const struct lane *l, const char *text)
{
    struct ks_type type = ks_type_parse(l->s->arena, ks_slice_of(text));
    return !type.pointer && type.elem.lanes == 1 && type.elem.size >= 4 && !ks_scalar_is_float(type.elem.scalar);
}

static bool name_of(struct lane *l, const char *name, int64_t *value)
{
    const struct ks_affine_local *local = ks_affine_find(l->env, name);
    if (local == NULL)
        return ks_pattern_number(l->s, name, value);
    const struct ks_node *var = local->var;
    if (var->kind != KS_N_VAR || (local->changes && !local->loop) || var->init == NULL || var->n > 0 || var->pointer ||
        var->reference)
        return false;
    const struct ks_node *decl = ks_loop_declaration(l->s->body.block, name, var->end);
    return decl != NULL && (is_whole(l, decl->text) || strstr(decl->text, "auto") != NULL) && value_of(l, var->init, value);
}

static bool binary(const char *op, int64_t a, int64_t b, int64_t *value)
{
    bool shifts = b >= 0 && b < 32 && a >= 0 && a <= UINT32_MAX;
    if (strcmp(op, "+") == 0)
        return ks_add_i64(a, b, value);
    if (strcmp(op, "-") == 0)
        return b != INT64_MIN && ks_add_i64(a, -b, value);
    if (strcmp(op, "*") == 0)
        return ks_mul_i64(a, b, value);
    if (strcmp(op, "/") == 0 || strcmp(op, "%") == 0) {
        if (b <= 0)
            return false;
        *value = op[0] == '/' ? a / b : a % b;
        return true;
    }
    static const char *const others[] = {"<<", ">>", "&", "|", "^", "<", ">", "<=", ">=", "==", "!="};
    const int64_t values[] = {shifts ? a << b : 0, shifts ? a >> b : 0, a & b, a | b, a ^ b, a < b, a > b,
                              a <= b, a >= b, a == b, a != b};
    for (size_t i = 0; i < sizeof others / sizeof *others; i++)
        if (strcmp(op, others[i]) == 0) {
            *value = values[i];
            return i > 1 || shifts;
        }
    return false;
}

static bool value_of(struct lane *l, const struct ks_node *e, int64_t *value)
{
    const char *builtin = ks_builtin_name(l->s->arena, e);
    int64_t a, b;
    if (l->steps-- <= 0)
        return false;
    if (builtin != NULL) {
        int axis = builtin[strlen(builtin) - 1] - 'x';
        bool thread = ks_starts_with(builtin, "threadIdx."), block = ks_starts_with(builtin, "blockIdx.");
        *value = thread ? l->thread[axis] : 0;
        return thread || block || ks_pattern_number(l->s, builtin, value);
    }
    switch (e->kind) {
    case KS_N_NUMBER: {
        struct ks_poly p = ks_affine_eval(l->env, e);
        *value = p.n ? p.term[0].coef : 0;
        return p.known;
    }
    case KS_N_NAME:
        return name_of(l, e->text, value);
    case KS_N_CAST:
        return is_whole(l, e->text) && value_of(l, e->kid[0], value);
    case KS_N_UNARY:
        if (strlen(e->text) != 1 || !strchr("+-~!", e->text[0]) || !value_of(l, e->kid[0], &a) || a == INT64_MIN)
            return false;
        *value = e->text[0] == '-' ? -a : e->text[0] == '~' ? ~a : e->text[0] == '!' ? !a : a;
        return true;
    case KS_N_BINARY:
        return value_of(l, e->kid[0], &a) && value_of(l, e->kid[1], &b) && binary(e->text, a, b, value);
    case KS_N_COND:
        return value_of(l, e->kid[0], &a) && value_of(l, e->kid[a ? 1 : 2], value);
    default:
        return false;
    }
}

static const struct ks_node *root_of(const struct ks_node *e)
{
    while (e->kind == KS_N_INDEX)
        e = e->kid[0];
    return e;
}

static const struct ks_node *declaration_of(const struct ks_subject *s, const struct ks_affine *env, const char *name)
{
    const struct ks_affine_local *local = ks_affine_find(env, name);
    if (local == NULL || local->var->kind != KS_N_VAR)
        return NULL;
    const struct ks_node *decl = ks_loop_declaration(s->body.block, name, local->var->end);
    return decl != NULL && decl->shared ? decl : NULL;
}

const char *ks_lane_array(const struct ks_subject *s, const struct ks_affine *env, const struct ks_node *expr)
{
    const struct ks_node *root = root_of(expr);
    return root->kind == KS_N_NAME && ks_lane_is_shared(s, env, root->text) ? root->text : NULL;
}

bool ks_lane_is_shared(const struct ks_subject *s, const struct ks_affine *env, const char *name)
{
    return declaration_of(s, env, name) != NULL;
}

// An access that is followed: the array's declaration, and what is in the subscripts.
struct access {
    const struct ks_node *var, *index[EXTENTS];
    uint32_t bytes; // of an element
};

static bool read_access(const struct ks_node *expr, const struct ks_node *var, struct access *a)
{
    a->var = var;
    for (size_t i = var->n; i > 0; i--, expr = expr->kid[0]) {
        if (i > EXTENTS || expr->kind != KS_N_INDEX)
            return false; // a row of it
        a->index[i - 1] = expr->kid[1];
    }
    return var->n > 0;
}

// The element's number in its array, with rows longer by `pad`, for a thread.
static bool element_of(struct lane *l, const struct access *a, int64_t pad, int64_t *element)
{
    *element = 0;
    for (size_t i = 0; i < a->var->n; i++) {
        int64_t extent = 1, at;
        if ((i > 0 && !value_of(l, a->var->kid[i], &extent)) || !value_of(l, a->index[i], &at) ||
            !ks_mul_i64(*element, extent + (i > 0 && i + 1 == a->var->n ? pad : 0), element) ||
            !ks_add_i64(*element, at, element))
            return false;
    }
    return true;
}

// Of each lane of the first warp, of which there are so many.
static bool elements_of(struct lane *l, const struct access *a, int64_t pad, const int64_t block[3], int lanes, int64_t *at)
{
    for (int i = 0; i < lanes; i++) {
        l->thread[0] = i % block[0];
        l->thread[1] = i / block[0] % block[1];
        l->thread[2] = i / (block[0] * block[1]);
        l->steps = STEPS;
        if (!element_of(l, a, pad, &at[i]))
            return false;
    }
    return true;
}

static struct ks_banks take(const int64_t *at, int lanes, uint32_t bytes)
{
    uint64_t addresses[KS_BANKS_LANES] = {0};
    int64_t least = at[0];
    for (int i = 1; i < lanes; i++)
        least = at[i] < least ? at[i] : least;
    for (int i = 0; i < lanes; i++)
        addresses[i] = (uint64_t)(at[i] - least) * bytes;
    return ks_banks_take(lanes == KS_BANKS_LANES ? UINT32_MAX : (1u << lanes) - 1, addresses, bytes);
}

// The step from each lane to the next in its row of the block.
static int64_t even_step(const int64_t *at, int64_t lanes)
{
    int64_t step = lanes > 1 ? at[1] - at[0] : 0;
    for (int i = 1; i < lanes; i++)
        if (at[i] - at[i - 1] != step)
            return KS_STEP_UNKNOWN;
    return step;
}

struct ks_lane_access ks_lane_look(const struct ks_subject *s, const struct ks_affine *env, const struct ks_node *expr)
{
    const char *name = root_of(expr)->text;
    const struct ks_node *decl = declaration_of(s, env, name), *var = ks_affine_find(env, name)->var;
    struct ks_lane_access found = {.node = expr, .name = name};
    struct ks_type type = ks_type_parse(s->arena, ks_slice_of(decl->text));
    struct access a = {.bytes = (uint32_t)type.elem.size};
    struct lane l = {.s = s, .env = env};
    int64_t at[KS_BANKS_LANES], next;
    if (s->brief->n_problems == 0 || type.elem.size == 0 || type.elem.lanes != 1 || // a member of it may be what is accessed
        !read_access(expr, var, &a))
        return found;
    const int64_t *block = s->brief->problems[0].block, threads = block[0] * block[1] * block[2];
    int lanes = threads < KS_BANKS_LANES ? (int)threads : KS_BANKS_LANES;
    for (int i = 0; i < KS_LANE_PADS && var->n > 1 && elements_of(&l, &a, 1 << i, block, lanes, at); i++)
        found.padded[i] = take(at, lanes, a.bytes).waves;
    if (!elements_of(&l, &a, 0, block, lanes, at))
        return found;
    struct ks_banks taken = take(at, lanes, a.bytes);
    found.known = true;
    found.waves = taken.waves;
    found.turns = taken.turns;
    found.along_x = even_step(at, block[0] < lanes ? block[0] : lanes);
    l = (struct lane){.s = s, .env = env, .thread = {0, 1, 0}, .steps = STEPS};
    found.along_y = element_of(&l, &a, 0, &next) ? next - at[0] : KS_STEP_UNKNOWN;
    return found;
}
