#include "engine/dealer.h"
#include "engine/placed.h"

#include <string.h>

static void refuse(struct ks_dealer *d, const struct ks_node *at, const char *why)
{
    if (d->status == KS_OK)
        d->status = ks_err_set(d->err, KS_E_UNSUPPORTED, "line %d: %s", at->line, why);
}

static const char *meet(const struct ks_dealer *d)
{
    return d->out->count > 32 || d->out->across ? " __syncthreads();"
           : d->out->count < 32                 ? " __syncwarp(opt_mask);"
                                                : " __syncwarp();";
}

static void wrap(struct ks_dealer *d, const struct ks_node *node, const char *front,
                 const char *behind)
{
    size_t at = ks_node_front(&d->s->body, node);
    ks_edit_add(d->s->arena, &d->out->edits, at, at, ks_arena_printf(d->s->arena, "{%s ", front));
    ks_edit_add(d->s->arena, &d->out->edits, node->end, node->end,
                ks_arena_printf(d->s->arena, "%s }", behind));
}

static bool scalar(const struct ks_subject *s, const struct ks_node *decl, const char **why)
{
    struct ks_type type = ks_type_parse(s->arena, ks_slice_of(decl->text));
    for (size_t i = 0; i < s->decl->n_template_params; i++)
        if (strcmp(s->decl->template_params[i], decl->text) == 0)
            return true;
    if (strcmp(decl->text, "auto") == 0 || (type.elem.lanes == 1 && type.elem.size > 0))
        return true;
    *why = ks_arena_printf(s->arena, "values of type %s do not shuffle", decl->text);
    return false;
}

// Why a loop is not dealt out, or NULL.
static const char *why_not(const struct ks_dealer *d, const struct ks_loop *l)
{
    struct ks_arena *arena = d->s->arena;
    if (l->why)
        return l->why;
    if (d->out->across && d->depth > 0)
        return ks_arena_printf(arena, "line %d: not all threads of a block reach the loop together",
                               l->node->line);
    if (l->stores && !d->apart)
        return ks_arena_printf(
            arena, "line %d: the extent of an array is no expression of parameters", l->node->line);
    if (l->turns >= 0 && l->turns * 2 <= d->out->count)
        return ks_arena_printf(arena, "line %d: %lld turns are too few", l->node->line,
                               (long long)l->turns);
    const struct ks_node *decl = ks_loop_declaration(d->s->body.block, l->var, l->node->end - 1);
    if (l->down && decl &&
        (strstr(decl->text, "unsigned") || strstr(decl->text, "size_t") ||
         ks_starts_with(decl->text, "uint")))
        return ks_arena_printf(arena, "line %d: an unsigned variable counts down", l->node->line);
    struct ks_type type = ks_type_parse(arena, ks_slice_of(decl ? decl->text : "int"));
    if (type.elem.size && (type.elem.size < 4 || ks_scalar_is_float(type.elem.scalar)))
        return ks_arena_printf(arena, "line %d: the loop's variable is too narrow", l->node->line);
    for (size_t i = 0; i < l->n_reductions; i++) {
        const char *why = NULL;
        decl = ks_loop_declaration(d->s->body.block, l->reductions[i].name, l->node->begin);
        if (scalar(d->s, decl, &why) && l->reductions[i].place)
            why = ks_placed_why_not(d->s, &d->env, l, &l->reductions[i]);
        if (why)
            return ks_arena_printf(arena, "line %d: %s", l->node->line, why);
    }
    return NULL;
}

static bool touches_both(const struct ks_dealer *d, const struct ks_loop *l)
{
    for (size_t i = 0; i < l->n_accesses; i++)
        if (l->accesses[i].place.base == KS_PLACE_PARAM && d->both[l->accesses[i].place.param])
            return true;
    return false;
}

// No counter may wrap: where a limit is known to the launch, the guard says so.
static void limit_counter(struct ks_dealer *d, const struct ks_loop *l)
{
    const char *text = ks_map_plan_text(d->s->arena, d->s->decl, &d->env, ks_subject_constant,
                                        (void *)d->s, l->limit);
    int64_t by;
    const struct ks_node *decl = ks_loop_declaration(d->s->body.block, l->var, l->node->end - 1);
    struct ks_type type = ks_type_parse(d->s->arena, ks_slice_of(decl ? decl->text : "int"));
    if (l->down || !text || type.elem.size > 4 || !ks_parse_i64(l->by, &by))
        return;
    int64_t value;
    if (ks_parse_i64(text, &value) && value < 1 << 30)
        return;
    const char *one =
        ks_arena_printf(d->s->arena, "%s <= %lld", text, 2147483647LL - (by + 1) * d->out->count);
    if (!strstr(d->out->limits, one))
        d->out->limits = ks_arena_printf(d->s->arena, "%s%s%s", d->out->limits,
                                         *d->out->limits ? " && " : "", one);
}

