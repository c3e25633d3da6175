// A function's body: labels and instructions in their scopes (PTX ISA 4.4, 5.4); its directives are read by
// emu_directive.c.

#include "device/emu/emu_count.h"
#include "device/emu/emu_decode.h"
#include "device/emu/emu_taint.h"

#define MAX_CODE (1u << 21)
#define MAX_SCOPES (1u << 16)

// ---- instructions

static const struct ks_emu_opcode *const tables[] = {
    ks_emu_int_ops, ks_emu_bit_ops, ks_emu_float_ops, ks_emu_half_ops, ks_emu_approx_ops,
    ks_emu_round_ops,
};

#define INDEX_SIZE 4096
static const struct ks_emu_opcode *index_of_ops[INDEX_SIZE];

static uint64_t hash_of(const char *at, size_t len)
{
    uint64_t h = 14695981039346656037u;
    for (size_t i = 0; i < len; i++)
        h = (h ^ (unsigned char)at[i]) * 1099511628211u;
    return h ^ h >> 29;
}

static size_t hash(const char *at, size_t len)
{
    return (size_t)(hash_of(at, len) % INDEX_SIZE);
}

// Of equal names the one with so many operands.
static const struct ks_emu_opcode *find_opcode(struct ks_slice name, unsigned operands)
{
    const struct ks_emu_opcode *found = NULL;
    static bool filled;
    for (size_t t = 0; !filled && t < sizeof tables / sizeof tables[0]; t++)
        for (const struct ks_emu_opcode *o = tables[t]; o->name != NULL; o++) {
            size_t at = hash(o->name, strlen(o->name));
            while (index_of_ops[at] != NULL)
                at = (at + 1) % INDEX_SIZE;
            index_of_ops[at] = o;
        }
    filled = true;
    for (size_t at = hash(name.at, name.len); index_of_ops[at] != NULL; at = (at + 1) % INDEX_SIZE)
        if (ks_slice_eq(name, index_of_ops[at]->name)) {
            found = index_of_ops[at];
            if (strlen(found->widths) == operands)
                break;
        }
    return found;
}

static bool decode_table(struct ks_emu_decoder *d)
{
    const struct ks_emu_opcode *o = find_opcode(d->stmt.opcode, d->stmt.n_ops);
    uint32_t *operands[] = {&d->inst.d, &d->inst.a, &d->inst.b, &d->inst.c, &d->inst.e};
    if (o == NULL)
        return false;
    d->inst.run = o->run;
    d->inst.width = (uint8_t)(o->widths[0] == 'p' ? KS_EMU_PRED : o->widths[0] - '0');
    size_t n = strlen(o->widths);
    if (d->stmt.n_ops != n)
        ks_emu_unsupported(d, "%u operands, not %zu", d->stmt.n_ops, n);
    for (unsigned i = 0; i < n && d->why[0] == '\0'; i++) {
        uint32_t width = o->widths[i] == 'p' ? KS_EMU_PRED : (uint32_t)(o->widths[i] - '0');
        *operands[i] = i == 0 ? ks_emu_dest(d, i, width) : ks_emu_source(d, i, width);
    }
    return true;
}

static void note_sum(struct ks_emu_decoder *d)
{
    const struct ks_emu_stmt *s = &d->stmt;
    uint64_t number;
    int bytes;
    if ((ks_slice_eq(s->opcode, "add.s64") || ks_slice_eq(s->opcode, "add.u64")) &&
        ks_emu_number(s->ops[2].word, &number, &bytes))
        *ks_vec_push(&d->scratch, &d->sums) = (struct ks_emu_sum){
            d->inst.d, d->inst.a, (int64_t)(s->ops[2].minus ? 0 - number : number)};
}

