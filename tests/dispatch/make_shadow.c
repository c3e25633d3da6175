// make_shadow TU STUB VARIANTS OUT HOOK: writes the shadow of a unit for the dispatch tests, and
// prints the nvcc arguments it needs, one a line. VARIANTS is a YAML list; besides a proposal's
// keys an item says `instance:` (a pattern for what the stub demangles to), `overload:` (which of
// several that match, from 1, in the text's order), `arch:`, `domain:` and, for a kernel of an
// included file, `file:`.
#include <fnmatch.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "os/file.h"
#include "source/dispatch.h"

static void must(enum ks_status status, const struct ks_err *err)
{
    if (status == KS_OK)
        return;
    fprintf(stderr, "make_shadow: %s\n", err->text);
    exit(1);
}

static struct ks_slice load(struct ks_arena *arena, const char *path)
{
    struct ks_err err = {0};
    struct ks_slice text;
    must(ks_file_read(arena, path, 16 << 20, &text, &err), &err);
    return text;
}

static void bind(struct ks_arena *arena, const char *tu, const char *file,
                 const struct ks_signature_list *signatures, const char *instance, int overload,
                 struct ks_substitution *sub)
{
    struct ks_err err = {0};
    struct ks_kernel_list *kernels = KS_NEW(arena, struct ks_kernel_list);
    must(ks_kernels_find(arena, file, load(arena, file), kernels, &err), &err);
    ks_vec_each(const struct ks_kernel_decl, d, kernels) {
        ks_vec_each(const struct ks_signature, s, signatures) {
            if (fnmatch(instance, s->instance, 0) == 0 && ks_signature_matches(s, d) &&
                --overload == 0) {
                sub->signature = s;
                sub->decl = d;
                sub->file = file;
                sub->in_tu = strcmp(tu, file) == 0;
                return;
            }
        }
    }
    fprintf(stderr, "make_shadow: no kernel %s in %s; the stub has", instance, file);
    ks_vec_each(const struct ks_signature, s, signatures)
        fprintf(stderr, " %s", s->instance);
    fprintf(stderr, "\n");
    exit(1);
}

int main(int argc, char **argv)
{
    if (argc != 6) {
        fprintf(stderr, "usage: make_shadow TU STUB VARIANTS OUT HOOK\n");
        return 2;
    }
    const char *tu = argv[1], *out_path = argv[4];
    struct ks_arena a = {0};
    struct ks_err err = {0};
    struct ks_slice text = load(&a, tu);
    struct ks_signature_list signatures = {0};
    must(ks_signatures_read(&a, load(&a, argv[2]), &signatures, &err), &err);
    struct ks_yaml *list;
    must(ks_yaml_parse(&a, argv[3], load(&a, argv[3]), &list, &err), &err);

    struct ks_substitution *subs = KS_NEW_ARRAY(&a, struct ks_substitution, list->len);
    for (size_t i = 0; i < list->len; i++) {
        const struct ks_yaml *item = &list->items[i];
        struct ks_proposal *proposal = KS_NEW(&a, struct ks_proposal);
        bind(&a, tu, ks_yaml_text(item, "file", tu), &signatures,
             ks_yaml_text(item, "instance", ""),
             atoi(ks_yaml_text(item, "overload", "1")), &subs[i]);
        must(ks_proposal_read(&a, argv[3], item, proposal, &err), &err);
        must(ks_proposal_check(&a, proposal, subs[i].signature, &err), &err);
        const char *domain = ks_yaml_text(item, "domain", NULL);
        struct ks_expr *expr = NULL;
        if (domain != NULL)
            must(ks_expr_parse(&a, argv[3], ks_slice_of(domain), &expr, &err), &err);
        subs[i].domain = expr;
        subs[i].proposal = proposal;
        subs[i].id = ks_proposal_id(&a, proposal);
        subs[i].key = "";
        subs[i].arch = atoi(ks_yaml_text(item, "arch", "90"));
        subs[i].provenance = ks_arena_printf(&a, "note for %s", subs[i].signature->instance);
    }
    struct ks_shadow_request request = {.tu_token = tu, .text = text, .subs = subs,
                                        .n_subs = list->len, .dispatch = true};
    struct ks_buf out = KS_BUF(64 << 20);
    must(ks_shadow_text(&a, &request, &out, &err), &err);
    must(ks_file_write(out_path, out.data, out.len, false, 0, &err), &err);
    struct ks_strv args = {0};
    must(ks_shadow_arguments(&a, tu, argv[5], true, &args, &err), &err);
    for (size_t i = 0; i < args.len; i++)
        puts(args.at[i]);
    ks_buf_free(&out);
    ks_arena_free(&a);
    return 0;
}
