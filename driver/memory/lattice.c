#include "memory/lattice.h"

#include <string.h>

#include "base/rng.h"
#include "memory/fact_values.h"

#define OPEN SIZE_MAX // a dimension that has no value yet
#define SAMPLES 20000
#define COVERS 0.5
#define CLASS "bottleneck("

struct dimension {
    const char *name; // of the fact, or CLASS
    const struct ks_fact_name *fact; // NULL for the classes
    struct ks_fact_values values;    // of a class: the place of the one that is true
};

// A condition as a column: its truth at each value of its dimension.
struct term {
    size_t dimension;
    unsigned char *truth;
    bool gate, forbids, can[3];
    double weight;
};
struct rule {
    const struct ks_skill *skill;
    struct term *terms;
    size_t n_terms;
    double weight; // of all evidence
};
enum state { DEAD, OPEN_RULE, SURE };

struct counting {
    struct ks_arena *arena;
    struct ks_lattice *out;
    struct dimension *dims;
    size_t n_dims, n_rules;
    struct rule *rules;
    size_t *point; // value of each dimension, or OPEN
};

// ---- from skills to columns

static bool is_class(const char *fact)
{
    return ks_starts_with(fact, CLASS);
}

static size_t gather(struct ks_arena *arena, const struct ks_skill_list *skills,
                     const struct ks_condition ***out)
{
    size_t n = 0;
    ks_vec_each(struct ks_skill, s, skills) n += s->when.len + s->requires_.len + s->forbids.len;
    *out = KS_NEW_ARRAY(arena, const struct ks_condition *, n + 1);
    n = 0;
    ks_vec_each(struct ks_skill, s, skills) {
        const struct ks_conditions *lists[] = {&s->requires_, &s->forbids, &s->when};
        for (size_t l = 0; l < 3; l++)
            for (size_t i = 0; i < lists[l]->len; i++)
                (*out)[n++] = &lists[l]->at[i];
    }
    return n;
}

static struct ks_fact_values classes(struct ks_arena *arena)
{
    struct ks_fact_values out = {.at = KS_NEW_ARRAY(arena, struct ks_fact_value, 64), .len = 1};
    for (const struct ks_fact_name *f = ks_fact_names(); f->name && out.len < 64; f++)
        if (is_class(f->name))
            out.at[out.len++] = (struct ks_fact_value){true, (double)(f - ks_fact_names())};
    return out;
}

static void make_dimensions(struct counting *c, const struct ks_condition **conditions, size_t n)
{
    c->dims = KS_NEW_ARRAY(c->arena, struct dimension, n + 1);
    c->out->points = 1;
    for (size_t i = 0; i < n; i++) {
        const char *name = is_class(conditions[i]->fact) ? CLASS : conditions[i]->fact;
        size_t d = 0;
        while (d < c->n_dims && strcmp(c->dims[d].name, name) != 0)
            d++;
        if (d < c->n_dims)
            continue;
        const struct ks_fact_name *fact = is_class(name) ? NULL : ks_fact_find(name);
        c->dims[c->n_dims++] = (struct dimension){
            name, fact, fact == NULL ? classes(c->arena) : ks_fact_split(c->arena, fact, conditions, n)};
        c->out->points *= (double)c->dims[d].values.len;
    }
    c->out->facts = c->n_dims;
}

static enum ks_truth truth_at(const struct dimension *dim, const struct ks_condition *condition, size_t v)
{
    struct ks_fact_value value = dim->values.at[v];
    if (dim->fact == NULL && value.known) {
        const struct ks_fact_name *is = ks_fact_names() + (size_t)value.value;
        return ks_condition_of(condition, true, strcmp(is->name, condition->fact) == 0);
    }
    return ks_condition_of(condition, value.known, value.value);
}

static struct term make_term(struct counting *c, const struct ks_condition *condition, bool gate,
                             bool forbids)
{
    struct term t = {.gate = gate, .forbids = forbids, .weight = gate ? 0 : condition->weight};
    const char *name = is_class(condition->fact) ? CLASS : condition->fact;
    while (strcmp(c->dims[t.dimension].name, name) != 0)
        t.dimension++;
    const struct dimension *dim = &c->dims[t.dimension];
    t.truth = KS_NEW_ARRAY(c->arena, unsigned char, dim->values.len);
    for (size_t v = 0; v < dim->values.len; v++) {
        t.truth[v] = (unsigned char)truth_at(dim, condition, v);
        t.can[t.truth[v]] = true;
    }
    return t;
}

static void make_rules(struct counting *c, const struct ks_skill_list *skills)
{
    c->rules = KS_NEW_ARRAY(c->arena, struct rule, skills->len + 1);
    ks_vec_each(struct ks_skill, s, skills) {
        struct rule *r = &c->rules[c->n_rules++];
        const struct ks_conditions *lists[] = {&s->requires_, &s->forbids, &s->when};
        r->skill = s;
        r->terms = KS_NEW_ARRAY(c->arena, struct term, s->requires_.len + s->forbids.len + s->when.len + 1);
        for (size_t l = 0; l < 3; l++)
            for (size_t i = 0; i < lists[l]->len; i++) {
                r->terms[r->n_terms] = make_term(c, &lists[l]->at[i], l < 2, l == 1);
                r->weight += r->terms[r->n_terms++].weight;
            }
    }
}

// ---- counting

