#include "engine/pattern.h"

#include <string.h>

#include "base/num.h"
#include "base/vec.h"
#include "engine/loop.h"

struct walker {
    const struct ks_subject *s;
    struct ks_pattern_list *out;
    struct ks_affine env;
    const char *loop; // variable of the innermost loop
    int64_t loop_step; // from turn to turn, KS_STEP_UNKNOWN
    size_t loop_begin;
    struct ks_strv counters; // variables of loops round here that start alike or at a known place
                             // in all threads
    int depth;
    double times; // a thread gets here, -1: unknown
};

bool ks_pattern_number(const struct ks_subject *s, const char *name, int64_t *value)
{
    if (s->brief->n_problems == 0)
        return false;
    const struct ks_problem *p = &s->brief->problems[0];
    static const char *const dims[] = {"gridDim.x",  "gridDim.y",  "gridDim.z",
                                       "blockDim.x", "blockDim.y", "blockDim.z"};
    for (int i = 0; i < 6; i++)
        if (strcmp(name, dims[i]) == 0) {
            *value = i < 3 ? p->grid[i] : p->block[i - 3];
            return true;
        }
    const char *constant = ks_subject_constant((void *)(uintptr_t)s, name);
    if (constant)
        return ks_parse_i64(constant, value);
    for (size_t i = 0; i < p->n_values; i++)
        if (strcmp(p->values[i].name, name) == 0) {
            *value = p->values[i].value;
            return true;
        }
    return false;
}

static bool is_integer(const struct ks_type *type)
{
    return type->elem.lanes == 1 && type->elem.scalar >= KS_T_BOOL && type->elem.scalar <= KS_T_U64;
}

// The step of a polynomial along one symbol, in the first workload.
static int64_t step_along(const struct ks_subject *s, const struct ks_poly *p, const char *symbol)
{
    int64_t sum = 0;
    if (!p->known)
        return KS_STEP_UNKNOWN;
    for (int i = 0; i < p->n; i++) {
        int64_t product = p->term[i].coef, value;
        int found = 0;
        for (int k = 0; k < p->term[i].n; k++)
            found += strcmp(p->term[i].symbol[k], symbol) == 0;
        for (int k = 0; found == 1 && k < p->term[i].n; k++) {
            const char *name = p->term[i].symbol[k];
            if (strcmp(name, symbol) == 0)
                continue;
            if (!ks_pattern_number(s, name, &value) || !ks_mul_i64(product, value, &product))
                return KS_STEP_UNKNOWN;
        }
        if (found > 1 || (found == 1 && !ks_add_i64(sum, product, &sum)))
            return KS_STEP_UNKNOWN;
    }
    return sum;
}

// Whether a local takes part whose value is not known, declared at `from` or behind: it may differ
// from thread to thread, or from turn to turn.
static bool is_veiled(const struct walker *w, const struct ks_poly *p, size_t from)
{
    for (int i = 0; p->known && i < p->n; i++)
        for (int k = 0; k < p->term[i].n; k++) {
            const struct ks_affine_local *local = ks_affine_find(&w->env, p->term[i].symbol[k]);
            bool counter = false;
            for (size_t c = 0; c < w->counters.len; c++)
                counter |= strcmp(w->counters.at[c], p->term[i].symbol[k]) == 0;
            if (local && !counter && local->var->begin >= from &&
                !(from > 0 && w->loop && strcmp(w->loop, p->term[i].symbol[k]) == 0))
                return true;
        }
    return false;
}

static int64_t seen_along(const struct walker *w, const struct ks_poly *p, const char *symbol,
                          size_t from)
{
    return is_veiled(w, p, from) ? KS_STEP_UNKNOWN : step_along(w->s, p, symbol);
}

// From one turn to the next: as far as the loop's step is.
static int64_t seen_along_loop(const struct walker *w, const struct ks_poly *p)
{
    int64_t along = w->loop ? seen_along(w, p, w->loop, w->loop_begin) : KS_STEP_UNKNOWN, step;
    if (along == 0 || along == KS_STEP_UNKNOWN)
        return along;
    return w->loop_step != KS_STEP_UNKNOWN && ks_mul_i64(along, w->loop_step, &step) ? step : KS_STEP_UNKNOWN;
}

