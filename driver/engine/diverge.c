#include "engine/diverge.h"

#include <stdlib.h>
#include <string.h>

#include "base/num.h"

#define WARP 32
#define MOST 400 // expressions looked at for one answer: locals stand for others, which stand for others

typedef enum ks_diverge diverge;

struct query {
    const struct ks_diverge_view *v;
    int left;
    const struct ks_affine_local *behind; // whose value is looked at
};

static diverge more(diverge a, diverge b)
{
    return a > b ? a : b;
}

static diverge of_local(struct query *q, const struct ks_affine_local *local);
static diverge of_value(struct query *q, const struct ks_node *node);

// A polynomial of what is known alone, and of locals in which all threads agree.
static bool is_open(struct query *q, const struct ks_poly *p)
{
    for (int i = 0; p->known && i < p->n; i++)
        for (int k = 0; k < p->term[i].n; k++) {
            const struct ks_affine_local *local = ks_affine_find(q->v->env, p->term[i].symbol[k]);
            bool counter = false;
            for (size_t c = 0; c < q->v->counters->len; c++)
                counter |= strcmp(q->v->counters->at[c], p->term[i].symbol[k]) == 0;
            if (!counter && local != NULL && (local->changes || of_local(q, local) != KS_DIVERGE_NONE))
                return false;
        }
    return p->known;
}

#define NO_STEP INT64_MIN

// From one thread's number to the next, where the polynomial has it in no other way; else NO_STEP.
static int64_t step_of(const struct ks_poly *p)
{
    int64_t step = 0;
    for (int i = 0; i < p->n; i++) {
        const struct ks_term *t = &p->term[i];
        for (int k = 0; k < t->n; k++)
            if (ks_starts_with(t->symbol[k], "threadIdx.")) {
                if (t->n > 1 || strcmp(t->symbol[k], "threadIdx.x") != 0)
                    return NO_STEP;
                step = t->coef;
            }
    }
    return step;
}

struct assigned {
    struct query *query;
    const char *name;
    diverge most;
};

static bool visit_assigned(void *context, struct ks_node *node)
{
    struct assigned *a = context;
    if (node->kind == KS_N_ASSIGN && ks_node_is(node->kid[0], KS_N_NAME, a->name))
        a->most = more(a->most, of_value(a->query, node->kid[1]));
    return a->most != KS_DIVERGE_WITHIN;
}

static diverge of_local(struct query *q, const struct ks_affine_local *local)
{
    const struct ks_node *var = local->var;
    if (local->loop || var->n > 0 || local == q->behind || q->left-- <= 0)
        return KS_DIVERGE_UNKNOWN;
    const struct ks_affine_local *kept = q->behind;
    q->behind = local;
    diverge first = var->init != NULL ? of_value(q, var->init) : KS_DIVERGE_NONE;
    // How often it changes is not followed: only what differs anyhow is known.
    struct assigned a = {q, local->name, more(first, KS_DIVERGE_UNKNOWN)};
    if (local->changes || var->init == NULL || var->pointer)
        ks_node_walk(q->v->env->root, visit_assigned, &a);
    else
        a.most = first;
    q->behind = kept;
    return a.most;
}

static diverge of_name(struct query *q, const struct ks_node *node)
{
    const struct ks_affine_local *local = ks_affine_find(q->v->env, node->text);
    const struct ks_kernel_decl *decl = q->v->subject->decl;
    if (local != NULL)
        return of_local(q, local);
    for (size_t i = 0; i < decl->n_params; i++)
        if (decl->params[i].name != NULL && strcmp(decl->params[i].name, node->text) == 0)
            return ks_node_changes(q->v->env->root, node->text) ? KS_DIVERGE_UNKNOWN : KS_DIVERGE_NONE;
    return ks_subject_constant((void *)q->v->subject, node->text) != NULL ? KS_DIVERGE_NONE : KS_DIVERGE_UNKNOWN;
}

static diverge of_call(struct query *q, const struct ks_node *node)
{
    static const char *const votes[] = {"__any", "__all", "__ballot", "__syncthreads_"};
    const char *name = node->kid[0]->kind == KS_N_NAME ? node->kid[0]->text : "";
    diverge all = ks_function_is_pure(name) ? KS_DIVERGE_NONE : KS_DIVERGE_UNKNOWN;
    for (size_t i = 0; i < sizeof votes / sizeof *votes; i++)
        if (ks_starts_with(name, votes[i]))
            return KS_DIVERGE_NONE;
    if (ks_starts_with(name, "atomic")) // each finds what another left
        return KS_DIVERGE_WITHIN;
    for (size_t i = 1; i < node->n; i++)
        all = more(all, of_value(q, node->kid[i]));
    if (ks_starts_with(name, "__shfl") && all > KS_DIVERGE_UNKNOWN) // of one lane or each of another
        return KS_DIVERGE_UNKNOWN;
    return all;
}

