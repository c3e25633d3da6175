// ks explain: what happens to the marked kernels of a TU, and why.
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "app/verb_decision.h"
#include "app/verb_device.h"
#include "app/verb_near.h"
#include "app/verb_remark.h"
#include "os/file.h"
#include "store/pending.h"

#define MOST_NEAR 3   // stored decisions that are told of in full
#define MOST_LINES 40 // of one difference

// One marked kernel of one architecture, decided as a build would.
struct explanation {
    const struct ks_tu_kernel *kernel;
    enum ks_reason reason;
    const char *text;
    char key[KS_HASH_TEXT]; // "" when it was not compiled
    struct ks_lookup lookup;
    struct verb_near_list near;
    const struct verb_remark *left_out; // of the kernel's variants, while others are taken
    size_t n_left_out;
};

static void decide(struct ks_verb_context *context, const struct verb_tu *tu,
                   const struct ks_tu_kernel *kernel, struct explanation *e)
{
    struct ks_config config = context->config;
    ks_project_apply(&tu->tu.project, &config);
    *e = (struct explanation){.kernel = kernel, .reason = kernel->reason,
                              .text = kernel->reason_text == NULL ? "" : kernel->reason_text};
    if (kernel->reason != KS_R_APPLIED)
        return;
    ks_digest_hex(&kernel->key, e->key);
    if (config.mode == KS_MODE_OFF) {
        e->reason = KS_R_MODE_OFF;
        return;
    }
    ks_store_lookup(context->arena, &tu->store, &context->config, &kernel->key, &e->lookup);
    e->reason = e->lookup.reason;
    e->text = e->lookup.text == NULL ? "" : e->lookup.text;
    if (e->reason == KS_R_APPLIED && tu->tu.mistakes.len > 0) {
        e->reason = KS_R_BAD_MARK;
        e->text = "another mark is wrong: until it is corrected builds leave the whole file as it stands";
    }
    if (e->reason != KS_R_PENDING)
        return;
    if (kernel->mark->mark->n_workloads == 0)
        e->text = "it has no workload line, and tuning needs one (docs/marks.md)";
    verb_near_find(context, tu, kernel, &e->near);
}

// The store has variants; whether this command takes them, its compile says. The k-th remark of a
// name is for the k-th kernel of that name: one an architecture.
static enum ks_status prove(struct ks_verb_context *context, const struct verb_tu *tu,
                            struct explanation *explanations, size_t n, struct ks_err *err)
{
    struct verb_remark_list remarks = {0};
    bool any = false;
    for (size_t i = 0; i < n; i++)
        any |= explanations[i].reason == KS_R_APPLIED;
    if (!any)
        return KS_OK;
    KS_TRY(verb_remarks(context, tu, &remarks, err));
    for (size_t i = 0; i < n; i++) {
        struct explanation *e = &explanations[i];
        const char *name = verb_kernel_name(e->kernel);
        size_t nth = 0;
        for (size_t k = 0; k < i; k++)
            nth += strcmp(verb_kernel_name(explanations[k].kernel), name) == 0;
        ks_vec_each(struct verb_remark, remark, &remarks) {
            if (remark->left_out != NULL || strcmp(remark->kernel, name) != 0 || nth-- > 0)
                continue;
            e->left_out = remark + 1;
            while (e->left_out + e->n_left_out < remarks.at + remarks.len &&
                   e->left_out[e->n_left_out].left_out != NULL)
                e->n_left_out++;
            if (e->reason == KS_R_APPLIED && remark->reason != KS_R_APPLIED) {
                e->reason = remark->reason;
                e->text = remark->text;
            }
            break;
        }
    }
    return KS_OK;
}

// Why a variant of a kernel that has others is not taken, or NULL.
static const struct verb_remark *left_out(const struct explanation *e, const char *id)
{
    for (size_t i = 0; i < e->n_left_out; i++)
        if (strcmp(e->left_out[i].left_out, id) == 0)
            return &e->left_out[i];
    return NULL;
}

// The best that is taken; where none is, the best that the store has.
static const struct ks_variant *best(const struct explanation *e)
{
    for (size_t i = 0; i < e->lookup.n_variants; i++)
        if (left_out(e, e->lookup.variants[i].variant.id) == NULL)
            return &e->lookup.variants[i].variant;
    return NULL;
}

static const char *near_name(const struct verb_near *near)
{
    static char name[64];
    if (near->variant == NULL)
        return "the decision that the original stays";
    snprintf(name, sizeof name, "variant %s", near->variant);
    return name;
}

static json_t *field_json(const struct verb_near *near, const struct verb_near_field *field)
{
    json_t *row = json_object();
    json_object_set_new(row, "variant", near->variant != NULL ? json_string(near->variant)
                                                              : json_null());
    json_object_set_new(row, "key", json_string(near->key));
    json_object_set_new(row, "arch", json_sprintf("sm_%d", near->arch));
    json_object_set_new(row, "field", json_string(field->name));
    json_object_set_new(row, "there", json_string(field->there));
    json_object_set_new(row, "here", json_string(field->here));
    json_object_set_new(row, "diff", field->diff != NULL ? json_string(field->diff) : json_null());
    return row;
}

