#include "engine/subject.h"

#include <stdio.h>
#include <string.h>

#include "engine/given.h"
#include "engine/reshape.h"
#include "source/lex.h"

// Lines that end in a backslash, which proposals may not have: a blank in its place, so that
// offsets stay. Within directives it means something.
static const char *without_splices(struct ks_arena *arena, const char *text)
{
    char *copy = ks_arena_strdup(arena, text);
    struct ks_token *tokens;
    size_t n = ks_lex_all(arena, ks_slice_of(copy), true, &tokens), next = 0;
    for (char *c = strchr(copy, '\\'); c != NULL; c = strchr(c + 1, '\\')) {
        while (next + 1 < n && tokens[next + 1].at <= c)
            next++;
        bool inside = n > 0 && c >= tokens[next].at && c < tokens[next].at + tokens[next].len;
        if (!inside && c[1 + strspn(c + 1, " \t")] == '\n')
            *c = ' ';
    }
    return copy;
}

enum ks_status ks_subject_write_out(struct ks_arena *arena, struct ks_subject *subject, ks_spelling *find,
                                    struct ks_err *err)
{
    struct ks_edit_list edits = {0};
    find(subject, &edits);
    if (edits.len == 0)
        return KS_OK;
    struct ks_brief *brief = ks_arena_memdup(arena, subject->brief, sizeof *brief);
    brief->kernel_text = ks_edit_apply(arena, &edits, subject->body.text, 0, subject->body.text.len);
    subject->brief = brief;
    return ks_body_parse(arena, brief->kernel_text, brief->decl, &brief->callees, &subject->body, err);
}

static void find_map(struct ks_subject *subject)
{
    struct ks_arena *arena = subject->arena;
    struct ks_affine env;
    ks_affine_begin(arena, subject->body.block, &env);
    ks_accesses_find(arena, subject->decl, &env, subject->body.block, &subject->access);
    struct ks_err why = {0};
    subject->is_map =
        ks_map_find(arena, subject->decl, &subject->body, &subject->access, ks_subject_constant,
                    subject, &subject->env, &subject->map, &why) == KS_OK;
    if (!subject->is_map)
        subject->not_map = ks_arena_strdup(arena, why.text);
}

enum ks_status ks_subject_make(struct ks_arena *arena, const struct ks_brief *brief,
                               struct ks_subject *subject, struct ks_err *err)
{
    *subject = (struct ks_subject){.arena = arena, .given = brief, .decl = brief->decl};
    if (brief->decl->problem)
        KS_FAIL(err, KS_E_UNSUPPORTED, "line %d: %s", brief->decl->line, brief->decl->problem);
    struct ks_brief *own = ks_arena_memdup(arena, brief, sizeof *brief);
    size_t body = brief->decl->body - brief->decl->begin;
    own->kernel_text = without_splices(arena, brief->kernel_text);
    KS_TRY(ks_given_written_out(arena, brief, &own->kernel_text, body, err));
    own->kernel_text = ks_aliases_written_out(arena, brief, own->kernel_text, body);
    own->kernel_text = ks_switches_written_out(arena, own->kernel_text, body);
    brief = subject->brief = ks_flatten(arena, own, &subject->members);
    subject->decl = brief->decl;
    KS_TRY(ks_body_parse(arena, brief->kernel_text, brief->decl, &brief->callees, &subject->body, err));
    KS_TRY(ks_subject_write_out(arena, subject, ks_inlined_edits, err));
    KS_TRY(ks_subject_write_out(arena, subject, ks_while_edits, err));
    KS_TRY(ks_subject_write_out(arena, subject, ks_start_edits, err));
    KS_TRY(ks_subject_write_out(arena, subject, ks_counter_edits, err));
    KS_TRY(ks_subject_write_out(arena, subject, ks_moved_edits, err));
    const struct ks_brief *before = NULL;
    while (subject->brief != before) { // one may stand in another: x[__ldg(&of[i])]
        before = subject->brief;
        KS_TRY(ks_subject_write_out(arena, subject, ks_normal_edits, err));
    }
    KS_TRY(ks_subject_write_out(arena, subject, ks_pointer_edits, err));
    struct ks_subject through = *subject;
    KS_TRY(ks_subject_write_out(arena, &through, ks_numbered_edits, err));
    through.numbered = through.brief != subject->brief && ks_numbered_through(&through);
    if (through.numbered)
        find_map(&through);
    if (through.is_map)
        *subject = through;
    else
        find_map(subject);
    return KS_OK;
}