static void decode_stmt(struct ks_emu_decoder *d)
{
    static ks_emu_family *const families[] = {
        ks_emu_decode_move, ks_emu_decode_memory, ks_emu_decode_compare, ks_emu_decode_cvt,
        ks_emu_decode_control, ks_emu_decode_warp, ks_emu_decode_atomic, ks_emu_decode_mbarrier,
        ks_emu_decode_copy, ks_emu_decode_matrix,
    };
    uint32_t width;
    d->inst = (struct ks_emu_inst){.d = KS_EMU_NONE, .a = KS_EMU_NONE, .b = KS_EMU_NONE,
                                   .c = KS_EMU_NONE, .e = KS_EMU_NONE, .guard = KS_EMU_NONE,
                                   .target = KS_EMU_NONE, .line = d->stmt.line,
                                   .source = d->source, .negate = d->stmt.guard_negated};
    d->why[0] = '\0';
    const bool of_table = decode_table(d);
    bool known = of_table;
    for (size_t i = 0; !known && i < sizeof families / sizeof families[0]; i++)
        known = families[i](d);
    if (d->stmt.guard.len > 0 && ks_emu_register(d, d->stmt.guard, &d->inst.guard, &width) &&
        width != KS_EMU_PRED)
        ks_emu_unsupported(d, "a guard that is no predicate");
    d->inst.strong |= d->inst.sem != KS_EMU_WEAK;
    d->inst.flow = (uint8_t)ks_emu_flow_of(d, of_table);
    d->inst.class = (uint8_t)ks_emu_class_of(d->stmt.base, d->stmt.mods, d->stmt.n_mods,
                                             (enum ks_emu_space)d->inst.space);
    if (known && d->why[0] == '\0') {
        note_sum(d);
        return;
    }
    int n = d->stmt.opcode.len > 60 ? 60 : (int)d->stmt.opcode.len;
    d->inst.kind = KS_EMU_UNSUPPORTED;
    d->inst.text = known ? ks_arena_printf(&d->module->arena, "%.*s with %s", n,
                                           d->stmt.opcode.at, d->why)
                         : ks_arena_printf(&d->module->arena, "%.*s", n, d->stmt.opcode.at);
}

static enum ks_status read_line(struct ks_emu_decoder *d, struct ks_err *err)
{
    struct ks_emu_reader *r = &d->reader;
    // A label is a name with ':' behind it.
    if (ks_ptx_is_name(&r->token) && r->scan.at < r->scan.end) {
        struct ks_slice name = ks_emu_word(r);
        struct ks_emu_reader ahead = *r;
        ks_emu_next(&ahead);
        if (ks_emu_is(&ahead, ":")) {
            *r = ahead;
            ks_emu_next(r);
            if (ks_emu_take(r, ".branchtargets"))
                return ks_emu_read_targets(d, name, err);
            if (ks_emu_is(r, ".callprototype") || ks_emu_is(r, ".calltargets")) {
                while (!ks_emu_is(r, ";") && r->token.kind != KS_PTX_END)
                    ks_emu_next(r);
                return ks_emu_want(r, ";", err);
            }
            struct ks_emu_label *l = ks_vec_push(&d->scratch, &d->labels);
            *l = (struct ks_emu_label){name, d->scope, (uint32_t)d->code.len};
            return KS_OK;
        }
    }
    KS_TRY(ks_emu_read_stmt(r, &d->stmt, err));
    if (d->code.len == MAX_CODE)
        return ks_emu_bad(r, "fewer instructions are expected", err);
    decode_stmt(d);
    *ks_vec_push(&d->scratch, &d->code) = d->inst;
    return KS_OK;
}

static enum ks_status read_body(struct ks_emu_decoder *d, struct ks_err *err)
{
    struct ks_emu_reader *r = &d->reader;
    *ks_vec_push(&d->scratch, &d->parents) = 0;
    while (r->token.kind != KS_PTX_END) {
        if (ks_emu_take(r, "{")) {
            if (d->parents.len == MAX_SCOPES)
                return ks_emu_bad(r, "fewer blocks are expected", err);
            *ks_vec_push(&d->scratch, &d->parents) = d->scope;
            d->scope = (uint32_t)d->parents.len - 1;
        } else if (ks_emu_is(r, "}")) {
            if (d->scope == 0)
                return ks_emu_bad(r, "a '{' before", err);
            d->scope = d->parents.at[d->scope];
            ks_emu_next(r);
        } else if (r->token.kind == KS_PTX_WORD && *r->token.at == '.') {
            KS_TRY(ks_emu_read_directive(d, err));
        } else if (!ks_emu_take(r, ";")) {
            KS_TRY(read_line(d, err));
        }
    }
    return KS_OK;
}

// ---- the decoded function

// Labels by name and scope: a body can have as many as instructions.
struct label_table {
    const struct ks_emu_label **at;
    size_t size; // a power of two, at least half of it empty
};

static const struct ks_emu_label **label_slot(const struct label_table *t, struct ks_slice name,
                                              uint32_t scope)
{
    size_t i = (hash_of(name.at, name.len) + scope * UINT64_C(0x9e3779b97f4a7c15)) & (t->size - 1);
    while (t->at[i] != NULL &&
           (t->at[i]->scope != scope || t->at[i]->name.len != name.len ||
            memcmp(t->at[i]->name.at, name.at, name.len) != 0))
        i = (i + 1) & (t->size - 1);
    return &t->at[i];
}

