// What was read off the text held against what was counted in a run, of the profiler or of the
// emulated device. Where they disagree the text was misread, or the compiler did something to it:
// both are worth knowing before a skill is believed.
#include <math.h>
#include <string.h>

#include "engine/engine.h"
#include "engine/pattern.h"

enum { WARP = 32, SECTOR = 32 };

struct span { // of sectors that one access of a warp may touch
    double least, most;
    bool known; // of every access
    int n;
};

// Whether not all threads of a warp need do the access.
static bool is_conditional(const struct ks_subject *s, const struct ks_node *node)
{
    for (size_t i = 0; i < s->access.len; i++)
        if (s->access.at[i].node == node)
            return s->access.at[i].conditional;
    return true;
}

// Distinct sectors of a warp's access to elements of `size` bytes; at worst it begins in a sector's
// middle.
static void add_access(const struct ks_brief *brief, const struct ks_pattern *p, double size,
                       bool conditional, struct span *span)
{
    const struct ks_problem *problem = &brief->problems[0];
    int64_t width = problem->block[0] > 0 ? problem->block[0] : 1;
    double seen[WARP];
    int n = 0;
    if (p->along_x == KS_STEP_UNKNOWN || (width < WARP && p->along_y == KS_STEP_UNKNOWN)) {
        span->known = false;
        return;
    }
    for (int lane = 0; lane < WARP; lane++) {
        double at = (double)(lane % width) * (double)p->along_x;
        if (width < WARP)
            at += (double)(lane / width) * (double)p->along_y;
        for (double byte = at * size; byte < at * size + size; byte += SECTOR) {
            double sector = floor(byte / SECTOR);
            int k = 0;
            while (k < n && seen[k] != sector)
                k++;
            if (k == n && n < WARP)
                seen[n++] = sector;
        }
    }
    span->least = span->n == 0 ? n : fmin(span->least, n);
    span->least = conditional ? 1 : span->least;
    span->most = span->n == 0 ? n : fmax(span->most, n);
    span->n++;
}

enum { READS = 1, WRITES = 2 };

// Of all such accesses, or those of one line.
static struct span find(const struct ks_subject *s, const struct ks_pattern_list *list, int which,
                        int line)
{
    struct span span = {.known = list->followed};
    for (size_t i = 0; i < list->len; i++) {
        const struct ks_pattern *p = &list->at[i];
        double size = (double)s->brief->signature->params[p->param].elem.size;
        bool wanted = (which & READS && p->reads) || (which & WRITES && p->writes);
        if (!wanted || (line && p->node->line != line))
            continue;
        if (size == 0)
            span.known = false;
        else
            add_access(s->brief, p, size, is_conditional(s, p->node), &span);
    }
    return span;
}

// A compiler may leave accesses out or join them, and a warp may not be full: half of the least is
// still no contradiction, nor is one sector more than the most.
static bool contradicts(const struct span *span, double value)
{
    return value < span->least / 2 || value > span->most + 1;
}

static void say(const struct span *span, double value, const char *where, struct ks_buf *out)
{
    ks_buf_printf(out, "counted %.3g sectors %s of a warp, where the text says ", value, where);
    if (span->least == span->most)
        ks_buf_printf(out, "%.3g\n", span->most);
    else
        ks_buf_printf(out, "from %.3g to %.3g\n", span->least, span->most);
}

static void hold(const struct span *span, const struct ks_fact_list *counted, const char *metric,
                 const char *what, int *compared, struct ks_buf *out)
{
    double value;
    if (!span->known || span->n == 0 || !ks_fact_get(counted, metric, &value) || value == 0)
        return;
    ++*compared;
    if (contradicts(span, value))
        say(span, value, what, out);
}

struct ways {
    const struct ks_node *node;
    bool other; // than through the node
};

static bool visit_ways(void *context, struct ks_node *node)
{
    struct ways *w = context;
    bool round = node->begin <= w->node->begin && node->end >= w->node->end;
    w->other |= (round && (node->kind == KS_N_IF || node->kind == KS_N_COND)) ||
                (node->kind == KS_N_RETURN && node->begin < w->node->begin);
    return true;
}

