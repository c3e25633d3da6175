// The atomics of a kernel that counts, and that it does nothing else.
#include "engine/tally_tree.h"

#include <string.h>

#include "engine/functions.h"
#include "engine/loop.h"

// ---- atomics

// The array and the last index of `&a[i]`, `&a[j][i]` and `a + i`, also as an address of numbers of another sign.
static bool read_address(struct ks_tally *y, const struct ks_node *e, struct ks_tally_atomic *a)
{
    if (e->kind == KS_N_CAST) {
        a->as = ks_type_parse(y->s.arena, ks_slice_of(e->text));
        e = e->kid[0];
    }
    if (ks_node_is(e, KS_N_UNARY, "&") && e->kid[0]->kind == KS_N_INDEX) {
        a->index = e->kid[0]->kid[1];
        a->base = e->kid[0]->kid[0];
        while (a->base->kind == KS_N_INDEX)
            a->base = a->base->kid[0];
    } else if (ks_node_is(e, KS_N_BINARY, "+")) {
        a->base = e->kid[0];
        a->index = e->kid[1];
    }
    return a->base && a->base->kind == KS_N_NAME;
}

struct found {
    struct ks_tally *y;
    struct ks_node *path[KS_TALLY_DEPTH];
    struct ks_tally_atomic at[KS_TALLY_COUNTS + 2];
    size_t n;
};

static bool is_atomic(const struct ks_node *e)
{
    return e->kind == KS_N_CALL && e->kid[0]->kind == KS_N_NAME && ks_starts_with(e->kid[0]->text, "atomic");
}

static void find(struct found *f, struct ks_node *s, size_t depth)
{
    if (depth == KS_TALLY_DEPTH || s->kind < KS_N_BLOCK)
        return;
    f->path[depth] = s;
    if (s->kind == KS_N_EXPR && is_atomic(s->kid[0]) && f->n < KS_TALLY_COUNTS + 2) {
        struct ks_tally_atomic *a = &f->at[f->n++];
        memcpy(a->path, f->path, sizeof f->path);
        a->depth = depth + 1;
        a->call = s->kid[0];
        return;
    }
    for (size_t i = 0; i < s->n; i++)
        find(f, s->kid[i], depth + 1);
}

static bool visit_atomic(void *context, struct ks_node *node)
{
    *(size_t *)context += is_atomic(node);
    return true;
}

// Whether both count in the same array and the same block of the text.
static bool is_beside(const struct ks_tally_atomic *a, const struct ks_tally_atomic *b)
{
    return a->depth == b->depth && a->depth > 1 && a->path[a->depth - 2] == b->path[b->depth - 2] &&
           a->path[a->depth - 2]->kind == KS_N_BLOCK && strcmp(a->base->text, b->base->text) == 0;
}

// Counts, and one behind them that goes from shared memory to memory.
static bool sort_out(struct ks_tally *y, const struct found *f)
{
    size_t param;
    const struct ks_tally_atomic *last = &f->at[f->n - 1];
    const bool merges = !ks_typed_param(&y->t, f->at[0].base->text, &param);
    if (merges)
        y->merge = *last;
    for (size_t i = 0; i + merges < f->n; i++) {
        if (y->n_counts == KS_TALLY_COUNTS || (i > 0 && !is_beside(&f->at[0], &f->at[i])))
            return ks_tally_refuse(y, f->at[i].call, "atomics count in several places of the text");
        y->count[y->n_counts++] = f->at[i];
    }
    const struct ks_node *base = f->at[0].base, *decl = ks_loop_declaration(y->s.body.block, base->text, base->begin);
    if (y->n_counts == 0 || (merges && (!decl || !decl->shared || !ks_typed_param(&y->t, last->base->text, &param))))
        return ks_tally_refuse(y, last->call, "counts do not come to memory");
    return true;
}

bool ks_tally_atomics(struct ks_tally *y)
{
    struct found f = {.y = y};
    size_t all = 0;
    find(&f, y->s.body.block, 0);
    ks_node_walk(y->s.body.block, visit_atomic, &all);
    if (all == 0 || all != f.n)
        return ks_tally_refuse(y, y->s.body.block, "no atomic whose value nobody takes counts, or another one is there");
    for (size_t i = 0; i < f.n; i++) {
        const struct ks_node *call = f.at[i].call;
        const bool adds = strcmp(call->kid[0]->text, "atomicAdd") == 0 || strcmp(call->kid[0]->text, "atomicAdd_block") == 0;
        if (!adds || call->n != 3 || !read_address(y, call->kid[1], &f.at[i]))
            return ks_tally_refuse(y, call, "this atomic does not count");
    }
    return sort_out(y, &f);
}

