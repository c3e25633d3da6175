// A module's text: directives, variables, function heads (PTX ISA 4.3, 11). Bodies are found here
// and decoded when a kernel that reaches them is asked for.

#include <stdlib.h>

#include "base/num.h"
#include "device/emu/emu_declare.h"

#define MAX_TEXT (64u << 20)
#define MAX_SYMBOLS 100000

struct ks_emu_function *ks_emu_function_find(struct ks_emu_module *module, struct ks_slice name,
                                             uint32_t *index)
{
    for (size_t i = 0; i < module->functions.len; i++) {
        struct ks_emu_function *f = module->functions.at[i];
        if (f->name.len == name.len && memcmp(f->name.at, name.at, name.len) == 0) {
            if (index != NULL)
                *index = (uint32_t)i;
            return f;
        }
    }
    return NULL;
}

struct ks_emu_var *ks_emu_var_find(struct ks_emu_module *module, struct ks_slice name)
{
    ks_vec_each(struct ks_emu_var, v, &module->vars)
        if (v->name.len == name.len && memcmp(v->name.at, name.at, name.len) == 0)
            return v;
    return NULL;
}

bool ks_emu_address_of(struct ks_emu_module *module, const struct ks_emu_address *a,
                       uint64_t *bits)
{
    uint32_t index;
    const struct ks_emu_var *v = ks_emu_var_find(module, a->name);
    if (v != NULL && (v->space == KS_EMU_GLOBAL || v->space == KS_EMU_CONST) && !v->external)
        *bits = v->address + (uint64_t)a->add;
    else if (v == NULL && ks_emu_function_find(module, a->name, &index) != NULL && a->add == 0)
        *bits = (uint64_t)(index + 1) * KS_EMU_CODE_STEP;
    else
        return false;
    return true;
}

// "(" parameters ")": offsets are those of a C struct, which is how the driver lays them out.
static enum ks_status read_params(struct ks_emu_module *module, struct ks_emu_reader *r,
                                  struct ks_emu_function *f, bool returns, struct ks_err *err)
{
    uint64_t offset = 0;
    KS_TRY(ks_emu_want(r, "(", err));
    while (!ks_emu_take(r, ")")) {
        struct ks_emu_var *v = returns ? ks_vec_push(&module->arena, &f->returns)
                                       : ks_vec_push(&module->arena, &f->params);
        if (f->params.len > 1024)
            return ks_emu_bad(r, "fewer parameters are expected", err);
        v->space = KS_EMU_PARAM;
        if (!ks_emu_take(r, ".param") && !ks_emu_take(r, ".reg"))
            return ks_emu_bad(r, "'.param' is expected", err);
        KS_TRY(ks_emu_read_var(module, r, v, err));
        offset = ks_align_up(offset, v->align);
        v->address = offset;
        offset += v->bytes;
        if (!ks_emu_take(r, ",") && !ks_emu_is(r, ")"))
            return ks_emu_bad(r, "',' or ')' is expected", err);
    }
    if (offset > 32764) // 4.3: the most that any target takes
        return ks_emu_bad(r, "fewer bytes of parameters are expected", err);
    if (!returns)
        f->param_bytes = offset;
    return KS_OK;
}

// Performance directives between head and body (11.4).
static enum ks_status read_head_rest(struct ks_emu_reader *r, struct ks_emu_function *f,
                                     struct ks_err *err)
{
    while (!ks_emu_is(r, "{") && !ks_emu_is(r, ";")) {
        bool exact = ks_emu_is(r, ".reqntid"), threads = exact || ks_emu_is(r, ".maxntid");
        bool clusters = ks_emu_is(r, ".reqnctapercluster");
        uint64_t product = 1, n;
        unsigned dimension = 0;
        int bytes;
        if (r->token.kind != KS_PTX_WORD && r->token.kind != KS_PTX_STRING)
            return ks_emu_bad(r, "a function's body is expected", err);
        ks_emu_next(r);
        while (r->token.kind == KS_PTX_WORD && ks_emu_number(ks_emu_word(r), &n, &bytes)) {
            product = n < 4096 && product < 1u << 20 ? product * n : product;
            if (exact && dimension < 3)
                f->required[dimension++] = (uint32_t)(n < 4096 ? n : 4096);
            ks_emu_next(r);
            if (!ks_emu_take(r, ","))
                break;
        }
        for (; exact && dimension < 3; dimension++)
            f->required[dimension] = 1;
        if (threads)
            f->max_threads = (uint32_t)product;
        f->cluster |= clusters && product > 1;
    }
    return KS_OK;
}

