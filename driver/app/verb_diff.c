// ks diff: the original kernel against what is compiled in beside it.
#include <stdio.h>
#include <string.h>

#include "app/verb_attempt.h"
#include "app/verb_decision.h"
#include "os/file.h"
#include "os/proc.h"

// The source is printed as code, so its line, empty here, is left out.
static void comment_out(struct ks_buf *out, const char *text)
{
    for (const char *line = text; *line != '\0';) {
        size_t n = strcspn(line, "\n");
        if (!ks_starts_with(line, "source:"))
            ks_buf_printf(out, "// %.*s\n", (int)n, line);
        line += n + (line[n] == '\n');
    }
}

// The variant as somebody would read it: code, then plan, guard and domain as comments.
static enum ks_status variant_page(struct ks_arena *arena, const struct ks_variant *v,
                                   const char **page, struct ks_err *err)
{
    struct ks_buf out = KS_BUF(4u << 20), plan = KS_BUF(1u << 20);
    struct ks_yaml_writer w = {.out = &plan};
    struct ks_proposal without_source = v->proposal;
    without_source.source = "";
    ks_proposal_write(&w, &without_source);
    if (v->domain != NULL) { // what was judged but not stored has none
        ks_buf_puts(&plan, "domain: ");
        ks_expr_print(&plan, v->domain, NULL, NULL);
    }
    ks_buf_puts(&out, v->proposal.source);
    ks_buf_puts(&out, "\n// launch plan, and the conditions under which it runs:\n");
    comment_out(&out, ks_buf_text(&plan));
    enum ks_status status = ks_buf_check(&out, "the variant's page", err);
    if (status == KS_OK)
        *page = ks_arena_strdup(arena, ks_buf_text(&out));
    ks_buf_free(&out);
    ks_buf_free(&plan);
    return status;
}

static enum ks_status make_diff(struct ks_arena *arena, const struct verb_tu *tu,
                                const struct ks_tu_kernel *kernel, const struct ks_variant *v,
                                struct ks_slice *diff, struct ks_err *err)
{
    const struct ks_kernel_decl *decl = kernel->mark->decl;
    const char *page;
    const char *a = ks_path_join(arena, tu->dir, "original.cu"),
               *b = ks_path_join(arena, tu->dir, "variant.cu");
    const char *original = ks_arena_printf(arena, "%.*s\n", (int)(decl->end - decl->begin),
                                           kernel->mark->file->text.at + decl->begin);
    KS_TRY(variant_page(arena, v, &page, err));
    KS_TRY(ks_file_write(a, original, strlen(original), false, 0, err));
    KS_TRY(ks_file_write(b, page, strlen(page), false, 0, err));
    const char *argv[] = {"diff", "-u", "--label",
                          ks_arena_printf(arena, "%s:%d", kernel->mark->file->path, decl->line),
                          "--label", ks_arena_printf(arena, "variant %s", v->id), a, b, NULL};
    struct ks_proc_options options = {.capture_stdout = true};
    struct ks_proc_result result;
    KS_TRY(ks_proc_run(arena, argv, &options, &result, err));
    if (result.exit_code > 1)
        KS_FAIL(err, KS_E_CHILD, "diff failed with status %d", result.exit_code);
    *diff = result.out;
    return KS_OK;
}

struct diffing {
    struct ks_verb_context *context;
    const char *variant; // prefix, or NULL
    json_t *rows;
    size_t shown;
    enum ks_reason reason; // APPLIED, or why what is stored first is not used
    const char *text;
};

static enum ks_status diff_one(struct diffing *d, const struct verb_tu *tu,
                               const struct ks_tu_kernel *kernel, const struct ks_variant *v,
                               struct ks_err *err)
{
    struct ks_slice diff = {0};
    KS_TRY(make_diff(d->context->arena, tu, kernel, v, &diff, err));
    d->shown++;
    if (!d->context->json)
        fwrite(diff.at, 1, diff.len, stdout);
    else
        json_array_append_new(
            d->rows, json_pack("{s:s,s:o,s:s,s:o}", "kernel", verb_kernel_name(kernel), "arch",
                               json_sprintf("sm_%d", kernel->arch), "variant", v->id, "diff",
                               json_stringn(diff.at, diff.len)));
    return KS_OK;
}

