// What a shadow compile left under --keep, held against what was judged and against the plain compile.
#include <string.h>

#include "key/tu_modules.h"
#include "os/file.h"

#define PTX_MAX (256u << 20)
#define CUBIN_MAX (256u << 20)

enum ks_status ks_tu_modules_read(struct ks_arena *arena, const char *dir, const struct ks_strv *names,
                                  enum ks_ptx_place place, struct ks_ptx_modules *modules, struct ks_err *err)
{
    for (size_t i = 0; i < names->len; i++) {
        if (!ks_ends_with(names->at[i], ".ptx"))
            continue;
        struct ks_slice text;
        struct ks_arena scratch = {0}; // megabytes that need not wait beside the next compile
        enum ks_status status = ks_file_read(&scratch, ks_path_join(arena, dir, names->at[i]), PTX_MAX, &text, err);
        if (status == KS_OK && place == KS_PTX_PROMOTED)
            text = ks_ptx_promoted(&scratch, text);
        if (status == KS_OK)
            status = ks_ptx_read(arena, text, ks_vec_push(arena, modules), err);
        ks_arena_free(&scratch);
        KS_TRY(status);
    }
    return KS_OK;
}

// Registered name of a proposal's kernel: the entry that demangles to ...::ks_<id>::(anonymous
// namespace)::<name>(...).
static const struct ks_ptx_entry *find_built(struct ks_arena *arena,
                                             const struct ks_ptx_module *module,
                                             const char *name_space, const char *name)
{
    for (size_t i = 0; i < module->n_entries; i++) {
        if (strstr(module->entries[i].name, name_space) == NULL)
            continue;
        const char *text = ks_demangle(arena, module->entries[i].name);
        const char *at = strstr(text, name_space);
        if (at == NULL || at[strlen(name_space)] != ':')
            continue;
        size_t head = strcspn(at, "(");
        // "(anonymous namespace)" stands before the name: the last component before its "(".
        const char *last = strstr(at, "(anonymous namespace)::");
        if (last != NULL) {
            last += strlen("(anonymous namespace)::");
        } else {
            last = at + head;
            while (last > at && last[-1] != ':')
                last--;
        }
        size_t n = strcspn(last, "(<");
        if (n == strlen(name) && strncmp(last, name, n) == 0)
            return &module->entries[i];
    }
    return NULL;
}

enum ks_status ks_tu_built_read(struct ks_arena *arena, const struct ks_tu *tu,
                                const struct ks_tu_compile *compile,
                                const struct ks_substitution *sub, struct ks_tu_built *built,
                                struct ks_err *err)
{
    (void)tu;
    struct ks_strv names = {0};
    KS_TRY(ks_dir_list(arena, compile->keep_dir, &names, err));
    struct ks_ptx_modules modules = {0};
    KS_TRY(ks_tu_modules_read(arena, compile->keep_dir, &names, KS_PTX_AS_IS, &modules, err));
    const struct ks_ptx_module *module = ks_ptx_of_arch(modules.at, modules.len, sub->arch);
    built->cubin = ks_tu_cubin_among(arena, compile, &names, sub->arch);
    if (module == NULL || built->cubin == NULL)
        return ks_err_set(err, KS_E_ABSENT, "no code for sm_%d in the shadow", sub->arch);
    struct ks_slice cubin;
    KS_TRY(ks_file_read(arena, built->cubin, CUBIN_MAX, &cubin, err));
    const struct ks_kernel_list *kernels = &sub->proposal->kernels;
    built->n = kernels->len;
    built->names = KS_NEW_ARRAY(arena, const char *, built->n);
    built->ptx = KS_NEW_ARRAY(arena, struct ks_digest, built->n);
    built->sass = KS_NEW_ARRAY(arena, struct ks_digest, built->n);
    const char *name_space = ks_shadow_namespace(arena, sub->id, sub->decl);
    for (size_t i = 0; i < built->n; i++) {
        const struct ks_ptx_entry *entry =
            find_built(arena, module, name_space, kernels->at[i].name);
        if (entry == NULL)
            return ks_err_set(err, KS_E_ABSENT, "variant kernel `%s` was not compiled for sm_%d",
                              kernels->at[i].name, sub->arch);
        built->names[i] = entry->name;
        built->ptx[i] = entry->digest;
        KS_TRY(ks_cubin_entry_digest(cubin, entry->name, &built->sass[i], err));
    }
    return KS_OK;
}

// Whether the entry is what was judged, with its shared arrays declared elsewhere: in it where nothing else uses them,
// beside it where another variant or kernel does.
static enum ks_status same_but_for_arrays(struct ks_arena *arena, struct ks_slice text, const char *name,
                                          const struct ks_digest *judged, bool *same, struct ks_err *err)
{
    struct ks_arena scratch = {0};
    struct ks_slice texts[] = {ks_ptx_promoted(&scratch, text), ks_ptx_demoted(&scratch, text, name)};
    enum ks_status status = KS_OK;
    for (size_t i = 0; status == KS_OK && !*same && i < sizeof texts / sizeof *texts; i++) {
        struct ks_ptx_module module = {0};
        status = texts[i].at != text.at ? ks_ptx_read(arena, texts[i], &module, err) : KS_OK;
        const struct ks_ptx_entry *entry = ks_ptx_find(&module, name);
        *same = entry != NULL && ks_digest_eq(&entry->digest, judged);
    }
    ks_arena_free(&scratch);
    return status;
}

