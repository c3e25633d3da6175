// The kernel as it stands, under its own launch: qualifiers, loop pragmas and launch bounds only.
#include <string.h>

#include "engine/emit.h"

enum ks_status ks_emit_same(struct ks_subject *s, const struct ks_options *options,
                            struct ks_proposal *proposal, struct ks_err *err)
{
    struct ks_edit_list edits = s->rewrites;
    for (size_t i = 0; i < s->body.n_pragmas; i++)
        ks_edit_add(s->arena, &edits, s->body.pragmas[i].begin, s->body.pragmas[i].end,
                    s->body.pragmas[i].text);
    KS_TRY(ks_emit_turns(s, options->unroll, &edits, err));
    struct ks_buf when = KS_BUF(1 << 15), source = KS_BUF(1 << 20);
    enum ks_status status = KS_OK;
    const char *bounds =
        *s->decl->launch_bounds
            ? ks_arena_printf(s->arena, "__launch_bounds__(%s) ", s->decl->launch_bounds)
            : "";
    if (options->bounds) {
        const int64_t *block = s->brief->n_problems ? s->brief->problems[0].block : NULL;
        if (!block) {
            status = ks_err_set(err, KS_E_UNSUPPORTED, "line %d: the block size is not known",
                                s->decl->line);
            goto out;
        }
        const char *threads =
            ks_arena_printf(s->arena, "%lld", (long long)(block[0] * block[1] * block[2]));
        bounds = ks_emit_bounds(s, options, threads);
        ks_emit_when(&when,
                     ks_arena_printf(s->arena, "block.x * block.y * block.z <= %s", threads));
    }
    if (s->numbered)
        ks_emit_when(&when, ks_arena_printf(s->arena, "%s <= 2147483647", ks_subject_blocks(s, 0)));
    if (options->restrict_)
        KS_TRY_GOTO(ks_emit_apart(s, &when, err), out);
    ks_emit_instance(s, &source);
    char *body = ks_edit_apply(s->arena, &edits, s->body.text, s->body.block->begin + 1,
                               s->body.block->end - 1);
    ks_buf_printf(&source, "__global__ void %s%s_as_is(%s)\n{\n%s}\n", bounds, s->decl->name,
                  ks_emit_params(s, options->restrict_), ks_text_indent(s->arena, body, 4));
    struct ks_plan_step step = {
        .kernel = ks_arena_printf(s->arena, "%s_as_is", s->decl->name),
        .grid = {ks_subject_blocks(s, 0), ks_subject_blocks(s, 1), ks_subject_blocks(s, 2)},
        .block = {"block.x", "block.y", "block.z"},
        .shared = "shared",
    };
    const char **args = KS_NEW_ARRAY(s->arena, const char *, s->decl->n_params + 4);
    step.n_args = ks_emit_args(s, args);
    step.args = args;
    status = ks_emit_plan(s, ks_arena_strdup(s->arena, ks_buf_text(&source)), ks_buf_text(&when),
                          NULL, 0, &step, 1, proposal, err);
out:
    ks_buf_free(&when);
    ks_buf_free(&source);
    return status;
}