static json_t *as_json(const struct explanation *e)
{
    const struct ks_tu_mark *mark = e->kernel->mark;
    const struct ks_variant *v = best(e);
    json_t *row = json_object(), *near = json_array(), *differences = json_array();
    json_t *out = json_array();
    for (size_t i = 0; i < e->n_left_out; i++)
        json_array_append_new(out, json_pack("{s:s,s:s,s:s}", "variant", e->left_out[i].left_out,
                                             "reason", ks_reason_name(e->left_out[i].reason),
                                             "text", e->left_out[i].text));
    ks_vec_each(struct verb_near, n, &e->near) {
        json_array_append_new(near, json_sprintf("%s is for another key: %s", near_name(n),
                                                 n->first));
        ks_vec_each(struct verb_near_field, field, &n->fields)
            json_array_append_new(differences, field_json(n, field));
    }
    json_object_set_new(row, "kernel", json_string(verb_kernel_name(e->kernel)));
    json_object_set_new(row, "file", json_string(mark->file->path));
    json_object_set_new(row, "line", json_integer(mark->decl->line));
    json_object_set_new(row, "key", e->key[0] != '\0' ? json_string(e->key) : json_null());
    json_object_set_new(row, "arch", json_sprintf("sm_%d", e->kernel->arch));
    json_object_set_new(row, "status",
                        json_string(e->reason == KS_R_APPLIED ? "substituted" : "original"));
    json_object_set_new(row, "reason", json_string(ks_reason_name(e->reason)));
    json_object_set_new(row, "text", json_string(e->text));
    json_object_set_new(row, "near", near);
    json_object_set_new(row, "differences", differences);
    json_object_set_new(row, "variant", v != NULL ? json_string(v->id) : json_null());
    json_object_set_new(row, "left_out", out);
    json_object_set_new(row, "evidence", v != NULL ? json_string(v->evidence.level) : json_null());
    return row;
}

static void print_lines(const char *text)
{
    size_t n = 0;
    for (; *text != '\0' && n < MOST_LINES; n++) {
        size_t len = strcspn(text, "\n");
        printf("      %.*s\n", (int)len, text);
        text += len + (text[len] == '\n');
    }
    if (*text != '\0')
        printf("      ... (--json has all)\n");
}

// "-" is what was judged, "+" what is here.
static void print_near(const struct verb_near_list *list)
{
    for (size_t i = 0; i < list->len && i < MOST_NEAR; i++) {
        const struct verb_near *near = &list->at[i];
        printf("  %s, sm_%d, is for another key; there (-) and here (+):\n", near_name(near),
               near->arch);
        ks_vec_each(struct verb_near_field, field, &near->fields) {
            bool ptx = strcmp(field->name, "ptx") == 0;
            printf("    %s\n", ptx ? "the kernel's code, as PTX" : field->name);
            if (field->diff != NULL)
                print_lines(field->diff);
            else
                printf("      it differs; how it was is not known here: a build of the old text by "
                       "ks-nvcc on this machine would tell\n");
            if (strcmp(field->name, "arch") == 0)
                break; // the code differs with it
        }
    }
    if (list->len > MOST_NEAR)
        printf("  and %zu more of this name (--json has all)\n", list->len - MOST_NEAR);
}

static void print(const struct explanation *e)
{
    const struct ks_tu_mark *mark = e->kernel->mark;
    char arch[24] = ""; // one that was not compiled has none
    if (e->kernel->arch > 0)
        snprintf(arch, sizeof arch, ", sm_%d", e->kernel->arch);
    printf("%s:%d: %s%s: %s\n  %s\n", mark->file->path, mark->decl->line,
           verb_kernel_name(e->kernel), arch, ks_reason_name(e->reason),
           ks_reason_text(e->reason));
    if (e->text[0] != '\0' && e->reason != KS_R_APPLIED)
        printf("  %s\n", e->text);
    for (size_t i = 0; i < e->lookup.n_variants; i++) {
        const struct ks_found *found = &e->lookup.variants[i];
        const struct verb_remark *out = left_out(e, found->variant.id);
        bool taken = e->reason == KS_R_APPLIED && out == NULL;
        printf("  variant %s%s: %.2fx, at least %.2fx on %s, %s, signed by %s\n  %s\n",
               found->variant.id, taken ? "" : ", left out", found->variant.geomean,
               found->variant.lower, found->variant.evidence.device, found->variant.evidence.level,
               found->signer, found->path);
        if (ks_evidence_notes(&found->variant.evidence, KS_NOTE_ASSERT))
            printf("  " KS_NOTE_ASSERT "\n");
        if (out != NULL)
            printf("    %s: %s%s%s\n", ks_reason_name(out->reason), ks_reason_text(out->reason),
                   out->text[0] != '\0' ? ": " : "", out->text);
    }
    print_near(&e->near);
    if (e->key[0] != '\0')
        printf("  key %s\n", e->key);
}

