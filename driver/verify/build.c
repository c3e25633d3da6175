// From proposals to candidates: the shadow compile, the static gate, and the proof that the original
// in it is the user's.
#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "os/file.h"
#include "verify/session.h"

#define CUBIN_MAX (256u << 20)
#define PTX_MAX (256u << 20)

static void fail(struct ks_candidate *c, enum ks_correctness failure, const char *text)
{
    c->failure = failure;
    snprintf(c->reason, sizeof c->reason, "%.500s", text);
}

// Appends [p, end) to out, absolute paths cut to their last part.
static void append_plain(struct ks_buf *out, const char *p, const char *end)
{
    for (bool word = true; p < end; p++) {
        if (word && *p == '/') {
            for (const char *q = p; q < end && !isspace((unsigned char)*q) && *q != '"'; q++)
                if (*q == '/')
                    p = q + 1;
            if (p >= end)
                break;
        }
        word = isspace((unsigned char)*p) || *p == '"' || *p == '(' || *p == '\'';
        ks_buf_putc(out, (unsigned char)*p < ' ' ? ' ' : *p);
    }
}

// Compiler text for a proposer: the first errors, each "line N: error: ...", with N counted in the
// proposal's source.
static void shorten(struct ks_slice text, char out[512])
{
    struct ks_buf buf = KS_BUF(4096);
    int lines = 0;
    const char *end = text.at + text.len;
    for (const char *p = text.at, *eol; p < end && lines < 4; p = eol + 1) {
        eol = memchr(p, '\n', (size_t)(end - p));
        if (eol == NULL)
            eol = end;
        const char *error = memmem(p, (size_t)(eol - p), "error:", 6);
        if (error == NULL)
            error = memmem(p, (size_t)(eol - p), "error   :", 9); // ptxas
        if (error == NULL)
            error = memmem(p, (size_t)(eol - p), "fatal", 5);
        if (error == NULL)
            continue;
        ks_buf_puts(&buf, lines++ > 0 ? "; " : "");
        const char *paren = memrchr(p, '(', (size_t)(error - p));
        if (paren != NULL && isdigit((unsigned char)paren[1]))
            ks_buf_printf(&buf, "line %d: ", atoi(paren + 1));
        append_plain(&buf, error, eol - error > 200 ? error + 200 : eol);
    }
    snprintf(out, 512, "%.500s", lines > 0 ? ks_buf_text(&buf)
                                           : "the compiler failed without an error line");
    ks_buf_free(&buf);
}

// Canonical PTX of one entry of the shadow.
static enum ks_status entry_text(struct ks_arena *arena, const struct ks_tu_compile *compile, int arch,
                                 const char *name, const struct ks_ptx_entry **entry,
                                 struct ks_err *err)
{
    struct ks_strv files = {0};
    KS_TRY(ks_dir_list(arena, compile->keep_dir, &files, err));
    for (size_t i = 0; i < files.len; i++) {
        if (!ks_ends_with(files.at[i], ".ptx"))
            continue;
        struct ks_slice text;
        struct ks_ptx_module module = {0};
        KS_TRY(ks_file_read(arena, ks_path_join(arena, compile->keep_dir, files.at[i]), PTX_MAX, &text,
                            err));
        KS_TRY(ks_ptx_read(arena, text, &module, err));
        *entry = module.arch == arch ? ks_ptx_find(&module, name) : NULL;
        if (*entry != NULL)
            return KS_OK;
    }
    KS_FAIL(err, KS_E_ABSENT, "no PTX of %s", name);
}

static enum ks_status gate(struct ks_judge *judge, const struct ks_tu_compile *compile,
                           struct ks_candidate *c, struct ks_err *err)
{
    const struct ks_mark *mark = judge->kernel->mark->mark;
    struct ks_gate rules = {.relaxed = mark->fastmath || mark->tolerance.kind == KS_TOL_ULP ||
                                       mark->tolerance.kind == KS_TOL_REL};
    for (size_t i = 0; i < c->n && ks_judge_defends(judge, KS_D_STATIC_GATE); i++) {
        const struct ks_ptx_entry *entry;
        char reason[256];
        KS_TRY(entry_text(judge->arena, compile, judge->kernel->arch, c->names[i], &entry, err));
        if (entry->ineligible != KS_R_APPLIED) {
            c->failure = KS_C_STATIC;
            snprintf(c->reason, sizeof c->reason, "the candidate contains %s: %s",
                     entry->ineligible_text, ks_reason_text(entry->ineligible));
            return KS_OK;
        }
        if (!ks_gate_ptx(&rules, judge->original_ptx, entry->canonical, reason)) {
            fail(c, KS_C_STATIC, reason);
            return KS_OK;
        }
    }
    return KS_OK;
}

