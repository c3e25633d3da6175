// What a compile leaves behind besides its object: remarks when asked for, pending kernels, counters.
#include "app/consume.h"

#include <stdio.h>
#include <string.h>

#include "base/log.h"
#include "os/file.h"
#include "store/pending.h"
#include "store/ptx_text.h"
#include "store/tally.h"

// The instance, or the declaration's name for a kernel that was not compiled.
static const char *name_of(const struct consume_kernel *kernel)
{
    return kernel->signature != NULL ? kernel->signature->instance : kernel->mark->decl->qualified;
}

static void remark(const struct consume_kernel *kernel, enum ks_reason reason, const char *text,
                   const struct ks_found *found)
{
    const char *name = name_of(kernel);
    fprintf(stderr, "%s:%d: remark: ", kernel->mark->file->path, kernel->mark->decl->line);
    if (reason == KS_R_APPLIED && found != NULL)
        fprintf(stderr, "%s: variant %s for sm_%d (%.2fx, at least %.2fx on %s) [ks:applied]\n",
                name, found->variant.id, kernel->arch, found->variant.geomean,
                found->variant.lower, found->variant.evidence.device); // which says what was modelled
    else
        fprintf(stderr, "%s: %s%s%.*s [ks:%s]\n", name, ks_reason_text(reason),
                text[0] != '\0' ? ": " : "", (int)strcspn(text, "\n"), text,
                ks_reason_name(reason)); // of a compiler's words the first line
}

// Where a kernel loses its last variant its own remark says why.
static void remark_left_out(const struct consume *c, const struct consume_kernel *kernel)
{
    ks_vec_each (struct consume_left_out, out, &c->left_out) {
        if (out->kernel != kernel)
            continue;
        const char *text = strcmp(out->text, out->id) == 0 ? "" : out->text;
        fprintf(stderr, "%s:%d: remark: %s: variant %s is left out: %s%s%.*s [ks:%s]\n",
                kernel->mark->file->path, kernel->mark->decl->line, name_of(kernel), out->id,
                ks_reason_text(out->reason), text[0] != '\0' ? ": " : "",
                (int)strcspn(text, "\n"), text, ks_reason_name(out->reason));
    }
}

static void add_pending(struct consume *c, const struct consume_kernel *kernel)
{
    struct ks_pending item = {.key = kernel->key, .kernel = kernel->signature->instance,
                              .symbol = kernel->signature->registered,
                              .file = ks_path_absolute(c->arena, c->tu.path),
                              .cwd = ks_path_absolute(c->arena, "."),
                              .argv = consume_words(c), .arch = kernel->arch};
    ks_pending_add(c->config, &item, NULL);
}

// What a build is, for its counters: the nearest folder above the object that a build tool made its
// own, else the current folder; or whatever KS_BUILD_ID says.
static const char *build_of(const struct consume *c, const char *object)
{
    static const char *const signs[] = {"CMakeCache.txt", "build.ninja", "config.status", NULL};
    if (c->config->build != NULL)
        return c->config->build;
    const char *dir = ks_path_real(c->arena, ks_path_dir(c->arena, object));
    for (; dir != NULL; dir = ks_path_dir(c->arena, dir)) {
        for (size_t i = 0; signs[i] != NULL; i++)
            if (ks_file_exists(ks_path_join(c->arena, dir, signs[i])))
                return dir;
        if (strcmp(dir, "/") == 0)
            break;
    }
    const char *here = ks_path_real(c->arena, ".");
    return here != NULL ? here : "?";
}

// Where the build looks for what came of it, and the name of this unit's rows.
static const char *made_of(const struct consume *c, const char **row)
{
    const char *made = c->part != NULL ? c->part->program : c->object;
    made = made != NULL ? ks_path_absolute(c->arena, made) : "";
    *row = made;
    if (c->part != NULL && !c->part->alone && made[0] != '\0')
        *row = ks_arena_printf(c->arena, "%s (%s)", made, c->tu.path);
    return made;
}

static void tally(struct consume *c)
{
    static const struct ks_digest none; // of a mark that is wrong
    struct ks_tally_kernel *rows = KS_NEW_ARRAY(c->arena, struct ks_tally_kernel, c->n_kernels + 1);
    const char *object, *made = made_of(c, &object);
    for (size_t i = 0; i < c->n_kernels; i++) {
        const struct consume_kernel *kernel = &c->kernels[i];
        rows[i] = (struct ks_tally_kernel){
            .reason = kernel->reason, .text = kernel->text, .kernel = name_of(kernel),
            .file = ks_path_absolute(c->arena, kernel->mark->file->path),
            .line = kernel->mark->decl->line, .arch = kernel->arch};
        if (kernel->signature != NULL && !ks_digest_eq(&kernel->key, &none))
            ks_digest_hex(&kernel->key, rows[i].key);
    }
    ks_tally_add(c->config, build_of(c, made), object, rows, c->n_kernels);
}

