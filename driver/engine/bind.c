// The search for assignments of a kernel's parameters to a template's roles.
#include <string.h>

#include "base/num.h"
#include "base/vec.h"
#include "engine/binder.h"
#include "engine/engine.h"
#include "engine/head.h"
#include "engine/specimen.h"
#include "engine/struct_sizes.h"
#include "engine/tally.h"

static void bind_number(struct binder *b, size_t n);

// `text` NULL: what the role says where no parameter does.
static void try_number(struct binder *b, size_t n, const char *text, const int64_t *value)
{
    size_t r = b->order[n];
    const struct ks_assignment assignment = {b->pointer, b->text};
    b->steps++;
    b->known[r] = value != NULL;
    if (value)
        memcpy(b->value[r], value, sizeof b->value[r]);
    if (ks_bind_possible(b, n + 1)) {
        b->text[r] = text != NULL ? text
                                  : ks_assigned_text(b->arena, b->t, NULL, &assignment,
                                                     b->t->roles[r].otherwise);
        bind_number(b, n + 1);
    }
    b->text[r] = NULL;
    b->known[r] = false;
}

// What no parameter says, from what is known.
static void try_derived(struct binder *b, size_t n)
{
    const struct ks_role *role = &b->t->roles[b->order[n]];
    int64_t value[KS_PROBES];
    for (int p = 0; p < KS_PROBES; p++) {
        const struct at_probe at = {b, p};
        if (!ks_expr_eval(role->derived, ks_bind_role_value, (void *)(uintptr_t)&at, &value[p]))
            return;
    }
    for (size_t i = 0; i < b->integers.len; i++)
        if (memcmp(b->integers.at[i].value, value, sizeof value) == 0)
            return; // a parameter says it
    try_number(b, n, NULL, value);
}

// Whether an integer of the same value stands before this one and is not used yet: that one goes
// first, or each assignment would come once for each order of the two.
static bool twin_is_free(const struct binder *b, size_t integer)
{
    int times;
    for (size_t k = 0; k < integer; k++)
        if (memcmp(b->integers.at[k].value, b->integers.at[integer].value,
                   sizeof b->integers.at[k].value) == 0 &&
            !ks_bind_uses(b, b->integers.at[k].text, &times))
            return true;
    return false;
}

static void bind_number(struct binder *b, size_t n)
{
    if (n == b->n_order) {
        ks_bind_finish(b);
        return;
    }
    const struct ks_role *role = &b->t->roles[b->order[n]];
    if (b->pointer[b->order[n]] >= 0) {
        bind_number(b, n + 1);
        return;
    }
    const struct ks_integer_list *list =
        role->kind == KS_ROLE_KIND_INT ? &b->integers : &b->choices[b->order[n]];
    for (size_t i = 0; i < list->len && !ks_bind_enough(b); i++)
        if (role->kind != KS_ROLE_KIND_INT || !twin_is_free(b, i))
            try_number(b, n, list->at[i].text, list->at[i].expr ? list->at[i].value : NULL);
    if (role->otherwise && !ks_bind_enough(b))
        try_derived(b, n);
}

// All numbers of the roles, in the order of the template: first parameters first.
static void bind_numbers(struct binder *b)
{
    b->n_conditions = 0;
    for (size_t r = 0; r < b->t->n_roles; r++)
        if (ks_bind_is_pointer(&b->t->roles[r]) && b->pointer[r] >= 0)
            ks_bind_condition(b, b->t->roles[r].count, (int)r);
    for (size_t i = 0; i < b->t->n_needs; i++)
        ks_bind_condition(b, b->t->needs[i], -1);
    if (ks_bind_possible(b, 0))
        bind_number(b, 0);
}

static bool allowed(const struct binder *b, const struct ks_role *role, enum ks_scalar scalar)
{
    enum ks_scalar bound = ks_bind_type_of(b, role->elem);
    if (bound != KS_T_NONE)
        return bound == scalar;
    for (size_t i = 0; i < b->t->n_types; i++)
        for (size_t k = 0; strcmp(b->t->type_names[i], role->elem) == 0 && k < b->t->types[i].len;
             k++)
            if (strcmp(b->t->types[i].at[k], ks_scalar_name(scalar)) == 0)
                return true;
    return false;
}