// The number of a warp: neighbours' numbers over a multiple of 32.
static bool is_warp(struct query *q, const struct ks_node *node)
{
    bool shift = ks_node_is(node, KS_N_BINARY, ">>");
    if (!shift && !ks_node_is(node, KS_N_BINARY, "/"))
        return false;
    struct ks_poly value = ks_affine_eval(q->v->env, node->kid[0]), by = ks_affine_eval(q->v->env, node->kid[1]);
    int64_t step = is_open(q, &value) ? step_of(&value) : NO_STEP;
    if (step == NO_STEP || llabs(step) > 1 || !by.known || by.n != 1 || by.term[0].n != 0)
        return false;
    return shift ? by.term[0].coef >= 5 : by.term[0].coef > 0 && by.term[0].coef % WARP == 0;
}

static diverge of_value(struct query *q, const struct ks_node *node)
{
    diverge all = KS_DIVERGE_NONE;
    if (q->left-- <= 0)
        return KS_DIVERGE_UNKNOWN;
    struct ks_poly p = ks_affine_eval(q->v->env, node);
    if (is_open(q, &p))
        return ks_poly_mentions(&p, "threadIdx.") ? KS_DIVERGE_WITHIN : KS_DIVERGE_NONE;
    if (is_warp(q, node))
        return KS_DIVERGE_EDGE;
    if (node->kind == KS_N_NAME)
        return of_name(q, node);
    if (node->kind == KS_N_CALL)
        return of_call(q, node);
    if (node->kind == KS_N_ASSIGN || node->kind == KS_N_POSTFIX || ks_node_is(node, KS_N_UNARY, "++") ||
        ks_node_is(node, KS_N_UNARY, "--"))
        all = KS_DIVERGE_UNKNOWN;
    for (size_t i = 0; i < node->n; i++)
        all = more(all, of_value(q, node->kid[i]));
    return all;
}

static bool is_one_of(const struct ks_node *node, const char *const *texts)
{
    for (; *texts != NULL; texts++)
        if (ks_node_is(node, KS_N_BINARY, *texts))
            return true;
    return false;
}

static diverge of_condition(struct query *q, const struct ks_node *node)
{
    static const char *const joins[] = {"&&", "||", NULL}, *const compares[] = {"<", "<=", ">", ">=", "==", "!=", NULL};
    if (ks_node_is(node, KS_N_UNARY, "!"))
        return of_condition(q, node->kid[0]);
    if (is_one_of(node, joins))
        return more(of_condition(q, node->kid[0]), of_condition(q, node->kid[1]));
    if (is_one_of(node, compares)) {
        struct ks_poly a = ks_affine_eval(q->v->env, node->kid[0]), b = ks_affine_eval(q->v->env, node->kid[1]);
        struct ks_poly apart = ks_poly_sum(&a, &b, -1);
        if (is_open(q, &apart))
            return ks_poly_mentions(&apart, "threadIdx.") ? KS_DIVERGE_EDGE : KS_DIVERGE_NONE;
    }
    return of_value(q, node);
}

enum ks_diverge ks_diverge_if(const struct ks_diverge_view *v, const struct ks_node *condition)
{
    struct query q = {v, MOST, NULL};
    return of_condition(&q, condition);
}

enum ks_diverge ks_diverge_loop(const struct ks_diverge_view *v, const struct ks_loop *l)
{
    struct query q = {v, MOST, NULL};
    const struct ks_node *node = l->node;
    if (l->var == NULL || l->start == NULL || l->limit == NULL || l->by == NULL) {
        const struct ks_node *test = node->kid[node->kind == KS_N_WHILE ? 0 : 1];
        return test->kind == KS_N_EMPTY ? KS_DIVERGE_UNKNOWN : of_condition(&q, test);
    }
    struct ks_poly from = ks_affine_eval(v->env, l->start), to = ks_affine_eval(v->env, l->limit);
    struct ks_poly span = ks_poly_sum(&to, &from, -1);
    if (!is_open(&q, &span))
        return more(of_value(&q, l->start), of_value(&q, l->limit));
    if (!ks_poly_mentions(&span, "threadIdx."))
        return KS_DIVERGE_NONE;
    // From the thread's number in steps of the warp or the block: a turn more or less.
    int64_t by, step = step_of(&span);
    bool strides = step != NO_STEP && (ks_parse_i64(l->by, &by) ? llabs(step) <= by / WARP : llabs(step) == 1);
    return strides ? KS_DIVERGE_EDGE : KS_DIVERGE_WITHIN;
}
