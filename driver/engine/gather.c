#include "engine/gather.h"

#include <string.h>

struct rule {
    const char *atomic, *combine[3];
    struct {
        enum ks_scalar type;
        const char *identity;
    } of[6];
};

// Types of CUDA's own overloads; the sum of floats depends on the order, and the judge allows for it.
static const struct rule rules[] = {
    {"atomicAdd", {"", " + ", ""}, {{KS_T_I32, "0"}, {KS_T_U32, "0u"}, {KS_T_U64, "0ull"},
                              {KS_T_F32, "0.0f"}, {KS_T_F64, "0.0"}}},
    {"atomicMin", {"min(", ", ", ")"}, {{KS_T_I32, "2147483647"}, {KS_T_U32, "4294967295u"},
                                  {KS_T_U64, "~0ull"}}},
    {"atomicMax", {"max(", ", ", ")"}, {{KS_T_I32, "-2147483647 - 1"}, {KS_T_U32, "0u"}, {KS_T_U64, "0ull"}}},
    {"atomicOr", {"", " | ", ""}, {{KS_T_I32, "0"}, {KS_T_U32, "0u"}, {KS_T_U64, "0ull"}}},
    {"atomicXor", {"", " ^ ", ""}, {{KS_T_I32, "0"}, {KS_T_U32, "0u"}, {KS_T_U64, "0ull"}}},
    {"atomicAnd", {"", " & ", ""}, {{KS_T_I32, "-1"}, {KS_T_U32, "4294967295u"}, {KS_T_U64, "~0ull"}}},
};

struct finder {
    const struct ks_subject *s;
    struct ks_gather *g;
    struct ks_err *err;
    enum ks_status status;
};

static enum ks_status refuse(struct finder *f, const struct ks_node *at, const char *why)
{
    if (f->status == KS_OK)
        f->status = ks_err_set(f->err, KS_E_UNSUPPORTED, "line %d: %s", at->line, why);
    return f->status;
}

static const char *callee(const struct ks_node *call)
{
    return call->kid[0]->kind == KS_N_NAME ? call->kid[0]->text : "";
}

// The name of a pointer parameter as the first argument: `&p[i]`, or `p` itself.
static const struct ks_node *base_of(const struct ks_subject *s, const struct ks_node *call,
                                     size_t *param)
{
    const struct ks_node *arg = call->n > 1 ? call->kid[1] : NULL;
    if (arg && ks_node_is(arg, KS_N_UNARY, "&") && arg->kid[0]->kind == KS_N_INDEX)
        arg = arg->kid[0]->kid[0];
    if (!arg || arg->kind != KS_N_NAME || ks_affine_find(&s->env, arg->text))
        return NULL;
    for (*param = 0; *param < s->decl->n_params; ++*param)
        if (strcmp(s->decl->params[*param].name, arg->text) == 0)
            return arg;
    return NULL;
}

static bool uses(const struct ks_gather *g, size_t param, int *target)
{
    for (*target = 0; *target < g->n_targets; ++*target)
        if (g->target[*target].param == param)
            return true;
    return false;
}

static enum ks_status begin_target(struct finder *f, const struct ks_node *call, size_t param)
{
    struct ks_gather *g = f->g;
    const struct ks_type *type = &f->s->brief->signature->params[param];
    const char *elem = ks_subject_elem(f->s, param);
    if (g->n_targets == KS_GATHER_MAX)
        return refuse(f, call, "atomics on more arrays than four");
    for (size_t r = 0; elem && r < sizeof rules / sizeof *rules; r++)
        for (size_t t = 0; strcmp(rules[r].atomic, callee(call)) == 0 && rules[r].of[t].identity; t++)
            if (rules[r].of[t].type == type->elem.scalar) {
                g->target[g->n_targets++] = (struct ks_gather_target){
                    .param = param, .elem = elem, .elem_bytes = (int)type->elem.size,
                    .atomic = rules[r].atomic, .combine = rules[r].combine,
                    .identity = rules[r].of[t].identity};
                return KS_OK;
            }
    return refuse(f, call, ks_arena_printf(f->s->arena, "%s on this type is not gathered", callee(call)));
}

// The element as C text over parameters, or NULL: the thread, a loop or memory has a say in it.
static const char *fixed_index(const struct ks_subject *s, const struct ks_node *call)
{
    const struct ks_node *arg = call->kid[1];
    if (arg->kind == KS_N_NAME)
        return "0";
    return ks_map_plan_text(s->arena, s->decl, &s->env, ks_subject_constant, (void *)s,
                            arg->kid[0]->kid[1]);
}

static enum ks_status add_update(struct finder *f, const struct ks_node *call)
{
    const struct ks_subject *s = f->s;
    struct ks_gather *g = f->g;
    size_t param;
    const struct ks_node *base = base_of(s, call, &param);
    int target;
    if (!base)
        return refuse(f, call, "an atomic on other memory than a parameter's elements");
    bool known = uses(g, param, &target);
    const char *index = fixed_index(s, call);
    if (!known && begin_target(f, call, param) != KS_OK)
        return f->status;
    struct ks_gather_target *t = &g->target[target];
    if (strcmp(t->atomic, callee(call)) != 0)
        return refuse(f, call, "two kinds of atomics on one array");
    if (!known)
        t->index = index;
    else if (!index || !t->index || strcmp(index, t->index) != 0)
        t->index = NULL;
    *(struct ks_gather_update *)ks_vec_push(s->arena, &g->updates) =
        (struct ks_gather_update){call, base, target};
    return KS_OK;
}

static bool visit(void *context, struct ks_node *node)
{
    struct finder *f = context;
    if (node->kind == KS_N_EXPR && node->n > 0 && node->kid[0]->kind == KS_N_CALL &&
        ks_starts_with(callee(node->kid[0]), "atomic")) {
        add_update(f, node->kid[0]);
        for (size_t i = 1; i < node->kid[0]->n; i++) // an atomic inside of an atomic's arguments
            ks_node_walk(node->kid[0]->kid[i], visit, f);
        return false;
    }
    if (node->kind == KS_N_CALL && ks_starts_with(callee(node), "atomic"))
        refuse(f, node, "the value that an atomic returns is used");
    else if (node->kind == KS_N_CALL && node->does && node->does->atomics)
        refuse(f, node, ks_arena_printf(f->s->arena, "atomics in a function, %s(), are not gathered", callee(node)));
    return f->status == KS_OK;
}

static enum ks_status check_alone(struct finder *f)
{
    const struct ks_subject *s = f->s;
    for (int t = 0; t < f->g->n_targets; t++) {
        size_t param = f->g->target[t].param;
        if (s->access.use[param].opaque)
            return refuse(f, s->access.use[param].opaque, "the array is used in another way too");
        for (size_t i = 0; i < s->access.len; i++)
            if (s->access.at[i].param == param && !s->access.at[i].atomic)
                return refuse(f, s->access.at[i].node, "the array is also accessed without atomics");
    }
    return KS_OK;
}

enum ks_status ks_gather_find(const struct ks_subject *s, struct ks_gather *gather,
                              struct ks_err *err)
{
    *gather = (struct ks_gather){0};
    if (!s->is_map)
        KS_FAIL(err, KS_E_UNSUPPORTED, "%s", s->not_map);
    struct finder f = {.s = s, .g = gather, .err = err};
    ks_node_walk(s->body.block, visit, &f);
    if (f.status != KS_OK)
        return f.status;
    if (gather->n_targets == 0)
        KS_FAIL(err, KS_E_UNSUPPORTED, "line %d: no atomics on a parameter's memory", s->decl->line);
    return check_alone(&f);
}
