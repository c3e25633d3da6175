// Loops in which the threads of a block share turns, and trees in which they combine what they have.
#include <string.h>

#include "engine/folder.h"
#include "engine/tree.h"

void ks_fold_erase(struct ks_folder *f, const struct ks_node *node)
{
    ks_edit_add(f->s->arena, f->edits, ks_node_front(&f->s->body, node), node->end, f->alone ? ";" : "");
}

struct turn {
    struct ks_folder *f;
    const struct ks_loop *loop;
};

// What a turn of a shared loop is made of: values for all, its own number, and what it is combined to.
static bool visit_turn(void *context, struct ks_node *node)
{
    struct turn *t = context;
    struct ks_folder *f = t->f;
    const char *builtin = ks_builtin_name(f->s->arena, node);
    const char *function = node->kind == KS_N_CALL && node->kid[0]->kind == KS_N_NAME ? node->kid[0]->text : "";
    const struct ks_fold_value *value = node->kind == KS_N_NAME ? ks_fold_find(f, node->text) : NULL;
    if (f->rows && builtin && (strcmp(builtin, "blockIdx.x") == 0 || strcmp(builtin, "gridDim.x") == 0))
        ks_fold_refuse(f, node, "%s beside the number of a warp", builtin);
    if (builtin && !ks_fold_flat_axis(f, node, builtin) &&
        (ks_starts_with(builtin, "threadIdx.") || ks_starts_with(builtin, "blockDim.")))
        ks_fold_refuse(f, node, "%s in a turn of a loop that threads share", builtin);
    if (node->kind == KS_N_CALL && !ks_starts_with(function, "atomic") && !ks_fold_is_quiet(f, function))
        ks_fold_refuse(f, node, "%s in a turn of a loop that threads share", *function ? function : "a call");
    for (size_t i = 0; value && i < t->loop->n_reductions; i++)
        if (strcmp(t->loop->reductions[i].name, node->text) == 0)
            return true;
    if (value && (value->kind != KS_FOLD_SAME || value->array))
        ks_fold_refuse(f, node, "%s", ks_fold_differs(f, value));
    return true;
}

// The expression without the thread's number: "0", or what that is added to; NULL where it is no such sum.
static const char *without_thread(struct ks_folder *f, const struct ks_node *start)
{
    if (ks_fold_is_thread(f, start))
        return "0";
    for (int i = 0; ks_node_is(start, KS_N_BINARY, "+") && i < 2; i++)
        if (ks_fold_is_thread(f, start->kid[i]))
            return ks_fold_same(f, start->kid[1 - i]) ? ks_node_text(f->s->arena, &f->s->body, start->kid[1 - i]) : NULL;
    return NULL;
}

// Whether a loop steps by the block's size, which may be a number.
static bool steps_by_block(struct ks_folder *f, const struct ks_loop *l)
{
    const struct ks_node *by = l->step->n == 2 ? l->step->kid[1] : NULL;
    if (by && strcmp(l->step->text, "=") == 0 && by->kind == KS_N_BINARY)
        by = by->kid[ks_node_is(by->kid[0], KS_N_NAME, l->var)];
    if (!by)
        return false;
    struct ks_poly p = ks_affine_eval(&f->env, by), block = ks_poly_symbol("blockDim.x");
    if (ks_poly_equal(&p, &block))
        return !f->rows || f->lines;
    int64_t threads = 0;
    if (!p.known || p.n != 1 || p.term[0].n > 1)
        return false;
    const char *constant = p.term[0].n == 1 ? ks_subject_constant(f->s, p.term[0].symbol[0]) : NULL;
    if (p.term[0].n == 0)
        threads = p.term[0].coef;
    else if (p.term[0].coef != 1 || !constant || !ks_parse_i64(constant, &threads))
        return false;
    if (threads < 2 || (f->rows && threads != 32))
        return false;
    if (!f->rows)
        ks_fold_ask(f, l->node, threads);
    return true;
}

bool ks_fold_shared_loop(struct ks_folder *f, struct ks_node *node)
{
    struct ks_loop l;
    if (f->first || f->warp || f->depth > 0)
        return false;
    ks_loop_read(f->s->arena, f->s->decl, &f->s->body, &f->env, node, &l);
    if (!l.start || !l.step || l.down)
        return false;
    struct ks_poly start = ks_affine_eval(&f->env, l.start);
    const char *text = without_thread(f, l.start);
    if (!text && !ks_poly_mentions(&start, "threadIdx."))
        return false;
    if (!text || !steps_by_block(f, &l)) {
        ks_fold_refuse(f, node, "the loop does not go from the thread's number in steps of the block");
        return true;
    }
    if (l.why && !f->why)
        f->why = l.why;
    ks_fold_same(f, l.limit);
    struct turn t = {f, &l};
    ks_node_walk(l.body, visit_turn, &t);
    for (size_t i = 0; i < l.n_reductions; i++) {
        const struct ks_reduction *r = &l.reductions[i];
        struct ks_fold_value *value = ks_fold_find(f, r->name);
        enum ks_fold_op op = ks_fold_op_of(r->front, r->between, r->pick);
        bool goes_on = value && value->kind == KS_FOLD_PART && value->op == op;
        if (!value || value->shared || op == KS_FOLD_ANY || value->type == KS_T_NONE ||
            !(goes_on || ks_fold_is_neutral(value, op))) {
            ks_fold_refuse(f, node, "%s does not begin with what changes nothing", r->name);
            return true;
        }
        value->kind = KS_FOLD_PART;
        value->op = op;
        value->literal = NULL;
        value->whole = false;
    }
    ks_edit_add(f->s->arena, f->edits, l.start->begin, l.start->end, text);
    ks_edit_add(f->s->arena, f->edits, l.step->begin, l.step->end, ks_arena_printf(f->s->arena, "%s++", l.var));
    f->folded++;
    return true;
}

// Whether a barrier is one of the statements.
static bool meets(const struct ks_node *block)
{
    for (size_t i = 0; block->kind == KS_N_BLOCK && i < block->n; i++)
        if (block->kid[i]->kind == KS_N_EXPR && ks_node_mentions(block->kid[i], "__syncthreads"))
            return true;
    return false;
}

bool ks_fold_tree(struct ks_folder *f, struct ks_node *node)
{
    struct ks_tree t;
    if (!meets(node->kid[3]))
        return false;
    const char *why = ks_tree_read(f->s, &f->env, node, &t);
    if (why && (strchr("/*<>", node->kid[2]->text[0]) == NULL || node->kid[2]->text[0] == '\0'))
        return false;
    if (why && !f->why)
        f->why = why;
    if (f->first || f->warp)
        ks_fold_refuse(f, node, "threads meet where not all are");
    for (int i = 0; !f->why && i < t.n; i++) {
        const struct ks_tree_update *u = &t.update[i];
        struct ks_fold_value *array = ks_fold_find(f, u->array);
        enum ks_fold_op op = ks_fold_op_of(u->front, u->between, u->pick);
        if (!array || !array->array || array->kind != KS_FOLD_PART || op == KS_FOLD_ANY ||
            (array->op != op && array->op != KS_FOLD_ANY)) {
            ks_fold_refuse(f, node, "%s does not hold what the tree may combine", u->array);
            return true;
        }
        array->kind = KS_FOLD_SAME;
        array->whole = array->op == KS_FOLD_ANY;
        array->op = op;
        array->literal = NULL;
    }
    if (f->why)
        return true;
    ks_fold_ask(f, node, t.threads);
    ks_fold_erase(f, node);
    f->folded++;
    return true;
}
