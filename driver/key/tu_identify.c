// What the plain compile left under --keep, read back: PTX and stub become keys.
#include "key/tu.h"

#include <ctype.h>
#include <string.h>

#include "key/tu_modules.h"
#include "os/file.h"
#include "source/enumeration.h"

#define PTX_MAX (256u << 20)

// The host's stub is the one beside NAME.cudafe1.cpp; the others belong to device passes. Without host code any of
// those says the same.
static const char *find_stub(struct ks_arena *arena, const struct ks_strv *names)
{
    const char *found = NULL;
    for (size_t i = 0; i < names->len; i++) {
        if (ks_ends_with(names->at[i], ".cudafe1.cpp"))
            return ks_arena_printf(arena, "%.*s.stub.c", (int)(strlen(names->at[i]) - strlen(".cpp")), names->at[i]);
        if (ks_ends_with(names->at[i], ".cudafe1.stub.c"))
            found = names->at[i];
    }
    return found;
}

static enum ks_status read_signatures(struct ks_arena *arena, const struct ks_tu_compile *compile,
                                      const struct ks_strv *names,
                                      struct ks_signature_list *signatures, struct ks_err *err)
{
    const char *stub = find_stub(arena, names);
    struct ks_slice text;
    struct ks_arena scratch = {0};
    if (stub == NULL)
        return ks_err_set(err, KS_E_ABSENT, "nvcc left no host stub in %s", compile->keep_dir);
    enum ks_status status = ks_file_read(&scratch, ks_path_join(arena, compile->keep_dir, stub), PTX_MAX, &text, err);
    if (status == KS_OK)
        status = ks_signatures_read(arena, text, signatures, err);
    ks_arena_free(&scratch);
    return status;
}

// Up to the comma or bracket that ends a template argument.
static size_t argument_length(const char *text)
{
    int depth = 0;
    size_t n = 0;
    for (; text[n] != '\0'; n++) {
        if (depth == 0 && (text[n] == ',' || text[n] == '>'))
            break;
        depth += strchr("([{<", text[n]) != NULL ? 1 : strchr(")]}>", text[n]) != NULL ? -1 : 0;
    }
    return n;
}

// Whether an argument of inst() is one of an instance; an enumerator is called "(colour)1" there, and
// may be written as its number.
static bool same_argument(const char *compiled, size_t n, const char *wanted, size_t n_wanted)
{
    const char *close = compiled[0] == '(' ? memchr(compiled, ')', n) : NULL;
    if (n == n_wanted && memcmp(compiled, wanted, n) == 0)
        return true;
    if (close == NULL || !isdigit((unsigned char)wanted[wanted[0] == '-' ? 1 : 0]))
        return false;
    close++;
    return (size_t)(compiled + n - close) == n_wanted && memcmp(close, wanted, n_wanted) == 0;
}

// Both are "<float,256>", normalised.
static bool same_arguments(const char *compiled, const char *wanted)
{
    while (*compiled != '\0' && *wanted != '\0') {
        size_t n = 1 + argument_length(compiled + 1), n_wanted = 1 + argument_length(wanted + 1);
        if (!same_argument(compiled + 1, n - 1, wanted + 1, n_wanted - 1))
            return false;
        compiled += n;
        wanted += n_wanted;
        if (*compiled != *wanted)
            return false;
        if (*compiled == '>')
            return true;
    }
    return false;
}

static bool instance_wanted(const struct ks_tu_mark *mark, const struct ks_signature *signature,
                            struct ks_arena *arena)
{
    const char *open = strchr(signature->instance, '<'), *side = mark->side_instance;
    if (side != NULL) {
        size_t name = strcspn(side, "<");
        return strcmp(side, signature->instance) == 0 ||
               (open != NULL && strncmp(side, signature->instance, name) == 0 &&
                signature->instance + name == open && same_arguments(open, side + name));
    }
    if (mark->mark->n_instances == 0)
        return true;
    for (size_t i = 0; i < mark->mark->n_instances; i++) {
        const char *wanted = ks_instance_normalise(
            arena, ks_arena_printf(arena, "<%s>", mark->mark->instances[i]));
        if (open != NULL && same_arguments(open, wanted))
            return true;
    }
    return false;
}

static enum ks_reason problem_reason(const char *problem)
{
    return strstr(problem, "conditional") != NULL ? KS_R_CONDITIONAL_PARAMETERS : KS_R_PARAMETERS;
}

