// Functions of the program that combine what the threads of a block give them: their bodies folded like a kernel's,
// with the value that they take as each thread's part.
#include <string.h>

#include "engine/folder.h"
#include "source/expanded.h"

static const char result[] = "opt_returned";

// The body with its one `return`, which is the last statement, as an assignment; NULL where it is not so.
static const char *without_return(struct ks_arena *arena, const char *body)
{
    struct ks_token *tokens, *found = NULL;
    size_t n = ks_lex_all(arena, ks_slice_of(body), false, &tokens);
    int depth = 0;
    for (size_t i = 0; i < n && tokens[i].kind != KS_TOK_END; i++) {
        depth += ks_token_is(&tokens[i], "{") - ks_token_is(&tokens[i], "}");
        if (found && ks_token_is(&tokens[i], ";") && tokens[i + 1].kind != KS_TOK_END)
            return NULL;
        if (!ks_token_is(&tokens[i], "return"))
            continue;
        if (found || depth > 0)
            return NULL;
        found = &tokens[i];
    }
    if (!found)
        return NULL;
    size_t front = (size_t)(found->at - body);
    return ks_arena_printf(arena, "%.*s%s = %s", (int)front, body, result, body + front + found->len);
}

// The function as a kernel of its own.
static const char *parse(struct ks_folder *f, const struct ks_callee *callee, struct ks_subject *as, struct ks_err *err)
{
    struct ks_arena *arena = f->s->arena;
    struct ks_kernel_list kernels = {0};
    const char *text = callee->body ? ks_text_restored(arena, callee->body) : NULL;
    const char *body = text ? without_return(arena, text) : NULL;
    if (!body)
        return "it does not end in its only return";
    text = ks_arena_printf(arena, "__global__ void %s(%s) {%s}", callee->name, callee->params, body);
    *as = *f->s;
    if (ks_kernels_find(arena, callee->name, ks_slice_of(text), &kernels, err) != KS_OK || kernels.len != 1 ||
        kernels.at[0].problem)
        return "its parameters are not understood";
    as->decl = &kernels.at[0];
    if (ks_body_parse(arena, text, as->decl, &f->s->brief->callees, &as->body, err) != KS_OK)
        return ks_arena_strdup(arena, err->text);
    return NULL;
}

static const char *read(struct ks_folder *f, const struct ks_callee *callee, struct ks_fold_function *one)
{
    struct ks_err err = {0};
    struct ks_edit_list edits = {0};
    struct ks_subject as;
    const char *why = parse(f, callee, &as, &err);
    if (why)
        return why;
    const struct ks_param *param = as.decl->params;
    if (as.decl->n_params != 1 || param->type.pointer || param->type.elem.lanes != 1 || !param->type.elem.size)
        return "it takes more than one number";
    struct ks_type type = ks_type_parse(f->s->arena, ks_slice_of(callee->result));
    if (type.elem.scalar != param->type.elem.scalar || type.elem.lanes != 1)
        return "it returns another type than it takes";
    struct ks_folder in = {.s = &as, .edits = &edits, .functions = f->functions, .depth = f->depth + 1,
                           .rows = f->rows, .lines = f->lines};
    ks_affine_begin(f->s->arena, as.body.block, &in.env);
    struct ks_fold_value *returned = ks_fold_declare(&in, result, param->type.elem.scalar);
    struct ks_fold_value *given = ks_fold_declare(&in, param->name, param->type.elem.scalar);
    (void)returned;
    given->kind = KS_FOLD_PART;
    ks_fold_statements(&in, as.body.block->kid, as.body.block->n);
    if (in.why)
        return in.why;
    const struct ks_fold_value *value = ks_fold_find(&in, result);
    if (!value->whole || (value->kind > KS_FOLD_FIRST && value->kind != KS_FOLD_WARP) || value->op == KS_FOLD_ANY)
        return "it returns other than what it is given, combined over the block";
    one->op = value->op;
    one->type = param->type.elem.scalar;
    one->kind = value->kind;
    one->warps = in.warps;
    one->threads = in.threads;
    return NULL;
}

const struct ks_fold_function *ks_fold_function(struct ks_folder *f, const char *name)
{
    const struct ks_callee *callee = ks_callee_find(&f->s->brief->callees, name);
    ks_vec_each (struct ks_fold_function, known, f->functions)
        if (strcmp(known->name, callee->name) == 0)
            return known;
    struct ks_fold_function one = {.name = callee->name};
    one.why = f->depth > 2 ? "functions in functions" : read(f, callee, &one);
    struct ks_fold_function *kept = ks_vec_push(f->s->arena, f->functions);
    *kept = one;
    return kept;
}