static void deal(struct ks_dealer *d, const struct ks_loop *l)
{
    struct ks_arena *arena = d->s->arena;
    struct ks_edit_list *edits = &d->out->edits;
    const char *front = "", *behind = "", *sign = l->down ? "-" : "+";
    if (touches_both(d, l))
        front = behind = meet(d);
    for (size_t i = 0; i < l->n_reductions; i++) {
        const struct ks_reduction *r = &l->reductions[i];
        if (r->identity)
            front = ks_arena_printf(arena, "%s if (opt_lane != 0) %s = %s;", front, r->name,
                                    r->identity);
        behind = ks_arena_printf(arena, "%s %s", behind, ks_lanes_join(d, l, r));
    }
    if (l->start) {
        ks_edit_add(arena, edits, l->start->begin, l->start->begin, "(");
        ks_edit_add(arena, edits, l->start->end, l->start->end,
                    ks_arena_printf(arena, ") %s opt_lane * (%s)", sign, l->by));
    } else {
        front = ks_arena_printf(arena, "%s %s %s= opt_lane * (%s);", front, l->var, sign, l->by);
    }
    size_t at = ks_node_front(&d->s->body, l->node);
    if (d->unroll && l->node->kind == KS_N_FOR && at == l->node->begin)
        front = ks_arena_printf(
            arena, d->unroll < 0 ? "%s _Pragma(\"unroll\")" : "%s _Pragma(\"unroll %d\")", front,
            d->unroll);
    wrap(d, l->node, front, behind);
    const struct ks_node *test = l->node->kid[l->node->kind == KS_N_FOR];
    if (d->out->across && (l->stores || l->atomics)) { // a thread without an item of its own repeats another's
        ks_edit_add(arena, edits, test->begin, test->begin, "opt_common && (");
        ks_edit_add(arena, edits, test->end, test->end, ")");
    }
    ks_edit_add(arena, edits, l->step->begin, l->step->end,
                ks_arena_printf(arena, "%s %s= %d * (%s)", l->var, sign, d->out->count, l->by));
    d->out->loops++;
    d->out->stores |= l->stores;
    limit_counter(d, l);
}

static void enter(struct ks_dealer *d, struct ks_node *node)
{
    if (node->kind == KS_N_FOR)
        ks_loop_enter(&d->env, node);
}

static struct ks_loop read_loop(const struct ks_dealer *d, struct ks_node *node)
{
    struct ks_loop l;
    ks_loop_read_placed(d->s->arena, d->s->decl, &d->s->body, &d->env, node, &l);
    return l;
}

// The best of the loops below that can be dealt out: accesses with a stride of one, or -1.
static int best_below(struct ks_dealer *d, struct ks_node *node)
{
    int best = -1;
    if (node->kind == KS_N_DECL)
        ks_loop_declare(&d->env, node);
    size_t first = 0;
    if (ks_node_is_loop(node)) {
        struct ks_loop l = read_loop(d, node);
        if (!why_not(d, &l))
            best = l.units;
        enter(d, node);
        first = node->kind == KS_N_FOR;
    }
    for (size_t i = first; node->kind >= KS_N_BLOCK && node->kind != KS_N_DECL && i < node->n;
         i++) {
        int below = best_below(d, node->kid[i]);
        best = below > best ? below : best;
    }
    return best;
}

static void statement(struct ks_dealer *d, struct ks_node *node);