// Whether the build makes what a variant is: code for the very architecture that the PTX is for. Code
// for a later one (arch=compute_80,code=sm_86) is no device's of the variant's, and is another text. Of
// sm_90 and sm_90a together nobody tells which one a device takes.
static bool makes_code(const struct ks_cmdline *cmd, const struct ks_ptx_module *module, const char **text)
{
    size_t kinds;
    const struct ks_arch *code = ks_cmdline_code(cmd, module->arch, &kinds);
    const char last = module->target[strlen(module->target) - 1], suffix = last > '9' ? last : '\0';
    *text = kinds > 1 ? "there is code of several kinds for this architecture" : "";
    return cmd->n_archs == 0 || (kinds == 1 && code->of == suffix); // native, all: each has its own
}

static void find_reason(const struct ks_cmdline *cmd, const struct ks_ptx_module *module,
                        struct ks_tu_kernel *kernel)
{
    const struct ks_kernel_decl *decl = kernel->mark->decl;
    const char *no_code;
    kernel->reason = kernel->ptx->ineligible;
    kernel->reason_text = kernel->ptx->ineligible_text;
    if (kernel->mark->mark->problem != NULL) {
        kernel->reason = KS_R_BAD_MARK;
        kernel->reason_text = kernel->mark->mark->problem;
    } else if (kernel->mark->mark->off) {
        kernel->reason = KS_R_MODE_OFF;
        kernel->reason_text = "marked off";
    } else if (decl->problem != NULL) {
        kernel->reason = problem_reason(decl->problem);
        kernel->reason_text = decl->problem;
    } else if (kernel->ptx->n_params != kernel->signature->n_params) {
        kernel->reason = KS_R_PARAMETERS;
        kernel->reason_text = "parameter counts of source and PTX differ";
    } else if (kernel->reason == KS_R_APPLIED && !makes_code(cmd, module, &no_code)) {
        kernel->reason = KS_R_NO_CODE;
        kernel->reason_text = no_code;
    }
}

// What the signature leaves open and the compile shows: the integers under enums.
static void find_enums(const struct ks_tu *tu, const struct ks_ptx_entry *entry, int arch,
                       struct ks_signature *signature)
{
    struct ks_arena scratch = {0};
    struct ks_slice text = {0};
    for (size_t i = 0; i < signature->n_params && i < entry->n_params; i++) {
        struct ks_type *type = &signature->params[i];
        const struct ks_ptx_param *compiled = &entry->params[i];
        if (type->pointer || type->elem.size > 0 || !compiled->scalar || compiled->real)
            continue;
        if (text.len == 0)
            text = ks_tu_preprocessed(&scratch, tu, arch);
        ks_enumeration_find(&scratch, text, type->text, compiled->size, &type->elem);
    }
    ks_arena_free(&scratch);
}

static bool is_member(const char *name, const char *param)
{
    size_t n = strlen(param);
    return strncmp(name, param, n) == 0 && name[n] == '.';
}

static bool gives_members(const struct ks_workload_mark *w, const char *param)
{
    bool gives = false;
    for (size_t i = 0; i < w->n_settings; i++)
        gives = gives || is_member(w->settings[i].name, param);
    for (size_t i = 0; i < w->n_arrays; i++)
        gives = gives || is_member(w->arrays[i].name, param);
    return gives;
}

static bool is_null(const struct ks_workload_mark *w, const char *param)
{
    for (size_t i = 0; i < w->n_settings; i++)
        if (strcmp(w->settings[i].name, param) == 0)
            return w->settings[i].n_values == 1 && strcmp(w->settings[i].values[0], "nullptr") == 0;
    return false;
}

// Why a workload's clauses for a parameter by value do not go with its type, which only the compiler could tell; or NULL.
static const char *unsettable(struct ks_arena *arena, const struct ks_tu_kernel *kernel, size_t param,
                              const struct ks_workload_mark *w)
{
    const struct ks_type *type = &kernel->signature->params[param];
    const char *name = kernel->mark->decl->params[param].name;
    bool members = gives_members(w, name), number = type->elem.scalar != KS_T_NONE;
    if (is_null(w, name))
        return ks_arena_printf(arena, "%s: set(%s=nullptr): '%s' is no pointer but %s", w->where, name, name, type->text);
    if (members && ks_type_is_enum(arena, type))
        return ks_arena_printf(arena, "%s: parameter '%s' of type %s is an enum and has no members; give it a number, "
                                      "as in set(%s=0)", w->where, name, type->text, name);
    if (number || members)
        return NULL;
    // A lambda's members have no names, and what is no struct has none.
    bool plain = strchr(type->text, '{') == NULL && !kernel->ptx->params[param].scalar;
    return ks_arena_printf(arena, "%s: parameter '%s' of type %s cannot be set by a clause; %scapture a launch "
                                  "(ks record --capture)", w->where, name, type->text,
                           plain ? ks_arena_printf(arena, "set its members, as in set(%s.n=1), or ", name) : "");
}