bool ks_tally_keeps_width(const struct ks_tally_atomic *a, enum ks_scalar elem)
{
    const enum ks_scalar as = a->as.elem.scalar;
    return a->as.text == NULL || (a->as.pointer && a->as.elem.lanes == 1 && as >= KS_T_I32 && as <= KS_T_U64 &&
                                  ks_scalar_size(as) == ks_scalar_size(elem));
}

// ---- all there is

static void allow(struct ks_tally *y, const struct ks_node *e)
{
    if (y->n_allowed < KS_TALLY_RANGES) {
        y->allowed[y->n_allowed].begin = e->begin;
        y->allowed[y->n_allowed++].end = e->end;
    }
}

static bool is_allowed(const struct ks_tally *y, const struct ks_node *e)
{
    for (size_t i = 0; i < y->n_allowed; i++)
        if (y->allowed[i].begin <= e->begin && e->end <= y->allowed[i].end)
            return true;
    for (size_t i = 0; i < y->t.edits.len; i++)
        if (y->t.edits.at[i].begin <= e->begin && e->end <= y->t.edits.at[i].end)
            return true;
    return false;
}

// Whether a number of the type that those words name is a block's count still: of ones there are fewer than 31 bits hold.
static bool holds_count(struct ks_tally *y, const char *words)
{
    const struct ks_node *base = y->count[0].base, *decl = ks_loop_declaration(y->s.body.block, base->text, base->begin);
    const enum ks_scalar type = ks_typed_of_words(&y->t, words), own = decl ? ks_typed_of_words(&y->t, decl->text) : KS_T_U64;
    return strstr(words, "auto") ||
           (type >= KS_T_I32 && type <= KS_T_U64 && (y->t.tail->once || ks_scalar_size(type) >= ks_scalar_size(own)));
}

static const struct ks_node *plain(struct ks_tally *y, const struct ks_node *e)
{
    while (e->kind == KS_N_CAST && holds_count(y, e->text))
        e = e->kid[0];
    return e;
}

static bool is_zero(const struct ks_node *e)
{
    return e->kind == KS_N_NUMBER && e->text[0] == '0' && e->text[1 + strspn(e->text + 1, "uUlL")] == '\0';
}

// An element of the block's own counts, whose place no element of memory says.
static bool is_own(struct ks_tally *y, const struct ks_node *e)
{
    e = plain(y, e);
    bool plain_places = e->kind == KS_N_INDEX;
    for (; e->kind == KS_N_INDEX; e = e->kid[0])
        plain_places &= (ks_typed_hangs_on(&y->t, e->kid[1]) & ~KS_TYPED_PLACE) == 0;
    return plain_places && ks_node_is(e, KS_N_NAME, y->count[0].base->text);
}

struct sums { // of the block's own counts in a variable
    struct ks_tally *y;
    const char *variable; // NULL: an element itself is added
    bool understood;
};

static bool visit_sum(void *context, struct ks_node *node)
{
    struct sums *s = context;
    const bool sets = node->kind == KS_N_ASSIGN && ks_node_is(node->kid[0], KS_N_NAME, s->variable);
    if (sets) {
        s->understood &= (strcmp(node->text, "=") == 0 || strcmp(node->text, "+=") == 0) &&
                         (is_own(s->y, node->kid[1]) || is_zero(node->kid[1]));
        allow(s->y, node);
    }
    if (node->kind == KS_N_DECL)
        for (size_t i = 0; i < node->n; i++)
            s->understood &= strcmp(node->kid[i]->text, s->variable) != 0 || holds_count(s->y, node->text);
    if (node->kind == KS_N_VAR && strcmp(node->text, s->variable) == 0) {
        s->understood &= node->init && !node->pointer && !node->reference && node->n == 0 &&
                         (is_own(s->y, node->init) || is_zero(node->init));
        allow(s->y, node);
    }
    return !sets;
}

// Whether what is added is any, in front of which no atomic is needed.
static bool asks_any(struct ks_tally *y, const struct ks_node *added, const struct ks_node *e)
{
    const bool compares = ks_node_is(e, KS_N_BINARY, "!=") || ks_node_is(e, KS_N_BINARY, ">");
    const struct ks_node *counts = plain(y, compares && is_zero(e->kid[1]) ? e->kid[0] : e);
    return strcmp(ks_node_text(y->t.arena, &y->s.body, counts), ks_node_text(y->t.arena, &y->s.body, added)) == 0;
}

