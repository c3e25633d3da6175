#include "engine/emit.h"
#include "engine/given.h"
#include "engine/math.h"
#include "engine/pad.h"
#include "engine/reshape.h"
#include "engine/tree.h"

#include <string.h>

void ks_emit_when(struct ks_buf *when, const char *condition)
{
    if (*condition)
        ks_buf_printf(when, "%s%s", when->len ? " && " : "", condition);
}

enum ks_status ks_emit_apart(const struct ks_subject *s, struct ks_buf *when, struct ks_err *err)
{
    const char *apart = ks_subject_apart(s);
    if (!apart)
        KS_FAIL(err, KS_E_UNSUPPORTED,
                "line %d: the extent of a pointer is no expression of parameters", s->decl->line);
    ks_emit_when(when, apart);
    return KS_OK;
}

// Declaration of template parameter `name` in "template <class T, int B>": the words in front of
// its name.
static char *template_words(const struct ks_subject *s, const char *name)
{
    struct ks_token *tokens;
    ks_lex_all(s->arena, ks_slice_of(s->decl->template_head), false, &tokens);
    size_t first = 0;
    for (size_t i = 0; tokens[i].kind != KS_TOK_END; i++) {
        if (ks_token_is(&tokens[i], "<") || ks_token_is(&tokens[i], ","))
            first = i + 1;
        if (i > first && ks_token_is(&tokens[i], name))
            return ks_arena_strndup(s->arena, tokens[first].at,
                                    (size_t)(tokens[i].at - tokens[first].at));
    }
    return NULL;
}

void ks_emit_instance(const struct ks_subject *s, struct ks_buf *out)
{
    const struct ks_signature *signature = s->brief->signature;
    for (size_t i = 0; i < s->decl->n_template_params && i < signature->n_template_args; i++) {
        const char *name = s->decl->template_params[i], *arg = signature->template_args[i];
        char *words = ks_given_is_function(s->arena, s->brief, i) ? NULL : template_words(s, name); // put in
        if (!words)
            continue;
        if (ks_starts_with(words, "class") || ks_starts_with(words, "typename"))
            ks_buf_printf(out, "typedef %s %s;\n", arg, name);
        else
            ks_buf_printf(out, "constexpr %s%s = %s;\n", words, name, arg);
    }
    if (s->decl->n_template_params)
        ks_buf_putc(out, '\n');
    if (s->helpers)
        ks_buf_puts(out, s->helpers);
}

// A type the plan can check: the declared one where it is builtin, else what the compiler made of
// it, be that a struct that the text calls otherwise (`typedef struct point { ... } Point;`), with the promise that
// it lies apart. What no text can name ("(anonymous namespace)::point") stays as it is declared.
static struct ks_type param_type(const struct ks_subject *s, size_t i)
{
    const struct ks_type *declared = &s->decl->params[i].type;
    struct ks_type resolved = s->brief->signature->params[i];
    bool named = !resolved.elem.size || ks_type_is_enum(s->arena, &resolved);
    if (declared->elem.size || resolved.text == NULL || (named && strpbrk(resolved.text, "(<$")))
        return *declared;
    if (declared->restrict_ && !resolved.restrict_) {
        resolved.text = ks_arena_printf(s->arena, "%s__restrict__", resolved.text);
        resolved.restrict_ = true;
    }
    return resolved;
}

static const char *without_restrict(struct ks_arena *arena, const char *text)
{
    static const char word[] = "__restrict";
    const char *at = strstr(text, word);
    if (!at)
        return text;
    size_t n = sizeof word - 1, front = (size_t)(at - text);
    n += at[n] == '_' ? 2 : 0;
    while (front > 0 && text[front - 1] == ' ')
        front--;
    return ks_arena_printf(arena, "%.*s%s", (int)front, text, at + n);
}