const char *ks_subject_blocks(const struct ks_subject *s, int axis)
{
    static const char *const grid[] = {"grid.x", "grid.y", "grid.z"};
    if (s->warps != NULL && axis == 0)
        return s->warps;
    return !s->numbered ? grid[axis] : axis == 0 ? "grid.x * grid.y" : axis == 1 ? "1" : grid[axis];
}

enum ks_status ks_subject_refused(const struct ks_subject *s, enum ks_status status,
                                  struct ks_err *err)
{
    int line;
    if (status == KS_E_UNSUPPORTED && err != NULL && sscanf(err->text, "line %d:", &line) != 1)
        ks_err_prefix(err, "line %d: %s", s->decl->line, s->decl->name);
    return status;
}

const char *ks_subject_constant(void *context, const char *name)
{
    const struct ks_subject *s = context;
    const struct ks_signature *signature = s->brief->signature;
    for (size_t i = 0; i < s->decl->n_template_params && i < signature->n_template_args; i++) {
        int64_t value;
        if (strcmp(s->decl->template_params[i], name) == 0 &&
            ks_parse_i64(signature->template_args[i], &value))
            return signature->template_args[i];
    }
    return NULL;
}

static bool is_param(const struct ks_subject *s, const char *name)
{
    for (size_t i = 0; i < s->decl->n_params; i++)
        if (strcmp(s->decl->params[i].name, name) == 0 && !s->decl->params[i].type.pointer)
            return true;
    return false;
}

struct scope {
    const struct ks_subject *subject;
    const struct ks_workload_mark *workload;
    bool lost;
};

// Lets that are no parameters must be helpers over parameters; plain sizes that the launch does not
// carry are lost.
static void check_name(void *context, const char *name)
{
    struct scope *scope = context;
    if (is_param(scope->subject, name) || ks_subject_constant((void *)scope->subject, name))
        return;
    scope->lost = true;
}

static bool is_known(const struct ks_subject *s, const struct ks_workload_mark *w, const struct ks_expr *e)
{
    struct scope scope = {s, w, false};
    ks_expr_names(e, check_name, &scope);
    return !scope.lost;
}

// What a product has beside a factor of that name, all known; "" where that is all, NULL where it is no such product.
static const char *beside(const struct ks_subject *s, const struct ks_workload_mark *w, const struct ks_expr *e,
                          const char *name)
{
    if (e->op == KS_X_NAME && strcmp(e->name, name) == 0)
        return "";
    for (size_t i = 0; e->op == KS_X_MUL && i < 2; i++) {
        const char *rest = is_known(s, w, e->kid[1 - i]) ? beside(s, w, e->kid[i], name) : NULL;
        if (rest == NULL)
            continue;
        struct ks_buf buf = KS_BUF(4096);
        ks_buf_printf(&buf, "%s / (", rest);
        ks_expr_print(&buf, e->kid[1 - i], NULL, NULL);
        ks_buf_puts(&buf, ")");
        rest = ks_arena_strdup(s->arena, ks_buf_text(&buf));
        ks_buf_free(&buf);
        return rest;
    }
    return NULL;
}

// A size that no parameter has, read off the grid: `batch` of grid(batch * groups) is grid.x / (groups), which is
// exact wherever the original is launched as the workload says. NULL: not seen there, or a parameter.
static const char *off_the_grid(void *context, const char *name)
{
    const struct scope *scope = context;
    const struct ks_subject *s = scope->subject;
    for (size_t a = 0; a < 3 && !is_param(s, name) && !ks_subject_constant((void *)(uintptr_t)s, name); a++) {
        const struct ks_expr *grid = scope->workload->grid[a];
        const char *rest = grid != NULL ? beside(s, scope->workload, grid, name) : NULL;
        if (rest != NULL)
            return ks_arena_printf(s->arena, "(grid.%c%s)", "xyz"[a], rest);
    }
    return NULL;
}

static void check_launch(void *context, const char *name)
{
    struct scope *scope = context;
    if (!off_the_grid(context, name))
        check_name(scope, name);
}

static const char *count_text(const struct ks_subject *s, const struct ks_workload_mark *w,
                              const struct ks_expr *count, bool of_launch)
{
    struct scope scope = {s, w, false};
    ks_expr_names(count, of_launch ? check_launch : check_name, &scope);
    if (scope.lost)
        return NULL;
    struct ks_buf buf = KS_BUF(4096);
    ks_expr_print(&buf, count, of_launch ? off_the_grid : NULL, &scope);
    const char *text = ks_arena_strdup(s->arena, ks_buf_text(&buf));
    ks_buf_free(&buf);
    return text;
}

