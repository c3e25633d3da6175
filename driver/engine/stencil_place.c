// Where elements lie, and tests of that.
#include <string.h>

#include "base/num.h"
#include "engine/stencil_reader.h"

bool ks_stencil_refuse(struct ks_stencil_reader *r, const struct ks_node *at, const char *what)
{
    if (r->why == NULL)
        r->why = ks_arena_printf(r->arena, "line %d: %s", at ? at->line : r->s->decl->line, what);
    return false;
}

static bool parameter(const struct ks_stencil_reader *r, const char *name, size_t *param)
{
    for (*param = 0; *param < r->s->decl->n_params; ++*param)
        if (strcmp(r->s->decl->params[*param].name, name) == 0)
            return true;
    return false;
}

static bool is_integer(const struct ks_stencil_reader *r, size_t param)
{
    const struct ks_type *type = &r->s->brief->signature->params[param];
    return !type->pointer && type->elem.lanes == 1 && type->elem.scalar != KS_T_NONE && !ks_scalar_is_float(type->elem.scalar);
}

static bool holds_value(const struct ks_stencil_reader *r, const char *name)
{
    for (size_t i = 0; i < r->values.len; i++)
        if (strcmp(r->values.at[i], name) == 0)
            return true;
    return false;
}

bool ks_stencil_element(const struct ks_stencil_reader *r, const struct ks_node *node, size_t *param)
{
    return node->kind == KS_N_INDEX && node->kid[0]->kind == KS_N_NAME && !ks_affine_find(&r->env, node->kid[0]->text) &&
           !holds_value(r, node->kid[0]->text) && parameter(r, node->kid[0]->text, param) &&
           r->s->brief->signature->params[*param].pointer;
}

static const char *constant(const struct ks_stencil_reader *r, const char *name)
{
    return ks_affine_find(&r->env, name) ? NULL : ks_subject_constant((void *)(uintptr_t)r->s, name);
}

// The same with numbers in place of the template's arguments.
static struct ks_poly numbered(const struct ks_stencil_reader *r, const struct ks_poly *p)
{
    struct ks_poly sum = ks_poly_constant(0);
    for (int i = 0; p->known && i < p->n; i++) {
        struct ks_term rest = {.coef = p->term[i].coef};
        for (int k = 0; k < p->term[i].n; k++) {
            const char *text = constant(r, p->term[i].symbol[k]);
            int64_t value;
            if (text == NULL)
                rest.symbol[rest.n++] = p->term[i].symbol[k];
            else if (!ks_parse_i64(text, &value) || !ks_mul_i64(rest.coef, value, &rest.coef))
                return (struct ks_poly){.known = false};
        }
        const struct ks_poly one = {.known = true, .n = rest.coef != 0, .term = {rest}};
        sum = ks_poly_sum(&sum, &one, 1);
    }
    return p->known ? sum : *p;
}

static bool is_number(const struct ks_poly *p, int64_t *number)
{
    *number = p->n > 0 ? p->term[0].coef : 0;
    return p->known && (p->n == 0 || (p->n == 1 && p->term[0].n == 0));
}

bool ks_stencil_number(const struct ks_stencil_reader *r, const struct ks_node *e, int64_t *number)
{
    struct ks_poly p = ks_affine_eval(&r->env, e);
    p = numbered(r, &p);
    return is_number(&p, number);
}

// An integer parameter, or a struct's member, as plans name it.
static void take_down(struct ks_stencil_reader *r, const char *symbol)
{
    ks_vec_each (const struct ks_member, m, &r->s->members)
        symbol = strcmp(m->name, symbol) == 0 ? m->plan : symbol;
    for (size_t i = 0; i < r->stencil->named.len; i++)
        if (strcmp(r->stencil->named.at[i], symbol) == 0)
            return;
    ks_strv_add(r->arena, &r->stencil->named, symbol);
}

// Whether a symbol is one of a place; integer parameters are taken down.
static bool is_known(struct ks_stencil_reader *r, const char *symbol, bool note)
{
    size_t param;
    if (strchr(symbol, '.') || ks_affine_find(&r->env, symbol) || ks_stencil_is_division(r, symbol))
        return !holds_value(r, symbol);
    if (holds_value(r, symbol) || !parameter(r, symbol, &param) || !is_integer(r, param))
        return false;
    if (note)
        take_down(r, symbol);
    return true;
}

struct ks_poly ks_stencil_index(struct ks_stencil_reader *r, const struct ks_node *e, bool *folded)
{
    struct ks_poly p = ks_stencil_fold(r, e, folded);
    p = numbered(r, &p);
    for (int i = 0; p.known && i < p.n; i++)
        for (int k = 0; k < p.term[i].n; k++)
            if (!is_known(r, p.term[i].symbol[k], true))
                return (struct ks_poly){.known = false};
    return p;
}

bool ks_stencil_is_fixed(const struct ks_stencil_reader *r, const struct ks_poly *p)
{
    size_t param;
    for (int i = 0; p->known && i < p->n; i++)
        for (int k = 0; k < p->term[i].n; k++)
            if (!parameter(r, p->term[i].symbol[k], &param) || !is_integer(r, param))
                return false;
    return p->known;
}

static const struct ks_node *test_of(const struct ks_stencil_reader *r, const struct ks_node *e)
{
    for (size_t i = r->tests.len; e->kind == KS_N_NAME && i-- > 0;)
        if (strcmp(r->tests.at[i].name, e->text) == 0)
            return r->tests.at[i].node;
    return NULL;
}

