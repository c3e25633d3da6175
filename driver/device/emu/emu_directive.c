// Directives of a function's body: registers, variables, debug lines, targets of branches (PTX ISA 5, 11).

#include "base/num.h"
#include "device/emu/emu_decode.h"

// `type` stood in one word with the directive (".reg.b32", in inline assembly), or is empty.
static enum ks_status declare_registers(struct ks_emu_decoder *d, struct ks_slice type,
                                        struct ks_err *err)
{
    struct ks_emu_reader *r = &d->reader;
    bool apart = type.len == 0;
    if (apart)
        type = ks_emu_word(r);
    bool predicate = ks_slice_eq(type, ".pred");
    uint32_t width = predicate ? KS_EMU_PRED : ks_emu_type_bytes(type);
    if (width == 0 && !predicate)
        return ks_emu_bad(r, "a register's type is expected", err);
    if (apart)
        ks_emu_next(r);
    do {
        struct ks_emu_reg *reg = ks_vec_push(&d->scratch, &d->regs);
        uint64_t count = 1;
        int bytes;
        if (r->token.kind != KS_PTX_WORD)
            return ks_emu_bad(r, "a register's name is expected", err);
        *reg = (struct ks_emu_reg){ks_emu_word(r), false, 1, width, 0, d->scope};
        ks_emu_next(r);
        if (ks_emu_take(r, "<")) {
            if (!ks_emu_number(ks_emu_word(r), &count, &bytes) || count > 1u << 20)
                return ks_emu_bad(r, "a number of registers is expected", err);
            reg->family = true;
            reg->count = (uint32_t)count;
            ks_emu_next(r);
            KS_TRY(ks_emu_want(r, ">", err));
        }
        reg->offset = ks_emu_lanes(d, width, reg->count);
        if (d->why[0] != '\0')
            KS_FAIL(err, KS_E_UNSUPPORTED, "PTX line %u: %s", r->line, d->why);
    } while (ks_emu_take(r, ","));
    return ks_emu_want(r, ";", err);
}

enum ks_status ks_emu_declare_slot(struct ks_emu_decoder *d, const struct ks_emu_var *var,
                                   struct ks_err *err)
{
    struct ks_emu_slot *slot = ks_vec_push(&d->scratch, &d->slots);
    *slot = (struct ks_emu_slot){var->name, d->scope, 0, (uint32_t)var->bytes};
    slot->offset = ks_emu_lanes(d, 1, (uint32_t)var->bytes);
    if (d->why[0] != '\0')
        KS_FAIL(err, KS_E_UNSUPPORTED, "PTX line %u: %s", d->reader.line, d->why);
    return KS_OK;
}

static enum ks_status declare_variable(struct ks_emu_decoder *d, enum ks_emu_space space,
                                       struct ks_err *err)
{
    struct ks_emu_function *f = d->function;
    do {
        struct ks_emu_var var = {.space = space};
        KS_TRY(ks_emu_read_var(d->module, &d->reader, &var, err));
        if (space == KS_EMU_PARAM) {
            KS_TRY(ks_emu_declare_slot(d, &var, err));
        } else if (space == KS_EMU_LOCAL) {
            f->local_bytes = ks_align_up(f->local_bytes, var.align);
            var.address = f->local_bytes;
            f->local_bytes += var.bytes;
            *ks_vec_push(&d->module->arena, &f->vars) = var;
            if (f->local_bytes > 512 * 1024) // 5.1.5: no thread has more
                KS_FAIL(err, KS_E_UNSUPPORTED, "PTX line %u: more than 512 KiB of local memory",
                        d->reader.line);
        } else if (space == KS_EMU_SHARED) {
            if (d->module->vars.len > 4000)
                return ks_emu_bad(&d->reader, "fewer shared variables are expected", err);
            var.address = (uint64_t)(d->module->vars.len + 1) << 20;
            *ks_vec_push(&d->module->arena, &d->module->vars) = var;
        } else {
            return ks_emu_bad(&d->reader, "such a variable stands outside functions", err);
        }
    } while (ks_emu_take(&d->reader, ","));
    return ks_emu_want(&d->reader, ";", err);
}

