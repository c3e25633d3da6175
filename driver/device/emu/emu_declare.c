// Variables: type, size, alignment and contents (PTX ISA 5.2, 5.4.4).

#include "device/emu/emu_declare.h"

#include "base/num.h"

bool ks_emu_space_of(struct ks_slice word, enum ks_emu_space *space)
{
    static const struct {
        const char *name;
        enum ks_emu_space space;
    } spaces[] = {{".global", KS_EMU_GLOBAL}, {".shared", KS_EMU_SHARED}, {".local", KS_EMU_LOCAL},
                  {".const", KS_EMU_CONST},   {".param", KS_EMU_PARAM},
                  {".shared::cta", KS_EMU_SHARED}};
    for (size_t i = 0; i < sizeof spaces / sizeof spaces[0]; i++)
        if (ks_slice_eq(word, spaces[i].name)) {
            *space = spaces[i].space;
            return true;
        }
    return false;
}

unsigned ks_emu_type_bytes(struct ks_slice word)
{
    static const struct {
        const char *name;
        unsigned bytes;
    } types[] = {{"b8", 1},    {"u8", 1},     {"s8", 1},    {"b16", 2},  {"u16", 2},  {"s16", 2},
                 {"f16", 2},   {"bf16", 2},   {"b32", 4},   {"u32", 4},  {"s32", 4},  {"f32", 4},
                 {"f16x2", 4}, {"bf16x2", 4}, {"b64", 8},   {"u64", 8},  {"s64", 8},  {"f64", 8},
                 {"b128", 16}, {"tf32", 4},   {"f32x2", 8}};
    if (word.len > 0 && word.at[0] == '.') {
        word.at++;
        word.len--;
    }
    for (size_t i = 0; i < sizeof types / sizeof types[0]; i++)
        if (ks_slice_eq(word, types[i].name))
            return types[i].bytes;
    return 0;
}

static enum ks_status read_number(struct ks_emu_reader *r, uint64_t *value, struct ks_err *err)
{
    int bytes;
    if (r->token.kind != KS_PTX_WORD || !ks_emu_number(ks_emu_word(r), value, &bytes) ||
        bytes != 0)
        return ks_emu_bad(r, "a whole number is expected", err);
    ks_emu_next(r);
    return KS_OK;
}

struct filler {
    struct ks_emu_var *var;
    unsigned element;
    uint64_t at;
};

// name, name + number, generic(name), generic(name) + number (5.4.4); false: something else.
static bool put_address(struct ks_emu_module *module, struct ks_emu_reader *r, struct filler *f)
{
    struct ks_emu_address a = {.at = f->at, .generic = ks_emu_is(r, "generic")};
    uint64_t add = 0;
    int bytes;
    if (a.generic) {
        ks_emu_next(r);
        if (!ks_emu_take(r, "("))
            return false;
    }
    if (f->element != 8 || f->at + 8 > f->var->bytes || !ks_ptx_is_name(&r->token))
        return false;
    a.name = ks_emu_word(r);
    ks_emu_next(r);
    if (a.generic && !ks_emu_take(r, ")"))
        return false;
    if (ks_emu_take(r, "+")) {
        if (r->token.kind != KS_PTX_WORD || !ks_emu_number(ks_emu_word(r), &add, &bytes))
            return false;
        ks_emu_next(r);
    }
    if (!ks_emu_is(r, ",") && !ks_emu_is(r, "}") && !ks_emu_is(r, ";"))
        return false;
    a.add = (int64_t)add;
    *ks_vec_push(&module->arena, &f->var->addresses) = a;
    f->at += 8;
    return true;
}