static const char *first_unsettable(struct ks_arena *arena, const struct ks_tu_kernel *kernel)
{
    const struct ks_mark *mark = kernel->mark->mark;
    const char *why = NULL;
    for (size_t p = 0; p < kernel->signature->n_params && p < kernel->ptx->n_params; p++)
        for (size_t w = 0; w < mark->n_workloads && why == NULL && !kernel->signature->params[p].pointer; w++)
            if (mark->workloads[w].capture[0] == '\0')
                why = unsettable(arena, kernel, p, &mark->workloads[w]);
    return why;
}

// An enum's let is no size.
static void fix_enums(struct ks_arena *arena, const struct ks_tu_kernel *kernel)
{
    const struct ks_mark *mark = kernel->mark->mark;
    for (size_t p = 0; p < kernel->signature->n_params; p++)
        for (size_t w = 0; w < mark->n_workloads && ks_type_is_enum(arena, &kernel->signature->params[p]); w++)
            for (size_t i = 0; i < mark->workloads[w].n_lets; i++) {
                struct ks_binding *let = &mark->workloads[w].lets[i];
                let->fixed = let->fixed || strcmp(let->name, kernel->mark->decl->params[p].name) == 0;
            }
}

// What only the compiler's types show to be wrong about a mark.
static void check_mark(struct ks_arena *arena, const struct ks_err *contract,
                       struct ks_tu_kernel *kernel)
{
    const char *complaint = first_unsettable(arena, kernel);
    if (kernel->reason != KS_R_APPLIED || (contract->status == KS_OK && complaint == NULL))
        return;
    kernel->reason =
        contract->status == KS_E_UNSUPPORTED ? KS_R_UNKNOWN_TYPE : KS_R_BAD_MARK;
    kernel->reason_text =
        contract->status != KS_OK ? ks_arena_strdup(arena, contract->text) : complaint;
}

static enum ks_status identify_one(struct ks_arena *arena, const struct ks_tu *tu,
                                   struct ks_tu_kernel *kernel, struct ks_err *err)
{
    KS_TRY(ks_contract_text(arena, kernel->mark->mark, kernel->signature, &kernel->contract, err));
    struct ks_key_fields fields = {.canonical_ptx = kernel->ptx->canonical,
                                   .nvcc_version = tu->toolkit->version,
                                   .ptxas_options = tu->cmd->ptxas_options,
                                   .maxrregcount = tu->cmd->maxrregcount,
                                   .rdc = tu->cmd->rdc,
                                   .contract = kernel->contract,
                                   .target = kernel->target,
                                   .arch = kernel->arch};
    kernel->key = ks_key_of(&fields);
    kernel->key_text = ks_key_text(arena, &fields);
    return KS_OK;
}

struct kernel_vec {
    struct ks_tu_kernel *at;
    size_t len, cap;
};

// Machine code is made when the program is linked: by -dlto, where PTX is left all the same, or by
// code=lto_90, where there is none.
static bool is_lto(const struct ks_tu *tu)
{
    return tu->cmd->dlto || tu->n_modules == 0;
}

// A marked declaration without a kernel: why.
static struct ks_tu_kernel unmatched(struct ks_arena *arena, const struct ks_tu *tu,
                                     const struct ks_tu_mark *mark)
{
    struct ks_tu_kernel kernel = {.mark = mark, .reason = KS_R_NOT_COMPILED,
                                  .reason_text = "no such kernel in this build's PTX"};
    const char *problem = mark->decl->problem;
    if (mark->mark->problem != NULL) {
        kernel.reason = KS_R_BAD_MARK;
        kernel.reason_text = mark->mark->problem;
    } else if (mark->mark->off) {
        kernel.reason = KS_R_MODE_OFF;
        kernel.reason_text = "marked off";
    } else if (is_lto(tu)) {
        kernel.reason = KS_R_LTO;
        kernel.reason_text = "";
    } else if (problem != NULL) {
        kernel.reason = problem_reason(problem);
        kernel.reason_text = problem;
    } else {
        struct ks_buf others = KS_BUF(512);
        ks_vec_each(struct ks_signature, signature, &tu->signatures)
            if (ks_signature_matches(signature, mark->decl)) {
                ks_buf_printf(&others, "%s%s", others.len > 0 ? ", " : "", signature->instance);
            } else if (ks_signature_names(signature, mark->decl)) {
                // Compiled under this name, but with parameters that the text does not show.
                kernel.reason = KS_R_PARAMETERS;
                kernel.reason_text = "the parameters written are not those compiled";
            }
        if (others.len > 0) {
            kernel.reason = KS_R_NOT_COMPILED;
            kernel.reason_text = ks_arena_printf(arena, "%s names none of those compiled: %s%s",
                                                 mark->side_instance != NULL ? "ks.yaml" : "inst()",
                                                 ks_buf_text(&others), others.failed ? ", ..." : "");
        }
        ks_buf_free(&others);
    }
    return kernel;
}