static void add(struct walker *w, const struct ks_node *node, bool reads, bool writes)
{
    struct ks_place place = ks_place_of(&w->env, w->s->decl, node);
    if (place.base == KS_PLACE_LOCAL && ks_lane_array(w->s, &w->env, node) != NULL) {
        struct ks_lane_access a = ks_lane_look(w->s, &w->env, node);
        a.reads = reads;
        a.writes = writes;
        a.times = w->times;
        *ks_vec_push(w->s->arena, &w->out->shared) = a;
    } else if (place.base == KS_PLACE_LOCAL && ks_lane_is_shared(w->s, &w->env, place.name)) {
        w->out->shared_followed = false; // by a pointer
    }
    if (place.base == KS_PLACE_LOCAL)
        return;
    if (place.base == KS_PLACE_UNKNOWN) {
        w->out->followed = w->out->shared_followed = false;
        return;
    }
    *ks_vec_push(w->s->arena, w->out) = (struct ks_pattern){
        .node = node,
        .param = place.param,
        .reads = reads,
        .writes = writes,
        .index = place.index,
        .depth = w->depth,
        .loop = w->loop,
        .along_x = seen_along(w, &place.index, "threadIdx.x", 0),
        .along_y = seen_along(w, &place.index, "threadIdx.y", 0),
        .along_loop = seen_along_loop(w, &place.index),
        .times = w->times,
    };
}

static void count(struct walker *w, int operations)
{
    struct ks_pattern_list *o = w->out;
    bool known = o->operations >= 0 && w->times >= 0 && operations >= 0;
    o->operations = known ? o->operations + w->times * operations : -1;
}

static void expression(struct walker *w, const struct ks_node *node, bool reads, bool writes);

// What stands in front of a subscript: of an array of arrays no access of its own.
static void base(struct walker *w, const struct ks_node *node)
{
    bool shared = ks_lane_array(w->s, &w->env, node) != NULL;
    if (!shared)
        expression(w, node, true, false);
    for (; shared && node->kind == KS_N_INDEX; node = node->kid[0])
        expression(w, node->kid[1], true, false);
}

static void expression(struct walker *w, const struct ks_node *node, bool reads, bool writes)
{
    bool address = ks_node_is(node, KS_N_UNARY, "&");
    bool steps = node->kind == KS_N_POSTFIX || ks_node_is(node, KS_N_UNARY, "++") ||
                 ks_node_is(node, KS_N_UNARY, "--");
    switch (node->kind) {
    case KS_N_INDEX:
        add(w, node, reads, writes);
        struct ks_pattern_list kept = *w->out;
        expression(w, node->kid[1], true, false);
        w->out->operations = kept.operations; // an index's own arithmetic does not count
        if (node->kid[0]->kind == KS_N_INDEX)
            base(w, node->kid[0]);
        return;
    case KS_N_NAME: // the whole array, for others to access
        w->out->shared_followed &= ks_lane_array(w->s, &w->env, node) == NULL;
        return;
    case KS_N_ASSIGN:
        if (strcmp(node->text, "=") != 0)
            count(w, 1);
        expression(w, node->kid[1], true, false);
        expression(w, node->kid[0], strcmp(node->text, "=") != 0, true);
        return;
    case KS_N_BINARY:
        if (strlen(node->text) == 1 && strchr("+-*/%&|^", node->text[0]))
            count(w, 1);
        break;
    case KS_N_CALL: {
        count(w, node->does ? node->does->operations : 1);
        for (size_t i = 1; i < node->n; i++) {
            const struct ks_node *arg = node->kid[i];
            bool target = node->does && i <= 32 && node->does->atomics >> (i - 1) & 1;
            if (ks_node_is(arg, KS_N_UNARY, "&"))
                arg = arg->kid[0];
            expression(w, arg, true, target);
        }
        return;
    }
    default:
        break;
    }
    if (ks_node_is(node, KS_N_UNARY, "*"))
        add(w, node, reads, writes);
    if (address)
        w->out->shared_followed &= ks_lane_array(w->s, &w->env, node->kid[0]) == NULL;
    for (size_t i = 0; i < node->n && !address; i++)
        expression(w, node->kid[i], !(steps && node->kid[i]->kind == KS_N_NAME), steps || writes);
}

static void statement(struct walker *w, struct ks_node *node);

// The number that it is in the first workload.
static bool number_of(const struct ks_subject *s, const struct ks_poly *p, int64_t *number)
{
    *number = 0;
    for (int i = 0; i < p->n; i++) {
        int64_t product = p->term[i].coef, value;
        for (int k = 0; k < p->term[i].n; k++)
            if (!ks_pattern_number(s, p->term[i].symbol[k], &value) || !ks_mul_i64(product, value, &product))
                return false;
        if (!ks_add_i64(*number, product, number))
            return false;
    }
    return p->known;
}