char *ks_emit_params(const struct ks_subject *s, bool apart)
{
    struct ks_buf buf = KS_BUF(1 << 14);
    for (size_t i = 0; i < s->decl->n_params; i++) {
        const struct ks_type of = param_type(s, i), *type = &of;
        const struct ks_param_use *use = &s->access.use[i];
        const char *text = type->text;
        bool ours = s->together && type->pointer && !type->pointee_const &&
                    (use->opaque || (use->read && use->written));
        if (ours) // other threads write what one reads
            text = without_restrict(s->arena, text);
        bool plain = ks_ends_with(text, "*"); // "float*", else "float*__restrict__" or a value
        bool add = apart && type->pointer && type->elem.size && !use->opaque && !ours;
        if (add && !type->pointee_const && !use->written)
            text = ks_arena_printf(s->arena, "const %s", text);
        if (plain)
            text = ks_arena_printf(s->arena, "%.*s *", (int)strlen(text) - 1, text);
        ks_buf_printf(&buf, "%s%s%s%s%s", i ? ", " : "", text,
                      add && !type->restrict_ ? "__restrict__" : "",
                      plain && !(add && !type->restrict_) ? "" : " ", s->decl->params[i].name);
    }
    for (int i = 0; i < s->n_extra; i++)
        ks_buf_printf(&buf, "%s%s %s", buf.len ? ", " : "", s->extra[i].type, s->extra[i].name);
    char *text = ks_arena_strdup(s->arena, ks_buf_text(&buf));
    ks_buf_free(&buf);
    return text;
}

size_t ks_emit_args(const struct ks_subject *s, const char **args)
{
    size_t n = 0;
    for (; n < s->decl->n_params; n++)
        args[n] = s->decl->params[n].name;
    for (int i = 0; i < s->n_extra; i++)
        args[n++] = s->extra[i].value;
    return n;
}

// A plan's text over the subject's parameters as one over those that the kernel has.
static enum ks_status given_text(const struct ks_subject *s, const char **text, struct ks_err *err)
{
    struct ks_buf buf = KS_BUF(1 << 15);
    struct ks_expr *expr;
    if (s->members.len == 0 || !*text || !**text)
        return KS_OK;
    KS_TRY(ks_expr_parse(s->arena, s->decl->name, ks_slice_of(*text), &expr, err));
    ks_expr_print(&buf, ks_flatten_expr(s->arena, &s->members, expr), NULL, NULL);
    *text = ks_arena_strdup(s->arena, ks_buf_text(&buf));
    ks_buf_free(&buf);
    return KS_OK;
}

enum ks_status ks_emit_plan(const struct ks_subject *s, const char *source, const char *when,
                            const struct ks_plan_workspace *workspaces, size_t n_workspaces,
                            const struct ks_plan_step *steps, size_t n_steps, struct ks_proposal *proposal,
                            struct ks_err *err)
{
    struct ks_plan_workspace *spaces = KS_NEW_ARRAY(s->arena, struct ks_plan_workspace, n_workspaces);
    struct ks_plan_step *own = KS_NEW_ARRAY(s->arena, struct ks_plan_step, n_steps);
    KS_TRY(given_text(s, &when, err));
    for (size_t i = 0; i < n_workspaces; i++) {
        spaces[i] = workspaces[i];
        KS_TRY(given_text(s, &spaces[i].bytes, err));
    }
    for (size_t i = 0; i < n_steps; i++) {
        own[i] = steps[i];
        const char **args = KS_NEW_ARRAY(s->arena, const char *, steps[i].n_args);
        for (size_t k = 0; k < steps[i].n_args; k++) {
            args[k] = steps[i].args[k];
            KS_TRY(given_text(s, &args[k], err));
        }
        own[i].args = args;
        for (int a = 0; a < 3; a++) {
            KS_TRY(given_text(s, &own[i].grid[a], err));
            KS_TRY(given_text(s, &own[i].block[a], err));
        }
        KS_TRY(given_text(s, &own[i].shared, err));
    }
    return ks_plan_build(s->arena, s->decl->name, s->given->decl, s->given->signature, source, when, spaces,
                         n_workspaces, own, n_steps, proposal, err);
}

const char *ks_emit_bounds(const struct ks_subject *s, const struct ks_options *options,
                           const char *threads)
{
    if (options->bounds > 1)
        return ks_arena_printf(s->arena, "__launch_bounds__(%s, %d) ", threads,
                               options->bounds - 1);
    return options->bounds == 1 || strcmp(threads, "1024") != 0
               ? ks_arena_printf(s->arena, "__launch_bounds__(%s) ", threads)
               : "";
}

