// Kernels that sum in memory: `c[i] = 0; for (...) c[i] += a[i * n + j] * b[j]; c[i] /= n;`. Their text is read as if the
// element were a variable, stored once behind its last use. Whether that is what the kernel does, other threads and arrays that
// overlap included, small runs of the original and the judge show, as of all that is read in a text. Types stand in it as
// builtin ones, whatever the program calls them, and local pointers into arrays as what they point to.
#include <string.h>

#include "engine/edit.h"
#include "engine/loop.h"
#include "engine/reshape.h"
#include "engine/tail_expr.h"

enum { MOST_USES = 64 };

struct element { // the one of an array that the kernel's text speaks of
    struct ks_arena *arena;
    const struct ks_body *body;
    const char *name;  // of the parameter
    const char *index; // as it is written, without blanks
    struct ks_node *use[MOST_USES];
    size_t n;
    bool updated, lost; // in a loop; another element, or an address
};

static const char *without_blanks(struct ks_arena *arena, const char *text)
{
    char *out = ks_arena_strdup(arena, text), *to = out;
    for (const char *at = text; *at; at++)
        if (strchr(" \t\r\n", *at) == NULL)
            *to++ = *at;
    *to = '\0';
    return out;
}

static bool is_use(const struct element *e, const struct ks_node *node)
{
    return node->kind == KS_N_INDEX && ks_node_is(node->kid[0], KS_N_NAME, e->name);
}

// Whether nothing that the index names is changed or declared below.
static bool is_fixed_in(struct ks_node *index, struct ks_node *below)
{
    if (index->kind == KS_N_CALL || index->kind == KS_N_ASSIGN || index->kind == KS_N_POSTFIX || index->kind == KS_N_INDEX ||
        (index->kind == KS_N_NAME && (ks_node_changes(below, index->text) || ks_node_find(below, KS_N_VAR, index->text))))
        return false;
    for (size_t i = 0; i < index->n; i++)
        if (!is_fixed_in(index->kid[i], below))
            return false;
    return true;
}

static void take_use(struct element *e, struct ks_node *node, struct ks_node *loop, bool written)
{
    const char *index = without_blanks(e->arena, ks_node_text(e->arena, e->body, node->kid[1]));
    e->lost |= e->n == MOST_USES || (e->index != NULL && strcmp(index, e->index) != 0);
    e->index = index;
    if (e->n < MOST_USES)
        e->use[e->n++] = node;
    e->updated |= written && loop != NULL && is_fixed_in(node->kid[1], loop);
}

static void look(struct element *e, struct ks_node *node, struct ks_node *loop, bool written)
{
    if (is_use(e, node)) {
        take_use(e, node, loop, written);
        look(e, node->kid[1], loop, false);
        return;
    }
    e->lost |= ks_node_is(node, KS_N_NAME, e->name) || ks_node_is(node, KS_N_VAR, e->name) ||
               (node->n > 0 && ks_node_is(node, KS_N_UNARY, "&") && is_use(e, node->kid[0]));
    if (ks_node_is_loop(node))
        loop = node;
    if (node->init)
        look(e, node->init, loop, false);
    for (size_t i = 0; i < node->n; i++)
        look(e, node->kid[i], loop, node->kind == KS_N_ASSIGN && i == 0);
}

static bool has_use(const struct element *e, const struct ks_node *node)
{
    for (size_t i = 0; i < e->n; i++)
        if (e->use[i]->begin >= node->begin && e->use[i]->end <= node->end)
            return true;
    return false;
}

// The block below that alone has uses: under a test, or in a loop from turn to turn of which the element is another one.
static struct ks_node *inner_block(const struct element *e, struct ks_node *node)
{
    struct ks_node *inner = node->kind == KS_N_BLOCK ? node : NULL;
    if (node->kind == KS_N_IF && node->n == 2 && !has_use(e, node->kid[0]))
        inner = node->kid[1];
    if (ks_node_is_loop(node) && !is_fixed_in(e->use[0]->kid[1], node))
        inner = node->kid[node->kind == KS_N_FOR ? 3 : node->kind == KS_N_WHILE];
    return inner && inner->kind == KS_N_BLOCK ? inner : NULL;
}