// From turn to turn; KS_STEP_UNKNOWN where it is no number, or changes on the way.
static int64_t step_of(const struct walker *w, const struct ks_loop *l)
{
    int64_t step;
    if (!l->width)
        return l->by ? (l->down ? -1 : 1) : KS_STEP_UNKNOWN;
    struct ks_poly p = ks_affine_eval(&w->env, l->width);
    return number_of(w->s, &p, &step) ? (l->down ? -step : step) : KS_STEP_UNKNOWN;
}

static double turns_of(const struct walker *w, const struct ks_loop *l)
{
    const struct ks_subject *s = w->s;
    if (l->turns >= 0 || !l->limit || !l->start || !l->by)
        return (double)l->turns;
    struct ks_poly from = ks_affine_eval(&w->env, l->start), to = ks_affine_eval(&w->env, l->limit);
    struct ks_poly span = ks_poly_sum(&to, &from, -1);
    int64_t by = step_of(w, l), total;
    if (by == KS_STEP_UNKNOWN || by == 0 || (by < 0) != l->down || !number_of(s, &span, &total))
        return -1;
    by = l->down ? -by : by;
    total = (l->down ? -total : total) + (l->compare[1] == '=');
    return total <= 0 ? 0 : (double)((total + by - 1) / by);
}

static void keep_loop(struct walker *w, const struct ks_loop *l, double turns, bool items)
{
    const struct ks_subject *s = w->s;
    const char *text = "a loop that does not count";
    if (l->var && l->limit && l->by)
        text = ks_arena_printf(s->arena, "for (%s%s%s; %s %s %s; %s %s %s)", l->start ? l->var : "", l->start ? " = " : "",
                               l->start ? ks_node_text(s->arena, &s->body, l->start) : "", l->var, l->compare,
                               ks_node_text(s->arena, &s->body, l->limit), l->var, l->down ? "-=" : "+=", l->by);
    const struct ks_diverge_view view = {s, &w->env, &w->counters};
    *ks_vec_push(s->arena, &w->out->loops) = (struct ks_pattern_loop){
        .diverges = items ? KS_DIVERGE_EDGE : ks_diverge_loop(&view, l),
        .node = l->node, .text = text, .turns = turns, .depth = w->depth, .items = items,
        .reductions = l->reductions, .n_reductions = l->n_reductions, .why = l->why};
}

static void loop(struct walker *w, struct ks_node *node)
{
    struct ks_loop l;
    struct walker outer = *w;
    ks_loop_read_placed(w->s->arena, w->s->decl, &w->s->body, &w->env, node, &l);
    bool stride = w->s->is_map && w->s->map.stride && w->depth == 0; // its turns are other items
    double turns = turns_of(w, &l);
    int64_t step = step_of(w, &l); // seen from in front of it
    keep_loop(w, &l, turns, stride);
    w->out->free_loops += l.why == NULL && !stride;
    if (!l.why)
        w->out->reductions += (int)l.n_reductions;
    if (node->kind == KS_N_FOR && node->kid[0]->kind == KS_N_DECL) {
        for (size_t i = 0; i < node->kid[0]->n; i++)
            if (node->kid[0]->kid[i]->init)
                expression(w, node->kid[0]->kid[i]->init, true, false);
        struct ks_poly start = l.start ? ks_affine_eval(&w->env, l.start) : (struct ks_poly){0};
        bool plain = start.known && !is_veiled(w, &start, 0);
        ks_loop_enter(&w->env, node);
        if (plain && l.var) { // its start is part of what it adds to an index
            struct ks_affine_local *local = &w->env.at[w->env.len - 1];
            local->value = ks_poly_sum(&start, &local->value, 1);
            w->counters.cap = w->counters.len;
            ks_strv_add(w->s->arena, &w->counters, l.var);
        }
    } else if (node->kind == KS_N_FOR) {
        statement(w, node->kid[0]);
    }
    w->times = turns < 0 || w->times < 0 ? -1 : w->times * turns;
    if (l.var) {
        w->loop = l.var;
        w->loop_step = step;
        w->loop_begin = node->begin;
    }
    w->depth++;
    if (w->depth > w->out->nest)
        w->out->nest = w->depth;
    bool inner = false;
    for (size_t i = 0; i < node->n; i++)
        inner |= ks_node_find(node->kid[i], KS_N_FOR, NULL) ||
                 ks_node_find(node->kid[i], KS_N_WHILE, NULL) ||
                 ks_node_find(node->kid[i], KS_N_DO, NULL);
    if (!inner)
        w->out->turns = w->out->turns < 0 || w->times < 0 ? -1 : w->out->turns + w->times;
    for (size_t i = node->kind == KS_N_FOR ? 3 : 0; i < node->n; i++)
        if (node->kid[i]->kind >= KS_N_BLOCK)
            statement(w, node->kid[i]);
        else
            expression(w, node->kid[i], true, false);
    if (node->kind == KS_N_FOR && node->kid[1]->kind != KS_N_EMPTY) {
        double operations = w->out->operations;
        expression(w, node->kid[1], true, false);
        w->out->operations = operations;
    }
    size_t entered = w->env.len;
    *w = outer;
    w->env.cap = entered < w->env.cap ? w->env.len : w->env.cap;
}