const char *ks_emit_extent(const struct ks_subject *s, int axis, struct ks_buf *when,
                           struct ks_buf *asserts, struct ks_err *err)
{
    const struct ks_map_axis *a = &s->map.axis[axis];
    char name = (char)('x' + axis);
    if (!a->used) { // every number would be visited again for each block or thread of this axis
        if (!s->numbered || axis != 1) // whose blocks are numbered with x
            ks_emit_when(when, ks_arena_printf(s->arena, "grid.%c == 1", name));
        if (!s->folded) // of whose blocks the fold has asked what it needs
            ks_emit_when(when, ks_arena_printf(s->arena, "block.%c == 1", name));
        return "1";
    }
    const char *blocks = ks_subject_blocks(s, axis);
    const char *all = s->folded ? blocks : ks_arena_printf(s->arena, "%s * block.%c", blocks, name);
    if ((s->numbered || s->warps != NULL) && axis == 0)
        ks_emit_when(when, ks_arena_printf(s->arena, "%s <= 2147483647", blocks));
    if (a->block && !(s->folded && axis == 0)) {
        int64_t value;
        const char *known = ks_subject_constant((void *)s, a->block);
        if (!known && ks_parse_i64(a->block, &value))
            known = a->block;
        if (!known && s->brief->n_problems == 0) {
            ks_err_set(err, KS_E_UNSUPPORTED, "line %d: the value of %s is not known here",
                       s->decl->line, a->block);
            return NULL;
        }
        if (!known) { // a macro or constant of the file: the compiler checks what the launch says
            known = ks_arena_printf(s->arena, "%lld", (long long)s->brief->problems[0].block[axis]);
            ks_buf_printf(asserts, "    static_assert((%s) == %s, \"block size\");\n", a->block,
                          known);
        }
        bool launched = s->brief->n_problems == 0;
        for (size_t i = 0; i < s->brief->n_problems && ks_parse_i64(known, &value); i++)
            launched = launched || s->brief->problems[i].block[axis] == value;
        if (!launched) {
            ks_err_set(err, KS_E_UNSUPPORTED, "line %d: the index counts %s threads a block, and no workload has such blocks",
                       s->decl->line, known);
            return NULL;
        }
        ks_emit_when(when, ks_arena_printf(s->arena, "block.%c == %s", name, known));
    }
    if (!a->wide)
        ks_emit_when(when, ks_arena_printf(s->arena, "%s <= 2147483647", all));
    if (axis == 0 && s->map.limit) {
        ks_emit_when(when, ks_arena_printf(s->arena, "%s >= 0", s->map.limit));
        if (s->map.stride && !a->wide)
            ks_emit_when(when, ks_arena_printf(s->arena, "%s <= 2147483647", s->map.limit));
        if (s->map.stride)
            return s->map.limit;
        return ks_arena_printf(s->arena, "min(%s, %s)", s->map.limit, all);
    }
    return all;
}

static void add_edits(struct ks_arena *arena, struct ks_edit_list *to,
                      const struct ks_edit_list *from)
{
    for (size_t i = 0; from && i < from->len; i++)
        ks_edit_add(arena, to, from->at[i].begin, from->at[i].end, from->at[i].text);
}

char *ks_emit_item(const struct ks_subject *s, const struct ks_edit_list *extra, bool loop,
                   bool strip, int indent)
{
    struct ks_edit_list all = {0};
    add_edits(s->arena, &all, &s->map.edits);
    add_edits(s->arena, &all, extra);
    add_edits(s->arena, &all, loop ? &s->map.to_continue : &s->map.to_return);
    if (strip && s->map.limit)
        add_edits(s->arena, &all, &s->map.strip);
    char *text = ks_edit_apply(s->arena, &all, s->body.text, s->map.begin, s->map.end);
    return ks_text_indent(s->arena, text, indent);
}