// A mark that only the compiler's types show to be wrong is told like one that does not parse.
static void warn_of_mark(const struct consume *c, size_t at)
{
    const struct consume_kernel *kernel = &c->kernels[at];
    if (c->config->mode == KS_MODE_STRICT || c->config->remarks_missed ||
        (kernel->reason != KS_R_BAD_MARK && kernel->reason != KS_R_UNKNOWN_TYPE))
        return;
    for (size_t i = 0; i < at; i++) // an instance or architecture each
        if (c->kernels[i].reason == kernel->reason && strcmp(c->kernels[i].text, kernel->text) == 0)
            return;
    ks_warn("%s; compiled as it stands", kernel->text);
}

// So that `ks explain` can show what has changed when the kernel has.
static void keep_ptx(const struct consume *c)
{
    for (size_t i = 0; i < c->tu.n_kernels; i++)
        if (c->tu.kernels[i].key_text != NULL)
            ks_ptx_text_keep(c->config, &c->tu.kernels[i].ptx->digest,
                             c->tu.kernels[i].ptx->canonical);
}

void consume_report(struct consume *c)
{
    keep_ptx(c);
    for (size_t i = 0; i < c->n_kernels; i++) {
        struct consume_kernel *kernel = &c->kernels[i];
        bool applied = kernel->reason == KS_R_APPLIED;
        if (applied ? c->config->remarks_applied : c->config->remarks_missed)
            remark(kernel, kernel->reason, kernel->text == NULL ? "" : kernel->text, kernel->found);
        if (applied && c->config->remarks_missed)
            remark_left_out(c, kernel);
        warn_of_mark(c, i);
        if (consume_undecided(kernel) && !c->config->readonly && c->config->cache_dir != NULL)
            add_pending(c, kernel);
    }
    if (!c->config->readonly && c->config->cache_dir != NULL)
        tally(c);
}

void consume_report_mark(struct consume *c, const char *complaint)
{
    const struct ks_tally_kernel row = {.reason = KS_R_BAD_MARK, .text = complaint, .kernel = "?",
                                        .file = ks_path_absolute(c->arena, c->tu.path)};
    const char *object, *made = made_of(c, &object);
    if (!c->config->readonly && c->config->cache_dir != NULL)
        ks_tally_add(c->config, build_of(c, made), object, &row, 1);
}

static bool same_complaint(const struct consume_kernel *a, const struct consume_kernel *b)
{
    return a->mark == b->mark && a->reason == b->reason && strcmp(name_of(a), name_of(b)) == 0 &&
           strcmp(a->text, b->text) == 0;
}

// " for sm_80, sm_90": of a kernel's complaints that are alike, all that it has; "" behind the first.
// One that was not compiled has no architecture.
static bool first_of_kernel(const struct consume *c, size_t at, struct ks_buf *archs)
{
    for (size_t i = 0; i < at; i++)
        if (same_complaint(&c->kernels[i], &c->kernels[at]))
            return false;
    for (size_t i = at; i < c->n_kernels; i++)
        if (c->kernels[i].arch > 0 && same_complaint(&c->kernels[i], &c->kernels[at]))
            ks_buf_printf(archs, "%s sm_%d", archs->len == 0 ? " for" : ",", c->kernels[i].arch);
    return true;
}

static void complain(const struct consume_kernel *kernel, const char *archs)
{
    const char *text = kernel->text;
    fprintf(stderr, "%s:%d: error: ks strict: `%s` has no decision%s: %s%s%.*s%s\n",
            kernel->mark->file->path, kernel->mark->decl->line, name_of(kernel), archs,
            ks_reason_text(kernel->reason), text[0] != '\0' ? " (" : "", (int)strcspn(text, "\n"),
            text, text[0] != '\0' ? ")" : "");
}

bool consume_strict_fails(const struct consume *c)
{
    bool fails = false;
    for (size_t i = 0; i < c->n_kernels; i++)
        if (c->kernels[i].text == NULL)
            c->kernels[i].text = "";
    for (size_t i = 0; i < c->n_kernels; i++) {
        const struct consume_kernel *kernel = &c->kernels[i];
        struct ks_buf archs = KS_BUF(1 << 12);
        if (kernel->reason == KS_R_APPLIED || kernel->reason == KS_R_ORIGINAL_WINS ||
            kernel->reason == KS_R_MODE_OFF)
            continue;
        fails = true;
        if (first_of_kernel(c, i, &archs))
            complain(kernel, ks_buf_text(&archs));
        ks_buf_free(&archs);
    }
    return fails;
}