// Whether an expression is made of integers that the launch, the threads' numbers and loops give, and of
// constant locals that are: a place somewhere, no data.
static bool is_number(const struct walker *w, const struct ks_node *e, int depth)
{
    if (e->kind == KS_N_NAME) {
        const struct ks_affine_local *local = ks_affine_find(&w->env, e->text);
        if (local)
            return local->loop || (local->value.known && !local->changes && local->var->n == 0 && !local->var->pointer && local->var->init &&
                                   depth < 16 && is_number(w, local->var->init, depth + 1));
        for (size_t i = 0; i < w->s->decl->n_params; i++)
            if (strcmp(w->s->decl->params[i].name, e->text) == 0)
                return !w->s->decl->params[i].type.pointer && is_integer(&w->s->brief->signature->params[i]);
        const struct ks_node *own = ks_node_find(w->s->body.block, KS_N_VAR, e->text); // of this declaration
        return !own || (own->n == 0 && !own->pointer && own->init && depth < 16 && is_number(w, own->init, depth + 1) &&
                        !ks_node_changes(w->s->body.block, e->text));
    }
    if (e->kind == KS_N_NUMBER)
        return strpbrk(e->text, ".\"'") == NULL;
    if (ks_builtin_name(w->s->arena, e))
        return true;
    bool is = e->kind == KS_N_BINARY || e->kind == KS_N_COND || e->kind == KS_N_CAST ||
              (e->kind == KS_N_UNARY && strlen(e->text) == 1 && strchr("+-~!", e->text[0])) ||
              (e->kind == KS_N_CALL && e->kid[0]->kind == KS_N_NAME &&
               (strcmp(e->kid[0]->text, "min") == 0 || strcmp(e->kid[0]->text, "max") == 0));
    for (size_t i = e->kind == KS_N_CALL; is && i < e->n; i++)
        is = is_number(w, e->kid[i], depth + 1);
    return is;
}

static void declaration(struct walker *w, const struct ks_node *node)
{
    struct ks_type type = ks_type_parse(w->s->arena, ks_slice_of(node->text));
    bool integer = is_integer(&type) || strstr(node->text, "auto") != NULL;
    for (size_t i = 0; i < node->n; i++) {
        const struct ks_node *init = node->kid[i]->init;
        if (!init || (node->kid[i]->pointer && !ks_node_find((struct ks_node *)(uintptr_t)init, KS_N_INDEX, NULL)))
            continue;
        double operations = w->out->operations;
        expression(w, init, true, false);
        if (integer && is_number(w, init, 0)) // an index made beforehand
            w->out->operations = operations;
    }
}

static void statement(struct walker *w, struct ks_node *node)
{
    switch (node->kind) {
    case KS_N_DECL:
        declaration(w, node);
        ks_loop_declare(&w->env, node);
        return;
    case KS_N_EXPR:
        expression(w, node->kid[0], true, false);
        return;
    case KS_N_IF:
        *ks_vec_push(w->s->arena, &w->out->ifs) = (struct ks_pattern_if){
            node, ks_diverge_if(&(struct ks_diverge_view){w->s, &w->env, &w->counters}, node->kid[0])};
        expression(w, node->kid[0], true, false);
        for (size_t i = 1; i < node->n; i++)
            statement(w, node->kid[i]);
        return;
    case KS_N_BLOCK:
        for (size_t i = 0; i < node->n; i++)
            statement(w, node->kid[i]);
        return;
    default:
        if (ks_node_is_loop(node))
            loop(w, node);
        return;
    }
}

void ks_patterns_find(const struct ks_subject *s, struct ks_pattern_list *out)
{
    *out = (struct ks_pattern_list){.followed = true, .shared_followed = true};
    struct walker w = {.s = s, .out = out, .times = 1};
    ks_affine_begin(s->arena, s->body.block, &w.env);
    statement(&w, s->body.block);
}