// The original inside the shadow's cubin must be the machine code of the plain build.
static enum ks_status same_original(struct ks_judge *judge, struct ks_slice cubin, bool *same,
                                    struct ks_err *err)
{
    struct ks_digest plain, shadow;
    const char *name = judge->kernel->signature->registered;
    KS_TRY(ks_cubin_entry_digest(judge->original_cubin, name, &plain, err));
    KS_TRY(ks_cubin_entry_digest(cubin, name, &shadow, err));
    *same = ks_digest_eq(&plain, &shadow);
    return KS_OK;
}

static struct ks_substitution substitution(struct ks_judge *judge, const struct ks_candidate *c)
{
    const struct ks_tu_mark *mark = judge->kernel->mark;
    return (struct ks_substitution){.signature = judge->kernel->signature, .decl = mark->decl,
                                    .file = mark->file->path, .in_tu = mark->in_tu,
                                    .proposal = c->proposal, .key = "", .id = c->id,
                                    .arch = judge->kernel->arch, .provenance = ""};
}

static enum ks_status read_built(struct ks_judge *judge, const struct ks_tu_compile *compile,
                                 struct ks_candidate *c, struct ks_err *err)
{
    struct ks_substitution sub = substitution(judge, c);
    struct ks_tu_built built = {0};
    struct ks_err local = {0};
    enum ks_status status = ks_tu_built_read(judge->arena, judge->tu, compile, &sub, &built, &local);
    if (status == KS_E_ABSENT) {
        fail(c, KS_C_COMPILE, local.text); // compiled away, or hidden from this architecture
        return KS_OK;
    }
    if (status != KS_OK)
        return ks_err_set(err, status, "%s", local.text);
    c->names = built.names;
    c->ptx = built.ptx;
    c->sass = built.sass;
    c->n = built.n;
    struct ks_slice cubin;
    KS_TRY(ks_file_read(judge->arena, built.cubin, CUBIN_MAX, &cubin, err));
    bool same;
    KS_TRY(same_original(judge, cubin, &same, err));
    if (!same && ks_judge_defends(judge, KS_D_IDENTITY)) {
        fail(c, KS_C_STATIC, "the original's machine code changes beside the candidate");
        return KS_OK;
    }
    const char *which = "";
    if (ks_judge_defends(judge, KS_D_IDENTITY) &&
        ks_tu_originals_unchanged(judge->arena, judge->tu, compile, &which) != KS_R_APPLIED) {
        c->failure = KS_C_STATIC;
        snprintf(c->reason, sizeof c->reason, "kernel %s changes beside the candidate", which);
        return KS_OK;
    }
    return gate(judge, compile, c, err);
}

// What the workers load: one image for all candidates of a compile that may run.
static enum ks_status read_image(struct ks_judge *judge, const struct ks_tu_compile *compile,
                                 struct ks_candidate *const *candidates, size_t n,
                                 struct ks_err *err)
{
    struct ks_strv names = {0};
    struct ks_slice image;
    const char *path;
    ks_strv_add(judge->arena, &names, judge->kernel->signature->registered);
    for (size_t i = 0; i < n; i++)
        if (candidates[i]->failure == KS_C_CORRECT)
            ks_strv_add(judge->arena, &names,
                        ks_shadow_namespace(judge->arena, candidates[i]->id,
                                            judge->kernel->mark->decl));
    if (names.len == 1)
        return KS_OK;
    KS_TRY(ks_tu_image(judge->arena, judge->tu, compile, judge->kernel->arch, names.at, &path, err));
    KS_TRY(ks_file_read(judge->arena, path, CUBIN_MAX, &image, err));
    for (size_t i = 0; i < n; i++)
        candidates[i]->cubin = image;
    return KS_OK;
}

