// Decoding of control flow, barriers and fences (PTX ISA 9.7.12, 9.7.13).

#include "device/emu/emu_alu.h"
#include "device/emu/emu_control.h"

static void nothing(struct ks_emu_warp *warp, const struct ks_emu_inst *inst, uint32_t mask)
{
    (void)warp, (void)inst, (void)mask;
}

static void fence(struct ks_emu_warp *warp, const struct ks_emu_inst *inst, uint32_t mask)
{
    ks_emu_clock_fence(warp, mask, inst->scope_cta == 0);
}

static void warp_sync(struct ks_emu_warp *warp, const struct ks_emu_inst *inst, uint32_t mask)
{
    (void)inst, (void)mask;
    ks_emu_clock_warp_sync(warp);
}

static void decode_branch(struct ks_emu_decoder *d)
{
    const struct ks_emu_stmt *s = &d->stmt;
    d->inst.kind = KS_EMU_BRANCH;
    if (s->n_ops != 1 || s->ops[0].kind != KS_EMU_O_WORD) {
        ks_emu_unsupported(d, "a target of this form");
        return;
    }
    ks_emu_jump(d, s->ops[0].word, KS_EMU_NONE);
}

static void decode_switch(struct ks_emu_decoder *d)
{
    const struct ks_emu_stmt *s = &d->stmt;
    const struct ks_emu_targets *t = NULL;
    if (s->n_ops == 2)
        ks_vec_each(struct ks_emu_targets, each, &d->targets)
            if (each->name.len == s->ops[1].word.len &&
                memcmp(each->name.at, s->ops[1].word.at, each->name.len) == 0)
                t = each;
    if (t == NULL) {
        ks_emu_unsupported(d, "targets of this form");
        return;
    }
    d->inst.kind = KS_EMU_SWITCH;
    d->inst.a = ks_emu_source(d, 0, 4);
    d->inst.n_more = t->n;
    d->inst.more = KS_NEW_ARRAY(&d->module->arena, uint32_t, t->n);
    for (uint32_t i = 0; i < t->n; i++)
        ks_emu_jump(d, t->labels[i], i);
}

// A list of param slots of the caller: the frame offsets, and their bytes.
static bool slots_of(struct ks_emu_decoder *d, const struct ks_emu_operand *op, uint32_t **out,
                     uint32_t *bytes, uint32_t *n)
{
    if (op->n_items > KS_EMU_VECTOR) {
        ks_emu_unsupported(d, "so many arguments");
        return false;
    }
    *n = op->n_items;
    *out = KS_NEW_ARRAY(&d->module->arena, uint32_t, op->n_items);
    for (unsigned i = 0; i < op->n_items; i++) {
        const struct ks_emu_slot *slot = ks_emu_slot_find(d, op->items[i].word);
        if (slot == NULL) {
            ks_emu_unsupported(d, "an argument that is no .param variable");
            return false;
        }
        (*out)[i] = slot->offset;
        bytes[i] = slot->bytes;
    }
    return true;
}

bool ks_emu_call_fits(const struct ks_emu_call *call, const struct ks_emu_function *f)
{
    if (f->entry || !f->defined || call->n_args != f->params.len ||
        call->n_rets != f->returns.len)
        return false;
    for (uint32_t i = 0; i < call->n_args + call->n_rets; i++) {
        const struct ks_emu_var *v = i < call->n_args ? &f->params.at[i]
                                                      : &f->returns.at[i - call->n_args];
        if (call->bytes[i] != v->bytes)
            return false;
    }
    return true;
}