enum ks_status ks_tu_built_same(struct ks_arena *arena, const struct ks_tu_compile *compile,
                                const struct ks_tu_built *built, const struct ks_digest *ptx,
                                const struct ks_digest *sass, bool *same, struct ks_err *err)
{
    *same = true;
    for (size_t k = 0; *same && k < built->n; k++) {
        struct ks_strv names = {0};
        struct ks_slice text;
        *same = ks_digest_eq(&built->sass[k], &sass[k]);
        if (!*same || ks_digest_eq(&built->ptx[k], &ptx[k]))
            continue;
        *same = false;
        KS_TRY(ks_dir_list(arena, compile->keep_dir, &names, err));
        for (size_t i = 0; !*same && i < names.len; i++) {
            if (!ks_ends_with(names.at[i], ".ptx"))
                continue;
            KS_TRY(ks_file_read(arena, ks_path_join(arena, compile->keep_dir, names.at[i]), PTX_MAX, &text, err));
            KS_TRY(same_but_for_arrays(arena, text, built->names[k], &ptx[k], same, err));
        }
    }
    return KS_OK;
}

// Cubin by cubin: the shadow has the user's base name, so what nvcc keeps has the same names.
static enum ks_reason same_machine_code(struct ks_arena *arena, const struct ks_tu *tu,
                                        const struct ks_tu_compile *shadow, const char **which)
{
    struct ks_strv names = {0};
    *which = "what the plain compile kept is gone";
    if (ks_dir_list(arena, tu->plain_dir, &names, NULL) != KS_OK)
        return KS_R_INTERNAL;
    for (size_t i = 0; i < names.len; i++) {
        struct ks_slice was, is, changed;
        if (!ks_ends_with(names.at[i], ".cubin"))
            continue;
        *which = names.at[i];
        if (ks_file_read(arena, ks_path_join(arena, tu->plain_dir, names.at[i]), CUBIN_MAX, &was,
                         NULL) != KS_OK ||
            ks_file_read(arena, ks_path_join(arena, shadow->keep_dir, names.at[i]), CUBIN_MAX, &is,
                         NULL) != KS_OK ||
            ks_cubin_holds_functions(is, was, &changed, NULL) != KS_OK)
            return KS_R_INTERNAL;
        if (changed.len > 0) {
            *which = ks_arena_strndup(arena, changed.at, changed.len);
            return KS_R_SHADOW_CHANGED_ORIGINAL;
        }
    }
    *which = "";
    return KS_R_APPLIED;
}

// Whether every kernel of `was` is in `now`; else *which names one that is not.
static bool same_entries(const struct ks_ptx_module *was, size_t n_was, const struct ks_ptx_modules *now,
                         const char **which)
{
    for (size_t m = 0; m < n_was; m++) {
        const struct ks_ptx_module *module = NULL;
        ks_vec_each(struct ks_ptx_module, candidate, now)
            if (strcmp(candidate->target, was[m].target) == 0)
                module = candidate;
        for (size_t e = 0; e < was[m].n_entries; e++) {
            const struct ks_ptx_entry *before = &was[m].entries[e];
            // Anonymous namespaces and rdc statics carry a hash of the path: compare by digest set.
            const struct ks_ptx_entry *after = module == NULL ? NULL : ks_ptx_find(module, before->name);
            bool same = after != NULL && ks_digest_eq(&after->digest, &before->digest);
            for (size_t i = 0; module != NULL && !same && after == NULL && i < module->n_entries; i++)
                same = ks_digest_eq(&module->entries[i].digest, &before->digest);
            if (!same) {
                *which = before->name;
                return false;
            }
        }
    }
    return true;
}

// The same where shared arrays of functions stand alike in both: such an array is declared in the kernel that alone
// uses it, and beside the kernels once a candidate calls the function as well.
static bool same_promoted(struct ks_arena *arena, const struct ks_tu *tu, const struct ks_tu_compile *shadow,
                          const struct ks_strv *shadow_names, const char **which)
{
    struct ks_strv names = {0};
    struct ks_ptx_modules was = {0}, is = {0};
    return ks_dir_list(arena, tu->plain_dir, &names, NULL) == KS_OK &&
           ks_tu_modules_read(arena, tu->plain_dir, &names, KS_PTX_PROMOTED, &was, NULL) == KS_OK &&
           ks_tu_modules_read(arena, shadow->keep_dir, shadow_names, KS_PTX_PROMOTED, &is, NULL) == KS_OK &&
           was.len == tu->n_modules && same_entries(was.at, was.len, &is, which);
}

enum ks_reason ks_tu_originals_unchanged(struct ks_arena *arena, const struct ks_tu *tu,
                                         const struct ks_tu_compile *shadow, const char **which)
{
    struct ks_strv names = {0};
    struct ks_ptx_modules modules = {0};
    *which = "PTX of the shadow is unreadable";
    if (ks_dir_list(arena, shadow->keep_dir, &names, NULL) != KS_OK ||
        ks_tu_modules_read(arena, shadow->keep_dir, &names, KS_PTX_AS_IS, &modules, NULL) != KS_OK)
        return KS_R_INTERNAL;
    if (!same_entries(tu->modules, tu->n_modules, &modules, which) &&
        !same_promoted(arena, tu, shadow, &names, which))
        return KS_R_SHADOW_CHANGED_ORIGINAL;
    return same_machine_code(arena, tu, shadow, which);
}