// A count below zero, of weights, would be passed over by `> 0`.
static bool passes_over(const struct ks_tally *y, const struct ks_node *e)
{
    return ks_node_is(e, KS_N_BINARY, ">") && !y->t.tail->once;
}

static void allow_conditions(struct ks_tally *y, const struct ks_node *added, const struct ks_node *e)
{
    if (ks_node_is(e, KS_N_BINARY, "&&")) {
        allow_conditions(y, added, e->kid[0]);
        allow_conditions(y, added, e->kid[1]);
    } else if (asks_any(y, added, e) && !passes_over(y, e)) {
        allow(y, e);
    }
}

// How the block's counts come to memory.
static bool allow_merge(struct ks_tally *y)
{
    const struct ks_tally_atomic *m = &y->merge;
    const struct ks_node *added = plain(y, m->call->kid[2]);
    struct sums sums = {y, added->kind == KS_N_NAME ? added->text : NULL, true};
    if (sums.variable)
        ks_node_walk(y->s.body.block, visit_sum, &sums);
    else
        sums.understood = is_own(y, added);
    if (!sums.understood || ks_typed_hangs_on(&y->t, m->index) & ~KS_TYPED_PLACE)
        return ks_tally_refuse(y, m->call, "what a block has counted is not added as it is");
    allow(y, m->call);
    for (size_t d = 0; d + 1 < m->depth; d++)
        if (m->path[d]->kind == KS_N_IF && m->path[d]->kid[1] == m->path[d + 1])
            allow_conditions(y, added, m->path[d]->kid[0]);
    return true;
}

static bool is_counted(const struct ks_tally *y, const struct ks_node *call)
{
    bool counted = call == y->merge.call;
    for (size_t i = 0; i < y->n_counts; i++)
        counted |= call == y->count[i].call;
    return counted;
}

static bool visit_all(void *context, struct ks_node *node)
{
    struct ks_tally *y = context;
    const char *own = y->merge.call ? y->count[0].base->text : "";
    size_t param;
    if (ks_node_is(node, KS_N_ASSIGN, "=") && node->kid[0]->kind == KS_N_INDEX && is_own(y, node->kid[0]) &&
        is_zero(node->kid[1]) && node->end <= y->count[0].call->begin)
        return false; // room for counts
    if (node->kind == KS_N_CALL) {
        const char *name = node->kid[0]->kind == KS_N_NAME ? node->kid[0]->text : "";
        const struct ks_callee *callee = ks_callee_find(&y->s.brief->callees, name);
        const bool known = ks_function_find(name, node->n - 1) || strcmp(name, "__ldg") == 0;
        if (!is_counted(y, node) && !known &&
            !(callee && callee->n_texts > 0 ? callee->value != NULL : ks_function_is_pure(name)))
            ks_tally_refuse(y, node, "a function does more than is known");
    }
    if (node->kind == KS_N_NAME) {
        const bool points = ks_typed_param(&y->t, node->text, &param) && y->s.brief->signature->params[param].pointer;
        if ((points || strcmp(node->text, own) == 0) && !is_allowed(y, node))
            ks_tally_refuse(y, node, "an array is used for more than a count");
    }
    if (node->kind == KS_N_INDEX && node->kid[0]->kind == KS_N_NAME && strcmp(node->kid[0]->text, own) != 0 &&
        !ks_typed_param(&y->t, node->kid[0]->text, &param))
        ks_tally_refuse(y, node, "an array is used for more than a count");
    return true;
}

// A variable that sums the block's counts is for nothing else.
static bool visit_variable(void *context, struct ks_node *node)
{
    struct sums *s = context;
    if (ks_node_is(node, KS_N_NAME, s->variable) && !is_allowed(s->y, node))
        s->understood = false;
    return true;
}

bool ks_tally_is_all(struct ks_tally *y)
{
    for (size_t i = 0; i < y->n_counts; i++)
        allow(y, y->count[i].call->kid[1]);
    if (y->merge.call) {
        const struct ks_node *added = plain(y, y->merge.call->kid[2]);
        struct sums sums = {y, added->kind == KS_N_NAME ? added->text : NULL, true};
        if (!allow_merge(y))
            return false;
        if (sums.variable)
            ks_node_walk(y->s.body.block, visit_variable, &sums);
        if (!sums.understood)
            return ks_tally_refuse(y, y->merge.call, "what a block has counted is used for more");
    }
    ks_node_walk(y->s.body.block, visit_all, y);
    return y->t.why == NULL;
}