const char *ks_emit_index(const struct ks_subject *s, const char *item)
{
    if (!s->map.stride)
        return "";
    const char *var = s->map.axis[0].var;
    struct ks_token *tokens;
    ks_lex_all(s->arena, ks_slice_of(item), false, &tokens);
    for (size_t i = 0; tokens[i].kind != KS_TOK_END; i++)
        if (ks_token_is(&tokens[i], var))
            return ks_arena_printf(s->arena, "const %s %s = opt_x;\n",
                                   ks_starts_with(s->map.stride_type, "const ")
                                       ? s->map.stride_type + 6
                                       : s->map.stride_type,
                                   var);
    return "";
}

static enum ks_status emit_shape(struct ks_subject *s, const struct ks_options *options,
                                 struct ks_proposal *proposal, struct ks_err *err)
{
    bool geometry = s->folded > 0 || options->block[0] || options->items || options->rows || options->width ||
                    options->stream || options->peel || options->private_ || options->lanes || options->jam ||
                    options->split || options->blocks || options->halo;
    if (!geometry)
        return ks_emit_same(s, options, proposal, err);
    if (!s->is_map)
        KS_FAIL(err, KS_E_UNSUPPORTED, "%s", s->not_map);
    if (options->split)
        return ks_emit_split(s, options, proposal, err);
    if (options->jam)
        return ks_emit_jam(s, options, proposal, err);
    if (options->lanes)
        return ks_emit_lanes(s, options, proposal, err);
    if (options->private_)
        return ks_emit_private(s, options, proposal, err);
    if (options->width || options->stream)
        return ks_emit_packed(s, options, proposal, err);
    return ks_emit_map(s, options, proposal, err);
}

static char *printed(struct ks_arena *arena, const struct ks_expr *expr)
{
    struct ks_buf buf = KS_BUF(1 << 15);
    ks_expr_print(&buf, expr, NULL, NULL);
    char *text = ks_arena_strdup(arena, ks_buf_text(&buf));
    ks_buf_free(&buf);
    return text;
}

// One more thing asked of the launch, where the shape does not ask it already.
static enum ks_status ask(const struct ks_subject *s, const char *what, struct ks_proposal *proposal,
                          struct ks_err *err)
{
    struct ks_expr *both = KS_NEW(s->arena, struct ks_expr), *asks;
    if (!what || !*what)
        return KS_OK;
    KS_TRY(ks_expr_parse(s->arena, s->decl->name, ks_slice_of(what), &asks, err));
    asks = ks_flatten_expr(s->arena, &s->members, asks);
    char *was = printed(s->arena, proposal->when);
    if (strstr(was, printed(s->arena, asks)))
        return KS_OK;
    *both = (struct ks_expr){.op = KS_X_LAND, .kid = {asks, proposal->when}};
    proposal->when = strcmp(was, "1") == 0 ? asks : both;
    return KS_OK;
}

static enum ks_status emit(struct ks_subject *subject, const struct ks_options *options,
                           struct ks_proposal *proposal, struct ks_err *err)
{
    KS_TRY(ks_options_agree(options, err));
    struct ks_subject rewritten, *s = &rewritten;
    KS_TRY(ks_reshape(subject, options, s, err));
    if (options->math)
        KS_TRY(ks_math_rewrite(&rewritten, options->math, err));
    if (options->shuffle)
        KS_TRY(ks_tree_rewrite(&rewritten, err));
    if (options->pad)
        KS_TRY(ks_pad_rewrite(&rewritten, options->pad, err));
    add_edits(s->arena, &rewritten.map.edits, &rewritten.rewrites);
    struct ks_options own = *options;
    own.restrict_ |= s->apart; // then it may as well be said to the compiler
    KS_TRY(emit_shape(s, &own, proposal, err));
    const char *apart = s->apart ? ks_subject_apart(s) : "";
    if (!apart)
        KS_FAIL(err, KS_E_UNSUPPORTED, "line %d: the extent of a pointer is no expression of parameters",
                s->decl->line);
    KS_TRY(ask(s, apart, proposal, err));
    KS_TRY(ask(s, s->asks, proposal, err));
    return ask(s, s->guard, proposal, err);
}

enum ks_status ks_emit(struct ks_subject *subject, const struct ks_options *options,
                       struct ks_proposal *proposal, struct ks_err *err)
{
    return ks_subject_refused(subject, emit(subject, options, proposal, err), err);
}
