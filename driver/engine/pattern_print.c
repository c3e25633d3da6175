// Loops and accesses of a kernel in words.
#include "engine/pattern.h"

static void print_step(struct ks_buf *out, const char *what, int64_t step)
{
    if (step == KS_STEP_UNKNOWN)
        ks_buf_printf(out, ", %s not known", what);
    else if (step == 0)
        ks_buf_printf(out, ", the same for all %s", what);
    else if (step == 1 || step == -1)
        ks_buf_printf(out, ", contiguous in %s", what);
    else
        ks_buf_printf(out, ", apart by %lld in %s", (long long)step, what);
}

static void print_diverging(enum ks_diverge diverges, struct ks_buf *out)
{
    static const char *const texts[] = {"", ", threads agree but at its edge", ", whether threads of a warp agree is not known",
                                        ", threads of a warp may differ"};
    ks_buf_puts(out, texts[diverges]);
}

static void print_loop(const struct ks_pattern_loop *l, struct ks_buf *out)
{
    ks_buf_printf(out, "line %d: %s", l->node->line, l->text);
    if (l->depth > 0)
        ks_buf_printf(out, ", in %d other%s", l->depth, l->depth > 1 ? "s" : "");
    if (l->turns >= 0)
        ks_buf_printf(out, ", %.0f turn%s", l->turns, l->turns == 1 ? "" : "s");
    if (l->items)
        ks_buf_puts(out, ", each another element");
    else if (l->why != NULL)
        ks_buf_printf(out, ", in this order: %s", l->why);
    else
        ks_buf_puts(out, ", in any order");
    for (size_t i = 0; i < l->n_reductions && l->why == NULL; i++)
        ks_buf_printf(out, "%s%s", i == 0 ? ", reduces " : ", ", l->reductions[i].name);
    if (!l->items)
        print_diverging(l->diverges, out);
    ks_buf_puts(out, "\n");
}

static void print_place(const struct ks_subject *s, const struct ks_node *node, bool reads, bool writes, struct ks_buf *out)
{
    ks_buf_printf(out, "line %d: %s %s", node->line, reads && writes ? "reads and writes" : writes ? "writes" : "reads",
                  ks_node_text(s->arena, &s->body, node));
}

static void print_times(double times, struct ks_buf *out)
{
    if (times >= 0)
        ks_buf_printf(out, ", %.0f times a thread at most", times);
    ks_buf_puts(out, "\n");
}

static void print_shared(const struct ks_subject *s, const struct ks_lane_access *a, struct ks_buf *out)
{
    print_place(s, a->node, a->reads, a->writes, out);
    ks_buf_printf(out, " (%s, shared)", a->name);
    if (a->known && a->along_x != KS_STEP_UNKNOWN) // else in uneven steps
        print_step(out, "x", a->along_x);
    if (a->known && a->along_y != KS_STEP_UNKNOWN && s->brief->problems[0].block[1] > 1)
        print_step(out, "y", a->along_y);
    if (!a->known)
        ks_buf_puts(out, ", where is not known");
    else if (a->waves > a->turns)
        ks_buf_printf(out, ", %u wavefronts a warp where %u would do, for bank conflicts", a->waves, a->turns);
    else
        ks_buf_puts(out, ", no bank conflicts");
    print_times(a->times, out);
}

void ks_patterns_print(const struct ks_subject *s, const struct ks_pattern_list *patterns,
                       struct ks_buf *out)
{
    for (size_t i = 0; i < patterns->loops.len; i++)
        print_loop(&patterns->loops.at[i], out);
    for (size_t i = 0; i < patterns->len; i++) {
        const struct ks_pattern *p = &patterns->at[i];
        print_place(s, p->node, p->reads, p->writes, out);
        ks_buf_printf(out, " (%s)", s->decl->params[p->param].name);
        print_step(out, "x", p->along_x);
        if (s->is_map ? s->map.axis[1].used : p->along_y != 0)
            print_step(out, "y", p->along_y);
        if (p->loop)
            print_step(out, p->loop, p->along_loop);
        print_times(p->times, out);
    }
    for (size_t i = 0; i < patterns->shared.len; i++)
        print_shared(s, &patterns->shared.at[i], out);
    for (size_t i = 0; i < patterns->ifs.len; i++) {
        const struct ks_pattern_if *c = &patterns->ifs.at[i];
        if (c->diverges == KS_DIVERGE_NONE)
            continue;
        ks_buf_printf(out, "line %d: if (%s)", c->node->line, ks_node_text(s->arena, &s->body, c->node->kid[0]));
        print_diverging(c->diverges, out);
        ks_buf_puts(out, "\n");
    }
}