// FILE LINE COLUMN; false: something else stands there.
static bool read_place(struct ks_emu_reader *r, struct ks_emu_place *place)
{
    uint64_t number[3];
    for (int i = 0; i < 3; i++) {
        int bytes;
        if (r->token.kind != KS_PTX_WORD || !ks_emu_number(ks_emu_word(r), &number[i], &bytes))
            return false;
        ks_emu_next(r);
    }
    place->source = (uint32_t)((number[0] & 4095) << 20 | (number[1] < 1u << 20 ? number[1] : 0));
    place->column = (uint32_t)number[2];
    return true;
}

static struct ks_emu_origin *origin_of(struct ks_emu_decoder *d, const struct ks_emu_place *place)
{
    uint32_t mixed = place->source * 2654435761u + place->column * 40503u;
    return &d->origins[mixed >> 8 & (KS_EMU_ORIGINS - 1)];
}

// Headers of the toolkit: what their inlined functions do is told of the line that calls them.
static bool of_toolkit(const char *file)
{
    return file != NULL && strstr(file, "/include/") != NULL &&
           (strstr(file, "/targets/") != NULL || strstr(file, "/cuda") != NULL);
}

// .loc FILE LINE COLUMN{, function_name NAME, inlined_at FILE LINE COLUMN} (11.5.3)
static enum ks_status read_loc(struct ks_emu_decoder *d, struct ks_err *err)
{
    struct ks_emu_reader *r = &d->reader;
    struct ks_emu_place here, caller;
    if (!read_place(r, &here))
        return ks_emu_bad(r, "a file, a line and a column are expected", err);
    d->source = here.source;
    if (ks_emu_take(r, ",") && ks_emu_take(r, "function_name")) {
        while (!ks_emu_is(r, "inlined_at") && !ks_emu_is(r, ";") && r->token.kind != KS_PTX_END)
            ks_emu_next(r);
        if (!ks_emu_take(r, "inlined_at") || !read_place(r, &caller))
            return ks_emu_bad(r, "the place of a call is expected", err);
        const struct ks_emu_origin *outer = origin_of(d, &caller);
        if (of_toolkit(d->module->files[here.source >> 20]))
            d->source = outer->place.source == caller.source &&
                                outer->place.column == caller.column
                            ? outer->source
                            : caller.source;
    }
    *origin_of(d, &here) = (struct ks_emu_origin){here, d->source};
    return KS_OK;
}

enum ks_status ks_emu_read_targets(struct ks_emu_decoder *d, struct ks_slice name,
                                   struct ks_err *err)
{
    struct ks_emu_reader *r = &d->reader;
    struct ks_emu_targets *t = ks_vec_push(&d->scratch, &d->targets);
    KS_VEC(struct ks_slice) labels = {0};
    do {
        if (r->token.kind != KS_PTX_WORD)
            return ks_emu_bad(r, "a label is expected", err);
        *ks_vec_push(&d->scratch, &labels) = ks_emu_word(r);
        ks_emu_next(r);
    } while (ks_emu_take(r, ","));
    *t = (struct ks_emu_targets){name, d->scope, labels.at, (uint32_t)labels.len};
    return ks_emu_want(r, ";", err);
}

enum ks_status ks_emu_read_directive(struct ks_emu_decoder *d, struct ks_err *err)
{
    struct ks_emu_reader *r = &d->reader;
    struct ks_slice word = ks_emu_word(r);
    enum ks_emu_space space;
    ks_emu_next(r);
    if (ks_slice_eq(word, ".loc"))
        return read_loc(d, err);
    if (ks_slice_eq(word, ".reg"))
        return declare_registers(d, (struct ks_slice){"", 0}, err);
    if (word.len > 5 && memcmp(word.at, ".reg.", 5) == 0)
        return declare_registers(d, (struct ks_slice){word.at + 4, word.len - 4}, err);
    if (ks_emu_space_of(word, &space))
        return declare_variable(d, space, err);
    if (ks_slice_eq(word, ".pragma")) {
        while (!ks_emu_is(r, ";") && r->token.kind != KS_PTX_END)
            ks_emu_next(r);
        return ks_emu_want(r, ";", err);
    }
    KS_FAIL(err, KS_E_FORMAT, "PTX line %u: unknown directive %.*s in a function", r->line,
            (int)(word.len > 40 ? 40 : word.len), word.at);
}