// Whether every thread does it.
static bool is_always(const struct ks_subject *s, const struct ks_lane_access *access)
{
    struct ways ways = {.node = access->node};
    ks_node_walk(s->body.block, visit_ways, &ways);
    return !ways.other && access->times > 0;
}

// Bank conflicts, as a share of wavefronts: of all accesses, or those of one line. Of a line that the text has no
// conflicts in a few may be other warps' than the first; where a warp need not do what conflicts, none need be there.
static void hold_banks(const struct ks_subject *s, const struct ks_pattern_list *list, int line, double pct,
                       const char *where, int *compared, struct ks_buf *out)
{
    bool known = list->shared_followed, conflicts = false, surely = false;
    int n = 0;
    for (size_t i = 0; i < list->shared.len; i++) {
        const struct ks_lane_access *a = &list->shared.at[i];
        if (line && a->node->line != line)
            continue;
        n++;
        known &= a->known;
        conflicts |= a->waves > a->turns;
        surely |= a->waves > a->turns && is_always(s, a);
    }
    if (n == 0 || !known)
        return;
    ++*compared;
    if (!conflicts && pct > 5)
        ks_buf_printf(out, "counted %.3g %% of %s wavefronts for bank conflicts, where the text has none\n", pct, where);
    if (surely && pct == 0)
        ks_buf_printf(out, "counted no bank conflicts in %s wavefronts, where the text has some\n", where);
}

static bool uses_double(const struct ks_subject *s)
{
    const struct ks_signature *signature = s->brief->signature;
    bool found = s->access.uses_double;
    for (size_t i = 0; i < signature->n_params; i++)
        found |= signature->params[i].elem.scalar == KS_T_F64;
    return found;
}

int ks_engine_cross_check(struct ks_arena *arena, const struct ks_brief *brief,
                          const struct ks_fact_list *counted, const struct ks_line_count *lines,
                          size_t n_lines, struct ks_buf *out)
{
    struct ks_subject s;
    struct ks_pattern_list list;
    struct ks_err err = {0};
    double value;
    int compared = 0;
    if (brief->n_problems == 0 || ks_subject_make(arena, brief, &s, &err) != KS_OK)
        return 0;
    ks_patterns_find(&s, &list);
    bool atomics = false;
    for (size_t i = 0; i < s.access.n_params; i++)
        atomics |= s.access.use[i].atomic;
    struct span loads = find(&s, &list, READS, 0), stores = find(&s, &list, WRITES, 0);
    if (!atomics) { // they are neither
        hold(&loads, counted, "sectors_per_request_ld", "a load", &compared, out);
        hold(&stores, counted, "sectors_per_request_st", "a store", &compared, out);
    }
    bool by_line = s.access.shared_call != NULL || s.access.unseen_call != NULL;
    for (size_t i = 0; i < n_lines; i++) {
        by_line |= lines[i].shared > 0;
        if (lines[i].shared > 0)
            hold_banks(&s, &list, lines[i].line, lines[i].conflict_pct,
                       ks_arena_printf(arena, "line %d's shared", lines[i].line), &compared, out);
        struct span own = find(&s, &list, READS | WRITES, lines[i].line);
        if (!own.known || own.n == 0 || lines[i].sectors <= 0)
            continue;
        compared++;
        if (contradicts(&own, lines[i].sectors))
            say(&own, lines[i].sectors,
                ks_arena_printf(arena, "an access in line %d", lines[i].line), out);
    }
    if (ks_fact_get(counted, "shared_conflict_pct", &value) && (!by_line || value == 0))
        hold_banks(&s, &list, 0, value, "all shared", &compared, out);
    if (!uses_double(&s) && ks_fact_get(counted, "pipe_fp64_pct", &value)) {
        compared++;
        if (value > 1)
            ks_buf_printf(
                out,
                "counted work of the fp64 pipe (%.3g %%), where the text names no double: "
                "a literal without f, or a function of doubles\n",
                value);
    }
    if (s.access.shared_arrays == 0 && ks_fact_get(counted, "static_shared", &value)) {
        compared++;
        if (value > 0)
            ks_buf_printf(out,
                          "counted %.3g bytes of static shared memory, where the text has none\n",
                          value);
    }
    return compared;
}