static enum ks_status identify_mark(struct ks_arena *arena, struct ks_tu *tu,
                                    const struct ks_tu_mark *mark, struct kernel_vec *kernels,
                                    struct ks_err *err)
{
    size_t before = kernels->len;
    for (size_t m = 0; m < tu->n_modules && !is_lto(tu); m++) {
        // With -arch=sm_90a nvcc writes PTX of compute_90 too, for other devices.
        if (&tu->modules[m] != ks_ptx_of_arch(tu->modules, tu->n_modules, tu->modules[m].arch))
            continue;
        ks_vec_each(struct ks_signature, signature, &tu->signatures) {
            if (!ks_signature_matches(signature, mark->decl) ||
                !instance_wanted(mark, signature, arena))
                continue;
            const struct ks_ptx_entry *entry = ks_ptx_find(&tu->modules[m], signature->registered);
            if (entry == NULL)
                continue;
            struct ks_tu_kernel *kernel = ks_vec_push(arena, kernels);
            *kernel = (struct ks_tu_kernel){.mark = mark, .ptx = entry,
                                            .arch = tu->modules[m].arch,
                                            .target = tu->modules[m].target};
            find_enums(tu, entry, kernel->arch, signature);
            kernel->signature = signature;
            find_reason(tu->cmd, &tu->modules[m], kernel);
            if (kernel->reason == KS_R_PARAMETERS || kernel->reason == KS_R_CONDITIONAL_PARAMETERS ||
                mark->mark->problem != NULL)
                continue;
            fix_enums(arena, kernel);
            struct ks_err mistake = {0};
            enum ks_status status = identify_one(arena, tu, kernel, &mistake);
            if (status != KS_OK && status != KS_E_USER && status != KS_E_UNSUPPORTED)
                return ks_err_set(err, status, "%s", mistake.text);
            check_mark(arena, &mistake, kernel);
            if (kernel->reason == KS_R_APPLIED && !ks_toolkit_dispatches(tu->toolkit)) {
                kernel->reason = KS_R_TOOLKIT;
                kernel->reason_text = ks_arena_printf(arena, "nvcc %s", tu->toolkit->version);
            }
        }
    }
    if (kernels->len == before)
        *ks_vec_push(arena, kernels) = unmatched(arena, tu, mark);
    return KS_OK;
}

enum ks_status ks_tu_identify(struct ks_arena *arena, struct ks_tu *tu,
                              const struct ks_tu_compile *compile, struct ks_err *err)
{
    struct ks_strv names = {0};
    KS_TRY(ks_toolkit_version(arena, tu->config, tu->toolkit, err));
    KS_TRY(ks_dir_list(arena, compile->keep_dir, &names, err));
    tu->plain_dir = compile->keep_dir;
    struct ks_ptx_modules modules = {0};
    KS_TRY(ks_tu_modules_read(arena, compile->keep_dir, &names, KS_PTX_AS_IS, &modules, err));
    tu->modules = modules.at;
    tu->n_modules = modules.len;
    KS_TRY(read_signatures(arena, compile, &names, &tu->signatures, err));
    struct kernel_vec kernels = {0};
    for (size_t i = 0; i < tu->n_marks; i++)
        KS_TRY(identify_mark(arena, tu, &tu->marks[i], &kernels, err));
    tu->kernels = kernels.at;
    tu->n_kernels = kernels.len;
    return KS_OK;
}

enum ks_status ks_tu_registered_read(struct ks_arena *arena, const struct ks_tu_compile *compile,
                                     struct ks_signature_list *registered, struct ks_err *err)
{
    struct ks_strv names = {0};
    KS_TRY(ks_dir_list(arena, compile->keep_dir, &names, err));
    return read_signatures(arena, compile, &names, registered, err);
}
