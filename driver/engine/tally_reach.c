// What a kernel that counts asks of an element's place, which small runs have to show, since templates have bounds of their own.
#include <string.h>

#include "base/num.h"
#include "engine/loop.h"
#include "engine/specimen.h"
#include "engine/tally_tree.h"

enum { SEEN = 16, BLOCKS_SEEN = 2 }; // numbers up to which places, and blocks, are compared in any small run

struct asking {
    struct ks_tally *y;
    struct ks_affine env;
    int64_t number; // beyond that; 0: none
    const struct ks_node *at;
};

static bool declare_all(void *context, struct ks_node *node)
{
    struct asking *a = context;
    if (node->kind == KS_N_DECL)
        ks_affine_declare(&a->env, node, false);
    return true;
}

static bool is_comparison(const struct ks_node *e)
{
    static const char *const operators[] = {"<", ">", "<=", ">=", "==", "!="};
    bool is = false;
    for (size_t i = 0; i < sizeof operators / sizeof *operators; i++)
        is = is || ks_node_is(e, KS_N_BINARY, operators[i]);
    return is;
}

// A constant outside of the kernel: no number that is known here.
static bool is_of_the_file(const struct ks_subject *s, const char *name)
{
    for (size_t i = 0; i < s->decl->n_params; i++)
        if (strcmp(s->decl->params[i].name, name) == 0)
            return false;
    return strchr(name, '.') == NULL && !ks_loop_declaration(s->body.block, name, SIZE_MAX);
}

// The number in it, with the template's arguments, and how many other terms it has; INT64_MAX: none that is known.
static int64_t number_of(struct ks_subject *s, const struct ks_poly *p, int *others)
{
    int64_t sum = 0;
    *others = 0;
    for (int i = 0; i < p->n; i++) {
        int64_t value = 1;
        const char *text = p->term[i].n == 1 ? ks_subject_constant(s, p->term[i].symbol[0]) : NULL;
        const bool is = p->term[i].n == 0 || (text != NULL && ks_parse_i64(text, &value));
        if (!is && p->term[i].n == 1 && is_of_the_file(s, p->term[i].symbol[0]))
            return INT64_MAX;
        *others += !is;
        sum += is ? value * p->term[i].coef : 0;
    }
    return sum < 0 ? -sum : sum;
}

// Sizes that no parameter says are an array's in small runs, too.
static bool is_size(const struct asking *a, int64_t number)
{
    const struct ks_specimens *all = ks_specimens_of(a->y->t.arena, a->y->s.brief);
    bool every = all->n > 0;
    for (size_t i = 0; i < all->n; i++) {
        bool any = false;
        for (size_t k = 0; k < all->at[i].problem.n_args; k++) {
            const struct ks_arg *arg = &all->at[i].problem.args[k];
            any = any || (arg->kind == KS_ARG_BUFFER && arg->count >= number && arg->count % number == 0);
        }
        every = every && any;
    }
    return every;
}

static bool visit(void *context, struct ks_node *e)
{
    struct asking *a = context;
    int others;
    if (!is_comparison(e))
        return true;
    const struct ks_poly one = ks_affine_eval(&a->env, e->kid[0]), other = ks_affine_eval(&a->env, e->kid[1]);
    // A loop's own counter is nothing that is known here: what it is compared with counts.
    const struct ks_poly p = one.known && other.known ? ks_poly_sum(&one, &other, -1) : one.known ? one : other;
    const int64_t number = p.known ? number_of(&a->y->s, &p, &others) : 0;
    const bool blocks = ks_poly_mentions(&p, "blockIdx.") && !ks_poly_mentions(&p, "threadIdx.");
    if (number > (blocks ? BLOCKS_SEEN : SEEN) && !is_size(a, number) && a->number == 0) {
        a->number = number;
        a->at = e;
    }
    return true;
}

// All turns of such a loop are made whatever the sizes are.
static bool counts_to_a_number(const struct asking *a, const struct ks_node *e)
{
    if (!is_comparison(e) || e->kid[0]->kind != KS_N_NAME)
        return false;
    int others;
    const struct ks_poly end = ks_affine_eval(&a->env, e->kid[1]);
    const struct ks_affine_local *counter = ks_affine_find(&a->env, e->kid[0]->text);
    if (!end.known || counter == NULL || counter->var->init == NULL)
        return false;
    number_of(&a->y->s, &end, &others);
    const struct ks_poly begin = ks_affine_eval(&a->env, counter->var->init);
    return others == 0 && begin.known && (begin.n == 0 || (begin.n == 1 && begin.term[0].n == 0));
}

bool ks_tally_shows(struct ks_tally *y, const struct ks_node *asked, bool of_loop)
{
    struct asking a = {.y = y};
    ks_affine_begin(y->t.arena, y->s.body.block, &a.env);
    ks_node_walk(y->s.body.block, declare_all, &a);
    if (!of_loop || !counts_to_a_number(&a, asked))
        ks_node_walk((struct ks_node *)(uintptr_t)asked, visit, &a);
    return a.number == 0 || ks_tally_refuse(y, a.at, "places are compared with a number that small runs do not reach");
}