static struct label_table index_labels(struct ks_emu_decoder *d)
{
    struct label_table t = {NULL, 16};
    while (t.size < 2 * d->labels.len)
        t.size *= 2;
    t.at = KS_NEW_ARRAY(&d->scratch, const struct ks_emu_label *, t.size);
    ks_vec_each(struct ks_emu_label, l, &d->labels) {
        const struct ks_emu_label **slot = label_slot(&t, l->name, l->scope);
        if (*slot == NULL) // of equal ones the first
            *slot = l;
    }
    return t;
}

static const struct ks_emu_label *find_label(const struct ks_emu_decoder *d,
                                             const struct label_table *t,
                                             const struct ks_emu_fixup *f)
{
    for (uint32_t scope = f->scope;; scope = d->parents.at[scope]) {
        const struct ks_emu_label *l = *label_slot(t, f->name, scope);
        if (l != NULL || scope == 0)
            return l;
    }
}

static enum ks_status resolve(struct ks_emu_decoder *d, struct ks_err *err)
{
    const struct label_table table = index_labels(d);
    ks_vec_each(struct ks_emu_fixup, f, &d->fixups) {
        const struct ks_emu_label *label = find_label(d, &table, f);
        struct ks_emu_inst *inst = &d->code.at[f->inst];
        if (label == NULL)
            KS_FAIL(err, KS_E_FORMAT, "PTX line %u: there is no label %.*s", f->line,
                    (int)(f->name.len > 60 ? 60 : f->name.len), f->name.at);
        uint32_t target = (uint32_t)d->module->code.len + label->index;
        if (f->which == KS_EMU_NONE)
            inst->target = target;
        else if (inst->kind == KS_EMU_SWITCH)
            inst->more[f->which] = target;
    }
    return KS_OK;
}

// `old = *p; while (... atomicCAS(p, old, ...) ...)`, as CUDA's guide has it: what the plain load saw is
// only a guess, which the exchange checks. Both addresses come from one register.
#define MOST_CAS 64
#define MOST_STEPS 10000000

// The register and number that an address is the sum of.
static uint64_t base_of(const struct ks_emu_decoder *d, const struct ks_emu_inst *inst,
                        uint32_t *base, unsigned *steps)
{
    uint64_t number = (uint64_t)inst->imm;
    *base = inst->a;
    for (size_t i = d->sums.len; i-- > 0 && *steps < MOST_STEPS; ++*steps)
        if (d->sums.at[i].d == *base) {
            *base = d->sums.at[i].a;
            number += (uint64_t)d->sums.at[i].number;
        }
    return number;
}

static void find_guesses(struct ks_emu_decoder *d)
{
    struct {
        uint64_t number;
        uint32_t base, size;
    } cas[MOST_CAS];
    unsigned n = 0, steps = 0;
    ks_vec_each(struct ks_emu_inst, i, &d->code)
        if (i->role == KS_EMU_CAS && n < MOST_CAS) {
            cas[n].number = base_of(d, i, &cas[n].base, &steps);
            cas[n++].size = i->size;
        }
    ks_vec_each(struct ks_emu_inst, i, &d->code) {
        uint32_t base;
        if (i->role != KS_EMU_LOAD || i->count != 1 || n == 0)
            continue;
        uint64_t number = base_of(d, i, &base, &steps);
        for (unsigned k = 0; k < n; k++)
            i->strong |= cas[k].base == base && cas[k].number == number && cas[k].size == i->size;
    }
}

// Strong accesses outside of shared memory order blocks, and clocks count what all of them did.
static bool talks(const struct ks_emu_decoder *d)
{
    const uint32_t *special = d->function->special;
    bool any = special[KS_EMU_CLOCK] != KS_EMU_NONE || special[KS_EMU_CLOCK64] != KS_EMU_NONE ||
               special[KS_EMU_GLOBALTIMER] != KS_EMU_NONE;
    ks_vec_each(struct ks_emu_inst, i, &d->code)
        any |= i->sem != KS_EMU_WEAK && i->space != KS_EMU_SHARED;
    return any;
}

