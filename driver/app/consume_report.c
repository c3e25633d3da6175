// What a compile leaves behind besides its object: remarks when asked for, pending kernels, counters.
#include "app/consume.h"

#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "os/file.h"
#include "store/pending.h"

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
                found->variant.lower, found->variant.evidence.device);
    else
        fprintf(stderr, "%s: %s%s%.*s [ks:%s]\n", name, ks_reason_text(reason),
                text[0] != '\0' ? ": " : "", (int)strcspn(text, "\n"), text,
                ks_reason_name(reason)); // of a compiler's words the first line
}

static void add_pending(struct consume *c, const struct consume_kernel *kernel)
{
    struct ks_pending item = {.key = kernel->key, .kernel = kernel->signature->instance,
                              .file = ks_path_absolute(c->arena, c->tu.path),
                              .cwd = ks_path_absolute(c->arena, "."),
                              .argv = c->cmd->argv + 1, .arch = kernel->arch};
    ks_pending_add(c->config, &item, NULL);
}

void consume_report(struct consume *c)
{
    for (size_t i = 0; i < c->n_kernels; i++) {
        struct consume_kernel *kernel = &c->kernels[i];
        const struct ks_found *found =
            kernel->lookup.n_variants > 0 ? &kernel->lookup.variants[0] : NULL;
        bool applied = kernel->reason == KS_R_APPLIED;
        if (applied ? c->config->remarks_applied : c->config->remarks_missed)
            remark(kernel, kernel->reason, kernel->text == NULL ? "" : kernel->text, found);
        if (c->config->readonly || c->config->cache_dir == NULL)
            continue;
        if (kernel->reason == KS_R_PENDING)
            add_pending(c, kernel);
        ks_outcome_log(c->config, kernel->reason, &kernel->key,
                       name_of(kernel), c->tu.path);
    }
}

bool consume_strict_fails(const struct consume *c)
{
    bool fails = false;
    for (size_t i = 0; i < c->n_kernels; i++) {
        const struct consume_kernel *kernel = &c->kernels[i];
        if (kernel->reason == KS_R_APPLIED || kernel->reason == KS_R_ORIGINAL_WINS ||
            kernel->reason == KS_R_MODE_OFF)
            continue;
        char arch[24] = ""; // one that was not compiled has none
        if (kernel->arch > 0)
            snprintf(arch, sizeof arch, " for sm_%d", kernel->arch);
        fprintf(stderr, "%s:%d: error: ks strict: `%s` has no decision%s: %s\n",
                kernel->mark->file->path, kernel->mark->decl->line, name_of(kernel), arch,
                ks_reason_text(kernel->reason));
        fails = true;
    }
    return fails;
}