// The function that is called, or a register with its address. False: neither.
static bool callee_of(struct ks_emu_decoder *d, struct ks_slice name, struct ks_emu_call *call)
{
    call->function = KS_EMU_NONE;
    if (name.len > 0 && name.at[0] == '%') {
        d->inst.a = ks_emu_source_word(d, name, false, 8);
        return d->why[0] == '\0';
    }
    struct ks_emu_function *f = ks_emu_function_find(d->module, name, &call->function);
    if (f != NULL && f->defined)
        return true;
    ks_emu_unsupported(d, "the function %.*s, whose code is not in the module",
                       (int)(name.len > 60 ? 60 : name.len), name.at);
    return false;
}

// call (ret), name, (args); with either list left out. Behind the arguments of an indirect call stands its prototype,
// or the list of what it may call.
static void decode_call(struct ks_emu_decoder *d)
{
    const struct ks_emu_stmt *s = &d->stmt;
    struct ks_emu_call *call = KS_NEW(&d->module->arena, struct ks_emu_call);
    uint32_t rets[KS_EMU_VECTOR], n;
    unsigned at = 0;
    if (s->n_ops > 0 && s->ops[0].kind == KS_EMU_O_LIST &&
        !slots_of(d, &s->ops[at++], &call->rets, rets, &call->n_rets))
        return;
    if (at >= s->n_ops || s->ops[at].kind != KS_EMU_O_WORD) {
        ks_emu_unsupported(d, "a callee of this form");
        return;
    }
    if (ks_slice_eq(s->ops[at].word, "__assertfail")) {
        d->inst.kind = KS_EMU_TRAP;
        d->inst.text = "an assertion failed";
        return;
    }
    const bool prints = ks_slice_eq(s->ops[at].word, "vprintf");
    if (!prints && !callee_of(d, s->ops[at].word, call))
        return;
    at++;
    n = at < s->n_ops && s->ops[at].kind == KS_EMU_O_LIST ? s->ops[at].n_items : 0;
    call->bytes = KS_NEW_ARRAY(&d->module->arena, uint32_t, n + call->n_rets);
    if (at < s->n_ops && s->ops[at].kind == KS_EMU_O_LIST &&
        !slots_of(d, &s->ops[at++], &call->args, call->bytes, &call->n_args))
        return;
    for (uint32_t i = 0; i < call->n_rets; i++)
        call->bytes[call->n_args + i] = rets[i];
    if (prints && at == s->n_ops && ks_emu_decode_print(d, call))
        return;
    bool direct = call->function != KS_EMU_NONE;
    at += !direct && at < s->n_ops && s->ops[at].kind == KS_EMU_O_WORD;
    if (prints || at != s->n_ops ||
        (direct && !ks_emu_call_fits(call, d->module->functions.at[call->function]))) {
        ks_emu_unsupported(d, "arguments that do not fit the function");
        return;
    }
    if (direct)
        *ks_vec_push(&d->module->arena, &d->function->calls) = call->function;
    d->inst.kind = KS_EMU_CALL;
    d->inst.call = call;
}

static bool votes(struct ks_emu_decoder *d, unsigned at)
{
    struct ks_emu_stmt *s = &d->stmt;
    struct ks_slice how = s->mods[s->n_mods - 2];
    struct ks_emu_operand *p = &s->ops[at];
    bool count = ks_slice_eq(how, "popc");
    d->inst.op = count ? KS_EMU_BAR_POPC : ks_slice_eq(how, "and") ? KS_EMU_BAR_AND : KS_EMU_BAR_OR;
    d->inst.d = ks_emu_dest(d, 0, count ? 4 : KS_EMU_PRED);
    if (at >= s->n_ops)
        return false;
    d->inst.flags = p->negated;
    p->negated = false;
    d->inst.c = ks_emu_source(d, at, KS_EMU_PRED);
    return true;
}

