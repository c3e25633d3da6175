#include "engine/jam.h"

#include <string.h>

#include "base/vec.h"
#include "engine/emit.h"
#include "engine/jammer.h"
#include "engine/loop.h"

static bool listed(const struct ks_strv *list, const char *name, size_t n)
{
    for (size_t i = 0; i < list->len; i++)
        if (strlen(list->at[i]) == n && memcmp(list->at[i], name, n) == 0)
            return true;
    return false;
}

static void refuse(struct ks_jammer *j, const struct ks_node *at, const char *why)
{
    if (j->status == KS_OK)
        j->status = ks_err_set(j->err, KS_E_UNSUPPORTED, "line %d: %s", at->line, why);
}

static int count(const struct ks_jammer *j)
{
    return j->jam->items * j->jam->rows;
}

const char *ks_jam_number(struct ks_arena *arena, const struct ks_jam *jam, int axis, int i)
{
    int all = axis == 0 ? jam->items : jam->rows;
    if (jam->near && all > 1)
        return ks_arena_printf(arena, "threadIdx.%c * %d + %d", 'x' + axis, all, i);
    return ks_arena_printf(arena, "threadIdx.%c + %d", 'x' + axis, i * jam->block[axis]);
}

// The text of item `q`: its locals and numbers under names of its own.
char *ks_jam_renamed(const struct ks_jammer *j, const char *text, int q)
{
    struct ks_token *tokens;
    struct ks_buf out = KS_BUF(1 << 20);
    size_t n = ks_lex_all(j->s->arena, ks_slice_of(text), false, &tokens);
    const char *at = text;
    for (size_t i = 0; i < n; i++) {
        const struct ks_token *t = &tokens[i];
        bool member =
            i > 0 && (ks_token_is(&tokens[i - 1], ".") || ks_token_is(&tokens[i - 1], "->"));
        if (t->kind != KS_TOK_IDENT || member)
            continue;
        ks_buf_add(&out, at, (size_t)(t->at - at));
        at = t->at + t->len;
        if (ks_token_is(t, "opt_x"))
            ks_buf_printf(&out, "opt_x%d", q % j->jam->items);
        else if (ks_token_is(t, "opt_y"))
            ks_buf_printf(&out, "opt_y%d", q / j->jam->items);
        else if (ks_token_is(t, "opt_in_x")) // its place in the block's tile
            ks_buf_puts(&out, ks_jam_number(j->s->arena, j->jam, 0, q % j->jam->items));
        else if (ks_token_is(t, "opt_in_y"))
            ks_buf_puts(&out, ks_jam_number(j->s->arena, j->jam, 1, q / j->jam->items));
        else if (listed(&j->names, t->at, t->len))
            ks_buf_printf(&out, "opt%d_%.*s", q, (int)t->len, t->at);
        else
            ks_buf_add(&out, t->at, t->len);
    }
    ks_buf_puts(&out, at);
    char *copy = ks_arena_strdup(j->s->arena, ks_buf_text(&out));
    ks_buf_free(&out);
    return copy;
}

char *ks_jam_piece(const struct ks_jammer *j, size_t begin, size_t end)
{
    return ks_edit_apply(j->s->arena, &j->edits, j->s->body.text, begin, end);
}

// All of the straight statements from `from` to `to`, once an item.
static void put_straight(struct ks_jammer *j, struct ks_node *const *nodes, size_t n, int indent)
{
    struct ks_arena *arena = j->s->arena;
    for (int q = 0; n > 0 && q < count(j); q++)
        for (size_t i = 0; i < n; i++) {
            char *text = ks_jam_piece(j, ks_node_front(&j->s->body, nodes[i]), nodes[i]->end);
            ks_buf_puts(&j->out, ks_text_indent(arena, ks_jam_renamed(j, text, q), indent));
        }
}