static enum ks_status explain_tu(struct ks_verb_context *context, const struct verb_tu *tu,
                                 const char *kernel, json_t *rows, struct ks_err *err)
{
    size_t n = tu->tu.n_kernels, matched = 0;
    struct explanation *all = KS_NEW_ARRAY(context->arena, struct explanation, n + 1);
    for (size_t i = 0; i < n; i++)
        decide(context, tu, &tu->tu.kernels[i], &all[i]);
    KS_TRY(prove(context, tu, all, n, err));
    for (size_t i = 0; i < n; i++) {
        if (!verb_kernel_is(context->arena, all[i].kernel, kernel))
            continue;
        matched++;
        if (context->json)
            json_array_append_new(rows, as_json(&all[i]));
        else
            print(&all[i]);
    }
    return matched > 0 ? KS_OK : verb_no_kernel(tu, kernel, err);
}

// *exit_code tells of marks that are wrong, also where it is another kernel's that was asked for.
static enum ks_status explain_file(struct ks_verb_context *context, const char *file,
                                   const char *kernel, const char *const *words, json_t *rows,
                                   int *exit_code, struct ks_err *err)
{
    struct verb_tu tu;
    const char *how = NULL;
    const char *const *used = words != NULL ? words : verb_known_words(context, &file, &how);
    enum ks_status status = verb_tu_open_partly(context, file, used, &tu, err);
    if (status == KS_OK)
        status = explain_tu(context, &tu, kernel, rows, err);
    if (status == KS_OK && !context->json) {
        if (tu.tu.project.ignored != NULL)
            printf("the project's file is not used: %s\n", tu.tu.project.ignored);
        if (how != NULL)
            printf("compiled %s; give the options of another compile behind --\n", how);
    }
    if (status == KS_OK)
        *exit_code = verb_tell_mistakes(context, &tu);
    verb_tu_close(&tu);
    return status;
}

// A kernel's name alone: some build left it pending, and with it the command that compiles it.
static enum ks_status explain_kernel(struct ks_verb_context *context, const char *kernel,
                                     json_t *rows, int *exit_code, struct ks_err *err)
{
    struct ks_pending *items = NULL;
    struct verb_decision_list list = {0};
    size_t n = 0;
    const char *name = ks_instance_normalise(context->arena, kernel);
    if (context->config.cache_dir != NULL)
        ks_pending_list(context->arena, &context->config, &items, &n, NULL);
    for (size_t i = n; i-- > 0;) // the latest
        if (verb_instance_of(items[i].kernel, name) && ks_file_exists(items[i].file) &&
            chdir(items[i].cwd) == 0)
            return explain_file(context, items[i].file, name, items[i].argv, rows,
                                exit_code, err);
    KS_TRY(verb_decisions_load(context, ".", &list, err));
    ks_vec_each(struct verb_decision, d, &list)
        if (strcmp(d->kernel, name) == 0)
            KS_FAIL(err, KS_E_USER, "%s: a decision is stored (`ks show %s`), but its file is not "
                    "known; give FILE.cu:%s", kernel, kernel, kernel);
    KS_FAIL(err, KS_E_USER, "%s: no such file, and no build left a kernel of that name pending; "
            "give FILE.cu or FILE.cu:KERNEL", kernel);
}

int verb_explain(struct ks_verb_context *context)
{
    const char *why = NULL, *device = NULL;
    const struct verb_option options[] = {{.name = "--why", .value = &why}, {.name = "--device=", .value = &device}};
    const struct verb_syntax syntax = {
        .expects = "give one FILE.cu, FILE.cu:KERNEL or KERNEL, then -- and nvcc's options",
        .options = options, .n_options = 2, .least = 1, .most = 1, .nvcc = true};
    struct verb_words words;
    struct ks_err err = {0};
    const char *file, *kernel;
    int exit_code = verb_read_words(context, &syntax, &words);
    if (exit_code == EXIT_OK)
        exit_code = verb_device_option(context, device);
    if (device != NULL && strcmp(device, "emu") == 0)
        context->config.accept = KS_ACCEPT_MODELLED;
    if (exit_code == EXIT_OK && why != NULL)
        return verb_why(context, words.targets.at[0], words.nvcc);
    if (exit_code != EXIT_OK)
        return exit_code;
    const char *target = words.targets.at[0];
    verb_split_target(context->arena, target, &file, &kernel);
    json_t *rows = json_array();
    bool name_alone = kernel == NULL && words.nvcc == NULL && !ks_file_exists(file) &&
                      strpbrk(target, "/.") == NULL;
    enum ks_status status =
        name_alone ? explain_kernel(context, target, rows, &exit_code, &err)
                   : explain_file(context, file, kernel, words.nvcc, rows, &exit_code, &err);
    if (status != KS_OK || !context->json) {
        json_decref(rows);
        return status != KS_OK ? verb_fail(context, &err) : exit_code;
    }
    json_t *report = ks_json_report("ks.explain");
    json_object_set_new(report, "kernels", rows);
    ks_json_print(report);
    return exit_code;
}