// bar and barrier: .sync a{, b}; .arrive a, b; .red.op d, a{, b}, p. bar.warp.sync is another thing.
static void decode_barrier(struct ks_emu_decoder *d)
{
    struct ks_emu_stmt *s = &d->stmt;
    struct ks_emu_inst *i = &d->inst;
    unsigned at = 0;
    bool old = ks_slice_eq(s->base, "bar");
    if (ks_emu_mod(s, "warp")) {
        i->kind = KS_EMU_WARP_SYNC;
        i->run = warp_sync;
        i->e = ks_emu_source(d, 0, 4);
        return;
    }
    if (ks_emu_mod(s, "cluster")) {
        ks_emu_unsupported(d, "clusters");
        return;
    }
    i->kind = KS_EMU_BARRIER;
    i->is_signed = old || ks_emu_mod(s, "aligned"); // aligned: all lanes of a warp come together
    i->op = ks_emu_mod(s, "arrive") ? KS_EMU_BAR_ARRIVE : KS_EMU_BAR_SYNC;
    if (ks_emu_mod(s, "red")) {
        unsigned last = s->n_ops - 1;
        if (s->n_ops < 3 || s->n_mods < 2 || !votes(d, last)) {
            ks_emu_unsupported(d, "operands of this form");
            return;
        }
        s->n_ops = last;
        at = 1;
    }
    if (s->n_ops <= at || s->n_ops > at + 2) {
        ks_emu_unsupported(d, "operands of this form");
        return;
    }
    i->a = ks_emu_source(d, at, 4);
    if (s->n_ops == at + 2)
        i->b = ks_emu_source(d, at + 1, 4);
    if (i->op == KS_EMU_BAR_ARRIVE && i->b == KS_EMU_NONE)
        ks_emu_unsupported(d, "no number of threads");
}

static void decode_fence(struct ks_emu_decoder *d)
{
    const struct ks_emu_stmt *s = &d->stmt;
    d->inst.run = fence;
    if (ks_emu_mod(s, "proxy") || ks_emu_mod(s, "mbarrier_init")) {
        d->inst.run = nothing; // only other proxies (TMA, textures, wgmma) would see the difference
        return;
    }
    static const char *const known[] = {"sc", "acq_rel", "acquire", "release", "gl"};
    for (unsigned m = 0; m < s->n_mods; m++) {
        bool order = false;
        for (size_t k = 0; k < sizeof known / sizeof known[0]; k++)
            order |= ks_slice_eq(s->mods[m], known[k]);
        if (!order && !ks_emu_read_sem(d, s->mods[m]))
            ks_emu_unsupported(d, ".%.*s", (int)(s->mods[m].len > 30 ? 30 : s->mods[m].len),
                               s->mods[m].at);
    }
    d->inst.sem = KS_EMU_WEAK; // it makes no access itself
    if (s->n_ops != 0)
        ks_emu_unsupported(d, "operands");
}

bool ks_emu_decode_control(struct ks_emu_decoder *d)
{
    const struct ks_emu_stmt *s = &d->stmt;
    struct ks_slice base = s->base;
    if (ks_slice_eq(base, "bra"))
        decode_branch(d);
    else if (ks_slice_eq(base, "brx"))
        decode_switch(d);
    else if (ks_slice_eq(base, "call"))
        decode_call(d);
    else if (ks_slice_eq(base, "ret"))
        d->inst.kind = KS_EMU_RET;
    else if (ks_slice_eq(base, "exit"))
        d->inst.kind = KS_EMU_EXIT;
    else if (ks_slice_eq(base, "trap") || ks_slice_eq(base, "brkpt"))
        d->inst.kind = KS_EMU_TRAP;
    else if (ks_slice_eq(base, "bar") || ks_slice_eq(base, "barrier"))
        decode_barrier(d);
    else if (ks_slice_eq(base, "membar") || ks_slice_eq(base, "fence"))
        decode_fence(d);
    else if (ks_slice_eq(base, "nanosleep") || ks_slice_eq(base, "pmevent") ||
             ks_slice_eq(base, "setmaxnreg") || ks_slice_eq(base, "griddepcontrol"))
        d->inst.run = nothing; // (no grid runs beside this one)
    else
        return false;
    return true;
}