static enum ks_status diff_kernel(struct diffing *d, const struct verb_tu *tu,
                                  const struct ks_tu_kernel *kernel, struct ks_err *err)
{
    struct ks_arena *arena = d->context->arena;
    struct ks_lookup lookup;
    ks_store_lookup(arena, &tu->store, &d->context->config, &kernel->key, &lookup);
    if (d->reason == KS_R_APPLIED && lookup.reason != KS_R_PENDING && lookup.reason != KS_R_ORIGINAL_WINS) {
        d->reason = lookup.reason;
        d->text = lookup.text;
    }
    for (size_t i = 0; i < lookup.n_variants; i++) {
        const struct ks_variant *v = &lookup.variants[i].variant;
        if (d->variant == NULL || ks_starts_with(v->id, d->variant))
            KS_TRY(diff_one(d, tu, kernel, v, err));
    }
    return KS_OK;
}

// What is not stored may have been judged: shown beside the one kernel that is meant.
static enum ks_status diff_attempt(struct diffing *d, const struct verb_tu *tu,
                                   const struct ks_tu_kernel *kernel, struct ks_err *err)
{
    struct ks_arena *arena = d->context->arena;
    struct ks_proposal *proposal;
    if (verb_attempt_find(d->context, d->variant, &proposal, NULL) != KS_OK)
        return KS_OK; // the answer is that there is nothing
    const struct ks_variant v = {.id = ks_proposal_id(arena, proposal), .proposal = *proposal};
    return diff_one(d, tu, kernel, &v, err);
}

static enum ks_status diff_file(struct diffing *d, const char *file, const char *kernel,
                                const char *const *words, struct ks_err *err)
{
    struct verb_tu tu;
    const struct ks_tu_kernel *only = NULL;
    size_t matched = 0;
    if (words == NULL)
        words = verb_stored_archs(d->context, file, NULL);
    enum ks_status status = verb_tu_open(d->context, file, words, &tu, err);
    for (size_t i = 0; status == KS_OK && i < tu.tu.n_kernels; i++) {
        const struct ks_tu_kernel *k = &tu.tu.kernels[i];
        if (!verb_kernel_is(d->context->arena, k, kernel))
            continue;
        only = matched++ == 0 ? k : NULL;
        if (k->reason == KS_R_APPLIED)
            status = diff_kernel(d, &tu, k, err);
    }
    if (status == KS_OK && d->shown == 0 && d->variant != NULL && only != NULL)
        status = diff_attempt(d, &tu, only, err);
    if (status == KS_OK && matched == 0)
        status = verb_no_kernel(&tu, kernel, err);
    verb_tu_close(&tu);
    return status;
}

int verb_diff(struct ks_verb_context *context)
{
    struct diffing d = {.context = context, .reason = KS_R_APPLIED};
    const struct verb_option options[] = {{.name = "--variant=", .value = &d.variant}};
    const struct verb_syntax syntax = {
        .expects = "give one FILE.cu or FILE.cu:KERNEL, then -- and nvcc's options",
        .options = options, .n_options = 1, .least = 1, .most = 1, .nvcc = true};
    struct verb_words words;
    struct ks_err err = {0};
    const char *file, *kernel;
    int exit_code = verb_read_words(context, &syntax, &words);
    if (exit_code != EXIT_OK)
        return exit_code;
    if (d.variant != NULL && strlen(d.variant) < KS_VERB_PREFIX)
        return verb_usage(context, "--variant wants %d digits or more", KS_VERB_PREFIX);
    verb_split_target(context->arena, words.targets.at[0], &file, &kernel);
    d.rows = json_array();
    enum ks_status status = diff_file(&d, file, kernel, words.nvcc, &err);
    if (status != KS_OK) {
        json_decref(d.rows);
        return verb_fail(context, &err);
    }
    if (context->json) {
        json_t *report = ks_json_report("ks.diff");
        json_object_set_new(report, "kernels", d.rows);
        ks_json_print(report);
        return d.shown > 0 ? EXIT_OK : EXIT_NEGATIVE;
    }
    json_decref(d.rows);
    if (d.shown == 0 && d.variant == NULL && d.reason != KS_R_APPLIED)
        fprintf(stderr, "ks diff: %s: not used (%s): %s\n  %s\n", words.targets.at[0], ks_reason_name(d.reason), d.text,
                ks_reason_text(d.reason));
    else if (d.shown == 0)
        fprintf(stderr, "ks diff: no variant is stored for %s%s%s; `ks explain` says why\n",
                words.targets.at[0], d.variant != NULL ? " that begins with " : "",
                d.variant != NULL ? d.variant : "");
    return d.shown > 0 ? EXIT_OK : EXIT_NEGATIVE;
}