// Whether an expression is the same for all items and has no effect.
static bool is_uniform(const struct ks_jammer *j, const struct ks_node *e)
{
    if (e->kind == KS_N_INDEX || e->kind == KS_N_CALL || e->kind == KS_N_ASSIGN ||
        e->kind == KS_N_POSTFIX || ks_builtin_name(j->s->arena, e) ||
        (e->kind == KS_N_UNARY && strchr("*&", e->text[0])) ||
        (e->kind == KS_N_UNARY && (strcmp(e->text, "++") == 0 || strcmp(e->text, "--") == 0)))
        return false;
    if (e->kind == KS_N_NAME && listed(&j->names, e->text, strlen(e->text)))
        return listed(&j->uniform, e->text, strlen(e->text));
    if (e->kind == KS_N_NAME && ks_node_changes(j->s->body.block, e->text))
        return false;
    for (size_t i = 0; i < e->n; i++)
        if (!is_uniform(j, e->kid[i]))
            return false;
    return true;
}

static void declare(struct ks_jammer *j, const struct ks_node *decl)
{
    ks_loop_declare(&j->env, decl);
    if (decl->shared || decl->is_static)
        refuse(j, decl, "shared memory");
    for (size_t i = 0; i < decl->n; i++) {
        const struct ks_node *var = decl->kid[i];
        ks_strv_add(j->s->arena, &j->names, var->text);
        if (var->init && var->n == 0 && !var->pointer && !var->reference &&
            is_uniform(j, var->init) && !ks_node_changes(j->s->body.block, var->text))
            ks_strv_add(j->s->arena, &j->uniform, var->text);
    }
}

static bool leaves(const struct ks_node *node, bool own)
{
    if (node->kind == KS_N_RETURN ||
        (own && (node->kind == KS_N_BREAK || node->kind == KS_N_CONTINUE)))
        return true;
    for (size_t i = 0; i < node->n; i++)
        if (node->kid[i]->kind >= KS_N_BLOCK && leaves(node->kid[i], own && !ks_node_is_loop(node)))
            return true;
    return false;
}

// Why a loop cannot run once for all items, or NULL.
static const char *why_not(const struct ks_jammer *j, const struct ks_node *loop)
{
    const char *why = NULL;
    if (loop->kind == KS_N_DO)
        why = "a `do` loop is not jammed: its turns are not counted";
    else if (loop->kind != KS_N_FOR || loop->kid[0]->kind != KS_N_DECL)
        why = "only a for loop with a variable of its own is jammed";
    else if (leaves(loop->kid[3], true))
        why = "break, continue or return in the loop";
    for (size_t i = 0; !why && i < loop->kid[0]->n; i++) {
        const struct ks_node *var = loop->kid[0]->kid[i];
        if (!var->init || var->n > 0 || !is_uniform(j, var->init))
            why = "the loop's start differs from item to item";
        else if (ks_node_changes(loop->kid[3], var->text))
            why = "the loop's variable changes in its body";
        else if (listed(&j->names, var->text, strlen(var->text)))
            why = "the loop's variable has the name of another one";
    }
    return why ? ks_arena_printf(j->s->arena, "line %d: %s", loop->line, why) : NULL;
}

static bool is_step_of(const struct ks_jammer *j, const struct ks_node *loop,
                       const struct ks_node *e)
{
    if (ks_node_is(e, KS_N_BINARY, ","))
        return is_step_of(j, loop, e->kid[0]) && is_step_of(j, loop, e->kid[1]);
    if (e->n == 0 || e->kid[0]->kind != KS_N_NAME)
        return false;
    bool own = false;
    for (size_t i = 0; i < loop->kid[0]->n; i++)
        own |= strcmp(loop->kid[0]->kid[i]->text, e->kid[0]->text) == 0;
    if (!own)
        return false;
    return e->kind == KS_N_POSTFIX || e->kind == KS_N_UNARY;
}

// The test and the step: over parameters, the loop's variables and what items have in common.
static bool header_is_uniform(struct ks_jammer *j, const struct ks_node *loop)
{
    struct ks_strv names = j->names, uniform = j->uniform;
    for (size_t i = 0; i < loop->kid[0]->n; i++) {
        ks_strv_add(j->s->arena, &j->names, loop->kid[0]->kid[i]->text);
        ks_strv_add(j->s->arena, &j->uniform, loop->kid[0]->kid[i]->text);
    }
    const struct ks_node *step = loop->kid[2];
    bool ok = is_uniform(j, loop->kid[1]);
    ok = ok && (is_step_of(j, loop, step) ||
                (step->kind == KS_N_ASSIGN && step->kid[0]->kind == KS_N_NAME &&
                 listed(&j->uniform, step->kid[0]->text, strlen(step->kid[0]->text)) &&
                 is_uniform(j, step->kid[1])));
    j->names = names;
    j->uniform = uniform;
    j->names.cap = j->names.len; // the lists' memory is shared
    j->uniform.cap = j->uniform.len;
    return ok;
}