// The innermost block with all of them, and its first and last statements with some.
static struct ks_node *block_of(const struct element *e, struct ks_node *block, size_t *first, size_t *last)
{
    size_t with = 0;
    for (size_t i = 0; i < block->n; i++)
        if (has_use(e, block->kid[i])) {
            *first = with++ == 0 ? i : *first;
            *last = i;
        }
    struct ks_node *inner = with == 1 ? inner_block(e, block->kid[*first]) : NULL;
    return inner ? block_of(e, inner, first, last) : block;
}

static bool is_kept_in(const struct element *e, struct ks_node *block, size_t first, size_t last)
{
    for (size_t i = first; i <= last; i++)
        if (!is_fixed_in(e->use[0]->kid[1], block->kid[i]) || ks_node_find(block->kid[i], KS_N_RETURN, NULL))
            return false;
    return true;
}

static void replace(const struct element *e, const char *type, struct ks_node *block, size_t first, size_t last,
                    struct ks_edit_list *edits)
{
    const struct ks_node *begin = block->kid[first], *set = begin->kind == KS_N_EXPR ? begin->kid[0] : NULL;
    const char *text = ks_node_text(e->arena, e->body, e->use[0]), *name = ks_arena_printf(e->arena, "opt_%s", e->name);
    const bool starts = set && ks_node_is(set, KS_N_ASSIGN, "=") && is_use(e, set->kid[0]) && !has_use(e, set->kid[1]);
    const size_t front = starts ? begin->begin : ks_node_front(e->body, begin);
    ks_edit_add(e->arena, edits, front, front,
                starts ? ks_arena_printf(e->arena, "%s ", type) : ks_arena_printf(e->arena, "%s %s = %s; ", type, name, text));
    for (size_t i = 0; i < e->n; i++)
        ks_edit_add(e->arena, edits, e->use[i]->begin, e->use[i]->end, name);
    ks_edit_add(e->arena, edits, block->kid[last]->end, block->kid[last]->end, ks_arena_printf(e->arena, " %s = %s;", text, name));
}

const struct ks_brief *ks_tail_kept(struct ks_arena *arena, const struct ks_brief *given)
{
    struct ks_brief *brief = ks_arena_memdup(arena, given, sizeof *brief);
    struct ks_body body;
    struct ks_err err = {0};
    struct ks_edit_list edits = {0};
    if (brief->decl->problem)
        return given;
    brief->kernel_text =
        ks_aliases_written_out(arena, given, given->kernel_text, given->decl->body - given->decl->begin);
    struct ks_subject s = {.arena = arena, .given = given, .brief = brief, .decl = given->decl};
    if (ks_body_parse(arena, brief->kernel_text, brief->decl, &brief->callees, &s.body, &err) != KS_OK ||
        ks_subject_write_out(arena, &s, ks_moved_edits, &err) != KS_OK || ks_subject_write_out(arena, &s, ks_pointer_edits, &err) != KS_OK)
        return given;
    brief = ks_arena_memdup(arena, s.brief, sizeof *brief);
    body = s.body;
    for (size_t p = 0; p < brief->decl->n_params; p++) {
        const struct ks_type *type = &brief->signature->params[p];
        struct element e = {.arena = arena, .body = &body, .name = brief->decl->params[p].name};
        size_t first = 0, last = 0;
        if (!type->pointer || type->elem.lanes != 1 || type->elem.scalar == KS_T_NONE)
            continue;
        look(&e, body.block, NULL, false);
        struct ks_node *block = e.updated && !e.lost ? block_of(&e, body.block, &first, &last) : NULL;
        if (block && is_kept_in(&e, block, first, last))
            replace(&e, ks_scalar_c_name(type->elem.scalar), block, first, last, &edits);
    }
    brief->kernel_text = ks_edit_apply(arena, &edits, body.text, 0, body.text.len);
    return brief;
}