static enum ks_status read_function(struct ks_emu_module *module, struct ks_emu_reader *r,
                                    bool entry, struct ks_err *err)
{
    struct ks_emu_function *f = KS_NEW(&module->arena, struct ks_emu_function);
    f->entry = entry;
    if (ks_emu_take(r, ".attribute"))
        while (!ks_emu_take(r, ")") && r->token.kind != KS_PTX_END)
            ks_emu_next(r);
    if (ks_emu_is(r, "("))
        KS_TRY(read_params(module, r, f, true, err));
    if (!ks_ptx_is_name(&r->token))
        return ks_emu_bad(r, "a function's name is expected", err);
    f->name = ks_emu_word(r);
    ks_emu_next(r);
    if (ks_emu_is(r, "("))
        KS_TRY(read_params(module, r, f, false, err));
    KS_TRY(read_head_rest(r, f, err));
    if (ks_emu_is(r, "{")) {
        f->defined = true;
        f->body = r->scan.at;
        f->body_line = r->line;
        if (!ks_ptx_skip_block(&r->scan))
            return ks_emu_bad(r, "the body's '}' is expected", err);
        f->body_end = r->scan.at - 1;
    }
    ks_emu_next(r);
    struct ks_emu_function *earlier = ks_emu_function_find(module, f->name, NULL);
    if (earlier != NULL && earlier->defined && f->defined)
        return ks_emu_bad(r, "the function is defined twice", err);
    if (earlier == NULL) {
        if (module->functions.len == MAX_SYMBOLS)
            return ks_emu_bad(r, "fewer functions are expected", err);
        *ks_vec_push(&module->arena, &module->functions) = f;
    } else if (f->defined) {
        *earlier = *f; // a forward declaration
    }
    return KS_OK;
}

static enum ks_status read_variable(struct ks_emu_module *module, struct ks_emu_reader *r,
                                    enum ks_emu_space space, bool external, struct ks_err *err)
{
    uint64_t total = 0;
    if (module->vars.len == MAX_SYMBOLS)
        return ks_emu_bad(r, "fewer variables are expected", err);
    struct ks_emu_var var = {.space = space, .external = external};
    KS_TRY(ks_emu_read_var(module, r, &var, err));
    ks_vec_each(struct ks_emu_var, v, &module->vars)
        total += v->bytes;
    if (total + var.bytes > KS_EMU_MODULE_BYTES)
        return ks_emu_bad(r, "fewer bytes of variables are expected", err);
    if (ks_emu_var_find(module, var.name) == NULL)
        *ks_vec_push(&module->arena, &module->vars) = var;
    return ks_emu_want(r, ";", err);
}

static enum ks_status read_file(struct ks_emu_module *module, struct ks_emu_reader *r,
                                struct ks_err *err)
{
    uint64_t number;
    int bytes;
    if (!ks_emu_number(ks_emu_word(r), &number, &bytes))
        return ks_emu_bad(r, "a file's number is expected", err);
    ks_emu_next(r);
    if (r->token.kind != KS_PTX_STRING)
        return ks_emu_bad(r, "a file's name is expected", err);
    if (number < sizeof module->files / sizeof module->files[0])
        module->files[number] =
            ks_arena_strndup(&module->arena, r->token.at + 1, r->token.len - 2);
    ks_emu_next(r);
    while (ks_emu_take(r, ",")) // time stamp, size
        ks_emu_next(r);
    return KS_OK;
}