// What a rule says of all points that share the values given so far. Terms on one fact are taken as
// independent, so that an open rule may be sure or dead already: that costs steps, never truth, since with
// every fact given nothing is open.
static enum state state_of(const struct counting *c, const struct rule *r, double *low)
{
    double least = 0, most = 0;
    bool some = false, can_some = false, gate_open = false;
    for (size_t i = 0; i < r->n_terms; i++) {
        const struct term *t = &r->terms[i];
        size_t v = c->point[t->dimension];
        enum ks_truth shuts = t->forbids ? KS_TRUE : KS_FALSE;
        if (t->gate) {
            if (v != OPEN && t->truth[v] == shuts)
                return DEAD;
            gate_open |= v == OPEN && t->can[shuts];
            continue;
        }
        enum ks_truth worst = t->can[KS_FALSE] ? KS_FALSE : t->can[KS_UNKNOWN] ? KS_UNKNOWN : KS_TRUE;
        enum ks_truth best = t->can[KS_TRUE] ? KS_TRUE : t->can[KS_UNKNOWN] ? KS_UNKNOWN : KS_FALSE;
        if (v != OPEN)
            worst = best = (enum ks_truth)t->truth[v];
        least += t->weight * ks_truth_share(worst);
        most += t->weight * ks_truth_share(best);
        some |= worst == KS_TRUE;
        can_some |= best == KS_TRUE;
    }
    *low = r->weight > 0 ? least / r->weight : 0;
    if (!can_some || most < COVERS * r->weight)
        return DEAD;
    return some && !gate_open && least >= COVERS * r->weight ? SURE : OPEN_RULE;
}

// The fact to look at next: the heaviest that is open of the rule that is nearest to being sure.
static size_t next_dimension(const struct counting *c, const struct rule *rule)
{
    size_t best = OPEN;
    double weight = -1;
    for (size_t i = 0; i < rule->n_terms; i++) {
        const struct term *t = &rule->terms[i];
        double w = t->gate ? 1000 : t->weight;
        if (c->point[t->dimension] == OPEN && w > weight) {
            best = t->dimension;
            weight = w;
        }
    }
    return best;
}

static size_t open_terms(const struct counting *c, const struct rule *r)
{
    size_t n = 0;
    for (size_t i = 0; i < r->n_terms; i++)
        n += c->point[r->terms[i].dimension] == OPEN;
    return n;
}

static const char *describe(struct counting *c)
{
    struct ks_buf text = KS_BUF(64u << 10);
    for (size_t d = 0; d < c->n_dims; d++) {
        if (c->point[d] == OPEN)
            continue;
        struct ks_fact_value v = c->dims[d].values.at[c->point[d]];
        const char *name = c->dims[d].fact != NULL ? c->dims[d].name
                           : v.known ? ks_fact_names()[(size_t)v.value].name : "bottleneck";
        ks_buf_printf(&text, "%s%s", text.len > 0 ? ", " : "", name);
        if (!v.known)
            ks_buf_puts(&text, " unknown");
        else if (c->dims[d].fact != NULL)
            ks_buf_printf(&text, " = %g", v.value);
    }
    const char *out = ks_arena_strdup(c->arena, ks_buf_text(&text));
    ks_buf_free(&text);
    return out;
}

static void count(struct counting *c, double points)
{
    const struct rule *next = NULL;
    double best = -1, low;
    if (c->out->steps >= KS_LATTICE_STEPS) {
        c->out->complete = false;
        return;
    }
    for (size_t r = 0; r < c->n_rules; r++) {
        enum state state = state_of(c, &c->rules[r], &low);
        double merit = low - (double)open_terms(c, &c->rules[r]);
        if (state == SURE) {
            c->out->steps++;
            return;
        }
        if (state == OPEN_RULE && (next == NULL || merit > best)) {
            next = &c->rules[r];
            best = merit;
        }
    }
    size_t d = next == NULL ? OPEN : next_dimension(c, next);
    if (d == OPEN) {
        c->out->steps++;
        c->out->uncovered += points;
        if (c->out->example == NULL)
            c->out->example = describe(c);
        return;
    }
    for (size_t v = 0; v < c->dims[d].values.len; v++) {
        c->point[d] = v;
        count(c, points / (double)c->dims[d].values.len);
    }
    c->point[d] = OPEN;
}

static void sample(struct counting *c)
{
    struct ks_rng rng;
    double low;
    size_t acting = 0, covering = 0;
    ks_rng_seed(&rng, 1);
    for (size_t n = 0; n < SAMPLES; n++) {
        bool acts = false;
        for (size_t d = 0; d < c->n_dims; d++)
            c->point[d] = (size_t)ks_rng_below(&rng, c->dims[d].values.len);
        for (size_t r = 0; r < c->n_rules; r++)
            if (state_of(c, &c->rules[r], &low) == SURE) {
                const struct ks_skill *s = c->rules[r].skill;
                acts |= s->transform != NULL || s->template_ != NULL;
                covering++;
            }
        acting += acts;
    }
    c->out->sampled = SAMPLES;
    c->out->with_action = (double)acting / SAMPLES;
    c->out->skills = (double)covering / SAMPLES;
}

void ks_lattice_count(struct ks_arena *arena, const struct ks_skill_list *skills,
                      struct ks_lattice *lattice)
{
    const struct ks_condition **conditions;
    struct counting c = {.arena = arena, .out = lattice};
    size_t n = gather(arena, skills, &conditions);
    *lattice = (struct ks_lattice){.complete = true};
    make_dimensions(&c, conditions, n);
    make_rules(&c, skills);
    c.point = KS_NEW_ARRAY(arena, size_t, c.n_dims + 1);
    for (size_t d = 0; d < c.n_dims; d++)
        c.point[d] = OPEN;
    count(&c, lattice->points);
    sample(&c);
}