// `of_launch`: for an expression of the guard, where the grid has a name.
static const char *bytes_of(const struct ks_subject *s, size_t param, bool of_launch)
{
    const struct ks_mark *mark = s->brief->mark;
    const char *found = NULL;
    size_t size = s->brief->signature->params[param].elem.size;
    for (size_t w = 0; mark && w < mark->n_workloads; w++)
        for (size_t a = 0; a < mark->workloads[w].n_arrays; a++) {
            const struct ks_array *array = &mark->workloads[w].arrays[a];
            if (strcmp(array->name, s->decl->params[param].name) != 0)
                continue;
            if (size == 0)
                size = array->type.elem.size;
            const char *text = count_text(s, &mark->workloads[w], array->count, of_launch);
            if (!text || (found && strcmp(found, text) != 0))
                return NULL;
            found = text;
        }
    return found && size ? ks_arena_printf(s->arena, "(%s) * %zu", found, size) : NULL;
}

const char *ks_subject_bytes(const struct ks_subject *s, size_t param)
{
    return bytes_of(s, param, false);
}

const char *ks_subject_launch_bytes(const struct ks_subject *s, size_t param)
{
    return bytes_of(s, param, true);
}

// Whether the kernel may go through a pointer that lies in a struct passed by value.
static bool uses_hidden(const struct ks_subject *s)
{
    for (size_t i = 0; i < s->decl->n_params; i++) {
        const struct ks_type *type = &s->brief->signature->params[i];
        const struct ks_block *block = ks_struct_block(s->brief, s->decl->params[i].name);
        if (!type->pointer && type->elem.scalar == KS_T_NONE && (!block || block->n_pointers > 0) &&
            ks_node_mentions(s->body.block, s->decl->params[i].name))
            return true;
    }
    return false;
}

const char *ks_subject_apart(const struct ks_subject *s)
{
    struct ks_buf buf = KS_BUF(1 << 14);
    bool lost = uses_hidden(s);
    for (size_t a = 0; a < s->decl->n_params; a++)
        for (size_t b = 0; b < s->decl->n_params; b++) {
            const struct ks_param_use *x = &s->access.use[a], *y = &s->access.use[b];
            if (!s->decl->params[a].type.pointer || !s->decl->params[b].type.pointer || a == b)
                continue;
            bool x_written = x->written || (x->opaque && !s->decl->params[a].type.pointee_const);
            bool y_written = y->written || (y->opaque && !s->decl->params[b].type.pointee_const);
            if (!x_written || (y_written && b < a))
                continue;
            const char *p = bytes_of(s, a, true), *q = bytes_of(s, b, true);
            lost |= !p || !q;
            ks_buf_printf(&buf, "%s!overlap(%s, %s, %s, %s)", buf.len ? " && " : "",
                          s->decl->params[a].name, p ? p : "", s->decl->params[b].name, q ? q : "");
        }
    const char *text = lost ? NULL : ks_arena_strdup(s->arena, ks_buf_text(&buf));
    ks_buf_free(&buf);
    return text;
}

const char *ks_subject_elem(const struct ks_subject *s, size_t param)
{
    const struct ks_type *type = &s->brief->signature->params[param];
    if (!type->pointer || type->elem.lanes != 1 || type->elem.scalar == KS_T_NONE)
        return NULL;
    return ks_scalar_c_name(type->elem.scalar);
}

const char *ks_subject_value(const struct ks_subject *s, size_t param)
{
    static const char *const left_out[] = {"const", "__restrict__", "__restrict", "*"};
    const struct ks_type *type = &s->brief->signature->params[param];
    struct ks_token *tokens;
    const char *name = NULL;
    if (!type->pointer || type->elem.scalar == KS_T_NONE)
        return NULL;
    if (type->elem.lanes == 1)
        return ks_scalar_c_name(type->elem.scalar);
    ks_lex_all(s->arena, ks_slice_of(type->text), false, &tokens);
    for (; tokens->kind != KS_TOK_END; tokens++) {
        bool out = false;
        for (size_t i = 0; i < sizeof left_out / sizeof *left_out; i++)
            out |= ks_token_is(tokens, left_out[i]);
        if (!out && name)
            return NULL; // more than one word
        name = out ? name : ks_token_text(s->arena, tokens);
    }
    return name;
}

const char *ks_subject_extra(struct ks_subject *s, const char *type, const char *value)
{
    for (int i = 0; i < s->n_extra; i++)
        if (strcmp(s->extra[i].value, value) == 0 && strcmp(s->extra[i].type, type) == 0)
            return s->extra[i].name;
    if (s->n_extra == (int)(sizeof s->extra / sizeof *s->extra))
        return NULL;
    struct ks_extra *one = &s->extra[s->n_extra];
    *one = (struct ks_extra){type, ks_arena_printf(s->arena, "opt_number%d", s->n_extra), value};
    s->n_extra++;
    return one->name;
}
