// Features as facts. The names are listed in memory/fact.c, which the linter reads.
#include <string.h>

#include "engine/engine.h"
#include "engine/subject.h"

struct pattern {
    int contiguous, uniform, strided, unknown; // accesses through pointer parameters
    int strided_writes;
};

static void classify(const struct ks_subject *s, struct pattern *p)
{
    for (size_t i = 0; i < s->access.len; i++) {
        const struct ks_access *a = &s->access.at[i];
        int64_t stride;
        if (!ks_poly_thread_stride(&a->index, &stride)) {
            if (stride == -1)
                p->strided++, p->strided_writes += a->writes;
            else
                p->unknown++;
        } else if (stride == 0) {
            p->uniform++;
        } else if (stride == 1) {
            p->contiguous++;
        } else {
            p->strided++;
            p->strided_writes += a->writes;
        }
    }
}

// Smallest element among the pointers that are accessed, in bytes; 0 when one is unknown.
static double access_width(const struct ks_subject *s)
{
    size_t least = 0;
    for (size_t i = 0; i < s->access.len; i++) {
        size_t size = s->brief->signature->params[s->access.at[i].param].elem.size;
        if (size == 0)
            return 0;
        least = least == 0 || size < least ? size : least;
    }
    return (double)least;
}

static bool qualifiers_missing(const struct ks_subject *s)
{
    for (size_t i = 0; i < s->decl->n_params; i++) {
        const struct ks_type *type = &s->decl->params[i].type;
        if (type->pointer && !type->restrict_)
            return true;
    }
    return false;
}

static void set_text_facts(struct ks_arena *arena, const struct ks_subject *s,
                           struct ks_fact_list *facts)
{
    const struct ks_access_list *a = &s->access;
    struct pattern p = {0};
    classify(s, &p);
    bool atomics = false, opaque = false;
    for (size_t i = 0; i < a->n_params; i++) {
        atomics |= a->use[i].atomic;
        opaque |= a->use[i].opaque != NULL;
    }
    ks_fact_set(arena, facts, "loops", a->loops);
    ks_fact_set(arena, facts, "branches", a->branches);
    ks_fact_set(arena, facts, "barriers", a->barriers);
    ks_fact_set(arena, facts, "special", a->special);
    ks_fact_set(arena, facts, "warp_ops", a->warp_ops);
    ks_fact_set(arena, facts, "shared(static)", a->shared_arrays);
    ks_fact_set(arena, facts, "shared(dynamic)", a->dynamic_shared != NULL);
    ks_fact_set(arena, facts, "atomics(param)", atomics);
    ks_fact_set(arena, facts, "double", a->uses_double);
    ks_fact_set(arena, facts, "qualifiers_missing", qualifiers_missing(s));
    if (access_width(s) > 0)
        ks_fact_set(arena, facts, "access_width(any)", access_width(s));
    if (p.strided > 0)
        ks_fact_set(arena, facts, "contiguous(thread)", 0);
    else if (p.unknown == 0 && !opaque && a->len > 0)
        ks_fact_set(arena, facts, "contiguous(thread)", p.contiguous > 0);
    if (p.strided > 0 || (p.unknown == 0 && !opaque)) {
        ks_fact_set(arena, facts, "strided(thread)", p.strided > 0);
        ks_fact_set(arena, facts, "strided_writes", p.strided_writes);
    }
    bool flat = s->is_map && !s->map.axis[1].used && !s->map.axis[2].used;
    ks_fact_set(arena, facts, "map", s->is_map);
    ks_fact_set(arena, facts, "elementwise", flat && a->loops == (s->map.stride ? 1 : 0));
    ks_fact_set(arena, facts, "grid_stride", s->is_map && s->map.stride);
    ks_fact_set(arena, facts, "axes",
                s->is_map ? s->map.axis[0].used + s->map.axis[1].used + s->map.axis[2].used : 0);
}

static void set_launch_facts(struct ks_arena *arena, const struct ks_brief *brief,
                             struct ks_fact_list *facts)
{
    if (brief->n_problems == 0)
        return;
    const struct ks_problem *p = &brief->problems[0];
    ks_fact_set(arena, facts, "threads_per_block",
                (double)p->block[0] * (double)p->block[1] * (double)p->block[2]);
    ks_fact_set(arena, facts, "blocks",
                (double)p->grid[0] * (double)p->grid[1] * (double)p->grid[2]);
    int64_t bytes = ks_problem_traffic(p);
    ks_fact_set(arena, facts, "traffic_mb", (double)bytes / 1e6);
    if (brief->device && brief->device->l2_bytes > 0)
        ks_fact_set(arena, facts, "beyond_l2", bytes > brief->device->l2_bytes);
}

enum ks_status ks_engine_features(struct ks_arena *arena, struct ks_brief *brief,
                                  struct ks_err *err)
{
    struct ks_subject subject;
    struct ks_err local = {0};
    set_launch_facts(arena, brief, &brief->facts);
    enum ks_status status = ks_subject_make(arena, brief, &subject, &local);
    ks_fact_set(arena, &brief->facts, "understood", status == KS_OK);
    if (status == KS_OK)
        set_text_facts(arena, &subject, &brief->facts);
    else if (status != KS_E_UNSUPPORTED)
        KS_FAIL(err, status, "%s", local.text);
    return KS_OK;
}