static void put_list(struct ks_jammer *j, struct ks_node *const *nodes, size_t n, int indent);

static bool has_loop(const struct ks_node *node)
{
    for (size_t i = 0; i < node->n; i++)
        if (ks_node_is_loop(node->kid[i]) || has_loop(node->kid[i]))
            return true;
    return false;
}

void ks_jam_body(struct ks_jammer *j, struct ks_node *body, int indent)
{
    struct ks_strv names = j->names, uniform = j->uniform;
    struct ks_affine env = j->env;
    if (body->kind == KS_N_BLOCK)
        put_list(j, body->kid, body->n, indent);
    else
        put_list(j, &body, 1, indent);
    j->names = names;
    j->uniform = uniform;
    j->env = env;
    j->names.cap = j->names.len;
    j->uniform.cap = j->uniform.len;
    j->env.cap = j->env.len;
}

static void put_loop(struct ks_jammer *j, struct ks_node *loop, int indent)
{
    struct ks_node *body = loop->kid[3];
    size_t at = ks_node_front(&j->s->body, loop);
    struct ks_affine env = j->env;
    ks_loop_enter(&j->env, loop);
    if (at == loop->begin && j->jam->unroll && !has_loop(body))
        ks_buf_printf(&j->out,
                      j->jam->unroll < 0 ? "%*s_Pragma(\"unroll\")\n"
                                         : "%*s_Pragma(\"unroll %d\")\n",
                      indent, "", j->jam->unroll);
    char *header = ks_jam_renamed(j, ks_jam_piece(j, at, body->begin), 0);
    size_t n = strlen(header);
    while (n > 0 && strchr(" \t\r\n", header[n - 1]))
        header[--n] = '\0';
    ks_buf_printf(&j->out, "%s", ks_text_indent(j->s->arena, header, indent));
    j->out.len--; // the line goes on
    ks_buf_puts(&j->out, " {\n");
    ks_jam_body(j, body, indent + 4);
    ks_buf_printf(&j->out, "%*s}\n", indent, "");
    j->env = env;
    j->env.cap = j->env.len;
    j->jam->loops++;
}

static void put_list(struct ks_jammer *j, struct ks_node *const *nodes, size_t n, int indent)
{
    size_t from = 0;
    for (size_t i = 0; i < n; i++) {
        struct ks_node *node = nodes[i];
        if (node->kind == KS_N_DECL)
            declare(j, node);
        if (ks_node_is_loop(node)) {
            const char *why = why_not(j, node);
            if (!why && !header_is_uniform(j, node))
                why = ks_arena_printf(j->s->arena,
                                      "line %d: the loop's limit or step differs from item to item",
                                      node->line);
            if (!why) {
                put_straight(j, nodes + from, i - from, indent);
                if (!j->jam->tile || j->staged || !ks_jam_tiled(j, node, indent))
                    put_loop(j, node, indent);
                from = i + 1;
                continue;
            }
            if (!j->why)
                j->why = why;
        }
        if (leaves(node, false))
            refuse(j, node, "return behind the guard");
    }
    put_straight(j, nodes + from, n - from, indent);
}

static void add_edits(struct ks_jammer *j, const struct ks_edit_list *from)
{
    for (size_t i = 0; i < from->len; i++)
        ks_edit_add(j->s->arena, &j->edits, from->at[i].begin, from->at[i].end, from->at[i].text);
}