// An extent that is a number is one on the declared sizes, too: ceildiv(n, 256) elements are one in small probes.
static bool counts_as_declared(const struct binder *b, const struct ks_role *role, size_t param)
{
    bool same = true;
    for (size_t w = 0; role->count != NULL && role->count->op == KS_X_INT && w < b->brief->n_problems; w++)
        same &= b->brief->problems[w].args[param].count == role->count->value;
    return same;
}

static bool fits(const struct binder *b, const struct ks_role *role, size_t param)
{
    const struct ks_arg *arg = ks_bind_arg(b, 0, param);
    if ((b->taken[param] && !ks_bind_may_share(b, role, (int)param)) || arg->alias_of >= 0)
        return false;
    const enum ks_scalar bound = ks_bind_type_of(b, role->elem);
    if (role->kind == KS_ROLE_KIND_SCALAR)
        return arg->kind == KS_ARG_SCALAR && arg->type.elem.lanes == 1 && arg->type.elem.scalar == ks_bind_sum_type(bound);
    if (ks_bind_may_be_parameter(role))
        return arg->kind == KS_ARG_SCALAR && arg->type.elem.lanes == 1 &&
               arg->type.elem.scalar == ks_bind_sum_type(bound);
    if (arg->kind != KS_ARG_BUFFER || arg->elem.lanes != 1 || !allowed(b, role, arg->elem.scalar))
        return false;
    if (role->kind == KS_ROLE_KIND_IN)
        return arg->role == KS_ROLE_IN; // of which not all need be read
    if (!counts_as_declared(b, role, param))
        return false;
    // A kernel that only writes may be declared inout by a careful user.
    return role->kind == KS_ROLE_KIND_OUT ? arg->role != KS_ROLE_IN : arg->role == KS_ROLE_INOUT;
}

static bool all_bound(const struct binder *b)
{
    for (size_t i = 0; i < b->brief->decl->n_params; i++) {
        const struct ks_arg *arg = ks_bind_arg(b, 0, i);
        bool must = (arg->kind != KS_ARG_SCALAR && !ks_struct_is_of_integers(arg)) || arg->float_scalar;
        if (must && !b->taken[i] && !b->read[i] && !b->idle[i])
            return false;
    }
    return true;
}

static void bind_pointers(struct binder *b, size_t r)
{
    while (r < b->t->n_roles && ks_bind_is_number(&b->t->roles[r]) &&
           !ks_bind_may_be_parameter(&b->t->roles[r]))
        r++;
    if (r == b->t->n_roles) {
        if (all_bound(b) && (!b->shared || ks_bind_shares(b)))
            bind_numbers(b);
        return;
    }
    for (size_t p = 0; p < b->brief->decl->n_params && !ks_bind_enough(b); p++) {
        if (!fits(b, &b->t->roles[r], p))
            continue;
        const bool taken = b->taken[p];
        b->pointer[r] = (int)p;
        b->taken[p] = true;
        bind_pointers(b, r + 1);
        b->taken[p] = taken;
        b->pointer[r] = -1;
    }
    if (b->t->roles[r].fallback || ks_bind_is_number(&b->t->roles[r]))
        bind_pointers(b, r + 1);
}

static void add_choice(struct binder *b, struct ks_integer_list *list, const char *text, bool whole)
{
    struct ks_integer choice = {.text = text};
    double number, other;
    for (size_t i = 0; i < list->len; i++)
        if (strcmp(list->at[i].text, text) == 0 ||
            (ks_parse_f64(text, &number) && ks_parse_f64(list->at[i].text, &other) && number == other))
            return;
    if (list->len >= MOST_CHOICES)
        return;
    if (!whole || ks_integer_read(b->arena, b->probe, text, &choice))
        *ks_vec_push(b->arena, list) = choice;
}

static void list_literals(struct binder *b)
{
    if (b->listed)
        return;
    ks_literals_find(b->arena, b->brief, KS_LITERALS_WHOLE, &b->whole);
    ks_literals_find(b->arena, b->brief, KS_LITERALS_WIDTHS, &b->widths);
    ks_literals_find(b->arena, b->brief, KS_LITERALS_OTHERS, &b->others);
    b->listed = true;
}

