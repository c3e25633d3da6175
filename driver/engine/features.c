// Features as facts. The names are listed in memory/fact.c, which the linter reads.
#include <string.h>

#include "engine/engine.h"
#include "engine/fold.h"
#include "engine/halo.h"
#include "engine/pattern.h"

struct steps {
    int contiguous, uniform, strided,
        unknown; // accesses through pointer parameters, from thread to thread in x
    int strided_writes;
};

static void classify(const struct ks_pattern_list *list, struct steps *p)
{
    for (size_t i = 0; i < list->len; i++) {
        const struct ks_pattern *a = &list->at[i];
        int64_t stride;
        bool symbolic = !ks_poly_thread_stride(&a->index, &stride) && stride == -1;
        if (a->along_x == KS_STEP_UNKNOWN && !symbolic) {
            p->unknown++;
        } else if (a->along_x == 0) {
            p->uniform++;
        } else if (a->along_x == 1) {
            p->contiguous++;
        } else {
            p->strided++;
            p->strided_writes += a->writes;
        }
    }
}

// Smallest element among the pointers that are accessed, in bytes; 0 when one is unknown.
static double access_width(const struct ks_subject *s, const struct ks_pattern_list *list)
{
    size_t least = 0;
    for (size_t i = 0; i < list->len; i++) {
        size_t size = s->brief->signature->params[list->at[i].param].elem.size;
        if (size == 0)
            return 0;
        least = least == 0 || size < least ? size : least;
    }
    return list->followed ? (double)least : 0;
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

// None is said to be there only where all functions that are called are seen.
static void set_count(struct ks_arena *arena, struct ks_fact_list *facts, const struct ks_access_list *access,
                      const char *name, int n)
{
    if (n > 0 || !access->unseen_call)
        ks_fact_set(arena, facts, name, n);
}

static void set_text_facts(struct ks_arena *arena, const struct ks_subject *s,
                           const struct ks_pattern_list *list, struct ks_fact_list *facts)
{
    const struct ks_access_list *a = &s->access;
    struct steps p = {0};
    classify(list, &p);
    bool atomics = a->elsewhere_call != NULL, opaque = !list->followed;
    for (size_t i = 0; i < a->n_params; i++)
        atomics |= a->use[i].atomic;
    ks_fact_set(arena, facts, "loops", a->loops);
    ks_fact_set(arena, facts, "branches", a->branches);
    set_count(arena, facts, a, "barriers", a->barriers);
    set_count(arena, facts, a, "special", a->special);
    set_count(arena, facts, a, "warp_ops", a->warp_ops);
    set_count(arena, facts, a, "shared(static)", a->shared_arrays);
    ks_fact_set(arena, facts, "shared(dynamic)", a->dynamic_shared != NULL);
    set_count(arena, facts, a, "atomics(param)", atomics);
    set_count(arena, facts, a, "double", a->uses_double);
    ks_fact_set(arena, facts, "qualifiers_missing", qualifiers_missing(s));
    double width = access_width(s, list);
    if (width > 0)
        ks_fact_set(arena, facts, "access_width(any)", width);
    if (p.strided > 0)
        ks_fact_set(arena, facts, "contiguous(thread)", 0);
    else if (p.unknown == 0 && !opaque && list->len > 0)
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

// What the accesses' polynomials and the loops say. None is said to be there only
// where no access was lost.
static void set_pattern_facts(struct ks_arena *arena, const struct ks_brief *brief,
                              const struct ks_pattern_list *list, struct ks_fact_list *facts)
{
    int walks = 0, shared = 0, lost = 0;
    for (size_t i = 0; i < list->len; i++) {
        const struct ks_pattern *p = &list->at[i];
        bool apart = p->along_x != 0 && p->along_x != 1 && p->along_x != -1;
        lost += p->along_x == KS_STEP_UNKNOWN || (p->loop && p->along_loop == KS_STEP_UNKNOWN);
        if (!p->loop || p->along_x == KS_STEP_UNKNOWN || p->along_loop == KS_STEP_UNKNOWN)
            continue;
        walks += apart && (p->along_loop == 1 || p->along_loop == -1);
        shared += p->reads && p->along_x == 0;
    }
    if (walks > 0 || (lost == 0 && list->followed))
        ks_fact_set(arena, facts, "walks(thread)", walks);
    if (shared > 0 || (lost == 0 && list->followed))
        ks_fact_set(arena, facts, "broadcast(thread)", shared);
    int diverging = 0, hidden = 0;
    for (size_t i = 0; i < list->ifs.len; i++) {
        diverging += list->ifs.at[i].diverges == KS_DIVERGE_WITHIN;
        hidden += list->ifs.at[i].diverges == KS_DIVERGE_UNKNOWN;
    }
    for (size_t i = 0; i < list->loops.len; i++) {
        diverging += list->loops.at[i].diverges == KS_DIVERGE_WITHIN;
        hidden += list->loops.at[i].diverges == KS_DIVERGE_UNKNOWN;
    }
    if (diverging > 0 || hidden == 0)
        ks_fact_set(arena, facts, "divergent", diverging);
    ks_fact_set(arena, facts, "nest", list->nest);
    ks_fact_set(arena, facts, "free_loops", list->free_loops);
    ks_fact_set(arena, facts, "reductions", list->reductions);
    if (brief->n_problems == 0)
        return;
    const struct ks_problem *p = &brief->problems[0];
    double threads = 1, bytes = (double)ks_problem_traffic(p);
    for (int i = 0; i < 3; i++)
        threads *= (double)p->grid[i] * (double)p->block[i];
    if (list->turns >= 0)
        ks_fact_set(arena, facts, "turns", list->turns);
    if (list->operations >= 0 && bytes > 0)
        ks_fact_set(arena, facts, "operations_per_byte", list->operations * threads / bytes);
}

// How lanes of a warp lie in shared memory. No conflict is said to be there only where every access is followed.
static void set_banks(struct ks_arena *arena, const struct ks_subject *s, const struct ks_pattern_list *list,
                      struct ks_fact_list *facts)
{
    bool all = list->shared_followed && s->access.shared_call == NULL && s->access.unseen_call == NULL;
    double turns = list->shared.len > 0;
    int strided = 0;
    for (size_t i = 0; i < list->shared.len; i++) {
        const struct ks_lane_access *a = &list->shared.at[i];
        all &= a->known;
        if (!a->known)
            continue;
        strided += a->along_x != KS_STEP_UNKNOWN && (a->along_x > 1 || a->along_x < -1);
        double own = a->waves / (double)a->turns;
        turns = own > turns ? own : turns;
    }
    if (strided > 0 || all)
        ks_fact_set(arena, facts, "strided(shared)", strided);
    if (turns > 1 || all)
        ks_fact_set(arena, facts, "bank_turns", turns);
}

// Arrays of which an item reads neighbours, each in the place of an index that is put together from its own.
static void set_neighbours(struct ks_arena *arena, const struct ks_subject *subject, struct ks_fact_list *facts)
{
    struct ks_halo halo;
    int n = 0;
    if (!subject->is_map)
        return;
    ks_halo_find(subject, &halo, NULL);
    for (size_t i = 0; i < halo.n_patches; i++)
        n += halo.patches[i].staged;
    ks_fact_set(arena, facts, "neighbours", n);
}

// What of the block's work is shared, and read as one thread's.
static void set_folds(struct ks_arena *arena, const struct ks_subject *subject, struct ks_fact_list *facts)
{
    const struct ks_options options = {.fold = 1};
    struct ks_subject view = {0};
    bool reads = !subject->is_map && ks_reshape(subject, &options, &view, NULL) == KS_OK && view.is_map;
    ks_fact_set(arena, facts, "folds", reads ? view.folded : 0);
}

enum ks_status ks_engine_describe(struct ks_arena *arena, const struct ks_brief *brief,
                                  struct ks_buf *out)
{
    struct ks_subject subject;
    struct ks_pattern_list list;
    struct ks_err err = {0};
    KS_TRY(ks_subject_make(arena, brief, &subject, &err));
    ks_patterns_find(&subject, &list);
    ks_patterns_print(&subject, &list, out);
    if (!list.followed)
        ks_buf_puts(out, "and accesses through pointers that are not followed\n");
    return KS_OK;
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
    if (status == KS_OK) {
        struct ks_pattern_list list;
        ks_patterns_find(&subject, &list);
        set_text_facts(arena, &subject, &list, &brief->facts);
        set_pattern_facts(arena, brief, &list, &brief->facts);
        set_folds(arena, &subject, &brief->facts);
        set_neighbours(arena, &subject, &brief->facts);
        set_banks(arena, &subject, &list, &brief->facts);
    }
    if (status != KS_OK && status != KS_E_UNSUPPORTED)
        KS_FAIL(err, status, "%s", local.text);
    return KS_OK;
}