static bool is_place_function(const struct ks_node *call)
{
    return call->kid[0]->kind == KS_N_NAME &&
           (strcmp(call->kid[0]->text, "min") == 0 || strcmp(call->kid[0]->text, "max") == 0 ||
            strcmp(call->kid[0]->text, "abs") == 0);
}

bool ks_stencil_is_place(const struct ks_stencil_reader *r, const struct ks_node *e)
{
    switch (e->kind) {
    case KS_N_NUMBER:
        return true;
    case KS_N_NAME:
        if (ks_affine_find(&r->env, e->text) != NULL)
            return ks_affine_find(&r->env, e->text)->value.known;
        return test_of(r, e) != NULL || constant(r, e->text) != NULL ||
               is_known((struct ks_stencil_reader *)(uintptr_t)r, e->text, false);
    case KS_N_MEMBER:
        return ks_builtin_name(r->arena, e) != NULL;
    case KS_N_CALL:
        if (!is_place_function(e))
            return false;
        break;
    case KS_N_UNARY:
        if (strcmp(e->text, "&") == 0 || strcmp(e->text, "*") == 0 || strchr("+-!", *e->text) == NULL || e->text[1])
            return false;
        break;
    case KS_N_BINARY:
    case KS_N_COND:
    case KS_N_CAST:
        break;
    default:
        return false;
    }
    for (size_t i = e->kind == KS_N_CALL; i < e->n; i++)
        if (!ks_stencil_is_place(r, e->kid[i]))
            return false;
    return true;
}

static bool compares(const char *op, int64_t a, int64_t b, bool *holds)
{
    const bool equal = op[1] == '=';
    if (strcmp(op, "==") == 0 || strcmp(op, "!=") == 0)
        *holds = (a == b) == (*op == '=');
    else if ((*op == '<' || *op == '>') && (op[1] == '\0' || equal))
        *holds = a == b ? equal : (a < b) == (*op == '<');
    else
        return false;
    return true;
}

bool ks_stencil_decides(const struct ks_stencil_reader *r, const struct ks_node *e, bool *holds)
{
    int64_t a, b;
    bool one, other;
    const struct ks_node *test = test_of(r, e);
    if (test)
        return ks_stencil_decides(r, test, holds);
    if (ks_node_is(e, KS_N_UNARY, "!") && ks_stencil_decides(r, e->kid[0], &one)) {
        *holds = !one;
        return true;
    }
    if (e->kind != KS_N_BINARY)
        return false;
    const bool both = strcmp(e->text, "&&") == 0;
    if (!both && strcmp(e->text, "||") != 0)
        return ks_stencil_number(r, e->kid[0], &a) && ks_stencil_number(r, e->kid[1], &b) && compares(e->text, a, b, holds);
    const bool first = ks_stencil_decides(r, e->kid[0], &one), second = ks_stencil_decides(r, e->kid[1], &other);
    *holds = !both;
    if ((first && one != both) || (second && other != both))
        return true;
    *holds = both;
    return first && second;
}

static void note_number(struct ks_stencil_reader *r, const struct ks_node *at, int64_t number)
{
    struct ks_stencil *st = r->stencil;
    if (number >= -2 * KS_STENCIL_REACH && number <= 2 * KS_STENCIL_REACH)
        return;
    if (st->n_sizes < KS_STENCIL_NUMBERS)
        st->sizes[st->n_sizes++] = number;
    else
        ks_stencil_refuse(r, at, "places are compared with too many numbers");
}

// A block's number says what the thread's own does not tell, or the other way round: where it is compared, the elements that
// pass are no box whatever the launch.
static bool stands_alone(const struct ks_stencil_reader *r, const struct ks_poly *p, int axis)
{
    const char *const block = ks_arena_printf(r->arena, "blockIdx.%c", 'x' + axis);
    const char *const thread = ks_arena_printf(r->arena, "threadIdx.%c", 'x' + axis);
    const bool blocks = ks_poly_mentions(p, block), threads = ks_poly_mentions(p, thread);
    for (size_t i = 0; blocks != threads && i < r->s->brief->n_problems; i++)
        if ((blocks ? r->s->brief->problems[i].block[axis] : r->s->brief->problems[i].grid[axis]) != 1)
            return true;
    return false;
}

void ks_stencil_note(struct ks_stencil_reader *r, const struct ks_node *e)
{
    const struct ks_node *test = test_of(r, e);
    struct ks_poly p = ks_affine_eval(&r->env, e);
    p = numbered(r, &p);
    if (test) {
        ks_stencil_note(r, test);
        return;
    }
    for (int a = 0; a < 3; a++)
        if (stands_alone(r, &p, a))
            ks_stencil_refuse(r, e, "a block's number is compared");
    for (int i = 0; p.known && i < p.n; i++) {
        if (p.term[i].n == 0)
            note_number(r, e, p.term[i].coef);
        for (int k = 0; k < p.term[i].n; k++) {
            const struct ks_affine_local *local = ks_affine_find(&r->env, p.term[i].symbol[k]);
            is_known(r, p.term[i].symbol[k], true);
            if (local && local->var->init && !local->loop && !local->changes &&
                !ks_node_mentions(local->var->init, local->name))
                ks_stencil_note(r, local->var->init);
        }
    }
    for (size_t i = e->kind == KS_N_CALL; !p.known && i < e->n; i++)
        ks_stencil_note(r, e->kid[i]);
}