// The template's own values first, a usual stride or padding, then the text's; of what is no
// integer what it is where nothing says so, then the text's, and where there are none the template's. Of what
// is usually nothing, a window's width, the text may say the radius.
static void find_choices(struct binder *b)
{
    for (size_t r = 0; r < b->t->n_roles; r++) {
        const struct ks_role *role = &b->t->roles[r];
        b->choices[r].len = 0;
        if (role->kind < KS_ROLE_KIND_LITERAL)
            continue;
        list_literals(b);
        const struct ks_strv none = {0}, *lists[] = {&b->others, &role->values};
        if (role->elem && role->fallback)
            add_choice(b, &b->choices[r], role->fallback, false);
        if (!role->elem) {
            lists[0] = &role->values;
            lists[1] = role->kind != KS_ROLE_KIND_LITERAL ? &none : role->values.len > 0 ? &b->whole : &b->widths;
        }
        for (int l = 0; l < 2 && !(role->elem && l > 0 && b->choices[r].len > 0); l++)
            for (size_t i = 0; i < lists[l]->len; i++)
                add_choice(b, &b->choices[r], lists[l]->at[i], !role->elem);
    }
}

// What numbers can be in the probes.
static void find_numbers(struct binder *b, enum ks_integers which)
{
    find_choices(b);
    b->integers.len = 0;
    ks_integers_find(b->arena, b->brief, b->probe, which, &b->integers);
}

static void prepare(struct binder *b)
{
    size_t n = b->t->n_roles;
    b->pointer = KS_NEW_ARRAY(b->arena, int, n);
    b->text = KS_NEW_ARRAY(b->arena, const char *, n);
    b->value = ks_arena_array(b->arena, n, sizeof *b->value);
    b->known = KS_NEW_ARRAY(b->arena, bool, n);
    b->order = KS_NEW_ARRAY(b->arena, size_t, n);
    b->choices = KS_NEW_ARRAY(b->arena, struct ks_integer_list, n);
    b->taken = KS_NEW_ARRAY(b->arena, bool, b->brief->decl->n_params);
    b->read = KS_NEW_ARRAY(b->arena, bool, b->brief->decl->n_params);
    b->idle = ks_bind_idle(b->arena, b->brief);
    for (size_t i = 0; i < n; i++) {
        b->pointer[i] = -1;
        if (ks_bind_is_number(&b->t->roles[i]))
            b->order[b->n_order++] = i;
    }
    find_numbers(b, KS_INTEGERS_SAID);
}

static void names_before(void *context, const char *name)
{
    bool *named = context;
    named[(unsigned char)*name - KS_ROLE_LETTER] = true;
}

// Puts roles that are reckoned from others behind those. False if none moves.
static bool reorder(struct binder *b)
{
    bool moved = false;
    for (size_t round = 0; round < b->n_order; round++)
        for (size_t i = 0; i + 1 < b->n_order; i++) {
            bool named[KS_MOST_ROLES] = {false}, later = false;
            if (!b->t->roles[b->order[i]].derived)
                continue;
            ks_expr_names(b->t->roles[b->order[i]].derived, names_before, named);
            for (size_t k = i + 1; k < b->n_order; k++)
                later |= named[b->order[k]];
            if (!later)
                continue;
            size_t other = b->order[i + 1];
            b->order[i + 1] = b->order[i];
            b->order[i] = other;
            moved = true;
        }
    return moved;
}

// The first array of a type that no role has; NULL where there is none.
static const struct ks_arg *foreign(const struct binder *b)
{
    for (size_t i = 0; i < b->brief->decl->n_params; i++) {
        const struct ks_arg *arg = ks_bind_arg(b, 0, i);
        bool known = arg->kind != KS_ARG_BUFFER || arg->elem.lanes != 1;
        for (size_t t = 0; t < b->t->n_types; t++)
            for (size_t k = 0; k < b->t->types[t].len; k++)
                known |= strcmp(b->t->types[t].at[k], ks_scalar_name(arg->elem.scalar)) == 0;
        if (!known)
            return arg;
    }
    return NULL;
}

static const char no_fit[] = "fits their types, directions and extents";