static void list_lane_data(struct ks_emu_decoder *d)
{
    struct ks_emu_function *f = d->function;
    f->lane_data = KS_NEW_ARRAY(&d->module->arena, struct ks_emu_lane_data, d->regs.len + d->slots.len + 1);
    ks_vec_each(struct ks_emu_reg, r, &d->regs)
        f->lane_data[f->n_lane_data++] = (struct ks_emu_lane_data){r->offset, r->width, r->count};
    ks_vec_each(struct ks_emu_slot, s, &d->slots)
        if (s->bytes > 0)
            f->lane_data[f->n_lane_data++] = (struct ks_emu_lane_data){s->offset, s->bytes, 1};
}

static void finish(struct ks_emu_decoder *d)
{
    struct ks_emu_function *f = d->function;
    struct ks_arena *arena = &d->module->arena;
    find_guesses(d);
    list_lane_data(d);
    f->talks |= talks(d);
    f->first = (uint32_t)d->module->code.len;
    f->n_insts = (uint32_t)d->code.len;
    f->frame_bytes = (d->frame + 63) & ~63u;
    f->constants = ks_arena_alloc(arena, f->frame_bytes);
    f->local_consts = d->n_local_consts == 0 ? NULL
                          : KS_NEW_ARRAY(arena, struct ks_emu_local_const, d->n_local_consts);
    ks_vec_each(struct ks_emu_const, c, &d->consts) {
        if (c->local)
            f->local_consts[f->n_local_consts++] =
                (struct ks_emu_local_const){c->offset, c->width, c->bits};
        if (c->width == KS_EMU_PRED)
            memset(f->constants + c->offset, c->bits != 0 ? 0xff : 0, 4);
        for (uint32_t lane = 0; lane < KS_EMU_LANES && !c->local && c->width > 0; lane++)
            memcpy(f->constants + c->offset + lane * c->width, &c->bits, c->width);
    }
    for (size_t i = 0; i < d->code.len; i++)
        *ks_vec_push(arena, &d->module->code) = d->code.at[i];
}

static enum ks_status decode_one(struct ks_emu_module *module, struct ks_emu_function *f,
                                 struct ks_err *err)
{
    struct ks_emu_decoder d = {.module = module, .function = f};
    enum ks_status status = KS_OK;
    memset(f->special, 0xff, sizeof f->special);
    ks_emu_reader_init(&d.reader, f->body, f->body_end, f->body_line);
    // Parameters of a device function live in its frame; those of an entry in a region.
    for (size_t i = 0; status == KS_OK && !f->entry && i < f->params.len; i++)
        status = ks_emu_declare_slot(&d, &f->params.at[i], err);
    for (size_t i = 0; status == KS_OK && !f->entry && i < f->returns.len; i++)
        status = ks_emu_declare_slot(&d, &f->returns.at[i], err);
    for (size_t i = 0; status == KS_OK && i < d.slots.len; i++) {
        struct ks_emu_var *v = i < f->params.len ? &f->params.at[i]
                                                 : &f->returns.at[i - f->params.len];
        v->address = d.slots.at[i].offset;
    }
    if (status == KS_OK)
        status = read_body(&d, err);
    // Falling off the end is a return.
    d.inst = (struct ks_emu_inst){.guard = KS_EMU_NONE, .kind = KS_EMU_RET, .line = d.reader.line};
    *ks_vec_push(&d.scratch, &d.code) = d.inst;
    ks_vec_each(struct ks_emu_const, c, &d.consts)
        d.n_local_consts += c->local;
    if (status == KS_OK)
        status = resolve(&d, err);
    if (status == KS_OK)
        finish(&d);
    ks_arena_free(&d.scratch);
    return status;
}

enum ks_status ks_emu_decode(struct ks_emu_module *module, struct ks_emu_function *function,
                             struct ks_err *err)
{
    struct ks_arena scratch = {0};
    KS_VEC(struct ks_emu_function *) todo = {0}; // not by recursion: chains of calls can be long
    enum ks_status status = KS_OK;
    *ks_vec_push(&scratch, &todo) = function;
    for (size_t at = 0; status == KS_OK && at < todo.len; at++) {
        struct ks_emu_function *f = todo.at[at];
        if (f->decoded || !f->defined) // a call of what is not defined says so when it is reached
            continue;
        f->decoded = true;
        status = decode_one(module, f, err);
        for (size_t i = 0; status == KS_OK && i < f->calls.len; i++)
            *ks_vec_push(&scratch, &todo) = module->functions.at[f->calls.at[i]];
    }
    ks_arena_free(&scratch);
    return status;
}