static enum ks_status read_target(struct ks_emu_module *module, struct ks_emu_reader *r,
                                  struct ks_err *err)
{
    if (!ks_ptx_begins(&r->token, "sm_"))
        return ks_emu_bad(r, "an architecture is expected", err);
    module->arch = atoi(r->token.at + 3);
    ks_emu_next(r);
    while (ks_emu_take(r, ","))
        ks_emu_next(r);
    return KS_OK;
}

static enum ks_status read_directive(struct ks_emu_module *module, struct ks_emu_reader *r,
                                     bool *external, struct ks_err *err)
{
    struct ks_slice word = ks_emu_word(r);
    enum ks_emu_space space;
    uint32_t line = r->line;
    ks_emu_next(r);
    if (ks_slice_eq(word, ".visible") || ks_slice_eq(word, ".weak") || ks_slice_eq(word, ".common"))
        return KS_OK;
    if (ks_slice_eq(word, ".extern")) {
        *external = true;
        return KS_OK;
    }
    bool was_external = *external;
    *external = false;
    if (ks_slice_eq(word, ".entry") || ks_slice_eq(word, ".func"))
        return read_function(module, r, word.at[1] == 'e', err);
    if (ks_emu_space_of(word, &space) && space != KS_EMU_PARAM && space != KS_EMU_LOCAL)
        return read_variable(module, r, space, was_external, err);
    if (ks_slice_eq(word, ".file"))
        return read_file(module, r, err);
    if (ks_slice_eq(word, ".target"))
        return read_target(module, r, err);
    if (ks_slice_eq(word, ".version") || ks_slice_eq(word, ".address_size")) {
        if (word.at[1] == 'a' && !ks_emu_is(r, "64"))
            KS_FAIL(err, KS_E_UNSUPPORTED, "PTX line %u: 32-bit addresses", line);
        ks_emu_next(r);
        return KS_OK;
    }
    if (ks_slice_eq(word, ".section")) {
        ks_emu_next(r);
        if (!ks_emu_is(r, "{") || !ks_ptx_skip_block(&r->scan))
            return ks_emu_bad(r, "a section's block is expected", err);
        ks_emu_next(r);
        return KS_OK;
    }
    if (ks_slice_eq(word, ".pragma") || ks_slice_eq(word, ".alias")) {
        while (!ks_emu_is(r, ";") && r->token.kind != KS_PTX_END)
            ks_emu_next(r);
        return ks_emu_want(r, ";", err);
    }
    KS_FAIL(err, KS_E_FORMAT, "PTX line %u: unknown directive %.*s", line,
            (int)(word.len > 40 ? 40 : word.len), word.at);
}

enum ks_status ks_emu_module_read(struct ks_slice text, struct ks_emu_module **out,
                                  struct ks_err *err)
{
    struct ks_emu_module *module = calloc(1, sizeof *module);
    bool external = false;
    enum ks_status status = KS_OK;
    if (module == NULL)
        KS_FAIL(err, KS_E_MEMORY, "no memory for a module");
    // A PTX image in a fat binary ends with a null.
    while (text.len > 0 && text.at[text.len - 1] == '\0')
        text.len--;
    if (text.len > MAX_TEXT || memchr(text.at, '\0', text.len) != NULL) {
        free(module);
        KS_FAIL(err, KS_E_FORMAT, "not the text of a PTX module");
    }
    module->len = text.len;
    module->text = ks_arena_strndup(&module->arena, text.at, text.len);
    struct ks_emu_reader r;
    ks_emu_reader_init(&r, module->text, module->text + module->len, 1);
    while (status == KS_OK && r.token.kind != KS_PTX_END) {
        if (r.token.kind != KS_PTX_WORD || *r.token.at != '.')
            status = ks_emu_bad(&r, "a directive is expected", err);
        else
            status = read_directive(module, &r, &external, err);
    }
    if (status == KS_OK && module->arch == 0)
        status = ks_err_set(err, KS_E_FORMAT, "PTX line %u: no .target is named", r.line);
    if (status != KS_OK)
        ks_emu_module_free(module);
    else
        *out = module;
    return status;
}

void ks_emu_module_free(struct ks_emu_module *module)
{
    if (module == NULL)
        return;
    struct ks_arena arena = module->arena;
    free(module);
    ks_arena_free(&arena);
}