static const char *refused(const struct binder *b)
{
    const struct ks_specimens *specimens = ks_specimens_of(b->arena, b->brief);
    if (b->near.text)
        return ks_arena_printf(b->arena, "line %d: almost %s, but %s", b->brief->decl->line,
                               b->t->title, b->near.text);
    if (b->asked && specimens->n > 0)
        return ks_arena_printf(b->arena, "line %d: what it computes is nothing that %s does",
                               b->brief->decl->line, b->t->name);
    const struct ks_arg *other = foreign(b);
    if (other && !(b->no_front && b->t->tallies))
        return ks_arena_printf(b->arena, "line %d: elements of %s are %s, and %s has no role for such",
                               b->brief->decl->line, other->name,
                               ks_scalar_name(other->elem.scalar), b->t->name);
    if (b->no_front && b->t->stencil)
        return ks_arena_printf(b->arena, "%s, so it is nothing that %s does", b->no_front, b->t->name);
    if (b->no_front)
        return ks_arena_printf(b->arena, "%s, and %s holds what %s", b->no_front, b->t->name,
                               b->t->tallies ? "is counted of elements" : "is made of elements in front of a sum");
    return ks_arena_printf(b->arena, "line %d: no assignment of the parameters to the roles of %s %s",
                           b->brief->decl->line, b->t->name, no_fit);
}

bool ks_engine_fits_none(const char *refusal)
{
    return refusal != NULL && ks_ends_with(refusal, no_fit);
}

// Sizes that a launch shows are told from it where it rounds nothing down: the probes are round ones too.
static void bind_round(struct binder *b)
{
    struct ks_problem others[KS_PROBES];
    if (!ks_specimens_have_round(ks_specimens_of(b->arena, b->brief)))
        return;
    memcpy(others, b->probe, sizeof others);
    if (ks_bind_probes(b, true, NULL) == KS_OK) {
        find_numbers(b, KS_INTEGERS_PRODUCTS);
        bind_pointers(b, 0);
    }
    memcpy(b->probe, others, sizeof others);
}

static void bind_all(struct binder *b)
{
    // First sizes that parameters say, then those that follow from others; then inputs larger than
    // what the kernel reads; then sizes that are the product of two; then numbers of the text for sizes; then one array
    // for two roles that are read.
    // Last, where a launch rounds sizes down, round ones, and no others are served.
    enum { SAID, FOLLOWING, LARGER, PRODUCTS, CONSTANTS, SHARED, ROUND, PASSES };
    for (int pass = SAID; pass < PASSES && b->out->len == 0; pass++) {
        b->exact = pass != LARGER;
        b->round = pass == ROUND;
        b->shared = pass == SHARED;
        b->steps = b->tried = 0;
        if (pass == FOLLOWING && !reorder(b))
            continue;
        if (b->shared && !b->t->one_array)
            continue;
        if (pass == PRODUCTS || pass == CONSTANTS)
            find_numbers(b, pass == PRODUCTS ? KS_INTEGERS_PRODUCTS : KS_INTEGERS_CONSTANTS);
        if (pass == CONSTANTS && (b->integers.len == 0 || *b->integers.at[b->integers.len - 1].text > '9'))
            continue; // they come last
        if (b->round)
            bind_round(b);
        else
            bind_pointers(b, 0);
    }
}

static bool can_follow(const struct binder *b, const struct ks_tail *tail)
{
    for (size_t e = 0; e < tail->n_reads; e++) {
        const struct ks_arg *arg = ks_bind_arg(b, 0, tail->reads[e].param);
        if (arg->kind != KS_ARG_BUFFER || arg->role != KS_ROLE_IN || arg->elem.lanes != 1 ||
            arg->alias_of >= 0)
            return false;
    }
    return true;
}

enum kept_as { BEHIND, CUT, IN_FRONT, AS_FACTOR };

// What the kernel does with each sum, or in front of it, goes with the template's code; what that
// reads is no role's, unless the template says so. `nth` counts cuts; *more unset: there are no others.
static enum ks_status bind_with(struct binder *b, enum kept_as as, size_t nth, bool *more,
                                struct ks_err *err)
{
    const bool in_front = as == IN_FRONT || as == AS_FACTOR;
    struct ks_tail *kept = KS_NEW(b->arena, struct ks_tail);
    struct ks_template *with = KS_NEW(b->arena, struct ks_template);
    const char *why = NULL;
    bool found = b->t->tallies ? ks_tally_find(b->arena, b->brief, kept, &why)
                 : in_front  ? ks_head_find(b->arena, b->brief, kept, &why)
                 : as == CUT ? ks_tail_cut(b->arena, b->brief, nth, kept, more, &why)
                             : ks_tail_find(b->arena, b->brief, kept, &why);
    if (as == IN_FRONT && !found)
        b->no_front = why;
    if (found && !in_front && b->ends != KS_BIND_ANY &&
        ks_tail_chooses(kept) != (b->ends == KS_BIND_CHOOSING))
        return KS_OK;
    if (!found || !can_follow(b, kept) || (kept->product && !ks_bind_packs_in_front(b->t)))
        return KS_OK;
    KS_TRY(as == AS_FACTOR ? ks_factor_forms(b->arena, b->t, kept, with, err)
                           : ks_tail_forms(b->arena, b->t, kept, with, err));
    // What stands in front may read roles' arrays: which, the form says.
    bool *reads = !in_front || ks_bind_packs_in_front(with) ? b->taken : b->read;
    for (size_t e = 0; e < kept->n_reads; e++)
        reads[kept->reads[e].param] = true;
    for (size_t i = 0; i < kept->n_scalars; i++)
        b->taken[kept->scalars[i]] |= ks_bind_arg(b, 0, kept->scalars[i])->float_scalar;
    b->t = with;
    find_numbers(b, KS_INTEGERS_SAID);
    bind_all(b);
    return KS_OK;
}

