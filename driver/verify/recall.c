#include "verify/recall.h"

#include <string.h>

#define KEEP_BYTES (64 << 20)   // of outputs of one vector; what is known of them takes some six times that
#define KEEP_ALL (160 << 20)    // of all
#define MAX_RECALLED 1024

struct ks_recalled {
    struct ks_vector vector;
    int variation, uses;
    int skew;
    bool kept;
    const struct ks_literals *literals; // planted ones, for other candidates compare with other numbers; NULL: of no such family
};

static bool same_problem(const struct ks_problem *a, const struct ks_problem *b)
{
    if (a->workload != b->workload || a->n_values != b->n_values)
        return false;
    for (size_t i = 0; i < a->n_values; i++)
        if (a->values[i].value != b->values[i].value || strcmp(a->values[i].name, b->values[i].name) != 0)
            return false;
    return true;
}

static bool same_literals(const struct ks_literals *a, const struct ks_literals *b)
{
    return a->n_values == b->n_values && a->n_wholes == b->n_wholes &&
           memcmp(a->values, b->values, a->n_values * sizeof *a->values) == 0 &&
           memcmp(a->wholes, b->wholes, a->n_wholes * sizeof *a->wholes) == 0;
}

static int64_t output_bytes(const struct ks_vector *vector)
{
    int64_t bytes = 0;
    for (size_t o = 0; o < vector->n_outputs; o++)
        bytes += vector->layout.slots[vector->outputs[o].slot].bytes;
    return bytes;
}

static struct ks_recalled *find(struct ks_judge *judge, const struct ks_problem *problem,
                                enum ks_family family, int variation, int skew)
{
    ks_vec_each(struct ks_recalled *, r, &judge->recalled.list)
        if ((*r)->vector.family == family && (*r)->variation == variation && (*r)->skew == skew &&
            (family != KS_FAMILY_LITERALS || same_literals((*r)->literals, &judge->literals)) &&
            same_problem(&(*r)->vector.problem, problem))
            return *r;
    if (judge->recalled.list.len >= MAX_RECALLED) // a long session starts afresh
        ks_recall_free(judge);
    struct ks_recalled *r = KS_NEW(judge->arena, struct ks_recalled);
    *r = (struct ks_recalled){.variation = variation, .skew = skew, .uses = KS_RECALL_USES};
    if (family == KS_FAMILY_LITERALS) // eighteen times the rest
        r->literals = ks_arena_memdup(judge->arena, &judge->literals, sizeof judge->literals);
    *ks_vec_push(judge->arena, &judge->recalled.list) = r;
    return r;
}

static void forget(struct ks_judge *judge, struct ks_recalled *r)
{
    if (r->kept)
        judge->recalled.bytes -= output_bytes(&r->vector);
    r->kept = false;
    ks_vector_free(&r->vector);
}

// A copy that outlives the schedule it was made for: structs have bytes of their own in each problem.
static struct ks_problem keep_problem(struct ks_arena *arena, const struct ks_problem *problem)
{
    struct ks_problem kept = *problem;
    kept.name = ks_arena_strdup(arena, problem->name);
    kept.values = ks_arena_memdup(arena, problem->values, problem->n_values * sizeof *kept.values);
    kept.args = ks_arena_memdup(arena, problem->args, problem->n_args * sizeof *kept.args);
    for (size_t i = 0; i < kept.n_args; i++) {
        const struct ks_block *block = kept.args[i].block;
        if (block == NULL)
            continue;
        struct ks_block *own = ks_arena_memdup(arena, block, sizeof *block);
        own->bytes = ks_arena_memdup(arena, block->bytes, block->size);
        kept.args[i].block = own;
    }
    return kept;
}

enum ks_status ks_recall(struct ks_judge *judge, const struct ks_problem *problem,
                         enum ks_family family, int variation, int skew,
                         struct ks_vector **vector, struct ks_err *err)
{
    struct ks_recalled *r = find(judge, problem, family, variation, skew);
    *vector = &r->vector;
    // What differs from run to run is made each time, and what depends on the poison where its bytes were
    // too many to keep.
    const struct ks_vector *v = &r->vector;
    if (r->uses++ < KS_RECALL_USES && (v->excluded || (v->deterministic && (v->all_written || v->read))))
        return KS_OK;
    forget(judge, r);
    struct ks_problem kept = keep_problem(judge->arena, problem);
    r->uses = 1;
    enum ks_status status = ks_vector_make(judge, judge->arena, &kept, family, variation, skew,
                                           &r->vector, err);
    if (status != KS_OK)
        r->uses = KS_RECALL_USES; // nothing to recall
    return status;
}

void ks_recall_done(struct ks_judge *judge, struct ks_vector *vector)
{
    struct ks_recalled *r = (struct ks_recalled *)vector;
    int64_t bytes = output_bytes(vector);
    if (r->kept)
        return;
    r->kept = vector->read && bytes <= KEEP_BYTES && judge->recalled.bytes + bytes <= KEEP_ALL;
    if (r->kept)
        judge->recalled.bytes += bytes;
    else
        ks_vector_forget(vector);
}

void ks_recall_free(struct ks_judge *judge)
{
    ks_vec_each(struct ks_recalled *, r, &judge->recalled.list)
        forget(judge, *r);
    judge->recalled.list.len = 0;
}

void ks_recall_anew(struct ks_judge *judge)
{
    judge->aside = judge->recalled;
    judge->recalled = (struct ks_recollection){.bytes = 0};
}

void ks_recall_back(struct ks_judge *judge)
{
    ks_recall_free(judge);
    judge->recalled = judge->aside;
    judge->aside = (struct ks_recollection){.bytes = 0};
}