static void loop(struct ks_dealer *d, struct ks_node *node)
{
    struct ks_affine before = d->env;
    struct ks_loop l = read_loop(d, node);
    const char *why = why_not(d, &l);
    int below = -1;
    enter(d, node);
    d->depth++;
    for (size_t i = node->kind == KS_N_FOR; i < node->n; i++) {
        int one = best_below(d, node->kid[i]);
        below = one > below ? one : below;
    }
    d->depth--;
    d->env = before;
    d->env.cap = d->env.len;
    if (!why && l.units >= below) {
        deal(d, &l);
        return;
    }
    if (why && !d->why)
        d->why = why;
    if (node->kind == KS_N_FOR && node->kid[0]->kind != KS_N_DECL)
        statement(d, node->kid[0]);
    enter(d, node);
    d->depth++;
    for (size_t i = node->kind == KS_N_FOR; i < node->n; i++)
        if (node->kid[i]->kind >= KS_N_BLOCK)
            statement(d, node->kid[i]);
    d->depth--;
}

static bool is_change(const struct ks_node *node)
{
    return node->kind == KS_N_ASSIGN || node->kind == KS_N_POSTFIX ||
           (node->kind == KS_N_UNARY &&
            (strcmp(node->text, "++") == 0 || strcmp(node->text, "--") == 0));
}

struct effects {
    struct ks_dealer *d;
    int stores, locals; // changes of memory and of own variables
    bool meets;         // the memory is also read
};

static void store(struct effects *e, const struct ks_node *target)
{
    struct ks_dealer *d = e->d;
    struct ks_place place = ks_place_of(&d->env, d->s->decl, target);
    if (place.base == KS_PLACE_LOCAL) {
        e->locals++;
        return;
    }
    e->stores++;
    e->meets |= place.base == KS_PLACE_UNKNOWN || !d->apart || d->both[place.param];
}

static bool visit_effects(void *context, struct ks_node *node)
{
    struct effects *e = context;
    const char *name =
        node->kind == KS_N_CALL && node->kid[0]->kind == KS_N_NAME ? node->kid[0]->text : "";
    if (is_change(node))
        store(e, node->kid[0]);
    if (ks_starts_with(name, "atomic"))
        e->stores++;
    if (node->kind != KS_N_CALL || ks_function_is_pure(name) || ks_starts_with(name, "atomic"))
        return true;
    for (size_t i = 1; i < node->n; i++) { // memory that a function of the program's own may change
        const struct ks_node *arg = node->kid[i];
        bool address = ks_node_is(arg, KS_N_UNARY, "&");
        struct ks_place place = ks_place_of(&e->d->env, e->d->s->decl, address ? arg->kid[0] : arg);
        bool fixed =
            place.base == KS_PLACE_PARAM && e->d->s->decl->params[place.param].type.pointee_const;
        bool points = address || arg->kind == KS_N_INDEX || arg->kind == KS_N_NAME;
        if (points && place.base == KS_PLACE_PARAM && !fixed)
            refuse(e->d, arg, "a function may change memory");
    }
    return true;
}

static void look(struct ks_dealer *d, struct ks_node *node, struct effects *e)
{
    *e = (struct effects){.d = d};
    ks_node_walk(node, visit_effects, e);
}

static void effect(struct ks_dealer *d, struct ks_node *node)
{
    struct effects e;
    look(d, node, &e);
    if (e.stores == 0)
        return;
    const struct ks_node *top = node->kid[0];
    bool atomic = top->kind == KS_N_CALL && top->kid[0]->kind == KS_N_NAME &&
                  ks_starts_with(top->kid[0]->text, "atomic");
    if (e.locals > 0 || e.stores > 1 || !(atomic || is_change(top)))
        refuse(d, node, "a statement stores and does more");
    if (d->out->across && e.meets && d->depth > 0)
        refuse(d, node, "not all threads of a block reach the store together");
    wrap(d, node,
         ks_arena_printf(d->s->arena, "%s if (opt_lane == 0%s)", e.meets ? meet(d) : "",
                         d->out->across ? " && opt_common" : ""),
         e.meets ? meet(d) : "");
}

static void refuse_stores(struct ks_dealer *d, struct ks_node *node)
{
    struct effects e;
    look(d, node, &e);
    if (e.stores > 0)
        refuse(d, node, "a store inside an expression");
}

// Whether an `if` is the guard, which stands in front of the lanes' work.
static bool is_guard(const struct ks_dealer *d, const struct ks_node *node)
{
    for (size_t i = 0; i < d->s->map.strip.len; i++)
        if (d->s->map.strip.at[i].begin == node->begin)
            return true;
    return false;
}