// The item's statements: those in front of the guard, and those behind guard and tests.
static void add_statement(struct ks_jammer *j, struct ks_node *node, struct ks_node ***list,
                          size_t *n, size_t *cap)
{
    for (size_t i = 0; i < j->s->map.n_tests; i++)
        if (node->kind == KS_N_IF && node->kid[0] == j->s->map.tests[i].expr) {
            struct ks_node *branch = node->kid[1];
            if (j->s->map.tests[i].negated) // an edge, which is left behind
                return;
            for (size_t k = 0; branch->kind == KS_N_BLOCK && k < branch->n; k++)
                add_statement(j, branch->kid[k], list, n, cap);
            if (branch->kind == KS_N_BLOCK)
                return;
            node = branch;
        }
    ks_vec_grow_(j->s->arena, (void **)list, n, cap, sizeof **list);
    (*list)[*n - 1] = node;
}

// No loop was met: there is none, or it stands where none is looked for.
static const char *no_loop(const struct ks_subject *s)
{
    struct ks_node *block = s->body.block, *root = s->map.stride ? block->kid[block->n - 1]->kid[3] : block;
    static const enum ks_node_kind kinds[] = {KS_N_FOR, KS_N_WHILE, KS_N_DO};
    for (size_t i = 0; i < sizeof kinds / sizeof *kinds; i++) {
        const struct ks_node *loop = ks_node_find(root, kinds[i], NULL);
        if (loop)
            return ks_arena_printf(s->arena, "line %d: a loop inside of another statement is not jammed", loop->line);
    }
    return ks_arena_printf(s->arena, "line %d: the kernel has no loop", s->decl->line);
}

enum ks_status ks_jam_text(const struct ks_subject *s, struct ks_jam *jam, int indent, char **text,
                           struct ks_err *err)
{
    struct ks_jammer j = {.s = s, .jam = jam, .err = err, .out = KS_BUF(1 << 20)};
    struct ks_node **list = NULL;
    size_t n = 0, cap = 0;
    jam->loops = jam->tiled = 0;
    jam->limits = jam->shared = "";
    ks_affine_begin(s->arena, s->body.block, &j.env);
    add_edits(&j, &s->map.edits);
    if (s->map.stride) { // the loop's variable is the number
        ks_strv_add(s->arena, &j.names, s->map.axis[0].var);
        for (size_t i = 0; i + 1 < s->body.block->n; i++)
            ks_loop_declare(&j.env, s->body.block->kid[i]);
        struct ks_affine_local *local = ks_vec_push(s->arena, &j.env);
        *local = *ks_affine_find(&s->env, s->map.axis[0].var);
        for (int q = 0; q < count(&j); q++)
            ks_buf_printf(&j.out, "%*sconst %s opt%d_%s = opt_x%d;\n", indent, "",
                          ks_starts_with(s->map.stride_type, "const ") ? s->map.stride_type + 6
                                                                       : s->map.stride_type,
                          q, s->map.axis[0].var, q % jam->items);
    }
    for (size_t i = 0; i < s->map.n_front; i++)
        if (s->map.front[i]->begin < s->map.item_begin || s->map.n_item == 0)
            add_statement(&j, s->map.front[i], &list, &n, &cap);
    for (size_t i = 0; i < s->map.n_item; i++)
        add_statement(&j, s->map.item[i], &list, &n, &cap);
    put_list(&j, list, n, indent);
    *text = ks_arena_strdup(s->arena, ks_buf_text(&j.out));
    ks_buf_free(&j.out);
    if (j.status != KS_OK)
        return j.status;
    if (jam->tile && jam->tiled == 0 && j.odd)
        KS_FAIL(err, KS_E_UNSUPPORTED, "line %d: no copy takes elements of %d bytes", s->decl->line, j.odd);
    if (jam->tile && jam->tiled == 0 && j.lacking)
        KS_FAIL(err, KS_E_UNSUPPORTED, "line %d: a tile of %d bytes has no room in shared memory",
                s->decl->line, j.lacking);
    if (jam->loops == 0 || (jam->tile && jam->tiled == 0))
        KS_FAIL(err, KS_E_UNSUPPORTED, "%s",
                jam->loops == 0 && j.why ? j.why
                : jam->loops == 0
                    ? no_loop(s)
                : j.unshared ? j.unshared
                : j.why      ? j.why
                             : ks_arena_printf(s->arena, "line %d: no loop that all items go through reads an array",
                                               s->decl->line));
    return KS_OK;
}
