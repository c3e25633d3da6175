// Decoding of mbarrier instructions (PTX ISA 9.7.13.15).

#include "device/emu/emu_decode.h"
#include "device/emu/emu_mbarrier.h"

static bool read_mods(struct ks_emu_decoder *d, unsigned from)
{
    static const struct {
        const char *name;
        uint8_t flag;
    } flags[] = {{"noComplete", KS_EMU_MB_NO_COMPLETE},
                 {"parity", KS_EMU_MB_PARITY},
                 {"noinc", KS_EMU_MB_NO_INC},
                 {"relaxed", KS_EMU_MB_RELAXED},
                 {"release", 0},
                 {"acquire", 0},
                 {"cta", 0},
                 {"cluster", 0},
                 {"b64", 0},
                 {"expect_tx", KS_EMU_MB_TX}};
    for (unsigned m = from; m < d->stmt.n_mods; m++) {
        bool known = false;
        struct ks_slice mod = d->stmt.mods[m];
        for (size_t i = 0; i < sizeof flags / sizeof flags[0]; i++)
            if (ks_slice_eq(mod, flags[i].name)) {
                d->inst.flags = (uint8_t)(d->inst.flags | flags[i].flag);
                known = true;
            }
        if (ks_slice_eq(mod, "shared") || ks_slice_eq(mod, "shared::cta") ||
            ks_slice_eq(mod, "shared::cluster")) { // a block is a cluster of its own
            d->inst.space = KS_EMU_SHARED;
            known = true;
        }
        if (!known)
            ks_emu_unsupported(d, ".%.*s", (int)(mod.len > 30 ? 30 : mod.len), mod.at);
    }
    d->inst.size = 8;
    d->inst.count = 1;
    d->inst.strong = true;
    d->inst.scope_cta = 1;
    return d->why[0] == '\0';
}

static void want_operands(struct ks_emu_decoder *d, unsigned least, unsigned most)
{
    if (d->stmt.n_ops < least || d->stmt.n_ops > most)
        ks_emu_unsupported(d, "%u operands", d->stmt.n_ops);
}

static void decode_arrive(struct ks_emu_decoder *d)
{
    struct ks_emu_inst *i = &d->inst;
    uint32_t width = 0;
    i->run = ks_emu_mbarrier_arrive;
    want_operands(d, (i->flags & (KS_EMU_MB_TX | KS_EMU_MB_NO_COMPLETE)) != 0 ? 3 : 2, 3);
    if (d->why[0] != '\0' || !ks_emu_register(d, d->stmt.ops[0].word, &i->d, &width))
        return;
    if (width != 0 && width != 8)
        ks_emu_unsupported(d, "a state of %u bits", width * 8);
    ks_emu_address(d, 1);
    if (d->stmt.n_ops == 3)
        i->b = ks_emu_source(d, 2, 4);
}

// p, [address], state or parity{, time}
static void decode_wait(struct ks_emu_decoder *d)
{
    struct ks_emu_inst *i = &d->inst;
    i->kind = KS_EMU_WAIT;
    i->run = ks_emu_mbarrier_wait;
    want_operands(d, 3, 4);
    if (d->why[0] != '\0')
        return;
    i->d = ks_emu_dest(d, 0, KS_EMU_PRED);
    ks_emu_address(d, 1);
    i->b = ks_emu_source(d, 2, (i->flags & KS_EMU_MB_PARITY) != 0 ? 4 : 8);
}

static void decode_plain(struct ks_emu_decoder *d)
{
    struct ks_emu_inst *i = &d->inst;
    bool alone = i->op == KS_EMU_MB_INVAL || i->op == KS_EMU_MB_COPIES;
    i->run = i->op == KS_EMU_MB_COPIES  ? ks_emu_mbarrier_copies
             : i->op <= KS_EMU_MB_INVAL ? ks_emu_mbarrier_init
                                        : ks_emu_mbarrier_transfer;
    i->strong =
        i->op != KS_EMU_MB_INIT; // (cuda::pipeline ends its barriers without order between lanes)
    want_operands(d, alone ? 1 : 2, alone ? 1 : 2);
    if (d->why[0] != '\0')
        return;
    ks_emu_address(d, 0);
    if (!alone)
        i->b = ks_emu_source(d, 1, 4);
}

bool ks_emu_decode_mbarrier(struct ks_emu_decoder *d)
{
    static const char *const names[] = {"init", "inval", "arrive", "expect_tx", "complete_tx"};
    const struct ks_emu_stmt *s = &d->stmt;
    struct ks_emu_inst *i = &d->inst;
    const bool copy =
        ks_slice_eq(s->base, "cp") && ks_emu_mod(s, "mbarrier") && !ks_emu_mod(s, "bulk");
    if (!copy && (!ks_slice_eq(s->base, "mbarrier") || s->n_mods == 0))
        return false;
    struct ks_slice name = s->mods[0];
    i->op = UINT8_MAX;
    for (uint8_t k = 0; k < sizeof names / sizeof names[0]; k++)
        if (ks_slice_eq(name, names[k]))
            i->op = k;
    i->is_store = true;
    if (copy) {
        i->op = KS_EMU_MB_COPIES;
        if (read_mods(d, 3)) // async.mbarrier.arrive
            decode_plain(d);
    } else if (ks_slice_eq(name, "pending_count")) {
        i->run = ks_emu_mbarrier_count;
        i->is_store = false;
        i->d = ks_emu_dest(d, 0, 4);
        i->a = ks_emu_source(d, 1, 8);
    } else if (ks_slice_eq(name, "test_wait") || ks_slice_eq(name, "try_wait")) {
        i->op = KS_EMU_MB_WAIT;
        i->is_store = false;
        if (read_mods(d, 1))
            decode_wait(d);
    } else if (i->op == KS_EMU_MB_ARRIVE || ks_slice_eq(name, "arrive_drop")) {
        i->flags = i->op == KS_EMU_MB_ARRIVE ? 0 : KS_EMU_MB_DROP;
        i->op = KS_EMU_MB_ARRIVE;
        if (read_mods(d, 1))
            decode_arrive(d);
    } else if (i->op != UINT8_MAX) {
        if (read_mods(d, 1))
            decode_plain(d);
    } else {
        ks_emu_unsupported(d, "this form");
    }
    return true;
}