static void statement(struct ks_dealer *d, struct ks_node *node)
{
    bool guard;
    switch (node->kind) {
    case KS_N_RETURN:
        if (d->out->across)
            refuse(d, node, "return behind the guard");
        return;
    case KS_N_DECL:
        for (size_t i = 0; i < node->n; i++)
            if (node->kid[i]->init)
                refuse_stores(d, node->kid[i]->init);
        ks_loop_declare(&d->env, node);
        return;
    case KS_N_EXPR:
        effect(d, node);
        return;
    case KS_N_IF:
        refuse_stores(d, node->kid[0]);
        guard = is_guard(d, node);
        d->depth += !guard;
        for (size_t i = 1; i < node->n; i++)
            if (!guard || node->kid[i]->kind != KS_N_RETURN)
                statement(d, node->kid[i]);
        d->depth -= !guard;
        return;
    case KS_N_BLOCK:
        if (node->n == 1 && node->kid[0]->kind == KS_N_RETURN && d->depth == 0)
            return; // of the guard
        for (size_t i = 0; i < node->n; i++)
            statement(d, node->kid[i]);
        return;
    default:
        if (ks_node_is_loop(node))
            loop(d, node);
        return;
    }
}

struct sharing {
    struct ks_dealer *d;
    bool *read, *written;
    bool target; // the node looked at is an assignment's target
    const struct ks_node *skip;
};

static bool visit_sharing(void *context, struct ks_node *node)
{
    struct sharing *s = context;
    struct ks_dealer *d = s->d;
    if (node->kind == KS_N_DECL)
        ks_loop_declare(&d->env, node);
    if (is_change(node)) {
        struct ks_place place = ks_place_of(&d->env, d->s->decl, node->kid[0]);
        if (place.base == KS_PLACE_PARAM)
            s->written[place.param] = true;
        if (place.base == KS_PLACE_PARAM && ks_node_is(node, KS_N_ASSIGN, "="))
            s->skip = node->kid[0];
    }
    if (node == s->skip)
        return true;
    struct ks_place place = {0};
    if (node->kind == KS_N_INDEX || ks_node_is(node, KS_N_UNARY, "*"))
        place = ks_place_of(&d->env, d->s->decl, node);
    if (place.base == KS_PLACE_PARAM)
        s->read[place.param] = true;
    return true;
}

static void find_both(struct ks_dealer *d)
{
    size_t n = d->s->decl->n_params;
    struct sharing s = {.d = d,
                        .read = KS_NEW_ARRAY(d->s->arena, bool, n + 1),
                        .written = KS_NEW_ARRAY(d->s->arena, bool, n + 1)};
    d->both = KS_NEW_ARRAY(d->s->arena, bool, n + 1);
    ks_node_walk(d->s->body.block, visit_sharing, &s);
    for (size_t i = 0; i < n; i++)
        d->both[i] = s.read[i] && s.written[i];
}

enum { SHARED_MAX = 48 << 10 }; // bytes of static shared memory

enum ks_status ks_lanes_make(const struct ks_subject *s, int count, int across, int unroll,
                             bool apart, struct ks_lanes *lanes, struct ks_err *err)
{
    *lanes = (struct ks_lanes){.count = count, .across = across, .limits = ""};
    struct ks_dealer d = {.s = s, .out = lanes, .unroll = unroll, .apart = apart, .err = err};
    struct ks_node *block = s->body.block, *stride = NULL;
    if (s->map.stride)
        stride = block->kid[block->n - 1];
    ks_affine_begin(s->arena, block, &d.env);
    find_both(&d);
    ks_affine_begin(s->arena, block, &d.env);
    for (size_t i = 0; i < block->n; i++)
        if (block->kid[i] == stride) {
            ks_loop_enter(&d.env, stride);
            statement(&d, stride->kid[3]);
        } else {
            statement(&d, block->kid[i]);
        }
    if (d.status != KS_OK)
        return d.status;
    if (lanes->loops == 0)
        KS_FAIL(err, KS_E_UNSUPPORTED, "%s",
                d.why
                    ? d.why
                    : ks_arena_printf(s->arena, "line %d: the kernel has no loop", s->decl->line));
    if (d.shared > SHARED_MAX)
        KS_FAIL(err, KS_E_UNSUPPORTED,
                "line %d: %d values a block meets on take %lld bytes of shared memory, of %d",
                s->decl->line, d.parts, (long long)d.shared, SHARED_MAX);
    return KS_OK;
}