// As if nothing were tried yet.
static void start_over(struct binder *b, const struct ks_template *t)
{
    b->t = t;
    memset(b->taken, 0, b->brief->decl->n_params * sizeof *b->taken);
    find_numbers(b, KS_INTEGERS_SAID);
}

// What the kernel does behind a loop or, where the template says so, behind any of its values: where
// that ends and what follows begins, small runs alone tell, so without them there is nothing to go
// by, and how near a wrong cut comes says nothing.
static enum ks_status bind_followed(struct binder *b, const struct ks_template *t,
                                    enum ks_bind_ends ends, struct ks_err *err)
{
    bool more = t->cut && ks_specimens_of(b->arena, b->brief)->n > 0;
    if (b->out->len > 0 || t->tails.n == 0)
        return KS_OK;
    b->ends = ends;
    start_over(b, t);
    KS_TRY(bind_with(b, BEHIND, 0, NULL, err));
    const struct ks_near_miss near = b->near;
    for (size_t nth = 0; more && b->out->len == 0; nth++) {
        start_over(b, t);
        KS_TRY(bind_with(b, CUT, nth, &more, err));
    }
    b->near = near;
    if (b->out->len == 0)
        start_over(b, t);
    return KS_OK;
}

// A factor that something is made of on the way, alone and with what follows.
static enum ks_status bind_factor(struct binder *b, const struct ks_template *t, struct ks_err *err)
{
    start_over(b, t);
    KS_TRY(bind_with(b, AS_FACTOR, 0, NULL, err));
    return b->out->len == 0 && t->tails.n > 0 && b->t != t ? bind_with(b, BEHIND, 0, NULL, err) : KS_OK;
}

enum ks_status ks_bind_as_marked(struct ks_arena *arena, const struct ks_brief *brief, const struct ks_template *t,
                                 struct ks_binding_list *out, const char **refusal, struct ks_err *err)
{
    struct binder b = {.arena = arena, .brief = brief, .t = t, .out = out};
    struct ks_err local = {0};
    if ((t->float_sums || t->float_values) && ks_bind_adds_in_halves(brief)) {
        *refusal = ks_arena_printf(arena, "line %d: it adds or multiplies in 16 bits, and %s %s in float", brief->decl->line, t->name,
                                   t->float_sums ? "sums" : "computes");
        return KS_OK;
    }
    if (ks_bind_probes(&b, false, &local) != KS_OK) {
        *refusal = ks_arena_strdup(arena, local.text);
        return KS_OK;
    }
    prepare(&b);
    if (t->stencil > 0) {
        if (ks_bind_stencil(&b))
            bind_all(&b);
    } else if (t->heads.n > 0) {
        KS_TRY(bind_with(&b, IN_FRONT, 0, NULL, err));
        if (out->len == 0 && t->tails.n > 0 && b.t != t)
            KS_TRY(bind_with(&b, BEHIND, 0, NULL, err));
    } else {
        // A limit that no value passes in small runs is not to be lost.
        KS_TRY(bind_followed(&b, t, KS_BIND_CHOOSING, err));
        if (out->len == 0)
            bind_all(&b);
        KS_TRY(bind_followed(&b, t, KS_BIND_OTHERS, err));
        b.ends = KS_BIND_ANY;
    }
    if (out->len == 0 && t->factors.n > 0)
        KS_TRY(bind_factor(&b, t, err));
    if (out->len == 0)
        *refusal = refused(&b);
    return KS_OK;
}