static enum ks_status put_value(struct ks_emu_module *module, struct ks_emu_reader *r,
                                struct filler *f, struct ks_err *err)
{
    uint64_t bits;
    int bytes;
    bool minus = ks_emu_take(r, "-");
    if (r->token.kind != KS_PTX_WORD)
        return ks_emu_bad(r, "a value is expected", err);
    if (!ks_emu_number(ks_emu_word(r), &bits, &bytes)) {
        if (!minus && put_address(module, r, f))
            return KS_OK;
        f->var->opaque = true; // who names it is told
        while (!ks_emu_is(r, ",") && !ks_emu_is(r, "}") && !ks_emu_is(r, ";") &&
               r->token.kind != KS_PTX_END)
            ks_emu_next(r);
        return KS_OK;
    }
    ks_emu_next(r);
    if (minus)
        bits = 0 - bits;
    if (f->at + f->element > f->var->bytes)
        return ks_emu_bad(r, "the initialiser is longer than the variable", err);
    if (f->var->init == NULL)
        f->var->init = ks_arena_alloc(&module->arena, f->var->bytes);
    memcpy(f->var->init + f->at, &bits, f->element < 8 ? f->element : 8);
    f->at += f->element;
    return KS_OK;
}

static enum ks_status read_init(struct ks_emu_module *module, struct ks_emu_reader *r,
                                struct filler *f, struct ks_err *err)
{
    if (!ks_emu_is(r, "{"))
        return put_value(module, r, f, err);
    for (int depth = 0;;) {
        if (ks_emu_take(r, "{")) {
            if (++depth > 8)
                return ks_emu_bad(r, "fewer braces are expected", err);
        } else if (ks_emu_take(r, "}")) {
            if (--depth == 0)
                return KS_OK;
        } else if (ks_emu_is(r, ";") || r->token.kind == KS_PTX_END) {
            return ks_emu_bad(r, "the initialiser's '}' is expected", err);
        } else if (!ks_emu_take(r, ",")) {
            KS_TRY(put_value(module, r, f, err));
        }
    }
}

enum ks_status ks_emu_read_var(struct ks_emu_module *module, struct ks_emu_reader *r,
                               struct ks_emu_var *var, struct ks_err *err)
{
    uint64_t number, vector = 1, count = 1;
    unsigned element = 0;
    var->align = 0;
    while (r->token.kind == KS_PTX_WORD && *r->token.at == '.') {
        struct ks_slice word = ks_emu_word(r);
        enum ks_emu_space pointee;
        ks_emu_next(r);
        if (ks_slice_eq(word, ".align")) {
            KS_TRY(read_number(r, &number, err));
            if (number == 0 || number > 1u << 16 || (number & (number - 1)) != 0)
                return ks_emu_bad(r, "an alignment is a power of two", err);
            if (element == 0) // behind ".ptr" it speaks of what is pointed to
                var->align = (uint32_t)number;
        } else if (ks_slice_eq(word, ".v2") || ks_slice_eq(word, ".v4")) {
            vector = (uint64_t)(word.at[2] - '0');
        } else if (ks_slice_eq(word, ".attribute")) {
            while (!ks_emu_take(r, ")") && r->token.kind != KS_PTX_END)
                ks_emu_next(r);
        } else if (ks_emu_type_bytes(word) != 0) {
            element = ks_emu_type_bytes(word);
        } else if (!ks_slice_eq(word, ".ptr") && !ks_emu_space_of(word, &pointee)) {
            KS_FAIL(err, KS_E_UNSUPPORTED, "PTX line %u: a variable of type %.*s", r->line,
                    (int)(word.len > 40 ? 40 : word.len), word.at);
        }
    }
    if (element == 0 || !ks_ptx_is_name(&r->token))
        return ks_emu_bad(r, "a type and a name are expected", err);
    var->name = ks_emu_word(r);
    ks_emu_next(r);
    while (ks_emu_take(r, "[")) {
        number = 0;
        if (!ks_emu_is(r, "]"))
            KS_TRY(read_number(r, &number, err));
        if (number != 0 && count > KS_EMU_VAR_BYTES / number)
            return ks_emu_bad(r, "a smaller array is expected", err);
        count *= number;
        KS_TRY(ks_emu_want(r, "]", err));
    }
    if (count * vector * element > KS_EMU_VAR_BYTES)
        return ks_emu_bad(r, "a smaller array is expected", err);
    var->bytes = count * vector * element;
    if (var->align == 0)
        var->align = (uint32_t)(element * vector);
    if (ks_emu_take(r, "=")) {
        struct filler filler = {var, element, 0};
        return read_init(module, r, &filler, err);
    }
    return KS_OK;
}