// One shadow with the given candidates. False in *compiled when nvcc refused it.
static enum ks_status compile_together(struct ks_judge *judge, struct ks_candidate *const *candidates,
                                       size_t n, bool *compiled, struct ks_err *err)
{
    struct ks_arena *arena = judge->arena;
    struct ks_substitution *subs = KS_NEW_ARRAY(arena, struct ks_substitution, n);
    for (size_t i = 0; i < n; i++)
        subs[i] = substitution(judge, candidates[i]);
    const char *keep = ks_arena_printf(arena, "%s/candidate-%d", judge->options.work_dir, judge->built++);
    KS_TRY(ks_dir_make(keep, err));
    struct ks_tu_compile compile = {.quiet = true};
    const char *shadow_path;
    struct ks_err local = {0};
    enum ks_status status = ks_tu_compile_shadow(
        arena, judge->tu, subs, n, false, judge->options.shadow_root, keep,
        ks_path_join(arena, keep, "shadow.o"), ks_path_join(arena, keep, "shadow.d"), &compile,
        &shadow_path, &local);
    if (status == KS_E_UNSUPPORTED && n == 1) {
        *compiled = false;
        fail(candidates[0], KS_C_UNSUPPORTED, local.text);
        return KS_OK;
    }
    if (status != KS_OK)
        return ks_err_set(err, status, "%s", local.text);
    *compiled = compile.exit_code == 0;
    if (!*compiled && n == 1) {
        char text[512];
        shorten(compile.err.len > 0 ? compile.err : compile.out, text);
        fail(candidates[0], KS_C_COMPILE, text);
    }
    for (size_t i = 0; *compiled && i < n; i++)
        KS_TRY(read_built(judge, &compile, candidates[i], err));
    return *compiled ? read_image(judge, &compile, candidates, n, err) : KS_OK;
}

// An earlier candidate of the same content: their names would clash in one shadow.
static const struct ks_candidate *twin_of(struct ks_candidate *const *candidates, size_t i)
{
    for (size_t k = 0; k < i; k++)
        if (strcmp(candidates[k]->id, candidates[i]->id) == 0)
            return candidates[k];
    return NULL;
}

enum ks_status ks_judge_build(struct ks_judge *judge, struct ks_proposal *const *proposals, size_t n,
                              struct ks_candidate **candidates, struct ks_err *err)
{
    struct ks_candidate **ready = KS_NEW_ARRAY(judge->arena, struct ks_candidate *, n);
    size_t n_ready = 0;
    for (size_t i = 0; i < n; i++) {
        struct ks_candidate *c = candidates[i] = KS_NEW(judge->arena, struct ks_candidate);
        struct ks_err local = {0};
        c->proposal = proposals[i];
        c->failure = KS_C_CORRECT;
        c->id = ks_proposal_id(judge->arena, proposals[i]);
        enum ks_status status =
            ks_proposal_check(judge->arena, proposals[i], judge->kernel->signature, &local);
        if (status == KS_E_USER || status == KS_E_LIMIT || status == KS_E_UNSUPPORTED)
            fail(c, KS_C_STATIC, local.text);
        else if (status != KS_OK)
            return ks_err_set(err, status, "%s", local.text);
        else if (twin_of(candidates, i) == NULL)
            ready[n_ready++] = c;
    }
    bool compiled = true;
    if (n_ready > 0)
        KS_TRY(compile_together(judge, ready, n_ready, &compiled, err));
    // One of several is at fault: each alone tells which.
    for (size_t i = 0; !compiled && n_ready > 1 && i < n_ready; i++) {
        bool alone;
        KS_TRY(compile_together(judge, &ready[i], 1, &alone, err));
    }
    for (size_t i = 0; i < n; i++) {
        const struct ks_candidate *twin = twin_of(candidates, i);
        if (twin != NULL && candidates[i]->failure == KS_C_CORRECT) {
            struct ks_proposal *own = candidates[i]->proposal;
            *candidates[i] = *twin;
            candidates[i]->proposal = own;
        }
    }
    return KS_OK;
}
